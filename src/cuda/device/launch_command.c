// The command that launches a kernel. One whose blocks may wait for what they launch is executed
// with all of that together (launch_tree.h), also where commands run one after the other.
#include "cuda/device/device_commands.h"

#include "cuda/device/launch_tree.h"
#include "cuda/graph/graph_run.h"
#include "cuda/run/memory_names.h"
#include "cuda/stream/stream_order.h"

#include <stdlib.h>
#include <string.h>

// ---- Estimated device time ---------------------------------------------------------------------
// The clock engine says how long a launch took. The walk has no clock: then event times are an
// estimate from what was executed and moved, at the described machine's rates, so that programs
// which print a bandwidth print a finite and repeatable number (docs/cuda.md says what it is
// worth).
#define PS_PER_SECOND 1e12

static uint64_t engine_time_ps(const struct wm_cuda_process *process,
                               const struct wm_session_totals *before,
                               const struct wm_session_totals *after)
{
    const struct wm_machine *machine = &process->machine;
    uint64_t warp_instructions = after->warp_instructions - before->warp_instructions;
    uint64_t dram_bytes = after->dram_bytes - before->dram_bytes;
    uint64_t cycles = after->cycles - before->cycles;
    if (cycles != 0)
        return (uint64_t)((double)cycles / (double)machine->device.clock_hz * PS_PER_SECOND);
    double issue = (double)machine->device.clock_hz * machine->sm.count *
                   (machine->sm.schedulers ? machine->sm.schedulers : 1);
    double bandwidth = (double)machine->memory.dram.bandwidth_bytes_per_second;
    double compute = issue > 0 ? (double)warp_instructions / issue : 0;
    double transfer = bandwidth > 0 ? (double)dram_bytes / bandwidth : 0;
    double seconds = compute > transfer ? compute : transfer;
    return (uint64_t)(seconds * PS_PER_SECOND);
}

// Advances the engine's time by a device's work since a launch of it last began or ended: launches
// that run there concurrently share the device, and so do their times.
static uint64_t engine_now_ps(struct wm_cuda_process *process, uint32_t device)
{
    struct wm_session_totals now = wm_session_totals(process->session, device);
    process->engine_ps[device] += engine_time_ps(process, &process->engine_totals[device], &now);
    process->engine_totals[device] = now;
    return process->engine_ps[device];
}

// ---- Launches ----------------------------------------------------------------------------------

struct launch_command {
    struct wm_cuda_command base;
    uint64_t stream;
    struct wm_launch launch;
    struct wm_device_output output; // what it prints, until it has ended
    struct wm_cuda_kernel_launches children;
    int priority;       // the stream's
    uint32_t depth;     // of its grid: 1 of the host's
    uint64_t driver_ps; // that the driver takes to launch it
    struct wm_cuda_launch_tree
        *family; // owned, while it is under way: of one whose blocks may wait
    struct wm_concurrent_launch *running; // side by side, while it is under way
    uint64_t began_ps;                    // likewise, in the engine's time
    enum wm_status status;                // likewise, and the next: that it could not begin with
    struct wm_error error;
    _Alignas(16) uint8_t parameters[];
};

// The code CUDA returns for what stopped a kernel.
static wm_cuda_status fault_status(const struct wm_finding *fault)
{
    switch (fault->kind) {
    case WM_FAULT_OUT_OF_BOUNDS:
    case WM_FAULT_FREED:
    case WM_FAULT_PEER:
    case WM_FAULT_SHARED_OUT_OF_BOUNDS:
    case WM_FAULT_LOCAL_OUT_OF_BOUNDS:
    case WM_FAULT_READ_ONLY: return cudaErrorIllegalAddress;
    case WM_FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
    case WM_FAULT_ASSERT: return cudaErrorAssert;
    case WM_FAULT_DEADLOCK: return cudaErrorLaunchTimeout;
    case WM_FAULT_ILLEGAL_CALL: return cudaErrorInvalidPc;
    case WM_FAULT_UNSUPPORTED: return cudaErrorNotSupported;
    case WM_FAULT_ILLEGAL_BARRIER: return cudaErrorIllegalInstruction;
    case WM_FAULT_TRAP:
    case WM_FAULT_NONE: return cudaErrorLaunchFailure;
    }
    return cudaErrorLaunchFailure;
}

// A line for each thread, as CUDA prints them (CUDA C++ Programming Guide, "Assertion").
static void print_assertion(const struct wm_finding *fault)
{
    const struct wm_failed_assertion *failed = &fault->assertion;
    const uint32_t *block = fault->block;
    for (uint32_t i = 0; i < failed->thread_count; i++) {
        const uint32_t *thread = failed->threads[i];
        fprintf(stderr, "%s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                failed->place, block[0], block[1], block[2], thread[0], thread[1], thread[2],
                failed->expression);
    }
}

// What a launch that has ended leaves, with the process locked: what it printed, what it launched
// itself, and the fault that it stopped with.
static void end_launch(struct wm_cuda_process *process, struct launch_command *launch,
                       enum wm_status status, const struct wm_finding *fault,
                       const struct wm_error *error)
{
    if (launch->output.text.length != 0 || launch->output.text.failed)
        wm_cuda_keep_printed(process, launch->launch.kernel->name, launch->base.sequence,
                             &launch->output);
    if (status == WM_OK && process->fault == cudaSuccess) {
        uint32_t before = wm_cuda_use_device(launch->launch.gpu);
        wm_cuda_issue_kernel_launches(&launch->children, &launch->base, launch->stream,
                                      launch->priority);
        (void)wm_cuda_use_device(before);
    }
    wm_cuda_kernel_launches_release(&launch->children);
    if (status == WM_OK)
        return;
    print_assertion(fault);
    wm_cuda_print_error(error);
    process->fault = fault->kind != WM_FAULT_NONE ? fault_status(fault) : wm_cuda_status_of(error);
    process->fault_sequence = launch->base.sequence;
    process->fault_device = launch->launch.gpu;
    wm_run_report_note(&process->report, error, true);
    // Nothing more will be counted, and programs leave in many ways when a launch fails.
    if (status == WM_STOPPED) {
        wm_memory_name_all(process);
        wm_run_report_write(&process->report, process->session);
    }
}

static void execute_family(struct wm_cuda_command *command, struct wm_cuda_process *process);

static void note_for_recorder(struct wm_cuda_process *process, const struct launch_command *launch)
{
    if (!process->recorder)
        return;
    wm_recorder_stream(process->recorder, launch->stream);
    wm_recorder_next_launch(process->recorder, launch->priority, launch->launch.workspace != 0);
}

static void execute_launch(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct launch_command *launch = (struct launch_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    if (launch->launch.kernel->synchronises) {
        execute_family(command, process);
        return;
    }
    note_for_recorder(process, launch);
    uint64_t before_ps = engine_now_ps(process, launch->launch.gpu);
    struct wm_finding fault = {.kind = WM_FAULT_NONE};
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status = wm_session_launch(process->session, &launch->launch, &fault, &error);
    command->end_ps += launch->driver_ps + engine_now_ps(process, launch->launch.gpu) - before_ps;
    pthread_mutex_lock(&process->mutex);
    end_launch(process, launch, status, &fault, &error);
    pthread_mutex_unlock(&process->mutex);
}

// ---- Launches side by side ---------------------------------------------------------------------

static void begin_launch(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct launch_command *launch = (struct launch_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    note_for_recorder(process, launch);
    launch->began_ps = engine_now_ps(process, launch->launch.gpu);
    wm_error_clear(&launch->error);
    if (launch->launch.kernel->synchronises)
        launch->status = wm_cuda_launch_tree_begin(process, &launch->launch, launch->priority,
                                                   launch->depth, &launch->family, &launch->error);
    else
        launch->status = wm_session_start_launch(
            process->session, &launch->launch, launch->priority, &launch->running, &launch->error);
}

// One that could not begin has ended; a fault of one ends all.
static bool launch_has_ended(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct launch_command *launch = (struct launch_command *)command;
    struct wm_finding fault = {.kind = WM_FAULT_NONE};
    bool faulted = process->fault != cudaSuccess;
    if (launch->family != NULL) {
        if (!faulted &&
            !wm_cuda_launch_tree_advance(launch->family, &launch->status, &fault, &launch->error))
            return false;
        wm_cuda_launch_tree_free(launch->family);
        launch->family = NULL;
        command->end_ps +=
            launch->driver_ps + engine_now_ps(process, launch->launch.gpu) - launch->began_ps;
    } else if (launch->running != NULL) {
        if (!faulted && !wm_concurrent_launch_has_ended(launch->running))
            return false;
        launch->status =
            wm_session_collect(process->session, launch->running, &fault, &launch->error);
        launch->running = NULL;
        command->end_ps +=
            launch->driver_ps + engine_now_ps(process, launch->launch.gpu) - launch->began_ps;
    }
    end_launch(process, launch, faulted ? WM_OK : launch->status, &fault, &launch->error);
    return true;
}

// In in-order mode: only the launches of the family run concurrently.
static void execute_family(struct wm_cuda_command *command, struct wm_cuda_process *process)
{
    begin_launch(command, process);
    pthread_mutex_lock(&process->mutex);
    while (!launch_has_ended(command, process)) {
        pthread_mutex_unlock(&process->mutex);
        (void)wm_session_step(process->session);
        pthread_mutex_lock(&process->mutex);
    }
    pthread_mutex_unlock(&process->mutex);
}

const struct wm_kernel *wm_cuda_launched_kernel(const struct wm_cuda_command *command)
{
    return command->begin == begin_launch ? ((const struct launch_command *)command)->launch.kernel
                                          : NULL;
}

static void release_launch(struct wm_cuda_command *command)
{
    wm_cuda_run_release(((struct launch_command *)command)->children.run);
    free(command);
}

uint64_t wm_cuda_push_launch(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                             const struct wm_launch *launch)
{
    return wm_cuda_push_launch_at(process, stream, launch, 1, NULL, true);
}

uint64_t wm_cuda_push_launch_at(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                const struct wm_launch *launch, uint32_t depth,
                                struct wm_cuda_graph_run *run, bool by_driver)
{
    struct launch_command *command = malloc(sizeof *command + launch->parameter_bytes);
    if (!command)
        return 0;
    *command = (struct launch_command){
        .base = {.execute = execute_launch,
                 .begin = begin_launch,
                 .has_ended = launch_has_ended,
                 .release = release_launch,
                 .uses_memory = true},
        .priority = stream->priority,
        .depth = depth,
        .driver_ps = by_driver ? WM_CUDA_LAUNCH_PS : 0,
        .stream = stream->id,
        .launch = *launch,
        .output = {.limit = process->devices[stream->device].limits[WM_CUDA_LIMIT_PRINT]},
    };
    command->launch.output = &command->output;
    wm_cuda_kernel_launches_init(&command->children, process, launch->gpu, depth, NULL);
    command->children.run = wm_cuda_run_retain(run);
    command->launch.services = &command->children.services;
    if (launch->parameter_bytes > 0)
        memcpy(command->parameters, launch->parameters, launch->parameter_bytes);
    command->launch.parameters = command->parameters;
    return wm_cuda_stream_push(process, stream, &command->base);
}
