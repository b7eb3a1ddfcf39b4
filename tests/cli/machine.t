The machine commands.

  $ warpmem machine --help
  usage: warpmem machine COMMAND [options] [operands]
  
  Lists, draws, prints and checks the descriptions of machines. What a machine
  file may say is in "warpmem machine keys".
  
  commands:
    list                  list the machines that come with warpmem
    graph                 draw a machine: its components and links
    show                  print the effective description of a machine
    check                 check machine files
    keys                  print the schema of machine files
  
  options:
    -h, --help              print this help
  
  examples:
    warpmem machine list
    warpmem machine graph v100
    warpmem machine show v100
  
  "warpmem machine COMMAND --help" says more about one command.
  $ warpmem machine
  ! usage: warpmem machine COMMAND [options] [operands]
  ! 
  ! Lists, draws, prints and checks the descriptions of machines. What a machine
  ! file may say is in "warpmem machine keys".
  ! 
  ! commands:
  !   list                  list the machines that come with warpmem
  !   graph                 draw a machine: its components and links
  !   show                  print the effective description of a machine
  !   check                 check machine files
  !   keys                  print the schema of machine files
  ! 
  ! options:
  !   -h, --help              print this help
  ! 
  ! examples:
  !   warpmem machine list
  !   warpmem machine graph v100
  !   warpmem machine show v100
  ! 
  ! "warpmem machine COMMAND --help" says more about one command.
  [2]
  $ warpmem machine shw
  ! error: warpmem machine: unknown command "shw"
  ! hint: did you mean "warpmem machine show"?
  [2]
  $ warpmem machine list --help
  usage: warpmem machine list [options]
  
  Lists the machines that come with warpmem, with what distinguishes them.
  
  options:
    -h, --help              print this help
  
  examples:
    warpmem machine list
  $ warpmem machine show --help
  usage: warpmem machine show [options] MACHINE
  
  Prints the effective description of a machine: its picture, as "warpmem machine
  graph" draws it, in comments, and every key with its value and what it means.
  The output is a machine file itself. MACHINE is a name that "warpmem machine
  list" prints, or a file, named with a slash or its .yaml.
  
  options:
    -s, --set KEY=VALUE     change one key of the machine (gpu.sm.count=8); may be
                            given again
        --plugin FILE       load replacement and bypass entries from a shared
                            object
    -h, --help              print this help
  
  examples:
    warpmem machine show v100
    warpmem machine show v100 --set gpu.sm.unified=0B --set gpu.l1.size=48KiB
  $ warpmem machine check --help
  usage: warpmem machine check [options] MACHINE...
  
  Checks machine files whole: keys, units, ranges and whether such a machine can
  be. All are checked; the exit status is 2 when one of them is wrong.
  
  options:
        --plugin FILE       load replacement and bypass entries from a shared
                            object
    -h, --help              print this help
  
  examples:
    warpmem machine check v100 gtx480
  $ warpmem machine keys --help
  usage: warpmem machine keys [options]
  
  Prints the schema of machine files: every key with its type, legal range,
  default and meaning.
  
  options:
        --markdown          print the tables of docs/machine-files.md
    -h, --help              print this help
  
  examples:
    warpmem machine keys

  $ warpmem machine list
  a100          NVIDIA A100-SXM4-40GB    108 SMs, L1 28.0 KiB to 192 KiB, L2 40.0 MiB, DRAM 1.55 TB/s
  anssari       Anssari's GPU             16 SMs, L1 64.0 KiB, L2 1.00 MiB, DRAM 288 GB/s
  cpu-core2     Intel Core 2 Duo E6600     2 SMs, L1 32.0 KiB, L2 4.00 MiB, DRAM 8.53 GB/s
  cpu-multi2sim Multi2Sim's x86 core       1 SMs, L1 2.00 KiB, L2 16.0 KiB, DRAM 264 GB/s
  dacache-2015  the Fermi of the DaCache study  30 SMs, L1 32.0 KiB, L2 768 KiB, DRAM 177 GB/s
  gtx480        GeForce GTX 480           15 SMs, L1 16.0 KiB, L2 768 KiB, DRAM 177 GB/s
  gtx680        GeForce GTX 680            8 SMs, L1 16.0 KiB, L2 512 KiB, DRAM 192 GB/s
  h100          NVIDIA H100 80GB HBM3    132 SMs, L1 28.0 KiB to 256 KiB, L2 50.0 MiB, DRAM 3.35 TB/s
  h200          NVIDIA H200              132 SMs, L1 28.0 KiB to 256 KiB, L2 60.0 MiB, DRAM 4.80 TB/s
  hd7970        Radeon HD 7970            32 SMs, L1 16.0 KiB, L2 768 KiB, DRAM 355 GB/s
  liang-2015    the GTX 680 of the bypass study   8 SMs, L1 16.0 KiB to 48.0 KiB, L2 512 KiB, DRAM 192 GB/s
  rtx2060       GeForce RTX 2060          30 SMs, L1 32.0 KiB to 64.0 KiB, L2 3.00 MiB, DRAM 336 GB/s
  rtx3070       NVIDIA GeForce RTX 3070   46 SMs, L1 28.0 KiB to 128 KiB, L2 4.00 MiB, DRAM 448 GB/s
  titanx-pascal TITAN X (Pascal)          28 SMs, L1 48.0 KiB, L2 3.00 MiB, DRAM 480 GB/s
  v100          Tesla V100-SXM2-16GB      80 SMs, L1 32.0 KiB to 128 KiB, L2 6.00 MiB, DRAM 900 GB/s
  $ warpmem machine list extra
  ! error: warpmem machine list: unexpected operand "extra"
  ! hint: usage: warpmem machine list [options]
  [2]
  $ warpmem machine show gtx480
  # gtx480 (GeForce GTX 480)
  # ┌──────────────────────────────────────────────────────────────────────────────┐
  # │ 15 SMs at 1.40 GHz                                                           │
  # │ each: 48 warps of 32 lanes, 48.0 KiB of shared memory                        │
  # └───┬─────────────────────────────────────┬────────────────────────────────────┘
  #     │ 128 B a cycle each, 2.69 TB/s       │
  # ┌───┴──────────────────────────────────┐  │  ┌─────────────────────────────────┐
  # │ 15 × L1, one an SM                   │  ├──┤ 15 × constant cache, one an SM  │
  # │ 16.0 KiB each, 240 KiB in all        │  │  │ 8.00 KiB each, 120 KiB in all   │
  # │ lines of 128 B, 4 ways               │  │  │ lines of 64 B, 4 ways           │
  # └───┬──────────────────────────────────┘  │  │ for constants                   │
  #     │ 841 GB/s each way                   │  │ 1.34 TB/s from the SMs          │
  #     │                                     │  └─────────────────────────────────┘
  #     │                                     │  ┌─────────────────────────────────┐
  #     │                                     ├──┤ 15 × texture cache, one an SM   │
  #     │                                     │  │ 12.0 KiB each, 180 KiB in all   │
  #     │                                     │  │ lines of 32 B, 96 ways          │
  #     │                                     │  │ for read-only loads, textures   │
  #     │                                     │  │ 672 GB/s from the SMs           │
  #     │                                     │  └─────────────────────────────────┘
  # ┌───┴─────────────────────────────────────┴────────────────────────────────────┐
  # │ crossbar, 15 to 12 ports                                                     │
  # │ 40 B a cycle of each port, latency 16 cycles at 1.40 GHz                     │
  # └───┬──────────────────────────────────────────────────────────────────────────┘
  #     │ 672 GB/s each way
  # ┌───┴──────────────────────────────────────────────────────────────────────────┐
  # │ L2                                                                           │
  # │ 768 KiB, 12 slices of 64.0 KiB                                               │
  # │ lines of 128 B, sectors of 32 B, 8 ways                                      │
  # └───┬──────────────────────────────────────────────────────────────────────────┘
  #     │ 177 GB/s
  # ┌───┴──────────────────────────────────────────────────────────────────────────┐
  # │ DRAM, 1.50 GiB                                                               │
  # │ 6 channels of 29.6 GB/s                                                      │
  # └──────────────────────────────────────────────────────────────────────────────┘
  # The effective description of gtx480: every key with its value.
  name: gtx480                            # what commands and results call the machine
  
  # what the runtime's device properties report
  device:
    title: "GeForce GTX 480"              # the product's full name
    compute_capability: 2.0               # major and minor version of the instruction set
    clock: 1401MHz                        # clock of the SMs
    memory_clock: 1848MHz                 # clock of the memory bus, which moves data on both edges
    memory_bus_bits: 384                  # width of the memory bus
    memory_size: 1536MiB                  # bytes of device memory
    concurrent_kernels: 16                # most kernels that run at a time, of several streams
    persisting_l2: 0B                     # most bytes of L2 that a program may set aside; 0B: none
    access_window: 0B                     # longest range that an access policy is given for; 0B: none is taken
    compression: false                    # memory may be compressed where a program requests it
  
  # the parts that accesses pass through
  gpu:
    count: 1                              # GPUs, each like this one, with memories of their own
    launch_latency: 0                     # clock: cycles from a launch until its first blocks begin
  
    # the streaming multiprocessors: limits are those of one SM
    sm:
      count: 15                           # streaming multiprocessors of the GPU
      warp_width: 32                      # lanes of a warp: 32, or 64 with wavefronts; 1: SMs are CPU cores
      max_warps: 48                       # most warps resident at a time
      max_threads: 1536                   # most threads resident at a time
      max_blocks: 8                       # most blocks resident at a time
      max_threads_per_block: 1024         # most threads of one block
      registers: 32768                    # 32-bit registers
      max_registers_per_thread: 63        # most registers that one thread may use
      register_unit: 64                   # the registers of a warp are rounded up to a multiple of this
      shared: 48KiB                       # bytes of shared memory
      shared_per_block: 48KiB             # most shared memory of one block, after opting in beyond 48KiB
      shared_unit: 128B                   # the shared memory of a block is rounded up to a multiple of this
      shared_reserved: 0B                 # shared memory that the system takes of each block's
      unified: 0B                         # bytes that L1 and shared memory divide; 0B: each has an array of its own
      carveouts: []                       # sizes that shared memory may be given of the unified array
      default_carveout: 0B                # that of kernels without a preference; 0B: the smallest that costs no block
      schedulers: 2                       # warp schedulers
      issue_width: 1                      # warp instructions that one scheduler may issue in a cycle
      machine_code: ptx                   # what stands for the machine's own instructions
      integer_interval: 2                 # integers, logic, moves: cycles from one warp instruction of a scheduler to its next
      integer_latency: 18                 # integers, logic, moves: cycles from issue until the result may be read
      single_interval: 2                  # floating point of 32 bits: cycles from one warp instruction of a scheduler to its next
      single_latency: 18                  # floating point of 32 bits: cycles from issue until the result may be read
      double_interval: 16                 # floating point of 64 bits: cycles from one warp instruction of a scheduler to its next
      double_latency: 32                  # floating point of 64 bits: cycles from issue until the result may be read
      special_interval: 16                # special functions, conversions, shuffles: cycles from one warp instruction of a scheduler to its next
      special_latency: 32                 # special functions, conversions, shuffles: cycles from issue until the result may be read
      tensor_interval: 1                  # products of matrices: cycles from one warp instruction of a scheduler to its next
      tensor_latency: 1                   # products of matrices: cycles from issue until the result may be read
      control_interval: 2                 # branches, barriers: cycles from one warp instruction of a scheduler to its next
      control_latency: 18                 # branches, barriers: cycles from issue until the result may be read
      memory_interval: 4                  # loads, stores, atomics: cycles from one warp instruction of a scheduler to its next
      shared_latency: 52                  # cycles of an access to shared memory without bank conflicts
      shared_atomic_interval: 70          # clock: cycles from an atomic on a bank of shared memory to the next one of its warp there
      barrier_latency: 40                 # cycles from the last warp's arrival until the block goes on
      block_latency: 0                    # clock: cycles from a block's coming to an SM until its warps may issue
      memory_queue: 8                     # clock: memory instructions that may wait in the load/store unit
      warp_scheduler: greedy-then-oldest  # which of the ready warps goes next
      active_warps: 8                     # warps of each scheduler that two-level has take turns
      turn: 2048                          # warp instructions of one SM before the next has its turn
      turn_ends_at_memory: false          # true: a turn ends with an access that leaves the SM, too
      block_dispatch: round-robin         # which SM gets the next block
      load_throttle: none                 # clock: whose loads through L1 wait when warps lose lines there
      throttle_tags: 16                   # clock: lines that each warp lost last, which are known
      throttle_tag_ways: 8                # clock: ways of a set of them, which divide them
      throttle_base_score: 100            # clock: the score of a warp that lost nothing
      throttle_factor: 8                  # clock: how much lost lines raise a score (K-throttle)
  
    # the level-one data cache of each SM, or group of SMs
    l1:
      present: true                       # false: every access goes on to what is below
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      sharing: given                      # what the other keys describe, where several SMs share one
      sharing_latency: 0                  # clock: cycles more of latency with each doubling of the SMs that share one
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: [data]                      # which of a unit's own accesses begin at it
      size: 16KiB                         # bytes of data in one, all slices together
      ways: 4                             # lines of one set
      line: 128B                          # bytes of one line
      sector: 128B                        # bytes fetched on a miss: the line's when it is not sectored
      write: through-evict                # what a store does
      write_allocate: false               # whether a store that misses takes a line
      write_fetch: partial                # what a store has fetched that it does not write
      replacement: lru                    # which line of a full set makes room
      set_index: fermi-hash               # how an address chooses its set
      coherence: none                     # how its lines agree with copies of them in other caches
      allocation: on-miss                 # when a load that misses takes its line
      flush_at_kernel: true               # whether its contents are dropped when a kernel starts
      insertion: front                    # clock: where a load's lines enter the chain of a set
      coherent_insertion: detected        # clock: and, gauged, those of loads of at most two lines
      promotion: 0                        # clock: positions that a hit moves its line up; 0: to the front
      region: none                        # clock: the oldest warps, for whose lines the front of a set is
      region_warps: 2                     # clock: of each scheduler, always or, dynamic, at first
      region_full: displace               # clock: what a miss does that finds no line outside the region to displace
      bypass: cache-operator              # which loads and stores go past it
      bypass_means: no-lookup             # what it is to bypass, where the entry does not say which
      prefetch: none                      # which lines it requests before they are looked for
      victim_lines: 0                     # lines of its victim cache, fully associative; 0: none
      victim_latency: 1                   # clock: cycles that an exchange with the victim cache takes
      latency: 28                         # clock: cycles until a hit's data, or a miss, goes on
      link_latency: 0                     # clock: cycles of the way to a coherent level below; 0: one, and to memory none
      mshr_entries: 256                   # clock: lines that may have bytes on their way
      mshr_merges: 8                      # clock: requests that may wait for one such line
      mshr_of_sectors: false              # clock: true: both are of sectors, not of lines
      queue: 16                           # clock: requests that may wait to go below
      coalescing: none                    # clock: which requests join another in flight, and are not looked up
      return_sectors: 0                   # clock: sectors a cycle that those who waited for them get; 0: any
      ports: 1                            # clock: requests of a warp instruction that are looked up in a cycle
      banks: 0                            # clock: banks of its data, each serves one access a cycle; 0: any number
      bank_width: 32B                     # clock: consecutive bytes in one bank, one access
      fills_take_banks: false             # clock: true: what L2 sends takes the banks that it is written to
      lane_banks: false                   # clock: true: lanes' words conflict as in shared memory's 32 banks
      local_only: false                   # true: global memory goes round it, but for read-only loads
      bypass_list: "none"                 # which instructions per-pc means: KERNEL:pcN, KERNEL:ptxN, KERNEL:lineN
  
    # the constant cache, a side cache of L1, for constant memory
    constant:
      present: true                       # false: constant memory uses the scalar cache, or is counted and goes nowhere
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: [constant]                  # which of a unit's own accesses begin at it
      size: 8KiB                          # bytes of data in one, all slices together
      ways: 4                             # lines of one set
      line: 64B                           # bytes of one line, fetched whole
      replacement: lru                    # which line of a full set makes room
      set_index: modulo                   # how an address chooses its set
      latency: 0                          # clock: cycles from a request until its data leaves; 0: as of L1
      mshr_entries: 0                     # clock: lines that may have bytes on their way; 0: as of L1
      mshr_merges: 0                      # clock: requests that may wait for one such line; 0: as of L1
      ports: 0                            # clock: requests that are looked up in a cycle; 0: as of L1
      coalescing: none                    # clock: which requests join another in flight, and are not looked up
      word_interval: 0                    # clock: cycles for each word that lanes load; 0: all in one
  
    # the texture cache, a side cache of L1, for read-only loads
    texture:
      present: true                       # false: read-only loads use L1
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: [read-only]                 # which of a unit's own accesses begin at it
      size: 12KiB                         # bytes of data in one, all slices together
      ways: 96                            # lines of one set
      line: 32B                           # bytes of one line, fetched whole
      replacement: lru                    # which line of a full set makes room
      set_index: modulo                   # how an address chooses its set
      latency: 0                          # clock: cycles from a request until its data leaves; 0: as of L1
      mshr_entries: 0                     # clock: lines that may have bytes on their way; 0: as of L1
      mshr_merges: 0                      # clock: requests that may wait for one such line; 0: as of L1
      ports: 0                            # clock: requests that are looked up in a cycle; 0: as of L1
      coalescing: none                    # clock: which requests join another in flight, and are not looked up
  
    # the scalar cache, a side cache of L1, for loads whose lanes all read the same bytes
    scalar:
      present: false                      # false: loads of one address use L1 like others
      per: 4 sm                           # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: [uniform]                   # which of a unit's own accesses begin at it
      size: 16KiB                         # bytes of data in one, all slices together
      ways: 4                             # lines of one set
      line: 64B                           # bytes of one line, fetched whole
      replacement: lru                    # which line of a full set makes room
      set_index: modulo                   # how an address chooses its set
      latency: 0                          # clock: cycles from a request until its data leaves; 0: as of L1
      mshr_entries: 0                     # clock: lines that may have bytes on their way; 0: as of L1
      mshr_merges: 0                      # clock: requests that may wait for one such line; 0: as of L1
      ports: 0                            # clock: requests that are looked up in a cycle; 0: as of L1
      coalescing: none                    # clock: which requests join another in flight, and are not looked up
      loads: uniform                      # which loads of global memory it serves
  
    # the instruction cache, a side cache of L1
    instruction:
      present: false                      # false: instruction fetches go nowhere
      per: sm                             # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      below: l2                           # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: [instructions]              # which of a unit's own accesses begin at it
      size: 32KiB                         # bytes of data in one, all slices together
      ways: 4                             # lines of one set
      line: 64B                           # bytes of one line, fetched whole
      replacement: lru                    # which line of a full set makes room
      set_index: modulo                   # how an address chooses its set
      latency: 0                          # clock: cycles from a request until its data leaves; 0: as of L1
      mshr_entries: 0                     # clock: lines that may have bytes on their way; 0: as of L1
      mshr_merges: 0                      # clock: requests that may wait for one such line; 0: as of L1
      ports: 0                            # clock: requests that are looked up in a cycle; 0: as of L1
      bytes: 16B                          # bytes of code that each PTX instruction stands for
  
    # TLBs: an L1 TLB of each group of SMs, an L2 TLB of all
    tlb:
      present: false                      # false: translations cost nothing
      page: 2MiB                          # bytes of one page
      sms_each: 1                         # consecutive SMs that share an L1 TLB
      l1_entries: 16                      # pages that an L1 TLB holds
      l1_ways: 16                         # entries of one set
      l1_replacement: lru                 # which entry of a full set makes room
      l2_entries: 0                       # pages that the L2 TLB holds; 0: there is none
      l2_ways: 8                          # entries of one set
      l2_replacement: lru                 # which entry of a full set makes room
      l2_latency: 20                      # clock: cycles of a look-up in the L2 TLB
      walk_levels: 4                      # entries of the page table that a walk reads
      walks_use_l2: true                  # whether these reads are loads of the level-two cache
  
    # sharing trackers: which other L1 can supply a line
    tracker:
      present: false                      # false: what an L1 misses comes from below
      sms_each: 1024                      # consecutive SMs whose L1s share one; isolated from the others
      sets: 1024                          # sets of each
      ways: 8                             # entries of one set
      banks: 8                            # banks of each, which line after line takes turns with
      sharers: 1024                       # most holders of a line that it knows
      keep: last                          # which holders it knows when there are more
      keeps_on_write: false               # true: writes leave entries alone, and old data is supplied
      latency: 1                          # clock: cycles that what leaves an L1 takes to pass it
  
    # what joins the SMs and the level-two cache (clock engine)
    interconnect:
      topology: crossbar                  # how it is made up
      radix: 2                            # inputs and outputs of each switch of a butterfly
      clock: 0Hz                          # its clock; 0Hz: that of the SMs
      latency: 16                         # cycles of its clock from one end to the other
      flit: 40B                           # bytes that a port moves in a cycle
      buffer: 8                           # packets of one SM that a slice, or of one input that a switch holds
      sectors: 32                         # sectors that one packet carries, or requests
      store_replies: false                # true: L2 answers stores, and fences and blocks wait for it
  
    # what joins each two GPUs, where there are several
    peer_link:
      latency: 500                        # cycles of the SMs' clock from one GPU to the other
      bandwidth: 16GB/s                   # peak in each of the two directions
  
    # the level-two cache, shared by all SMs
    l2:
      present: true                       # false: what comes goes on to what is below
      per: all                            # who has one: each SM or core, each 8 consecutive ones (8 sm), or all together
      below: memory                       # where its misses go: a level here or, /NAME, outside all groups; memory
      serves: []                          # which of a unit's own accesses begin at it
      size: 768KiB                        # bytes of data in one, all slices together
      ways: 8                             # lines of one set
      line: 128B                          # bytes of one line
      sector: 32B                         # bytes fetched on a miss: the line's when it is not sectored
      slices: 12                          # slices of each, a multiple of the DRAM channels where memory is below
      interleave: 256B                    # consecutive bytes on one slice
      interleave_hash: none               # how these blocks choose it
      partitions: 1                       # halves of its slices, each near half of the SMs, with copies of the other's
      write: back                         # what a store does
      write_allocate: true                # whether a store that misses takes a line
      write_fetch: partial                # what a store has fetched that it does not write
      dirty_limit: 0B                     # bytes that may be dirty, each set its part; 0B: any number
      replacement: lru                    # which line of a full set makes room
      set_index: modulo                   # how an address chooses its set
      inclusion: non-inclusive            # what it and the caches above know of each other
      coherence: none                     # how its lines agree with copies of them in other caches
      load_allocation: all                # which loads take lines in it
      host_write_allocate: false          # whether what is copied to the device, or filled there, takes lines, clean
      prefetch: none                      # which lines it requests before they are looked for
      atomic_buffer: 0                    # sectors of each slice's atomic buffer; 0: none
      atomic_interval: 9                  # clock: cycles from an atomic at an address to the next one there
      atomic_by_sector: false             # clock: whether a slice does atomics of a request sector by sector, or all at once
      latency: 100                        # clock: cycles until a hit's data, or a miss, goes on
      link_latency: 0                     # clock: cycles of the way to a coherent level below; 0: one, and to memory none
      mshr_entries: 192                   # clock: lines that may have bytes on their way
      mshr_merges: 8                      # clock: requests that may wait for one such line
      mshr_of_sectors: false              # clock: true: both are of sectors, not of lines
      queue: 32                           # clock: requests that may wait to go below
      locked_line: merge                  # clock: what a request for a line does that a miss has locked
      partition_latency: 0                # clock: cycles of the way from one of its partitions to the other
      clock: 0Hz                          # clock: its clock; 0Hz: that of the SMs
      demand_before_writeback: true       # whether a miss fetches before its victim is written back
  
    # what reads, writes and moved bytes cost (docs/energy.md)
    energy:
      table: none                         # what structures of each capacity cost; none: energy is not counted
      l2: whole                           # for which capacity of the level-two cache the table is read
      distance: 14mm                      # that a byte travels between a level-one cache and level two
      header: 8B                          # bytes of a message besides what it carries
      tracker_entry: 2B                   # bytes of a sharing tracker's entry, its tag aside
      directory_entry: 4B                 # bytes of the directory's entry of a line, its tag included
      time: 0ps                           # that the run takes, for the energy of leakage; 0ps: as the clock engine measures; none in the walk
  
    # the device memory behind the level-two cache
    dram:
      channels: 6                         # channels of the device memory
      interleave: 256B                    # consecutive bytes on one channel
      interleave_hash: none               # how these blocks choose it: as they choose the slices before it
      device: none                        # timings of the devices; none: a latency and the bandwidth alone
      latency: 0ps                        # that an access takes in addition to what the devices take
      scheduler: fr-fcfs                  # which command of a channel goes next
      hit_cap: 0                          # accesses of an open row while an older one waits for another; 0: any
      page: open                          # when a row is closed
      page_timeout: 100                   # command clocks without an access after which timeout closes a row
      read_queue: 64                      # reads that a channel holds
      write_queue: 64                     # writes that a channel holds
      bank_queue: 0                       # accesses that each bank holds behind these; 0: it has no queue
      drain_high: 75                      # hundredths of the write queue at which writes go before reads
      drain_low: 25                       # hundredths of the write queue at which reads go first again
      mapping: "device"                   # address bits from the top: ro-ba-ra-co-bg; device: as its table has it
      clean_forward: false                # the directory has a last-level cache that shares a line give it, not memory
      bandwidth: 177400MB/s               # peak of all channels together
      access: 32B                         # bytes of the smallest transfer
  $ warpmem machine check v100 gtx480 $SOURCE/machines/v100.yaml
  v100: ok
  gtx480: ok
  $SOURCE/machines/v100.yaml: ok

The effective description is a machine file, and its description is itself.
  $ warpmem machine show v100 --set name=mine --set gpu.sm.unified=0B --set gpu.l1.size=128KiB --set=gpu.l1.ways=256 > mine.yaml
  $ warpmem machine check ./mine.yaml
  ./mine.yaml: ok
  $ warpmem machine show mine.yaml | cmp - mine.yaml
  $ warpmem machine show v100 | diff - mine.yaml
  1c1
  < # v100 (Tesla V100-SXM2-16GB)
  ---
  > # mine (Tesla V100-SXM2-16GB)
  9,14c9,13
  < # │ 32.0 KiB each, 2.50 MiB in all       │  │  │ 8.00 KiB each, 640 KiB in all   │
  < # │ up to 128 KiB, by carve-out          │  │  │ lines of 64 B, 4 ways           │
  < # │ lines of 128 B, sectors of 32 B      │  │  │ for constants                   │
  < # │ 64 ways                              │  │  │ 7.83 TB/s from the SMs          │
  < # └───┬──────────────────────────────────┘  │  └─────────────────────────────────┘
  < #     │ 4.90 TB/s each way                  │
  ---
  > # │ 128 KiB each, 10.0 MiB in all        │  │  │ 8.00 KiB each, 640 KiB in all   │
  > # │ lines of 128 B, sectors of 32 B      │  │  │ lines of 64 B, 4 ways           │
  > # │ 256 ways                             │  │  │ for constants                   │
  > # └───┬──────────────────────────────────┘  │  │ 7.83 TB/s from the SMs          │
  > #     │ 4.90 TB/s each way                  │  └─────────────────────────────────┘
  30,31c29,30
  < # The effective description of v100: every key with its value.
  < name: v100                              # what commands and results call the machine
  ---
  > # The effective description of mine: every key with its value.
  > name: mine                              # what commands and results call the machine
  66c65
  <     unified: 128KiB                     # bytes that L1 and shared memory divide; 0B: each has an array of its own
  ---
  >     unified: 0B                         # bytes that L1 and shared memory divide; 0B: each has an array of its own
  109,110c108,109
  <     size: 32KiB                         # bytes of data in one, all slices together
  <     ways: 64                            # lines of one set
  ---
  >     size: 128KiB                        # bytes of data in one, all slices together
  >     ways: 256                           # lines of one set
  [1]

Options and operands.
  $ warpmem machine show
  ! error: warpmem machine show: an operand is missing
  ! hint: usage: warpmem machine show [options] MACHINE
  [2]
  $ warpmem machine show v100 gtx480
  ! error: warpmem machine show: unexpected operand "gtx480"
  ! hint: usage: warpmem machine show [options] MACHINE
  [2]
  $ warpmem machine show v100 --set
  ! error: warpmem machine show: option "--set" needs an argument
  ! hint: write it like --set KEY=VALUE
  [2]
  $ warpmem machine show v100 --sett a=b
  ! error: warpmem machine show: unknown option "--sett"
  ! hint: did you mean --set?
  [2]
  $ warpmem machine show v100 -x
  ! error: warpmem machine show: unknown option "-x"
  ! hint: --help lists the options
  [2]
  $ warpmem machine keys --markdown --markdown | head -3
  ### Top level
  
  What stands outside every group.
  $ warpmem machine show -s gpu.sm.count=8 -sgpu.sm.max_blocks=4 -- v100 | grep -E ' (count|max_blocks):'
    count: 1                              # GPUs, each like this one, with memories of their own
      count: 8                            # streaming multiprocessors of the GPU
      max_blocks: 4                       # most blocks resident at a time

Presets and files that are not there.
  $ warpmem machine show v10
  ! error: there is no machine "v10"
  ! hint: did you mean v100? known are a100, anssari, cpu-core2, cpu-multi2sim, dacache-2015, gtx480, gtx680, h100, h200, hd7970, liang-2015, rtx2060, rtx3070, titanx-pascal, v100
  [2]
  $ warpmem machine show nothing-like-it
  ! error: there is no machine "nothing-like-it"
  ! hint: known are a100, anssari, cpu-core2, cpu-multi2sim, dacache-2015, gtx480, gtx680, h100, h200, hd7970, liang-2015, rtx2060, rtx3070, titanx-pascal, v100; a file is named with a slash or its .yaml
  [2]
  $ warpmem machine show ./none.yaml
  ! error: cannot open machine file "./none.yaml": No such file or directory
  [2]
  $ warpmem machine show /
  ! error: cannot read machine file "/": Is a directory
  [1]
  $ warpmem machine check v100 ./none.yaml gtx480
  v100: ok
  gtx480: ok
  ! error: cannot open machine file "./none.yaml": No such file or directory
  [2]
A variant changes a few keys of any machine, before settings do.
  $ warpmem machine show gtx480+ccws+dacache --set gpu.l1.promotion=2 > varied.yaml; grep -E 'name:|throttle:|promotion:|region:' varied.yaml
  name: gtx480+ccws+dacache               # what commands and results call the machine
      load_throttle: lost-locality        # clock: whose loads through L1 wait when warps lose lines there
      promotion: 2                        # clock: positions that a hit moves its line up; 0: to the front
      region: dynamic                     # clock: the oldest warps, for whose lines the front of a set is
  $ warpmem machine check ./varied.yaml
  ./varied.yaml: ok
  $ warpmem machine show gtx480+dacach
  ! error: there is no variant "dacach" of a machine
  ! hint: did you mean dacache? "warpmem list variant" lists them
  [2]
  $ warpmem machine show gtx480+dacache --set gpu.l1.replacement=fifo
  ! error: --set gpu.l1.replacement=fifo: gpu.l1.insertion is not front, and gpu.l1.replacement is not lru: it says how a chain of recency is used, which only lru has
  ! hint: set gpu.l1.replacement to lru, or gpu.l1.insertion to front
  [2]
  $ warpmem completion words -- warpmem replay -m gtx480+dacache-st | tr '\t' '|'
  gtx480+dacache-stall|a variant of the machine
  gtx480+dacache-static0|a variant of the machine
  gtx480+dacache-static1|a variant of the machine
  gtx480+dacache-static2|a variant of the machine
  gtx480+dacache-static3|a variant of the machine
  gtx480+dacache-static4|a variant of the machine
  $ WARPMEM_MACHINES=/nonexistent warpmem machine list
  ! error: the folder of machine presets is not there: "/nonexistent" is no folder
  ! hint: mend or unset WARPMEM_MACHINES
  [2]
  $ mkdir presets && cp mine.yaml presets && WARPMEM_MACHINES=presets warpmem machine list
  mine          Tesla V100-SXM2-16GB      80 SMs, L1 128 KiB, L2 6.00 MiB, DRAM 900 GB/s
  $ echo 'name: [' > presets/broken.yaml; WARPMEM_MACHINES=presets warpmem machine list
  mine          Tesla V100-SXM2-16GB      80 SMs, L1 128 KiB, L2 6.00 MiB, DRAM 900 GB/s
  ! error: presets/broken.yaml:2:1: not well-formed YAML: did not find expected node content
  ! hint: it happened while parsing a flow node that begins in line 2
  [2]
  $ head -c 2000000 /dev/zero | tr '\0' '#' > large.yaml; warpmem machine check large.yaml
  ! error: "large.yaml" has more than 1 MiB: this is no machine file
  [2]
  $ warpmem machine check /dev/zero
  ! error: "/dev/zero" has more than 1 MiB: this is no machine file
  [2]

Installed, the presets are found beside the program, wherever that was put.
  $ mkdir -p root/bin root/share/warpmem && cp $BUILD/src/cli/warpmem root/bin && cp -r mine.yaml root
  $ mkdir root/share/warpmem/machines && mv root/mine.yaml root/share/warpmem/machines && root/bin/warpmem machine list
  mine          Tesla V100-SXM2-16GB      80 SMs, L1 128 KiB, L2 6.00 MiB, DRAM 900 GB/s
  $ ln -s root/bin/warpmem link && ./link machine list
  mine          Tesla V100-SXM2-16GB      80 SMs, L1 128 KiB, L2 6.00 MiB, DRAM 900 GB/s

The documentation has the schema's own tables. To renew it: put what the first command prints there.
  $ warpmem machine keys --markdown > tables
  $ sed -n '/^<!-- keys -->$/,/^<!-- end of keys -->$/p' $SOURCE/docs/machine-files.md | sed '1d;$d' | diff - tables
