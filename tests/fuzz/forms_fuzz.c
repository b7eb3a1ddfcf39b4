// Kernels that the input's bytes draw from the lists of forms (random_forms.h): plain C with a
// place for each register, and every faster build with shared places, leave the same bits.
#include "../unit/exec/random_forms.h"
#include "exec/exec.h"

#include <assert.h>

enum { MEMORY_BYTES = 1 << 24, IO_BYTES = RANDOM_FORMS_THREADS * RANDOM_FORMS_SLOT_BYTES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wm_ptx_module *parse(const char *body)
{
    struct wm_text text;
    struct wm_error error;
    struct wm_ptx_module *module;
    wm_text_init(&text);
    wm_text_format(&text, ".version 9.0\n.target sm_90a\n.address_size 64\n%s", body);
    enum wm_status status = wm_ptx_parse(text.data, text.length, "forms", &module, &error);
    wm_text_release(&text);
    if (status != WM_OK)
        fprintf(stderr, "%s in\n%s", error.message, body);
    assert(status == WM_OK); // the generator writes PTX
    return module;
}

static void run_kernel(const struct wm_kernel *kernel, struct wm_device_memory *memory,
                       uint64_t buffer)
{
    struct wm_launch launch = {.kernel = kernel,
                               .grid = {1, 1, 1},
                               .block = {RANDOM_FORMS_THREADS, 1, 1},
                               .parameters = &buffer,
                               .parameter_bytes = sizeof(buffer)};
    struct wm_run_result result = {0};
    struct wm_grid *grid;
    struct wm_block *block;
    struct wm_error error;
    enum wm_status status = wm_grid_new(&launch, memory, &grid, &error);
    assert(status == WM_OK);
    status = wm_grid_start_block(grid, 0, 0, 0, &block, &error);
    assert(status == WM_OK);
    for (uint32_t w = 0; w < block->warp_count; w++)
        wm_warp_run(block, w, UINT64_MAX, WM_RUN_INSTRUCTIONS, NULL, &result);
    assert(!wm_grid_fault(grid) && block->finished == 3);
    wm_grid_free(grid);
}

static void run(const char *body, enum wm_lane_isa isa, bool private_registers, uint64_t *io)
{
    struct wm_program_options options = {
        .warp_width = 32, .isa = isa, .private_registers = private_registers};
    struct wm_device_memory *memory;
    struct wm_program *program;
    const struct wm_kernel *kernel;
    struct wm_error error;
    uint64_t buffer;
    enum wm_status status = wm_device_memory_new(MEMORY_BYTES, &memory, &error);
    if (status != WM_OK)
        return;
    wm_device_memory_allocate(memory, IO_BYTES, 256, WM_ALLOCATION_DEVICE, "io", &buffer, &error);
    memcpy((void *)(uintptr_t)buffer, io, IO_BYTES);
    status = wm_program_load(parse(body), memory, &options, &program, &error);
    assert(status == WM_OK);
    status = wm_program_kernel(program, "k", &kernel, &error);
    if (status != WM_OK)
        fprintf(stderr, "%s\n", error.message);
    assert(status == WM_OK);
    run_kernel(kernel, memory, buffer);
    memcpy(io, (const void *)(uintptr_t)buffer, IO_BYTES);
    wm_program_free(program);
    wm_device_memory_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint64_t values[RANDOM_FORMS_WORDS], plain[RANDOM_FORMS_WORDS], fast[RANDOM_FORMS_WORDS];
    struct wm_random random;
    struct form_choices choices = {.bytes = data, .count = size};
    bool read = random_forms_read();
    assert(read);
    char *body = random_forms_draw(&choices);
    // What the kernel has left of the input begins the values; the rest is as random as its length.
    wm_random_init(&random, size, "values");
    choices.random = &random;
    random_forms_fill(&choices, values);
    memcpy(plain, values, sizeof(values));
    run(body, WM_HOST_C, true, plain);
    for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++) {
        memcpy(fast, values, sizeof(values));
        run(body, isa, false, fast);
        if (memcmp(fast, plain, sizeof(plain)) != 0)
            fprintf(stderr, "%s differs from plain C in\n%s", wm_host_isa_name(isa), body);
        assert(memcmp(fast, plain, sizeof(plain)) == 0);
    }
    free(body);
    return 0;
}
