What a study and its database may not be, said before any work begins.

  $ need clang
  $ cp $CASES/studies/small.yaml .
  $ warpmem study run
  ! error: warpmem study run: an operand is missing
  ! hint: usage: warpmem study run [options] FILE
  [2]
  $ warpmem study run nowhere.yaml
  ! error: cannot open "nowhere.yaml": No such file or directory
  [2]
  $ warpmem study run small.yaml -j 0
  ! error: --jobs: "0" is no number of jobs
  ! hint: give a number from 1 to 256
  [2]
  $ echo 'study: x' > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:1:1: the study has no workloads
  !   study: x
  !   ^
  ! hint: add a section "workloads:"
  [2]
  $ echo '- a' > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:1:1: a study file holds keys
  !   - a
  !   ^
  ! hint: begin with "study: NAME"
  [2]
  $ printf 'study: x\n\ttitle: y\n' > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:2:1: not well-formed YAML: found a tab character that violates indentation
  !    title: y
  !   ^
  ! hint: indent with blanks, not with tabs
  [2]
  $ printf 'study: &a x\n' > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:1:8: the anchor or alias "a" has no place in a study file
  !   study: &a x
  !          ^
  ! hint: write the value itself
  [2]
  $ printf 'study: x\nstudy: y\n' > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:2:1: key "study" is repeated
  !   study: y
  !   ^
  ! hint: keep one: it was given first in line 1
  [2]
  $ sed 's/^study: small/study: a b/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:2:8: "a b" is no name of a study
  !   study: a b
  !          ^
  ! hint: letters, digits, "-" and "_"; the title is for more
  [2]
  $ sed 's/^metrics:/metric:/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:18:1: unknown key "metric"
  !   metric:
  !   ^
  ! hint: did you mean metrics?
  [2]
  $ sed 's/^metrics:/profiled: yes\nmetrics:/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:18:11: profiled is "yes"
  !   profiled: yes
  !             ^
  ! hint: "true", as replay --profiled, or "false"
  [2]

Workloads.

  $ sed 's/vecadd.cu/vekadd.cu/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:5:8: workload add: there is no source "vekadd.cu"
  !     add: vekadd.cu --n 4096
  !          ^
  ! hint: it is looked for in . and $SOURCE/workloads
  [2]
  $ sed 's/  add: .*/  add: ""/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:5:3: workload add names no program
  !     add: ""
  !     ^
  ! hint: as in "add: vecadd.cu --n 4096"
  [2]
  $ sed 's/  add: .*/  add: {source: a.cu, command: b}/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:5:3: workload add has one of source (a .cu file, with options for warpmem cc) and command (a program)
  !     add: {source: a.cu, command: b}
  !     ^
  [2]
  $ sed 's/  add: .*/  add: .\/none --n 1/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:5:8: workload add: there is no program that can be run as "./none"
  !     add: ./none --n 1
  !          ^
  ! hint: it is looked for in .
  [2]
  $ sed 's/  add: /  "a,b": /' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:5:3: "a,b" is no good name
  !     "a,b": vecadd.cu --n 4096
  !     ^
  ! hint: claims name it: at most 64 bytes without " , [ ] = :
  [2]

Machines.

  $ sed 's/base: gtx480/base: gtx408/' small.yaml > bad.yaml; warpmem study run bad.yaml 2>&1 | sed 's/ known are .*//'
  error: bad.yaml:8:9: there is no machine "gtx408"
      base: gtx408
            ^
  hint: did you mean gtx480?
  $ sed 's/gpu.sm.count=2/gpu.sm.cout=2/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:9:9: machine "gtx480": unknown key "gpu.sm.cout"
  !     set: [gpu.sm.cout=2]
  !           ^
  ! hint: did you mean gpu.sm.count?
  [2]
  $ sed 's/gpu.l2.replacement=fifo/gpu.sm.block_dispatch=round-rubin/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:14:13: machine "96KiB, fifo": gpu.sm.block_dispatch: there is no "round-rubin"
  !         fifo: gpu.sm.block_dispatch=round-rubin
  !               ^
  ! hint: did you mean round-robin? known are round-robin, first-available, clustered
  [2]
  $ sed 's/gpu.l2.size=96KiB/gpu.l2.size=96/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:11:17: machine "96KiB, lru": gpu.l2.size: "96" is not a size in bytes: its unit is missing
  !       l2: {96KiB: gpu.l2.size=96, 768KiB: []}
  !                   ^
  ! hint: write it like 48KiB
  [2]
  $ sed 's/- policy: lru/- polices: lru/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:16:7: unknown key "polices"
  !       - polices: lru
  !         ^
  ! hint: did you mean policy?
  [2]
  $ sed 's/- policy: lru/- policy: lur/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:16:15: axis policy has no value "lur"
  !       - policy: lur
  !                 ^
  ! hint: did you mean lru?
  [2]

Metrics.

  $ sed 's/dram.bytes_written,/dram.bytes_writen,/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:19:35: there is no counter "dram.bytes_writen"
  !     dram: {value: dram.bytes_read + dram.bytes_writen, title: DRAM traffic, unit: bytes}
  !                                     ^
  ! hint: did you mean bytes_written?
  [2]
  $ sed 's/dram.bytes_written,/drum.bytes_written,/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:19:35: there is no counter "drum.bytes_written"
  !     dram: {value: dram.bytes_read + drum.bytes_written, title: DRAM traffic, unit: bytes}
  !                                     ^
  ! hint: did you mean dram?
  [2]
  $ sed 's/kernels.launches/kernels.lunches/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:21:13: there is no counter "kernels.lunches"
  !     launches: kernels.lunches
  !               ^
  ! hint: did you mean launches?
  [2]
  $ sed 's/kernels.launches/mean(sm.blocks)/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:21:13: a metric is of one workload: "mean" has nothing to go over
  !     launches: mean(sm.blocks)
  !               ^
  ! hint: keep it for claims; here there are abs(a), min(a, b) and max(a, b)
  [2]
  $ sed 's/kernels.launches/dram + later/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:21:20: there is no metric "later"
  !     launches: dram + later
  !                      ^
  ! hint: there are dram, copied
  [2]
  $ sed 's/  launches:/  mean:/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:21:3: "mean" is no name of a metric
  !     mean: kernels.launches
  !     ^
  ! hint: letters, digits and "_", and no word of the claims'
  [2]

Figures.

  $ sed 's/metric: dram$/metric: drm/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:27:13: there is no metric "drm"
  !       metric: drm
  !               ^
  ! hint: the section metrics names them
  [2]
  $ sed 's/normalise: 768KiB, lru/normalise: 768KiB, fifo/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:28:16: no machine of the study is [768KiB, fifo]
  !       normalise: 768KiB, fifo
  !                  ^
  ! hint: add it to the cross product, or name another
  [2]
  $ sed 's/normalise: 768KiB, lru/chart: cake/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:28:12: chart cannot be "cake"
  !       chart: cake
  !              ^
  ! hint: it is one of bars, stacked-bars, lines
  [2]
  $ sed 's/add: 1.5/sub: 1.5/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:29:33: there is no workload "sub"
  !       paper: {"96KiB, lru": {sub: 1.5, mean: 1.25}}
  !                                   ^
  ! hint: the section workloads names them
  [2]
  $ sed 's/add: 1.5/add: much/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:29:33: the paper's add is no number
  !       paper: {"96KiB, lru": {add: much, mean: 1.25}}
  !                                   ^
  [2]

Claims.

  $ sed 's/argmax(dram/argmax(drum/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:19: there is no metric "drum"
  !       claim: argmax(drum[768KiB]) is add
  !                     ^
  ! hint: did you mean dram?
  [2]
  $ sed 's/argmax(dram.768KiB.)/argmax(dram[768Kib])/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:24: "768Kib" is no value of an axis and no workload
  !       claim: argmax(dram[768Kib]) is add
  !                          ^
  ! hint: did you mean 768KiB?
  [2]
  $ sed 's/argmax(dram.768KiB.)/argmax(dram[96KiB])/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:19: 2 machines of the study are [96KiB]
  !       claim: argmax(dram[96KiB]) is add
  !                     ^
  ! hint: say which: add a value of axis policy
  [2]
  $ sed 's/argmax(dram.768KiB.)/argmax(dram[768KiB, fifo])/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:19: no machine of the study is [768KiB, fifo]
  !       claim: argmax(dram[768KiB, fifo]) is add
  !                     ^
  ! hint: add it to the cross product, or name another
  [2]
  $ sed 's/argmax(dram.768KiB.) is add/argmax(dram[768KiB])/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:12: a workload stands where a statement is expected
  !       claim: argmax(dram[768KiB])
  !              ^
  ! hint: as in "argmin(a / b) is lbm"
  [2]
  $ sed 's/argmax(dram.768KiB.) is add/argmax(dram[768KiB]) is sub/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:36: there is no workload "sub"
  !       claim: argmax(dram[768KiB]) is sub
  !                                      ^
  ! hint: there are add, flip
  [2]
  $ sed 's/argmax(dram.768KiB.) is add/mean(3) < 4/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:12: mean() goes over workloads, and this is the same for each
  !       claim: mean(3) < 4
  !              ^
  ! hint: leave mean() out, or the workload in brackets
  [2]
  $ sed 's/argmax(dram.768KiB.) is add/avg(dram[768KiB]) < 4/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:12: there is no function "avg"
  !       claim: avg(dram[768KiB]) < 4
  !              ^
  ! hint: there are abs, min, max, mean, geomean, sum, all, any, count, share, argmin and argmax
  [2]
  $ sed 's/argmax(dram.768KiB.) is add/dram[fifo] < 4 on sub/' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:44:30: there is no workload "sub"
  !       claim: dram[fifo] < 4 on sub
  !                                ^
  ! hint: there are add, flip
  [2]
  $ sed 's/"each l2: /"each l1: /' small.yaml > bad.yaml; warpmem study run bad.yaml
  ! error: bad.yaml:47:18: there is no axis "l1"
  !       claim: "each l1: all(launches[lru] = 1)"
  !                    ^
  [2]

Databases: another program's, of another version, none that can be written.

  $ python3 $CASES/ask_database.py other.db 'CREATE TABLE mine(a)'; cp other.db copy.db
  $ warpmem study run small.yaml --database other.db
  ! error: other.db: this database is another program's, not warpmem's
  ! hint: name another file with --database
  [2]
  $ cmp other.db copy.db; ls other.db*
  other.db
  $ echo 'this is a letter, not a database, and somebody wants to keep it' > letter.db
  $ warpmem study run small.yaml --database letter.db
  ! error: letter.db: this file is no SQLite database
  ! hint: name another file with --database
  [2]
  $ warpmem study run small.yaml --database nowhere/results.db
  ! error: nowhere/results.db: cannot open the database: unable to open database file (No such file or directory)
  ! hint: name a file that can be written with --database
  [1]
  $ mkdir folder.db; warpmem study run small.yaml --database folder.db
  ! error: folder.db: this is no file
  ! hint: name another with --database
  [2]
  $ warpmem study run small.yaml -q --database old.db
  $ cp old.db new.db; python3 $CASES/ask_database.py old.db 'PRAGMA user_version = 0'
  $ warpmem study run small.yaml --database old.db
  ! error: old.db: this database was made by an older warpmem
  ! hint: name a new file with --database, or move this one away, and run the study again
  [2]
  $ python3 $CASES/ask_database.py new.db 'PRAGMA user_version = 2'
  $ warpmem study check small.yaml --database new.db
  ! error: new.db: this database was made by a newer warpmem
  ! hint: use that one, or name a new file with --database and run the study again
  [2]
  $ touch empty.db; warpmem study check small.yaml --database empty.db
  ! error: empty.db: this database is empty
  ! hint: run the study first
  [2]
