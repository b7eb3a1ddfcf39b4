What a command line can go on with: one candidate a line, a tab, a sentence (shown here as " | ").

  $ warpmem completion words -- warpmem re | tr '\t' '|'
  record|run a CUDA program and keep what it executed in a file
  replay|drive a recording through machines and report
  report|write a study's results as a page
  $ warpmem completion words -- warpmem '' | sed 's/\t.*//' > offered; warpmem --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | diff - offered
  $ warpmem completion words -- warpmem ma | tr '\t' '|'
  machine|list, draw, print and check machine descriptions
  $ warpmem completion words -- warpmem machine '' | tr '\t' '|'
  list|list the machines that come with warpmem
  graph|draw a machine: its components and links
  show|print the effective description of a machine
  check|check machine files
  keys|print the schema of machine files
  $ warpmem completion words -- warpmem machine show --p | tr '\t' '|'
  --plugin|load replacement and bypass entries from a shared object

Options: an option given once is not offered again, a list is.
  $ warpmem completion words -- warpmem run --report r --set gpu.sm.count=2 --s | cut -f1
  --set
  --sample
  --serial-streams
  $ warpmem completion words -- warpmem run --report r --re
  $ warpmem completion words -- warpmem run -q --qu
  $ warpmem completion words -- warpmem machine keys -- --m
  $ warpmem completion words -- warpmem --v
  --version	print the version and end

Machines: presets, else files.
  $ warpmem completion words -- warpmem run -m gtx6 | cut -f1
  gtx680
  $ warpmem completion words -- warpmem run -mgtx6 | cut -f1
  -mgtx680
  $ warpmem completion words -- warpmem run --machine=v | cut -f1
  --machine=v100
  $ warpmem completion words -- warpmem run -qm h2 | cut -f1
  h200
  $ warpmem completion words -- warpmem run --machine ./my
  :files
  $ warpmem completion words -- warpmem machine check v100 titan | cut -f1
  titanx-pascal

Settings: keys, then their words.
  $ warpmem completion words -- warpmem run --set gpu.l1.bypass_m | cut -f1
  :nospace
  gpu.l1.bypass_means=
  $ warpmem completion words -- warpmem run --set gpu.l1.bypass_means= | tr '\t' '|'
  gpu.l1.bypass_means=no-lookup|the access goes around the cache
  gpu.l1.bypass_means=no-allocation|the access is looked for, and takes no line when it is not there
  $ warpmem completion words -- warpmem run --set=gpu.l1.present=t
  --set=gpu.l1.present=true
  $ warpmem completion words -- warpmem machine show -s gpu.l2.replacement=drr | cut -f1
  gpu.l2.replacement=drrip
  $ warpmem completion words -- warpmem machine show -s gpu.energy.table= | cut -f1
  gpu.energy.table=none
  gpu.energy.table=anssari-22nm
  gpu.energy.table=garcia-22nm
  $ warpmem completion words -- warpmem run --set gpu.l1.size=
  $ warpmem completion words -- warpmem run --set gpu.nothing=

Kinds and names.
  $ warpmem completion words -- warpmem list wa | cut -f1
  warp-scheduler
  $ warpmem completion words -- warpmem list lru more
  $ warpmem completion words -- warpmem explain --kind w | cut -f1
  warp-scheduler
  $ warpmem completion words -- warpmem explain rr
  $ warpmem completion words -- warpmem explain round | cut -f1
  round-robin
  round-robin
  $ warpmem completion words -- warpmem explain gpu.dram.band | cut -f1
  gpu.dram.bandwidth

Files, also of options that take one, and all that belongs to the program.
  $ warpmem completion words -- warpmem run ''
  :files
  $ warpmem completion words -- warpmem run --json ''
  :files
  $ warpmem completion words -- warpmem run ./app --m
  :files
  $ warpmem completion words -- warpmem run -- --m
  :files
  $ warpmem completion words -- warpmem cc ''
  :files
  $ warpmem completion words -- warpmem cc -O | cut -f1
  -O0
  -O1
  -O2
  -O3
  -Os

A line that is wrong already has no candidates; neither has one that nothing follows.
  $ warpmem completion words -- warpmem bogus ''
  $ warpmem completion words -- warpmem run --bogus ''
  $ warpmem completion words -- warpmem machine show v100 ''
  $ warpmem completion words -- warpmem completion words -- ''
  $ warpmem completion words -- warpmem

  $ warpmem completion words
  ! error: warpmem completion words: an operand is missing
  ! hint: usage: warpmem completion words [options] -- WORD...
  [2]
  $ warpmem completion tcsh
  ! error: warpmem completion: unknown command "tcsh"
  ! hint: did you mean "warpmem completion bash"?
  [2]
  $ for shell in bash zsh fish; do warpmem completion $shell | grep -c 'warpmem completion words --'; done
  1
  1
  1
