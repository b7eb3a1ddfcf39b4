#include "engine/replay/program_threads.h"

#include "base/containers/array.h"
#include "engine/clock/clock.h"
#include "engine/session/session_state.h"

#include <stdlib.h>

// ---- What threads do ---------------------------------------------------------------------------

static void issued(void *context, uint32_t command)
{
    struct wm_program_threads *threads = context;
    if (command > threads->last_command)
        return; // nothing of it was recorded
    atomic_store_explicit(&threads->issued[command], 1, memory_order_relaxed);
    if (threads->session->clock != NULL)
        wm_clock_stop(threads->session->clock);
}

static bool has_completed(void *context, uint32_t command)
{
    const struct wm_program_threads *threads = context;
    return command < threads->completed_below;
}

bool wm_program_threads_have_issued(const struct wm_program_threads *threads, uint32_t command)
{
    return atomic_load_explicit(&threads->issued[command], memory_order_relaxed) != 0;
}

void wm_program_threads_completed(struct wm_program_threads *threads, uint32_t below)
{
    if (below <= threads->completed_below)
        return;
    threads->completed_below = below;
    threads->waits = threads->cores->work.stuck = false;
    uint32_t cores = threads->session->clock != NULL ? threads->session->cores.count : 0;
    for (uint32_t core = 0; core < cores; core++)
        wm_clock_wake_core(threads->session->clock, core);
}

// ---- Their turns -------------------------------------------------------------------------------

static void end_turns(struct wm_program_threads *threads)
{
    struct wm_recorded_work *work = &threads->cores->work;
    work->turn.given = work->work.ends_turns = false;
}

bool wm_program_threads_have_turns(struct wm_program_threads *threads)
{
    bool have = threads->next_turn < threads->cores->recording->turn_count &&
                threads->session->clock == NULL && !wm_program_threads_have_ended(threads);
    if (!have)
        end_turns(threads);
    return have;
}

bool wm_program_threads_begin_turn(struct wm_program_threads *threads)
{
    struct wm_recorded_work *work = &threads->cores->work;
    uint64_t block = threads->cores->recording->turns[threads->next_turn];
    if (threads->waits)
        return false;
    work->turn = (struct wm_recorded_turn){.given = true, .block = block};
    work->work.ends_turns = true;
    return true;
}

// A thread that has not come to the end of its turn waits for a command, or has ended.
void wm_program_threads_end_turn(struct wm_program_threads *threads)
{
    struct wm_recorded_work *work = &threads->cores->work;
    bool ended = work->progress[work->turn.block].ended;
    threads->waits = !work->turn.over && !ended;
    threads->next_turn += !threads->waits;
    work->turn.over = true; // until the next begins no thread runs
}

bool wm_program_threads_are_stuck(struct wm_program_threads *threads)
{
    struct wm_recorded_work *work = &threads->cores->work;
    bool stuck = work->turn.given ? threads->waits : work->stuck;
    work->stuck = false;
    return stuck;
}

bool wm_program_threads_have_ended(const struct wm_program_threads *threads)
{
    return wm_concurrent_launch_has_ended(threads->cores->running);
}

// ---- Making ------------------------------------------------------------------------------------

// The highest number of a command that the recording has.
static enum wm_status find_last(struct wm_recording *kernels, uint32_t *last,
                                struct wm_error *error)
{
    struct wm_recorded_event event;
    wm_recording_rewind(kernels);
    for (bool more = true;;) {
        WM_TRY(wm_recording_next(kernels, &event, &more, error));
        if (!more)
            return WM_OK;
        const struct wm_recorded_order *order =
            event.kind == WM_RECORDED_LAUNCH ? &kernels->launch.order : event.order;
        if (order != NULL && order->command > *last)
            *last = order->command;
    }
}

enum wm_status wm_program_threads_init(struct wm_program_threads *threads,
                                       struct wm_cpu_cores *cores, struct wm_recording *kernels,
                                       struct wm_session *session, struct wm_error *error)
{
    *threads =
        (struct wm_program_threads){.cores = cores, .session = session, .completed_below = 1};
    WM_TRY(find_last(kernels, &threads->last_command, error));
    threads->numbers_launches = threads->last_command == 0 && kernels->launch_count < UINT32_MAX;
    if (threads->numbers_launches)
        threads->last_command = (uint32_t)kernels->launch_count;
    WM_TRY(WM_ARRAY_NEW(threads->issued, threads->last_command + UINT64_C(1), error,
                        "the commands of a recording"));
    threads->issued[0] = 1; // what no thread has issued
    threads->device = (struct wm_recorded_device){
        .context = threads, .issued = issued, .has_completed = has_completed};
    cores->work.device = &threads->device;
    return WM_OK;
}

void wm_program_threads_release(struct wm_program_threads *threads)
{
    free(threads->issued);
    threads->issued = NULL;
}
