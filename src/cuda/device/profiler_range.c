#include "cuda/device/profiler_range.h"

#include "cuda/process.h"
#include "cuda/run/live_threads.h"

#include <stdlib.h>

struct range_command {
    struct wm_cuda_command base;
    bool begins;
};

static void execute_range(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    bool begins = ((const struct range_command *)command)->begins;
    if (process->cores)
        wm_live_threads_range(process, begins);
    else
        wm_session_profiler_range(process->session, begins);
}

// The thread that marks a range waits until it has begun, or ended, where threads are counted, too.
bool wm_cuda_push_range(struct wm_cuda_process *process, bool begins)
{
    struct range_command *command = malloc(sizeof *command);
    if (!command)
        return false;
    *command = (struct range_command){.base = {.execute = execute_range}, .begins = begins};
    uint64_t sequence = wm_cuda_queue_push(&process->queue, &command->base);
    bool counts_threads = process->cores && process->report.settings.engine == WM_RUN_BY_CLOCK;
    if (sequence != 0 && counts_threads && !wm_cuda_queue_is_worker(&process->queue))
        wm_cuda_queue_wait(&process->queue, sequence);
    return sequence != 0;
}
