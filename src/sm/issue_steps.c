#include "sm/issue_steps.h"

#include <stdlib.h>

static const struct wm_issue_facts no_facts = {.unit = WM_UNIT_INTEGER, .passes = 1};

// Places that an instruction does not need have a register that it names anyway, so that they take
// the host to no other line of its caches.
static void fill(uint16_t *places, uint32_t count, const uint16_t *registers, uint32_t used,
                 uint16_t nothing)
{
    for (uint32_t i = 0; i < count; i++)
        places[i] = used == 0 ? nothing : (uint16_t)(WM_ISSUE_SPARE + registers[i < used ? i : 0]);
}

static void find_registers(const struct wm_issue_table *table, const struct wm_issue_facts *facts,
                           struct wm_issue_step *step)
{
    const uint16_t *registers = table->registers + facts->first_register;
    uint32_t written = facts->destinations, needed = written + facts->sources;
    step->has_more = written > WM_ISSUE_WRITTEN || needed > WM_ISSUE_NEEDED ||
                     table->register_count + WM_ISSUE_SPARE > UINT16_MAX;
    if (step->has_more)
        return;
    fill(step->written, WM_ISSUE_WRITTEN, registers, written, WM_ISSUE_NOBODYS);
    fill(step->needed, WM_ISSUE_NEEDED, registers, needed, WM_ISSUE_THERE);
}

static struct wm_issue_step step_of(const struct wm_issue_table *table,
                                    const struct wm_issue_facts *facts,
                                    const struct wm_sm_spec *spec, const uint8_t *numbers)
{
    const struct wm_unit_spec *unit = &spec->units[facts->unit];
    struct wm_issue_step step = {.latency = unit->latency * facts->passes,
                                 .interval = unit->interval * facts->passes,
                                 .unit = numbers[facts->unit],
                                 .is_membar = facts->is_membar,
                                 .is_load = facts->is_load,
                                 .gap = facts->unit == WM_UNIT_CONTROL ? unit->latency : 1};
    find_registers(table, facts, &step);
    return step;
}

// Returns how many classes the kernel's instructions go to, memory's and integers' in any case.
static uint32_t number_units(const struct wm_issue_table *table, uint8_t *numbers)
{
    bool used[WM_UNITS] = {[WM_UNIT_INTEGER] = true};
    uint32_t count = WM_STEP_MEMORY;
    for (uint32_t pc = 0; pc < table->instruction_count; pc++)
        used[table->facts[pc].unit] = true;
    numbers[WM_UNIT_MEMORY] = (uint8_t)count++;
    for (int unit = 0; unit < WM_UNITS; unit++)
        if (used[unit] && unit != WM_UNIT_MEMORY)
            numbers[unit] = (uint8_t)count++;
    return count;
}

enum wm_status wm_issue_steps_find(struct wm_issue_table *table, const struct wm_sm_spec *spec,
                                   struct wm_error *error)
{
    uint32_t count = table->instruction_count;
    uint8_t numbers[WM_UNITS] = {0};
    table->steps = malloc((count + UINT64_C(1)) * sizeof *table->steps);
    if (table->steps == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory for the instructions of a kernel");
    table->unit_count = number_units(table, numbers);
    for (uint32_t pc = 0; pc < count; pc++)
        table->steps[pc] = step_of(table, &table->facts[pc], spec, numbers);
    table->steps[count] = step_of(table, &no_facts, spec, numbers);
    return WM_OK;
}
