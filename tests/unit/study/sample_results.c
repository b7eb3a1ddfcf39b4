#include "sample_results.h"

static const struct wm_counter_declaration l2_declarations[] = {
    {"bytes_from_above", "bytes", "bytes that came in from the level above"},
    {"bytes_to_above", "bytes", "bytes that went to the level above"},
};
static const struct wm_counter_declaration dram_declarations[] = {
    {"bytes_read", "bytes", "bytes sent up"},
    {"bytes_written", "bytes", "bytes sent down"},
};
static const struct wm_counter_set l2_set = {"l2", "L2 cache slice", l2_declarations, 2};
static const struct wm_counter_set dram_set = {"dram", "DRAM channel", dram_declarations, 2};

static struct wm_component_result *new_components(struct wm_arena *arena, uint64_t scale)
{
    struct wm_component_result *list = WM_ARENA_ARRAY(arena, struct wm_component_result, 3);
    uint64_t *values = WM_ARENA_ARRAY(arena, uint64_t, 6);
    const uint64_t numbers[6] = {4000000, 8000000, 500, 300, 6000000, 0};
    for (int i = 0; i < 3; i++) {
        static const char *const paths[] = {"gpu0.l2[0]", "gpu0.l2[1]", "gpu0.dram[0]"};
        snprintf(list[i].path, sizeof list[i].path, "%s", paths[i]);
        list[i].set = i < 2 ? &l2_set : &dram_set;
        list[i].values = values + 2 * i;
        for (int c = 0; c < 2; c++)
            values[2 * i + c] = numbers[2 * i + c] * scale;
    }
    return list;
}

static void fill_instruction(struct wm_instruction_result *it, uint32_t pc, const char *text,
                             enum wm_access_kind kind, enum wm_address_space space, uint64_t scale)
{
    it->pc = pc;
    it->ptx_line = 30 + pc;
    it->text = text;
    it->kind = kind;
    it->space = space;
    it->counters = (struct wm_instruction_counters){
        .executions = 31250 * scale,
        .lanes = 1000000 * scale,
        .bytes_requested = 4000000 * scale,
    };
    if (space != WM_SPACE_GLOBAL)
        return;
    it->counters.requests = 31250 * scale;
    it->counters.sectors = 125000 * scale;
    it->counters.levels[WM_LEVEL_L1].hits = kind == WM_ACCESS_LOAD ? 25000 * scale : 0;
    it->counters.levels[WM_LEVEL_L1].misses = kind == WM_ACCESS_LOAD ? 100000 * scale : 0;
    it->counters.levels[WM_LEVEL_L2].hits = 12500 * scale;
    it->counters.levels[WM_LEVEL_L2].misses = 87500 * scale;
    it->counters.levels[WM_LEVEL_L2].bytes = 3200000 * scale;
    it->counters.memory_bytes = 2800000 * (scale + pc % 3);
}

static void fill_vecadd(struct wm_arena *arena, struct wm_kernel_result *kernel)
{
    kernel->name = "_Z6vecaddPKfS0_Pfi";
    kernel->signature = "vecadd(float const*, float const*, float*, int)";
    kernel->module = "vecadd.cu";
    kernel->launches = 1;
    kernel->grid[0] = 3907;
    kernel->block[0] = 256;
    kernel->instruction_count = 3;
    kernel->instructions = WM_ARENA_ARRAY(arena, struct wm_instruction_result, 3);
    fill_instruction(&kernel->instructions[0], 12, "ld.global.nc.f32 %f1, [%rd8]", WM_ACCESS_LOAD,
                     WM_SPACE_GLOBAL, 1);
    fill_instruction(&kernel->instructions[1], 14, "ld.global.nc.f32 %f2, [%rd9]", WM_ACCESS_LOAD,
                     WM_SPACE_GLOBAL, 1);
    fill_instruction(&kernel->instructions[2], 17, "st.global.f32 [%rd10], %f3", WM_ACCESS_STORE,
                     WM_SPACE_GLOBAL, 1);
    for (int i = 0; i < 3; i++) {
        kernel->instructions[i].source_file = "/srv/example/vecadd.cu";
        kernel->instructions[i].source_line = 9;
    }
}

static void fill_reduce(struct wm_arena *arena, struct wm_kernel_result *kernel)
{
    kernel->name = "_Z6reduceILj256EEvPKfPfi";
    kernel->signature = "void reduce<256u, \"a, b\">(float const*, float*, int)";
    kernel->module = "kernels/reduce.ptx";
    kernel->launches = 20;
    kernel->grid[0] = 64;
    kernel->grid[1] = 2;
    kernel->block[0] = 16;
    kernel->block[1] = kernel->block[2] = 4;
    kernel->dynamic_shared_bytes = 1024;
    kernel->instruction_count = 3;
    kernel->instructions = WM_ARENA_ARRAY(arena, struct wm_instruction_result, 3);
    fill_instruction(&kernel->instructions[0], 5, "ld.global.f32 %f1, [%rd4]", WM_ACCESS_LOAD,
                     WM_SPACE_GLOBAL, 3);
    fill_instruction(&kernel->instructions[1], 9, "st.shared.f32 [%r4], %f1", WM_ACCESS_STORE,
                     WM_SPACE_SHARED, 3);
    fill_instruction(&kernel->instructions[2], 21, "red.global.add.f32 [%rd2], %f9",
                     WM_ACCESS_REDUCTION, WM_SPACE_GLOBAL, 2);
}

struct wm_results *wm_sample_results(uint32_t kernel_count, const char *engine)
{
    static const char *const command[] = {"./app", "--size=\"1 000\"", NULL};
    struct wm_results *results = calloc(1, sizeof *results);
    wm_arena_init(&results->arena);
    results->machine_name = "v100";
    results->machine_title = "NVIDIA Tesla V100-SXM2-16GB";
    results->machine_yaml = "gpu:\n  sms: 80 # streaming multiprocessors\n";
    const struct wm_memory_spec usual = {.levels[WM_LEVEL_L1].cache.present = true,
                                         .levels[WM_LEVEL_L2].cache.present = true};
    struct wm_instruction_counter_set *counted =
        WM_ARENA_NEW(&results->arena, struct wm_instruction_counter_set);
    wm_instruction_counter_set_make(&usual, counted);
    results->counted = counted;
    results->command = command;
    results->engine = engine;
    results->kernel_count = kernel_count;
    results->kernels = WM_ARENA_ARRAY(&results->arena, struct wm_kernel_result, kernel_count);
    for (uint32_t i = 0; i < kernel_count; i++) {
        struct wm_kernel_result *kernel = &results->kernels[i];
        kernel->grid[1] = kernel->grid[2] = kernel->block[1] = kernel->block[2] = 1;
        if (i % 2 == 0)
            fill_vecadd(&results->arena, kernel);
        else
            fill_reduce(&results->arena, kernel);
        kernel->registers_per_thread = 16;
        kernel->blocks_per_sm = 8;
        kernel->occupancy_limiter = "threads";
        // A kernel with shared memory leaves L1 less of the array.
        kernel->shared_bytes = i % 2 == 0 ? 8 << 10 : 32 << 10;
        kernel->l1_bytes = (128 << 10) - kernel->shared_bytes;
        kernel->warp_instructions = 468750 * (i + 1);
        kernel->thread_instructions = 15000000 * (i + 1);
        kernel->components = new_components(&results->arena, i + 1);
        kernel->component_count = 3;
    }
    (void)wm_results_name_kernels(results);
    results->components = new_components(&results->arena, kernel_count + 1);
    results->component_count = 3;
    results->host_to_device_bytes = 8000000;
    results->device_to_host_bytes = 4000000;
    return results;
}

static const struct wm_counter_declaration issue_declarations[] = {
    {"waited_ready", "warp-cycles", "cycles in which warps could have issued"},
    {"waited_result", "warp-cycles", "cycles in which warps waited for a result"},
    {"waited_memory", "warp-cycles", "cycles in which warps waited for memory"},
    {"waited_barrier", "warp-cycles", "cycles in which warps waited at a barrier"},
    {"issued", "warp-instructions", "instructions issued"},
    {"issued_by_oldest", "warp-instructions", "those of the oldest"},
    {"issued_by_second", "warp-instructions", "those of the second oldest"},
    {"issued_by_third", "warp-instructions", "those of the third oldest"},
};
static const struct wm_counter_declaration l1_declarations[] = {
    {"accesses_missed", "requests", "that missed"},
    {"coherent_loads", "warp-instructions", "of one line or two"},
    {"coherent_loads_cached", "warp-instructions", "of them, whole"},
    {"divergent_loads", "warp-instructions", "of more"},
    {"divergent_loads_cached", "warp-instructions", "of them, whole"},
};
static const struct wm_counter_declaration unit_declarations[] = {
    {"loads", "warp-instructions", "those that wrote registers"},
    {"load_cycles", "cycles", "until they had"},
    {"stalled_mshr", "cycles", "no entry"},
    {"stalled_merge", "cycles", "entry full"},
    {"stalled_way", "cycles", "no way"},
    {"stalled_queue", "cycles", "no room"},
    {"stalled_bank", "cycles", "banks of L1"},
    {"bank_conflict_cycles", "cycles", "bank conflicts"},
};
static const struct wm_counter_declaration link_declarations[] = {
    {"flits", "flits", "flits sent"},
};
static const struct wm_counter_declaration channel_declarations[] = {
    {"row_hits", "requests", "requests whose row was open"},
    {"row_misses", "requests", "requests whose bank was closed"},
    {"row_conflicts", "requests", "requests with another row open"},
    {"bytes_read", "bytes", "bytes read"},
    {"bytes_written", "bytes", "bytes written"},
};
static const struct wm_counter_set issue_set = {"issue", "schedulers", issue_declarations, 8};
static const struct wm_counter_set l1_set = {"l1", "L1", l1_declarations, 5};
static const struct wm_counter_set unit_set = {"memory_unit", "load/store unit", unit_declarations,
                                               8};
static const struct wm_counter_set link_set = {"link", "link", link_declarations, 1};
static const struct wm_counter_set channel_set = {"dram_channel", "channel", channel_declarations,
                                                  5};

// Of 400 loads 100 each from L1 at 29 cycles and L2 at 150, 190 from DRAM at 300 and 10 at 5000.
// The first of the kernel's instructions, of 200, took 250 cycles, a quarter of them at L1.
static void add_loads(struct wm_arena *arena, struct wm_kernel_result *kernel, uint64_t scale)
{
    struct wm_load_latency *latency = WM_ARENA_NEW(arena, struct wm_load_latency);
    struct wm_load_counters *loads = WM_ARENA_NEW(arena, struct wm_load_counters);
    latency->by[WM_SERVED_L1] = (struct wm_served_loads){
        .loads = 100 * scale, .cycles = 2900 * scale, .buckets[4] = 100 * scale};
    latency->by[WM_SERVED_L2] = (struct wm_served_loads){
        .loads = 100 * scale, .cycles = 15000 * scale, .buckets[7] = 100 * scale};
    latency->by[WM_SERVED_MEMORY] = (struct wm_served_loads){.loads = 200 * scale,
                                                             .cycles = 107000 * scale,
                                                             .buckets[8] = 190 * scale,
                                                             .buckets[12] = 10 * scale};
    *loads = (struct wm_load_counters){.loads = 200 * scale,
                                       .load_cycles = 50000 * scale,
                                       .loads_cached = 50 * scale,
                                       .requests_waited = 300 * scale};
    kernel->load_latency = latency;
    kernel->instructions[0].timed = loads;
}

static void add_timed(struct wm_arena *arena, struct wm_kernel_result *kernel, uint64_t scale)
{
    // Waits 10, 20, 60 and 10 of 100; loads of 250 cycles; of 20,000 cycles of two SMs 10, 1, 0.1,
    // 20, 2 and 5 %; 16 and 32 GB/s; 75 row hits of 100, and 8 GB/s.
    // Of 1000 instructions the oldest warp issued 40 %, the three oldest 75; 30 and 5 % of the
    // loads are whole.
    static const uint64_t issue[] = {1000, 2000, 6000, 1000, 1000, 400, 200, 150};
    static const uint64_t l1[] = {100000, 2000, 600, 1000, 50};
    static const uint64_t unit[] = {50, 12500, 2000, 200, 20, 4000, 400, 1000};
    static const uint64_t down[] = {5000}, up[] = {10000};
    static const uint64_t channel[] = {75, 15, 10, 70000, 10000};
    static const struct {
        const char *path;
        const struct wm_counter_set *set;
        const uint64_t *values;
    } parts[] = {
        {"gpu0.sm[0].issue", &issue_set, issue}, {"gpu0.sm[0].memory_unit", &unit_set, unit},
        {"gpu0.sm[0].l1", &l1_set, l1},          {"gpu0.sm[0].link", &link_set, down},
        {"gpu0.l2[0].link", &link_set, up},      {"gpu0.dram[0].timing", &channel_set, channel}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    struct wm_component_result *list =
        WM_ARENA_ARRAY(arena, struct wm_component_result, kernel->component_count + PARTS);
    memcpy(list, kernel->components, kernel->component_count * sizeof *list);
    for (size_t i = 0; i < PARTS; i++) {
        struct wm_component_result *part = &list[kernel->component_count++];
        snprintf(part->path, sizeof part->path, "%s", parts[i].path);
        part->set = parts[i].set;
        part->values = WM_ARENA_ARRAY(arena, uint64_t, part->set->count);
        for (size_t c = 0; c < part->set->count; c++)
            part->values[c] = parts[i].values[c] * scale;
    }
    kernel->components = list;
    kernel->cycles = 10000 * scale;
    add_loads(arena, kernel, scale);
}

void wm_sample_timed(struct wm_results *results)
{
    results->engine = "clock";
    results->clock_hz = 1000000000;
    results->rates = (struct wm_timed_rates){
        .sms = 2, .flit_bytes = 32, .link_bytes_per_second = 64e9, .dram_bytes_per_second = 16e9};
    for (uint32_t i = 0; i < results->kernel_count; i++)
        add_timed(&results->arena, &results->kernels[i], 1 + i % 2);
}
