Of messages of one kind, which differ in numbers alone, the first is printed and the others are counted.

  $ need clang
  $ warpmem cc $CASES/repeated.cu -o repeated
  $ warpmem run -q ./repeated
  PASS
  ! warpmem: error: launch of kernel "_Z5emptyv": a block of (1025, 1, 1) is not between 1 and (1024, 1024, 64)
  ! warpmem: error: launch of kernel "_Z5emptyv": a block wants 1048576 bytes of shared memory (1048576 of them dynamic) and may have 49152
  ! warpmem: 10 more like it: error: launch of kernel "_Z5emptyv": a block of (1025, 1, 1) is not between 1 and (1024, 1024, 64)
