// The steps of srrip.c, brrip.c, drrip.c and ship.c, for predictions of WM_RRPV_BITS. All return
// the bit of the way that the line is in afterwards.
#ifndef WM_MEM_REPLACEMENT_RRIP_STEP_H
#define WM_MEM_REPLACEMENT_RRIP_STEP_H

#include "mem/replacement/rrip_bimodal.h"
#include "mem/replacement/ship.h"
#include "mem/replacement/step.h"

// A set's predictions, out of memory and back: only what is kept for so many ways.
WM_STEP_INLINE struct wm_rrip_word wm_rrip_step_load(const struct wm_step_state *state,
                                                     uint32_t set, uint32_t stride)
{
    const struct wm_rrip_word *stored = (const struct wm_rrip_word *)state->sets + set;
    struct wm_rrip_word word = {.near = stored->near};
    for (uint32_t plane = 1; stride > WM_RRIP_NEAR_WAYS && plane < WM_RRPV_BITS; plane++)
        word.planes[plane] = stored->planes[plane];
    return word;
}

WM_STEP_INLINE void wm_rrip_step_store(const struct wm_step_state *state, uint32_t set,
                                       uint32_t stride, const struct wm_rrip_word *word)
{
    struct wm_rrip_word *stored = (struct wm_rrip_word *)state->sets + set;
    stored->near = word->near;
    for (uint32_t plane = 1; stride > WM_RRIP_NEAR_WAYS && plane < WM_RRPV_BITS; plane++)
        stored->planes[plane] = word->planes[plane];
}

// The victim, and the set aged where the access displaces a line.
WM_STEP_INLINE uint32_t wm_rrip_step_choose(const struct wm_step_state *state,
                                            const struct wm_step_access *access, uint32_t stride,
                                            struct wm_rrip_word *word)
{
    uint64_t displaces = wm_mask((access->equal | access->empty) == 0);
    if (stride <= WM_RRIP_NEAR_WAYS) {
        uint32_t oldest = wm_rrip_near_oldest(word->near, state->exist);
        word->near >>= oldest & displaces & (WM_RRIP_NEAR_WAYS | WM_RRIP_NEAR_WAYS << 1);
        return wm_step_choose(access, UINT32_C(1) << (oldest % WM_RRIP_NEAR_WAYS));
    }
    uint64_t aged[WM_RRPV_MOST_BITS];
    uint32_t victim = (uint32_t)wm_rrip_oldest(word->planes, WM_RRPV_BITS, state->exist, aged);
    for (uint32_t plane = 0; plane < WM_RRPV_BITS; plane++)
        word->planes[plane] = wm_select(displaces, aged[plane], word->planes[plane]);
    return wm_step_choose(access, victim);
}

// A hit is near-immediate, a line that comes in distant or long.
WM_STEP_INLINE void wm_rrip_step_predict(const struct wm_step_access *access, uint32_t stride,
                                         struct wm_rrip_word *word, uint32_t chosen, bool distant)
{
    if (stride <= WM_RRIP_NEAR_WAYS) {
        word->near = wm_rrip_near_predict(word->near, chosen, ~access->if_miss, distant);
        return;
    }
    uint64_t others = ~(uint64_t)chosen, come = chosen & access->if_miss;
    word->planes[0] = (word->planes[0] & others) | (come & wm_mask(distant));
    for (uint32_t plane = 1; plane < WM_RRPV_BITS; plane++)
        word->planes[plane] = (word->planes[plane] & others) | come;
}

WM_STEP_INLINE uint32_t wm_rrip_step(const struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t stride,
                                     bool distant)
{
    struct wm_rrip_word word = wm_rrip_step_load(state, access->set, stride);
    uint32_t chosen = wm_rrip_step_choose(state, access, stride, &word);
    wm_rrip_step_predict(access, stride, &word, chosen, distant);
    wm_rrip_step_store(state, access->set, stride, &word);
    return chosen;
}

WM_STEP_INLINE uint32_t wm_brrip_step(struct wm_step_state *state,
                                      const struct wm_step_access *access, uint32_t stride)
{
    bool distant = wm_bimodal_soon(&state->bimodal.events, access->miss);
    return wm_rrip_step(state, access, stride, distant);
}

WM_STEP_INLINE uint32_t wm_drrip_step(struct wm_step_state *state,
                                      const struct wm_step_access *access, uint32_t stride)
{
    bool distant = wm_bimodal_duel_soon(&state->bimodal, access->set, access->miss, access->demand);
    return wm_rrip_step(state, access, stride, distant);
}

// Streams have no instructions: all of what they ask for came by instruction 0.
WM_STEP_INLINE uint32_t wm_ship_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t stride)
{
    struct wm_ship *ship = state->array;
    struct wm_rrip_word word = wm_rrip_step_load(state, access->set, stride);
    uint32_t chosen = wm_rrip_step_choose(state, access, stride, &word);
    wm_ship_line *line =
        (wm_ship_line *)state->lines + access->set * state->ways + (uint32_t)__builtin_ctz(chosen);
    wm_ship_learn(ship, line, !access->miss, access->miss & (access->empty == 0));
    wm_ship_line signature =
        (wm_ship_line)wm_select(wm_mask(access->demand), 0, WM_SHIP_WRITE_BACK);
    *line = (wm_ship_line)wm_select(access->if_miss, signature, *line);
    wm_rrip_step_predict(access, stride, &word, chosen, ship->counters[signature] == 0);
    wm_rrip_step_store(state, access->set, stride, &word);
    return chosen;
}

#endif
