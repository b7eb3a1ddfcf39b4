How the levels stand to each other: victim caches, inclusion, exclusion.

  $ need clang
  $ warpmem cc $SOURCE/tests/cli/hierarchy.cu -o turns
  $ printf '#!/bin/sh\nexec warpmem run --set gpu.sm.unified=0B --set gpu.l1.size=1KiB --set gpu.l1.ways=1 "$@" ./turns\n' > small
  $ chmod +x small

Two lines meet in one set of a direct-mapped L1 and displace each other at each of twenty loads.
  $ ./small | sed -n '/^Kernel/,/^$/p'
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit     L1-L2   DRAM
  turns      1        1 x 32          99    0.0%   85.7%  2.62 KiB  256 B
  Misses per 1000 warp instructions (MPKI): L1 212.1, L2 30.3
  

One line beside L1 keeps what the other displaced: only the first two miss.
  $ ./small --set gpu.l1.victim_lines=1 --csv counts.csv | sed -n '/^Kernel/,/^$/p;/^Victim/p'
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  L1-L2   DRAM
  turns      1        1 x 32          99   85.7%    0.0%  384 B  256 B
  Misses per 1000 warp instructions (MPKI): L1 30.3, L2 30.3
  
  Victim caches: 21 requests found no line in L1, 85.7% of their sectors were there.
  $ grep '^_Z.*sm\[0\].victim' counts.csv | grep -E 'accesses,|,hits|,misses|bytes'
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,accesses,21,requests,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,hits,72,sectors,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,misses,12,sectors,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,load_accesses,20,requests,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,store_accesses,1,requests,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,atomic_accesses,0,requests,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,writeback_accesses,0,requests,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,bytes_from_above,2432,bytes,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,bytes_to_above,2304,bytes,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,bytes_from_below,0,bytes,
  _Z5turnsPVKfPfii,gpu0.sm[0].victim,bytes_to_below,0,bytes,

An L2 of one line below an L1 of two ways: inclusive, each line takes the other from both levels.
  $ printf '#!/bin/sh\nexec warpmem run --set gpu.sm.unified=0B --set gpu.l1.size=2KiB --set gpu.l1.ways=2 --set gpu.l2.size=128B --set gpu.l2.ways=1 --set gpu.l2.slices=1 --set gpu.dram.channels=1 --set gpu.l2.set_index=modulo --set gpu.l2.dirty_limit=0B "$@" ./turns\n' > tiny
  $ chmod +x tiny
  $ ./tiny --csv neither.csv | grep '^turns'
  turns      1        1 x 32          99   85.7%    0.0%  384 B  256 B
  $ ./tiny --set gpu.l2.inclusion=inclusive --csv inclusive.csv | grep '^turns'
  turns      1        1 x 32          99    0.0%    0.0%  2.62 KiB  2.50 KiB
  $ ./tiny --set gpu.l2.inclusion=exclusive --csv exclusive.csv | grep '^turns'
  turns      1        1 x 32          99   85.7%    0.0%  384 B  256 B
  $ grep -h '^_Z.*sm\[0\].l1,inclusion_victims' neither.csv inclusive.csv exclusive.csv
  _Z5turnsPVKfPfii,gpu0.sm[0].l1,inclusion_victims,0,lines,
  _Z5turnsPVKfPfii,gpu0.sm[0].l1,inclusion_victims,20,lines,
  _Z5turnsPVKfPfii,gpu0.sm[0].l1,inclusion_victims,0,lines,

What cannot be is refused.
  $ warpmem machine show v100 --set gpu.l1.victim_lines=4 --set gpu.l1.replacement=opt
  ! error: --set gpu.l1.replacement=opt: gpu.l1.victim_lines is not 0, and gpu.l1.replacement is opt: opt does not know at once which line leaves
  ! hint: name another gpu.l1.replacement, or set gpu.l1.victim_lines to 0
  [2]
  $ warpmem machine show v100 --set gpu.l1.victim_lines=4 --set gpu.l1.write_fetch=never
  ! error: --set gpu.l1.write_fetch=never: gpu.l1.victim_lines is not 0, and gpu.l1.write_fetch is never: which bytes were written is not known of a line that moves
  ! hint: name another gpu.l1.write_fetch, or set gpu.l1.victim_lines to 0
  [2]
  $ warpmem machine show v100 --set gpu.l1.victim_lines=1025
  ! error: --set gpu.l1.victim_lines=1025: gpu.l1.victim_lines: 1025 is out of range
  ! hint: legal is 0 to 1024
  [2]
  $ warpmem machine show v100 --set gpu.l1.sms_each=2
  ! error: --set gpu.l1.sms_each=2: gpu.l1.per is not one SM, but L1 is a part of each SM's own array (gpu.sm.unified, 128KiB)
  ! hint: set gpu.sm.unified to 0B: then L1 is an array apart, and may be shared
  [2]
  $ warpmem machine show v100 --set gpu.l2.inclusion=exclusive --set gpu.l2.line=64B
  ! error: --set gpu.l2.line=64B: gpu.l2.inclusion is exclusive: gpu.l1.line (128B) and gpu.l1.sector (32B) have to be gpu.l2.line (64B) and gpu.l2.sector (32B)
  ! hint: change that, or set gpu.l2.inclusion to non-inclusive
  [2]
  $ warpmem machine show v100 --set gpu.l2.inclusion=inclusive --set gpu.l2.present=false
  ! error: --set gpu.l2.present=false: gpu.l2.inclusion is inclusive, and gpu.l2.present is false: what is not there knows of nothing above
  ! hint: set gpu.l2.inclusion to non-inclusive, or gpu.l2.present to true
  [2]
  $ warpmem machine show v100 --set gpu.l2.inclusion=inclusive --set gpu.l1.replacement=opt
  ! error: --set gpu.l1.replacement=opt: gpu.l2.inclusion is inclusive, and gpu.l1.replacement is opt: opt does not know at once which line leaves
  ! hint: name another gpu.l1.replacement, or set gpu.l2.inclusion to non-inclusive
  [2]
  $ warpmem machine show v100 --set gpu.l2.inclusion=exclusive --set gpu.l2.write_fetch=never
  ! error: --set gpu.l2.write_fetch=never: gpu.l2.inclusion is exclusive, and gpu.l2.write_fetch is never: which bytes were written is not known of a line that moves
  ! hint: name another gpu.l2.write_fetch, or set gpu.l2.inclusion to non-inclusive
  [2]
