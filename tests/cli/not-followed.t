What is not followed of a program that traces itself (docs/formats/cores.md): it is counted, and said once.

  $ need clang
  $ need cc
  $ P=$SOURCE/tests/programs/not_followed; cp $P/main.cpp $P/twice.c $P/thrice.c .; cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml
  $ cc -c twice.c -o twice.o; cc -shared -fPIC thrice.c -o libthrice.so; ar rcs libtwice.a twice.o
  $ warpmem cc --host-only --trace-host main.cpp twice.o ./libthrice.so -o app
  ! note: main.cpp: inline assembly in 1 place: what it accesses is not followed
  ! note: twice.o is not instrumented: what its 2 functions access is not followed
  $ WARPMEM_HOST_TRACE=app.din ./app
  23
  ! note: the program has called fork(): what the child accesses is not followed
  ! note: libthrice.so is not instrumented: what its 1 function accesses is not followed
  $ warpmem run -q --host-threads -m ./llc.yaml ./app
  23
  ! note: the program has called fork(): what the child accesses is not followed
  ! note: libthrice.so is not instrumented: what its 1 function accesses is not followed

An archive's objects are counted together. By itself the program says nothing.

  $ warpmem cc --host-only --trace-host main.cpp ./libtwice.a ./libthrice.so -o app
  ! note: main.cpp: inline assembly in 1 place: what it accesses is not followed
  ! note: ./libtwice.a is not instrumented: what its 2 functions access is not followed
  $ ./app
  23

Instrumented ones are followed.

  $ warpmem cc --host-only --trace-host -c twice.c -o twice.o; warpmem cc --host-only --trace-host main.cpp twice.o ./libthrice.so -o app
  ! note: main.cpp: inline assembly in 1 place: what it accesses is not followed

Nor does it matter to a program that is not traced.

  $ warpmem cc --host-only main.cpp twice.c thrice.c -o plain; ./plain
  23
