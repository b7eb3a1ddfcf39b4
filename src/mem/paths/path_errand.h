// What a request carries on its way down, and how it is explained. For the files of mem/paths/
// alone, which memory_paths.c includes once for each build.
#ifndef WM_MEM_PATHS_PATH_ERRAND_H
#define WM_MEM_PATHS_PATH_ERRAND_H

#include "mem/cache_access.h"
#include "mem/cache_bytes.h"
#include "mem/explain/memory_explain.h"
#include "mem/memory_state.h"

// One build more, in plain C, has the parts that most machines do without, each behind a test at
// run time: what explains misses is one of them. The vector builds have no trace of them.
#ifndef WM_PATHS_FULL
#define WM_PATHS_FULL false
#endif

// A request in L2's lines, and where its line would be.
struct l2_ask {
    uint64_t line_address, index_line;
    uint32_t slice, set;
    uint32_t sectors, full_sectors;
    enum wm_cache_client client; // WM_CACHE_LOAD reads
};

// What one request carries down: who asks, and who is to be charged.
struct errand {
    struct wm_cache_origin origin;
    struct wm_cause_counters *cause;
    bool waits;                       // what it asks of L2 may wait (path_waits.h)
    bool around_l1;                   // whatever the bypass entry
    uint8_t listed;                   // enum wm_listed: by the machine's bypass list
    struct wm_written_bytes written;  // of the full build: by the store or write-back under way
    bool stays_above;                 // of the full build: what is written takes no line of L2
    bool passes_l2;                   // of the full build: what is read takes none
    uint32_t lines, resident_warps;   // for the bypass entry: of the instruction, of the SM
    const struct wm_request *request; // of the full build; NULL when the host is the cause
};

static inline bool is_explained(const struct wm_memory *memory)
{
    return WM_PATHS_FULL && memory->shadows != NULL;
}

static inline bool keeps_bytes(const struct wm_cache *cache)
{
    return WM_PATHS_FULL && cache->bytes != NULL;
}

// An access to a cache that may keep byte masks, where the machine has such a thing.
WM_CACHE_INLINE struct wm_cache_result cache_read(struct wm_cache *cache, uint32_t set,
                                                  uint64_t line, uint64_t index_line,
                                                  uint32_t sectors, bool allocate,
                                                  const struct errand *errand)
{
    if (keeps_bytes(cache))
        return wm_cache_bytes_read(cache, line, index_line, sectors, allocate, &errand->origin);
    return wm_cache_read_in(cache, set, line, sectors, allocate, &errand->origin);
}

WM_CACHE_INLINE struct wm_cache_result cache_write(struct wm_cache *cache,
                                                   enum wm_cache_client client, uint32_t set,
                                                   uint64_t line, uint64_t index_line,
                                                   uint32_t sectors, uint32_t full_sectors,
                                                   bool allocate, const struct errand *errand)
{
    if (keeps_bytes(cache))
        return wm_cache_bytes_write(cache, client, line, index_line, sectors, full_sectors,
                                    allocate, &errand->written, &errand->origin);
    return wm_cache_write_in(cache, client, set, line, index_line, sectors, full_sectors, allocate,
                             &errand->origin);
}

WM_CACHE_INLINE void explain(struct wm_memory *memory, struct wm_explain_event event,
                             const struct wm_cache_result *result, const struct errand *errand)
{
    event.result = result;
    event.request = errand->request;
    wm_explain_access(memory, &event);
}

static inline uint64_t bytes_of(uint32_t sectors)
{
    return (uint64_t)__builtin_popcount(sectors) * WM_SECTOR_BYTES;
}

#endif
