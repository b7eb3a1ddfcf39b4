// The steps of the entries whose lines come in at either end of the chain: fifo.c, lip.c, bip.c and
// dip.c. A set stands in the chain's order (mem/cache/ordered_set.h); the word at `from` moves.
// Private to mem/.
#ifndef WM_MEM_REPLACEMENT_CHAIN_STEP_H
#define WM_MEM_REPLACEMENT_CHAIN_STEP_H

#include "mem/replacement/step.h"

WM_STEP_INLINE void wm_chain_step_begin(struct wm_step_state *state,
                                        const struct wm_replacement_ops *ops)
{
    state->hit_stays = ops->promote_by == 0 ? UINT32_MAX : 0;
    state->insert_stays = ops->insert_at != 0 ? UINT32_MAX : 0;
}

// All return the bit of the position that the line comes to. A line that is inserted last takes the
// place it has displaced: the first empty one, or the last.
WM_STEP_INLINE uint32_t wm_chain_step(const struct wm_step_state *state,
                                      const struct wm_step_access *access, uint32_t from)
{
    uint32_t stays = (uint32_t)wm_select(access->if_miss, state->insert_stays, state->hit_stays);
    return (from & stays) | (1 & ~stays);
}

_Static_assert((WM_BIMODAL_WORDS - 1) * WM_BIMODAL_WORD_EVENTS >= WM_STEPS, "events for all steps");

WM_STEP_INLINE void wm_bimodal_step_begin(struct wm_step_state *state, struct wm_bimodal *bimodal)
{
    wm_bimodal_draw(&bimodal->events, WM_BIMODAL_WORDS);
    state->events = bimodal->events.words;
    state->events_next = bimodal->events.next;
    state->drawn_next = bimodal->events.drawn.next;
    state->duel = bimodal->duel;
}

WM_STEP_INLINE void wm_bimodal_step_end(const struct wm_step_state *state,
                                        struct wm_bimodal *bimodal)
{
    bimodal->events.next = state->events_next;
    bimodal->events.drawn.next = state->drawn_next;
    bimodal->duel = state->duel;
}

// As wm_bimodal_low_priority and, when `duels`, wm_bimodal_duel_low_priority, of a miss.
WM_STEP_INLINE bool wm_bimodal_step_low_priority(struct wm_step_state *state,
                                                 const struct wm_step_access *access, bool duels)
{
    bool decides = access->miss;
    if (duels)
        decides &= wm_set_duel_miss(&state->duel, access->set,
                                    access->miss & (access->writeback_mask == 0));
    if (__builtin_expect(state->events_next == 1, 0))
        state->events_next = state->events[state->drawn_next++ % WM_BIMODAL_WORDS];
    bool soon = decides & !(state->events_next & 1);
    state->events_next >>= decides;
    return soon;
}

WM_STEP_INLINE uint32_t wm_bimodal_step(struct wm_step_state *state,
                                        const struct wm_step_access *access, uint32_t from,
                                        bool duels)
{
    bool soon = wm_bimodal_step_low_priority(state, access, duels);
    return (uint32_t)wm_select(wm_select_mask(soon), from, 1);
}

#endif
