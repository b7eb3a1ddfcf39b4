// Parts of a machine that not all have, in time: what each adds, worked out by hand.
#include "clock_forms.h"
#include "mem/prefetch/entries.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum { TO_L2_AND_BACK = TO_UNIT + L1 + LINK + L2 + REPLY + LINK };

// --- Chains of words: each holds the next one's address, and L1 has room for one of their lines
// ---

static uint64_t chain_of(uint32_t words, const struct wm_machine *machine, const char *load)
{
    struct wm_machine small = *machine;
    struct forms forms;
    small.memory.levels[WM_LEVEL_L1].cache.size_bytes =
        small.memory.levels[WM_LEVEL_L1].cache.line_bytes;
    small.memory.levels[WM_LEVEL_L1].cache.ways = 1;
    char thrice[200]; // so that L2 has seen all of three
    snprintf(thrice, sizeof thrice, "%s\n%s\n%s", load, load, load);
    forms_init(&forms, &small, thrice, load);
    uint64_t address = walk_words(&forms.fixture, 128);
    for (uint64_t i = 0; i < words; i++)
        *(uint64_t *)(uintptr_t)(address + 128 * i) = address + 128 * ((i + 1) % words);
    uint64_t cycles = cycles_a_line(&forms, address);
    forms_release(&forms);
    return cycles;
}

static uint64_t chain_of_two(const struct wm_machine *machine, const char *load)
{
    return chain_of(2, machine, load);
}

// Lines that each load displaces are in L2, unless L2 takes none that L1 does.
Test(clock_parts, l2_takes_no_lines_that_l1_takes)
{
    struct wm_machine machine = simple_machine();
    const char *load = "ld.global.u64 %rd1, [%rd1];";
    cr_expect_eq(chain_of_two(&machine, load), TO_L2_AND_BACK);
    machine.memory.levels[WM_LEVEL_L2].load_allocation = WM_L2_TAKES_UNCACHED;
    cr_expect_eq(chain_of_two(&machine, load), TO_L2_AND_BACK + TRANSFER + DRAM);
    machine.memory.levels[WM_LEVEL_L1].allocation = WM_ALLOCATE_STREAMING;
    cr_expect_eq(chain_of_two(&machine, load), TO_L2_AND_BACK + TRANSFER + DRAM);
    // What goes past L1 takes a line of L2, and so does what L1 may not keep.
    cr_expect_eq(chain_of_two(&machine, "ld.global.cg.u64 %rd1, [%rd1];"), TO_L2_AND_BACK);
    cr_expect_eq(chain_of_two(&machine, "ld.global.L1::no_allocate.u64 %rd1, [%rd1];"),
                 TO_L2_AND_BACK);
}

// What one line displaces is in the victim cache, or in L2 where that has room for fewer than are
// in turn.
Test(clock_parts, victim_caches)
{
    struct wm_machine machine = simple_machine();
    const char *load = "ld.global.u64 %rd1, [%rd1];";
    for (uint32_t latency = 0; latency < 4; latency += 3) {
        machine.memory.levels[WM_LEVEL_L1].victim_latency = latency;
        machine.memory.levels[WM_LEVEL_L1].victim_lines = 1;
        cr_expect_eq(chain_of(1, &machine, load), TO_UNIT + L1, "nothing is exchanged");
        cr_expect_eq(chain_of(2, &machine, load), TO_UNIT + L1 + latency);
        cr_expect_eq(chain_of(3, &machine, load), TO_L2_AND_BACK);
        machine.memory.levels[WM_LEVEL_L1].victim_lines = 2;
        cr_expect_eq(chain_of(3, &machine, load), TO_UNIT + L1 + latency);
    }
    // Lines that come back make room when they are there, as those do that are taken then.
    machine.memory.levels[WM_LEVEL_L1].allocation = WM_ALLOCATE_STREAMING;
    cr_expect_eq(chain_of(3, &machine, load),
                 TO_UNIT + L1 + machine.memory.levels[WM_LEVEL_L1].victim_latency);
}

// --- Stores into lines that are nowhere yet ---

// How much longer a warp's life is for each further line, each of which goes on by 256 bytes.
static uint64_t cycles_of_new_lines(const struct wm_machine *machine, const char *line)
{
    enum { STEP = 256 };
    struct forms forms;
    forms_init(&forms, machine, "mov.u32 %r7, 0;", line);
    uint64_t address = walk_words(&forms.fixture, 3 * LENGTH * STEP / 4);
    uint64_t second = address + LENGTH * STEP;
    walk_run(&forms.fixture, "shorter", 1, 32, &address, 1);
    walk_run(&forms.fixture, "longer", 1, 32, &second, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    uint64_t more = life_of(kernel_of(results, "longer")) - life_of(kernel_of(results, "shorter"));
    wm_results_free(results);
    forms_release(&forms);
    cr_expect_eq(more % LENGTH, 0, "%" PRIu64 " cycles", more);
    return more / LENGTH;
}

#define HALF(at) "st.global.v4.u32 [%rd1+" at "], {%r7, %r7, %r7, %r7};\n"
#define LOAD_AND_GO_ON \
    "ld.global.cg.u64 %rd2, [%rd1];\nadd.s64 %rd1, %rd1, %rd2;\nadd.s64 %rd1, %rd1, 256;"

// A store of half a sector has it fetched, and the load behind it waits for that; or L2 remembers
// which half it has, and the load has the other fetched. Two halves are a whole sector.
Test(clock_parts, byte_masks_spare_fetches)
{
    struct wm_machine machine = simple_machine();
    enum { MISS = TO_L2_AND_BACK + TRANSFER + DRAM };
    enum { GO_ON = 2 * 2 * ALU }; // two additions, of 64 bits
    cr_expect_eq(cycles_of_new_lines(&machine, HALF("0") LOAD_AND_GO_ON), MISS + GO_ON);
    cr_expect_eq(cycles_of_new_lines(&machine, HALF("0") HALF("16") LOAD_AND_GO_ON), MISS + GO_ON);
    machine.memory.levels[WM_LEVEL_L2].cache.write_fetch = WM_FETCH_NEVER;
    cr_expect_eq(cycles_of_new_lines(&machine, HALF("0") LOAD_AND_GO_ON), 1 + MISS + GO_ON);
    cr_expect_eq(cycles_of_new_lines(&machine, HALF("0") HALF("16") LOAD_AND_GO_ON),
                 2 + TO_L2_AND_BACK + GO_ON);
}

// --- Prefetchers ---

// Lines of one sector, each of which holds the next one's address.
enum { SECTOR_LINE = 32, PREFETCHED_MISS = TO_L2_AND_BACK + TRANSFER + DRAM };

static struct wm_machine machine_of_sectors(void)
{
    struct wm_machine machine = simple_machine();
    machine.sm.coalescer_line_bytes = SECTOR_LINE;
    for (uint32_t level = WM_LEVEL_L1; level <= WM_LEVEL_L2; level += WM_LEVEL_L2 - WM_LEVEL_L1)
        machine.memory.levels[level].cache.line_bytes =
            machine.memory.levels[level].cache.sector_bytes = SECTOR_LINE;
    return machine;
}

static void prefetch_at(struct wm_machine *machine, uint32_t level, uint64_t lines)
{
    machine->memory.levels[level].prefetch = &wm_prefetch_stream_buffer;
    machine->memory.levels[level].prefetch_values = (struct wm_entry_values){{1, lines}, 3};
}

struct stream {
    uint64_t cycles;         // of LENGTH further lines
    uint64_t supplied, late; // of the longer kernel's
};

// Lines that are nowhere yet, one after the other.
static struct stream stream_of(const struct wm_machine *machine)
{
    enum { APART = 2 * SECTOR_LINE * LENGTH };
    struct forms forms;
    forms_init(&forms, machine, "", "ld.global.u64 %rd1, [%rd1];");
    uint64_t first = walk_words(&forms.fixture, 2 * APART / 4), second = first + APART;
    for (uint64_t address = first; address < second + APART - SECTOR_LINE; address += SECTOR_LINE)
        *(uint64_t *)(uintptr_t)address = address + SECTOR_LINE;
    walk_run(&forms.fixture, "shorter", 1, 32, &first, 1);
    walk_run(&forms.fixture, "longer", 1, 32, &second, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    const struct wm_kernel_result *longer = kernel_of(results, "longer");
    struct stream stream = {.cycles = life_of(longer) - life_of(kernel_of(results, "shorter"))};
    if (machine->memory.levels[WM_LEVEL_L1].prefetch != NULL ||
        machine->memory.levels[WM_LEVEL_L2].prefetch != NULL) {
        stream.supplied = counter(longer, "prefetcher", "supplied");
        stream.late = counter(longer, "prefetcher_timing", "late");
    }
    wm_results_free(results);
    forms_release(&forms);
    return stream;
}

// A line that is on its way is waited for, and one that has come is there as a hit's is.
Test(clock_parts, late_prefetches_save_less_than_timely_ones)
{
    struct wm_machine machine = machine_of_sectors();
    uint64_t none = stream_of(&machine).cycles;
    cr_expect_eq(none, LENGTH * PREFETCHED_MISS);
    prefetch_at(&machine, WM_LEVEL_L1, 1);
    struct stream late = stream_of(&machine);
    cr_expect_eq(late.supplied, 2 * LENGTH - 1, "all but the first");
    cr_expect_eq(late.late, late.supplied);
    // Each is requested when the one before it misses: two are on their way at a time.
    cr_expect_eq(late.cycles, LENGTH / 2 * PREFETCHED_MISS, "%" PRIu64, late.cycles);
    prefetch_at(&machine, WM_LEVEL_L1, 16);
    struct stream timely = stream_of(&machine);
    cr_expect_eq(timely.cycles, LENGTH * (TO_UNIT + L1), "%" PRIu64, timely.cycles);
    cr_expect_lt(timely.late, LENGTH);
    cr_expect(timely.cycles < late.cycles && late.cycles < none);
}

// At L2 a line that has come saves the channel alone.
Test(clock_parts, slices_prefetch)
{
    struct wm_machine machine = machine_of_sectors();
    prefetch_at(&machine, WM_LEVEL_L2, 8);
    struct stream timely = stream_of(&machine);
    cr_expect_eq(timely.cycles, LENGTH * TO_L2_AND_BACK, "%" PRIu64, timely.cycles);
    cr_expect_eq(timely.supplied, 2 * LENGTH - 1);
}

// --- L1s that write back ---

// How much longer a launch is for each further line that it stores whole.
static uint64_t cycles_of_stored_lines(const struct wm_machine *machine, uint64_t write_backs)
{
    struct forms forms;
    forms_init(&forms, machine, "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;",
               "st.global.u32 [%rd1], %r2;\nadd.s64 %rd1, %rd1, 128;");
    uint64_t address = walk_words(&forms.fixture, 2 * LENGTH * 32);
    walk_run(&forms.fixture, "shorter", 1, 32, &address, 1);
    walk_run(&forms.fixture, "longer", 1, 32, &address, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    const struct wm_kernel_result *longer = kernel_of(results, "longer");
    uint64_t more = longer->cycles - kernel_of(results, "shorter")->cycles;
    cr_expect_eq(counter(longer, "l1", "write_backs"), write_backs);
    cr_expect_eq(counter(longer, "l2", "writeback_accesses"), write_backs);
    wm_results_free(results);
    forms_release(&forms);
    cr_expect_eq(more % LENGTH, 0, "%" PRIu64 " cycles", more);
    return more / LENGTH;
}

// A line takes a store, and an addition of 64 bits; when all have been stored, it is written back,
// in as many cycles as its packet has flits.
Test(clock_parts, l1_writes_back_at_the_end)
{
    enum { STORED = 1 + 2 * ALU };
    struct wm_machine machine = simple_machine();
    machine.memory.levels[WM_LEVEL_L1].cache.size_bytes = 64 << 10;
    machine.memory.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_BACK;
    machine.memory.levels[WM_LEVEL_L1].cache.write_allocate = true;
    cr_expect_eq(cycles_of_stored_lines(&machine, 2 * LENGTH), STORED + 4);
    machine.memory.interconnect.flit_bytes = 136;
    cr_expect_eq(cycles_of_stored_lines(&machine, 2 * LENGTH), STORED + 1);
    machine.memory.levels[WM_LEVEL_L1].timing.queue =
        1; // while lines leave that L1 has read, it reads no others
    cr_expect_eq(cycles_of_stored_lines(&machine, 2 * LENGTH), STORED + 2);
    machine.memory.levels[WM_LEVEL_L1].flush_at_kernel =
        false; // lines stay until they are displaced
    cr_expect_eq(cycles_of_stored_lines(&machine, 0), STORED);
}

// --- Atomic buffers ---

// Atomics at two words in turn, and a load behind each that waits for it and is waited for.
static uint64_t cycles_of_atomics(const struct wm_machine *machine, bool loads)
{
    const char *one = "atom.global.add.u32 %r3, [%rd1], %r3;\n",
               *other = "atom.global.add.u32 %r3, [%rd1+256], %r3;\n",
               *load = "ld.global.cg.u32 %r3, [%rd1];\n";
    char line[400], twice[1000];
    snprintf(line, sizeof line, "%s%s", one, loads ? load : other);
    snprintf(twice, sizeof twice, "mov.u32 %%r3, 0;\n%s%s", line, line);
    return cycles_of(machine, twice, line);
}

// An operation in the buffer is as long under way as one in L2, and so is one whose sector is read
// from L2. A sector that makes room, or that a load wants, is a look-up more. All lanes name one
// word, so 31 of them wait for others.
Test(clock_parts, atomic_buffers)
{
    enum { ATOMIC = TO_L2_AND_BACK + 31 };
    struct wm_machine machine = simple_machine();
    cr_expect_eq(cycles_of_atomics(&machine, false), 2 * ATOMIC);
    cr_expect_eq(cycles_of_atomics(&machine, true), ATOMIC + TO_L2_AND_BACK);
    machine.memory.levels[WM_LEVEL_L2].atomic_buffer_lines = 2;
    cr_expect_eq(cycles_of_atomics(&machine, false), 2 * ATOMIC);
    cr_expect_eq(cycles_of_atomics(&machine, true), ATOMIC + TO_L2_AND_BACK + 1);
    machine.memory.levels[WM_LEVEL_L2].atomic_buffer_lines = 1;
    cr_expect_eq(cycles_of_atomics(&machine, false), 2 * (ATOMIC + 1));
}

// Reductions return nothing: what leaves L1 is what L2 gets.
Test(clock_parts, reductions_move_their_operands_alone)
{
    for (uint32_t lines = 0; lines < 2; lines++) {
        struct wm_machine machine = simple_machine();
        struct forms forms;
        machine.memory.levels[WM_LEVEL_L2].atomic_buffer_lines = lines;
        forms_init(&forms, &machine, "", "red.global.add.u32 [%rd1], %r2;");
        uint64_t address = walk_words(&forms.fixture, 64);
        walk_run(&forms.fixture, "shorter", 1, 32, &address, 1);
        struct wm_results *results = walk_take_results(&forms.fixture);
        const struct wm_kernel_result *kernel = kernel_of(results, "shorter");
        cr_expect_eq(counter(kernel, "l1", "bytes_to_below"), 32 * LENGTH);
        cr_expect_eq(counter(kernel, "l2", "bytes_from_above"), 32 * LENGTH);
        cr_expect_eq(counter(kernel, "l1", "bytes_from_below"), 0);
        cr_expect_eq(counter(kernel, "l2", "bytes_to_above"), 0);
        wm_results_free(results);
        forms_release(&forms);
    }
}

// --- Sharing trackers ---

// Two SMs follow one chain of words in lines of their own, the second when the first is long done.
// Returns both's cycles for each further word.
static uint64_t cycles_of_followers(const struct wm_machine *given, uint64_t *remote)
{
    enum { STEP = 256 };
    struct wm_machine machine = *given;
    struct forms forms;
    machine.sm.count = machine.memory.sm_count = 2;
    machine.memory.levels[WM_LEVEL_L1].cache.size_bytes = 64 << 10;
    machine.memory.levels[WM_LEVEL_L1].cache.line_bytes =
        machine.memory.levels[WM_LEVEL_L2].cache.line_bytes = 32;
    machine.sm.coalescer_line_bytes = 32;
    forms_init(&forms, &machine,
               ".reg .pred %p<2>;\nmov.u32 %r3, %ctaid.x;\nmul.lo.s32 %r4, %r3, 5000;\nWAIT:\n"
               "sub.s32 %r4, %r4, 1;\nsetp.gt.s32 %p1, %r4, 0;\n@%p1 bra WAIT;",
               "ld.global.u64 %rd1, [%rd1];");
    uint64_t address = walk_words(&forms.fixture, 4 * LENGTH * STEP / 4);
    for (uint64_t at = 0; at < 4 * LENGTH - 1; at++)
        *(uint64_t *)(uintptr_t)(address + at * STEP) = address + (at + 1) * STEP;
    uint64_t second = address + LENGTH * STEP;
    walk_run(&forms.fixture, "shorter", 2, 32, &address, 1);
    walk_run(&forms.fixture, "longer", 2, 32, &second, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    const struct wm_kernel_result *longer = kernel_of(results, "longer");
    uint64_t more = life_of(longer) - life_of(kernel_of(results, "shorter"));
    *remote = walk_causes(longer).tracker_sectors;
    if (machine.memory.levels[WM_LEVEL_L1].tracker.present)
        cr_expect_eq(counter(longer, "tracker", "remote_sectors"), *remote);
    wm_results_free(results);
    forms_release(&forms);
    cr_expect_eq(more % LENGTH, 0, "%" PRIu64 " cycles", more);
    return more / LENGTH;
}

// The first has each from DRAM, the second from L2; or from the first's L1, where both share a
// tracker, which what leaves L1 passes.
Test(clock_parts, sharing_trackers)
{
    enum { MISS = TO_L2_AND_BACK + TRANSFER + DRAM, FROM_L1 = TO_UNIT + L1 + LINK + L1 + LINK };
    struct wm_machine machine = simple_machine();
    struct wm_tracker_spec *tracker = &machine.memory.levels[WM_LEVEL_L1].tracker;
    uint64_t remote;
    cr_expect_eq(cycles_of_followers(&machine, &remote), MISS + TO_L2_AND_BACK);
    cr_expect_eq(remote, 0);
    for (uint32_t latency = 0; latency < 6; latency += 5) {
        *tracker = (struct wm_tracker_spec){
            .present = true, .sms_each = 2, .sets = 1024, .ways = 4, .banks = 1, .sharers = 2};
        tracker->latency = latency;
        cr_expect_eq(cycles_of_followers(&machine, &remote), MISS + FROM_L1 + 2 * latency);
        cr_expect_eq(remote, 2 * LENGTH);
        tracker->sms_each = 1;
        cr_expect_eq(cycles_of_followers(&machine, &remote), MISS + TO_L2_AND_BACK + 2 * latency);
        cr_expect_eq(remote, 0);
    }
}

// Two loads of lines of four flits, which the L1s of the two other SMs hold, or which nothing
// loads; both are waited for before the next two.
static uint64_t cycles_of_pairs(bool loads, uint64_t *remote)
{
    enum { LINE = 128, LINES = 3 * LENGTH };
    struct wm_machine machine = simple_machine();
    struct forms forms;
    machine.sm.count = machine.memory.sm_count = 3;
    machine.memory.levels[WM_LEVEL_L1].cache.size_bytes = 64 << 10;
    machine.memory.levels[WM_LEVEL_L1].cache.sector_bytes = LINE;
    machine.memory.levels[WM_LEVEL_L1].tracker = (struct wm_tracker_spec){
        .present = true, .sms_each = 3, .sets = 1024, .ways = 4, .banks = 1, .sharers = 2};
    char before[512];
    snprintf(before, sizeof before,
             ".reg .pred %%p<6>;\nmov.u32 %%r3, %%ctaid.x;\nmul.lo.s32 %%r4, %%r3, 5000;\nWAIT:\n"
             "sub.s32 %%r4, %%r4, 1;\nsetp.gt.s32 %%p1, %%r4, 0;\n@%%p1 bra WAIT;\n"
             "mov.u64 %%rd2, 0;\nmov.u64 %%rd3, 0;\nsetp.eq.s32 %%p2, %%r3, 0;\n"
             "setp.eq.s32 %%p3, %%r3, 1;\nsetp.eq.s32 %%p4, %%r3, %d;\n"
             "or.pred %%p2, %%p2, %%p4;\nor.pred %%p3, %%p3, %%p4;",
             loads ? 2 : 9);
    forms_init(&forms, &machine, before,
               "@%p2 ld.global.u64 %rd2, [%rd1];\n@%p3 ld.global.u64 %rd3, [%rd1+16384];\n"
               "add.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd1, %rd1, %rd2;\nadd.s64 %rd1, %rd1, 128;");
    uint64_t first = walk_words(&forms.fixture, 2 * 16384 / 4), second = first + LENGTH * LINE;
    walk_run(&forms.fixture, "shorter", 3, 32, &first, 1);
    walk_run(&forms.fixture, "longer", 3, 32, &second, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    const struct wm_kernel_result *longer = kernel_of(results, "longer");
    uint64_t more = life_of(longer) - life_of(kernel_of(results, "shorter"));
    *remote = walk_causes(longer).tracker_sectors;
    wm_results_free(results);
    forms_release(&forms);
    return more;
}

// The second line comes a cycle behind the first, and the port takes a flit a cycle.
Test(clock_parts, lines_of_two_holders_take_turns_at_a_port)
{
    enum { FLITS = 4, FROM_L1 = TO_UNIT + L1 + LINK + L1 + LINK, BOTH_ISSUED = 2 };
    uint64_t remote, none, both = cycles_of_pairs(true, &remote);
    cr_expect_eq(remote, 2 * LENGTH * 2 * 4);
    none = cycles_of_pairs(false, &remote);
    cr_expect_eq(remote, 0);
    cr_expect_eq(both - none, LENGTH * (FROM_L1 + FLITS - 1 + FLITS - BOTH_ISSUED), "%" PRIu64,
                 both - none);
}
