#include "cuda/stream/memory_operations.h"
#include "cuda/error/log.h"

#include "cuda/device/device_commands.h"
#include "cuda/stream/stream_order.h"

#include <stdlib.h>
#include <time.h>

enum { MOST_OPERATIONS = 256, NOTICE_SECONDS = 5, POLL_NS = 50 * 1000 };

// ---- Checks ------------------------------------------------------------------------------------

static bool is_wait(int type)
{
    return type == WM_CUDA_WAIT_32 || type == WM_CUDA_WAIT_64;
}

static bool is_write(int type)
{
    return type == WM_CUDA_WRITE_32 || type == WM_CUDA_WRITE_64;
}

static unsigned bytes_of(int type)
{
    return type == WM_CUDA_WAIT_64 || type == WM_CUDA_WRITE_64 ? 8 : 4;
}

static wm_cuda_status check_operation(const struct wm_cuda_process *process,
                                      const union wm_cuda_memory_operation *operation)
{
    if (operation->type == WM_CUDA_FLUSH_REMOTE_WRITES)
        return cudaErrorNotSupported;
    if (operation->type == WM_CUDA_MEMORY_BARRIER)
        return operation->barrier.flags <= 1 ? cudaSuccess : cudaErrorInvalidValue;
    bool wait = is_wait(operation->type);
    if (!wait && !is_write(operation->type))
        return cudaErrorInvalidValue;
    unsigned bytes = bytes_of(operation->type), flags = operation->word.flags;
    if (operation->word.address % bytes != 0 ||
        !wm_device_memory_find_range(process->memory, operation->word.address, bytes, !wait))
        return cudaErrorInvalidValue;
    if (wait && (flags & WM_CUDA_WAIT_FLUSH) != 0)
        return cudaErrorNotSupported;
    return flags <= (wait ? WM_CUDA_WAIT_ANY_CLEAR : 1u) ? cudaSuccess : cudaErrorInvalidValue;
}

wm_cuda_status wm_cuda_check_memory_operations(const struct wm_cuda_process *process,
                                               const union wm_cuda_memory_operation *operations,
                                               unsigned count)
{
    wm_cuda_status status =
        operations && count <= MOST_OPERATIONS ? cudaSuccess : cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && status == cudaSuccess; i++)
        status = check_operation(process, &operations[i]);
    return status;
}

// ---- The commands ------------------------------------------------------------------------------

struct operation_command {
    struct wm_cuda_command base;
    uint64_t stream;
    union wm_cuda_memory_operation operation;
};

static bool holds(const union wm_cuda_memory_operation *operation)
{
    uint64_t value = operation->word.value, word, less;
    if (operation->type == WM_CUDA_WAIT_64) {
        word = __atomic_load_n((uint64_t *)(uintptr_t)operation->word.address, __ATOMIC_ACQUIRE);
        less = word - value;
    } else {
        word = __atomic_load_n((uint32_t *)(uintptr_t)operation->word.address, __ATOMIC_ACQUIRE);
        value = (uint32_t)value;
        less = (word - value) << 32; // the sign of 32 bits is where that of 64 is
        if (operation->word.flags == WM_CUDA_WAIT_ANY_CLEAR)
            return (uint32_t) ~(word | value) != 0;
    }
    switch (operation->word.flags) {
    case WM_CUDA_WAIT_EQUAL: return word == value;
    case WM_CUDA_WAIT_ANY_BIT: return (word & value) != 0;
    case WM_CUDA_WAIT_ANY_CLEAR: return ~(word | value) != 0;
    default: return (int64_t)less >= 0;
    }
}

static void execute_wait(struct wm_cuda_command *base, void *owner)
{
    const union wm_cuda_memory_operation *operation =
        &((struct operation_command *)base)->operation;
    const struct timespec pause = {.tv_nsec = POLL_NS};
    uint64_t polls = UINT64_C(1000000000) / POLL_NS * NOTICE_SECONDS;
    while (!holds(operation) && !wm_cuda_gives_up(owner)) {
        nanosleep(&pause, NULL);
        if (polls > 0 && --polls == 0)
            wm_log_explain(
                WM_LOG_ERROR,
                "a stream has waited %d s for a word at %#llx\n"
                "hint: with --serial-streams, and in a program that makes no stream, work runs in "
                "the order in which it is issued: what a later call in another stream would write "
                "never comes, the host must\n",
                NOTICE_SECONDS, (unsigned long long)operation->word.address);
    }
}

static void execute_write(struct wm_cuda_command *base, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct operation_command *command = (const struct operation_command *)base;
    const union wm_cuda_memory_operation *operation = &command->operation;
    if (wm_cuda_has_faulted(process))
        return;
    if (process->recorder)
        wm_recorder_stream(process->recorder, command->stream);
    void *at = (void *)(uintptr_t)operation->word.address;
    if (operation->type == WM_CUDA_WRITE_64)
        __atomic_store_n((uint64_t *)at, operation->word.value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)operation->word.value, __ATOMIC_RELEASE);
    wm_session_device_fill(process->session, operation->word.address, bytes_of(operation->type));
}

// In concurrent mode other streams' commands run meanwhile.
static void begin_wait(struct wm_cuda_command *base, void *owner)
{
    (void)base, (void)owner;
}

static bool has_waited(struct wm_cuda_command *base, void *owner)
{
    const struct wm_cuda_process *process = owner;
    return holds(&((struct operation_command *)base)->operation) || process->fault != cudaSuccess ||
           process->queue.stopping;
}

// Work runs in order, so that a barrier between two pieces of it has no effect.
wm_cuda_status wm_cuda_issue_memory_operations(struct wm_cuda_process *process,
                                               struct wm_cuda_stream *stream,
                                               const union wm_cuda_memory_operation *operations,
                                               unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (operations[i].type == WM_CUDA_MEMORY_BARRIER)
            continue;
        struct operation_command *command = malloc(sizeof *command);
        if (!command)
            return cudaErrorMemoryAllocation;
        bool wait = is_wait(operations[i].type);
        *command = (struct operation_command){
            .base = {.execute = wait ? execute_wait : execute_write,
                     .begin = wait ? begin_wait : NULL,
                     .has_ended = wait ? has_waited : NULL,
                     .uses_memory = !wait,
                     .ended_by_others = wait},
            .stream = stream->id,
            .operation = operations[i],
        };
        if (wm_cuda_stream_push(process, stream, &command->base) == 0)
            return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}
