// What PIPP (pipp.c) keeps, for its hooks and its step. Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_PIPP_H
#define WM_MEM_REPLACEMENT_PIPP_H

#include "base/numbers/random.h"
#include "mem/cache/divider.h"
#include "mem/replacement/replacement.h"

enum {
    WM_PIPP_GROUPS = 8,
    WM_PIPP_MONITORED_SETS = 16, // at most, and at most one in 32
    WM_PIPP_MONITORED_WAYS = 32,
    WM_PIPP_CHANCE_BITS = 10, // chances are given in 1024
    WM_PIPP_WORD_CHANCES = 6, // to a random word
    WM_PIPP_CHANCES = 2048,   // drawn ahead at most, a power of two
    WM_PIPP_AHEAD = WM_PIPP_CHANCES - WM_PIPP_WORD_CHANCES,
    WM_PIPP_SEEN = 1024, // of a stream's steps, by monitors, at most
};

struct wm_pipp {
    struct wm_random random;
    // A ring of random numbers of WM_PIPP_CHANCE_BITS. How many were drawn and used, modulo 2^32.
    uint16_t chances[WM_PIPP_CHANCES];
    uint32_t drawn, next;
    uint64_t place;           // of a set in its stride, as in set_duel.h, less one
    struct wm_divider stride; // sets from one that is monitored to the next
    uint32_t monitored_sets;
    uint32_t ways;
    uint32_t unit;  // ways that one position of a monitor's stack stands for
    uint32_t depth; // positions of a monitor's stack
    uint32_t accesses, interval;
    uint32_t promotion, stream_promotion; // chances
    bool detects_streams;
    uint32_t stream_misses, stream_miss_rate; // the latter in 1024
    uint32_t targets[WM_PIPP_GROUPS];         // in ways
    uint32_t promotes[WM_PIPP_GROUPS];        // chance in 1024 that a hit promotes
    // Since the last partition: accesses; those that the monitors saw, and found.
    uint32_t active[WM_PIPP_GROUPS], watched[WM_PIPP_GROUPS], found[WM_PIPP_GROUPS];
    uint32_t hits[WM_PIPP_GROUPS][WM_PIPP_MONITORED_WAYS]; // by stack position, the past halved
    uint16_t seen[WM_PIPP_SEEN + 1];                       // of a stream's steps (pipp_step.h)
    // Hashed, 0 empty, by stack position.
    uint32_t tags[WM_PIPP_GROUPS][WM_PIPP_MONITORED_SETS][WM_PIPP_MONITORED_WAYS];
};

static inline uint32_t wm_pipp_group(uint32_t sm)
{
    return sm % WM_PIPP_GROUPS;
}

// Draws until `count` chances, at most WM_PIPP_AHEAD, are not used yet.
static inline void wm_pipp_draw(struct wm_pipp *pipp, uint32_t count)
{
    while (pipp->drawn - pipp->next < count) {
        uint64_t word = wm_random_u64(&pipp->random);
        word >>= 64 - WM_PIPP_WORD_CHANCES * WM_PIPP_CHANCE_BITS;
        for (int i = 0; i < WM_PIPP_WORD_CHANCES; i++, word >>= WM_PIPP_CHANCE_BITS)
            pipp->chances[pipp->drawn++ % WM_PIPP_CHANCES] =
                word & ((1 << WM_PIPP_CHANCE_BITS) - 1);
    }
}

// Number `next`: a hit promotes its line where this is below the group's promotion.
static inline uint32_t wm_pipp_chance(const struct wm_pipp *pipp, uint32_t next)
{
    return pipp->chances[next % WM_PIPP_CHANCES];
}

// pipp.c: an access to the group's own LRU stack of a monitored set; the targets anew.
void wm_pipp_monitor(struct wm_pipp *pipp, uint32_t group, uint32_t sample, uint64_t line);
void wm_pipp_partition(struct wm_pipp *pipp);

// Every access: whether it is to a set that may be monitored, with the array's `place`, which
// wm_pipp_monitor_set decides.
static inline bool wm_pipp_may_monitor(uint64_t place, uint32_t set)
{
    return set * (place + 1) <= place;
}

static inline void wm_pipp_monitor_set(struct wm_pipp *pipp, uint32_t set, uint32_t group,
                                       uint64_t line)
{
    uint64_t within, sample = wm_divide(&pipp->stride, set, &within);
    if (within == 0 && sample < pipp->monitored_sets)
        wm_pipp_monitor(pipp, group, (uint32_t)sample, line);
}

#endif
