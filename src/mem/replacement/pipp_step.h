// The step of pipp.c. A set stands in the chain's order (mem/cache/ordered_set.h). Private to mem/.
#ifndef WM_MEM_REPLACEMENT_PIPP_STEP_H
#define WM_MEM_REPLACEMENT_PIPP_STEP_H

#include "mem/replacement/pipp.h"
#include "mem/replacement/step.h"

_Static_assert((int)WM_PIPP_AHEAD >= (int)WM_STEPS && (int)WM_PIPP_SEEN >= (int)WM_STEPS,
               "chances and room for all steps");

WM_STEP_INLINE void wm_pipp_step_begin(struct wm_step_state *state)
{
    struct wm_pipp *pipp = state->array;
    uint32_t group = wm_pipp_group(state->sm);
    wm_pipp_draw(pipp, WM_PIPP_AHEAD);
    state->drawn_next = pipp->next;
    state->pipp_seen = 0;
    state->pipp_target = pipp->targets[group] - 1;
    state->pipp_promotes = pipp->promotes[group];
    state->pipp_place = pipp->place;
}

// How many steps there may be before the next partition.
WM_STEP_INLINE uint32_t wm_pipp_step_most(const struct wm_step_state *state)
{
    const struct wm_pipp *pipp = state->array;
    return pipp->interval - pipp->accesses;
}

// Which step may have been to a monitored set. The monitors see them after the steps: only the next
// partition reads what they saw.
WM_STEP_INLINE uint32_t wm_pipp_step_seen(const struct wm_step_state *state, uint32_t i)
{
    return ((const struct wm_pipp *)state->array)->seen[i];
}

WM_STEP_INLINE void wm_pipp_step_monitor(const struct wm_step_state *state, uint64_t set,
                                         uint64_t line)
{
    wm_pipp_monitor_set(state->array, (uint32_t)set, wm_pipp_group(state->sm), line);
}

// `demands`: how many accesses were not victims of the level above.
WM_STEP_INLINE void wm_pipp_step_end(const struct wm_step_state *state, uint32_t demands)
{
    struct wm_pipp *pipp = state->array;
    pipp->next = state->drawn_next;
    pipp->active[wm_pipp_group(state->sm)] += demands;
    pipp->accesses += demands;
    if (pipp->accesses == pipp->interval)
        wm_pipp_partition(pipp);
}

// Returns the bit of the position that the word at `from` comes to.
WM_STEP_INLINE uint32_t wm_pipp_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t from)
{
    struct wm_pipp *pipp = state->array;
    uint64_t promotes = wm_pipp_chance(pipp, state->drawn_next) < state->pipp_promotes;
    state->drawn_next += !access->miss;
    uint32_t to = from >> wm_select(access->if_miss, state->pipp_target, promotes);
    pipp->seen[state->pipp_seen] = (uint16_t)access->step;
    state->pipp_seen += wm_pipp_may_monitor(state->pipp_place, access->set);
    // At least the first. A line that displaces none may come to a place before it.
    return to | (access->empty == 0 ? from & 1 : to == 0);
}

#endif
