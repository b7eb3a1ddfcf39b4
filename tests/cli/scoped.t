L1s that drop their lines at acquires (gpu.l1.coherence: scoped).

  $ need clang
  $ warpmem cc $SOURCE/tests/cli/scoped.cu -o scoped

Sixteen warps execute a fence, and one more a second one: live and from a recording, in both engines.
  $ warpmem run -q -m v100 --set gpu.l1.coherence=scoped --csv walk.csv ./scoped
  PASS
  $ warpmem run -q -m v100 --set gpu.l1.coherence=scoped --engine clock --csv clock.csv ./scoped
  PASS
  $ warpmem record -q -m v100 -o scoped.wmt -- ./scoped
  PASS
  $ warpmem replay -q -m v100 --set gpu.l1.coherence=scoped --csv replay.csv scoped.wmt
  $ warpmem replay -q -j 3 -m v100 --set gpu.l1.coherence=scoped --csv threads.csv scoped.wmt
  $ warpmem replay -q -m v100 --set gpu.l1.coherence=scoped --engine clock --csv replay-clock.csv scoped.wmt
  $ for run in walk clock replay threads replay-clock; do echo $run $(awk -F, '/^,.*self_invalidation,acquires/ { sum += $4 } END { print sum }' $run.csv); done
  walk 17
  clock 17
  replay 17
  threads 17
  replay-clock 17
  $ cmp walk.csv replay.csv; cmp replay.csv threads.csv
  $ grep -h '^,.*sm.0..l1.self_invalidation' walk.csv clock.csv
  ,gpu0.sm[0].l1.self_invalidation,acquires,2,acquires,
  ,gpu0.sm[0].l1.self_invalidation,lines,2,lines,
  ,gpu0.sm[0].l1.self_invalidation,lines_in_flight,0,lines,
  ,gpu0.sm[0].l1.self_invalidation,acquires,2,acquires,
  ,gpu0.sm[0].l1.self_invalidation,lines,2,lines,
  ,gpu0.sm[0].l1.self_invalidation,lines_in_flight,0,lines,

Without it nothing is dropped, and nothing counted.
  $ warpmem run -q -m v100 --csv none.csv ./scoped
  PASS
  $ grep -c self_invalidation none.csv
  0
  [1]

A list of memory instructions has no fences.
  $ warpmem record -q --memory-only -o short.wmt -- ./scoped
  PASS
  $ warpmem replay -q -m v100 --set gpu.l1.coherence=scoped short.wmt
  ! error: short.wmt: the recording has memory instructions alone, and no fences, which L1s of machine v100 invalidate their lines at
  ! hint: record the program without --memory-only, or set gpu.l1.coherence to none
  [2]

What does not go.
  $ warpmem machine show v100 --set gpu.l1.coherence=scoped --set gpu.l1.write=back
  ! error: --set gpu.l1.write=back: gpu.l1.coherence is scoped, and gpu.l1.write is back: a release would have to write back what is dirty
  ! hint: set gpu.l1.write to through-update or through-evict, or gpu.l1.coherence to none
  [2]
  $ warpmem machine show v100 --set gpu.l2.coherence=scoped --set gpu.l2.write=through-update --set gpu.l2.dirty_limit=0B
  ! error: --set gpu.l2.coherence=scoped: gpu.l2.coherence is scoped, and no loads and stores of SMs begin at l2
  ! hint: acquires of SMs concern the level where their accesses begin: set gpu.l2.coherence to none or mesi
  [2]
