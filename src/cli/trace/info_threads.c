#include "cli/trace/info_threads.h"

#include "base/containers/array.h"
#include "trace/launch_scan.h"

#include <inttypes.h>
#include <stdlib.h>

static void count_event(const struct wm_warp_step *step, struct wm_info_thread *thread)
{
    if (step->event != WM_TRACE_PHASE)
        return;
    enum wm_phase_operation operation = wm_trace_phase_operation(step->barrier);
    thread->fences += operation == WM_PHASE_FENCE;
    thread->commands += operation == WM_PHASE_ISSUES;
    thread->turns += operation == WM_PHASE_TURN_END;
}

static void count_step(void *context, uint64_t block, uint32_t warp,
                       const struct wm_warp_step *step)
{
    struct wm_info_threads *threads = context;
    struct wm_info_thread *thread = &threads->threads[block];
    (void)warp;
    thread->instructions += step->executed + step->skipped;
    for (uint32_t i = 0; i < step->access_count; i++) {
        enum wm_access_kind kind = step->accesses[i].kind;
        thread->loads += kind == WM_ACCESS_LOAD;
        thread->stores += kind == WM_ACCESS_STORE;
        thread->locked += kind == WM_ACCESS_ATOMIC;
    }
    count_event(step, thread);
}

static enum wm_status gather(struct wm_recording *cores, struct wm_info_threads *threads,
                             struct wm_error *error)
{
    struct wm_recorded_event event;
    struct wm_launch_reader reader;
    bool more = true;
    WM_TRY(wm_recording_next(cores, &event, &more, error));
    threads->count = cores->launch.grid[0];
    WM_TRY(WM_ARRAY_NEW(threads->threads, threads->count, error, "the threads"));
    WM_TRY(wm_launch_reader_open(cores, &reader, error));
    enum wm_status status = wm_launch_scan(&reader, count_step, threads, error);
    wm_launch_reader_close(&reader);
    return status;
}

enum wm_status wm_info_threads_gather(const struct wm_recording *recording,
                                      struct wm_info_threads *threads, struct wm_error *error)
{
    struct wm_recording cores;
    *threads = (struct wm_info_threads){0};
    if (recording->cores_section == 0)
        return WM_OK;
    WM_TRY(wm_recording_open_cores(&cores, recording, error));
    enum wm_status status = gather(&cores, threads, error);
    wm_recording_close(&cores);
    return status;
}

void wm_info_threads_release(struct wm_info_threads *threads)
{
    free(threads->threads);
    *threads = (struct wm_info_threads){0};
}

void wm_info_threads_text(const struct wm_info_threads *threads, struct wm_text *text)
{
    if (threads->count == 0)
        return;
    wm_text_format(text, "\n%-6s %13s %12s %12s %10s %8s %9s %9s\n", "thread", "instructions",
                   "loads", "stores", "locked", "fences", "commands", "turns");
    for (uint32_t i = 0; i < threads->count; i++) {
        const struct wm_info_thread *thread = &threads->threads[i];
        wm_text_format(text,
                       "%-6" PRIu32 " %13" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64
                       " %8" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n",
                       i, thread->instructions, thread->loads, thread->stores, thread->locked,
                       thread->fences, thread->commands, thread->turns);
    }
}

json_t *wm_info_threads_value(const struct wm_info_threads *threads)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < threads->count; i++) {
        const struct wm_info_thread *thread = &threads->threads[i];
        json_array_append_new(
            array,
            json_pack("{s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "number", (int)i, "instructions",
                      (json_int_t)thread->instructions, "loads", (json_int_t)thread->loads,
                      "stores", (json_int_t)thread->stores, "locked_operations",
                      (json_int_t)thread->locked, "fences", (json_int_t)thread->fences, "commands",
                      (json_int_t)thread->commands, "turns", (json_int_t)thread->turns));
    }
    return array;
}
