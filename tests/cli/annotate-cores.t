CPU code is annotated like kernels: which line of the source takes copies of other caches, misses for it, and whether
that was true or false sharing.

Two threads take turns, sixteen in all; in each, a thread adds to a counter of its own, whose word lies beside the
other's, to one in a line of its own, and to one that both have.

  $ printf 'void work(int me)\n{\n    near[me]++;\n    apart[me].count++;\n    shared++;\n}\n' > work.c
  $ awk 'BEGIN { print "s 1000 8 near\ns 2000 100 _ZZ4workE5apart.1\ns 2f80 104 _ZN2ns5tableE\ns 3000 4 ns::shared\nl 1 10 work 3 work.c\nl 2 20 work 4 work.c\nl 3 30 work 5 work.c"; for (i = 0; i < 16; i++) { t = i % 2; printf "t %d\n", t; if (i > 0) printf "a %d %x\n", 1 - t, 3 * int((i + 1) / 2); printf "u %x 4 @1\nu %x 4 @2\nu 3000 4 @3\n", 4096 + 4 * t, 8192 + 128 * t } }' > work.din
  $ warpmem import -q -o work.wmt work.din
  $ warpmem trace check work.wmt; warpmem trace info work.wmt | grep ^names; warpmem trace info --json work.wmt | jq .names_of_memory
  work.wmt: complete, 1 launch
  names of memory       4
  4

Each of the sixteen but the first takes the other's copy, in L1 and in L2 (30), and each thread's first is no miss of a line
that was taken (28).

  $ warpmem annotate --json work.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml work.wmt
  warpmem: cpu-gpu-shared-llc, untimed walk, misses explained
  
  cores, 1 launch
  work.c
  line access sect/req used CPU L1 CPU L2  LLC CPU L1-CPU L2 LLC bytes bank     DRAM unused        shared  taken   lost false
     2                                                                                                                         {
     3     16      1.0  12%     0%     0%  94%      3.88 KiB     128 B         128 B                          30     28  100%      near[me]++;
     4     16      1.0  12%    88%     0%   0%         256 B     256 B         256 B                                               apart[me].count++;
     5     16      1.0  12%     0%     0%  94%      3.88 KiB     128 B         128 B                          30     28    0%      shared++;
     6                                                                                                                         }
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; CPU L1: of the
    sectors looked for there, those found; bank: passes of shared memory's banks, an access to it;
    unused: of the bytes fetched into L1, those that no lane used; shared: what most of the lines it
    loads are, and how many of its requests; taken: copies of other caches that its writes took; lost:
    lines that it missed as others' writes had taken them; false: of such misses the share for bytes
    that no other wrote.
  
  Written lines                        caches  writers  taken  true  false
    0x1000 near                             2        2     15     0     14
      work.c:3 atomic                       2              15     0     14
    0x3000 ns::table+0x80, ns::shared       2        2     15    14      0
      work.c:5 atomic                       2              15    14      0
    true: misses of endless caches for it, for bytes that another wrote; false: for others: false
    sharing.
  $ jq -c '.kernels[].sections[].lines[] | select(.counters) | [.line, .counters["coherence.copies_taken", "coherence.misses"], .explained.true_sharing, .explained.false_sharing]' work.json
  [3,30,28,0,14]
  [4,0,0,0,0]
  [5,30,28,14,0]
  $ jq -c '.written_lines | .line_bytes, .total, (.lines[] | [.address, .names, .caches, .writers, .copies_taken, .true_misses, .false_misses, (.places[] | [.on_cores, .text, .line, .units])])' work.json
  128
  2
  ["0x1000",[{"name":"near","offset":0,"at":0,"bytes":8}],2,2,15,0,14,[true,"work+0x10 locked",3,2]]
  ["0x3000",[{"name":"ns::table","offset":128,"at":0,"bytes":128},{"name":"ns::shared","offset":0,"at":0,"bytes":4}],2,2,15,14,0,[true,"work+0x30 locked",5,2]]

Counters by instruction have it without explanations, in the walk and in time.

  $ for engine in walk clock; do warpmem replay -q --engine $engine --json $engine.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml work.wmt; jq -c '.kernels[].instructions[] | [.text, .source.line, .counters["coherence.copies_taken", "coherence.misses"]]' $engine.json; done
  ["work+0x10 locked",3,30,28]
  ["work+0x20 locked",4,0,0]
  ["work+0x30 locked",5,30,28]
  ["work+0x10 locked",3,30,28]
  ["work+0x20 locked",4,0,0]
  ["work+0x30 locked",5,30,28]
  $ for j in 1 2; do warpmem replay -q -j $j --explain --csv $j.csv -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml work.wmt; done; cmp 1.csv 2.csv
  $ grep -v ',line ' 1.csv | grep -c -E 'true_sharing|copies_taken'
  6

The lines that several write are in what `replay` counts, too: in the JSON form as annotate has them, in CSV a row a figure.

  $ warpmem replay -q --explain --json explained.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml work.wmt
  $ for of in work explained; do jq -c .written_lines $of.json > $of.lines; done; cmp work.lines explained.lines
  $ jq -c '.counters.written_line.counters, .counters.written_line_place.counters | keys_unsorted' explained.json
  ["caches","writers","copies_taken","true_misses","false_misses"]
  ["units","copies_taken","true_misses","false_misses"]
  $ jq -c 'has("written_lines")' walk.json clock.json
  false
  false
  $ grep ',line ' 1.csv
  ,line 0x1000,caches,2,caches,near
  ,line 0x1000,writers,2,caches,near
  ,line 0x1000,copies_taken,15,lines,near
  ,line 0x1000,true_misses,0,misses,near
  ,line 0x1000,false_misses,14,misses,near
  cores,line 0x1000 pc 0,units,2,units,work.c:3 work+0x10 locked
  cores,line 0x1000 pc 0,copies_taken,15,lines,work.c:3 work+0x10 locked
  cores,line 0x1000 pc 0,true_misses,0,misses,work.c:3 work+0x10 locked
  cores,line 0x1000 pc 0,false_misses,14,misses,work.c:3 work+0x10 locked
  ,line 0x3000,caches,2,caches,"ns::table+0x80, ns::shared"
  ,line 0x3000,writers,2,caches,"ns::table+0x80, ns::shared"
  ,line 0x3000,copies_taken,15,lines,"ns::table+0x80, ns::shared"
  ,line 0x3000,true_misses,14,misses,"ns::table+0x80, ns::shared"
  ,line 0x3000,false_misses,0,misses,"ns::table+0x80, ns::shared"
  cores,line 0x3000 pc 2,units,2,units,work.c:5 work+0x30 locked
  cores,line 0x3000 pc 2,copies_taken,15,lines,work.c:5 work+0x30 locked
  cores,line 0x3000 pc 2,true_misses,14,misses,work.c:5 work+0x30 locked
  cores,line 0x3000 pc 2,false_misses,0,misses,work.c:5 work+0x30 locked
  $ warpmem explain written_line.false_misses
  written_line.false_misses: a counter
    counts      misses of endless caches for the line, which another's write had
                taken, after which no such byte was accessed: false sharing
    unit        misses
    of          line that several caches access and one writes

CPU and GPU together, as the program runs: in each of four rounds a kernel's read finds its line taken by the host, but for the first,
its write takes the host's copy, and the host does the same. What the host prints at the end are words that the kernel wrote, so its
last miss of the first line was of use.

  $ need clang
  $ warpmem cc --trace-host -g -O1 $SOURCE/tests/cli/sides.cu -o sides
  $ warpmem annotate --host-threads -q --json sides.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./sides
  4 4 8
  $ jq -c '.written_lines.lines[] | [.caches, .writers, .copies_taken, .true_misses, .false_misses, (.places[] | [.on_cores, .kind, .line, .units, .copies_taken, .true_misses, .false_misses])]' sides.json
  [2,2,8,1,6,[false,"store",9,1,4,0,0],[true,"load",21,1,0,1,3],[true,"store",21,1,4,0,0],[false,"load",9,1,0,0,3]]
  [2,2,8,7,0,[false,"store",10,1,4,0,0],[true,"load",22,1,0,4,0],[true,"store",22,1,4,0,0],[false,"load",10,1,0,3,0]]
  $ jq -c '.kernels[] | .name, (.sections[].lines[] | select(.counters["coherence.copies_taken"] > 0) | [.line, .counters["coherence.copies_taken", "coherence.misses"], .explained.true_sharing, .explained.false_sharing])' sides.json
  "cores"
  [21,8,8,1,3]
  [22,8,8,4,0]
  "_Z3addPVi"
  [9,8,6,0,3]
  [10,8,6,3,0]
  $ warpmem annotate --host-threads -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./sides | grep -A 9 '^Written lines'
  Written lines                                             caches  writers  taken  true  false
    0x200000000000 cudaMallocManaged #1 (sides.cu:16)            2        2      8     1      6
      sides.cu:9 store, add                                      1               4     0      0
      sides.cu:21 load                                           1               0     1      3
      sides.cu:21 store                                          1               4     0      0
      sides.cu:9 load, add                                       1               0     0      3
    0x200000000080 cudaMallocManaged #1 (sides.cu:16)+0x80       2        2      8     7      0
      sides.cu:10 store, add                                     1               4     0      0
      sides.cu:22 load                                           1               0     4      0
      sides.cu:22 store                                          1               4     0      0

What lines are called is in annotate-names.t.

  $ warpmem annotate --host-threads --measure walk -- ./sides
  ! error: warpmem annotate: --host-threads contradicts --measure and --serial-streams
  [2]
  $ warpmem annotate --host-threads work.wmt
  ! error: warpmem annotate: a recording runs no program: no limits, no --fail-on-error, no --serial-streams and no --host-threads
  [2]

In time the same lines have cycles, and what served their loads, as the lines of kernels. Here all accesses wait for each other,
so that what is explained is the walk's. A locked operation that finds its line in the other core's L2 takes as long as that.

  $ warpmem annotate --engine clock --json time.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml work.wmt
  warpmem: cpu-gpu-shared-llc, in time, misses explained
  
  cores, 1 launch
  work.c
  line access sect/req used CPU L1 CPU L2  LLC CPU L1-CPU L2 LLC bytes bank     DRAM cycles     served by unused  taken   lost false
     2                                                                                                                                {
     3     16      1.0  12%     0%     0%  94%      3.88 KiB     128 B         128 B    137    CPU L2 94%            30     28  100%      near[me]++;
     4     16      1.0  12%    88%     0%   0%         256 B     256 B         256 B    159    CPU L1 88%                                 apart[me].count++;
     5     16      1.0  12%     0%     0%  94%      3.88 KiB     128 B         128 B    295    CPU L2 94%            30     28    0%      shared++;
     6                                                                                                                                }
  
    access: memory instructions of warps; sect/req: sectors of 32 bytes that a warp's request touches
    (Nsight Compute: Sectors/Req); used: bytes requested, of those sectors' bytes; CPU L1: of the
    sectors looked for there, those found; bank: passes of shared memory's banks, an access to it;
    cycles: mean cycles of a load; served by: what most of its loads had to wait for, and how many of
    them; unused: of the bytes fetched into L1, those that no lane used; taken: copies of other caches
    that its writes took; lost: lines that it missed as others' writes had taken them; false: of such
    misses the share for bytes that no other wrote.
  
  Written lines                        caches  writers  taken  true  false
    0x1000 near                             2        2     15     0     14
      work.c:3 atomic                       2              15     0     14
    0x3000 ns::table+0x80, ns::shared       2        2     15    14      0
      work.c:5 atomic                       2              15    14      0
    true: misses of endless caches for it, for bytes that another wrote; false: for others: false
    sharing.
  $ warpmem annotate -q --json work.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml work.wmt
  $ for f in work time; do jq -S -c '[.written_lines, [.kernels[].sections[].lines[] | select(.counters) | [.counters, (.explained | del(.reads_private, .reads_boundary, .reads_broadcast, .reads_dynamic))]]]' $f.json > $f.same; done; cmp work.same time.same
  $ jq -c '.kernels[].sections[].lines[] | select(.timed) | [.line, .timed, .served]' time.json
  [3,{"loads":16,"load_cycles":2194,"loads_cached":0,"requests_waited":16},{"cpu_l2":15,"dram":1}]
  [4,{"loads":16,"load_cycles":2542,"loads_cached":14,"requests_waited":2},{"cpu_l1":14,"dram":2}]
  [5,{"loads":16,"load_cycles":4721,"loads_cached":0,"requests_waited":16},{"cpu_l2":15,"dram":1}]
  $ warpmem replay -q --engine clock --explain --json time.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml work.wmt
  $ jq -c '[([.components[] | select(.path | test("^cpu0.core.*timing$")) | .counters | .load_cycles + .locked_cycles] | add), ([.kernels[].instructions[].timed.load_cycles] | add)]' time.json
  [9457,9457]

Two threads at once: what one loses depends on when the other's stores are done, and what each line took and missed is what its
core's caches say, half of it at L1 and half at L2.

  $ awk 'BEGIN { print "l 1 10 work 3 work.c\nl 2 20 work 4 work.c"; for (t = 0; t < 2; t++) { printf "t %d\n", t; for (i = 0; i < 400; i++) printf "n 3e8\nr %x 4 @1\nw %x 4 @2\n", 4096 + 4 * (1 - t), 4096 + 4 * t } }' > free.din
  $ warpmem import -q -o free.wmt free.din
  $ for engine in walk clock; do warpmem annotate -q --engine $engine --json $engine.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml free.wmt; jq -c '(.written_lines.lines[] | [.copies_taken, .true_misses, .false_misses]), (.kernels[].sections[].lines[] | select(.counters) | [.line, .counters["coherence.copies_taken", "coherence.misses", "cpu_l1.misses"], .explained.cpu_l1_cold, .explained.cpu_l1_coherence, .explained.true_sharing, .explained.false_sharing])' $engine.json; done
  [355,354,0]
  [3,0,532,268,2,266,266,0]
  [4,710,176,88,0,88,88,0]
  [600,598,1]
  [3,0,798,401,2,399,399,0]
  [4,1200,0,0,0,0,199,1]

A running program, and its kernel. A core makes what its thread has executed a little later, and a kernel may have begun by then: so
in time they take fewer copies from each other.

  $ warpmem annotate --host-threads --engine clock -q --json sides-time.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./sides
  4 4 8
  $ jq -c '.written_lines.lines[] | [.caches, .writers, .copies_taken, .true_misses, .false_misses, (.places[] | [.on_cores, .kind, .line, .units, .copies_taken, .true_misses, .false_misses])]' sides-time.json
  [2,2,8,7,0,[false,"store",10,1,4,2,0],[true,"load",22,1,0,3,0],[true,"store",22,1,4,1,0],[false,"load",10,1,0,1,0]]
  [2,2,6,2,3,[true,"store",17,1,1,0,0],[false,"load",9,1,0,1,1],[false,"store",9,1,2,0,1],[true,"load",21,1,0,1,1],[true,"store",21,1,3,0,0]]
  $ jq -c '.kernels[] | .name, (.sections[].lines[] | select(.counters["coherence.copies_taken"] > 0) | [.line, .counters["coherence.copies_taken", "coherence.misses"], .explained.true_sharing, .explained.false_sharing, .timed, .served])' sides-time.json
  "cores"
  [17,2,0,0,0,{"loads":3,"load_cycles":166,"loads_cached":2,"requests_waited":1},{"cpu_l1":2,"dram":1}]
  [21,6,4,1,1,{"loads":8,"load_cycles":495,"loads_cached":6,"requests_waited":2},{"l2":2,"cpu_l1":6}]
  [22,8,8,4,0,{"loads":4,"load_cycles":743,"loads_cached":1,"requests_waited":3},{"l2":3,"cpu_l1":1}]
  "_Z3addPVi"
  [9,4,4,1,2,{"loads":4,"load_cycles":554,"loads_cached":1,"requests_waited":3},{"l1":1,"cpu_l2":2,"dram":1}]
  [10,8,3,3,0,{"loads":4,"load_cycles":403,"loads_cached":2,"requests_waited":2},{"l1":2,"cpu_l2":2}]
  $ warpmem annotate --host-threads --engine clock --html sides.html -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./sides | grep -E '^warpmem|line access|^  (10|21|22) |^   9 '
  warpmem: cpu-gpu-shared-llc, in time, misses explained
  line access sect/req used   L1   L2 CPU L1 CPU L2  LLC    L1-L2 CPU L1-CPU L2 LLC bytes bank     DRAM cycles     served by unused  taken   lost false
     9                                                                                                                                                       data[KERNELS] += 1; // beside
    21     12      1.0  17%              82%     0% 100%    256 B         256 B     256 B           0 B     62    CPU L1 75%             6      4   50%          data[OWN] = data[OWN] + 1; // own
    22      8      1.0  12%              43%     0% 100%    512 B         512 B     384 B           0 B    186        L2 75%             8      8    0%          data[BOTH] = data[BOTH] + 1; // both, host
  line access sect/req used   L1   L2 CPU L1 CPU L2  LLC    L1-L2 CPU L1-CPU L2 LLC bytes bank     DRAM cycles     served by unused  taken   lost false
     9      8      1.0  12%  62%   0%                67%    512 B         384 B     384 B         128 B    138    CPU L2 50%    97%      4      4   67%      data[KERNELS] += 1; // beside
    10      8      1.0  12%  75%   0%               100%    512 B         512 B     256 B           0 B    101        L1 50%    97%      8      3    0%      data[BOTH] += 1; // both, kernel
  $ grep -o '<p class=sub>.*in time' sides.html | grep -o 'in time'
  in time
  $ warpmem annotate --host-threads --engine clock -q --json again.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./sides && cmp again.json sides-time.json
  4 4 8
  $ warpmem annotate --engine clock --measure walk -- ./sides
  ! error: warpmem annotate: --measure and --engine clock contradict each other, but of recordings (warpmem record)
  [2]
  $ warpmem annotate --engine fast -- ./sides
  ! error: warpmem annotate: --engine is walk or clock
  [2]

Beside coherent levels SMs' L1s need not be coherent: what they do is noted as it is executed.

  $ warpmem annotate --host-threads --engine clock -q --json scoped.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.l1.coherence=scoped --set gpu.l1.write=through-update --set gpu.l1.write_allocate=false --set gpu.l2.inclusion=non-inclusive -- ./sides
  4 4 8
  $ jq -c '.written_lines.lines[] | [.caches, .writers, .copies_taken, .true_misses, .false_misses]' scoped.json
  [2,2,8,7,0]
  [2,2,6,2,3]

A trace that says what is no place of code is refused; one whose tool's comments begin with @ is not.

  $ printf 'l 1 10 work 3 work.c\nr 0 4 @2\n' > bad.din; warpmem import -q -o bad.wmt bad.din
  ! error: bad.din:2: "r 0 4 @2" has a place of code that no line l before it names
  [2]
  $ printf 'l 2 10 work\n' > bad.din; warpmem import -q -o bad.wmt bad.din
  ! error: bad.din:1: place 2 comes where 1 is expected: they are numbered from 1, one after the other
  [2]
  $ printf 'l 1 10 work 0 work.c\n' > bad.din; warpmem import -q -o bad.wmt bad.din
  ! error: bad.din:1: line 0 is in no source: lines count from 1
  [2]
  $ printf 'r 0 4 @2\n' > good.din; warpmem import -q -o good.wmt good.din

Refused, too, are names of what can be no memory.

  $ printf 's 1000 0 near\nr 0 4\n' > bad.din; warpmem import -q -o bad.wmt bad.din
  ! error: bad.din:1: "near" has a size that no memory has
  [2]
  $ printf 's ffffffffffffffff 2 near\nr 0 4\n' > bad.din; warpmem import -q -o bad.wmt bad.din
  ! error: bad.din:1: "near" has a size that no memory has
  [2]
  $ printf 's 1000 8\nr 0 4\n' > bad.din; warpmem import -q -o bad.wmt bad.din
  ! error: bad.din:1: "s 1000 8" is no line of Dinero's
  ! hint: Dinero's lines are "0 ADDRESS", "1 ADDRESS" or "2 ADDRESS" (read, write, fetch), or "r ADDRESS SIZE", "w …", "i …"; all numbers are hexadecimal
  [2]

Of several traces each has its variables at its own addresses; with --shared equal ones are the same.

  $ warpmem import -q -o two.wmt work.din work.din; warpmem annotate -q --json two.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml two.wmt
  $ jq -c '.written_lines.lines[] | [.address, (.names[] | .name)]' two.json
  ["0x1000","near"]
  ["0x3000","ns::table","ns::shared"]
  ["0x100000000001000","near"]
  ["0x100000000003000","ns::table","ns::shared"]
  $ warpmem import -q --shared -o two.wmt work.din work.din; warpmem annotate -q --json two.json -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml two.wmt
  $ jq -c '.written_lines.lines[] | [.address, (.names[] | .name)]' two.json
  ["0x1000","near"]
  ["0x3000","ns::table","ns::shared"]
  ["0x2000","work::apart.1"]
  ["0x2080","work::apart.1"]
