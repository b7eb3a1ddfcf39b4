// Sets of ways as bits, in words of 64: what entries of their own order keep for each set, so that
// a choice among up to 64 ways is a few register operations. Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_WAY_WORDS_H
#define WM_MEM_REPLACEMENT_WAY_WORDS_H

#include "mem/replacement/replacement.h"

static inline uint32_t wm_way_words(uint32_t ways)
{
    return (ways + 63) / 64;
}

// The ways of `word` that exist and are allowed. `allowed` as wm_replacement_ops.victim has it.
static inline uint64_t wm_way_word(uint32_t ways, uint32_t word, const uint64_t *allowed)
{
    uint32_t left = ways - word * 64;
    uint64_t ways_mask = left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
    return allowed != NULL ? ways_mask & allowed[word] : ways_mask;
}

#endif
