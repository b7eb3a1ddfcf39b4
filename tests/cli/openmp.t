OpenMP's threads, of LLVM's library, on CPU cores beside kernels.

  $ need clang
  $ need libomp.so.5
  $ cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml; warpmem cc --trace-host -fopenmp $SOURCE/tests/programs/host_threads/openmp.cu -l:libomp.so.5 -o openmp
  $ export OMP_NUM_THREADS=3; warpmem run -q --host-threads -m ./llc.yaml --json first.json ./openmp
  openmp: PASS
  $ warpmem run -q --host-threads -m ./llc.yaml --json again.json ./openmp; cmp first.json again.json
  openmp: PASS
  $ WARPMEM_HOST_TRACE=first.din ./openmp; WARPMEM_HOST_TRACE=again.din ./openmp; cmp first.din again.din
  openmp: PASS
  openmp: PASS

Where no number is given it is that of the machine's cores.

  $ unset OMP_NUM_THREADS; warpmem run -q --host-threads -m ./llc.yaml ./openmp most; warpmem run -q --host-threads -m ./llc.yaml --set cpu.core.count=6 ./openmp most
  4 threads
  6 threads
