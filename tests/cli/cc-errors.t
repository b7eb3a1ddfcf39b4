What warpmem cc says to a line that it cannot carry out. Misuse is 2, a failed compilation 1.

  $ warpmem cc
  ! error: warpmem cc: no input file
  ! hint: name one: warpmem cc app.cu -o app
  [2]
  $ warpmem cc -O2 -v
  ! error: warpmem cc: no input file
  ! hint: name one: warpmem cc app.cu -o app
  [2]
  $ warpmem cc absent.cu
  ! error: cannot read "absent.cu": No such file or directory
  [1]
  $ echo 'int main() { return 0; }' > app.cu; cp app.cu other.cu; cp app.cu app.cpp; touch notes.txt
  $ warpmem cc app.cu -o
  ! error: warpmem cc: option "-o" needs an argument
  [2]
  $ warpmem cc app.cu -o ''
  ! error: warpmem cc: -o names no file
  [2]
  $ warpmem cc app.cu -o a -o b
  ! error: warpmem cc: -o is given twice
  [2]
  $ warpmem cc app.cu -o app.cu
  ! error: warpmem cc: "app.cu" is an input and the output
  [2]
  $ warpmem cc notes.txt
  ! error: warpmem cc: "notes.txt" has an extension of no known kind of file
  ! hint: known are .cu, .c, .cc, .cpp, .cxx, .C, .o, .a and .so
  [2]
  $ warpmem cc --keeep app.cu
  ! error: warpmem cc: unknown option "--keeep"
  ! hint: did you mean --keep?
  [2]
  $ warpmem cc -qqqqqq app.cu
  ! error: warpmem cc: unknown option "-qqqqqq"
  ! hint: --help lists the options
  [2]
  $ warpmem cc -std= app.cu
  ! error: warpmem cc: option "-std=" needs an argument
  [2]
  $ warpmem cc -include
  ! error: warpmem cc: option "-include" needs an argument
  [2]
  $ warpmem cc -c --ptx app.cu
  ! error: warpmem cc: -c and --ptx exclude each other
  [2]
  $ warpmem cc --ptx app.cpp
  ! error: warpmem cc: --ptx needs a .cu file
  [2]
  $ warpmem cc -c x.o
  ! error: warpmem cc: -c needs a source file
  [2]
  $ warpmem cc -c app.cu other.cu -o both.o
  ! error: warpmem cc: -o names one file, and there would be 2
  [2]
  $ warpmem cc -c app.cu app.cpp
  ! error: warpmem cc: "app.cu" and "app.cpp" would share their outputs' name
  ! hint: compile them one by one, with -o
  [2]
  $ warpmem cc --keep app.cu sub/app.cu -o app
  ! error: warpmem cc: "app.cu" and "sub/app.cu" would share their outputs' name
  ! hint: compile them one by one, with -o
  [2]
  $ warpmem cc -arch=turing app.cu
  ! error: warpmem cc: "turing" names no architecture
  ! hint: write it like -arch=sm_70
  [2]
  $ warpmem cc -arch sm_7 app.cu
  ! error: warpmem cc: "sm_7" names no architecture
  ! hint: write it like -arch=sm_70
  [2]

What does not go with host code that is traced.
  $ warpmem cc --host-only app.cpp app.cu
  ! error: warpmem cc: --host-only compiles C and C++, and "app.cu" is CUDA
  ! hint: leave the option out
  [2]
  $ warpmem cc --host-only app.cpp -o plain && ldd ./plain | grep -c cudart; rm plain
  0
  $ printf '#include <cuda_runtime.h>\n' > needs.cpp; warpmem cc --host-only -c needs.cpp 2> found; grep -c 'cuda_runtime.h.* file not found' found
  1
  $ warpmem cc --trace-host --ptx app.cu
  ! error: warpmem cc: --trace-host and --ptx exclude each other
  ! hint: device code is traced by warpmem record: leave --trace-host out
  [2]
  $ warpmem cc --trace-host -shared app.cpp -o libapp.so
  ! error: warpmem cc: --trace-host and -shared exclude each other
  ! hint: compile with -c and link the objects into the program
  [2]
  $ warpmem cc --trace-host -fsanitize=address app.cpp
  ! error: warpmem cc: --trace-host and -fsanitize=address exclude each other
  ! hint: build the program once for each
  [2]
  $ warpmem cc --trace-host -fvectorize app.cpp
  ! error: warpmem cc: --trace-host and -fvectorize exclude each other
  ! hint: accesses are traced one by one, as the source has them
  [2]
  $ warpmem cc --trace-host -flto app.cpp
  ! error: warpmem cc: --trace-host and -flto exclude each other
  ! hint: what clang adds to host code it adds to each object: leave the option out
  [2]
  $ warpmem cc --trace-host -m32 app.cpp
  ! error: warpmem cc: --trace-host and -m32 exclude each other
  ! hint: traced are programs of 64 bits
  [2]
  $ warpmem cc --trace-hosts app.cpp
  ! error: warpmem cc: unknown option "--trace-hosts"
  ! hint: did you mean --trace-host?
  [2]

What NVIDIA's compiler takes and this one does not, with the way round.
  $ warpmem cc -static app.cu
  ! error: warpmem cc: option "-static" is not offered
  ! hint: warpmem's runtime is a shared library: leave the option out
  [2]
  $ warpmem cc -rdc=true app.cu
  ! error: warpmem cc: option "-rdc=true" is not offered
  ! hint: put the kernels and what they call into one file
  [2]
  $ warpmem cc -gencode arch=compute_75,code=sm_75 app.cu
  ! error: warpmem cc: option "-gencode" is not offered
  ! hint: name one architecture: -arch=sm_70
  [2]
  $ warpmem cc -cubin app.cu
  ! error: warpmem cc: option "-cubin" is not offered
  ! hint: warpmem runs PTX: use --ptx
  [2]
  $ warpmem cc -x cu app.cu
  ! error: warpmem cc: option "-x" is not offered
  ! hint: give the file an extension that says its language
  [2]

Something is missing around it.
  $ WARPMEM_CLANG=no-such-clang warpmem cc -c app.cu
  ! error: no-such-clang: no program of this name is in PATH
  ! hint: install the package "clang", or set WARPMEM_CLANG to the program
  [1]
  $ PATH=/nonexistent $BUILD/src/cli/warpmem cc -c app.cu
  ! error: clang: no program of this name is in PATH
  ! hint: install the package "clang", or set WARPMEM_CLANG to the program
  [1]
  $ WARPMEM_CUDA_HEADERS=/nonexistent warpmem cc -c app.cu
  ! error: the folder of warpmem's CUDA headers is not there: "/nonexistent" is no folder
  ! hint: mend or unset WARPMEM_CUDA_HEADERS
  [1]
  $ TMPDIR=/nonexistent warpmem cc -c app.cu
  ! error: cannot make a folder in "/nonexistent": No such file or directory
  ! hint: set TMPDIR to a folder that can be written
  [1]
  $ mkdir no-runtime; WARPMEM_CUDA_LIBRARIES=no-runtime warpmem cc app.cu
  ! error: cannot read "no-runtime/libcudart.so.13": No such file or directory
  ! hint: build or reinstall warpmem; -c and --ptx work without it
  [1]
  $ WARPMEM_HOST_LIBRARIES=no-runtime warpmem cc --trace-host app.cpp
  ! error: cannot read "no-runtime/libwarpmem-host-trace.so": No such file or directory
  ! hint: build or reinstall warpmem; -c and --ptx work without it
  [1]
  $ WARPMEM_HOST_LIBRARIES=/nonexistent warpmem cc --trace-host app.cpp
  ! error: the folder of warpmem's library for traced programs is not there: "/nonexistent" is no folder
  ! hint: mend or unset WARPMEM_HOST_LIBRARIES
  [1]
  $ WARPMEM_CLANG=false warpmem cc -c app.cu
  [1]
  $ ls
  app.cpp
  app.cu
  found
  needs.cpp
  no-runtime
  notes.txt
  other.cu
