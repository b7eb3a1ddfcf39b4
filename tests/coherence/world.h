// One state that the explorer is in: every line in every node, what is under way, and what the
// leaves wait for. Steps change it; a key of few bytes says which state it is.
#ifndef WM_TESTS_COHERENCE_WORLD_H
#define WM_TESTS_COHERENCE_WORLD_H

#include "explorer.h"

struct place {
    struct wm_coherence_line line;
    bool has_data, is_latest; // the copy here is the last written
    bool is_modified;         // may differ from the home's: written, or given to be
    bool is_locked;           // a locked operation has read and is to write
    bool is_victim;           // of a level with children: an eviction was deferred
    uint8_t waiting;          // the access that waits here, plus one; 0: none
};

struct message {
    uint8_t event, line, from, to, peer; // peer: the requester's number among the siblings
    bool is_latest;
};

struct world {
    struct place places[MOST_LINES][MOST_NODES];
    struct message messages[MOST_MESSAGES];
    unsigned count;
};

// What the explorer does next in a state.
enum move_kind { MOVE_ACCESS, MOVE_DELIVERY };
struct move {
    uint8_t kind, line, node, event;
    struct message message; // of a delivery
};

enum { MOST_RENAMINGS = 8 };

struct walk {
    const struct tree *tree;
    const struct wm_coherence_protocol *protocol;
    struct explored *explored;
    uint8_t child_number[MOST_NODES]; // among the children of its parent
    bool is_leaf[MOST_NODES];
    unsigned accesses[MOST_NODES]; // a bit for each event
    // Renamings of the nodes that change nothing: the first is none at all.
    uint8_t renamings[MOST_RENAMINGS][MOST_NODES];
    unsigned renaming_count;
};

enum { MOST_KEY = MOST_LINES * MOST_NODES * 4 + MOST_MESSAGES * 2 };

void walk_init(struct walk *walk, const struct tree *tree,
               const struct wm_coherence_protocol *protocol, struct explored *explored,
               bool renames);
// All renamings of the tree's nodes, into the walk.
void walk_find_renamings(struct walk *walk);
void world_init(const struct walk *walk, struct world *world);
// The state in few bytes: the same for states that are the same but for renamings.
size_t world_pack(const struct walk *walk, const struct world *world, uint8_t key[MOST_KEY]);
void world_unpack(const struct walk *walk, const uint8_t *key, size_t length, struct world *world);

// Does a move, if it can be done now; false: not, or nothing came of it. A fault is in `explored`.
bool world_move(struct walk *walk, struct world *world, const struct move *move);
// Finds what is wrong in a state.
void world_check(const struct walk *walk, const struct world *world);
// Nothing is under way, waits or is locked.
bool world_is_quiet(const struct walk *walk, const struct world *world);
// Whether it comes in the end by itself: no new access, and an eviction where room is scarce or
// that was requested.
bool move_is_progress(const struct walk *walk, const struct world *before, const struct move *move);

#endif
