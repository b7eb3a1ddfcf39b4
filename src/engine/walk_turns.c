// The order of the walk (docs/engine-walk.md): rounds over the SMs; in a round each SM has one turn
// of a fixed number of warp instructions; in a turn the warp order chooses who goes. Blocks that
// finished make room for the next ones between two rounds. Nothing depends on time or threads.
#include "engine/recorder.h"
#include "engine/walk_feed.h"
#include "engine/walk_parts.h"

#include <assert.h>

// The warp instructions of an SM's turn are the machine's (gpu.sm.turn). Short turns mix the SMs'
// accesses at L2 as they mix on a GPU; long turns keep the registers of one SM's warps in the
// host's cache. The interpreter alone has no L2 whose order matters: there a turn visits block
// after block of the SM, for many instructions each, and an SM has several turns in a row as long
// as no warp of it can be waiting for another SM's. So a block's registers stay in the host's
// caches.
enum { VISIT_INSTRUCTIONS_ALONE = 8192, TURNS_ALONE = 64 };

// Of one warp before others have their turns. On a GPU the warps of a block execute side by side, a
// few instructions each in turn, and programs rely on it, knowingly or not: what they leave
// unordered, but further apart than this, comes out as it does there. Shorter turns cost: the
// host's caches hold the registers of one warp, less well of a block's, badly of an SM's.
enum { WARP_INSTRUCTIONS = 256 };

// Writes the low `count` bits (at most 64) of `bits` to the mask from bit `at` on.
static void write_bits(uint64_t *mask, uint32_t at, uint32_t count, uint64_t bits)
{
    uint64_t field = count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
    uint32_t word = at / 64, shift = at % 64;
    mask[word] = (mask[word] & ~(field << shift)) | (bits & field) << shift;
    if (shift + count > 64) {
        uint32_t high = 64 - shift;
        mask[word + 1] = (mask[word + 1] & ~(field >> high)) | (bits & field) >> high;
    }
}

void wm_walk_note_ready(const struct wm_walk_run *run, struct wm_walk_seats *seats, uint32_t place)
{
    const struct wm_block *block = seats->places[place].block;
    write_bits(seats->ready, place * run->warps_per_block, run->warps_per_block, block->ready);
}

void wm_walk_dispatch(struct wm_walk *walk, struct wm_walk_run *run)
{
    const struct wm_walk_seating *seating = run->seating;
    if (run->use != NULL && run->next_block < run->block_count)
        wm_walk_find_room(walk, run);
    while (run->next_block < run->block_count) {
        int32_t sm = wm_walk_place_block(walk, run);
        if (sm == WM_NO_SM)
            return;
        assert(seating->room[sm] > 0);
        struct wm_walk_place *place = seating->seats[sm].places;
        while (place->taken)
            place++;
        *place = (struct wm_walk_place){.taken = true, .index = run->next_block++};
        run->taken_places++;
        if (run->begun != NULL)
            run->begun[sm]++;
        wm_walk_take_room(walk, run, (uint32_t)sm);
    }
}

// Starts the blocks that were given to the SM since its last turn. Not sooner: blocks that finish
// within a turn then use the same few registers' memory over and over, SM after SM.
static enum wm_status start_blocks(struct wm_walk *walk, struct wm_walk_run *run, uint32_t sm,
                                   struct wm_error *error)
{
    struct wm_walk_seats *state = &run->seating->seats[sm];
    for (uint32_t i = 0; i < run->blocks_per_sm; i++) {
        struct wm_walk_place *place = &state->places[i];
        if (!place->taken || place->block != NULL)
            continue;
        WM_TRY(run->work->ops->start_block(run->work, place->index, sm, i, &place->block, error));
        if (walk->options.recorder != NULL)
            place->recorded = wm_recorder_block_begin(walk->options.recorder, place->block);
        uint32_t first = i * run->warps_per_block;
        for (uint32_t warp = 0; warp < run->warps_per_block; warp++)
            walk->warp_order->join(state->order_state, first + warp);
        for (uint32_t warp = 0; state->code_lines != NULL && warp < run->warps_per_block; warp++)
            state->code_lines[first + warp] = WM_WALK_NO_CODE;
        write_bits(state->ready, first, run->warps_per_block, place->block->ready);
        walk->sms[sm].counters.blocks++;
    }
    return WM_OK;
}

static void finish_block(struct wm_walk *walk, struct wm_walk_run *run, uint32_t sm,
                         struct wm_walk_place *place)
{
    if (walk->options.recorder != NULL)
        wm_recorder_block_end(walk->options.recorder, place->recorded);
    run->work->ops->finish_block(run->work, place->block);
    const struct wm_walk_seats *seats = &run->seating->seats[sm];
    uint32_t first = (uint32_t)(place - seats->places) * run->warps_per_block;
    for (uint32_t warp = 0; warp < run->warps_per_block; warp++)
        walk->warp_order->leave(seats->order_state, first + warp);
    *place = (struct wm_walk_place){0};
    wm_walk_leave_room(walk, run, sm);
    run->taken_places--;
    if (run->begun != NULL)
        run->begun[sm]--;
    run->finished_blocks++;
}

static enum wm_warp_stop stop_of(const struct wm_block *block, uint32_t warp, bool budget_left,
                                 bool missed)
{
    if ((block->finished >> warp & 1) != 0)
        return WM_WARP_STOP_FINISHED;
    if ((block->ready >> warp & 1) == 0)
        return WM_WARP_STOP_WAITS;
    if (!budget_left)
        return WM_WARP_STOP_BUDGET;
    return missed ? WM_WARP_STOP_MISS : WM_WARP_STOP_MEMORY;
}

// Both listeners, for a run that is recorded in the order of a machine.
static void trace_and_record(void *context, const struct wm_warp_access *access)
{
    struct wm_walk *walk = context;
    wm_walk_trace(&walk->tracer, access);
    wm_recorder_listens.access(walk->options.recorder, access);
}

static void record_arrival(void *context, const struct wm_warp_arrival *arrival)
{
    struct wm_walk *walk = context;
    wm_recorder_listens.arrival(walk->options.recorder, arrival);
}

static void record_exit(void *context, uint32_t pc, uint64_t lanes)
{
    struct wm_walk *walk = context;
    wm_recorder_listens.exit(walk->options.recorder, pc, lanes);
}

static void record_cluster(void *context, uint32_t pc, uint64_t lanes, bool waits, bool others)
{
    struct wm_walk *walk = context;
    wm_recorder_listens.cluster(walk->options.recorder, pc, lanes, waits, others);
}

static void record_phase(void *context, const struct wm_warp_phase *phase)
{
    struct wm_walk *walk = context;
    wm_recorder_listens.phase(walk->options.recorder, phase);
}

static void record_stretch(void *context, const struct wm_warp_stretch *stretch)
{
    struct wm_walk *walk = context;
    if (walk->tracer.code_lines != NULL)
        wm_walk_fetch(&walk->tracer, stretch);
    wm_recorder_listens.stretch(walk->options.recorder, stretch);
}

// Who is told of what the warps do.
static struct wm_access_sink listener_of(struct wm_walk *walk, const struct wm_walk_seats *state)
{
    if (walk->memory == NULL && walk->tracer.feed == NULL) {
        struct wm_access_sink none = {0}, sink = wm_recorder_listens;
        sink.context = walk->options.recorder;
        return walk->options.recorder != NULL ? sink : none;
    }
    bool regular = wm_walk_takes_regular(&walk->tracer);
    if (walk->options.recorder == NULL)
        return (struct wm_access_sink){.access = wm_walk_trace,
                                       .stretch = state->code_lines != NULL ? wm_walk_fetch : NULL,
                                       .context = &walk->tracer,
                                       .takes_regular = regular,
                                       .together = regular ? wm_walk_trace_together : NULL};
    return (struct wm_access_sink){.access = trace_and_record,
                                   .arrival = record_arrival,
                                   .exit = record_exit,
                                   .cluster = record_cluster,
                                   .phase = record_phase,
                                   .stretch = record_stretch,
                                   .context = walk};
}

static void run_warp(struct wm_walk *walk, struct wm_walk_run *run, struct wm_walk_place *place,
                     uint32_t warp, uint64_t budget, enum wm_run_until until,
                     const struct wm_access_sink *sink, struct wm_run_result *result)
{
    struct wm_recorder *recorder = walk->options.recorder;
    if (recorder != NULL)
        wm_recorder_warp_begin(recorder, place->recorded, warp);
    run->work->ops->run(run->work, place->block, warp, budget, until, sink, result);
    if (recorder != NULL)
        wm_recorder_warp_end(recorder);
}

// Whether warps of a block may be run in step. Fetches of code come between their accesses; a turn
// that ends with an access has but one, and a short one may end before.
static bool runs_in_step(const struct wm_walk *walk, const struct wm_walk_run *run,
                         const struct wm_access_sink *sink)
{
    return run->work->ops->run_in_step != NULL && sink->together != NULL && sink->stretch == NULL &&
           walk->warp_order->stops_at_memory && walk->warp_order->ran_up != NULL &&
           !walk->machine.sm.turn_ends_at_memory &&
           walk->machine.sm.turn_instructions >= WARP_INSTRUCTIONS;
}

// Warps of the SM that have not finished.
static uint32_t count_residents(const struct wm_walk_seats *state, const struct wm_walk_run *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->blocks_per_sm; i++) {
        const struct wm_block *block = state->places[i].block;
        if (block != NULL && !state->places[i].away)
            count += (uint32_t)__builtin_popcountll(run->all_warps & ~block->finished);
    }
    return count;
}

static bool is_alone(const struct wm_walk *walk)
{
    return walk->memory == NULL && !walk->options.in_order;
}

// Visits a block: its warps have turns in the order of their numbers.
static void visit_block(struct wm_walk *walk, struct wm_walk_run *run, uint32_t sm,
                        struct wm_walk_place *place, const struct wm_access_sink *sink,
                        struct wm_run_result *result)
{
    struct wm_block *block = place->block;
    uint64_t begin = result->warp_instructions, spins = result->spins, before;
    do {
        before = result->warp_instructions;
        for (uint64_t rest = block->ready; rest != 0; rest &= rest - 1)
            run_warp(walk, run, place, (uint32_t)__builtin_ctzll(rest), WARP_INSTRUCTIONS,
                     WM_RUN_INSTRUCTIONS, sink, result);
    } while (result->warp_instructions != before && result->spins == spins &&
             result->warp_instructions - begin < VISIT_INSTRUCTIONS_ALONE);
    if (block->finished == run->all_warps)
        finish_block(walk, run, sm, place);
}

// A turn of the interpreter alone.
static uint64_t take_turn_alone(struct wm_walk *walk, struct wm_walk_run *run, uint32_t sm,
                                bool *again)
{
    const struct wm_walk_seats *state = &run->seating->seats[sm];
    struct wm_sm_counters *counters = &walk->sms[sm].counters;
    const struct wm_access_sink sink = listener_of(walk, state);
    struct wm_run_result result = {0};
    for (uint32_t i = 0; i < run->blocks_per_sm; i++)
        if (state->places[i].block != NULL && !state->places[i].away)
            visit_block(walk, run, sm, &state->places[i], &sink, &result);
    counters->warp_instructions += result.warp_instructions;
    counters->thread_instructions += result.thread_instructions;
    *again = result.warp_instructions != 0 && result.spins == 0;
    return result.warp_instructions;
}

// Orders that let warps run in step go from block to block.
static inline void expect_block_behind(const struct wm_walk_seats *state,
                                       const struct wm_walk_run *run, uint32_t place)
{
    uint32_t behind = place + 1 < run->blocks_per_sm ? place + 1 : 0;
    const struct wm_block *block = state->places[behind].block;
    if (block != NULL)
        run->work->ops->expect_in_step(block);
}

// One turn of one SM, as its warp order wants it. Returns the warp instructions executed.
static uint64_t take_turn(struct wm_walk *walk, struct wm_walk_run *run, uint32_t sm)
{
    struct wm_walk_seats *state = &run->seating->seats[sm];
    struct wm_walk_sm *counted = &walk->sms[sm];
    const struct wm_warp_order_ops *order = walk->warp_order;
    uint64_t turn = walk->machine.sm.turn_instructions;
    bool one_access = walk->machine.sm.turn_ends_at_memory;
    enum wm_run_until until =
        order->stops_at_memory || one_access ? WM_RUN_MEMORY : WM_RUN_INSTRUCTIONS;
    const struct wm_access_sink sink = listener_of(walk, state);
    bool in_step = runs_in_step(walk, run, &sink);
    struct wm_run_result result = {0};
    uint64_t begun = 0; // by the next warp, of what it may execute
    walk->tracer.sm = sm;
    walk->tracer.counters = &counted->counters;
    walk->tracer.shared = &counted->shared;
    walk->tracer.code_lines = state->code_lines;
    bool counts = walk->tracer.counts_residents;
    walk->tracer.resident_warps = counts ? count_residents(state, run) : 0;
    while (result.warp_instructions < turn || begun != 0) {
        int32_t slot = order->pick(state->order_state, state->ready, run->slots);
        if (slot == WM_NO_WARP)
            break;
        uint32_t place_index = (uint32_t)slot / run->warps_per_block;
        uint32_t first = place_index * run->warps_per_block, warp = (uint32_t)slot - first;
        struct wm_walk_place *place = &state->places[place_index];
        struct wm_block *block = place->block;
        walk->tracer.warp = (uint32_t)slot;
        walk->tracer.first_warp = first;
        walk->tracer.block = run->first_block + place->index;
        walk->tracer.missed = false;
        if (in_step && begun == 0) {
            expect_block_behind(state, run, place_index);
            struct wm_step_budget left = {.turn = turn - result.warp_instructions,
                                          .each = WARP_INSTRUCTIONS};
            uint64_t ran =
                run->work->ops->run_in_step(run->work, block, warp, &left, &sink, &result, &begun);
            if (ran != 0) {
                uint32_t last = 63 - (uint32_t)__builtin_clzll(ran);
                order->ran_up(state->order_state, first + last);
                continue;
            }
        }
        uint64_t before = result.warp_instructions;
        // A warp that a turn's end stopped would lag behind the others of its block from then on.
        uint64_t budget = turn < WARP_INSTRUCTIONS ? turn - before : WARP_INSTRUCTIONS - begun;
        begun = 0;
        run_warp(walk, run, place, warp, budget, until, &sink, &result);
        uint64_t used = result.warp_instructions - before;
        bool over = used >= budget || (result.warp_instructions >= turn && !walk->tracer.missed);
        order->ran(state->order_state, (uint32_t)slot,
                   stop_of(block, warp, !over, walk->tracer.missed));
        write_bits(state->ready, first, run->warps_per_block, block->ready);
        if (counts && (block->finished >> warp & 1) != 0)
            walk->tracer.resident_warps = count_residents(state, run);
        // It stopped before its budget was used up, and neither waits nor has finished.
        bool accessed = one_access && used < budget && (block->ready >> warp & 1) != 0;
        if (block->finished == run->all_warps)
            finish_block(walk, run, sm, place);
        else if (used == 0 && (block->ready >> warp & 1) != 0)
            break; // a fault stopped the grid
        if (accessed)
            break;
    }
    counted->counters.warp_instructions += result.warp_instructions;
    counted->counters.thread_instructions += result.thread_instructions;
    return result.warp_instructions;
}

// Nothing ran in a whole round and blocks are unfinished: every live warp waits.
static enum wm_status report_deadlock(struct wm_walk *walk, struct wm_walk_run *run,
                                      struct wm_error *error)
{
    uint32_t count = 0, most = walk->machine.sm.count * run->blocks_per_sm;
    struct wm_block **blocks = calloc(most, sizeof *blocks);
    if (blocks == NULL)
        return wm_fail(error, WM_NO_MEMORY, "out of memory");
    for (uint32_t sm = 0; sm < walk->machine.sm.count; sm++)
        for (uint32_t i = 0; i < run->blocks_per_sm; i++)
            if (run->seating->seats[sm].places[i].block != NULL)
                blocks[count++] = run->seating->seats[sm].places[i].block;
    enum wm_status status = run->work->ops->deadlock(run->work, blocks, count, error);
    free(blocks);
    return status;
}

static enum wm_status check_limit(struct wm_run_limit *limit, uint64_t executed,
                                  struct wm_error *error)
{
    limit->instructions += executed;
    return wm_run_limit_check(limit, limit->turns++ % WM_RUN_LIMIT_TURNS == 0, error);
}

static bool has_blocks(const struct wm_walk_run *run, uint32_t sm)
{
    if (run->use == NULL)
        return run->seating->room[sm] != run->blocks_per_sm;
    for (uint32_t i = 0; i < run->blocks_per_sm; i++)
        if (run->seating->seats[sm].places[i].taken)
            return true;
    return false;
}

static enum wm_status run_round(struct wm_walk *walk, struct wm_walk_run *run,
                                struct wm_error *error)
{
    const struct wm_walk_options *options = &walk->options;
    uint64_t executed = 0, finished = run->finished_blocks;
    if (run->use == NULL)
        wm_walk_dispatch(walk, run);
    bool any = run->taken_places != run->away_count; // what waits for others' end will go on
    for (uint32_t sm = 0; sm < walk->machine.sm.count; sm++) {
        if (!has_blocks(run, sm))
            continue;
        WM_TRY(start_blocks(walk, run, sm, error));
        bool again = is_alone(walk);
        for (int turns = 0; turns == 0 || (again && turns < TURNS_ALONE); turns++) {
            uint64_t turn =
                again ? take_turn_alone(walk, run, sm, &again) : take_turn(walk, run, sm);
            executed += turn;
            WM_TRY(run->work->ops->fault(run->work, error));
            if (wm_run_limit_is_set(&walk->limit))
                WM_TRY(check_limit(&walk->limit, turn, error));
            if (walk->tracer.feed != NULL && walk->tracer.feed->stopped)
                return wm_fail(error, WM_INVALID, "another machine of the replay failed");
            if (options->between_turns != NULL) {
                wm_walk_queue_serve(&walk->queue);
                options->between_turns(options->context);
            }
        }
    }
    // One whose blocks wait for room beside others' has none yet.
    return any && executed == 0 && finished == run->finished_blocks
               ? report_deadlock(walk, run, error)
               : WM_OK;
}

enum wm_status wm_walk_run_round(struct wm_walk *walk, struct wm_walk_run *run,
                                 struct wm_error *error)
{
    wm_walk_queue_begin(&walk->queue);
    enum wm_status status = run_round(walk, run, error);
    wm_walk_queue_end(&walk->queue);
    return status;
}

static enum wm_status run_rounds(struct wm_walk *walk, struct wm_walk_run *run,
                                 struct wm_progress *progress, struct wm_error *error)
{
    while (run->finished_blocks < run->block_count) {
        WM_TRY(run_round(walk, run, error));
        if (progress != NULL)
            wm_progress_update(progress, run->finished_blocks);
    }
    return WM_OK;
}

enum wm_status wm_walk_run_work(struct wm_walk *walk, struct wm_walk_run *run,
                                struct wm_progress *progress, struct wm_error *error)
{
    wm_walk_queue_begin(&walk->queue);
    enum wm_status status = run_rounds(walk, run, progress, error);
    wm_walk_queue_end(&walk->queue);
    return status;
}
