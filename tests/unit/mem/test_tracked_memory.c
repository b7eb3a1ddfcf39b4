// Sharing trackers in a memory system: who supplies a line, and the two promises of a memory system
// without coherence (mem/tracker/line_versions.h) under random traffic, which break when writes
// leave the tracker alone.
#include "base/numbers/random.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum { SMS = 8, LINES = 160, STEPS = 20000, LINE = 128 };

static struct wm_memory_spec tracked(uint32_t sms_each, uint32_t sharers)
{
    struct wm_memory_spec spec =
        small_memory(SMS, small_cache(4, 4, LINE, LINE), small_cache(64, 4, 32, 32), 2);
    spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    spec.levels[WM_LEVEL_L1].cache.write_allocate = false;
    spec.levels[WM_LEVEL_L2].cache.write_fetch = WM_FETCH_ALWAYS;
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    spec.levels[WM_LEVEL_L1].tracker = (struct wm_tracker_spec){.present = true,
                                                                .sms_each = sms_each,
                                                                .sets = 16,
                                                                .ways = 4,
                                                                .banks = 4,
                                                                .sharers = sharers};
    spec.levels[WM_LEVEL_L2].atomic_buffer_lines = 1;
    return spec;
}

static struct wm_access_result ask(struct wm_memory *memory, uint32_t sm, uint64_t line,
                                   uint32_t sectors, enum wm_access_kind kind,
                                   enum wm_cache_hint hint)
{
    struct wm_request request = {
        .address = line * LINE, .sectors = sectors, .sm = sm, .kind = kind, .hint = hint};
    return wm_memory_access(memory, &request);
}

static void load(struct wm_memory *memory, uint32_t sm, uint64_t line)
{
    ask(memory, sm, line, 1, WM_ACCESS_LOAD, WM_HINT_DEFAULT);
}

static void store(struct wm_memory *memory, uint32_t sm, uint64_t line)
{
    ask(memory, sm, line, 1, WM_ACCESS_STORE, WM_HINT_DEFAULT);
}

static uint64_t sum(const struct wm_memory *memory, size_t counter)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        for (uint32_t bank = 0; bank < memory->spec.levels[WM_LEVEL_L1].tracker.banks; bank++)
            total += ((const uint64_t *)(const void *)&memory->trackers[i].counters[bank])[counter];
    return total;
}

#define TRACKED(memory, name) \
    sum(memory, offsetof(struct wm_tracker_counters, name) / sizeof(uint64_t))

static uint64_t below(const struct wm_memory *memory)
{
    uint64_t sectors = 0;
    for (uint32_t i = 0; i < memory->spec.levels[WM_LEVEL_L2].slices; i++)
        sectors += memory->levels[WM_LEVEL_L2].caches[i].counters.hits +
                   memory->levels[WM_LEVEL_L2].caches[i].counters.misses;
    return sectors;
}

// --- Who supplies ---

Test(tracked_memory, another_l1_supplies_what_one_holds)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 0, 7);
    cr_assert_eq(below(memory), 4, "the whole line, in lines of L2");
    load(memory, 1, 7);
    cr_assert_eq(below(memory), 4, "nothing more of L2");
    cr_assert_eq(TRACKED(memory, hits), 1);
    cr_assert_eq(TRACKED(memory, remote_sectors), 4);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.bytes_from_below, 0);
    load(memory, 1, 7);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.hits, 1, "it has taken it");
    wm_memory_free(memory);
}

static void expect_source(struct wm_access_result result, enum wm_access_source source,
                          uint32_t lines_missed, bool went_around)
{
    cr_expect_eq(result.source, source, "source %d, not %d", (int)result.source, (int)source);
    cr_expect_eq(result.lines_missed, lines_missed);
    cr_expect_eq(result.went_around, went_around);
    cr_expect_eq(wm_access_hit(result), source == WM_SOURCE_L1);
}

// What a request's answer says of where its sectors came from.
Test(tracked_memory, an_access_says_who_served_it)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    struct wm_memory *memory = small_memory_new(&spec);
    enum wm_access_kind read = WM_ACCESS_LOAD;
    expect_source(ask(memory, 0, 7, 1, read, WM_HINT_DEFAULT), WM_SOURCE_BELOW_L1, 1, false);
    expect_source(ask(memory, 0, 7, 1, read, WM_HINT_DEFAULT), WM_SOURCE_L1, 0, false);
    expect_source(ask(memory, 1, 7, 1, read, WM_HINT_NO_L1), WM_SOURCE_OTHER_L1, 1, false);
    expect_source(ask(memory, 1, 7, 1, read, WM_HINT_DEFAULT), WM_SOURCE_OTHER_L1, 1, false);
    expect_source(ask(memory, 1, 7, 1, read, WM_HINT_DEFAULT), WM_SOURCE_L1, 0, false);
    expect_source(ask(memory, 0, 7, 1, read, WM_HINT_L2_ONLY), WM_SOURCE_BELOW_L1, 0, true);
    expect_source(ask(memory, 0, 7, 1, WM_ACCESS_STORE, WM_HINT_DEFAULT), WM_SOURCE_L1, 0, false);
    for (int time = 0; time < 2; time++) // the second is done in the slice's buffer
        expect_source(ask(memory, 0, 9, 1, WM_ACCESS_ATOMIC, WM_HINT_DEFAULT), WM_SOURCE_BELOW_L1,
                      0, false);
    wm_memory_free(memory);
}

// Of several lines, the farthest source counts.
Test(tracked_memory, an_instruction_came_from_its_farthest_source)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 0, 3);
    load(memory, 1, 4);
    const struct wm_line_request lines[] = {{.line_address = 3 * LINE, .sectors = 1},
                                            {.line_address = 4 * LINE, .sectors = 1},
                                            {.line_address = 5 * LINE, .sectors = 1}};
    const struct wm_request who = {.sm = 1, .kind = WM_ACCESS_LOAD};
    expect_source(wm_memory_access_lines(memory, &who, lines, 2), WM_SOURCE_OTHER_L1, 1, false);
    expect_source(wm_memory_access_lines(memory, &who, lines, 3), WM_SOURCE_BELOW_L1, 1, false);
    expect_source(wm_memory_access_lines(memory, &who, lines, 3), WM_SOURCE_L1, 0, false);
    wm_memory_free(memory);
}

// Every build of the access path says the same of plain machines, with L2 and without.
Test(tracked_memory, every_build_says_who_served_it)
{
    size_t builds;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&builds);
    for (size_t i = 0; i < 2 * (builds + 1); i++) {
        struct wm_memory_spec spec =
            small_memory(1, small_cache(4, 4, LINE, LINE), small_cache(64, 4, LINE, 32), 2);
        spec.levels[WM_LEVEL_L2].cache.present = i % 2 == 0;
        struct wm_memory *memory = small_memory_new(&spec);
        memory->paths = i / 2 < builds ? paths[i / 2] : &wm_memory_paths_full;
        const struct wm_line_request lines[] = {{.line_address = 3 * LINE, .sectors = 1},
                                                {.line_address = 4 * LINE, .sectors = 1}};
        struct wm_request who = {.kind = WM_ACCESS_LOAD};
        for (uint32_t count = 1; count <= 2; count++) {
            expect_source(wm_memory_access_lines(memory, &who, lines, count), WM_SOURCE_BELOW_L1, 1,
                          false);
            expect_source(wm_memory_access_lines(memory, &who, lines, count), WM_SOURCE_L1, 0,
                          false);
        }
        who.hint = WM_HINT_L2_ONLY;
        expect_source(wm_memory_access_lines(memory, &who, lines, 2), WM_SOURCE_BELOW_L1, 0, true);
        who.kind = WM_ACCESS_ATOMIC;
        expect_source(wm_memory_access_lines(memory, &who, lines, 2), WM_SOURCE_BELOW_L1, 0, false);
        wm_memory_free(memory);
    }
}

Test(tracked_memory, an_evicted_line_is_forgotten)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint64_t n = 0; n <= spec.levels[WM_LEVEL_L1].cache.ways; n++)
        load(memory, 0, 4 * n); // of one set
    uint64_t before = below(memory);
    load(memory, 1, 0);
    cr_assert_eq(TRACKED(memory, sharers_removed), 1);
    cr_assert_eq(TRACKED(memory, hits), 0);
    cr_assert_eq(below(memory), before + 4);
    wm_memory_free(memory);
}

Test(tracked_memory, isolated_trackers_do_not_see_each_other)
{
    struct wm_memory_spec spec = tracked(SMS / 2, SMS);
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 0, 3);
    load(memory, SMS - 1, 3);
    cr_assert_eq(TRACKED(memory, hits), 0);
    load(memory, SMS - 2, 3);
    cr_assert_eq(TRACKED(memory, hits), 1);
    wm_memory_free(memory);
}

// A load that the bypass entry keeps from taking a line gets its sectors, and is not noted.
Test(tracked_memory, contentious_loads_take_nothing)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 0, 3);
    ask(memory, 1, 3, 2, WM_ACCESS_LOAD, WM_HINT_NO_L1);
    cr_assert_eq(TRACKED(memory, remote_sectors), 1);
    ask(memory, 2, 9, 2, WM_ACCESS_LOAD, WM_HINT_NO_L1);
    cr_assert_eq(below(memory), 4 + 1, "only what it needs");
    cr_assert_not(wm_memory_l1_holds(memory, 1, 3 * LINE));
    uint32_t count;
    wm_tracker_holders(&memory->trackers[0], 3, &count);
    cr_assert_eq(count, 1);
    wm_tracker_holders(&memory->trackers[0], 9, &count);
    cr_assert_eq(count, 0);
    wm_memory_free(memory);
}

// --- The promises ---

// The thesis, section 3.2: P and Q share a line. Q writes it, and loses its copy. Then Q requests
// it again, and the tracker must not name P, whose copy has not seen Q's write.
static uint64_t old_reads_of_the_counterexample(bool keeps_on_write)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    spec.levels[WM_LEVEL_L1].tracker.keeps_on_write = keeps_on_write;
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_line_versions *versions = wm_memory_check_versions(memory);
    enum { P, Q };
    load(memory, P, 0);
    load(memory, Q, 0);
    store(memory, Q, 0);
    for (uint64_t n = 1; n <= spec.levels[WM_LEVEL_L1].cache.ways; n++)
        load(memory, Q, 4 * n);
    cr_assert_not(wm_memory_l1_holds(memory, Q, 0));
    cr_assert(wm_memory_l1_holds(memory, P, 0));
    load(memory, Q, 0);
    uint64_t old = wm_versions_old_reads(versions);
    wm_memory_free(memory);
    return old;
}

Test(tracked_memory, a_writer_does_not_get_its_old_data_back)
{
    cr_assert_eq(old_reads_of_the_counterexample(false), 0);
    cr_assert_eq(old_reads_of_the_counterexample(true), 1);
}

static void random_step(struct wm_memory *memory, struct wm_random *random)
{
    uint64_t what = wm_random_below(random, 100), line = wm_random_below(random, LINES);
    uint32_t sm = (uint32_t)wm_random_below(random, SMS);
    uint32_t sectors = 1 + (uint32_t)wm_random_below(random, 15);
    if (wm_random_below(random, 2) == 0)
        line %= 24; // some lines more often, so that copies meet
    if (what < 62)
        ask(memory, sm, line, sectors, WM_ACCESS_LOAD,
            wm_random_below(random, 4) == 0 ? WM_HINT_NO_L1 : WM_HINT_DEFAULT);
    else if (what < 84)
        ask(memory, sm, line, sectors, WM_ACCESS_STORE, WM_HINT_DEFAULT);
    else if (what < 89)
        ask(memory, sm, line, sectors, WM_ACCESS_LOAD, WM_HINT_VOLATILE);
    else if (what < 92)
        ask(memory, sm, line, sectors, WM_ACCESS_STORE, WM_HINT_VOLATILE);
    else if (what < 94)
        ask(memory, sm, line, sectors, WM_ACCESS_LOAD, WM_HINT_L2_ONLY);
    else if (what < 99)
        ask(memory, sm, line, sectors, what < 97 ? WM_ACCESS_ATOMIC : WM_ACCESS_REDUCTION,
            WM_HINT_DEFAULT);
    else if (wm_random_below(random, 4) == 0)
        wm_memory_host_write(memory, line * LINE, 300);
    else if (wm_random_below(random, 8) == 0)
        wm_memory_kernel_begin(memory);
}

// Every holder that a tracker names has the line, and has seen what it must have.
static uint64_t wrong_holders(const struct wm_memory *memory,
                              const struct wm_line_versions *versions)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        for (uint64_t line = 0; line < LINES; line++) {
            uint32_t count;
            const uint16_t *holders = wm_tracker_holders(&memory->trackers[i], line, &count);
            for (uint32_t n = 0; n < count; n++) {
                wrong += holders[n] / memory->spec.levels[WM_LEVEL_L1].tracker.sms_each != i;
                wrong += !wm_memory_l1_holds(memory, holders[n], line * LINE);
                for (uint64_t sector = 0; sector < 4; sector++)
                    wrong += !wm_versions_is_current(versions, holders[n], line * 4 + sector);
            }
        }
    return wrong;
}

struct outcome {
    uint64_t old_reads, old_copies, wrong;
};

static struct outcome random_traffic(uint32_t sms_each, uint32_t sharers, bool keeps_on_write,
                                     uint64_t seed)
{
    struct wm_memory_spec spec = tracked(sms_each, sharers);
    spec.levels[WM_LEVEL_L1].tracker.keeps_on_write = keeps_on_write;
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_line_versions *versions = wm_memory_check_versions(memory);
    struct wm_random random;
    struct outcome outcome = {0};
    wm_random_init(&random, seed, "tracked");
    for (int step = 0; step < STEPS; step++) {
        random_step(memory, &random);
        if (step % 500 == 0)
            outcome.wrong += wrong_holders(memory, versions);
    }
    cr_assert_not(wm_versions_failed(versions));
    cr_assert_gt(TRACKED(memory, hits), 100, "hardly anything is shared");
    cr_assert_eq(TRACKED(memory, lookups), TRACKED(memory, hits) + TRACKED(memory, misses));
    outcome.old_reads = wm_versions_old_reads(versions);
    outcome.old_copies = wm_versions_old_copies(versions);
    wm_memory_free(memory);
    return outcome;
}

Test(tracked_memory, promises_hold_under_random_traffic)
{
    static const uint32_t groups[] = {SMS, SMS / 2, SMS / 4}, sharers[] = {1, 2, SMS};
    for (int group = 0; group < 3; group++)
        for (int most = 0; most < 3; most++) {
            uint64_t seed = (uint64_t)(3 * group + most);
            struct outcome good = random_traffic(groups[group], sharers[most], false, seed);
            cr_assert_eq(good.old_reads, 0, "%u SMs a tracker, %u holders", groups[group],
                         sharers[most]);
            cr_assert_eq(good.old_copies, 0);
            cr_assert_eq(good.wrong, 0);
            struct outcome bad = random_traffic(groups[group], sharers[most], true, seed);
            cr_assert_gt(bad.old_reads, 0);
            cr_assert_gt(bad.old_copies, 0);
            cr_assert_gt(bad.wrong, 0);
        }
}

// --- What is counted ---

// What leaves one level is what enters the next, and what L1s lack comes from either side.
Test(tracked_memory, bytes_are_conserved)
{
    struct wm_memory_spec spec = tracked(SMS / 2, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_random random;
    wm_random_init(&random, 99, "bytes");
    for (int step = 0; step < STEPS; step++)
        random_step(memory, &random);
    uint64_t up = 0, down = 0, filled = 0, l2_up = 0, l2_down = 0, between[2] = {0};
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++) {
        up += memory->levels[WM_LEVEL_L1].caches[i].counters.bytes_from_below;
        down += memory->levels[WM_LEVEL_L1].caches[i].counters.bytes_to_below;
        filled += memory->levels[WM_LEVEL_L1].caches[i].counters.fills;
    }
    for (uint32_t i = 0; i < spec.levels[WM_LEVEL_L2].slices; i++) {
        const struct wm_cache_counters *l2 = &memory->levels[WM_LEVEL_L2].caches[i].counters;
        l2_up += l2->bytes_to_above;
        l2_down += l2->bytes_from_above;
        between[0] += l2->bytes_from_below;
        between[1] += l2->bytes_to_below;
    }
    cr_assert_eq(up, l2_up);
    cr_assert_eq(down, l2_down);
    cr_assert_leq(filled * 32, up + TRACKED(memory, remote_bytes));
    uint64_t read = 0, written = 0;
    for (uint32_t i = 0; i < spec.dram.channels; i++) {
        read += memory->dram[i].bytes_read;
        written += memory->dram[i].bytes_written;
    }
    cr_assert_eq(between[0], read);
    cr_assert_eq(between[1], written);
    wm_memory_free(memory);
}

Test(tracked_memory, loads_that_l1_takes_may_leave_l2_alone)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    spec.levels[WM_LEVEL_L2].load_allocation = WM_L2_TAKES_UNCACHED;
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 0, 3);
    ask(memory, 0, 9, 1, WM_ACCESS_LOAD, WM_HINT_NO_L1);
    uint64_t allocations = 0;
    for (uint32_t i = 0; i < spec.levels[WM_LEVEL_L2].slices; i++)
        allocations += memory->levels[WM_LEVEL_L2].caches[i].counters.allocations;
    cr_assert_eq(allocations, 1, "of the second");
    wm_memory_free(memory);
}

// --- Atomic buffers ---

Test(tracked_memory, atomics_at_one_place_cost_l2_nothing)
{
    struct wm_memory_spec spec = tracked(SMS, SMS);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint32_t n = 0; n < 10; n++)
        ask(memory, n % SMS, 3, 1, WM_ACCESS_ATOMIC, WM_HINT_DEFAULT);
    cr_assert_eq(below(memory), 1, "it is read once");
    // A load of it gets it from L2, where it goes first.
    load(memory, 0, 3);
    uint64_t spills = 0, hits = 0, dirty = 0;
    for (uint32_t i = 0; i < spec.levels[WM_LEVEL_L2].slices; i++) {
        spills += memory->atomic_buffers[i].counters.spills;
        hits += memory->atomic_buffers[i].counters.hits;
        dirty += memory->levels[WM_LEVEL_L2].caches[i].counters.writeback_accesses;
    }
    cr_assert_eq(hits, 9);
    cr_assert_eq(spills, 1);
    cr_assert_eq(dirty, 1);
    // One of another place in the slice takes its room.
    ask(memory, 0, 3, 1, WM_ACCESS_ATOMIC, WM_HINT_DEFAULT);
    ask(memory, 0, 3 + 4, 1, WM_ACCESS_ATOMIC, WM_HINT_DEFAULT);
    uint64_t write_backs = 0;
    for (uint32_t i = 0; i < spec.levels[WM_LEVEL_L2].slices; i++)
        write_backs += memory->atomic_buffers[i].counters.write_backs;
    cr_assert_eq(write_backs, 1);
    // The host sees what is buffered.
    uint64_t written = 0;
    wm_memory_host_read(memory, 0, LINES * LINE);
    for (uint32_t i = 0; i < spec.dram.channels; i++)
        written += memory->dram[i].bytes_written;
    cr_assert_eq(written, 64);
    wm_memory_free(memory);
}
