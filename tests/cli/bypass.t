Which loads go past L1: an instruction list, and what bypassing means.

  $ warpmem list bypass
    none                every load and store uses the cache, whatever its operator
    cache-operator      does what the instruction says: .cg goes around,
                        L1::no_allocate takes no line
    per-pc              the instructions of gpu.l1.bypass_list bypass, the others
                        do as their operators say
    contention          loads bypass that touch as many lines as a warp's share of
                        the cache has, or more
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
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority (=L1::no_allocate, =L2::evict_first) behind it; commas are between them
  [2]
  $ warpmem machine show v100 --set gpu.l1.bypass_list=gemm:pc
  ! error: --set gpu.l1.bypass_list=gemm:pc: gpu.l1.bypass_list: "gemm:pc" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority (=L1::no_allocate, =L2::evict_first) behind it; commas are between them
  [2]
  $ warpmem machine show v100 --set 'gpu.l1.bypass_list=gemm:pc3,:pc4'
  ! error: --set gpu.l1.bypass_list=gemm:pc3,:pc4: gpu.l1.bypass_list: ":pc4" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority (=L1::no_allocate, =L2::evict_first) behind it; commas are between them
  [2]
  $ warpmem machine show v100 --set 'gpu.l1.bypass_list=gemm:pc3x'
  ! error: --set gpu.l1.bypass_list=gemm:pc3x: gpu.l1.bypass_list: "gemm:pc3x" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority (=L1::no_allocate, =L2::evict_first) behind it; commas are between them
  [2]
  $ warpmem machine show v100 --set gpu.l1.bypass=per_pc
  ! error: --set gpu.l1.bypass=per_pc: gpu.l1.bypass: there is no "per_pc"
  ! hint: did you mean per-pc? known are none, cache-operator, per-pc, contention
  [2]

Operators behind selectors, and the PTX that a list is for.
  $ warpmem machine show v100 --set 'gpu.l1.bypass_list=gemm:hash=0123456789abcdef,gemm:ptx12=ca,*:pc3=cg' | grep -o 'bypass_list: ".*"'
  bypass_list: "gemm:hash=0123456789abcdef,gemm:ptx12=ca,*:pc3=cg"
  $ warpmem machine show v100 --set gpu.l1.bypass_list=gemm:pc3=cs
  ! error: --set gpu.l1.bypass_list=gemm:pc3=cs: gpu.l1.bypass_list: "gemm:pc3=cs": "cs" is no word for caches
  ! hint: write one of ca, cg, L1::no_allocate, L1::evict_normal, L1::evict_first, L1::evict_last, L1::evict_unchanged, L2::evict_normal, L2::evict_first, L2::evict_last, L2::evict_unchanged
  [2]
  $ warpmem machine show v100 --set gpu.l1.bypass_list=gemm:hash=0123
  ! error: --set gpu.l1.bypass_list=gemm:hash=0123: gpu.l1.bypass_list: "gemm:hash=0123" names no instruction
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority (=L1::no_allocate, =L2::evict_first) behind it; commas are between them
  [2]

A list from a file: one selector a line. What is kept is the list; a setting's path is relative to the working folder, a machine file's to that file.
  $ mkdir lists; printf '# from a profile\n\ngemm_naive:line21   # the column of B\n  gemm_naive:pc0\n' > lists/mine; printf 'gemm:pc3\nk:7\n' > lists/bad
  $ warpmem machine show v100 --set gpu.l1.bypass_list=@lists/mine > lists/kept.yaml; grep -o 'bypass_list: ".*"' lists/kept.yaml
  bypass_list: "gemm_naive:line21,gemm_naive:pc0"
  $ warpmem machine show lists/kept.yaml | cmp - lists/kept.yaml
  $ sed 's/bypass_list: ".*"/bypass_list: "@mine"/' lists/kept.yaml > lists/named.yaml; warpmem machine show lists/named.yaml | cmp - lists/kept.yaml
  $ warpmem machine show v100 --set gpu.l1.bypass_list=@lists/bad
  ! error: lists/bad:2: "k:7" names no instruction
  !   k:7
  !   ^
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority (=L1::no_allocate, =L2::evict_first) behind it; one a line, "#" begins a comment
  [2]
  $ sed 's/bypass_list: ".*"/bypass_list: "@bad"/' lists/kept.yaml > lists/worse.yaml; warpmem machine check lists/worse.yaml
  ! error: lists/bad:2: "k:7" names no instruction
  !   k:7
  !   ^
  ! hint: write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority (=L1::no_allocate, =L2::evict_first) behind it; one a line, "#" begins a comment
  [2]
  $ warpmem machine show v100 --set gpu.l1.bypass_list=@lists/gone
  ! error: --set gpu.l1.bypass_list=@lists/gone: cannot read the bypass list "lists/gone": No such file or directory
  [2]
  $ sed 's/bypass_list: ".*"/bypass_list: "@gone"/' lists/kept.yaml > lists/worse.yaml; warpmem machine check lists/worse.yaml 2>&1 | sed 's/yaml:[0-9]*:/yaml:N:/'
  error: lists/worse.yaml:N:18: cannot read the bypass list "lists/gone": No such file or directory
        bypass_list: "@gone" # which instructions per-pc means: KERNEL:pcN, KERNEL:ptxN, KERNEL:lineN
                     ^
  $ warpmem machine show v100 --set gpu.l1.bypass_list=@lists
  ! error: --set gpu.l1.bypass_list=@lists: the bypass list "lists" is no file
  [2]
  $ for i in $(seq 2000); do echo "kernel$i:pc$i"; done > lists/long; warpmem machine show v100 --set gpu.l1.bypass_list=@lists/long
  ! error: lists/long:1034: gpu.l1.bypass_list: the list grows past its 16384 bytes
  !   kernel1034:pc1034
  !   ^
  ! hint: name fewer instructions, or "*" for kernels with long names
  [2]

  $ need clang
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm; echo 'warpmem run -m gtx480 --set gpu.sm.count=2 "$@" ./gemm --n 64 | grep -o "gemm_naive .*%"' > run
  $ sh run
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.1%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  $ sh run --set gpu.l1.bypass=per-pc
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.1%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  $ sh run --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=gemm_naive:line21
  gemm_naive     1      16 x 256      94.7 k    0.0%   96.3%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  $ sh run --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=other:line21
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.1%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  ! warpmem: bypass list: other:line21 named no memory instruction that ran
  $ sh run --set gpu.l1.bypass=per-pc --set 'gpu.l1.bypass_list=*:line21' --set gpu.l1.bypass_means=no-allocation
  gemm_naive     1      16 x 256      94.7 k    0.0%   96.3%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  $ sh run --set 'gpu.l1.bypass_list=*:line21'
  gemm_naive     1      16 x 256      94.7 k   94.6%   49.1%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
A list from a file in a run, and what of it named nothing.
  $ cp gemm lists; (cd lists && sh -c '. ../run' run --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@mine)
  gemm_naive     1      16 x 256      94.7 k    0.0%   96.3%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
  ! warpmem: bypass list: gemm_naive:pc0 named no memory instruction that ran
  $ warpmem run -q -m gtx480 --set gpu.sm.count=2 --set gpu.l1.bypass_list='gemm_naive:line21,gone:pc7,*:line20000,gemm_naive:pc0' ./gemm --n 64
  gemm: PASS
  ! warpmem: bypass list: gone:pc7 named no memory instruction that ran
  ! warpmem: bypass list: *:line20000 named no memory instruction that ran
  ! warpmem: bypass list: gemm_naive:pc0 named no memory instruction that ran
  $ for i in $(seq 13); do echo "k$i:pc$i"; done > lists/none; warpmem run -q -m gtx480 --set gpu.sm.count=2 --set gpu.l1.bypass_list=@lists/none ./gemm --n 64
  gemm: PASS
  ! warpmem: bypass list: k1:pc1 named no memory instruction that ran
  ! warpmem: bypass list: k2:pc2 named no memory instruction that ran
  ! warpmem: bypass list: k3:pc3 named no memory instruction that ran
  ! warpmem: bypass list: k4:pc4 named no memory instruction that ran
  ! warpmem: bypass list: k5:pc5 named no memory instruction that ran
  ! warpmem: bypass list: k6:pc6 named no memory instruction that ran
  ! warpmem: bypass list: k7:pc7 named no memory instruction that ran
  ! warpmem: bypass list: k8:pc8 named no memory instruction that ran
  ! warpmem: bypass list: k9:pc9 named no memory instruction that ran
  ! warpmem: bypass list: k10:pc10 named no memory instruction that ran
  ! warpmem: bypass list: and 3 more named none
  $ warpmem run -q -m gtx480 --no-memory --set gpu.l1.bypass_list=@lists/none ./gemm --n 64
  gemm: PASS
A list of another build of the program.
  $ printf 'gemm_naive:hash=0123456789abcdef\ngemm_naive:line21=cg\n' > lists/other; warpmem run -q -m gtx480 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@lists/other ./gemm --n 64 2>&1 | sed 's/has the hash [0-9a-f]*/has the hash X/; s/.*gemm.cu:[0-9]*:/gemm.cu:N:/'
  warpmem: error: kernel _Z10gemm_naivePKfS0_Pfj: gpu.l1.bypass_list is for another program: the kernel's PTX has the hash X, the list wants 0123456789abcdef
  hint: decide anew for this program: warpmem bypass
  gemm.cu:N: cudaDeviceSynchronize(): a PTX JIT compilation failed
  warpmem: bypass list: gemm_naive:line21=cg named no memory instruction that ran
  $ warpmem record -q -m gtx480 -o gemm.wmt -- ./gemm --n 64
  gemm: PASS
  $ warpmem replay -q -m gtx480 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@lists/other gemm.wmt 2>&1 | sed 's/has the hash [0-9a-f]*/has the hash X/'
  error: kernel _Z10gemm_naivePKfS0_Pfj: gpu.l1.bypass_list is for another program: the kernel's PTX has the hash X, the list wants 0123456789abcdef
  hint: decide anew for this program: warpmem bypass
  $ sed "s/0123456789abcdef/$(warpmem trace info --json gemm.wmt | grep -o '"ptx_hash": *"[0-9a-f]*"' | head -1 | cut -d'"' -f4)/" lists/other > lists/own; warpmem replay -m gtx480 --set gpu.sm.count=2 --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@lists/own gemm.wmt | grep -o "gemm_naive .*%"
  gemm_naive     1      16 x 256      94.7 k    0.0%   96.3%
  gemm_naive  16.4 k       2.5  100%     128       4.0  100%
