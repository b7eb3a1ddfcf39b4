A machine that an engine cannot run is refused before the program starts: it prints nothing.

  $ need clang
  $ warpmem cc $SOURCE/workloads/vecadd.cu -o vecadd
  $ warpmem run -m gtx480+ccws ./vecadd --n 256
  ! error: the walk has no cycles, in which machine gtx480+ccws lets warps' loads wait
  ! hint: use --engine clock, or set gpu.sm.load_throttle=none
  [2]
  $ warpmem run -m gtx480+dacache ./vecadd --n 256
  ! error: the walk has no warps' ages at L1, by which machine gtx480+dacache places and keeps lines
  ! hint: use --engine clock, or leave gpu.l1.insertion, promotion, region and region_full as they are by default
  [2]
  $ warpmem annotate -m gtx480+ccws ./vecadd --n 256
  ! error: the walk has no cycles, in which machine gtx480+ccws lets warps' loads wait
  ! hint: annotate it in time: --engine clock
  [2]
  $ warpmem run --engine clock --set gpu.count=2 --set gpu.interconnect.topology=butterfly ./vecadd --n 256
  ! error: the clock engine has no butterflies of several GPUs, which machine v100 has
  ! hint: set gpu.interconnect.topology=crossbar, or use --engine walk
  [2]
  $ warpmem run --engine clock -m gtx480 --set gpu.l1.replacement=opt ./vecadd --n 256
  ! error: the clock engine has no replacement opt, which machine gtx480 has
  ! hint: choose another gpu.l1.replacement, or use --engine walk
  [2]
  $ warpmem run --explain --set gpu.l2.dirty_limit=0B --set gpu.l2.replacement=opt ./vecadd --n 256
  ! error: l2.replacement is opt, which does not know yet which line leaves, and who evicted whom cannot be explained
  ! hint: name another l2.replacement, or do without
  [2]
CPU cores run no CUDA program; nothing is left of a recording.
  $ warpmem run -m cpu-core2 ./vecadd --n 256
  ! error: no CUDA program runs on a machine with CPU cores
  ! hint: take a machine whose gpu.sm.warp_width is 32 or 64; CPU cores run traces: see warpmem import
  [2]
  $ warpmem annotate -m cpu-core2 ./vecadd --n 256
  ! error: no CUDA program runs on a machine with CPU cores
  ! hint: take a machine whose gpu.sm.warp_width is 32 or 64; CPU cores run traces: see warpmem import
  [2]
  $ warpmem record -m cpu-core2 -o cores.wmt ./vecadd --n 256; ls cores.wmt 2>&1
  ls: cannot access 'cores.wmt': No such file or directory
  ! error: no CUDA program runs on a machine with CPU cores
  ! hint: take a machine whose gpu.sm.warp_width is 32 or 64; CPU cores run traces: see warpmem import
  [2]
The other engine runs it, and so does what follows no access.
  $ warpmem run -q --engine clock -m gtx480+ccws ./vecadd --n 256
  vecadd: PASS
  $ warpmem run -q --no-memory -m gtx480+ccws ./vecadd --n 256
  vecadd: PASS
Its order needs the memory system; a recording in any order does not.
  $ warpmem record -q -m gtx480+ccws -o vecadd.wmt -- ./vecadd --n 256
  ! error: the walk has no cycles, in which machine gtx480+ccws lets warps' loads wait
  ! hint: record with --any-order, or on another machine; warpmem replay --engine clock drives it through this one
  [2]
  $ warpmem record -q --any-order -m gtx480+ccws -o vecadd.wmt -- ./vecadd --n 256
  vecadd: PASS
  $ warpmem replay -q --engine clock -m gtx480+ccws vecadd.wmt
Replays are refused before the first of their machines is replayed.
  $ warpmem replay -m gtx480 -m gtx480+ccws --json out.json vecadd.wmt; ls | grep -c out
  0
  ! error: the walk has no cycles, in which machine gtx480+ccws lets warps' loads wait
  ! hint: use --engine clock, or set gpu.sm.load_throttle=none
  [1]
  $ warpmem replay --engine clock --set gpu.l2.dirty_limit=0B --variant gpu.l2.replacement=opt --json out.json vecadd.wmt; ls | grep -c out
  0
  ! error: the clock engine has no replacement opt, which machine v100 has
  ! hint: choose another gpu.l2.replacement, or use --engine walk
  [1]
Variants are named, and are side by side behind the last report.
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm && warpmem record -q -o wide.wmt -- ./gemm --n 64
  gemm: PASS
  $ warpmem replay wide.wmt --variant gpu.l1.present=false --variant gpu.l2.size=384KiB,gpu.l1.size=16KiB | grep '^warpmem\|^With'
  warpmem: v100 (Tesla V100-SXM2-16GB), untimed walk
  warpmem: v100 (Tesla V100-SXM2-16GB), untimed walk
  With gpu.l1.present=false
  warpmem: v100 (Tesla V100-SXM2-16GB), untimed walk
  With gpu.l2.size=384KiB,gpu.l1.size=16KiB
  $ warpmem replay wide.wmt --variant gpu.l1.present=false --variant gpu.l2.size=384KiB,gpu.l1.size=16KiB | sed -n '/^Side/,$p'
  Side by side, with the difference from the first
  Warp instr     L1 hit     L2 hit            L1-L2               DRAM     Machine
      94.7 k      86.4%      72.7%          176 KiB           32.0 KiB     v100
      94.7 k  =       -  -   96.3%  +23.6  1.27 MiB  +636.4%  32.0 KiB  =  v100 gpu.l1.present=false
      94.7 k  =   86.4%  =   72.7%      =   176 KiB        =  32.0 KiB  =  v100 gpu.l2.size=384KiB,gpu.l1.size=16KiB
  $ warpmem replay --engine clock wide.wmt -m gtx480 -m v100 | sed -n '/^Side/,$p' | grep -o ' cycles \| time \|[-+].*%  .*[-+].*%  \|[^ ]*$' | sed 's/[-+].*/and the difference of both/'
  first
   cycles 
   time 
  Machine
  gtx480
  and the difference of both
  v100
Alone, a machine is beside nothing; in files, the table is at the last one's end.
  $ warpmem replay wide.wmt | grep -c '^Side\|^With'
  0
  [1]
  $ warpmem replay wide.wmt -m v100 -m h100 --report r.txt && grep -c '^Side' r.txt r.2.txt
  r.txt:0
  r.2.txt:1
A study's machines are checked when its file is read.
  $ cp $SOURCE/workloads/vecadd.cu $SOURCE/workloads/workload.h .
  $ printf 'study: s\nworkloads: {v: {source: vecadd.cu, arguments: "--n 256"}}\nmachines:\n  base: gtx480\n  axes: {throttle: {off: [], on: {machine: gtx480+ccws}}}\nmetrics: {dram: dram.bytes_read}\n' > s.yaml
  $ warpmem study run s.yaml
  ! error: s.yaml:4:3: the walk has no cycles, in which machine gtx480+ccws lets warps' loads wait
  !     base: gtx480
  !     ^
  ! hint: say "engine: clock", or set the machine otherwise
  [2]
  $ sed 's/base: gtx480/base: cpu-core2/' s.yaml > cores.yaml; warpmem study run cores.yaml 2>&1 | head -1
  error: cores.yaml:4:3: no CUDA program runs on a machine with CPU cores
  $ sed -i 's/^study: s/study: s\nengine: clock/' s.yaml; warpmem study run s.yaml
  study s: 2 points, 2 replayed, 0 were there
  $ sed -i 's/base: gtx480/base: gtx480+ccws/' s.yaml; warpmem study run s.yaml
  ! error: s.yaml:5:3: the walk has no cycles, in which machine gtx480+ccws lets warps' loads wait
  !     base: gtx480+ccws
  !     ^
  ! hint: say "order: any", or record on another base and name this machine by an axis
  [2]
