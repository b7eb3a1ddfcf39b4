#include "obvious_replacement.h"
#include "base/numbers/hash.h"
#include "mem/replacement/replacement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNATURES = 16384, WRITE_BACKS = SIGNATURES }; // SHiP: of instructions; one more

enum obvious_policy {
    OBVIOUS_LRU,
    OBVIOUS_FIFO,
    OBVIOUS_RANDOM,
    OBVIOUS_PLRU,
    OBVIOUS_NRU,
    OBVIOUS_LIP,
    OBVIOUS_BIP,
    OBVIOUS_DIP,
    OBVIOUS_SRRIP,
    OBVIOUS_BRRIP,
    OBVIOUS_DRRIP,
    OBVIOUS_SHIP,
    OBVIOUS_PIPP,
    OBVIOUS_PRIORITY,
    OBVIOUS_POLICIES, // an entry of the tests' own, whose victim is called
};

static const char *const names[OBVIOUS_POLICIES] = {
    [OBVIOUS_LRU] = "lru",     [OBVIOUS_FIFO] = "fifo",         [OBVIOUS_RANDOM] = "random",
    [OBVIOUS_PLRU] = "plru",   [OBVIOUS_NRU] = "nru",           [OBVIOUS_LIP] = "lip",
    [OBVIOUS_BIP] = "bip",     [OBVIOUS_DIP] = "dip",           [OBVIOUS_SRRIP] = "srrip",
    [OBVIOUS_BRRIP] = "brrip", [OBVIOUS_DRRIP] = "drrip",       [OBVIOUS_SHIP] = "ship",
    [OBVIOUS_PIPP] = "pipp",   [OBVIOUS_PRIORITY] = "priority",
};

static int policy_of(const struct wm_replacement_ops *ops)
{
    for (int policy = 0; policy < OBVIOUS_POLICIES; policy++)
        if (strcmp(names[policy], ops->name) == 0)
            return policy;
    if (wm_replacement_find(ops->name) != NULL) {
        fprintf(stderr, "obvious_replacement.c has no model of '%s': write one\n", ops->name);
        abort();
    }
    return OBVIOUS_POLICIES;
}

void obvious_replacement_init(struct obvious_replacement *replacement,
                              const struct wm_replacement_ops *ops, uint32_t sets, uint32_t ways,
                              const char *path)
{
    size_t lines = (size_t)sets * ways;
    uint64_t seed = wm_hash_bytes(path, strlen(path));
    *replacement = (struct obvious_replacement){
        .policy = policy_of(ops),
        .own = ops,
        .sets = sets,
        .ways = ways,
        .distant = 3,
        .taken_by_hit = 3,
        .order = calloc(lines, sizeof *replacement->order),
        .lengths = calloc(sets, sizeof *replacement->lengths),
        .held = calloc(lines, sizeof *replacement->held),
        .right = calloc(2 * lines, sizeof *replacement->right),
        .psel = 511,
        .counters = calloc(SIGNATURES + 1, sizeof *replacement->counters),
    };
    for (int i = 0; i <= SIGNATURES; i++)
        replacement->counters[i] = 1;
    wm_random_init(&replacement->random, seed, ops->name);
    if (replacement->policy == OBVIOUS_PIPP)
        obvious_pipp_init(&replacement->pipp, sets, ways, seed);
}

void obvious_replacement_release(struct obvious_replacement *replacement)
{
    free(replacement->order);
    free(replacement->lengths);
    free(replacement->held);
    free(replacement->right);
    free(replacement->counters);
    obvious_pipp_release(&replacement->pipp);
}

// --- The chain ---

static uint32_t *order_of(struct obvious_replacement *replacement, uint32_t set)
{
    return replacement->order + (size_t)set * replacement->ways;
}

static uint32_t position_of(struct obvious_replacement *replacement, uint32_t set, uint32_t way)
{
    uint32_t position = 0;
    while (order_of(replacement, set)[position] != way)
        position++;
    return position;
}

static void take_out(struct obvious_replacement *replacement, uint32_t set, uint32_t way)
{
    uint32_t *order = order_of(replacement, set);
    for (uint32_t at = position_of(replacement, set, way); at + 1 < replacement->lengths[set]; at++)
        order[at] = order[at + 1];
    replacement->lengths[set]--;
}

static void put(struct obvious_replacement *replacement, uint32_t set, uint32_t way,
                uint32_t position)
{
    uint32_t *order = order_of(replacement, set);
    for (uint32_t at = replacement->lengths[set]++; at > position; at--)
        order[at] = order[at - 1];
    order[position] = way;
}

// --- Chance and duels ---

// Numbers of 64 bits are compared with 2^64 / 32 - 1, 63 at a time: bit i of the words drawn,
// highest first, makes number i, and no more words are drawn than it takes to decide all 64 of
// them.
static void draw_rares(struct obvious_replacement *replacement)
{
    uint64_t words[64], limit = UINT64_MAX / 32;
    int drawn = 0;
    for (bool told = false; !told;) {
        words[drawn++] = wm_random_u64(&replacement->random);
        told = true;
        for (int i = 0; i < 64; i++) {
            int place = 0;
            while (place < drawn && (words[place] >> i & 1) == (limit >> (63 - place) & 1))
                place++;
            told &= place < drawn;
            replacement->rares[i] = place < drawn && (words[place] >> i & 1) == 0;
        }
    }
    replacement->rare_left = 63;
}

static bool rare(struct obvious_replacement *replacement)
{
    if (replacement->rare_left == 0)
        draw_rares(replacement);
    return replacement->rares[63 - replacement->rare_left--];
}

// The duel, from its rule and not from its code: which sets lead is written out.
static bool second_wins(struct obvious_replacement *replacement, uint32_t set, bool write_back)
{
    uint32_t sets = replacement->sets, leaders = sets / 4 > 32 ? 32 : sets / 4;
    if (leaders == 0 && sets > 1)
        leaders = 1;
    for (uint32_t leader = 0; leader < leaders; leader++) {
        uint32_t stride = sets / leaders;
        if (set == leader * stride) {
            replacement->psel += !write_back && replacement->psel < 1023;
            return false;
        }
        if (set == leader * stride + stride / 2) {
            replacement->psel -= !write_back && replacement->psel > 0;
            return true;
        }
    }
    return replacement->psel >= 512;
}

// --- What an entry keeps of a line ---

static struct obvious_held *held_of(struct obvious_replacement *replacement, uint32_t set,
                                    uint32_t way)
{
    return &replacement->held[(size_t)set * replacement->ways + way];
}

static bool *tree_of(struct obvious_replacement *replacement, uint32_t set)
{
    return replacement->right + (size_t)set * 2 * replacement->ways;
}

// The nodes from the way's leaf to the root point away from it.
static void turn_away(struct obvious_replacement *replacement, uint32_t set, uint32_t way)
{
    for (uint32_t node = replacement->ways + way; node > 1; node /= 2)
        tree_of(replacement, set)[node / 2] = node % 2 == 0;
}

static uint32_t pointed_at(struct obvious_replacement *replacement, uint32_t set)
{
    uint32_t node = 1;
    while (node < replacement->ways)
        node = 2 * node + tree_of(replacement, set)[node];
    return node - replacement->ways;
}

static uint32_t first_not_used(struct obvious_replacement *replacement, uint32_t set)
{
    for (;;) {
        for (uint32_t way = 0; way < replacement->ways; way++)
            if (!held_of(replacement, set, way)->used)
                return way;
        for (uint32_t way = 0; way < replacement->ways; way++)
            held_of(replacement, set, way)->used = false;
    }
}

static uint32_t first_distant(struct obvious_replacement *replacement, uint32_t set)
{
    for (;;) {
        for (uint32_t way = 0; way < replacement->ways; way++)
            if (held_of(replacement, set, way)->rrpv == replacement->distant)
                return way;
        for (uint32_t way = 0; way < replacement->ways; way++)
            held_of(replacement, set, way)->rrpv++;
    }
}

// --- Events ---

int32_t obvious_replacement_victim(struct obvious_replacement *replacement, uint32_t set,
                                   const struct wm_replacement_event *event)
{
    switch (replacement->policy) {
    case OBVIOUS_RANDOM: return (int32_t)wm_random_below(&replacement->random, replacement->ways);
    case OBVIOUS_NRU: return (int32_t)first_not_used(replacement, set);
    case OBVIOUS_PLRU: return (int32_t)pointed_at(replacement, set);
    case OBVIOUS_SRRIP:
    case OBVIOUS_BRRIP:
    case OBVIOUS_DRRIP:
    case OBVIOUS_SHIP: return (int32_t)first_distant(replacement, set);
    case OBVIOUS_POLICIES:
        return replacement->own->victim(&(struct wm_replacement_set){.index = set,
                                                                     .sets = replacement->sets,
                                                                     .ways = replacement->ways},
                                        event, NULL);
    default: return (int32_t)order_of(replacement, set)[replacement->ways - 1];
    }
}

// Where a new line stands in the chain, of so many others.
static uint32_t position_of_new(struct obvious_replacement *replacement, uint32_t set,
                                const struct wm_replacement_event *event)
{
    uint32_t others = replacement->lengths[set], behind;
    switch (replacement->policy) {
    case OBVIOUS_LIP: return others;
    case OBVIOUS_BIP: return rare(replacement) ? 0 : others;
    case OBVIOUS_DIP:
        if (!second_wins(replacement, set, event->write_back))
            return 0;
        return rare(replacement) ? 0 : others;
    case OBVIOUS_PIPP:
        behind = obvious_pipp_behind(&replacement->pipp, event->sm);
        return others > behind ? others - behind : 0;
    default: return 0;
    }
}

static uint32_t prediction(struct obvious_replacement *replacement, uint32_t set,
                           uint32_t signature, bool write_back)
{
    bool distant = false;
    if (replacement->policy == OBVIOUS_BRRIP)
        distant = !rare(replacement);
    if (replacement->policy == OBVIOUS_DRRIP && second_wins(replacement, set, write_back))
        distant = !rare(replacement);
    if (replacement->policy == OBVIOUS_SHIP)
        distant = replacement->counters[signature] == 0;
    return distant ? replacement->distant : replacement->distant - 1;
}

// The 14-bit parts of an instruction's index, one over the other.
static uint32_t signature_of(const struct wm_replacement_event *event)
{
    uint32_t signature = 0;
    for (uint32_t rest = event->pc; rest != 0; rest /= SIGNATURES)
        signature ^= rest % SIGNATURES;
    return event->write_back ? WRITE_BACKS : signature;
}

void obvious_replacement_enter(struct obvious_replacement *replacement, uint32_t set, uint32_t way,
                               const struct wm_replacement_event *event)
{
    uint32_t signature = signature_of(event);
    put(replacement, set, way, position_of_new(replacement, set, event));
    *held_of(replacement, set, way) = (struct obvious_held){
        .used = true,
        .rrpv = prediction(replacement, set, signature, event->write_back),
        .signature = signature,
    };
    turn_away(replacement, set, way);
    if (replacement->policy == OBVIOUS_PIPP && !event->write_back)
        obvious_pipp_watch(&replacement->pipp, set, event->sm, event->line);
}

static void move_up(struct obvious_replacement *replacement, uint32_t set, uint32_t way,
                    const struct wm_replacement_event *event)
{
    uint32_t position = position_of(replacement, set, way);
    switch (replacement->policy) {
    case OBVIOUS_LRU:
    case OBVIOUS_LIP:
    case OBVIOUS_BIP:
    case OBVIOUS_DIP:
    case OBVIOUS_PRIORITY: position = 0; break;
    case OBVIOUS_PIPP:
        if (obvious_pipp_promotes(&replacement->pipp, event->sm) && position > 0)
            position--;
        break;
    default: break;
    }
    take_out(replacement, set, way);
    put(replacement, set, way, position);
}

void obvious_replacement_hit(struct obvious_replacement *replacement, uint32_t set, uint32_t way,
                             const struct wm_replacement_event *event)
{
    struct obvious_held *held = held_of(replacement, set, way);
    uint32_t taken = replacement->taken_by_hit;
    int *counter = &replacement->counters[held->signature];
    move_up(replacement, set, way, event);
    held->used = held->outcome = true;
    held->rrpv = held->rrpv < taken ? 0 : held->rrpv - taken;
    *counter = *counter < 7 ? *counter + 1 : 7;
    turn_away(replacement, set, way);
    if (replacement->policy == OBVIOUS_PIPP && !event->write_back)
        obvious_pipp_watch(&replacement->pipp, set, event->sm, event->line);
}

void obvious_replacement_leave(struct obvious_replacement *replacement, uint32_t set, uint32_t way)
{
    const struct obvious_held *held = held_of(replacement, set, way);
    int *counter = &replacement->counters[held->signature];
    if (!held->outcome)
        *counter = *counter > 0 ? *counter - 1 : 0;
    take_out(replacement, set, way);
}

int32_t obvious_replacement_from_last(const struct obvious_replacement *replacement, uint32_t set,
                                      uint32_t back)
{
    uint32_t length = replacement->lengths[set];
    switch (replacement->policy) {
    case OBVIOUS_LRU:
    case OBVIOUS_FIFO:
    case OBVIOUS_LIP:
    case OBVIOUS_BIP:
    case OBVIOUS_DIP:
    case OBVIOUS_PIPP:
        if (back >= length)
            return WM_NO_WAY;
        return (int32_t)replacement->order[(size_t)set * replacement->ways + length - 1 - back];
    default: return (int32_t)back;
    }
}

void obvious_replacement_flush(struct obvious_replacement *replacement)
{
    size_t lines = (size_t)replacement->sets * replacement->ways;
    memset(replacement->held, 0, lines * sizeof *replacement->held);
    memset(replacement->right, 0, 2 * lines * sizeof *replacement->right);
}
