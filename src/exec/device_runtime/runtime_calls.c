// What the device's runtime does for a thread that calls it: see runtime_calls.h.
#include "exec/device_runtime/runtime_calls.h"

#include "exec/device_runtime/device_format.h"
#include "exec/device_runtime/device_heap.h"
#include "exec/device_runtime/device_output.h"
#include "exec/device_runtime/generic_bytes.h"
#include "exec/faults.h"
#include "exec/frames.h"
#include "exec/operations/condition_values.h"
#include <string.h>

void wm_runtime_argument(const struct wm_warp *warp, const struct wm_runtime_form *form,
                         unsigned lane, unsigned index, void *to, uint32_t bytes)
{
    const struct wm_decoded_function *caller = &warp->grid->decoded->functions[form->caller];
    memcpy(to, wm_frame_params(caller, warp->bases[WM_BASE_FRAME], lane) + form->arguments[index],
           bytes);
}

void wm_runtime_result(const struct wm_warp *warp, const struct wm_runtime_form *form,
                       unsigned lane, const void *from, uint32_t bytes)
{
    const struct wm_decoded_function *caller = &warp->grid->decoded->functions[form->caller];
    memcpy(wm_frame_params(caller, warp->bases[WM_BASE_FRAME], lane) + form->result, from, bytes);
}

// ---- Assertions --------------------------------------------------------------------------------

// A string in global memory, cut to `size`; the kernel may have passed anything.
static const char *read_string(const struct wm_grid *grid, uint64_t address, char *text,
                               size_t size)
{
    const struct wm_allocation *at = wm_device_memory_find(grid->memory, address);
    size_t length = 0;
    while (at && length + 1 < size && address + length < at->address + at->size_bytes) {
        char c = ((const char *)(uintptr_t)address)[length];
        if (!c)
            break;
        text[length++] = c;
    }
    text[length] = 0;
    return text;
}

const struct wm_op *wm_run_assert(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_grid *grid = warp->grid;
    unsigned lane = (unsigned)__builtin_ctzll(warp->mask);
    uint64_t message, file, function;
    uint32_t line;
    wm_runtime_argument(warp, op->runtime, lane, 0, &message, sizeof(message));
    wm_runtime_argument(warp, op->runtime, lane, 1, &file, sizeof(file));
    wm_runtime_argument(warp, op->runtime, lane, 2, &line, sizeof(line));
    wm_runtime_argument(warp, op->runtime, lane, 3, &function, sizeof(function));
    char texts[2][192];
    struct wm_failed_assertion failed = {.thread_count = 0};
    snprintf(failed.place, sizeof(failed.place), "%s:%u: %s",
             read_string(grid, file, texts[0], sizeof(texts[0])), line,
             read_string(grid, function, texts[1], sizeof(texts[1])));
    read_string(grid, message, failed.expression, sizeof(failed.expression));
    return wm_fault_assert(warp, op, &failed);
}

// ---- Printing ----------------------------------------------------------------------------------

struct reader {
    const struct wm_warp *warp;
    unsigned lane;
};

static bool read_generic(void *context, uint64_t address, void *to, uint32_t bytes)
{
    const struct reader *reader = context;
    return wm_generic_read(reader->warp, reader->lane, address, to, bytes);
}

// Thread after thread, each its text as a whole.
const struct wm_op *wm_run_print(struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_device_output *output = warp->grid->output;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        struct reader reader = {warp, (unsigned)__builtin_ctzll(rest)};
        struct wm_format_source source = {.read = read_generic, .context = &reader};
        uint64_t format, arguments;
        struct wm_text text;
        wm_text_init(&text);
        wm_runtime_argument(warp, op->runtime, reader.lane, 0, &format, sizeof(format));
        wm_runtime_argument(warp, op->runtime, reader.lane, 1, &arguments, sizeof(arguments));
        int32_t taken = wm_device_format(&source, format, arguments, &text);
        if (output && text.length != 0)
            wm_device_output_add(output, text.data, text.length);
        if (output)
            output->text.failed |= text.failed;
        wm_text_release(&text);
        if (taken == -2)
            return wm_fault_runtime(warp, op, reader.lane, source.unreadable,
                                    "printf reads its format, an argument or a string at 0x%llx, "
                                    "where the kernel has no memory");
        wm_runtime_result(warp, op->runtime, reader.lane, &taken, sizeof(taken));
    }
    return op + 1;
}

// ---- The heap ----------------------------------------------------------------------------------

const struct wm_op *wm_run_malloc(struct wm_warp *warp, const struct wm_op *op)
{
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t bytes, address = 0;
        wm_runtime_argument(warp, op->runtime, lane, 0, &bytes, sizeof(bytes));
        if (warp->grid->heap)
            address = wm_device_heap_allocate(warp->grid->heap, bytes);
        wm_runtime_result(warp, op->runtime, lane, &address, sizeof(address));
    }
    return op + 1;
}

const struct wm_op *wm_run_free(struct wm_warp *warp, const struct wm_op *op)
{
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t address;
        wm_runtime_argument(warp, op->runtime, lane, 0, &address, sizeof(address));
        if (address == 0 || (warp->grid->heap && wm_device_heap_release(warp->grid->heap, address)))
            continue;
        return wm_fault_runtime(warp, op, lane, address,
                                "free of 0x%llx, which malloc has not given or which is free "
                                "already");
    }
    return op + 1;
}

// ---- Conditions of graphs ----------------------------------------------------------------------

// Lane after lane: the last one's value stays.
const struct wm_op *wm_run_set_condition(struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_condition_values *conditions = warp->grid->conditions;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t handle;
        uint32_t value;
        wm_runtime_argument(warp, op->runtime, lane, 0, &handle, sizeof(handle));
        wm_runtime_argument(warp, op->runtime, lane, 1, &value, sizeof(value));
        uint32_t *place = conditions ? wm_condition_value(conditions, handle) : NULL;
        if (!place)
            return wm_fault_runtime(warp, op, lane, handle,
                                    "cudaGraphSetConditional of 0x%llx, which is no handle of a "
                                    "condition");
        *place = value;
    }
    return op + 1;
}
