#include "cuda/device/device_runtime.h"
#include "cuda/error/log.h"

#include "cuda/memory/allocation_table.h"
#include "cuda/process.h"

#include <stdio.h>
#include <stdlib.h>

struct wm_cuda_printed {
    struct wm_cuda_printed *next;
    uint64_t sequence;
    struct wm_device_output output; // owned
};

// ---- The heap ----------------------------------------------------------------------------------

// The heap does not begin where its allocation does, so that cudaFree, which knows allocations by
// their beginning, refuses every pointer that a kernel's malloc gave, as CUDA's does.
enum { HEAP_OFFSET = 256 };

static uint64_t heap_bytes(struct wm_cuda_process *process)
{
    uint64_t wanted = wm_cuda_current(process)->limits[WM_CUDA_LIMIT_HEAP],
             bytes = WM_HEAP_ALIGNMENT;
    while (bytes < wanted && bytes >> 35 == 0)
        bytes *= 2;
    return bytes;
}

static wm_cuda_status make_heap(struct wm_cuda_process *process)
{
    struct wm_cuda_device_runtime *runtime = &wm_cuda_current(process)->runtime;
    uint64_t bytes = heap_bytes(process);
    void *memory;
    wm_cuda_status status = wm_cuda_allocate(process, bytes + HEAP_OFFSET, WM_ALLOCATION_DEVICE, 0,
                                             "heap of malloc in kernels", &memory);
    if (status != cudaSuccess)
        return status;
    if (runtime->has_heap) // another host thread was faster
        return wm_cuda_release(process, (uint64_t)(uintptr_t)memory);
    if (wm_device_heap_init(&runtime->heap, (uint64_t)(uintptr_t)memory + HEAP_OFFSET, bytes,
                            NULL) != WM_OK)
        return cudaErrorMemoryAllocation;
    runtime->has_heap = true;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_prepare_runtime(struct wm_cuda_process *process,
                                       const struct wm_kernel *kernel)
{
    wm_cuda_status status = cudaSuccess;
    struct wm_cuda_device_runtime *runtime = &wm_cuda_current(process)->runtime;
    runtime->has_printed |= kernel->prints;
    if ((kernel->allocates || kernel->launches) && !runtime->has_heap)
        status = make_heap(process);
    if (status == cudaSuccess && kernel->launches)
        status = wm_cuda_prepare_kernel_launches(process);
    return status;
}

// ---- Cooperative launches ----------------------------------------------------------------------

wm_cuda_status wm_cuda_prepare_workspace(struct wm_cuda_process *process, uint64_t *address)
{
    struct wm_cuda_device_runtime *runtime = &wm_cuda_current(process)->runtime;
    void *memory;
    wm_cuda_status status = cudaSuccess;
    if (runtime->workspace == 0) {
        status = wm_cuda_allocate(process, 8, WM_ALLOCATION_DEVICE, 0,
                                  "workspace of cooperative launches", &memory);
        if (status == cudaSuccess && runtime->workspace == 0)
            runtime->workspace = (uint64_t)(uintptr_t)memory;
    }
    *address = runtime->workspace;
    return status;
}

// ---- What was printed --------------------------------------------------------------------------

void wm_cuda_keep_printed(struct wm_cuda_process *process, const char *kernel, uint64_t sequence,
                          struct wm_device_output *output)
{
    wm_device_output_end(output);
    if (output->lost != 0)
        wm_log_explain(WM_LOG_ERROR,
                       "kernel \"%s\" printed %llu bytes more than the %llu that are kept "
                       "(cudaLimitPrintfFifoSize): the oldest are lost\n",
                       kernel, (unsigned long long)output->lost, (unsigned long long)output->limit);
    struct wm_cuda_printed *printed = output->text.failed ? NULL : malloc(sizeof *printed);
    if (printed == NULL) {
        wm_log_explain(WM_LOG_ERROR, WM_NO_MEMORY_FOR "what kernel \"%s\" printed\n", kernel);
        wm_device_output_release(output);
        return;
    }
    *printed = (struct wm_cuda_printed){.sequence = sequence, .output = *output};
    if (process->printed_end == NULL)
        process->printed_end = &process->printed;
    *process->printed_end = printed;
    process->printed_end = &printed->next;
}

void wm_cuda_print(struct wm_cuda_process *process, uint64_t sequence)
{
    while (process->printed != NULL && process->printed->sequence <= sequence) {
        struct wm_cuda_printed *printed = process->printed;
        fwrite(printed->output.text.data, 1, printed->output.text.length, stdout);
        process->printed = printed->next;
        if (process->printed == NULL)
            process->printed_end = NULL;
        wm_device_output_release(&printed->output);
        free(printed);
    }
}

void wm_cuda_reset_runtime(struct wm_cuda_process *process)
{
    struct wm_cuda_device_runtime *runtime = &wm_cuda_current(process)->runtime;
    wm_cuda_print(process, UINT64_MAX);
    wm_device_heap_free(&runtime->heap);
    wm_device_heap_free(&runtime->launches.heap);
    while (runtime->launches.texts) {
        struct wm_cuda_device_text *text = runtime->launches.texts;
        runtime->launches.texts = text->next;
        free(text);
    }
    *runtime = (struct wm_cuda_device_runtime){0};
}
