Threads of a running program on the CPU cores beside a machine's SMs.

Two threads and a kernel that wait for each other by flags: the kernel polls one, a thread the other.

  $ need clang
  $ warpmem cc $SOURCE/tests/programs/host_threads/flags.cu -g --trace-host -o flags
  $ cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml
  $ warpmem run --host-threads -m ./llc.yaml --json first.json ./flags > first.txt; sed -n 1,2p first.txt
  flags: PASS
  warpmem: cpu-gpu-llc (a shared last-level cache), untimed walk
  $ grep -o '^Kernel.*' first.txt; awk '/^(cores|twice)/ { print $1, $2, $3, $4, $5 }' first.txt
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  cores 1 4 x 1
  twice 1 1 x 256
  $ jq -r '.kernels[] | select(.name == "cores") | .instructions[] | select(.source) | "\(.source.file | split("/")[-1]):\(.source.line) \(.kind)"' first.json | sort -u | head -8
  flags.cu:15 load
  flags.cu:15 store
  flags.cu:29 store
  flags.cu:30 store
  flags.cu:37 load
  flags.cu:37 store
  flags.cu:38 load
  flags.cu:39 load

The same each time, to the byte.

  $ for i in 1 2 3; do warpmem run -q --host-threads -m ./llc.yaml --json again.json ./flags; cmp first.json again.json; done
  flags: PASS
  flags: PASS
  flags: PASS

Where levels are coherent (docs/coherence.md).

  $ warpmem run -q --host-threads -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --json first.json ./flags
  flags: PASS
  $ warpmem run -q --host-threads -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --json again.json ./flags; cmp first.json again.json
  flags: PASS

Each way in which a thread waits for the device: what waits there lets the others go on.

  $ warpmem cc $SOURCE/tests/programs/host_threads/waits.cu -g --trace-host -o waits
  $ warpmem run -q --host-threads -m ./llc.yaml --set cpu.core.count=6 --json first.json ./waits
  waits: PASS
  $ warpmem run -q --host-threads -m ./llc.yaml --set cpu.core.count=6 --json again.json ./waits; cmp first.json again.json
  waits: PASS

A program without a kernel: the cores alone. Each of three threads loads and stores 4096 numbers in 512 lines of its own, in eight accesses of each.

  $ warpmem cc $SOURCE/tests/programs/host_threads/many.cu --trace-host -o many
  $ warpmem run --host-threads -m ./llc.yaml ./many 3 > many.txt; awk '/^cores/ { print $1, $2, $3, $4, $5, $6, $7 }' many.txt
  cores 1 4 x 1 24.7 k

What is wrong with the run is said under the option's name.

  $ WARPMEM_HOST_TRACE_TURN=1 warpmem run -q --host-threads -m ./llc.yaml ./many 3
  ! error: --host-threads: WARPMEM_HOST_TRACE_TURN is no number of accesses that a thread's turn can have
  ! hint: give one from 2 on, or leave it out
  ! warpmem: ./many made no CUDA call that reached a device: nothing to report
  [2]

Processors that a program finds are the machine's cores, on any host. The system has them all on one of its own.

  $ warpmem cc $SOURCE/tests/programs/host_threads/processors.cu --trace-host -o processors
  $ warpmem run -q --host-threads -m ./llc.yaml --set cpu.core.count=6 ./processors
  6 threads, 6 of 6 processors, 6 of 6
  in 4 bytes: Invalid argument
  of no thread: No such process
  by the system call: Function not implemented
  first: on processor 0, may run on 6 and 6, and stays on one
  to run on 3: done
  to run on 1000: Invalid argument
  second, made by it: on processor 1, may run on 1 and 1, and stays on one

Without the option, as ever.

  $ warpmem run -m ./llc.yaml ./many 3
  many: PASS
  ! warpmem: ./many made no CUDA call that reached a device: nothing to report
  ! hint: --host-threads has its threads on the CPU cores of a machine, as machines/examples/cpu-gpu-shared-llc.yaml

What can go on for none.

  $ warpmem cc $SOURCE/tests/programs/host_threads/deadlock.cu -g --trace-host -o deadlock
  $ warpmem run --host-threads -m ./llc.yaml ./deadlock
  ! error: --host-threads: a deadlock: no thread can run
  ! thread 0 waits at deadlock.cu:25 for the device
  ! kernel wait_for_host(shared*) waits in a loop for what no kernel writes
  ! hint: have someone wake them; -g gives lines of the source. Threads wait for each other alone: not for other processes, nor for signals
  ! warpmem: the program ended before it could write its report
  [2]
  $ warpmem run --host-threads -m ./llc.yaml --set gpu.sm.turn=64 ./deadlock polls
  ! error: --host-threads: a deadlock: no thread can run
  ! thread 0 waits in a loop at deadlock.cu:23
  ! kernel wait_for_host(shared*) waits in a loop for what no kernel writes
  ! hint: have someone wake them; -g gives lines of the source. Threads wait for each other alone: not for other processes, nor for signals
  ! warpmem: the program ended before it could write its report
  [2]

More threads at a time than cores, and what is no machine or program for it.

  $ warpmem run --host-threads -m ./llc.yaml ./many 4
  ! error: --host-threads: the program has 5 threads at a time, and machine cpu-gpu-llc has 4 CPU cores beside its SMs
  ! hint: give --set cpu.core.count=5
  ! warpmem: the program ended before it could write its report
  [2]
  $ warpmem run --host-threads ./flags
  ! error: machine v100 has no CPU cores beside its SMs that could run the program's threads
  ! hint: take a machine that has a cpu, as machines/examples/cpu-gpu-llc.yaml
  [2]
  $ warpmem run --host-threads --serial-streams -m ./llc.yaml ./flags
  ! error: warpmem run: --host-threads contradicts --no-memory and --serial-streams
  [2]
  $ warpmem run --host-threads --no-memory -m ./llc.yaml ./flags
  ! error: warpmem run: --host-threads contradicts --no-memory and --serial-streams
  [2]
  $ warpmem cc $SOURCE/tests/programs/host_threads/many.cu -o plain
  $ warpmem run --host-threads -m ./llc.yaml ./plain
  ! error: ./plain: its host code is not instrumented, so that its threads' loads and stores are not known
  ! hint: compile and link it with warpmem cc --trace-host, or leave out --host-threads
  [2]
  $ printf '#!/bin/sh\n./many 1\n./plain\n' > both.sh; chmod +x both.sh; warpmem run --host-threads -m ./llc.yaml ./both.sh | grep -c '^cores'
  1

At a limit.

  $ warpmem run -q --host-threads -m ./llc.yaml --limit-instructions 1000 ./many 1
  ! warpmem: error: kernel cores: stopped at the limit of 1000 warp instructions
  ! hint: --limit-instructions sets it
  [3]

How programs end, and what else their threads do.

  $ warpmem cc $SOURCE/tests/programs/host_threads/ends.cu -g --trace-host -o ends
  $ warpmem run --host-threads -m ./llc.yaml ./ends last | awk '/^(cores|set)/ { print $1, $2, $3, $4, $5 }'
  cores 1 4 x 1
  set 1 1 x 1
  $ warpmem run -q --host-threads -m ./llc.yaml ./ends for-ever 2>&1 | grep -v '^thread 0'
  error: --host-threads: a deadlock: no thread can run
  kernel answer(int volatile*) waits in a loop for what no kernel writes
  hint: have someone wake them; -g gives lines of the source. Threads wait for each other alone: not for other processes, nor for signals
  warpmem: the program ended before it could write its report
  $ warpmem run -q --host-threads -m ./llc.yaml ./ends exit
  [5]

The first thread ends before the last does, which a kernel is launched by: with the last one the program ends, whatever threads the device has, and the reports are there.

  $ timeout -s KILL 60 warpmem run --host-threads -m ./llc.yaml ./ends leave | awk '/^(cores|set) +1/ { print $1, $2, $3, $4, $5 }'
  cores 1 4 x 1
  set 1 1 x 1
  $ timeout -s KILL 60 warpmem run -q --host-threads --engine clock -m ./llc.yaml ./ends leave
  set to 1
  $ timeout -s KILL 60 warpmem record -q --host-threads -o leave.wmt -- ./ends leave
  set to 1
  $ warpmem trace info leave.wmt | sed -n '/^thread .*commands/,$p' | awk '{ print $1, $7 }'
  thread commands
  0 1
  1 1

  $ warpmem run -q --host-threads -m ./llc.yaml ./ends fork
  a thread of the child
  the child ended with 3
  ! note: the program has called fork(): what the child accesses is not followed
  $ warpmem run -q --host-threads -m ./llc.yaml ./ends sleep
  slept
  $ warpmem run -q --host-threads -m ./llc.yaml ./ends fault 2>&1 | grep -o '^700$\|write of 4 bytes at 0x0'
  write of 4 bytes at 0x0
  700
  $ warpmem run -q --host-threads -m ./llc.yaml ./ends function
  ! error: --host-threads: a host function of a stream waits for what a thread does
  ! hint: have such functions do no more than to wake threads
  ! warpmem: the program ended before it could write its report
  [2]
