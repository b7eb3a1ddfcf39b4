What lines of memory that several write are called (docs/misses.md).

  $ need clang

Lines go by what has bytes of them that were accessed: variables of the program, those of kernels, and allocations, by the call and its line. A recording has
the same names.

  $ warpmem cc --trace-host -g -O1 $SOURCE/tests/cli/named.cu -o named
  $ warpmem annotate --host-threads -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --json live.json -- ./named | grep -E '^  0x[0-9a-f]+ [^ ]' | sed 's/  0x[0-9a-f]* //'
  cudaMallocManaged #3 (named.cu:39)             3        3     11     9      0
  cudaHostAlloc #1 (named.cu:20)                 2        2      8     0      7
  counters::total, count(int*, int)::calls       2        2      8     7      0
  on_device                                      2        2      7     6      0
  counters::each                                 2        2      7     1      5
  $ warpmem record -q --host-threads -o named.wmt -- ./named
  68 20
  $ warpmem annotate -q --json recorded.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml named.wmt
  $ for of in live recorded; do jq -c '.written_lines.lines[].names[] | [.name, .offset, .at, .bytes]' $of.json > $of.names; done; cmp live.names recorded.names; cat live.names
  ["cudaMallocManaged #3 (named.cu:39)",0,0,128]
  ["cudaHostAlloc #1 (named.cu:20)",0,0,128]
  ["counters::total",0,32,4]
  ["count(int*, int)::calls",0,36,8]
  ["on_device",0,0,128]
  ["counters::each",0,16,8]

Without threads of the program a recording has allocations alone, which are numbered.

  $ warpmem record -q -o kernels.wmt -- ./named > /dev/null; warpmem replay -q --explain --json kernels.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml kernels.wmt
  $ jq -c '.written_lines.lines[].names[].name' kernels.json
  "allocation #2 (256 B)"
  "allocation #3 (4.00 KiB)"

Nor has a run without them lines of the source for allocations; variables of kernels have their names.

  $ warpmem run -q --explain --json kernels.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml ./named > /dev/null; jq -c '.written_lines.lines[].names[].name' kernels.json
  "cudaMallocManaged #3"
  "on_device"

Without debugging information allocations have no lines, and variables their names; a stripped program has none.

  $ strip -g named; warpmem annotate --host-threads -q -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --json live.json -- ./named > /dev/null; jq -c '.written_lines.lines[].names[].name' live.json
  "cudaMallocManaged #3"
  "cudaHostAlloc #1"
  "counters::total"
  "count(int*, int)::calls"
  "on_device"
  "counters::each"
  $ strip named; warpmem annotate --host-threads -q -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --json live.json -- ./named > /dev/null; jq -c '.written_lines.lines[].names[].name' live.json
  "cudaMallocManaged #3"
  "cudaHostAlloc #1"
  "on_device"
