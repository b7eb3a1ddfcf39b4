// Launches and their resident blocks: see exec.h. Everything a block needs is allocated when the
// first of its kind starts, and kept in the grid's pool until the grid ends.
#include "exec/grid.h"

#include "base/containers/array.h"
#include "exec/frames.h"
#include "exec/memory/spaces.h"
#include "exec/operations/stack_ops.h"
#include "exec/sync/reconvergence.h"

#include <assert.h>

enum {
    MOST_DYNAMIC_SHARED_BYTES = 1 << 24,
    RESERVED_ALIGNMENT = 128,
    // Frames of PTX hold no spilled registers, so the least is more than the 1024 bytes of CUDA.
    LEAST_STACK_BYTES = 16384,
    MOST_STACK_BYTES = 512 * 1024, // CUDA C++ Programming Guide, technical specifications
};

static const uint64_t most_local_bytes_per_block = UINT64_C(1) << 40;

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static const struct wm_decoded_kernel *decoded_of(const struct wm_kernel *kernel)
{
    return (const struct wm_decoded_kernel *)(const void *)kernel;
}

static enum wm_status check_shape(const struct wm_launch *launch, struct wm_error *error)
{
    static const char axes[] = "xyz";
    for (int axis = 0; axis < 3; axis++) {
        if (launch->grid[axis] == 0)
            return wm_fail(error, WM_INVALID, "the grid's %c dimension is zero", axes[axis]);
        if (launch->block[axis] == 0)
            return wm_fail(error, WM_INVALID, "the block's %c dimension is zero", axes[axis]);
        if (launch->grid[axis] > (axis == 0 ? INT32_MAX : UINT16_MAX))
            return wm_fail(error, WM_INVALID, "the grid's %c dimension is too large: %u",
                           axes[axis], launch->grid[axis]);
    }
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1];
    if (threads > 1024 || threads * launch->block[2] > 1024)
        return wm_fail(error, WM_INVALID, "a block of %u × %u × %u threads is more than 1024",
                       launch->block[0], launch->block[1], launch->block[2]);
    return WM_OK;
}

static enum wm_status check_kernel(const struct wm_launch *launch, struct wm_error *error)
{
    const struct wm_kernel *kernel = launch->kernel;
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (kernel->max_threads_per_block && threads > kernel->max_threads_per_block)
        return wm_fail(error, WM_INVALID,
                       "a block of %u threads, but the kernel was compiled for at most %u "
                       "(.maxntid)",
                       threads, kernel->max_threads_per_block);
    if (launch->dynamic_shared_bytes > MOST_DYNAMIC_SHARED_BYTES)
        return wm_fail(error, WM_INVALID, "%u bytes of dynamic shared memory",
                       launch->dynamic_shared_bytes);
    if (launch->parameter_bytes < kernel->parameter_bytes)
        return wm_fail(error, WM_INVALID, "%u bytes of parameters, but the kernel takes %u",
                       launch->parameter_bytes, kernel->parameter_bytes);
    if (decoded_of(kernel)->width == 64 && kernel->warp_primitive)
        return wm_fail(error, WM_UNSUPPORTED,
                       "%s is defined for warps of 32 lanes; this machine's have 64",
                       kernel->warp_primitive);
    return WM_OK;
}

// %tid and %warpid of warp w, the same in every block.
static void fill_thread_ids(struct wm_grid *grid, unsigned width)
{
    for (uint32_t w = 0; w < grid->warps_per_block; w++) {
        uint32_t *vectors =
            (uint32_t *)(void *)(grid->thread_ids + (size_t)w * WM_WARP_VECTORS * width * 4);
        for (unsigned lane = 0; lane < width; lane++) {
            uint32_t thread = w * width + lane;
            vectors[WM_VECTOR_TID_X * width + lane] = thread % grid->block[0];
            vectors[WM_VECTOR_TID_Y * width + lane] = thread / grid->block[0] % grid->block[1];
            vectors[WM_VECTOR_TID_Z * width + lane] = thread / grid->block[0] / grid->block[1];
            vectors[WM_VECTOR_WARPID * width + lane] = w;
        }
    }
}

static void *aligned_zeros(size_t bytes)
{
    size_t size = align_up(bytes ? bytes : 64, 64);
    void *memory = aligned_alloc(64, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

static uint32_t local_bytes_of(const struct wm_launch *launch)
{
    uint64_t stack = launch->stack_bytes;
    if (!launch->kernel->needs_stack)
        return launch->kernel->local_bytes_per_thread;
    stack = stack < LEAST_STACK_BYTES ? LEAST_STACK_BYTES : stack;
    stack = stack > MOST_STACK_BYTES ? MOST_STACK_BYTES : stack;
    return launch->kernel->local_bytes_per_thread + ((uint32_t)stack & ~UINT32_C(15));
}

static enum wm_status allocate_grid(struct wm_grid *grid, const struct wm_launch *launch,
                                    struct wm_error *error)
{
    const struct wm_decoded_kernel *decoded = grid->decoded;
    grid->parameter_bytes = decoded->kernel.parameter_bytes;
    grid->parameters = aligned_zeros(grid->parameter_bytes + 16);
    grid->thread_ids =
        aligned_zeros((size_t)grid->warps_per_block * WM_WARP_VECTORS * decoded->width * 4);
    grid->ranges = calloc(decoded->range_count + 1, sizeof(grid->ranges[0]));
    grid->frames = calloc(decoded->function_count, sizeof(grid->frames[0]));
    if (!grid->parameters || !grid->thread_ids || !grid->ranges || !grid->frames)
        return wm_fail_no_memory(error, "a launch");
    grid->workspace = launch->workspace;
    grid->graph = launch->graph;
    grid->output = launch->output;
    grid->heap = launch->heap;
    grid->conditions = launch->conditions;
    grid->stray = launch->stray;
    grid->stray_context = launch->stray_context;
    grid->textures = launch->textures;
    grid->services = launch->services;
    grid->time = launch->time;
    if (grid->parameter_bytes)
        memcpy(grid->parameters, launch->parameters, grid->parameter_bytes);
    fill_thread_ids(grid, decoded->width);
    return WM_OK;
}

enum wm_status wm_grid_new(const struct wm_launch *launch, struct wm_device_memory *memory,
                           struct wm_grid **result, struct wm_error *error)
{
    *result = NULL;
    WM_TRY(check_shape(launch, error));
    WM_TRY(check_kernel(launch, error));
    struct wm_grid *grid;
    WM_TRY(WM_ARRAY_NEW(grid, 1, error, "a launch"));
    const struct wm_decoded_kernel *decoded = decoded_of(launch->kernel);
    grid->decoded = decoded;
    grid->memory = memory;
    grid->generation = wm_device_memory_generation(memory);
    memcpy(grid->grid, launch->grid, sizeof(grid->grid));
    memcpy(grid->block, launch->block, sizeof(grid->block));
    grid->threads_per_block = launch->block[0] * launch->block[1] * launch->block[2];
    grid->warps_per_block = (grid->threads_per_block + decoded->width - 1) / decoded->width;
    grid->gpu = launch->gpu;
    grid->peers = launch->peers;
    grid->sm_count = launch->sm_count ? launch->sm_count : 1;
    grid->local_offset = launch->local_offset;
    grid->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    grid->shared_bytes = launch->dynamic_shared_bytes
                             ? decoded->dynamic_shared_offset + launch->dynamic_shared_bytes
                             : decoded->kernel.static_shared_bytes;
    if (decoded->reserves_shared) {
        grid->reserved_shared_bytes = WM_RESERVED_SHARED_BYTES;
        grid->shared_bytes =
            (uint32_t)align_up(grid->shared_bytes, RESERVED_ALIGNMENT) + WM_RESERVED_SHARED_BYTES;
    }
    grid->block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    grid->local_bytes_per_thread = local_bytes_of(launch);
    grid->local_bytes_per_warp =
        align_up((uint64_t)grid->local_bytes_per_thread * decoded->width, 128);
    enum wm_status status = allocate_grid(grid, launch, error);
    if (status != WM_OK) {
        wm_grid_free(grid);
        return status;
    }
    *result = grid;
    return WM_OK;
}

static void free_block(struct wm_block_state *block)
{
    if (!block)
        return;
    for (uint32_t w = 0; w < block->public.warp_count; w++) {
        free(block->warps[w].paths);
        free(block->warps[w].nodes);
    }
    free(block->registers);
    free(block->shared);
    free(block->local);
    free(block->specials);
    free(block);
}

void wm_grid_free(struct wm_grid *grid)
{
    if (!grid)
        return;
    while (grid->free_blocks) {
        struct wm_block_state *block = grid->free_blocks;
        grid->free_blocks = block->next_free;
        free_block(block);
    }
    while (grid->resident_blocks) {
        struct wm_block_state *block = grid->resident_blocks;
        grid->resident_blocks = block->next_resident;
        for (uint32_t w = 0; w < block->public.warp_count; w++)
            wm_paths_abandon(&block->warps[w]);
        free_block(block);
    }
    if (grid->frames)
        wm_frames_release(grid);
    free(grid->frames);
    free(grid->ranges);
    free(grid->thread_ids);
    free(grid->parameters);
    free(grid);
}

uint64_t wm_grid_block_count(const struct wm_grid *grid)
{
    return grid->block_count;
}

uint64_t wm_grid_local_bytes_per_block(const struct wm_grid *grid)
{
    return grid->local_bytes_per_warp * grid->warps_per_block;
}

void wm_grid_place_local(struct wm_grid *grid, uint64_t offset)
{
    grid->local_offset = offset;
}

uint32_t wm_grid_warps_per_block(const struct wm_grid *grid)
{
    return grid->warps_per_block;
}

const struct wm_finding *wm_grid_fault(const struct wm_grid *grid)
{
    return grid->faulted ? &grid->fault : NULL;
}

void wm_grid_refresh(struct wm_grid *grid)
{
    uint64_t generation = wm_device_memory_generation(grid->memory);
    if (generation == grid->generation)
        return;
    memset(grid->ranges, 0, (grid->decoded->range_count + 1) * sizeof(grid->ranges[0]));
    grid->generation = generation;
}

static bool allocate_warp(struct wm_warp *warp, struct wm_block_state *block, uint32_t index)
{
    struct wm_grid *grid = block->grid;
    const struct wm_decoded_kernel *decoded = grid->decoded;
    unsigned width = decoded->width;
    warp->grid = grid;
    warp->block = block;
    warp->index = index;
    warp->ops = decoded->ops;
    warp->paths = calloc(width, sizeof(warp->paths[0]));
    if (!warp->paths || !wm_paths_grow_nodes(warp))
        return false;
    warp->shared = (struct wm_move_range){.size_bytes = grid->shared_bytes, .host = block->shared};
    warp->bases[WM_BASE_CONSTANT] = (uintptr_t)decoded->constants - WM_BASE_CONSTANT;
    warp->bases[WM_BASE_WARP] =
        (uintptr_t)grid->thread_ids + (uintptr_t)index * WM_WARP_VECTORS * width * 4 - WM_BASE_WARP;
    warp->bases[WM_BASE_BLOCK] = (uintptr_t)block->specials - WM_BASE_BLOCK;
    return true;
}

static void fill_vector(struct wm_block_state *block, enum wm_block_vector vector, uint32_t value)
{
    unsigned width = block->grid->decoded->width;
    uint32_t *lanes = (uint32_t *)(void *)(block->specials + (size_t)vector * width * 4);
    for (unsigned lane = 0; lane < width; lane++)
        lanes[lane] = value;
}

// %total_smem_size counts whole units of allocation (PTX ISA 10, by target).
static uint32_t total_shared(const struct wm_grid *grid)
{
    uint32_t architecture = grid->decoded->kernel.function->symbol->module->target_architecture;
    uint32_t unit = architecture >= 30 && architecture < 80 ? 256 : 128;
    return (grid->shared_bytes - grid->reserved_shared_bytes + unit - 1) / unit * unit;
}

// What stays the same for all blocks that will use this memory.
static void fill_launch_vectors(struct wm_block_state *block)
{
    const struct wm_grid *grid = block->grid;
    for (uint32_t axis = 0; axis < 3; axis++) {
        fill_vector(block, (enum wm_block_vector)(WM_VECTOR_NTID_X + axis), grid->block[axis]);
        fill_vector(block, (enum wm_block_vector)(WM_VECTOR_NCTAID_X + axis), grid->grid[axis]);
    }
    fill_vector(block, WM_VECTOR_NWARPID, grid->warps_per_block);
    fill_vector(block, WM_VECTOR_NSMID, grid->sm_count);
    fill_vector(block, WM_VECTOR_DYNAMIC_SHARED, grid->dynamic_shared_bytes);
    fill_vector(block, WM_VECTOR_TOTAL_SHARED, total_shared(grid));
    fill_vector(block, WM_VECTOR_AGGREGATE_SHARED,
                total_shared(grid) + grid->reserved_shared_bytes);
    uint32_t reserved = grid->shared_bytes - grid->reserved_shared_bytes;
    fill_vector(block, WM_VECTOR_RESERVED_SHARED, reserved);
    fill_vector(block, WM_VECTOR_RESERVED_SECOND, reserved + grid->reserved_shared_bytes / 2);
    fill_vector(block, WM_VECTOR_RESERVED_END, grid->shared_bytes);
    fill_vector(block, WM_VECTOR_ENVREG1, (uint32_t)(grid->workspace >> 32));
    fill_vector(block, WM_VECTOR_ENVREG2, (uint32_t)grid->workspace);
    fill_vector(block, WM_VECTOR_GRAPH_LOW, (uint32_t)grid->graph);
    fill_vector(block, WM_VECTOR_GRAPH_HIGH, (uint32_t)(grid->graph >> 32));
}

static struct wm_block_state *allocate_block(struct wm_grid *grid)
{
    const struct wm_decoded_kernel *decoded = grid->decoded;
    uint32_t warps = grid->warps_per_block;
    struct wm_block_state *block = aligned_zeros(sizeof(*block) + warps * sizeof(block->warps[0]));
    if (!block)
        return NULL;
    block->grid = grid;
    block->public.warp_count = warps;
    block->registers = aligned_zeros((size_t)warps * decoded->functions[0].frame_bytes);
    block->specials = aligned_zeros((size_t)WM_BLOCK_VECTORS * decoded->width * 4);
    bool good = block->registers && block->specials;
    if (grid->shared_bytes)
        good &= (block->shared = aligned_zeros(grid->shared_bytes)) != NULL;
    uint64_t local_bytes = grid->local_bytes_per_warp * warps;
    // calloc, not aligned_zeros: most of a large stack is never touched, and stays free.
    if (local_bytes && local_bytes < most_local_bytes_per_block)
        good &= (block->local = calloc(1, local_bytes)) != NULL;
    for (uint32_t w = 0; w < warps; w++)
        good = good && allocate_warp(&block->warps[w], block, w);
    if (!good) {
        free_block(block);
        return NULL;
    }
    fill_launch_vectors(block);
    return block;
}

static void start_warps(struct wm_block_state *block)
{
    struct wm_grid *grid = block->grid;
    const struct wm_decoded_kernel *decoded = grid->decoded;
    uint32_t threads = grid->threads_per_block;
    for (uint32_t w = 0; w < grid->warps_per_block; w++) {
        uint32_t lanes = threads - w * decoded->width;
        uint64_t mask = wm_all_lanes(lanes < decoded->width ? lanes : decoded->width);
        uintptr_t frame =
            (uintptr_t)block->registers + (uintptr_t)w * decoded->functions[0].frame_bytes;
        memset(block->warps[w].come, 0, sizeof(block->warps[w].come));
        block->warps[w].spin = NULL;
        if (decoded->allocates)
            wm_stack_start(&block->warps[w]);
        wm_paths_start(&block->warps[w], mask, &decoded->ops[decoded->functions[0].entry], frame);
        block->public.ready |= UINT64_C(1) << w;
    }
}

enum wm_status wm_grid_start_block(struct wm_grid *grid, uint64_t index, uint32_t sm, uint32_t slot,
                                   struct wm_block **result, struct wm_error *error)
{
    *result = NULL;
    struct wm_block_state *block = grid->free_blocks;
    if (block) {
        grid->free_blocks = block->next_free;
        if (block->shared)
            memset(block->shared, 0, grid->shared_bytes);
    } else {
        block = allocate_block(grid);
        if (!block)
            return wm_fail_no_memory(error, "a resident block");
    }
    block->next_resident = grid->resident_blocks;
    block->previous_resident = NULL;
    if (grid->resident_blocks)
        grid->resident_blocks->previous_resident = block;
    grid->resident_blocks = block;
    block->public.index = index;
    block->public.sm = sm;
    block->public.slot = slot;
    block->public.ready = block->public.finished = 0;
    block->public.waits = 0;
    block->live_threads = grid->threads_per_block;
    memset(block->barriers, 0, sizeof(block->barriers));
    uint64_t place = (uint64_t)slot * grid->sm_count + sm;
    block->local_address = WM_LOCAL_BASE + grid->local_offset +
                           place * grid->local_bytes_per_warp * grid->warps_per_block;
    fill_vector(block, WM_VECTOR_CTAID_X, (uint32_t)(index % grid->grid[0]));
    fill_vector(block, WM_VECTOR_CTAID_Y, (uint32_t)(index / grid->grid[0] % grid->grid[1]));
    fill_vector(block, WM_VECTOR_CTAID_Z, (uint32_t)(index / grid->grid[0] / grid->grid[1]));
    fill_vector(block, WM_VECTOR_SMID, sm);
    start_warps(block);
    *result = &block->public;
    return WM_OK;
}

const void *wm_block_shared(const struct wm_block *public, uint32_t *bytes)
{
    const struct wm_block_state *block = (const struct wm_block_state *)public;
    *bytes = block->shared ? block->grid->shared_bytes : 0;
    return block->shared;
}

void wm_grid_finish_block(struct wm_grid *grid, struct wm_block *public)
{
    struct wm_block_state *block = (struct wm_block_state *)public;
    if (block->previous_resident)
        block->previous_resident->next_resident = block->next_resident;
    else
        grid->resident_blocks = block->next_resident;
    if (block->next_resident)
        block->next_resident->previous_resident = block->previous_resident;
    for (uint32_t w = 0; w < public->warp_count; w++)
        wm_paths_abandon(&block->warps[w]);
    block->next_free = grid->free_blocks;
    grid->free_blocks = block;
}
