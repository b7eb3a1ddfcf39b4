// Races against a model that remembers every access: two are a race when they touch the same byte
// in the same interval between barriers of the whole block, from different warps, and one writes.
#include "base/numbers/random.h"
#include "engine/check/checker_state.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 4, LANES = 32, BYTES = 256, STEPS = 60 };

static const struct {
    const char *text;
    enum wm_access_kind kind;
    bool is_plain; // touches no memory
} codes[] = {
    {"ld.shared.u32", WM_ACCESS_LOAD, false},
    {"st.shared.u32", WM_ACCESS_STORE, false},
    {"atom.shared.add.u32", WM_ACCESS_ATOMIC, false},
    {"ld.volatile.shared.u32", WM_ACCESS_LOAD, false},
    {"atom.shared.cas.b32", WM_ACCESS_ATOMIC, false},
    {"st.volatile.shared.u32", WM_ACCESS_STORE, false},
    {"membar.cta", WM_ACCESS_LOAD, true},
    {"add.s32", WM_ACCESS_LOAD, true},
    {"atom.shared.add.u32", WM_ACCESS_ATOMIC, false}, // behind the fence
    {"bra", WM_ACCESS_LOAD, true},
    {"ld.relaxed.cta.shared.u32", WM_ACCESS_LOAD, false},
    {"setp.eq.u32", WM_ACCESS_LOAD, true},
    {"fence.acq_rel.cta", WM_ACCESS_LOAD, true},
    {"fence.proxy.async", WM_ACCESS_LOAD, true},
    {"ld.relaxed.cta.shared.u32", WM_ACCESS_LOAD, false}, // behind no fence, and before none
};
enum { LOAD, STORE, ADD, VOLATILE_LOAD, SWAP, VOLATILE_STORE };
enum { FENCED_ADD = 8, FENCED_LOAD = 10, LOOSE_LOAD = 14, CODES };

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    (void)work;
    *facts = (struct wm_instruction_facts){.exists = true,
                                           .is_memory = !codes[pc].is_plain,
                                           .kind = codes[pc].kind,
                                           .ptx_line = pc + 1};
    if (text)
        wm_text_add(text, codes[pc].text);
}

static const struct wm_work_ops ops = {.describe = describe};
static struct wm_work inner = {.ops = &ops,
                               .kernel = "kernel",
                               .module = "module",
                               .instruction_count = CODES,
                               .grid = {1, 1, 1},
                               .block = {WARPS * LANES, 1, 1},
                               .warps_per_block = WARPS};

struct bench {
    struct wm_checker *checker;
    struct wm_checked_launch *launch;
    struct wm_block public;
    struct wm_check_block block;
    uint8_t shared[BYTES];
    uint32_t value;
};

static void open_bench(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    cr_assert_eq(wm_checker_new(WM_CHECK_RACE, NULL, &bench->checker, NULL), WM_OK);
    bench->launch = wm_checked_launch_new(bench->checker);
    cr_assert_not_null(bench->launch);
    cr_assert_not_null(wm_checked_launch_begin(bench->launch, &inner, 1));
    bench->block.block = &bench->public;
    bench->block.shared = bench->shared;
    bench->block.shared_bytes = BYTES;
    bench->block.warp_count = WARPS;
    bench->block.live_threads = WARPS * LANES;
    cr_assert(wm_races_open(&bench->block));
}

static uint32_t close_bench(struct bench *bench)
{
    uint32_t count;
    wm_checker_findings(bench->checker, &count);
    free(bench->block.cells);
    free(bench->block.clocks);
    wm_checked_launch_free(bench->launch);
    wm_checker_free(bench->checker);
    return count;
}

// One lane's access; a write leaves a value that was never there before.
static void access_shared(struct bench *bench, uint32_t warp, uint32_t code, uint32_t offset,
                          uint32_t bytes)
{
    uint64_t addresses[WM_MAX_LANES] = {offset};
    struct wm_warp_access access = {.kind = codes[code].kind,
                                    .space = WM_SPACE_SHARED,
                                    .pc = code,
                                    .bytes_per_lane = bytes,
                                    .lanes = LANES,
                                    .active = 1,
                                    .addresses = addresses};
    if (codes[code].kind != WM_ACCESS_LOAD) {
        bench->value += 0x01010101; // each byte is new, too
        memcpy(bench->shared + offset, &bench->value, bytes);
    }
    wm_races_access(bench->launch, &bench->block, warp, &access);
}

static void arrive(struct bench *bench, uint32_t warp, uint32_t barrier, uint32_t threads,
                   bool waits)
{
    struct wm_warp_arrival arrival = {
        .barrier = barrier, .threads = threads, .lanes = UINT32_MAX, .waits = waits};
    wm_races_arrival(&bench->block, warp, &arrival);
}

static void all_arrive(struct bench *bench)
{
    for (uint32_t warp = 0; warp < WARPS; warp++)
        arrive(bench, warp, 0, 0, true);
}

Test(check_races, a_barrier_orders)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 0, 4);
    all_arrive(&bench);
    access_shared(&bench, 1, LOAD, 0, 4);
    all_arrive(&bench);
    access_shared(&bench, 2, STORE, 0, 4);
    cr_assert_eq(close_bench(&bench), 0);
}

Test(check_races, each_kind_is_found)
{
    static const struct {
        uint32_t first, second;
        enum wm_check_kind kind;
    } pairs[] = {{STORE, LOAD, WM_FOUND_READ_AFTER_WRITE},
                 {LOAD, STORE, WM_FOUND_WRITE_AFTER_READ},
                 {STORE, STORE, WM_FOUND_WRITE_AFTER_WRITE},
                 {ADD, LOAD, WM_FOUND_READ_AFTER_WRITE},
                 {LOAD, ADD, WM_FOUND_WRITE_AFTER_READ}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct bench bench;
        open_bench(&bench);
        access_shared(&bench, 0, pairs[i].first, 8, 4);
        access_shared(&bench, 3, pairs[i].second, 8, 4);
        uint32_t count;
        const struct wm_check_finding *found = wm_checker_findings(bench.checker, &count);
        cr_assert_eq(count, 1, "pair %zu", i);
        cr_assert_eq(found->kind, pairs[i].kind, "pair %zu", i);
        cr_assert_eq(found->accesses[0].thread[0], 3 * LANES);
        cr_assert_eq(found->accesses[1].ptx_line, pairs[i].first + 1);
        close_bench(&bench);
    }
}

Test(check_races, strong_accesses_and_one_warp_do_not_race)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, ADD, 0, 4);
    access_shared(&bench, 1, ADD, 0, 4);
    access_shared(&bench, 2, VOLATILE_LOAD, 0, 4);
    access_shared(&bench, 3, STORE, 8, 4);
    access_shared(&bench, 3, LOAD, 8, 4);
    cr_assert_eq(close_bench(&bench), 0);
}

Test(check_races, a_lock_orders)
{
    struct bench bench;
    open_bench(&bench);
    for (uint32_t warp = 0; warp < WARPS; warp++) {
        access_shared(&bench, warp, SWAP, 0, 4); // takes it
        access_shared(&bench, warp, LOAD, 4, 4);
        access_shared(&bench, warp, STORE, 4, 4);
        access_shared(&bench, warp, SWAP, 0, 4); // gives it back
    }
    cr_assert_eq(close_bench(&bench), 0);
}

Test(check_races, another_lock_does_not_order)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, SWAP, 0, 4);
    access_shared(&bench, 0, STORE, 4, 4);
    access_shared(&bench, 0, SWAP, 0, 4);
    access_shared(&bench, 1, SWAP, 8, 4);
    access_shared(&bench, 1, LOAD, 4, 4);
    cr_assert_eq(close_bench(&bench), 1);
}

Test(check_races, a_flag_orders)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 4, 4);
    access_shared(&bench, 0, VOLATILE_STORE, 0, 4);
    access_shared(&bench, 1, VOLATILE_LOAD, 0, 4);
    access_shared(&bench, 1, LOAD, 4, 4);
    cr_assert_eq(close_bench(&bench), 0);
}

// Warp 0 writes, counts itself, and warp 1 reads the count and what was written.
static uint32_t count_and_read(uint32_t add, uint32_t load)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 4, 4);
    access_shared(&bench, 0, add, 0, 4);
    access_shared(&bench, 2, ADD, 0, 4); // no fence: adds nothing, and takes nothing away
    access_shared(&bench, 1, load, 0, 4);
    access_shared(&bench, 1, LOAD, 4, 4);
    return close_bench(&bench);
}

Test(check_races, counting_orders_with_fences_on_both_sides)
{
    cr_expect_eq(count_and_read(FENCED_ADD, FENCED_LOAD), 0);
    cr_expect_eq(count_and_read(FENCED_ADD, VOLATILE_LOAD), 0);
    cr_expect_eq(count_and_read(ADD, FENCED_LOAD), 1, "no fence before the atomic");
    cr_expect_eq(count_and_read(FENCED_ADD, LOOSE_LOAD), 1, "no fence behind the load");
    cr_expect_eq(count_and_read(FENCED_ADD, ADD), 1, "no fence behind the atomic");
}

// Tiles of 64 in a block of 1,024 wait and exchange values at 48 addresses.
Test(check_races, fifty_addresses_are_remembered)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 4, 4);
    access_shared(&bench, 0, VOLATILE_STORE, 0, 4);
    for (uint32_t i = 2; i < 50; i++)
        access_shared(&bench, 2, VOLATILE_STORE, 4 * i, 4);
    access_shared(&bench, 1, VOLATILE_LOAD, 0, 4);
    access_shared(&bench, 1, LOAD, 4, 4);
    cr_assert_eq(close_bench(&bench), 0);
}

Test(check_races, a_named_barrier_orders_who_came)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 0, 4);
    arrive(&bench, 0, 1, 2 * LANES, false); // bar.arrive: goes on
    arrive(&bench, 1, 1, 2 * LANES, true);
    access_shared(&bench, 1, LOAD, 0, 4);
    uint32_t count;
    wm_checker_findings(bench.checker, &count);
    cr_assert_eq(count, 0);
    access_shared(&bench, 2, LOAD, 0, 4); // did not come
    cr_assert_eq(close_bench(&bench), 1);
}

Test(check_races, who_arrives_and_goes_on_does_not_know_more)
{
    struct bench bench;
    open_bench(&bench);
    arrive(&bench, 0, 1, 2 * LANES, false);
    access_shared(&bench, 1, STORE, 0, 4);
    arrive(&bench, 1, 1, 2 * LANES, true);
    access_shared(&bench, 0, LOAD, 0, 4);
    cr_assert_eq(close_bench(&bench), 1);
}

Test(check_races, threads_that_ended_are_not_waited_for)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 0, 4);
    arrive(&bench, 0, 0, 0, true);
    arrive(&bench, 1, 0, 0, true);
    arrive(&bench, 2, 0, 0, true);
    wm_races_exit(&bench.block, 3, UINT32_MAX);
    access_shared(&bench, 1, LOAD, 0, 4);
    cr_assert_eq(close_bench(&bench), 0);
}

Test(check_races, bytes_are_told_apart)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 0, 4);
    all_arrive(&bench);
    access_shared(&bench, 0, STORE, 0, 1);
    access_shared(&bench, 1, STORE, 1, 1);
    access_shared(&bench, 2, STORE, 2, 2);
    cr_assert_eq(close_bench(&bench), 0);
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 0, 1);
    access_shared(&bench, 1, LOAD, 0, 4);
    cr_assert_eq(close_bench(&bench), 1);
}

Test(check_races, writing_what_is_there_is_no_race)
{
    struct bench bench;
    open_bench(&bench);
    access_shared(&bench, 0, STORE, 0, 4);
    bench.value -= 0x01010101;
    access_shared(&bench, 1, STORE, 0, 4);
    cr_assert_eq(close_bench(&bench), 0);
}

// ---- Random accesses against the model ---------------------------------------------------------

static struct wm_random stream;
static uint32_t draw(void)
{
    return (uint32_t)(wm_random_u64(&stream) >> 33);
}

struct remembered {
    uint32_t warp, interval;
    bool writes;
};
struct history {
    struct remembered of[STEPS];
    uint32_t count;
};

static bool model_races(struct history *bytes, uint32_t warp, uint32_t interval, bool writes,
                        uint32_t offset, uint32_t width)
{
    bool race = false;
    for (uint32_t at = offset; at < offset + width; at++) {
        struct history *history = &bytes[at];
        for (uint32_t i = 0; i < history->count; i++)
            race |= history->of[i].warp != warp && history->of[i].interval == interval &&
                    (writes || history->of[i].writes);
        history->of[history->count++] = (struct remembered){warp, interval, writes};
    }
    return race;
}

Test(check_races, agrees_with_the_model_on_random_accesses)
{
    unsigned with = 0;
    wm_random_init(&stream, 7, "races");
    for (int round = 0; round < 3000; round++) {
        static struct history bytes[BYTES];
        memset(bytes, 0, sizeof bytes);
        struct bench bench;
        open_bench(&bench);
        bool wanted = false;
        uint32_t interval = 0, barrier_every = 2 + draw() % 12;
        for (int step = 0; step < STEPS && !wanted; step++) {
            if (draw() % barrier_every == 0) {
                all_arrive(&bench);
                interval++;
                continue;
            }
            uint32_t width = 1u << draw() % 3;
            uint32_t offset = draw() % BYTES & ~(width - 1);
            uint32_t code = draw() % 3 == 0 ? STORE : LOAD, warp = draw() % WARPS;
            access_shared(&bench, warp, code, offset, width);
            wanted = model_races(bytes, warp, interval, code == STORE, offset, width);
        }
        with += wanted;
        cr_assert_eq(close_bench(&bench) > 0, wanted, "round %d", round);
    }
    cr_assert(with > 300 && with < 2900, "%u of 3000 rounds raced", with);
}
