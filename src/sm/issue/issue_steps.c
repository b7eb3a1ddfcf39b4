#include "sm/issue/issue_steps.h"

#include "base/containers/array.h"

#include <stdlib.h>
#include <string.h>

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
    fill(step->written, WM_ISSUE_WRITTEN, registers, written, WM_ISSUE_DISCARDED);
    fill(step->needed, WM_ISSUE_NEEDED, registers, needed, WM_ISSUE_ALWAYS_READY);
}

static struct wm_issue_step step_of(const struct wm_issue_table *table,
                                    const struct wm_issue_facts *facts,
                                    const struct wm_sm_spec *spec)
{
    const struct wm_unit_spec *unit = &spec->units[facts->unit];
    // What takes no slot takes no unit either, and its result is there when what it reads is.
    uint32_t times = facts->is_folded ? 0 : facts->passes;
    uint32_t interval = unit->interval;
    // Where more floats are multiplied a cycle than integers, products of integers are as slow as
    // those (CUDA C++ Programming Guide, "Arithmetic Instructions": 64 an SM).
    if (facts->kind == WM_ISSUE_PRODUCT && interval < spec->units[WM_UNIT_INTEGER].interval)
        interval = spec->units[WM_UNIT_INTEGER].interval;
    uint32_t intervals = facts->interval_passes != 0 ? facts->interval_passes : times;
    struct wm_issue_step step = {.latency = unit->latency * times,
                                 .interval = interval * intervals,
                                 .unit = (uint8_t)(table->numbers[facts->unit] - 1),
                                 .is_membar = facts->is_membar,
                                 .is_load = facts->is_load,
                                 .gap = facts->unit == WM_UNIT_CONTROL && times != 0 ? unit->latency
                                                                                     : 1};
    find_registers(table, facts, &step);
    return step;
}

// The classes that the instructions from `first` on go to, memory's and integers' in any case.
// Those that have a number keep it.
static void number_units(struct wm_issue_table *table, uint32_t first)
{
    bool used[WM_UNITS] = {[WM_UNIT_INTEGER] = true};
    for (uint32_t pc = first; pc < table->instruction_count; pc++)
        used[table->facts[pc].unit] = true;
    if (first == 0) {
        memset(table->numbers, 0, sizeof table->numbers);
        table->numbers[WM_UNIT_MEMORY] = WM_STEP_MEMORY + 1;
        table->unit_count = WM_STEP_MEMORY + 1;
    }
    for (int unit = 0; unit < WM_UNITS; unit++)
        if (used[unit] && table->numbers[unit] == 0)
            table->numbers[unit] = (uint8_t)(++table->unit_count);
}

enum wm_status wm_issue_steps_extend(struct wm_issue_table *table, uint32_t first,
                                     const struct wm_sm_spec *spec, struct wm_error *error)
{
    uint32_t count = table->instruction_count + 1; // with the one of which nothing is known
    if (!WM_ARRAY_RESIZE(table->steps, count))
        return wm_fail_no_memory(error, "the instructions of a kernel");
    number_units(table, first);
    for (uint32_t pc = first; pc < count - 1; pc++)
        table->steps[pc] = step_of(table, &table->facts[pc], spec);
    table->steps[count - 1] = step_of(table, &no_facts, spec);
    return WM_OK;
}

enum wm_status wm_issue_steps_find(struct wm_issue_table *table, const struct wm_sm_spec *spec,
                                   struct wm_error *error)
{
    return wm_issue_steps_extend(table, 0, spec, error);
}
