// Machines that between them have every pair of choices: a covering array of strength two over all
// that a memory system's description can say.
#ifndef WM_TESTS_MEMORY_PAIRS_H
#define WM_TESTS_MEMORY_PAIRS_H

#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a machine is drawn by. The last few are no part of its spec, but of what is done with it.
#define MEMORY_CHOICES(X)                  \
    X(L1_PRESENT, 2)                       \
    X(L1_SMS_EACH, 3)                      \
    X(L1_WRITE, 5)                         \
    X(L1_FETCH, 3)                         \
    X(L1_WAYS, 7)                          \
    X(L1_LINE, 5)                          \
    X(L1_SECTOR, 3)                        \
    X(L1_SETS, CHOICE_SETS)                \
    X(L1_REPLACEMENT, CHOICE_REPLACEMENTS) \
    X(L1_FLUSH, 2)                         \
    X(VICTIMS, 3)                          \
    X(INCLUSION, 3)                        \
    X(BYPASS, 4)                           \
    X(L2_PRESENT, 2)                       \
    X(L2_WRITE, 5)                         \
    X(L2_FETCH, 3)                         \
    X(L2_WAYS, 7)                          \
    X(L2_LINE, 5)                          \
    X(L2_SECTOR, 3)                        \
    X(L2_SETS, CHOICE_SETS)                \
    X(L2_REPLACEMENT, CHOICE_REPLACEMENTS) \
    X(SLICES, 4)                           \
    X(INTERLEAVE, 3)                       \
    X(HASH, 3)                             \
    X(L2_LIMIT, 2)                         \
    X(BESIDE, 3)                           \
    X(TLB, 5)                              \
    X(TRACKER, 5)                          \
    X(ATOMICS, 3)                          \
    X(L2_LOADS, 2)                         \
    X(DRAM_ACCESS, 2)                      \
    X(ORDER, 2)                            \
    X(ALLOCATION, 2)                       \
    X(HINTS, 2)                            \
    X(STREAMS, 2)                          \
    X(PATHS, 5)

enum memory_choice {
#define AS_NAME(name, values) CHOICE_##name,
    MEMORY_CHOICES(AS_NAME)
#undef AS_NAME
        CHOICES
};

enum {
// All of the table but opt, in whose place is one of the tests' own.
#define AS_ONE(entry) +1
    CHOICE_REPLACEMENTS = 0 WM_REPLACEMENTS(AS_ONE),
#undef AS_ONE
    CHOICE_MOST_VALUES = CHOICE_REPLACEMENTS,
    CHOICE_MOST_MACHINES = 600,
    CHOICE_SMS = 3,
    CHOICE_SETS = 7,        // an index and how many sets
    CHOICE_WIDEST_PATH = 3, // values of CHOICE_PATHS: a vector width, plainest first; then
    CHOICE_FULL = 3,        // the full build; and that with misses explained
    CHOICE_EXPLAINED = 4,
};

struct memory_choices {
    uint8_t value[CHOICES];
};

struct wm_memory_spec memory_spec_of(const struct memory_choices *choices);

// Fills `machines` (CHOICE_MOST_MACHINES of them) with legal ones, such that each pair of values of
// two choices that any legal machine has is in one of them. The same on every run. Returns how many
// it took; `*impossible` is how many pairs no machine was found for.
size_t memory_pairs(struct memory_choices *machines, size_t *impossible);
// A legal machine of any choices, with both levels.
void memory_any(struct wm_random *random, struct memory_choices *machine);

// Prints what was chosen, one line.
void memory_choices_print(const struct memory_choices *choices);

#endif
