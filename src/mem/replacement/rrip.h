// Re-reference interval prediction: A. Jaleel, K. B. Theobald, S. C. Steely and J. Emer, "High
// performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010, section
// 4. Each line has a re-reference prediction value (RRPV) of M = 2 bits, from 0, near-immediate, to
// 3, distant. A hit sets it to 0 (hit priority). The victim is the first line from way 0 on whose
// RRPV is 3; while there is none, all RRPVs of the set are incremented. What the entries differ in
// is the RRPV of an incoming line: SRRIP always 2 (long), BRRIP mostly 3, DRRIP what wins of both,
// SHiP what the instruction's past says.
//
// Kept as two planes of bits a set, so that searching and incrementing all are word operations.
// Under a mask of allowed ways only those are searched, the whole set is incremented, and lines
// that are at 3 already stay.
#ifndef WM_MEM_REPLACEMENT_RRIP_H
#define WM_MEM_REPLACEMENT_RRIP_H

#include "mem/replacement/way_words.h"

enum { WM_RRPV_IMMEDIATE = 0, WM_RRPV_LONG = 2, WM_RRPV_DISTANT = 3 };

struct wm_rrip_set {
    struct {
        uint64_t low, high; // bit w: the low and the high bit of way w's RRPV
    } planes[WM_WAY_WORDS];
};

static inline void wm_rrip_put(struct wm_rrip_set *rrip, uint32_t way, uint32_t rrpv)
{
    uint32_t word = way / 64, at = way % 64;
    uint64_t others = ~(UINT64_C(1) << at);
    rrip->planes[word].low = (rrip->planes[word].low & others) | (uint64_t)(rrpv & 1) << at;
    rrip->planes[word].high = (rrip->planes[word].high & others) | (uint64_t)(rrpv >> 1) << at;
}

static inline uint32_t wm_rrip_get(const struct wm_rrip_set *rrip, uint32_t way)
{
    uint32_t word = way / 64, at = way % 64;
    return (uint32_t)(rrip->planes[word].low >> at & 1) |
           (uint32_t)(rrip->planes[word].high >> at & 1) << 1;
}

// As wm_replacement_ops.victim and .hit, for entries whose set state is a wm_rrip_set.
int32_t wm_rrip_victim(const struct wm_replacement_set *set,
                       const struct wm_replacement_event *event, const uint64_t *allowed);
void wm_rrip_hit(const struct wm_replacement_set *set, uint32_t way,
                 const struct wm_replacement_event *event);

#endif
