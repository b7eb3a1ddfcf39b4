Launches in time: run and replay with --engine clock.

  $ need clang
  $ warpmem cc $SOURCE/workloads/vecadd.cu -o vecadd
  $ warpmem record -q -o vecadd.wmt -- ./vecadd --n 4096 > /dev/null
  $ warpmem replay -q --engine clock vecadd.wmt --json clock.json
  $ warpmem run -q --engine clock --json live.json ./vecadd --n 4096 > /dev/null
A live run takes as many cycles as its recording, and counts the same.
  $ python3 $CASES/clock_numbers.py engine live.json
  clock _Z13vecadd_scalarPKfS0_Pfj timed
  $ python3 $CASES/clock_numbers.py same live.json clock.json
  same
The walk executes the same instructions, in no time.
  $ warpmem replay -q --engine walk vecadd.wmt --json walk.json
  $ python3 $CASES/clock_numbers.py instructions walk.json clock.json
  walk.json 2816 2816
  clock.json 2816 2816
  $ python3 $CASES/clock_numbers.py engine walk.json
  walk _Z13vecadd_scalarPKfS0_Pfj not timed
Of a recording of memory instructions alone the others take their turns to issue, and wait for nothing.
  $ warpmem record -q --memory-only -o memory.wmt -- ./vecadd --n 4096 > /dev/null
  $ warpmem replay -q --engine clock memory.wmt --json memory.json
  $ python3 $CASES/clock_numbers.py instructions memory.json
  memory.json 2816 2816
  $ python3 $CASES/clock_numbers.py sooner memory.json clock.json
  issues as many, asks the caches for as much, takes fewer cycles
The report has tables of time; the walk's has not.
  $ warpmem replay --engine clock vecadd.wmt | grep -c 'in time$\|^Warps waited\|^Rates, GB/s\|^Load/store stalls'
  4
  $ warpmem replay vecadd.wmt | grep -c 'in time$\|^Warps waited\|^Rates\|^Load/store stalls'
  0
  [1]
  $ warpmem replay -q --engine clock vecadd.wmt --csv clock.csv; grep -o '^[^,]*,kernel,cycles,' clock.csv
  _Z13vecadd_scalarPKfS0_Pfj,kernel,cycles,
What events of the program tell is the kernel's time.
  $ warpmem cc $CASES/events.cu -o events
  $ warpmem run -q --engine clock --json events.json ./events > said
  $ python3 $CASES/clock_numbers.py event events.json said
  as its cycles

Loads are counted by the level that their bytes came from, and by instruction.
  $ warpmem cc $CASES/loads.cu -o loads && warpmem run -q --engine clock --json loads.json ./loads
  PASS
  $ python3 $CASES/clock_numbers.py levels loads.json
  shared 1 16..31
  l1 1 16..31
  constant 0
  l2 1 128..255
  dram 1 256..511
  ld.global.ca.u32 1 loads 0 cached 1 requests waited
  ld.global.ca.u32 1 loads 1 cached 0 requests waited
  ld.global.cg.u32 1 loads 0 cached 1 requests waited
  ld.shared.u32 1 loads 1 cached 0 requests waited
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm && warpmem run -q --engine clock --json gemm.json --csv gemm.csv ./gemm --n 32
  gemm: PASS
  $ python3 $CASES/clock_numbers.py loads_add_up gemm.json
  as one
  $ grep -c ',pc [0-9]*,loads_cached,[0-9]*,warp-instructions,' gemm.csv
  4

A butterfly's ways share outputs. Any number of threads gives the same bytes.
  $ for j in 1 2 4 8; do warpmem replay -q --engine clock -j $j --set gpu.interconnect.topology=butterfly --set gpu.interconnect.buffer=2 --json fly$j.json vecadd.wmt; done
  $ cmp fly1.json fly2.json && cmp fly1.json fly4.json && cmp fly1.json fly8.json
  $ grep -o '"gpu0.re[a-z]*.[0-9].*switches"' fly1.json | sort -u | wc -l
  14
  $ warpmem replay --engine clock --set gpu.interconnect.topology=butterfly vecadd.wmt | grep -o 'row hits  in switches'
  row hits  in switches
  $ warpmem replay --engine clock vecadd.wmt | grep -c 'in switches'
  0
  [1]

What happened over time is a file for Perfetto; samples are in the JSON too.
  $ warpmem run -q --engine clock --timeline time.json --sample 200 --json sampled.json ./gemm --n 32
  gemm: PASS
  $ python3 $CASES/clock_numbers.py timeline time.json sampled.json
  phases C M X
  launches 1 1
  blocks 4
  counters DRAM GB/s IPC L2 replies a cycle interconnect GB/s resident warps
  $ python3 $CASES/clock_numbers.py samples sampled.json
  200 cycles, several samples
Several launches follow each other.
  $ warpmem cc $SOURCE/workloads/bfs.cu -o bfs && warpmem run -q --engine clock --timeline bfs.trace --json bfs.json ./bfs --n 2000
  bfs: PASS
  $ python3 $CASES/clock_numbers.py timeline bfs.trace bfs.json && python3 $CASES/clock_numbers.py samples bfs.json
  phases C M X
  launches 6 6
  blocks 48
  counters DRAM GB/s IPC L2 replies a cycle interconnect GB/s resident warps
  1000 cycles, several samples
What a launch takes before its first blocks is in its time, in the samples' too.
  $ warpmem run -q --engine clock --set gpu.launch_latency=3000 --timeline bfs.trace --json bfs.json ./bfs --n 2000
  bfs: PASS
  $ python3 $CASES/clock_numbers.py timeline bfs.trace bfs.json && python3 $CASES/clock_numbers.py samples bfs.json
  phases C M X
  launches 6 6
  blocks 48
  counters DRAM GB/s IPC L2 replies a cycle interconnect GB/s resident warps
  1000 cycles, several samples
  $ python3 $CASES/clock_numbers.py first_blocks bfs.trace
  3000
  $ warpmem run -q --engine clock --set gpu.launch_latency=150 --sample 200 --timeline late.json --json sampled_late.json ./gemm --n 32
  gemm: PASS
  $ python3 $CASES/clock_numbers.py timeline late.json sampled_late.json && python3 $CASES/clock_numbers.py samples sampled_late.json
  phases C M X
  launches 1 1
  blocks 4
  counters DRAM GB/s IPC L2 replies a cycle interconnect GB/s resident warps
  200 cycles, several samples
  $ python3 $CASES/clock_numbers.py first_blocks late.json
  150
A recording gives the same bytes, each machine its own file, and any number of threads.
  $ warpmem record -q -o gemm.wmt -- ./gemm --n 32 > /dev/null
  $ warpmem replay -q --engine clock --timeline again.json --sample 200 gemm.wmt && cmp time.json again.json
  $ warpmem replay -q --engine clock --threads 3 -m v100 -m gtx480 --timeline both.json gemm.wmt; python3 -m json.tool both.2.json > /dev/null && ls both.*
  both.2.json
  both.json
  $ warpmem replay -q --engine clock --threads 1 -m v100 --timeline one.json gemm.wmt; cmp both.json one.json
Nothing else changes for it, and without it there is none.
  $ python3 $CASES/clock_numbers.py same_but_samples sampled.json gemm.json
  same
  $ warpmem run -q --timeline time.json ./gemm
  ! error: warpmem run: --timeline needs --engine clock
  [2]
  $ warpmem replay -q --engine walk --sample 5 gemm.wmt
  ! error: warpmem replay: --sample needs --engine clock
  [2]
  $ for n in 0 -1 5x 9999999999999999999999 ''; do warpmem replay -q --engine clock --sample "$n" gemm.wmt 2>&1; done
  error: warpmem replay: --sample is a number of cycles, 1 or more
  error: warpmem replay: --sample is a number of cycles, 1 or more
  error: warpmem replay: --sample is a number of cycles, 1 or more
  error: warpmem replay: --sample is a number of cycles, 1 or more
  error: warpmem replay: --sample is a number of cycles, 1 or more
  [2]
  $ warpmem replay -q --engine clock --timeline nowhere/time.json gemm.wmt
  ! error: --timeline: cannot write "nowhere/time.json": No such file or directory
  ! hint: make its folder first
  [1]
  $ warpmem run -q --engine clock --timeline nowhere/time.json ./gemm
  ! error: --timeline: cannot write "nowhere/time.json": No such file or directory
  ! hint: make its folder first
  [2]
  $ WARPMEM_SAMPLE=often LD_LIBRARY_PATH=$BUILD/src/cuda ./vecadd --n 4096 > /dev/null
  ! warpmem: error: WARPMEM_SAMPLE: "often" is no number of cycles
  ! $SOURCE/workloads/workload.h:158: cudaMalloc(&device, bytes): initialization error
  [1]

What does not go together is said before anything runs.
  $ warpmem run --engine clock --no-memory ./vecadd
  ! error: warpmem run: --no-memory and --engine clock contradict each other
  [2]
  $ warpmem replay --engine cloc vecadd.wmt
  ! error: warpmem replay: --engine is walk or clock
  [2]
  $ warpmem run -e walks ./vecadd
  ! error: warpmem run: --engine is walk or clock
  [2]
  $ warpmem run --engine clock --set gpu.tlb.present=true ./vecadd | grep -A1 '^TLBs'
  TLBs  look-ups    hit  walks  read by walks
    L1    98.3 k  99.5%    481       60.1 KiB
  $ warpmem run --engine clock --set gpu.scalar.present=true --set gpu.scalar.sms_each=4 ./vecadd | head -2
  vecadd: PASS
  warpmem: v100 (Tesla V100-SXM2-16GB), in time
  $ warpmem run --engine clock --set gpu.l2.dirty_limit=0B --set gpu.l2.inclusion=inclusive ./vecadd | head -2
  vecadd: PASS
  warpmem: v100 (Tesla V100-SXM2-16GB), in time
  $ warpmem run --engine clock --set gpu.l2.dirty_limit=0B --set gpu.l2.inclusion=exclusive ./vecadd | head -2
  vecadd: PASS
  warpmem: v100 (Tesla V100-SXM2-16GB), in time
  $ WARPMEM_ENGINE=watch LD_LIBRARY_PATH=$BUILD/src/cuda ./vecadd --n 4096 > /dev/null
  ! warpmem: error: WARPMEM_ENGINE: "watch" is neither walk nor clock
  ! $SOURCE/workloads/workload.h:158: cudaMalloc(&device, bytes): initialization error
  [1]
  $ WARPMEM_ENGINE=watch WARPMEM_ANNOTATE_HTML=left.html warpmem run --quiet ./vecadd --n 4096 > /dev/null && test ! -e left.html
  $ WARPMEM_ENGINE=clock WARPMEM_MEMORY=0 LD_LIBRARY_PATH=$BUILD/src/cuda ./vecadd --n 4096 > /dev/null
  ! warpmem: error: the clock engine needs the memory system
  ! $SOURCE/workloads/workload.h:158: cudaMalloc(&device, bytes): initialization error
  [1]
  $ WARPMEM_ENGINE=clock WARPMEM_RECORD=x.wmt LD_LIBRARY_PATH=$BUILD/src/cuda ./vecadd --n 4096 > /dev/null
  ! warpmem: error: the clock engine does not record
  ! hint: record first, then replay with --engine clock
  ! $SOURCE/workloads/workload.h:158: cudaMalloc(&device, bytes): initialization error
  [1]
What ages of warps decide is for this engine alone, and for LRU's chain.
  $ warpmem replay -q --set gpu.l1.insertion=gauged vecadd.wmt
  ! error: the walk has no warps' ages at L1, by which machine v100 places and keeps lines
  ! hint: use --engine clock, or leave gpu.l1.insertion, promotion, region and region_full as they are by default
  [2]
  $ warpmem replay -q --engine clock --set gpu.l1.region=static --set gpu.l1.replacement=fifo vecadd.wmt
  ! error: --set gpu.l1.replacement=fifo: gpu.l1.region is not none, and gpu.l1.replacement is not lru: it says how a chain of recency is used, which only lru has
  ! hint: set gpu.l1.replacement to lru, or gpu.l1.region to none
  [2]
So are loads that wait for other warps', of an L1 whose lines leave for good.
  $ warpmem replay -q --set gpu.sm.load_throttle=lost-locality vecadd.wmt
  ! error: the walk has no cycles, in which machine v100 lets warps' loads wait
  ! hint: use --engine clock, or set gpu.sm.load_throttle=none
  [2]
  $ warpmem replay -q --engine clock --set gpu.sm.load_throttle=lost-locality --set gpu.l1.victim_lines=4 vecadd.wmt
  ! error: --set gpu.l1.victim_lines=4: gpu.sm.load_throttle needs the lines that L1 displaced, and gpu.l1.victim_lines has them come back
  ! hint: set gpu.sm.load_throttle to none, or change that
  [2]
  $ warpmem replay -q --engine clock --set gpu.sm.load_throttle=lost-locality --set gpu.sm.throttle_tag_ways=5 vecadd.wmt
  ! error: --set gpu.sm.throttle_tag_ways=5: gpu.sm.throttle_tag_ways (5) do not divide gpu.sm.throttle_tags (16)
  ! hint: make the tags a multiple of the ways
  [2]
  $ warpmem completion words -- warpmem replay --engine '' | tr '\t' '|'
  walk|no time passes: requests are served at once, in a defined order
  clock|in time: cycles, queues, links and DRAM's timings
  $ warpmem completion words -- warpmem run -ecl | tr '\t' '|'
  -eclock|in time: cycles, queues, links and DRAM's timings

A study is of one engine: its metrics may be of time, and other engines' results are not taken for its own.
  $ cp $CASES/studies/timed.yaml . && warpmem study run timed.yaml -j 1
  study timed: 2 points, 2 replayed, 0 were there
  claims: 2 hold, 0 do not, 0 undecided
  $ warpmem study check timed.yaml | tail -1
  2 claims: 2 hold, 0 do not, 0 undecided
  $ sed 's/^engine: clock/engine: walk/' timed.yaml > untimed.yaml; warpmem study run untimed.yaml --database timed.db
  ! error: untimed.yaml:12:11: there is no counter "kernels.cycles"
  !     cycles: kernels.cycles
  !             ^
  ! hint: there are launches, warp_instructions, thread_instructions
  [2]
  $ sed '/^metrics/,$d; s/: clock/: walk/' timed.yaml > untimed.yaml; echo 'metrics: {n: kernels.launches}' >> untimed.yaml
  $ warpmem study run untimed.yaml --database timed.db
  study timed: 2 points, 2 replayed, 0 were there
  $ sed 's/^engine: clock/engine: sundial/' timed.yaml > dial.yaml; warpmem study run dial.yaml
  ! error: dial.yaml:3:9: engine is "sundial"
  !   engine: sundial
  !           ^
  ! hint: "walk", or "clock", in time
  [2]
It may ask why requests missed, and has to say so.
  $ sed '/^metrics/,$d' timed.yaml > why.yaml; echo 'metrics: {cold: l1_explained.accesses_cold, missed: l1.accesses_missed, reuse: l1_reuse.reuse_0}' >> why.yaml
  $ warpmem study run why.yaml --database timed.db
  ! error: why.yaml:11:17: "l1_explained.accesses_cold" is counted only where misses are explained
  !   metrics: {cold: l1_explained.accesses_cold, missed: l1.accesses_missed, reuse: l1_reuse.reuse_0}
  !                   ^
  ! hint: add "explain: true" to the study
  [2]
  $ sed -i 's/^engine: clock/engine: clock\nexplain: true/' why.yaml; warpmem study run why.yaml --database timed.db
  study timed: 2 points, 2 replayed, 0 were there
  $ warpmem study table why.yaml --database timed.db
  cold
  metric  machine        add       mean
  cold    short          256        256
  cold    long           256        256
  
  missed
  metric  machine        add       mean
  missed  short          384        384
  missed  long           384        384
  
  reuse
  metric  machine        add       mean
  reuse   short            0          0
  reuse   long             0          0
  $ sed 's/^engine: clock/engine: walk/' why.yaml > walked.yaml; warpmem study run walked.yaml --database timed.db; warpmem study table walked.yaml --database timed.db | grep missed
  study timed: 2 points, 2 replayed, 0 were there
  missed
  missed  short          384        384
  missed  long           384        384
  $ sed 's/^explain: true/explain: yes/' why.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:4:10: explain is "yes"
  !   explain: yes
  !            ^
  ! hint: "true", as replay --explain, or "false"
  [2]
  $ sed 's/gpu.sm.count=2/gpu.l1.replacement=opt/; s/: clock/: walk/' why.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:9:8: l1.replacement is opt, which does not know yet which line leaves, and who evicted whom cannot be explained
  !     set: [gpu.l1.replacement=opt]
  !          ^
  ! hint: name another l1.replacement, or do without
  [2]
  $ sed 's/gpu.sm.count=2/gpu.l2.dirty_limit=0B, gpu.l2.replacement=opt/' timed.yaml > late.yaml; warpmem study run late.yaml
  ! error: late.yaml:8:8: the clock engine has no replacement opt, which machine v100 has
  !     set: [gpu.l2.dirty_limit=0B, gpu.l2.replacement=opt]
  !          ^
  ! hint: choose another gpu.l2.replacement, or use --engine walk
  [2]
A recording of before mbarriers' waits were kept is read, and nobody waits; one of now has no note.
  $ warpmem replay --engine clock $CASES/traces/before-waits.wmt > old.txt
  ! warpmem: kernel _Z5waitsPi waits by mbarrier.try_wait.parity.shared.b64, where a replay does not: the order of its warps, and with it hits, misses and cycles, may differ from a run's
  $ warpmem cc $SOURCE/tests/programs/clock/waits.cu -o waits
  $ warpmem record -q -o waits.wmt -- ./waits > /dev/null
  $ warpmem replay --engine clock waits.wmt > new.txt
Tests that a program makes again and again are made as often as they were.
  $ warpmem cc $SOURCE/tests/programs/checks/phases.cu -o phases
  $ warpmem record -q -o phases.wmt -- ./phases good > /dev/null
  $ warpmem replay --engine clock phases.wmt > phases.txt
  ! warpmem: kernel _Z8all_meetILi0EEvPi waits by mbarrier.test_wait.shared.b64, which a replay makes as often as it was made when it was recorded: cycles may differ much from a run's
  $ warpmem replay phases.wmt > phases.txt
So is what atomics returned, where a kernel goes by it: in time its warps come in another order.
  $ warpmem cc $SOURCE/workloads/bfs.cu -o bfs
  $ warpmem record -q -o queue.wmt -- ./bfs --variant queue --n 300 --degree 4 > /dev/null
  $ warpmem replay --engine clock queue.wmt > queue.txt
  ! warpmem: kernel _Z9bfs_queuePKjS0_PjS0_jS1_jS1_ reads what atom.global.cas.b32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's
  $ warpmem replay queue.wmt > queue.txt
  $ warpmem replay --quiet --engine clock queue.wmt
  $ warpmem cc $SOURCE/workloads/histogram.cu -o histogram
  $ warpmem record -q -o counts.wmt -- ./histogram --n 1000 > /dev/null
  $ warpmem replay --engine clock counts.wmt > counts.txt
What lanes do at mbarriers and at their cluster's barrier is said below the instruction.
  $ warpmem trace dump waits.wmt --launch 2,4 --block 0 --warp 0-1 | grep -o 'lanes .* \(mbarrier\|the barrier\).*' | sort | uniq -c
        1 lanes 1 arrive at and leave mbarrier 0x0, 1 each
        2 lanes 1 arrive at mbarrier 0x0, 1 each
        6 lanes 1 expect and arrive at mbarrier 0x0, 512 bytes each
        1 lanes 1 make mbarrier 0x0, 2 threads
        2 lanes ffffffff are past the wait at mbarrier 0x0, 1 phases ended
        2 lanes ffffffff are past the wait at mbarrier 0x0, 2 phases ended
        2 lanes ffffffff are past the wait at mbarrier 0x0, 3 phases ended
        2 lanes ffffffff are past the wait at mbarrier 0x0, 4 phases ended
        2 lanes ffffffff are past the wait at mbarrier 0x0, 5 phases ended
        2 lanes ffffffff are past the wait at mbarrier 0x0, 6 phases ended
       24 lanes ffffffff arrive at the barrier of the cluster
       12 lanes ffffffff complete at mbarrier 0x0, 4 bytes each
       24 lanes ffffffff wait at the barrier of the cluster
