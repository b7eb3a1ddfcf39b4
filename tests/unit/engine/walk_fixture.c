#include "walk_fixture.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "sm/block_dispatch/block_dispatch.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <criterion/criterion.h>

struct wm_machine walk_test_machine(void)
{
    struct wm_cache_spec l1 = {
        .present = true,
        .size_bytes = 4096,
        .ways = 2,
        .line_bytes = 128,
        .sector_bytes = 32,
        .write_policy = WM_WRITE_THROUGH_EVICT,
        .replacement = wm_replacement_find("lru"),
        .set_index = wm_set_index_find("modulo"),
    };
    struct wm_cache_spec l2 = l1;
    l2.size_bytes = 65536;
    l2.ways = 8;
    l2.write_policy = WM_WRITE_BACK;
    l2.write_allocate = true;
    struct wm_machine machine = {
        .name = "test",
        .device = {.title = "Test machine", .compute_major = 7, .memory_bytes = 1 << 30},
        .sm = {.count = 2,
               .warp_width = 32,
               .max_warps = 64,
               .max_threads = 2048,
               .max_blocks = 4,
               .max_threads_per_block = 1024,
               .registers = 65536,
               .max_registers_per_thread = 255,
               .register_allocation_unit = 256,
               .shared_bytes = 65536,
               .shared_bytes_per_block = 49152,
               .shared_allocation_unit = 256,
               .coalescer_line_bytes = 128,
               .warp_scheduler = &wm_warp_scheduler_round_robin,
               .turn_instructions = 2048,
               .block_dispatch = &wm_block_dispatch_round_robin,
               .schedulers = 4,
               .active_warps = 2},
        .memory = {.sm_count = 2,
                   .levels[WM_LEVEL_L1] = {.cache = l1, .flush_at_kernel = true},
                   .levels[WM_LEVEL_L2] = {.cache = l2, .slices = 2, .interleave_bytes = 256},
                   .dram = {.channels = 2,
                            .channel_interleave_bytes = 256,
                            .bandwidth_bytes_per_second = UINT64_C(1000000000),
                            .access_bytes = 32},
                   .demand_before_writeback = true},
    };
    return machine;
}

struct wm_level_spec walk_side_cache(uint64_t size_bytes, uint32_t sms_each)
{
    return (struct wm_level_spec){
        .cache = {.present = true,
                  .size_bytes = size_bytes,
                  .ways = 4,
                  .line_bytes = 64,
                  .sector_bytes = 64,
                  .replacement = wm_replacement_find("lru"),
                  .set_index = wm_set_index_find("modulo")},
        .units_each = sms_each,
    };
}

static char *read_kernels(uint64_t *length)
{
    FILE *stream = fopen(KERNELS_PTX, "rb");
    cr_assert_not_null(stream, "%s", KERNELS_PTX);
    char *text = malloc(1 << 20);
    *length = fread(text, 1, (1 << 20) - 1, stream);
    text[*length] = '\0';
    fclose(stream);
    return text;
}

static void count_moment(void *context)
{
    ++*(uint64_t *)context;
}

static void init(struct walk_fixture *fixture, const struct wm_machine *machine, const char *text,
                 uint64_t length, struct wm_session_options options)
{
    struct wm_error error;
    wm_error_clear(&error);
    *fixture = (struct walk_fixture){.machine = *machine};
    cr_assert_eq(wm_device_memory_new_of_gpus(machine->device.memory_bytes,
                                              wm_memory_gpus(&machine->memory), &fixture->memory,
                                              &error),
                 WM_OK, "%s", error.message);
    struct wm_ptx_module *module;
    cr_assert_eq(wm_ptx_parse(text, length, "walk_kernels.ptx", &module, &error), WM_OK, "%s: %s",
                 error.place, error.message);
    struct wm_program_options program = {.warp_width = machine->sm.warp_width,
                                         .isa = wm_host_best_isa()};
    cr_assert_eq(wm_program_load(module, fixture->memory, &program, &fixture->program, &error),
                 WM_OK, "%s", error.message);
    options.at_safe_point = count_moment;
    options.context = &fixture->safe_points;
    cr_assert_eq(wm_session_new(machine, fixture->memory, &options, &fixture->session, &error),
                 WM_OK, "%s", error.message);
}

static void init_from_file(struct walk_fixture *fixture, const struct wm_machine *machine,
                           struct wm_session_options options)
{
    uint64_t length;
    char *text = read_kernels(&length);
    init(fixture, machine, text, length, options);
    free(text);
}

void walk_fixture_init(struct walk_fixture *fixture, const struct wm_machine *machine, bool memory)
{
    init_from_file(fixture, machine, (struct wm_session_options){.memory = memory});
}

void walk_fixture_init_explained(struct walk_fixture *fixture, const struct wm_machine *machine)
{
    init_from_file(fixture, machine, (struct wm_session_options){.memory = true, .explain = true});
}

void walk_fixture_init_explained_timed(struct walk_fixture *fixture,
                                       const struct wm_machine *machine)
{
    init_from_file(fixture, machine,
                   (struct wm_session_options){.memory = true, .explain = true, .clock = true});
}

void walk_fixture_init_timed(struct walk_fixture *fixture, const struct wm_machine *machine,
                             const char *text)
{
    init(fixture, machine, text, strlen(text),
         (struct wm_session_options){.memory = true, .clock = true});
}

void walk_fixture_init_text(struct walk_fixture *fixture, const struct wm_machine *machine,
                            const char *text)
{
    init(fixture, machine, text, strlen(text), (struct wm_session_options){.memory = true});
}

void walk_fixture_init_text_explained(struct walk_fixture *fixture,
                                      const struct wm_machine *machine, const char *text,
                                      bool timed)
{
    init(fixture, machine, text, strlen(text),
         (struct wm_session_options){.memory = true, .explain = true, .clock = timed});
}

void walk_fixture_release(struct walk_fixture *fixture)
{
    wm_session_free(fixture->session);
    wm_program_free(fixture->program);
    wm_device_memory_free(fixture->memory);
}

uint64_t walk_words(struct walk_fixture *fixture, uint64_t count)
{
    uint64_t address;
    struct wm_error error;
    cr_assert_eq(wm_device_memory_allocate_on(fixture->memory, fixture->gpu, 4 * count, 256,
                                              WM_ALLOCATION_DEVICE, "words", &address, &error),
                 WM_OK, "%s", error.message);
    return address;
}

enum wm_status walk_launch(struct walk_fixture *fixture, const char *name, uint32_t blocks,
                           uint32_t threads, const uint64_t *parameters, uint32_t parameter_count,
                           struct wm_finding *finding, struct wm_error *error)
{
    const struct wm_kernel *kernel;
    cr_assert_eq(wm_program_kernel(fixture->program, name, &kernel, error), WM_OK, "%s",
                 error->message);
    cr_assert_leq(kernel->parameter_bytes, 8 * parameter_count);
    struct wm_launch launch = {
        .kernel = kernel,
        .grid = {blocks, 1, 1},
        .block = {threads, 1, 1},
        .dynamic_shared_bytes = fixture->dynamic_shared_bytes,
        .preferred_carveout = fixture->preferred_carveout,
        .gpu = fixture->gpu,
        .peers = UINT32_MAX,
        .parameters = parameters,
        .parameter_bytes = kernel->parameter_bytes,
    };
    return wm_session_launch(fixture->session, &launch, finding, error);
}

void walk_run(struct walk_fixture *fixture, const char *name, uint32_t blocks, uint32_t threads,
              const uint64_t *parameters, uint32_t parameter_count)
{
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status =
        walk_launch(fixture, name, blocks, threads, parameters, parameter_count, NULL, &error);
    cr_assert_eq(status, WM_OK, "%s: %s: %s", name, error.place, error.message);
}

struct wm_results *walk_take_results(struct walk_fixture *fixture)
{
    struct wm_results *results;
    struct wm_error error;
    cr_assert_eq(wm_session_results(fixture->session, NULL, &results, &error), WM_OK, "%s",
                 error.message);
    return results;
}

uint64_t walk_component_sum(const struct wm_component_result *components, uint32_t count,
                            const char *kind, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(components[i].set->kind, kind) != 0)
            continue;
        size_t index = wm_counter_index(components[i].set, name);
        cr_assert_lt(index, components[i].set->count, "%s has no counter %s", kind, name);
        sum += components[i].values[index];
    }
    return sum;
}

struct wm_instruction_counters walk_causes(const struct wm_kernel_result *kernel)
{
    struct wm_instruction_counters sum = {0};
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const struct wm_instruction_result *it = &kernel->instructions[i];
        bool leaves = it->space == WM_SPACE_GLOBAL || it->space == WM_SPACE_LOCAL;
        if (!leaves && it->space != WM_SPACE_CONSTANT)
            continue;
        for (size_t c = 0; c < WM_MOST_INSTRUCTION_COUNTERS; c++)
            ((uint64_t *)&sum)[c] += ((const uint64_t *)&it->counters)[c];
        if (!leaves)
            sum.executions -= it->counters.executions;
    }
    return sum;
}

// The two sums, with the counter's name and the kernel's in the message.
static void expect_same(const char *kernel, const char *what, uint64_t caused, uint64_t counted)
{
    cr_expect_eq(caused, counted, "%s: %s: instructions %llu, components %llu", kernel, what,
                 (unsigned long long)caused, (unsigned long long)counted);
}

static void check_kernel(const struct wm_kernel_result *kernel)
{
    struct wm_instruction_counters counters_by_pc = walk_causes(kernel);
    // Code is fetched on behalf of the kernel.
    const struct wm_instruction_counters *fetches = &kernel->fetches;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        counters_by_pc.levels[i].hits += fetches->levels[i].hits;
        counters_by_pc.levels[i].misses += fetches->levels[i].misses;
        counters_by_pc.levels[i].bytes += fetches->levels[i].bytes;
    }
    counters_by_pc.memory_bytes += fetches->memory_bytes;
    const char *name = kernel->name;
#define SUM(kind, name) walk_component_sum(kernel->components, kernel->component_count, kind, name)
    expect_same(name, "requests", counters_by_pc.requests, SUM("sm", "requests"));
    expect_same(name, "sectors", counters_by_pc.sectors, SUM("sm", "sectors"));
    expect_same(name, "executions", counters_by_pc.executions,
                SUM("sm", "global_accesses") + SUM("sm", "local_accesses"));
    for (uint32_t i = 0; i < WM_LEVELS_NAMED; i++) {
        static const char *const kinds[] = {"l1",     "constant",          "texture",
                                            "scalar", "instruction_cache", "l2"};
        const struct wm_level_counters *row = &counters_by_pc.levels[i];
        expect_same(name, kinds[i], row->hits, SUM(kinds[i], "hits"));
        expect_same(name, kinds[i], row->misses, SUM(kinds[i], "misses"));
        if (i == WM_LEVEL_L2)
            expect_same(name, "l2.bytes", row->bytes,
                        SUM("l2", "bytes_to_above") + SUM("l2", "bytes_from_above"));
    }
    expect_same(name, "dram.bytes", counters_by_pc.memory_bytes,
                SUM("dram", "bytes_read") + SUM("dram", "bytes_written"));
    expect_same(name, "warp_instructions", kernel->warp_instructions,
                SUM("sm", "warp_instructions"));
    expect_same(name, "thread_instructions", kernel->thread_instructions,
                SUM("sm", "thread_instructions"));
#undef SUM
}

void walk_check_invariants(const struct wm_results *results)
{
    for (uint32_t i = 0; i < results->kernel_count; i++)
        check_kernel(&results->kernels[i]);
}
