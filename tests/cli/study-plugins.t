Plug-ins in a study: a machine that names an entry of one has other results when it is built anew.

  $ need gcc
  $ need clang
  $ mkdir entries && cp $SOURCE/workloads/gemm.cu $SOURCE/workloads/*.h $SOURCE/examples/plugin_frequency.c .
  $ echo 'gcc -std=c11 -shared -fPIC -I $SOURCE/include -o entries/frequency.so plugin_frequency.c' > build && sh build
  $ printf 'study: s\nplugins: entries/frequency.so\nworkloads: {gemm: {source: gemm.cu, arguments: "--n 40"}}\n' > s.yaml
  $ printf 'machines:\n  base: gtx480\n  set: [gpu.l1.set_index=modulo, gpu.l1.size=2KiB, gpu.sm.count=2]\n  axes: {l1: {lru: [], frequency: "gpu.l1.replacement=frequency(most=7)"}}\n' >> s.yaml
  $ printf 'metrics: {l1_misses: l1.misses, dram: dram.bytes_read}\n' >> s.yaml
  $ warpmem study run s.yaml
  study s: 2 points, 2 replayed, 0 were there
  $ warpmem study table s.yaml l1_misses --csv > misses.csv; cut -d, -f1-4 misses.csv
  table,metric,machine,workload
  l1_misses,l1_misses,lru,gemm
  l1_misses,l1_misses,lru,mean
  l1_misses,l1_misses,frequency,gemm
  l1_misses,l1_misses,frequency,mean
What each machine uses is in the database, and in the report.
  $ python3 $CASES/ask_database.py s.db 'SELECT label, plugin.file, entries, length(plugin.hash) FROM plugin JOIN machine ON machine.id = machine_id'
  frequency|frequency.so| frequency |16
  $ warpmem report -q s.db -o s.html && grep -c 'plug-in <code>frequency.so</code> with<code> frequency </code><small>XXH3 ................</small>' s.html
  1
Nothing is run again while it is the same file, wherever it lies.
  $ warpmem study run s.yaml
  study s: 2 points, 0 replayed, 2 were there
  $ mkdir moved && mv entries/frequency.so moved/other.so && sed -i 's|entries/frequency|moved/other|' s.yaml && warpmem study run s.yaml
  study s: 2 points, 0 replayed, 2 were there
Built anew, its points are: not those of machines that do not use it.
  $ mv moved/other.so before.so && sed -i 's|< ((uses \*)|<= ((uses *)|' plugin_frequency.c && sh build && sed -i 's|moved/other|entries/frequency|' s.yaml
  $ warpmem study run s.yaml
  study s: 2 points, 1 replayed, 1 were there
  $ python3 $CASES/ask_database.py s.db 'SELECT count(DISTINCT results) FROM point'
  2
As it was before, the earlier results are those that were kept.
  $ cp before.so entries/frequency.so && warpmem study run s.yaml
  study s: 2 points, 0 replayed, 2 were there

By option, beside those of the file.
  $ grep -v '^plugins' s.yaml > bare.yaml
  $ warpmem study run bare.yaml 2> told; status=$?; sed 's/are lru, .*/are lru, and others/' told >&2; exit $status
  ! error: bare.yaml:6:35: machine "frequency": gpu.l1.replacement: there is no "frequency(most=7)"
  !     axes: {l1: {lru: [], frequency: "gpu.l1.replacement=frequency(most=7)"}}
  !                                     ^
  ! hint: known are lru, and others
  [2]
  $ warpmem study run --plugin entries/frequency.so bare.yaml
  study s: 2 points, 0 replayed, 2 were there
  $ warpmem study check --plugin entries/frequency.so bare.yaml
  0 claims: 0 hold, 0 do not, 0 undecided
  $ warpmem study table --plugin entries/frequency.so bare.yaml dram --csv | wc -l
  5
  $ warpmem study check bare.yaml 2>&1 | grep -o 'there is no "frequency.*'
  there is no "frequency(most=7)"
A point of it alone is what a replay with the option counts.
  $ warpmem cc $SOURCE/workloads/gemm.cu -o gemm && warpmem record -q -m gtx480 --set gpu.l1.set_index=modulo --set gpu.l1.size=2KiB --set gpu.sm.count=2 -o gemm.wmt -- ./gemm --n 40
  gemm: PASS
  $ warpmem replay -q -m gtx480 --set gpu.l1.set_index=modulo --set gpu.l1.size=2KiB --set gpu.sm.count=2 --plugin entries/frequency.so --set 'gpu.l1.replacement=frequency(most=7)' --json alone.json gemm.wmt
  $ python3 -c 'import json; print(sum(part["counters"]["misses"] for kernel in json.load(open("alone.json"))["kernels"] for part in kernel["components"] if part["kind"] == "l1"))' > alone; grep -c ",frequency,gemm,$(cat alone),$" misses.csv; grep -c ",lru,gemm,$(cat alone),$" misses.csv
  1
  0
  [1]

What is no plug-in is refused before anything runs, at its place in the file.
  $ sed 's|entries/frequency.so|missing.so|' s.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:2:10: plug-in "missing.so": there is no such file
  !   plugins: missing.so
  !            ^
  ! hint: build the plug-in: cc -shared -fPIC -o NAME.so NAME.c
  [2]
  $ sed 's|entries/frequency.so|[entries/frequency.so, s.yaml]|' s.yaml > bad.yaml; warpmem study run bad.yaml 2>&1 | grep -o 'bad.yaml:2:33: plug-in "s.yaml": '
  bad.yaml:2:33: plug-in "s.yaml": 
  $ cp entries/frequency.so twice.so; sed 's|entries/frequency.so|[entries/frequency.so, twice.so]|' s.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:2:33: plug-in "twice.so": the name of replacement entry "frequency" is taken by $HOME/entries/frequency.so
  !   plugins: [entries/frequency.so, twice.so]
  !                                   ^
  ! hint: give the plug-in's entry another name
  [2]
The file's own may be named by an option too.
  $ warpmem study run --plugin entries/frequency.so s.yaml
  study s: 2 points, 0 replayed, 2 were there
A database that was made before there was a table of plug-ins is used as it is.
  $ python3 $CASES/ask_database.py s.db 'DROP TABLE plugin'; warpmem report -q s.db -o old.html && grep -c 'plug-in <code>' old.html; warpmem study run s.yaml
  0
  study s: 2 points, 0 replayed, 2 were there
