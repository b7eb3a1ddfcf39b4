// Fetches of code in time, where a machine has instruction caches: a warp's next instruction can
// issue when the lines that it lies in are there. A line is looked up when the warp enters it, as
// soon as its cache has a port; what is found costs nothing, for the front end fetches ahead.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <stdlib.h>

enum { CACHE = WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION };

// Of a warp slot.
struct warp_code {
    uint64_t held;       // the line that the warp is in, or WM_NO_CODE_LINE
    uint64_t next, last; // lines that it needs
    uint64_t cycle;      // from which its instruction may issue, when they are there
    uint32_t pc;         // that instruction
    bool waits;          // for a line on its way
};

struct wm_clock_code {
    uint32_t line_bytes;
    struct warp_code *warps; // owned, by slot
    uint16_t *queue;         // owned: slots whose lines could not be looked up, in order
    uint32_t queued;
};

enum wm_status wm_clock_code_init(struct wm_clock_sm *sm, struct wm_error *error)
{
    if (sm->clock->caches[CACHE] == NULL)
        return WM_OK;
    uint32_t slots = sm->clock->machine->sm.max_warps;
    WM_TRY(WM_ARRAY_NEW(sm->code, 1, error, "an SM"));
    WM_TRY(WM_ARRAY_NEW(sm->code->warps, slots, error, "an SM"));
    WM_TRY(WM_ARRAY_NEW(sm->code->queue, slots, error, "an SM"));
    sm->code->line_bytes = sm->clock->machine->memory.levels[CACHE].cache.line_bytes;
    return WM_OK;
}

void wm_clock_code_release(struct wm_clock_sm *sm)
{
    if (sm->code != NULL) {
        free(sm->code->warps);
        free(sm->code->queue);
    }
    free(sm->code);
}

void wm_clock_code_launch(struct wm_clock_sm *sm)
{
    if (sm->code == NULL)
        return;
    sm->code->queued = 0;
    for (uint32_t i = 0; i < sm->clock->machine->sm.max_warps; i++)
        sm->code->warps[i] = (struct warp_code){.held = WM_NO_CODE_LINE};
}

void wm_clock_code_join(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle)
{
    if (sm->code == NULL)
        return;
    sm->code->warps[slot] = (struct warp_code){.held = WM_NO_CODE_LINE};
    sm->cycle = sm->cycle > cycle ? sm->cycle : cycle; // it has had nothing to do until now
}

// Where the instruction at `pc` of a launch's kernel lies; no bytes: that is not known.
static struct wm_code_place place_of(const struct wm_clock_sm *sm,
                                     const struct wm_clock_block_slot *place, uint32_t pc)
{
    const struct wm_work *work = place->run->work;
    uint32_t bytes = sm->clock->machine->sm.instruction_bytes, number = pc - place->base;
    if (number >= work->instruction_count)
        return (struct wm_code_place){0};
    if (work->code_places != NULL)
        return work->code_places[number];
    uint64_t address = sm->clock->segments[place->segment].record->code_address;
    return (struct wm_code_place){.address = address + (uint64_t)number * bytes, .bytes = bytes};
}

static enum wm_stall look_up(struct wm_clock_sm *sm, uint32_t slot, uint64_t line, uint32_t *waits)
{
    const struct wm_clock_block_slot *place = &sm->places[sm->slots[slot].place];
    const struct wm_clock_segment *segment = &sm->clock->segments[place->segment];
    uint32_t sectors = sm->code->line_bytes / WM_SECTOR_BYTES;
    // On behalf of no instruction: of the kernel as a whole.
    uint32_t pc = segment->base + segment->count - 1;
    struct wm_request request = {.address = line,
                                 .sectors = UINT32_MAX >> (32 - sectors),
                                 .kind = WM_ACCESS_LOAD,
                                 .sm = sm->index,
                                 .warp = slot,
                                 .pc = pc,
                                 .lines = 1,
                                 .instruction_counters = &sm->tally->counters_by_pc[pc]};
    if (sm->blocks != NULL) {
        request.block = sm->blocks[slot];
        request.explained = wm_clock_explained(sm, place->segment) + pc - place->base;
    }
    wm_clock_charge(sm, place->segment);
    enum wm_stall stall = wm_timed_unit_side_load(
        &sm->timed, sm->cycle, WM_SIDE_CACHE_INSTRUCTION, &request,
        sm->clock->first_fetch_token + sm->index * sm->clock->machine->sm.max_warps + slot, waits);
    if (stall == WM_STALL_NONE) {
        request.instruction_counters->requests++;
        request.instruction_counters->sectors += sectors;
    }
    return stall;
}

// The lines that the warp still needs: true when all are there. `*stalled`: one could not be looked
// up.
static bool fetch_lines(struct wm_clock_sm *sm, uint32_t slot, bool *stalled)
{
    struct warp_code *code = &sm->code->warps[slot];
    uint32_t waits = 0;
    *stalled = false;
    while (waits == 0 && code->next <= code->last) {
        if (code->next != code->held) {
            *stalled = look_up(sm, slot, code->next, &waits) != WM_STALL_NONE;
            if (*stalled)
                return false;
        }
        code->held = code->next;
        code->next += sm->code->line_bytes;
    }
    code->waits = waits != 0;
    return waits == 0;
}

bool wm_clock_code_fetch(struct wm_clock_sm *sm, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    struct warp_code *code = &sm->code->warps[slot];
    struct wm_code_place at = place_of(sm, &sm->places[sm->slots[slot].place], pc);
    uint64_t mask = ~(uint64_t)(sm->code->line_bytes - 1);
    bool stalled;
    if (at.bytes == 0)
        return true;
    code->next = at.address & mask;
    code->last = (at.address + at.bytes - 1) & mask;
    if (code->last == code->held && code->next == code->held) // most often
        return true;
    code->pc = pc;
    code->cycle = cycle;
    if (fetch_lines(sm, slot, &stalled))
        return true;
    if (stalled)
        sm->code->queue[sm->code->queued++] = (uint16_t)slot;
    return false;
}

static void go_on(struct wm_clock_sm *sm, const struct warp_code *code, uint32_t slot)
{
    wm_issue_core_set_next(&sm->core, slot, code->pc,
                           code->cycle > sm->cycle ? code->cycle : sm->cycle);
}

void wm_clock_code_run(struct wm_clock_sm *sm)
{
    struct wm_clock_code *code = sm->code;
    uint32_t done = 0;
    bool stalled = false;
    for (; done < code->queued && !stalled; done += !stalled)
        if (fetch_lines(sm, code->queue[done], &stalled))
            go_on(sm, &code->warps[code->queue[done]], code->queue[done]);
    code->queued -= done;
    for (uint32_t i = 0; i < code->queued; i++)
        code->queue[i] = code->queue[done + i];
}

bool wm_clock_code_is_queued(const struct wm_clock_sm *sm)
{
    return sm->code->queued != 0;
}

void wm_clock_code_come(struct wm_clock_sm *sm, uint32_t slot)
{
    struct warp_code *code = &sm->code->warps[slot];
    bool stalled;
    if (!code->waits) // its launch has failed meanwhile
        return;
    code->waits = false;
    if (fetch_lines(sm, slot, &stalled))
        go_on(sm, code, slot);
    else if (stalled)
        sm->code->queue[sm->code->queued++] = (uint16_t)slot;
}
