A study whose programs run on each machine, their threads on its CPU cores (host_threads).

  $ need clang
  $ cp $SOURCE/tests/programs/host_threads/flags.cu .
  $ cp $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml shared.yaml
  $ cp $SOURCE/machines/examples/cpu-gpu-split-llc.yaml split.yaml
  $ cp $CASES/studies/together.yaml study.yaml
  $ warpmem study run study.yaml
  study together: 2 points, 2 run, 0 were there
  claims: 2 hold, 0 do not, 0 undecided
  $ warpmem study run study.yaml
  study together: 2 points, 0 run, 2 were there
  claims: 2 hold, 0 do not, 0 undecided
  $ warpmem study check study.yaml | grep -E '^[12]|ours'
  1  holds
      ours:      flags 1520; 1520
  2  holds
      ours:      flags 13 and 32
  2 claims: 2 hold, 0 do not, 0 undecided

The numbers are those of a run.

  $ warpmem cc --trace-host flags.cu -o flags
  $ warpmem study table study.yaml cpu --csv | grep split
  cpu,cpu,split,flags,1520,
  cpu,cpu,split,mean,1520,
  $ warpmem run -q --host-threads -m ./split.yaml --json run.json ./flags
  flags: PASS
  $ python3 -c "import json; print(sum(c['counters']['accesses'] for c in json.load(open('run.json'))['components'] if c['kind'] == 'cpu_l1'))"
  1520

In time: the cycles of threads and kernels together are those of the cores, which are under way from the begin to the end.

  $ sed '/^study/a engine: clock' study.yaml | sed 's/cpu: run.cpu_l1.accesses/cpu: cores.cycles/; s/^  missed: .*/  missed: kernels.cycles - cores.cycles/; s/cpu.split. > 512 and cpu.shared. > 512/min(cpu[split], cpu[shared]) > 1000/; s/missed.shared. < missed.split./missed[split] < cpu[split]/' > time.yaml
  $ warpmem study run time.yaml --database time.db
  study together: 2 points, 2 run, 0 were there
  claims: 2 hold, 0 do not, 0 undecided
  $ warpmem study table time.yaml cpu --csv --database time.db | grep flags > cycles
  $ warpmem run -q --engine clock --host-threads -m ./split.yaml --json run.json ./flags
  flags: PASS
  $ python3 -c "import json; print('cpu,cpu,split,flags,%d,' % next(k['cycles'] for k in json.load(open('run.json'))['kernels'] if k['name'] == 'cores'))" | grep -cFf - cycles
  1

A program that fails, and one that is not instrumented.

  $ printf '#include <cuda_runtime.h>\n__global__ void nothing() {}\nint main() { nothing<<<1, 1>>>(); cudaDeviceSynchronize(); return 1; }\n' > fails.cu
  $ warpmem cc flags.cu -o plain
  $ sed 's/{flags: flags.cu}/{fails: fails.cu, plain: {command: .\/plain}}/' study.yaml > fail.yaml
  $ warpmem study run fail.yaml --database fail.db
  study together: 4 points, 0 run, 0 were there, 4 failed
  claims: 0 hold, 0 do not, 2 undecided
  ! failed: fails on "split" and 1 more: the run ended with status 1
  ! failed: plain on "split" and 1 more: the run ended with status 2: error: $HOME/plain: its host code is not instrumented, so that its threads' loads and stores are not known
  ! hint: compile and link it with warpmem cc --trace-host, or leave out --host-threads
  [1]

What does not go together.

  $ sed '/^study/a order: any' study.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:3:8: host_threads goes with no order: any
  !   order: any
  !          ^
  ! hint: leave the order out: nothing is recorded
  [2]
  $ sed 's/.\/shared.yaml/v100/' study.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:5:11: machine v100 has no CPU cores beside its SMs that could run the program's threads
  !   machines: {base: ./split.yaml, axes: {llc: {split: [], shared: {machine: v100}}}}
  !             ^
  ! hint: take a machine that has a cpu, as machines/examples/cpu-gpu-llc.yaml
  [2]
  $ sed 's/^host_threads: true/host_threads: 4/' study.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:3:15: host_threads is "4"
  !   host_threads: 4
  !                 ^
  ! hint: "true", as run --host-threads, or "false"
  [2]
