#include "clock_forms.h"

#include <criterion/criterion.h>
#include <inttypes.h>

struct wm_machine simple_machine(void)
{
    struct wm_machine machine = walk_test_machine();
    machine.device.clock_hz = machine.device.memory_clock_hz = 1000000000;
    machine.sm.count = machine.memory.sm_count = 1;
    machine.sm.schedulers = machine.sm.issue_width = 1;
    machine.sm.memory_queue = 8;
    machine.sm.shared_latency = SHARED;
    machine.sm.barrier_latency = 1;
    for (int unit = 0; unit < WM_UNITS; unit++)
        machine.sm.units[unit] = (struct wm_unit_spec){.interval = 1, .latency = ALU};
    machine.sm.units[WM_UNIT_MEMORY].latency = 0;
    struct wm_memory_spec *memory = &machine.memory;
    memory->levels[WM_LEVEL_L1].timing =
        (struct wm_cache_timing){.latency = L1, .mshr_entries = 64, .mshr_merges = 8, .queue = 16};
    memory->levels[WM_LEVEL_L2].timing =
        (struct wm_cache_timing){.latency = L2, .mshr_entries = 128, .mshr_merges = 8, .queue = 32};
    memory->interconnect = (struct wm_interconnect_spec){
        .latency = LINK, .flit_bytes = 40, .sectors = 32, .buffer = 32};
    memory->levels[WM_LEVEL_L2].slices = memory->dram.channels = 1;
    memory->dram.bandwidth_bytes_per_second = UINT64_C(8000000000);
    machine.dram.latency_ps = DRAM * 1000;
    machine.dram.read_queue = machine.dram.write_queue = 128;
    return machine;
}

struct wm_machine simple_machine_with(const struct wm_memory_spec *spec,
                                      const struct wm_cache_timing *timing)
{
    struct wm_machine machine = simple_machine();
    struct wm_interconnect_spec interconnect = machine.memory.interconnect;
    uint64_t bandwidth = machine.memory.dram.bandwidth_bytes_per_second;
    machine.memory = *spec;
    machine.memory.interconnect = interconnect;
    machine.memory.dram.bandwidth_bytes_per_second = bandwidth;
    machine.sm.count = spec->sm_count;
    machine.memory.demand_before_writeback = true; // as in time
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)  // of a level that is not there, too
        machine.memory.levels[i].timing = *timing;
    return machine;
}

void write_kernel(struct wm_text *text, const char *name, const char *before, const char *line,
                  uint32_t count)
{
    wm_text_format(text,
                   ".visible .entry %s(.param .u64 %s_p)\n{\n.reg .b32 %%r<20>;\n.reg .b64 "
                   "%%rd<9>;\n.shared .align 4 .b8 tile[4096];\nld.param.u64 %%rd1, [%s_p];\n"
                   "mov.u32 %%r2, %%tid.x;\n%s\n",
                   name, name, name, before);
    for (uint32_t i = 0; i < count; i++)
        wm_text_format(text, "%s\n", line);
    wm_text_format(text, "ret;\n}\n");
}

void forms_init(struct forms *forms, const struct wm_machine *machine, const char *before,
                const char *line)
{
    wm_text_init(&forms->text);
    wm_text_format(&forms->text, ".version 6.0\n.target sm_70\n.address_size 64\n"
                                 ".const .align 4 .b8 constants[4096];\n");
    write_kernel(&forms->text, "warm", before, line, 1);
    write_kernel(&forms->text, "shorter", before, line, LENGTH);
    write_kernel(&forms->text, "longer", before, line, 2 * LENGTH);
    walk_fixture_init_timed(&forms->fixture, machine, forms->text.data);
}

void forms_release(struct forms *forms)
{
    walk_fixture_release(&forms->fixture);
    wm_text_release(&forms->text);
}

uint64_t counter(const struct wm_kernel_result *kernel, const char *kind, const char *name)
{
    return walk_component_sum(kernel->components, kernel->component_count, kind, name);
}

uint64_t life_of(const struct wm_kernel_result *kernel)
{
    return counter(kernel, "issue", "issued") + counter(kernel, "issue", "waited_ready") +
           counter(kernel, "issue", "waited_result") + counter(kernel, "issue", "waited_memory") +
           counter(kernel, "issue", "waited_barrier");
}

const struct wm_kernel_result *kernel_of(const struct wm_results *results, const char *name)
{
    for (uint32_t i = 0; i < results->kernel_count; i++)
        if (strcmp(results->kernels[i].name, name) == 0)
            return &results->kernels[i];
    cr_assert_fail("no kernel %s", name);
    return NULL;
}

uint64_t cycles_a_line(struct forms *forms, uint64_t parameter)
{
    walk_run(&forms->fixture, "warm", 1, 32, &parameter, 1);
    walk_run(&forms->fixture, "shorter", 1, 32, &parameter, 1);
    walk_run(&forms->fixture, "longer", 1, 32, &parameter, 1);
    struct wm_results *results = walk_take_results(&forms->fixture);
    uint64_t more = life_of(kernel_of(results, "longer")) - life_of(kernel_of(results, "shorter"));
    wm_results_free(results);
    cr_assert_eq(more % LENGTH, 0, "%" PRIu64 " cycles for %d lines", more, (int)LENGTH);
    return more / LENGTH;
}

uint64_t cycles_of(const struct wm_machine *machine, const char *before, const char *line)
{
    struct forms forms;
    forms_init(&forms, machine, before, line);
    uint64_t cycles = cycles_a_line(&forms, walk_words(&forms.fixture, 1024));
    forms_release(&forms);
    return cycles;
}

uint64_t cycles_of_own_address(const struct wm_machine *machine, const char *line)
{
    struct forms forms;
    forms_init(&forms, machine, "", line);
    uint64_t address = walk_words(&forms.fixture, 64);
    *(uint64_t *)(uintptr_t)address = address; // device memory lies at its own addresses
    uint64_t cycles = cycles_a_line(&forms, address);
    forms_release(&forms);
    return cycles;
}

const struct wm_component_result *component_of(const struct wm_results *results, const char *path,
                                               const struct wm_counter_set *set)
{
    for (uint32_t i = 0; i < results->component_count; i++)
        if (results->components[i].set == set && strcmp(results->components[i].path, path) == 0)
            return &results->components[i];
    return NULL;
}
