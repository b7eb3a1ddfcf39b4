Kernels' source with what each line did to memory, on the workloads.

  $ need clang
  $ for name in transpose spmv gemm; do warpmem cc $SOURCE/workloads/$name.cu -o $name || exit; done

Naive, lanes store a column: uncoalesced.
  $ warpmem annotate ./transpose --width 256 --height 256
  transpose: PASS
  warpmem: v100, untimed walk, misses explained
  
  transpose_naive(float const*, float*, unsigned int, unsigned int), 1 launch
  $SOURCE/workloads/transpose.cu
  line access sect/req used   L1   L2    L1-L2 bank     DRAM unused        shared
    14                                                                             __global__ void transpose_naive(const float *in, float *out, unsigned width, unsigned height)
    15                                                                             {
    16                                                                                 unsigned x = blockIdx.x * TILE + threadIdx.x;
    17                                                                                 unsigned y = blockIdx.y * TILE + threadIdx.y;
    18                                                                                 for (unsigned step = 0; step < TILE; step += TILE_ROWS)
    19                                                                                     if (x < width && y + step < height)
    20   4096     18.0  22%   0%  78% 2.25 MiB       512 KiB     0%  private 100%              out[(size_t)x * height + y + step] = in[(size_t)(y + step) * width + x];
        > uncoalesced (4 stores): a warp's store touches 32.0 sectors where its 128 bytes fill 4.0:
          let neighbouring lanes use neighbouring addresses, if need be through a tile in shared
          memory; counted (sectors touched, less those that its bytes fill): saves up to 1.75 MiB of
          2.00 MiB between the SM and L1
    21                                                                             }
    22
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; L1: of the sectors
    looked for there, those found; bank: passes of shared memory's banks, an access to it; unused: of
    the bytes fetched into L1, those that no lane used; shared: what most of the lines it loads are,
    and how many of its requests.
Through a tile: each column of it lies in one bank.
  $ warpmem annotate ./transpose --width 256 --height 256 --variant tiled
  transpose: PASS
  warpmem: v100, untimed walk, misses explained
  
  transpose_tiled(float const*, float*, unsigned int, unsigned int), 1 launch
  $SOURCE/workloads/transpose.cu
  line access sect/req used   L1   L2    L1-L2 bank     DRAM unused        shared
    23                                                                             __global__ void transpose_tiled(const float *in, float *out, unsigned width, unsigned height)
    24                                                                             {
    25                                                                                 __shared__ float tile[TILE][TILE];
    26                                                                                 unsigned x = blockIdx.x * TILE + threadIdx.x;
    27                                                                                 unsigned y = blockIdx.y * TILE + threadIdx.y;
    28                                                                                 for (unsigned step = 0; step < TILE; step += TILE_ROWS)
    29                                                                                     if (x < width && y + step < height)
    30   4096      4.0 100%   0%   0%  256 KiB  1.0  256 KiB     0%  private 100%              tile[threadIdx.y + step][threadIdx.x] = in[(size_t)(y + step) * width + x];
    31                                                                                 __syncthreads();
    32                                                                                 x = blockIdx.y * TILE + threadIdx.x;
    33                                                                                 y = blockIdx.x * TILE + threadIdx.y;
    34                                                                                 for (unsigned step = 0; step < TILE; step += TILE_ROWS)
    35                                                                                     if (x < height && y + step < width)
    36   4096      4.0 100%   0%   0%  256 KiB 32.0      0 B                                   out[(size_t)(y + step) * height + x] = tile[threadIdx.x][threadIdx.y + step];
        > bank-conflict (4 loads): a warp's load takes 32.0 passes of shared memory's banks, 31.0 of
          them for conflicts: pad the tile's rows by a word, or permute its columns; estimate (passes
          that conflicts added): saves up to 63.5 k of 65.5 k passes, a cycle each
    37                                                                             }
    38
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; L1: of the sectors
    looked for there, those found; bank: passes of shared memory's banks, an access to it; unused: of
    the bytes fetched into L1, those that no lane used; shared: what most of the lines it loads are,
    and how many of its requests.
Padded, nothing is left to say.
  $ warpmem annotate ./transpose --width 256 --height 256 --variant padded
  transpose: PASS
  warpmem: v100, untimed walk, misses explained
  
  transpose_padded(float const*, float*, unsigned int, unsigned int), 1 launch
  $SOURCE/workloads/transpose.cu
  line access sect/req used   L1   L2    L1-L2 bank     DRAM unused        shared
    39                                                                             __global__ void transpose_padded(const float *in, float *out, unsigned width, unsigned height)
    40                                                                             {
    41                                                                                 __shared__ float tile[TILE][TILE + 1];
    42                                                                                 unsigned x = blockIdx.x * TILE + threadIdx.x;
    43                                                                                 unsigned y = blockIdx.y * TILE + threadIdx.y;
    44                                                                                 for (unsigned step = 0; step < TILE; step += TILE_ROWS)
    45                                                                                     if (x < width && y + step < height)
    46   4096      4.0 100%   0%   0%  256 KiB  1.0  256 KiB     0%  private 100%              tile[threadIdx.y + step][threadIdx.x] = in[(size_t)(y + step) * width + x];
    47                                                                                 __syncthreads();
    48                                                                                 x = blockIdx.y * TILE + threadIdx.x;
    49                                                                                 y = blockIdx.x * TILE + threadIdx.y;
    50                                                                                 for (unsigned step = 0; step < TILE; step += TILE_ROWS)
    51                                                                                     if (x < height && y + step < width)
    52   4096      4.0 100%   0%   0%  256 KiB  1.0      0 B                                   out[(size_t)(y + step) * height + x] = tile[threadIdx.x][threadIdx.y + step];
    53                                                                             }
    54
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; L1: of the sectors
    looked for there, those found; bank: passes of shared memory's banks, an access to it; unused: of
    the bytes fetched into L1, those that no lane used; shared: what most of the lines it loads are,
    and how many of its requests.
  $ warpmem annotate ./spmv
  spmv: PASS
  warpmem: v100, untimed walk, misses explained
  
  spmv_scalar(unsigned int const*, unsigned int const*, float const*, float const*, float*, unsigned int), 1 launch
  $SOURCE/workloads/spmv.cu
  line access sect/req used   L1   L2    L1-L2 bank     DRAM unused        shared
    15                                                                             __global__ void spmv_scalar(const unsigned *row_start, const unsigned *column, const float *value,
    16                                                                                                         const float *x, float *y, unsigned rows)
    17                                                                             {
    18                                                                                 unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    19                                                                                 if (row >= rows)
    20                                                                                     return;
    21                                                                                 float sum = 0.0f;
    22   4096      4.5  89%  54%   3%  264 KiB       256 KiB     3%   private 88%      for (unsigned k = row_start[row]; k < row_start[row + 1]; k++)
    23  189 k     16.5  13%  15%  80% 80.9 MiB      15.8 MiB    85%   private 59%          sum += value[k] * x[column[k]];
        > uncoalesced (4 loads): a warp's load touches 16.4 sectors where its 67 bytes fill 2.1: let
          neighbouring lanes use neighbouring addresses, if need be through a tile in shared memory;
          counted (sectors touched, less those that its bytes fill): saves up to 53.3 MiB of 61.0 MiB
          between the SM and L1
        > thrashing-l1 (6 loads): 62% of its sectors were in L1 before and had gone (capacity): use
          each line fully before going on, in smaller tiles or with fewer warps at once; estimate (its
          misses by conflict, and by capacity within reach): saves up to 57.0 MiB of 78.0 MiB that
          come from L2; measured with 2 blocks at a time on an SM: 38.0 MiB instead of 81.4 MiB
          between L1 and L2 (-53%); the same with --set gpu.sm.max_blocks=2
    24   2048      4.0 100%   0%   0%  256 KiB           0 B                           y[row] = sum;
    25                                                                             }
    26
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; L1: of the sectors
    looked for there, those found; bank: passes of shared memory's banks, an access to it; unused: of
    the bytes fetched into L1, those that no lane used; shared: what most of the lines it loads are,
    and how many of its requests.
  $ warpmem annotate -m gtx480 ./gemm --n 96
  gemm: PASS
  warpmem: gtx480, untimed walk, misses explained
  
  gemm_naive(float const*, float const*, float*, unsigned int), 1 launch
  $SOURCE/workloads/gemm.cu
  line access sect/req used   L1   L2    L1-L2 bank     DRAM unused        shared
    13                                                                             __global__ void gemm_naive(const float *a, const float *b, float *c, unsigned n)
    14                                                                             {
    15                                                                                 unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    16                                                                                 unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    17                                                                                 if (row >= n || column >= n)
    18                                                                                     return;
    19                                                                                 float sum = 0.0f;
    20                                                                                 for (unsigned k = 0; k < n; k++)
    21  55296      2.5 100%  95%  76%  296 KiB      72.0 KiB     1%  boundary 50%          sum += a[row * n + k] * b[k * n + column];
        > shared-tile (2 loads): 87% of the bytes that its warps request, another warp of the block
          has just used, and a block's warps request each 8 times, of 12.2 KiB: load them once into
          tiles in shared memory; estimate (bytes but a block's first use of each): saves up to 2.95
          MiB of 3.38 MiB between the SM and L1
    22    288      4.0 100%   0%   0% 36.0 KiB           0 B                           c[row * n + column] = sum;
    23                                                                             }
    24
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; L1: of the sectors
    looked for there, those found; bank: passes of shared memory's banks, an access to it; unused: of
    the bytes fetched into L1, those that no lane used; shared: what most of the lines it loads are,
    and how many of its requests.
  $ warpmem annotate ./gemm --n 96 --variant tiled
  gemm: PASS
  warpmem: v100, untimed walk, misses explained
  
  gemm_tiled(float const*, float const*, float*, unsigned int), 1 launch
  $SOURCE/workloads/gemm.cu
  line access sect/req used   L1   L2    L1-L2 bank     DRAM unused        shared
    25                                                                             __global__ void gemm_tiled(const float *a, const float *b, float *c, unsigned n)
    26                                                                             {
    27                                                                                 __shared__ float tile_a[TILE][TILE];
    28                                                                                 __shared__ float tile_b[TILE][TILE];
    29                                                                                 unsigned column = blockIdx.x * TILE + threadIdx.x;
    30                                                                                 unsigned row = blockIdx.y * TILE + threadIdx.y;
    31                                                                                 float sum = 0.0f;
    32                                                                                 for (unsigned first = 0; first < n; first += TILE) {
    33                                                                                     // Outside the matrix the tile is zero, which adds nothing: every thread reaches the
    34                                                                                     // barriers.
    35                                                                                     unsigned k = first + threadIdx.x;
    36   3456      4.0 100%   0%  83%  216 KiB  1.0 36.0 KiB     0% broadcast 100%          tile_a[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0.0f;
    37                                                                                     k = first + threadIdx.y;
    38   3456      4.0 100%   0%  83%  216 KiB  1.0 36.0 KiB     0% broadcast 100%          tile_b[threadIdx.y][threadIdx.x] = k < n && column < n ? b[k * n + column] : 0.0f;
    39                                                                                     __syncthreads();
    40                                                                                     for (unsigned i = 0; i < TILE; i++)
    41  55296                                   1.0                                            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    42                                                                                     __syncthreads();
    43                                                                                 }
    44                                                                                 if (row < n && column < n)
    45    288      4.0 100%   0%   0% 36.0 KiB           0 B                               c[row * n + column] = sum;
    46                                                                             }
    47
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; L1: of the sectors
    looked for there, those found; bank: passes of shared memory's banks, an access to it; unused: of
    the bytes fetched into L1, those that no lane used; shared: what most of the lines it loads are,
    and how many of its requests.

Where the source is not found, PTX.
  $ cp $SOURCE/workloads/transpose.cu $SOURCE/workloads/workload.h . && warpmem cc transpose.cu -o moved && rm transpose.cu
  $ warpmem annotate ./moved --width 64 --height 64 | grep -A3 st.global | head -4
    80     32     32.0  12%   0%  88% 32.0 KiB      4.00 KiB                       st.global.f32 [%rd5], %f1
        > uncoalesced: a warp's store touches 32.0 sectors where its 128 bytes fill 4.0: let
          neighbouring lanes use neighbouring addresses, if need be through a tile in shared memory;
          counted (sectors touched, less those that its bytes fill): saves up to 28.0 KiB of 32.0 KiB

The rules, and misuse.
  $ warpmem annotate --rules
  vectorise
    when each time a thread makes 2 or 4 accesses of 4 or 8 bytes to neighbouring
    addresses from one register, the first a multiple of their length together,
    and lanes lie further apart than that.
    One access of 8 or 16 bytes moves the same sectors with one request.
    Counted on the run's addresses: executions, one for each vector instead of
    each part.
  
  uncoalesced
    when a load or store touches at least 4 sectors, and at least twice those that
    its bytes fill, and half of the time its lanes lie equally far apart, or each
    walks through a piece of its own.
    Each sector moves 32 bytes, whether one is used or all. Lanes that use
    neighbouring addresses share them. Addresses that come from data, a gather,
    are not arranged so easily: nothing is said of them.
    Counted on the run's addresses: sectors touched, less those that its bytes
    fill.
  
  one-sector
    when a load that is not uncoalesced touches at least 4 lines of 4 or more
    sectors, at most 1.25 sectors of each, and less than half of them hit in L1.
    L1 keeps a tag a line: lines of which one sector is used fill it four times as
    soon.
    Estimate: lines touched, less those that its sectors fill.
  
  thrashing-l1
    when at least 25% of a load's sectors miss in L1 for conflict, or for capacity
    with the line requested again within 4 times as many others as L1 has lines,
    and no other load of the kernel is better done around L1.
    The line was there and had to go before its next use. It would have hit with a
    smaller working set, or one that is spread better over the sets.
    Measured: the run's accesses again, with half as many blocks at a time on an
    SM, a quarter, and one. And, where the GPU is of compute capability 7.0 or
    later, with these loads saying L1::evict_last. Estimate: its misses by
    conflict, and by capacity within reach.
  
  bypass-l1
    when at most 2% of a load's sectors hit in L1 or had been there before, at
    most 2% of what it brings is requested again, while it is there or later in
    the launch, and of the other loads' sectors at least 10% miss as of
    thrashing-l1, no more than 4 times those that it brings.
    What is used once takes the place of what is used again, and gains nothing.
    Where nothing else wants the place, going around L1 gains nothing either.
    warpmem bypass decides for all loads of a kernel together which are to use L1.
    Measured: the run's accesses again, with these loads around L1, alone and
    together with all others of the kernel that are so advised. And, where the GPU
    is of compute capability 7.0 or later, with these loads saying
    L1::evict_first. Estimate: misses of the other loads, as of thrashing-l1.
  
  shared-tile
    when lanes of a load that is not volatile or ordered lie equally far apart, at
    least half of the bytes that its warps request are ones that the block had
    requested, another warp last, a block's warps request each byte 4 times or
    more, those of the source line are more than 4 KiB a block, and the busier of
    L1's tags and the way between L1 and L2 would be at least 10% less busy for
    the kernel.
    Shared memory has what a block has loaded at hand, without a look into L1 and
    without being displaced. 4 KiB fit into a warp's registers, and stay in any
    L1. A kernel that waits for other data from L2 gains nothing.
    Estimate: bytes but a block's first use of each.
  
  bank-conflict
    when at least 25% of the passes of shared memory's banks are for conflicts of
    a load or store whose lanes lie equally far apart.
    Lanes that need different words of one bank are served one after another.
    Estimate: passes that conflicts added.
  
  privatise
    when at least 25% of an atomic's lanes, 64 or more, come to an address that a
    lane of their warp comes to as well, or, if its result is not read, that
    another warp of the block came to in the block's last 32 atomics.
    Atomics to one address are done one after another, wherever it lies. Copies
    are added to side by side.
    Estimate: lanes behind another of their warp, or another warp of their block.
  
  No rule speaks of an instruction that warps executed fewer than 8 times, or of a load
  that requested fewer than 64 sectors of L1.
  $ warpmem annotate
  ! error: warpmem annotate: there is no program to run
  [2]
  $ warpmem annotate --rules ./gemm
  ! error: warpmem annotate: --rules runs no program
  [2]
  $ warpmem annotate -q --report x ./gemm
  ! error: warpmem annotate: --quiet and --report contradict each other
  [2]
  $ warpmem run --explain --no-memory ./gemm
  ! error: warpmem run: --explain and --no-memory contradict each other
  [2]
