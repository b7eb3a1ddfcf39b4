Coherent levels in time: the two examples, whose last-level caches are shared and split.

Two threads add to one counter in turn, each waits for the other, and each reads a line of its own. Counts are as in the walk.

  $ awk 'BEGIN { for (i = 0; i < 64; i++) { t = i % 2; printf "t %d\n", t; if (i > 0) printf "a %d %x\n", 1 - t, 2 * int((i + 1) / 2); printf "u 1000 4\nr %x 4\n", 8192 + t * 128 } }' > adds.din
  $ warpmem import -q -o adds.wmt adds.din
  ! error: adds.din: thread 1 waits for 62 accesses of thread 0, which makes 40 (all hexadecimal)
  ! hint: the trace was cut or edited: trace the program again, or leave the order out: --unordered
  [2]
  $ for m in shared split; do warpmem replay -q adds.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml | sed -n '/^Kernel/,/^cores/p; /^Coherence/,/^$/p' > $m.walk; done
  ! error: adds.wmt: cannot open it: No such file or directory
  ! error: adds.wmt: cannot open it: No such file or directory
  $ for m in shared split; do warpmem replay -q --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml --json $m.json --csv $m.csv > $m.text; sed -n '/^Kernel/,/^cores/p; /^Coherence/,/^$/p' $m.text > $m.clock; done
  ! error: adds.wmt: cannot open it: No such file or directory
  ! error: adds.wmt: cannot open it: No such file or directory
  $ cat shared.clock
  $ cmp shared.walk shared.clock && cmp split.walk split.clock

Where the other side's last-level cache is behind a directory, a line takes longer from core to core only if the cores are of different sides.

  $ for m in shared split; do sed -n '/^CPU cores/,/^  cpu0.core.1/p' $m.text; done

The mean latency of an atomic's read, by core, and how many messages that took.

  $ for m in shared split; do grep -E 'core\[[01]\].l1.coherent_timing.*(locked_reads|locked_read_cycles|messages)' $m.csv; done
  ! grep: shared.csv: No such file or directory
  ! grep: split.csv: No such file or directory
  [2]

Any number of the host's threads changes nothing.

  $ for m in shared split; do warpmem replay -q --engine clock -j 4 adds.wmt -m $SOURCE/machines/examples/cpu-gpu-$m-llc.yaml --json $m-4.json > $m-4.text; cmp $m.text $m-4.text && cmp $m.json $m-4.json; done
  ! error: adds.wmt: cannot open it: No such file or directory
  ! cmp: shared.json: No such file or directory
  ! error: adds.wmt: cannot open it: No such file or directory
  ! cmp: split.json: No such file or directory
  [2]

A kernel beside the cores, on lines that both have; the faster clock of the cores is that of the caches then.

  $ need clang
  $ warpmem cc $SOURCE/workloads/histogram.cu -o histogram && warpmem record -q -o histogram.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml -- ./histogram
  histogram: PASS
  $ warpmem replay -q --engine clock histogram.wmt --cores adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set cpu.core.clock=2GHz | sed -n '/^Warps waited/,/^ *all/p; /^Load.store stalls/,/^ *all/p; /^Coherence/,/^$/p'
  ! error: adds.wmt: cannot open it: No such file or directory

What is not there beside coherent levels.

  $ warpmem replay -q --engine clock adds.wmt -m $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml --set gpu.interconnect.topology=butterfly
  ! error: the clock engine has no butterfly beside coherent levels, which machine cpu-gpu-shared-llc has
  ! hint: set gpu.interconnect.topology to crossbar, or use --engine walk
  [2]
