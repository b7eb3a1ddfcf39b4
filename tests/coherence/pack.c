// States as keys of few bytes, the same for all that differ in the names of nodes and lines alone.
#include "world.h"

#include <string.h>

enum { PLACE_BYTES = 4 };

static bool is_renaming(const struct tree *tree, const uint8_t *to)
{
    for (unsigned node = 0; node < tree->nodes; node++) {
        if (to[tree->parent[node]] != tree->parent[to[node]] ||
            tree->room[to[node]] != tree->room[node] ||
            (tree->clients >> to[node] & 1) != (tree->clients >> node & 1))
            return false;
        for (unsigned other = 0; other < node; other++)
            if (to[other] == to[node])
                return false;
    }
    return true;
}

// By counting through all that might be.
void walk_find_renamings(struct walk *walk)
{
    const struct tree *tree = walk->tree;
    uint8_t to[MOST_NODES] = {0};
    for (;;) {
        if (is_renaming(tree, to) && walk->renaming_count < MOST_RENAMINGS)
            memcpy(walk->renamings[walk->renaming_count++], to, sizeof to);
        unsigned node = tree->nodes - 1;
        while (node > 0 && to[node] == tree->nodes - 1)
            to[node--] = 0;
        if (node == 0)
            return;
        to[node]++;
    }
}

// The number of the child of `node` that has number `child`, after the renaming.
static unsigned renamed_child(const struct walk *walk, const uint8_t *to, unsigned node,
                              unsigned child)
{
    for (unsigned other = 1; other < walk->tree->nodes; other++)
        if (walk->tree->parent[other] == node && walk->child_number[other] == child)
            return walk->child_number[to[other]];
    return child;
}

static void pack_place(const struct walk *walk, const uint8_t *to, unsigned node,
                       const struct place *place, uint8_t *at)
{
    unsigned holders = 0, requester = 0;
    for (unsigned child = 0; place->line.holders >> child != 0; child++)
        if (place->line.holders >> child & 1)
            holders |= 1U << renamed_child(walk, to, node, child);
    if (place->line.home == WM_COHERENCE_HOME_INVALIDATING)
        requester = renamed_child(walk, to, node, place->line.requester);
    at[0] = (uint8_t)(place->line.cache | place->line.home << 4);
    at[1] = (uint8_t)(place->has_data | place->is_latest << 1 | place->waiting << 2 |
                      place->is_victim << 5);
    at[2] = (uint8_t)holders;
    at[3] = (uint8_t)(requester | place->is_modified << 3 | place->is_locked << 4);
}

static uint16_t packed_message(const struct walk *walk, const uint8_t *to, unsigned line,
                               const struct message *message)
{
    unsigned peer = 7;
    if (message->peer != WM_COHERENCE_NOBODY)
        peer = renamed_child(walk, to, walk->tree->parent[message->to], message->peer);
    unsigned event = message->event & 31u, from = to[message->from], receiver = to[message->to];
    unsigned is_latest = message->is_latest;
    return (uint16_t)(event | from << 5 | receiver << 8 | peer << 11 | line << 14 |
                      is_latest << 15);
}

// Under one renaming of the nodes, and with the lines exchanged or not.
static size_t pack_as(const struct walk *walk, const struct world *world, const uint8_t *to,
                      unsigned exchange, uint8_t key[MOST_KEY])
{
    unsigned nodes = walk->tree->nodes;
    for (unsigned line = 0; line < walk->tree->lines; line++)
        for (unsigned node = 0; node < nodes; node++)
            pack_place(walk, to, node, &world->places[line][node],
                       key + ((line ^ exchange) * nodes + to[node]) * PLACE_BYTES);
    uint16_t words[MOST_MESSAGES];
    for (unsigned i = 0; i < world->count; i++) {
        const struct message *message = &world->messages[i];
        uint16_t word = packed_message(walk, to, message->line ^ exchange, message);
        unsigned at = i;
        for (; at > 0 && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
    size_t bytes = (size_t)walk->tree->lines * nodes * PLACE_BYTES;
    memcpy(key + bytes, words, world->count * sizeof words[0]);
    return bytes + world->count * sizeof words[0];
}

size_t world_pack(const struct walk *walk, const struct world *world, uint8_t key[MOST_KEY])
{
    size_t length = pack_as(walk, world, walk->renamings[0], 0, key);
    bool exchanges = walk->renaming_count > 1 && walk->tree->lines == 2;
    for (unsigned i = 1; i < walk->renaming_count << exchanges; i++) {
        uint8_t other[MOST_KEY];
        pack_as(walk, world, walk->renamings[i >> exchanges], i & exchanges, other);
        if (memcmp(other, key, length) < 0)
            memcpy(key, other, length);
    }
    return length;
}

void world_unpack(const struct walk *walk, const uint8_t *key, size_t length, struct world *world)
{
    memset(world, 0, sizeof *world);
    const uint8_t *at = key;
    for (unsigned line = 0; line < walk->tree->lines; line++)
        for (unsigned node = 0; node < walk->tree->nodes; node++, at += PLACE_BYTES)
            world->places[line][node] = (struct place){
                .line = {.holders = at[2],
                         .cache = at[0] & 15,
                         .home = at[0] >> 4,
                         .requester = at[3] & 7},
                .has_data = at[1] & 1,
                .is_latest = at[1] >> 1 & 1,
                .waiting = at[1] >> 2 & 7,
                .is_victim = at[1] >> 5 & 1,
                .is_modified = at[3] >> 3 & 1,
                .is_locked = at[3] >> 4 & 1,
            };
    for (; at < key + length; at += sizeof(uint16_t)) {
        uint16_t word;
        memcpy(&word, at, sizeof word);
        uint8_t peer = word >> 11 & 7;
        world->messages[world->count++] = (struct message){
            .event = word & 31,
            .from = word >> 5 & 7,
            .to = word >> 8 & 7,
            .peer = peer == 7 ? WM_COHERENCE_NOBODY : peer,
            .line = word >> 14 & 1,
            .is_latest = word >> 15,
        };
    }
}
