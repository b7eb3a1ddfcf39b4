#include "sm/issue/scheduled_ahead.h"

// --- What may wait ---

// When what an instruction reads is there, counted from core->written_from, or WM_ISSUE_UNKNOWN.
static uint32_t sources_ready(const struct wm_issue_core *core, const uint32_t *row, uint32_t pc)
{
    const struct wm_issue_facts *facts = &core->table->facts[pc];
    const uint16_t *needed = core->steps[pc].needed + facts->destinations;
    uint32_t ready = 0;
    for (uint32_t i = 0; i < facts->sources; i++)
        ready = row[needed[i]] > ready ? row[needed[i]] : ready;
    return ready;
}

// Where only an earlier value of its own result is on its way, ptxas takes another register.
uint32_t wm_issue_ready_ahead(const struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                              uint32_t ready)
{
    const struct wm_waiting_instructions *waiting = &core->waiting[slot];
    if (pc >= core->table->instruction_count) // of which nothing is known
        return ready;
    const struct wm_issue_facts *facts = &core->table->facts[pc];
    if (facts->unit == WM_UNIT_CONTROL || facts->is_barrier)
        return waiting->count != 0 ? WM_ISSUE_UNKNOWN : ready;
    bool can_wait = facts->unit != WM_UNIT_MEMORY && !facts->is_membar &&
                    !core->steps[pc].has_more && waiting->count < WM_MOST_WAITING;
    if (ready != WM_ISSUE_UNKNOWN || !can_wait)
        return ready;
    uint32_t sources = sources_ready(core, wm_issue_row_of(core, slot), pc);
    return sources != WM_ISSUE_UNKNOWN ? sources : 0;
}

// Which of a waiting instruction's results, bit by result, is in the register.
static uint32_t results_in(const struct wm_issue_core *core,
                           const struct wm_waiting_instruction *waits, uint16_t reg)
{
    const struct wm_issue_step *step = &core->steps[waits->pc];
    uint32_t results = 0;
    for (int i = 0; i < WM_ISSUE_WRITTEN; i++)
        results |= (uint32_t)(step->written[i] == reg) << i;
    return results & ~(uint32_t)waits->overwritten;
}

// The waiting instruction whose result a register will be; WM_MOST_WAITING: a load brings it.
static uint32_t writer_of(const struct wm_issue_core *core,
                          const struct wm_waiting_instructions *waiting, uint16_t reg)
{
    for (uint32_t i = 0; i < waiting->count; i++)
        if (results_in(core, &waiting->places[waiting->order[i]], reg) != 0)
            return waiting->order[i];
    return WM_MOST_WAITING;
}

// The instruction at `pc` writes registers: they will not be what waiting ones write there.
static void overwrite(const struct wm_issue_core *core, struct wm_waiting_instructions *waiting,
                      uint32_t pc)
{
    const struct wm_issue_step *step = &core->steps[pc];
    for (uint32_t i = 0; i < waiting->count; i++) {
        struct wm_waiting_instruction *waits = &waiting->places[waiting->order[i]];
        for (int j = 0; j < WM_ISSUE_WRITTEN; j++)
            waits->overwritten |= (uint8_t)results_in(core, waits, step->written[j]);
    }
}

// --- Waiting ---

static void wait_for(const struct wm_issue_core *core,
                     const struct wm_waiting_instructions *waiting,
                     struct wm_waiting_instruction *made, uint16_t reg)
{
    uint32_t writer = writer_of(core, waiting, reg);
    if (writer != WM_MOST_WAITING)
        made->behind |= UINT32_C(1) << writer;
    else
        made->loaded[made->loaded_count++] = reg;
}

// What the instruction at `pc` reads.
static struct wm_waiting_instruction look_at_sources(const struct wm_issue_core *core,
                                                     uint32_t slot, uint32_t pc, uint64_t cycle)
{
    const struct wm_issue_facts *facts = &core->table->facts[pc];
    const uint16_t *needed = core->steps[pc].needed + facts->destinations;
    const uint32_t *row = wm_issue_row_of(core, slot);
    struct wm_waiting_instruction made = {.pc = pc, .known = cycle};
    for (uint32_t i = 0; i < facts->sources; i++) {
        uint64_t there = core->written_from + row[needed[i]];
        if (row[needed[i]] == WM_ISSUE_UNKNOWN)
            wait_for(core, &core->waiting[slot], &made, needed[i]);
        else if (there > made.known)
            made.known = there;
    }
    return made;
}

uint32_t wm_issue_result_ahead(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                               uint64_t cycle)
{
    struct wm_waiting_instructions *waiting = &core->waiting[slot];
    const struct wm_issue_step *step = &core->steps[pc];
    if (step->has_more || step->unit == WM_STEP_MEMORY || pc >= core->table->instruction_count)
        return (uint32_t)(cycle - core->written_from) + step->latency;
    struct wm_waiting_instruction made = look_at_sources(core, slot, pc, cycle);
    overwrite(core, waiting, pc);
    if (made.behind == 0 && made.loaded_count == 0)
        return (uint32_t)(made.known - core->written_from) + step->latency;
    uint32_t place = (uint32_t)__builtin_ctz(~waiting->taken);
    waiting->places[place] = made;
    waiting->taken |= UINT32_C(1) << place;
    waiting->order[waiting->count++] = (uint8_t)place;
    return WM_ISSUE_UNKNOWN;
}

// --- The end ---

static void look_for_loads(const struct wm_issue_core *core, const uint32_t *row,
                           struct wm_waiting_instruction *waits)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < waits->loaded_count; i++) {
        uint16_t reg = waits->loaded[i];
        uint64_t there = core->written_from + row[reg];
        if (row[reg] == WM_ISSUE_UNKNOWN)
            waits->loaded[left++] = reg;
        else if (there > waits->known)
            waits->known = there;
    }
    waits->loaded_count = (uint8_t)left;
}

// Its results are there from `when` on.
static void write_results(const struct wm_issue_core *core, uint32_t *row,
                          const struct wm_waiting_instruction *waits, uint64_t when)
{
    const struct wm_issue_step *step = &core->steps[waits->pc];
    for (int i = 0; i < WM_ISSUE_WRITTEN; i++)
        if ((waits->overwritten >> i & 1) == 0)
            row[step->written[i]] = (uint32_t)(when - core->written_from);
}

static void tell_readers(struct wm_waiting_instructions *waiting, uint32_t place, uint64_t when)
{
    uint32_t bit = UINT32_C(1) << place;
    for (uint32_t i = 0; i < waiting->count; i++) {
        struct wm_waiting_instruction *reader = &waiting->places[waiting->order[i]];
        if ((reader->behind & bit) != 0 && when > reader->known)
            reader->known = when;
        reader->behind &= ~bit;
    }
    waiting->taken &= ~bit;
}

void wm_issue_end_waits(struct wm_issue_core *core, uint32_t slot)
{
    struct wm_waiting_instructions *waiting = &core->waiting[slot];
    uint32_t *row = wm_issue_row_of(core, slot), ended = 0;
    for (uint32_t i = 0; i < waiting->count; i++) {
        uint32_t place = waiting->order[i];
        struct wm_waiting_instruction *waits = &waiting->places[place];
        look_for_loads(core, row, waits);
        if (waits->loaded_count != 0 || waits->behind != 0)
            continue;
        uint64_t when = waits->known + core->steps[waits->pc].latency;
        write_results(core, row, waits, when);
        tell_readers(waiting, place, when);
        ended |= UINT32_C(1) << place;
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < waiting->count; i++)
        if ((ended >> waiting->order[i] & 1) == 0)
            waiting->order[left++] = waiting->order[i];
    waiting->count = left;
}
