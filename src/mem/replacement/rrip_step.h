// The steps of srrip.c, brrip.c, drrip.c and ship.c, for predictions of WM_RRPV_BITS. All return
// the bit of the way that the line is in afterwards. Private to mem/.
#ifndef WM_MEM_REPLACEMENT_RRIP_STEP_H
#define WM_MEM_REPLACEMENT_RRIP_STEP_H

#include "mem/replacement/chain_step.h"
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

// The victim, and the set aged where the access displaces a line. `marks`: the entry has some.
WM_STEP_INLINE uint32_t wm_rrip_step_choose(const struct wm_step_state *state,
                                            const struct wm_step_access *access, uint32_t stride,
                                            bool marks, struct wm_rrip_word *word)
{
    uint64_t displaces = wm_select_mask((access->equal | access->empty) == 0);
    struct wm_step_access scalar = *access;
    // Else compilers join the bits in mask registers, to and from which is a long way.
    __asm__("" : "+r"(scalar.equal));
    if (stride <= WM_RRIP_NEAR_WAYS) {
        uint64_t near = marks ? word->near & ~WM_RRIP_NEAR_MARKS : word->near;
        uint32_t oldest = wm_rrip_near_oldest(near, state->ways_mask);
        near >>= oldest & displaces & (WM_RRIP_NEAR_WAYS | WM_RRIP_NEAR_WAYS << 1);
        word->near = marks ? (word->near & WM_RRIP_NEAR_MARKS) | near : near;
        return wm_step_choose(&scalar, UINT32_C(1) << (oldest % WM_RRIP_NEAR_WAYS));
    }
    uint64_t aged[WM_RRPV_MOST_BITS];
    uint32_t victim = (uint32_t)wm_rrip_oldest(word->planes, WM_RRPV_BITS, state->ways_mask, aged);
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
    uint32_t chosen = wm_rrip_step_choose(state, access, stride, false, &word);
    wm_rrip_step_predict(access, stride, &word, chosen, wm_select_mask(distant));
    wm_rrip_step_store(state, access->set, stride, &word);
    return chosen;
}

WM_STEP_INLINE uint32_t wm_brrip_step(struct wm_step_state *state,
                                      const struct wm_step_access *access, uint32_t stride)
{
    bool distant = wm_bimodal_step_low_priority(state, access, false);
    return wm_rrip_step(state, access, stride, distant);
}

WM_STEP_INLINE uint32_t wm_drrip_step(struct wm_step_state *state,
                                      const struct wm_step_access *access, uint32_t stride)
{
    bool distant = wm_bimodal_step_low_priority(state, access, true);
    return wm_rrip_step(state, access, stride, distant);
}

// Streams have no instructions: all of what they request came by instruction 0, and only the
// counters of its signature and of write-backs move, which are one state while a stream's steps run
// (ship.h). What they teach about lines that requests with instructions brought in before is noted,
// and learned after the steps: nothing in between reads it.
WM_STEP_INLINE void wm_ship_step_begin(struct wm_step_state *state)
{
    struct wm_ship *ship = state->array;
    uint32_t write_backs = ship->counters[WM_SHIP_WRITE_BACK];
    uint32_t counters = ship->counters[0] | write_backs << WM_SHIP_STREAM_COUNTER_BITS;
    // After an event that changes nothing.
    state->ship_counters =
        ship->after[counters << WM_SHIP_EVENT_BITS | WM_SHIP_EVENT_LEAVES | WM_SHIP_EVENT_OUTCOME];
    ship->deferred_count = 0;
}

WM_STEP_INLINE void wm_ship_step_end(const struct wm_step_state *state)
{
    struct wm_ship *ship = state->array;
    uint64_t counters = (uint64_t)(state->ship_counters & WM_SHIP_STATE) >> WM_SHIP_EVENT_BITS;
    ship->counters[0] = counters & ((1 << WM_SHIP_STREAM_COUNTER_BITS) - 1);
    ship->counters[WM_SHIP_WRITE_BACK] = (uint8_t)(counters >> WM_SHIP_STREAM_COUNTER_BITS);
    for (uint32_t i = 0; i < ship->deferred_count; i++) {
        wm_ship_line line = ship->deferred[i].signature;
        wm_ship_train(ship, &line, ship->deferred[i].hit, !ship->deferred[i].hit);
    }
}

// As wm_ship_train. `line`: of the event, whether the line's outcome is set and whether a
// write-back brought it in. A line that comes to an empty way displaces none: as one that was used.
WM_STEP_INLINE void wm_ship_step_train(struct wm_step_state *state,
                                       const struct wm_step_access *access, uint64_t line)
{
    const struct wm_ship *ship = state->array;
    uint64_t leaves = access->if_miss & WM_SHIP_EVENT_LEAVES, empty = access->empty != 0;
    state->ship_counters =
        ship->after[((uint64_t)state->ship_counters & WM_SHIP_STATE) + (leaves | line | empty)];
}

WM_STEP_INLINE void wm_ship_step_defer(const struct wm_step_state *state,
                                       const struct wm_step_access *access, uint64_t outcome,
                                       wm_ship_line signature)
{
    struct wm_ship *ship = state->array;
    if (!access->miss || (access->empty == 0 && outcome == 0))
        ship->deferred[ship->deferred_count++] =
            (struct wm_ship_deferred){.signature = signature, .hit = !access->miss};
}

// All ones when what comes in is predicted distant.
WM_STEP_INLINE uint64_t wm_ship_step_distant(const struct wm_step_state *state,
                                             uint64_t writeback_mask)
{
    // The sign of the state or of twice it (ship.h).
    return (uint64_t)((int64_t)((uint64_t)state->ship_counters << (32 + (writeback_mask & 1))) >>
                      63);
}

// What the set's word says of its lines, `stored->lines`, is then up to date.
WM_STEP_INLINE void wm_ship_step_near(struct wm_step_state *state,
                                      const struct wm_step_access *access, uint64_t near,
                                      struct wm_rrip_word *stored, uint32_t chosen)
{
    uint64_t lines = stored->lines;
    uint32_t way = (uint32_t)__builtin_ctz(chosen);
    uint64_t come = chosen & access->if_miss;
    // No write-backs come to an L1, which a compiler sees that knows `writeback_mask`.
    bool demand_only = __builtin_constant_p(access->writeback_mask) && access->writeback_mask == 0;
    if (demand_only && __builtin_expect(lines == 0, 1)) {
        wm_ship_step_train(state, access, wm_rrip_near_mark(near, way));
        return;
    }
    uint64_t line = wm_ship_near_event(near, lines, way);
    if (__builtin_expect((lines & WM_SHIP_OTHERS) == 0, 1)) {
        wm_ship_step_train(state, access, line);
        uint64_t fields = come << WM_SHIP_WRITE_BACK_FIELD;
        stored->lines = (lines & ~fields) | (fields & access->writeback_mask);
        return;
    }
    if ((lines >> way & 1) != 0)
        wm_ship_step_defer(state, access, wm_rrip_near_mark(near, way),
                           ((const wm_ship_line *)state->lines)[access->set * state->ways + way]);
    else
        wm_ship_step_train(state, access, line);
    stored->lines = (lines & ~(come * WM_SHIP_LINE_FIELDS)) |
                    (come << WM_SHIP_WRITE_BACK_FIELD & access->writeback_mask);
}

WM_STEP_INLINE void wm_ship_step_far(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t chosen)
{
    wm_ship_line *line =
        (wm_ship_line *)state->lines + access->set * state->ways + (uint32_t)__builtin_ctz(chosen);
    uint32_t was = *line, signature = was & ~(uint32_t)WM_SHIP_OUTCOME;
    uint64_t outcome = (was & WM_SHIP_OUTCOME) != 0;
    if (__builtin_expect((was & (WM_SHIP_WRITE_BACK - 1)) != 0, 0))
        wm_ship_step_defer(state, access, outcome, (wm_ship_line)signature);
    else
        wm_ship_step_train(state, access,
                           outcome | (signature != 0 ? WM_SHIP_EVENT_WRITE_BACK : 0u));
    uint32_t comes = (uint32_t)access->writeback_mask & WM_SHIP_WRITE_BACK;
    *line = (wm_ship_line)wm_select(access->if_miss, comes, was | WM_SHIP_OUTCOME);
}

WM_STEP_INLINE uint32_t wm_ship_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t stride)
{
    struct wm_rrip_word word = wm_rrip_step_load(state, access->set, stride);
    uint32_t chosen = wm_rrip_step_choose(state, access, stride, true, &word);
    struct wm_rrip_word *stored = (struct wm_rrip_word *)state->sets + access->set;
    if (stride > WM_RRIP_NEAR_WAYS) {
        wm_ship_step_far(state, access, chosen);
        uint64_t distant = wm_ship_step_distant(state, access->writeback_mask);
        wm_rrip_step_predict(access, stride, &word, chosen, distant);
        wm_rrip_step_store(state, access->set, stride, &word);
        return chosen;
    }
    wm_ship_step_near(state, access, word.near, stored, chosen);
    uint64_t distant = wm_ship_step_distant(state, access->writeback_mask);
    // As wm_rrip_step_predict does, but with the mark of a hit, which goes when a line comes.
    uint64_t fields = WM_RRIP_NEAR_FIELDS << __builtin_ctz(chosen);
    uint64_t hit = (word.near & ~fields) | (fields & ~access->if_miss);
    stored->near = hit | (chosen & access->if_miss & ~distant);
    return chosen;
}

#endif
