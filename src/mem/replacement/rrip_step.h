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
    struct wm_step_access scalar = *access;
    // Else compilers join the bits in mask registers, to and from which is a long way.
    __asm__("" : "+r"(scalar.equal));
    if (stride <= WM_RRIP_NEAR_WAYS) {
        uint32_t oldest = wm_rrip_near_oldest(word->near, state->exist);
        word->near >>= oldest & displaces & (WM_RRIP_NEAR_WAYS | WM_RRIP_NEAR_WAYS << 1);
        return wm_step_choose(&scalar, UINT32_C(1) << (oldest % WM_RRIP_NEAR_WAYS));
    }
    uint64_t aged[WM_RRPV_MOST_BITS];
    uint32_t victim = (uint32_t)wm_rrip_oldest(word->planes, WM_RRPV_BITS, state->exist, aged);
    for (uint32_t plane = 0; plane < WM_RRPV_BITS; plane++)
        word->planes[plane] = wm_select(displaces, aged[plane], word->planes[plane]);
    return wm_step_choose(&scalar, victim);
}

// A hit is near-immediate, a line that comes in `distant` (all ones, else 0) or long.
WM_STEP_INLINE void wm_rrip_step_predict(const struct wm_step_access *access, uint32_t stride,
                                         struct wm_rrip_word *word, uint32_t chosen,
                                         uint64_t distant)
{
    if (stride <= WM_RRIP_NEAR_WAYS) {
        word->near = wm_rrip_near_predict(word->near, chosen, ~access->if_miss, distant);
        return;
    }
    uint64_t others = ~(uint64_t)chosen, come = chosen & access->if_miss;
    word->planes[0] = (word->planes[0] & others) | (come & distant);
    for (uint32_t plane = 1; plane < WM_RRPV_BITS; plane++)
        word->planes[plane] = (word->planes[plane] & others) | come;
}

WM_STEP_INLINE uint32_t wm_rrip_step(const struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t stride,
                                     bool distant)
{
    struct wm_rrip_word word = wm_rrip_step_load(state, access->set, stride);
    uint32_t chosen = wm_rrip_step_choose(state, access, stride, &word);
    wm_rrip_step_predict(access, stride, &word, chosen, wm_mask(distant));
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

// Streams have no instructions: all of what they ask for came by instruction 0, and only the
// counters of its signature and of write-backs move, which are apart while a stream's steps run.
WM_STEP_INLINE void wm_ship_step_begin(struct wm_step_state *state)
{
    const struct wm_ship *ship = state->array;
    state->ship_demand = ship->counters[0];
    state->ship_write_back = ship->counters[WM_SHIP_WRITE_BACK];
    state->ship_counter_max = ship->counter_max;
}

WM_STEP_INLINE void wm_ship_step_end(const struct wm_step_state *state)
{
    struct wm_ship *ship = state->array;
    ship->counters[0] = (uint8_t)state->ship_demand;
    ship->counters[WM_SHIP_WRITE_BACK] = (uint8_t)state->ship_write_back;
}

// `change` is 1, 0 or, wrapped round, -1: beyond the most as well.
WM_STEP_INLINE uint32_t wm_ship_step_count(uint32_t counter, uint32_t change, uint32_t most)
{
    uint32_t changed = counter + change;
    return changed <= most ? changed : counter;
}

// As wm_ship_learn. `outcome` and `write_back` are 0 or 1: whether the line's outcome is set, and
// whether a write-back brought it in.
WM_STEP_INLINE void wm_ship_step_learn(struct wm_step_state *state,
                                       const struct wm_step_access *access, uint32_t outcome,
                                       uint32_t write_back)
{
    // 1 of a hit, 0 of a line that comes to an empty way or displaces a used one, else -1.
    uint32_t miss = (uint32_t)access->if_miss, most = state->ship_counter_max;
    uint32_t change = (outcome | (miss + 1) | (access->empty != 0)) + miss;
    uint32_t arrived = 0 - write_back;
    state->ship_demand = wm_ship_step_count(state->ship_demand, change & ~arrived, most);
    state->ship_write_back = wm_ship_step_count(state->ship_write_back, change & arrived, most);
}

// The same of a line that requests with instructions brought in before the stream began.
WM_STEP_INLINE void wm_ship_step_learn_other(const struct wm_step_state *state,
                                             const struct wm_step_access *access, wm_ship_line line)
{
    wm_ship_learn(state->array, &line, !access->miss, access->miss & (access->empty == 0));
}

// All ones when what comes in is predicted distant.
WM_STEP_INLINE uint64_t wm_ship_step_distant(const struct wm_step_state *state, bool demand)
{
    uint64_t counter = demand ? state->ship_demand : state->ship_write_back;
    return (uint64_t)((int64_t)(counter - 1) >> 63);
}

// What is kept of the lines in the set's word (ship.h).
WM_STEP_INLINE uint64_t wm_ship_step_near(struct wm_step_state *state,
                                          const struct wm_step_access *access, uint64_t lines,
                                          uint32_t chosen)
{
    uint32_t way = (uint32_t)__builtin_ctz(chosen);
    uint64_t line = lines >> way;
    uint32_t outcome = line & WM_SHIP_LINE_OUTCOME;
    uint32_t write_back = line >> WM_SHIP_WRITE_BACK_FIELD & 1;
    // No write-backs come to an L1, which a compiler sees that knows `demand`.
    bool demand_only = __builtin_constant_p(access->demand) && access->demand;
    uint64_t rare = WM_SHIP_LINE_OTHER | (demand_only ? WM_SHIP_LINE_WRITE_BACK : 0);
    if (__builtin_expect((line & rare) == 0, 1))
        wm_ship_step_learn(state, access, outcome, demand_only ? 0 : write_back);
    else if ((line & WM_SHIP_LINE_OTHER) == 0)
        wm_ship_step_learn(state, access, outcome, write_back);
    else
        wm_ship_step_learn_other(
            state, access,
            wm_ship_get(state->array, &(struct wm_rrip_word){.lines = lines},
                        (const wm_ship_line *)state->lines + access->set * state->ways, way));
    uint64_t arrives = (uint64_t)!access->demand << WM_SHIP_WRITE_BACK_FIELD << way;
    uint64_t come = chosen * WM_SHIP_LINE_FIELDS & access->if_miss;
    return (lines & ~come) | (chosen & ~access->if_miss) | (arrives & access->if_miss);
}

WM_STEP_INLINE void wm_ship_step_far(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t chosen)
{
    wm_ship_line *line =
        (wm_ship_line *)state->lines + access->set * state->ways + (uint32_t)__builtin_ctz(chosen);
    uint32_t was = *line;
    if (__builtin_expect((was & (WM_SHIP_WRITE_BACK - 1)) != 0, 0))
        wm_ship_step_learn_other(state, access, *line);
    else
        wm_ship_step_learn(state, access, (was & WM_SHIP_OUTCOME) != 0,
                           (was & WM_SHIP_WRITE_BACK) != 0);
    uint32_t signature = access->demand ? 0 : WM_SHIP_WRITE_BACK;
    *line = (wm_ship_line)wm_select(access->if_miss, signature, was | WM_SHIP_OUTCOME);
}

WM_STEP_INLINE uint32_t wm_ship_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t stride)
{
    struct wm_rrip_word word = wm_rrip_step_load(state, access->set, stride);
    uint32_t chosen = wm_rrip_step_choose(state, access, stride, &word);
    struct wm_rrip_word *stored = (struct wm_rrip_word *)state->sets + access->set;
    if (stride <= WM_RRIP_NEAR_WAYS)
        stored->lines = wm_ship_step_near(state, access, stored->lines, chosen);
    else
        wm_ship_step_far(state, access, chosen);
    uint64_t distant = wm_ship_step_distant(state, access->demand);
    wm_rrip_step_predict(access, stride, &word, chosen, distant);
    wm_rrip_step_store(state, access->set, stride, &word);
    return chosen;
}

#endif
