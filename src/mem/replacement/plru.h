// What tree pseudo-LRU (plru.c) keeps, for its hooks and its step. Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_PLRU_H
#define WM_MEM_REPLACEMENT_PLRU_H

#include "base/host/select.h"
#include "mem/replacement/way_words.h"

enum {
    WM_PLRU_WORD_WAYS = 64, // up to here a tree is one word
    WM_PLRU_TOP_NODES = 7,
    WM_PLRU_LOOKUP_WAYS = 16,
};

// Bit n of a set's words: the victim lies under the right child of node n.
struct wm_plru {
    // Of each way, up to WM_PLRU_WORD_WAYS of them: the nodes on its way to the root, and those of
    // them that point right when they point away from it.
    uint64_t path[WM_PLRU_WORD_WAYS], away[WM_PLRU_WORD_WAYS];
    // By the bits of nodes 1 to WM_PLRU_TOP_NODES: where they lead to, at most three levels down.
    uint8_t below_top[1 << WM_PLRU_TOP_NODES];
};

// Where bits lead to, in up to 16 ways, whose leaves lie at most four levels down.
static inline uint32_t wm_plru_leaf(const struct wm_plru *plru, uint64_t right, uint32_t ways)
{
    uint32_t node = plru->below_top[right >> 1 & ((1 << WM_PLRU_TOP_NODES) - 1)];
    uint32_t child = 2 * node + (uint32_t)(right >> node & 1);
    return (uint32_t)wm_select(wm_select_mask(node < ways), child, node);
}

static inline uint64_t wm_plru_turned(const struct wm_plru *plru, uint64_t right, uint32_t way)
{
    return (right & ~plru->path[way]) | plru->away[way];
}

#endif
