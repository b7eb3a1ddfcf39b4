Levels that a machine file describes: the examples, each mistake at its place, what is drawn and
printed, and what is not run yet.

  $ cd $SOURCE/machines/examples; for f in *.yaml; do warpmem machine check ./$f; done
  ./cpu-four-cores.yaml: ok
  ./cpu-gpu-llc.yaml: ok
  ./cpu-gpu-one-way-llc.yaml: ok
  ./cpu-gpu-shared-llc.yaml: ok
  ./cpu-gpu-split-llc.yaml: ok
  ./grace-hopper.yaml: ok
  ./l1-of-16-sms.yaml: ok
  ./l1-of-2-sms.yaml: ok
  ./l1-of-4-sms.yaml: ok
  ./l1-of-8-sms.yaml: ok
  ./l2-of-clusters.yaml: ok
  ./no-l2.yaml: ok
  ./scalar-of-4-units.yaml: ok
  ./two-gpus.yaml: ok
  $ for f in l1-of-2-sms l1-of-4-sms l1-of-8-sms l1-of-16-sms; do warpmem machine graph $SOURCE/machines/examples/$f.yaml | grep -A1 L1,; done
  │ 16 × L1, one of 2 SMs                │
  │ 32.0 KiB each, 512 KiB in all        │
  │ 8 × L1, one of 4 SMs                 │
  │ 64.0 KiB each, 512 KiB in all        │
  │ 4 × L1, one of 8 SMs                 │
  │ 128 KiB each, 512 KiB in all         │
  │ 2 × L1, one of 16 SMs                │
  │ 256 KiB each, 512 KiB in all         │
  $ warpmem machine graph $SOURCE/machines/examples/scalar-of-4-units.yaml
  scalar-of-4-units (a scalar cache of 4 units)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 16 SMs at 925 MHz                                                            │
  │ each: 40 warps of 64 lanes, 64.0 KiB of shared memory                        │
  └───┬─────────────────────────────────────┬────────────────────────────────────┘
      │ 64 B a cycle each, 947 GB/s         │
  ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  │ 16 × L1, one an SM                   │  ├──┤ 4 × scalar cache, one of 4 SMs  │
  │ 16.0 KiB each, 256 KiB in all        │  │  │ 16.0 KiB each, 64.0 KiB in all  │
  │ lines of 64 B, 4 ways                │  │  │ lines of 64 B, 4 ways           │
  └───┬──────────────────────────────────┘  │  │ for constants, uniform loads    │
      │ 592 GB/s each way                   │  │ 947 GB/s from the SMs           │
      │                                     │  └─────────────────────────────────┘
  ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  │ crossbar, 16 to 8 ports                                                      │
  │ 40 B a cycle of each port, latency 16 cycles at 925 MHz                      │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 296 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 512 KiB, 8 slices of 64.0 KiB                                                │
  │ lines of 64 B, 16 ways                                                       │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 176 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 4.00 GiB                                                               │
  │ 8 channels of 22.0 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘
  $ warpmem machine graph $SOURCE/machines/examples/l2-of-clusters.yaml
  l2-of-clusters (L2s of clusters under an L3)
  ┌──────────────────────────────────────┐
  │ 32 SMs at 1.00 GHz                   │
  │ each: 48 warps of 32 lanes           │
  │ 48.0 KiB of shared memory            │
  └───┬──────────────────────────────────┘
      │ 128 B a cycle each, 4.10 TB/s
  ┌───┴──────────────────────────────────┐
  │ 32 × L1, one an SM                   │
  │ 16.0 KiB each, 512 KiB in all        │
  │ lines of 128 B, sectors of 32 B      │
  │ 4 ways                               │
  └───┬──────────────────────────────────┘
      │
  ┌───┴──────────────────────────────────┐
  │ 4 × cluster_l2, one of 8 SMs         │
  │ 512 KiB each, 2.00 MiB in all        │
  │ 2 slices of 256 KiB                  │
  │ lines of 128 B, sectors of 32 B      │
  │ 16 ways                              │
  └───┬──────────────────────────────────┘
      │ 320 GB/s each way
  ┌───┴──────────────────────────────────┐
  │ crossbar, 8 to 8 ports               │
  │ 40 B a cycle of each port            │
  │ latency 16 cycles at 1.00 GHz        │
  └───┬──────────────────────────────────┘
      │ 320 GB/s each way
  ┌───┴──────────────────────────────────┐
  │ l3                                   │
  │ 8.00 MiB, 8 slices of 1.00 MiB       │
  │ lines of 128 B, sectors of 32 B      │
  │ 16 ways                              │
  └───┬──────────────────────────────────┘
      │ 224 GB/s
  ┌───┴──────────────────────────────────┐
  │ DRAM, 4.00 GiB                       │
  │ 8 channels of 28.0 GB/s              │
  └──────────────────────────────────────┘
  $ warpmem machine graph $SOURCE/machines/examples/no-l2.yaml
  no-l2 (no L2)
  ┌──────────────────────────────────────┐
  │ 16 SMs at 1.00 GHz                   │
  │ each: 48 warps of 32 lanes           │
  │ 48.0 KiB of shared memory            │
  └───┬──────────────────────────────────┘
      │ 128 B a cycle each, 2.05 TB/s
  ┌───┴──────────────────────────────────┐
  │ 16 × L1, one an SM                   │
  │ 48.0 KiB each, 768 KiB in all        │
  │ lines of 128 B, sectors of 32 B      │
  │ 6 ways                               │
  └───┬──────────────────────────────────┘
      │ 640 GB/s each way
  ┌───┴──────────────────────────────────┐
  │ crossbar, 16 to 8 ports              │
  │ 40 B a cycle of each port            │
  │ latency 16 cycles at 1.00 GHz        │
  └───┬──────────────────────────────────┘
      │ 320 GB/s each way
  ┌───┴──────────────────────────────────┐
  │ DRAM, 4.00 GiB                       │
  │ 8 channels of 28.0 GB/s              │
  └──────────────────────────────────────┘
  $ warpmem machine graph $SOURCE/machines/examples/cpu-four-cores.yaml
  cpu-four-cores (four cores under one cache)
  ┌──────────────────────────────────────┐
  │ 4 cores at 2.66 GHz                  │
  └───┬──────────────────────────────────┘
      │ 64 B a cycle each, 681 GB/s
  ┌───┴──────────────────────────────────┐
  │ 4 × L1, one a core                   │
  │ 32.0 KiB each, 128 KiB in all        │
  │ lines of 64 B, 8 ways                │
  └───┬──────────────────────────────────┘
      │
  ┌───┴──────────────────────────────────┐
  │ 4 × L2, one a core                   │
  │ 256 KiB each, 1.00 MiB in all        │
  │ 1 slice of 256 KiB                   │
  │ lines of 64 B, 8 ways                │
  └───┬──────────────────────────────────┘
      │ 426 GB/s each way
  ┌───┴──────────────────────────────────┐
  │ crossbar, 4 to 1 ports               │
  │ 40 B a cycle of each port            │
  │ latency 16 cycles at 2.66 GHz        │
  └───┬──────────────────────────────────┘
      │ 106 GB/s each way
  ┌───┴──────────────────────────────────┐
  │ l3                                   │
  │ 8.00 MiB                             │
  │ lines of 64 B, 16 ways               │
  └───┬──────────────────────────────────┘
      │ 25.6 GB/s
  ┌───┴──────────────────────────────────┐
  │ DRAM, 6.00 GiB                       │
  │ 3 channels of 8.53 GB/s              │
  └──────────────────────────────────────┘
  $ warpmem machine graph $SOURCE/machines/examples/cpu-gpu-llc.yaml
  cpu-gpu-llc (a shared last-level cache)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 8 SMs at 1.00 GHz                                                            │
  │ each: 48 warps of 32 lanes, 48.0 KiB of shared memory                        │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 64 B a cycle each, 512 GB/s
  ┌───┴──────────────────────────────────┐
  │ 8 × L1, one an SM                    │
  │ 16.0 KiB each, 128 KiB in all        │
  │ lines of 64 B, 4 ways                │
  └───┬──────────────────────────────────┘
      │ 320 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ crossbar, 8 to 4 ports                                                       │
  │ 40 B a cycle of each port, latency 16 cycles at 1.00 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 160 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 1.00 MiB, 4 slices of 256 KiB                                                │
  │ lines of 64 B, 16 ways                                                       │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │
      └─────────────────────────────────────────────────────────────────────────┐
                                                                                │
  ┌───────────────────────────────────────────────────────────────────────────┐ │
  │ 4 CPU cores                                                               │ │
  └───┬───────────────────────────────────────────────────────────────────────┘ │
      │ 64 B a cycle each, 256 GB/s                                             │
  ┌───┴──────────────────────────────────┐                                      │
  │ 4 × l1, one a core                   │                                      │
  │ 32.0 KiB each, 128 KiB in all        │                                      │
  │ lines of 64 B, 8 ways                │                                      │
  └───┬──────────────────────────────────┘                                      │
      │                                                                         │
  ┌───┴──────────────────────────────────┐                                      │
  │ 4 × l2, one a core                   │                                      │
  │ 256 KiB each, 1.00 MiB in all        │                                      │
  │ lines of 64 B, 8 ways                │                                      │
  └───┬──────────────────────────────────┘                                      │
      │                                                                         │
  ┌───┴─────────────────────────────────────────────────────────────────────────┴┐
  │ llc                                                                          │
  │ 8.00 MiB, 4 slices of 2.00 MiB                                               │
  │ lines of 64 B, 16 ways                                                       │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 25.6 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 8.00 GiB                                                               │
  │ 2 channels of 12.8 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘

What is shown is drawn and loads again, levels in the order of their places.

  $ warpmem machine show $SOURCE/machines/examples/cpu-gpu-llc.yaml > shown.yaml; warpmem machine show ./shown.yaml | cmp - shown.yaml; sed -n '/^cpu:/,$p' shown.yaml
  cpu:
  
    # the CPU cores
    core:
      count: 4                            # CPU cores; 0: there is no CPU beside the GPU
      clock: 0Hz                          # their clock, and that of their levels; 0Hz: that of the SMs
      width: 4                            # clock: instructions dispatched, and retired, in a cycle
      window: 192                         # clock: instructions that have been dispatched and not retired
      load_queue: 72                      # clock: loads among them
      store_buffer: 42                    # clock: stores that have been dispatched and not written
      stores_in_flight: 1                 # clock: of them, those on their way to memory at once
      ports: 3                            # clock: accesses that its L1 takes in a cycle
      forward_latency: 5                  # clock: cycles from a load to data that the store buffer has
  
    # a level of caches
    l1:
      present: true                       # false: what comes goes on to what is below
      per: core                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: [data]                      # which of a unit's own accesses begin at it
      size: 32KiB                         # bytes of data in one, all slices together
      ways: 8                             # lines of one set
      line: 64B                           # bytes of one line
      sector: 64B                         # bytes fetched on a miss: the line's when it is not sectored
      slices: 0                           # slices of each, of which an address chooses one; 0: it has none
      interleave: 256B                    # consecutive bytes on one slice
      interleave_hash: none               # how these blocks choose it
      write: back                         # what a store does
      write_allocate: true                # whether a store that misses takes a line
      write_fetch: partial                # what a store has fetched that it does not write
      dirty_limit: 0B                     # bytes that may be dirty, each set its part; 0B: any number
      replacement: lru                    # which line of a full set makes room
      set_index: modulo                   # how an address chooses its set
      inclusion: non-inclusive            # what it and the caches above know of each other
      coherence: none                     # how its lines agree with copies of them in other caches
      load_allocation: all                # which loads take lines in it
      flush_at_kernel: false              # whether its contents are dropped when a kernel starts
      prefetch: none                      # which lines it requests before they are looked for
      victim_lines: 0                     # lines of its victim cache, fully associative; 0: none
      victim_latency: 1                   # clock: cycles that an exchange with the victim cache takes
      atomic_interval: 1                  # clock: cycles from an atomic at an address to the next one there
      latency: 28                         # clock: cycles until a hit's data, or a miss, goes on
      link_latency: 0                     # clock: cycles of the way to a coherent level below; 0: one, and to memory none
      mshr_entries: 256                   # clock: lines that may have bytes on their way
      mshr_merges: 8                      # clock: requests that may wait for one such line
      mshr_of_sectors: false              # clock: true: both are of sectors, not of lines
      queue: 16                           # clock: requests that may wait to go below
      clock: 0Hz                          # clock: its clock; 0Hz: that of the SMs
  
    # a level of caches
    l2:
      present: true                       # false: what comes goes on to what is below
      per: core                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      below: /llc                         # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: []                          # which of a unit's own accesses begin at it
      size: 256KiB                        # bytes of data in one, all slices together
      ways: 8                             # lines of one set
      line: 64B                           # bytes of one line
      sector: 64B                         # bytes fetched on a miss: the line's when it is not sectored
      slices: 0                           # slices of each, of which an address chooses one; 0: it has none
      interleave: 256B                    # consecutive bytes on one slice
      interleave_hash: none               # how these blocks choose it
      write: back                         # what a store does
      write_allocate: true                # whether a store that misses takes a line
      write_fetch: partial                # what a store has fetched that it does not write
      dirty_limit: 0B                     # bytes that may be dirty, each set its part; 0B: any number
      replacement: lru                    # which line of a full set makes room
      set_index: modulo                   # how an address chooses its set
      inclusion: non-inclusive            # what it and the caches above know of each other
      coherence: none                     # how its lines agree with copies of them in other caches
      load_allocation: all                # which loads take lines in it
      flush_at_kernel: false              # whether its contents are dropped when a kernel starts
      prefetch: none                      # which lines it requests before they are looked for
      victim_lines: 0                     # lines of its victim cache, fully associative; 0: none
      victim_latency: 1                   # clock: cycles that an exchange with the victim cache takes
      atomic_interval: 1                  # clock: cycles from an atomic at an address to the next one there
      latency: 28                         # clock: cycles until a hit's data, or a miss, goes on
      link_latency: 0                     # clock: cycles of the way to a coherent level below; 0: one, and to memory none
      mshr_entries: 256                   # clock: lines that may have bytes on their way
      mshr_merges: 8                      # clock: requests that may wait for one such line
      mshr_of_sectors: false              # clock: true: both are of sectors, not of lines
      queue: 16                           # clock: requests that may wait to go below
      clock: 0Hz                          # clock: its clock; 0Hz: that of the SMs
  
  # a level of caches
  llc:
    present: true                         # false: what comes goes on to what is below
    per: all                              # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
    below: memory                         # where its misses go: a level here or, /NAME, outside all groups; memory
    serves: []                            # which of a unit's own accesses begin at it
    size: 8MiB                            # bytes of data in one, all slices together
    ways: 16                              # lines of one set
    line: 64B                             # bytes of one line
    sector: 64B                           # bytes fetched on a miss: the line's when it is not sectored
    slices: 4                             # slices of each, of which an address chooses one; 0: it has none
    interleave: 64B                       # consecutive bytes on one slice
    interleave_hash: none                 # how these blocks choose it
    write: back                           # what a store does
    write_allocate: true                  # whether a store that misses takes a line
    write_fetch: partial                  # what a store has fetched that it does not write
    dirty_limit: 0B                       # bytes that may be dirty, each set its part; 0B: any number
    replacement: lru                      # which line of a full set makes room
    set_index: modulo                     # how an address chooses its set
    inclusion: non-inclusive              # what it and the caches above know of each other
    coherence: none                       # how its lines agree with copies of them in other caches
    load_allocation: all                  # which loads take lines in it
    flush_at_kernel: false                # whether its contents are dropped when a kernel starts
    prefetch: none                        # which lines it requests before they are looked for
    victim_lines: 0                       # lines of its victim cache, fully associative; 0: none
    victim_latency: 1                     # clock: cycles that an exchange with the victim cache takes
    atomic_interval: 1                    # clock: cycles from an atomic at an address to the next one there
    latency: 28                           # clock: cycles until a hit's data, or a miss, goes on
    link_latency: 0                       # clock: cycles of the way to a coherent level below; 0: one, and to memory none
    mshr_entries: 256                     # clock: lines that may have bytes on their way
    mshr_merges: 8                        # clock: requests that may wait for one such line
    mshr_of_sectors: false                # clock: true: both are of sectors, not of lines
    queue: 16                             # clock: requests that may wait to go below
    clock: 0Hz                            # clock: its clock; 0Hz: that of the SMs
  $ warpmem machine show $SOURCE/machines/examples/l2-of-clusters.yaml --set 'gpu.cluster_l2.per=16 sm' --set gpu.l3.size=4MiB | grep -E '^# .*(cluster_l2|4.00 MiB)|per: 16'
  # │ 2 × cluster_l2, one of 16 SMs        │
  # │ 4.00 MiB, 8 slices of 512 KiB        │
      per: 16 sm                          # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
  $ warpmem machine graph $SOURCE/machines/examples/l2-of-clusters.yaml --set gpu.cluster_l2.present=false | grep -E 'L1|l3|cluster'
  l2-of-clusters (L2s of clusters under an L3)
  │ 32 × L1, one an SM                   │
  │ l3                                   │
  $ warpmem machine show gtx480 --set gpu.l1.sms_each=4 | grep -E '    per: '
      per: 4 sm                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: 4 sm                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: all                            # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
  $ warpmem machine show gtx480 --set 'gpu.l1.per=4 sm' | grep -E '    per: '
      per: 4 sm                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: 4 sm                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: all                            # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
  $ warpmem machine show gtx480 --set gpu.l1.per=all | grep -E '    per: all'
      per: all                            # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      per: all                            # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together

Chains beside the way of data: one that joins a level in between, one that joins a level of all, and
the cores' beside the GPU's.

  $ cp $SOURCE/tests/cli/chains.yaml .
  $ warpmem machine graph ./chains.yaml
  chains (chains)
  ┌──────────────────────────────────────────────────────────────────────────────┐
  │ 32 SMs at 1.00 GHz                                                           │
  │ each: 32 warps of 32 lanes, 48.0 KiB of shared memory                        │
  └───┬─────────────────────────────────────┬───────────────────────────────────┬┘
      │ 128 B a cycle each, 4.10 TB/s       │                                   │
  ┌───┴──────────────────────────────────┐  │  ┌──────────────────────────────┐ │
  │ 32 × L1, one an SM                   │  ├──┤ 32 × texture cache           │ │
  │ 16.0 KiB each, 512 KiB in all        │  │  │ one an SM                    │ │
  │ lines of 128 B, sectors of 32 B      │  │  │ 16.0 KiB each                │ │
  │ 4 ways                               │  │  │ 512 KiB in all               │ │
  └───┬──────────────────────────────────┘  │  │ lines of 64 B, 4 ways        │ │
      │                                     │  │ for read-only loads,         │ │
  ┌───┴──────────────────────────────────┐  │  │ textures                     │ │
  │ 32 × victim cache, one an SM         │  │  │ 2.05 TB/s from the SMs       │ │
  │ 512 B each, 16.0 KiB in all          │  │  └──────────────────────────────┘ │
  │ lines of 128 B, sectors of 32 B      │  │  ┌──────────────────────────────┐ │
  │ fully associative                    │  ├──┤ 32 × L1 TLB, one an SM       │ │
  └───┬──────────────────────────────────┘  │  │ 16 entries each              │ │
      │                                     │  │ pages of 2.00 MiB, 16 ways   │ │
      │                                     │  │ walks of 4 reads, through    │ │
      │                                     │  │ cluster_l2                   │ │
      │                                     │  └──────────────────────────────┘ │
  ┌───┴─────────────────────────────────────┴─────────────────────────────────┐ │
  │ 4 × cluster_l2, one of 8 SMs                                              │ │
  │ 512 KiB each, 2.00 MiB in all, 2 slices of 256 KiB                        │ │
  │ lines of 128 B, sectors of 32 B, 8 ways                                   │ │
  └───┬───────────────────────────────────────────────────────────────────────┘ │
      │ 320 GB/s each way                                                       │
      │                                        ┌────────────────────────────┐   │
      │                                        │ 32 × instruction cache     ├───┤
      │                                        │ one an SM                  │   │
      │                                        │ 32.0 KiB each              │   │
      │                                        │ 1.00 MiB in all            │   │
      │                                        │ lines of 64 B, 4 ways      │   │
      │                                        │ for instruction fetches    │   │
      │                                        └───┬────────────────────────┘   │
      │                                            │                            │
      │                                        ┌───┴────────────────────────┐   │
      │                                        │ 4 × icache2, one of 8 SMs  │   │
      │                                        │ 64.0 KiB each              │   │
      │                                        │ 256 KiB in all             │   │
      │                                        │ lines of 128 B             │   │
      │                                        │ sectors of 32 B, 4 ways    │   │
      │                                        └───┬────────────────────────┘   │
      │                                            │                            │
      │                                        ┌───┴────────────────────────┐   │
      │                                        │ 4 × victim cache           ├───┤
      │                                        │ one of 8 SMs               │   │
      │                                        │ 1.00 KiB each              │   │
      │                                        │ 4.00 KiB in all            │   │
      │                                        │ lines of 128 B             │   │
      │                                        │ sectors of 32 B            │   │
      │                                        │ fully associative          │   │
      │                                        └────────────────────────────┘   │
      │                                        ┌────────────────────────────┐   │
      │                                        │ 8 × scalar cache           ├───┤
      │                                        │ one of 4 SMs               │   │
      │                                        │ 16.0 KiB each              │   │
      │                                        │ 128 KiB in all             │   │
      │                                        │ lines of 64 B, 4 ways      │   │
      │                                        │ for constants              │   │
      │                                        │ uniform loads              │   │
      │                                        │ 2.05 TB/s from the SMs     │   │
      │                                        └────────────────────────────┘   │
  ┌───┴─────────────────────────────────────────────────────────────────────────┴┐
  │ crossbar, 8 to 6 ports                                                       │
  │ 40 B a cycle of each port, latency 16 cycles at 1.00 GHz                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 240 GB/s each way
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ L2                                                                           │
  │ 6.00 MiB, 6 slices of 1.00 MiB                                               │
  │ lines of 128 B, sectors of 32 B, 16 ways                                     │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │
      └─────────────────────────────────────────────────────────────────────────┐
                                                                                │
  ┌───────────────────────────────────────────────────────────────────────────┐ │
  │ 4 CPU cores                                                               │ │
  └───┬─────────────────────────────────────┬─────────────────────────────────┘ │
      │ 64 B a cycle each, 256 GB/s         │                                   │
  ┌───┴──────────────────────────────────┐  │  ┌──────────────────────────────┐ │
  │ 4 × l1, one a core                   │  ├──┤ 4 × l1i, one a core          │ │
  │ 32.0 KiB each, 128 KiB in all        │  │  │ 32.0 KiB each                │ │
  │ lines of 64 B, 8 ways                │  │  │ 128 KiB in all               │ │
  └───┬──────────────────────────────────┘  │  │ lines of 64 B, 8 ways        │ │
      │                                     │  │ for instruction fetches      │ │
      │                                     │  └──────────────────────────────┘ │
  ┌───┴─────────────────────────────────────┴─────────────────────────────────┐ │
  │ 4 × l2, one a core                                                        │ │
  │ 256 KiB each, 1.00 MiB in all                                             │ │
  │ lines of 64 B, 8 ways                                                     │ │
  └───┬───────────────────────────────────────────────────────────────────────┘ │
      │                                                                         │
  ┌───┴─────────────────────────────────────────────────────────────────────────┴┐
  │ llc                                                                          │
  │ 8.00 MiB, 4 slices of 2.00 MiB                                               │
  │ lines of 64 B, 16 ways                                                       │
  └───┬──────────────────────────────────────────────────────────────────────────┘
      │ 100 GB/s
  ┌───┴──────────────────────────────────────────────────────────────────────────┐
  │ DRAM, 1.00 GiB                                                               │
  │ 6 channels of 16.7 GB/s                                                      │
  └──────────────────────────────────────────────────────────────────────────────┘
  $ warpmem machine graph ./chains.yaml --json | grep -E '"(name|below)": ' | paste - - | grep -v networks
        "name": "gpu0.sm[*]",	      "below": null,
        "name": "cpu0.core[*]",	      "below": null,
        "name": "gpu0.sm[*].l1",	      "below": "gpu0.sm[*].victim",
        "name": "gpu0.sm[*].victim",	      "below": "gpu0.sm[*].cluster_l2[*]",
        "name": "gpu0.sm[*].texture",	      "below": "gpu0.sm[*].cluster_l2[*]",
        "name": "gpu0.sm[*].instruction",	      "below": "gpu0.sm[*].icache2",
        "name": "gpu0.sm[*].scalar",	      "below": "gpu0.l2[*]",
        "name": "gpu0.sm[*].icache2",	      "below": "gpu0.sm[*].icache2.victim",
        "name": "gpu0.sm[*].icache2.victim",	      "below": "gpu0.l2[*]",
        "name": "gpu0.sm[*].cluster_l2[*]",	      "below": "gpu0.l2[*]",
        "name": "cpu0.core[*].l1",	      "below": "cpu0.core[*].l2",
        "name": "cpu0.core[*].l1i",	      "below": "cpu0.core[*].l2",
        "name": "cpu0.core[*].l2",	      "below": "llc[*]",
        "name": "gpu0.sm[*].tlb",	      "below": "gpu0.sm[*].cluster_l2[*]",
        "name": "gpu0.requests[*]",	      "below": null,
        "name": "gpu0.replies[*]",	      "below": null,
        "name": "gpu0.l2[*]",	      "below": "llc[*]",
        "name": "llc[*]",	      "below": "gpu0.dram[*]",
        "name": "gpu0.dram[*]",	      "below": null,

Mistakes.

  $ cp $SOURCE/machines/examples/l2-of-clusters.yaml clusters.yaml; cp $SOURCE/machines/examples/cpu-gpu-llc.yaml llc.yaml
  $ printf '#!/bin/sh\nf=$1; shift; sed "$@" $f.yaml > bad.yaml\nexec warpmem machine check bad.yaml\n' > edit; chmod +x edit
  $ ./edit clusters 's/    per: 8 sm/    per: 8/'
  ! error: bad.yaml:34:10: gpu.cluster_l2.per: "8" does not say who has one
  !       per: 8                       # four clusters of eight
  !            ^
  ! hint: write sm for one each, 8 sm for one of each 8 (1 to 1024), or all
  [2]
  $ ./edit clusters 's/    per: 8 sm/    per: 8 core/'
  ! error: bad.yaml:34:10: gpu.cluster_l2.per: "8 core" does not say who has one
  !       per: 8 core                       # four clusters of eight
  !            ^
  ! hint: write sm for one each, 8 sm for one of each 8 (1 to 1024), or all
  [2]
  $ ./edit clusters 's/    per: 8 sm/    per: 5000 sm/'
  ! error: bad.yaml:34:10: gpu.cluster_l2.per: "5000 sm" does not say who has one
  !       per: 5000 sm                       # four clusters of eight
  !            ^
  ! hint: write sm for one each, 8 sm for one of each 8 (1 to 1024), or all
  [2]
  $ ./edit clusters 's/    per: 8 sm/    per: [8, sm]/'
  ! error: bad.yaml:34:10: gpu.cluster_l2.per takes one value, not a list
  !       per: [8, sm]                       # four clusters of eight
  !            ^
  ! hint: legal is sm or core, 2 to 1024 of them (8 sm), all
  [2]
  $ ./edit clusters 's/    below: cluster_l2/    below: cluster_12/'
  ! error: bad.yaml:25:12: gpu.l1.below: there is no level "cluster_12"
  !       below: cluster_12               # of the SM's cluster
  !              ^
  ! hint: did you mean cluster_l2? known are l1, constant, texture, scalar, instruction, l2, cluster_l2, l3, memory
  [2]
  $ ./edit clusters 's/    below: cluster_l2/    below: \/l3/'
  ! error: bad.yaml:25:12: gpu.l1.below: there is no level "/l3"
  !       below: /l3               # of the SM's cluster
  !              ^
  ! hint: did you mean l3? known are l1, constant, texture, scalar, instruction, l2, cluster_l2, l3, memory
  [2]
  $ ./edit clusters 's/    below: cluster_l2/    below: l1/'
  ! error: bad.yaml:25:12: gpu.l1.below: what is missed goes round and round
  !       below: l1               # of the SM's cluster
  !              ^
  ! hint: every way down ends in memory: change a below on it
  [2]
  $ ./edit clusters 's/    below: memory/    below: cluster_l2/'
  ! error: bad.yaml:25:12: gpu.l1.below: what is missed goes round and round
  !       below: cluster_l2               # of the SM's cluster
  !              ^
  ! hint: every way down ends in memory: change a below on it
  [2]
  $ ./edit clusters 's/    per: sm/    per: 3 sm/'
  ! error: bad.yaml:24:10: gpu.l1.per: 3 units share one, which do not divide the 8 that share one below (gpu.cluster_l2.per)
  !       per: 3 sm                         # one each
  !            ^
  ! hint: the units of one above lie in one below: make gpu.cluster_l2.per a multiple of gpu.l1.per
  [2]
  $ ./edit clusters 's/    per: sm/    per: all/'
  ! error: bad.yaml:24:10: gpu.l1.per: all 32 units share one, which do not divide the 8 that share one below (gpu.cluster_l2.per)
  !       per: all                         # one each
  !            ^
  ! hint: the units of one above lie in one below: make gpu.cluster_l2.per a multiple of gpu.l1.per
  [2]
  $ ./edit clusters 's/    below: cluster_l2/    below: l3/'
  ! error: bad.yaml:35:12: nothing reaches the level cluster_l2: it is below no other, and gpu.cluster_l2.serves names nothing
  !       below: l3                       # of all
  !              ^
  ! hint: name it in another level's below, say what it serves, or set gpu.cluster_l2.present to false
  [2]
  $ ./edit clusters 's/    per: sm/&\n    sms_each: 1/'
  ! error: bad.yaml:25:5: sms_each and per say the same
  !       sms_each: 1                         # one each
  !       ^
  ! hint: leave one of them out: sms_each is what gpu.l1.per was called before
  [2]
  $ ./edit clusters 's/    per: sm/    sms_each: 2/'
  bad.yaml: ok
  $ ./edit clusters 's/^  cluster_l2:/  dram2:/'
  ! error: bad.yaml:25:12: gpu.l1.below: there is no level "cluster_l2"
  !       below: cluster_l2               # of the SM's cluster
  !              ^
  ! hint: known are l1, constant, texture, scalar, instruction, l2, dram2, l3, memory
  [2]
  $ ./edit clusters 's/^  cluster_l2:/  Cluster:/'
  ! error: bad.yaml:33:3: there can be no level "Cluster": a level is called by a lower-case letter, then letters, digits and "_"
  !     Cluster:
  !     ^
  ! hint: give it another name
  [2]
  $ ./edit clusters 's/^  cluster_l2:/  memory:/'
  ! error: bad.yaml:33:3: there can be no level "memory": other parts of a machine are called so
  !     memory:
  !     ^
  ! hint: give it another name
  [2]
  $ ./edit clusters 's/^  cluster_l2:/  a_cluster_of_eight:/'
  ! error: bad.yaml:33:3: there can be no level "a_cluster_of_eight": a level's name has at most 15 characters
  !     a_cluster_of_eight:
  !     ^
  ! hint: give it another name
  [2]
  $ ./edit clusters '/    per: 8 sm/d; /    below: l3/d'
  ! error: bad.yaml:33:3: unknown key "cluster_l2" in gpu
  !     cluster_l2:
  !     ^
  ! hint: known here are sm, l1, constant, texture, scalar, instruction, tlb, tracker, interconnect, peer_link, l2, energy, dram, count, launch_latency; a level of its own says what is below it, or who has one: add below or per
  [2]
  $ ./edit clusters 's/    latency: 60/    latncy: 60/'
  ! error: bad.yaml:44:5: unknown key "latncy" in gpu.cluster_l2
  !       latncy: 60                     # an example
  !       ^
  ! hint: did you mean latency?
  [2]
  $ ./edit clusters 's/    latency: 60/    victim_lines: 4\n    replacement: opt/'
  ! error: bad.yaml:44:19: gpu.cluster_l2.victim_lines is not 0, and gpu.cluster_l2.replacement is opt: opt does not know at once which line leaves
  !       victim_lines: 4
  !                     ^
  ! hint: name another gpu.cluster_l2.replacement, or set gpu.cluster_l2.victim_lines to 0
  [2]
  $ ./edit clusters 's/    latency: 120/    inclusion: exclusive\n    line: 64B/; /^  l3:/,/^  l2:/s/    line: 128B.*//'
  ! error: bad.yaml:57:16: gpu.l3.inclusion is exclusive: gpu.cluster_l2.line (128B) and gpu.cluster_l2.sector (32B) have to be gpu.l3.line (64B) and gpu.l3.sector (32B)
  !       inclusion: exclusive
  !                  ^
  ! hint: change that, or set gpu.l3.inclusion to non-inclusive
  [2]
  $ ./edit clusters 's/    latency: 120/    inclusion: inclusive/; s/    per: 8 sm/&\n    replacement: opt/'
  ! error: bad.yaml:58:16: gpu.l3.inclusion is inclusive, and gpu.cluster_l2.replacement is opt: opt does not know at once which line leaves
  !       inclusion: inclusive                    # an example
  !                  ^
  ! hint: name another gpu.cluster_l2.replacement, or set gpu.l3.inclusion to non-inclusive
  [2]
  $ ./edit clusters 's/    latency: 60/    serves: [data]/'
  ! error: bad.yaml:44:13: gpu.cluster_l2.serves and gpu.l1.serves have an access in common, which begins at one level
  !       serves: [data]                     # an example
  !               ^
  ! hint: take it from one of the two
  [2]
  $ ./edit clusters 's/    latency: 60/    serves: [constants]/'
  ! error: bad.yaml:44:13: gpu.cluster_l2.serves: "[constants]" is no list of accesses
  !       serves: [constants]                     # an example
  !               ^
  ! hint: write, in brackets, some of data, constant, read-only, uniform, instructions: [data]
  [2]
  $ ./edit clusters 's/    latency: 60/    serves: data/'
  ! error: bad.yaml:44:13: gpu.cluster_l2.serves: "data" is no list of accesses
  !       serves: data                     # an example
  !               ^
  ! hint: write, in brackets, some of data, constant, read-only, uniform, instructions: [data]
  [2]
  $ ./edit clusters 's/    latency: 60/    serves: [{a: b}]/'
  ! error: bad.yaml:44:14: gpu.cluster_l2.serves: this is no word
  !       serves: [{a: b}]                     # an example
  !                ^
  ! hint: which of a unit's own accesses begin at it
  [2]
  $ ./edit clusters 's/    interleave: 256B/    interleave: 64B/'
  ! error: bad.yaml:38:17: gpu.cluster_l2.interleave (64B) is smaller than gpu.cluster_l2.line (128B)
  !       interleave: 64B                # an example
  !                   ^
  ! hint: a line lies in one slice: make gpu.cluster_l2.interleave at least a line
  [2]
  $ ./edit clusters 's/    size: 512KiB/    size: 500KiB/'
  bad.yaml: ok
  $ ./edit clusters '/    size: 512KiB/d'
  ! error: bad.yaml:33:3: required key "gpu.cluster_l2.size" is missing
  !     cluster_l2:
  !     ^
  ! hint: add it: bytes of data in one, all slices together (legal is 32B to 4GiB)
  [2]
  $ ./edit clusters 's/    present: false/    present: true/'
  ! error: bad.yaml:59:3: required key "gpu.l2.size" is missing
  !     l2:
  !     ^
  ! hint: add it: bytes of data in one, all slices together (legal is 32B to 4GiB)
  [2]
  $ ./edit clusters 's/    present: false/    size: 1MiB\n    present: true\n    ways: 8\n    slices: 8\n    write: back\n    write_allocate: true/'
  ! error: bad.yaml:61:14: nothing reaches the level l2: it is below no other, and gpu.l2.serves names nothing
  !       present: true
  !                ^
  ! hint: name it in another level's below, say what it serves, or set gpu.l2.present to false
  [2]
  $ ./edit llc 's/    below: \/llc/    below: llc/'
  bad.yaml: ok
  $ ./edit llc '/^cpu:/,$s/    below: \/llc/    below: \/l3/'
  ! error: bad.yaml:66:12: cpu.l2.below: there is no level "/l3"
  !       below: /l3                     # which the GPU shares
  !              ^
  ! hint: known are l1, l2, /llc, memory
  [2]
  $ ./edit llc '/^cpu:/,$s/    below: l2/    below: gpu.l2/'
  ! error: bad.yaml:56:12: cpu.l1.below: there is no level "gpu.l2"
  !       below: gpu.l2                       # the core's
  !              ^
  ! hint: known are l1, l2, /llc, memory
  [2]
  $ ./edit llc 's/    count: 4 /    count: 0 /'
  ! error: bad.yaml:52:12: there is a level l1 of CPU cores, and cpu.core.count is 0
  !       count: 0                        # an example
  !              ^
  ! hint: say how many there are: cpu.core.count
  [2]
  $ ./edit llc 's/    per: core/    per: sm/'
  ! error: bad.yaml:55:10: cpu.l1.per: "sm" does not say who has one
  !       per: sm                       # one each
  !            ^
  ! hint: write core for one each, 8 core for one of each 8 (1 to 1024), or all
  [2]
  $ ./edit llc 's/  below: memory/  per: 4 sm\n  below: memory/'
  ! error: bad.yaml:75:8: llc.per: "4 sm" does not say who has one
  !     per: 4 sm
  !          ^
  ! hint: outside of gpu and cpu a level is one of all units: write all
  [2]
  $ ./edit llc 's/  below: memory/  below: l2/'
  ! error: bad.yaml:75:10: llc.below: there is no level "l2"
  !     below: l2                     # the last level
  !            ^
  ! hint: known are /llc, memory
  [2]
  $ ./edit llc '/^llc:/,$s/  below: memory.*//'
  ! error: bad.yaml:74:1: unknown key "llc"
  !   llc:
  !   ^
  ! hint: known here are device, gpu, cpu, name; a level of its own says what is below it, or who has one: add below or per
  [2]
  $ ./edit llc 's/    below: \/llc/    below: memory/'
  ! error: bad.yaml:75:10: nothing reaches the level llc: it is below no other, and llc.serves names nothing
  !     below: memory                     # the last level
  !            ^
  ! hint: name it in another level's below, say what it serves, or set llc.present to false
  [2]
  $ ./edit llc 's/^llc:/l2:/; s/\/llc/\/l2/'
  ! error: bad.yaml:74:1: results would call two levels "l2": those of l2.present and gpu.l2.present
  !   l2:
  !   ^
  ! hint: give one of them another name
  [2]
  $ ./edit clusters 's/cluster_l2/cpu_l2/'
  ! error: bad.yaml:33:3: there can be no level "cpu_l2": results call the levels of CPU cores "cpu_…"
  !     cpu_l2:
  !     ^
  ! hint: give it another name
  [2]
  $ ./edit llc 's/^llc:/gpu0:/; s/\/llc/\/gpu0/'
  ! error: bad.yaml:74:1: there can be no level "gpu0": other parts of a machine are called so
  !   gpu0:
  !   ^
  ! hint: give it another name
  [2]
  $ ./edit llc 's/  inclusion: non-inclusive/  serves: [data]/'
  ! error: bad.yaml:82:11: llc.serves and gpu.l1.serves have an access in common, which begins at one level
  !     serves: [data]          # an example
  !             ^
  ! hint: take it from one of the two
  [2]
  $ for i in 0 1 2 3 4 5 6 7 8 9 10; do echo "c$i: {below: memory, size: 1KiB, ways: 1, present: false}"; done | cat llc.yaml - > many.yaml; warpmem machine check many.yaml
  ! error: many.yaml:92:1: there can be no level "c7": there are as many as a machine may have
  !   c7: {below: memory, size: 1KiB, ways: 1, present: false}
  !   ^
  ! hint: leave levels out that are not present
  [2]
  $ printf 'gpu: {l3: 4}\n' | cat - > l2.yaml; warpmem machine check l2.yaml
  ! error: l2.yaml:1:7: unknown key "l3" in gpu
  !   gpu: {l3: 4}
  !         ^
  ! hint: did you mean l1?
  [2]
  $ warpmem machine show ./clusters.yaml --set gpu.cluster_l2.siz=1MiB
  ! error: --set gpu.cluster_l2.siz=1MiB: unknown key "gpu.cluster_l2.siz"
  ! hint: did you mean gpu.cluster_l2.size?
  [2]
  $ warpmem machine show ./clusters.yaml --set gpu.cluster_l2=1MiB
  ! error: --set gpu.cluster_l2=1MiB: "gpu.cluster_l2" is a group of keys, not a key
  ! hint: set the keys in it one by one: --set gpu.cluster_l2.KEY=VALUE
  [2]
  $ warpmem machine show ./clusters.yaml --set gpu.cluster.size=1MiB
  ! error: --set gpu.cluster.size=1MiB: unknown key "gpu.cluster.size"
  ! hint: did you mean gpu.cluster_l2.size?
  [2]
  $ warpmem machine show ./clusters.yaml --set gpu.l1.below=l4
  ! error: --set gpu.l1.below=l4: gpu.l1.below: there is no level "l4"
  ! hint: did you mean l1? known are l1, constant, texture, scalar, instruction, l2, cluster_l2, l3, memory
  [2]
  $ warpmem machine show ./clusters.yaml --set 'gpu.cluster_l2.per=3 sm' | grep 'per: 3'
      per: 3 sm                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
  $ warpmem machine show ./clusters.yaml --set gpu.l2.present=true
  ! error: ./clusters.yaml:59:3: required key "gpu.l2.size" is missing
  !     l2:
  !     ^
  ! hint: add it: bytes of data in one, all slices together (legal is 32B to 4GiB)
  [2]
  $ warpmem machine show v100 --set gpu.l1.below=memory | grep -E "^    below:"
      below: memory                       # where its misses go: a level here or, /NAME, outside all groups; memory
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      below: memory                       # where its misses go: a level here or, /NAME, outside all groups; memory

Variants change such levels, and bring them.

  $ mkdir -p machines/variants; cp clusters.yaml machines; printf '# An L2 of each two clusters.\ngpu:\n  cluster_l2: {per: 16 sm}\n  l25: {per: 16 sm, below: l3, size: 1MiB, ways: 16}\n' > machines/variants/wide.yaml; printf '# More.\ngpu:\n  cluster_l2: {below: l25}\n' > machines/variants/more.yaml
  $ WARPMEM_MACHINES=$PWD/machines warpmem machine graph clusters+wide
  ! error: $HOME/machines/variants/wide.yaml:4:28: nothing reaches the level l25: it is below no other, and gpu.l25.serves names nothing
  !     l25: {per: 16 sm, below: l3, size: 1MiB, ways: 16}
  !                              ^
  ! hint: name it in another level's below, say what it serves, or set gpu.l25.present to false
  [2]
  $ WARPMEM_MACHINES=$PWD/machines warpmem machine graph clusters+wide+more | grep -E 'L1|cluster_l2|l25|l3'
  │ 32 × L1, one an SM                   │
  │ 2 × cluster_l2, one of 16 SMs        │
  │ 2 × l25, one of 16 SMs               │
  │ l3                                   │

The walk goes through any levels; the clock engine refuses such machines.

  $ need clang
  $ warpmem cc $SOURCE/workloads/vecadd.cu -o vecadd
  $ for m in l1-of-2-sms l1-of-16-sms scalar-of-4-units l2-of-clusters no-l2; do warpmem run -m $SOURCE/machines/examples/$m.yaml -- ./vecadd | sed -n 4,5p; done
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit     L1-L2      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%  12.0 MiB  11.3 MiB
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit     L1-L2      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%  12.0 MiB  11.3 MiB
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L2 hit     L1-L2      DRAM
  vecadd_scalar     1    4096 x 256       360 k    0.0%    0.0%  12.0 MiB  11.8 MiB
  Kernel         Runs  Grid x block  Warp instr  L1 hit  cluster L2 hit  L3 hit  L1-cluster L2  cluster L2-L3      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%            0.0%    0.0%       12.0 MiB       11.8 MiB  9.00 MiB
  Kernel         Runs  Grid x block  Warp instr  L1 hit      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%  12.0 MiB
  $ warpmem run -m $SOURCE/machines/examples/l2-of-clusters.yaml --set gpu.cluster_l2.present=false -- ./vecadd | sed -n 4,5p
  Kernel         Runs  Grid x block  Warp instr  L1 hit  L3 hit     L1-L3      DRAM
  vecadd_scalar     1    4096 x 256       721 k    0.0%    0.0%  12.0 MiB  9.24 MiB
  $ warpmem run -q -m ./llc.yaml -- ./vecadd
  vecadd: PASS
  $ warpmem run -q -m ./clusters.yaml --set 'gpu.cluster_l2.serves=[uniform]' -- ./vecadd
  ! warpmem: error: the level cluster_l2 is not given yet what its key serves says
  ! hint: leave serves as it is by default; "warpmem machine graph" draws such machines
  ! $SOURCE/workloads/workload.h:158: cudaMalloc(&device, bytes): initialization error
  [1]
  $ warpmem run -q --engine clock -m ./clusters.yaml -- ./vecadd
  vecadd: PASS
  $ warpmem run -q --engine clock -m v100 --set gpu.l1.below=memory -- ./vecadd
  vecadd: PASS
  $ warpmem run -q --engine clock -m v100 --set 'gpu.l1.prefetch=stream-buffer' -- ./vecadd
  vecadd: PASS

A core's accesses pass its own levels and what all share.

  $ printf ' L 1000,8\n L 1040,8\n L 1000,8\n S 2000,8\n L 2000,8\n' > core.lackey; warpmem import -q -o core.wmt core.lackey && warpmem replay -m $SOURCE/machines/examples/cpu-four-cores.yaml core.wmt | sed -n 1,12p
  warpmem: cpu-four-cores (four cores under one cache), untimed walk
  
  Kernel  Runs  Grid x block  Warp instr  L1 hit  L2 hit  L3 hit  L1-L2  L2-L3   DRAM
  core       1         1 x 1           5   40.0%    0.0%    0.0%  192 B  192 B  192 B
  
  Requests  loads  sect/req   used  stores  sect/req   used
    core        4       1.0  25.0%       1       1.0  25.0%
    sect/req: sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req); used:
    bytes requested, of those sectors' bytes.
  
  Where the bytes went   to the SM  from it
    requested by lanes        32 B      8 B  ######
