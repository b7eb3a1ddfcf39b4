#include "cuda/device/device_commands.h"

#include "cuda/error/log.h"
#include "cuda/graph/capture.h"
#include "cuda/stream/shared_event.h"
#include "cuda/stream/stream_order.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>
#include <string.h>

// ---- Estimated device time ---------------------------------------------------------------------
#define EVENT_PS UINT64_C(500000)       // the resolution that CUDA states for events
#define HOST_LINK_BYTES_PER_SECOND 12e9 // a PCI Express 3.0 x16 link in practice

uint64_t wm_cuda_copy_time_ps(const struct wm_cuda_process *process, uint64_t bytes,
                              enum wm_cuda_copy_way way)
{
    const struct wm_memory_spec *memory = &process->machine.memory;
    double rate = way == WM_CUDA_COPY_TO_HOST ? HOST_LINK_BYTES_PER_SECOND
                  : way == WM_CUDA_COPY_TO_PEER
                      ? (double)memory->peer_link.bandwidth_bytes_per_second
                      : (double)memory->dram.bandwidth_bytes_per_second / 2;
    return WM_CUDA_LAUNCH_PS + (rate > 0 ? (uint64_t)((double)bytes / rate * 1e12) : 0);
}

enum wm_cuda_copy_way wm_cuda_copy_way(const struct wm_cuda_process *process, uint64_t to,
                                       uint64_t from, bool to_device, bool from_device)
{
    uint32_t gpus = process->device_count;
    if (to_device != from_device)
        return WM_CUDA_COPY_TO_HOST;
    bool crosses =
        to_device && wm_gpu_of_address(to, gpus, gpus) != wm_gpu_of_address(from, gpus, gpus);
    return crosses ? WM_CUDA_COPY_TO_PEER : WM_CUDA_COPY_INSIDE;
}

// The stream's next command is ordered behind all that was issued to these devices.
static bool follow_devices(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           uint32_t devices)
{
    struct wm_cuda_sequences behind = {0};
    bool good = wm_cuda_order_devices(process, devices, 0, &behind);
    for (size_t i = 0; i < behind.count && good; i++)
        good = wm_cuda_stream_order_behind(process, stream, behind.items[i]);
    free(behind.items);
    return good;
}

uint64_t wm_cuda_push_copying(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                              struct wm_cuda_command *command, uint64_t to, uint64_t from,
                              enum wm_cuda_copy_way way)
{
    uint32_t gpus = process->device_count;
    if (way != WM_CUDA_COPY_TO_PEER || !wm_cuda_is_default(process, stream))
        return wm_cuda_stream_push(process, stream, command);
    uint32_t devices = UINT32_C(1) << wm_gpu_of_address(to, gpus, stream->device) |
                       UINT32_C(1) << wm_gpu_of_address(from, gpus, stream->device);
    if (!follow_devices(process, stream, devices))
        return wm_cuda_queue_give_up(&process->queue, command);
    uint64_t sequence = wm_cuda_stream_push(process, stream, command);
    bool good = sequence != 0 && wm_cuda_order_devices(process, devices, sequence, NULL);
    return good ? sequence : 0;
}

bool wm_cuda_has_faulted(struct wm_cuda_process *process)
{
    pthread_mutex_lock(&process->mutex);
    bool yes = process->fault != cudaSuccess;
    pthread_mutex_unlock(&process->mutex);
    return yes;
}

bool wm_cuda_gives_up(struct wm_cuda_process *process)
{
    pthread_mutex_lock(&process->mutex);
    bool yes = process->fault != cudaSuccess || process->queue.stopping;
    pthread_mutex_unlock(&process->mutex);
    return yes;
}

// ---- Copies and fills --------------------------------------------------------------------------

struct copy_command {
    struct wm_cuda_command base;
    struct wm_cuda_pitched_address to, from;
    struct wm_cuda_box box;
    uint64_t stream;
    bool to_device, from_device;
    enum wm_cuda_copy_way way;
    struct wm_cuda_element element; // fills
    uint8_t staging[];
};

static void copy_row(struct wm_cuda_process *process, uint64_t to, uint64_t from, uint64_t bytes,
                     bool to_device, bool from_device)
{
    // The engine follows the bytes; a host-to-host copy never reaches the device.
    if (from_device && to_device)
        wm_session_device_copy(process->session, to, from, bytes);
    else if (from_device)
        wm_session_host_read(process->session, from, bytes);
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    if (to_device && !from_device)
        wm_session_host_write(process->session, to, bytes);
}

void wm_cuda_run_copy(struct wm_cuda_process *process, const struct wm_cuda_pitched_address *to,
                      const struct wm_cuda_pitched_address *from, const struct wm_cuda_box *box,
                      bool to_device, bool from_device)
{
    for (uint64_t z = 0; z < box->depth; z++)
        for (uint64_t y = 0; y < box->height; y++)
            copy_row(process, to->address + z * to->slice + y * to->pitch,
                     from->address + z * from->slice + y * from->pitch, box->width, to_device,
                     from_device);
}

static void execute_copy(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct copy_command *copy = (const struct copy_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    if (process->recorder)
        wm_recorder_stream(process->recorder, copy->stream);
    wm_cuda_run_copy(process, &copy->to, &copy->from, &copy->box, copy->to_device,
                     copy->from_device);
    command->end_ps += wm_cuda_copy_time_ps(
        process, copy->box.width * copy->box.height * copy->box.depth, copy->way);
}

// Rows that follow each other without a gap are one row: fewer calls for the usual case.
static void join_rows(struct wm_cuda_box *box, struct wm_cuda_pitched_address *to,
                      struct wm_cuda_pitched_address *from)
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
    copy->from = (struct wm_cuda_pitched_address){
        .address = (uint64_t)(uintptr_t)copy->staging,
        .pitch = copy->box.width,
        .slice = copy->box.width * copy->box.height,
    };
}

uint64_t wm_cuda_push_copy(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           const struct wm_cuda_pitched_address *to,
                           const struct wm_cuda_pitched_address *from,
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
        .way = wm_cuda_copy_way(process, to->address, from->address, to_device, from_device),
    };
    if (staged)
        stage(copy);
    join_rows(&copy->box, &copy->to, &copy->from);
    return wm_cuda_push_copying(process, stream, &copy->base, to->address, from->address,
                                copy->way);
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

void wm_cuda_run_fill(struct wm_cuda_process *process, const struct wm_cuda_pitched_address *to,
                      const struct wm_cuda_box *box, struct wm_cuda_element element)
{
    for (uint64_t z = 0; z < box->depth; z++)
        for (uint64_t y = 0; y < box->height; y++) {
            uint64_t row = to->address + z * to->slice + y * to->pitch;
            fill_row(row, box->width, element);
            wm_session_device_fill(process->session, row, box->width);
        }
}

static void execute_fill(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct copy_command *fill = (const struct copy_command *)command;
    if (wm_cuda_has_faulted(process))
        return;
    if (process->recorder)
        wm_recorder_stream(process->recorder, fill->stream);
    wm_cuda_run_fill(process, &fill->to, &fill->box, fill->element);
    command->end_ps += wm_cuda_copy_time_ps(
        process, fill->box.width * fill->box.height * fill->box.depth, WM_CUDA_COPY_INSIDE);
}

uint64_t wm_cuda_push_fill(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                           const struct wm_cuda_pitched_address *to, const struct wm_cuda_box *box,
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

// Whether a wait for another process is over, which says so when it was in vain.
static bool is_over(enum wm_shared_event_state state)
{
    if (state == WM_SHARED_EVENT_LOST)
        wm_log_explain(WM_LOG_ERROR, "an event of another process will not complete: the process "
                                     "that recorded it has ended\n");
    return state != WM_SHARED_EVENT_PENDING;
}

static void execute_wait(struct wm_cuda_command *command, void *owner)
{
    struct event_command *wait = (struct event_command *)command;
    while (!is_over(wm_shared_event_wait(wait->shared, wait->record)) && !wm_cuda_gives_up(owner))
        continue;
}

// In concurrent mode other streams' commands run meanwhile.
static void begin_wait(struct wm_cuda_command *command, void *owner)
{
    (void)command, (void)owner;
}

static bool has_waited(struct wm_cuda_command *command, void *owner)
{
    const struct wm_cuda_process *process = owner;
    struct event_command *wait = (struct event_command *)command;
    return process->fault != cudaSuccess || process->queue.stopping ||
           is_over(wm_shared_event_look(wait->shared, wait->record));
}

static bool advance_queue(struct wm_cuda_process *process)
{
    pthread_mutex_lock(&process->mutex);
    bool runs = wm_cuda_queue_advance(&process->queue);
    pthread_mutex_unlock(&process->mutex);
    return runs;
}

void wm_cuda_wait_for_others(struct wm_cuda_process *process, struct wm_shared_event *shared,
                             uint32_t record)
{
    while (!is_over(advance_queue(process) ? wm_shared_event_look(shared, record)
                                           : wm_shared_event_wait(shared, record)))
        continue;
}

wm_cuda_status wm_cuda_wait_for_event(struct wm_cuda_process *process,
                                      struct wm_cuda_stream *stream,
                                      const struct wm_cuda_event *event)
{
    if (!process->queue.side_by_side)
        wm_cuda_stream_follow(stream, event);
    if (!wm_cuda_stream_order_behind(process, stream, event->sequence))
        return cudaErrorMemoryAllocation;
    uint32_t record = event->shared ? wm_shared_event_last(event->shared) : 0;
    if (!event->shared || wm_shared_event_is_complete(event->shared, record))
        return cudaSuccess;
    struct event_command *command = malloc(sizeof *command);
    if (!command)
        return cudaErrorMemoryAllocation;
    *command = (struct event_command){.base = {.execute = execute_wait,
                                               .begin = begin_wait,
                                               .has_ended = has_waited,
                                               .release = release_event},
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
    wm_cuda_status status; // for the callback: the device's fault
};

static void call_host(void *command)
{
    struct host_command *host = command;
    if (host->process->queue.one_at_a_time && host->base.sequence > 1)
        host->process->host_threads->awaited(host->base.sequence - 1); // what it is behind
    if (host->callback)
        host->callback(host->stream, host->status, host->argument);
    else if (host->status == cudaSuccess)
        host->function(host->argument);
}

// A host function does not run on a device that has faulted; a callback gets the fault's status.
static void execute_host(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct host_command *host = (struct host_command *)command;
    pthread_mutex_lock(&process->mutex);
    host->status = process->fault;
    pthread_mutex_unlock(&process->mutex);
    if (process->host_threads)
        process->host_threads->call(call_host, host);
    else
        call_host(host);
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
        .stream = wm_cuda_is_default(process, stream) ? NULL : stream,
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
    *command =
        (struct record_command){.base = {.execute = execute_record, .excluded_from_order = true},
                                .kind = kind,
                                .address = address,
                                .bytes = bytes};
    (void)wm_cuda_queue_push(&process->queue, &command->base);
}
