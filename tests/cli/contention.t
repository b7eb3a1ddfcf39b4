L1s that several SMs share, requests that join others in flight, and locked lines: what a user gets
of a machine that cannot be, and of one that can.

  $ need clang
  $ warpmem machine show hd7970 --set gpu.l1.per=5sm --set gpu.l1.sharing=sets >/dev/null
  ! error: --set gpu.l1.sharing=sets: gpu.l1.per (5 SMs) does not divide gpu.sm.count (32), and by gpu.l1.sharing each L1 has the parts of as many SMs
  ! hint: make gpu.l1.per a divisor, or gpu.l1.sharing given
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.per=64sm --set gpu.l1.sharing=sets >/dev/null
  ! error: --set gpu.l1.sharing=sets: gpu.l1.per (64 SMs) does not divide gpu.sm.count (32), and by gpu.l1.sharing each L1 has the parts of as many SMs
  ! hint: make gpu.l1.per a divisor, or gpu.l1.sharing given
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.per=all --set gpu.l1.sharing=sets >/dev/null
  ! error: --set gpu.l1.sharing=sets: gpu.l1.ports (2) for each of 32 SMs are more than 32
  ! hint: make it or gpu.l1.per less
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.per=16sm --set gpu.l1.sharing=ways --set gpu.l1.ways=128 >/dev/null
  ! error: --set gpu.l1.ways=128: gpu.l1.ways (128) for each of 16 SMs are more than 1024
  ! hint: make it or gpu.l1.per less
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.per=16sm --set gpu.l1.sharing_latency=20000 >/dev/null
  ! error: --set gpu.l1.sharing_latency=20000: gpu.l1.latency (1) and gpu.l1.sharing_latency (20000) for 16 SMs are more than 65536 cycles
  ! hint: make one of them or gpu.l1.per less
  [2]
  $ warpmem machine show v100 --set gpu.l1.per=4sm --set gpu.l1.sharing=sets >/dev/null
  ! error: --set gpu.l1.per=4sm: gpu.l1.per is not one SM, but L1 is a part of each SM's own array (gpu.sm.unified, 128KiB)
  ! hint: set gpu.sm.unified to 0B: then L1 is an array apart, and may be shared
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.sharing=lines >/dev/null
  ! error: --set gpu.l1.sharing=lines: gpu.l1.sharing: there is no "lines"
  ! hint: known are given, sets, ways
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.bypass=contention >/dev/null
  ! error: --set gpu.l1.bypass=contention: gpu.l1.coalescing is in-flight, and gpu.l1.bypass is not cache-operator: what comes to the cache is known only when it is looked up
  ! hint: set gpu.l1.coalescing to none, or gpu.l1.bypass to cache-operator
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.write_fetch=never >/dev/null
  ! error: --set gpu.l1.write_fetch=never: gpu.l1.coalescing is in-flight, and gpu.l1.write_fetch is never: requests join whose bytes differ
  ! hint: set gpu.l1.coalescing to none, or name another gpu.l1.write_fetch
  [2]
  $ warpmem machine show hd7970 --set gpu.l2.inclusion=inclusive >/dev/null
  ! error: --set gpu.l2.inclusion=inclusive: gpu.l2.locked_line is refuse, and gpu.l2.inclusion is inclusive: what is refused would have to be known above
  ! hint: set gpu.l2.locked_line to merge, or gpu.l2.inclusion to non-inclusive
  [2]
  $ warpmem machine show hd7970 --set gpu.l2.atomic_buffer=8 >/dev/null
  ! error: --set gpu.l2.atomic_buffer=8: gpu.l2.locked_line is refuse, and gpu.l2.atomic_buffer is not 0: what is buffered is in no other cache
  ! hint: set gpu.l2.locked_line to merge, or gpu.l2.atomic_buffer to 0
  [2]
  $ warpmem machine show hd7970 --set gpu.l1.locked_line=refuse >/dev/null
  ! error: --set gpu.l1.locked_line=refuse: unknown key "gpu.l1.locked_line"
  ! hint: did you mean gpu.l2.locked_line?
  [2]
  $ warpmem machine show hd7970 --set 'gpu.scalar.serves=[]' >/dev/null
  ! error: --set gpu.scalar.serves=[]: gpu.scalar.serves: this level serves something, or is not there
  ! hint: set its key present to false instead
  [2]
  $ warpmem machine show hd7970 --set gpu.scalar.per=0sm >/dev/null
  ! error: --set gpu.scalar.per=0sm: gpu.scalar.per: "0sm" does not say who has one
  ! hint: write sm for one each, 8 sm for one of each 8 (1 to 1024), or all
  [2]

Four compute units' L1s as one: by sets or by ways, with their ports and MSHRs.
  $ for sharing in given sets ways; do warpmem machine show hd7970 --set gpu.l1.per=4sm --set gpu.l1.sharing=$sharing | sed -n '/^  l1:/,/^  constant:/p' | grep -E '^    (size|ways|latency|mshr_entries|ports|queue):' | sed 's/ *#.*//' | tr '\n' ' '; echo; done
      size: 16KiB     ways: 4     latency: 1     mshr_entries: 16     queue: 16     ports: 2 
      size: 64KiB     ways: 4     latency: 1     mshr_entries: 64     queue: 16     ports: 8 
      size: 64KiB     ways: 16     latency: 1     mshr_entries: 64     queue: 16     ports: 8 
  $ warpmem machine show hd7970 --set gpu.l1.per=4sm --set gpu.l1.sharing_latency=3 | sed -n '/^  l1:/,/^  constant:/p' | grep -E '^    (latency|sharing_latency):'
      sharing_latency: 0                  # clock: cycles more of latency with each doubling of the SMs that share one
      latency: 7                          # clock: cycles until a hit's data, or a miss, goes on

What is shown of it is the machine that it is.
  $ warpmem machine show hd7970 --set gpu.l1.per=4sm --set gpu.l1.sharing=sets > shared.yaml; warpmem machine show shared.yaml | diff - shared.yaml

In time alone are requests in flight and lines locked.
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm
  $ warpmem run -q --engine clock -m hd7970 --csv time.csv -- ./gemm --n 64
  gemm: PASS
  $ grep -E 'gpu0.(sm\[0\].l1.coalescing|l2\[0\].locked_lines),' time.csv | cut -d, -f2- | sort -u
  gpu0.l2[0].locked_lines,attempts,4880,requests,
  gpu0.l2[0].locked_lines,refused_line,4401,requests,
  gpu0.l2[0].locked_lines,refused_set,0,requests,
  gpu0.sm[0].l1.coalescing,joined_other_unit,0,requests,
  gpu0.sm[0].l1.coalescing,loads_joined,384,requests,
  gpu0.sm[0].l1.coalescing,requests,1040,requests,
  gpu0.sm[0].l1.coalescing,stores_joined,0,requests,
  $ warpmem run -q -m hd7970 --csv walk.csv -- ./gemm --n 64; grep -cE 'coalescing|locked_lines' walk.csv
  gemm: PASS
  0
  [1]
  $ warpmem run -q --engine clock -m hd7970 --set gpu.interconnect.store_replies=true -- ./gemm --n 64
  ! error: the clock engine has no coalescing in flight where L2 answers stores, which machine hd7970 has
  ! hint: set gpu.interconnect.store_replies to false, or coalescing to none, or use --engine walk
  [2]
  $ warpmem run -q --engine clock -m hd7970 --set gpu.l2.per=8sm -- ./gemm --n 64
  ! error: the clock engine has no refusals of an L2 that is not the first of all SMs, which machine hd7970 has
  ! hint: set gpu.l2.locked_line to merge, or use --engine walk
  [2]

With any number of threads, live and replayed, the same.
  $ warpmem record -q -m hd7970 -o gemm.wmt -- ./gemm --n 64
  gemm: PASS
  $ for sharing in sm 4sm 16sm; do for threads in 1 2 5; do warpmem replay -q -e clock -j $threads -m hd7970 --set gpu.l1.per=$sharing --set gpu.l1.sharing=sets --csv $threads.csv gemm.wmt; done; cmp 1.csv 2.csv && cmp 1.csv 5.csv && echo same; warpmem run -q -e clock -m hd7970 --set gpu.l1.per=$sharing --set gpu.l1.sharing=sets --csv live.csv -- ./gemm --n 64; cmp 1.csv live.csv && echo same; done
  same
  gemm: PASS
  same
  same
  gemm: PASS
  same
  same
  gemm: PASS
  same
