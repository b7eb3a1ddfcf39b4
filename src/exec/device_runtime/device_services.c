// Calls of the device runtime of dynamic parallelism: see device_services.h.
#include "exec/device_runtime/device_services.h"

#include "exec/device_runtime/generic_bytes.h"
#include "exec/device_runtime/runtime_calls.h"
#include "exec/faults.h"
#include "exec/sync/reconvergence.h"

#include <string.h>

enum { MOST_ARGUMENT_WORDS = 4 };

static const struct wm_device_service_shape shapes[WM_SERVICES] = {
#define WM_SERVICE(identifier, name_, result_, ...)                        \
    [WM_SERVICE_##identifier] = {                                          \
        .name = (name_),                                                   \
        .result = (result_),                                               \
        .argument_count = sizeof((const uint8_t[]){0, ##__VA_ARGS__}) - 1, \
        .arguments = {__VA_ARGS__},                                        \
    },
#include "exec/device_runtime/device_services.def"
#undef WM_SERVICE
};

const struct wm_device_service_shape *wm_device_service_shape(enum wm_device_service service)
{
    return &shapes[service];
}

bool wm_device_service_find(const char *name, enum wm_device_service *service)
{
    // CUDA 12 named them anew for its second interface; the functions are the same.
    static const char *const prefixes[] = {"__cudaCDP2", "cuda"};
    // Another name of it, without the warning that CUDA 12 gives.
    if (strcmp(name, "__cudaDeviceSynchronizeDeprecationAvoidance") == 0)
        name = "cudaDeviceSynchronize";
    for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
        size_t length = strlen(prefixes[p]);
        if (strncmp(name, prefixes[p], length) != 0)
            continue;
        for (unsigned s = 0; s < WM_SERVICES; s++) {
            size_t own = strlen(shapes[s].name);
            const char *rest = name + length + own;
            if (strncmp(name + length, shapes[s].name, own) == 0 &&
                (*rest == 0 || strcmp(rest, "_ptsz") == 0)) {
                *service = (enum wm_device_service)s;
                return true;
            }
        }
    }
    return false;
}

bool wm_device_call_read(const struct wm_device_call *call, uint64_t address, void *to,
                         uint32_t bytes)
{
    return wm_generic_read(call->warp, call->lane, address, to, bytes);
}

bool wm_device_call_write(const struct wm_device_call *call, uint64_t address, const void *from,
                          uint32_t bytes)
{
    return wm_generic_write(call->warp, call->lane, address, from, bytes);
}

// A thread's call; false, with a fault, where no runtime is.
static bool call_service(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                         uint64_t *result)
{
    const struct wm_runtime_form *form = op->runtime;
    const struct wm_grid *grid = warp->grid;
    const struct wm_device_service_shape *shape = &shapes[form->service];
    struct wm_device_call call = {
        .service = form->service,
        .caller = &grid->decoded->kernel,
        .block = warp->block->public.index,
        .thread = warp->index * grid->decoded->width + lane,
        .warp = warp,
        .lane = lane,
    };
    uint64_t bytes[WM_SERVICE_ARGUMENTS][MOST_ARGUMENT_WORDS];
    for (unsigned i = 0; i < shape->argument_count; i++) {
        wm_runtime_argument(warp, form, lane, i, bytes[i], shape->arguments[i]);
        call.arguments[i] = bytes[i];
    }
    if (!grid->services) {
        wm_fault_runtime(warp, op, lane, 0,
                         "a function of the device runtime, where no runtime is");
        return false;
    }
    *result = grid->services->call(grid->services->owner, &call);
    wm_runtime_result(warp, form, lane, result, shape->result);
    return true;
}

// Lane after lane, so that what one thread launches comes before what the next one does.
const struct wm_op *wm_run_service(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t result;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1)
        if (!call_service(warp, op, (unsigned)__builtin_ctzll(rest), &result))
            return NULL;
    return op + 1;
}

// ---- Waiting for children ----------------------------------------------------------------------

const struct wm_op *wm_run_device_synchronize(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_device_services *services = warp->grid->services;
    struct wm_block *block = &warp->block->public;
    bool waits = false;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        uint64_t result;
        if (!call_service(warp, op, (unsigned)__builtin_ctzll(rest), &result))
            return NULL;
        waits |= (uint32_t)result == 0;
    }
    if (!waits || !services->has_children(services->owner, block->index))
        return op + 1;
    block->waits++;
    wm_paths_block(warp, WM_PATH_AT_CHILDREN, op + 1);
    return wm_paths_next(warp);
}

static void wake_waiting(struct wm_warp *warp)
{
    uint64_t used = wm_all_lanes(wm_width(warp)) & ~(warp->free_paths | warp->ready_paths);
    for (; used; used &= used - 1) {
        struct wm_path *path = &warp->paths[__builtin_ctzll(used)];
        if (path->state == WM_PATH_AT_CHILDREN)
            wm_paths_wake(warp, path);
    }
}

void wm_grid_children_ended(struct wm_grid *grid, uint64_t index)
{
    struct wm_block_state *block = grid->resident_blocks;
    while (block && block->public.index != index)
        block = block->next_resident;
    if (!block || block->public.waits == 0)
        return;
    for (uint32_t w = 0; w < block->public.warp_count; w++)
        wake_waiting(&block->warps[w]);
    block->public.waits = 0;
}
