#include "sm/issue/scheduled_ahead.h"

#include "sm/issue/issue_steps.h"

enum { MOST_RESULTS = 8 }; // of one that may wait: bits of `overwritten`

// --- An instruction's registers, as places of a warp's row ---

static const struct wm_issue_facts *facts_of(const struct wm_issue_core *core, uint32_t pc)
{
    return &core->table->facts[pc];
}

static uint32_t result(const struct wm_issue_core *core, uint32_t pc, uint32_t number)
{
    return WM_ISSUE_SPARE + core->table->registers[facts_of(core, pc)->first_register + number];
}

static uint32_t source(const struct wm_issue_core *core, uint32_t pc, uint32_t number)
{
    return result(core, pc, facts_of(core, pc)->destinations + number);
}

// Which of a waiting instruction's results, bit by result, is what the register will be.
static uint32_t results_in(const struct wm_issue_core *core,
                           const struct wm_waiting_instruction *waits, uint32_t reg)
{
    uint32_t results = 0;
    for (uint32_t i = 0; i < facts_of(core, waits->pc)->destinations; i++)
        results |= (uint32_t)(result(core, waits->pc, i) == reg) << i;
    return results & ~(uint32_t)waits->overwritten;
}

// The place of the instruction whose result the register will be; WM_MOST_PLACES: of none that
// waits.
static uint32_t writer_of(const struct wm_issue_core *core,
                          const struct wm_waiting_instructions *waiting, uint32_t reg)
{
    for (uint32_t i = waiting->count; i-- > 0;)
        if (results_in(core, &waiting->places[waiting->order[i]], reg) != 0)
            return waiting->order[i];
    return WM_MOST_PLACES;
}

// --- What may issue ---

static bool is_shared_store(const struct wm_issue_core *core, uint32_t pc)
{
    return facts_of(core, pc)->shared == WM_SHARED_STORE;
}

static bool ends_block(const struct wm_issue_facts *facts)
{
    return facts->unit == WM_UNIT_CONTROL || facts->is_barrier;
}

// Whether what waits holds the instruction up whatever its registers: at the end of a basic block,
// or as an access that may be to what a store still has to bring.
static bool stays_behind(const struct wm_waiting_instructions *waiting,
                         const struct wm_issue_facts *facts)
{
    if (ends_block(facts))
        return waiting->count != waiting->loads &&
               waiting->rounds + !facts->is_folded >= facts->unrolled;
    return waiting->shared_stores != 0 && (facts->shared == WM_SHARED_OTHER || facts->is_membar);
}

// Whether it may issue before what it reads is there.
static bool can_wait(const struct wm_issue_core *core,
                     const struct wm_waiting_instructions *waiting, uint32_t pc)
{
    const struct wm_issue_facts *facts = facts_of(core, pc);
    return (facts->unit != WM_UNIT_MEMORY || is_shared_store(core, pc)) && !ends_block(facts) &&
           !facts->is_membar && facts->destinations <= MOST_RESULTS &&
           waiting->count - waiting->loads < WM_MOST_WAITING;
}

// When registers are there, WM_ISSUE_UNKNOWN where one is waited for. `followed` becomes false
// where it is not known whose result that is.
static uint32_t ready(const struct wm_issue_core *core, uint32_t slot, uint32_t pc, uint32_t first,
                      uint32_t count, bool *followed)
{
    const uint32_t *row = wm_issue_row_of(core, slot);
    uint32_t latest = 0;
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t reg = result(core, pc, i);
        latest = row[reg] > latest ? row[reg] : latest;
        if (row[reg] == WM_ISSUE_UNKNOWN)
            *followed &= writer_of(core, &core->waiting[slot], reg) != WM_MOST_PLACES;
    }
    return latest;
}

uint32_t wm_issue_ready_ahead(const struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                              uint32_t all_ready)
{
    const struct wm_waiting_instructions *waiting = &core->waiting[slot];
    if (pc >= core->table->instruction_count) // of which nothing is known
        return all_ready;
    const struct wm_issue_facts *facts = facts_of(core, pc);
    if (stays_behind(waiting, facts) || waiting->count == WM_MOST_PLACES)
        return waiting->count != 0 ? WM_ISSUE_UNKNOWN : all_ready;
    if (all_ready != WM_ISSUE_UNKNOWN || facts->destinations > MOST_RESULTS)
        return all_ready;
    bool followed = true;
    uint32_t sources = ready(core, slot, pc, facts->destinations, facts->sources, &followed);
    ready(core, slot, pc, 0, facts->destinations, &followed);
    if (!followed)
        return WM_ISSUE_UNKNOWN;
    // Where only an earlier value of its own result is on its way, ptxas takes another register.
    if (sources != WM_ISSUE_UNKNOWN)
        return sources;
    return can_wait(core, waiting, pc) ? 0 : WM_ISSUE_UNKNOWN;
}

// --- Waiting ---

// The instruction at `pc` writes registers: they will not be what waiting ones write there.
static void overwrite(const struct wm_issue_core *core, struct wm_waiting_instructions *waiting,
                      uint32_t pc)
{
    for (uint32_t i = 0; i < waiting->count; i++) {
        struct wm_waiting_instruction *waits = &waiting->places[waiting->order[i]];
        for (uint32_t j = 0; j < facts_of(core, pc)->destinations; j++)
            waits->overwritten |= (uint8_t)results_in(core, waits, result(core, pc, j));
    }
}

// What the instruction at `pc` reads.
static struct wm_waiting_instruction look_at_sources(const struct wm_issue_core *core,
                                                     uint32_t slot, uint32_t pc, uint64_t cycle)
{
    const uint32_t *row = wm_issue_row_of(core, slot);
    struct wm_waiting_instruction made = {.pc = pc, .known = cycle};
    for (uint32_t i = 0; i < facts_of(core, pc)->sources; i++) {
        uint32_t reg = source(core, pc, i);
        uint64_t there = core->written_from + row[reg];
        if (row[reg] == WM_ISSUE_UNKNOWN)
            made.behind |= UINT64_C(1) << writer_of(core, &core->waiting[slot], reg);
        else if (there > made.known)
            made.known = there;
    }
    return made;
}

static void add(const struct wm_issue_core *core, struct wm_waiting_instructions *waiting,
                const struct wm_waiting_instruction *made)
{
    uint32_t place = (uint32_t)__builtin_ctzll(~waiting->taken);
    waiting->places[place] = *made;
    waiting->taken |= UINT64_C(1) << place;
    waiting->shared_stores |= (uint64_t)is_shared_store(core, made->pc) << place;
    waiting->order[waiting->count++] = (uint8_t)place;
    waiting->loads += made->is_load;
}

// An instruction that waits for none: of memory, or the end of a basic block.
static void note_issued(struct wm_issue_core *core, uint32_t slot, uint32_t pc, bool pending)
{
    struct wm_waiting_instructions *waiting = &core->waiting[slot];
    const struct wm_issue_facts *facts = facts_of(core, pc);
    if (ends_block(facts) && !facts->is_folded && waiting->count != waiting->loads)
        waiting->rounds++;
    if (facts->destinations == 0 || facts->destinations > MOST_RESULTS)
        return;
    overwrite(core, waiting, pc);
    if (pending)
        add(core, waiting, &(struct wm_waiting_instruction){.pc = pc, .is_load = true});
}

uint32_t wm_issue_result_ahead(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                               uint64_t cycle, bool pending)
{
    struct wm_waiting_instructions *waiting = &core->waiting[slot];
    uint32_t latency = core->steps[pc].latency;
    uint32_t after_latency = (uint32_t)(cycle - core->written_from) + latency;
    if (pc >= core->table->instruction_count)
        return after_latency;
    const struct wm_issue_facts *facts = facts_of(core, pc);
    if (ends_block(facts) || (facts->unit == WM_UNIT_MEMORY && !is_shared_store(core, pc)) ||
        facts->destinations > MOST_RESULTS) {
        note_issued(core, slot, pc, pending);
        return after_latency;
    }
    struct wm_waiting_instruction made = look_at_sources(core, slot, pc, cycle);
    overwrite(core, waiting, pc);
    if (made.behind == 0)
        return (uint32_t)(made.known - core->written_from) + latency;
    add(core, waiting, &made);
    return WM_ISSUE_UNKNOWN;
}

// --- The end ---

// Results of the instruction at `pc` are there from `when` on, but for those that are overwritten.
static void write_results(const struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                          uint32_t overwritten, uint64_t when)
{
    uint32_t *row = wm_issue_row_of(core, slot), results = facts_of(core, pc)->destinations;
    for (uint32_t i = 0; i < results; i++)
        if (i >= MOST_RESULTS || (overwritten >> i & 1) == 0)
            row[result(core, pc, i)] = (uint32_t)(when - core->written_from);
}

// Its results are there from `when` on, and those that read them know.
static void end(const struct wm_issue_core *core, uint32_t slot, uint32_t place, uint64_t when)
{
    struct wm_waiting_instructions *waiting = &core->waiting[slot];
    const struct wm_waiting_instruction *waits = &waiting->places[place];
    uint64_t bit = UINT64_C(1) << place;
    write_results(core, slot, waits->pc, waits->overwritten, when);
    for (uint32_t i = 0; i < waiting->count; i++) {
        struct wm_waiting_instruction *reader = &waiting->places[waiting->order[i]];
        if ((reader->behind & bit) != 0 && when > reader->known)
            reader->known = when;
        reader->behind &= ~bit;
    }
    waiting->taken &= ~bit;
    waiting->shared_stores &= ~bit;
    waiting->loads -= waits->is_load;
}

// What waits for nothing any more, readers behind what they read.
static void end_waits(const struct wm_issue_core *core, uint32_t slot)
{
    struct wm_waiting_instructions *waiting = &core->waiting[slot];
    uint32_t left = 0;
    for (uint32_t i = 0; i < waiting->count; i++) {
        uint32_t place = waiting->order[i];
        const struct wm_waiting_instruction *waits = &waiting->places[place];
        if ((waiting->taken >> place & 1) != 0 && !waits->is_load && waits->behind == 0)
            end(core, slot, place, waits->known + core->steps[waits->pc].latency);
    }
    for (uint32_t i = 0; i < waiting->count; i++)
        if ((waiting->taken >> waiting->order[i] & 1) != 0)
            waiting->order[left++] = waiting->order[i];
    waiting->count = left;
    if (waiting->count == waiting->loads)
        waiting->rounds = 0;
}

// The load's place; WM_MOST_PLACES: it has none.
static uint32_t load_at(const struct wm_waiting_instructions *waiting, uint32_t pc)
{
    for (uint32_t i = 0; i < waiting->count; i++) {
        const struct wm_waiting_instruction *waits = &waiting->places[waiting->order[i]];
        if (waits->is_load && waits->pc == pc)
            return waiting->order[i];
    }
    return WM_MOST_PLACES;
}

void wm_issue_end_access_ahead(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                               uint64_t cycle, bool writes)
{
    uint32_t place = load_at(&core->waiting[slot], pc);
    if (place != WM_MOST_PLACES)
        end(core, slot, place, cycle);
    else if (writes)
        write_results(core, slot, pc, 0, cycle);
    end_waits(core, slot);
}
