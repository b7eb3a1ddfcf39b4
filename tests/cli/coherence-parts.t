Prefetchers of coherent levels, and loads that bypass a coherent L1: the same counts in the walk and in time.

Each of two threads reads 1000 words of eight bytes, four to a line of 128 bytes; the lines of the two are apart.

  $ awk 'BEGIN { for (t = 0; t < 2; t++) { printf "t %d\n", t; for (i = 0; i < 1000; i++) printf "n 6\nr %x 8\n", 1048576 * (t + 1) + i * 32 } }' > stream.din
  $ warpmem import -q -o stream.wmt stream.din
  $ cp $SOURCE/machines/examples/cpu-gpu-shared-llc.yaml shared.yaml
  $ printf '%s\n' 'warpmem replay stream.wmt -m ./shared.yaml "$@" --csv walk.csv | sed -n "/^cores/p"' 'warpmem replay stream.wmt -m ./shared.yaml "$@" --engine clock --csv clock.csv | sed -n "/^cores/p; /core.0. /p"' 'for f in walk clock; do grep -E "^cores,cpu0.core.0..l[12].prefetcher," $f.csv | cut -d, -f3,4 | tr "\n" " "; echo; done' 'grep -E "^cores,cpu0.core.0..l[12].coherent_timing,prefetches" clock.csv | cut -d, -f2-4' > both
  $ sh both
  cores      1         2 x 1      14.0 k       75.0%        0.0%     0.0%       62.5 KiB   62.5 KiB  62.5 KiB
  cores      1         2 x 1      14.0 k       75.0%        0.0%     0.0%       62.5 KiB   62.5 KiB  62.5 KiB
    cpu0.core[0]    5589  1.25  1.00 k       0    150.5   66.0%        0.0%          0.0%   0.0%    0.0%   0.0%
  
  
  cpu0.core[0].l1.coherent_timing,prefetches_late,0
  cpu0.core[0].l1.coherent_timing,prefetches_refused,0
  cpu0.core[0].l2.coherent_timing,prefetches_late,0
  cpu0.core[0].l2.coherent_timing,prefetches_refused,0
  $ sh both --set cpu.l1.prefetch=next-line
  cores      1         2 x 1      14.0 k       99.9%        0.0%     0.0%       62.8 KiB   62.8 KiB  62.8 KiB
  cores      1         2 x 1      14.0 k       99.9%        0.0%     0.0%       62.8 KiB   62.8 KiB  62.8 KiB
    cpu0.core[0]    4941  1.42  1.00 k       0    131.7   61.7%        0.0%          0.0%   0.0%    0.0%   0.0%
  misses,250 supplied,249 prefetches,250 bytes_prefetched,32000 dropped,0 
  misses,250 supplied,249 prefetches,250 bytes_prefetched,32000 dropped,0 
  cpu0.core[0].l1.coherent_timing,prefetches_late,249
  cpu0.core[0].l1.coherent_timing,prefetches_refused,0
  cpu0.core[0].l2.coherent_timing,prefetches_late,0
  cpu0.core[0].l2.coherent_timing,prefetches_refused,0
  $ sh both --set 'cpu.l2.prefetch=stride(lines=4)'
  cores      1         2 x 1      14.0 k       75.0%       99.2%     0.0%       62.5 KiB   63.5 KiB  63.5 KiB
  cores      1         2 x 1      14.0 k       75.0%       99.2%     0.0%       62.5 KiB   63.5 KiB  63.5 KiB
    cpu0.core[0]    3693   1.9  1.00 k       0     96.9   49.9%        0.0%          0.0%   0.0%    0.0%   0.0%
  misses,250 supplied,248 prefetches,252 bytes_prefetched,32256 dropped,0 
  misses,250 supplied,248 prefetches,252 bytes_prefetched,32256 dropped,0 
  cpu0.core[0].l1.coherent_timing,prefetches_late,0
  cpu0.core[0].l1.coherent_timing,prefetches_refused,0
  cpu0.core[0].l2.coherent_timing,prefetches_late,248
  cpu0.core[0].l2.coherent_timing,prefetches_refused,0
  $ sh both --set 'cpu.l1.prefetch=next-line(lines=2,tagged=0)'
  cores      1         2 x 1      14.0 k       91.6%        0.0%     0.0%       63.0 KiB   63.0 KiB  63.0 KiB
  cores      1         2 x 1      14.0 k       91.6%        0.0%     0.0%       63.0 KiB   63.0 KiB  63.0 KiB
    cpu0.core[0]    4995   1.4  1.00 k       0    130.6   61.9%        0.0%          0.0%   0.0%    0.0%   0.0%
  misses,250 supplied,166 prefetches,168 bytes_prefetched,21504 dropped,0 
  misses,250 supplied,166 prefetches,168 bytes_prefetched,21504 dropped,0 
  cpu0.core[0].l1.coherent_timing,prefetches_late,166
  cpu0.core[0].l1.coherent_timing,prefetches_refused,0
  cpu0.core[0].l2.coherent_timing,prefetches_late,0
  cpu0.core[0].l2.coherent_timing,prefetches_refused,0

Loads of SMs around their coherent L1s: what is there serves them, and what is not takes no line.

  $ need clang
  $ warpmem cc $SOURCE/workloads/histogram.cu -o histogram && warpmem record -q -o histogram.wmt -m ./shared.yaml -- ./histogram
  histogram: PASS
  $ for means in no-lookup no-allocation; do for e in walk clock; do warpmem replay -q --engine $e -m ./shared.yaml --set gpu.l1.bypass='contention(warps=4096)' --set gpu.l1.bypass_means=$means --csv $e.csv histogram.wmt; grep -E ',gpu0.sm.0..l1(.coherence)?,(load_accesses|load_accesses_bypassed|load_misses|read_requests|clean_puts),' $e.csv | cut -d, -f1,3,4 | sort > $means.$e; done; cat $means.walk; cmp $means.walk $means.clock; done
  ,clean_puts,8192
  ,load_accesses,8192
  ,load_accesses_bypassed,8192
  ,load_misses,0
  ,read_requests,8192
  _Z16histogram_globalPKjPjj,clean_puts,8192
  _Z16histogram_globalPKjPjj,load_accesses,8192
  _Z16histogram_globalPKjPjj,load_accesses_bypassed,8192
  _Z16histogram_globalPKjPjj,load_misses,0
  _Z16histogram_globalPKjPjj,read_requests,8192
  ,clean_puts,8192
  ,load_accesses,8192
  ,load_accesses_bypassed,0
  ,load_misses,32768
  ,read_requests,8192
  _Z16histogram_globalPKjPjj,clean_puts,8192
  _Z16histogram_globalPKjPjj,load_accesses,8192
  _Z16histogram_globalPKjPjj,load_accesses_bypassed,0
  _Z16histogram_globalPKjPjj,load_misses,32768
  _Z16histogram_globalPKjPjj,read_requests,8192
