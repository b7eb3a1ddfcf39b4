A study's results as a page.

  $ warpmem report --help
  usage: warpmem report -o FILE [options] DATABASE
  
  Writes what warpmem study run has measured as one page that opens without a
  network: which claims hold, the figures as charts and tables next to the paper's
  numbers, the machines with their differences, and what each kernel and load did
  on each of them. A study that is still running is reported as far as it is.
  
  options:
    -o, --output FILE       where the page goes
    -q, --quiet             do not say that charts are missing
    -h, --help              print this help
  
  examples:
    warpmem report results.db -o report.html
  $ python3 $CASES/results_database.py results.db
  $ warpmem report -q results.db -o report.html
  $ grep -c '<article>' report.html
  2
  $ sed -n 's/.*<h3[^>]*>//p' report.html
  <span class=id>4.1</span> DRAM traffic &amp; &quot;bytes&quot; &lt;/script&gt;</h3>
  <span class=id>4.2</span> Energy by structure</h3>
  <span class=id>4.3</span> Capacity</h3>
  <span class=id>4.3b</span> In parts</h3>
  <span class=id>4.4</span> Of one workload</h3>
A mean is said to be one, and over how many, on the table and on the chart.
  $ grep -o 'mean: the arithmetic mean over the figure.s [0-9]* workloads\|each value the arithmetic mean over the figure.s [0-9]* workloads' report.html
  mean: the arithmetic mean over the figure's 2 workloads
  each value the arithmetic mean over the figure's 2 workloads
The same results, in the order in which other workers finished, give the same page; the database is only read.
  $ python3 -c 'import sys; sys.path.insert(0, "'$CASES'"); import results_database as r; r.make("later.db", backwards=True)'
  $ sha256sum results.db > before; warpmem report -q later.db -o later.html; cmp report.html later.html; sha256sum -c --quiet before
  $ warpmem report -q results.db -o /dev/stdout | cmp - report.html
No text becomes markup, nor ends the element that holds the data.
  $ grep -o '<i>\|<b>"lbm\|<b>&' report.html
  [1]
  $ grep -c '</script><b>' report.html
  0
  [1]
  $ sed -n '/id=data>/,/<.script>/p' report.html | grep -o '</[a-z]*' | sort | uniq -c
        1 </script
No path of the folder where the study ran is in it.
  $ grep -c somewhere report.html
  0
  [1]

What is wrong is said, and leaves what is there alone.
  $ warpmem report results.db
  ! error: warpmem report: -o FILE says where the page goes
  [2]
  $ warpmem report -o x.html
  ! error: warpmem report: an operand is missing
  ! hint: usage: warpmem report -o FILE [options] DATABASE
  [2]
  $ warpmem report results.db -o ./results.db; sha256sum -c --quiet before
  ! error: -o: "./results.db" is what is read
  ! hint: name another file
  $ warpmem report nowhere.db -o x.html
  ! error: cannot read 'nowhere.db': No such file or directory
  [2]
  $ warpmem report . -o x.html
  ! error: '.' is not a file
  [2]
  $ echo "not a database, by far, though it is long enough to be one; it goes on and on and on and on" > text
  $ warpmem report text -o x.html
  ! error: 'text' is not a results database
  ! hint: "warpmem study run" writes one
  [2]
  $ : > empty; warpmem report empty -o x.html
  ! error: 'empty' is a database, but not one of warpmem's results
  ! hint: "warpmem study run" writes one
  [2]
  $ warpmem report results.db -o nowhere/report.html
  ! error: -o: cannot write "nowhere/report.html": No such file or directory
  ! hint: make its folder first
  [1]
  $ for f in foreign newer older no-points no-table bad-results odd-results bad-figure bad-machine not-utf-8 unknown-machine lost-machine; do echo "# $f"; python3 $CASES/results_database.py $f.db $f; cp report.html x.html; warpmem report $f.db -o x.html 2>&1; echo "status $?"; cmp x.html report.html; done
  # foreign
  error: 'foreign.db' is a database, but not one of warpmem's results
  hint: "warpmem study run" writes one
  status 2
  # newer
  error: 'newer.db' has version 2 of the results database; this warpmem reads version 1
  hint: a newer warpmem wrote it: report with that one
  status 2
  # older
  error: 'older.db' has version 0 of the results database; this warpmem reads version 1
  hint: run the study again with this warpmem, into a new database
  status 2
  # no-points
  error: 'no-points.db' has no results yet
  hint: "warpmem study run FILE" computes them
  status 2
  # no-table
  error: 'no-table.db' is damaged: no such table: claim
  hint: "warpmem study run" writes it anew when it is not there
  status 2
  # bad-results
  error: 'bad-results.db' is damaged: the results of point 101 are not JSON
  hint: "warpmem study run" writes it anew when it is not there
  status 2
  # odd-results
  error: 'odd-results.db' is damaged: the results of point 101 are no replay's
  hint: "warpmem study run" writes it anew when it is not there
  status 2
  # bad-figure
  error: bad-figure.db: figure 4.1 of study sharing: "x" is not "workload" or an axis
  status 2
  # bad-machine
  error: bad-machine.db: machine 128KiB, tracker of study sharing: a machine's description is no YAML of keys and values
  status 2
  # not-utf-8
  error: 'not-utf-8.db' is damaged: a text of table workload is not UTF-8
  hint: "warpmem study run" writes it anew when it is not there
  status 2
  # unknown-machine
  error: unknown-machine.db: figure 4.3 of study sharing: "machines" names 'nowhere', which the study does not have
  status 2
  # lost-machine
  error: 'lost-machine.db' is damaged: a point's workload or machine is not there
  hint: "warpmem study run" writes it anew when it is not there
  status 2
  $ ls | grep -c partial
  0
  [1]
