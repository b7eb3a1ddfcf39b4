// Arbitrary PTX, of several modules too, loaded and run: whatever a kernel does, it ends in a
// finding, a deadlock, its end, or its budget; the host never notices.
#include "exec/exec.h"

#include <assert.h>

enum {
    MEMORY_BYTES = 1 << 24,
    BUFFER_BYTES = 4096,
    THREADS = 40,
    TURNS = 64,
    BUDGET = 300,
    MOST_MODULES = 3
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void see(void *context, const struct wm_warp_access *access)
{
    uint64_t *sum = context;
    assert(access->active && access->bytes_per_lane);
    for (unsigned lane = 0; lane < access->lanes; lane++)
        *sum += access->active >> lane & 1 ? access->addresses[lane] : 0;
}

static void run_block(struct wm_grid *grid, struct wm_block *block)
{
    uint64_t sum = 0;
    struct wm_access_sink sink = {.access = see, .context = &sum};
    struct wm_run_result result = {0};
    for (int turn = 0; turn < TURNS && !wm_grid_fault(grid); turn++) {
        uint64_t ready = block->ready;
        if (!ready && block->finished != (UINT64_C(1) << block->warp_count) - 1) {
            wm_grid_deadlock(grid, &block, 1, NULL);
            break;
        }
        for (uint32_t w = 0; w < block->warp_count; w++)
            if (block->ready >> w & 1)
                wm_warp_run(block, w, BUDGET, turn & 1 ? WM_RUN_MEMORY : WM_RUN_INSTRUCTIONS, &sink,
                            &result);
    }
}

static void run_kernel(struct wm_program *program, struct wm_device_memory *memory,
                       const char *name, uint64_t buffer)
{
    static uint64_t parameters[8192];
    const struct wm_kernel *kernel;
    struct wm_grid *grid;
    struct wm_block *block;
    struct wm_error error;
    if (wm_program_kernel(program, name, &kernel, &error) != WM_OK)
        return;
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
        parameters[i] = i % 2 ? 64 : buffer;
    struct wm_launch launch = {.kernel = kernel,
                               .grid = {2, 1, 1},
                               .block = {THREADS, 1, 1},
                               .dynamic_shared_bytes = 256,
                               .parameters = parameters,
                               .parameter_bytes = sizeof(parameters)};
    if (wm_grid_new(&launch, memory, &grid, &error) != WM_OK)
        return;
    for (uint64_t b = 0; b < 2; b++)
        if (wm_grid_start_block(grid, b, 0, 0, &block, &error) == WM_OK)
            run_block(grid, block);
    wm_grid_free(grid);
}

// The modules of the input, one behind each form feed; 0 when one of them is no PTX.
static uint32_t parse_modules(const uint8_t *data, size_t size, struct wm_ptx_module **modules)
{
    const char *at = (const char *)data, *end = at + size;
    struct wm_error error;
    uint32_t count = 0;
    while (at < end && count < MOST_MODULES) {
        const char *next = memchr(at, '\f', (size_t)(end - at));
        next = next ? next : end;
        if (wm_ptx_parse(at, (size_t)(next - at), "fuzz", &modules[count], &error) != WM_OK) {
            while (count > 0)
                wm_ptx_module_free(modules[--count]);
            return 0;
        }
        count++;
        at = next + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wm_ptx_module *modules[MOST_MODULES];
    struct wm_device_memory *memory;
    struct wm_program *program;
    struct wm_error error;
    uint64_t buffer;
    uint32_t count = parse_modules(data, size, modules);
    if (count == 0)
        return 0;
    if (wm_device_memory_new(MEMORY_BYTES, &memory, &error) != WM_OK) {
        for (uint32_t m = 0; m < count; m++)
            wm_ptx_module_free(modules[m]);
        return 0;
    }
    wm_device_memory_allocate(memory, BUFFER_BYTES, 256, WM_ALLOCATION_DEVICE, "buffer", &buffer,
                              &error);
    struct wm_program_options options = {.warp_width = size % 2 ? 32 : 64,
                                         .isa = wm_host_best_isa()};
    if (wm_program_link(modules, count, memory, &options, &program, &error) == WM_OK) {
        for (uint32_t k = 0; k < wm_program_kernel_count(program); k++)
            run_kernel(program, memory, wm_program_kernel_name(program, k), buffer);
        wm_program_free(program);
    }
    wm_device_memory_free(memory);
    return 0;
}
