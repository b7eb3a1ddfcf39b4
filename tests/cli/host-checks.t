Accesses of host code to freed memory, and beyond allocations (docs/checks.md), of programs that are instrumented.

  $ need clang
  $ cp $SOURCE/tests/programs/host_checks/freed.cu freed.cu; warpmem cc -g --trace-host freed.cu -o freed
  $ warpmem run -q --check memory ./freed within
  within: done
  ! warpmem: checks found nothing
  $ warpmem run -q --check memory --json freed.json ./freed freed
  freed: done
  ! warpmem: 1 finding
  ! access of host code to memory that was freed
  !   read  read(int const volatile*), $HOME/freed.cu:23
  !   first 0 bytes into freed cudaMallocManaged #1 (128 bytes at 0x200000000000), 4 bytes; 3 times
  [1]
  $ grep -o '"findings": .*' freed.json
  "findings": [{"kind":"host_freed","count":3,"what":"0 bytes into freed cudaMallocManaged #1 (128 bytes at 0x200000000000)","address":35184372088832,"bytes":4,"place":"read(int const volatile*), $HOME/freed.cu:23","access":"load"}],
  $ warpmem run -q --check memory ./freed pinned
  pinned: done
  ! warpmem: 1 finding
  ! access of host code to memory that was freed
  !   write write(int volatile*), $HOME/freed.cu:28
  !   first 60 bytes into freed cudaMallocHost #1 (64 bytes at 0x200000000000), 4 bytes; 1 times
  [1]
  $ warpmem run -q --check memory ./freed beyond
  beyond: done
  ! warpmem: 2 findings
  ! access of host code beyond an allocation
  !   write add(std::atomic<int>*), /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/atomic_base.h:618
  !   first 0 bytes past the end of cudaMallocManaged #1 (128 bytes at 0x200000000000), 4 bytes; 1 times
  ! access of host code beyond an allocation
  !   read  main, $HOME/freed.cu:60
  !   first 0 bytes into cudaMallocManaged #1 (128 bytes at 0x200000000000), 132 bytes; 1 times
  [1]

Kernels' findings are as ever beside them. Not found without the check, and not in a program that is not instrumented.

  $ warpmem run -q --check race ./freed freed
  freed: done
  ! warpmem: checks found nothing
  $ warpmem run -q ./freed freed
  freed: done
  $ warpmem cc -g freed.cu -o plain
  $ warpmem run -q --check memory ./plain freed
  freed: done
  ! warpmem: checks found nothing

Without lines of the source.

  $ warpmem cc --trace-host freed.cu -o freed
  $ warpmem run -q --check memory ./freed freed
  freed: done
  ! warpmem: 1 finding
  ! access of host code to memory that was freed
  !   read  read(int const volatile*) (freed)
  !   first 0 bytes into freed cudaMallocManaged #1 (128 bytes at 0x200000000000), 4 bytes; 3 times
  [1]
