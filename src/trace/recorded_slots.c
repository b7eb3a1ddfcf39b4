#include "trace/recorded_slots.h"

#include <stdlib.h>

uint32_t wm_recorded_slot_count(const struct wm_recorded_code *code)
{
    uint32_t count = 0;
    for (uint32_t pc = 0; pc < code->instruction_count; pc++)
        count += code->instructions[pc].is_memory;
    return count;
}

bool wm_recorded_slots_init(struct wm_recorded_slots *slots, const struct wm_recorded_code *code)
{
    uint32_t instructions = code->instruction_count;
    *slots = (struct wm_recorded_slots){
        .before = calloc(instructions + UINT64_C(1), sizeof *slots->before),
        .pcs = calloc(wm_recorded_slot_count(code) + UINT64_C(1), sizeof *slots->pcs),
    };
    if (slots->before == NULL || slots->pcs == NULL)
        return false;
    for (uint32_t pc = 0; pc < instructions; pc++) {
        slots->before[pc] = slots->count;
        if (code->instructions[pc].is_memory)
            slots->pcs[slots->count++] = pc;
    }
    slots->before[instructions] = slots->count;
    return true;
}

void wm_recorded_slots_release(struct wm_recorded_slots *slots)
{
    free(slots->before);
    free(slots->pcs);
    *slots = (struct wm_recorded_slots){0};
}
