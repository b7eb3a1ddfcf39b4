#include "exec_harness.h"

#include "coverage.h"

enum { MOST_RESIDENT = 256 };

static void show(const struct wm_error *error)
{
    char text[4096];
    cr_log_error("%s", wm_error_format(error, text, sizeof(text)));
}

static struct wm_ptx_module *parse(const char *body, const char *name)
{
    struct wm_text text;
    struct wm_error error;
    struct wm_ptx_module *module = NULL;
    wm_text_init(&text);
    wm_text_format(&text, ".version 8.0\n.target sm_75\n.address_size 64\n%s", body);
    if (wm_ptx_parse(text.data, text.length, name, &module, &error) != WM_OK)
        show(&error);
    cr_assert_not_null(module);
    wm_text_release(&text);
    coverage_use_module(module);
    return module;
}

static void make_memory(struct harness *harness)
{
    struct wm_error error;
    *harness = (struct harness){0};
    if (wm_device_memory_new(UINT64_C(1) << 28, &harness->memory, &error) != WM_OK)
        show(&error);
    cr_assert_not_null(harness->memory);
}

void harness_init(struct harness *harness, const char *body, unsigned width, enum wm_lane_isa isa,
                  bool private_registers)
{
    struct wm_error error;
    make_memory(harness);
    struct wm_program_options options = {
        .warp_width = width,
        .isa = isa,
        .private_registers = private_registers,
        .textures = &harness->textures,
    };
    if (wm_program_load(parse(body, "test.ptx"), harness->memory, &options, &harness->program,
                        &error) != WM_OK)
        show(&error);
    cr_assert_not_null(harness->program);
}

enum wm_status harness_link(struct harness *harness, const char *const *bodies, uint32_t count,
                            struct wm_error *error)
{
    static const char *const names[HARNESS_MOST_MODULES] = {"first.ptx", "second.ptx", "third.ptx"};
    struct wm_ptx_module *modules[HARNESS_MOST_MODULES];
    struct wm_program_options options = {
        .warp_width = 32, .isa = wm_host_best_isa(), .textures = &harness->textures};
    cr_assert_leq(count, HARNESS_MOST_MODULES);
    make_memory(harness);
    for (uint32_t i = 0; i < count; i++)
        modules[i] = parse(bodies[i], names[i]);
    return wm_program_link(modules, count, harness->memory, &options, &harness->program, error);
}

void harness_release(struct harness *harness)
{
    wm_texture_objects_release(&harness->textures);
    wm_program_free(harness->program);
    wm_device_memory_free(harness->memory);
}

void *harness_allocate(struct harness *harness, uint64_t bytes)
{
    uint64_t address;
    cr_assert_eq(wm_device_memory_allocate(harness->memory, bytes, 256, WM_ALLOCATION_DEVICE,
                                           "cudaMalloc", &address, NULL),
                 WM_OK);
    return (void *)(uintptr_t)address;
}

const struct wm_kernel *harness_kernel(struct harness *harness, const char *name)
{
    struct wm_error error;
    const struct wm_kernel *kernel;
    if (wm_program_kernel(harness->program, name, &kernel, &error) != WM_OK)
        show(&error);
    cr_assert_not_null(kernel);
    return kernel;
}

static bool is_finished(const struct wm_block *block)
{
    uint64_t all = block->warp_count == 64 ? UINT64_MAX : (UINT64_C(1) << block->warp_count) - 1;
    return block->finished == all;
}

// One turn for each ready warp of the block, or for some of them in a random schedule.
static bool run_block(struct harness *harness, struct wm_block *block)
{
    bool ran = false;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        uint64_t budget = harness->budget ? harness->budget : UINT64_MAX;
        if (!(block->ready >> w & 1))
            continue;
        if (harness->schedule) {
            ran = true;
            if (wm_random_below(harness->schedule, 3) == 0)
                continue;
            budget = 1 + wm_random_below(harness->schedule, 40);
        }
        ran = true;
        if (harness->asks && !wm_warp_next_pc(block, w, &harness->next))
            continue;
        wm_warp_run(block, w, budget, harness->until, &harness->sink, &harness->result);
    }
    return ran;
}

static void run_grid(struct harness *harness, struct wm_grid *grid)
{
    struct wm_block *blocks[MOST_RESIDENT] = {0};
    uint64_t count = wm_grid_block_count(grid), next = 0, done = 0;
    uint32_t resident =
        harness->resident && harness->resident < count ? harness->resident : (uint32_t)count;
    cr_assert_leq(resident, MOST_RESIDENT);
    while (done < count) {
        bool ran = false;
        for (uint32_t b = 0; b < resident; b++) {
            if (!blocks[b] && next < count)
                cr_assert_eq(wm_grid_start_block(grid, next++, b % 2, b / 2, &blocks[b], NULL),
                             WM_OK);
            if (!blocks[b])
                continue;
            ran |= run_block(harness, blocks[b]);
            if (wm_grid_fault(grid)) {
                harness->fault = *wm_grid_fault(grid);
                return;
            }
            if (is_finished(blocks[b])) {
                wm_grid_finish_block(grid, blocks[b]);
                blocks[b] = NULL;
                done++;
                ran = true;
            }
        }
        if (!ran) {
            harness->deadlock = true;
            cr_assert_eq(wm_grid_deadlock(grid, blocks, resident, NULL), WM_DEADLOCK);
            harness->fault = *wm_grid_fault(grid);
            return;
        }
    }
}

void harness_launch(struct harness *harness, const char *kernel, uint32_t blocks, uint32_t threads,
                    const uint64_t *parameters, uint32_t count)
{
    struct wm_error error;
    struct wm_launch launch = {.kernel = harness_kernel(harness, kernel),
                               .grid = {blocks, 1, 1},
                               .block = {threads, 1, 1},
                               .dynamic_shared_bytes = harness->dynamic_shared,
                               .sm_count = 2,
                               .stack_bytes = harness->stack_bytes,
                               .parameters = parameters,
                               .parameter_bytes = count * 8,
                               .textures = &harness->textures,
                               .time = harness->time};
    struct wm_grid *grid = NULL;
    harness->result = (struct wm_run_result){0};
    harness->fault = (struct wm_finding){0};
    harness->deadlock = false;
    if (wm_grid_new(&launch, harness->memory, &grid, &error) != WM_OK)
        show(&error);
    cr_assert_not_null(grid);
    run_grid(harness, grid);
    wm_grid_free(grid);
}

void harness_run(struct harness *harness, const char *kernel, uint32_t blocks, uint32_t threads,
                 const uint64_t *parameters, uint32_t count)
{
    harness_launch(harness, kernel, blocks, threads, parameters, count);
    if (harness->fault.kind != WM_FAULT_NONE)
        show(&harness->fault.error);
    cr_assert_eq(harness->fault.kind, WM_FAULT_NONE);
}

void harness_expect_refusal(const char *body, enum wm_status status, struct wm_error *error)
{
    struct harness harness;
    const struct wm_kernel *kernel;
    harness_init(&harness, body, 32, wm_host_best_isa(), false);
    cr_expect_eq(wm_program_kernel(harness.program, "k", &kernel, error), status);
    harness_release(&harness);
}
