// The bimodal entries, BIP and BRRIP, and those that duel with them, DIP and DRRIP: most incoming
// lines are inserted to go soon, few, one in N at random (the papers' epsilon, 1/N), to stay. One
// state serves all four; BIP and BRRIP leave its duel alone. Epsilon is 1/32 in both papers: M. K.
// Qureshi et al., ISCA 2007, and A. Jaleel et al., ISCA 2010. Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_BIMODAL_H
#define WM_MEM_REPLACEMENT_BIMODAL_H

#include "base/numbers/random.h"
#include "mem/replacement/set_duel.h"

#define WM_PARAMETER_EPSILON                                                                       \
    {                                                                                              \
        "epsilon", "one in so many lines comes in to stay, the papers' 1/N", 1, UINT64_C(1) << 20, \
            32                                                                                     \
    }

enum { WM_BIMODAL_WORD_EVENTS = 63 };

struct wm_bimodal_events {
    struct wm_random random;
    uint64_t rare_through; // the rare event: a number of 64 random bits is at most this
    uint64_t next;         // a one for each rare one; above them a one
};

struct wm_bimodal {
    struct wm_bimodal_events events;
    struct wm_set_duel duel; // DIP, DRRIP; second: bimodal
};

static inline void wm_bimodal_init(struct wm_bimodal *bimodal, uint64_t seed, const char *name,
                                   uint64_t one_in)
{
    wm_random_init(&bimodal->events.random, seed, name);
    bimodal->events.rare_through = UINT64_MAX / one_in;
    bimodal->events.next = 1;
}

// A word of events, as `next`, drawn at once: event i compares the number whose bits, highest
// first, are bit i of one random word after the other. All are decided after about eight words.
uint64_t wm_bimodal_draw(struct wm_bimodal_events *events);

// The bimodal policy decides about a line: whether it comes in to go soon.
static inline bool wm_bimodal_low_priority(struct wm_bimodal_events *events)
{
    if (events->next == 1)
        events->next = wm_bimodal_draw(events);
    bool soon = !(events->next & 1);
    events->next >>= 1;
    return soon;
}

// A line enters `set`: whether the duel has it come in to go soon. `demand` says that an
// instruction requested it.
static inline bool wm_bimodal_duel_low_priority(struct wm_bimodal *bimodal, uint32_t set,
                                                bool demand)
{
    return wm_set_duel_miss(&bimodal->duel, set, demand) &&
           wm_bimodal_low_priority(&bimodal->events);
}

#endif
