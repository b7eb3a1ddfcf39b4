// Requests that wait for their slice of L2 (struct wm_l2_waits). L1 does not depend on what becomes
// of them, but in the full build, where none waits.
#ifndef WM_MEM_PATHS_PATH_WAITS_H
#define WM_MEM_PATHS_PATH_WAITS_H

#include "mem/memory_asks.h"
#include "mem/paths/path_placed.h"

// Requests ahead that the host is asked for what they will read.
enum { L2_AHEAD = 6 };
// And places in a queue ahead, which others' have displaced since it was last filled.
enum { WAIT_AHEAD = 4 };

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
    if (__builtin_expect(waits->origins != NULL, 0))
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

static void serve_each_wait(struct wm_memory *memory, uint32_t slice,
                            const struct wm_l2_wait *queue, uint32_t count)
{
    for (uint32_t i = 0; i < L2_AHEAD && i < count; i++)
        expect_wait(memory, slice, &queue[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (i + L2_AHEAD < count)
            expect_wait(memory, slice, &queue[i + L2_AHEAD]);
        serve_wait(memory, slice, &queue[i]);
    }
}

// --- A slice that is ordered ---

WM_CACHE_INLINE void expect_ordered(const struct wm_cache *l2, uint32_t stride, uint32_t set)
{
    uint64_t base = (uint64_t)set * stride;
    for (uint32_t way = 0; way < stride; way += WM_CACHE_TAG_LANES) {
        __builtin_prefetch(l2->tags + base + way, 1);
    }
    __builtin_prefetch(l2->narrow_lines + base, 1); // what waits is for such (wm_memory_needs_full)
}

WM_CACHE_INLINE void serve_ordered(struct wm_memory *memory, uint32_t slice, uint32_t stride,
                                   const struct wm_l2_wait *queue, uint32_t count)
{
    uint32_t shift = memory->l2_line_shift;
    struct wm_cache *l2 = &memory->l2[slice];
    bool misses_too = ordered_misses_are_short(l2);
    struct ordered_tally tally = {0};
    for (uint32_t i = 0; i < L2_AHEAD && i < count; i++)
        expect_ordered(l2, stride, queue[i].set);
    for (uint32_t i = 0; i < count; i++) {
        if (i + L2_AHEAD < count)
            expect_ordered(l2, stride, queue[i + L2_AHEAD].set);
        uint64_t line = queue[i].line_address >> shift;
        enum ordered_outcome outcome = serve_hit(memory, l2, stride, &queue[i], line, &tally);
        if (outcome == ORDERED_ABSENT && misses_too)
            serve_miss(memory, l2, stride, &queue[i], line, &tally);
        else if (outcome != ORDERED_SERVED)
            serve_wait(memory, slice, &queue[i]);
    }
    count_ordered(l2, &tally);
}

// --- A slice whose lines keep their ways ---

WM_CACHE_INLINE void expect_placed(const struct wm_cache *l2, const struct wm_cache_steps *steps,
                                   enum wm_step_family family, const struct wm_l2_wait *wait)
{
    expect_ordered(l2, l2->stride, wait->set);
    wm_cache_steps_expect(steps, family, l2->stride, wait->set);
}

WM_CACHE_INLINE void serve_placed(struct wm_memory *memory, uint32_t slice,
                                  enum wm_step_family family, const struct wm_l2_wait *queue,
                                  uint32_t count)
{
    struct wm_cache *l2 = &memory->l2[slice];
    struct wm_cache_steps steps = wm_cache_steps_begin(l2, family, 0);
    struct ordered_tally tally = {0};
    for (uint32_t i = 0; i < L2_AHEAD && i < count; i++)
        expect_placed(l2, &steps, family, &queue[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (i + L2_AHEAD < count)
            expect_placed(l2, &steps, family, &queue[i + L2_AHEAD]);
        if (!serve_placed_wait(memory, l2, &steps, family, &queue[i], &tally))
            serve_wait(memory, slice, &queue[i]);
    }
    count_ordered(l2, &tally);
}

static __attribute__((noinline)) void serve_srrip(struct wm_memory *memory, uint32_t slice,
                                                  const struct wm_l2_wait *queue, uint32_t count)
{
    serve_placed(memory, slice, WM_STEP_SRRIP, queue, count);
}

static __attribute__((noinline)) void serve_plru(struct wm_memory *memory, uint32_t slice,
                                                 const struct wm_l2_wait *queue, uint32_t count)
{
    serve_placed(memory, slice, WM_STEP_PLRU, queue, count);
}

static __attribute__((noinline)) void serve_nru(struct wm_memory *memory, uint32_t slice,
                                                const struct wm_l2_wait *queue, uint32_t count)
{
    serve_placed(memory, slice, WM_STEP_NRU, queue, count);
}

static void serve_unordered(struct wm_memory *memory, uint32_t slice,
                            const struct wm_l2_wait *queue, uint32_t count)
{
    switch (placed_family(&memory->l2[slice])) {
    case WM_STEP_SRRIP: serve_srrip(memory, slice, queue, count); break;
    case WM_STEP_PLRU: serve_plru(memory, slice, queue, count); break;
    case WM_STEP_NRU: serve_nru(memory, slice, queue, count); break;
    default: serve_each_wait(memory, slice, queue, count);
    }
}

static void serve_queue(struct wm_memory *memory, uint32_t slice, const struct wm_l2_wait *queue,
                        uint32_t count)
{
    const struct wm_cache *l2 = &memory->l2[slice];
    switch (ordered_hits_are_short(l2) ? l2->stride : 0) {
    case 8: serve_ordered(memory, slice, 8, queue, count); break;
    case 16: serve_ordered(memory, slice, 16, queue, count); break;
    case 24: serve_ordered(memory, slice, 24, queue, count); break;
    case 32: serve_ordered(memory, slice, 32, queue, count); break;
    default: serve_unordered(memory, slice, queue, count);
    }
}

// For the memory systems that share this one's L1s (path_asks.h).
static __attribute__((noinline)) void keep_row(struct wm_memory *memory, uint32_t slice,
                                               const struct wm_l2_wait *queue, uint32_t count)
{
    struct wm_kept_rows *kept = memory->kept_rows;
    if (!wm_kept_rows_grow(kept, count))
        return;
    kept->rows[kept->count++] =
        (struct wm_kept_row){.slice = slice, .first = kept->wait_count, .count = count};
    struct wm_l2_wait *waits = kept->waits + kept->wait_count;
    kept->wait_count += count;
    for (uint32_t i = 0; i < count; i++) {
        waits[i] = queue[i];
        waits[i].cause_at = (uint64_t)((const char *)queue[i].cause - (const char *)kept->causes);
    }
}

static void serve_slice(struct wm_memory *memory, uint32_t slice)
{
    const struct wm_l2_wait *queue = queue_of(memory, slice);
    uint32_t count = memory->waits.counts[slice];
    if (!WM_PATHS_FULL && __builtin_expect(memory->kept_rows != NULL, 0))
        keep_row(memory, slice, queue, count);
    serve_queue(memory, slice, queue, count);
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
    __builtin_prefetch(wait + WAIT_AHEAD, 1);
    wait->line_address = ask->line_address;
    wait->cause = errand->cause;
    wait->set = ask->set;
    wait->sectors = (uint8_t)ask->sectors;
    wait->full_sectors = (uint8_t)ask->full_sectors;
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
