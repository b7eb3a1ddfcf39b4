Misses explained, on programs whose sharing is known: a vector sum shares nothing, the threads of a
matrix product read rows and columns of blocks, a stencil its neighbours' halo.

  $ need clang
  $ for name in vecadd gemm stencil spmv; do warpmem cc $SOURCE/workloads/$name.cu -o $name || exit; done
  $ warpmem run --explain ./vecadd --n 65536 | grep -A2 '^Who shares'
  Who shares a line   one SM  boundary  broadcast  dynamic
    of lines          100.0%      0.0%       0.0%     0.0%
    of read requests  100.0%      0.0%       0.0%     0.0%
  $ warpmem run --explain ./gemm --n 128 | grep -A2 '^Who shares'
  Who shares a line   one SM  boundary  broadcast  dynamic
    of lines            0.0%      0.0%     100.0%     0.0%
    of read requests    0.0%      0.0%     100.0%     0.0%
  $ warpmem run --explain ./gemm --n 128 --variant tiled | grep -A2 '^Who shares'
  Who shares a line   one SM  boundary  broadcast  dynamic
    of lines            0.0%      0.0%     100.0%     0.0%
    of read requests    0.0%      0.0%     100.0%     0.0%
  $ warpmem run --explain ./stencil --width 256 --height 256 --steps 2 | grep -A2 '^Who shares'
  Who shares a line   one SM  boundary  broadcast  dynamic
    of lines            0.8%     99.2%       0.0%     0.0%
    of read requests    0.2%     99.8%       0.0%     0.0%

A sparse matrix gathers its vector at random: a small one is read by nearly all SMs, of a large one
each line by those whom chance sends there.
  $ warpmem run --explain ./spmv --n 2048 | grep -A2 '^Who shares'
  Who shares a line   one SM  boundary  broadcast  dynamic
    of lines           96.1%      1.0%       2.9%     0.0%
    of read requests   62.4%      0.5%      37.1%     0.0%
  $ warpmem run --explain ./spmv --n 131072 --per-row 1 | grep -A2 '^Who shares'
  Who shares a line   one SM  boundary  broadcast  dynamic
    of lines           71.9%      3.1%       0.0%    25.0%
    of read requests   12.5%      1.0%       0.0%    86.4%

The whole of it.
  $ warpmem run --explain ./spmv --n 8192 | sed -n '/^Why sectors/,$p'
  Why sectors missed  missed    cold  coherence  capacity  conflict  unallocated
    L1                67.3 k   98.5%       0.0%      0.0%      0.0%         1.5%
    L2                36.0 k  100.0%       0.0%      0.0%      0.0%         0.0%
  
  Requests  missed    cold  same warp  other warp  refused  dropped  unallocated
    L1      61.1 k   99.6%       0.0%        0.0%     0.0%     0.0%         0.4%
    L2      30.4 k  100.0%       0.0%        0.0%     0.0%     0.0%         0.0%
  
  Who had displaced it  same warp  another of the block  another block
    L1                          -                     -              -
    L2                          -                     -              -
  
  Bytes never used   fetched  whole sectors        all of them
    L1              2.02 MiB            0 B  0.0%      603 KiB  29.1%
    L2              1.07 MiB            0 B  0.0%          0 B   0.0%
  
  Other lines used since  first use     0   1-7  8-63  64-511  512-4K  more
    L1, of requests            5.4%  0.8%  0.4%  6.2%   86.7%    0.5%  0.0%
  
  SMs that read a line      1     2   3-4   5-8  9-16  17-32  more
    of lines            96.0%  1.1%  0.0%  0.0%  0.0%   2.9%  0.0%
  
  Who shares a line   one SM  boundary  broadcast  dynamic
    of lines           96.0%      1.1%       2.9%     0.0%
    of read requests   59.6%      0.5%      39.8%     0.0%

In time: the same, whatever the threads; other numbers are those without.
  $ warpmem record -q -o spmv.wmt -- ./spmv --n 4096 > /dev/null
  $ for j in 1 2 4 8; do warpmem replay -q --engine clock -m gtx480 --threads $j --explain --json $j.json spmv.wmt; cmp 1.json $j.json; done
  $ warpmem replay -q --engine clock -m gtx480 --json plain.json spmv.wmt
  $ python3 $CASES/explained_numbers.py plain.json 1.json
  adds constant_explained l1_explained l1_reuse l2_explained shared texture_explained
  $ warpmem replay --engine clock -m gtx480 --explain spmv.wmt | sed -n '/^Why sectors/,$p'
  Why sectors missed  missed    cold  coherence  capacity  conflict  unallocated
    L1                 163 k    4.9%       0.0%     92.9%      1.8%         0.3%
    L2                18.0 k  100.0%       0.0%      0.0%      0.0%         0.0%
  
  Requests  missed    cold  same warp  other warp  refused  dropped  unallocated
    L1       127 k    4.9%       7.4%       87.7%     0.0%     0.0%         0.1%
    L2      4.50 k  100.0%       0.0%        0.0%     0.0%     0.0%         0.0%
  
  Who had displaced it  same warp  another of the block  another block
    L1                       7.1%                 86.7%           6.2%
    L2                          -                     -              -
  
  Bytes never used   fetched  whole sectors         all of them
    L1              15.5 MiB       9.94 MiB  64.3%     14.7 MiB  95.1%
    L2               546 KiB            0 B   0.0%          0 B   0.0%
  
  Other lines used since  first use     0   1-7   8-63  64-511  512-4K  more
    L1, of requests            4.1%  0.1%  0.5%  10.4%   84.0%    1.0%  0.0%

Levels of a file's own, in either engine: a row for each, and reasons for every miss.
  $ cp $SOURCE/machines/examples/l2-of-clusters.yaml .
  $ for e in walk clock; do warpmem replay -q --engine $e -m l2-of-clusters.yaml --json $e.json spmv.wmt; warpmem replay -q --engine $e -m l2-of-clusters.yaml --explain --json explained.json spmv.wmt; python3 $CASES/explained_numbers.py $e.json explained.json; done
  adds cluster_l2_explained l1_explained l1_reuse l3_explained shared sharing
  adds cluster_l2_explained l1_explained l1_reuse l3_explained shared
  $ warpmem replay --engine clock -m l2-of-clusters.yaml --explain spmv.wmt | sed -n '/^Why sectors/,/^$/p'
  Why sectors missed  missed    cold  coherence  capacity  conflict  unallocated
    L1                 183 k   13.8%       0.0%     84.8%      1.1%         0.3%
    cluster L2        18.5 k  100.0%       0.0%      0.0%      0.0%         0.0%
    L3                17.5 k  100.0%       0.0%      0.0%      0.0%         0.0%
  
