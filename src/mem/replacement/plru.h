// What tree pseudo-LRU (plru.c) keeps, for its hooks and its step.
#ifndef WM_MEM_REPLACEMENT_PLRU_H
#define WM_MEM_REPLACEMENT_PLRU_H

#include "mem/replacement/way_words.h"

enum { WM_PLRU_WORD_WAYS = 64 }; // up to here a tree is one word

// Bit n of a set's words: the victim lies under the right child of node n.
struct wm_plru {
    // Of each way, up to WM_PLRU_WORD_WAYS of them: the nodes on its way to the root, and those of
    // them that point right when they point away from it.
    uint64_t path[WM_PLRU_WORD_WAYS], away[WM_PLRU_WORD_WAYS];
};

static inline uint64_t wm_plru_turned(const struct wm_plru *plru, uint64_t right, uint32_t way)
{
    return (right & ~plru->path[way]) | plru->away[way];
}

#endif
