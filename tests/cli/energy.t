Energy: counters times a table, in text, JSON and CSV; tables in place, by name, in files and from CACTI.

A trace of two loads and a store, on two cores with L1s, an instruction cache and L2. The second load finds the line of the first; the store misses an L1 that writes back and allocates.

  $ printf '==7== Lackey\nI  0400,3\n L 1000,8\nI  0403,4\n L 1008,4\nI  0407,2\n S 2000,4\n' > small.lackey
  $ warpmem import -o small.wmt small.lackey 2>/dev/null
  $ printf -- '- l1 32KiB read 10pJ write 20pJ leakage 30mW area 0.5mm2\n- instruction 32KiB read 3pJ write 4pJ leakage 1mW\n- l2 2MiB read 100pJ write 200pJ leakage 500mW area 4mm2\n- l2 8MiB read 300pJ write 400pJ leakage 1500mW area 16mm2\n- interconnect byte_mm 0.1pJ\n- dram 64B read 5nJ write 6nJ   # a burst of 8\n' > table.yaml
  $ warpmem replay small.wmt -m cpu-core2 --set gpu.energy.table=table.yaml --set gpu.energy.distance=10mm --json energy.json --csv energy.csv | sed -n '/^Energy/,/^$/p'
  Energy          reads    pJ  writes    pJ  other  pJ   energy  share
    L1                2    10       3    20             80.0 pJ   0.5%
    instruction       1     3       1     4             7.00 pJ   0.0%
    L2                3  ~200       3  ~300             1.50 nJ   8.9%  #
    interconnect  240 B     1                            240 pJ   1.4%
    DRAM              3  5000       0  6000             15.0 nJ  89.1%  #######
    all, dynamic                                        16.8 nJ
  Leakage 1062 mW; area 11 mm2.
  ~ interpolated between two rows of the energy table.
  
  $ python3 -c 'import json; print(json.dumps(json.load(open("energy.json"))["energy"], indent=1))'
  {
   "dynamic_pj": 16827.0,
   "leakage_mw": 1062.0,
   "area_mm2": 11.0,
   "structures": [
    {
     "structure": "l1",
     "units": 2,
     "capacity_bytes": 32768,
     "interpolated": false,
     "reads": 2,
     "writes": 3,
     "read_pj": 10.0,
     "write_pj": 20.0,
     "dynamic_pj": 80.0,
     "leakage_mw": 60.0,
     "area_mm2": 1.0
    },
    {
     "structure": "instruction",
     "units": 2,
     "capacity_bytes": 32768,
     "interpolated": false,
     "reads": 1,
     "writes": 1,
     "read_pj": 3.0,
     "write_pj": 4.0,
     "dynamic_pj": 7.0,
     "leakage_mw": 2.0,
     "area_mm2": 0.0
    },
    {
     "structure": "l2",
     "units": 1,
     "capacity_bytes": 4194304,
     "interpolated": true,
     "reads": 3,
     "writes": 3,
     "read_pj": 200.0,
     "write_pj": 300.0,
     "dynamic_pj": 1500.0,
     "leakage_mw": 1000.0,
     "area_mm2": 10.0
    },
    {
     "structure": "interconnect",
     "interpolated": false,
     "payload_bytes": 192,
     "header_bytes": 48,
     "byte_pj": 1.0,
     "dynamic_pj": 240.0
    },
    {
     "structure": "dram",
     "capacity_bytes": 64,
     "interpolated": false,
     "reads": 3,
     "writes": 0,
     "read_pj": 5000.0,
     "write_pj": 6000.0,
     "dynamic_pj": 15000.0
    }
   ],
   "uncounted": []
  }
  $ python3 -c 'import json; print(json.dumps(json.load(open("energy.json"))["kernels"][0]["energy"]))'
  {"dynamic_pj": 16827.0, "structures": [{"structure": "l1", "reads": 2, "writes": 3, "dynamic_pj": 80.0}, {"structure": "instruction", "reads": 1, "writes": 1, "dynamic_pj": 7.0}, {"structure": "l2", "reads": 3, "writes": 3, "dynamic_pj": 1500.0}, {"structure": "interconnect", "payload_bytes": 192, "header_bytes": 48, "dynamic_pj": 240.0}, {"structure": "dram", "reads": 3, "writes": 0, "dynamic_pj": 15000.0}]}
  $ grep energy energy.csv
  core,energy,dynamic,16827,pJ,
  core,energy l1,reads,2,events,
  core,energy l1,writes,3,events,
  core,energy l1,dynamic,80,pJ,
  core,energy instruction,reads,1,events,
  core,energy instruction,writes,1,events,
  core,energy instruction,dynamic,7,pJ,
  core,energy l2,reads,3,events,
  core,energy l2,writes,3,events,
  core,energy l2,dynamic,1500,pJ,
  core,energy interconnect,payload_bytes,192,bytes,
  core,energy interconnect,header_bytes,48,bytes,
  core,energy interconnect,dynamic,240,pJ,
  core,energy dram,reads,3,events,
  core,energy dram,writes,0,events,
  core,energy dram,dynamic,15000,pJ,
  ,energy,dynamic,16827,pJ,
  ,energy,leakage,1062,mW,
  ,energy,area,11,mm2,
  ,energy l1,reads,2,events,
  ,energy l1,writes,3,events,
  ,energy l1,dynamic,80,pJ,
  ,energy l1,read,10,pJ,
  ,energy l1,write,20,pJ,
  ,energy l1,leakage,60,mW,
  ,energy l1,area,1,mm2,
  ,energy l1,interpolated,0,switch,
  ,energy instruction,reads,1,events,
  ,energy instruction,writes,1,events,
  ,energy instruction,dynamic,7,pJ,
  ,energy instruction,read,3,pJ,
  ,energy instruction,write,4,pJ,
  ,energy instruction,leakage,2,mW,
  ,energy instruction,area,0,mm2,
  ,energy instruction,interpolated,0,switch,
  ,energy l2,reads,3,events,
  ,energy l2,writes,3,events,
  ,energy l2,dynamic,1500,pJ,
  ,energy l2,read,200,pJ,
  ,energy l2,write,300,pJ,
  ,energy l2,leakage,1000,mW,
  ,energy l2,area,10,mm2,
  ,energy l2,interpolated,1,switch,
  ,energy interconnect,payload_bytes,192,bytes,
  ,energy interconnect,header_bytes,48,bytes,
  ,energy interconnect,dynamic,240,pJ,
  ,energy interconnect,byte,1,pJ,
  ,energy interconnect,interpolated,0,switch,
  ,energy dram,reads,3,events,
  ,energy dram,writes,0,events,
  ,energy dram,dynamic,15000,pJ,
  ,energy dram,read,5000,pJ,
  ,energy dram,write,6000,pJ,
  ,energy dram,interpolated,0,switch,

Leakage becomes energy when the time is known.
  $ warpmem replay small.wmt -m cpu-core2 --set gpu.energy.table=table.yaml --set gpu.energy.time=2us | grep Leakage
  Leakage 1062 mW, in 2us 2.12 uJ; area 11 mm2.
What the table lacks is named; without a table there is nothing.
  $ warpmem replay small.wmt -m cpu-core2 --set 'gpu.energy.table=[dram 64B read 1pJ write 1pJ]' | sed -n '/^Energy/,/^$/p'
  Energy          reads  pJ  writes  pJ  other  pJ   energy   share
    DRAM              3   1       0   1             3.00 pJ  100.0%  ########
    all, dynamic                                    3.00 pJ
  Leakage 0 mW; area 0 mm2.
  Not in the energy table and not counted: l1, instruction, l2, interconnect.
  
  $ warpmem replay small.wmt -m cpu-core2 | grep -c Energy
  0
  [1]

The effective description has the rows, and describes the same machine.
  $ warpmem machine show cpu-core2 --set gpu.energy.table=table.yaml > kept.yaml; sed -n '/energy:/,/time:/p' kept.yaml
    energy:
      table: [
        l1 32KiB read 10pJ write 20pJ leakage 30mW area 0.5mm2,
        instruction 32KiB read 3pJ write 4pJ leakage 1mW,
        l2 2MiB read 100pJ write 200pJ leakage 500mW area 4mm2,
        l2 8MiB read 300pJ write 400pJ leakage 1500mW area 16mm2,
        interconnect byte_mm 0.1pJ,
        dram 64B read 5000pJ write 6000pJ] # what structures of each capacity cost; none: energy is not counted
      l2: whole                           # for which capacity of the level-two cache the table is read
      distance: 14mm                      # that a byte travels between a level-one cache and level two
      header: 8B                          # bytes of a message besides what it carries
      tracker_entry: 2B                   # bytes of a sharing tracker's entry, its tag aside
      directory_entry: 4B                 # bytes of the directory's entry of a line, its tag included
      time: 0ps                           # that the run takes, for the energy of leakage; 0ps: as the clock engine measures; none in the walk
  $ rm table.yaml; warpmem machine show ./kept.yaml | cmp - kept.yaml

CACTI's output, a row of the table for each of its runs; beside the machine file that names it.
  $ mkdir runs; cp $SOURCE/tests/fuzz/corpus/cacti/8m-32w-64b-32 runs/l2.out; cp $SOURCE/tests/fuzz/corpus/cacti/two-runs $SOURCE/tests/fuzz/corpus/cacti/cut $SOURCE/tests/fuzz/corpus/cacti/not-available runs
  $ printf -- '- l2 cacti l2.out\n- l2 cacti two-runs\n' > runs/table.yaml; sed '/table: \[/,/\] #/c\    table: runs/table.yaml' kept.yaml > mine.yaml
  $ warpmem machine show ./mine.yaml | sed -n '/table:/,/#/p'
      table: [
        l2 8MiB read 1061.05pJ write 1094.11pJ leakage 5428.49mW area 17.8586mm2,
        l2 1MiB read 79.4299pJ write 72.2029pJ leakage 337.152mW area 1.30329mm2,
        l2 512KiB read 79.4299pJ write 72.2029pJ leakage 337.152mW area 1.30329mm2] # what structures of each capacity cost; none: energy is not counted
  $ warpmem machine show cpu-core2 --set 'gpu.energy.table=[l2 cacti runs/cut]'
  ! error: runs/cut:2:61: the row is cut: it ends before or in its "Dynamic write energy (nJ)"
  !   22, 1048576, 1, 8, 256, 1.17892, 1.61855, N/A, 0.0794299, 0.
  !                                                               ^
  ! hint: a run of CACTI writes a whole row: run it again
  [2]
  $ warpmem machine show cpu-core2 --set 'gpu.energy.table=[l2 cacti runs/not-available]' 2>&1 | sed 1q
  error: runs/not-available:2:48: "Dynamic read energy (nJ)" is "N/A": no number
  $ warpmem machine show cpu-core2 --set 'gpu.energy.table=[l2 cacti gone.out]'
  ! error: --set gpu.energy.table=[l2 cacti gone.out]: cannot read the output of CACTI "gone.out": No such file or directory
  [2]

Mistakes: outside the table, and rows that are none.
  $ warpmem machine show cpu-core2 --set 'gpu.energy.table=[l2 512KiB read 1pJ write 1pJ, l2 1MiB read 1pJ write 1pJ]'
  ! error: --set gpu.energy.table=[l2 512KiB read 1pJ write 1pJ, l2 1MiB read 1pJ write 1pJ]: l2 has 4MiB, and the energy table has it of 512KiB to 1MiB
  ! hint: add a row of l2 4MiB, name another table, or change the capacity
  [2]
  $ warpmem machine show cpu-core2 --set 'gpu.energy.table=[l2 4MiB read 1pJ write 1pJ]' --set gpu.l2.size=8MiB
  ! error: --set gpu.l2.size=8MiB: l2 has 8MiB, and the energy table has it of 4MiB alone
  ! hint: add a row of l2 8MiB, name another table, or change the capacity
  [2]
  $ warpmem machine show cpu-core2 --set gpu.energy.table=ansari
  ! error: --set gpu.energy.table=ansari: there is no energy table "ansari"
  ! hint: known are anssari-22nm, garcia-22nm; a file is named with a slash or its .yaml
  [2]
  $ warpmem machine show cpu-core2 --set 'gpu.energy.table=[l2 4MiB read 1pJ]'
  ! error: --set gpu.energy.table=[l2 4MiB read 1pJ]: a row of l2 is without its write
  ! hint: write it like "l2 1MiB read 99.7pJ write 96.1pJ leakage 211.24mW area 1.25mm2" or "l2 cacti FILE"
  [2]
  $ warpmem machine show cpu-core2 --set 'gpu.energy.table=[l4 4MiB read 1pJ write 1pJ]'
  ! error: --set gpu.energy.table=[l4 4MiB read 1pJ write 1pJ]: the energy table has rows of "l4", which no machine has
  ! hint: did you mean l1? known are l1, instruction, l2, interconnect, dram, tracker, constant, texture, scalar, atomic_buffer
  [2]
  $ warpmem machine show cpu-core2 --set gpu.energy.table=./gone.yaml
  ! error: --set gpu.energy.table=./gone.yaml: cannot read the energy table "./gone.yaml": No such file or directory
  [2]
  $ printf -- '- l2 4MiB read 1pJ write 1pJ\n- l2 4MiB read 1pJ write 2pJ\n' > twice.yaml; warpmem machine show cpu-core2 --set gpu.energy.table=twice.yaml
  ! error: twice.yaml:2:3: the energy table has l2 of 4MiB twice
  !   - l2 4MiB read 1pJ write 2pJ
  !     ^
  ! hint: keep one row for each name, capacity and ports
  [2]
  $ warpmem machine show cpu-core2 --set gpu.energy.distance=14
  ! error: --set gpu.energy.distance=14: gpu.energy.distance: "14" is not a length: its unit is missing
  ! hint: write it like 14mm
  [2]

A machine with trackers and atomic buffers: what another L1 supplies is read there, and moves less of L2. The table has an L1 of two ports for it.
  $ need clang
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm && warpmem record -q -o gemm.wmt -- ./gemm --n 64 >/dev/null
  $ warpmem replay gemm.wmt -m anssari --set gpu.energy.table=anssari-22nm | sed -n '/^Energy/,/^$/p'
  Energy            reads     pJ  writes    pJ  other  pJ   energy  share
    L1             16.4 k   30.5  1.41 k  44.4              562 nJ   5.1%
    L2             5.63 k   99.7  2.05 k  96.1              758 nJ   6.9%  #
    interconnect  260 KiB  2.016                            537 nJ   4.9%
    DRAM           1.54 k   4480     512  4480             9.18 uJ  83.2%  #######
    all, dynamic                                           11.0 uJ
  Leakage 381.62 mW; area 7.01 mm2.
  Not in the energy table and not counted: atomic_buffer.
  
  $ warpmem replay gemm.wmt -m anssari --set gpu.energy.table=anssari-22nm --set gpu.tracker.present=true | sed -n '/^Energy/,/^$/p'
  Energy            reads     pJ  writes    pJ  other  pJ   energy  share
    L1             17.4 k   30.5  1.41 k  44.5              594 nJ   5.6%
    tracker        1.28 k    2.3  1.28 k   3.9             7.94 nJ   0.1%
    L2             1.54 k   99.7  2.05 k  96.1              350 nJ   3.3%
    interconnect  220 KiB  2.016                            454 nJ   4.3%
    DRAM           1.54 k   4480     512  4480             9.18 uJ  86.7%  #######
    all, dynamic                                           10.6 uJ
  Leakage 407.7 mW; area 7.11 mm2.
  Not in the energy table and not counted: atomic_buffer.
  
  $ warpmem replay gemm.wmt -m anssari --set gpu.energy.table=anssari-22nm --set gpu.tracker.present=true --set gpu.tracker.sets=2048
  ! error: --set gpu.tracker.sets=2048: tracker has 32KiB, and the energy table has it of 4KiB to 16KiB
  ! hint: add a row of tracker 32KiB, name another table, or change the capacity
  [2]

Coherent levels: two threads add to one counter in turn, so that its line goes from core to core. An add reads L1 and writes it; the other core's L1 is probed, which looks its tags up, and so is that core's L2, which sends the line. By hand of 63 moves: L1 reads 64 adds, 64 loads and 63 lines given up; the LLC looks up 66 requests of L2s.

  $ awk 'BEGIN { for (i = 0; i < 64; i++) { t = i % 2; printf "t %d\n", t; if (i > 0) printf "a %d %x\n", 1 - t, 2 * int((i + 1) / 2); printf "u 1000 4\nr %x 4\n", 8192 + t * 128 } }' > adds.din
  $ warpmem import -q -o adds.wmt adds.din
  $ for m in shared split; do for e in walk clock; do warpmem replay --engine $e adds.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml --set gpu.energy.table=garcia-22nm --set gpu.dram.device=ddr4-2400 --json $m-$e.json | sed -n '/^Energy/,/^$/p'; done; done
  Energy          reads    pJ  writes      pJ  other     pJ   energy  share
    L1                0  15.2       0    22.2      0  0.152     0 pJ   0.0%
    L2                0   314       0   308.8      0   3.14     0 pJ   0.0%
    CPU L1          191  30.5     130    44.4     63  0.305  11.6 nJ   6.2%
    CPU L2          129   314     129   308.8     63   3.14  80.5 nJ  42.9%  ###
    LLC              66  1128       3  1087.2      0   11.3  77.7 nJ  41.4%  ###
    DRAM              6  2944       0    2560      0   3439  17.7 nJ   9.4%  #
    all, dynamic                                              188 nJ
  Leakage 2103.41 mW; area 13.26 mm2.
  Not in the energy table and not counted: interconnect.
  
  Energy          reads    pJ  writes      pJ  other     pJ   energy  share
    L1                0  15.2       0    22.2      0  0.152     0 pJ   0.0%
    L2                0   314       0   308.8      0   3.14     0 pJ   0.0%
    CPU L1          191  30.5     130    44.4     63  0.305  11.6 nJ   5.8%
    CPU L2          129   314     129   308.8     63   3.14  80.5 nJ  40.0%  ###
    LLC              66  1128       3  1087.2      0   11.3  77.7 nJ  38.6%  ###
    DRAM              6  2944       0    2560      4   3439  31.4 nJ  15.6%  #
    all, dynamic                                              201 nJ
  Leakage 2103.41 mW, in 4681428ps 9.85 uJ; area 13.26 mm2.
  Not in the energy table and not counted: interconnect.
  
  Energy          reads      pJ  writes     pJ  other     pJ   energy  share
    L1                0    15.2       0   22.2      0  0.152     0 pJ   0.0%
    L2                0     314       0  308.8      0   3.14     0 pJ   0.0%
    L3                0   398.8       0  384.4      0  3.988     0 pJ   0.0%
    CPU L1          191    30.5     130   44.4     63  0.305  11.6 nJ   6.4%  #
    CPU L2          129     314     129  308.8     63   3.14  80.5 nJ  44.0%  ####
    CPU L3           66  1055.1       3   1017      0   10.6  72.7 nJ  39.7%  ###
    directory         3    67.7       3   67.5                 406 pJ   0.2%
    DRAM              6    2944       0   2560      0   3439  17.7 nJ   9.7%  #
    all, dynamic                                               183 nJ
  Leakage 2221.97 mW; area 14.19 mm2.
  Not in the energy table and not counted: interconnect.
  
  Energy          reads      pJ  writes     pJ  other     pJ   energy  share
    L1                0    15.2       0   22.2      0  0.152     0 pJ   0.0%
    L2                0     314       0  308.8      0   3.14     0 pJ   0.0%
    L3                0   398.8       0  384.4      0  3.988     0 pJ   0.0%
    CPU L1          191    30.5     130   44.4     63  0.305  11.6 nJ   5.9%
    CPU L2          129     314     129  308.8     63   3.14  80.5 nJ  41.0%  ###
    CPU L3           66  1055.1       3   1017      0   10.6  72.7 nJ  37.0%  ###
    directory         3    67.7       3   67.5                 406 pJ   0.2%
    DRAM              6    2944       0   2560      4   3439  31.4 nJ  16.0%  #
    all, dynamic                                               197 nJ
  Leakage 2221.97 mW, in 4695ns 10.4 uJ; area 14.19 mm2.
  Not in the energy table and not counted: interconnect.
  
  $ python3 -c 'import json, sys; print(*[{k: v for k, v in json.load(open(f))["energy"].items() if k != "structures"} for f in sys.argv[1:]], sep="\n")' split-walk.json split-clock.json
  {'dynamic_pj': 182912.935, 'leakage_mw': 2221.97, 'area_mm2': 14.19, 'uncounted': ['interconnect']}
  {'dynamic_pj': 196668.935, 'leakage_mw': 2221.97, 'area_mm2': 14.19, 'time_s': 4.695e-06, 'leakage_pj': 10432149.15, 'uncounted': ['interconnect']}
  $ python3 -c 'import json; e = json.load(open("split-clock.json")); print(round(e["rates"]["elapsed_cycles"] / e["rates"]["clock_hz"] / e["energy"]["time_s"], 9), [s for s in e["energy"]["structures"] if s["structure"] in ("cpu_l2", "directory", "dram")])'
  1.0 [{'structure': 'cpu_l2', 'units': 4, 'capacity_bytes': 524288, 'interpolated': False, 'reads': 129, 'writes': 129, 'read_pj': 314.0, 'write_pj': 308.8, 'tag_lookups': 63, 'tag_pj': 3.14, 'dynamic_pj': 80539.02, 'leakage_mw': 497.08, 'area_mm2': 3.24}, {'structure': 'directory', 'units': 1, 'capacity_bytes': 262144, 'interpolated': False, 'reads': 3, 'writes': 3, 'read_pj': 67.7, 'write_pj': 67.5, 'dynamic_pj': 405.6, 'leakage_mw': 81.26, 'area_mm2': 0.56}, {'structure': 'dram', 'capacity_bytes': 64, 'interpolated': False, 'reads': 6, 'writes': 0, 'read_pj': 2944.0, 'write_pj': 2560.0, 'activates': 4, 'activate_pj': 3439.0, 'dynamic_pj': 31420.0}]

A row of a level that no machine has, tags of DRAM, and a directory larger than the table's are errors.

  $ warpmem replay adds.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --set 'gpu.energy.table=[cpu_l4 1MiB read 1pJ write 1pJ]'
  ! error: --set gpu.energy.table=[cpu_l4 1MiB read 1pJ write 1pJ]: the energy table has rows of "cpu_l4", which no machine has
  ! hint: did you mean cpu_l1? known are l1, l2, l3, cpu_l1, cpu_l2, cpu_l3, interconnect, directory, dram, tracker, constant, texture, scalar, instruction, atomic_buffer, llc
  [2]
  $ warpmem replay adds.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --set 'gpu.energy.table=[dram 64B read 1pJ write 1pJ tag 1pJ]'
  ! error: --set gpu.energy.table=[dram 64B read 1pJ write 1pJ tag 1pJ]: a row of dram has no "tag"
  ! hint: after the capacity, known are read, write, activate, each with its value
  [2]
  $ warpmem replay adds.wmt -m $SOURCE/machines/examples/cpu-gpu-split-llc.yaml --set 'gpu.energy.table=[directory 64KiB read 1pJ write 1pJ]'
  ! error: --set gpu.energy.table=[directory 64KiB read 1pJ write 1pJ]: directory has 256KiB, and the energy table has it of 64KiB alone
  ! hint: add a row of directory 256KiB, name another table, or change the capacity
  [2]
