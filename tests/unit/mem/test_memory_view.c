// A memory system that is driven through views, SMs and slices in any order of a round, and one
// that serves the queues of another, count what they count by themselves with one access after the
// other: random machines, random traffic, the host and launches in between.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"
#include "mem/system/memory_view.h"
#include "memory_pairs.h"

#include <criterion/criterion.h>
#include <string.h>

// Drawing the machines takes most of the time.
enum { MACHINES = TEST_ROUNDS(60), ROUNDS = 60, TURN = 12, PCS = 6, LINES = 8, VIEWS = 3 };

static const uint8_t listed[PCS] = {1, 0, 0, 1, 0, 0};

// `divided` is driven through views; `follows` by what waits for its slices; `alone` and `other`
// are their likes.
struct quartet {
    struct wm_memory *divided, *alone, *follows, *other;
    struct wm_memory *views[VIEWS], *follower;
    struct wm_slice_queues queues[CHOICE_SMS]; // of SMs that share caches, the first's
    struct wm_instruction_counters of_view[VIEWS][PCS], of_follower[PCS], of_alone[PCS],
        of_other[PCS];
    struct wm_random random;
    uint32_t line_bytes, together;
};

static uint64_t below(struct quartet *t, uint64_t limit)
{
    return wm_random_below(&t->random, limit);
}

static uint32_t draw_lines(struct quartet *t, uint32_t line_bytes, struct wm_line_request *lines)
{
    uint32_t count = 1 + (uint32_t)below(t, LINES), sectors = line_bytes / 32;
    uint32_t all = sectors == 32 ? UINT32_MAX : (UINT32_C(1) << sectors) - 1;
    uint64_t first = below(t, 300);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = (uint32_t)wm_random_u64(&t->random) & all;
        mask = mask != 0 ? mask : 1;
        lines[i] = (struct wm_line_request){.line_address = (first + 7 * i) * line_bytes,
                                            .sectors = mask,
                                            .full_sectors = mask & 5};
    }
    return count;
}

// --- One SM's turn, drawn from a number: the same for each memory system ---

static void access_l1(struct quartet *t, struct wm_memory *memory, uint32_t sm,
                      struct wm_instruction_counters *counters, bool in_runs)
{
    struct wm_line_request lines[LINES];
    uint32_t count = draw_lines(t, t->line_bytes, lines), pc = (uint32_t)below(t, PCS);
    struct wm_request_head head = {.pc = pc,
                                   .sm = sm,
                                   .warp = (uint32_t)below(t, 40),
                                   .count = (uint8_t)count,
                                   .kind = (uint8_t)below(t, WM_ACCESS_REDUCTION + 1),
                                   .hint = (uint8_t)below(t, WM_HINT_NO_L1 + 1)};
    if (in_runs) {
        const struct wm_request_run run = {.heads = &head,
                                           .count = 1,
                                           .line_count = count,
                                           .lines = lines,
                                           .counters_by_pc = counters,
                                           .listed = listed,
                                           .next_sm = (sm + 1) % CHOICE_SMS};
        wm_memory_access_run(memory, &run);
        return;
    }
    const struct wm_request who = {.kind = (enum wm_access_kind)head.kind,
                                   .hint = (enum wm_cache_hint)head.hint,
                                   .sm = sm,
                                   .warp = head.warp,
                                   .pc = pc,
                                   .listed = listed[pc],
                                   .instruction_counters = &counters[pc]};
    wm_memory_access_lines(memory, &who, lines, count);
}

static void access_side_cache(struct quartet *t, struct wm_memory *memory, uint32_t sm,
                              struct wm_instruction_counters *counters)
{
    enum wm_side_cache_kind kind = (enum wm_side_cache_kind)below(t, WM_SIDE_CACHE_KINDS);
    const struct wm_cache_spec *cache = &memory->spec.levels[WM_LEVEL_SIDE + kind].cache;
    uint32_t pc = (uint32_t)below(t, PCS), line_bytes = cache->present ? cache->line_bytes : 32;
    const struct wm_request request = {.address = below(t, 200) * line_bytes,
                                       .sectors = 1,
                                       .sm = sm,
                                       .warp = (uint32_t)below(t, 40),
                                       .pc = pc,
                                       .instruction_counters = &counters[pc]};
    wm_memory_side_load(memory, kind, &request);
}

static void take_turn(struct quartet *t, struct wm_memory *memory, uint32_t sm, uint64_t seed,
                      struct wm_instruction_counters *counters, bool in_runs)
{
    struct wm_random before = t->random;
    wm_random_init(&t->random, seed + sm, "turn");
    for (int i = 0; i < TURN; i++)
        if (below(t, 6) == 0)
            access_side_cache(t, memory, sm, counters);
        else
            access_l1(t, memory, sm, counters, in_runs);
    if (in_runs && memory == t->alone)
        wm_memory_drain_l2_queues(memory);
    t->random = before;
}

// --- A round ---

// 0 to `count` - 1 in any order.
static void shuffle(struct quartet *t, uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t other = i + (uint32_t)below(t, count - i), number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
}

static void run_round(struct quartet *t, uint64_t seed)
{
    uint32_t parts[CHOICE_SMS], slices[1024], count = (CHOICE_SMS + t->together - 1) / t->together;
    bool in_runs = below(t, 2) != 0;
    shuffle(t, parts, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = parts[i] * t->together, view = (uint32_t)below(t, VIEWS);
        wm_slice_queues_clear(&t->queues[first]);
        wm_memory_view_fill(t->views[view], &t->queues[first]);
        for (uint32_t sm = first; sm < first + t->together && sm < CHOICE_SMS; sm++)
            take_turn(t, t->views[view], sm, seed, t->of_view[view], in_runs);
    }
    for (uint32_t sm = 0; sm < CHOICE_SMS; sm++) {
        take_turn(t, t->alone, sm, seed, t->of_alone, false);
        if (t->other != NULL)
            take_turn(t, t->other, sm, seed, t->of_other, false);
    }
    cr_assert_lt(t->queues[0].slices, 1024);
    shuffle(t, slices, t->queues[0].slices);
    for (uint32_t i = 0; i < t->queues[0].slices; i++) {
        wm_memory_view_serve(t->views[below(t, VIEWS)], slices[i], &t->queues[0]);
        if (t->follower != NULL)
            wm_memory_view_serve(t->follower, slices[i], &t->queues[0]);
    }
}

static void begin_views(struct quartet *t)
{
    for (int i = 0; i < VIEWS; i++)
        wm_memory_view_begin(t->views[i], t->divided, t->of_view[i]);
    if (t->follower != NULL)
        wm_memory_view_begin(t->follower, t->follows, t->of_follower);
}

static void end_views(struct quartet *t)
{
    for (int i = 0; i < VIEWS; i++)
        cr_assert_eq(wm_memory_view_end(t->views[i], t->divided, NULL), WM_OK);
    if (t->follower == NULL)
        return;
    cr_assert_eq(wm_memory_view_end(t->follower, t->follows, NULL), WM_OK);
    wm_memory_copy_sm_caches_counters(t->follows, t->divided);
}

static void host(struct quartet *t)
{
    struct wm_memory *all[] = {t->divided, t->alone, t->other, t->follows};
    uint64_t address = below(t, 300 * t->line_bytes), size = below(t, 5000), what = below(t, 3);
    for (int i = 0; i < 4; i++) {
        if (all[i] == NULL)
            continue;
        if (what == 0)
            wm_memory_host_write(all[i], address, size);
        else if (what == 1)
            wm_memory_host_read(all[i], address, size);
        else
            wm_memory_kernel_begin(all[i]);
        if (i == 0 && t->follower != NULL) // before the one that follows does the same
            wm_memory_copy_sm_caches_counters(t->follows, t->divided);
    }
}

// --- Comparing ---

static void compare(const struct wm_memory *one, const struct wm_memory *other)
{
    size_t count, as_many;
    const struct wm_component_counters *got = wm_memory_components(one, &count);
    const struct wm_component_counters *expected = wm_memory_components(other, &as_many);
    cr_assert_eq(count, as_many);
    for (size_t i = 0; i < count; i++)
        for (size_t value = 0; value < got[i].set->count; value++)
            cr_assert_eq(got[i].values[value], expected[i].values[value], "%s %s: %lu, alone %lu",
                         got[i].path, got[i].set->declarations[value].name, got[i].values[value],
                         expected[i].values[value]);
}

static void compare_counters(struct quartet *t)
{
    const size_t words = PCS * (sizeof(struct wm_instruction_counters) / sizeof(uint64_t));
    uint64_t *sums = (uint64_t *)t->of_view[0];
    for (int view = 1; view < VIEWS; view++)
        for (size_t i = 0; i < words; i++)
            sums[i] += ((const uint64_t *)t->of_view[view])[i];
    cr_assert_arr_eq(t->of_view[0], t->of_alone, sizeof t->of_alone);
    for (uint32_t pc = 0; pc < PCS && t->follower != NULL; pc++) {
        struct wm_instruction_counters *it = &t->of_follower[pc];
        for (uint32_t i = 0; i < WM_LEVEL_L2; i++)
            it->levels[i] = t->of_alone[pc].levels[i];
        it->levels[WM_LEVEL_L2].bytes = t->of_alone[pc].levels[WM_LEVEL_L2].bytes;
        cr_assert_arr_eq(it, &t->of_other[pc], sizeof *it);
    }
}

// `follows` NULL: none follows.
static void compare_specs(const struct wm_random *random, const struct wm_memory_spec *spec,
                          const struct wm_memory_spec *follows)
{
    static struct quartet t;
    t = (struct quartet){.random = *random,
                         .line_bytes = spec->levels[WM_LEVEL_L1].cache.line_bytes,
                         .together = wm_memory_sms_together(spec)};
    cr_assert_eq(wm_memory_new(spec, "gpu0", &t.divided, NULL), WM_OK);
    cr_assert_eq(wm_memory_new(spec, "gpu0", &t.alone, NULL), WM_OK);
    for (uint32_t sm = 0; sm < CHOICE_SMS; sm++)
        cr_assert_eq(wm_slice_queues_init(&t.queues[sm], t.divided, NULL), WM_OK);
    for (uint32_t sm = t.together; sm < CHOICE_SMS; sm += t.together)
        wm_slice_queues_link(&t.queues[sm - t.together], &t.queues[sm]);
    for (int i = 0; i < VIEWS; i++)
        cr_assert_eq(wm_memory_view_new(t.divided, &t.views[i], NULL), WM_OK);
    if (follows != NULL) {
        cr_assert_eq(wm_memory_new(follows, "gpu0", &t.follows, NULL), WM_OK);
        cr_assert_eq(wm_memory_new(follows, "gpu0", &t.other, NULL), WM_OK);
        cr_assert_eq(wm_memory_view_new(t.follows, &t.follower, NULL), WM_OK);
    }
    begin_views(&t);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        run_round(&t, wm_random_u64(&t.random));
        if (below(&t, 4) != 0)
            continue;
        end_views(&t);
        host(&t);
        begin_views(&t);
    }
    end_views(&t);
    compare(t.divided, t.alone);
    if (follows != NULL)
        compare(t.follows, t.other);
    compare_counters(&t);
    for (int i = 0; i < VIEWS; i++)
        wm_memory_view_free(t.views[i]);
    wm_memory_view_free(t.follower);
    for (uint32_t sm = 0; sm < CHOICE_SMS; sm++)
        wm_slice_queues_release(&t.queues[sm]);
    struct wm_memory *all[] = {t.divided, t.alone, t.other, t.follows};
    for (int i = 0; i < 4; i++)
        wm_memory_free(all[i]);
}

// --- Tests ---

// Half of them get a level of each SM's between a side cache and L2, which views have too.
static bool put_between(struct wm_random *random, struct wm_memory_spec *spec)
{
    struct wm_memory_spec drawn = *spec;
    struct wm_level_spec *side =
        &drawn.levels[WM_LEVEL_SIDE + wm_random_below(random, WM_SIDE_CACHE_KINDS)];
    struct wm_level_spec *between = &drawn.levels[WM_LEVELS_NAMED];
    if (!side->cache.present || !drawn.levels[WM_LEVEL_L2].cache.present ||
        wm_random_below(random, 2) == 0)
        return false;
    *between = (struct wm_level_spec){.name = "between", .cache = side->cache};
    between->cache.size_bytes *= 4;
    between->units_each = side->units_each;
    between->below = WM_BELOW(WM_LEVEL_L2);
    side->below = WM_BELOW(WM_LEVELS_NAMED);
    if (wm_memory_spec_check(&drawn, NULL) != WM_OK || !wm_memory_can_have_views(&drawn))
        return false;
    *spec = drawn;
    return true;
}

Test(memory_view, views_count_what_one_access_after_the_other_counts)
{
    struct wm_random random;
    wm_random_init(&random, 20261126, "views");
    int made = 0, shared = 0, written_back = 0, without_l2 = 0, seen = 0, between = 0;
    while (made < MACHINES) {
        struct memory_choices choices;
        memory_any(&random, &choices);
        struct wm_memory_spec spec = memory_spec_of(&choices);
        spec.levels[WM_LEVEL_L2].cache.present =
            spec.levels[WM_LEVEL_L2].cache.present && wm_random_below(&random, 8) != 0;
        if (wm_memory_spec_check(&spec, NULL) != WM_OK || !wm_memory_can_have_views(&spec))
            continue;
        between += put_between(&random, &spec);
        compare_specs(&random, &spec, NULL);
        made++;
        shared += wm_memory_sms_together(&spec) > 1;
        written_back += spec.levels[WM_LEVEL_L1].cache.present &&
                        spec.levels[WM_LEVEL_L1].cache.write_policy == WM_WRITE_BACK;
        without_l2 += !spec.levels[WM_LEVEL_L2].cache.present;
        seen += spec.levels[WM_LEVEL_L2].cache.present &&
                wm_replacement_sees_requester(spec.levels[WM_LEVEL_L2].cache.replacement);
    }
    cr_assert(shared > 0 && written_back > 0 && without_l2 > 0 && seen > 0 && between > 0,
              "of %d, %d with shared caches, %d write back, %d without L2, %d see requesters, "
              "%d with a level between",
              made, shared, written_back, without_l2, seen, between);
}

// Whatever lies below the L1s of `upper`.
static bool put_below(struct wm_memory_spec *upper, const struct wm_memory_spec *lower)
{
    upper->levels[WM_LEVEL_L2].cache = lower->levels[WM_LEVEL_L2].cache;
    upper->dram = lower->dram;
    upper->dram.interleave_hash = upper->levels[WM_LEVEL_L2].interleave_hash;
    upper->demand_before_writeback = lower->demand_before_writeback;
    return wm_memory_spec_check(upper, NULL) == WM_OK;
}

// One whose own queues would do for it, and another L2 below its L1s that takes them.
static void draw_pair(struct wm_random *random, struct wm_memory_spec *first,
                      struct wm_memory_spec *second)
{
    struct memory_choices upper, lower;
    bool fits;
    do {
        memory_any(random, &upper);
        *first = memory_spec_of(&upper);
    } while (!wm_memory_same_queues(first, first));
    do {
        memory_any(random, &lower);
        struct wm_memory_spec below_it = memory_spec_of(&lower);
        *second = *first;
        fits = put_below(second, &below_it);
    } while (!fits || !wm_memory_same_queues(first, second));
}

Test(memory_view, slices_that_are_alike_serve_the_queues_of_each_other)
{
    struct wm_random random;
    wm_random_init(&random, 20261122, "queues");
    int made = 0, other_sets = 0, other_lines = 0, not_lru = 0;
    while (made < MACHINES) {
        struct wm_memory_spec first, second;
        draw_pair(&random, &first, &second);
        compare_specs(&random, &first, &second);
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

// A spec that leads itself, with side caches.
static struct wm_memory_spec draw_leader(uint64_t seed)
{
    struct wm_random random;
    wm_random_init(&random, seed, "queues");
    struct memory_choices choices;
    struct wm_memory_spec spec;
    do {
        memory_any(&random, &choices);
        spec = memory_spec_of(&choices);
    } while (!wm_memory_same_queues(&spec, &spec) || !spec.levels[WM_LEVEL_SIDE + 0].cache.present);
    return spec;
}

Test(memory_view, queues_of_other_slices_are_not_taken)
{
    struct wm_memory_spec spec = draw_leader(8);
    struct wm_memory_spec other[7] = {spec, spec, spec, spec, spec, spec, spec};
    other[0].levels[WM_LEVEL_L2].cache.present = false;
    other[1].levels[WM_LEVEL_L2].slices *= 2;
    other[2].levels[WM_LEVEL_L2].interleave_bytes *= 2;
    other[3].levels[WM_LEVEL_L2].cache.line_bytes *= 2;
    other[4].levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_ship;
    other[5].levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_priority;
    other[6].levels[WM_LEVEL_L2].interleave_hash =
        spec.levels[WM_LEVEL_L2].interleave_hash == WM_INTERLEAVE_XOR ? WM_INTERLEAVE_IPOLY
                                                                      : WM_INTERLEAVE_XOR;
    for (int i = 0; i < 7; i++)
        cr_expect_not(wm_memory_same_queues(&spec, &other[i]), "%d", i);
}

Test(memory_view, queues_of_other_caches_are_not_taken)
{
    struct wm_memory_spec spec = draw_leader(7);
    struct wm_memory_spec other[8] = {spec, spec, spec, spec, spec, spec, spec, spec};
    other[0].levels[WM_LEVEL_L1].cache.ways *= 2;
    other[1].levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_BACK;
    other[2].levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_opt;
    other[3].levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE;
    other[4].levels[WM_LEVEL_L1].flush_at_kernel = !spec.levels[WM_LEVEL_L1].flush_at_kernel;
    other[5].tlb.present = true;
    other[6].levels[WM_LEVEL_SIDE + 0].cache.ways *= 2;
    other[7].levels[WM_LEVEL_SIDE + 0].cache.present = false;
    for (int i = 0; i < 8; i++)
        cr_expect_not(wm_memory_same_queues(&spec, &other[i]), "%d", i);
    // What is dirty in L1 comes down when the host or a launch says so, too: not only for an
    // access.
    cr_expect_not(wm_memory_same_queues(&other[1], &other[1]));
    cr_expect_not(wm_memory_same_queues(&other[5], &other[5]));
    cr_expect(wm_memory_can_have_views(&other[1]));
    cr_expect_not(wm_memory_can_have_views(&other[2]));
    cr_expect_not(wm_memory_can_have_views(&other[3]));
    cr_expect_not(wm_memory_can_have_views(&other[5]));
}

Test(memory_view, sms_that_share_any_cache_are_together)
{
    struct wm_memory_spec spec = {
        .levels[WM_LEVEL_L1] = {.cache = {.present = true}, .units_each = 4}};
    cr_expect_eq(wm_memory_sms_together(&spec), 4);
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR] =
        (struct wm_level_spec){.cache = {.present = true}, .units_each = 6};
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].units_each = 5; // there is none
    cr_expect_eq(wm_memory_sms_together(&spec), 12);
    spec.levels[WM_LEVEL_L1].cache.present = false;
    cr_expect_eq(wm_memory_sms_together(&spec), 6);
}
