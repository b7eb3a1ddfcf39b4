CPU cores beside SMs: traces of cores run on them, alone or next to kernels, and share levels with these.

Two cores, each of which reads 1 MiB of its own three times and writes it once.

  $ awk 'BEGIN { for (t = 0; t < 4; t++) for (i = 0; i < 16384; i++) printf " %s %x,8\n", t < 3 ? "L" : "S", 268435456 + i * 64 }' > core.lackey
  $ warpmem import -q -o cores.wmt core.lackey core.lackey
  $ warpmem replay cores.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml
  warpmem: cpu-gpu-llc (a shared last-level cache), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes      DRAM
  cores      1         2 x 1       131 k        0.0%        0.0%    75.0%       9.94 MiB   9.50 MiB  2.00 MiB
  Misses per 1000 warp instructions (MPKI): CPU L1 1000.0, CPU L2 1000.0, LLC 250.0
  
  Requests   loads  sect/req   used  stores  sect/req   used
    cores   98.3 k       1.0  25.0%  32.8 k       1.0  25.0%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went       to the SM   from it
    requested by lanes         768 KiB   256 KiB  ###
    first level, in sectors   3.00 MiB  1.00 MiB  ############
    CPU L1 - CPU L2           8.00 MiB  1.94 MiB  ##############################
    levels - LLC              8.00 MiB  1.50 MiB  #############################
    LLC - DRAM                2.00 MiB       0 B  ######
    host - DRAM, copies            0 B       0 B
  
  Costliest at        requests  sect/req   used  CPU L1 hit  CPU L2 hit  LLC hit  CPU L1-CPU L2  LLC bytes      DRAM
  pc:0 cores    core    49.2 k       1.0  25.0%        0.0%        0.0%    66.7%       3.00 MiB   3.00 MiB  1.00 MiB
  pc:2 cores    core    49.2 k       1.0  25.0%        0.0%        0.0%    66.7%       3.00 MiB   3.00 MiB  1.00 MiB
  pc:1 cores    core    16.4 k       1.0  25.0%        0.0%        0.0%   100.0%       1.97 MiB   1.75 MiB       0 B
  pc:3 cores    core    16.4 k       1.0  25.0%        0.0%        0.0%   100.0%       1.97 MiB   1.75 MiB       0 B

As many hits and bytes where the same levels are those of SMs with warps of one lane.

  $ warpmem replay cores.wmt -m $SOURCE/machines/examples/cpu-four-cores.yaml --set gpu.l3.inclusion=non-inclusive --set gpu.l3.slices=4 --set gpu.l3.interleave=64B | sed -n 3,5p
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  L3 hit     L1-L2     L2-L3      DRAM
  cores      1         2 x 1       131 k    0.0%    0.0%   75.0%  9.94 MiB  9.50 MiB  2.00 MiB
  Misses per 1000 warp instructions (MPKI): L1 1000.0, L2 1000.0, L3 250.0

Next to a kernel.

  $ need clang
  $ warpmem cc $SOURCE/workloads/vecadd.cu -o vecadd && warpmem record -q -o vecadd.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml -- ./vecadd
  vecadd: PASS
  $ warpmem replay vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --json both.json
  warpmem: cpu-gpu-llc (a shared last-level cache), untimed walk
  
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%           -           -     0.0%  12.0 MiB            0 B   11.7 MiB  10.4 MiB
  cores             1         2 x 1       131 k       -       -        0.0%        0.0%    75.0%       0 B       9.94 MiB   9.50 MiB  2.00 MiB
  all               2                     852 k    0.0%    0.0%        0.0%        0.0%    37.5%  12.0 MiB       9.94 MiB   21.2 MiB  12.4 MiB
  Misses per 1000 warp instructions (MPKI): L1 230.8, L2 230.8, CPU L1 153.8, CPU L2 153.8, LLC 192.3
  
  Requests          loads  sect/req   used  stores  sect/req   used
    vecadd_scalar  65.5 k       4.0   100%  32.8 k       4.0   100%
    cores          98.3 k       1.0  25.0%  32.8 k       1.0  25.0%
    all             164 k       2.2  79.5%  65.5 k       2.5  85.0%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went       to the SM   from it
    requested by lanes        8.75 MiB  4.25 MiB  ##################
    first level, in sectors   11.0 MiB  5.00 MiB  #######################
    L1 - L2                   8.00 MiB  4.00 MiB  #################
    CPU L1 - CPU L2           8.00 MiB  1.94 MiB  ##############
    levels - LLC              16.0 MiB  5.15 MiB  ##############################
    LLC - DRAM                10.0 MiB  2.40 MiB  ##################
    host - DRAM, copies       8.00 MiB  4.00 MiB
  
  Costliest at                 requests  sect/req   used  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  vecadd.cu:15  ld.global.f32    32.8 k       4.0   100%    0.0%    0.0%           -           -     0.0%  4.00 MiB            0 B   7.61 MiB  5.99 MiB
  vecadd.cu:15  ld.global.f32    32.8 k       4.0   100%    0.0%    0.0%           -           -     0.0%  4.00 MiB            0 B   4.02 MiB  4.40 MiB
  pc:0 cores    core             49.2 k       1.0  25.0%       -       -        0.0%        0.0%    66.7%       0 B       3.00 MiB   3.00 MiB  1.00 MiB
  pc:2 cores    core             49.2 k       1.0  25.0%       -       -        0.0%        0.0%    66.7%       0 B       3.00 MiB   3.00 MiB  1.00 MiB
  vecadd.cu:15  st.global.f32    32.8 k       4.0   100%    0.0%    0.0%           -           -        -  4.00 MiB            0 B   19.8 KiB  8.75 KiB
  $ grep -n -c on_cores both.json
  1

In a last-level cache of 3 MiB, which holds all that the cores read, the kernel's data displace the cores'.

  $ for w in cores.wmt "vecadd.wmt --cores cores.wmt"; do warpmem replay $w -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --set llc.size=3MiB | grep '^cores'; done
  cores      1         2 x 1       131 k        0.0%        0.0%    75.0%       9.94 MiB   9.50 MiB  2.00 MiB
  cores             1         2 x 1       131 k       -       -        0.0%        0.0%    32.6%       0 B       9.94 MiB   9.50 MiB  5.71 MiB

Each alone; straight from a trace; on any number of threads; on several machines.

  $ warpmem replay vecadd.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml | sed -n 3,4p
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit  LLC hit     L1-L2  LLC bytes      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%     0.0%  12.0 MiB   11.7 MiB  9.00 MiB
  $ warpmem replay vecadd.wmt --cores core.lackey -m $SOURCE/machines/examples/cpu-gpu-llc.yaml | sed -n 3,5p
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit  CPU L1 hit  CPU L2 hit  LLC hit     L1-L2  CPU L1-CPU L2  LLC bytes      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%           -           -     0.0%  12.0 MiB            0 B   11.7 MiB  9.65 MiB
  core              1         1 x 1      65.5 k       -       -        0.0%        0.0%    75.0%       0 B       4.97 MiB   4.75 MiB  1.00 MiB
  $ for j in 1 2 8; do warpmem replay -q -j $j vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --json threads.json; cmp both.json threads.json; done
  $ warpmem replay vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --variant llc.size=1MiB --variant cpu.l2.size=2MiB | grep '^cores'
  cores             1         2 x 1       131 k       -       -        0.0%        0.0%    75.0%       0 B       9.94 MiB   9.50 MiB  2.00 MiB
  cores             1         2 x 1       131 k       -       -        0.0%        0.0%     0.0%       0 B       9.94 MiB   9.50 MiB  9.69 MiB
  cores             1         2 x 1       131 k       -       -        0.0%       75.0%     0.0%       0 B       9.94 MiB   2.00 MiB  2.00 MiB

What is no such recording or machine.

  $ warpmem replay vecadd.wmt --cores cores.wmt -m v100
  ! error: cores.wmt: the recording is of 2 cores, and machine v100 has 0 CPU cores beside its SMs
  ! hint: take a machine that has a cpu, as machines/examples/cpu-gpu-llc.yaml
  [2]
  $ warpmem replay vecadd.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml --set cpu.core.count=1
  ! error: cores.wmt: the recording is of 2 cores, and machine cpu-gpu-llc has 1 CPU cores beside its SMs
  ! hint: give --set cpu.core.count=2
  [2]
  $ warpmem replay vecadd.wmt --cores vecadd.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml
  ! error: vecadd.wmt: the recording is not of CPU cores
  ! hint: cores run what warpmem import makes of a CPU's trace
  [2]
  $ warpmem replay cores.wmt --cores cores.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml
  ! error: cores.wmt: two recordings of CPU cores, and no other
  ! hint: leave out one; several traces are one recording: warpmem import A B
  [2]
  $ warpmem replay vecadd.wmt --cores none.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml
  ! error: none.wmt: cannot open it: No such file or directory
  [2]
  $ head -c 300 cores.wmt > short.wmt; warpmem replay vecadd.wmt --cores short.wmt -m $SOURCE/machines/examples/cpu-gpu-llc.yaml
  ! error: short.wmt: launch 0 of kernel cores is not whole: 0 of its 2 blocks were recorded to their end
  ! hint: record the program again, or cut the whole launches out with warpmem trace cut
  [2]
