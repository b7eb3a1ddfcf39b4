// The kind "replacement": which line of a set makes room for a new one.
//
// An entry is one constant struct of functions in one file, listed in replacement_table.c. It owns
// no memory: it says how many bytes of state it wants for the whole array, for each set and for
// each line, and the array (the owner) allocates them, zeroed, and hands them back at every call.
// It keeps nothing else, so two caches with the same entry never meet.
//
// Every array has a recency chain (mem/recency.h), so an entry says one of two things:
//
//  - "I am the chain": `uses_chain`, with the answers to three questions, each a constant or, where
//    the hook is given, asked at every event:
//       insert   at which position does a new line enter?      0 most recent … WM_CHAIN_LAST
//       promote  by how many positions does a hit move it up?  0 none … WM_CHAIN_LAST to the front
//       protect  how many positions from the most recent end may not be victims?  0 none
//    The victim is the allowed way nearest to the least recent end outside the protected positions.
//    With constant answers the owner runs the chain inline and calls nobody: LRU is insert 0,
//    promote WM_CHAIN_LAST, protect 0; FIFO the same without promotion; LIP inserts at
//    WM_CHAIN_LAST.
//  - "I keep my own order" (not-recently-used bits, trees, re-reference predictions, chance): the
//    hooks hit, insert and victim, with the entry's own state.
//
// What the owner promises, in this order:
//  - reset: after allocation and after every reset, with the states zeroed and the chain fresh.
//  - hit: the access found its line in `way`, also when the sectors asked for were not there.
//  - victim: the access needs a way and no way of the set is empty. Empty ways are taken by the
//    owner without asking, lowest first; until then they hold their place in the chain.
//  - evict: the line in `way` leaves the array, displaced (after victim chose it) or dropped.
//  - insert: the new line is now in `way`.
//
// An entry must not: keep pointers to what it is handed, allocate, read a clock or draw from any
// generator but its own state (struct wm_random, seeded in reset from `seed`), or touch another
// set's state except through its whole-array state. Then the same accesses give the same victims.
#ifndef WM_MEM_REPLACEMENT_REPLACEMENT_H
#define WM_MEM_REPLACEMENT_REPLACEMENT_H

#include "base/access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_recency;

enum {
    WM_CHAIN_LAST = 0xffff, // as an answer: the least recent position; as a promotion: all the way
    WM_NO_WAY = -1,         // victim: nothing may be displaced; the access goes on uncached
};

// What an array is, told once.
struct wm_replacement_geometry {
    uint32_t sets, ways;
    uint64_t seed; // differs from component to component and is the same on every run
};

// One set as an entry sees it. Borrowed for the call.
struct wm_replacement_set {
    void *array;                // the entry's array_state_bytes
    void *set;                  // this set's set_state_bytes
    void *lines;                // ways times line_state_bytes, way by way
    struct wm_recency *recency; // the chain; an entry of its own order may leave it alone
    uint32_t index, sets, ways;
};

// Who asks for what. Fields that an owner cannot know are zero (a TLB has no sectors).
struct wm_replacement_event {
    uint64_t line; // the line looked for; for evict, the line that leaves
    uint32_t pc, warp, sm;
    enum wm_access_kind kind;
    enum wm_cache_hint hint;
    bool write_back; // a victim of the level above arrives; nobody's program asked for it
};

struct wm_replacement_ops {
    const char *name;     // key in machine files: "lru"
    const char *title;    // for people: "least recently used"
    const char *source;   // the paper or manual, with section
    const char *sentence; // what it does

    size_t array_state_bytes, set_state_bytes, line_state_bytes;

    bool uses_chain;
    uint16_t insert_at, promote_by, protect; // constant answers; where a hook is given, it decides
    uint32_t (*chain_insert)(const struct wm_replacement_set *set,
                             const struct wm_replacement_event *event);
    uint32_t (*chain_promote)(const struct wm_replacement_set *set, uint32_t way,
                              const struct wm_replacement_event *event);
    uint32_t (*chain_protect)(const struct wm_replacement_set *set,
                              const struct wm_replacement_event *event);

    // For entries of their own order these three are required; for a chain they are optional
    // listeners (victim excepted, which must be NULL), called beside the chain's own move.
    void (*hit)(const struct wm_replacement_set *set, uint32_t way,
                const struct wm_replacement_event *event);
    void (*insert)(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event);
    // `allowed` has a bit a way, in words of 64; NULL allows all. Returns an allowed way or
    // WM_NO_WAY; must be able to choose any single allowed way, or decline.
    int32_t (*victim)(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed);

    // Optional for all.
    void (*reset)(void *array, const struct wm_replacement_geometry *geometry);
    void (*evict)(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event);
};

// For owners: the three events, answered by the chain or by the entry's own hooks. The caller keeps
// the promises above (empty ways first, evict before insert).
int32_t wm_replacement_victim(const struct wm_replacement_ops *ops,
                              const struct wm_replacement_set *set,
                              const struct wm_replacement_event *event, const uint64_t *allowed);
void wm_replacement_inserted(const struct wm_replacement_ops *ops,
                             const struct wm_replacement_set *set, uint32_t way,
                             const struct wm_replacement_event *event);
void wm_replacement_touched(const struct wm_replacement_ops *ops,
                            const struct wm_replacement_set *set, uint32_t way,
                            const struct wm_replacement_event *event);

extern const struct wm_replacement_ops wm_replacement_lru;

// Every entry, in the order of lists and documentation; `*count` of them.
const struct wm_replacement_ops *const *wm_replacement_table(size_t *count);
// NULL when there is none of that name.
const struct wm_replacement_ops *wm_replacement_find(const char *name);

#endif
