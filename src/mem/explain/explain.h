// A memory system's shadows, and the places of its access path that feed them. Private to mem/;
// the front is wm_memory_explain (mem/system/memory.h).
#ifndef WM_MEM_EXPLAIN_EXPLAIN_H
#define WM_MEM_EXPLAIN_EXPLAIN_H

#include "mem/cache/cache.h"
#include "mem/explain/cache_shadow.h"
#include "mem/explain/line_sharing.h"
#include "mem/explain/reuse_distance.h"
#include "mem/system/memory_state.h"

struct wm_l1_reuse {
    struct wm_reuse distances;
    bool failed;
    struct wm_reuse_counters counters;
};

// The caches of one level, each with a shadow. A new kind of cache needs no more than a
// wm_explain_event where it is accessed, and a wm_explain_emptied where it is emptied.
struct wm_shadow_group {
    const struct wm_cache_level *level;
    const struct wm_counter_set *set; // the shadows'
    struct wm_cache_shadow *shadows;  // owned: level->count
    struct wm_l1_reuse *reuse;        // owned: as many; NULL: not measured
    bool has_request_bytes;           // request->bytes are those of its line
};

struct wm_memory_shadows {
    struct wm_shadow_group groups[WM_MOST_LEVELS];
    uint32_t group_count;
    struct wm_line_sharing sharing;
    struct wm_instruction_misses unattributed; // charged for what no instruction requested
    bool timed_only;                           // nothing of sharing
    uint64_t first_block;                      // of the next launch
    uint32_t grid[3];                          // its shape; 0: unknown
};

void wm_memory_shadows_free(struct wm_memory_shadows *shadows);

// One access that `cache` has just served.
struct wm_explain_event {
    struct wm_cache *cache;
    enum wm_cache_client client;
    uint64_t line;
    uint32_t sectors;
    bool allocate;
    bool later;        // in time: it takes its line when its sectors come (wm_explain_filled)
    uint32_t absent;   // in time: of its units, those that its line does not hold even now
    bool moves_victim; // to its victim cache: wm_explain_evicted says so
    const struct wm_cache_result *result;
    const struct wm_request *request; // NULL: the host's doing
};
// A request enters.
void wm_explain_request(struct wm_memory *memory, const struct wm_request *request);
// A launch begins; caches may be emptied after it.
void wm_explain_launch(struct wm_memory *memory);
void wm_explain_access(struct wm_memory *memory, const struct wm_explain_event *event);
// In time: `sectors` of `line` have come, for an access that took it later.
void wm_explain_filled(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                       uint32_t sectors);
// `line` left `cache` on behalf of `request` (NULL: the host's) in another way than by an access of
// its own: its victim cache displaced it.
void wm_explain_evicted(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                        const struct wm_request *request);
// `sectors` of the request's line went past `cache` to the SM.
void wm_explain_passed(struct wm_memory *memory, const struct wm_cache *cache, uint32_t sectors,
                       const struct wm_request *request);
// `line` left `cache` for good, or would have: an access around it changes the line. And, of the
// line, those of its sectors (whole fetch units).
void wm_explain_drop(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line);
void wm_explain_drop_sectors(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                             uint32_t sectors);
// The host overwrites [begin, end).
void wm_explain_host_write(struct wm_memory *memory, uint64_t begin, uint64_t end);
// Of the caches of the kind of `caches`, the first of them, those from `first` to before `end` are
// emptied. NULL is none.
void wm_explain_emptied(struct wm_memory *memory, const struct wm_cache *caches, uint32_t first,
                        uint32_t end);
// Caches of the kind, emptied before, have become larger or smaller.
void wm_explain_resized(struct wm_memory *memory, const struct wm_cache *caches);
// The program ends.
void wm_explain_end(struct wm_memory *memory);

#endif
