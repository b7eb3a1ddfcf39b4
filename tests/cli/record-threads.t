Recordings of a program's threads beside its kernels.

Three threads that wait for a mutex, each with kernels that it waits for.

  $ need clang
  $ warpmem cc $SOURCE/tests/programs/host_threads/stages.cu -g --trace-host -o stages
  $ cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml
  $ warpmem record --host-threads -o stages.wmt -- ./stages 2>&1 | sed 's/, [0-9.]* KiB//'
  stages: PASS
  warpmem: stages.wmt: 12 launches of 1 kernel and the program's threads
  $ warpmem trace info stages.wmt | tail -6
  
  thread  instructions        loads       stores     locked   fences  commands     turns
  0              20571         4102         4097          0        0         1        12
  1              64387        13688        13672          0        0         4        32
  2              64387        13688        13672          0        0         4        33
  3              64359        13680        13664          0        0         4        33
  $ warpmem trace info stages.wmt --json | python3 -c 'import json, sys; print(*[thread["commands"] for thread in json.load(sys.stdin)["threads"]])'
  1 4 4 4
  $ warpmem trace check stages.wmt
  stages.wmt: complete, 12 launches

The same each time, to the byte, on whatever machine it is recorded where the kernels' accesses do not depend on it.

  $ warpmem record -q --host-threads -o again.wmt -- ./stages; cmp stages.wmt again.wmt
  stages: PASS
  $ warpmem trace dump stages.wmt --events | tail -2
  launch 11: kernel _Z5scalePii, grid 16x1x1, block 128x1x1, stream 0; command 13
  threads: 4, 110 turns
  $ warpmem trace dump stages.wmt --thread 1 | grep -E 'command|turn|thread' | head -8
  threads: 4, 110 turns
  thread 1
          gives its turn away
          gives its turn away
          issues command 2
          gives its turn away
          gives its turn away
          gives its turn away

Threads, launches and blocks that it does not have.

  $ warpmem trace dump stages.wmt --thread 9
  threads: 4, 110 turns
  ! error: stages.wmt: the recording has nothing of what was chosen
  ! hint: warpmem trace info lists its launches and threads
  [2]
  $ warpmem trace dump stages.wmt --launch 12-20
  ! error: stages.wmt: the recording has nothing of what was chosen
  ! hint: warpmem trace info lists its launches and threads
  [2]
  $ warpmem trace dump stages.wmt --launch 11 --block 16
  launch 11: kernel _Z5scalePii, grid 16x1x1, block 128x1x1, stream 0; command 13
  ! error: stages.wmt: the recording has nothing of what was chosen
  ! hint: warpmem trace info lists its launches and threads
  [2]

A replay in the walk has every level's counters of a run, on a machine with coherent levels too, and on any number of the host's threads.

  $ printf 'grep -E "^[^,]*,(cpu0|gpu0)" $1 | grep -vE ",(warp_instructions|thread_instructions|blocks),"\n' > levels.sh
  $ for machine in ./llc.yaml $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml; do warpmem run -q --host-threads -m $machine --csv run.csv ./stages; warpmem replay -q -m $machine --csv replay.csv stages.wmt; sh levels.sh run.csv > run.txt; sh levels.sh replay.csv > replay.txt; cmp run.txt replay.txt; [ $(wc -l < run.txt) -gt 2000 ] && echo compared; done
  stages: PASS
  compared
  stages: PASS
  compared
  $ for engine in walk clock; do for j in 1 4; do warpmem replay -q -j $j --engine $engine -m ./llc.yaml --csv $engine$j.csv stages.wmt; done; cmp ${engine}1.csv ${engine}4.csv; done
  $ warpmem replay -m ./llc.yaml stages.wmt | sed -n 1,6p
  warpmem: cpu-gpu-llc (a shared last-level cache), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit    L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  cores      1         4 x 1       214 k       -       -       98.8%        0.0%    74.2%      0 B       64.9 KiB   64.9 KiB  16.8 KiB
  scale     12      16 x 128      9.98 k   50.0%   95.8%           -           -   100.0%  192 KiB            0 B   8.00 KiB       0 B
  all       13                     224 k   50.0%   95.8%       98.8%        0.0%    77.0%  192 KiB       64.9 KiB   72.9 KiB  16.8 KiB
  $ warpmem replay --engine clock -m ./llc.yaml stages.wmt | sed -n 1,6p
  warpmem: cpu-gpu-llc (a shared last-level cache), in time
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit    L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  cores      1         4 x 1       214 k       -       -       98.8%        0.0%    74.2%      0 B       64.9 KiB   64.9 KiB  16.8 KiB
  scale     12      16 x 128      9.98 k   50.0%   95.8%           -           -   100.0%  192 KiB            0 B   8.00 KiB       0 B
  all       13                     224 k   50.0%   95.8%       98.8%        0.0%    77.0%  192 KiB       64.9 KiB   72.9 KiB  16.8 KiB

Without the threads it is what the program's recording without them is.

  $ warpmem record -q -o kernels.wmt -- ./stages
  stages: PASS
  $ warpmem replay -q -m ./llc.yaml --csv kernels.csv kernels.wmt; warpmem replay -q --no-host-threads -m ./llc.yaml --csv without.csv stages.wmt; cmp kernels.csv without.csv
  $ warpmem replay -q --csv kernels.csv kernels.wmt; warpmem replay --csv without.csv stages.wmt > report.txt; cmp kernels.csv without.csv
  ! warpmem: machine v100 has no CPU cores beside its SMs: the recording's threads are left out

Threads and kernels that wait for each other by flags: loops are as they were recorded.

  $ warpmem cc $SOURCE/tests/programs/host_threads/flags.cu -g --trace-host -o flags
  $ warpmem record -q --host-threads -o flags.wmt -- ./flags
  flags: PASS
  $ for engine in walk clock; do warpmem replay --engine $engine -m ./llc.yaml flags.wmt | awk '/^(cores|twice)/ { print $1, $2 }'; done
  cores 1
  twice 1
  cores 1
  twice 1

Each way to wait for the device.

  $ warpmem cc $SOURCE/tests/programs/host_threads/waits.cu -g --trace-host -o waits
  $ warpmem record -q --host-threads -o waits.wmt -- ./waits; warpmem record -q --host-threads -o again.wmt -- ./waits; cmp waits.wmt again.wmt
  waits: PASS
  waits: PASS
  $ for engine in walk clock; do warpmem replay --engine $engine -m ./llc.yaml --set cpu.core.count=6 waits.wmt | awk '/^(cores|add_one)/ { print $1, $2 }'; done
  cores 1
  add_one 6
  cores 1
  add_one 6
  $ warpmem replay -m ./llc.yaml waits.wmt
  ! error: waits.wmt: the recording is of 6 cores, and machine cpu-gpu-llc has 4 CPU cores beside its SMs
  ! hint: give --set cpu.core.count=6
  [2]

No kernels.

  $ warpmem cc $SOURCE/tests/programs/host_threads/many.cu --trace-host -o many
  $ warpmem record --host-threads -o many.wmt -- ./many 3 2>&1 | sed 's/, [0-9.]* KiB//'
  many: PASS
  warpmem: many.wmt: 0 launches of 0 kernels and the program's threads
  $ warpmem replay -m ./llc.yaml many.wmt | awk '/^cores/ { print $1, $2, $3, $4, $5 }'
  cores 1 4 x 1

A trace of threads that was made apart from the recording of the kernels.

  $ printf 'r 1000 8\nk 1\nd\ne 1\nw 1008 8\nt 1\nr 1000 8\na 0 2\nr 1008 8\nt 0\nd\n' > threads.din
  $ warpmem import --kernels kernels.wmt -o both.wmt threads.din 2>&1 | sed 's/, [0-9.]* KiB//'
  warpmem: both.wmt: 4 instructions, 2 different, with 3 loads and 1 store
  warpmem: both.wmt: 12 launches of 1 kernel and the program's threads
  $ warpmem trace dump both.wmt --thread 0-1
  threads: 2, 2 turns
  thread 0
      0  00000001  load
          global load 8 B: 0x1000
          issues command 1
          gives its turn away
          after the end of commands up to 1
      1  00000001  store
          global store 8 B: 0x1008
          gives its turn away
          lanes 1 end
  thread 1
      0  00000001  load
          global load 8 B: 0x1000
          after 2 accesses of block 0
      0  00000001  load
          global load 8 B: 0x1008
          lanes 1 end
  $ warpmem replay -q --kernel cores -m ./llc.yaml --csv both.csv both.wmt; grep -c '^cores,cpu0.core.0..l1,' both.csv
  33

Its lines count the launches: one thread launches all twelve and goes on when they have ended, the other goes on at once.

  $ printf 'r 1000 8\nk 1\nk 2\nk 3\nk 4\nk 5\nk 6\nk 7\nk 8\nk 9\nk a\nk b\nk c\ne c\nw 1008 8\nt 1\nr 1000 8\nw 1008 8\n' > launches.din
  $ warpmem import -q --kernels kernels.wmt -o launches.wmt launches.din
  $ warpmem replay -q --engine clock -m ./llc.yaml --csv launches.csv launches.wmt
  $ awk -F, '$3 == "cycles" && $2 == "kernel" { cycles[$1] = $4 } $1 == "cores" && $2 ~ /core.[01]..timing/ && $3 == "cycles" { core[substr($2, 11, 1)] = $4 } END { print (cycles["_Z5scalePii"] > 1000), (core[0] > cycles["_Z5scalePii"]), (core[1] < 1000) }' launches.csv
  1 1 1
  $ warpmem replay -m ./llc.yaml launches.wmt | awk '/^(cores|scale)/ { print $1, $2 }'
  cores 1
  scale 12

  $ warpmem import --kernels both.wmt -o again.wmt threads.din
  ! error: both.wmt: the recording has its threads already
  [2]
  $ warpmem import -q -o cores.wmt threads.din; warpmem import --kernels cores.wmt -o again.wmt threads.din
  ! error: cores.wmt: the recording is of CPU cores, not of kernels that threads could run beside
  [2]
  $ warpmem import --kernels kernels.wmt -o again.wmt threads.din threads.din
  ! error: 2 traces: beside kernels there is one, of all threads
  [2]
  $ printf 'k 0\n' > bad.din; warpmem import --kernels kernels.wmt -o again.wmt bad.din
  ! error: bad.din:1: "k 0" names a command that no device has
  [2]
  $ printf 'k 1\n' > bad.din; warpmem import --kernels kernels.wmt -o again.wmt bad.din
  ! error: bad.din: no thread of it executes anything
  [2]

What other tools make of it.

  $ warpmem export -o traces stages.wmt
  ! warpmem: traces: without the program's threads: Accel-Sim's traces have kernels alone
  ! warpmem: traces: 12 launches, 9984 warp instructions
  $ warpmem trace cut -o part.wmt --launches 0-1 stages.wmt 2>&1 | sed 's/, [0-9.]* KiB//'
  warpmem: left out the program's threads: they wait for all of its launches
  warpmem: part.wmt: 2 launches of 1 kernel
  $ warpmem replay --cores many.wmt -m ./llc.yaml stages.wmt
  ! error: stages.wmt: the recording has threads, which the CPU cores run
  ! hint: leave out many.wmt, or the threads: --no-host-threads
  [2]

Where two recordings' threads part: an access, a place of code, what a thread waits for, a turn, or instructions that are counted; and where one has other
threads. Kernels are the same.

  $ warpmem trace diff stages.wmt stages.wmt
  $ warpmem trace diff both.wmt launches.wmt
  The first turns of CPU threads that differ: turn 0
    A  thread 0
    B  none
  The first instructions of CPU threads that differ: thread 0, instruction 1:
    A
              gives its turn away
    B
              issues command 2
  kernel _Z5scalePii: 0 of 768 warps differ in 12 launches
  CPU threads: 2 of 2 differ
  [1]
  $ printf 'r 1000 8\nk 1\nd\ne 1\nw 1008 8\nt 1\nr 1000 8\na 0 1\nr 1008 8\nt 0\nd\n' > part.din; warpmem import -q --kernels kernels.wmt -o part.wmt part.din
  $ warpmem trace diff both.wmt part.wmt
  The first instructions of CPU threads that differ: thread 1, instruction 1:
    A
              after 2 accesses of block 0
    B
              after 1 accesses of block 0
  kernel _Z5scalePii: 0 of 768 warps differ in 12 launches
  CPU threads: 1 of 2 differ
  [1]
  $ printf 'r 1000 8\nk 1\nd\ne 1\nw 1010 8\nt 1\nr 1000 8\na 0 2\nr 1008 8\n' > part.din; warpmem import -q --kernels kernels.wmt -o part.wmt part.din
  $ warpmem trace diff both.wmt part.wmt
  The first turns of CPU threads that differ: turn 1
    A  thread 0
    B  none
  The first instructions of CPU threads that differ: thread 0, instruction 1:
    A
          1  00000001  store
              global store 8 B: 0x1008
    B
          1  00000001  store
              global store 8 B: 0x1010
              lanes 1 end
  kernel _Z5scalePii: 0 of 768 warps differ in 12 launches
  CPU threads: 1 of 2 differ
  [1]
  $ printf 'r 1000 8\nk 1\nd\ne 1\nw 1008 8\nt 1\nn 10\nr 1000 8\na 0 2\nr 1008 8\nt 0\nd\n' > part.din; warpmem import -q --kernels kernels.wmt -o part.wmt part.din
  $ warpmem trace diff both.wmt part.wmt | tail -10
  The first instructions of CPU threads that differ: thread 1, instruction 0:
    A
          0  00000001  load
              global load 8 B: 0x1000
    B
            (16 not listed one by one)
          0  00000001  load
              global load 8 B: 0x1000
  kernel _Z5scalePii: 0 of 768 warps differ in 12 launches
  CPU threads: 1 of 2 differ
  $ printf 'l 1 10 app 3 app.c\nr 1000 8 @1\nk 1\nd\ne 1\nw 1008 8\nt 1\nr 1000 8\na 0 2\nr 1008 8\nt 0\nd\n' > part.din; warpmem import -q --kernels kernels.wmt -o part.wmt part.din
  $ warpmem trace diff both.wmt part.wmt
  The first instructions of CPU threads that differ: thread 0, instruction 0:
    A
          0  00000001  load
              global load 8 B: 0x1000
    B
          2  00000001  app+0x10 load
              global load 8 B: 0x1000
  kernel _Z5scalePii: 0 of 768 warps differ in 12 launches
  CPU threads: 1 of 2 differ
  [1]
  $ warpmem trace diff both.wmt kernels.wmt
  CPU threads: A has 2, B has 0
  kernel _Z5scalePii: 0 of 768 warps differ in 12 launches
  [1]
  $ warpmem trace diff kernels.wmt kernels.wmt

What goes wrong.

  $ WARPMEM_HOST_THREADS=1 WARPMEM_ENGINE=clock WARPMEM_RECORD=time.wmt LD_LIBRARY_PATH=$BUILD/src/cuda ./stages
  ! warpmem: error: WARPMEM_ENGINE: the clock engine does not record
  ! hint: record first, then replay with --engine clock: a recording has what threads execute, and no time
  [2]

  $ head -c $(($(stat -c %s stages.wmt) - 100)) stages.wmt > short.wmt; warpmem replay -m ./llc.yaml short.wmt 2>&1 | sed 's/byte [0-9]*:/byte …:/'
  error: short.wmt: the recording is cut off at byte …: launches 0 to 11 are whole; what the program did after that is missing
  hint: record the program again, or take the whole launches out with warpmem trace cut
  $ warpmem cc $SOURCE/tests/programs/host_threads/many.cu -o plain
  $ warpmem record --host-threads -o plain.wmt -- ./plain
  ! error: ./plain: its host code is not instrumented, so that its threads' loads and stores are not known
  ! hint: compile and link it with warpmem cc --trace-host, or leave out --host-threads
  [2]
  $ warpmem cc $SOURCE/tests/programs/host_threads/ends.cu -g --trace-host -o ends
  $ warpmem record -q --host-threads -o ends.wmt -- ./ends exit
  [5]
