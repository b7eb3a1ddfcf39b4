Threads of a running program on CPU cores in time: threads and kernels together.

Two threads and a kernel that wait for each other by flags, where levels are coherent, where they are not, and where the cores' are. The same each time, to the byte.

  $ need clang
  $ warpmem cc $SOURCE/tests/programs/host_threads/flags.cu -g --trace-host -o flags
  $ cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml; cp $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml shared.yaml
  $ cp $SOURCE/machines/examples/cpu-gpu-split-llc.yaml split.yaml; cp $SOURCE/machines/examples/cpu-gpu-one-way-llc.yaml one-way.yaml
  $ echo 'warpmem run -q --host-threads --engine clock "$@"' > live
  $ for m in llc shared split one-way; do for n in 1 2; do sh live -m ./$m.yaml --json $n.json ./flags; done; cmp 1.json 2.json; done
  flags: PASS
  flags: PASS
  flags: PASS
  flags: PASS
  flags: PASS
  flags: PASS
  flags: PASS
  flags: PASS

One thread alone takes the cycles of its recording, but for one: where it ends, time goes on to the end of what is under way before it is known that nothing follows. Levels, DRAM and the core count the same.

  $ warpmem cc $SOURCE/tests/programs/host_threads/alone.cu --trace-host -o alone
  $ WARPMEM_HOST_TRACE=alone.din ./alone; warpmem import -q -o alone.wmt alone.din
  alone: PASS
  $ printf "import json\nlive, replay = (json.load(open(f)) for f in ('live.json', 'replay.json'))\nbehind = {c['path']: c['counters'] for c in replay['components']}\nfor c in live['components']:\n    differ = {k: v - behind[c['path']][k] for k, v in c['counters'].items() if v != behind[c['path']][k]}\n    idle = 'core[0]' not in c['path'] and 'core[' in c['path']\n    if differ and not idle:\n        differ.pop('stalled_order', None)\n        print(c['path'], differ)\nprint(live['kernels'][0]['warp_instructions'] == replay['kernels'][0]['warp_instructions'])\n" > compare
  $ for m in llc shared; do sh live -m ./$m.yaml --json live.json ./alone; warpmem replay -q alone.wmt --engine clock -m ./$m.yaml --json replay.json; python3 compare; done
  alone: PASS
  cpu0.core[0].timing {'cycles': 1}
  True
  alone: PASS
  cpu0.core[0].timing {'cycles': 1}
  True

What takes a known time, in a profiler's range: its cycles are those of the launch cores, from the range's begin to its end.

  $ warpmem cc -O1 $SOURCE/tests/programs/host_threads/timed.cu -g --trace-host -o timed
  $ printf "import json, sys\nresults = json.load(open('run.json'))\ncores = [c['counters'] for c in results['components'] if c['kind'] == 'core']\nof = {k['name']: k['cycles'] for k in results['kernels']}\nprint(eval(sys.argv[1]))\n" > of
  $ echo 'w=$1; e=$2; shift 2; sh live --profiled --json run.json "$@" ./timed $w > out.txt && python3 of "$e"' > timed.sh

1000 loads of one word, and two before them. On a core of one instruction at a time, ten cycles more of latency are ten cycles more of each.

  $ echo 'sh timed.sh loads "$2" -m ./llc.yaml --set cpu.core.window=1 --set cpu.core.width=1 --set cpu.l1.latency=$1' > loads
  $ a=$(sh loads 4 "of['cores']"); b=$(sh loads 14 "of['cores']"); echo $((b - a))
  10020
  $ sh loads 4 "cores[0]['loads']"
  1002

A sleep of 100 us: at 1 GHz 100,000 cycles, at 1.4 GHz 140,000. And the few instructions around it.

  $ sh timed.sh sleep "of['cores'] // 100" -m ./llc.yaml; sh timed.sh sleep "of['cores'] // 100" -m ./shared.yaml
  1000
  1400

A kernel that waits 20,000 cycles, and a thread that polls what it sets then: each look takes its time. The same of a thread that gives the processor away until the kernel has ended. The range is longer by what the launch and the flag's way take.

  $ for w in kernel yield; do sh timed.sh $w "20000 < of['cores'] < 21000, cores[0]['loads'] < 2000" -m ./shared.yaml; done
  (True, True)
  (True, True)

A kernel begins when its thread's core has come to the launch: 30 loads of that word before it are not made while it waits its 20,000 cycles. So ten cycles more of latency are ten more of each of them, and of the six around, in the range.

  $ echo 'sh timed.sh launch "$2" -m ./llc.yaml --set cpu.core.window=1 --set cpu.core.width=1 --set cpu.l1.latency=$1' > launch
  $ a=$(sh launch 4 "of['cores']"); b=$(sh launch 14 "of['cores']"); echo $((b - a))
  360

A thread sleeps for 50 us before it sets the flag that a kernel polls meanwhile.

  $ sh timed.sh thread "[0 <= cycles - 70000 < 500 for cycles in of.values()]" -m ./shared.yaml
  [True, True]

Two threads hand a word to each other 200 times. Each time the line goes from one L1 to the other.

  $ sh timed.sh relay "of['cores'] > 200 * 20" -m ./shared.yaml
  True

Levels have what was done outside of the range: the loads hit, but one of what is around them.

  $ sh timed.sh loads "[c['counters']['misses'] for c in results['components'] if c['path'] == 'cpu0.core[0].l1']" -m ./shared.yaml
  [1]

Without --profiled one launch of all, with the sleeps before and behind the range, 800 us.

  $ sh live -m ./shared.yaml --json run.json ./timed sleep; python3 of "of['cores'] // 10000, results['kernels'][0]['launches']"
  timed: PASS
  (126, 1)

Each way in which a thread waits for the device.

  $ warpmem cc $SOURCE/tests/programs/host_threads/waits.cu -g --trace-host -o waits
  $ for m in llc shared; do sh live -m ./$m.yaml --set cpu.core.count=6 --json 1.json ./waits; sh live -m ./$m.yaml --set cpu.core.count=6 --json 2.json ./waits; cmp 1.json 2.json; done
  waits: PASS
  waits: PASS
  waits: PASS
  waits: PASS

What can go on for none: threads that wait or look, and a kernel that looks.

  $ warpmem cc $SOURCE/tests/programs/host_threads/deadlock.cu -g --trace-host -o deadlock
  $ sh live -m ./shared.yaml ./deadlock
  ! error: --host-threads: a deadlock: no thread can run
  ! thread 0 waits at deadlock.cu:25 for the device
  ! kernel wait_for_host(shared*) waits in a loop for what no kernel writes
  ! hint: have someone wake them; -g gives lines of the source. Threads wait for each other alone: not for other processes, nor for signals
  ! warpmem: the program ended before it could write its report
  [2]
  $ sh live -m ./llc.yaml ./deadlock polls
  ! error: --host-threads: a deadlock: no thread can run
  ! thread 0 waits in a loop at deadlock.cu:23
  ! kernel wait_for_host(shared*) waits in a loop for what no kernel writes
  ! hint: have someone wake them; -g gives lines of the source. Threads wait for each other alone: not for other processes, nor for signals
  ! warpmem: the program ended before it could write its report
  [2]

How programs end. A kernel's fault ends what all are doing; threads go on.

  $ warpmem cc $SOURCE/tests/programs/host_threads/ends.cu -g --trace-host -o ends
  $ warpmem run --host-threads --engine clock -m ./shared.yaml ./ends last | awk '/^(cores|set)/ { print $1, $2, $3, $4, $5 }' | head -2
  cores 1 4 x 1
  set 1 1 x 1
  $ sh live -m ./shared.yaml ./ends for-ever 2>&1 | sed -n 1p
  error: --host-threads: a deadlock: no thread can run
  $ sh live -m ./shared.yaml ./ends exit
  [5]
  $ sh live -m ./shared.yaml ./ends sleep
  slept
  $ for m in llc shared; do sh live -m ./$m.yaml ./ends fault 2>&1 | grep -o '^700$\|write of 4 bytes at 0x0'; done
  write of 4 bytes at 0x0
  700
  write of 4 bytes at 0x0
  700
  $ sh live -m ./shared.yaml ./ends function
  ! error: --host-threads: a host function of a stream waits for what a thread does
  ! hint: have such functions do no more than to wake threads
  ! warpmem: the program ended before it could write its report
  [2]

At a limit, and what the engine does not do.

  $ warpmem cc $SOURCE/tests/programs/host_threads/many.cu --trace-host -o many
  $ sh live -m ./shared.yaml --limit-instructions 1000 ./many 1
  ! warpmem: error: kernel cores: stopped at the limit of 1000 warp instructions
  ! hint: --limit-instructions sets it
  [3]
  $ sh live -m ./llc.yaml --set gpu.interconnect.topology=butterfly ./many 1
  ! error: the clock engine has no CPU cores behind a butterfly, which machine cpu-gpu-llc has
  ! hint: set gpu.interconnect.topology=crossbar, or use --engine walk
  [2]
  $ sh live -m ./llc.yaml ./many 4
  ! error: --host-threads: the program has 5 threads at a time, and machine cpu-gpu-llc has 4 CPU cores beside its SMs
  ! hint: give --set cpu.core.count=5
  ! warpmem: the program ended before it could write its report
  [2]
