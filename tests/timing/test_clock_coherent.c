// L1s of SMs that are not coherent above a coherent L2, and L2s that are not coherent either above
// a coherent last level, in time: exact cycles by hand, and counts as in the walk where one access
// follows the other.
#include "../rounds.h"
#include "../unit/mem/small_memory.h"
#include "base/numbers/random.h"
#include "clock_forms.h"
#include "mem/timed/topology.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum {
    HIT = TO_UNIT + L1,
    FROM_L2 = TO_UNIT + L1 + LINK + L2 + LINK, // what leaves L2 does so its latency later
    LINE_TRANSFER = 4 * TRANSFER,
    MACHINES = 400,
    KERNELS = 12,
    LAUNCHES = 80,
    WORDS = 1 << 12,
};

// --- By hand ---

static struct wm_machine mixed_machine(enum wm_level_coherence l1)
{
    struct wm_machine machine = simple_machine();
    struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2];
    machine.memory.levels[WM_LEVEL_L1].coherence = l1;
    l2->coherence = WM_LEVEL_MESI;
    l2->cache.sector_bytes = l2->cache.line_bytes;
    return machine;
}

Test(clock_coherent, a_load_that_l1_lacks_is_looked_up_in_l2)
{
    struct wm_machine machine = mixed_machine(WM_LEVEL_INCOHERENT);
    cr_expect_eq(cycles_of_own_address(&machine, "ld.global.u64 %rd1, [%rd1];"), HIT);
    cr_expect_eq(cycles_of_own_address(&machine, "ld.global.cg.u64 %rd1, [%rd1];"), FROM_L2);
    machine.memory.levels[WM_LEVEL_L1].cache.present = false;
    cr_expect_eq(cycles_of_own_address(&machine, "ld.global.u64 %rd1, [%rd1];"), FROM_L2);
}

Test(clock_coherent, an_acquire_drops_what_a_scoped_l1_has)
{
    struct wm_machine scoped = mixed_machine(WM_LEVEL_SCOPED),
                      none = mixed_machine(WM_LEVEL_INCOHERENT);
    const char *line = "ld.global.u64 %rd1, [%rd1];\nfence.acq_rel.gpu;";
    cr_expect_eq(cycles_of_own_address(&scoped, line), FROM_L2 + 1);
    cr_expect_eq(cycles_of_own_address(&none, line), HIT + 1);
}

// An exchange of the address with itself: L2 holds the line locked from its read to its write, a
// cycle, or as many as its interval says, for each lane at the address.
Test(clock_coherent, an_atomic_locks_its_line_in_l2)
{
    struct wm_machine machine = mixed_machine(WM_LEVEL_SCOPED);
    const char *line = "atom.global.exch.b64 %rd1, [%rd1], %rd1;";
    cr_expect_eq(cycles_of_own_address(&machine, line), FROM_L2 + 32);
    machine.memory.levels[WM_LEVEL_L2].atomic_interval = 3;
    cr_expect_eq(cycles_of_own_address(&machine, line), FROM_L2 + 3 * 32);
}

// The same kernel twice: the first reads the line from memory, whole, and the second finds it in
// L2.
Test(clock_coherent, a_miss_reads_the_whole_line_from_memory)
{
    struct wm_machine machine = mixed_machine(WM_LEVEL_INCOHERENT);
    struct forms forms;
    uint64_t lives[2];
    forms_init(&forms, &machine, "", "ld.global.cg.u64 %rd1, [%rd1];\nadd.s64 %rd1, %rd1, 1;");
    uint64_t address = walk_words(&forms.fixture, 64);
    for (int i = 0; i < 2; i++) {
        walk_run(&forms.fixture, "warm", 1, 32, &address, 1);
        struct wm_results *results = walk_take_results(&forms.fixture);
        lives[i] = life_of(&results->kernels[0]);
        wm_results_free(results);
    }
    cr_expect_eq(lives[0] - (lives[1] - lives[0]), DRAM + LINE_TRANSFER, "%" PRIu64 ", %" PRIu64,
                 lives[0], lives[1]);
    forms_release(&forms);
}

// Two lines that L2 lacks: of the second, DRAM's transfer comes behind the first's. With one MSHR
// entry it is looked up when the first has come, and is read from there on.
Test(clock_coherent, a_request_without_an_mshr_entry_waits_for_the_line_before)
{
    struct wm_machine machine = mixed_machine(WM_LEVEL_SCOPED);
    uint64_t lives[2];
    for (int few = 0; few < 2; few++) {
        struct forms forms;
        if (few)
            machine.memory.levels[WM_LEVEL_L2].timing.mshr_entries = 1;
        forms_init(&forms, &machine, "",
                   "ld.global.cg.u32 %r3, [%rd1];\nld.global.cg.u32 %r4, [%rd1+128];\n"
                   "add.s32 %r5, %r3, %r4;");
        uint64_t address = walk_words(&forms.fixture, 64);
        walk_run(&forms.fixture, "warm", 1, 32, &address, 1);
        struct wm_results *results = walk_take_results(&forms.fixture);
        lives[few] = life_of(&results->kernels[0]);
        cr_expect_gt(counter(&results->kernels[0], "coherent_timing", "memory_reads"), 1);
        wm_results_free(results);
        forms_release(&forms);
    }
    cr_expect_eq(lives[1] - lives[0], L2 + DRAM, "%" PRIu64 ", %" PRIu64, lives[0], lives[1]);
}

// --- An L2 without coherence, by hand ---

enum { LAST = WM_LEVELS_NAMED, CORE_L1, WIRE = 1, LLC = 30 };

// A core with a coherent L1 above the last level, which does nothing: the level has children.
static void add_core(struct wm_memory_spec *spec)
{
    spec->core_count = 1;
    for (uint32_t i = 0; i <= WM_LEVEL_L2; i++)
        spec->levels[i].unit_count = spec->sm_count;
    spec->levels[CORE_L1] = (struct wm_level_spec){.place = WM_PLACE_CPU,
                                                   .name = "l1",
                                                   .cache = small_cache(4, 2, 128, 128),
                                                   .below = WM_BELOW(LAST),
                                                   .serves = WM_SERVES_DATA,
                                                   .units_each = 1,
                                                   .first_unit = spec->sm_count,
                                                   .unit_count = 1,
                                                   .coherence = WM_LEVEL_MESI};
}

static void add_last_level(struct wm_memory_spec *spec)
{
    spec->levels[LAST] = (struct wm_level_spec){.place = WM_PLACE_MACHINE,
                                                .name = "llc",
                                                .cache = small_cache(128, 8, 128, 128),
                                                .below = WM_BELOW_MEMORY,
                                                .coherence = WM_LEVEL_MESI,
                                                .slices = 1,
                                                .interleave_bytes = 128};
    spec->levels[WM_LEVEL_L2].below = WM_BELOW(LAST);
}

// An L2 of one line above a last level that is coherent with a core's L1, or has no coherence.
static struct wm_machine machine_of_one_line(bool coherent)
{
    struct wm_machine machine = simple_machine();
    machine.memory.levels[WM_LEVEL_L2].cache = small_cache(1, 1, 128, 32);
    add_last_level(&machine.memory);
    machine.memory.levels[LAST].timing =
        (struct wm_cache_timing){.latency = LLC, .mshr_entries = 64, .mshr_merges = 8, .queue = 16};
    if (coherent)
        add_core(&machine.memory);
    else
        machine.memory.levels[LAST].coherence = WM_LEVEL_INCOHERENT;
    return machine;
}

// Of a load whose line the last level has, and L2 has not: two lines take turns.
static uint64_t cycles_of_two_lines(const struct wm_machine *machine)
{
    struct forms forms;
    forms_init(&forms, machine, "", "ld.global.cg.u64 %rd1, [%rd1];");
    uint64_t address = walk_words(&forms.fixture, 128), other = address + 128;
    *(uint64_t *)(uintptr_t)address = other; // device memory lies at its own addresses
    *(uint64_t *)(uintptr_t)other = address;
    walk_run(&forms.fixture, "warm", 1, 32, &address, 1);
    walk_run(&forms.fixture, "warm", 1, 32, &other, 1);
    walk_run(&forms.fixture, "shorter", 1, 32, &address, 1);
    walk_run(&forms.fixture, "longer", 1, 32, &address, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    uint64_t more = life_of(kernel_of(results, "longer")) - life_of(kernel_of(results, "shorter"));
    wm_results_free(results);
    forms_release(&forms);
    cr_expect_eq(more % LENGTH, 0);
    return more / LENGTH;
}

Test(clock_coherent, a_load_that_l2_lacks_is_looked_up_in_the_last_level)
{
    struct wm_machine coherent = machine_of_one_line(true), none = machine_of_one_line(false);
    enum { FROM_LLC = TO_UNIT + L1 + LINK + L2 + WIRE + LLC + REPLY + LINK };
    cr_expect_eq(cycles_of_two_lines(&coherent), FROM_LLC);
    cr_expect_eq(cycles_of_two_lines(&none), FROM_LLC);
}

// L2 hands atomics on, and drops its copy.
Test(clock_coherent, an_atomic_passes_l2)
{
    struct wm_machine machine = machine_of_one_line(true);
    enum { FROM_LLC = TO_UNIT + L1 + LINK + L2 + WIRE + LLC + REPLY + LINK };
    cr_expect_eq(cycles_of_own_address(&machine, "atom.global.exch.b64 %rd1, [%rd1], %rd1;"),
                 FROM_LLC + 32);
}

// L2 hands eight stores on to a last level that has room for one, and fetches a line at a time:
// what waits goes on whenever there is room, though no reply comes.
Test(clock_coherent, stores_wait_for_room_at_the_last_level)
{
    struct wm_machine machine = machine_of_one_line(true);
    struct forms forms;
    struct wm_text text;
    machine.memory.levels[WM_LEVEL_L2].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    machine.memory.levels[WM_LEVEL_L2].cache.write_allocate = false;
    machine.memory.levels[LAST].timing.queue = machine.memory.levels[LAST].timing.mshr_entries = 1;
    wm_text_init(&text);
    for (int i = 0; i < 8; i++)
        wm_text_format(&text, "st.global.u32 [%%rd1+%d], %%r2;\n", 128 * i);
    forms_init(&forms, &machine, "", text.data);
    uint64_t address = walk_words(&forms.fixture, 256);
    walk_run(&forms.fixture, "warm", 1, 32, &address, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    uint64_t stores = 0;
    for (uint32_t i = 0; i < results->component_count; i++)
        if (strcmp(results->components[i].path, "llc[0]") == 0)
            stores += walk_component_sum(&results->components[i], 1,
                                         results->components[i].set->kind, "store_accesses");
    cr_expect_eq(stores, 8, "%" PRIu64, stores);
    wm_results_free(results);
    forms_release(&forms);
    wm_text_release(&text);
}

// --- Against the walk ---

static struct wm_memory_spec draw(struct wm_random *random)
{
    uint32_t slices = 1u << wm_random_below(random, 2);
    struct wm_cache_spec l1 = small_cache(2, 2, 128, 32), l2 = small_cache(8, 4, 128, 128);
    bool through = wm_random_below(random, 4) != 0;
    if (through) {
        l1.write_policy =
            wm_random_below(random, 2) == 0 ? WM_WRITE_THROUGH_EVICT : WM_WRITE_THROUGH_UPDATE;
        l1.write_allocate = false;
    } else { // written back in another order than in the walk at a kernel's end: nothing leaves L2
        l2 = small_cache(64, 8, 128, 128);
    }
    l1.present = !through || wm_random_below(random, 8) != 0;
    struct wm_memory_spec spec = small_memory(3, l1, l2, slices);
    spec.levels[WM_LEVEL_L1].flush_at_kernel = wm_random_below(random, 2) == 0;
    spec.levels[WM_LEVEL_L1].units_each = (uint32_t)wm_random_below(random, 3) == 0 ? 3 : 1;
    if (through && l1.present && wm_random_below(random, 2) == 0)
        spec.levels[WM_LEVEL_L1].coherence = WM_LEVEL_SCOPED;
    spec.levels[WM_LEVEL_L2].coherence = WM_LEVEL_MESI;
    spec.dram.channels = wm_random_below(random, 2) == 0 ? slices : 1;
    // What a last level displaces has left L2 sooner or later than in the walk: it displaces
    // nothing.
    if (wm_random_below(random, 2) == 0) {
        add_last_level(&spec);
        spec.levels[LAST].slices = 1u << wm_random_below(random, 2);
        if (wm_random_below(random, 2) == 0) {
            spec.levels[WM_LEVEL_L2].coherence = WM_LEVEL_INCOHERENT;
            spec.levels[WM_LEVEL_L2].cache.sector_bytes = 32;
            if (wm_random_below(random, 3) == 0)
                spec.levels[WM_LEVEL_L2].units_each = spec.levels[WM_LEVEL_L1].units_each;
        }
        if (wm_random_below(random, 2) == 0)
            add_core(&spec);
    }
    return spec;
}

// Lanes below a limit access words so many bytes apart, all in one line, from the parameter on; the
// block that does is given, others end at once.
static void write_access(struct wm_random *random, struct wm_text *text, uint32_t number)
{
    static const char *const accesses[] = {
        "ld.global.u32 %r3, [%rd1];",
        "ld.global.u32 %r3, [%rd1];",
        "ld.global.cg.u32 %r3, [%rd1];",
        "ld.acquire.gpu.global.u32 %r3, [%rd1];",
        "st.global.u32 [%rd1], %r2;",
        "st.global.u8 [%rd1], %r2;",
        "atom.global.add.u32 %r3, [%rd1], %r2;",
        "red.global.add.u32 [%rd1], %r2;",
        "ld.global.u32 %r3, [%rd1];\nfence.acq_rel.gpu;",
    };
    uint32_t lanes = 1 + (uint32_t)wm_random_below(random, 32);
    size_t access = wm_random_below(random, sizeof accesses / sizeof accesses[0]);
    uint64_t block = wm_random_below(random, 3);
    wm_text_format(text,
                   ".visible .entry k%" PRIu32 "(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n.reg .b64 "
                   "%%rd<9>;\n.reg .pred %%p<3>;\nld.param.u64 %%rd1, [p];\nmov.u32 %%r2, "
                   "%%tid.x;\n",
                   number);
    wm_text_format(text,
                   "mov.u32 %%r1, %%ctaid.x;\nsetp.ne.u32 %%p0, %%r1, %" PRIu64
                   ";\n@%%p0 ret;\nsetp.ge.u32 %%p1, %%r2, %" PRIu32
                   ";\n@%%p1 ret;\nmul.wide.u32 %%rd2, %%r2, 4;\nadd.s64 %%rd1, %%rd1, %%rd2;\n%s\n"
                   "ret;\n}\n",
                   block, lanes, accesses[access]);
}

// Each access is a kernel, whose end waits for all that is on its way.
static struct wm_results *run(const struct wm_machine *machine, const char *text, bool clock,
                              bool explained, uint64_t number)
{
    struct walk_fixture fixture;
    struct wm_random random;
    wm_random_init(&random, number, "launches");
    if (explained)
        walk_fixture_init_text_explained(&fixture, machine, text, clock);
    else
        (clock ? walk_fixture_init_timed : walk_fixture_init_text)(&fixture, machine, text);
    uint64_t words = walk_words(&fixture, WORDS);
    for (int i = 0; i < LAUNCHES; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%" PRIu64, wm_random_below(&random, KERNELS));
        uint64_t parameter = words + 128 * wm_random_below(&random, WORDS * 4 / 128);
        walk_run(&fixture, name, machine->sm.count, 32, &parameter, 1);
    }
    wm_session_host_read(fixture.session, words, UINT64_C(4) * WORDS);
    struct wm_results *results = walk_take_results(&fixture);
    walk_fixture_release(&fixture);
    return results;
}

// A level without coherence writes an atomic's line back before it goes on. In time that may still
// be on its way at the coherent level then, so that the atomic does not find it there.
static bool writes_back_before_atomics(const struct wm_memory_spec *spec)
{
    const struct wm_level_spec *l1 = &spec->levels[WM_LEVEL_L1], *l2 = &spec->levels[WM_LEVEL_L2];
    return (l1->cache.present && l1->cache.write_policy == WM_WRITE_BACK) ||
           l2->coherence == WM_LEVEL_INCOHERENT;
}

// Counters of the walk that are not 0 in both. A way that is free, and so which one another
// cache's write took, may be another one.
static uint64_t compare(const struct wm_results *walk, const struct wm_results *clock,
                        const struct wm_memory_spec *spec, uint64_t number)
{
    uint64_t compared = 0;
    for (uint32_t i = 0; i < walk->component_count; i++) {
        const struct wm_component_result *it = &walk->components[i];
        const struct wm_component_result *timed = component_of(clock, it->path, it->set);
        for (size_t n = 0; timed != NULL && n < it->set->count; n++) {
            const char *name = it->set->declarations[n].name;
            if (strcmp(name, "coherence_misses") == 0 ||
                (strcmp(name, "locked_hits") == 0 && writes_back_before_atomics(spec)))
                continue;
            cr_expect_eq(it->values[n], timed->values[n],
                         "machine %" PRIu64 ", %s %s: %" PRIu64 " in the walk, %" PRIu64 " in time",
                         number, it->path, name, it->values[n], timed->values[n]);
            compared += it->values[n] != 0;
        }
    }
    return compared;
}

// What each kernel's instructions are charged with.
static void compare_charges(const struct wm_results *walk, const struct wm_results *clock,
                            uint64_t number)
{
    cr_assert_eq(walk->kernel_count, clock->kernel_count);
    for (uint32_t i = 0; i < walk->kernel_count; i++) {
        struct wm_instruction_counters counted = walk_causes(&walk->kernels[i]),
                                       timed = walk_causes(&clock->kernels[i]);
        for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
            cr_expect_eq(counted.levels[level].hits, timed.levels[level].hits, "%" PRIu64, number);
            cr_expect_eq(counted.levels[level].misses, timed.levels[level].misses, "%" PRIu64,
                         number);
            cr_expect_eq(counted.levels[level].bytes, timed.levels[level].bytes, "%" PRIu64,
                         number);
        }
    }
}

// Why what each instruction requested was missed, at each level, and whether others' writes had
// taken it. Returns the misses for want of room.
static uint64_t compare_misses(const struct wm_results *walk, const struct wm_results *clock,
                               uint64_t number)
{
    uint64_t displaced = 0;
    for (uint32_t i = 0; i < walk->kernel_count; i++)
        for (uint32_t n = 0; n < walk->kernels[i].instruction_count; n++) {
            const struct wm_instruction_misses *a = walk->kernels[i].instructions[n].explained,
                                               *b = clock->kernels[i].instructions[n].explained;
            cr_expect_arr_eq(a->levels, b->levels, sizeof a->levels, "%" PRIu64 ": kernel %u, %u",
                             number, i, n);
            cr_expect(a->true_sharing == b->true_sharing && a->false_sharing == b->false_sharing,
                      "%" PRIu64 ": kernel %u, %u", number, i, n);
            for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
                displaced += b->levels[level].capacity + b->levels[level].conflict;
        }
    return displaced;
}

Test(clock_coherent, one_access_at_a_time_counts_as_the_walk, .timeout = 300)
{
    static const struct wm_cache_timing timing = {
        .latency = L1, .mshr_entries = 64, .mshr_merges = 8, .queue = 64};
    uint64_t compared = 0, scoped = 0, without = 0, incoherent = 0, private_l2 = 0, displaced = 0;
    uint32_t machines = TEST_ROUNDS(MACHINES);
    for (uint32_t number = 0; number < machines; number++) {
        struct wm_random random;
        struct wm_text text;
        wm_random_init(&random, number, "clock coherent");
        struct wm_memory_spec spec = draw(&random);
        struct wm_machine machine = simple_machine_with(&spec, &timing);
        scoped += spec.levels[WM_LEVEL_L1].coherence == WM_LEVEL_SCOPED;
        incoherent += spec.levels[WM_LEVEL_L2].coherence == WM_LEVEL_INCOHERENT;
        private_l2 += wm_timed_is_between(&spec, WM_LEVEL_L2);
        without += !spec.levels[WM_LEVEL_L1].cache.present;
        wm_text_init(&text);
        wm_text_format(&text, ".version 7.4\n.target sm_70\n.address_size 64\n");
        for (uint32_t kernel = 0; kernel < KERNELS; kernel++)
            write_access(&random, &text, kernel);
        bool explained = number % 2 == 0;
        struct wm_results *walk = run(&machine, text.data, false, explained, number);
        struct wm_results *clock = run(&machine, text.data, true, explained, number);
        compared += compare(walk, clock, &spec, number);
        compare_charges(walk, clock, number);
        displaced += explained ? compare_misses(walk, clock, number) : 0;
        wm_results_free(walk);
        wm_results_free(clock);
        wm_text_release(&text);
    }
    cr_expect_gt(compared, UINT64_C(60) * machines, "%" PRIu64 " counters", compared);
    cr_expect_gt(displaced, 4 * machines, "%" PRIu64, displaced);
    cr_expect_gt(scoped, machines / 5);
    cr_expect_gt(incoherent, machines / 6);
    cr_expect_gt(private_l2, machines / 40);
    cr_expect_gt(without, machines / 20);
}
