What loads are to say beyond .ca and .cg: tried out on machines whose GPUs know it.

  $ need clang
  $ warpmem cc -arch=sm_80 $CASES/hinted.cu -o app
  $ warpmem bypass -m v100 --set gpu.sm.count=2 --hints -o app-hinted --decisions app.list ./app | grep -v '^warpmem: v100'
  hinted: PASS, 2063488
  
  Kernel turn: 2 global loads, 1 launch, L1 128KiB an SM
  ld  at            load            lines  sect/line  alone    all   E on  E off  saves alone  heuristic  exact
   1  hinted.cu:26  ld.global.f32  7.17 k       4.00  75.0%   0.0%  50.8%  82.1%      672 KiB  bypass     bypass
   2  hinted.cu:26  ld.global.f32  57.3 k       4.00  87.5%  87.5%  11.4%  12.5%     6.12 MiB  cache      cache
    Together: ld 1 and ld 2 cost 672 KiB
                cached  saves, predicted  measured     L1-L2
    bypass-all       0               0 B       0 B  7.88 MiB
    cache-all        2          6.12 MiB  6.12 MiB  1.75 MiB
    heuristic        1          6.12 MiB  6.12 MiB  1.75 MiB
  > exact            1          6.12 MiB  6.12 MiB  1.75 MiB
    Hints:
  ld  at            load           says            saves L1-L2  saves DRAM
   1  hinted.cu:26  ld.global.f32  L1::evict_last      672 KiB         0 B
    With them: 1.10 MiB instead of 1.75 MiB between L1 and L2 (-37.5%), 0 B instead of 0 B between L2 and DRAM (+0.0%)
    Policies for L2 are not tried: they need compute capability 8.0.
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of one; alone: hit rate
    when no other load uses L1; all: hit rate when all loads do; E on: bytes used of bytes moved with
    L1, out of the PTX; E off: likewise without L1; saves alone: bytes between L1 and L2, of those
    when all loads bypass L1.
    says: what it is to say of caches; saves L1-L2: bytes of the kernel, of those when the load says
    what it does in the program.
  warpmem: app-hinted: 1 PTX image rewritten; its hints count with --set gpu.l1.replacement=priority --set gpu.l2.replacement=priority
  warpmem: app.list: decisions, for --set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority --set gpu.l2.replacement=priority --set gpu.l1.bypass_list=@app.list
Policies for L2, where L2 is short. The lists, the text and the page have them as well.
  $ warpmem bypass -m a100 --set gpu.sm.count=2 --set gpu.l2.size=960KiB --hints -o large.ptx --decisions large.list --json large.json --html large.html ./app large | sed -n '/Hints/,$p'
    Hints:
  ld  at            load           says                saves L1-L2  saves DRAM
   2  hinted.cu:26  ld.global.f32  ca L2::evict_first          0 B    1.20 MiB
    With them: 1.75 MiB instead of 1.75 MiB between L1 and L2 (+0.0%), 690 KiB instead of 1.88 MiB between L2 and DRAM (-64.1%)
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of one; alone: hit rate
    when no other load uses L1; all: hit rate when all loads do; E on: bytes used of bytes moved with
    L1, out of the PTX; E off: likewise without L1; saves alone: bytes between L1 and L2, of those
    when all loads bypass L1.
    says: what it is to say of caches; saves L1-L2: bytes of the kernel, of those when the load says
    what it does in the program.
  warpmem: large.ptx: PTX rewritten
  warpmem: large.list: decisions, for --set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority --set gpu.l2.replacement=priority --set gpu.l1.bypass_list=@large.list
  $ cat large.list | sed 's/hash=.*/hash=H/'
  # Global loads that go around L1 (=cg) or use it against their operator (=ca), decided by
  # warpmem bypass. Machine: a100; solver: exact.
  # With hints: eviction priorities of L1, and policies for L2.
  # Use: --set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority --set gpu.l2.replacement=priority
  # --set gpu.l1.bypass_list=@FILE, with this program alone: hash=H
  # that of the kernel's PTX. Selectors name lines of it; comments have the line of the source.
  
  # app.sm_80.ptx
  _Z4turnPKfiS0_Pf:hash=H
  # _Z4turnPKfiS0_Pf:ptx135 uses L1   $SOURCE/tests/cli/hinted.cu:26  ld.global.f32 %f4, [%rd10]
  _Z4turnPKfiS0_Pf:ptx147=ca   # $SOURCE/tests/cli/hinted.cu:26  ld.global.f32 %f5, [%rd12]
  _Z4turnPKfiS0_Pf:ptx147=L2::evict_first
  $ grep -e policy -e L1:: -e cache_hint -e version large.ptx
  .version 7.4
  	.reg .b64 %warpmem_evict_first_1; createpolicy.fractional.L2::evict_first.b64 %warpmem_evict_first_1; .reg .pred 	%p<2>;
  	ld.global.ca.L2::cache_hint.f32 	%f5, [%rd12], %warpmem_evict_first_1;
  $ grep -c 'L2::evict_first' large.html; grep -o '<h3>Hints</h3>' large.html
  1
  <h3>Hints</h3>
  $ sed -n '/"hints"/,/^      }/p' large.json
     "hints": {
      "tried": [
       "ca",
       "cg",
       "L1::no_allocate",
       "L1::evict_first",
       "L1::evict_last",
       "L2::evict_normal",
       "L2::evict_first",
       "L2::evict_last"
      ],
      "left_out": [],
      "loads": [
       {
        "number": 1,
        "own": [
         "ca",
         "L2::evict_normal"
        ],
        "says": [
         "ca",
         "L2::evict_normal"
        ],
        "l1": {
         "before": {
          "l1.bytes_below": 1837056,
          "l2.bytes_below": 1969408
         },
         "after": {
          "l1.bytes_below": 1837056,
          "l2.bytes_below": 1969408
         }
        },
   "hints": {
    "settings": [
     "gpu.l1.bypass=per-pc",
     "gpu.l1.replacement=priority",
     "gpu.l2.replacement=priority"
    ],
    "replays": 14,
    "before": {
     "l1.bytes_below": 3147776,
     "l2.bytes_below": 2299136
    },
    "after": {
     "l1.bytes_below": 3147776,
     "l2.bytes_below": 1036544
    }
   }
  }
What was measured is what the program does that was written, and what the list does.
  $ warpmem run -m v100 --set gpu.sm.count=2 --set gpu.l1.replacement=priority ./app-hinted | grep -e PASS -e 'turn *1 '
  hinted: PASS, 2063488
  turn       1       2 x 256       137 k   86.1%   99.8%  1.10 MiB   0 B
  $ warpmem run -m v100 --set gpu.sm.count=2 --set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority --set gpu.l1.bypass_list=@app.list ./app | grep -e PASS -e 'turn *1 '
  hinted: PASS, 2063488
  turn       1       2 x 256       137 k   86.1%   99.8%  1.10 MiB   0 B
  $ warpmem run -m v100 --set gpu.sm.count=2 ./app | grep -e PASS -e 'turn *1 '
  hinted: PASS, 2063488
  turn       1       2 x 256       137 k   77.8%   99.9%  1.75 MiB   0 B
  $ warpmem run -m a100 --set gpu.sm.count=2 --set gpu.l2.size=960KiB --set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority --set gpu.l2.replacement=priority --set gpu.l1.bypass_list=@large.list ./app large | grep -e PASS -e 'turn *1 '
  hinted: PASS, 2062777
  turn       1       2 x 256       137 k   77.8%   80.7%  1.75 MiB   690 KiB
  $ warpmem record -q --any-order -m a100 --set gpu.sm.count=2 -o large.wmt ./app large
  hinted: PASS, 2062777
  $ warpmem replay -m a100 --set gpu.sm.count=2 --set gpu.l2.size=960KiB --set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority --set gpu.l2.replacement=priority --set gpu.l1.bypass_list=@large.list large.wmt | grep 'turn *1 '
  turn       1       2 x 256       137 k   77.8%   80.7%  1.75 MiB   690 KiB
  $ warpmem bypass -m a100 --set gpu.sm.count=2 --set gpu.l2.size=960KiB --hints -j 1 --json one.json -q large.wmt; cmp one.json large.json
In time cycles decide; forced loads stay; h100.
  $ warpmem bypass -m v100 --set gpu.sm.count=2 --hints --measure clock ./app | sed -n '/Hints/,/With/p'
    Hints:
  ld  at            load           says            saves L1-L2  saves DRAM  saves cycles
   1  hinted.cu:26  ld.global.f32  L1::evict_last      672 KiB         0 B         43158
    With them: 1.10 MiB instead of 1.75 MiB between L1 and L2 (-37.5%), 0 B instead of 0 B between L2 and DRAM (+0.0%), 117 k instead of 160 k cycles (-27.0%)
  $ warpmem bypass -m v100 --set gpu.sm.count=2 --hints --load 1=ca ./app | sed -n '/Hints/,/With/p'
    Hints: none saves 1 % or more: 1.75 MiB instead of 1.75 MiB between L1 and L2 (+0.0%), 0 B instead of 0 B between L2 and DRAM (+0.0%)
    Policies for L2 are not tried: they need compute capability 8.0.
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of one; alone: hit rate
    when no other load uses L1; all: hit rate when all loads do; E on: bytes used of bytes moved with
    L1, out of the PTX; E off: likewise without L1; saves alone: bytes between L1 and L2, of those
    when all loads bypass L1.
    says: what it is to say of caches; saves L1-L2: bytes of the kernel, of those when the load says
    what it does in the program.
  $ warpmem bypass -m h100 --set gpu.sm.count=2 --set gpu.l2.size=1000KiB --hints ./app large | sed -n '/Hints/,/With/p'
    Hints:
  ld  at            load           says                saves L1-L2  saves DRAM
   2  hinted.cu:26  ld.global.f32  ca L2::evict_first          0 B    1.42 MiB
    With them: 1.75 MiB instead of 1.75 MiB between L1 and L2 (+0.0%), 593 KiB instead of 2.00 MiB between L2 and DRAM (-71.1%)
What is not tried, and why.
  $ warpmem bypass -m a100 --set gpu.sm.count=2 --set gpu.l1.replacement=fifo --set gpu.l2.replacement=srrip --hints ./app | sed -n '/Hints/,$p' | grep 'not tried'
    L1::evict_first and L1::evict_last are not tried: gpu.l1.replacement is fifo, which obeys none.
    Policies for L2 are not tried: gpu.l2.replacement is srrip, which obeys none.
  $ warpmem cc $CASES/hinted.cu -o older; warpmem bypass -m a100 --set gpu.sm.count=2 --hints ./older | grep 'not tried'
    Policies for L2 are not tried: they need PTX 6.5 for sm_80, and the kernel's is 6.5 for sm_70.
  $ warpmem cc -arch=sm_60 $CASES/hinted.cu -o older; warpmem bypass -m a100 --set gpu.sm.count=2 --hints ./older | grep 'not tried'
    Eviction priorities at L1 are not tried: they need PTX 6.5 for sm_70, and the kernel's is 6.5 for sm_60.
    Policies for L2 are not tried: they need PTX 6.5 for sm_80, and the kernel's is 6.5 for sm_60.
  $ warpmem bypass -m a100 --set gpu.sm.count=2 --hints -o volatile.ptx ./app volatile | grep -e 'left as it is'; grep volatile.global volatile.ptx
    The load in PTX line 209 is left as it is: it is volatile.
  	ld.volatile.global.f32 	%f4, [%rd13];
  $ warpmem bypass -m gtx480 --hints ./app
  ! error: --hints: gtx480 is of compute capability 2.0, whose loads say no more than .ca and .cg: eviction priorities need 7.0
  ! hint: choose -m v100, a100 or h100, or leave --hints out
  [2]
  $ warpmem bypass -m v100 --hints --measure none ./app
  ! error: --hints: hints are chosen by what they are measured to save
  ! hint: leave --measure none out
  [2]
  $ warpmem bypass -m v100 --hints --load 1=L1::evict_last ./app
  ! error: --load: "1=L1::evict_last" forces no load
  ! hint: write N=ca, which uses L1, N=cg, which goes around it, or KERNEL:N=ca; numbers are those of the table
  [2]
Lists: words that are none, priorities that nothing obeys, another program's list.
  $ warpmem run -m v100 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=turn:ptx9=L1::evict_soon ./app
  ! error: --set gpu.l1.bypass_list=turn:ptx9=L1::evict_soon: gpu.l1.bypass_list: "turn:ptx9=L1::evict_soon": "L1::evict_soon" is no word for caches
  ! hint: write one of ca, cg, L1::no_allocate, L1::evict_normal, L1::evict_first, L1::evict_last, L1::evict_unchanged, L2::evict_normal, L2::evict_first, L2::evict_last, L2::evict_unchanged
  [2]
  $ warpmem run -m v100 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=turn:ptx9=L1::evict_last ./app
  ! error: --set gpu.l1.bypass_list=turn:ptx9=L1::evict_last: gpu.l1.bypass_list: "turn:ptx9=L1::evict_last" is an eviction priority, and gpu.l1.replacement obeys none
  ! hint: set gpu.l1.replacement=priority
  [2]
  $ warpmem run -m v100 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=turn:ptx9=L2::evict_last ./app
  ! error: --set gpu.l1.bypass_list=turn:ptx9=L2::evict_last: gpu.l1.bypass_list: "turn:ptx9=L2::evict_last" is an eviction priority, and gpu.l2.replacement obeys none
  ! hint: set gpu.l2.replacement=priority
  [2]
  $ warpmem replay -m v100 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@app.list large.wmt
  ! error: --set gpu.l1.bypass_list=@app.list: gpu.l1.bypass_list: "_Z4turnPKfiS0_Pf:ptx135=L1::evict_last" is an eviction priority, and gpu.l1.replacement obeys none
  ! hint: set gpu.l1.replacement=priority
  [2]
  $ warpmem run -q -m v100 --set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority --set gpu.l1.bypass_list=@app.list ./older 2>&1 | sed 's/[0-9a-f]\{16\}/H/g'
  warpmem: error: kernel _Z4turnPKfiS0_Pf: gpu.l1.bypass_list is for another program: the kernel's PTX has the hash H, the list wants H
  hint: decide anew for this program: warpmem bypass
  warpmem: bypass list: _Z4turnPKfiS0_Pf:ptx135=L1::evict_last named no memory instruction that ran
  hinted: FAIL, 0
Beside the line: advice with what a priority was measured to save; none on a GPU that knows none, or where nothing is measured.
  $ warpmem annotate -m v100 --set gpu.sm.count=2 --json advice.json ./app | sed -n '/thrashing-l1/,/pc26/p'; grep -o '"what":"priority","settings":[^]]*.' advice.json
        > thrashing-l1: 75% of its sectors were in L1 before and had gone (capacity): use each line
          fully before going on, in smaller tiles or with fewer warps at once; estimate (its misses by
          conflict, and by capacity within reach): saves up to 672 KiB of 896 KiB that come from L2;
          measured with L1::evict_last (ld.global.L1::evict_last, warpmem bypass --hints): 1.10 MiB
          instead of 1.75 MiB between L1 and L2 (-37%); the same with --set
          gpu.l1.replacement=priority --set gpu.l1.bypass=per-pc --set
          gpu.l1.bypass_list=_Z4turnPKfiS0_Pf:pc26=L1::evict_last
  "what":"priority","settings":["gpu.l1.replacement=priority","gpu.l1.bypass=per-pc","gpu.l1.bypass_list=_Z4turnPKfiS0_Pf:pc26=L1::evict_last"]
  $ warpmem annotate -m gtx480 --set gpu.sm.count=2 ./app | grep -c 'measured.*evict_last'
  0
  [1]
  $ warpmem annotate -m v100 --measure none --set gpu.sm.count=2 ./app | grep -c evict_last
  0
  [1]
