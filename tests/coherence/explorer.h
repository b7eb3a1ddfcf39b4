// Walks every state that a coherence protocol's tables can reach on a small tree of caches: every
// access and eviction at any time, messages delivered in any order. Of data it keeps one bit: are
// these the last written? That is all that "no stale copy is read, no write is lost" asks.
//
// What it holds the tables to:
//   - a row, exactly one, for each event in each state that it comes in
//   - one that may write, or many that may read
//   - what is read, written in part, or sent is there, and the last written
//   - some copy is the last written, always
//   - an access completes or is kept; a locked operation sees no write in between
//   - where nothing is under way, all lines are in stable states, each directory knows exactly who
//     holds what, and levels are inclusive
//   - from every state, one where nothing is under way can be reached without new accesses
#ifndef WM_TESTS_COHERENCE_EXPLORER_H
#define WM_TESTS_COHERENCE_EXPLORER_H

#include "mem/coherence/coherence.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_NODES = 8, MOST_LINES = 2, MOST_MESSAGES = 16, MOST_ROWS = 256 };

// Node 0 is the root, a directory at memory. A node without children is a leaf, and has accesses;
// so have others that clients without copies are beside.
struct tree {
    const char *name;
    unsigned nodes, lines;
    uint8_t parent[MOST_NODES]; // of the root itself: 0
    uint8_t room[MOST_NODES];   // lines that a level has room for; 0: all
    unsigned accesses;          // of the leaves: a bit for each event, besides evictions
    // An access that waits is presented again as soon as the line has changed, as a driver does;
    // else at any later time, too, which are more states.
    bool is_prompt;
    unsigned at_once;    // accesses and evictions that may be under way at once; 0: any number
    bool forwards_clean; // the root has a sharer give a line that is shared
    uint8_t clients;     // nodes with children that have accesses, too, but RFO: a bit for each
    bool prefetches;     // levels with children read lines that they do not have
};

struct explored {
    size_t states, steps;
    bool reached[WM_COHERENCE_SIDES][MOST_ROWS];
    char fault[200]; // what is wrong; empty: nothing
    char *trace;     // how it came to that, one event a line; owned
};

// A made explorer keeps its memory for the next tree or protocol.
struct explorer *explorer_new(void);
void explorer_delete(struct explorer *explorer);
// `wants_trace`: writes how a fault was come to. States that differ in the names of caches or lines
// alone are then not taken for one.
void explore(struct explorer *explorer, const struct tree *tree,
             const struct wm_coherence_protocol *protocol, bool wants_trace,
             struct explored *explored);

// The trees that the tests walk, smallest first.
extern const struct tree explored_trees[];
extern const size_t explored_tree_count;

#endif
