#include "cuda/graph/graph_run.h"

#include "cuda/device/kernel_launches.h"
#include "cuda/stream/stream_order.h"

#include <stdlib.h>

// Named streams of the device's runtime (cuda_device_runtime_api.h).
static const uint64_t tail_launch = UINT64_C(0x0100000000000000);
static const uint64_t fire_and_forget = UINT64_C(0x0200000000000000);
static const uint64_t fire_and_forget_as_sibling = UINT64_C(0x0300000000000000);

// Launches of one execution (the same, "Fire and Forget Launch", "Tail Launch").
enum { MOST_FORGOTTEN = 120, MOST_TAILS = 255 };

struct wm_cuda_graph_run {
    uint32_t references;
    struct wm_cuda_graph_exec *exec; // may be destroyed: looked up before it is followed
    bool from_device;
    uint32_t forgotten, tail_count;
    struct wm_cuda_graph_exec *tails[MOST_TAILS]; // likewise
};

struct wm_cuda_graph_run *wm_cuda_run_new(struct wm_cuda_graph_exec *exec, bool from_device)
{
    struct wm_cuda_graph_run *run = calloc(1, sizeof *run);
    if (run) {
        run->references = 1;
        run->exec = exec;
        run->from_device = from_device;
    }
    return run;
}

struct wm_cuda_graph_run *wm_cuda_run_retain(struct wm_cuda_graph_run *run)
{
    if (run)
        run->references++;
    return run;
}

void wm_cuda_run_release(struct wm_cuda_graph_run *run)
{
    if (run && --run->references == 0)
        free(run);
}

// ---- What may be launched ----------------------------------------------------------------------

static bool reaches(const struct wm_cuda_process *process, const void *address)
{
    return wm_device_memory_find(process->memory, (uint64_t)(uintptr_t)address) != NULL;
}

static bool may_hold(struct wm_cuda_process *process, const struct wm_cuda_work *work,
                     struct wm_cuda_graph_node **broken)
{
    const struct wm_kernel *kernel;
    switch (work->kind) {
    case WM_CUDA_WORK_KERNEL: // what cannot be loaded is found when its launch is checked
        return wm_cuda_function_kernel(process, work->kernel.function, &kernel) != cudaSuccess ||
               !kernel->launches_kernels;
    case WM_CUDA_WORK_COPY:
        return !work->copy.source_array && !work->copy.destination_array &&
               reaches(process, work->copy.source.pointer) &&
               reaches(process, work->copy.destination.pointer);
    case WM_CUDA_WORK_FILL: return true;
    case WM_CUDA_WORK_CHILD:
        return wm_cuda_check_device_graph(process, work->child, broken) == cudaSuccess;
    default: return false;
    }
}

wm_cuda_status wm_cuda_check_device_graph(struct wm_cuda_process *process,
                                          const struct wm_cuda_graph *graph,
                                          struct wm_cuda_graph_node **broken)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (!may_hold(process, &graph->nodes[i]->work, broken)) {
            *broken = graph->nodes[i];
            return cudaErrorNotSupported;
        }
    return cudaSuccess;
}

static wm_cuda_status refuse(struct wm_error *error, const char *why, const char *hint)
{
    wm_fail(error, WM_INVALID, "cudaGraphLaunch of %s", why);
    wm_error_hint(error, "%s", hint);
    return cudaErrorInvalidValue;
}

// A graph is executed once at a time, but may launch itself for its own tail.
static bool is_pending(const struct wm_cuda_graph_run *run, const struct wm_cuda_graph_exec *exec,
                       bool tail)
{
    uint32_t own = tail && exec == run->exec && run->from_device;
    return exec->pending > own || (!tail && exec == run->exec);
}

wm_cuda_status wm_cuda_run_launch(struct wm_cuda_kernel_launches *launches,
                                  struct wm_cuda_graph_exec *exec, uint64_t stream,
                                  struct wm_error *error)
{
    struct wm_cuda_graph_run *run = launches->run;
    bool tail = stream == tail_launch;
    if (!tail && stream != fire_and_forget && stream != fire_and_forget_as_sibling)
        return refuse(error, "a graph on a stream that kernels cannot launch graphs on",
                      "name cudaStreamGraphFireAndForget, cudaStreamGraphTailLaunch or "
                      "cudaStreamGraphFireAndForgetAsSibling");
    if (!wm_cuda_exec_known(launches->process, exec))
        return refuse(error, "what is no executable graph", "pass what cudaGraphInstantiate gave");
    if (!run || launches->family)
        return refuse(error, "a graph by a kernel that is no node of a graph",
                      "make the kernel one, which may not wait for what it launches");
    if (!(exec->flags & WM_CUDA_GRAPH_DEVICE_LAUNCH) || !exec->uploaded)
        return refuse(error, "a graph that is not on the device as it is now",
                      "instantiate it with cudaGraphInstantiateFlagDeviceLaunch, and call "
                      "cudaGraphUpload then and after each change");
    if (is_pending(run, exec, tail))
        return refuse(error, "a graph that is being executed or waits for it",
                      "launch another one, or itself once for the tail");
    if (tail ? run->tail_count == MOST_TAILS : run->forgotten == MOST_FORGOTTEN)
        return refuse(error, "more graphs than one execution may launch: 120, and 255 for its tail",
                      "launch some of them by others of these graphs");
    exec->pending++;
    if (tail) {
        run->tails[run->tail_count++] = exec;
        return cudaSuccess;
    }
    run->forgotten++;
    return wm_cuda_issue_graph(launches, exec);
}

// ---- Running -----------------------------------------------------------------------------------

wm_cuda_status wm_cuda_run_insert(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec,
                                  struct wm_cuda_stream *stream)
{
    // One that was destroyed meanwhile: a program may not do that.
    return wm_cuda_exec_known(process, exec) ? wm_cuda_exec_issue(process, exec, stream, true, true)
                                             : cudaErrorInvalidValue;
}

struct end_command {
    struct wm_cuda_command base;
    uint64_t stream;
    int priority;                  // the stream's
    struct wm_cuda_graph_run *run; // retained
};

static void release_end(struct wm_cuda_command *command)
{
    wm_cuda_run_release(((struct end_command *)command)->run);
    free(command);
}

static void execute_end(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct end_command *ends = (const struct end_command *)command;
    struct wm_cuda_graph_run *run = ends->run;
    struct wm_cuda_stream stream = {.id = ends->stream, .priority = ends->priority};
    wm_cuda_status status = cudaSuccess;
    pthread_mutex_lock(&process->mutex);
    if (run->from_device && wm_cuda_exec_known(process, run->exec))
        run->exec->pending--;
    if (process->fault == cudaSuccess && run->tail_count > 0) {
        wm_cuda_queue_insert_begin(&process->queue, command);
        for (uint32_t i = 0; i < run->tail_count && status == cudaSuccess; i++)
            status = wm_cuda_run_insert(process, run->tails[i], &stream);
        wm_cuda_queue_insert_end(&process->queue, command);
    }
    if (status != cudaSuccess) {
        process->fault = status;
        process->fault_sequence = command->sequence;
    }
    pthread_mutex_unlock(&process->mutex);
}

wm_cuda_status wm_cuda_run_push_end(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_graph_run *run)
{
    struct end_command *command = malloc(sizeof *command);
    if (!command)
        return cudaErrorMemoryAllocation;
    *command = (struct end_command){.base = {.execute = execute_end, .release = release_end},
                                    .stream = stream->id,
                                    .priority = stream->priority,
                                    .run = wm_cuda_run_retain(run)};
    return wm_cuda_stream_push(process, stream, &command->base) ? cudaSuccess
                                                                : cudaErrorMemoryAllocation;
}
