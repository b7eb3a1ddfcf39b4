// What a request carries on its way down, and how it is explained. For the files of
// mem/access_path/ alone, which access_path.c includes once for each build.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_ACCESS_CONTEXT_H
#define WM_MEM_ACCESS_PATH_ACCESS_CONTEXT_H

#include "mem/cache/byte_masks.h"
#include "mem/cache/inline_access.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"

// One build more, in plain C, has the parts that most machines do without, each behind a test at
// run time: what explains misses is one of them. The vector builds have no trace of them.
#ifndef WM_PATHS_FULL
#define WM_PATHS_FULL false
#endif

// A line of a cache of a level.
struct line_place {
    uint64_t address; // of its first byte
    uint64_t line;    // its number, and what the set index is computed from
    uint64_t index_line;
    uint32_t set;
};

// A request in L2's lines.
struct l2_request {
    struct line_place place;
    uint32_t slice;
    uint32_t sectors, full_sectors;
    enum wm_cache_client client; // WM_CACHE_LOAD reads
};

// What one request carries down: its requester, and the instruction that is charged.
struct access_context {
    struct wm_requester requester;
    struct wm_instruction_counters *instruction_counters;
    uint32_t unit;  // whose accesses they are, so whose caches: of the host's, one that uses them
    bool may_queue; // its requests to L2 may be queued (l2_queue.h)
    bool around_l1; // whatever the bypass entry
    uint8_t listed; // enum wm_bypass_list_entry: by the machine's bypass list
    struct wm_write_mask written; // of the full build: by the store or write-back under way
    bool write_no_allocate;       // of the full build: what is written takes no line below
    bool read_no_allocate;        // of the full build: what is read takes none
    bool crossed; // of the full build: it comes from a slice of another partition of the level
    uint32_t lines, resident_warps;   // for the bypass entry: of the instruction, of the SM
    const struct wm_request *request; // of the full build; NULL when the host is the cause
    struct wm_access_result result;   // of the requests so far
};

// A request's sectors came from there, or some of them.
static inline void note_source(struct access_context *context, enum wm_access_source source)
{
    if (context->result.source < source)
        context->result.source = source;
}

static inline bool is_explained(const struct wm_memory *memory)
{
    return WM_PATHS_FULL && memory->shadows != NULL;
}

static inline bool has_byte_masks(const struct wm_cache *cache)
{
    return WM_PATHS_FULL && cache->bytes != NULL;
}

static inline bool atomic_returns(enum wm_cache_client client, const struct access_context *context)
{
    return client == WM_CACHE_ATOMIC && context->requester.kind == WM_ACCESS_ATOMIC;
}

// An access to a cache that may keep byte masks, where the machine has such a thing.
WM_CACHE_INLINE struct wm_cache_result cache_access(
    struct wm_cache *cache, enum wm_cache_client client, const struct line_place *place,
    uint32_t sectors, uint32_t full_sectors, bool allocate, const struct access_context *context)
{
    const struct wm_requester *requester = &context->requester;
    if (has_byte_masks(cache) && client == WM_CACHE_LOAD)
        return wm_byte_masks_read(cache, place->line, place->index_line, sectors, allocate,
                                  requester);
    if (has_byte_masks(cache))
        return wm_byte_masks_write(cache, client, place->line, place->index_line, sectors,
                                   full_sectors, allocate, &context->written, requester);
    return wm_cache_access_in(cache, client, place->set, place->line, place->index_line, sectors,
                              full_sectors, allocate, requester);
}

WM_CACHE_INLINE void explain(struct wm_memory *memory, struct wm_explain_event event,
                             const struct wm_cache_result *result,
                             const struct access_context *context)
{
    event.result = result;
    event.request = context->request;
    wm_explain_access(memory, &event);
}

static inline uint64_t bytes_of(uint32_t sectors)
{
    return (uint64_t)__builtin_popcount(sectors) * WM_SECTOR_BYTES;
}

#endif
