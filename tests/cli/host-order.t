What threads of a program wait for of each other is in its trace, and a replay keeps it.

  $ need clang
  $ warpmem cc --host-only --trace-host -O1 -pthread $SOURCE/tests/cli/ordered.c -o ordered
  $ for run in 1 2; do WARPMEM_HOST_TRACE=$run.din ./ordered; done; cmp 1.din 2.din

The reader goes on behind the store of the flag, the seventeenth of thread 1; the join adds nothing.

  $ grep -E '^(a|t|u|f)' 1.din | sed 's/5555[0-9a-f]*/READY/; s/ @.*//'
  t 1
  t 0
  a 1 11
  u READY 4
  f
  $ warpmem import -q -o ordered.wmt 1.din
  $ for j in 1 4; do warpmem replay -j $j ordered.wmt -m cpu-core2 -q --json $j.json; done; cmp 1.json 4.json
  $ warpmem replay ordered.wmt -m cpu-core2 | grep -c MPKI
  1

A trace that was cut says what is missing.

  $ awk '/^t 1/ { cut = 1 } !/^w/ || !cut' 1.din > cut.din; warpmem import -o x.wmt cut.din
  ! error: cut.din: thread 0 waits for 11 accesses of thread 1, which makes 0 (all hexadecimal)
  ! hint: the trace was cut or edited: trace the program again, or leave the order out: --unordered
  [2]
