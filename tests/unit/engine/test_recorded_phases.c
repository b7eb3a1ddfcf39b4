// Waits of recorded warps at mbarriers and at the barrier of their cluster: small recordings, made
// by hand, whose warps are run in another order than the recording's.
#include "base/numbers/random.h"
#include "engine/record/mbarrier_table.h"
#include "engine/replay/recorded_work.h"
#include "small_recording.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

// --- The table, against objects counted lane by lane ---

struct counted {
    int pending, expected, bytes, ended;
};

static void count_lane(struct counted *it, enum wm_phase_operation operation, int operand)
{
    bool expects = operation == WM_PHASE_EXPECT || operation == WM_PHASE_EXPECT_ARRIVE ||
                   operation == WM_PHASE_EXPECT_DROP;
    bool drops = operation == WM_PHASE_DROP || operation == WM_PHASE_EXPECT_DROP;
    if (operation == WM_PHASE_INIT) {
        *it = (struct counted){operand, operand, 0, it->ended};
        return;
    }
    int threads = operation == WM_PHASE_ARRIVE || operation == WM_PHASE_DROP ? operand
                  : operation == WM_PHASE_EXPECT_ARRIVE || operation == WM_PHASE_EXPECT_DROP ? 1
                                                                                             : 0;
    it->bytes += expects ? operand : operation == WM_PHASE_COMPLETE ? -operand : 0;
    it->pending -= threads;
    it->expected -= drops && threads <= it->expected ? threads : 0;
    if (it->pending == 0 && it->bytes == 0) {
        it->pending = it->expected;
        it->ended++;
    }
}

enum { OBJECTS = 300 };

static uint32_t below(struct wm_random *random, uint32_t limit)
{
    return (uint32_t)wm_random_below(random, limit);
}

// Only as many arrive as are expected, as the interpreter has it.
Test(phase_table, counts_as_lanes_one_by_one_do)
{
    static struct counted counted[OBJECTS];
    struct wm_mbarrier_table table = {0};
    struct wm_random random;
    wm_random_init(&random, 7, "phases");
    for (int i = 0; i < 200000; i++) {
        uint32_t object = below(&random, OBJECTS), operand = 1, lanes = 1;
        enum wm_phase_operation operation =
            (enum wm_phase_operation)below(&random, WM_PHASE_CLUSTER_ARRIVE);
        struct counted *it = &counted[object];
        bool expects = operation >= WM_PHASE_EXPECT_ARRIVE;
        if (it->pending == 0)
            operation = WM_PHASE_INIT;
        if (operation == WM_PHASE_INIT)
            operand = 1 + below(&random, 60);
        else if (operation == WM_PHASE_ARRIVE || operation == WM_PHASE_DROP)
            lanes = 1 + below(&random, (uint32_t)it->pending);
        else if (operation == WM_PHASE_EXPECT || expects)
            operand = 4 * below(&random, 4);
        else if (operation == WM_PHASE_COMPLETE)
            operand = it->bytes > 0 ? (uint32_t)it->bytes : 4;
        int before = it->ended;
        for (uint32_t lane = 0; lane < lanes; lane++)
            count_lane(it, operation, (int)operand);
        struct wm_mbarrier_phases *found =
            wm_mbarrier_table_get(&table, (object * 109) % (1 << 15));
        cr_assert_not_null(found);
        cr_assert_eq(wm_mbarrier_phases_operate(found, operation, operand, lanes),
                     it->ended != before);
        cr_assert_eq(wm_mbarrier_table_ended(&table, found->object), (uint64_t)it->ended);
        cr_assert_eq(found->pending, it->pending);
    }
    wm_mbarrier_table_clear(&table);
    cr_assert_eq(wm_mbarrier_table_ended(&table, 109), 0);
    wm_mbarrier_table_release(&table);
}

// Arrivals of a later phase that come too soon count in it; no number is too much.
Test(phase_table, takes_arrivals_in_any_order)
{
    struct wm_mbarrier_table table = {0};
    struct wm_mbarrier_phases *object = wm_mbarrier_table_get(&table, 3);
    wm_mbarrier_phases_operate(object, WM_PHASE_INIT, 4, 1);
    cr_assert(wm_mbarrier_phases_operate(object, WM_PHASE_ARRIVE, 11, 1));
    cr_assert_eq(object->ended, 2);
    cr_assert_eq(object->pending, 1);
    wm_mbarrier_phases_operate(object, WM_PHASE_EXPECT, 5, 1);
    for (int i = 0; i < 1000; i++)
        cr_assert_not(wm_mbarrier_phases_operate(object, WM_PHASE_ARRIVE, UINT32_MAX, 64));
    cr_assert(wm_mbarrier_phases_operate(object, WM_PHASE_COMPLETE, 5, 1));
    cr_assert_eq(object->ended, 2 + 1 + (UINT64_C(1) << 40) / 4);
    cr_assert_eq(wm_mbarrier_table_ended(&table, 4), 0);
    wm_mbarrier_table_release(&table);
}

// --- Recorded warps ---

// Instruction 0 is plain, 1 a test or an arrival (a load of shared memory), 2 one that keeps no
// waits, 3 the exit.
struct replayed {
    char path[SMALL_PATH];
    struct wm_recording recording;
    struct wm_recorded_work work;
    struct wm_block *block;
    struct wm_access_sink sink;
    unsigned accesses;
};

typedef void feed_function(struct wm_recording_block *block);

static void write_recording(const char *path, uint32_t warps, feed_function *feed)
{
    struct wm_recorded_instruction instructions[] = {{.text = "add", .exists = true},
                                                     {.text = "mbarrier.try_wait.b64",
                                                      .exists = true,
                                                      .is_memory = true,
                                                      .keeps_waits = true,
                                                      .space = WM_SPACE_SHARED},
                                                     {.text = "mul", .exists = true},
                                                     {.text = "ret", .exists = true}};
    struct wm_recording_writer *writer = small_recording_begin(path, instructions, 4);
    small_launch_begin(writer, 1, warps, 1);
    struct wm_recording_block *block = small_block_begin(writer, 0);
    feed(block);
    for (uint32_t w = 0; w < warps; w++)
        small_item(&block->warps[w], 3, 1, true);
    wm_recording_block_end(writer, block);
    wm_recording_launch_end(writer, true);
    small_recording_finish(writer);
}

// The plain instruction and the one that does `word` by `lanes`; the latter alone; or the event.
static void add(struct wm_recording_block *block, uint32_t warp, uint32_t first, uint32_t count,
                uint32_t word, uint32_t operand, uint64_t lanes)
{
    uint64_t addresses[LANES] = {0};
    if (first + count > 1 && first <= 1 && count > 0)
        wm_warp_encoder_access(&block->warps[warp], 0,
                               &(struct wm_warp_access){.space = WM_SPACE_SHARED,
                                                        .bytes_per_lane = 8,
                                                        .lanes = LANES,
                                                        .active = UINT32_MAX,
                                                        .addresses = addresses},
                               0);
    wm_warp_encoder_item(&block->warps[warp], &(struct wm_trace_item){.first_pc = first,
                                                                      .count = count,
                                                                      .active = UINT32_MAX,
                                                                      .accesses = WM_TRACE_ONE_EACH,
                                                                      .event = WM_TRACE_PHASE,
                                                                      .barrier = word,
                                                                      .threads = operand,
                                                                      .lanes = lanes});
}

static uint32_t of(enum wm_phase_operation operation, uint32_t object)
{
    return wm_trace_phase_word(operation, object);
}

static void hear(void *context, const struct wm_warp_access *access)
{
    struct replayed *it = context;
    (void)access;
    it->accesses++;
}

static void begin(struct replayed *it, uint32_t warps, feed_function *feed)
{
    struct wm_recorded_event event;
    struct wm_error error;
    bool more;
    *it = (struct replayed){.accesses = 0};
    small_recording_file(it->path);
    write_recording(it->path, warps, feed);
    cr_assert_eq(wm_recording_open(&it->recording, it->path, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_recording_next(&it->recording, &event, &more, &error), WM_OK);
    cr_assert_eq(wm_recorded_work_init(&it->work, &it->recording, 1, &error), WM_OK);
    cr_assert_eq(it->work.work.ops->start_block(&it->work, 0, 0, 0, &it->block, &error), WM_OK);
    it->sink = (struct wm_access_sink){.access = hear, .context = it};
}

static void end(struct replayed *it)
{
    wm_recorded_work_release(&it->work);
    wm_recording_close(&it->recording);
    unlink(it->path);
}

// Warp instructions that it executes with that budget.
static uint64_t run(struct replayed *it, uint32_t warp, uint64_t budget)
{
    struct wm_run_result result = {0};
    it->work.work.ops->run(&it->work, it->block, warp, budget, WM_RUN_INSTRUCTIONS, &it->sink,
                           &result);
    cr_assert_eq(result.thread_instructions, LANES * result.warp_instructions);
    return result.warp_instructions;
}

static bool is_ready(const struct replayed *it, uint32_t warp)
{
    return (it->block->ready >> warp & 1) != 0;
}

static void is_good(const struct replayed *it)
{
    struct wm_error error;
    cr_assert_eq(it->work.work.ops->fault(&it->work, &error), WM_OK, "%s", error.message);
}

// Warp 0 makes two objects for warps 1 and 2, which arrive at one each; warp 0 waits at the first.
static void feed_two(struct wm_recording_block *block)
{
    add(block, 0, 0, 2, of(WM_PHASE_INIT, 8), 32, 1);
    add(block, 0, 1, 0, of(WM_PHASE_INIT, 9), 32, 2);
    add(block, 1, 0, 2, of(WM_PHASE_ARRIVE, 8), 1, UINT32_MAX);
    add(block, 2, 0, 2, of(WM_PHASE_ARRIVE, 9), 1, UINT32_MAX);
    add(block, 0, 0, 2, of(WM_PHASE_TEST_PASSED, 8), 1, UINT32_MAX);
    // And later at both: in lanes of one instruction.
    add(block, 0, 1, 1, of(WM_PHASE_TEST_PASSED, 8), 1, 0xffff);
    add(block, 0, 1, 0, of(WM_PHASE_TEST_PASSED, 9), 2, 0xffff0000);
    add(block, 2, 1, 1, of(WM_PHASE_ARRIVE, 9), 1, UINT32_MAX);
}

Test(recorded_phases, a_warp_looks_again_when_a_phase_ends)
{
    static struct replayed it;
    begin(&it, 3, feed_two);
    cr_assert_eq(run(&it, 0, 2), 2);
    // The instruction before the wait, and one look: without an access.
    cr_assert_eq(run(&it, 0, 100), 2);
    cr_assert(!is_ready(&it, 0) && is_ready(&it, 1));
    cr_assert_eq(it.accesses, 1);
    cr_assert_eq(run(&it, 0, 100), 0);
    // Another object's phase is not the one, but it looks.
    cr_assert_eq(run(&it, 2, 2), 2);
    cr_assert(is_ready(&it, 0));
    cr_assert_eq(run(&it, 0, 100), 1);
    cr_assert(!is_ready(&it, 0));
    // Its own: past the wait, and to the instruction of two objects, of which one is not over.
    cr_assert_eq(run(&it, 1, 2), 2);
    cr_assert_eq(it.accesses, 3);
    cr_assert_eq(run(&it, 0, 100), 2);
    cr_assert_eq(it.accesses, 5);
    uint32_t pc;
    cr_assert(!is_ready(&it, 0) && !it.work.work.ops->next_pc(&it.work, it.block, 0, &pc));
    cr_assert_eq(run(&it, 2, 1), 1);
    cr_assert(is_ready(&it, 0) && it.work.work.ops->next_pc(&it.work, it.block, 0, &pc));
    cr_assert_eq(pc, 3);
    cr_assert_eq(run(&it, 0, 100), 1);
    cr_assert_eq(run(&it, 1, 100), 1);
    cr_assert_eq(run(&it, 2, 100), 1);
    cr_assert_eq(it.block->finished, 7);
    is_good(&it);
    end(&it);
}

// The number of phases is counted over inits.
static void feed_anew(struct wm_recording_block *block)
{
    for (uint32_t round = 1; round <= 3; round++) {
        add(block, 0, 1, 1, of(WM_PHASE_INIT, 0), 2, 1);
        add(block, 0, 1, 1, of(WM_PHASE_EXPECT_ARRIVE, 0), 100, 1);
        add(block, 0, 1, 1, of(WM_PHASE_DROP, 0), 1, 1);
        add(block, 0, 1, 1, of(WM_PHASE_COMPLETE, 0), 50, 3);
    }
    add(block, 1, 1, 1, of(WM_PHASE_TEST_PASSED, 0), 3, UINT32_MAX);
}

Test(recorded_phases, no_init_sets_the_number_back)
{
    static struct replayed it;
    begin(&it, 2, feed_anew);
    for (uint32_t round = 0; round < 3; round++) {
        cr_assert_eq(run(&it, 1, 100), 1);
        cr_assert(!is_ready(&it, 1));
        cr_assert_eq(run(&it, 0, 4), 4);
        cr_assert(is_ready(&it, 1));
    }
    cr_assert_eq(run(&it, 1, 100), 2);
    is_good(&it);
    end(&it);
}

// Who waits for what never comes goes on when all others have ended or wait too.
static void feed_never(struct wm_recording_block *block)
{
    add(block, 0, 1, 1, of(WM_PHASE_TEST_PASSED, 0), 7, UINT32_MAX);
    add(block, 0, 1, 1, of(WM_PHASE_TEST_PASSED, 5), UINT32_MAX, UINT32_MAX);
    add(block, 1, 1, 1, of(WM_PHASE_TEST_PASSED, 0), 1, UINT32_MAX);
}

Test(recorded_phases, nobody_waits_for_ever)
{
    static struct replayed it;
    begin(&it, 2, feed_never);
    cr_assert_eq(run(&it, 0, 100), 1);
    cr_assert(!is_ready(&it, 0));
    // Now all wait: this one looks once in vain too, and both go on; warp 0 as far as its second.
    cr_assert_eq(run(&it, 1, 100), 1);
    cr_assert(is_ready(&it, 0) && is_ready(&it, 1));
    cr_assert_eq(run(&it, 0, 100), 2);
    cr_assert(!is_ready(&it, 0));
    cr_assert_eq(run(&it, 1, 100), 2);
    cr_assert(is_ready(&it, 0));
    cr_assert_eq(run(&it, 0, 100), 2);
    cr_assert_eq(it.block->finished, 3);
    is_good(&it);
    end(&it);
}

// Warp 2 ends without having come to the cluster's barrier; of warp 1 half of the lanes wait while
// the others go on.
static void feed_cluster(struct wm_recording_block *block)
{
    add(block, 0, 1, 1, of(WM_PHASE_CLUSTER_ARRIVE, 0), 0, UINT32_MAX);
    add(block, 0, 1, 1, of(WM_PHASE_CLUSTER_WAIT, 0), 0, UINT32_MAX);
    add(block, 1, 1, 1, of(WM_PHASE_CLUSTER_ARRIVE, 0), 0, 0xffff);
    add(block, 1, 1, 1, of(WM_PHASE_CLUSTER_WAIT_OTHERS, 0), 0, 0xffff);
    add(block, 1, 1, 1, of(WM_PHASE_CLUSTER_ARRIVE, 0), 0, 0xffff0000);
    add(block, 1, 1, 1, of(WM_PHASE_CLUSTER_WAIT, 0), 0, 0xffff0000);
}

Test(recorded_phases, a_cluster_meets)
{
    static struct replayed it;
    begin(&it, 3, feed_cluster);
    cr_assert_eq(run(&it, 0, 100), 2);
    cr_assert(!is_ready(&it, 0));
    cr_assert_eq(run(&it, 1, 100), 4);
    cr_assert(!is_ready(&it, 1) && !is_ready(&it, 0));
    cr_assert_eq(run(&it, 2, 100), 1);
    cr_assert(is_ready(&it, 0) && is_ready(&it, 1));
    cr_assert_eq(run(&it, 0, 100), 1);
    cr_assert_eq(run(&it, 1, 100), 1);
    cr_assert_eq(it.block->finished, 7);
    is_good(&it);
    end(&it);
}

// The next chunk of a block starts afresh: a block that is used again knows nothing of the last.
Test(recorded_phases, a_block_begins_without_phases)
{
    static struct replayed it;
    struct wm_error error;
    begin(&it, 3, feed_two);
    for (int turn = 0; turn < 2; turn++) {
        cr_assert_eq(run(&it, 0, 100), 4);
        cr_assert(!is_ready(&it, 0));
        cr_assert_eq(run(&it, 1, 100), 3);
        cr_assert_eq(run(&it, 2, 100), 4);
        cr_assert_eq(run(&it, 0, 100), 3);
        cr_assert_eq(it.block->finished, 7);
        it.work.work.ops->finish_block(&it.work, it.block);
        cr_assert_eq(it.work.work.ops->start_block(&it.work, 0, 0, 0, &it.block, &error), WM_OK);
    }
    is_good(&it);
    end(&it);
}

static void feed_overlap(struct wm_recording_block *block)
{
    add(block, 0, 1, 1, of(WM_PHASE_ARRIVE, 0), 1, 0xff);
    add(block, 0, 1, 0, of(WM_PHASE_ARRIVE, 1), 1, 0x180);
}

static void feed_nobody(struct wm_recording_block *block)
{
    add(block, 0, 1, 1, of(WM_PHASE_ARRIVE, 0), 1, 0xff);
    add(block, 0, 1, 0, of(WM_PHASE_ARRIVE, 1), 1, 0);
}

static void feed_elsewhere(struct wm_recording_block *block)
{
    add(block, 0, 2, 1, of(WM_PHASE_ARRIVE, 0), 1, 0xff);
}

Test(recorded_phases, damage_is_found)
{
    static feed_function *const feeds[] = {feed_overlap, feed_nobody, feed_elsewhere};
    for (size_t i = 0; i < 3; i++) {
        static struct replayed it;
        struct wm_error error;
        begin(&it, 1, feeds[i]);
        run(&it, 0, 100);
        cr_assert_eq(it.work.work.ops->fault(&it.work, &error), WM_INVALID, "%zu", i);
        cr_assert_not_null(strstr(error.message, "an mbarrier's event breaks the format"));
        end(&it);
    }
}
