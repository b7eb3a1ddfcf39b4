Coherent levels in time: the two examples, whose last-level caches are shared and split.

Two threads add to one counter in turn, each waits for the other, and each reads a line of its own. Counts are as in the walk.

  $ awk 'BEGIN { for (i = 0; i < 64; i++) { t = i % 2; printf "t %d\n", t; if (i > 0) printf "a %d %x\n", 1 - t, 2 * int((i + 1) / 2); printf "u 1000 4\nr %x 4\n", 8192 + t * 128 } }' > adds.din
  $ warpmem import -q -o adds.wmt adds.din
  $ for m in shared split; do warpmem replay adds.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml | sed -n '/^Kernel/,/^cores/p; /^Coherence/,/^$/p' > $m.walk; done
  $ for m in shared split; do warpmem replay --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml --json $m.json --csv $m.csv > $m.text; sed -n '/^Kernel/,/^cores/p; /^Coherence/,/^$/p' $m.text > $m.clock; done
  $ cat split.clock
  Kernel  Runs  Grid x block  Warp instr  CPU L1 hit  CPU L2 hit  CPU L3 hit  CPU L1-CPU L2  CPU L2-CPU L3   DRAM
  cores      1         2 x 1         128       48.4%        0.0%       95.5%       16.1 KiB          384 B  384 B
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1     2    64         0          0           63         0     0      64          0                62
    cpu0.core[*].l2     2    64         0         63           63         0     0       0          0                62
    cpu0.l3[*]          2     1         0          0            0         0     0       0          0                 0
    directory           2     1         0          0            0         0     0       -          -                 -
  
  $ cmp shared.walk shared.clock && cmp split.walk split.clock

The latency of an atomic's read: the line comes from the other core, by way of both L2s and their last-level cache, which is the same on both machines.

  $ for m in shared split; do grep -E '^cores,cpu0.core.[01]..l1.coherent_timing,(locked_read|messages)' $m.csv; sed -n '/^CPU cores/,/^$/p' $m.text; done
  cores,cpu0.core[0].l1.coherent_timing,locked_reads,32,accesses,
  cores,cpu0.core[0].l1.coherent_timing,locked_read_cycles,4306,cycles,
  cores,cpu0.core[0].l1.coherent_timing,messages,98,messages,
  cores,cpu0.core[1].l1.coherent_timing,locked_reads,32,accesses,
  cores,cpu0.core[1].l1.coherent_timing,locked_read_cycles,4288,cycles,
  cores,cpu0.core[1].l1.coherent_timing,messages,97,messages,
  CPU cores       cycles      IPC  loads  stores  latency  window  load queue  store buffer  fence  locked  order
    cpu0.core[0]    9074  0.00705     32      32    143.2    0.0%        0.0%          0.0%   0.0%    0.0%  98.1%
    cpu0.core[1]    9213  0.00695     32      32    142.7    0.0%        0.0%          0.0%   0.0%    0.0%  98.2%
    all 2          18287    0.007     64      64    143.0    0.0%        0.0%          0.0%   0.0%    0.0%  98.2%
    cycles: the core's own, until all is done; stores: locked operations among them; latency: mean
    cycles from a load's dispatch to its data; window: of the cycles, those without a dispatch, and
    what was full, or the oldest of the window; order: another core had to do something first.
  
  cores,cpu0.core[0].l1.coherent_timing,locked_reads,32,accesses,
  cores,cpu0.core[0].l1.coherent_timing,locked_read_cycles,4316,cycles,
  cores,cpu0.core[0].l1.coherent_timing,messages,98,messages,
  cores,cpu0.core[1].l1.coherent_timing,locked_reads,32,accesses,
  cores,cpu0.core[1].l1.coherent_timing,locked_read_cycles,4288,cycles,
  cores,cpu0.core[1].l1.coherent_timing,messages,97,messages,
  CPU cores       cycles      IPC  loads  stores  latency  window  load queue  store buffer  fence  locked  order
    cpu0.core[0]    9103  0.00703     32      32    143.9    0.0%        0.0%          0.0%   0.0%    0.0%  98.1%
    cpu0.core[1]    9242  0.00692     32      32    143.0    0.0%        0.0%          0.0%   0.0%    0.0%  98.2%
    all 2          18345  0.00698     64      64    143.4    0.0%        0.0%          0.0%   0.0%    0.0%  98.2%
    cycles: the core's own, until all is done; stores: locked operations among them; latency: mean
    cycles from a load's dispatch to its data; window: of the cycles, those without a dispatch, and
    what was full, or the oldest of the window; order: another core had to do something first.
  

Any number of the host's threads changes nothing.

  $ for m in shared split; do warpmem replay --engine clock -j 4 adds.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml > $m-4.text; cmp $m.text $m-4.text; done

A kernel beside the cores, whose faster clock is that of the caches then.

  $ need clang
  $ warpmem cc $SOURCE/workloads/histogram.cu -o histogram && warpmem record -q -o histogram.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./histogram
  histogram: PASS
  $ warpmem replay --engine clock histogram.wmt --cores adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set cpu.core.clock=2GHz | sed -n '/^Warps waited/,/^ *all/p; /^Load.store stalls/,/^ *all/p; /^Coherence/,/^$/p'
  Warps waited        cycles     time     IPC  an SM  ready  result  memory  barrier
    histogram_global  291249   208 us    1.06  0.265  56.9%    3.0%   40.1%     0.0%
    cores               6683  4.77 us  0.0192      -      -       -       -        -
    all, elapsed      291249   208 us    1.06  0.266  56.9%    3.0%   40.1%     0.0%
  Load/store stalls   no MSHR  MSHR full  ways taken  queue  L1 banks  shared
    histogram_global     0.0%      72.7%        0.3%   0.0%      0.0%    0.0%
    all, elapsed         0.0%      72.7%        0.3%   0.0%      0.0%    0.0%
  Coherence            GetS    GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    gpu0.sm[*].l1    32.8 k  26.1 k         0     26.1 k       26.1 k       168     4   267 k     75.1 k            25.8 k
    gpu0.l2[*]       32.8 k       8         0          0            0         0     0       0          0                 0
    cpu0.core[*].l1       2      64         0          0           63         0     0      64          0                62
    cpu0.core[*].l2       2      64         0         63           63         0     0       0          0                62
    llc[*]           32.8 k       9         0          0            0         0     0       0          0                 0
  

Grace's cores beside Hopper's SMs, whose L1s drop their lines at acquires, above an L2 that is coherent with the cores' caches.

  $ warpmem cc $SOURCE/tests/cli/scoped.cu -o scoped && warpmem record -q -o scoped.wmt -m $SOURCE/machines/examples/grace-hopper.yaml -- ./scoped
  PASS
  $ warpmem replay --engine clock scoped.wmt --cores adds.wmt -m $SOURCE/machines/examples/grace-hopper.yaml --csv hopper.csv > hopper.text; sed -n '/^Kernel/,/^all/p; /^Warps waited/,/^ *all/p; /^Coherence/,/^$/p' hopper.text
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  CPU L3 hit     L1-L2  CPU L1-CPU L2  CPU L2-CPU L3      DRAM
  sum        1        8 x 64         571   16.9%   19.8%           -           -           -  5.81 KiB            0 B            0 B  4.25 KiB
  cores      1         2 x 1         128       -       -       48.4%        0.0%       95.5%       0 B       16.1 KiB          384 B     384 B
  all        2                       699   16.9%   19.8%       48.4%        0.0%       95.5%  5.81 KiB       16.1 KiB          384 B  4.62 KiB
  Warps waited    cycles     time     IPC    an SM  ready  result  memory  barrier
    sum             2438  1.23 us   0.234  0.00177   0.4%   26.9%   61.1%    11.6%
    cores           4209  2.13 us  0.0304        -      -       -       -        -
    all, elapsed    4209  2.13 us   0.166  0.00126   0.4%   26.9%   61.1%    11.6%
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    gpu0.l2[*]         17    18         1          0            0         0     0      24         17                 0
    cpu0.core[*].l1     2    64         0          0           63         0     0      64          0                62
    cpu0.core[*].l2     2    64         0         63           63         0     0       0          0                62
    cpu0.l3[*]          2     1         0          0            0         0     0       0          0                 0
    directory          19    19         1          0            0         0     0       -          -                 -
  
  ! warpmem: kernel _Z3sumPKiPViPiS3_ reads what atom.global.add.u32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's
  $ grep -E '^,gpu0.sm.0..(l1.self_invalidation|link),' hopper.csv
  ,gpu0.sm[0].l1.self_invalidation,acquires,2,acquires,
  ,gpu0.sm[0].l1.self_invalidation,lines,2,lines,
  ,gpu0.sm[0].l1.self_invalidation,lines_in_flight,0,lines,
  ,gpu0.sm[0].link,packets,8,packets,
  ,gpu0.sm[0].link,flits,10,flits,
  ,gpu0.sm[0].link,stalled_credit,0,cycles,
  $ warpmem replay --engine clock -j 4 scoped.wmt --cores adds.wmt -m $SOURCE/machines/examples/grace-hopper.yaml | cmp - hopper.text
  ! warpmem: kernel _Z3sumPKiPViPiS3_ reads what atom.global.add.u32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's

The same on L1s that are not coherent at all, written back at the kernel's end, above levels that are.

  $ warpmem replay --engine clock scoped.wmt --cores adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.coherence=none --set gpu.l1.flush_at_kernel=true --set gpu.l2.inclusion=non-inclusive | sed -n '/^Kernel/,/^all/p; /^Coherence/,/^$/p'
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  sum        1        8 x 64         571   22.5%   22.7%           -           -     0.0%  6.12 KiB            0 B   4.25 KiB  4.25 KiB
  cores      1         2 x 1         128       -       -       48.4%        0.0%    95.5%       0 B       16.1 KiB      384 B     384 B
  all        2                       699   22.5%   22.7%       48.4%        0.0%    63.0%  6.12 KiB       16.1 KiB   4.62 KiB  4.62 KiB
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    gpu0.l2[*]         17    17         0          0            0         0     0      24         21                 0
    cpu0.core[*].l1     2    64         0          0           63         0     0      64          0                62
    cpu0.core[*].l2     2    64         0         63           63         0     0       0          0                62
    llc[*]             19    18         0          0            0         0     0       0          0                 0
  
  ! warpmem: kernel _Z3sumPKiPViPiS3_ reads what atom.global.add.u32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's

A GPU whose L1s and L2 are not coherent, under a last-level cache that is the home of the cores' caches: what it reads there has the owner share the line, what it writes there takes the copies. Counts of one access after another are the walk's.

  $ echo 'warpmem replay -q "$@" --csv one.csv; grep -E "^[^,]*,(llc|cpu0.core.[01]..l1|gpu0.l2).*(locked_operations|invalidations|downgrades|recalls|writeback_accesses|[^_]hits|misses)," one.csv | grep -v ",0,"' > counts
  $ for e in walk clock; do sh counts --engine $e adds.wmt -m $SOURCE/machines/examples/cpu-gpu-one-way-llc.yaml > $e.counts; done; cmp walk.counts clock.counts
  $ warpmem replay --engine clock scoped.wmt --cores adds.wmt -m $SOURCE/machines/examples/cpu-gpu-one-way-llc.yaml --csv one.csv > one.text; sed -n '/^Kernel/,/^all/p; /^Warps waited/,/^ *all/p; /^Coherence/,/^$/p' one.text
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  sum        1        8 x 64         571   21.3%    2.2%           -           -    27.5%  5.69 KiB            0 B   3.59 KiB  2.25 KiB
  cores      1         2 x 1         128       -       -       48.4%        0.0%    95.5%       0 B       16.1 KiB      384 B     384 B
  all        2                       699   21.3%    2.2%       48.4%        0.0%    78.0%  5.69 KiB       16.1 KiB   3.97 KiB  2.62 KiB
  Warps waited    cycles     time     IPC   an SM  ready  result  memory  barrier
    sum             1570  1.12 us   0.364  0.0909   0.8%    8.1%   72.3%    18.8%
    cores           3317  2.37 us  0.0386       -      -       -       -        -
    all, elapsed    3317  2.37 us   0.211  0.0527   0.8%    8.1%   72.3%    18.8%
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1     2    64         0          0           63         0     0      64          0                62
    cpu0.core[*].l2     2    64         0         63           63         0     0       0          0                62
    llc[*]             19     2         0          0            0         0     0      24         23                 0
  
  ! warpmem: kernel _Z3sumPKiPViPiS3_ reads what atom.global.add.u32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's
  $ grep -E '^,gpu0.(l2.[01]..timing,(mshr_merged|stalled_mshr|stalled_queue)|l2.[01]..link,packets)' one.csv
  ,gpu0.l2[0].timing,stalled_mshr,0,cycles,
  ,gpu0.l2[0].timing,stalled_queue,0,cycles,
  ,gpu0.l2[0].link,packets,33,packets,
  ,gpu0.l2[1].timing,stalled_mshr,0,cycles,
  ,gpu0.l2[1].timing,stalled_queue,0,cycles,
  ,gpu0.l2[1].link,packets,4,packets,
  $ warpmem replay --engine clock -j 4 scoped.wmt --cores adds.wmt -m $SOURCE/machines/examples/cpu-gpu-one-way-llc.yaml | cmp - one.text
  ! warpmem: kernel _Z3sumPKiPViPiS3_ reads what atom.global.add.u32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's

The same of a GPU without an L2, and of one whose L2s are of two SMs each.

  $ echo 'warpmem replay --engine clock scoped.wmt --cores adds.wmt -m $SOURCE/machines/examples/cpu-gpu-one-way-llc.yaml "$@" | sed -n "/^Kernel/,/^all/p; /^Coherence/,/^$/p"' > one
  $ sh one --set gpu.l2.present=false --set gpu.l1.below=/llc
  Kernel  Runs  Grid x block  Warp instr  L1 hit  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes      DRAM
  sum        1        8 x 64         571   21.3%           -           -    17.7%            0 B   5.69 KiB  4.25 KiB
  cores      1         2 x 1         128       -       48.4%        0.0%    95.5%       16.1 KiB      384 B     384 B
  all        2                       699   21.3%       48.4%        0.0%    66.4%       16.1 KiB   6.06 KiB  4.62 KiB
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1     2    64         0          0           63         0     0      64          0                62
    cpu0.core[*].l2     2    64         0         63           63         0     0       0          0                62
    llc[*]             19    19         1          0            0         0     0      24         23                 0
  
  ! warpmem: kernel _Z3sumPKiPViPiS3_ reads what atom.global.add.u32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's
  $ sh one --set gpu.l2.per=2sm
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  sum        1        8 x 64         571   21.3%    1.5%           -           -    28.3%  5.69 KiB            0 B   3.62 KiB  2.25 KiB
  cores      1         2 x 1         128       -       -       48.4%        0.0%    95.5%       0 B       16.1 KiB      384 B     384 B
  all        2                       699   21.3%    1.5%       48.4%        0.0%    78.1%  5.69 KiB       16.1 KiB   4.00 KiB  2.62 KiB
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1     2    64         0          0           63         0     0      64          0                62
    cpu0.core[*].l2     2    64         0         63           63         0     0       0          0                62
    llc[*]             19     2         0          0            0         0     0      24         23                 0
  
  ! warpmem: kernel _Z3sumPKiPViPiS3_ reads what atom.global.add.u32 returns, which depends on the order of its warps and was recorded: instructions and cycles may differ from a run's

What is not there beside coherent levels.

  $ warpmem replay -q --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.interconnect.topology=butterfly
  ! error: the clock engine has no butterfly beside coherent levels, which machine cpu-gpu-shared-llc has
  ! hint: set gpu.interconnect.topology to crossbar, or use --engine walk
  [2]

The directory at memory has a slice at each channel: of 64 lines in order each of four has 16, a message with data for each.

  $ awk 'BEGIN { for (i = 0; i < 64; i++) printf "r %x 4\n", 128 * i }' > lines.din
  $ warpmem import -q -o lines.wmt lines.din
  $ warpmem replay -q --engine clock lines.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --csv lines.csv; grep -E '^core,.*directory.coherent_timing,(messages|flits|memory_reads),' lines.csv
  core,gpu0.dram[0].directory.coherent_timing,messages,16,messages,
  core,gpu0.dram[0].directory.coherent_timing,flits,144,flits,
  core,gpu0.dram[0].directory.coherent_timing,memory_reads,16,lines,
  core,gpu0.dram[1].directory.coherent_timing,messages,16,messages,
  core,gpu0.dram[1].directory.coherent_timing,flits,144,flits,
  core,gpu0.dram[1].directory.coherent_timing,memory_reads,16,lines,
  core,gpu0.dram[2].directory.coherent_timing,messages,16,messages,
  core,gpu0.dram[2].directory.coherent_timing,flits,144,flits,
  core,gpu0.dram[2].directory.coherent_timing,memory_reads,16,lines,
  core,gpu0.dram[3].directory.coherent_timing,messages,16,messages,
  core,gpu0.dram[3].directory.coherent_timing,flits,144,flits,
  core,gpu0.dram[3].directory.coherent_timing,memory_reads,16,lines,
