Which line makes room: the same program under every entry, and under the limit.

  $ warpmem explain opt | head -4
  opt: Belady's optimum
    kind        replacement
    decides     which line of a full set makes room for a new one
    does        displaces the line whose next use lies furthest in the future
  $ warpmem machine show v100 --set gpu.l2.dirty_limit=0B --set gpu.l1.replacement=opt --set gpu.l2.replacement=opt --set gpu.constant.replacement=opt | grep -c 'replacement: opt'
  3

  $ need clang
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm
  $ echo 'warpmem run -m gtx480 --set gpu.sm.count=2 "$@" ./gemm --n 64 | grep -o "gemm_naive .*%"' > run
  $ sh run --set gpu.l1.replacement=lru
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.1%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  $ sh run --set gpu.l1.replacement=opt
  gemm_naive     1      16 x 256      94.7 k   95.7%   40.5%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  $ sh run --set gpu.l2.replacement=opt
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.1%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
No other entry misses L1 less often than opt.
  $ echo 'warpmem run -q --csv counted -m gtx480 --set gpu.sm.count=2 --set gpu.l1.size=8KiB --set gpu.l1.ways=2 --set gpu.l1.replacement=$1 ./gemm --n 64 > told; awk -F, "/sm.*l1,load_misses,/ { sum += \\$4 } END { print sum }" counted' > misses
  $ sh misses lru
  18564
  $ sh misses opt
  11628
  $ limit=$(sh misses opt); for entry in $(warpmem list replacement | awk '/^  [a-z]/ { print $1 }'); do test $(sh misses $entry) -ge $limit || echo $entry misses less; done

What it cannot tell is refused before the program starts.
  $ warpmem run --explain -m gtx480 --set gpu.l1.replacement=opt ./gemm --n 64
  ! error: l1.replacement is opt, which does not know yet which line leaves, and who evicted whom cannot be explained
  ! hint: name another l1.replacement, or do without
  [2]
  $ warpmem annotate -m gtx480 --set gpu.l2.replacement=opt ./gemm --n 64
  ! error: l2.replacement is opt, which does not know yet which line leaves, and who evicted whom cannot be explained
  ! hint: name another l2.replacement, or do without
  [2]
