// Machines of random levels with inclusive or exclusive ones among them, in time, with as much on
// its way at once as little queues let be. Each sector is stored once, so that, at the end, memory
// has been written just that: nothing that was dirty is lost on the ways between caches, nor
// written twice. And what is above an inclusive level is in it.
#include "../rounds.h"
#include "../unit/mem/choosy.h"
#include "../unit/mem/level_machines.h"
#include "engine/session/session.h"
#include "engine/session/session_state.h"
#include "mem/system/relations.h"
#include "timed_levels.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MACHINES = 120, LINES = 1 << 10, LINE_BYTES = 128, WARPS_EACH = 4, BLOCKS_EACH = 2 };

// --- Machines ---

// What is dirty is known sector by sector: of larger units parts come one after another, and make
// the others dirty again.
static void split_units(struct wm_memory_spec *spec)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (i < WM_LEVEL_SIDE || i >= WM_LEVEL_SIDE + WM_SIDE_CACHE_KINDS)
            spec->levels[i].cache.sector_bytes = WM_SECTOR_BYTES;
}

// Little of everything, in numbers that any level can do with.
static void narrow(struct wm_random *random, struct wm_machine *machine)
{
    struct wm_interconnect_spec *network = &machine->memory.interconnect;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        struct wm_cache_timing *timing = &machine->memory.levels[i].timing;
        timing->latency = 1 + (uint32_t)wm_random_below(random, 30);
        timing->mshr_entries = 1 + (uint32_t)wm_random_below(random, 8);
        timing->mshr_merges = 1 + (uint32_t)wm_random_below(random, 4);
        timing->queue = 1 + (uint32_t)wm_random_below(random, 6);
    }
    network->sectors = 1 + (uint32_t)wm_random_below(random, 32);
    network->buffer = 1 + (uint32_t)wm_random_below(random, 3);
    if (wm_random_below(random, 3) == 0) {
        network->topology = WM_BUTTERFLY;
        network->radix = 2;
        network->latency = 24;
    }
}

// --- A kernel ---

struct access {
    uint32_t factor, offset;
    const char *access;
};

// Each line is stored once: a warp's are its own, as they come in a permutation of all.
static const struct access stored_once[] = {{77, 11, "ld.global.u32 %r8, [%rd3];"},
                                            {29, 0, "st.global.u32 [%rd3], %r1;"},
                                            {29, 3, "ld.global.u32 %r9, [%rd3];"},
                                            {13, 5, "ld.global.nc.u32 %r9, [%rd3];"},
                                            {29, 6, "ld.global.cg.u32 %r9, [%rd3];"}};
static const struct access of_all_kinds[] = {{29, 1, "st.global.u8 [%rd3], %r1;"},
                                             {77, 2, "atom.global.add.u32 %r9, [%rd3], 1;"},
                                             {13, 9, "red.global.add.u32 [%rd3], 1;"},
                                             {29, 4, "ld.volatile.global.u32 %r9, [%rd3];"},
                                             {29, 2, "ld.global.L1::no_allocate.u32 %r9, [%rd3];"},
                                             {7, 1, "st.volatile.global.u32 [%rd3], %r1;"},
                                             {77, 1, "ld.global.u32 %r8, [%rd3];"}};

// Warps go through them, and again for further lines.
static void write_kernel_of(struct wm_text *text, uint32_t warps, const struct access *accesses,
                            size_t count)
{
    wm_text_format(text, ".version 7.4\n.target sm_70\n.address_size 64\n"
                         ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<20>;\n"
                         ".reg .b64 %%rd<9>;\n.reg .pred %%p<3>;\nld.param.u64 %%rd1, [p];\n"
                         "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\n"
                         "mov.u32 %%r3, %%ntid.x;\nmad.lo.u32 %%r1, %%r2, %%r3, %%r1;\n"
                         "shr.u32 %%r4, %%r1, 5;\nand.b32 %%r5, %%r1, 31;\n"
                         "shl.b32 %%r5, %%r5, 2;\nmov.u32 %%r8, 0;\nLOOP:\n");
    for (size_t i = 0; i < count; i++)
        wm_text_format(text,
                       "mul.lo.u32 %%r6, %%r4, %" PRIu32 ";\nadd.u32 %%r6, %%r6, %" PRIu32
                       ";\nand.b32 %%r6, %%r6, %d;\nshl.b32 %%r6, %%r6, 7;\n"
                       "add.u32 %%r6, %%r6, %%r5;\ncvt.u64.u32 %%rd2, %%r6;\n"
                       "add.u64 %%rd3, %%rd1, %%rd2;\n%s\n",
                       accesses[i].factor, accesses[i].offset, LINES - 1, accesses[i].access);
    wm_text_format(text,
                   "add.u32 %%r4, %%r4, %" PRIu32 ";\nsetp.lt.u32 %%p1, %%r4, %d;\n"
                   "@%%p1 bra LOOP;\nret;\n}\n",
                   warps, LINES);
}

// --- What has to hold ---

// Of one line of a cache above: all inclusive levels below have it.
static bool is_included(const struct wm_memory *memory, const struct wm_cache_level *above,
                        uint32_t cache, uint64_t address, uint32_t valid)
{
    for (const struct wm_cache_level *at = above->below; at != NULL; at = at->below)
        for (uint32_t i = 0; at->inclusion == WM_INCLUSIVE && !at->takes_uncached_only && i < 32;
             i++) {
            uint64_t index_line, line = (address + i * WM_SECTOR_BYTES) >> at->line_shift;
            if ((valid >> i & 1) == 0)
                continue;
            uint32_t slice = wm_level_slice(at, line, &index_line);
            uint32_t instance = wm_level_instance(at, wm_first_unit_of(above, cache));
            const struct wm_cache *has =
                &at->caches[instance * (uint32_t)at->slices.divisor + slice];
            if (wm_cache_find(has, line, index_line) < 0) {
                fprintf(stderr, "level %u[%u] has %" PRIx64 ", level %u has not\n", above->number,
                        cache, address + i * WM_SECTOR_BYTES, at->number);
                return false;
            }
        }
    (void)memory;
    return true;
}

static bool all_are_included(const struct wm_memory *memory, const struct wm_cache_level *above,
                             uint32_t number, const struct wm_cache *cache)
{
    for (uint64_t slot = 0; slot < (uint64_t)cache->sets * cache->stride; slot++)
        if (cache->tags[slot] < WM_CACHE_PADDING &&
            !is_included(memory, above, number, cache->tags[slot] << cache->line_shift,
                         wm_cache_line_at(cache, slot).valid))
            return false;
    return true;
}

static bool inclusion_holds(const struct wm_memory *memory)
{
    for (uint32_t n = 0; n < WM_MOST_LEVELS; n++)
        for (uint32_t i = 0; i < memory->levels[n].count; i++)
            if (!all_are_included(memory, &memory->levels[n], i, &memory->levels[n].caches[i]) ||
                (memory->levels[n].victims != NULL &&
                 !all_are_included(memory, &memory->levels[n], i, &memory->levels[n].victims[i])))
                return false;
    return true;
}

static uint64_t run(const struct wm_machine *machine, const char *text, uint32_t blocks,
                    bool *included)
{
    struct walk_fixture fixture;
    walk_fixture_init_timed(&fixture, machine, text);
    uint64_t words = walk_words(&fixture, (uint64_t)LINES * LINE_BYTES / 4);
    walk_run(&fixture, "k", blocks, WARPS_EACH * 32, &words, 1);
    *included = inclusion_holds(fixture.session->memory);
    wm_session_host_read(fixture.session, words, (uint64_t)LINES * LINE_BYTES);
    struct wm_results *results = walk_take_results(&fixture);
    uint64_t written =
        walk_component_sum(results->components, results->component_count, "dram", "bytes_written");
    wm_results_free(results);
    walk_fixture_release(&fixture);
    return written;
}

// Machines of one of the kinds: with relations, or where requests join others or are refused.
static void run_machines(const char *kind, bool contended)
{
    struct level_machine drawn;
    struct wm_random random;
    uint32_t ran = 0, machines = TEST_ROUNDS(MACHINES);
    for (uint32_t number = 0; ran < machines; number++) {
        struct wm_text text;
        struct wm_error error;
        wm_random_init(&random, number, kind);
        level_machine_draw(&random, &drawn);
        split_units(&drawn.spec);
        if (has_inclusion(&drawn.spec) == contended || !level_machine_is_legal(&drawn.spec))
            continue;
        struct wm_machine machine = timed_levels(&drawn.spec);
        narrow(&random, &machine);
        if (wm_clock_check(&machine, &error) != WM_OK ||
            (contended && draw_contention(number, &machine) == 0))
            continue;
        uint32_t blocks = BLOCKS_EACH * machine.sm.count;
        bool all_kinds = ran++ % 3 == 0, included;
        wm_text_init(&text);
        if (all_kinds)
            write_kernel_of(&text, blocks * WARPS_EACH, of_all_kinds,
                            sizeof of_all_kinds / sizeof of_all_kinds[0]);
        else
            write_kernel_of(&text, blocks * WARPS_EACH, stored_once,
                            sizeof stored_once / sizeof stored_once[0]);
        uint64_t written = run(&machine, text.data, blocks, &included);
        bool same = written == (uint64_t)LINES * LINE_BYTES || all_kinds;
        if (!same || !included)
            level_machine_print(stderr, &drawn);
        cr_expect(same, "machine %" PRIu32 ": %" PRIu64 " bytes written", number, written);
        cr_expect(included, "machine %" PRIu32, number);
        wm_text_release(&text);
    }
}

Test(clock_relations, what_is_stored_comes_to_memory_once, .timeout = 300)
{
    run_machines("clock relations", false);
}

Test(clock_relations, what_joins_or_is_refused_comes_to_memory_once, .timeout = 300)
{
    run_machines("clock contention", true);
}

// --- An invalidation, in cycles ---

// Under L2 lies another level, where atomics are done: one drops the line in L2.
static struct wm_machine two_levels(enum wm_inclusion inclusion)
{
    struct wm_machine machine = simple_machine();
    struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2], *l3 = l2 + 1;
    *l3 = *l2;
    snprintf(l3->name, sizeof l3->name, "l3");
    l2->below = WM_BELOW(WM_LEVEL_L2 + 1);
    l3->below = WM_BELOW_MEMORY;
    l2->inclusion = inclusion;
    return machine;
}

// The atomic waits until L1, to which L2 has sent the line, has answered that it does not hold it:
// it has dropped it on the atomic's way. In the cycle in which that comes the atomic goes on.
Test(clock_relations, an_invalidation_goes_to_l1_and_back)
{
    static const char line[] = "ld.global.u32 %r3, [%rd1];\natom.global.add.u32 %r3, [%rd1], %r3;";
    enum { INVALIDATED = REPLY + LINK + L1 + LINK };
    struct wm_machine alone = two_levels(WM_NON_INCLUSIVE), inclusive = two_levels(WM_INCLUSIVE);
    cr_expect_eq(cycles_of(&inclusive, "", line), cycles_of(&alone, "", line) + INVALIDATED,
                 "%" PRIu64 " and %" PRIu64, cycles_of(&inclusive, "", line),
                 cycles_of(&alone, "", line));
}

// --- Lines that an inclusive level does not keep ---

static uint64_t allocations_of(const char *level, const struct wm_machine *machine,
                               const char *text, bool timed)
{
    struct walk_fixture fixture;
    (timed ? walk_fixture_init_timed : walk_fixture_init_text)(&fixture, machine, text);
    uint64_t words = walk_words(&fixture, 32);
    walk_run(&fixture, "store", 1, 32, &words, 1);
    struct wm_results *results = walk_take_results(&fixture);
    uint64_t allocations =
        walk_component_sum(results->components, results->component_count, level, "allocations");
    wm_results_free(results);
    walk_fixture_release(&fixture);
    return allocations;
}

// A store that writes a line whole leaves it in L1 and in the cache between, and both say so to the
// inclusive L2. That has dropped the line, as it does with all that is stored: neither what the one
// says nor what the other does makes it take it again.
Test(clock_relations, a_line_that_is_dropped_is_not_taken_for_any_cache_above)
{
    struct wm_machine machine = simple_machine();
    struct wm_level_spec *levels = machine.memory.levels, *l2 = &levels[WM_LEVEL_L2];
    struct wm_level_spec *between = l2 + 1;
    struct wm_text text;
    levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    levels[WM_LEVEL_L1].cache.write_allocate = true;
    *between = levels[WM_LEVEL_L1];
    snprintf(between->name, sizeof between->name, "between");
    between->flush_at_kernel = false;
    between->units_each = 1;
    between->below = WM_BELOW(WM_LEVEL_L2);
    levels[WM_LEVEL_L1].below = WM_BELOW(WM_LEVEL_L2 + 1);
    l2->inclusion = WM_INCLUSIVE;
    l2->cache.write_policy = WM_WRITE_THROUGH_EVICT;
    l2->cache.write_allocate = false;
    wm_text_init(&text);
    wm_text_format(&text, ".version 6.0\n.target sm_70\n.address_size 64\n");
    write_kernel(&text, "store", "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;",
                 "st.global.u32 [%rd1], %r2;", 1);
    cr_expect_eq(allocations_of("l2", &machine, text.data, false), 0);
    cr_expect_eq(allocations_of("l2", &machine, text.data, true), 0);
    wm_text_release(&text);
}

// The same under another inclusive level, which takes no lines for stores, but those that a cache
// above has: L2 has dropped the line in L1, whose word of it does not come that far.
Test(clock_relations, a_line_that_is_dropped_is_not_taken_below)
{
    struct wm_machine machine = two_levels(WM_INCLUSIVE);
    struct wm_level_spec *levels = machine.memory.levels, *l2 = &levels[WM_LEVEL_L2], *l3 = l2 + 1;
    struct wm_text text;
    levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    levels[WM_LEVEL_L1].cache.write_allocate = true;
    l2->cache.write_allocate = l3->cache.write_allocate = false;
    l3->cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    l3->inclusion = WM_INCLUSIVE;
    wm_text_init(&text);
    wm_text_format(&text, ".version 6.0\n.target sm_70\n.address_size 64\n");
    write_kernel(&text, "store", "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;",
                 "st.global.u32 [%rd1], %r2;", 1);
    for (int timed = 0; timed < 2; timed++) {
        l2->cache.write_policy = WM_WRITE_THROUGH_EVICT;
        cr_expect_eq(allocations_of("l3", &machine, text.data, timed), 0);
        l2->cache.write_policy = WM_WRITE_THROUGH_UPDATE; // L2 takes the line, and so does l3
        cr_expect_eq(allocations_of("l3", &machine, text.data, timed), 1);
    }
    wm_text_release(&text);
}

static int32_t refuse_loads(const struct wm_replacement_set *set,
                            const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)set;
    return event->kind == WM_ACCESS_LOAD || (allowed != NULL && (*allowed & 1) == 0) ? WM_NO_WAY
                                                                                     : 0;
}

static void ignore(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

static const struct wm_replacement_ops refuses_loads = {
    .name = "refuses_loads", .victim = refuse_loads, .hit = ignore, .insert = ignore};

// L2 has one line. It refuses the first SM's load, and while that is on its way from memory takes
// the line for the second SM's store. It has sent the first SM a copy nevertheless, which goes when
// the second one's next store displaces the line.
Test(clock_relations, who_loaded_a_line_before_it_was_taken_holds_it)
{
    static const char race[] =
        "mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra OTHER;\n"
        "ld.global.u32 %r4, [%rd1];\nbra END;\nOTHER:\nadd.u32 %r3, %r3, 1;\n"
        "add.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\n"
        "mul.wide.u32 %rd2, %r3, 1;\nsub.s64 %rd2, %rd2, 5;\nadd.s64 %rd3, %rd1, %rd2;\n"
        "st.global.u32 [%rd3], %r2;\nld.global.cg.u32 %r4, [%rd3+256];\n"
        "and.b32 %r4, %r4, 0;\nmul.wide.u32 %rd2, %r4, 1;\nadd.s64 %rd3, %rd3, %rd2;\n"
        "st.global.u32 [%rd3+512], %r2;\nEND:";
    struct wm_machine machine = simple_machine();
    struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2];
    struct walk_fixture fixture;
    struct wm_text text;
    machine.sm.count = machine.memory.sm_count = 2;
    l2->inclusion = WM_INCLUSIVE;
    l2->cache.ways = 1;
    l2->cache.size_bytes = l2->cache.line_bytes;
    l2->cache.replacement = &refuses_loads;
    wm_text_init(&text);
    wm_text_format(&text, ".version 6.0\n.target sm_70\n.address_size 64\n");
    write_kernel(&text, "first", "", "st.global.u32 [%rd1+1024], %r2;", 1);
    write_kernel(&text, "race", ".reg .pred %p<3>;", race, 1);
    walk_fixture_init_timed(&fixture, &machine, text.data);
    uint64_t words = walk_words(&fixture, 512);
    walk_run(&fixture, "first", 1, 1, &words, 1);
    walk_run(&fixture, "race", 2, 1, &words, 1);
    cr_expect(inclusion_holds(fixture.session->memory));
    walk_fixture_release(&fixture);
    wm_text_release(&text);
}
