The bypass compiler's command: what it prints, what it refuses.

  $ warpmem bypass --help
  usage: warpmem bypass [options] [--] PROGRAM [arguments] | RECORDING...
  
  Decides for each global load of a program's kernels whether it is to use L1
  (.ca) or go around it (.cg), so that the fewest bytes move between L1 and L2, as
  Liang, Xie, Sun and Chen do it: each load is profiled alone, in pairs and with
  all others, which gives a graph of what loads save and cost each other; a solver
  chooses among its sets; and what it chose is measured next to all loads cached
  and all bypassed.
  
  The table has a row for each load, with its hit rate alone and among all, and
  what it saves; "Together" has pairs that save or cost more than the two alone;
  the last table has what each solver's set saves, predicted and measured, and ">"
  before the one that decides. warpmem explain says what a column means: warpmem
  explain 'saves alone'.
  
  --hints continues from that decision on GPUs whose loads can say more: each
  tries the eviction priorities of L1 and policies for L2, heaviest first, and
  keeps what saves.
  
  The machine is one whose L1 keeps global loads (-m gtx480). There is one
  decision for a load's place in the PTX, over all launches of its kernel. A
  recording that warpmem record made is taken as the program.
  
  options:
    -m, --machine NAME      the machine: a preset, or a file with a slash or .yaml
                            in its name (default v100)
    -s, --set KEY=VALUE     change one key of the machine (gpu.sm.count=8); may be
                            given again
        --plugin FILE       load replacement and bypass entries from a shared
                            object
        --report FILE       write the tables to FILE instead of standard output
                            (-)
        --limit-instructions N
                            stop the kernel that runs after N warp instructions of
                            all launches (2M, 1G): what was counted so far is
                            kept, and the exit status is 3
        --limit-time DURATION
                            the same after that time of this computer's clock
                            since the first CUDA call (90s, 500ms)
        --fail-on-error     make the exit status 1 when a kernel failed or was
                            refused, though the program ended with 0
    -q, --quiet             print no tables
    -o, --output FILE       write the program with what was decided in its PTX,
                            and without machine code of it; PTX alone when FILE
                            ends in .ptx
        --decisions FILE    write what was decided as a list for
                            gpu.l1.bypass_list=@FILE
        --html FILE         write the same as one self-contained page, the graphs
                            drawn
        --json FILE         write loads, graphs and solutions as JSON
        --solver NAME       what decides: exact, of all sets of loads the one that
                            saves most (default); heuristic, the paper's;
                            bypass-all or cache-all, without looking
        --load [KERNEL:]N=ca|cg
                            force load N of the table to use L1 (ca) or to go
                            around it (cg): the solver decides the others; KERNEL,
                            a pattern as of --kernel, where several were profiled;
                            may be given again
        --hints             on GPUs of compute capability 7.0 and later: have
                            loads say more of caches than .ca and .cg
                            (L1::no_allocate, L1::evict_first, L1::evict_last,
                            policies for L2), where that is measured to save 1 %
                            or more
        --efficiency NAME   what says how much a load moves without L1: profiled
                            (default), exact (addresses as the PTX has them),
                            table (the paper's Table II)
        --partition auto|SIZE
                            decide for that much shared memory of an SM, which
                            leaves the rest of its array to L1 (32KiB), or for the
                            one of the machine's carve-outs that a model predicts
                            to be fastest
        --model NAME|FILE   the model that predicts (default: the one of the
                            machine's name)
        --fit FILE          decide nothing: measure recordings with each
                            carve-out, in time too, fit a model to them and write
                            it
        --measure HOW       measure the solutions: walk, by bytes (default);
                            clock, by cycles too; none
        --all-sets          of kernels with at most 10 loads to decide, count the
                            bytes of every set of them, and say how well
                            predictions rank them
    -j, --threads N         threads that what is measured is divided among
                            (default: one a processor); the numbers do not depend
                            on it
    -k, --kernel PATTERN    count only launches of kernels of this name: *, ? and
                            [a-z] as in a shell, or regex:EXPRESSION; may be given
                            again; other launches run, and warm the caches
        --launches LIST     count only these launches, numbered over the run from
                            0, as 0-7 or 1,4,10-12
        --launch-skip N     of the launches that --kernel and --launches choose,
                            leave out the first N
        --launch-count N    of those that are left, count at most N
    -h, --help              print this help
  
  examples:
    warpmem bypass -m gtx480 ./app
    warpmem bypass -m gtx480 --solver heuristic --measure clock ./app
    warpmem bypass -m gtx480 --html app.html --json app.json ./app
    warpmem bypass -m gtx480 -o app-bypassed ./app
    warpmem bypass -m h100 --hints -o app-hinted ./app
    warpmem bypass -m gtx480 --kernel 'reduce*' --load 1=cg ./app
    warpmem bypass -m gtx480 --kernel 'reduce*' app.wmt
    warpmem bypass -m liang-2015 --partition auto --decisions app.list ./app
  $ need clang
  $ warpmem cc $CASES/bypassed.cu -o app
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 ./app
  bypassed: PASS
  warpmem: gtx480 (GeForce GTX 480), L1 lines of 128 bytes, efficiencies: profiled
  
  Kernel gather: 16 global loads, 1 launch, L1 16KiB an SM
  ld  at              load            lines  sect/line  alone    all  E on  E off  saves alone  heuristic  exact
   1  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   2  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   3  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   4  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   5  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   6  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   7  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   8  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   9  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  10  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
  11  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  12  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
  13  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  14  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
  15  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  16  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
    Together: ld 1 and ld 2 cost 40.0 KiB, ld 1 and ld 4 cost 40.0 KiB, ld 1 and ld 6 cost 40.0 KiB,
    ld 1 and ld 8 cost 40.0 KiB, ld 1 and ld 10 cost 40.0 KiB, ld 1 and ld 12 cost 40.0 KiB, and 86
    pairs less
                cached  saves, predicted   measured     L1-L2
    bypass-all       0               0 B        0 B  8.06 MiB
    cache-all       16         -10.3 MiB  -8.00 MiB  16.1 MiB
    heuristic        8          4.16 MiB   3.99 MiB  4.07 MiB
  > exact            8          4.16 MiB   3.99 MiB  4.07 MiB
  
  Kernel neighbours: 3 global loads, 1 launch, L1 16KiB an SM
  ld  at              load            lines  sect/line  alone    all    E on   E off  saves alone  heuristic  exact
   1  bypassed.cu:22  ld.global.f32     512       4.00   0.0%   0.0%  100.0%  100.0%          0 B  cache      cache
   2  bypassed.cu:22  ld.global.f32  1.02 k       2.50  70.0%  97.5%   50.0%   80.0%     8.00 KiB  cache      cache
   3  bypassed.cu:22  ld.global.f32  1.02 k       2.50  70.0%  97.5%   50.0%   80.0%     8.00 KiB  cache      cache
    Together: ld 1 and ld 2 save 64.0 KiB, ld 2 and ld 3 save 64.0 KiB, ld 1 and ld 3 save 56.0 KiB
                cached  saves, predicted  measured    L1-L2
    bypass-all       0               0 B       0 B  288 KiB
    cache-all        3           200 KiB   144 KiB  144 KiB
    heuristic        3           200 KiB   144 KiB  144 KiB
  > exact            3           200 KiB   144 KiB  144 KiB
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of one; alone: hit rate
    when no other load uses L1; all: hit rate when all loads do; E on: bytes used of bytes moved with
    L1, out of the PTX; E off: likewise without L1; saves alone: bytes between L1 and L2, of those
    when all loads bypass L1.

Narrow: columns that are left out first are those of efficiencies.
  $ COLUMNS=80 warpmem bypass -m gtx480 --set gpu.sm.count=2 -k neighbours --measure none ./app
  bypassed: PASS
  warpmem: gtx480 (GeForce GTX 480), L1 lines of 128 bytes, efficiencies: profiled
  
  Kernel neighbours: 3 global loads, 1 launch, L1 16KiB an SM
  ld  at             lines  sect/line  alone    all  saves alone  heuristic  exact
   1  bypas….cu:22     512       4.00   0.0%   0.0%          0 B  cache      cache
   2  bypas….cu:22  1.02 k       2.50  70.0%  97.5%     8.00 KiB  cache      cache
   3  bypas….cu:22  1.02 k       2.50  70.0%  97.5%     8.00 KiB  cache      cache
    Together: ld 1 and ld 2 save 64.0 KiB, ld 2 and ld 3 save 64.0 KiB, ld 1 and
    ld 3 save 56.0 KiB
                cached  saves, predicted
    bypass-all       0               0 B
    cache-all        3           200 KiB
    heuristic        3           200 KiB
  > exact            3           200 KiB
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of
    one; alone: hit rate when no other load uses L1; all: hit rate when all loads
    do; E on: bytes used of bytes moved with L1, out of the PTX; E off: likewise
    without L1; saves alone: bytes between L1 and L2, of those when all loads
    bypass L1.
In time, with another solver and another source.
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 -k gather --solver heuristic --efficiency table --measure clock ./app
  bypassed: PASS
  warpmem: gtx480 (GeForce GTX 480), L1 lines of 128 bytes, efficiencies: table
  
  Kernel gather: 16 global loads, 1 launch, L1 16KiB an SM
  ld  at              load            lines  sect/line  alone    all  E on  E off  saves alone  heuristic  exact
   1  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   2  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   3  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   4  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   5  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   6  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   7  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
   8  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
   9  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  10  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
  11  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  12  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
  13  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  14  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
  15  bypassed.cu:15  ld.global.f32  16.4 k       1.00  99.6%  97.7%     -      -      504 KiB  cache      cache
  16  bypassed.cu:15  ld.global.f32  16.4 k       1.00   0.0%   0.0%  3.1%  12.5%    -1.50 MiB  bypass     bypass
    Together: ld 1 and ld 2 cost 40.0 KiB, ld 1 and ld 4 cost 40.0 KiB, ld 1 and ld 6 cost 40.0 KiB,
    ld 1 and ld 8 cost 40.0 KiB, ld 1 and ld 10 cost 40.0 KiB, ld 1 and ld 12 cost 40.0 KiB, and 86
    pairs less
                cached  saves, predicted   measured     L1-L2  cycles
    bypass-all       0               0 B        0 B  8.06 MiB  134339
    cache-all       16         -10.3 MiB  -10.1 MiB  18.1 MiB  301714
  > heuristic        8          4.16 MiB   3.99 MiB  4.07 MiB  133016
    exact            8          4.16 MiB   3.99 MiB  4.07 MiB  133016
  
    lines: requests for a line of L1; sect/line: sectors of 32 bytes needed of one; alone: hit rate
    when no other load uses L1; all: hit rate when all loads do; E on: bytes used of bytes moved with
    L1, out of the PTX; E off: likewise without L1; saves alone: bytes between L1 and L2, of those
    when all loads bypass L1.

A recording is as good as the program; threads and outputs change no number.
  $ warpmem record -q --any-order -m gtx480 --set gpu.sm.count=2 -o app.wmt ./app
  bypassed: PASS
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --report program.txt --json program.json --html program.html ./app
  bypassed: PASS
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --report recording.txt --json recording.json -j 1 app.wmt; cmp program.txt recording.txt; cmp program.json recording.json
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 -j 3 --json threads.json -q ./app; cmp threads.json program.json
  bypassed: PASS
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --html again.html -q ./app; cmp again.html program.html; ls
  bypassed: PASS
  again.html
  app
  app.wmt
  program.html
  program.json
  program.txt
  recording.json
  recording.txt
  threads.json
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --json - app.wmt 2>tables.txt | cmp - program.json; cmp tables.txt program.txt
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --json - ./app 2>tables.txt | cmp - program.json; head -1 tables.txt; tail -n +2 tables.txt | cmp - program.txt
  bypassed: PASS
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --report tables.txt --json - ./app 2>said.txt | cmp - program.json; cat said.txt; cmp tables.txt program.txt
  bypassed: PASS

Loads forced: the solvers decide the others.
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --load gather:1=cg --load 'neigh*:3=ca' --json forced.json app.wmt | grep -e Forced -e Kernel -e exact -e '>'; grep forced forced.json | sort | uniq -c
  Kernel gather: 16 global loads, 1 launch, L1 16KiB an SM
  ld  at              load            lines  sect/line  alone    all  E on  E off  saves alone  heuristic  exact
    Forced: ld 1 bypass
  > exact            7          3.61 MiB   3.49 MiB  4.57 MiB
  Kernel neighbours: 3 global loads, 1 launch, L1 16KiB an SM
  ld  at              load            lines  sect/line  alone    all    E on   E off  saves alone  heuristic  exact
    Forced: ld 3 cache
  > exact            3           200 KiB   144 KiB  144 KiB
        1      "forced": "ca",
        1      "forced": "cg",
       17      "forced": null,
  $ warpmem bypass -m gtx480 -k gather --load 1=ca -q app.wmt
  $ warpmem bypass -m gtx480 --load 1=ca app.wmt
  ! error: --load 1=ca: 2 kernels have loads to decide, and none is named
  ! hint: write KERNEL:N=ca; kernels with loads to decide are gather, neighbours
  [2]
  $ warpmem bypass -m gtx480 --load neighbours:4=ca app.wmt
  ! error: --load neighbours:4=ca: there is no such load: those of neighbours are numbered 1 to 3
  [2]
  $ warpmem bypass -m gtx480 --load gather:0=cg app.wmt
  ! error: --load gather:0=cg: there is no such load: those of gather are numbered 1 to 16
  [2]
  $ warpmem bypass -m gtx480 --load gather:99999999999999999999=cg app.wmt
  ! error: --load gather:99999999999999999999=cg: there is no such load: those of gather are numbered 1 to 16
  [2]
  $ warpmem bypass -m gtx480 --load gone:1=ca app.wmt
  ! error: --load gone:1=ca: "gone" is no kernel that was profiled
  ! hint: write KERNEL:N=ca; kernels with loads to decide are gather, neighbours
  [2]
  $ warpmem bypass -m gtx480 --load gather:1=ca --load '*:1=cg' app.wmt
  ! error: --load *:1=cg: load 1 is forced to use L1 and to go around it
  [2]
  $ warpmem bypass -m gtx480 --load 1=cx app.wmt
  ! error: --load: "1=cx" forces no load
  ! hint: write N=ca, which uses L1, N=cg, which goes around it, or KERNEL:N=ca; numbers are those of the table
  [2]
  $ warpmem bypass -m gtx480 --load :1=ca app.wmt
  ! error: --load: ":1=ca" forces no load
  ! hint: write N=ca, which uses L1, N=cg, which goes around it, or KERNEL:N=ca; numbers are those of the table
  [2]
  $ warpmem bypass -m gtx480 --load gather=ca app.wmt
  ! error: --load: "gather=ca" forces no load
  ! hint: write N=ca, which uses L1, N=cg, which goes around it, or KERNEL:N=ca; numbers are those of the table
  [2]
  $ warpmem bypass -m gtx480 --load gather:1=ca --solver cache-all app.wmt
  ! error: --load: cache-all decides all loads alike, and leaves none to be forced
  ! hint: choose --solver exact or heuristic
  [2]

All sets of a kernel's loads, predicted and measured; forced loads are the same in each.
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 -k neighbours --all-sets --json sets.json app.wmt | grep -A2 -e '> exact' -e All
  > exact            3           200 KiB   144 KiB  144 KiB
    All 8 sets of 3 loads: rank correlation of predicted and measured bytes 1.000 (Spearman's); fewest
    measured: 144 KiB, with ld 1, 2, 3 cached; exact: 144 KiB
  
  $ python3 -c "import json; [print(*it.values()) for it in json.load(open('sets.json'))['kernels'][0]['all_sets']['sets']]"
  [] 294912 294912
  [1] 294912 294912
  [2] 286720 286720
  [1, 2] 221184 221184
  [3] 286720 286720
  [1, 3] 229376 229376
  [2, 3] 212992 212992
  [1, 2, 3] 90112 147456
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 -k neighbours --all-sets -j 3 --json - app.wmt 2>/dev/null | cmp - sets.json
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 -k neighbours --all-sets --load 1=cg --load 3=ca --measure none --json forced.json app.wmt | grep -A1 All; grep -c predicted_bytes forced.json
    All 2 sets of 1 load: rank correlation of predicted and measured bytes 1.000 (Spearman's); fewest
    measured: 208 KiB, with ld 2, 3 cached; exact: 208 KiB
  2
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --all-sets -q --json sets.json --html sets.html app.wmt; ls sets.html
  ! error: --all-sets: kernel gather has 16 loads to decide, of which 10 can have all their sets measured: 1024 sets
  ! hint: force the others with --load N=ca or N=cg, or leave the kernel out with --kernel
  ! ls: cannot access 'sets.html': No such file or directory
  [2]
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --all-sets -k neighbours --load 1=cg --load 2=cg --load 3=cg app.wmt | grep -A1 All
    All 1 set of 0 loads: predicted or measured bytes are the same for all, and there is no order to
    compare; fewest measured: 288 KiB, with no load cached; exact: 288 KiB
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --all-sets --measure none --json same.json ./app volatile | grep -A1 All; grep rank_correlation same.json
    All 2 sets of 1 load: predicted or measured bytes are the same for all, and there is no order to
    compare; fewest measured: 1.50 KiB, with no load cached; exact: 1.50 KiB
      "rank_correlation": null,

What was decided, written: PTX, a program that runs and moves what was measured, and a list.
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --measure none -o app-bypassed --decisions app.list ./app | grep app-bypassed -A1
  warpmem: app-bypassed: 1 PTX image rewritten
  warpmem: app.list: decisions, for --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@app.list
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --measure none -o app.ptx app.wmt | tail -1; grep -c 'ld.global.cg' app.ptx; grep -c 'ld.global.ca' app.ptx
  warpmem: app.ptx: PTX rewritten
  8
  11
  $ warpmem run -m gtx480 --set gpu.sm.count=2 ./app-bypassed | grep -e PASS -e 'gather *1' -e 'neighbours *1' > rewritten.txt; warpmem run -m gtx480 --set gpu.sm.count=2 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@app.list ./app | grep -e PASS -e 'gather *1' -e 'neighbours *1' | diff - rewritten.txt; cat rewritten.txt
  bypassed: PASS
  gather         1      64 x 256      53.8 k   98.4%    0.1%  4.07 MiB  4.05 MiB
  neighbours     1      64 x 256      9.22 k   54.2%   22.0%   144 KiB  64.2 KiB
    neighbours  1.54 k       4.7  85.7%     512       4.0  100%
  $ head -5 app.list; grep -c =cg app.list
  # Global loads that go around L1 (=cg) or use it against their operator (=ca), decided by
  # warpmem bypass. Machine: gtx480; solver: exact.
  # Use: --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@FILE, with this program alone: hash= is
  # that of the kernel's PTX. Selectors name lines of it; comments have the line of the source.
  
  9
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --measure none --decisions - app.wmt 2>err.txt | cmp - app.list; tail -1 err.txt
    when all loads bypass L1.
  $ warpmem bypass -m gtx480 -o app-bypassed app.wmt
  ! error: --output: a recording holds no program that could be rewritten
  ! hint: give the program instead of its recording, or name a file that ends in .ptx
  [2]
  $ warpmem bypass -m gtx480 -o - ./app
  ! error: --output: standard output takes no program
  ! hint: name a file, which ends in .ptx for PTX
  [2]
  $ warpmem bypass -m gtx480 -o no/such/app ./app
  ! error: --output: cannot write "no/such/app": No such file or directory
  ! hint: make its folder first
  [1]
  $ warpmem bypass -m gtx480 --decisions no/such/list ./app
  ! error: --decisions: cannot write "no/such/list": No such file or directory
  ! hint: make its folder first
  [1]

Words that are none, outputs that cannot be written: before the program runs.
  $ warpmem bypass -m gtx480 --solver best ./app
  ! error: --solver: "best" is none of bypass-all, cache-all, heuristic, exact
  [2]
  $ warpmem bypass -m gtx480 --efficiency good ./app
  ! error: --efficiency: "good" is none of table, exact, profiled
  [2]
  $ warpmem bypass -m gtx480 --measure twice ./app
  ! error: --measure: "twice" is none of walk, clock, none
  [2]
  $ warpmem bypass -m gtx480 --threads 0 ./app
  ! error: --threads: "0" is no number of threads
  ! hint: give a number from 1 to 256
  [2]
  $ warpmem bypass -m gtx480 --html no/such/page.html ./app
  ! error: --html: cannot write "no/such/page.html": No such file or directory
  ! hint: make its folder first
  [1]
  $ warpmem bypass -m gtx480 --json no/such/file.json ./app
  ! error: --json: cannot write "no/such/file.json": No such file or directory
  ! hint: make its folder first
  [1]
  $ warpmem bypass -m gtx480 --html - --json - ./app
  ! error: --json and --html both name standard output
  ! hint: name another file for one of them
  [2]
  $ warpmem bypass -m gtx480 -q --report tables.txt ./app
  ! error: warpmem bypass: --quiet and --report contradict each other
  [2]
  $ warpmem bypass ./gone
  ! error: ./gone: there is no such program: No such file or directory
  [2]
  $ warpmem bypass -m gtx680 ./app
  ! error: machine gtx680 keeps global loads out of L1: there is nothing to decide
  ! hint: choose one whose L1 takes them, as -m liang-2015 (a GTX 680 as the paper of this method has it) or -m gtx480, or give this one such an L1: --set gpu.l1.local_only=false
  [2]
  $ warpmem bypass -m gtx680 --set gpu.l1.local_only=false -k gather -q ./app
  bypassed: PASS
  $ warpmem bypass -m gtx480 --set gpu.l1.present=false ./app
  ! error: machine gtx480 has no L1: there is nothing to decide
  ! hint: choose one that has, as -m gtx480
  [2]

Programs with nothing to decide, and one that fails its own check.
  $ warpmem bypass -m gtx480 ./app none
  bypassed: PASS
  ! error: ./app: no kernel that ran has a global load whose caching can be chosen
  ! hint: stores, atomics, volatile and ordered loads are left as they are, and read-only ones (.nc) on a machine with a texture cache
  [2]
  $ warpmem bypass -m gtx480 --json wrong.json --html wrong.html ./app wrong; echo $?; ls | grep wrong
  bypassed: FAIL
  5
  ! warpmem: nothing is decided, as the program ended with status 5
  [1]
  $ warpmem bypass -m gtx480 /bin/true
  ! warpmem: /bin/true made no CUDA call that reached a device: nothing to report
  [1]
  $ warpmem bypass -m gtx480 --limit-instructions 5 ./app
  bypassed: FAIL
  ! warpmem: error: kernel _Z6gatherPKfS0_Pf: stopped at the limit of 5 warp instructions
  ! hint: --limit-instructions sets it
  ! warpmem: nothing is decided, as the program ended with status 3
  [3]
  $ warpmem bypass -m gtx480 -k gone ./app
  bypassed: PASS
  ! error: ./app: no launch was profiled
  ! hint: --kernel gone leaves none
  [2]
  $ warpmem bypass -m gtx480 --measure none ./app volatile | grep 'left as it is'
    The load in PTX line 287 is left as it is: it is volatile.
A load is a place in the PTX: all launches, and all calls of a function, add up; an inlined one has a place for each.
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --measure none ./app places | sed -n '/^Kernel/,/Together/p'
  Kernel places: 3 global loads, 2 launches, L1 16KiB an SM
  ld  at              load           lines  sect/line  alone     all    E on   E off  saves alone  heuristic  exact
   1  bypassed.cu:37  ld.global.f32     12       4.00   0.0%    0.0%  100.0%  100.0%          0 B  cache      cache
   2  bypassed.cu:37  ld.global.f32    384       1.00   0.0%    3.1%    3.1%   12.5%    -36.0 KiB  cache      bypass
   3  bypassed.cu:38  ld.f32           396       1.09   2.8%  100.0%    3.1%   11.4%    -34.5 KiB  cache      bypass
    Together: ld 2 and ld 3 save 48.0 KiB, ld 1 and ld 2 save 1.50 KiB, ld 1 and ld 3 save 1.50 KiB
Where another source of load efficiency decides otherwise, a line has what it takes a load for.
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --measure none ./app stepped | sed -n '/^Kernel/,/Together/p;/By /p;/^>/p'
  Kernel stepped: 2 global loads, 1 launch, L1 16KiB an SM
  ld  at              load           lines  sect/line  alone     all  E on  E off  saves alone  heuristic  exact
   1  bypassed.cu:50  ld.global.f32     64       1.00   0.0%    0.0%  3.1%  12.5%    -6.00 KiB  cache      bypass
   2  bypassed.cu:50  ld.global.f32     64       1.00   0.0%  100.0%  3.1%  12.5%    -6.00 KiB  cache      bypass
    Together: ld 1 and ld 2 save 8.00 KiB
    By the paper's table: ld 1 cache (4.00 sectors a line), ld 2 cache (4.00 sectors a line)
  > exact            0               0 B
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 --efficiency table ./app stepped | grep -e 'By ' -e 'As profiled' -e '^>'
    By addresses in PTX: ld 1 bypass (1.00 sectors a line), ld 2 bypass (1.00 sectors a line)
    As profiled: ld 1 bypass (1.00 sectors a line), ld 2 bypass (1.00 sectors a line)
  > exact            2          8.00 KiB  -4.00 KiB  8.50 KiB

A read-only load (.nc) is a texture cache's where the machine has one, and L1's where it has none.
  $ warpmem bypass -m gtx480 -o read-only.ptx --json read-only.json ./app read-only | grep -e 'Kernel' -e 'left as it is'; grep 'ld.global.*nc' read-only.ptx; grep -A1 '"ptx_line": .*,' read-only.json | grep why
  Kernel read_only: 1 global load, 1 launch, L1 16KiB an SM
    The load in PTX line 329 is left as it is: it is read-only (.nc), which the machine has a texture cache for.
  	ld.global.nc.f32 	%f1, [%rd7];
       "why": "is read-only (.nc), which the machine has a texture cache for"
  $ warpmem bypass -m gtx480 --set gpu.texture.present=false -o read-only.ptx ./app read-only | grep -e Kernel -e 'left as it is' -e '> exact'; grep 'ld.global.*nc' read-only.ptx
  Kernel read_only: 2 global loads, 1 launch, L1 16KiB an SM
  > exact            0               0 B       0 B  1.50 KiB
  	ld.global.cg.nc.f32 	%f1, [%rd7];

Recordings: damaged, cut, without PTX, and what only a program takes.
  $ head -c 100 app.wmt > cut.wmt; warpmem bypass -m gtx480 cut.wmt
  ! error: cut.wmt: the recording is cut off at byte 98: no launch is whole; what the program did after that is missing
  ! hint: record the program again, or take the whole launches out with warpmem trace cut
  [2]
  $ head -c $(($(wc -c < app.wmt) - 200)) app.wmt > cut.wmt; warpmem bypass -m gtx480 cut.wmt 2>&1 | sed 's/at byte [0-9]*/at byte N/'
  error: cut.wmt: the recording is cut off at byte N: launch 0 is whole; of launch 1 (kernel _Z10neighboursPKfPf) 0 of 64 blocks are; what the program did after that is missing
  hint: record the program again, or take the whole launches out with warpmem trace cut
  $ (head -c 2000 app.wmt; printf 'xx'; tail -c +2003 app.wmt) > damaged.wmt; warpmem bypass -m gtx480 damaged.wmt
  ! error: damaged.wmt: the section at byte 98 is damaged
  ! hint: copy the file again, or record the program again
  [2]
  $ warpmem import -q -o demo.wmt $CASES/traces/demo/kernelslist.g; warpmem bypass -m gtx480 demo.wmt
  ! error: demo.wmt: the recording has no PTX, whose loads could be decided
  ! hint: record the program with warpmem record
  [2]
  $ warpmem bypass -m gtx480 app.wmt more
  ! error: warpmem bypass: a recording has no arguments
  [2]
  $ warpmem bypass -m gtx480 --fail-on-error app.wmt
  ! error: warpmem bypass: a recording runs no program: no limits and no --fail-on-error
  [2]
  $ warpmem bypass -m gtx480 --limit-time 5s app.wmt
  ! error: warpmem bypass: a recording runs no program: no limits and no --fail-on-error
  [2]


A load whose text goes around L1 is measured as it is decided, and so are kernels of two modules that share their symbol:
what is measured is what is predicted.
  $ warpmem cc -c -DPART=1 $CASES/listed.cu -o first.o; warpmem cc -c -DPART=2 $CASES/listed.cu -o second.o
  $ warpmem cc first.o second.o -o listed
  $ warpmem bypass -m gtx480 --set gpu.sm.count=2 ./listed | grep -e PASS -e Kernel -e ld.global -e saves, -e bypass-all -e cache-all -e exact
  listed: PASS
  Kernel turn: 1 global load, 1 launch, L1 16KiB an SM
  ld  at            load              lines  sect/line  alone    all  E on  E off  saves alone  heuristic  exact
   1  listed.cu:18  ld.global.cg.f32    512       4.00  84.8%  84.8%  3.1%  11.4%     54.2 KiB  cache      cache
                cached  saves, predicted  measured     L1-L2
    bypass-all       0               0 B       0 B  68.0 KiB
    cache-all        1          54.2 KiB  54.2 KiB  13.8 KiB
  > exact            1          54.2 KiB  54.2 KiB  13.8 KiB
  Kernel turn: 1 global load, 1 launch, L1 16KiB an SM
  ld  at            load            lines  sect/line  alone   all  E on  E off  saves alone  heuristic  exact
   1  listed.cu:18  ld.global.f32  16.4 k       1.00   0.0%  0.0%  3.1%  11.4%    -1.50 MiB  bypass     bypass
                cached  saves, predicted   measured     L1-L2
    bypass-all       0               0 B        0 B   516 KiB
    cache-all        1         -1.50 MiB  -1.50 MiB  2.00 MiB
  > exact            0               0 B        0 B   516 KiB


Words that complete, and columns that are explained.
  $ warpmem completion words -- warpmem bypass --solver '' | tr '\t' '|'
  bypass-all|all loads go around L1
  cache-all|all loads use L1
  heuristic|the paper's Algorithm 1
  exact|of all sets of loads the one that saves most
  $ warpmem completion words -- warpmem bypass --efficiency= | tr '\t' '|'
  --efficiency=table|the paper's Table II
  --efficiency=exact|addresses as the PTX computes them
  --efficiency=profiled|as the loads were executed
  $ warpmem completion words -- warpmem bypass --measure c | tr '\t' '|'
  clock|by cycles too
  $ warpmem completion words -- warpmem bypass --lo | tr '\t' '|'
  --load|force load N of the table to use L1 (ca) or to go around it (cg): the solver decides the others; KERNEL, a pattern as of --kernel, where several were profiled; may be given again
  $ warpmem explain 'saves alone'
  saves alone: a column of reports
    says        bytes between L1 and L2 that are saved when this load uses L1 and
                no other does: its node's weight in the graph; negative: it costs
    printed by  bypass: each load
  $ warpmem explain 'saves, predicted'
  saves, predicted: a column of reports
    says        bytes between L1 and L2 that the graph's nodes and edges promise,
                of those when all loads bypass L1; pairs of loads are all that it
                knows
    printed by  bypass: each solution of a kernel
