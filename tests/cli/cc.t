warpmem cc compiles CUDA C with clang alone. Nothing here needs a CUDA runtime.

  $ need clang
  $ printf '__global__ void twice(int *x)\n{\n    x[threadIdx.x] *= FACTOR;\n}\n' > twice.cu
  $ printf 'int main(void) { return 0; }\n' > main.c

  $ warpmem cc --help
  usage: warpmem cc [options] FILE...
  
  Compiles CUDA C and C++ into a program for "warpmem run", with clang and
  warpmem's own headers: NVIDIA's toolkit is not needed.
  
  Files are CUDA (.cu), C or C++ (.c .cc .cpp .cxx .C), objects and libraries (.o
  .a .so). Every .cu file starts with <cuda_runtime.h> included. The program is
  linked with libcudart.so.13, so that it runs on NVIDIA's as well where there is
  a GPU.
  
  With --host-only it compiles plain C and C++: programs without kernels.
  
  With --trace-host "warpmem run --host-threads" has the program's threads on the
  cores of a machine. The program runs by itself, too, and where
  WARPMEM_HOST_TRACE names a file it writes there what its host code loads and
  stores: a trace for "warpmem import". Its threads run one at a time, in the same
  order each time.
  
  The compiler is clang, or the program that WARPMEM_CLANG names.
  
  options:
    -o FILE                 the output; without it a.out, or the input's name with
                            .o or .ptx
    -c                      compile to objects, do not link
    --ptx                   write the PTX of each .cu file and stop
    -fsyntax-only           check the sources, for device and host, and write
                            nothing
    --keep                  keep the PTX, as NAME.ptx in the current folder (also
                            -save-temps)
    -arch=sm_NN             architecture that the PTX is made for (default sm_70)
    -O0 -O1 -O2 -O3 -Os     optimization of host and device code (default -O2)
    -std=STANDARD           of C++ (default c++17 in .cu files) or C
    -D -U -I -isystem       macros and include folders, as with any compiler
    -include FILE           include FILE first
    -g                      host debug information; device line numbers are always
                            kept
    -W -w -f -pedantic      clang's warnings and code options, for host and device
                            code
    -m -MD -MF -pthread     clang's target, dependency and thread options, for
                            host code
    -Xcompiler LIST         options for host code, with commas between
    -Xclang WORD            a word for clang's inner command line
    -l -L -Wl, -Xlinker     for the linker, in their place among the files
    -shared -rdynamic -s    for the linker
    --host-only             plain C and C++: without CUDA's headers and runtime
    --trace-host            instrument the loads and stores of host code, for a
                            trace of them or for --host-threads of run, record and
                            annotate
    -v, --verbose           show the commands that are run
    --dry-run               show the commands and run none
    -h, --help              print this help
  
  examples:
    warpmem cc app.cu -o app
    warpmem cc -O3 -DN=1024 main.cpp kernels.cu -lm -o app
    warpmem cc --ptx app.cu
    warpmem cc --host-only --trace-host main.cpp -o main && WARPMEM_HOST_TRACE=main.din.zst ./main

PTX alone, with line numbers that point into the file; -D reaches it.
  $ warpmem cc --ptx -DFACTOR=41 twice.cu; ls
  main.c
  twice.cu
  twice.ptx
  $ grep -E '^\.(version|target)|\.entry| 41;' twice.ptx
  .version 6.5
  .target sm_70
  .visible .entry _Z5twicePi(
  	mul.lo.s32 	%r3, %r2, 41;
  $ grep -c '^.\.file.*twice\.cu"' twice.ptx
  1
  $ grep -cE '\.loc.[0-9]+ 3 ' twice.ptx
  1
  $ warpmem cc -ptx -DFACTOR=41 -arch=sm_75 twice.cu -o other.ptx; grep target other.ptx
  .target sm_75
  $ warpmem cc --ptx -DFACTOR=41 -arch sm_80 twice.cu -o other.ptx; grep -E '^.(target|version)' other.ptx
  .version 7.1
  .target sm_80

An object; the PTX lies in it in a container as nvcc's, and is kept when asked.
  $ rm *.ptx; warpmem cc -c -DFACTOR=41 --keep twice.cu; ls
  main.c
  twice.cu
  twice.o
  twice.ptx
  $ nm -u twice.o | grep -c __cudaRegisterFatBinary
  2
  $ objcopy -O binary --only-section=.nv_fatbin twice.o package; od -A n -t x1 -N 16 package
   50 ed 55 ba 01 00 10 00 20 03 00 00 00 00 00 00
  $ tail -c +97 package | cmp -n $(wc -c < twice.ptx) - twice.ptx

Several files, of more than one language; the commands can be seen without being run.
  $ warpmem cc -c -DFACTOR=2 twice.cu main.c -O0 -g -Wall; ls *.o
  main.o
  twice.o
  $ rm *.o; warpmem cc --dry-run -c -DFACTOR="'2'" twice.cu main.c 2>&1 | sed 's/warpmem-cc-[A-Za-z0-9]*/TMP/g; s,^[^ ]*/clang,clang,'
  clang -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang -target-sdk-version=11.5 -isystem $SOURCE/include/warpmem/cuda -include $SOURCE/include/warpmem/cuda/cuda_runtime.h -std=c++17 -O2 '-DFACTOR='\''2'\''' --cuda-device-only --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx65 -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm -S -o /tmp/TMP/0.ll twice.cu
  clang -x ir --target=nvptx64-nvidia-cuda -Qunused-arguments -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature -Xclang +ptx65 -fno-builtin-memset -mllvm -disable-vector-combine -mllvm -nvptx-fma-level=1 -O2 '-DFACTOR='\''2'\''' -S -o /tmp/TMP/0.ptx /tmp/TMP/0.members.ll
  clang -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang -target-sdk-version=11.5 -isystem $SOURCE/include/warpmem/cuda -include $SOURCE/include/warpmem/cuda/cuda_runtime.h -std=c++17 -O2 '-DFACTOR='\''2'\''' --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang /tmp/TMP/0.fatbin -c -o twice.o twice.cu
  clang -isystem $SOURCE/include/warpmem/cuda -O2 '-DFACTOR='\''2'\''' -c -o main.o main.c
  $ ls *.o 2>&1
  ls: cannot access '*.o': No such file or directory
  [2]

Host code that is traced: the calls are added to it alone, and led to a library of warpmem's.
  $ warpmem cc --dry-run --trace-host -DFACTOR=2 twice.cu main.c -o twice 2>&1 | sed 's/warpmem-cc-[A-Za-z0-9]*/TMP/g; s,^[^ ]*/clang,clang,; s,^[^ ]*/objdump,objdump,'
  clang -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang -target-sdk-version=11.5 -isystem $SOURCE/include/warpmem/cuda -include $SOURCE/include/warpmem/cuda/cuda_runtime.h -std=c++17 -O2 -DFACTOR=2 --cuda-device-only --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx65 -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm -S -o /tmp/TMP/0.ll twice.cu
  clang -x ir --target=nvptx64-nvidia-cuda -Qunused-arguments -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature -Xclang +ptx65 -fno-builtin-memset -mllvm -disable-vector-combine -mllvm -nvptx-fma-level=1 -O2 -DFACTOR=2 -S -o /tmp/TMP/0.ptx /tmp/TMP/0.members.ll
  clang -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang -target-sdk-version=11.5 -isystem $SOURCE/include/warpmem/cuda -include $SOURCE/include/warpmem/cuda/cuda_runtime.h -std=c++17 -O2 -DFACTOR=2 -fsanitize=thread -mllvm -tsan-instrument-memory-accesses=0 -mllvm -tsan-instrument-func-entry-exit=0 -fno-vectorize -fno-slp-vectorize -fsanitize-coverage=bb,no-prune,trace-pc-guard,trace-loads,trace-stores --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang /tmp/TMP/0.fatbin -c -o /tmp/TMP/0.o twice.cu
  clang -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang -target-sdk-version=11.5 -isystem $SOURCE/include/warpmem/cuda -include $SOURCE/include/warpmem/cuda/cuda_runtime.h -std=c++17 -O2 -DFACTOR=2 -fsanitize=thread -mllvm -tsan-instrument-memory-accesses=0 -mllvm -tsan-instrument-func-entry-exit=0 -fno-vectorize -fno-slp-vectorize -mllvm -tsan-instrument-atomics=0 -mllvm -tsan-instrument-memintrinsics=0 -fsanitize-coverage=bb,no-prune,inline-8bit-counters,pc-table -g0 -w --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang /tmp/TMP/0.fatbin -S -o /tmp/TMP/0.counted.s twice.cu
  clang -c -o /tmp/TMP/0.counted.o /tmp/TMP/0.counted.s
  objdump -d -r --no-show-raw-insn /tmp/TMP/0.counted.o
  clang -isystem $SOURCE/include/warpmem/cuda -O2 -DFACTOR=2 -fsanitize=thread -mllvm -tsan-instrument-memory-accesses=0 -mllvm -tsan-instrument-func-entry-exit=0 -fno-vectorize -fno-slp-vectorize -fsanitize-coverage=bb,no-prune,trace-pc-guard,trace-loads,trace-stores -c -o /tmp/TMP/1.o main.c
  clang -isystem $SOURCE/include/warpmem/cuda -O2 -DFACTOR=2 -fsanitize=thread -mllvm -tsan-instrument-memory-accesses=0 -mllvm -tsan-instrument-func-entry-exit=0 -fno-vectorize -fno-slp-vectorize -mllvm -tsan-instrument-atomics=0 -mllvm -tsan-instrument-memintrinsics=0 -fsanitize-coverage=bb,no-prune,inline-8bit-counters,pc-table -g0 -w -S -o /tmp/TMP/1.counted.s main.c
  clang -c -o /tmp/TMP/1.counted.o /tmp/TMP/1.counted.s
  objdump -d -r --no-show-raw-insn /tmp/TMP/1.counted.o
  clang --driver-mode=g++ -o twice /tmp/TMP/0.o /tmp/TMP/1.o -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset -Wl,--wrap=__memcpy_chk,--wrap=__memmove_chk,--wrap=__memset_chk -Wl,--wrap=__sanitizer_cov_trace_pc_guard,--wrap=__sanitizer_cov_trace_pc_guard_init -Xlinker -rpath -Xlinker $BUILD/src/host_trace -Xlinker -rpath -Xlinker $BUILD/src/cuda $BUILD/src/host_trace/libwarpmem-host-trace.so -Wl,--push-state,--as-needed $BUILD/src/cuda/libcudart.so.13 -Wl,--pop-state

-fsyntax-only goes through both compilations, before -c and --ptx, and writes nothing.
  $ ls > before; warpmem cc -fsyntax-only -DFACTOR=2 twice.cu main.c
  $ warpmem cc -fsyntax-only -c --keep -DFACTOR=2 twice.cu main.c -o x; ls | diff before -
  $ printf '#ifdef __CUDA_ARCH__\nint device = FACTOR;\n#endif\n' > device.cu
  $ printf '#ifndef __CUDA_ARCH__\nint host = FACTOR;\n#endif\n' > host.cu
  $ for side in device host; do warpmem cc -fsyntax-only $side.cu 2>words; echo $?; grep error: words; done
  1
  device.cu:2:14: error: use of undeclared identifier 'FACTOR'
  1
  host.cu:2:12: error: use of undeclared identifier 'FACTOR'
  $ warpmem cc -fsyntax-only thing.o 2>&1 || rm before device.cu host.cu
  error: warpmem cc: -fsyntax-only needs a source file

clang's own words come through, and status 1.
  $ warpmem cc -c twice.cu 2> words; echo $?; grep -c "twice.cu:3:23: error: use of undeclared identifier 'FACTOR'" words
  1
  1
  $ mkdir tmp; TMPDIR=tmp warpmem cc -c -DFACTOR=2 -arch=sm_99 twice.cu
  ! clang: error: unsupported CUDA gpu architecture: sm_99
  [1]
  $ ls tmp

No output is left half done.
  $ ls *.o 2>&1
  ls: cannot access '*.o': No such file or directory
  [2]

Installed, the headers are found beside the program.
  $ mkdir -p prefix/bin prefix/lib/warpmem; cp $BUILD/src/cli/warpmem prefix/bin
  $ cp -r $SOURCE/include/warpmem/cuda prefix/lib/warpmem/include
  $ prefix/bin/warpmem cc --ptx -DFACTOR=7 --verbose twice.cu 2>&1 | grep -o 'isystem [^ ]*' | sed "s,$PWD,.,"
  isystem ./prefix/lib/warpmem/include
  $ grep -c visible twice.ptx
  1
