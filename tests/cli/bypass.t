Which loads go past L1: an instruction list, and what bypassing means.

  $ warpmem list bypass
    none                every load and store uses the cache, whatever its operator
    cache-operator      does what the instruction says: .cg goes around,
                        L1::no_allocate takes no line
    per-pc              the instructions of gpu.l1.bypass_list bypass, the others
                        do as their operators say
  $ warpmem explain per-pc
  per-pc: by instruction
    kind        bypass
    decides     which loads and stores go past the level-one cache
    does        the instructions of gpu.l1.bypass_list bypass, the others do as
                their operators say
    parameters  none
    source      Xie, Liang, Sun and Chen, An efficient compiler framework for
                cache bypassing on GPUs, ICCAD 2013
    named by    gpu.l1.bypass
  $ warpmem machine show v100 --set 'gpu.l1.bypass_list=gemm:pc3, *:line7, other:ptx12' | grep -o 'bypass_list: ".*"'
  bypass_list: "gemm:pc3, *:line7, other:ptx12"
  $ warpmem machine show v100 --set gpu.l1.bypass_list=gemm
  ! error: --set gpu.l1.bypass_list=gemm: gpu.l1.bypass_list: "gemm" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, with commas between them
  [2]
  $ warpmem machine show v100 --set gpu.l1.bypass_list=gemm:pc
  ! error: --set gpu.l1.bypass_list=gemm:pc: gpu.l1.bypass_list: "gemm:pc" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, with commas between them
  [2]
  $ warpmem machine show v100 --set 'gpu.l1.bypass_list=gemm:pc3,:pc4'
  ! error: --set gpu.l1.bypass_list=gemm:pc3,:pc4: gpu.l1.bypass_list: ":pc4" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, with commas between them
  [2]
  $ warpmem machine show v100 --set 'gpu.l1.bypass_list=gemm:pc3x'
  ! error: --set gpu.l1.bypass_list=gemm:pc3x: gpu.l1.bypass_list: "gemm:pc3x" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, with commas between them
  [2]
  $ warpmem machine show v100 --set gpu.l1.bypass=per_pc
  ! error: --set gpu.l1.bypass=per_pc: gpu.l1.bypass: there is no "per_pc"
  ! hint: did you mean per-pc? known are none, cache-operator, per-pc
  [2]

  $ need clang
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm; echo 'warpmem run -m gtx480 --set gpu.sm.count=2 "$@" ./gemm --n 64 | grep -o "gemm_naive .*%"' > run
  $ sh run
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.0%
  $ sh run --set gpu.l1.bypass=per-pc
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.0%
  $ sh run --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=gemm_naive:line21
  gemm_naive     1      16 x 256      94.7 k    0.0%   96.3%
  $ sh run --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=other:line21
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.0%
  $ sh run --set gpu.l1.bypass=per-pc --set 'gpu.l1.bypass_list=*:line21' --set gpu.l1.bypass_means=no-allocation
  gemm_naive     1      16 x 256      94.7 k    0.0%   96.3%
  $ sh run --set 'gpu.l1.bypass_list=*:line21'
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.0%
