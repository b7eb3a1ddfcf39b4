// Requests that wait for their slice of L2 (struct wm_l2_waits). L1 does not depend on what becomes
// of them, but in the full build, where none waits.
#ifndef WM_MEM_PATHS_PATH_WAITS_H
#define WM_MEM_PATHS_PATH_WAITS_H

#include "mem/paths/path_l2_line.h"

// Requests ahead that the host is asked for what they will read.
enum { L2_AHEAD = 6 };

static inline bool may_wait(const struct errand *errand)
{
    return !WM_PATHS_FULL && errand->waits;
}

static inline struct wm_l2_wait *queue_of(const struct wm_memory *memory, uint32_t slice)
{
    return memory->waits.queues + (uint64_t)slice * WM_L2_WAIT_STRIDE;
}

static inline void expect_wait(const struct wm_memory *memory, uint32_t slice,
                               const struct wm_l2_wait *wait)
{
    wm_cache_expect(&memory->l2[slice], wait->set, wait->line_address >> memory->l2_line_shift);
}

static __attribute__((noinline)) void serve_wait(struct wm_memory *memory, uint32_t slice,
                                                 const struct wm_l2_wait *wait)
{
    const struct wm_l2_waits *waits = &memory->waits;
    struct errand errand = {.cause = wait->cause};
    if (waits->origins != NULL)
        errand.origin = waits->origins[wait - waits->queues];
    else
        errand.origin.kind = wait->returns ? WM_ACCESS_ATOMIC : WM_ACCESS_LOAD;
    struct l2_ask ask = {.line_address = wait->line_address,
                         .slice = slice,
                         .set = wait->set,
                         .sectors = wait->sectors,
                         .full_sectors = wait->full_sectors,
                         .client = (enum wm_cache_client)wait->client};
    if (ask.client == WM_CACHE_LOAD) {
        l2_serve_read(memory, &ask, &errand);
        return;
    }
    wm_memory_slice(memory, ask.line_address >> memory->l2_line_shift, &ask.index_line);
    l2_serve_write(memory, &ask, &errand);
}

static void serve_each_wait(struct wm_memory *memory, uint32_t slice)
{
    const struct wm_l2_wait *queue = queue_of(memory, slice);
    uint32_t count = memory->waits.counts[slice];
    for (uint32_t i = 0; i < L2_AHEAD && i < count; i++)
        expect_wait(memory, slice, &queue[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (i + L2_AHEAD < count)
            expect_wait(memory, slice, &queue[i + L2_AHEAD]);
        serve_wait(memory, slice, &queue[i]);
    }
}

// --- Hits of a slice that is ordered ---

// Hits so far, to be counted together: requests, and in the upper half sectors. By client, and
// atomics that return apart.
enum l2_hit { HIT_LOAD, HIT_STORE, HIT_REDUCTION, HIT_ATOMIC, L2_HITS };
struct l2_hits {
    uint64_t of[L2_HITS];
};

// Whether a hit makes its line the first of its set and no more, nobody being told.
static inline bool l2_hits_are_short(const struct wm_cache *l2)
{
    return l2->is_ordered && l2->hit_moves_to_front && l2->write_policy == WM_WRITE_BACK;
}

// Serves a request of a load, a store or an atomic whose sectors are all there; false, with nothing
// done, for any other.
WM_CACHE_INLINE bool serve_hit(struct wm_cache *l2, uint32_t stride, const struct wm_l2_wait *wait,
                               uint64_t line, struct l2_hits *hits)
{
    uint32_t base = wait->set * stride, sectors = wait->sectors;
    uint64_t *tags = l2->tags + base;
    uint32_t equal = wm_cache_compare(tags, stride, line);
    if (equal == 0 || wait->client == WM_CACHE_WRITEBACK)
        return false;
    uint32_t way = (uint32_t)__builtin_ctz(equal), through = wm_cache_through(way);
    struct wm_cache_line held = l2->lines[base + way];
    if ((sectors & ~held.valid) != 0)
        return false;
    held.dirty |= wait->client != WM_CACHE_LOAD ? wm_cache_units(l2, sectors) : 0;
    uint64_t state;
    memcpy(&state, &held, sizeof state);
    wm_ordered_to_front(tags, stride, through, line);
    wm_ordered_to_front(l2->lines + base, stride, through, state);
    uint64_t count = wm_cache_sectors(sectors);
    hits->of[wait->client + wait->returns] += count << 32 | 1;
    wait->cause->l2_hits += count;
    return true;
}

static void count_l2_hits(struct wm_cache_counters *counters, const struct l2_hits *hits)
{
    uint64_t requests[L2_HITS], sectors[L2_HITS];
    for (enum l2_hit hit = 0; hit < L2_HITS; hit++) {
        requests[hit] = (uint32_t)hits->of[hit];
        sectors[hit] = hits->of[hit] >> 32;
        counters->accesses += requests[hit];
        counters->hits += sectors[hit];
    }
    counters->load_accesses += requests[HIT_LOAD];
    counters->load_hits += sectors[HIT_LOAD];
    counters->store_accesses += requests[HIT_STORE];
    counters->store_hits += sectors[HIT_STORE];
    counters->atomic_accesses += requests[HIT_REDUCTION] + requests[HIT_ATOMIC];
    counters->atomic_hits += sectors[HIT_REDUCTION] + sectors[HIT_ATOMIC];
    counters->bytes_to_above += (sectors[HIT_LOAD] + sectors[HIT_ATOMIC]) * WM_SECTOR_BYTES;
    counters->bytes_from_above +=
        (sectors[HIT_STORE] + sectors[HIT_REDUCTION] + sectors[HIT_ATOMIC]) * WM_SECTOR_BYTES;
}

WM_CACHE_INLINE void expect_ordered(const struct wm_cache *l2, uint32_t stride, uint32_t set)
{
    uint64_t base = (uint64_t)set * stride;
    for (uint32_t way = 0; way < stride; way += WM_CACHE_TAG_LANES) {
        __builtin_prefetch(l2->tags + base + way, 1);
        __builtin_prefetch(l2->lines + base + way, 1);
    }
}

WM_CACHE_INLINE void serve_hits(struct wm_memory *memory, uint32_t slice, uint32_t stride)
{
    const struct wm_l2_wait *queue = queue_of(memory, slice);
    uint32_t count = memory->waits.counts[slice], shift = memory->l2_line_shift;
    struct wm_cache *l2 = &memory->l2[slice];
    struct l2_hits hits = {0};
    for (uint32_t i = 0; i < L2_AHEAD && i < count; i++)
        expect_ordered(l2, stride, queue[i].set);
    for (uint32_t i = 0; i < count; i++) {
        if (i + L2_AHEAD < count)
            expect_ordered(l2, stride, queue[i + L2_AHEAD].set);
        if (!serve_hit(l2, stride, &queue[i], queue[i].line_address >> shift, &hits))
            serve_wait(memory, slice, &queue[i]);
    }
    count_l2_hits(&l2->counters, &hits);
}

static void serve_slice(struct wm_memory *memory, uint32_t slice)
{
    const struct wm_cache *l2 = &memory->l2[slice];
    switch (l2_hits_are_short(l2) ? l2->stride : 0) {
    case 8: serve_hits(memory, slice, 8); break;
    case 16: serve_hits(memory, slice, 16); break;
    case 24: serve_hits(memory, slice, 24); break;
    case 32: serve_hits(memory, slice, 32); break;
    default: serve_each_wait(memory, slice);
    }
    memory->waits.counts[slice] = 0;
}

static void l2_settle(struct wm_memory *memory)
{
    struct wm_l2_waits *waits = &memory->waits;
    for (uint32_t word = 0; word < waits->words; word++) {
        for (uint64_t rest = waits->busy[word]; rest != 0; rest &= rest - 1)
            serve_slice(memory, word * 64 + (uint32_t)__builtin_ctzll(rest));
        waits->busy[word] = 0;
    }
}

// Field by field: a copy of what has just been stored so would wait for the stores.
static inline void keep_origin(struct wm_cache_origin *kept, const struct wm_cache_origin *origin)
{
    kept->sm = origin->sm;
    kept->warp = origin->warp;
    kept->pc = origin->pc;
    kept->kind = origin->kind;
    kept->hint = origin->hint;
}

WM_CACHE_INLINE void l2_wait(struct wm_memory *memory, const struct l2_ask *ask,
                             const struct errand *errand)
{
    struct wm_l2_waits *waits = &memory->waits;
    uint32_t count = waits->counts[ask->slice];
    struct wm_l2_wait *wait = queue_of(memory, ask->slice) + count;
    wait->line_address = ask->line_address;
    wait->cause = errand->cause;
    wait->sectors = ask->sectors;
    wait->full_sectors = ask->full_sectors;
    wait->set = ask->set;
    wait->client = (uint8_t)ask->client;
    wait->returns = atomic_returns(ask->client, errand);
    if (__builtin_expect(waits->origins != NULL, 0))
        keep_origin(&waits->origins[wait - waits->queues], &errand->origin);
    if (count == 0)
        waits->busy[ask->slice / 64] |= UINT64_C(1) << ask->slice % 64;
    waits->counts[ask->slice] = count + 1;
    if (__builtin_expect(count + 1 == WM_L2_WAITS, 0))
        serve_slice(memory, ask->slice);
}

#endif
