// One cache as docs/memory-system.md and docs/replacement.md describe it, written for the eye and
// not for speed: sets of lines, each line with the bytes it holds. A part of the obvious memory
// system (obvious_memory.h), which the real one is held to.
//
// Of the code it is to check it uses the names of counters and of entries alone: its replacement
// (obvious_replacement.h) and its set indices (obvious_set_index.h) are its own.
#ifndef WM_TESTS_OBVIOUS_CACHE_H
#define WM_TESTS_OBVIOUS_CACHE_H

#include "mem/cache/cache.h"
#include "mem/cache/dirty_limit.h"
#include "obvious_replacement.h"

enum { OBVIOUS_SECTOR = 32, OBVIOUS_SECTORS = 32 };

struct obvious_line {
    bool present;
    uint64_t number;
    uint32_t held[OBVIOUS_SECTORS]; // by sector: a bit for each byte that is there
    bool dirty[OBVIOUS_SECTORS];
};

struct obvious_cache {
    char path[80];
    struct wm_cache_spec spec;
    uint64_t sets;
    uint64_t slices, interleave_bytes; // of an L2; else 1
    struct obvious_line *lines;        // sets times ways
    bool hands_on; // what it displaces goes to a victim cache, and is not written back
    struct obvious_replacement replacement;
    struct wm_cache_counters counters;
    struct wm_dirty_limit_counters limit_counters;
};

void obvious_cache_init(struct obvious_cache *cache, const struct wm_cache_spec *spec,
                        const char *path);
void obvious_cache_release(struct obvious_cache *cache);

struct obvious_line *obvious_find(struct obvious_cache *cache, uint64_t number);

// What an access requests, and its requester.
struct obvious_access {
    enum wm_cache_client client;
    uint64_t number;
    uint32_t sectors;
    const uint32_t *bytes; // of stores and write-backs: by sector, the bytes written
    bool may_take;         // a line, or sectors that a held line lacks
    struct wm_requester who;
};

struct obvious_answer {
    uint32_t missing, fetch, forward; // sectors
    struct obvious_line victim;       // present when one was displaced
};

// Serves an access and counts it (but for bytes moved, which is the owner's).
struct obvious_answer obvious_access(struct obvious_cache *cache,
                                     const struct obvious_access *access);

// Counts an access of which `missing` sectors were not found, the line being present or not.
void obvious_count_access(struct obvious_cache *cache, const struct obvious_access *access,
                          uint32_t missing, bool present);

// A line comes to the cache with nothing in it. NULL when the replacement refuses it; else
// `victim` is what was displaced for it.
struct obvious_line *obvious_take(struct obvious_cache *cache, const struct obvious_access *access,
                                  struct obvious_line *victim);
// The line was used.
void obvious_use(struct obvious_cache *cache, struct obvious_line *line,
                 const struct obvious_access *access);
// The line goes, without a word of its bytes.
void obvious_remove(struct obvious_cache *cache, struct obvious_line *line);

// Whole fetch units that `sectors` touch.
uint32_t obvious_units(const struct obvious_cache *cache, uint32_t sectors);
// Sectors of a line: dirty ones, those held whole, those held at all.
uint32_t obvious_dirty(const struct obvious_line *line);
uint32_t obvious_whole(const struct obvious_line *line);
uint32_t obvious_some(const struct obvious_line *line);
int obvious_count(uint32_t sectors);

// `dirty` sectors of a line are about to be written back.
void obvious_count_write_back(struct obvious_cache *cache, const struct obvious_line *line,
                              uint32_t dirty);
// The dirty ones among the units of `part` become clean, and are counted as written back.
uint32_t obvious_clean(struct obvious_cache *cache, struct obvious_line *line, uint32_t part);
// The line that is to be cleaned as too many sectors are dirty, after `written` was written; or
// NULL.
struct obvious_line *obvious_beyond_limit(struct obvious_cache *cache, uint64_t written);
// The units of `part` go; the line too when nothing is left.
void obvious_drop(struct obvious_cache *cache, struct obvious_line *line, uint32_t part);
// All lines go, the replacement starts anew.
void obvious_empty(struct obvious_cache *cache);

#endif
