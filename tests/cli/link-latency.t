The ways between coherent levels in time, on García Flores's two machines, in cycles of 0.5 ns. Table 5.1 of the thesis: a load from L1
takes 22 ns, one from L2 63. From another L1 it takes two hops of 11 ns and what L1 takes to look it up, 22.5, more than L2's own look-up and flits.
From memory it is farther with split last-level caches by the directory's cycle and the flits over one way more (8).

  $ need clang
  $ warpmem cc $SOURCE/tests/cli/load_latency.cu -o load_latency
  $ for m in shared split; do warpmem run -q --engine clock -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml --csv $m.csv ./load_latency; echo $m; sed -n 's/^\([a-z0-9]\+\),gpu0.sm.*l1.coherent_timing,load_cycles,\([1-9][0-9]*\),.*/  \1 \2/p' $m.csv; done
  shared
    memory 259
    owner 193
    l2 126
    l1 45
  split
    memory 267
    owner 193
    l2 126
    l1 45

With hops of a cycle, as where a machine says nothing.

  $ warpmem run -q --engine clock -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.interconnect.latency=1 --set gpu.l2.link_latency=0 --set llc.link_latency=0 --csv near.csv ./load_latency; sed -n 's/^\([a-z0-9]\+\),gpu0.sm.*l1.coherent_timing,load_cycles,\([1-9][0-9]*\),.*/  \1 \2/p' near.csv
    memory 132
    owner 133
    l2 86
    l1 45

What has no link, or the interconnect for one.

  $ warpmem machine show $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.link_latency=15
  ! error: --set gpu.l1.link_latency=15: gpu.l1.link_latency (15), and what leaves l1 crosses the interconnect, which has gpu.interconnect.latency (15)
  ! hint: set gpu.l1.link_latency to 0, and gpu.interconnect.latency to what the way takes
  [2]
  $ warpmem machine show v100 --set gpu.l2.link_latency=15
  ! error: --set gpu.l2.link_latency=15: gpu.l2.link_latency (15), and gpu.l2.coherence is not mesi: only messages between coherent levels have it
  ! hint: set gpu.l2.link_latency to 0, or gpu.l2.coherence to mesi
  [2]
  $ warpmem machine show $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set llc.link_latency=65537
  ! error: --set llc.link_latency=65537: llc.link_latency: 65537 is out of range
  ! hint: legal is 0 to 65536
  [2]

What the picture's data say of the ways.

  $ warpmem machine graph $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --json | sed -n '/"links"/,$p' | grep -E '"(from|to|latency_cycles|clock_hz)"' | paste -s -d '   \n' | tr -s ' '
   "from": "gpu0.sm[*]", "to": "gpu0.sm[*].l1", "latency_cycles": 0, "clock_hz": 1400000000,
   "from": "gpu0.sm[*].l1", "to": "gpu0.l2[*]", "latency_cycles": 15, "clock_hz": 1400000000,
   "from": "cpu0.core[*]", "to": "cpu0.core[*].l1", "latency_cycles": 0, "clock_hz": 2000000000,
   "from": "cpu0.core[*].l1", "to": "cpu0.core[*].l2", "latency_cycles": 0, "clock_hz": 2000000000,
   "from": "cpu0.core[*].l2", "to": "llc[*]", "latency_cycles": 22, "clock_hz": 2000000000,
   "from": "gpu0.l2[*]", "to": "llc[*]", "latency_cycles": 15, "clock_hz": 1400000000,
   "from": "llc[*]", "to": "gpu0.dram[*]", "latency_cycles": 22, "clock_hz": 2000000000,
