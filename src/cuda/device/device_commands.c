#include "cuda/device/device_commands.h"

#include "cuda/graph/capture.h"
#include "cuda/log.h"
#include "cuda/stream/shared_event.h"
#include "cuda/stream/stream_order.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>
#include <string.h>

// ---- Estimated device time ---------------------------------------------------------------------
// The clock engine says how long a launch took. The walk has no clock: then event times are an
// estimate from what was executed and moved, at the described machine's rates, so that programs
// which print a bandwidth print a finite and repeatable number (docs/cuda.md says what it is
// worth).
#define PS_PER_SECOND 1e12
#define LAUNCH_PS UINT64_C(5000000)     // 5 us: what launching and finishing an empty kernel costs
#define EVENT_PS UINT64_C(500000)       // the resolution that CUDA states for events
#define HOST_LINK_BYTES_PER_SECOND 12e9 // a PCI Express 3.0 x16 link in practice

static uint64_t engine_time_ps(const struct wm_cuda_process *process,
                               const struct wm_walk_totals *before,
                               const struct wm_walk_totals *after)
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

// The engine's time goes on by what has happened since a launch last began or ended: launches that
// run side by side share the machine, and so does their time.
static uint64_t engine_now_ps(struct wm_cuda_process *process)
{
    struct wm_walk_totals now = wm_walk_totals(process->walk);
    process->engine_ps += engine_time_ps(process, &process->engine_totals, &now);
    process->engine_totals = now;
    return process->engine_ps;
}

uint64_t wm_cuda_copy_time_ps(const struct wm_cuda_process *process, uint64_t bytes, bool over_link)
{
    double rate = over_link ? HOST_LINK_BYTES_PER_SECOND
                            : (double)process->machine.memory.dram.bandwidth_bytes_per_second / 2;
    return LAUNCH_PS + (rate > 0 ? (uint64_t)((double)bytes / rate * PS_PER_SECOND) : 0);
}

bool wm_cuda_has_faulted(struct wm_cuda_process *process)
{
    pthread_mutex_lock(&process->mutex);
    bool yes = process->fault != cudaSuccess;
    pthread_mutex_unlock(&process->mutex);
    return yes;
}

// ---- Copies and fills --------------------------------------------------------------------------

struct copy_command {
    struct wm_cuda_command base;
    struct wm_cuda_place to, from;
    struct wm_cuda_box box;
    uint64_t stream;
    bool to_device, from_device;
    struct wm_cuda_element element; // fills
    uint8_t staging[];
};

static void copy_row(struct wm_cuda_process *process, const struct copy_command *copy, uint64_t to,
                     uint64_t from)
{
    uint64_t bytes = copy->box.width;
    // The engine follows the bytes; a host-to-host copy never reaches the device.
    if (copy->from_device && copy->to_device)
        wm_walk_device_copy(process->walk, to, from, bytes);
    else if (copy->from_device)
        wm_walk_host_read(process->walk, from, bytes);
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    if (copy->to_device && !copy->from_device)
        wm_walk_host_write(process->walk, to, bytes);
}

static void execute_copy(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct copy_command *copy = (const struct copy_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    if (process->recorder)
        wm_recorder_stream(process->recorder, copy->stream);
    for (uint64_t z = 0; z < copy->box.depth; z++)
        for (uint64_t y = 0; y < copy->box.height; y++)
            copy_row(process, copy, copy->to.address + z * copy->to.slice + y * copy->to.pitch,
                     copy->from.address + z * copy->from.slice + y * copy->from.pitch);
    command->end_ps +=
        wm_cuda_copy_time_ps(process, copy->box.width * copy->box.height * copy->box.depth,
                             copy->to_device != copy->from_device);
}

// Rows that follow each other without a gap are one row: fewer calls for the usual case.
static void join_rows(struct wm_cuda_box *box, struct wm_cuda_place *to, struct wm_cuda_place *from)
{
    if (box->height > 1 && to->pitch == box->width && from->pitch == box->width &&
        (box->depth == 1 || (to->slice == box->width * box->height && to->slice == from->slice))) {
        box->width *= box->height * box->depth;
        box->height = box->depth = 1;
    }
}

static void stage(struct copy_command *copy)
{
    uint8_t *at = copy->staging;
    for (uint64_t z = 0; z < copy->box.depth; z++)
        for (uint64_t y = 0; y < copy->box.height; y++, at += copy->box.width)
            memcpy(at,
                   (const void *)(uintptr_t)(copy->from.address + z * copy->from.slice +
                                             y * copy->from.pitch),
                   copy->box.width);
    copy->from = (struct wm_cuda_place){
        .address = (uint64_t)(uintptr_t)copy->staging,
        .pitch = copy->box.width,
        .slice = copy->box.width * copy->box.height,
    };
}

uint64_t wm_cuda_push_copy(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           const struct wm_cuda_place *to, const struct wm_cuda_place *from,
                           const struct wm_cuda_box *box, bool to_device, bool from_device,
                           bool staged)
{
    uint64_t bytes = staged ? box->width * box->height * box->depth : 0;
    struct copy_command *copy = malloc(sizeof *copy + bytes);
    if (!copy)
        return 0;
    *copy = (struct copy_command){
        .base = {.execute = execute_copy, .uses_memory = true},
        .stream = stream->id,
        .to = *to,
        .from = *from,
        .box = *box,
        .to_device = to_device,
        .from_device = from_device,
    };
    if (staged)
        stage(copy);
    join_rows(&copy->box, &copy->to, &copy->from);
    return wm_cuda_stream_push(process, stream, &copy->base);
}

static void fill_row(uint64_t to, uint64_t bytes, struct wm_cuda_element element)
{
    if (element.bytes == 1) {
        memset((void *)(uintptr_t)to, (int)(element.value & 0xff), bytes);
        return;
    }
    for (uint64_t at = 0; at < bytes; at += element.bytes)
        memcpy((void *)(uintptr_t)(to + at), &element.value, element.bytes);
}

static void execute_fill(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct copy_command *fill = (const struct copy_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    if (process->recorder)
        wm_recorder_stream(process->recorder, fill->stream);
    for (uint64_t z = 0; z < fill->box.depth; z++) {
        for (uint64_t y = 0; y < fill->box.height; y++) {
            uint64_t to = fill->to.address + z * fill->to.slice + y * fill->to.pitch;
            fill_row(to, fill->box.width, fill->element);
            wm_walk_device_fill(process->walk, to, fill->box.width);
        }
    }
    command->end_ps +=
        wm_cuda_copy_time_ps(process, fill->box.width * fill->box.height * fill->box.depth, false);
}

uint64_t wm_cuda_push_fill(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           const struct wm_cuda_place *to, const struct wm_cuda_box *box,
                           struct wm_cuda_element element)
{
    struct copy_command *fill = malloc(sizeof *fill);
    if (!fill)
        return 0;
    *fill = (struct copy_command){
        .base = {.execute = execute_fill, .uses_memory = true},
        .stream = stream->id,
        .to = *to,
        .from = *to,
        .box = *box,
        .element = element,
    };
    join_rows(&fill->box, &fill->to, &fill->from);
    return wm_cuda_stream_push(process, stream, &fill->base);
}

// ---- Launches ----------------------------------------------------------------------------------

struct launch_command {
    struct wm_cuda_command base;
    uint64_t stream;
    struct wm_launch launch;
    struct wm_device_output output; // what it prints, until it has ended
    struct wm_cuda_kernel_launches children;
    int priority;               // the stream's
    struct wm_running *running; // side by side, while it is under way
    uint64_t began_ps;          // likewise, in the engine's time
    enum wm_status status;      // likewise, and the next: that it could not begin with
    struct wm_error error;
    _Alignas(16) uint8_t parameters[];
};

// The code CUDA returns for what stopped a kernel.
static wm_cuda_status finding_status(const struct wm_finding *finding)
{
    switch (finding->kind) {
    case WM_FINDING_OUT_OF_BOUNDS:
    case WM_FINDING_FREED:
    case WM_FINDING_SHARED_OUT_OF_BOUNDS:
    case WM_FINDING_LOCAL_OUT_OF_BOUNDS:
    case WM_FINDING_READ_ONLY: return cudaErrorIllegalAddress;
    case WM_FINDING_MISALIGNED: return cudaErrorMisalignedAddress;
    case WM_FINDING_ASSERT: return cudaErrorAssert;
    case WM_FINDING_DEADLOCK: return cudaErrorLaunchTimeout;
    case WM_FINDING_ILLEGAL_CALL: return cudaErrorInvalidPc;
    case WM_FINDING_UNSUPPORTED: return cudaErrorNotSupported;
    case WM_FINDING_ILLEGAL_BARRIER: return cudaErrorIllegalInstruction;
    case WM_FINDING_TRAP:
    case WM_FINDING_NONE: return cudaErrorLaunchFailure;
    }
    return cudaErrorLaunchFailure;
}

// A line for each thread, as CUDA prints them (CUDA C++ Programming Guide, "Assertion").
static void print_assertion(const struct wm_finding *finding)
{
    const struct wm_failed_assertion *failed = &finding->assertion;
    const uint32_t *block = finding->block;
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
                       enum wm_status status, const struct wm_finding *finding,
                       const struct wm_error *error)
{
    if (launch->output.text.length != 0 || launch->output.text.failed)
        wm_cuda_keep_printed(process, launch->launch.kernel->name, launch->base.sequence,
                             &launch->output);
    if (status == WM_OK && process->fault == cudaSuccess)
        wm_cuda_issue_kernel_launches(&launch->children, &launch->base, launch->stream);
    wm_cuda_kernel_launches_release(&launch->children);
    if (status == WM_OK)
        return;
    print_assertion(finding);
    wm_cuda_print_error(error);
    process->fault =
        finding->kind != WM_FINDING_NONE ? finding_status(finding) : wm_cuda_status_of(error);
    process->fault_sequence = launch->base.sequence;
    wm_run_report_note(&process->report, error, true);
    // Nothing more will be counted, and programs leave in many ways when a launch fails.
    if (status == WM_STOPPED)
        wm_run_report_write(&process->report, process->walk);
}

static void execute_launch(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct launch_command *launch = (struct launch_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    if (process->recorder)
        wm_recorder_stream(process->recorder, launch->stream);
    uint64_t before_ps = engine_now_ps(process);
    struct wm_finding finding = {.kind = WM_FINDING_NONE};
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status = wm_walk_launch(process->walk, &launch->launch, &finding, &error);
    command->end_ps += LAUNCH_PS + engine_now_ps(process) - before_ps;
    pthread_mutex_lock(&process->mutex);
    end_launch(process, launch, status, &finding, &error);
    pthread_mutex_unlock(&process->mutex);
}

// ---- Launches side by side ---------------------------------------------------------------------

static void begin_launch(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct launch_command *launch = (struct launch_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    launch->began_ps = engine_now_ps(process);
    wm_error_clear(&launch->error);
    launch->status = wm_walk_start(process->walk, &launch->launch, launch->priority,
                                   &launch->running, &launch->error);
}

// One that could not begin has ended; a fault of one ends all.
static bool launch_has_ended(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct launch_command *launch = (struct launch_command *)command;
    struct wm_finding finding = {.kind = WM_FINDING_NONE};
    bool faulted = process->fault != cudaSuccess;
    if (launch->running != NULL) {
        if (!faulted && !wm_running_has_ended(launch->running))
            return false;
        launch->status = wm_walk_take(process->walk, launch->running, &finding, &launch->error);
        launch->running = NULL;
        command->end_ps += LAUNCH_PS + engine_now_ps(process) - launch->began_ps;
    }
    end_launch(process, launch, faulted ? WM_OK : launch->status, &finding, &launch->error);
    return true;
}

uint64_t wm_cuda_push_launch(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                             const struct wm_launch *launch)
{
    struct launch_command *command = malloc(sizeof *command + launch->parameter_bytes);
    if (!command)
        return 0;
    *command = (struct launch_command){
        .base = {.execute = execute_launch,
                 .begin = begin_launch,
                 .has_ended = launch_has_ended,
                 .uses_memory = true},
        .priority = stream->priority,
        .stream = stream->id,
        .launch = *launch,
        .output = {.limit = process->limits[WM_CUDA_LIMIT_PRINT]},
    };
    command->launch.output = &command->output;
    wm_cuda_kernel_launches_init(&command->children, process);
    command->launch.services = &command->children.services;
    if (launch->parameter_bytes > 0)
        memcpy(command->parameters, launch->parameters, launch->parameter_bytes);
    command->launch.parameters = command->parameters;
    return wm_cuda_stream_push(process, stream, &command->base);
}

// ---- Events and host functions -----------------------------------------------------------------

struct event_command {
    struct wm_cuda_command base;
    // Lives until it has been recorded; NULL: a wait for another process.
    struct wm_cuda_event *event;
    struct wm_shared_event *shared; // with other processes; retained, or NULL
    uint32_t record;                // its number there
};

static void release_event(struct wm_cuda_command *command)
{
    struct event_command *own = (struct event_command *)command;
    wm_shared_event_release(own->shared);
    if (own->event && --own->event->records == 0 && own->event->destroyed)
        wm_cuda_event_free(own->event);
    free(command);
}

static void execute_event(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct event_command *event = (struct event_command *)command;
    command->end_ps += EVENT_PS;
    pthread_mutex_lock(&process->mutex);
    if (event->event->sequence == command->sequence)
        event->event->time_ps = command->end_ps;
    pthread_mutex_unlock(&process->mutex);
    if (event->shared)
        wm_shared_event_complete(event->shared, event->record);
}

wm_cuda_status wm_cuda_record_event(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_event *event)
{
    struct event_command *command = malloc(sizeof *command);
    if (!command)
        return cudaErrorMemoryAllocation;
    *command = (struct event_command){.base = {.execute = execute_event, .release = release_event},
                                      .event = event};
    uint32_t record = event->shared ? wm_shared_event_record(event->shared) : 0;
    if (event->shared)
        command->shared = wm_shared_event_retain(event->shared);
    command->record = record;
    event->records++;
    uint64_t work = wm_cuda_stream_before_record(process, stream);
    uint64_t sequence = wm_cuda_stream_push(process, stream, &command->base);
    if (sequence == 0 && event->shared)
        wm_shared_event_complete(event->shared, record); // nothing will
    if (sequence == 0)
        return cudaErrorMemoryAllocation;
    stream->last_record = event->sequence = sequence;
    event->after = process->queue.side_by_side ? sequence : work;
    event->recorded = true;
    event->capture_id = 0;
    return cudaSuccess;
}

static void execute_wait(struct wm_cuda_command *command, void *owner)
{
    (void)owner;
    struct event_command *wait = (struct event_command *)command;
    if (!wm_shared_event_wait(wait->shared, wait->record))
        wm_log_explain(WM_LOG_ERROR, "an event of another process will not complete: the process "
                                     "that recorded it has ended\n");
}

wm_cuda_status wm_cuda_wait_for_event(struct wm_cuda_process *process,
                                      struct wm_cuda_stream *stream,
                                      const struct wm_cuda_event *event)
{
    if (!process->queue.side_by_side)
        wm_cuda_stream_follow(stream, event);
    else if (wm_cuda_stream_wait_for(process, stream, event->sequence) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    uint32_t record = event->shared ? wm_shared_event_last(event->shared) : 0;
    if (!event->shared || wm_shared_event_is_complete(event->shared, record))
        return cudaSuccess;
    struct event_command *command = malloc(sizeof *command);
    if (!command)
        return cudaErrorMemoryAllocation;
    *command = (struct event_command){.base = {.execute = execute_wait, .release = release_event},
                                      .shared = wm_shared_event_retain(event->shared),
                                      .record = record};
    return wm_cuda_stream_push(process, stream, &command->base) ? cudaSuccess
                                                                : cudaErrorMemoryAllocation;
}

struct host_command {
    struct wm_cuda_command base;
    struct wm_cuda_process *process;
    wm_cuda_stream_handle stream;
    wm_cuda_host_function *function;
    wm_cuda_stream_callback *callback;
    void *argument;
};

// A host function does not run on a device that has faulted; a callback is told of the fault.
static void execute_host(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct host_command *host = (struct host_command *)command;
    pthread_mutex_lock(&process->mutex);
    wm_cuda_status status = process->fault;
    pthread_mutex_unlock(&process->mutex);
    if (host->callback)
        host->callback(host->stream, status, host->argument);
    else if (status == cudaSuccess)
        host->function(host->argument);
}

static void release_host(struct wm_cuda_command *command)
{
    ((struct host_command *)command)->process->host_functions--;
    free(command);
}

uint64_t wm_cuda_push_host(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           wm_cuda_host_function *function, wm_cuda_stream_callback *callback,
                           void *argument)
{
    struct host_command *command = malloc(sizeof *command);
    if (!command)
        return 0;
    *command = (struct host_command){
        .base = {.execute = execute_host, .release = release_host},
        .process = process,
        .stream = stream == &process->default_stream ? NULL : stream,
        .function = function,
        .callback = callback,
        .argument = argument,
    };
    process->host_functions++;
    return wm_cuda_stream_push(process, stream, &command->base);
}

// ---- The recording -----------------------------------------------------------------------------

struct record_command {
    struct wm_cuda_command base;
    enum wm_recorded_event_kind kind;
    uint64_t address, bytes;
};

static void execute_record(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct record_command *record = (const struct record_command *)command;
    wm_recorder_event(process->recorder, record->kind, record->address, 0, record->bytes);
}

void wm_cuda_push_record(struct wm_cuda_process *process, enum wm_recorded_event_kind kind,
                         uint64_t address, uint64_t bytes)
{
    struct record_command *command = process->recorder ? malloc(sizeof *command) : NULL;
    if (!command)
        return;
    *command = (struct record_command){
        .base = {.execute = execute_record}, .kind = kind, .address = address, .bytes = bytes};
    (void)wm_cuda_queue_push(&process->queue, &command->base);
}

// ---- A profiler's ranges -----------------------------------------------------------------------

struct range_command {
    struct wm_cuda_command base;
    bool begins;
};

static void execute_range(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    wm_walk_range(process->walk, ((const struct range_command *)command)->begins);
}

bool wm_cuda_push_range(struct wm_cuda_process *process, bool begins)
{
    struct range_command *command = malloc(sizeof *command);
    if (!command)
        return false;
    *command = (struct range_command){.base = {.execute = execute_range}, .begins = begins};
    return wm_cuda_queue_push(&process->queue, &command->base) != 0;
}
