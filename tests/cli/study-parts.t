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
