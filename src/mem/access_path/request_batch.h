// Requests that one array serves together, an L1 or a slice of L2: first the array takes them all,
// one after the other, and then what lies below gets what the array did not have. No array depends
// on what becomes of its requests. Of the vector builds. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_REQUEST_BATCH_H
#define WM_MEM_ACCESS_PATH_REQUEST_BATCH_H

#include "mem/access_path/level_access.h"

enum { BATCH = WM_L2_QUEUE_ENTRIES }; // at most

// What is counted together, by a request's client: requests, and in the upper half their sectors;
// and the same of those that were not there.
struct access_tally {
    uint64_t requested[WM_QUEUED_CLIENTS], missed[WM_QUEUED_CLIENTS];
};

static inline void tally(uint64_t *row, uint32_t sectors)
{
    *row += (uint64_t)wm_count_sectors(sectors) << 32 | 1;
}

static void count_tally(struct wm_cache *cache, const struct access_tally *tally)
{
    for (uint32_t row = 0; row < WM_QUEUED_CLIENTS; row++) {
        bool returns = row == WM_QUEUED_RETURNING;
        enum wm_cache_client client = returns ? WM_CACHE_ATOMIC : (enum wm_cache_client)row;
        uint64_t sectors = tally->requested[row] >> 32, bytes = sectors * WM_SECTOR_BYTES;
        wm_cache_count_requests(&cache->counters, client, (uint32_t)tally->requested[row], sectors,
                                tally->missed[row] >> 32, (uint32_t)tally->missed[row]);
        cache->counters.bytes_from_above += client != WM_CACHE_LOAD ? bytes : 0;
        cache->counters.bytes_to_above += client == WM_CACHE_LOAD || returns ? bytes : 0;
    }
}

struct request_batch {
    const struct wm_l2_queue_entry *requests; // in lines of the array, all of which may take one
    const struct wm_requester *requesters;    // of each; NULL where none needs to be known
    uint32_t count;
    bool is_far; // what they will read is prefetched
};

// A request that lacked sectors, or after which a line was cleaned, as too many were dirty.
struct batch_miss {
    const struct wm_l2_queue_entry *request;
    uint64_t victim;  // the line that it displaced, unless its own was there
    uint64_t cleaned; // of an array with a limit on dirty sectors
    uint8_t missing, fetch, victim_dirty, cleaned_dirty; // sectors
    bool held;                                           // its line was there
};

// A request to an array with a limit on dirty sectors cleans at most as many lines as it writes
// sectors, and all requests mostly fewer than they are.
enum { BATCH_MOST_LEFT = WM_CACHE_NARROW_SECTORS + 1, BATCH_MISSES = 2 * BATCH };

// What serving takes, besides what is served.
struct batch_work {
    struct access_tally tallied;
    struct batch_miss misses[BATCH_MISSES + 1]; // and room for one that is not made
};

// How many requests ahead the host prefetches what they will read.
enum { BATCH_AHEAD = 6 };

WM_CACHE_INLINE void host_prefetch_request(const struct wm_lru_array *array, uint32_t stride,
                                           const struct wm_l2_queue_entry *request)
{
    uint64_t base = (uint64_t)request->set * stride;
    for (uint32_t way = 0; way < stride; way += WM_CACHE_TAG_LANES)
        __builtin_prefetch(array->tags + base + way, 1);
    __builtin_prefetch(array->lines + base, 1);
}

// Where the level's row stands, from where requests' counters are counted.
static inline uintptr_t rows_charged(const struct wm_memory *memory,
                                     const struct wm_cache_level *level)
{
    return memory->l2_queues.charges + offsetof(struct wm_instruction_counters, levels) +
           level->number * sizeof(struct wm_level_counters);
}

WM_CACHE_INLINE void note_request(struct access_tally *tallied, uintptr_t charged,
                                  const struct wm_l2_queue_entry *request, uint32_t missing)
{
    uint32_t charges = (uint32_t)wm_select_mask(request->client != WM_CACHE_WRITEBACK);
    tally(&tallied->requested[request->client], request->sectors);
    struct wm_level_counters *row = (struct wm_level_counters *)(charged + request->counters);
    row->hits += wm_count_sectors(request->sectors & ~missing & charges);
}

// `own` is the request's entry where it missed, and takes the first line that is cleaned. Returns
// where the next entry is to be.
WM_CACHE_INLINE struct batch_miss *clean_in_batch(struct wm_cache *cache,
                                                  const struct wm_l2_queue_entry *request,
                                                  uint64_t line, uint32_t dirty,
                                                  struct batch_miss *own, struct batch_miss *miss)
{
    struct wm_cache_victim left;
    while (wm_cache_clean_last(cache, request->set, line, &dirty, &left)) {
        if (own->missing == 0 || own->cleaned_dirty != 0)
            *(own = miss++) = (struct batch_miss){.request = request};
        own->cleaned = left.line;
        own->cleaned_dirty = (uint8_t)left.dirty;
    }
    return miss;
}

// An access to an array with a limit on dirty sectors: lines beyond it are cleaned behind a write
// that makes more sectors dirty.
WM_CACHE_INLINE struct batch_miss *keep_limit(struct wm_cache *cache,
                                              const struct wm_l2_queue_entry *request,
                                              uint64_t line, const struct wm_lru_result *result,
                                              struct batch_miss *own, struct batch_miss *miss)
{
    if (result->dirty == result->was_dirty) // as after a load
        return miss;
    uint32_t dirty = wm_cache_dirty_sectors(cache, request->set);
    if (dirty <= cache->dirty_limit->most)
        return miss;
    return clean_in_batch(cache, request, line, dirty, own, miss);
}

// Of an array under LRU, after whose every access the line is there; requests from `first` on.
// `limited` is a constant: whether there is a limit on dirty sectors. Returns how many missed, and
// in `*first` which was not served, as there may be no room for what it leaves to do.
WM_CACHE_INLINE uint32_t batch_lru(const struct wm_memory *memory,
                                   const struct wm_cache_level *level, struct wm_cache *cache,
                                   uint32_t stride, bool limited, const struct request_batch *batch,
                                   uint32_t *first, struct batch_work *work)
{
    const struct wm_lru_array array = wm_lru_array_of(cache);
    const struct wm_l2_queue_entry *request = batch->requests, *end = request + batch->count;
    const struct batch_miss *full = work->misses + BATCH_MISSES - BATCH_MOST_LEFT;
    struct batch_miss *miss = work->misses;
    uint32_t line_shift = level->line_shift, ahead = batch->is_far ? BATCH_AHEAD : 0;
    uintptr_t charged = rows_charged(memory, level);
    for (uint32_t i = 0; i < ahead && i < batch->count; i++)
        host_prefetch_request(&array, stride, &request[i]);
    for (request += *first; request < end && (!limited || miss < full); request++) {
        const struct wm_l2_queue_entry *later = request + ahead < end ? request + ahead : request;
        if (ahead != 0)
            host_prefetch_request(&array, stride, later);
        uint32_t write_mask = (uint32_t)wm_select_mask(request->client != WM_CACHE_LOAD);
        struct wm_lru_result result =
            wm_lru_access(&array, stride, request->set, request->line_address >> line_shift,
                          request->sectors, request->full_sectors, write_mask);
        note_request(&work->tallied, charged, request, result.missing);
        miss->request = request;
        miss->victim = result.last;
        miss->missing = (uint8_t)result.missing;
        miss->fetch = (uint8_t)result.fetch;
        miss->victim_dirty = (uint8_t)result.victim_dirty;
        miss->held = result.held != 0;
        struct batch_miss *own = miss;
        miss += result.missing != 0;
        if (limited) {
            own->cleaned_dirty = 0;
            miss =
                keep_limit(cache, request, request->line_address >> line_shift, &result, own, miss);
        }
    }
    *first = (uint32_t)(request - batch->requests);
    return (uint32_t)(miss - work->misses);
}

// Any array. What its accesses leave to do is done at once.
WM_CACHE_INLINE void batch_any(struct wm_memory *memory, const struct wm_cache_level *level,
                               struct wm_cache *cache, const struct request_batch *batch,
                               struct batch_work *work, struct access_context *context)
{
    uintptr_t charged = rows_charged(memory, level);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct wm_l2_queue_entry *request = &batch->requests[i];
        enum wm_cache_client client = wm_queued_client(request);
        struct line_place place = {.address = request->line_address,
                                   .line = request->line_address >> level->line_shift,
                                   .set = request->set};
        if (batch->is_far && i + BATCH_AHEAD < batch->count)
            wm_cache_host_prefetch(cache, request[BATCH_AHEAD].set,
                                   request[BATCH_AHEAD].line_address >> level->line_shift);
        context->instruction_counters = charged_by(memory, request);
        if (batch->requesters != NULL)
            context->requester = batch->requesters[i];
        int32_t way = wm_cache_find_in_set(cache, request->set, place.line);
        bool takes = cache->write_allocate || client == WM_CACHE_LOAD;
        wm_level_slice(level, place.line, &place.index_line);
        struct wm_cache_result result = wm_cache_access_at(
            cache, false, client, request->set, way, place.line, place.index_line, request->sectors,
            request->full_sectors, takes, &context->requester);
        note_request(&work->tallied, charged, request, result.missing);
        if (result.missing != 0) {
            tally(&work->tallied.missed[request->client], result.missing);
            if (client != WM_CACHE_WRITEBACK)
                charge(level, context->instruction_counters, 0, result.missing);
        }
        finish(memory, level, cache, client, &place, &result, request->full_sectors, takes,
               context);
        if (__builtin_expect(cache->dirty_limit != NULL, 0) && client != WM_CACHE_LOAD)
            clean_beyond_limit(memory, level, cache, &place, context);
    }
}

// What batch_lru left to be counted.
static inline void count_miss(struct wm_cache *cache, const struct batch_miss *miss)
{
    struct wm_cache_counters *counters = &cache->counters;
    counters->fills += wm_count_sectors(miss->fetch);
    if (__builtin_expect(miss->held, 0)) {
        if (miss->request->client != WM_CACHE_WRITEBACK)
            counters->sector_misses += wm_count_sectors(miss->missing);
        return;
    }
    bool evicted = miss->victim != WM_CACHE_EMPTY;
    counters->allocations++;
    counters->evictions += evicted;
    counters->write_backs += miss->victim_dirty != 0;
    cache->occupied_lines += !evicted;
}

// What is below gets what an array under LRU did not have, and what was cleaned.
WM_CACHE_INLINE void batch_misses(struct wm_memory *memory, const struct wm_cache_level *level,
                                  struct wm_cache *cache, bool limited,
                                  const struct request_batch *batch, struct batch_work *work,
                                  uint32_t count, struct access_context *context)
{
    for (const struct batch_miss *miss = work->misses; miss < work->misses + count; miss++) {
        const struct wm_l2_queue_entry *request = miss->request;
        struct line_place place = {.address = request->line_address};
        struct wm_cache_result result = {
            .fetch = miss->fetch, .victim = {.line = miss->victim, .dirty = miss->victim_dirty}};
        context->instruction_counters = charged_by(memory, request);
        if (__builtin_expect(batch->requesters != NULL, 0))
            context->requester = batch->requesters[request - batch->requests];
        if (!limited || miss->missing != 0) {
            tally(&work->tallied.missed[request->client], miss->missing);
            if (request->client != WM_CACHE_WRITEBACK)
                charge(level, context->instruction_counters, 0, miss->missing);
            count_miss(cache, miss);
            finish(memory, level, cache, WM_CACHE_STORE, &place, &result, 0, true, context);
        }
        if (limited && miss->cleaned_dirty != 0) {
            struct wm_cache_victim cleaned = {.line = miss->cleaned, .dirty = miss->cleaned_dirty};
            write_back_below(memory, level, cache, &cleaned, context);
        }
    }
}

// Out of line, so that each has the registers to itself.
#define BATCH_LRU(name, stride, limited)                                             \
    static __attribute__((noinline)) uint32_t name(                                  \
        const struct wm_memory *memory, const struct wm_cache_level *level,          \
        struct wm_cache *cache, const struct request_batch *batch, uint32_t *first,  \
        struct batch_work *work)                                                     \
    {                                                                                \
        return batch_lru(memory, level, cache, stride, limited, batch, first, work); \
    }
BATCH_LRU(batch_lru_8, 8, false)
BATCH_LRU(batch_lru_16, 16, false)
BATCH_LRU(batch_lru_24, 24, false)
BATCH_LRU(batch_lru_32, 32, false)
BATCH_LRU(batch_limited_8, 8, true)
BATCH_LRU(batch_limited_16, 16, true)
BATCH_LRU(batch_limited_24, 24, true)
BATCH_LRU(batch_limited_32, 32, true)

static __attribute__((noinline)) void serve_limited_batch(
    struct wm_memory *memory, const struct wm_cache_level *level, struct wm_cache *cache,
    const struct request_batch *batch, struct batch_work *work, struct access_context *context)
{
    for (uint32_t first = 0; first < batch->count;) {
        uint32_t missed = 0;
        switch (cache->stride) {
        case 8: missed = batch_limited_8(memory, level, cache, batch, &first, work); break;
        case 16: missed = batch_limited_16(memory, level, cache, batch, &first, work); break;
        case 24: missed = batch_limited_24(memory, level, cache, batch, &first, work); break;
        case 32: missed = batch_limited_32(memory, level, cache, batch, &first, work); break;
        }
        batch_misses(memory, level, cache, true, batch, work, missed, context);
    }
}

// Whether batch_lru serves them.
static inline bool is_lru_batch(const struct wm_cache *cache, const struct request_batch *batch)
{
    if (wm_lru_stride(cache) == 0)
        return false;
    bool takes = cache->write_policy == WM_WRITE_BACK && cache->write_allocate;
    for (uint32_t i = 0; !takes && i < batch->count; i++)
        if (batch->requests[i].client != WM_CACHE_LOAD)
            return false;
    return true;
}

WM_CACHE_INLINE void serve_batch_at(struct wm_memory *memory, const struct wm_cache_level *level,
                                    struct wm_cache *cache, const struct request_batch *batch,
                                    struct batch_work *work, struct access_context *context)
{
    uint32_t missed, first = 0;
    bool is_lru = is_lru_batch(cache, batch);
    if (is_lru && __builtin_expect(cache->dirty_limit != NULL, 0)) {
        serve_limited_batch(memory, level, cache, batch, work, context);
        return;
    }
    switch (is_lru ? cache->stride : 0) {
    case 8: missed = batch_lru_8(memory, level, cache, batch, &first, work); break;
    case 16: missed = batch_lru_16(memory, level, cache, batch, &first, work); break;
    case 24: missed = batch_lru_24(memory, level, cache, batch, &first, work); break;
    case 32: missed = batch_lru_32(memory, level, cache, batch, &first, work); break;
    default: batch_any(memory, level, cache, batch, work, context); return;
    }
    batch_misses(memory, level, cache, false, batch, work, missed, context);
}

static __attribute__((noinline)) void serve_l1_batch(struct wm_memory *memory, struct wm_cache *l1,
                                                     const struct request_batch *batch,
                                                     struct batch_work *work,
                                                     struct access_context *context)
{
    serve_batch_at(memory, &memory->levels[WM_LEVEL_L1], l1, batch, work, context);
}

static __attribute__((noinline)) void serve_l2_batch(struct wm_memory *memory, struct wm_cache *l2,
                                                     const struct request_batch *batch,
                                                     struct batch_work *work,
                                                     struct access_context *context)
{
    serve_batch_at(memory, &memory->levels[WM_LEVEL_L2], l2, batch, work, context);
}

#endif
