// What PIPP (pipp.c) keeps, for its hooks and its step.
#ifndef WM_MEM_REPLACEMENT_PIPP_H
#define WM_MEM_REPLACEMENT_PIPP_H

#include "base/random.h"
#include "base/select.h"
#include "mem/divider.h"
#include "mem/replacement/replacement.h"

enum {
    WM_PIPP_PARTIES = 8,
    WM_PIPP_MONITORED_SETS = 16, // at most, and at most one in 32
    WM_PIPP_MONITORED_WAYS = 32,
    WM_PIPP_CHANCE_BITS = 10, // chances are given in 1024
};

struct wm_pipp {
    struct wm_random random;
    uint64_t chances;         // drawn bits not used yet, above them a one
    struct wm_divider stride; // sets from one that is monitored to the next
    uint32_t monitored_sets;
    uint32_t ways;
    uint32_t unit;  // ways that one position of a monitor's stack stands for
    uint32_t depth; // positions of a monitor's stack
    uint32_t accesses, interval;
    uint32_t promotion, stream_promotion; // chances
    bool detects_streams;
    uint32_t stream_misses, stream_miss_rate; // the latter in 1024
    uint32_t targets[WM_PIPP_PARTIES];        // in ways
    uint32_t promotes[WM_PIPP_PARTIES];       // chance in 1024 that a hit promotes
    // Since the last partition: accesses; those that the monitors saw, and found.
    uint32_t active[WM_PIPP_PARTIES], watched[WM_PIPP_PARTIES], found[WM_PIPP_PARTIES];
    uint32_t hits[WM_PIPP_PARTIES][WM_PIPP_MONITORED_WAYS]; // by stack position, the past halved
    // Hashed, 0 empty, by stack position.
    uint32_t tags[WM_PIPP_PARTIES][WM_PIPP_MONITORED_SETS][WM_PIPP_MONITORED_WAYS];
};

static inline uint32_t wm_pipp_party(uint32_t sm)
{
    return sm % WM_PIPP_PARTIES;
}

static inline void wm_pipp_draw(struct wm_pipp *pipp)
{
    enum { DRAWS = 60 / WM_PIPP_CHANCE_BITS };
    uint64_t above = UINT64_C(1) << (DRAWS * WM_PIPP_CHANCE_BITS);
    pipp->chances = wm_random_u64(&pipp->random) >> (64 - DRAWS * WM_PIPP_CHANCE_BITS) | above;
}

// Whether a hit promotes its line; uses a chance up only when it `happens`.
static inline bool wm_pipp_promotes(struct wm_pipp *pipp, uint32_t party, bool happens)
{
    if (__builtin_expect(pipp->chances <= 1, 0))
        wm_pipp_draw(pipp);
    uint64_t mask = (UINT64_C(1) << WM_PIPP_CHANCE_BITS) - 1;
    bool promotes = (pipp->chances & mask) < pipp->promotes[party];
    uint64_t left = pipp->chances >> WM_PIPP_CHANCE_BITS;
    pipp->chances = wm_select(wm_mask(happens), left, pipp->chances);
    return promotes;
}

// pipp.c: an access to the party's own LRU stack of a monitored set; the targets anew.
void wm_pipp_monitor(struct wm_pipp *pipp, uint32_t party, uint32_t sample, uint64_t line);
void wm_pipp_partition(struct wm_pipp *pipp);

// Every access, unless not `counts`.
static inline void wm_pipp_listen(struct wm_pipp *pipp, uint32_t set, uint32_t party, uint64_t line,
                                  bool counts)
{
    uint64_t within, sample = wm_divide(&pipp->stride, set, &within);
    pipp->active[party] += counts;
    pipp->accesses += counts;
    if (__builtin_expect((within == 0) & (sample < pipp->monitored_sets) & counts, 0))
        wm_pipp_monitor(pipp, party, (uint32_t)sample, line);
    if (__builtin_expect(pipp->accesses == pipp->interval, 0))
        wm_pipp_partition(pipp);
}

#endif
