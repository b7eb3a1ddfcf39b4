// Coherent caches in time: the two tables of mem/coherence/ carried out with messages that take
// time (docs/engine-clock.md, "Coherent caches"). The caches are a tree of nodes, as in
// mem/system/coherent_levels.h: a node is a cache with its slices, or the directory at memory. A
// slice owns its lines, looks up one request or probe in a cycle, and has ports towards its home
// and towards its children; the root's misses go to DRAM channels.
//
// All cycles are those of one clock, `clock_hz`. A call is at a cycle that is not before that of
// the call before. Messages of one cycle are taken in order of their sender and then of their
// sequence, so a result is a function of the calls alone.
//
// Thread rules: one thread at a time.
#ifndef WM_MEM_TIMED_COHERENT_CACHES_H
#define WM_MEM_TIMED_COHERENT_CACHES_H

#include "base/error.h"
#include "base/names/counters.h"
#include "base/numbers/clock_domain.h"
#include "base/text/text.h"
#include "mem/cache/cache.h"
#include "mem/dram/channel.h"

#include <stdbool.h>
#include <stdint.h>

// The home of the root, which is memory itself.
enum { WM_COHERENT_MEMORY = UINT32_MAX };

struct wm_cache_level;        // mem/system/memory_state.h
struct wm_coherent_cache;     // mem/system/coherent_memory.h
struct wm_directory;          // mem/coherence/directory.h
struct wm_directory_counters; // mem/coherence/counters.h
struct wm_instruction_counters;
struct wm_instruction_misses; // mem/explain/miss_counters.h
struct wm_memory;
struct wm_written_lines; // mem/explain/written_lines.h

struct wm_coherent_node_spec {
    struct wm_cache **caches;          // by slice, borrowed, empty; NULL: the directory
    struct wm_coherent_cache **beside; // what is known of their lines, likewise; NULL: their own
    uint32_t level;                    // in wm_instruction_counters
    // Borrowed: the level that the caches are of, whose prefetcher they have; NULL: they have none.
    const struct wm_cache_level *prefetches;
    uint32_t slices;       // of them; 1 and more
    uint32_t home;         // the node one level below, which comes later; or WM_COHERENT_MEMORY
    uint32_t latency;      // cycles from taking a request or a probe to what is sent for it
    uint32_t mshr_entries; // of a slice: lines that it fetches or upgrades at once
    uint32_t mshr_merges;  // accesses of units that may wait for a line
    uint32_t evictions;    // of a slice: lines that are evicted at once
    // Cycles, 1 and more, of the way between it and its home; between two siblings, of the longer
    // one. Of the root: of the way to memory, from 0 on.
    uint32_t link_latency;
    uint32_t flit_bytes; // that its ports to its home and its siblings move in a cycle
};

// Where lines lie. A function that is NULL: slice 0 and the line itself; channel 0.
struct wm_coherent_map {
    void *context;
    // The slice of a node that a line is of, and what its set index is computed from. Of a node
    // with one slice it is not called: its index is computed from the line.
    uint32_t (*slice)(void *context, uint32_t node, uint64_t line, uint64_t *index_line);
    // The channel that an address is of; returns the address within that.
    uint64_t (*channel)(void *context, uint64_t address, uint32_t *channel);
};

// What reads and writes see, for tests: a number for the data of each copy. All are set, or none.
struct wm_coherent_watch {
    void (*read)(void *context, uint32_t node, uint64_t line, uint64_t data);
    uint64_t (*write)(void *context, uint32_t node, uint64_t line, uint64_t data); // the new data
    uint64_t (*read_memory)(void *context, uint64_t line);
    void (*write_memory)(void *context, uint64_t line, uint64_t data);
};

struct wm_coherent_caches_spec {
    const struct wm_coherent_node_spec *nodes; // the root is the last
    uint32_t node_count;
    bool forwards_clean; // the directory does (struct wm_coherence_input)
    uint32_t line_bytes;
    uint64_t clock_hz;
    const struct wm_dram_channel_spec *dram;
    uint32_t channels;
    struct wm_coherent_map map;
    struct wm_coherent_watch watch;
    // An access that waited is done in `cycle`, which may be after the cycle of the call within
    // which that is found. `origin`: the node whose data it got, or WM_COHERENT_MEMORY. Makes no
    // access.
    void (*done)(void *context, uint64_t token, uint64_t cycle, uint32_t origin);
    // Something has happened at a slice of a node without children, or of another at which an
    // access was blocked: those may come again. NULL: no call.
    void (*changed)(void *context, uint32_t node, uint32_t slice);
    // A node without children can read a line no more: a probe has taken it, or it is evicted.
    // Makes no access. NULL: no call.
    void (*left)(void *context, uint32_t node, uint64_t line);
    // The counters that pay for what a requester causes; NULL: none do. A requester that is NULL:
    // no instruction has caused it. And a line is read from memory, or written; NULL: no call.
    struct wm_instruction_counters *(*charged)(void *context, const struct wm_requester *requester);
    void (*uses_memory)(void *context, uint64_t line, bool write,
                        struct wm_instruction_counters *charged);
    struct wm_directory *directory; // borrowed; NULL: its own
    struct wm_directory_counters *directory_counters;
    // Where misses are explained, else NULL: the memory system whose caches these are; and the
    // counters that pay for a requester's misses, as `charged` does; NULL: none do.
    struct wm_memory *explained; // borrowed
    struct wm_instruction_misses *(*explains)(void *context, const struct wm_requester *requester);
    void *context; // of these functions, and of `watch`
};

enum wm_coherent_access_kind {
    WM_COHERENT_LOAD,
    WM_COHERENT_STORE,
    WM_COHERENT_LOCKED, // a locked read-modify-write: reads exclusively, locks, writes
    WM_COHERENT_ACCESS_KINDS,
};

// Made at a node without children; or at another, by a client that keeps no copy which a home has
// a record of: the node's children share the line first, or give it up.
struct wm_coherent_access {
    uint32_t node; // not the directory
    enum wm_coherent_access_kind kind;
    uint64_t line;          // number: address divided by the line's bytes
    uint64_t token;         // the caller's; comes back
    uint32_t locked_cycles; // of WM_COHERENT_LOCKED: from the read to the write, 1 and more
    uint32_t sectors;       // that it touches
    struct wm_requester requester;
    bool missed; // set by the call, unless it is blocked: the line had no way
    // Of a packet of a cache without coherence (packet_port.h): it takes a look-up of its slice; a
    // store is a write-back; nothing is charged to its instruction.
    bool takes_look_up, writes_back, uncharged;
    // Where misses are explained: the block that makes it, a number of its own for each of each
    // launch; which bytes of each sector of the line it touches, borrowed for the call, NULL: that
    // is not known; and whether others may access them, so that it is noted who does.
    uint32_t block;
    const uint32_t *bytes;
    bool is_shared;
    // Of a load: it bypasses the cache. Where the line is not here no copy is kept of it, and the
    // load counts as one that did not look for it, unless it is `looked_up`.
    bool bypasses, looked_up;
};

enum wm_coherent_answer {
    WM_COHERENT_DONE,  // in `*done`
    WM_COHERENT_WAITS, // `done` is called
    // Nothing has changed: it comes again when something has at its node. Its slice has no free
    // MSHR entry; no room with those that wait for the line; no way that may be displaced; no room
    // in its eviction buffer.
    WM_COHERENT_NO_MSHR,
    WM_COHERENT_NO_MERGE,
    WM_COHERENT_NO_WAY,
    WM_COHERENT_NO_EVICTION,
    WM_COHERENT_BUSY, // its slice looks up something else in this cycle: it comes again in the next
};
static inline bool wm_coherent_is_blocked(enum wm_coherent_answer answer)
{
    return answer >= WM_COHERENT_NO_MSHR;
}

// clang-format off
#define WM_COHERENT_TIMING_COUNTERS(X)                                                             \
    X(loads, "accesses", "loads of units that are done")                                           \
    X(load_cycles, "cycles", "sum over them of the cycles from look-up to data")                   \
    X(stores, "accesses", "stores of units that are done")                                         \
    X(store_cycles, "cycles", "sum over them of the cycles from look-up to the right to write")    \
    X(locked_reads, "accesses", "reads of locked read-modify-writes that are done")                \
    X(locked_read_cycles, "cycles", "sum over them of the cycles from look-up to exclusive data: the latency of atomics' reads") \
    X(merged, "accesses", "accesses of units that waited for a line with one before them")         \
    X(blocked_mshr, "accesses", "attempts of accesses that found no free MSHR entry")              \
    X(blocked_merge, "accesses", "attempts of accesses that found no room with those that wait for their line") \
    X(blocked_way, "accesses", "attempts of accesses that found no way that may be displaced")     \
    X(blocked_eviction, "accesses", "attempts of accesses that found the eviction buffer full")    \
    X(deferred, "messages", "requests and probes that waited for their line")                      \
    X(waited, "requests", "requests of children that waited for an MSHR entry, a way or the eviction buffer") \
    X(messages, "messages", "messages sent")                                                       \
    X(flits, "flits", "flits of them")                                                             \
    X(port_wait_cycles, "cycles", "sum over messages of the cycles that they waited for ports")    \
    X(prefetches_late, "accesses", "accesses that first used a prefetched line, and found it on its way") \
    X(prefetches_refused, "lines", "lines that the prefetcher wanted and that were not requested: no MSHR entry, way or room in the eviction buffer, or accesses waited for one") \
    X(memory_reads, "lines", "lines read from memory")                                             \
    X(memory_read_cycles, "cycles", "sum over them of the cycles until their data came")           \
    X(memory_writes, "lines", "lines written to memory")
// clang-format on

struct wm_coherent_timing_counters {
    WM_COHERENT_TIMING_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_coherent_timing_counter_set;

struct wm_coherent_caches;

// Copies the spec. WM_INVALID where the channel's description is impossible, WM_NO_MEMORY.
enum wm_status wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                      struct wm_coherent_caches **caches, struct wm_error *error);
// Harmless on NULL.
void wm_coherent_caches_free(struct wm_coherent_caches *caches);

// An access in cycle `now`; all before that has been done (wm_coherent_caches_advance).
enum wm_coherent_answer wm_coherent_caches_access(struct wm_coherent_caches *caches,
                                                  struct wm_coherent_access *access, uint64_t now,
                                                  uint64_t *done);
// Does all that happens up to and in cycle `until`. False when out of memory.
bool wm_coherent_caches_advance(struct wm_coherent_caches *caches, uint64_t until);
// The next cycle in which something happens, WM_NEVER: nothing is under way.
uint64_t wm_coherent_caches_next(struct wm_coherent_caches *caches);

// Where misses are explained: notes from here on who shares lines, of accesses whose bytes are
// known, in the order in which they are done. Borrowed.
void wm_coherent_caches_note_written_lines(struct wm_coherent_caches *caches,
                                           struct wm_written_lines *lines);

// How many slices a node has; and of one of them.
uint32_t wm_coherent_caches_slices(const struct wm_coherent_caches *caches, uint32_t node);
const struct wm_coherent_timing_counters *wm_coherent_caches_counters(
    const struct wm_coherent_caches *caches, uint32_t node, uint32_t slice);
struct wm_link_counters; // mem/timed/network/crossbar.h: of its port to its home, to its children
const struct wm_link_counters *wm_coherent_caches_port(const struct wm_coherent_caches *caches,
                                                       uint32_t node, uint32_t slice, bool to_home);
const struct wm_dram_channel *wm_coherent_caches_channel(const struct wm_coherent_caches *caches,
                                                         uint32_t channel);
// How a slice has a line now: its two states and its holders, for tests.
struct wm_coherence_line wm_coherent_caches_state(const struct wm_coherent_caches *caches,
                                                  uint32_t node, uint64_t line);
// Whether something is under way of a line: a message, or what waits for it.
bool wm_coherent_caches_are_busy(const struct wm_coherent_caches *caches, uint64_t line);
// What waits, for reports of a deadlock.
void wm_coherent_caches_describe(const struct wm_coherent_caches *caches, struct wm_text *text);

#endif
