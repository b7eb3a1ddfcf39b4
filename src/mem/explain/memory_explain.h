// A memory system's shadows, and the places of its access path that feed them. Private to mem/;
// the front is wm_memory_explain (mem/memory.h).
#ifndef WM_MEM_EXPLAIN_MEMORY_EXPLAIN_H
#define WM_MEM_EXPLAIN_MEMORY_EXPLAIN_H

#include "mem/cache.h"
#include "mem/explain/cache_shadow.h"
#include "mem/explain/line_sharing.h"
#include "mem/explain/reuse_distance.h"
#include "mem/memory.h"

struct wm_l1_reuse {
    struct wm_reuse distances;
    bool failed;
    struct wm_reuse_counters counters;
};

struct wm_memory_shadows {
    struct wm_cache_shadow *l1, *l2; // owned; as many as the memory system has, or NULL
    uint32_t l1_count, l2_count;
    struct wm_l1_reuse *reuse; // owned: one for each L1
    struct wm_line_sharing sharing;
    struct wm_explained_cause nobody; // charged for what no instruction asked
};

void wm_memory_shadows_free(struct wm_memory_shadows *shadows);

// One access that `cache`, an L1 or a slice, has just served.
struct wm_explain_event {
    struct wm_cache *cache;
    enum wm_cache_client client;
    uint64_t line;
    uint32_t sectors;
    bool allocate;
    uint64_t evictions; // the cache's count before the access
    const struct wm_cache_result *result;
    const struct wm_request *request; // NULL: the host's doing
};
// A request enters.
void wm_explain_request(struct wm_memory *memory, const struct wm_request *request);
// A launch begins; the L1s may be emptied after it.
void wm_explain_launch(struct wm_memory *memory);
void wm_explain_access(struct wm_memory *memory, const struct wm_explain_event *event);
// `line` left `l1` for good, or would have: an access around L1 changes it.
void wm_explain_drop(struct wm_memory *memory, const struct wm_cache *l1, uint64_t line);
// The host overwrites [begin, end).
void wm_explain_host_write(struct wm_memory *memory, uint64_t begin, uint64_t end);
// All L1s are emptied.
void wm_explain_flush(struct wm_memory *memory);
// All L1s, emptied before, have become larger or smaller.
void wm_explain_resize_l1(struct wm_memory *memory);

#endif
