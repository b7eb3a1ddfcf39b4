#include "cuda/process.h"

#include "base/names/memory_names.h"
#include "cuda/device/device_commands.h"
#include "cuda/error/log.h"
#include "cuda/error/repeated_messages.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/graph_launch.h"
#include "cuda/memory/array_table.h"
#include "cuda/memory/pool.h"
#include "cuda/run/environment.h"
#include "cuda/run/host_checks.h"
#include "cuda/run/lasting_thread.h"
#include "cuda/run/live_threads.h"
#include "cuda/run/memory_names.h"
#include "cuda/run/owner.h"
#include "cuda/stream/stream_order.h"
#include "cuda/texture/references.h"
#include "cuda/texture/texture_objects.h"
#include "exec/memory/virtual_memory.h"
#include "exec/warp_width.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct wm_cuda_process the_process = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void wm_cuda_print_error(const struct wm_error *error)
{
    char text[sizeof *error + 64];
    wm_error_format(error, text, sizeof text);
    wm_log_explain(WM_LOG_ERROR, "%s", text);
}

wm_cuda_status wm_cuda_status_of(const struct wm_error *error)
{
    switch (error->status) {
    case WM_OK: return cudaSuccess;
    case WM_INVALID: return cudaErrorInvalidPtx;
    case WM_UNSUPPORTED: return cudaErrorUnsupportedPtxVersion;
    case WM_NOT_FOUND: return cudaErrorInvalidDeviceFunction;
    case WM_NO_MEMORY: return cudaErrorMemoryAllocation;
    case WM_IO: return cudaErrorOperatingSystem;
    case WM_LIMIT: return cudaErrorLaunchOutOfResources;
    case WM_FAULT: return cudaErrorLaunchFailure;
    case WM_DEADLOCK:
    case WM_STOPPED: return cudaErrorLaunchTimeout;
    }
    return cudaErrorUnknown;
}

// ---- Making the device -------------------------------------------------------------------------

static void at_safe_point(void *context)
{
    struct wm_cuda_process *process = context;
    wm_cuda_queue_at_safe_point(&process->queue);
}

// The order of some machines depends on what misses: then a recording in that order simulates it.
static bool order_needs_memory(const struct wm_cuda_process *process,
                               const struct wm_run_settings *settings)
{
    return settings->record && !settings->record_any_order &&
           wm_engine_order_needs_memory(&process->machine);
}

static enum wm_status make_device(struct wm_cuda_process *process, struct wm_error *error)
{
    struct wm_run_settings *settings = &process->report.settings;
    uint32_t checks;
    bool filtered;
    WM_TRY(wm_cuda_environment_read(settings, error));
    WM_TRY(wm_cuda_environment_checks(settings, &checks, error));
    WM_TRY(wm_cuda_environment_launches(settings, &process->filter, &filtered, error));
    WM_TRY(wm_cuda_environment_machine(settings, &process->plugins, &process->machine, error));
    WM_TRY(wm_program_check_width(process->machine.sm.warp_width, error));
    WM_TRY(wm_run_report_open(&process->report, error));
    process->device_count = wm_memory_gpus(&process->machine.memory);
    WM_TRY(wm_device_memory_new_of_gpus(process->machine.device.memory_bytes, process->device_count,
                                        &process->memory, error));
    WM_TRY(wm_run_report_record(&process->report, &process->machine, &process->recorder, error));
    WM_TRY(wm_run_check_open(&process->check, checks, process->memory, error));
    struct wm_session_options options = {
        .recorder = process->recorder,
        .checker = process->check.checker,
        .memory = settings->memory || order_needs_memory(process, settings),
        .clock = settings->engine == WM_RUN_BY_CLOCK,
        .sample_cycles = settings->sample_cycles,
        .in_order = settings->record && !settings->record_any_order,
        .progress = settings->progress,
        .profiled = settings->profiled,
        .filter = filtered ? &process->filter : NULL,
        .per_launch = settings->per_launch,
        .block_map = settings->block_map,
        .explain = settings->explain || settings->annotate || settings->annotate_html ||
                   settings->annotate_json,
        .limit_instructions = settings->limit_instructions,
        .limit_ns = settings->limit_ns,
        .at_safe_point = at_safe_point,
        .context = process,
        .host_in_turns = settings->host_threads,
    };
    WM_TRY(wm_live_threads_check(process, &options, error));
    process->checks_in_order = checks != 0 && !settings->host_threads;
    process->serial_streams = settings->serial_streams || process->checks_in_order;
    wm_run_measure_begin(&process->report.measure, &process->machine, &process->plugins, &options);
    WM_TRY(wm_session_new(&process->machine, process->memory, &options, &process->session, error));
    wm_run_host_checks_start(process);
    if (process->host_threads)
        wm_memory_calls_start(process);
    return wm_live_threads_start(process, error);
}

// The numbers of default streams: 1, that of a thread is 2, and the other devices' follow.
static void set_defaults(struct wm_cuda_process *process, uint32_t number)
{
    // The defaults that CUDA's drivers report for these limits.
    static const uint64_t limits[WM_CUDA_LIMITS] = {
        1024, UINT64_C(1) << 20, UINT64_C(8) << 20, 2, 2048, 128, 0};
    struct wm_cuda_device *device = &process->devices[number];
    free(device->default_stream.waits.items);
    free(device->left.items);
    *device = (struct wm_cuda_device){
        .default_stream = {.id = number == 0 ? 1 : 2 + number, .device = number}};
    memcpy(device->limits, limits, sizeof limits);
}

static void number_streams(struct wm_cuda_process *process)
{
    process->thread_streams_made = 0;
    process->next_stream_id = 2 + process->device_count;
}

static bool step(void *context)
{
    struct wm_cuda_process *process = context;
    return wm_session_step(process->session);
}

// Host functions are seen by the host, too.
static bool is_watched(void *context)
{
    const struct wm_cuda_process *process = context;
    return process->host_functions > 0 || wm_device_memory_host_count(process->memory) > 0;
}

// Records the command's order.
static void note(void *context, const struct wm_cuda_command *command)
{
    const struct wm_cuda_process *process = context;
    const struct wm_cuda_order_record *note = command->note;
    wm_recorder_command(process->recorder, &(struct wm_order_command){
                                               .id = command->sequence,
                                               .behind_all = note->behind_all,
                                               .behind = note->sequences,
                                               .behind_count = note->behind_count,
                                               .ended_up_to = note->ended_up_to,
                                               .ended = note->sequences + note->behind_count,
                                               .ended_count = note->ended_count,
                                           });
}

static void make_process(struct wm_cuda_process *process)
{
    struct wm_error error;
    wm_error_clear(&error);
    process->owner = getpid();
    wm_cuda_queue_init(&process->queue, &process->mutex,
                       &(struct wm_cuda_queue_owner){
                           .context = process,
                           .step = step,
                           .is_watched = is_watched,
                           .access = wm_live_threads_access,
                           .advance = wm_live_threads_advance,
                           .note = note,
                       });
    for (uint32_t device = 0; device < WM_MOST_GPUS; device++)
        set_defaults(process, device);
    process->device_count = 1;
    if (make_device(process, &error) == WM_OK) {
        number_streams(process);
        process->phase = WM_CUDA_READY;
        wm_run_owner_watch(process->report.settings.run_folder);
        return;
    }
    wm_run_report_failed(&process->report, &error);
    wm_recorder_free(process->recorder);
    process->recorder = NULL;
    process->phase = WM_CUDA_FAILED;
}

// ---- Locking -----------------------------------------------------------------------------------

struct wm_cuda_process *wm_cuda_lock(void)
{
    pthread_mutex_lock(&the_process.mutex);
    return &the_process;
}

void wm_cuda_unlock(struct wm_cuda_process *process)
{
    pthread_mutex_unlock(&process->mutex);
}

// A fork's child inherits the device's memory but not its worker: CUDA does not work there either.
// It must find the mutex usable all the same.
static void before_fork(void)
{
    pthread_mutex_lock(&the_process.mutex);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&the_process.mutex);
}

static void after_fork_in_child(void)
{
    pthread_mutex_init(&the_process.mutex, NULL);
}

__attribute__((constructor)) static void open_library(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    wm_cuda_threads_open();
}

static void make(void *process)
{
    make_process(process);
}

struct wm_cuda_process *wm_cuda_start(const struct wm_host_threads *threads)
{
    struct wm_cuda_process *process = &the_process;
    pthread_mutex_lock(&process->mutex);
    if (process->phase == WM_CUDA_NOT_STARTED) {
        process->host_threads = threads;
        if (!wm_cuda_run_on_lasting_thread(make, process))
            process->phase = WM_CUDA_FAILED;
    }
    bool good = process->phase == WM_CUDA_READY && process->queue.threads == threads;
    pthread_mutex_unlock(&process->mutex);
    return good ? process : NULL;
}

wm_cuda_status wm_cuda_enter_even_faulted(struct wm_cuda_process **entered)
{
    struct wm_cuda_process *process = &the_process;
    *entered = NULL;
    if (!wm_cuda_thread()->in_driver)
        wm_cuda_thread()->used_runtime = true;
    pthread_mutex_lock(&process->mutex);
    if (process->phase == WM_CUDA_NOT_STARTED)
        make_process(process);
    wm_cuda_status status = cudaSuccess;
    if (process->phase == WM_CUDA_FAILED || process->owner != getpid())
        status = cudaErrorInitializationError;
    else if (process->phase == WM_CUDA_CLOSED)
        status = cudaErrorCudartUnloading;
    else if (wm_cuda_queue_is_worker(&process->queue))
        status = cudaErrorNotPermitted;
    if (status != cudaSuccess)
        pthread_mutex_unlock(&process->mutex);
    else
        *entered = process;
    return status;
}

wm_cuda_status wm_cuda_enter(struct wm_cuda_process **entered)
{
    wm_cuda_status status = wm_cuda_enter_even_faulted(entered);
    if (status == cudaSuccess && (*entered)->sticky != cudaSuccess) {
        status = (*entered)->sticky;
        pthread_mutex_unlock(&(*entered)->mutex);
        *entered = NULL;
    }
    return status;
}

wm_cuda_status wm_cuda_set_last_error(wm_cuda_status status)
{
    // Not ready is an answer and no error: cudaGetLastError does not return it (CUDA C++
    // Programming Guide, "Error Checking").
    if (status == cudaSuccess || status == cudaErrorNotReady)
        return status;
    wm_cuda_thread()->last_error = status;
    if (!wm_cuda_thread()->in_driver)
        wm_log_result(status);
    return status;
}

wm_cuda_status wm_cuda_leave(struct wm_cuda_process *process, wm_cuda_status status)
{
    if (process)
        pthread_mutex_unlock(&process->mutex);
    return wm_cuda_set_last_error(status);
}

// ---- Waiting -----------------------------------------------------------------------------------

static bool freed_by(const struct wm_cuda_allocation *allocation, uint64_t sequence)
{
    return allocation->freed_after && allocation->freed_after <= sequence;
}

static void release_memory(struct wm_cuda_process *process, uint64_t address)
{
    wm_cuda_push_record(process, WM_RECORDED_FREE, address, 0);
    (void)wm_device_memory_release(process->memory, address, NULL);
}

static void release_freed(struct wm_cuda_process *process, uint64_t sequence)
{
    bool any = false;
    for (uint32_t i = 0; i < process->allocation_count && !any; i++)
        any = freed_by(&process->allocations[i], sequence);
    if (!any)
        return;
    wm_cuda_queue_pause_begin(&process->queue);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < process->allocation_count; i++) {
        struct wm_cuda_allocation *allocation = &process->allocations[i];
        if (freed_by(allocation, sequence))
            release_memory(process, allocation->address);
        else
            process->allocations[kept++] = *allocation;
    }
    process->allocation_count = kept;
    wm_cuda_queue_pause_end(&process->queue);
}

// What the host may know when a command has completed. In concurrent mode the device has stopped by
// then, so nothing else has happened.
static wm_cuda_status publish(struct wm_cuda_process *process, uint64_t sequence)
{
    const struct wm_cuda_queue *queue = &process->queue;
    uint64_t known = queue->side_by_side ? UINT64_MAX : sequence;
    wm_cuda_print(process, known);
    if (process->fault != cudaSuccess && process->fault_sequence <= known)
        process->sticky = process->fault;
    release_freed(process, queue->completed < sequence ? queue->completed : sequence);
    wm_cuda_pools_synchronized(process);
    return process->sticky;
}

wm_cuda_status wm_cuda_wait(struct wm_cuda_process *process, uint64_t sequence)
{
    wm_cuda_queue_wait(&process->queue, sequence);
    (void)wm_cuda_queue_note_end(&process->queue, sequence);
    return publish(process, sequence);
}

wm_cuda_status wm_cuda_leave_query(struct wm_cuda_process *process, wm_cuda_status status,
                                   uint64_t sequence)
{
    if (status == cudaSuccess)
        status = wm_cuda_queue_query(&process->queue, sequence) ? wm_cuda_wait(process, sequence)
                                                                : cudaErrorNotReady;
    (void)wm_cuda_leave(process, status);
    if (status == cudaErrorNotReady)
        sched_yield(); // programs poll in a loop; the worker needs the lock that they take
    return status;
}

wm_cuda_status wm_cuda_wait_in_order(struct wm_cuda_process *process)
{
    uint64_t last = process->queue.issued;
    wm_cuda_queue_wait_for_all(&process->queue, last);
    return publish(process, last);
}

wm_cuda_status wm_cuda_wait_all(struct wm_cuda_process *process)
{
    uint64_t last = process->queue.issued;
    wm_cuda_status status = wm_cuda_wait_in_order(process);
    wm_cuda_queue_note_end_of_all(&process->queue, last);
    return status;
}

// Work of a device is of its streams; what was issued in streams that are gone is kept apart, or
// the default stream is ordered behind it.
wm_cuda_status wm_cuda_wait_device(struct wm_cuda_process *process)
{
    struct wm_cuda_device *device = wm_cuda_current(process);
    if (process->device_count == 1)
        return wm_cuda_wait_all(process);
    wm_cuda_device_note_end(process);
    wm_cuda_status status = wm_cuda_stream_wait(process, &device->default_stream);
    // Waiting lets other host threads in: each is looked for anew.
    for (const struct wm_cuda_stream *at;
         status == cudaSuccess && (at = wm_cuda_unfinished_stream(process)) != NULL;)
        status = wm_cuda_stream_wait(process, at);
    while (status == cudaSuccess && device->left.count > 0) {
        uint64_t sequence = device->left.items[--device->left.count];
        status = wm_cuda_wait(process, sequence);
    }
    return status;
}

static void release_mapped(struct wm_cuda_process *process)
{
    struct wm_virtual_memory *virtual_memory = wm_device_memory_virtual(process->memory);
    uint32_t count;
    const struct wm_mapping *mappings = wm_virtual_mappings(virtual_memory, &count);
    for (uint32_t i = 0; i < count; i++)
        wm_cuda_push_record(process, WM_RECORDED_FREE, mappings[i].address, 0);
    wm_virtual_reset(virtual_memory);
}

// Those of one device, of a list.
static void drop_streams(struct wm_cuda_process *process, struct wm_cuda_stream **link,
                         uint32_t device)
{
    while (*link) {
        struct wm_cuda_stream *stream = *link;
        if (stream->device != device) {
            link = &stream->next;
            continue;
        }
        *link = stream->next;
        wm_cuda_stream_free(process, stream);
    }
}

static void drop_events(struct wm_cuda_process *process, uint32_t device)
{
    for (struct wm_cuda_event **link = &process->events; *link;) {
        struct wm_cuda_event *event = *link;
        if (event->device != device) {
            link = &event->next;
            continue;
        }
        *link = event->next;
        wm_cuda_event_free(event);
    }
}

static void drop_allocations(struct wm_cuda_process *process, uint32_t device)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < process->allocation_count; i++) {
        struct wm_cuda_allocation *allocation = &process->allocations[i];
        if (allocation->device == device)
            release_memory(process, allocation->address);
        else
            process->allocations[kept++] = *allocation;
    }
    process->allocation_count = kept;
}

// What is not of one device: while others are in use it stays.
static void drop_shared(struct wm_cuda_process *process)
{
    wm_cuda_reset_captures(process);
    wm_cuda_reset_graphs(process);
    wm_cuda_texture_objects_forget(process);
    wm_cuda_references_forget(process);
    wm_cuda_arrays_forget(process);
    process->malloc_count = 0;
}

void wm_cuda_reset(struct wm_cuda_process *process)
{
    uint32_t device = wm_cuda_thread()->device, bit = UINT32_C(1) << device;
    bool alone = (process->devices_used & ~bit) == 0;
    (void)wm_cuda_wait_all(process);
    wm_cuda_queue_pause_begin(&process->queue); // other host threads may have gone on
    drop_allocations(process, device);
    if (device == 0)
        release_mapped(process);
    wm_cuda_reset_runtime(process);
    wm_cuda_registry_unload(&process->registry, device);
    wm_cuda_reset_pools(process, device);
    if (alone)
        drop_shared(process);
    drop_streams(process, &process->streams, device);
    drop_streams(process, &process->thread_streams, device);
    drop_events(process, device);
    process->resets[device]++;
    process->devices_used &= ~bit;
    if (process->fault_device == device)
        process->fault = process->sticky = cudaSuccess;
    set_defaults(process, device);
    if (alone)
        number_streams(process);
    wm_cuda_queue_pause_end(&process->queue);
}

// ---- The end -----------------------------------------------------------------------------------

// Where threads are recorded, too: what they share with kernels has the names of a run.
static void name_recorded(const struct wm_cuda_process *process)
{
    struct wm_memory_names names;
    if (!process->recorder || !process->host_threads)
        return;
    wm_memory_names_init(&names);
    wm_memory_name_allocations(process, &names);
    wm_recorder_names(process->recorder, &names);
    wm_memory_names_release(&names);
}

// Work that is still queued is finished, so that the report counts the same work on every run.
// Nothing is unmapped: other threads and later destructors may still touch device memory.
__attribute__((destructor)) static void close_library(void)
{
    struct wm_cuda_process *process = &the_process;
    wm_cuda_threads_close();
    wm_live_threads_end(process);
    pthread_mutex_lock(&process->mutex);
    enum wm_cuda_phase phase = process->phase;
    if (phase == WM_CUDA_READY && process->owner == getpid()) {
        if (!wm_cuda_queue_is_worker(&process->queue))
            wm_cuda_queue_stop(&process->queue);
        wm_cuda_print(process, UINT64_MAX); // CUDA would lose it
        wm_run_host_checks_end(process);
        wm_run_check_leaks(process);
        wm_run_measure_end(&process->report.measure, &process->recorder);
        wm_memory_name_all(process);
        wm_run_report_write(&process->report, process->session);
        wm_run_check_write(&process->check, &process->report, process->fault != cudaSuccess);
        name_recorded(process);
        wm_run_report_end_recording(&process->report, process->recorder);
        process->recorder = NULL;
    }
    wm_messages_print_repeated();
    process->phase = WM_CUDA_CLOSED;
    pthread_mutex_unlock(&process->mutex);
}
