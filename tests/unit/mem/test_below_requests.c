// A memory system that serves another's requests, below L1s that are the same, counts what it would
// count by itself: random machines, random traffic, the host and launches in between.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/system/below_requests.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"
#include "memory_pairs.h"

#include <criterion/criterion.h>
#include <string.h>

// Drawing the machines takes most of the time.
enum { MACHINES = TEST_ROUNDS(60), STEPS = 600, PCS = 6, LINES = 8 };

// The leader, one that takes its requests, and one with the same spec as that one, alone.
struct trio {
    struct wm_memory *leads, *follows, *alone;
    bool by_rows; // the one that follows takes rows instead of requests
    struct wm_below_requests requests;
    struct wm_slice_batches rows;
    struct wm_instruction_counters counters_by_pc[3][PCS];
    struct wm_random random;
    uint32_t line_bytes;
};

static uint64_t below(struct trio *trio, uint64_t limit)
{
    return wm_random_below(&trio->random, limit);
}

static uint32_t draw_lines(struct trio *trio, struct wm_line_request lines[LINES])
{
    uint32_t count = 1 + (uint32_t)below(trio, LINES), sectors = trio->line_bytes / 32;
    uint64_t first = below(trio, 300);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t all = sectors == 32 ? UINT32_MAX : (UINT32_C(1) << sectors) - 1;
        uint32_t mask = (uint32_t)wm_random_u64(&trio->random) & all;
        mask = mask != 0 ? mask : 1;
        lines[i] = (struct wm_line_request){.line_address = (first + 7 * i) * trio->line_bytes,
                                            .sectors = mask,
                                            .full_sectors = mask & 5};
    }
    return count;
}

// The same in a run, whose requests wait for their slices until they are served.
static void lead_run(struct trio *trio, const struct wm_request *who,
                     const struct wm_line_request *lines, uint32_t count)
{
    static const uint8_t listed[PCS] = {1, 0, 0, 1, 0, 0}; // as in access
    const struct wm_request_head head = {.pc = who->pc,
                                         .sm = who->sm,
                                         .warp = who->warp,
                                         .count = (uint8_t)count,
                                         .kind = (uint8_t)who->kind,
                                         .hint = (uint8_t)who->hint};
    const struct wm_request_run run = {.heads = &head,
                                       .count = 1,
                                       .line_count = count,
                                       .lines = lines,
                                       .counters_by_pc = trio->counters_by_pc[0],
                                       .listed = listed,
                                       .next_sm = (uint32_t)below(trio, CHOICE_SMS)};
    wm_memory_record_slice_batches(trio->leads, &trio->rows, trio->counters_by_pc[0]);
    wm_memory_access_run(trio->leads, &run);
}

static void access(struct trio *trio)
{
    struct wm_line_request lines[LINES];
    uint32_t count = draw_lines(trio, lines), pc = (uint32_t)below(trio, PCS);
    struct wm_request who = {
        .kind = (enum wm_access_kind)below(trio, WM_ACCESS_REDUCTION + 1),
        .hint = (enum wm_cache_hint)below(trio, WM_HINT_NO_L1 + 1),
        .sm = (uint32_t)below(trio, CHOICE_SMS),
        .warp = (uint32_t)below(trio, 40),
        .pc = pc,
        .listed = pc % 3 == 0,
    };
    struct wm_request led = who, alone = who;
    led.instruction_counters = &trio->counters_by_pc[0][pc];
    alone.instruction_counters = &trio->counters_by_pc[2][pc];
    wm_memory_access_lines(trio->alone, &alone, lines, count);
    if (trio->by_rows) {
        lead_run(trio, &led, lines, count);
        return;
    }
    wm_memory_record_below_requests(trio->leads, &trio->requests);
    wm_memory_access_lines(trio->leads, &led, lines, count);
    wm_memory_record_below_requests(trio->leads, NULL);
}

static void serve_slice_batches(struct trio *trio)
{
    wm_memory_drain_l2_queues(trio->leads);
    wm_memory_record_slice_batches(trio->leads, NULL, NULL);
    cr_assert_not(trio->rows.failed);
    wm_memory_serve_slice_batches(trio->follows, &trio->rows, 0, trio->rows.count,
                                  trio->counters_by_pc[1]);
    trio->rows.count = trio->rows.entry_count = 0;
}

static void serve(struct trio *trio)
{
    if (trio->by_rows) {
        serve_slice_batches(trio);
        return;
    }
    cr_assert_not(trio->requests.failed);
    wm_memory_serve_below_requests(trio->follows, trio->requests.requests, trio->requests.count,
                                   trio->counters_by_pc[1]);
    wm_memory_drain_l2_queues(trio->follows);
    trio->requests.count = 0;
}

// The requests of what went before are served before the host or a kernel comes.
static void host(struct trio *trio)
{
    struct wm_memory *all[] = {trio->leads, trio->follows, trio->alone};
    uint64_t address = below(trio, 300 * trio->line_bytes), size = below(trio, 5000);
    uint64_t what = below(trio, 3);
    serve(trio);
    for (int i = 0; i < 3; i++) {
        if (what == 0)
            wm_memory_host_write(all[i], address, size);
        else if (what == 1)
            wm_memory_host_read(all[i], address, size);
        else
            wm_memory_kernel_begin(all[i]);
    }
}

static void compare(struct trio *trio)
{
    struct wm_cache_counters saved[CHOICE_SMS];
    cr_assert_leq(wm_memory_l1_count(trio->leads), CHOICE_SMS);
    wm_memory_save_l1_counters(trio->leads, saved);
    wm_memory_load_l1_counters(trio->follows, saved);
    size_t count, as_many;
    const struct wm_component_counters *got = wm_memory_components(trio->follows, &count);
    const struct wm_component_counters *expected = wm_memory_components(trio->alone, &as_many);
    cr_assert_eq(count, as_many);
    for (size_t i = 0; i < count; i++)
        for (size_t value = 0; value < got[i].set->count; value++)
            cr_assert_eq(got[i].values[value], expected[i].values[value], "%s %s: %lu, alone %lu",
                         got[i].path, got[i].set->declarations[value].name, got[i].values[value],
                         expected[i].values[value]);
    for (uint32_t pc = 0; pc < PCS; pc++) {
        trio->counters_by_pc[1][pc].levels[WM_LEVEL_L1].hits =
            trio->counters_by_pc[0][pc].levels[WM_LEVEL_L1].hits;
        trio->counters_by_pc[1][pc].levels[WM_LEVEL_L1].misses =
            trio->counters_by_pc[0][pc].levels[WM_LEVEL_L1].misses;
        cr_assert_arr_eq(&trio->counters_by_pc[1][pc], &trio->counters_by_pc[2][pc],
                         sizeof trio->counters_by_pc[0][pc]);
    }
}

static void run(struct trio *trio)
{
    for (int step = 0; step < STEPS; step++) {
        if (below(trio, 30) == 0)
            host(trio);
        else
            access(trio);
    }
    serve(trio);
    compare(trio);
}

// Whatever lies below the L1s of `upper`.
static bool put_below(struct wm_memory_spec *upper, const struct wm_memory_spec *lower)
{
    upper->levels[WM_LEVEL_L2].cache = lower->levels[WM_LEVEL_L2].cache;
    upper->levels[WM_LEVEL_L2].slices = lower->levels[WM_LEVEL_L2].slices;
    upper->levels[WM_LEVEL_L2].interleave_bytes = lower->levels[WM_LEVEL_L2].interleave_bytes;
    upper->dram = lower->dram;
    upper->demand_before_writeback = lower->demand_before_writeback;
    return wm_memory_spec_check(upper, NULL) == WM_OK && !wm_memory_needs_full(upper);
}

// What follows, serves what `first` leads with, and counts as it does alone.
static void compare_specs(const struct wm_random *random, const struct wm_memory_spec *first,
                          const struct wm_memory_spec *second, bool by_rows)
{
    static struct trio trio;
    trio = (struct trio){.random = *random,
                         .line_bytes = first->levels[WM_LEVEL_L1].cache.line_bytes,
                         .by_rows = by_rows};
    cr_assert_eq(wm_memory_new(first, "gpu0", &trio.leads, NULL), WM_OK);
    cr_assert_eq(wm_memory_new(second, "gpu0", &trio.follows, NULL), WM_OK);
    cr_assert_eq(wm_memory_new(second, "gpu0", &trio.alone, NULL), WM_OK);
    run(&trio);
    wm_memory_free(trio.leads);
    wm_memory_free(trio.follows);
    wm_memory_free(trio.alone);
    wm_below_requests_release(&trio.requests);
    wm_slice_batches_release(&trio.rows);
}

Test(below_requests, those_of_equal_l1s_serve_for_each_other)
{
    struct wm_random random;
    wm_random_init(&random, 20261121, "requests");
    int made = 0, without_l2 = 0, cut = 0;
    while (made < MACHINES) {
        struct memory_choices upper, lower;
        memory_any(&random, &upper);
        memory_any(&random, &lower);
        struct wm_memory_spec first = memory_spec_of(&upper), second = first;
        const struct wm_memory_spec below_it = memory_spec_of(&lower);
        bool fits = put_below(&second, &below_it);
        if (fits && wm_random_below(&random, 8) == 0) {
            second.levels[WM_LEVEL_L2].cache.present = false;
            fits = wm_memory_spec_check(&second, NULL) == WM_OK;
        }
        if (!fits || !wm_memory_same_l1s(&first, &second))
            continue;
        compare_specs(&random, &first, &second, false);
        made++;
        without_l2 += !second.levels[WM_LEVEL_L2].cache.present;
        cut += second.levels[WM_LEVEL_L2].cache.present &&
               second.levels[WM_LEVEL_L2].cache.line_bytes <
                   second.levels[WM_LEVEL_L1].cache.line_bytes;
    }
    cr_assert(without_l2 > 0 && cut > 0, "%d without L2, %d of shorter lines", without_l2, cut);
}

// One whose own rows would do for it, and another L2 below its L1s that takes them.
static void draw_pair(struct wm_random *random, struct wm_memory_spec *first,
                      struct wm_memory_spec *second)
{
    struct memory_choices upper, lower;
    bool fits;
    do {
        memory_any(random, &upper);
        *first = memory_spec_of(&upper);
    } while (!wm_memory_same_l1s(first, first) || !first->levels[WM_LEVEL_L2].cache.present);
    do {
        memory_any(random, &lower);
        struct wm_memory_spec below_it = memory_spec_of(&lower);
        below_it.levels[WM_LEVEL_L2].slices = first->levels[WM_LEVEL_L2].slices;
        below_it.levels[WM_LEVEL_L2].interleave_bytes = first->levels[WM_LEVEL_L2].interleave_bytes;
        *second = *first;
        fits = put_below(second, &below_it);
    } while (!fits || !wm_memory_same_slice_batches(first, second));
}

Test(below_requests, slices_that_are_alike_serve_rows_for_each_other)
{
    struct wm_random random;
    wm_random_init(&random, 20261122, "rows");
    int made = 0, other_sets = 0, other_lines = 0, not_lru = 0;
    while (made < MACHINES) {
        struct wm_memory_spec first, second;
        draw_pair(&random, &first, &second);
        compare_specs(&random, &first, &second, true);
        made++;
        other_sets +=
            first.levels[WM_LEVEL_L2].cache.size_bytes / first.levels[WM_LEVEL_L2].cache.ways !=
            second.levels[WM_LEVEL_L2].cache.size_bytes / second.levels[WM_LEVEL_L2].cache.ways;
        other_lines += first.levels[WM_LEVEL_L1].cache.line_bytes !=
                       second.levels[WM_LEVEL_L2].cache.line_bytes;
        not_lru += second.levels[WM_LEVEL_L2].cache.replacement != &wm_replacement_lru;
    }
    cr_assert(other_sets > 0 && other_sets < made && other_lines > 0 && not_lru > 0,
              "of %d, %d of other sets, %d of other lines, %d not under LRU", made, other_sets,
              other_lines, not_lru);
}

Test(below_requests, rows_of_other_slices_are_not_taken)
{
    struct wm_random random;
    wm_random_init(&random, 8, "rows");
    struct memory_choices choices;
    struct wm_memory_spec spec;
    do {
        memory_any(&random, &choices);
        spec = memory_spec_of(&choices);
    } while (!wm_memory_same_slice_batches(&spec, &spec));
    struct wm_memory_spec other[6] = {spec, spec, spec, spec, spec, spec};
    other[0].levels[WM_LEVEL_L2].cache.present = false;
    other[1].levels[WM_LEVEL_L2].slices *= 2;
    other[2].levels[WM_LEVEL_L2].interleave_bytes *= 2;
    other[3].levels[WM_LEVEL_L2].cache.line_bytes *= 2;
    other[4].levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_ship;
    other[5].levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_priority;
    for (int i = 0; i < 6; i++)
        cr_expect_not(wm_memory_same_slice_batches(&spec, &other[i]), "%d", i);
}

Test(below_requests, other_l1s_do_not)
{
    struct wm_random random;
    wm_random_init(&random, 7, "requests");
    struct memory_choices choices;
    struct wm_memory_spec spec;
    do {
        memory_any(&random, &choices);
        spec = memory_spec_of(&choices);
    } while (!wm_memory_same_l1s(&spec, &spec));
    struct wm_memory_spec other[6] = {spec, spec, spec, spec, spec, spec};
    other[0].levels[WM_LEVEL_L1].cache.ways *= 2;
    other[1].levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_BACK;
    other[2].levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_opt;
    other[3].levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE;
    other[4].levels[WM_LEVEL_L1].flush_at_kernel = !spec.levels[WM_LEVEL_L1].flush_at_kernel;
    other[5].tlb.present = true;
    for (int i = 0; i < 6; i++)
        cr_expect_not(wm_memory_same_l1s(&spec, &other[i]), "%d", i);
    // What is dirty in L1 comes down when the host or a launch says so, too: not only for an
    // access.
    cr_expect_not(wm_memory_same_l1s(&other[1], &other[1]));
    cr_expect_not(wm_memory_same_l1s(&other[5], &other[5]));
}
