Studies: experiments as data, and their claims.

  $ warpmem study --help
  usage: warpmem study COMMAND [options] FILE
  
  Runs a study: workloads on many machines, as one file names them, with the
  figures to draw of what is measured and the claims to check. Each workload is
  recorded once and replayed on each machine; results are kept in a database,
  point by point, so that a run that was ended goes on where it was.
  
  A file to start from is examples/study.yaml; docs/studies.md says what it may
  hold.
  
  commands:
    run                   record, replay every point, and check the claims
    check                 say of each claim whether it holds
    table                 print the numbers of figures and metrics
  
  options:
    -h, --help              print this help
  
  examples:
    warpmem study run examples/study.yaml
    warpmem study check examples/study.yaml
    warpmem study table examples/study.yaml dram_bytes --csv
  
  "warpmem study COMMAND --help" says more about one command.
  $ warpmem study run --help
  usage: warpmem study run [options] FILE
  
  Checks the study file whole; then compiles and records each workload once,
  replays it on each machine, stores each point as it ends, and checks the claims
  at the end. Started again, it goes on where it was ended. Points that fail are
  listed, do not stop the others, and are tried again by the next run; the exit
  status is then 1. A part of a study may be run alone: claims that need more are
  undecided then.
  
  options:
    -d, --database FILE     where results are kept (default: the study's name with
                            .db, in this folder)
        --plugin FILE       load entries from a shared object, besides those that
                            the file's plugins name
    -j, --jobs N            programs that run at a time (default: one a
                            processor); the numbers do not depend on it
        --workload NAMES    these workloads alone, with commas between their names
        --figure IDS        the points of these figures alone, with commas between
                            them
        --limit-instructions N
                            a workload whose recording comes to N warp
                            instructions fails (2M, 1G)
        --limit-time DURATION
                            a workload whose recording takes longer fails (90s,
                            500ms)
        --keep              keep results of another build of warpmem instead of
                            making them again
    -q, --quiet             say nothing but failures
    -h, --help              print this help
  
  examples:
    warpmem study run examples/study.yaml
    warpmem study run examples/study.yaml -j 8 --database results.db
    warpmem study run studies/anssari/study.yaml --figure 4.4 --workload spmv,cutcp
  $ warpmem study check --help
  usage: warpmem study check [options] FILE
  
  Checks each claim of the study on the results that there are: whether it holds,
  does not, or is undecided as results are missing; with the paper's number and
  ours. Nothing is run. The exit status is 0 when all hold, 1 when one does not or
  is undecided.
  
  options:
    -d, --database FILE     where results are kept (default: the study's name with
                            .db, in this folder)
        --plugin FILE       load entries from a shared object, besides those that
                            the file's plugins name
    -h, --help              print this help
  
  examples:
    warpmem study check examples/study.yaml
  $ warpmem study table --help
  usage: warpmem study table [options] FILE [FIGURE|METRIC]...
  
  Prints the numbers of figures, normalised as the study file says, or of metrics
  as they were measured, machine by machine and workload by workload, with the
  paper's below where it gives them. A number that is not known is "-". Without a
  name: all figures, or all metrics where there is no figure.
  
  options:
    -d, --database FILE     where results are kept (default: the study's name with
                            .db, in this folder)
        --plugin FILE       load entries from a shared object, besides those that
                            the file's plugins name
        --csv               print a row a number as CSV
        --json              print a JSON object a table, one a line
    -h, --help              print this help
  
  examples:
    warpmem study table examples/study.yaml
    warpmem study table examples/study.yaml dram_bytes --csv

A small one: two workloads on three machines.

  $ need clang
  $ cp $CASES/studies/small.yaml .
  $ warpmem study check small.yaml
  ! error: small.db: there is no database: No such file or directory
  ! hint: "warpmem study run" makes it; --database names another
  [2]
  $ warpmem study run small.yaml -j 2
  study small: 6 points, 6 replayed, 0 were there
  claims: 3 hold, 3 do not, 1 undecided
  $ warpmem study run small.yaml
  study small: 6 points, 0 replayed, 6 were there
  claims: 3 hold, 3 do not, 1 undecided
  $ warpmem study check small.yaml
  1  holds  (Fig. 1)
      add fits
      checked:   dram[96KiB, lru] / dram[768KiB] within 1% of 1 on add
      the paper: 1
      ours:      add 1
  2  does not hold
      The order of fifo costs nothing
      checked:   mean(dram[fifo] / dram[96KiB, lru]) <= 1
      ours:      1.053
  3  holds
      Only flip reads more than 64 KiB
      checked:   only flip: dram[768KiB] > 65536
      ours:      add 32768, flip 131072
  4  does not hold
      add moves most
      checked:   argmax(dram[768KiB]) is add
      ours:      flip (add 32768, flip 131072)
  5  holds
      One launch each
      checked:   each l2: all(launches[lru] = 1)
      ours:      96KiB: add 1, flip 1; 768KiB: add 1, flip 1
  6  does not hold
      Unknown and false is false
      checked:   all(no_tlb[fifo] > 1) and dram[add, fifo] < 0
      ours:      add ?, flip ?; 32768
  7  undecided
      Unknown alone cannot be told
      checked:   mean(joules[fifo]) > 0
      ours:      not known: joules of add on "96KiB, fifo"
  7 claims: 3 hold, 3 do not, 1 undecided
  [1]
  $ warpmem study table small.yaml
  1: Traffic (divided by "768KiB, lru"); mean: arithmetic, over 2 workloads
  metric  machine            add       flip       mean
  dram    96KiB, lru           1       1.02       1.01
            the paper        1.5          -       1.25
  dram    96KiB, fifo          1      1.127      1.063
  dram    768KiB, lru          1          1          1
  $ warpmem study table small.yaml 1 --csv
  table,metric,machine,workload,value,paper
  1,dram,"96KiB, lru",add,1,1.5
  1,dram,"96KiB, lru",flip,1.01953125,
  1,dram,"96KiB, lru",mean,1.009765625,1.25
  1,dram,"96KiB, fifo",add,1,
  1,dram,"96KiB, fifo",flip,1.126953125,
  1,dram,"96KiB, fifo",mean,1.0634765625,
  1,dram,"768KiB, lru",add,1,
  1,dram,"768KiB, lru",flip,1,
  1,dram,"768KiB, lru",mean,1,
  $ warpmem study table small.yaml 1 copied --json
  {"table": "1", "title": "Traffic", "normalise": "768KiB, lru", "mean_kind": "arithmetic", "rows": [{"metric": "dram", "machine": "96KiB, lru", "values": {"add": 1.0, "flip": 1.01953125}, "mean": 1.009765625, "paper": {"add": 1.5, "mean": 1.25}}, {"metric": "dram", "machine": "96KiB, fifo", "values": {"add": 1.0, "flip": 1.126953125}, "mean": 1.0634765625, "paper": {}}, {"metric": "dram", "machine": "768KiB, lru", "values": {"add": 1.0, "flip": 1.0}, "mean": 1.0, "paper": {}}]}
  {"table": "copied", "title": "", "normalise": null, "mean_kind": "arithmetic", "rows": [{"metric": "copied", "machine": "96KiB, lru", "values": {"add": 32768.0, "flip": 65536.0}, "mean": 49152.0, "paper": {}}, {"metric": "copied", "machine": "96KiB, fifo", "values": {"add": 32768.0, "flip": 65536.0}, "mean": 49152.0, "paper": {}}, {"metric": "copied", "machine": "768KiB, lru", "values": {"add": 32768.0, "flip": 65536.0}, "mean": 49152.0, "paper": {}}]}
  $ warpmem study table small.yaml drum
  ! error: the study has no figure or metric "drum"
  ! hint: did you mean dram?
  [2]
  $ warpmem study table small.yaml --csv --json
  ! error: warpmem study table: --csv and --json contradict each other
  [2]

What the database has, as its format says.

  $ python3 $CASES/ask_database.py small.db 'SELECT * FROM pragma_application_id, pragma_user_version, pragma_journal_mode'
  1464693363|1|wal
  $ python3 $CASES/ask_database.py small.db 'SELECT name, title, version LIKE "_%.%.% build %" FROM study'
  small|Two programs, three machines|1
  $ python3 $CASES/ask_database.py small.db 'SELECT label, position, arguments, length(hash) FROM workload'
  add|0|vecadd.cu --n 4096|16
  flip|1|transpose.cu --width 128 --height 128|16
  $ python3 $CASES/ask_database.py small.db 'SELECT label, position, axes, description LIKE "# The effective%" FROM machine'
  96KiB, lru|0|{"l2": "96KiB", "policy": "lru"}|1
  96KiB, fifo|1|{"l2": "96KiB", "policy": "fifo"}|1
  768KiB, lru|2|{"l2": "768KiB", "policy": "lru"}|1
  $ python3 $CASES/ask_database.py small.db 'SELECT status, error IS NULL, seconds > 0, json_extract(results, "$.format") FROM point'
  done|1|1|warpmem-results
  done|1|1|warpmem-results
  done|1|1|warpmem-results
  done|1|1|warpmem-results
  done|1|1|warpmem-results
  done|1|1|warpmem-results
  $ python3 $CASES/ask_database.py small.db 'SELECT name, count(*) FROM metric GROUP BY name'
  copied|6
  dram|6
  launches|6
  $ python3 $CASES/ask_database.py small.db 'SELECT name, position, expression, unit FROM metric_definition ORDER BY position'
  dram|0|dram.bytes_read + dram.bytes_written|bytes
  copied|1|host.host_to_device_bytes|
  launches|2|kernels.launches|
  no_tlb|3|l1.hits / (l1.hits - l1.hits)|
  joules|4|energy.dynamic_pj|
  $ python3 $CASES/ask_database.py small.db 'SELECT id, holds, ours FROM claim ORDER BY position'
  1|1|add 1
  2|0|1.053
  3|1|add 32768, flip 131072
  4|0|flip (add 32768, flip 131072)
  5|1|96KiB: add 1, flip 1; 768KiB: add 1, flip 1
  6|0|add ?, flip ?; 32768
  7||not known: joules of add on "96KiB, fifo"
  $ python3 $CASES/ask_database.py small.db 'SELECT specification FROM figure'
  {"metrics": ["dram"], "normalise": "768KiB, lru", "machines": ["96KiB, lru", "96KiB, fifo", "768KiB, lru"], "workloads": ["add", "flip"], "x": "workload", "mean": true, "mean_kind": "arithmetic", "chart": "bars", "axis_title": "", "paper": {"96KiB, lru": {"add": 1.5, "mean": 1.25}}}

A machine that goes and comes back costs nothing; a changed one is replayed again, and so is a
workload with another argument.

  $ sed '/{l2: 96KiB, policy/d; /^claims/,$d' small.yaml > less.yaml
  $ warpmem study run less.yaml
  study small: 4 points, 0 replayed, 4 were there
  $ warpmem study run small.yaml
  study small: 6 points, 0 replayed, 6 were there
  claims: 3 hold, 3 do not, 1 undecided
  $ sed 's/fifo: gpu.l2.replacement=fifo/fifo: gpu.l2.replacement=plru/; s/4096/8192/' small.yaml > other.yaml
  $ warpmem study run other.yaml
  study small: 6 points, 4 replayed, 2 were there
  claims: 3 hold, 3 do not, 1 undecided
  $ python3 $CASES/ask_database.py small.db 'SELECT count(*) FROM point'
  6

Results of another build are made again, or kept where that is wanted.

  $ python3 $CASES/ask_database.py small.db 'UPDATE study SET version = "0.0.9 build 1"'
  $ warpmem study run other.yaml --keep
  study small: 6 points, 0 replayed, 6 were there
  claims: 3 hold, 3 do not, 1 undecided
  ! warpmem: results of 0.0.9 build 1 are kept as this build's
  $ python3 $CASES/ask_database.py small.db 'UPDATE study SET version = "0.0.9 build 1"'
  $ warpmem study run other.yaml
  study small: 6 points, 6 replayed, 0 were there
  claims: 3 hold, 3 do not, 1 undecided
  ! warpmem: results of 0.0.9 build 1 are made again by this build (--keep keeps them)

A workload that fails, and machines it cannot run on, do not stop the others.

  $ sed 's/--n 4096/--n none/' small.yaml > wrong.yaml
  $ warpmem study run wrong.yaml --database wrong.db 2> err
  study small: 6 points, 3 replayed, 0 were there, 3 failed
  claims: 0 hold, 0 do not, 7 undecided
  [1]
  $ sed 's/program-[-0-9a-f]*/program/' err
  failed: add on "96KiB, lru" and 2 more: recording it ended with status 2: vecadd: --n takes a whole number from 1 to 268435456, not 'none'
  warpmem: $HOME/wrong.db.files/program made no CUDA call that reached a device: nothing to report
  $ python3 $CASES/ask_database.py wrong.db 'SELECT status, count(*) FROM point GROUP BY status'
  done|3
  failed|3
  $ sed 's/fifo: gpu.l2.replacement=fifo/fifo: {machine: hd7970}/' small.yaml > wide.yaml
  $ warpmem study run wide.yaml --database wide.db 2> err
  study small: 6 points, 4 replayed, 0 were there, 2 failed
  claims: 3 hold, 1 do not, 3 undecided
  [1]
  $ sed 's/recording-[-0-9a-f]*/recording/' err
  failed: add on "96KiB, fifo": the replay ended with status 2: error: $HOME/wide.db.files/recording.wmt: the recording has warps of 32 lanes, and machine hd7970 has 64
  hint: record the program with -m hd7970
  failed: flip on "96KiB, fifo": the replay ended with status 2: error: $HOME/wide.db.files/recording.wmt: the recording has warps of 32 lanes, and machine hd7970 has 64
  hint: record the program with -m hd7970
  $ warpmem study check wide.yaml --database wide.db | grep undecided
  2  undecided
  6  undecided
  7  undecided
  7 claims: 3 hold, 1 do not, 3 undecided

  $ printf 'int main() { return nonsense; }\n' > nonsense.cu; printf 'int main() { return 0; }\n' > nothing.cu
  $ sed 's/vecadd.cu.*/nonsense.cu/; s/transpose.cu.*/nothing.cu/' small.yaml > broken.yaml
  $ warpmem study run broken.yaml --database broken.db 2> err
  study small: 6 points, 0 replayed, 0 were there, 6 failed
  claims: 0 hold, 0 do not, 7 undecided
  [1]
  $ sed 's/program-[-0-9a-f]*/program/' err
  failed: add on "96KiB, lru" and 2 more: compiling it ended with status 1: ./nonsense.cu:1:21: error: use of undeclared identifier 'nonsense'
  int main() { return nonsense; }
                      ^
  1 error generated when compiling for sm_70.
  failed: flip on "96KiB, lru" and 2 more: recording it ended with status 1: warpmem: $HOME/broken.db.files/program made no CUDA call that reached a device: nothing to report

A program that exists already, found beside the study file.

  $ warpmem cc $SOURCE/workloads/vecadd.cu -o add && mkdir -p lower
  $ sed 's/vecadd.cu --n/..\/add --n/' small.yaml > lower/there.yaml
  $ warpmem study run lower/there.yaml -q --database there.db
  $ python3 $CASES/ask_database.py there.db 'SELECT arguments FROM workload'
  ../add --n 4096
  transpose.cu --width 128 --height 128
