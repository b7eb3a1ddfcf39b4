// One set-associative, sectored array: tags, which sectors of a line are valid and which are dirty,
// the recency chain and the replacement entry's state. L1, L2 and later victim caches and TLBs are
// this array; what lies below it is its owner's business: an access returns what must be fetched,
// what is forwarded, and what was displaced, and the owner moves it.
//
// Sectors are 32 bytes (WM_SECTOR_BYTES) everywhere, so a line has up to 32 of them and a mask fits
// a word. A cache that fetches more than a sector at once (an unsectored cache fetches its whole
// line) keeps validity and dirt in multiples of that fetch unit.
//
// The array holds no data: the interpreter's memory is always current, and the question here is
// only where bytes travel.
#ifndef WM_MEM_CACHE_CACHE_H
#define WM_MEM_CACHE_CACHE_H

#include "base/access/access.h"
#include "base/error.h"
#include "base/names/counters.h"
#include "mem/cache/divider.h"
#include "mem/cache/line_index.h"
#include "mem/cache/recency.h"
#include "mem/divergence/load_misses.h"
#include "mem/replacement/opt_online.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_hash.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stdint.h>

// clang-format off
#define WM_CACHE_KIND_COUNTERS(X, kind, who)                                                       \
    X(kind##_accesses, "requests", "line requests of " who)                                        \
    X(kind##_hits, "sectors", "sectors that " who " requested and the cache held")                 \
    X(kind##_misses, "sectors", "sectors that " who " requested and the cache did not hold")

// accesses = load + store + atomic accesses; hits, misses likewise. Each sector of a request that
// is looked up is either a hit or a miss; each sector of a request that is not looked up is a
// bypass. Write-backs from the level above are counted apart, as no instruction requested them.
#define WM_CACHE_COUNTERS(X)                                                                       \
    X(accesses, "requests", "line requests of loads, stores and atomics")                          \
    X(accesses_missed, "requests", "of accesses, those that were looked up and missed a sector")   \
    X(hits, "sectors", "sectors requested and held")                                               \
    X(misses, "sectors", "sectors requested and not held")                                         \
    X(sector_misses, "sectors", "of misses, those whose line was held without that sector")        \
    X(bypasses, "sectors", "sectors passed on below without looking for them")                     \
    X(load_accesses_bypassed, "requests", "of load_accesses, those that were not looked up")       \
    X(store_accesses_bypassed, "requests", "of store_accesses, those that were not looked up")     \
    WM_CACHE_KIND_COUNTERS(X, load, "loads (a fetch of the level above included)")                 \
    WM_CACHE_KIND_COUNTERS(X, store, "stores")                                                     \
    WM_CACHE_KIND_COUNTERS(X, atomic, "atomics and reductions")                                    \
    WM_CACHE_KIND_COUNTERS(X, writeback, "write-backs from the level above")                       \
    X(writeback_accesses_missed, "requests", "of writeback_accesses, those that missed a sector")  \
    X(fills, "sectors", "sectors brought in from below and kept")                                  \
    X(allocations, "lines", "lines given to a new address")                                        \
    X(refusals, "lines", "lines not allocated because the replacement allowed no victim")          \
    X(evictions, "lines", "lines displaced by an allocation")                                      \
    X(invalidations, "lines", "lines dropped for another reason than room")                        \
    X(inclusion_victims, "lines", "lines that lost sectors because an inclusive L2 lost theirs")   \
    X(write_backs, "lines", "lines of which dirty sectors were written to the level below")        \
    X(partial_write_backs, "sectors", "sectors written back of which only some bytes were held")    \
    X(bytes_from_above, "bytes", "bytes that came in from the level above (whole sectors)")        \
    X(bytes_to_above, "bytes", "bytes that went to the level above (whole sectors)")               \
    X(bytes_from_below, "bytes", "bytes that came in from the level below (whole sectors)")        \
    X(bytes_to_below, "bytes", "bytes that went to the level below (whole sectors)")
// clang-format on

// The order of the four groups of WM_CACHE_KIND_COUNTERS.
enum wm_cache_client {
    WM_CACHE_LOAD,
    WM_CACHE_STORE,
    WM_CACHE_ATOMIC,
    WM_CACHE_WRITEBACK,
};

struct wm_cache_counters {
    WM_CACHE_COUNTERS(WM_COUNTER_FIELD)
    struct wm_load_miss_counters load_miss_counts; // of an L1
};

extern const struct wm_counter_set wm_l1_counter_set, wm_l2_counter_set, wm_victim_counter_set;
// Those of the side caches, and what a machine file and a component's path call these.
extern const struct wm_counter_set wm_side_cache_counter_sets[WM_SIDE_CACHE_KINDS];
extern const char *const wm_side_cache_names[WM_SIDE_CACHE_KINDS];

struct wm_cache_line {
    uint32_t valid, dirty; // sector masks; an empty way is 0, 0
};
// The same of lines of at most WM_CACHE_NARROW_SECTORS.
struct wm_cache_narrow_line {
    uint16_t sectors; // valid ones, and dirty ones in the upper half: a byte might be any object's
};

enum {
    WM_CACHE_MAX_WAYS = 1024,
    WM_CACHE_MAX_LINE_BYTES = 32 * WM_SECTOR_BYTES,
    WM_CACHE_TAG_LANES = 8, // tags of a set are padded to a multiple of this, for vector compares
    WM_CACHE_VECTOR_WAYS = 32, // above it, lines are found through an index instead
    WM_CACHE_NARROW_SECTORS = 8,
};

// Tags are line numbers, so a set's vector can be compared without cutting index bits off. Line
// numbers are addresses divided by at least 32: these two values are none.
#define WM_CACHE_EMPTY UINT64_MAX
#define WM_CACHE_PADDING (UINT64_MAX - 1)

struct wm_cache {
    // Its description.
    uint32_t sets, ways;
    uint32_t stride; // tags a set: ways, padded
    uint32_t line_bytes, line_shift, line_sectors;
    uint32_t all_sectors;  // mask
    uint32_t unit_sectors; // fetched together: 1 when sectored by 32 bytes, line_sectors when not
    const uint8_t *units;  // by mask: widened to these units; of lines that are narrow
    enum wm_write_policy write_policy;
    bool write_allocate;
    enum wm_write_fetch write_fetch;
    uint32_t covers; // mask over a store's full sectors: 0 when even those are fetched
    // A chain in which the last goes and what comes is the first; no hook is called.
    bool inserts_at_front;
    bool is_lru;                              // the same, and hits move to the front
    bool hit_moves_to_front, hit_keeps_order; // constant answers of a chain, no hook
    // A chain whose order says all, up to WM_CACHE_VECTOR_WAYS: sets stand in that order, empty
    // ways behind all lines (mem/cache/ordered_set.h).
    bool is_ordered;
    bool masks_sets; // a set is the lowest bits of its lines' numbers
    struct wm_divider set_divider;
    const struct wm_replacement_ops *replacement;
    const struct wm_set_index_ops *set_index;
    // By pc of the kernel that runs: mem/replacement/fractional_priority.h; NULL: all are normal.
    // Borrowed.
    const uint8_t *priorities;
    struct wm_set_hash set_hash; // of a linear set_index
    uint64_t seed;
    uint64_t parameters[WM_MAX_PARAMETERS]; // of the replacement entry

    // What it holds. All arrays are owned.
    uint64_t *tags; // sets times stride
    // Sets times stride: one of them, the other is NULL. Nearly all caches have narrow ones, of
    // which a set of up to 32 ways has 64 bytes at most (wm_cache_line_at, wm_cache_set_line).
    struct wm_cache_narrow_line *narrow_lines;
    struct wm_cache_line *wide_lines;
    struct wm_recency recency;  // unless ordered
    struct wm_line_index index; // above WM_CACHE_VECTOR_WAYS; its rows are owned
    uint64_t occupied_lines;
    uint64_t emptied_at; // count of allocations when it was last emptied
    void *array_state, *set_states, *line_states;
    size_t set_state_bytes;
    // Of timed caches alone, else NULL: ways that wait for their bytes and may not be victims, a
    // bit a way in pin_words words a set, and how many of the set they are (mem/cache/pins.h).
    uint64_t *pins;
    uint32_t *pin_counts;
    uint32_t pin_words;
    struct wm_free_ways *free_ways; // owned, likewise, by set: which ways are empty
    struct wm_opt *opt; // owned; NULL but under `opt`, where all ways stay empty (opt_cache.c)
    struct wm_byte_masks *bytes;        // WM_FETCH_NEVER alone, else NULL (mem/cache/byte_masks.h)
    struct wm_dirty_limit *dirty_limit; // owned; NULL: any number (mem/cache/dirty_limit.h)
    struct wm_cache_counters counters;
};

// Builds an empty cache of spec->size_bytes (for an L2 slice: the slice's own size). The spec must
// have passed wm_cache_spec_check (mem/system/memory_spec_check.h). `component` names it and seeds
// its chance. WM_NO_MEMORY.
enum wm_status wm_cache_init(struct wm_cache *cache, const struct wm_cache_spec *spec,
                             const char *component, struct wm_error *error);
// Of an empty one: its lines keep their ways as long as they are there, so that its owner may know
// more of them by slot. WM_NO_MEMORY.
enum wm_status wm_cache_keep_ways(struct wm_cache *cache, struct wm_error *error);
// Harmless on a zeroed or half-built cache.
void wm_cache_release(struct wm_cache *cache);
// Back to just built, counters included.
void wm_cache_reset(struct wm_cache *cache);

// The requester; the replacement entry sees it. All zero is allowed.
struct wm_requester {
    uint32_t sm, warp, pc;
    enum wm_access_kind kind;
    enum wm_cache_hint hint;
    bool pending; // as the entry's event says, and these
    uint16_t lines, rank;
};

struct wm_cache_victim {
    uint64_t line;  // line number; when nothing left, WM_CACHE_EMPTY or 0, with no sectors
    uint32_t dirty; // sectors to write back; 0: nothing to do
    uint32_t valid; // of a displaced line, all that it held
    bool evicted;   // a line left, if with no sectors
    bool refused;   // the access was to take a line, and none might be displaced for it
    // Of them, those held in part, and which of their bytes: a word a sector of the line, in the
    // cache until it next displaces or cleans a line. Caches without byte masks: 0, NULL.
    uint32_t partly;
    const uint32_t *bytes;
};

struct wm_cache_result {
    uint32_t missing; // sectors requested and not held
    uint32_t fetch;   // sectors to read from below, counted as fills when kept
    uint32_t forward; // of a store: sectors that are sent on below
    uint32_t whole;   // of a store in a cache with byte masks: its sectors that are valid now
    struct wm_cache_victim victim;
};

// Out of line and in plain C, for owners off the hot path, tests, and as the oracle of the vector
// forms; inline_access.h has the same inline. `index_line` is what the set index is computed from
// (the line number itself, or with the slice's share divided out).
struct wm_cache_result wm_cache_read(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                                     uint32_t sectors, bool allocate,
                                     const struct wm_requester *requester);
struct wm_cache_result wm_cache_write(struct wm_cache *cache, enum wm_cache_client client,
                                      uint64_t line, uint64_t index_line, uint32_t sectors,
                                      uint32_t full_sectors, bool allocate,
                                      const struct wm_requester *requester);
// The way that holds `line` now, or -1. Changes nothing. (In an ordered cache lines change their
// ways. Under `opt`, which has none, 0 for a line that may be held or has dirty sectors to be
// written back.)
int32_t wm_cache_find(const struct wm_cache *cache, uint64_t line, uint64_t index_line);
// Whether an access to `line` would find it, whatever its sectors. Changes nothing.
bool wm_cache_holds(const struct wm_cache *cache, uint64_t line, uint64_t index_line);
// The lines from `first` to `last` for which wm_cache_find is not -1, in no order; `*count` of
// them, in `room`, which must have room for all that the cache can hold, or (under `opt`) in its
// own, valid until the next access.
uint64_t *wm_cache_list(struct wm_cache *cache, uint64_t first, uint64_t last, uint64_t *room,
                        uint64_t *count);
// No line is there, and none has dirty sectors to be written back.
bool wm_cache_is_empty(const struct wm_cache *cache);
// Memory for its lines ran out, under `opt`: its counts since are of no use.
bool wm_cache_opt_failed(const struct wm_cache *cache);
// Drops `sectors` of `line`, widened to fetch units; the line goes, counted as an invalidation,
// when no sector is left. Returns those that were dirty: the owner writes them back (and counts
// that) or lets them go, when their bytes have been overwritten.
uint32_t wm_cache_invalidate(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                             uint32_t sectors);
// The dirty ones among `sectors` of `line`, widened to fetch units; they become clean, counted as a
// write-back when there are any, and the owner writes them.
uint32_t wm_cache_clean(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                        uint32_t sectors);
// Whole lines that move between arrays, for owners off the hot path; not for caches under `opt`,
// nor for those that keep byte masks. Takes `line` out with its sectors, counting nothing. False
// when it is not there.
bool wm_cache_extract_line(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                           struct wm_cache_line *held);
// Gives `line`, which is not there, a way with the sectors of `held`, counted as an allocation;
// what it displaces is the victim. False, counted as a refusal, when nothing may be displaced.
bool wm_cache_insert_line(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                          struct wm_cache_line held, bool write_back,
                          const struct wm_requester *requester, struct wm_cache_victim *victim);
// A line arrives from the level above with the sectors of `arriving`, and is merged or taken, as a
// write-back is counted. Dirty ones are forwarded where the cache does not write back, or refuses.
struct wm_cache_result wm_cache_insert_from_above(struct wm_cache *cache, uint64_t line,
                                                  uint64_t index_line,
                                                  struct wm_cache_line arriving,
                                                  const struct wm_requester *requester);
// Sectors of `line`, which is there, are dirty from now on.
void wm_cache_mark_dirty(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                         uint32_t sectors);
// Empties the array, counting invalidations: the entry's hook gets each line that leaves, then its
// set and line states and the chain are fresh. Its array state, what it learned, and the counters
// stay. The dirty lines must have been cleaned before.
void wm_cache_flush(struct wm_cache *cache);

// What the array says of the line in `slot`, which is set * stride + way, where it has narrow ones.
static inline struct wm_cache_line wm_cache_narrow_at(const struct wm_cache *cache, uint64_t slot)
{
    struct wm_cache_narrow_line held = cache->narrow_lines[slot];
    return (struct wm_cache_line){.valid = held.sectors & 0xff, .dirty = held.sectors >> 8};
}

// The same of any.
static inline struct wm_cache_line wm_cache_line_at(const struct wm_cache *cache, uint64_t slot)
{
    if (__builtin_expect(cache->narrow_lines == NULL, 0))
        return cache->wide_lines[slot];
    return wm_cache_narrow_at(cache, slot);
}

static inline void wm_cache_set_narrow(struct wm_cache *cache, uint64_t slot,
                                       struct wm_cache_line held)
{
    cache->narrow_lines[slot].sectors = (uint16_t)(held.valid | held.dirty << 8);
}

static inline void wm_cache_set_line(struct wm_cache *cache, uint64_t slot,
                                     struct wm_cache_line held)
{
    if (__builtin_expect(cache->narrow_lines == NULL, 0))
        cache->wide_lines[slot] = held;
    else
        wm_cache_set_narrow(cache, slot, held);
}

static inline void wm_cache_add_valid(struct wm_cache *cache, uint64_t slot, uint32_t sectors)
{
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    held.valid |= sectors;
    wm_cache_set_line(cache, slot, held);
}

// Widens a mask to whole fetch units.
static inline uint32_t wm_cache_fetch_units(const struct wm_cache *cache, uint32_t sectors)
{
    if (cache->unit_sectors == 1)
        return sectors;
    if (cache->unit_sectors == cache->line_sectors)
        return sectors != 0 ? cache->all_sectors : 0;
    uint32_t unit = (UINT32_C(1) << cache->unit_sectors) - 1, widened = 0;
    for (uint32_t at = 0; at < cache->line_sectors; at += cache->unit_sectors)
        if ((sectors >> at & unit) != 0)
            widened |= unit << at;
    return widened;
}

#endif
