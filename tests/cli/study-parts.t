A part of a study: some workloads, what some figures need.

  $ need clang
  $ cp $SOURCE/examples/study.yaml .
  $ warpmem study run study.yaml --workload stencil --figure dram
  study example: 4 points, 4 replayed, 0 were there
  claims: 0 hold, 0 do not, 2 undecided
  $ warpmem study run study.yaml --workload stencil --figure dram
  study example: 4 points, 0 replayed, 4 were there
  claims: 0 hold, 0 do not, 2 undecided
  $ warpmem study table study.yaml dram_bytes --csv | cut -d, -f1-3 | sort -u | head -12
  dram_bytes,dram_bytes,"768KiB
  dram_bytes,dram_bytes,"96KiB
  table,metric,machine
  $ warpmem study check study.yaml | grep -E 'undecided|holds'
  larger-l2  undecided
  stencil-l1  undecided
  2 claims: 0 hold, 0 do not, 2 undecided
  $ warpmem study run -q study.yaml && warpmem study check study.yaml | grep -E 'undecided|holds'
  larger-l2  holds
  stencil-l1  holds
  2 claims: 2 hold, 0 do not, 0 undecided

What the study does not have.

  $ warpmem study run study.yaml --workload stencil,spmv
  ! error: --workload: the study has no workload "spmv"
  ! hint: it has transpose stencil
  [2]
  $ warpmem study run study.yaml --figure 9.9
  ! error: --figure: the study has no figure "9.9"
  ! hint: it has "dram"
  [2]
  $ warpmem study run study.yaml --workload ''
  ! error: --workload: the study has no workload ""
  ! hint: it has transpose stencil
  [2]

The order that recordings are made in.

  $ sed '/^study:/a order: any' study.yaml > any.yaml
  $ warpmem study run -q any.yaml --database any.db && warpmem study table any.yaml --database any.db dram_bytes --csv > any.csv
  $ warpmem study table study.yaml dram_bytes --csv | diff - any.csv
  $ sed '/^study:/a order: some' study.yaml > some.yaml
  $ warpmem study run some.yaml
  ! error: some.yaml:6:8: order is "some"
  !   order: some
  !          ^
  ! hint: "machine", in the order of its warps, or "any", the fastest
  [2]

What figures and claims are made of, alone; and sets of loads that go around L1, whose list is beside the study.

  $ mkdir beside; cp study.yaml beside/sets.yaml; echo 'stencil*:pc9999' > beside/list.txt
  $ sed -i '/^study:/a points: used' beside/sets.yaml
  $ sed -i 's/^      96KiB: .*/      96KiB: [gpu.l2.size=96KiB, "gpu.l1.bypass_list=@list.txt"]/' beside/sets.yaml
  $ sed -i 's/^metrics:/    around:\n      subsets: {key: gpu.l1.bypass_list, with: gpu.l1.bypass=per-pc, of: {a: "stencil*:pc1", b: "stencil*:pc2"}}\n  cross:\n    - {around: "-"}\n    - {l2: 96KiB, l1: 16KiB, around: "*"}\nmetrics:/' beside/sets.yaml
  $ sed -i 's/^claims:/  sets: {metric: dram_bytes, normalise: "96KiB, 16KiB", machines: {l2: 96KiB, l1: 16KiB, around: "*"}, workloads: stencil, x: around}\n  all: {metric: dram_bytes, machines: {l2: 96KiB}, mean: geometric}\nclaims:/' beside/sets.yaml
  $ warpmem study run beside/sets.yaml --figure sets --database sets.db
  study example: 4 points, 4 replayed, 0 were there
  claims: 0 hold, 0 do not, 2 undecided
  $ warpmem study run beside/sets.yaml --database sets.db
  study example: 14 points, 10 replayed, 4 were there
  claims: 2 hold, 0 do not, 0 undecided
  $ warpmem study table beside/sets.yaml --database sets.db sets | cut -c1-40
  sets (divided by "96KiB, 16KiB")
  metric      machine              stencil
  dram_bytes  96KiB, 16KiB               1
  dram_bytes  96KiB, 16KiB, a            1
  dram_bytes  96KiB, 16KiB, b            1
  dram_bytes  96KiB, 16KiB, a+b          1
  $ warpmem study table beside/sets.yaml --database sets.db all
  all; mean: geometric, over 2 workloads
  metric      machine       transpose    stencil       mean
  dram_bytes  96KiB, 16KiB     786656    2044160    1268089
  dram_bytes  96KiB, 48KiB     786656    2041984    1267414
  $ warpmem study table beside/sets.yaml --database sets.db all --json | grep -o '"mean_kind": "[a-z]*"'
  "mean_kind": "geometric"
  $ warpmem report sets.db -o sets.html; grep -o 'geometric mean over the figure.s [0-9]* workloads' sets.html
  geometric mean over the figure's 2 workloads
  $ rm beside/list.txt; warpmem study run beside/sets.yaml --database sets.db
  ! error: beside/sets.yaml:18:34: machine "96KiB, 16KiB": cannot read the bypass list "beside/list.txt": No such file or directory
  !         96KiB: [gpu.l2.size=96KiB, "gpu.l1.bypass_list=@list.txt"]
  !                                    ^
  [2]

A machine that is chosen by workload: its points are those of what is chosen, in tables, claims and the report.

  $ mkdir chosen; cp study.yaml chosen; printf 'transpose: less\nstencil: more\n' > chosen/by.yaml
  $ sed -i 's/^metrics:/choices:\n  l2:\n    Chosen: {by: by.yaml, values: {less: 96KiB, more: 768KiB}}\nmetrics:/' chosen/study.yaml
  $ sed -i 's/^claims:/  by: {metric: dram_bytes, normalise: "96KiB, 16KiB", machines: {l1: 16KiB}, mean: geometric, paper: {"Chosen, 16KiB": {mean: 0.5}}}\nclaims:\n  chosen: {text: t, claim: "all(dram_bytes[Chosen, 16KiB] <= dram_bytes[96KiB, 16KiB]) and dram_bytes[stencil, Chosen, 48KiB] = dram_bytes[stencil, 768KiB, 48KiB]"}/' chosen/study.yaml
  $ warpmem study run chosen/study.yaml --database chosen.db
  study example: 8 points, 8 replayed, 0 were there
  claims: 3 hold, 0 do not, 0 undecided
  $ warpmem study table chosen/study.yaml --database chosen.db by
  by (divided by "96KiB, 16KiB"); mean: geometric, over 2 workloads
  metric      machine        transpose    stencil       mean
  dram_bytes  96KiB, 16KiB           1          1          1
  dram_bytes  768KiB, 16KiB     0.6665     0.1282     0.2924
  dram_bytes  Chosen, 16KiB          1     0.1282     0.3581
                the paper            -          -        0.5
  $ warpmem report chosen.db -o chosen.html; grep -c 'Chosen, 16KiB' chosen.html
  3

Numbers of a file as a metric, compared with what is measured; other numbers in it are taken without a new run.

  $ printf '"96KiB, 16KiB": {transpose: 800000, stencil: 2e6}\n' > chosen/expected.yaml
  $ sed -i 's/^metrics:/metrics:\n  expected: {by: expected.yaml, title: expected}/; s/^claims:/  expected: {metric: expected, machines: ["96KiB, 16KiB"]}\nclaims:\n  near: {text: t, claim: "all(expected[96KiB, 16KiB] \/ dram_bytes[96KiB, 16KiB] within 0.05 of 1)"}/' chosen/study.yaml
  $ warpmem study run chosen/study.yaml --database chosen.db
  study example: 8 points, 0 replayed, 8 were there
  claims: 4 hold, 0 do not, 0 undecided
  $ warpmem study table chosen/study.yaml --database chosen.db expected
  expected; mean: arithmetic, over 2 workloads
  metric    machine       transpose    stencil       mean
  expected  96KiB, 16KiB     800000    2000000    1400000
  $ sed -i 's/800000/900000/' chosen/expected.yaml; warpmem study check chosen/study.yaml --database chosen.db | grep -A4 '^near'
  near  does not hold
      t
      checked:   all(expected[96KiB, 16KiB] / dram_bytes[96KiB, 16KiB] within 0.05 of 1)
      ours:      transpose 1.144, stencil 0.9784
  chosen  holds
  $ rm chosen/by.yaml; warpmem study check chosen/study.yaml --database chosen.db
  ! error: chosen/study.yaml:25:18: cannot read the file of choices "chosen/by.yaml": No such file or directory
  !       Chosen: {by: by.yaml, values: {less: 96KiB, more: 768KiB}}
  !                    ^
  [2]
