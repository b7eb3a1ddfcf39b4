// What the programs that sort whole numbers share: random keys, and whether an array is sorted and
// still holds the keys that were put in.
#ifndef WORKLOAD_KEYS_H
#define WORKLOAD_KEYS_H

#include "workload.h"

static inline unsigned *keys_random(unsigned count, struct workload_random *random)
{
    unsigned *keys = (unsigned *)workload_allocate(count * sizeof(unsigned));
    for (unsigned i = 0; i < count; i++)
        keys[i] = workload_next(random);
    return keys;
}

static inline unsigned *keys_copy(const unsigned *keys, unsigned count)
{
    unsigned *copy = (unsigned *)workload_allocate(count * sizeof(unsigned));
    memcpy(copy, keys, count * sizeof(unsigned));
    return copy;
}

// The place of the first key that is less than the one before it; 0 if another sum of keys says
// that one was lost; or -1.
static inline long keys_first_wrong(const unsigned *sorted, const unsigned *keys, unsigned count)
{
    unsigned long long before = 0, after = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i > 0 && sorted[i] < sorted[i - 1])
            return (long)i;
        before += keys[i];
        after += sorted[i];
    }
    return before == after ? -1 : 0;
}

// The place of the first difference, or -1.
static inline long keys_first_difference(const unsigned *found, const unsigned *wanted,
                                         unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (found[i] != wanted[i])
            return (long)i;
    return -1;
}

#endif
