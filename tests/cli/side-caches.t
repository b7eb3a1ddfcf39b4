L1's side caches: who serves what, and where it is told.

  $ need clang
  $ warpmem cc $SOURCE/tests/cli/side_caches.cu -o side_caches

A machine with constant and texture caches of each SM.
  $ warpmem run --machine gtx480 --json gtx480.json ./side_caches
  PASS
  warpmem: gtx480 (GeForce GTX 480), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  constant hit  texture hit  L2 hit     L1-L2      DRAM
  sum        2        4 x 32         992    0.0%         93.8%         0.0%   87.5%  18.5 KiB  2.19 KiB
  Misses per 1000 warp instructions (MPKI): L1 16.1, L2 67.5
  
  Requests  loads  sect/req  used  stores  sect/req  used
    sum       136       3.8  100%       8       4.0  100%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went   to the SM   from it
    requested by lanes    17.0 KiB  1.00 KiB  #############################
    SM - L1, in sectors   16.2 KiB  1.00 KiB  ############################
    L1 - L2               17.5 KiB  1.00 KiB  ##############################
    L2 - DRAM             2.19 KiB       0 B  ####
    host - DRAM, copies   2.07 KiB     128 B
  
  L1's side caches  requests    hit   from L2
    constant             128  93.8%     512 B
    texture              512   0.0%  16.0 KiB
  
  Costliest at                         requests  sect/req  used  L1 hit  constant hit  texture hit  L2 hit     L1-L2      DRAM
  side_caches.cu:11  ld.global.nc.f32        64       4.0  100%       -             -         0.0%   87.5%  8.00 KiB  1.00 KiB
  side_caches.cu:11  ld.global.nc.f32        64       4.0  100%       -             -         0.0%   87.5%  8.00 KiB  1.00 KiB
  side_caches.cu:12  ld.global.f32            8       1.0  100%    0.0%             -            -   87.5%  1.00 KiB     128 B
  side_caches.cu:11  ld.const.f32            64       1.0  100%       -         87.5%            -   87.5%     512 B      64 B
  side_caches.cu:12  st.global.f32            8       4.0  100%    0.0%             -            -   87.5%  1.00 KiB       0 B

One with a scalar cache for each four compute units: constants and the common factor go there.
  $ warpmem run --machine hd7970 --csv hd7970.csv ./side_caches
  PASS
  warpmem: hd7970 (Radeon HD 7970), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  scalar hit  instruction hit  L2 hit     L1-L2      DRAM
  sum        2        4 x 32         992   50.0%       97.1%            95.2%   72.7%  9.38 KiB  2.56 KiB
  Misses per 1000 warp instructions (MPKI): L1 137.1, L2 41.3
  
  Requests  loads  sect/req  used  stores  sect/req  used
    sum       136       3.8  100%       8       4.0  100%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went   to the SM   from it
    requested by lanes    17.0 KiB  1.00 KiB  ##############################
    SM - L1, in sectors   16.2 KiB  1.00 KiB  #############################
    L1 - L2               9.38 KiB       0 B  ################
    L2 - DRAM             2.56 KiB       0 B  ####
    host - DRAM, copies   2.07 KiB     128 B
  
  L1's side caches  requests    hit  from L2
    scalar               136  97.1%    256 B
    instruction          208  95.2%    640 B
  
  Costliest at                         requests  sect/req  used  L1 hit  scalar hit  L2 hit     L1-L2      DRAM
  side_caches.cu:11  ld.global.nc.f32        64       4.0  100%   50.0%           -   75.0%  4.00 KiB  1.00 KiB
  side_caches.cu:11  ld.global.nc.f32        64       4.0  100%   50.0%           -   75.0%  4.00 KiB  1.00 KiB
  side_caches.cu:12  st.global.f32            8       4.0  100%   50.0%           -   75.0%     512 B     128 B
  side_caches.cu:11  ld.const.f32            64       1.0  100%       -       96.9%   50.0%     128 B      64 B
  side_caches.cu:12  ld.global.f32            8       1.0  100%       -       75.0%   50.0%     128 B      64 B
  $ cut -d, -f2 hd7970.csv | grep scalar | sort -u
  gpu0.sm[0].scalar
  gpu0.sm[12].scalar
  gpu0.sm[16].scalar
  gpu0.sm[20].scalar
  gpu0.sm[24].scalar
  gpu0.sm[28].scalar
  gpu0.sm[4].scalar
  gpu0.sm[8].scalar
  $ grep -E 'sm\[0\]\.scalar,(accesses|load_hits|load_misses|fills|bytes_from_below)' hd7970.csv
  _Z3sumPKfS0_Pf,gpu0.sm[0].scalar,accesses,136,requests,
  _Z3sumPKfS0_Pf,gpu0.sm[0].scalar,accesses_missed,4,requests,
  _Z3sumPKfS0_Pf,gpu0.sm[0].scalar,load_hits,132,sectors,
  _Z3sumPKfS0_Pf,gpu0.sm[0].scalar,load_misses,4,sectors,
  _Z3sumPKfS0_Pf,gpu0.sm[0].scalar,fills,8,sectors,
  _Z3sumPKfS0_Pf,gpu0.sm[0].scalar,bytes_from_below,256,bytes,
  ,gpu0.sm[0].scalar,accesses,136,requests,
  ,gpu0.sm[0].scalar,accesses_missed,4,requests,
  ,gpu0.sm[0].scalar,load_hits,132,sectors,
  ,gpu0.sm[0].scalar,load_misses,4,sectors,
  ,gpu0.sm[0].scalar,fills,8,sectors,
  ,gpu0.sm[0].scalar,bytes_from_below,256,bytes,
  $ grep -E 'pc [0-9]*,(scalar|constant).(hits|misses),[1-9]' hd7970.csv | cut -d, -f2-4
  pc 15,scalar.hits,62
  pc 15,scalar.misses,2
  pc 19,scalar.hits,64
  pc 28,scalar.hits,6
  pc 28,scalar.misses,2

Without the scalar cache they use L1, and constants go nowhere; with one that serves read-only loads alone
too, but for the constants.
  $ warpmem run --machine hd7970 --set gpu.scalar.present=false ./side_caches | grep -c '^  scalar'
  0
  [1]
  $ warpmem run --machine hd7970 --set gpu.scalar.loads=read-only ./side_caches | grep -A1 'side caches'
  L1's side caches  requests    hit  from L2
    scalar               128  98.4%    128 B

Others are asked for on any machine, and shared as one likes.
  $ warpmem run --machine v100 --set gpu.texture.present=true --set gpu.texture.sms_each=80 ./side_caches | grep -A2 'side caches'
  L1's side caches  requests    hit   from L2
    constant             128  93.8%     512 B
    texture              256  75.0%  4.00 KiB
  $ warpmem run --machine v100 --set gpu.texture.present=true --set gpu.texture.line=256B ./side_caches
  ! error: --set gpu.texture.line=256B: gpu.texture.line (256B) is larger than gpu.l2.line (128B) or gpu.l1.line (128B)
  ! hint: make gpu.texture.line at most as large as both
  [2]
  $ warpmem run --machine v100 --set gpu.scalar.sms_each=0 ./side_caches
  ! error: --set gpu.scalar.sms_each=0: gpu.scalar.sms_each: 0 is out of range
  ! hint: legal is 1 to 1024
  [2]
  $ warpmem run --machine v100 --set gpu.scalar.loads=some ./side_caches
  ! error: --set gpu.scalar.loads=some: gpu.scalar.loads: there is no "some"
  ! hint: known are uniform, read-only
  [2]

TLBs: each SM looks up once for each instruction, all bytes lying in one page; one walk serves all.
  $ warpmem run --machine v100 --set gpu.tlb.present=true --set gpu.tlb.page=4KiB --set gpu.tlb.l2_entries=64 --csv tlb.csv ./side_caches | grep -A2 'TLBs'
  TLBs  look-ups    hit  walks  read by walks
    L1       272  98.5%      0            0 B
    L2         4  75.0%      1          128 B
  $ grep -E '^_Z3.*(\.tlb|pc [0-9]+),(lookups|hits|walks|walk_reads|tlb.walks),[1-9]' tlb.csv
  _Z3sumPKfS0_Pf,gpu0.sm[0].tlb,lookups,68,pages,
  _Z3sumPKfS0_Pf,gpu0.sm[0].tlb,hits,67,pages,
  _Z3sumPKfS0_Pf,gpu0.sm[1].tlb,lookups,68,pages,
  _Z3sumPKfS0_Pf,gpu0.sm[1].tlb,hits,67,pages,
  _Z3sumPKfS0_Pf,gpu0.sm[2].tlb,lookups,68,pages,
  _Z3sumPKfS0_Pf,gpu0.sm[2].tlb,hits,67,pages,
  _Z3sumPKfS0_Pf,gpu0.sm[3].tlb,lookups,68,pages,
  _Z3sumPKfS0_Pf,gpu0.sm[3].tlb,hits,67,pages,
  _Z3sumPKfS0_Pf,gpu0.tlb,lookups,4,pages,
  _Z3sumPKfS0_Pf,gpu0.tlb,hits,3,pages,
  _Z3sumPKfS0_Pf,gpu0.tlb,walks,1,walks,
  _Z3sumPKfS0_Pf,gpu0.tlb,walk_reads,4,reads,
  _Z3sumPKfS0_Pf,pc 15,tlb.walks,1,walks,"$SOURCE/tests/cli/side_caches.cu:11 ptx:45 ld.const.f32 %f4, [%rd21+-4]"
  $ warpmem run --machine v100 --set gpu.tlb.l1_entries=10 --set gpu.tlb.l1_ways=4 ./side_caches
  ! error: --set gpu.tlb.l1_ways=4: gpu.tlb.l1_entries (10) is not a whole number of sets of gpu.tlb.l1_ways (4)
  ! hint: make gpu.tlb.l1_entries a multiple of gpu.tlb.l1_ways; equal, every page may use any
  [2]
  $ warpmem run --machine v100 --set gpu.tlb.page=6KiB ./side_caches
  ! error: --set gpu.tlb.page=6KiB: gpu.tlb.page: 6KiB is not a power of two
  ! hint: legal is 4KiB to 1GiB, a power of two
  [2]

Instruction fetches on a machine that is given a cache for them: 124 instructions a warp, most of them of
a loop, four to a line. The loop does not fit two lines.
  $ warpmem run --machine v100 --set gpu.instruction.present=true ./side_caches | grep -A2 'side caches'
  L1's side caches  requests    hit   from L2
    constant             128  93.8%     512 B
    instruction          296  75.7%  4.50 KiB
  $ warpmem run --machine v100 --set gpu.instruction.present=true --set gpu.instruction.size=128B --set gpu.instruction.ways=2 ./side_caches | grep -A2 'side caches'
  L1's side caches  requests    hit   from L2
    constant             128  93.8%     512 B
    instruction          296   0.0%  18.5 KiB
  $ warpmem run --machine v100 --set gpu.instruction.bytes=0B ./side_caches
  ! error: --set gpu.instruction.bytes=0B: gpu.instruction.bytes: 0B is out of range
  ! hint: legal is 1B to 64B
  [2]
