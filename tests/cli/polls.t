Threads that sleep between two looks at what never comes end as a deadlock (docs/cuda.md, "Threads on CPU cores").

  $ need clang
  $ cp $SOURCE/tests/programs/host_threads/polls.cu polls.cu; cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml
  $ warpmem cc -g --trace-host polls.cu -o polls
  $ warpmem run -q --host-threads -m ./llc.yaml --set gpu.sm.turn=64 ./polls memory
  ! error: --host-threads: a deadlock: no thread can run
  ! thread 0 waits in a loop with sleeps at polls.cu:23
  ! kernel answer(int volatile*) waits in a loop for what no kernel writes
  ! hint: have someone wake them; -g gives lines of the source. Threads wait for each other alone: not for other processes, nor for signals
  ! warpmem: the program ended before it could write its report
  [2]
  $ warpmem run -q --host-threads -m ./llc.yaml --set gpu.sm.turn=64 ./polls stream
  ! error: --host-threads: a deadlock: no thread can run
  ! thread 0 waits in a loop with sleeps at polls.cu:26
  ! kernel answer(int volatile*) waits in a loop for what no kernel writes
  ! hint: have someone wake them; -g gives lines of the source. Threads wait for each other alone: not for other processes, nor for signals
  ! warpmem: the program ended before it could write its report
  [2]

One that goes on by itself is none.

  $ warpmem run -q --host-threads -m ./llc.yaml --set gpu.sm.turn=64 --json first.json ./polls count
  polls: 7
  $ warpmem run -q --host-threads -m ./llc.yaml --set gpu.sm.turn=64 --json again.json ./polls count; cmp first.json again.json
  polls: 7
