// Time: the main loop of the clock engine. Conservative parallel simulation, with the latency of
// the interconnect as lookahead (docs/engine-clock.md, "Islands, links, windows";
// docs/decisions/0005-two-engines-one-session.md).
//
// An island is a part of the machine that runs by itself: an SM with its L1 (or a group of SMs that
// share a tracker), the CPU cores with their caches, or a memory partition, which is a DRAM channel
// with its slices of L2. Islands send packets and credits to each other over the interconnect
// alone.
//
// A window is a stretch of interconnect cycles no longer than a packet takes from one island to
// another. So nothing that is sent within a window arrives in it: each island runs to the window's
// end without the others, on any thread, and then what all sent is handed over in a fixed order.
// Results do not depend on which island ran first. A window begins at the next cycle in which any
// island acts; stretches in which nothing happens are skipped.
#include "engine/clock/clock_state.h"

#include "engine/issue/issue_table.h"
#include "mem/cache/pins.h"
#include "sm/issue/issue_steps.h"

#include <stdlib.h>

enum { RUN_ISLANDS, HAND_OVER }; // steps of a window

// --- Handing over ---

// What an island sent in its last window has been handed over.
static void forget_requests(struct wm_clock_sm *sm)
{
    if (sm->clock->islands[sm->index].sent)
        sm->output.sent_count = sm->responses.sent_count = 0;
}

static void forget_replies(struct wm_partition *partition)
{
    for (uint32_t n = 0; n < partition->slice_count; n++)
        partition->slices[n].output.sent_count = partition->slices[n].input.credit_count = 0;
}

static bool sends(const struct wm_partition *partition)
{
    bool any = false;
    for (uint32_t n = 0; n < partition->slice_count; n++)
        any |= partition->slices[n].output.sent_count != 0 ||
               partition->slices[n].input.credit_count != 0;
    return any;
}

// What is done once for each island that ran, and not for each packet. False when out of memory.
static bool finish_hand_over(struct wm_clock *clock)
{
    const struct wm_island_status *islands = clock->islands;
    bool ok = true;
    for (uint32_t i = 0; i < clock->unit_count + clock->partition_count; i++)
        ok = ok && !islands[i].failed;
    for (uint32_t i = 0; i < clock->tally_count; i++)
        ok = ok && !clock->tallies[i].failed;
    for (uint32_t i = 0; clock->written != NULL && i < clock->partition_count; i++)
        if (islands[clock->unit_count + i].window == clock->windows)
            wm_clock_return_written_rows(clock, clock->partitions[i]);
    return ok;
}

// False when out of memory. With a butterfly its ends have nothing for each other.
static bool hand_over(struct wm_clock *clock, bool alone)
{
    if (clock->network != NULL)
        return wm_clock_network_take(clock) && finish_hand_over(clock);
    if (clock->mailboxes == NULL)
        wm_clock_hand_over(clock);
    else if (alone)
        for (uint32_t share = 0; share < wm_thread_team_threads(clock->team); share++)
            wm_clock_deliver(clock, share, 0);
    else
        wm_thread_team_run(clock->team, HAND_OVER);
    return finish_hand_over(clock);
}

// --- Windows ---

static uint64_t next_of_all(const struct wm_clock *clock)
{
    uint64_t next = clock->network != NULL ? wm_clock_network_next(clock) : WM_NEVER;
    if (clock->coherent != NULL)
        next = wm_earlier(next, wm_clock_coherent_next(clock));
    for (uint32_t i = 0; i < clock->unit_count + clock->partition_count; i++)
        next = wm_earlier(next, clock->islands[i].next);
    return next;
}

void wm_clock_run_partition(struct wm_clock *clock, uint32_t index, uint64_t end, uint32_t thread)
{
    struct wm_partition *partition = clock->partitions[index];
    struct wm_island_status *island = &clock->islands[clock->unit_count + index];
    partition->island.counters_by_pc = clock->tallies[thread].counters_by_pc;
    if (island->sent)
        forget_replies(partition);
    if (__builtin_expect(clock->coherent != NULL, false)) {
        island->failed |= !wm_clock_coherent_run_packets(clock, index, end - 1, &island->next);
    } else {
        island->failed |= !wm_partition_run(partition, end);
        island->next = wm_partition_next(partition);
    }
    island->window = clock->windows;
    island->sent = sends(partition);
    if (island->sent && clock->mailboxes != NULL)
        wm_clock_post_replies(clock, partition, thread);
}

static void post_requests(const struct wm_clock_sm *sm, uint32_t thread)
{
    if (sm->clock->mailboxes != NULL && sm->clock->islands[sm->index].sent)
        wm_clock_post_requests(sm->clock, sm, thread);
}

static void run_group(struct wm_clock *clock, uint32_t group, uint64_t end, uint32_t thread)
{
    uint32_t count;
    struct wm_clock_sm *sms = wm_sm_group_sms(clock, group, &count);
    bool acts = false;
    for (uint32_t i = 0; i < count; i++) {
        wm_clock_sm_use_tally(&sms[i], thread);
        acts |= clock->islands[sms[i].index].next < end;
    }
    for (uint32_t i = 0; acts && i < count; i++)
        forget_requests(&sms[i]);
    bool flushes = clock->flushing && sms->cpu == NULL;
    for (uint32_t i = 0; acts && flushes && i < count; i++)
        wm_clock_sm_flush(&sms[i], end);
    if (acts && !flushes)
        wm_sm_group_run(sms, count, end);
    for (uint32_t i = 0; acts && i < count; i++)
        post_requests(&sms[i], thread);
}

static void run_sm(struct wm_clock_sm *sm, uint64_t end, uint32_t thread)
{
    wm_clock_sm_use_tally(sm, thread);
    forget_requests(sm);
    (sm->clock->flushing ? wm_clock_sm_flush : wm_clock_sm_run)(sm, end);
    post_requests(sm, thread);
}

static uint32_t count_islands_of_sms(const struct wm_clock *clock)
{
    return clock->group_count != 0 ? clock->group_count : clock->sm_count;
}

// SMs' and the cores'.
static uint32_t count_islands_of_units(const struct wm_clock *clock)
{
    return count_islands_of_sms(clock) + (clock->core_count != 0);
}

// SMs, or groups of them, the cores, and partitions behind them.
static void run_island(void *context, uint32_t island, uint32_t thread)
{
    struct wm_clock *clock = context;
    uint64_t end = clock->window_end;
    uint32_t first_partition = count_islands_of_units(clock);
    if (island >= first_partition) {
        uint32_t partition = island - first_partition;
        if (clock->islands[clock->unit_count + partition].next < end)
            wm_clock_run_partition(clock, partition, end, thread);
    } else if (clock->group_count != 0 || island == clock->sm_count) {
        bool cores = island == count_islands_of_sms(clock);
        run_group(clock, cores ? wm_clock_core_group(clock) : island, end, thread);
    } else if (clock->islands[island].next < end) {
        run_sm(&clock->sms[island], end, thread);
    }
}

static uint32_t count_active(const struct wm_clock *clock, uint64_t end)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < clock->unit_count + clock->partition_count; i++)
        count += clock->islands[i].next < end;
    return count;
}

// Fewer islands than this a thread are run sooner than another thread is woken.
enum { WORTH_A_THREAD = 4 };

// False when out of memory.
static bool run_window(struct wm_clock *clock, uint64_t end)
{
    uint32_t threads = wm_thread_team_threads(clock->team);
    uint32_t islands = clock->steps[RUN_ISLANDS].count;
    clock->window_end = end;
    clock->moment = 2 * end;
    clock->windows++;
    bool alone = threads == 1 || count_active(clock, end) < threads * WORTH_A_THREAD;
    for (uint32_t island = 0; alone && island < islands; island++)
        run_island(clock, island, 0);
    if (!alone)
        wm_thread_team_run(clock->team, RUN_ISLANDS);
    clock->now = end;
    return hand_over(clock, alone);
}

// --- Blocks ---

// Blocks that have finished leave their SMs.
static void retire_blocks(struct wm_clock *clock, struct wm_clock_sm *sm)
{
    for (uint32_t i = 0; sm->finished_blocks != 0 && i < clock->place_count; i++) {
        struct wm_clock_block_slot *place = &sm->places[i];
        if (!place->finished || place->accesses != 0)
            continue;
        struct wm_launch_state *run = place->run;
        for (uint32_t warp = 0; sm->cpu == NULL && warp < run->warps_per_block; warp++)
            wm_issue_core_leave(&sm->core, place->first + warp);
        wm_clock_timeline_finish(clock, sm->index, i);
        run->work->ops->finish_block(run->work, place->block);
        *place = (struct wm_clock_block_slot){0};
        wm_session_remove_block(run, wm_clock_number_for(sm, run));
        if (run->begun != NULL)
            run->begun[wm_clock_number_for(sm, run)]--;
        run->finished_blocks++;
        sm->finished_blocks--;
    }
}

// On SM `index` of the launch's GPU.
static enum wm_status start_block(struct wm_clock *clock, struct wm_clock_launch *running,
                                  uint32_t index, struct wm_error *error)
{
    struct wm_launch_state *run = running->run;
    struct wm_clock_sm *sm = &clock->sms[run->first_sm + index];
    uint32_t place = 0;
    struct wm_block *block;
    while (sm->places[place].block != NULL)
        place++;
    uint64_t number = wm_session_take_block(clock->session, run, index);
    WM_TRY(run->work->ops->start_block(run->work, number, index,
                                       wm_clock_resident_slot(sm, run, place), &block, error));
    if (run->begun != NULL)
        run->begun[index]++;
    wm_session_add_block(run, index);
    sm->front_end.counters->blocks++;
    wm_clock_timeline_start(clock, running, sm->index, place, block->index);
    wm_clock_sm_start(sm, place, running, block, wm_clock_convert(&sm->from_network, clock->now));
    return WM_OK;
}

static enum wm_status give_blocks_of(struct wm_clock *clock, struct wm_clock_launch *running,
                                     struct wm_error *error)
{
    struct wm_session *session = clock->session;
    struct wm_launch_state *run = running->run;
    if (run->given_blocks < run->block_count && run->use != NULL)
        wm_launch_state_find_room(session, run);
    while (run->given_blocks < run->block_count) {
        int32_t sm = wm_session_choose_sm(session, run);
        if (sm == WM_NO_SM)
            return WM_OK;
        if (wm_clock_sm_has_slots(&clock->sms[run->first_sm + (uint32_t)sm], run))
            WM_TRY(start_block(clock, running, (uint32_t)sm, error));
        else
            run->residency->room[sm] = 0;
    }
    return WM_OK;
}

enum wm_status wm_clock_give_blocks(struct wm_clock *clock, struct wm_clock_launch **failed,
                                    struct wm_error *error)
{
    for (uint32_t i = 0; i < clock->unit_count; i++)
        if (clock->islands[i].window == clock->windows && clock->islands[i].finished)
            retire_blocks(clock, &clock->sms[i]);
    for (struct wm_clock_launch *running = clock->launches; running != NULL;
         running = running->next)
        wm_clock_suspend_blocks(clock, running->run);
    for (struct wm_clock_launch *running = clock->launches; running != NULL;
         running = running->next)
        wm_clock_resume_blocks(clock, running);
    clock->moment = 2 * clock->now + 1;
    for (struct wm_clock_launch *running = clock->launches; running != NULL;
         running = running->next) {
        enum wm_status status =
            running->begins_at <= clock->now ? give_blocks_of(clock, running, error) : WM_OK;
        if (status != WM_OK) {
            if (failed != NULL)
                *failed = running;
            return status;
        }
    }
    return WM_OK;
}

// --- Threads ---

// The thread to which an SM's island, or a partition behind the SMs, belongs.
static uint32_t thread_of(const struct wm_clock *clock, uint32_t part)
{
    uint32_t island = part;
    if (part >= clock->unit_count)
        island = count_islands_of_units(clock) + part - clock->unit_count;
    else if (part >= clock->sm_count)
        island = count_islands_of_sms(clock);
    else if (clock->group_count != 0)
        island = part / clock->group_sms;
    return wm_thread_team_owner(clock->team, RUN_ISLANDS, island);
}

// Islands that lie together are one thread's, and so is what is handed over to them.
enum wm_status wm_clock_form_threads(struct wm_clock *clock, uint32_t threads,
                                     struct wm_error *error)
{
    uint32_t parts = clock->unit_count + clock->partition_count;
    clock->steps[RUN_ISLANDS] = (struct wm_thread_team_step){
        .run = run_island,
        .count = count_islands_of_units(clock) + clock->partition_count,
        .chunk = clock->group_count != 0 ? 1 : WM_CLOCK_NEIGHBOURS,
    };
    WM_TRY(wm_thread_team_new(threads, clock->steps, clock, &clock->team, error));
    clock->steps[HAND_OVER] = (struct wm_thread_team_step){
        .run = wm_clock_deliver, .count = wm_thread_team_threads(clock->team), .chunk = 1};
    for (uint32_t part = 0; part < parts; part++)
        clock->thread_of[part] = (uint16_t)thread_of(clock, part);
    return wm_clock_mailboxes_begin(clock, threads) ? WM_OK
                                                    : wm_fail_no_memory(error, "the clock engine");
}

// --- Windows until a launch ends ---

// The window that begins at clock->now, and the one behind it where that is known.
static enum wm_status run_next(struct wm_clock *clock, struct wm_error *error)
{
    if (clock->pairs_windows)
        return wm_clock_run_paired_windows(clock, error);
    if (clock->network != NULL && !wm_clock_network_run(clock))
        return wm_fail_no_memory(error, "the clock engine");
    if (clock->coherent != NULL && !wm_clock_coherent_run(clock))
        return wm_fail_no_memory(error, "the clock engine");
    return run_window(clock, clock->now + clock->window)
               ? WM_OK
               : wm_fail_no_memory(error, "the clock engine");
}

// Adding up what all SMs have executed takes as long as a short window.
static enum wm_status check_limit(struct wm_clock *clock, struct wm_error *error)
{
    struct wm_run_limit *limit = &clock->session->limit;
    if (limit->turns++ % WM_RUN_LIMIT_TURNS != 0)
        return WM_OK;
    limit->instructions = 0;
    for (uint32_t i = 0; i < clock->unit_count; i++)
        limit->instructions += clock->session->sms[i].counters.warp_instructions;
    return wm_run_limit_check(limit, true, error);
}

static bool is_done(const struct wm_clock_launch *running)
{
    return running->run->finished_blocks == running->run->block_count;
}

static bool all_done(const struct wm_clock *clock)
{
    for (const struct wm_clock_launch *running = clock->launches; running != NULL;
         running = running->next)
        if (!is_done(running))
            return false;
    return true;
}

// Of several launches one whose blocks have finished ends; that others have things on their way
// does not keep it.
static bool end_one(struct wm_clock *clock)
{
    for (struct wm_clock_launch *running = clock->launches;
         running != NULL && clock->launch_count > 1; running = running->next)
        if (!running->has_ended && is_done(running)) {
            wm_clock_end_launch(clock, running, wm_clock_convert(&clock->from_network, clock->now));
            return true;
        }
    return false;
}

static uint64_t next_launch(const struct wm_clock *clock)
{
    uint64_t next = WM_NEVER;
    for (const struct wm_clock_launch *running = clock->launches; running != NULL;
         running = running->next)
        if (running->begins_at > clock->now)
            next = wm_earlier(next, running->begins_at);
    return next;
}

static enum wm_status find_faults(const struct wm_clock *clock, struct wm_clock_launch **failed,
                                  struct wm_error *error)
{
    for (struct wm_clock_launch *running = clock->launches; running != NULL;
         running = running->next) {
        *failed = running;
        WM_TRY(running->run->work->ops->fault(running->run->work, error));
    }
    *failed = NULL;
    return WM_OK;
}

// The SMs' cycle behind the last thing that happened: windows end later.
uint64_t wm_clock_last_cycle(const struct wm_clock *clock)
{
    uint64_t last = clock->session_first;
    for (uint32_t i = 0; i < clock->sm_count; i++)
        last = clock->sms[i].acted > last ? clock->sms[i].acted : last;
    for (uint32_t i = clock->sm_count; i < clock->unit_count; i++) {
        const struct wm_clock_sm *core = &clock->sms[i];
        uint64_t acted = wm_clock_convert(&clock->from_network,
                                          wm_clock_convert(&core->to_network, core->acted));
        last = acted > last ? acted : last;
    }
    for (uint32_t i = 0; i < clock->partition_count; i++) {
        uint64_t acted =
            wm_clock_convert(&clock->from_network, wm_partition_last_active(clock->partitions[i]));
        last = acted > last ? acted : last;
    }
    if (clock->coherent != NULL && wm_clock_coherent_last_active(clock) > last)
        last = wm_clock_coherent_last_active(clock);
    return last;
}

// Nothing can happen any more.
static enum wm_status end_all(struct wm_clock *clock, struct wm_clock_launch **failed,
                              struct wm_error *error)
{
    for (struct wm_clock_launch *running = clock->launches; running != NULL;
         running = running->next) {
        if (!is_done(running)) {
            if (running->run->work->supplied)
                continue;
            if (wm_clock_all_suspended(running->run)) // for what is about to be launched
                return WM_OK;
            *failed = running;
            return wm_clock_report_deadlock(clock, running, error);
        }
        wm_clock_end_launch(clock, running, wm_clock_last_cycle(clock));
    }
    return WM_OK;
}

bool wm_clock_drain(struct wm_clock *clock)
{
    struct wm_error error;
    for (uint32_t i = 0; i < clock->sm_count; i++)
        if (wm_clock_sm_abandon(&clock->sms[i], &error) != WM_OK)
            return false;
    for (uint32_t i = clock->sm_count; i < clock->unit_count; i++)
        wm_clock_core_abandon(&clock->sms[i]);
    for (;;) {
        uint64_t next = next_of_all(clock);
        if (!clock->partitions_ahead && next == WM_NEVER)
            return true;
        if (!clock->partitions_ahead)
            clock->now = next > clock->now ? next : clock->now;
        if (run_next(clock, &error) != WM_OK)
            return false;
    }
}

// Goes to where something happens next; false where that is behind the end of the step.
static bool go_on(struct wm_clock *clock, uint64_t next)
{
    uint64_t to = wm_earlier(next, clock->stop_at);
    clock->now = to > clock->now ? to : clock->now;
    return next < clock->stop_at;
}

enum wm_status wm_clock_run_windows(struct wm_clock *clock, uint64_t most,
                                    struct wm_progress *progress, struct wm_clock_launch **failed,
                                    struct wm_error *error)
{
    const struct wm_session_options *options = &clock->session->options;
    clock->session->step_ends = clock->stops = false;
    for (*failed = NULL; most != 0 && !clock->stops; most--) {
        WM_TRY(wm_clock_give_blocks(clock, failed, error));
        if (end_one(clock) || clock->session->step_ends)
            return WM_OK;
        if (clock->flushes && !clock->flushing && all_done(clock)) {
            clock->flushing = true;
            if (!wm_clock_flush_begin(clock))
                return wm_fail_no_memory(error, "the clock engine");
        }
        if (!clock->partitions_ahead) {
            uint64_t next = wm_earlier(next_of_all(clock), next_launch(clock));
            if (next == WM_NEVER && clock->stop_at == WM_NEVER)
                return end_all(clock, failed, error);
            if (!go_on(clock, next))
                return WM_OK;
            if (clock->launch_count > 1)
                WM_TRY(wm_clock_give_blocks(clock, failed, error));
        }
        WM_TRY(run_next(clock, error));
        wm_clock_timeline_window(clock);
        WM_TRY(find_faults(clock, failed, error));
        if (wm_run_limit_is_set(&clock->session->limit)) {
            *failed = clock->launches;
            WM_TRY(check_limit(clock, error));
            *failed = NULL;
        }
        if (options->at_safe_point != NULL)
            options->at_safe_point(options->context);
        if (progress != NULL)
            wm_progress_update(progress, clock->launches->run->finished_blocks);
    }
    return WM_OK;
}
