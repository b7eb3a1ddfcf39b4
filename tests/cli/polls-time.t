Threads that look and sleep, in time (docs/cuda.md, "Threads on CPU cores"). What comes back to the state that it was in is a deadlock, soon; what does not goes on.

  $ need clang
  $ cp $SOURCE/tests/programs/host_threads/patient.cu patient.cu; cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml
  $ warpmem cc -g --trace-host patient.cu -o patient
  $ printf 'warpmem run -q --host-threads --limit-time 60s -m ./llc.yaml "$@" 2>&1 | grep -v "^hint: have\|before it could write"\n' > run.sh
  $ for case in stream event two sleeps; do sh run.sh --engine clock ./patient $case; done
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:83
  kernel answer(words volatile*) waits in a loop for what no kernel writes
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:164
  kernel answer(words volatile*) waits in a loop for what no kernel writes
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:83
  thread 1, made by thread 0 at patient.cu:169, waits in a loop with sleeps at patient.cu:171
  kernel answer(words volatile*) waits in a loop for what no kernel writes
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:83
  kernel answer_with_sleeps(words volatile*) waits in a loop for what no kernel writes
  $ for case in register memory stack clock beats another spins 'sleeps count'; do sh run.sh --engine clock ./patient "$case"; done
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  $ for case in cycles time sleep work; do sh run.sh --engine clock ./patient $case; done
  patient: 7
  patient: 7
  patient: 7
  patient: 7

The same without time.

  $ for case in stream event two sleeps; do sh run.sh ./patient $case; done
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:83
  kernel answer(words volatile*) waits in a loop for what no kernel writes
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:164
  kernel answer(words volatile*) waits in a loop for what no kernel writes
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:83
  thread 1, made by thread 0 at patient.cu:169, waits in a loop with sleeps at patient.cu:171
  kernel answer(words volatile*) waits in a loop for what no kernel writes
  error: --host-threads: a deadlock: no thread can run
  thread 0 waits in a loop with sleeps at patient.cu:83
  kernel answer_with_sleeps(words volatile*) waits in a loop for what no kernel writes
  $ for case in register memory stack clock 'clock often' beats another spins 'sleeps count'; do sh run.sh ./patient "$case"; done
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  patient: 7
  $ for case in cycles time sleep work; do sh run.sh ./patient $case; done
  patient: 7
  patient: 7
  patient: 7
  patient: 7
