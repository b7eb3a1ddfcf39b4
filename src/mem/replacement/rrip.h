// Re-reference interval prediction: A. Jaleel, K. B. Theobald, S. C. Steely and J. Emer, "High
// performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010. Each
// line has a re-reference prediction value (RRPV) of M bits, from 0, near-immediate, to 2^M - 1,
// distant; M is 2 unless the machine says otherwise. A hit sets it to 0 (hit priority), or takes
// one from it (frequency priority; parameter `promotion`). The victim is the first line from way 0
// on whose RRPV is distant; while there is none, all RRPVs of the set are incremented. What the
// entries differ in is the RRPV of an incoming line: SRRIP always long (2^M - 2), BRRIP mostly
// distant, DRRIP what wins of both, SHiP what the instruction's past says.
//
// With 2 bits and up to 16 ways all of a set is one word, `near`: for each value from 3 down to 1 a
// field of 16 bits: the ways whose RRPVs are below it. None is below 0: the last field is none's.
// The first way that is not near, from the lowest bit on, is then the victim, and incrementing all
// is a shift by a field, in which those that are distant already stay.
//
// Else, and under frequency priority, kept as planes of bits, bit by bit of the RRPVs of 64 ways,
// so that searching and incrementing are word operations. Under a mask of allowed ways only those
// are searched, the whole set is incremented, and lines that are distant already stay.
// Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_RRIP_H
#define WM_MEM_REPLACEMENT_RRIP_H

#include "base/host/select.h"
#include "mem/replacement/way_words.h"

enum { WM_RRPV_BITS = 2, WM_RRPV_MOST_BITS = 4 };

#define WM_PARAMETER_RRPV_BITS                                                             \
    {                                                                                      \
        "bits", "width of a prediction, the paper's M", 1, WM_RRPV_MOST_BITS, WM_RRPV_BITS \
    }

#define WM_PARAMETER_RRIP_PROMOTION                                                       \
    {                                                                                     \
        "promotion",                                                                      \
            "what a hit takes from its line's prediction; 0: all (hit priority), 1: the " \
            "paper's frequency priority",                                                 \
            0, (1 << WM_RRPV_MOST_BITS) - 1, 0                                            \
    }

enum { WM_RRIP_NEAR_WAYS = 16 }; // and a field of so many bits

#define WM_RRIP_NEAR_FIELDS UINT64_C(0x0001000100010001) // of way 0: all of them
#define WM_RRIP_NEAREST UINT64_C(0x0000000100010001)     // of way 0: RRPV 0

// State of a set for 64 ways. Bit w of plane b: bit b of way w's RRPV.
struct wm_rrip_word {
    union {
        uint64_t planes[WM_RRPV_MOST_BITS];
        uint64_t near;
    };
};

// First in the array state of each entry.
struct wm_rrip {
    uint32_t bits;
    uint32_t promotion; // what a hit takes; 0: all
    bool has_near;
};

static inline void wm_rrip_init(struct wm_rrip *rrip, uint64_t bits, uint64_t promotion,
                                uint32_t ways)
{
    rrip->bits = (uint32_t)bits;
    rrip->promotion = (uint32_t)promotion;
    rrip->has_near = bits == WM_RRPV_BITS && promotion == 0 && ways <= WM_RRIP_NEAR_WAYS;
}

// Where the first way with the highest RRPV of those of `ways_mask`, not none, is: 16 times what it
// lacks to be distant, and the way.
static inline uint32_t wm_rrip_near_oldest(uint64_t near, uint64_t ways_mask)
{
    return (uint32_t)__builtin_ctzll(ways_mask * WM_RRIP_NEAR_FIELDS & ~near);
}

// Increments all by what `oldest` lacks.
static inline uint64_t wm_rrip_near_age(uint64_t near, uint32_t oldest)
{
    return near >> (oldest & (WM_RRIP_NEAR_WAYS | WM_RRIP_NEAR_WAYS << 1));
}

// A line comes into `way`, predicted distant or long.
static inline void wm_rrip_insert(struct wm_rrip_word *words, const struct wm_rrip *rrip,
                                  uint32_t way, bool distant)
{
    if (rrip->has_near) {
        uint64_t predicted = (uint64_t)!distant << way;
        words->near = (words->near & ~(WM_RRIP_NEAREST << way)) | predicted;
        return;
    }
    uint64_t *planes = words[way / 64].planes, bit = UINT64_C(1) << (way % 64);
    planes[0] = distant ? planes[0] | bit : planes[0] & ~bit;
    for (uint32_t plane = 1; plane < rrip->bits; plane++)
        planes[plane] |= bit;
}

// Of the ways of `ways_mask` in one word, the first of those with the highest RRPV, as a bit;
// `aged` is the planes after what it takes to make it distant was added to all (it may be
// `planes`). No branch depends on the RRPVs.
static inline uint64_t wm_rrip_oldest(const uint64_t *planes, uint32_t bits, uint64_t ways_mask,
                                      uint64_t *aged)
{
    uint64_t oldest = ways_mask, missing[WM_RRPV_MOST_BITS], carry = 0;
    for (uint32_t plane = bits; plane-- > 0;) {
        uint64_t having = oldest & planes[plane];
        missing[plane] = wm_select_mask(having == 0); // the bit that the highest lacks
        oldest = having | (oldest & missing[plane]);
    }
    for (uint32_t plane = 0; plane < bits; plane++) {
        uint64_t old = planes[plane], one = old ^ missing[plane];
        aged[plane] = one ^ carry;
        carry = (old & missing[plane]) | (one & carry);
    }
    return oldest & (0 - oldest);
}

// As wm_replacement_ops.victim and .hit, for entries with this state.
int32_t wm_rrip_victim(const struct wm_replacement_set *set,
                       const struct wm_replacement_event *event, const uint64_t *allowed);
void wm_rrip_hit(const struct wm_replacement_set *set, uint32_t way,
                 const struct wm_replacement_event *event);

// One by one, of planes.
static inline void wm_rrip_put(struct wm_rrip_word *words, uint32_t bits, uint32_t way,
                               uint32_t rrpv)
{
    uint64_t *planes = words[way / 64].planes, bit = UINT64_C(1) << (way % 64);
    for (uint32_t plane = 0; plane < bits; plane++)
        planes[plane] = (rrpv >> plane & 1) != 0 ? planes[plane] | bit : planes[plane] & ~bit;
}

static inline uint32_t wm_rrip_get(const struct wm_rrip_word *words, uint32_t bits, uint32_t way)
{
    uint32_t rrpv = 0;
    for (uint32_t plane = 0; plane < bits; plane++)
        rrpv |= (uint32_t)(words[way / 64].planes[plane] >> (way % 64) & 1) << plane;
    return rrpv;
}

#endif
