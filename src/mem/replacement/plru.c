// Tree pseudo-LRU (PLRUt): H. Al-Zoubi, A. Milenkovic and M. Milenkovic, "Performance evaluation of
// cache replacement policies for the SPEC CPU2000 benchmark suite", ACM Southeast Conference, 2004;
// in hardware since the Intel486, whose data sheet gives the three bits of a set of four ways.
// The ways are the leaves of a binary tree with one bit at each inner node, ways - 1 in all. A hit
// or a fill turns the bits on its way to the root away from itself. The victim is found by going
// from the root to where the bits point.
//
// Any number of ways: inner nodes are 1 to ways - 1 with children 2n and 2n + 1, way w is leaf
// ways + w. For a power of two this is the full tree; else leaves lie on two neighbouring levels.
// A child without an allowed leaf is not entered, whatever the bit says.
#include "base/host/select.h"
#include "mem/replacement/entries.h"
#include "mem/replacement/way_words.h"

enum {
    WORD_WAYS = 64, // up to here a tree is one word
    TOP_NODES = 7,
    LOOKUP_WAYS = 16,
};

// Bit n of a set's words: the victim lies under the right child of node n.
struct plru {
    // Of each way, up to WORD_WAYS of them: the nodes on its way to the root, and those of
    // them that point right when they point away from it.
    uint64_t path[WORD_WAYS], away[WORD_WAYS];
    // By the bits of nodes 1 to TOP_NODES: where they lead to, at most three levels down.
    uint8_t below_top[1 << TOP_NODES];
};

// Where bits lead to, in up to 16 ways, whose leaves lie at most four levels down.
static inline uint32_t leaf_at(const struct plru *plru, uint64_t right, uint32_t ways)
{
    uint32_t node = plru->below_top[right >> 1 & ((1 << TOP_NODES) - 1)];
    uint32_t child = 2 * node + (uint32_t)(right >> node & 1);
    return (uint32_t)wm_select(wm_select_mask(node < ways), child, node);
}

static inline uint64_t turned(const struct plru *plru, uint64_t right, uint32_t way)
{
    return (right & ~plru->path[way]) | plru->away[way];
}

static uint32_t bit_of(const uint64_t *right, uint32_t node)
{
    return (uint32_t)(right[node / 64] >> (node % 64)) & 1;
}

static uint32_t below_top(uint32_t ways, uint64_t right)
{
    uint32_t node = 1;
    while (node <= TOP_NODES && node < ways)
        node = 2 * node + bit_of(&right, node);
    return node;
}

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct plru *plru = array;
    for (uint32_t way = 0; geometry->ways <= WORD_WAYS && way < geometry->ways; way++)
        for (uint32_t node = geometry->ways + way; node > 1; node /= 2) {
            plru->path[way] |= UINT64_C(1) << (node / 2);
            plru->away[way] |= (uint64_t)(~node & 1) << (node / 2);
        }
    for (uint32_t bits = 0; bits < sizeof plru->below_top; bits++)
        plru->below_top[bits] = (uint8_t)below_top(geometry->ways, bits << 1);
}

static void touch(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event)
{
    (void)event;
    uint64_t *right = set->set;
    if (set->ways <= WORD_WAYS) {
        right[0] = turned(set->array, right[0], way);
        return;
    }
    for (uint32_t node = set->ways + way; node > 1; node /= 2) {
        uint64_t *word = &right[node / 2 / 64];
        uint32_t at = node / 2 % 64;
        uint64_t away = ~node & 1;
        *word = (*word & ~(UINT64_C(1) << at)) | away << at;
    }
}

// Whether an allowed leaf lies under `node`: its leaves are the nodes from ways on among its
// descendants, which are consecutive on each level.
static bool has_allowed(uint32_t ways, uint32_t node, const uint64_t *allowed)
{
    for (uint32_t first = node, last = node; first < 2 * ways; first *= 2, last = 2 * last + 1)
        for (uint32_t leaf = first > ways ? first : ways; leaf <= last && leaf < 2 * ways; leaf++)
            if ((allowed[(leaf - ways) / 64] >> ((leaf - ways) % 64) & 1) != 0)
                return true;
    return false;
}

static int32_t victim(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    const uint64_t *right = set->set;
    if (allowed != NULL && !has_allowed(set->ways, 1, allowed))
        return WM_NO_WAY;
    if (allowed == NULL && set->ways <= LOOKUP_WAYS)
        return (int32_t)(leaf_at(set->array, right[0], set->ways) - set->ways);
    uint32_t node = 1;
    while (node < set->ways) {
        node = 2 * node + bit_of(right, node);
        if (allowed != NULL && !has_allowed(set->ways, node, allowed))
            node ^= 1;
    }
    return (int32_t)(node - set->ways);
}

const struct wm_replacement_ops wm_replacement_plru = {
    .name = "plru",
    .title = "tree pseudo-LRU",
    .source = "Al-Zoubi, Milenkovic and Milenkovic, ACM Southeast Conference 2004 (PLRUt)",
    .sentence = "follows a tree of bits, each turned away from its last use, to the victim",
    .array_state_bytes = sizeof(struct plru),
    .word_state_bytes = sizeof(uint64_t),
    .reset = reset,
    .hit = touch,
    .insert = touch,
    .victim = victim,
};
