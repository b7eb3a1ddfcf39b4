// Replacement as docs/replacement.md and the papers describe it: lists and small numbers, searched
// from one end to the other. What the entries of src/mem/replacement are held to, so it calls none
// of them. Chance is drawn in the same order from the same stream (base/numbers/random.h): victims
// must be equal to the last one.
#ifndef WM_TESTS_OBVIOUS_REPLACEMENT_H
#define WM_TESTS_OBVIOUS_REPLACEMENT_H

#include "base/numbers/random.h"
#include "obvious_pipp.h"
#include "warpmem/plugin.h"

struct obvious_held { // of the line in a way
    uint32_t rrpv, signature;
    bool used, outcome;
};

struct obvious_replacement {
    int policy;                           // which of the models in obvious_replacement.c
    const struct wm_replacement_ops *own; // the entry: that of a test's own has no model
    uint32_t sets, ways;
    uint32_t distant, taken_by_hit; // RRIP: the highest prediction; what a hit takes from one
    uint32_t *order, *lengths;      // by set: ways that hold a line, from the most recent on
    struct obvious_held *held;      // by set and way
    bool *right;                    // by set: where the nodes of a tree point, 2 × ways of them
    struct wm_random random;
    bool rares[64];
    int rare_left;
    int psel;
    int *counters; // SHiP: by signature
    struct obvious_pipp pipp;
};

// With the parameters that the papers give. `path` is the component's name, which seeds chance.
void obvious_replacement_init(struct obvious_replacement *replacement,
                              const struct wm_replacement_ops *ops, uint32_t sets, uint32_t ways,
                              const char *path);
void obvious_replacement_release(struct obvious_replacement *replacement);

// The way of a full set that makes room, or WM_NO_WAY.
int32_t obvious_replacement_victim(struct obvious_replacement *replacement, uint32_t set,
                                   const struct wm_replacement_event *event);
// The way at `back` places before the last of the order in which the set's lines stand, or of all
// ways, the lowest last, where the policy keeps them in none. WM_NO_WAY when no line is there.
int32_t obvious_replacement_from_last(const struct obvious_replacement *replacement, uint32_t set,
                                      uint32_t back);
// A line came into `way`; was hit there; leaves it.
void obvious_replacement_enter(struct obvious_replacement *replacement, uint32_t set, uint32_t way,
                               const struct wm_replacement_event *event);
void obvious_replacement_hit(struct obvious_replacement *replacement, uint32_t set, uint32_t way,
                             const struct wm_replacement_event *event);
void obvious_replacement_leave(struct obvious_replacement *replacement, uint32_t set, uint32_t way);
// A flush, after all lines left: sets are as new, what was learned stays.
void obvious_replacement_flush(struct obvious_replacement *replacement);

#endif
