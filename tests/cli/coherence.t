Coherent levels: the two examples, whose last-level caches are shared and split.

  $ for m in shared split; do warpmem machine check $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml; done
  $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml: ok
  $SOURCE/machines/examples/cpu-gpu-split-llc.yaml: ok
  $ warpmem machine graph $SOURCE/machines/examples/cpu-gpu-split-llc.yaml
  cpu-gpu-split-llc (CPU and GPU, each with a last-level cache)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 4 SMs at 1.40 GHz                                                            │
  │ each: 48 warps of 32 lanes, 48.0 KiB of shared memory                        │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 128 B a cycle each, 717 GB/s
  ┌───┴──────────────────────────────────┐
  │ 4 × L1, one an SM                    │
  │ 16.0 KiB each, 64.0 KiB in all       │
  │ lines of 128 B, 4 ways               │
  └───┬──────────────────────────────────┘
      │ 89.6 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ crossbar, 4 to 4 ports                                                       │
  │ 16 B a cycle of each port, latency 15 cycles at 1.40 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 89.6 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 512 KiB, 4 slices of 128 KiB                                                 │
  │ lines of 128 B, 16 ways                                                      │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ l3                                                                           │
  │ 1.00 MiB, 4 slices of 256 KiB                                                │
  │ lines of 128 B, 32 ways                                                      │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 76.8 GB/s
      └─────────────────────────────────────────────────────────────────────────┐
                                                                                │
  ┌───────────────────────────────────────────────────────────────────────────┐ │
  │ 4 CPU cores                                                               │ │
  └───┬───────────────────────────────────────────────────────────────────────┘ │
      │ 128 B a cycle each, 717 GB/s                                            │
  ┌───┴──────────────────────────────────┐                                      │
  │ 4 × l1, one a core                   │                                      │
  │ 64.0 KiB each, 256 KiB in all        │                                      │
  │ lines of 128 B, 4 ways               │                                      │
  └───┬──────────────────────────────────┘                                      │
      │                                                                         │
  ┌───┴──────────────────────────────────┐                                      │
  │ 4 × l2, one a core                   │                                      │
  │ 512 KiB each, 2.00 MiB in all        │                                      │
  │ lines of 128 B, 8 ways               │                                      │
  └───┬──────────────────────────────────┘                                      │
      │                                                                         │
  ┌───┴───────────────────────────────────────────────────────────────────────┐ │
  │ l3                                                                        │ │
  │ 7.00 MiB, 4 slices of 1.75 MiB                                            │ │
  │ lines of 128 B, 32 ways                                                   │ │
  └───┬───────────────────────────────────────────────────────────────────────┘ │
      │ 76.8 GB/s                                                               │
  ┌───┴─────────────────────────────────────────────────────────────────────────┴┐
  │ DRAM, 4.00 GiB                                                               │
  │ 4 channels of 19.2 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘

Two threads of a program add to one counter, in turn, and read each a line of its own.

  $ awk 'BEGIN { for (i = 0; i < 8; i++) printf "t %d\nr 1000 4\nw 1000 4\nr %x 4\n", i % 2, 8192 + i % 2 * 128 }' > adds.din
  $ warpmem import -q -o adds.wmt adds.din
  $ warpmem replay adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.sm.turn=3
  warpmem: cpu-gpu-shared-llc (CPU and GPU under one last-level cache), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes   DRAM
  cores      1         2 x 1          24       58.3%        0.0%    70.0%       2.12 KiB   1.25 KiB  384 B
  
  Requests  loads  sect/req   used  stores  sect/req   used
    cores      16       1.0  12.5%       8       1.0  12.5%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went       to the SM  from it
    requested by lanes            64 B     32 B  #
    first level, in sectors      512 B    256 B  ###########
    CPU L1 - CPU L2           1.25 KiB    896 B  ##############################
    levels - LLC                 384 B    896 B  ##################
    LLC - DRAM                   384 B      0 B  #####
    host - DRAM, copies            0 B      0 B
  
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1    10     7         7          0            7         0     0       0          0                 6
    cpu0.core[*].l2    10     7         7          7            7         0     0       0          0                 6
    llc[*]              3     0         0          0            0         0     0       0          0                 0
  
  Costliest at         requests  sect/req   used  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes   DRAM
  pc:0 cores    load         16       1.0  12.5%       37.5%        0.0%    70.0%       2.12 KiB   1.25 KiB  384 B
  pc:1 cores    store         8       1.0  12.5%      100.0%           -        -            0 B        0 B    0 B
  $ warpmem replay adds.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --set gpu.sm.turn=3 | sed -n '/^Coherence/,/^$/p'
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1    10     7         7          0            7         0     0       0          0                 6
    cpu0.core[*].l2    10     7         7          7            7         0     0       0          0                 6
    cpu0.l3[*]          3     0         0          0            0         0     0       0          0                 0
    directory           3     0         0          0            0         0     0       -          -                 -
  

Next to a kernel, on any number of threads; as JSON, CSV and on several machines.

  $ need clang
  $ warpmem cc $SOURCE/workloads/vecadd.cu -o vecadd && warpmem record -q -o vecadd.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./vecadd
  vecadd: PASS
  $ awk 'BEGIN { for (t = 0; t < 3; t++) for (i = 0; i < 16384; i++) printf " %s %x,8\n", t < 2 ? "L" : "S", 268435456 + i * 64 }' > core.lackey
  $ warpmem import -q -o cores.wmt core.lackey core.lackey
  $ for m in shared split; do warpmem replay vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml --json $m.json | sed -n '/^Kernel/,/^Misses/p; /^Coherence/,/^$/p'; done
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%           -           -     0.0%  16.0 MiB        128 KiB   16.8 MiB  15.3 MiB
  cores             1         2 x 1      98.3 k       -       -       50.0%        0.0%    66.7%       0 B       7.88 MiB   7.00 MiB  2.00 MiB
  all               2                     819 k    0.0%    0.0%       50.0%        0.0%    22.2%  16.0 MiB       8.00 MiB   23.8 MiB  17.3 MiB
  Misses per 1000 warp instructions (MPKI): L1 120.0, L2 120.0, CPU L1 60.0, CPU L2 60.0, LLC 140.0
  Coherence            GetS    GetM  upgrades  forwarded  invalidated  recalled    PutM  locked  in E or M  coherence misses
    gpu0.sm[*].l1    65.5 k  32.8 k         0          0            0         0  32.6 k       0          0                 0
    gpu0.l2[*]       65.5 k  32.8 k         0          0            0         0  31.3 k       0          0                 0
    cpu0.core[*].l1  32.8 k  16.4 k         0          0            0    1.02 k  15.4 k       0          0                 0
    cpu0.core[*].l2  32.8 k  16.4 k         0          0            0    8.19 k  8.19 k       0          0                 0
    llc[*]           81.9 k  32.8 k         0          0            0         0  27.0 k       0          0                 0
  
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit  L3 hit  CPU L1 hit  CPU L2 hit  CPU L3 hit     L1-L2     L2-L3  CPU L1-CPU L2  CPU L2-CPU L3      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%    0.0%           -           -           -  16.0 MiB  15.8 MiB            0 B            0 B  15.7 MiB
  cores             1         2 x 1      98.3 k       -       -       -       50.0%        0.0%       66.7%       0 B       0 B       7.88 MiB       7.00 MiB  2.00 MiB
  all               2                     819 k    0.0%    0.0%    0.0%       50.0%        0.0%       66.7%  16.0 MiB  15.8 MiB       7.88 MiB       7.00 MiB  17.7 MiB
  Misses per 1000 warp instructions (MPKI): L1 120.0, L2 120.0, L3 120.0, CPU L1 60.0, CPU L2 60.0, CPU L3 20.0
  Coherence            GetS    GetM  upgrades  forwarded  invalidated  recalled    PutM  locked  in E or M  coherence misses
    gpu0.sm[*].l1    65.5 k  32.8 k         0          0            0         0  32.6 k       0          0                 0
    gpu0.l2[*]       65.5 k  32.8 k         0          0            0         0  31.3 k       0          0                 0
    gpu0.l3[*]       65.5 k  32.8 k         0          0            0         0  30.0 k       0          0                 0
    cpu0.core[*].l1  32.8 k  16.4 k         0          0            0         0  15.4 k       0          0                 0
    cpu0.core[*].l2  32.8 k  16.4 k         0          0            0         0  8.19 k       0          0                 0
    cpu0.l3[*]       16.4 k       0         0          0            0         0       0       0          0                 0
    directory        81.9 k  32.8 k         0          0            0         0  30.0 k       -          -                 -
  
  $ for j in 1 2 8; do warpmem replay -q -j $j vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --json threads.json; cmp split.json threads.json; done
  $ warpmem replay -q vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --csv - | grep -E '^(component|[^,]*,)*.*directory' | head -3
  _Z13vecadd_scalarPKfS0_Pfj,directory,read_requests,65536,requests,
  _Z13vecadd_scalarPKfS0_Pfj,directory,write_requests,32768,requests,
  _Z13vecadd_scalarPKfS0_Pfj,directory,upgrades,0,requests,
  $ warpmem replay vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --variant llc.size=1MiB --variant llc.coherence=mesi | grep '^cores'
  cores             1         2 x 1      98.3 k       -       -       50.0%        0.0%    66.7%       0 B       7.88 MiB   7.00 MiB  2.00 MiB
  cores             1         2 x 1      98.3 k       -       -       50.0%        0.0%     0.0%       0 B       7.88 MiB   7.41 MiB  7.41 MiB
  cores             1         2 x 1      98.3 k       -       -       50.0%        0.0%    66.7%       0 B       7.88 MiB   7.00 MiB  2.00 MiB

A warp that polls a line that its own L1 has lets the other go on.

  $ warpmem cc $SOURCE/tests/cli/poll.cu -o poll
  $ for m in shared split; do warpmem run -q -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml -- ./poll; done
  poll: PASS
  poll: PASS
  $ warpmem run -q -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.sm.warp_scheduler=oldest -- ./poll
  poll: PASS

Why they missed: the first access of each thread to a line of its own, and to the counter, is cold; the others to the counter miss as the other core has written it.

  $ warpmem replay --explain adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.sm.turn=3 --csv explained.csv | sed -n '/^Why sectors/,/^$/p'
  Why sectors missed  missed    cold  coherence  capacity  conflict  unallocated
    CPU L1                10   40.0%      60.0%      0.0%      0.0%         0.0%
    CPU L2                40   40.0%      60.0%      0.0%      0.0%         0.0%
    LLC                   12  100.0%       0.0%      0.0%      0.0%         0.0%
  
  $ grep -E '^cores,cpu0.core.[01]..l1.misses,(cold|coherence|capacity|conflict),' explained.csv
  cores,cpu0.core[0].l1.misses,cold,2,sectors,
  cores,cpu0.core[0].l1.misses,coherence,3,sectors,
  cores,cpu0.core[0].l1.misses,capacity,0,sectors,
  cores,cpu0.core[0].l1.misses,conflict,0,sectors,
  cores,cpu0.core[1].l1.misses,cold,2,sectors,
  cores,cpu0.core[1].l1.misses,coherence,3,sectors,
  cores,cpu0.core[1].l1.misses,capacity,0,sectors,
  cores,cpu0.core[1].l1.misses,conflict,0,sectors,

Three cores with last-level caches of their own read a line: the third gets it from memory, or from the first, which shares it.

  $ printf 't 0\nr 1000 4\nt 1\na 0 1\nr 1000 4\nt 2\na 1 1\nr 1000 4\n' > shared.din && warpmem import -q -o shared.wmt shared.din
  $ for f in false true; do for e in walk clock; do warpmem replay -q --engine $e shared.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --set cpu.l3.per=core --set gpu.dram.clean_forward=$f --csv - | grep -E '^cores,(directory,(read_req|forw)|gpu0.dram.0.,reads)' | cut -d, -f 2-4 | tr '\n' ' '; echo; done; done
  gpu0.dram[0],reads,2 directory,read_requests,3 directory,forwards,1 
  gpu0.dram[0],reads,2 directory,read_requests,3 directory,forwards,1 
  gpu0.dram[0],reads,1 directory,read_requests,3 directory,forwards,2 
  gpu0.dram[0],reads,1 directory,read_requests,3 directory,forwards,2 

SMs whose caches are not coherent beside cores' that are, under the last-level cache of both: what comes from L2 reads and writes there, and atomics are done there.

  $ warpmem cc $SOURCE/tests/cli/scoped.cu -o scoped && warpmem record -q -o scoped.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./scoped
  PASS
  $ for j in 1 3; do warpmem replay -j $j scoped.wmt --cores adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.coherence=none --set gpu.l2.coherence=none --set gpu.l2.link_latency=0 --set gpu.l2.inclusion=non-inclusive > beside-$j.text; done; cmp beside-1.text beside-3.text
  $ sed -n '/^Kernel/,/^all/p; /^Coherence/,/^$/p' beside-1.text
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  sum        1        8 x 64         571   22.5%    0.0%           -           -    36.1%  6.12 KiB            0 B   4.12 KiB  2.25 KiB
  cores      1         2 x 1          24       -       -       83.3%        0.0%    25.0%       0 B          640 B      512 B     384 B
  all        2                       595   22.5%    0.0%       83.3%        0.0%    34.7%  6.12 KiB          640 B   4.62 KiB  2.62 KiB
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1     4     1         1          0            1         0     0       0          0                 0
    cpu0.core[*].l2     4     1         1          1            1         0     0       0          0                 0
    llc[*]             20     1         0          0            0         0     0      24         23                 0
  
  $ warpmem replay scoped.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.coherence=none --set gpu.l2.coherence=none --set gpu.l2.link_latency=0 --set gpu.l1.present=false --set gpu.l2.present=false --set gpu.l2.inclusion=non-inclusive --set gpu.l1.below=/llc | sed -n '/^Kernel/,/^sum/p; /^Coherence/,/^$/p'
  Kernel  Runs  Grid x block  Warp instr  LLC hit  CPU L2-LLC      DRAM
  sum        1        8 x 64         571    26.6%    6.28 KiB  4.25 KiB
  Coherence  GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    llc[*]     17    17         0          0            0         0     0      24         23                 0
  

What cannot be, and what is not run.

  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.write=through-update --set gpu.l1.write_allocate=false
  ! error: --set gpu.l1.write=through-update: gpu.l1.coherence is mesi, and gpu.l1.write is not back: a modified line stays in the cache that owns it
  ! hint: set gpu.l1.write to back, or gpu.l1.coherence to none
  [2]
  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.sector=32B
  ! error: --set gpu.l1.sector=32B: gpu.l1.coherence is mesi, and gpu.l1.sector is less than a line: a coherent line is fetched whole before it is read or written
  ! hint: make gpu.l1.sector a line, or set gpu.l1.coherence to none
  [2]
  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.flush_at_kernel=true
  ! error: --set gpu.l1.flush_at_kernel=true: gpu.l1.coherence is mesi, and gpu.l1.flush_at_kernel is true: coherent lines are never old, and need no flush
  ! hint: set gpu.l1.flush_at_kernel to false, or gpu.l1.coherence to none
  [2]
  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set llc.coherence=none
  ! error: --set llc.coherence=none: gpu.l1.coherence is mesi, and llc.coherence is none: the home of a coherent line is coherent itself, or memory
  ! hint: set llc.coherence to mesi, or gpu.l1.coherence to none
  [2]
  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.constant.present=true
  ! error: --set gpu.constant.present=true: gpu.constant.present is true, and gpu.l1.coherence is mesi: a side cache's copies are not kept coherent
  ! hint: set gpu.constant.present to false, or gpu.l1.coherence to none
  [2]
  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set cpu.l2.line=64B --set cpu.l2.sector=64B
  ! error: --set cpu.l2.line=64B: cpu.l2.inclusion is inclusive, and cpu.l1.sector (128B) larger than cpu.l2.line (64B)
  ! hint: change that, or set cpu.l2.inclusion to non-inclusive
  [2]
  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.sm.unified=64KiB --set gpu.sm.carveouts=[48KiB]
  ! error: --set gpu.sm.unified=64KiB: gpu.l1.coherence is mesi, and kernels change the size of L1 (gpu.sm.unified, 64KiB)
  ! hint: set gpu.sm.unified to 0B: then L1 stays as it is, or set gpu.l1.coherence to none
  [2]
  $ warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.dram.clean_forward=true
  ! error: --set gpu.dram.clean_forward=true: gpu.dram.clean_forward is true, and there is no directory at memory: coherent levels do not end in several caches
  ! hint: set gpu.dram.clean_forward to false
  [2]
  $ warpmem replay -q adds.wmt -m v100 --set gpu.l1.coherence=mesi
  ! error: --set gpu.l1.coherence=mesi: gpu.l1.coherence is mesi, and gpu.l1.write is not back: a modified line stays in the cache that owns it
  ! hint: set gpu.l1.write to back, or gpu.l1.coherence to none
  [2]
  $ warpmem replay --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.tlb.present=true --set gpu.tlb.walks_use_l2=false
  ! error: the clock engine has no TLBs beside coherent levels, which machine cpu-gpu-shared-llc has
  ! hint: leave them out, or use --engine walk
  [2]
  $ warpmem replay --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.coherence=none --set gpu.l2.per=2sm --set gpu.l2.inclusion=non-inclusive --set gpu.l2.link_latency=0
  ! error: the clock engine has no L1s of SMs without coherence above a level that some of the SMs alone have, beside coherent levels, which machine cpu-gpu-shared-llc has
  ! hint: have all SMs share the level below their L1s, or set gpu.l1.coherence to mesi, or use --engine walk
  [2]
  $ warpmem replay --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-one-way-llc.yaml --set gpu.l2.write_fetch=never --set llc.inclusion=non-inclusive
  ! error: the clock engine has no write_fetch never beside coherent levels, which machine cpu-gpu-one-way-llc has
  ! hint: set write_fetch to partial or always, or use --engine walk
  [2]
  $ warpmem replay --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set cpu.l1.coherence=none --set cpu.l2.inclusion=non-inclusive
  ! error: the clock engine has no levels of CPU cores without coherence beside coherent levels, which machine cpu-gpu-shared-llc has
  ! hint: set the coherence of CPU cores' levels to mesi, or use --engine walk
  [2]

The same cores in time.

  $ warpmem replay --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml
  warpmem: cpu-gpu-shared-llc (CPU and GPU under one last-level cache), in time
  
  Kernel  Runs  Grid x block  Warp instr  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes   DRAM
  cores      1         2 x 1          24       77.8%        0.0%    25.0%          640 B      512 B  384 B
  
  Requests  loads  sect/req   used  stores  sect/req   used
    cores      16       1.0  12.5%       8       1.0  12.5%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Warps waited  cycles    time     IPC  an SM  ready  result  memory  barrier
    cores          281  201 ns  0.0854      -      -       -       -        -
    IPC: warp instructions a cycle, of all SMs; an SM: the same of one; ready: of resident warps'
    cycles, those in which they could issue (another was chosen, or the unit was busy), the next ones
    those in which they waited.
  
  Rates, GB/s     SM to L2     L2 to SM         DRAM  row hits
    cores      0.00 (0.0%)  0.00 (0.0%)  1.91 (2.5%)         -
    Rates, GB/s: in brackets, of the most that can be carried.
  
  CPU cores       cycles     IPC  loads  stores  latency  window  load queue  store buffer  fence  locked  order
    cpu0.core[0]     183  0.0656      8       4    110.4    0.0%        0.0%          0.0%   0.0%    0.0%   0.0%
    cpu0.core[1]     382  0.0314      8       4    115.1    0.0%        0.0%          0.0%   0.0%    0.0%   0.0%
    all 2            565  0.0425     16       8    112.8    0.0%        0.0%          0.0%   0.0%    0.0%   0.0%
    cycles: the core's own, until all is done; stores: locked operations among them; latency: mean
    cycles from a load's dispatch to its data; window: of the cycles, those without a dispatch, and
    what was full, or the oldest of the window; order: another core had to do something first.
  
  Where the bytes went       to the SM  from it
    requested by lanes            64 B     32 B  ####
    first level, in sectors      512 B    256 B  ##############################
    CPU L1 - CPU L2              512 B    128 B  #########################
    levels - LLC                 384 B    128 B  ####################
    LLC - DRAM                   384 B      0 B  ###############
    host - DRAM, copies            0 B      0 B
  
  Coherence          GetS  GetM  upgrades  forwarded  invalidated  recalled  PutM  locked  in E or M  coherence misses
    cpu0.core[*].l1     4     1         1          0            1         0     0       0          0                 0
    cpu0.core[*].l2     4     1         1          1            1         0     0       0          0                 0
    llc[*]              3     0         0          0            0         0     0       0          0                 0
  
  Costliest at         requests  sect/req   used  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes   DRAM
  pc:0 cores    load         16       1.0  12.5%       60.0%        0.0%    25.0%          640 B      512 B  384 B
  pc:1 cores    store         8       1.0  12.5%      100.0%           -        -            0 B        0 B    0 B
