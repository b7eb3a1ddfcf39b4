// A turn of an SM, in the order of the walk engine (docs/engine-walk.md): a fixed number of warp
// instructions, of the warps that the warp scheduler chooses. Nothing depends on time or threads.
#include "engine/walk/turns.h"
#include "base/containers/array.h"
#include "engine/record/recorder.h"
#include "engine/session/session_state.h"
#include "engine/walk/request_batch.h"

#include <assert.h>

// The warp instructions of an SM's turn are the machine's (gpu.sm.turn). Short turns mix the SMs'
// accesses at L2 as they mix on a GPU; long turns keep the registers of one SM's warps in the
// host's cache. The interpreter alone has no L2 whose order matters: there a turn visits block
// after block of the SM, for many instructions each, so that a block's registers stay in the host's
// caches.
enum { VISIT_INSTRUCTIONS_ALONE = 8192 };

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

void wm_walk_note_ready(const struct wm_launch_state *run, struct wm_sm_residency *sm_residency,
                        uint32_t place)
{
    const struct wm_block *block = sm_residency->places[place].block;
    write_bits(sm_residency->ready, place * run->warps_per_block, run->warps_per_block,
               block->ready);
}

void wm_walk_dispatch(struct wm_session *session, struct wm_launch_state *run)
{
    const struct wm_residency *residency = run->residency;
    if (run->use != NULL && run->given_blocks < run->block_count)
        wm_launch_state_find_room(session, run);
    while (run->given_blocks < run->block_count) {
        int32_t sm = wm_session_choose_sm(session, run);
        if (sm == WM_NO_SM)
            return;
        assert(residency->room[sm] > 0);
        struct wm_block_slot *place = residency->sm_residency[sm].places;
        while (place->taken)
            place++;
        uint64_t index = wm_session_take_block(session, run, (uint32_t)sm);
        *place = (struct wm_block_slot){.taken = true, .index = index};
        run->taken_places++;
        if (run->begun != NULL)
            run->begun[sm]++;
        wm_session_add_block(run, (uint32_t)sm);
    }
}

// Starts the blocks that were given to the SM since its last turn. Not sooner: blocks that finish
// within a turn then use the same few registers' memory over and over, SM after SM.
enum wm_status wm_walk_start_blocks(struct wm_session *session, struct wm_launch_state *run,
                                    uint32_t sm, struct wm_error *error)
{
    struct wm_sm_residency *state = &run->residency->sm_residency[sm];
    for (uint32_t i = 0; i < run->blocks_per_sm; i++) {
        struct wm_block_slot *place = &state->places[i];
        if (!place->taken || place->block != NULL)
            continue;
        WM_TRY(run->work->ops->start_block(run->work, place->index, sm, i, &place->block, error));
        if (session->options.recorder != NULL)
            place->recorded = wm_recorder_block_begin(session->options.recorder, place->block);
        uint32_t first = i * run->warps_per_block;
        for (uint32_t warp = 0; warp < run->warps_per_block; warp++)
            session->warp_scheduler->join(state->scheduler_state, first + warp);
        for (uint32_t warp = 0; state->code_lines != NULL && warp < run->warps_per_block; warp++)
            state->code_lines[first + warp] = WM_NO_CODE_LINE;
        write_bits(state->ready, first, run->warps_per_block, place->block->ready);
        session->sms[run->first_sm + sm].counters.blocks++;
    }
    return WM_OK;
}

static void finish_block(struct wm_session *session, struct wm_launch_state *run, uint32_t sm,
                         struct wm_block_slot *place, struct wm_turn_sums *sums)
{
    if (session->options.recorder != NULL)
        wm_recorder_block_end(session->options.recorder, place->recorded);
    run->work->ops->finish_block(run->work, place->block);
    const struct wm_sm_residency *sm_residency = &run->residency->sm_residency[sm];
    uint32_t first = (uint32_t)(place - sm_residency->places) * run->warps_per_block;
    for (uint32_t warp = 0; warp < run->warps_per_block; warp++)
        session->warp_scheduler->leave(sm_residency->scheduler_state, first + warp);
    *place = (struct wm_block_slot){0};
    wm_session_remove_block(run, sm);
    if (run->begun != NULL)
        run->begun[sm]--;
    sums->finished_blocks++;
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
    struct wm_session *session = context;
    wm_front_end_access(&session->front_end, access);
    wm_recorder_sink.access(session->options.recorder, access);
}

static void record_arrival(void *context, const struct wm_warp_arrival *arrival)
{
    struct wm_session *session = context;
    wm_recorder_sink.arrival(session->options.recorder, arrival);
}

static void record_exit(void *context, uint32_t pc, uint64_t lanes)
{
    struct wm_session *session = context;
    wm_recorder_sink.exit(session->options.recorder, pc, lanes);
}

static void record_cluster(void *context, uint32_t pc, uint64_t lanes, bool waits, bool others)
{
    struct wm_session *session = context;
    wm_recorder_sink.cluster(session->options.recorder, pc, lanes, waits, others);
}

static void record_phase(void *context, const struct wm_warp_phase *phase)
{
    struct wm_session *session = context;
    wm_recorder_sink.phase(session->options.recorder, phase);
}

static void order_fence(void *context, uint32_t pc)
{
    struct wm_session *session = context;
    wm_front_end_fence(&session->front_end, pc);
}

static void record_stretch(void *context, const struct wm_warp_stretch *stretch)
{
    struct wm_session *session = context;
    wm_front_end_execute(&session->front_end, stretch);
    wm_recorder_sink.stretch(session->options.recorder, stretch);
}

// The access sink that the warps report to.
static struct wm_access_sink listener_of(struct wm_session *session, struct wm_front_end *front_end,
                                         const struct wm_sm_residency *state, bool is_core)
{
    if (session->memory == NULL && front_end->batcher == NULL) {
        struct wm_access_sink none = {0}, sink = wm_recorder_sink;
        sink.context = session->options.recorder;
        return session->options.recorder != NULL ? sink : none;
    }
    // Between accesses of warps that run in step no fence would have its place.
    bool regular = wm_front_end_takes_regular(front_end), orders = front_end->orders != NULL;
    if (session->options.recorder == NULL)
        return (struct wm_access_sink){
            .access = is_core && wm_front_end_core_may_hit(front_end) ? wm_front_end_core_access
                                                                      : wm_front_end_access,
            .stretch = state->code_lines != NULL || front_end->machine_slots != NULL
                           ? wm_front_end_execute
                           : NULL,
            .fence = orders ? wm_front_end_fence : NULL,
            .fences = front_end->orders,
            .context = front_end,
            .accepts_strided = regular,
            .access_of_warps = regular && !orders ? wm_front_end_access_of_warps : NULL};
    return (struct wm_access_sink){.access = trace_and_record,
                                   .arrival = record_arrival,
                                   .exit = record_exit,
                                   .cluster = record_cluster,
                                   .phase = record_phase,
                                   .stretch = record_stretch,
                                   .fence = orders ? order_fence : NULL,
                                   .fences = front_end->orders,
                                   .context = session};
}

static void run_warp(struct wm_session *session, struct wm_launch_state *run,
                     struct wm_block_slot *place, uint32_t warp, uint64_t budget,
                     enum wm_run_until until, const struct wm_access_sink *sink,
                     struct wm_run_result *result)
{
    struct wm_recorder *recorder = session->options.recorder;
    if (recorder != NULL)
        wm_recorder_warp_begin(recorder, place->recorded, warp);
    run->work->ops->run(run->work, place->block, warp, budget, until, sink, result);
    if (recorder != NULL)
        wm_recorder_warp_end(recorder);
}

// Whether warps of a block may be run in step. Fetches of code come between their accesses; a turn
// that ends with an access has but one, and a short one may end before.
static bool runs_in_step(const struct wm_session *session, const struct wm_launch_state *run,
                         const struct wm_access_sink *sink)
{
    return run->work->ops->run_in_step != NULL && !run->work->ends_turns &&
           sink->access_of_warps != NULL && sink->stretch == NULL &&
           session->warp_scheduler->stops_at_memory && session->warp_scheduler->ran_up != NULL &&
           !run->sm->turn_ends_at_memory && run->sm->turn_instructions >= WARP_INSTRUCTIONS;
}

// Warps of the SM that have not finished.
static uint32_t count_residents(const struct wm_sm_residency *state,
                                const struct wm_launch_state *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->blocks_per_sm; i++) {
        const struct wm_block *block = state->places[i].block;
        if (block != NULL && !state->places[i].suspended)
            count += (uint32_t)__builtin_popcountll(run->all_warps & ~block->finished);
    }
    return count;
}

static bool is_alone(const struct wm_session *session)
{
    return session->memory == NULL && !session->options.in_order;
}

// Visits a block: its warps have turns in the order of their numbers.
static void visit_block(struct wm_session *session, struct wm_launch_state *run, uint32_t sm,
                        struct wm_block_slot *place, const struct wm_access_sink *sink,
                        struct wm_run_result *result, struct wm_turn_sums *sums)
{
    struct wm_block *block = place->block;
    uint64_t begin = result->warp_instructions, spins = result->spins, before;
    do {
        before = result->warp_instructions;
        for (uint64_t rest = block->ready; rest != 0; rest &= rest - 1)
            run_warp(session, run, place, (uint32_t)__builtin_ctzll(rest), WARP_INSTRUCTIONS,
                     WM_RUN_INSTRUCTIONS, sink, result);
    } while (result->warp_instructions != before && result->spins == spins &&
             result->warp_instructions - begin < VISIT_INSTRUCTIONS_ALONE);
    if (block->finished == run->all_warps)
        finish_block(session, run, sm, place, sums);
}

// A turn of the interpreter alone. Returns whether another may follow at once.
static bool take_turn_alone(struct wm_session *session, struct wm_launch_state *run, uint32_t sm,
                            struct wm_turn_sums *sums)
{
    const struct wm_sm_residency *state = &run->residency->sm_residency[sm];
    struct wm_sm_counters *counters = &session->sms[run->first_sm + sm].counters;
    const struct wm_access_sink sink = listener_of(session, &session->front_end, state, false);
    struct wm_run_result result = {0};
    for (uint32_t i = 0; i < run->blocks_per_sm; i++)
        if (state->places[i].block != NULL && !state->places[i].suspended)
            visit_block(session, run, sm, &state->places[i], &sink, &result, sums);
    counters->warp_instructions += result.warp_instructions;
    counters->thread_instructions += result.thread_instructions;
    sums->executed += result.warp_instructions;
    return result.warp_instructions != 0 && result.spins == 0;
}

// In warp instructions.
static uint64_t turn_of(const struct wm_launch_state *run)
{
    return run->work->ends_turns ? UINT64_MAX : run->sm->turn_instructions;
}

// Where a warp gives way to another within a turn.
static enum wm_run_until stops_at(const struct wm_session *session,
                                  const struct wm_launch_state *run)
{
    bool at_memory = session->warp_scheduler->stops_at_memory || run->sm->turn_ends_at_memory;
    return at_memory ? WM_RUN_MEMORY : WM_RUN_INSTRUCTIONS;
}

static void count_turn(struct wm_session *session, struct wm_session_sm *counted,
                       const struct wm_run_result *result, struct wm_turn_sums *sums)
{
    counted->counters.warp_instructions += result->warp_instructions;
    counted->counters.thread_instructions += result->thread_instructions;
    session->executed += result->warp_instructions;
    session->spins += result->spins;
    sums->executed += result->warp_instructions;
}

// Orders that let warps run in step go from block to block.
static inline void expect_block_behind(const struct wm_sm_residency *state,
                                       const struct wm_launch_state *run, uint32_t place)
{
    uint32_t behind = place + 1 < run->blocks_per_sm ? place + 1 : 0;
    const struct wm_block *block = state->places[behind].block;
    if (block != NULL)
        run->work->ops->expect_in_step(block);
}

// A turn of a CPU core, which has one warp of one lane: as take_turn, but without a warp scheduler,
// which has no choice.
static void take_core_turn(struct wm_session *session, struct wm_launch_state *run,
                           struct wm_front_end *front_end, uint32_t core, struct wm_turn_sums *sums)
{
    struct wm_sm_residency *state = &run->residency->sm_residency[core];
    struct wm_block_slot *place = state->places;
    struct wm_block *block = place->block;
    uint64_t turn = turn_of(run), used, budget;
    enum wm_run_until until = stops_at(session, run);
    const struct wm_access_sink sink = listener_of(session, front_end, state, true);
    struct wm_run_result result = {0};
    if ((state->ready[0] & 1) == 0)
        return;
    front_end->warp = front_end->first_warp = 0;
    front_end->block = run->first_block + place->index;
    front_end->resident_warps = front_end->counts_residents;
    do {
        uint64_t before = result.warp_instructions;
        budget = turn < WARP_INSTRUCTIONS ? turn - before : WARP_INSTRUCTIONS;
        run_warp(session, run, place, 0, budget, until, &sink, &result);
        used = result.warp_instructions - before;
        bool accessed = run->sm->turn_ends_at_memory && used < budget;
        if (used == 0 || accessed)
            break;
    } while (result.warp_instructions < turn && block->ready != 0);
    write_bits(state->ready, 0, 1, block->ready);
    if (block->finished == run->all_warps)
        finish_block(session, run, core, place, sums);
    count_turn(session, &session->sms[run->first_sm + core], &result, sums);
}

// One turn of one SM, in the order of its warp scheduler.
static void take_turn(struct wm_session *session, struct wm_launch_state *run,
                      struct wm_front_end *front_end, uint32_t sm, struct wm_turn_sums *sums)
{
    struct wm_sm_residency *state = &run->residency->sm_residency[sm];
    const struct wm_warp_scheduler_ops *order = session->warp_scheduler;
    uint64_t turn = turn_of(run);
    bool one_access = run->sm->turn_ends_at_memory;
    enum wm_run_until until = stops_at(session, run);
    const struct wm_access_sink sink = listener_of(session, front_end, state, false);
    bool in_step = runs_in_step(session, run, &sink);
    struct wm_run_result result = {0};
    uint64_t begun = 0; // by the next warp, of what it may execute
    bool counts = front_end->counts_residents;
    front_end->resident_warps = counts ? count_residents(state, run) : 0;
    while (result.warp_instructions < turn || begun != 0) {
        int32_t slot = order->pick(state->scheduler_state, state->ready, run->slots);
        if (slot == WM_NO_WARP)
            break;
        uint32_t place_index = (uint32_t)slot / run->warps_per_block;
        uint32_t first = place_index * run->warps_per_block, warp = (uint32_t)slot - first;
        struct wm_block_slot *place = &state->places[place_index];
        struct wm_block *block = place->block;
        front_end->warp = (uint32_t)slot;
        front_end->first_warp = first;
        front_end->block = run->first_block + place->index;
        front_end->missed = false;
        if (in_step && begun == 0) {
            expect_block_behind(state, run, place_index);
            struct wm_step_budget left = {.turn = turn - result.warp_instructions,
                                          .each = WARP_INSTRUCTIONS};
            uint64_t ran =
                run->work->ops->run_in_step(run->work, block, warp, &left, &sink, &result, &begun);
            if (ran != 0) {
                uint32_t last = 63 - (uint32_t)__builtin_clzll(ran);
                order->ran_up(state->scheduler_state, first + last);
                continue;
            }
        }
        uint64_t before = result.warp_instructions;
        // A warp that a turn's end stopped would lag behind the others of its block from then on.
        uint64_t budget = turn < WARP_INSTRUCTIONS ? turn - before : WARP_INSTRUCTIONS - begun;
        begun = 0;
        run_warp(session, run, place, warp, budget, until, &sink, &result);
        uint64_t used = result.warp_instructions - before;
        bool over = used >= budget || (result.warp_instructions >= turn && !front_end->missed);
        order->ran(state->scheduler_state, (uint32_t)slot,
                   stop_of(block, warp, !over, front_end->missed));
        write_bits(state->ready, first, run->warps_per_block, block->ready);
        if (counts && (block->finished >> warp & 1) != 0)
            front_end->resident_warps = count_residents(state, run);
        // It stopped before its budget was used up, and neither waits nor has finished.
        bool accessed = one_access && used < budget && (block->ready >> warp & 1) != 0;
        if (block->finished == run->all_warps)
            finish_block(session, run, sm, place, sums);
        else if (used == 0 && (block->ready >> warp & 1) != 0)
            break; // a fault stopped the grid
        if (accessed)
            break;
    }
    count_turn(session, &session->sms[run->first_sm + sm], &result, sums);
}

bool wm_walk_has_blocks(const struct wm_launch_state *run, uint32_t sm)
{
    if (run->use == NULL)
        return run->residency->room[sm] != run->blocks_per_sm;
    for (uint32_t i = 0; i < run->blocks_per_sm; i++)
        if (run->residency->sm_residency[sm].places[i].taken)
            return true;
    return false;
}

bool wm_walk_take_turn(struct wm_session *session, struct wm_launch_state *run,
                       struct wm_front_end *front_end, uint32_t sm, struct wm_turn_sums *sums)
{
    if (is_alone(session))
        return take_turn_alone(session, run, sm, sums);
    struct wm_session_sm *counted = &session->sms[run->first_sm + sm];
    bool is_core = run->work->gpu == WM_ON_CORES;
    wm_front_end_take_unit(front_end, run->first_sm + sm, is_core);
    front_end->counters = &counted->counters;
    front_end->shared = &counted->shared;
    front_end->machine_code = &counted->machine_code;
    front_end->code_lines = run->residency->sm_residency[sm].code_lines;
    if (is_core && run->slots == 1)
        take_core_turn(session, run, front_end, sm, sums);
    else
        take_turn(session, run, front_end, sm, sums);
    return false;
}
