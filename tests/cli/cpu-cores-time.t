CPU cores in time: a window of instructions, a load queue, a store buffer, beside SMs or alone.

Misses of one core overlap as far as its load queue and window go: eight loads of lines of their own take little longer than one.

  $ printf 'r 10000000 8\n' > one.din
  $ awk 'BEGIN { for (i = 0; i < 8; i++) printf "r %x 8\n", 268435456 + i * 4096 }' > eight.din
  $ warpmem import -q -o one.wmt one.din; warpmem import -q -o eight.wmt eight.din
  $ echo 'warpmem replay --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml "$@" | grep "^  cpu0.core"' > core
  $ sh core one.wmt
    cpu0.core[0]     125  0.008      1       0    125.0    0.0%        0.0%          0.0%   0.0%    0.0%   0.0%
  $ sh core eight.wmt
    cpu0.core[0]     160  0.05      8       0    142.0    0.0%        0.0%          0.0%   0.0%    0.0%   0.0%
  $ sh core eight.wmt --set cpu.core.load_queue=2
    cpu0.core[0]     505  0.0158      8       0    125.6    0.0%       74.1%          0.0%   0.0%    0.0%   0.0%
  $ sh core eight.wmt --set cpu.core.window=1
    cpu0.core[0]    1000  0.008      8       0    125.0   86.8%        0.0%          0.0%   0.0%    0.0%   0.0%

Latencies by hand: L1 4 cycles, L2 12, LLC 30, the interconnect 10, flits of 40 bytes. A cache hands on what it has looked up, or what has come to it, in the next
cycle, and a wire from L2 to L1 takes one. L1 has a load's data in 4. L2 looks up in 4 + 12 what L1 lacks: 18. What L2 lacks leaves in 16, arrives in 26 and is looked
up by the LLC in 56; 72 bytes in two flits leave in 57 and are with L2 in 68: 70. With a clock of three times the SMs' the request leaves at their next edge, 6, arrives in 16,
is looked up in 46, and is with L2 in 58, which is 174 of the core's: 176.

  $ printf "import json, subprocess, sys\ndef cycles(extra):\n    lines = open(sys.argv[1]).read() + extra\n    open('try.din', 'w').write(lines)\n    subprocess.run(['warpmem', 'import', '-q', '-o', 'try.wmt', 'try.din'], check=True)\n    subprocess.run(['warpmem', 'replay', '-q', 'try.wmt', '--engine', 'clock', '--json', 'try.json'] + sys.argv[2:], check=True)\n    parts = json.load(open('try.json'))['components']\n    return next(c['counters']['load_cycles'] for c in parts if c['path'] == 'cpu0.core[0].timing')\nlast = 'r 1000 8' + chr(10)\nwait = 'n 1000' + chr(10)\nprint(cycles(wait + last) - cycles(wait))\n" > latency
  $ echo 'python3 latency $1 -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --set cpu.l1.latency=4 --set cpu.l2.latency=12 --set llc.latency=30 --set gpu.interconnect.latency=10 --set gpu.interconnect.flit=40B --set cpu.l1.size=512B --set cpu.l2.size=1KiB $2 $3' > of
  $ printf 'r 1000 8\n' > l1; sh of l1
  4
  $ (cat l1; for i in 1 2 3 4 5 6 7 8; do printf 'r 1%d40 8\n' $i; done) > l2; sh of l2
  18
  $ (cat l2; for i in 2 3 4 5 6 7 8 9; do printf 'r %d000 8\nr %d100 8\n' $i $i; done) > llc; sh of llc
  70
  $ sh of llc --set cpu.core.clock=3GHz
  176

Stores are written one after another, in order; more at once where the machine says so. Their core's clock is its own.

  $ awk 'BEGIN { for (i = 0; i < 64; i++) printf "w %x 8\n", 268435456 + i * 4096 }' > stores.din
  $ warpmem import -q -o stores.wmt stores.din
  $ sh core stores.wmt
    cpu0.core[0]    8005  0.008      0      64        -    0.0%        0.0%         34.0%   0.0%    0.0%   0.0%
  $ sh core stores.wmt --set cpu.core.stores_in_flight=8
    cpu0.core[0]    1040  0.0615      0      64        -    0.0%        0.0%         35.8%   0.0%    0.0%   0.0%
  $ sh core stores.wmt --set cpu.core.clock=2GHz
    cpu0.core[0]   12376  0.00517      0      64        -    0.0%        0.0%         34.1%   0.0%    0.0%   0.0%

Locked operations, fences, instructions between accesses, and an order between threads.

  $ printf 't 0\nn a\nr 1000 8\nw 2000 8\nf\nu 3000 8\nt 1\nn 4\na 0 3\nr 2000 8\nw 4000 8\nt 0\na 1 2\nr 4000 8\nn 8\n' > order.din
  $ warpmem import -q -o order.wmt order.din
  $ warpmem replay order.wmt --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --json order.json
  warpmem: cpu-gpu-llc (a shared last-level cache), in time
  
  Kernel  Runs  Grid x block  Warp instr  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes   DRAM
  cores      1         2 x 1          28       14.3%        0.0%    33.3%          384 B      384 B  256 B
  Misses per 1000 warp instructions (MPKI): CPU L1 214.3, CPU L2 214.3, LLC 142.9
  
  Requests  loads  sect/req   used  stores  sect/req   used  atomics  sect/req
    cores       3       1.0  25.0%       2       1.0  25.0%        1       2.0
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Warps waited  cycles    time     IPC  an SM  ready  result  memory  barrier
    cores          752  752 ns  0.0372      -      -       -       -        -
    IPC: warp instructions a cycle, of all SMs; an SM: the same of one; ready: of resident warps'
    cycles, those in which they could issue (another was chosen, or the unit was busy), the next ones
    those in which they waited.
  
  Rates, GB/s     SM to L2     L2 to SM         DRAM  row hits
    cores      0.32 (0.2%)  0.64 (0.4%)  0.34 (1.3%)         -
    Rates, GB/s: in brackets, of the most that can be carried.
  
  CPU cores       cycles      IPC  loads  stores  latency  window  load queue  store buffer  fence  locked  order
    cpu0.core[0]     751   0.0293      2       2    123.0    0.0%        0.0%          0.0%   0.0%    0.0%  83.2%
    cpu0.core[1]     628  0.00955      1       1    120.0    0.0%        0.0%          0.0%   0.0%    0.0%  60.7%
    all 2           1379   0.0203      3       3    122.0    0.0%        0.0%          0.0%   0.0%    0.0%  73.0%
    cycles: the core's own, until all is done; stores: locked operations among them; latency: mean
    cycles from a load's dispatch to its data; window: of the cycles, those without a dispatch, and
    what was full, or the oldest of the window; order: another core had to do something first.
  
  Where the bytes went       to the SM  from it
    requested by lanes            32 B     24 B  ####
    first level, in sectors      160 B    128 B  #######################
    CPU L1 - CPU L2              384 B      0 B  ##############################
    levels - LLC                 384 B      0 B  ##############################
    LLC - DRAM                   256 B      0 B  ####################
    host - DRAM, copies            0 B      0 B
  
  Costliest at          requests  sect/req   used  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes   DRAM
  pc:1 cores    store          2       1.0  25.0%        0.0%        0.0%     0.0%          128 B      128 B  128 B
  pc:0 cores    load           3       1.0  25.0%        0.0%        0.0%    66.7%          192 B      192 B   64 B
  pc:2 cores    locked         1       2.0  12.5%       50.0%        0.0%     0.0%           64 B       64 B   64 B
  $ python3 -c "import json; [print(c['path'], {k: v for k, v in c['counters'].items() if v}) for c in json.load(open('order.json'))['components'] if c['kind'] == 'core']"
  cpu0.core[0].timing {'cycles': 751, 'instructions': 22, 'loads': 2, 'stores': 1, 'locked': 1, 'fences': 1, 'load_cycles': 246, 'locked_cycles': 378, 'stalled_order': 625}
  cpu0.core[1].timing {'cycles': 628, 'instructions': 6, 'loads': 1, 'stores': 1, 'load_cycles': 120, 'stalled_order': 381}
  cpu0.core[2].timing {}
  cpu0.core[3].timing {}
  $ printf 't 0\na 1 1\nr 1000 8\nt 1\na 0 1\nr 2000 8\n' > stuck.din
  $ warpmem import -q -o stuck.wmt stuck.din
  $ warpmem replay stuck.wmt --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml
  ! error: stuck.wmt: core 0, after 0 of its accesses, waits until core 1 has made 1, which has made 0 and waits, too
  ! hint: the trace was cut or edited: trace the program again, or leave the order out: warpmem import --unordered
  [2]

Where no access waits for another, all levels and DRAM count what they count in the walk.

  $ awk 'BEGIN { x = 12345; for (i = 0; i < 4000; i++) { x = (x * 16807) % 2147483647; k = x % 100; x = (x * 16807) % 2147483647; a = x % 400000; b = 2 ^ (i % 4); printf "n 3e8\n%s %x %d\n", k < 60 ? "r" : k < 95 ? "w" : "u", 268435456 + a, b } }' > serial.din
  $ warpmem import -q -o serial.wmt serial.din
  $ echo 'for e in walk clock; do warpmem replay -q serial.wmt --engine $e -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --set cpu.core.width=1 --set cpu.core.window=1 "$@" --json $e.json; done; python3 compare' > both
  $ printf "import json\nwalk, clock = ({c['path']: c['counters'] for c in json.load(open(f))['components']} for f in ('walk.json', 'clock.json'))\nprint(len(walk), 'components,', sum(any(clock[p][k] != v for k, v in walk[p].items()) for p in walk if p != 'gpu0.sharing'), 'differ;', walk['cpu0.core[0].l1']['accesses'], 'accesses to L1')\n" > compare
  $ sh both
  38 components, 0 differ; 4378 accesses to L1
  $ sh both --set cpu.l1.replacement=random --set cpu.l1.ways=2
  38 components, 0 differ; 4378 accesses to L1
  $ sh both --set cpu.l1.write=through-update --set cpu.l1.write_allocate=false --set cpu.l2.sector=32B --set cpu.l1.sector=32B --set llc.sector=32B
  38 components, 0 differ; 4378 accesses to L1
  $ sh both --set cpu.l1.prefetch=stream-buffer --set cpu.l1.victim_lines=8
  46 components, 0 differ; 4378 accesses to L1
  $ sh both --set cpu.l2.present=false --set cpu.core.clock=3GHz
  34 components, 0 differ; 4378 accesses to L1
  $ sh both --set cpu.l1.line=32B --set cpu.l1.sector=32B
  38 components, 0 differ; 4546 accesses to L1
  $ sh both --set gpu.l1.line=128B --set gpu.l2.line=128B
  38 components, 0 differ; 4378 accesses to L1

And why they missed is the same, of caches that are small enough for each class.

  $ echo 'sh both --explain --set cpu.l1.size=8KiB --set cpu.l2.size=16KiB --set cpu.l2.ways=2 --set llc.size=64KiB "$@"' > small
  $ sh small --set cpu.l1.prefetch=stream-buffer --set cpu.l1.victim_lines=8
  87 components, 0 differ; 4378 accesses to L1
  $ sh small --set cpu.l1.write=through-update --set cpu.l1.write_allocate=false --set cpu.l2.sector=32B --set cpu.l1.sector=32B --set llc.sector=32B
  79 components, 0 differ; 4378 accesses to L1
  $ sh small
  79 components, 0 differ; 4378 accesses to L1
  $ jq -c '.components[] | select(.path | test("^(cpu0.core.0.*|llc.0.).misses$")) | [.path, .counters["cold", "coherence", "capacity", "conflict", "unallocated"]]' clock.json
  ["cpu0.core[0].l1.misses",3143,0,1084,20,0]
  ["cpu0.core[0].l2.misses",6058,0,1860,72,0]
  ["llc[0].misses",1480,0,250,22,0]
  $ for e in walk clock; do jq -c '.kernels[].instructions[] | [.text, (.explained | .cpu_l1_cold, .cpu_l1_capacity, .cpu_l1_conflict, .cpu_l1_unused_bytes, .cpu_l2_capacity, .llc_capacity)]' $e.json; done
  ["load",1946,650,13,147272,1112,632]
  ["store",1054,379,7,81050,662,362]
  ["locked",143,55,0,10913,86,38]
  ["load",1946,650,13,147272,1112,632]
  ["store",1054,379,7,81050,662,362]
  ["locked",143,55,0,10913,86,38]

What cores do not have in time.

  $ echo 'warpmem replay one.wmt --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml "$@"' > refused
  $ sh refused --set llc.inclusion=inclusive
  ! error: the clock engine has no CPU cores above inclusive levels, which machine cpu-gpu-llc has
  ! hint: change that, or use --engine walk
  [2]
  $ sh refused --set cpu.l2.inclusion=exclusive
  ! error: the clock engine has no CPU cores above exclusive levels, which machine cpu-gpu-llc has
  ! hint: change that, or use --engine walk
  [2]
  $ sh refused --set "cpu.l1.per=2 core" --set "cpu.l2.per=2 core"
  ! error: the clock engine has no CPU cores that share their first levels, or whose first levels have slices, which machine cpu-gpu-llc has
  ! hint: change that, or use --engine walk
  [2]
  $ sh refused --set cpu.l2.replacement=opt
  ! error: the clock engine has no CPU cores with replacement opt, which machine cpu-gpu-llc has
  ! hint: change that, or use --engine walk
  [2]
  $ sh refused --set gpu.interconnect.topology=butterfly --set gpu.interconnect.latency=20
  ! error: the clock engine has no CPU cores behind a butterfly, which machine cpu-gpu-llc has
  ! hint: set gpu.interconnect.topology=crossbar, or use --engine walk
  [2]
  $ sh refused --set cpu.l1.present=false --set cpu.l2.present=false
  ! error: the clock engine has no CPU cores without a level of their own, which machine cpu-gpu-llc has
  ! hint: give them one (cpu.l1), or use --engine walk
  [2]

Beside a kernel, on any number of threads; each has its own counts.

  $ need clang
  $ awk 'BEGIN { for (t = 0; t < 4; t++) for (i = 0; i < 4096; i++) printf "%s %x 8\n", t < 3 ? "r" : "w", 268435456 + i * 64 }' > core.din
  $ warpmem import -q -o cores.wmt core.din core.din
  $ warpmem cc $SOURCE/workloads/vecadd.cu -o vecadd && warpmem record -q -o vecadd.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml -- ./vecadd --n 65536
  vecadd: PASS
  $ warpmem replay vecadd.wmt --cores cores.wmt --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --json beside.json
  warpmem: cpu-gpu-llc (a shared last-level cache), in time
  
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit    L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  vecadd_scalar     1     256 x 256      45.1 k    0.0%    0.0%           -           -     0.0%  768 KiB            0 B    512 KiB   512 KiB
  cores             1         2 x 1      32.8 k       -       -        0.0%       75.0%     0.0%      0 B       2.44 MiB    512 KiB   512 KiB
  all               2                    77.8 k    0.0%    0.0%        0.0%       75.0%     0.0%  768 KiB       2.44 MiB   1.00 MiB  1.00 MiB
  Misses per 1000 warp instructions (MPKI): L1 157.9, L2 157.9, CPU L1 421.1, CPU L2 105.3, LLC 210.5
  
  Requests          loads  sect/req   used  stores  sect/req   used
    vecadd_scalar  4.10 k       4.0   100%  2.05 k       4.0   100%
    cores          24.6 k       1.0  25.0%  8.19 k       1.0  25.0%
    all            28.7 k       1.4  55.0%  10.2 k       1.6  62.5%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Warps waited     cycles     time    IPC   an SM  ready  result  memory  barrier
    vecadd_scalar   22832  22.8 us   1.97   0.247  30.0%    1.2%   68.7%     0.0%
    cores          287888   288 us  0.114       -      -       -       -        -
    all, elapsed   287888   288 us   0.27  0.0338  30.0%    1.2%   68.7%     0.0%
    IPC: warp instructions a cycle, of all SMs; an SM: the same of one; ready: of resident warps'
    cycles, those in which they could issue (another was chosen, or the unit was busy), the next ones
    those in which they waited.
    Launches ran side by side: a kernel's cycles are those of its launches added up,
    and "all, elapsed" has those in which any was under way.
  
  Rates, GB/s          SM to L2      L2 to SM          DRAM  row hits
    vecadd_scalar  28.7 (17.9%)  29.7 (18.6%)  23.0 (89.8%)         -
    cores           1.14 (0.7%)   2.20 (1.4%)   1.82 (7.1%)         -
    all, elapsed    3.41 (2.1%)   4.55 (2.8%)  3.64 (14.2%)         -
    Rates, GB/s: in brackets, of the most that can be carried.
  
  CPU cores       cycles     IPC   loads  stores  latency  window  load queue  store buffer  fence  locked  order
    cpu0.core[0]  287882  0.0569  12.3 k  4.10 k    240.9    0.0%       14.1%         80.3%   0.0%    0.0%   0.0%
    cpu0.core[1]  287887  0.0569  12.3 k  4.10 k    240.9    0.0%       14.1%         80.3%   0.0%    0.0%   0.0%
    all 2         575769  0.0569  24.6 k  8.19 k    240.9    0.0%       14.1%         80.3%   0.0%    0.0%   0.0%
    cycles: the core's own, until all is done; stores: locked operations among them; latency: mean
    cycles from a load's dispatch to its data; window: of the cycles, those without a dispatch, and
    what was full, or the oldest of the window; order: another core had to do something first.
  
  Load/store stalls  no MSHR  MSHR full  ways taken  queue  L1 banks  shared
    vecadd_scalar       0.0%       0.0%       35.6%  40.1%      0.0%    0.0%
    all, elapsed        0.0%       0.0%        2.8%   3.2%      0.0%    0.0%
    Load/store stalls: of all SMs' cycles, those in which a request had to come again; no MSHR: all
    MSHRs of L1 in use; MSHR full: its line's MSHR can hold no more requests; ways taken: each way of
    its set reserved for a line on its way; queue: the queue to L2 full; L1 banks: bank of L1's data
    busy; shared: bank conflicts of shared memory.
  
  L1 by load        MPKI  cycles  coherent  in L1  divergent  in L1  oldest  3 oldest
    vecadd_scalar  272.7  1571.0    4.10 k   0.0%          0      -    8.6%     20.0%
    all, elapsed   157.9  1571.0    4.10 k   0.0%          0      -    8.6%     20.0%
    cycles: mean of a load, from its issue until all lanes have their data; coherent: loads of one
    line or two; in L1: of them, those that found all lines there; divergent: loads of more lines;
    oldest: of the instructions issued, those of a scheduler's oldest warp; 3 oldest: of its three
    oldest.
  
  Where the bytes went       to the SM  from it
    requested by lanes         704 KiB  320 KiB  ############
    first level, in sectors   1.25 MiB  512 KiB  ######################
    L1 - L2                    512 KiB  256 KiB  #########
    CPU L1 - CPU L2           2.00 MiB  448 KiB  ##############################
    levels - LLC              1.00 MiB      0 B  ############
    LLC - DRAM                1.00 MiB      0 B  ############
    host - DRAM, copies        512 KiB  256 KiB
  
  Costliest at                 requests  sect/req   used  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit    L1-L2  CPU L1-CPU L2  LLC bytes     DRAM
  pc:0 cores    core             12.3 k       1.0  25.0%       -       -        0.0%       66.7%     0.0%      0 B        768 KiB    256 KiB  256 KiB
  pc:2 cores    core             12.3 k       1.0  25.0%       -       -        0.0%       66.7%     0.0%      0 B        768 KiB    256 KiB  256 KiB
  vecadd.cu:15  ld.global.f32    2.05 k       4.0   100%    0.0%    0.0%           -           -     0.0%  256 KiB            0 B    256 KiB  256 KiB
  vecadd.cu:15  ld.global.f32    2.05 k       4.0   100%    0.0%    0.0%           -           -     0.0%  256 KiB            0 B    256 KiB  256 KiB
  pc:1 cores    core             4.10 k       1.0  25.0%       -       -        0.0%      100.0%        -      0 B        480 KiB        0 B      0 B
  
  Loads served by   loads  cycles  <32  <64  <128  <256  <512  <1024   more
    DRAM           4.10 k    1571    -    -     -  0.0%  2.4%  22.4%  75.2%
  
  Slowest loads at                  loads  cycles  of all  misses  cached
  vecadd.cu:15      ld.global.f32  2.05 k    1582   50.4%    2.00    0.0%
  vecadd.cu:15      ld.global.f32  2.05 k    1560   49.6%    2.00    0.0%
    misses: lines waited for, a load; cached: loads that waited for nothing below L1.
  $ for j in 1 2 8; do warpmem replay -q -j $j vecadd.wmt --cores cores.wmt --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --json threads.json; cmp beside.json threads.json; done
  $ warpmem replay -q vecadd.wmt --cores cores.wmt --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --csv beside.csv; grep -c 'cpu0.core.0..timing' beside.csv
  48
  $ warpmem replay -q vecadd.wmt --cores cores.wmt --engine clock -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --timeline beside.trace; grep -o '"core [01]"' beside.trace | sort -u
  "core 0"
  "core 1"
