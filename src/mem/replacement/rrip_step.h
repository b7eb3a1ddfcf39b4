// The steps of srrip.c, brrip.c, drrip.c and ship.c, for predictions of WM_RRPV_BITS. All return
// the bit of the way that the line is in afterwards.
#ifndef WM_MEM_REPLACEMENT_RRIP_STEP_H
#define WM_MEM_REPLACEMENT_RRIP_STEP_H

#include "mem/replacement/rrip_bimodal.h"
#include "mem/replacement/ship.h"
#include "mem/replacement/step.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

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

// Streams have no instructions: all of what they ask for came by instruction 0, and only the
// counters of its signature and of write-backs move, which are apart while a stream's steps run:
// their low 8 bits are the former, those from WM_SHIP_STEP_SHIFT on the latter.
enum { WM_SHIP_STEP_SHIFT = 16 };

WM_STEP_INLINE void wm_ship_step_begin(struct wm_step_state *state)
{
    const struct wm_ship *ship = state->array;
    state->ship_counters = ship->counters[0] | (uint32_t)ship->counters[WM_SHIP_WRITE_BACK]
                                                   << WM_SHIP_STEP_SHIFT;
    state->ship_counter_max = ship->counter_max;
}

WM_STEP_INLINE void wm_ship_step_end(const struct wm_step_state *state)
{
    struct wm_ship *ship = state->array;
    ship->counters[0] = (uint8_t)state->ship_counters;
    ship->counters[WM_SHIP_WRITE_BACK] = (uint8_t)(state->ship_counters >> WM_SHIP_STEP_SHIFT);
}

// As wm_ship_learn.
WM_STEP_INLINE void wm_ship_step_learn(struct wm_step_state *state, wm_ship_line line, bool hit,
                                       bool leaves)
{
    // Rare: requests with instructions brought it in before the stream began.
    if (__builtin_expect((line & (WM_SHIP_WRITE_BACK - 1)) != 0, 0)) {
        wm_ship_learn(state->array, &line, hit, leaves);
        return;
    }
    uint32_t shift = line >> WM_SHIP_MOST_SIGNATURE_BITS << 4 & WM_SHIP_STEP_SHIFT;
    uint32_t counter = state->ship_counters >> shift & UINT8_MAX;
    bool up = hit & (counter < state->ship_counter_max);
    bool down = leaves & ((line & WM_SHIP_OUTCOME) == 0) & (counter > 0);
    state->ship_counters += ((uint32_t)up - down) << shift;
}

// Puts what is kept of the line in the way of the one bit `there`. The whole set is stored where
// that is one vector: the address of a store to one line hangs on the choice of the way, and
// processors make later loads wait for it.
WM_STEP_INLINE void wm_ship_step_put(wm_ship_line *set, uint32_t ways, uint32_t stride,
                                     uint32_t there, wm_ship_line line)
{
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    if (stride == 8 && ways == 8) {
        __m128i now = _mm_loadu_si128((const __m128i *)(const void *)set);
        now = _mm_mask_blend_epi16((__mmask8)there, now, _mm_set1_epi16((short)line));
        __asm__("" : "+v"(now)); // else the compiler makes one masked store of both
        _mm_storeu_si128((__m128i *)(void *)set, now);
        return;
    }
    if (stride == 16 && ways == 16) {
        __m256i now = _mm256_loadu_si256((const __m256i *)(const void *)set);
        now = _mm256_mask_blend_epi16((__mmask16)there, now, _mm256_set1_epi16((short)line));
        __asm__("" : "+v"(now));
        _mm256_storeu_si256((__m256i *)(void *)set, now);
        return;
    }
#endif
    (void)ways;
    (void)stride;
    set[__builtin_ctz(there)] = line;
}

WM_STEP_INLINE uint32_t wm_ship_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t stride)
{
    struct wm_rrip_word word = wm_rrip_step_load(state, access->set, stride);
    uint32_t chosen = wm_rrip_step_choose(state, access, stride, &word);
    wm_ship_line *set = (wm_ship_line *)state->lines + access->set * state->ways;
    uint32_t was = set[__builtin_ctz(chosen)];
    wm_ship_step_learn(state, (wm_ship_line)was, !access->miss,
                       access->miss & (access->empty == 0));
    uint32_t signature = access->demand ? 0 : WM_SHIP_WRITE_BACK;
    uint64_t now = wm_select(access->if_miss, signature, was | WM_SHIP_OUTCOME);
    wm_ship_step_put(set, state->ways, stride, chosen, (wm_ship_line)now);
    uint32_t counter = state->ship_counters >> (access->demand ? 0 : WM_SHIP_STEP_SHIFT);
    wm_rrip_step_predict(access, stride, &word, chosen, (counter & UINT8_MAX) == 0);
    wm_rrip_step_store(state, access->set, stride, &word);
    return chosen;
}

#endif
