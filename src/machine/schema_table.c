#include "base/access/gpu_addresses.h"
#include "machine/kinds.h"
#include "machine/row_table.h"
#include "machine/schema_parts.h"

#define FIELD(member)                              \
    .offset = offsetof(struct wm_machine, member), \
    .bytes = sizeof(((struct wm_machine *)NULL)->member)
#define COUNT WM_KEY_COUNT
#define SIZE WM_KEY_SIZE
#define KIB WM_KIB
#define MIB WM_MIB
#define GIB WM_GIB
#define MHZ UINT64_C(1000000)
#define GB UINT64_C(1000000000)

static const struct wm_key_choice load_throttles[] = {
    {"none", WM_THROTTLE_NONE, "no warp's"},
    {"lost-locality", WM_THROTTLE_LOST_LOCALITY,
     "those of warps that are pushed out by others, which lost lines to them (CCWS)"},
    {0},
};

static const struct wm_key_choice machine_codes[] = {
    {"ptx", WM_MACHINE_CODE_PTX, "a PTX instruction is one of the machine"},
    {"estimated", WM_MACHINE_CODE_ESTIMATED,
     "what ptxas folds takes no issue slot, what it expands takes several"},
    {0},
};

static const struct wm_key_choice scalar_loads[] = {
    {"uniform", WM_SCALAR_UNIFORM, "those whose active lanes all read the same bytes"},
    {"read-only", WM_SCALAR_READ_ONLY, "of them, those that are read-only: ld.global.nc"},
    {0},
};

static const struct wm_key_choice topologies[] = {
    {"crossbar", WM_CROSSBAR, "a way of its own from each port to each"},
    {"butterfly", WM_BUTTERFLY, "stages of switches, whose outputs ways share"},
    {0},
};

static const struct wm_key_choice l2_units[] = {
    {"whole", WM_ENERGY_L2_WHOLE, "gpu.l2.size: one structure of all slices"},
    {"slice", WM_ENERGY_L2_SLICE, "gpu.l2.size divided by gpu.l2.slices: each slice is one"},
    {0},
};

static const struct wm_key_choice tracker_keeps[] = {
    {"last", WM_TRACKER_KEEPS_LAST, "those that took the line last"},
    {"first", WM_TRACKER_KEEPS_FIRST, "those that took the line first"},
    {0},
};

const struct wm_key_choice wm_interleave_hashes[] = {
    {"none", WM_INTERLEAVE_IN_TURN, "they take turns"},
    {"ipoly", WM_INTERLEAVE_IPOLY,
     "first the low bits of their number are xored with a polynomial hash of those above"},
    {"xor", WM_INTERLEAVE_XOR, "first they are xored with all bits above, folded"},
    {0},
};

static const struct wm_key_choice dram_pages[] = {
    {"open", WM_DRAM_PAGE_OPEN, "when another row of its bank is wanted"},
    {"closed", WM_DRAM_PAGE_CLOSED, "with the last access to it that waits"},
    {"timeout", WM_DRAM_PAGE_TIMEOUT, "some time after the last access to it"},
    {0},
};

#define TLB_KEYS(level, member, least, absence, count, ways_fallback)                          \
    {"gpu.tlb." level "_entries", absence, COUNT(least, 65536), .fallback = count,             \
     FIELD(memory.tlb.member.entries)},                                                        \
        {"gpu.tlb." level "_ways", "entries of one set", COUNT(1, 1024),                       \
         .fallback = ways_fallback, FIELD(memory.tlb.member.ways)},                            \
    {                                                                                          \
        "gpu.tlb." level "_replacement", "which entry of a full set makes room",               \
            .type = WM_KEY_ENTRY, .kind = &wm_key_kind_replacement, .fallback = "lru",         \
            FIELD(memory.tlb.member.replacement),                                              \
            .values_offset = offsetof(struct wm_machine, memory.tlb.member.replacement_values) \
    }

// The units of one class that a scheduler sends to. The defaults are Volta's, as GPGPU-Sim
// (SM7_QV100) and Accel-Sim (SM7_GV100) have them.
#define INTERVAL_KEY(name, which, what, between)                                                   \
    {                                                                                              \
        "gpu.sm." name "_interval",                                                                \
            what ": cycles from one warp instruction of a scheduler to its next", COUNT(1, 65536), \
            .fallback = between, FIELD(sm.units[which].interval)                                   \
    }
#define UNIT_KEYS(name, which, what, between, cycles)                                       \
    INTERVAL_KEY(name, which, what, between),                                               \
    {                                                                                       \
        "gpu.sm." name "_latency", what ": cycles from issue until the result may be read", \
            COUNT(1, 65536), .fallback = cycles, FIELD(sm.units[which].latency)             \
    }

const struct wm_machine_group wm_machine_groups[] = {
    {"device", "what the runtime's device properties report"},
    {"gpu", "the parts that accesses pass through"},
    {"gpu.sm", "the streaming multiprocessors: limits are those of one SM"},
    {"gpu.l1", "the level-one data cache of each SM, or group of SMs"},
    {"gpu.constant", "the constant cache, a side cache of L1, for constant memory"},
    {"gpu.texture", "the texture cache, a side cache of L1, for read-only loads"},
    {"gpu.scalar",
     "the scalar cache, a side cache of L1, for loads whose lanes all read the same bytes"},
    {"gpu.instruction", "the instruction cache, a side cache of L1"},
    {"gpu.tlb", "TLBs: an L1 TLB of each group of SMs, an L2 TLB of all"},
    {"gpu.tracker", "sharing trackers: which other L1 can supply a line"},
    {"gpu.interconnect", "what joins the SMs and the level-two cache (clock engine)"},
    {"gpu.peer_link", "what joins each two GPUs, where there are several"},
    {"gpu.l2", "the level-two cache, shared by all SMs"},
    {"gpu.energy", "what reads, writes and moved bytes cost (docs/energy.md)"},
    {"gpu.dram", "the device memory behind the level-two cache"},
    {"cpu", "CPU cores beside the GPU, and their levels of caches"},
    {"cpu.core", "the CPU cores"},
};
const size_t wm_machine_group_count = sizeof wm_machine_groups / sizeof wm_machine_groups[0];

const struct wm_machine_key wm_plain_keys[] = {
    {"name", "what commands and results call the machine", .type = WM_KEY_NAME, FIELD(name)},

    {"device.title", "the product's full name", .type = WM_KEY_TEXT, FIELD(device.title)},
    {"device.compute_capability", "major and minor version of the instruction set",
     .type = WM_KEY_VERSION, .minimum = 1, .maximum = 99,
     .offset = offsetof(struct wm_machine, device.compute_major),
     .bytes = sizeof(uint32_t) + sizeof(uint32_t)},
    {"device.clock", "clock of the SMs", WM_KEY_CLOCK(MHZ), FIELD(device.clock_hz)},
    {"device.memory_clock", "clock of the memory bus, which moves data on both edges",
     WM_KEY_CLOCK(MHZ), FIELD(device.memory_clock_hz)},
    {"device.memory_bus_bits", "width of the memory bus", COUNT(8, 65536),
     FIELD(device.memory_bus_bits)},
    {"device.memory_size", "bytes of device memory", SIZE(MIB, 1024 * GIB),
     FIELD(device.memory_bytes)},

    {"device.concurrent_kernels", "most kernels that run at a time, of several streams",
     COUNT(1, 1024), .fallback = "128", FIELD(device.concurrent_kernels)},
    {"device.persisting_l2", "most bytes of L2 that a program may set aside; 0B: none",
     SIZE(0, 16 * GIB), .fallback = "0B", FIELD(device.persisting_l2_bytes)},
    {"device.access_window", "longest range that an access policy is given for; 0B: none is taken",
     SIZE(0, 16 * GIB), .fallback = "0B", FIELD(device.access_window_bytes)},
    {"device.compression", "memory may be compressed where a program requests it",
     .type = WM_KEY_SWITCH, .fallback = "false", FIELD(device.compresses)},

    {"gpu.count", "GPUs, each like this one, with memories of their own", COUNT(1, WM_MOST_GPUS),
     .fallback = "1", FIELD(memory.gpus)},
    {"gpu.launch_latency", "clock: cycles from a launch until its first blocks begin",
     COUNT(0, 1000000), .fallback = "0", FIELD(sm.launch_latency)},

    {"gpu.sm.count", "streaming multiprocessors of the GPU", COUNT(1, 1024), FIELD(sm.count)},
    {"gpu.sm.warp_width", "lanes of a warp: 32, or 64 with wavefronts; 1: SMs are CPU cores",
     COUNT(1, 64), .power_of_two = true, .fallback = "32", FIELD(sm.warp_width)},
    {"gpu.sm.max_warps", "most warps resident at a time", COUNT(1, 256), FIELD(sm.max_warps)},
    {"gpu.sm.max_threads", "most threads resident at a time", COUNT(1, 16384),
     FIELD(sm.max_threads)},
    {"gpu.sm.max_blocks", "most blocks resident at a time", COUNT(1, 256), FIELD(sm.max_blocks)},
    {"gpu.sm.max_threads_per_block", "most threads of one block", COUNT(1, 1024),
     .fallback = "1024", FIELD(sm.max_threads_per_block)},
    {"gpu.sm.registers", "32-bit registers", COUNT(1024, 16 * MIB), FIELD(sm.registers)},
    {"gpu.sm.max_registers_per_thread", "most registers that one thread may use", COUNT(16, 1024),
     .fallback = "255", FIELD(sm.max_registers_per_thread)},
    {"gpu.sm.register_unit", "the registers of a warp are rounded up to a multiple of this",
     COUNT(1, 4096), .fallback = "256", FIELD(sm.register_allocation_unit)},
    {"gpu.sm.shared", "bytes of shared memory", SIZE(0, 16 * MIB), FIELD(sm.shared_bytes)},
    {"gpu.sm.shared_per_block", "most shared memory of one block, after opting in beyond 48KiB",
     SIZE(0, 16 * MIB), FIELD(sm.shared_bytes_per_block)},
    {"gpu.sm.shared_unit", "the shared memory of a block is rounded up to a multiple of this",
     SIZE(1, 64 * KIB), .fallback = "256B", FIELD(sm.shared_allocation_unit)},
    {"gpu.sm.shared_reserved", "shared memory that the system takes of each block's",
     SIZE(0, 64 * KIB), .fallback = "0B", FIELD(sm.shared_reserved_bytes)},
    {"gpu.sm.unified", "bytes that L1 and shared memory divide; 0B: each has an array of its own",
     SIZE(0, 16 * MIB), .fallback = "0B", FIELD(sm.unified_bytes)},
    {"gpu.sm.carveouts", "sizes that shared memory may be given of the unified array",
     .type = WM_KEY_LIST, .quantity = WM_QUANTITY_BYTES, .minimum = 0, .maximum = 16 * MIB,
     .fallback = "[]", FIELD(sm.carveouts)},
    {"gpu.sm.default_carveout",
     "that of kernels without a preference; 0B: the smallest that costs no block",
     SIZE(0, 16 * MIB), .fallback = "0B", FIELD(sm.default_carveout_bytes)},
    {"gpu.sm.schedulers", "warp schedulers", COUNT(1, 64), .fallback = "4", FIELD(sm.schedulers)},
    {"gpu.sm.issue_width", "warp instructions that one scheduler may issue in a cycle",
     COUNT(1, 16), .fallback = "1", FIELD(sm.issue_width)},
    {"gpu.sm.machine_code", "what stands for the machine's own instructions", .type = WM_KEY_CHOICE,
     .choices = machine_codes, .fallback = "ptx", FIELD(sm.machine_code)},
    UNIT_KEYS("integer", WM_UNIT_INTEGER, "integers, logic, moves", "2", "4"),
    UNIT_KEYS("single", WM_UNIT_SINGLE, "floating point of 32 bits", "2", "4"),
    UNIT_KEYS("double", WM_UNIT_DOUBLE, "floating point of 64 bits", "4", "8"),
    UNIT_KEYS("special", WM_UNIT_SPECIAL, "special functions, conversions, shuffles", "8", "20"),
    UNIT_KEYS("tensor", WM_UNIT_TENSOR, "products of matrices", "2", "2"),
    UNIT_KEYS("control", WM_UNIT_CONTROL, "branches, barriers", "4", "4"),
    INTERVAL_KEY("memory", WM_UNIT_MEMORY, "loads, stores, atomics", "4"),
    {"gpu.sm.shared_latency", "cycles of an access to shared memory without bank conflicts",
     COUNT(1, 65536), .fallback = "20", FIELD(sm.shared_latency)},
    {"gpu.sm.shared_atomic_interval",
     "clock: cycles from an atomic on a bank of shared memory to the next one of its warp there",
     COUNT(1, 1024), .fallback = "1", FIELD(sm.shared_atomic_interval)},
    {"gpu.sm.barrier_latency", "cycles from the last warp's arrival until the block goes on",
     COUNT(1, 65536), .fallback = "20", FIELD(sm.barrier_latency)},
    {"gpu.sm.block_latency",
     "clock: cycles from a block's coming to an SM until its warps may issue", COUNT(0, 65536),
     .fallback = "0", FIELD(sm.block_latency)},
    {"gpu.sm.memory_queue", "clock: memory instructions that may wait in the load/store unit",
     COUNT(1, 64), .fallback = "8", FIELD(sm.memory_queue)},
    {"gpu.sm.warp_scheduler", "which of the ready warps goes next", .type = WM_KEY_ENTRY,
     .kind = &wm_key_kind_warp_scheduler, .fallback = "greedy-then-oldest",
     FIELD(sm.warp_scheduler)},
    {"gpu.sm.active_warps", "warps of each scheduler that two-level has take turns", COUNT(1, 256),
     .fallback = "8", FIELD(sm.active_warps)},
    {"gpu.sm.turn", "warp instructions of one SM before the next has its turn", COUNT(1, 8192),
     .fallback = "2048", FIELD(sm.turn_instructions)},
    {"gpu.sm.turn_ends_at_memory", "true: a turn ends with an access that leaves the SM, too",
     .type = WM_KEY_SWITCH, .fallback = "false", FIELD(sm.turn_ends_at_memory)},
    {"gpu.sm.block_dispatch", "which SM gets the next block", .type = WM_KEY_ENTRY,
     .kind = &wm_key_kind_block_dispatch, .fallback = "round-robin", FIELD(sm.block_dispatch)},
    // The defaults are the values that Rogers, O'Connor and Aamodt, MICRO 2012, evaluate.
    {"gpu.sm.load_throttle", "clock: whose loads through L1 wait when warps lose lines there",
     .type = WM_KEY_CHOICE, .choices = load_throttles, .fallback = "none",
     FIELD(sm.load_throttle.kind)},
    {"gpu.sm.throttle_tags", "clock: lines that each warp lost last, which are known",
     COUNT(1, 4096), .fallback = "16", FIELD(sm.load_throttle.tags)},
    {"gpu.sm.throttle_tag_ways", "clock: ways of a set of them, which divide them", COUNT(1, 4096),
     .fallback = "8", FIELD(sm.load_throttle.tag_ways)},
    {"gpu.sm.throttle_base_score", "clock: the score of a warp that lost nothing", COUNT(1, 65536),
     .fallback = "100", FIELD(sm.load_throttle.base_score)},
    {"gpu.sm.throttle_factor", "clock: how much lost lines raise a score (K-throttle)",
     COUNT(1, 1024), .fallback = "8", FIELD(sm.load_throttle.factor)},

    {"gpu.l1.local_only", "true: global memory goes round it, but for read-only loads",
     .type = WM_KEY_SWITCH, .fallback = "false", FIELD(sm.global_around_l1)},
    {"gpu.l1.bypass_list", "which instructions per-pc means: KERNEL:pcN, KERNEL:ptxN, KERNEL:lineN",
     .type = WM_KEY_SELECTORS, .fallback = "none", FIELD(bypass_list)},
    {"gpu.scalar.loads", "which loads of global memory it serves", .type = WM_KEY_CHOICE,
     .choices = scalar_loads, .fallback = "uniform", FIELD(sm.scalar_loads)},
    {"gpu.instruction.bytes", "bytes of code that each PTX instruction stands for", SIZE(1, 64),
     .fallback = "16B", FIELD(sm.instruction_bytes)},

    {"gpu.tlb.present", "false: translations cost nothing", .type = WM_KEY_SWITCH,
     .fallback = "false", FIELD(memory.tlb.present)},
    {"gpu.tlb.page", "bytes of one page", SIZE(4 * KIB, GIB), .power_of_two = true,
     .fallback = "2MiB", FIELD(memory.tlb.page_bytes)},
    {"gpu.tlb.sms_each", "consecutive SMs that share an L1 TLB", COUNT(1, 1024), .fallback = "1",
     FIELD(memory.tlb.sms_each)},
    TLB_KEYS("l1", l1, 1, "pages that an L1 TLB holds", "16", "16"),
    TLB_KEYS("l2", l2, 0, "pages that the L2 TLB holds; 0: there is none", "0", "8"),
    {"gpu.tlb.l2_latency", "clock: cycles of a look-up in the L2 TLB", COUNT(0, 65536),
     .fallback = "20", FIELD(memory.tlb.l2_latency)},
    {"gpu.tlb.walk_levels", "entries of the page table that a walk reads", COUNT(1, 6),
     .fallback = "4", FIELD(memory.tlb.walk_levels)},
    {"gpu.tlb.walks_use_l2", "whether these reads are loads of the level-two cache",
     .type = WM_KEY_SWITCH, .fallback = "true", FIELD(memory.tlb.walks_use_l2)},

    {"gpu.tracker.present", "false: what an L1 misses comes from below", .type = WM_KEY_SWITCH,
     .fallback = "false", FIELD(memory.levels[WM_LEVEL_L1].tracker.present)},
    {"gpu.tracker.sms_each", "consecutive SMs whose L1s share one; isolated from the others",
     COUNT(1, 1024), .fallback = "1024", FIELD(memory.levels[WM_LEVEL_L1].tracker.sms_each)},
    {"gpu.tracker.sets", "sets of each", COUNT(1, 65536), .fallback = "1024",
     FIELD(memory.levels[WM_LEVEL_L1].tracker.sets)},
    {"gpu.tracker.ways", "entries of one set", COUNT(1, 64), .fallback = "8",
     FIELD(memory.levels[WM_LEVEL_L1].tracker.ways)},
    {"gpu.tracker.banks", "banks of each, which line after line takes turns with", COUNT(1, 64),
     .fallback = "8", FIELD(memory.levels[WM_LEVEL_L1].tracker.banks)},
    {"gpu.tracker.sharers", "most holders of a line that it knows", COUNT(1, 1024),
     .fallback = "1024", FIELD(memory.levels[WM_LEVEL_L1].tracker.sharers)},
    {"gpu.tracker.keep", "which holders it knows when there are more", .type = WM_KEY_CHOICE,
     .choices = tracker_keeps, .fallback = "last", FIELD(memory.levels[WM_LEVEL_L1].tracker.keep)},
    {"gpu.tracker.keeps_on_write", "true: writes leave entries alone, and old data is supplied",
     .type = WM_KEY_SWITCH, .fallback = "false",
     FIELD(memory.levels[WM_LEVEL_L1].tracker.keeps_on_write)},
    {"gpu.tracker.latency", "clock: cycles that what leaves an L1 takes to pass it",
     COUNT(0, 65536), .fallback = "1", FIELD(memory.levels[WM_LEVEL_L1].tracker.latency)},

    {"gpu.interconnect.topology", "how it is made up", .type = WM_KEY_CHOICE, .choices = topologies,
     .fallback = "crossbar", FIELD(memory.interconnect.topology)},
    {"gpu.interconnect.radix", "inputs and outputs of each switch of a butterfly", COUNT(2, 64),
     .fallback = "2", FIELD(memory.interconnect.radix)},
    {"gpu.interconnect.clock", "its clock; 0Hz: that of the SMs", WM_KEY_CLOCK(0),
     .fallback = "0Hz", FIELD(memory.interconnect.clock_hz)},
    {"gpu.interconnect.latency", "cycles of its clock from one end to the other", COUNT(1, 4096),
     .fallback = "16", FIELD(memory.interconnect.latency)},
    {"gpu.interconnect.flit", "bytes that a port moves in a cycle", SIZE(8, KIB), .fallback = "40B",
     FIELD(memory.interconnect.flit_bytes)},
    {"gpu.interconnect.buffer",
     "packets of one SM that a slice, or of one input that a switch holds", COUNT(1, 1024),
     .fallback = "8", FIELD(memory.interconnect.buffer)},
    {"gpu.interconnect.sectors", "sectors that one packet carries, or requests", COUNT(1, 32),
     .fallback = "32", FIELD(memory.interconnect.sectors)},
    {"gpu.interconnect.store_replies", "true: L2 answers stores, and fences and blocks wait for it",
     .type = WM_KEY_SWITCH, .fallback = "false", FIELD(memory.interconnect.store_replies)},

    {"gpu.peer_link.latency", "cycles of the SMs' clock from one GPU to the other",
     COUNT(1, 1000000), .fallback = "500", FIELD(memory.peer_link.latency)},
    {"gpu.peer_link.bandwidth", "peak in each of the two directions", .type = WM_KEY_QUANTITY,
     .quantity = WM_QUANTITY_BANDWIDTH, .minimum = MHZ, .maximum = 1000000 * GB,
     .fallback = "16GB/s", FIELD(memory.peer_link.bandwidth_bytes_per_second)},

    {"gpu.l2.demand_before_writeback", "whether a miss fetches before its victim is written back",
     .type = WM_KEY_SWITCH, .fallback = "true", FIELD(memory.demand_before_writeback)},

    {"gpu.energy.table", "what structures of each capacity cost; none: energy is not counted",
     .type = WM_KEY_ROWS, .rows = &wm_energy_row_table, .fallback = "none", FIELD(energy.table)},
    {"gpu.energy.l2", "for which capacity of the level-two cache the table is read",
     .type = WM_KEY_CHOICE, .choices = l2_units, .fallback = "whole", FIELD(energy.l2_unit)},
    {"gpu.energy.distance", "that a byte travels between a level-one cache and level two",
     .type = WM_KEY_QUANTITY, .quantity = WM_QUANTITY_LENGTH, .minimum = 0, .maximum = 1000000,
     .fallback = "14mm", FIELD(energy.distance_um)},
    {"gpu.energy.header", "bytes of a message besides what it carries", SIZE(0, 256),
     .fallback = "8B", FIELD(energy.header_bytes)},
    {"gpu.energy.tracker_entry", "bytes of a sharing tracker's entry, its tag aside", SIZE(1, 256),
     .fallback = "2B", FIELD(energy.tracker_entry_bytes)},
    {"gpu.energy.directory_entry", "bytes of the directory's entry of a line, its tag included",
     SIZE(1, 256), .fallback = "4B", FIELD(energy.directory_entry_bytes)},
    {"gpu.energy.time",
     "that the run takes, for the energy of leakage; 0ps: as the clock engine measures; none in "
     "the walk",
     .type = WM_KEY_QUANTITY, .quantity = WM_QUANTITY_SECONDS, .minimum = 0,
     .maximum = UINT64_C(3600000000000000), .fallback = "0ps", FIELD(energy.time_ps)},

    {"gpu.dram.channels", "channels of the device memory", COUNT(1, 1024),
     FIELD(memory.dram.channels)},
    {"gpu.dram.interleave", "consecutive bytes on one channel", SIZE(32, MIB), .power_of_two = true,
     .fallback = "256B", FIELD(memory.dram.channel_interleave_bytes)},
    {"gpu.dram.interleave_hash", "how these blocks choose it: as they choose the slices before it",
     .type = WM_KEY_CHOICE, .choices = wm_interleave_hashes, .fallback = "none",
     FIELD(memory.dram.interleave_hash)},
    {"gpu.dram.device", "timings of the devices; none: a latency and the bandwidth alone",
     .type = WM_KEY_ROWS, .rows = &wm_dram_row_table, .fallback = "none", FIELD(dram.device)},
    {"gpu.dram.latency", "that an access takes in addition to what the devices take",
     .type = WM_KEY_QUANTITY, .quantity = WM_QUANTITY_SECONDS, .minimum = 0, .maximum = 1000000,
     .fallback = "0ps", FIELD(dram.latency_ps)},
    {"gpu.dram.scheduler", "which command of a channel goes next", .type = WM_KEY_ENTRY,
     .kind = &wm_key_kind_dram_scheduler, .fallback = "fr-fcfs", FIELD(dram.scheduler)},
    {"gpu.dram.hit_cap", "accesses of an open row while an older one waits for another; 0: any",
     COUNT(0, 65536), .fallback = "0", FIELD(dram.hit_cap)},
    {"gpu.dram.page", "when a row is closed", .type = WM_KEY_CHOICE, .choices = dram_pages,
     .fallback = "open", FIELD(dram.page)},
    {"gpu.dram.page_timeout", "command clocks without an access after which timeout closes a row",
     COUNT(0, MIB), .fallback = "100", FIELD(dram.page_timeout)},
    {"gpu.dram.read_queue", "reads that a channel holds", COUNT(1, WM_DRAM_MAX_QUEUE),
     .fallback = "64", FIELD(dram.read_queue)},
    {"gpu.dram.write_queue", "writes that a channel holds", COUNT(1, WM_DRAM_MAX_QUEUE),
     .fallback = "64", FIELD(dram.write_queue)},
    {"gpu.dram.bank_queue", "accesses that each bank holds behind these; 0: it has no queue",
     COUNT(0, 128), .fallback = "0", FIELD(dram.bank_queue)},
    {"gpu.dram.drain_high", "hundredths of the write queue at which writes go before reads",
     COUNT(1, 100), .fallback = "75", FIELD(dram.drain_high)},
    {"gpu.dram.drain_low", "hundredths of the write queue at which reads go first again",
     COUNT(0, 99), .fallback = "25", FIELD(dram.drain_low)},
    {"gpu.dram.mapping", "address bits from the top: ro-ba-ra-co-bg; device: as its table has it",
     .type = WM_KEY_TEXT, .fallback = "device", FIELD(dram.mapping)},
    {"gpu.dram.clean_forward",
     "the directory has a last-level cache that shares a line give it, not memory",
     .type = WM_KEY_SWITCH, .fallback = "false", FIELD(memory.dram.clean_forward)},
    {"gpu.dram.bandwidth", "peak of all channels together", .type = WM_KEY_QUANTITY,
     .quantity = WM_QUANTITY_BANDWIDTH, .minimum = MHZ, .maximum = 1000000 * GB,
     FIELD(memory.dram.bandwidth_bytes_per_second)},
    {"gpu.dram.access", "bytes of the smallest transfer", SIZE(32, KIB), .power_of_two = true,
     .fallback = "32B", FIELD(memory.dram.access_bytes)},

    {"cpu.core.count", "CPU cores; 0: there is no CPU beside the GPU", COUNT(0, 1024),
     .fallback = "0", FIELD(memory.core_count)},
    {"cpu.core.clock", "their clock, and that of their levels; 0Hz: that of the SMs",
     WM_KEY_CLOCK(0), .fallback = "0Hz", FIELD(core.clock_hz)},
    // The defaults are Haswell's: Intel 64 and IA-32 Architectures Optimization Reference Manual,
    // "The Haswell microarchitecture".
    {"cpu.core.width", "clock: instructions dispatched, and retired, in a cycle", COUNT(1, 64),
     .fallback = "4", FIELD(core.width)},
    {"cpu.core.window", "clock: instructions that have been dispatched and not retired",
     COUNT(1, 65536), .fallback = "192", FIELD(core.window)},
    {"cpu.core.load_queue", "clock: loads among them", COUNT(1, 65536), .fallback = "72",
     FIELD(core.load_queue)},
    {"cpu.core.store_buffer", "clock: stores that have been dispatched and not written",
     COUNT(1, 65536), .fallback = "42", FIELD(core.store_buffer)},
    {"cpu.core.stores_in_flight", "clock: of them, those on their way to memory at once",
     COUNT(1, 65536), .fallback = "1", FIELD(core.stores_in_flight)},
    {"cpu.core.ports", "clock: accesses that its L1 takes in a cycle", COUNT(1, 64),
     .fallback = "3", FIELD(core.ports)},
    {"cpu.core.forward_latency", "clock: cycles from a load to data that the store buffer has",
     COUNT(1, 65536), .fallback = "5", FIELD(core.forward_latency)},
};
const size_t wm_plain_key_count = sizeof wm_plain_keys / sizeof wm_plain_keys[0];
