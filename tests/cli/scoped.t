L1s that drop their lines at acquires (gpu.l1.coherence: scoped).

  $ need clang
  $ warpmem cc $SOURCE/tests/cli/scoped.cu -o scoped

Sixteen warps execute a fence, and one more a second one: live and from a recording, in both engines.
  $ warpmem run -q -m v100 --set gpu.l1.coherence=scoped --csv walk.csv ./scoped
  $ warpmem run -q -m v100 --set gpu.l1.coherence=scoped --engine clock --csv clock.csv ./scoped
  $ warpmem record -q -m v100 -o scoped.wmt -- ./scoped
  $ warpmem replay -q -m v100 --set gpu.l1.coherence=scoped --csv replay.csv scoped.wmt
  $ warpmem replay -q -j 3 -m v100 --set gpu.l1.coherence=scoped --csv threads.csv scoped.wmt
  $ warpmem replay -q -m v100 --set gpu.l1.coherence=scoped --engine clock --csv replay-clock.csv scoped.wmt
  $ for run in walk clock replay threads replay-clock; do echo $run $(awk -F, '/self_invalidation,acquires/ { sum += $4 } END { print sum }' $run.csv); done
  $ cmp walk.csv replay.csv; cmp replay.csv threads.csv
  $ grep -h 'sm.0..l1.self_invalidation' walk.csv clock.csv

Without it nothing is dropped, and nothing counted.
  $ warpmem run -q -m v100 --csv none.csv ./scoped
  $ grep -c self_invalidation none.csv

A list of memory instructions has no fences.
  $ warpmem record -q --memory-only -o short.wmt -- ./scoped
  $ warpmem replay -q -m v100 --set gpu.l1.coherence=scoped short.wmt

What does not go.
  $ warpmem machine show v100 --set gpu.l1.coherence=scoped --set gpu.l1.write=back
  $ warpmem machine show v100 --set gpu.l2.coherence=scoped --set gpu.l2.write=through-update --set gpu.l2.dirty_limit=0B
