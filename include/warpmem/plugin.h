// The contract of the parts that warpmem lets others write: replacement, bypass and prefetch
// entries. What is built in follows the same contract, so an entry moves into the tree as it
// stands.
//
// An entry is one constant struct of functions. It owns no memory: it declares how many bytes of
// state it needs, and the cache that uses it (the owner) allocates them, aligned to 64 bytes and
// zeroed, and passes them with every call. It keeps nothing else, so two caches with the same entry
// share no state. An entry must not keep pointers to its arguments, allocate, read a clock, or draw
// random numbers from anything but its own state, seeded in reset: then the same accesses give the
// same numbers. Calls for one state never overlap.
//
// A plug-in is a shared object that defines one symbol:
//
//     #include <warpmem/plugin.h>
//     static const struct wm_replacement_ops mine = {.name = "mine", …};
//     static const struct wm_replacement_ops *const replacements[] = {&mine};
//     WARPMEM_PLUGIN(.replacements = replacements, .replacement_count = 1);
//
// and is built from this header alone: cc -shared -fPIC -o mine.so mine.c. docs/plugins.md has
// the rest.
#ifndef WARPMEM_PLUGIN_H
#define WARPMEM_PLUGIN_H

#include "warpmem/access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Raised with every change of this header that a plug-in built before would not survive. warpmem
// loads plug-ins of its own number only.
#define WARPMEM_PLUGIN_ABI 5

// --- For all kinds ---

// A number that a person may set with the entry's name, as in "mine(depth=3)".
struct wm_parameter {
    const char *name;     // lower-case letters, digits and "_"
    const char *sentence; // what it means: lower case, no full stop
    uint64_t minimum, maximum, fallback;
};

enum { WM_MAX_PARAMETERS = 8 };

// --- Replacement: which line of a set makes room for a new one ---
//
// Every array has a recency chain, which orders the ways of each set, so an entry says one of two
// things:
//
//  - "I am the chain": `uses_chain`, with the answers to three questions, each a constant or, where
//    the hook is given, its result at every event:
//       insert   at which position does a new line enter?      0 most recent … WM_CHAIN_LAST
//       promote  by how many positions does a hit move it up?  0 none … WM_CHAIN_LAST to the front
//       protect  how many positions from the most recent end may not be victims?  0 none
//    The victim is the allowed way nearest to the least recent end outside the protected positions.
//    With constant answers the owner runs the chain inline, without a call: LRU is insert 0,
//    promote WM_CHAIN_LAST, protect 0; FIFO the same without promotion; LIP inserts at
//    WM_CHAIN_LAST.
//  - "I keep my own order" (not-recently-used bits, trees, re-reference predictions, chance): the
//    hooks hit, insert and victim, with the entry's own state.
//
// What the owner promises, in this order:
//  - reset: after allocation and after every reset, with the states zeroed and the chain fresh. An
//    array whose sets or ways change is a new one.
//  - a flush calls evict for every line, then zeroes the states of sets and lines and makes the
//    chain fresh; the array's state stays, and reset is not called: what was learned survives.
//  - hit: the access found its line in `way`, also when the requested sectors were not there.
//  - victim: the access needs a way and no way of the set is empty. Empty ways are taken by the
//    owner without a call, lowest first. In the chain they stand behind all lines: an answer p to
//    insert leaves ways - 1 - p lines behind the new one, or all there are when there are fewer.
//  - evict: the line in `way` leaves the array, displaced (after victim chose it) or dropped.
//  - insert: the new line is now in `way`.
//
// An entry touches another set's state only through its whole-array state.

struct wm_recency; // of the owner: a plug-in reaches the chain through its answers only

enum {
    WM_CHAIN_LAST = 0xffff, // as an answer: the least recent position; as a promotion: all the way
    WM_NO_WAY = -1,         // victim: nothing may be displaced; the access is served uncached
};

// What an array is, passed to reset.
struct wm_replacement_geometry {
    uint32_t sets, ways;
    uint64_t seed;              // differs from component to component and is the same on every run
    const uint64_t *parameters; // a value for each of the entry's parameters
};

// One set as an entry sees it. Borrowed for the call.
struct wm_replacement_set {
    void *array;                // the entry's array_state_bytes
    void *set;                  // this set's set_state_bytes and words of word_state_bytes
    void *lines;                // ways times line_state_bytes, way by way
    struct wm_recency *recency; // the chain; an entry of its own order may leave it alone
    uint32_t index, sets, ways;
};

// The access of an event. Fields that an owner cannot know are zero (a TLB has no sectors).
struct wm_replacement_event {
    uint64_t line; // the line looked for; for evict, the line that leaves
    uint32_t pc, warp, sm;
    enum wm_access_kind kind;
    enum wm_cache_hint hint;
    bool write_back; // a victim of the level above arrives; no instruction requested it
    bool pending;    // a hit: of a line whose bytes have not come yet (the clock engine's alone)
    uint16_t lines;  // of the cache, that the instruction touches, this one among them
    uint16_t rank;   // warps of the same warp scheduler that are older; 0: the oldest
    enum wm_eviction_priority priority; // of the instruction, at this level
};

struct wm_replacement_ops {
    const char *name;                      // key in machine files: "lru"
    const char *title;                     // for people: "least recently used"
    const char *source;                    // the paper or manual, with section
    const char *sentence;                  // what it does: lower case, no full stop
    const char *details;                   // more about it, in whole sentences; NULL for none
    const struct wm_parameter *parameters; // parameter_count of them, at most WM_MAX_PARAMETERS
    size_t parameter_count;

    size_t array_state_bytes, line_state_bytes;
    // Of each set, and once more for each 64 of its ways or part of them, in that order.
    size_t set_state_bytes, word_state_bytes;

    bool uses_chain;
    // Of a chain: no hook depends on its argument `way`, and there is no evict and no state of
    // sets or lines. The owner may then number the ways anew at every access, as positions in the
    // chain, which is faster. Not needed with constant answers and chain_insert alone.
    bool ignores_ways;
    uint16_t insert_at, promote_by, protect; // constant answers; where a hook is given, it decides
    uint32_t (*chain_insert)(const struct wm_replacement_set *set,
                             const struct wm_replacement_event *event);
    uint32_t (*chain_promote)(const struct wm_replacement_set *set, uint32_t way,
                              const struct wm_replacement_event *event);
    uint32_t (*chain_protect)(const struct wm_replacement_set *set,
                              const struct wm_replacement_event *event);

    // For entries of their own order these three are required; for a chain they are optional
    // listeners (victim excepted, which must be NULL), called in addition to the chain's own move.
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

// --- Bypass: which loads and stores go past the level-one cache ---
//
// Not called for atomics, which are done below, nor for volatile accesses, which must be fetched
// again. What a replacement entry refuses by WM_NO_WAY is no bypass but a refusal.

enum wm_bypass_decision {
    WM_BYPASS_NO,         // uses the cache
    WM_BYPASS_YES,        // bypasses it, in the machine's sense of the word (gpu.l1.bypass_means)
    WM_BYPASS_ALLOCATION, // is looked for, and takes no line when it is not there
    WM_BYPASS_LOOKUP,     // goes around the cache without being looked for
};

// What the machine's bypass list (gpu.l1.bypass_list) says of an instruction.
enum wm_bypass_list_entry {
    WM_BYPASS_LISTED_NOT,         // nothing
    WM_BYPASS_LISTED_BYPASS,      // it bypasses, in the machine's sense of the word
    WM_BYPASS_LISTED_CACHE,       // "=ca": it does as one with the operator .ca
    WM_BYPASS_LISTED_L2,          // "=cg": it does as one with the operator .cg
    WM_BYPASS_LISTED_NO_ALLOCATE, // "=L1::no_allocate": it is looked for, and takes no line
};

struct wm_bypass_geometry {
    uint32_t sets, ways, line_bytes;
    uint64_t seed;              // differs from component to component and is the same on every run
    const uint64_t *parameters; // a value for each of the entry's parameters
};

struct wm_bypass_event {
    uint64_t line;
    uint32_t sectors; // bit i: 32-byte sector i of the line is requested
    uint32_t pc, warp, sm;
    enum wm_access_kind kind; // a load or a store
    enum wm_cache_hint hint;
    enum wm_bypass_list_entry listed;
    uint32_t lines; // lines of the cache that the instruction touches, this one among them
    uint32_t
        resident_warps; // warps on the SM that have not finished, this one among them; 0: unknown
};

struct wm_bypass_ops {
    const char *name, *title, *source, *sentence, *details; // as a replacement's
    const struct wm_parameter *parameters;
    size_t parameter_count;

    size_t state_bytes; // for one cache
    enum wm_bypass_decision (*decide)(void *state, const struct wm_bypass_event *event);

    // Optional.
    void (*reset)(void *state, const struct wm_bypass_geometry *geometry);
    // After an access that was looked for: which of its sectors were not there.
    void (*served)(void *state, const struct wm_bypass_event *event, uint32_t missing);
    // A kernel starts.
    void (*kernel)(void *state);
};

// --- Prefetch: which lines a level requests before they are looked for ---
//
// An entry stands next to a cache of any level and holds lines of its own: what is prefetched comes
// to it, not to the cache. It keeps their numbers alone; the owner makes the requests, and in time
// knows which of the lines have come. Next to a coherent cache what is prefetched comes to the
// cache itself, and the first use of such a line is given to the entry as a miss (docs/prefetch.md,
// "At coherent levels").

enum { WM_MOST_PREFETCHES = 32 }; // that one miss leads to

struct wm_prefetch_geometry {
    uint32_t sets, ways, line_bytes; // of the cache
    uint64_t seed;              // differs from component to component and is the same on every run
    const uint64_t *parameters; // a value for each of the entry's parameters
};

// A load, or a store that fetches, lacks sectors of a line in the cache. Numbers of lines are those
// of the lines that the cache may hold, one after the other: a slice counts its own alone.
struct wm_prefetch_event {
    uint64_t line;
    uint32_t pc, warp, sm;
    enum wm_access_kind kind;
};

// Zeroed before the call.
struct wm_prefetch_answer {
    bool supplies;  // the entry holds the line, whole: it moves to the cache and leaves the entry
    uint32_t count; // lines that are requested from the level below now, for the entry, in order
    uint64_t lines[WM_MOST_PREFETCHES];
};

struct wm_prefetch_ops {
    const char *name, *title, *source, *sentence, *details; // as a replacement's
    const struct wm_parameter *parameters;
    size_t parameter_count;

    size_t state_bytes; // for one cache
    void (*missed)(void *state, const struct wm_prefetch_event *event,
                   struct wm_prefetch_answer *answer);
    // The line is written, or dropped everywhere: what the entry holds of it may not be supplied
    // any more. Returns whether it held it.
    bool (*dropped)(void *state, uint64_t line);

    // Optional. After allocation, with the state zeroed, and when all lines are dropped, zeroed
    // again.
    void (*reset)(void *state, const struct wm_prefetch_geometry *geometry);
};

// --- The plug-in ---

struct wm_plugin {
    uint32_t abi;                                                           // WARPMEM_PLUGIN_ABI
    uint32_t plugin_bytes, replacement_bytes, bypass_bytes, prefetch_bytes; // sizes of the structs
    const struct wm_replacement_ops *const *replacements;
    size_t replacement_count;
    const struct wm_bypass_ops *const *bypasses;
    size_t bypass_count;
    const struct wm_prefetch_ops *const *prefetchers;
    size_t prefetcher_count;
};

#define WARPMEM_PLUGIN(...)                                                                    \
    __attribute__((visibility("default"))) extern const struct wm_plugin warpmem_plugin;       \
    const struct wm_plugin warpmem_plugin = {.abi = WARPMEM_PLUGIN_ABI,                        \
                                             .plugin_bytes = sizeof(struct wm_plugin),         \
                                             .replacement_bytes =                              \
                                                 sizeof(struct wm_replacement_ops),            \
                                             .bypass_bytes = sizeof(struct wm_bypass_ops),     \
                                             .prefetch_bytes = sizeof(struct wm_prefetch_ops), \
                                             __VA_ARGS__}

#endif
