Accesses of host code to blocks of malloc and new, of a program without CUDA (docs/checks.md).

  $ need clang
  $ cp $SOURCE/tests/programs/host_checks/heap.cpp .; warpmem cc --host-only --trace-host -g -O1 -fno-builtin heap.cpp -o heap
  $ warpmem run -q --check memory ./heap right
  right: done
  ! warpmem: checks found nothing
  $ warpmem run -q --check memory --json freed.json ./heap freed
  freed: done
  ! warpmem: 1 finding
  ! access of host code to memory that was freed
  !   read  read(int const volatile*), $HOME/heap.cpp:21
  !   first 12 bytes into a block of 40 bytes, made in main, $HOME/heap.cpp:31, freed in main, $HOME/heap.cpp:33, 4 bytes; 3 times
  [1]
  $ grep -o '"findings": .*' freed.json
  "findings": [{"kind":"host_freed","count":3,"what":"12 bytes into a block of 40 bytes, made in main, $HOME/heap.cpp:31, freed in main, $HOME/heap.cpp:33","address":0,"bytes":4,"place":"read(int const volatile*), $HOME/heap.cpp:21","access":"load"}],
  $ warpmem run -q --check all ./heap deleted
  deleted: done
  ! warpmem: 1 finding
  ! access of host code to memory that was freed
  !   write write(int volatile*), $HOME/heap.cpp:26
  !   first 28 bytes into a block of 32 bytes, made in main, $HOME/heap.cpp:40, freed in main, $HOME/heap.cpp:41, 4 bytes; 1 times
  [1]
  $ warpmem run -q --check init,memory ./heap beyond
  beyond: done
  ! warpmem: 3 findings
  ! access of host code beyond an allocation
  !   write write(int volatile*), $HOME/heap.cpp:26
  !   first 0 bytes past the end of a block of 40 bytes, made in main, $HOME/heap.cpp:48, 4 bytes; 1 times
  ! access of host code beyond an allocation
  !   read  read(int const volatile*), $HOME/heap.cpp:21
  !   first 4 bytes before a block of 40 bytes, made in main, $HOME/heap.cpp:48, 4 bytes; 1 times
  ! access of host code beyond an allocation
  !   write main, $HOME/heap.cpp:51
  !   first 0 bytes into a block of 40 bytes, made in main, $HOME/heap.cpp:48, 48 bytes; 1 times
  [1]
  $ warpmem run -q --check memory ./heap resized
  resized: done
  ! warpmem: 1 finding
  ! access of host code to memory that was freed
  !   write write(int volatile*), $HOME/heap.cpp:26
  !   first 0 bytes into a block of 64 bytes, made in main, $HOME/heap.cpp:57, freed in main, $HOME/heap.cpp:57, 4 bytes; 1 times
  [1]
  $ warpmem run -q --check memory ./heap twice
  twice: done
  ! warpmem: 1 finding
  ! host code frees what it has freed
  !   free  free_twice(), $HOME/heap.cpp:67
  !   first a block of 24 bytes, made in free_twice(), $HOME/heap.cpp:65, freed in free_twice(), $HOME/heap.cpp:66; 1 times
  [1]

Without the check nothing stands between the program and the C library.

  $ ./heap right
  right: done
  $ warpmem run -q --check race ./heap deleted
  deleted: done
  ! warpmem: ./heap made no CUDA call that reached a device: nothing to report
  ! hint: --host-threads has its threads on the CPU cores of a machine, as machines/examples/cpu-gpu-shared-llc.yaml

The same with CUDA, before its first call.

  $ printf '#include <cstdlib>\nint main()\n{\n    int *a = (int *)malloc(8);\n    free(a);\n    int b = *(volatile int *)a;\n    cudaDeviceSynchronize();\n    return b & 0;\n}\n' > late.cu
  $ warpmem cc --trace-host -g late.cu -o late
  $ warpmem run -q --check memory ./late
  ! warpmem: 1 finding
  ! access of host code to memory that was freed
  !   read  main, $HOME/late.cu:6
  !   first 0 bytes into a block of 8 bytes, made in main, $HOME/late.cu:4, freed in main, $HOME/late.cu:5, 4 bytes; 1 times
  [1]
