#include "obvious_issue.h"

#include <stdlib.h>

struct machine {
    const struct issue_program *program;
    struct issue_trace *trace;
    uint32_t next[ISSUE_SLOTS];                        // instruction of each warp
    uint64_t from[ISSUE_SLOTS];                        // the first cycle in which it may be issued
    uint64_t there[ISSUE_SLOTS][ISSUE_REGISTERS];      // by register
    uint64_t pending_until[ISSUE_SLOTS][ISSUE_LENGTH]; // of memory instructions; 0: none
    uint64_t unit_free[ISSUE_SLOTS][WM_UNITS];         // by scheduler
    void *orders[ISSUE_SLOTS];
};

static const struct wm_issue_facts *facts_of(const struct machine *machine, uint32_t slot)
{
    return &machine->program->facts[machine->program->pcs[slot][machine->next[slot]]];
}

static bool memory_is_open(const struct machine *machine, uint32_t slot, uint64_t cycle)
{
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
        if (machine->pending_until[slot][i] > cycle)
            return true;
    return false;
}

// Whether memory alone says when its registers will be there: then that cycle is not known yet.
static bool waits_for_memory(const struct machine *machine, uint32_t slot, uint64_t cycle)
{
    const struct wm_issue_facts *facts = facts_of(machine, slot);
    const struct issue_program *program = machine->program;
    if (facts->is_membar)
        return memory_is_open(machine, slot, cycle);
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++) {
        if (machine->pending_until[slot][i] <= cycle)
            continue;
        const struct wm_issue_facts *load = &program->facts[program->pcs[slot][i]];
        for (uint32_t a = 0; a < load->destinations; a++)
            for (uint32_t b = 0; b < (uint32_t)facts->destinations + facts->sources; b++)
                if (program->registers[load->first_register + a] ==
                    program->registers[facts->first_register + b])
                    return true;
    }
    return false;
}

static bool has_registers(const struct machine *machine, uint32_t slot, uint64_t cycle)
{
    const struct wm_issue_facts *facts = facts_of(machine, slot);
    const uint16_t *registers = machine->program->registers + facts->first_register;
    for (uint32_t i = 0; i < (uint32_t)facts->destinations + facts->sources; i++)
        if (machine->there[slot][registers[i]] > cycle)
            return false;
    return !waits_for_memory(machine, slot, cycle) && machine->from[slot] <= cycle;
}

static bool is_held(const struct machine *machine, uint32_t slot, uint64_t cycle)
{
    const struct issue_program *program = machine->program;
    return facts_of(machine, slot)->is_load && program->held_from[slot] <= cycle &&
           cycle < program->held_to[slot];
}

static void issue(struct machine *machine, uint32_t slot, uint64_t cycle)
{
    const struct issue_program *program = machine->program;
    const struct wm_issue_facts *facts = facts_of(machine, slot);
    const struct wm_unit_spec *unit = &program->spec.units[facts->unit];
    const uint16_t *registers = program->registers + facts->first_register;
    uint32_t step = machine->next[slot]++;
    uint64_t done = cycle + (uint64_t)unit->latency * facts->passes;
    machine->trace->cycle[slot][step] = cycle;
    if (facts->unit == WM_UNIT_MEMORY) {
        done = cycle + program->memory_cycles[slot][step];
        machine->pending_until[slot][step] = done;
    }
    for (uint32_t i = 0; i < facts->destinations; i++)
        machine->there[slot][registers[i]] = done;
    machine->unit_free[slot % program->spec.schedulers][facts->unit] =
        cycle + (uint64_t)unit->interval * facts->passes;
    machine->from[slot] = cycle + 1;
}

// One cycle of a scheduler; returns how many it issued.
static void run_scheduler(struct machine *machine, uint32_t scheduler, uint64_t cycle)
{
    const struct issue_program *program = machine->program;
    uint32_t schedulers = program->spec.schedulers;
    const struct wm_warp_scheduler_ops *order = program->spec.warp_scheduler;
    for (uint32_t n = 0; n < program->spec.issue_width; n++) {
        uint64_t ready = 0;
        for (uint32_t slot = scheduler; slot < program->warps; slot += schedulers)
            if (machine->next[slot] < ISSUE_LENGTH && has_registers(machine, slot, cycle) &&
                !is_held(machine, slot, cycle) &&
                machine->unit_free[scheduler][facts_of(machine, slot)->unit] <= cycle)
                ready |= UINT64_C(1) << slot / schedulers;
        int32_t local =
            ready != 0 ? order->pick(machine->orders[scheduler], &ready, ISSUE_SLOTS) : WM_NO_WARP;
        if (local == WM_NO_WARP)
            return;
        uint32_t slot = (uint32_t)local * schedulers + scheduler;
        issue(machine, slot, cycle);
        order->ran(machine->orders[scheduler], (uint32_t)local, WM_WARP_STOP_ISSUED);
        if (machine->next[slot] == ISSUE_LENGTH)
            order->ran(machine->orders[scheduler], (uint32_t)local, WM_WARP_STOP_FINISHED);
        else if (waits_for_memory(machine, slot, cycle))
            order->ran(machine->orders[scheduler], (uint32_t)local, WM_WARP_STOP_MISS);
    }
}

// Each warp that has not ended did one thing in this cycle.
static bool count_cycle(struct machine *machine, uint64_t cycle)
{
    struct wm_issue_counters *counters = &machine->trace->counters;
    bool goes_on = false;
    for (uint32_t slot = 0; slot < machine->program->warps; slot++) {
        uint32_t next = machine->next[slot];
        if (next > 0 && machine->trace->cycle[slot][next - 1] == cycle) {
            counters->issued++;
            goes_on |= next < ISSUE_LENGTH;
        } else if (next < ISSUE_LENGTH) {
            goes_on = true;
            if (waits_for_memory(machine, slot, cycle))
                counters->waited_memory++;
            else if (!has_registers(machine, slot, cycle))
                counters->waited_result++;
            else
                counters->waited_ready++;
            machine->trace->held +=
                has_registers(machine, slot, cycle) && is_held(machine, slot, cycle);
        }
    }
    return goes_on;
}

void obvious_issue(const struct issue_program *program, struct issue_trace *trace)
{
    static struct machine machine;
    const struct wm_warp_scheduler_ops *order = program->spec.warp_scheduler;
    machine = (struct machine){.program = program, .trace = trace};
    *trace = (struct issue_trace){0};
    for (uint32_t i = 0; i < program->spec.schedulers; i++) {
        machine.orders[i] = malloc(order->state_bytes(ISSUE_SLOTS));
        wm_warp_scheduler_reset(&program->spec, 1, machine.orders[i], ISSUE_SLOTS);
    }
    for (uint32_t slot = 0; slot < program->warps; slot++)
        order->join(machine.orders[slot % program->spec.schedulers],
                    slot / program->spec.schedulers);
    bool goes_on = true;
    for (uint64_t cycle = 0; goes_on; cycle++) {
        for (uint32_t i = 0; i < program->spec.schedulers; i++)
            run_scheduler(&machine, i, cycle);
        goes_on = count_cycle(&machine, cycle);
        trace->end = cycle + 1;
    }
    for (uint32_t i = 0; i < program->spec.schedulers; i++)
        free(machine.orders[i]);
}
