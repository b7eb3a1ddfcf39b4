// Streams of references through two plain arrays, a batch at a time: all of it through L1, then
// what L1 asked of L2, in the order in which it asked. L1 does not depend on what L2 answers, so
// this is the same as one reference after the other, and each loop has one array and no
// data-dependent branch (mem/cache_batch.h). For memory_paths.c, which compiles it for each vector
// width.
#ifndef WM_MEM_STREAM_BATCH_H
#define WM_MEM_STREAM_BATCH_H

#include "mem/cache_batch.h"
#include "mem/memory_state.h"

// What L1 asks of L2: for a fetch the reference itself, for a victim's write-back its address and
// this bit.
#define ASK_WRITE_BACK (WM_STREAM_STORE >> 1)
#define ASK_ADDRESS (ASK_WRITE_BACK - 1)

enum { BATCH = 512 };

struct asked {
    uint64_t ask[2 * BATCH];
    size_t count;
};

static inline uint64_t mask_of_top_bit(uint64_t word)
{
    return (uint64_t)((int64_t)word >> 63);
}

static uint64_t count_stores(const uint64_t *references, size_t count)
{
    uint64_t stores = 0;
    for (size_t i = 0; i < count; i++)
        stores += references[i] >> 63;
    return stores;
}

static uint64_t count_write_backs(const struct asked *asked)
{
    uint64_t write_backs = 0;
    for (size_t i = 0; i < asked->count; i++)
        write_backs += (asked->ask[i] >> 62) & 1;
    return write_backs;
}

WM_CACHE_INLINE void batch_l1(struct wm_cache *l1, uint32_t stride, bool power_of_two,
                              bool demand_first, const uint64_t *references, size_t count,
                              struct asked *asked)
{
    struct wm_cache_steps steps = wm_cache_steps_of(l1);
    uint32_t line_shift = l1->line_shift;
    uint64_t filled = 0;
    size_t asks = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t reference = references[i], line = (reference & ASK_ADDRESS) >> line_shift;
        struct wm_cache_step step =
            wm_cache_step(&steps, stride, power_of_two, line, mask_of_top_bit(reference));
        uint64_t victim = (step.last_line << line_shift & ASK_ADDRESS) | ASK_WRITE_BACK;
        asked->ask[asks] = demand_first ? reference : victim;
        asks += demand_first ? step.miss : step.victim_dirty;
        asked->ask[asks] = demand_first ? victim : reference;
        asks += demand_first ? step.victim_dirty : step.miss;
        filled += step.miss & (step.last_line == WM_CACHE_EMPTY);
    }
    asked->count = asks;

    uint64_t stores = count_stores(references, count);
    uint64_t write_backs = count_write_backs(asked), misses = asks - write_backs;
    uint64_t store_misses = count_stores(asked->ask, asks);
    uint64_t evictions = misses - filled, fetched = misses * l1->line_sectors;
    struct wm_cache_counters *counters = &l1->counters;
    uint64_t line_bytes = l1->line_bytes;
    counters->accesses += count;
    counters->accesses_missed += misses;
    counters->hits += count - misses;
    counters->misses += misses;
    counters->load_accesses += count - stores;
    counters->load_misses += misses - store_misses;
    counters->load_hits += count - stores - (misses - store_misses);
    counters->store_accesses += stores;
    counters->store_misses += store_misses;
    counters->store_hits += stores - store_misses;
    counters->fills += fetched;
    counters->allocations += misses;
    counters->evictions += evictions;
    counters->write_backs += write_backs;
    counters->bytes_from_above += stores * WM_SECTOR_BYTES;
    counters->bytes_to_above += (count - stores) * WM_SECTOR_BYTES;
    counters->bytes_from_below += misses * line_bytes;
    counters->bytes_to_below += write_backs * line_bytes;
    l1->occupied_lines += filled;
}

WM_CACHE_INLINE void batch_l2(struct wm_cache *l2, uint32_t stride, bool power_of_two,
                              const struct asked *asked, struct wm_dram_counters *dram,
                              uint64_t bursts_of_line, uint64_t burst_bytes)
{
    struct wm_cache_steps steps = wm_cache_steps_of(l2);
    uint32_t line_shift = l2->line_shift;
    uint64_t filled = 0, misses = 0, arrival_misses = 0, write_backs = 0;
    for (size_t i = 0; i < asked->count; i++) {
        uint64_t ask = asked->ask[i], line = (ask & ASK_ADDRESS) >> line_shift;
        uint64_t arrives = mask_of_top_bit(ask << 1);
        struct wm_cache_step step = wm_cache_step(&steps, stride, power_of_two, line, arrives);
        misses += step.miss;
        arrival_misses += step.miss & arrives;
        write_backs += step.victim_dirty;
        filled += step.miss & (step.last_line == WM_CACHE_EMPTY);
    }

    struct wm_cache_counters *counters = &l2->counters;
    uint64_t sectors = l2->line_sectors, line_bytes = l2->line_bytes;
    uint64_t arrivals = count_write_backs(asked), evictions = misses - filled;
    uint64_t reads = asked->count - arrivals, read_misses = misses - arrival_misses;
    counters->accesses += reads;
    counters->accesses_missed += read_misses;
    counters->hits += (reads - read_misses) * sectors;
    counters->misses += read_misses * sectors;
    counters->load_accesses += reads;
    counters->load_hits += (reads - read_misses) * sectors;
    counters->load_misses += read_misses * sectors;
    counters->writeback_accesses += arrivals;
    counters->writeback_accesses_missed += arrival_misses;
    counters->writeback_hits += (arrivals - arrival_misses) * sectors;
    counters->writeback_misses += arrival_misses * sectors;
    counters->fills += read_misses * sectors;
    counters->allocations += misses;
    counters->evictions += evictions;
    counters->write_backs += write_backs;
    counters->bytes_from_above += arrivals * line_bytes;
    counters->bytes_to_above += reads * line_bytes;
    counters->bytes_from_below += read_misses * line_bytes;
    counters->bytes_to_below += write_backs * line_bytes;
    l2->occupied_lines += filled;

    dram->reads += read_misses;
    dram->writes += write_backs;
    dram->bytes_read += read_misses * line_bytes;
    dram->bytes_written += write_backs * line_bytes;
    dram->read_bursts += read_misses * bursts_of_line;
    dram->write_bursts += write_backs * bursts_of_line;
    dram->bytes_transferred += (read_misses + write_backs) * bursts_of_line * burst_bytes;
}

// Out of line, so that each loop has the registers to itself.
#define BATCH_L1(suffix, stride, power_of_two)                                            \
    static __attribute__((noinline)) void batch_l1_##suffix(                              \
        struct wm_cache *l1, bool demand_first, const uint64_t *references, size_t count, \
        struct asked *asked)                                                              \
    {                                                                                     \
        if (demand_first)                                                                 \
            batch_l1(l1, stride, power_of_two, true, references, count, asked);           \
        else                                                                              \
            batch_l1(l1, stride, power_of_two, false, references, count, asked);          \
    }
#define BATCH_L2(suffix, stride, power_of_two)                                         \
    static __attribute__((noinline)) void batch_l2_##suffix(                           \
        struct wm_cache *l2, const struct asked *asked, struct wm_dram_counters *dram, \
        uint64_t bursts_of_line, uint64_t burst_bytes)                                 \
    {                                                                                  \
        batch_l2(l2, stride, power_of_two, asked, dram, bursts_of_line, burst_bytes);  \
    }
// One for each length of a set's vector, for a number of sets that is a power of two or not.
BATCH_L1(masked_8, 8, true)
BATCH_L1(masked_16, 16, true)
BATCH_L1(any, l1->stride, false)
BATCH_L2(masked_8, 8, true)
BATCH_L2(masked_16, 16, true)
BATCH_L2(masked_24, 24, true)
BATCH_L2(masked_32, 32, true)
BATCH_L2(divided_8, 8, false)
BATCH_L2(divided_16, 16, false)
BATCH_L2(divided_24, 24, false)
BATCH_L2(divided_32, 32, false)

typedef void batch_l1_function(struct wm_cache *l1, bool demand_first, const uint64_t *references,
                               size_t count, struct asked *asked);
typedef void batch_l2_function(struct wm_cache *l2, const struct asked *asked,
                               struct wm_dram_counters *dram, uint64_t bursts_of_line,
                               uint64_t burst_bytes);

static batch_l1_function *batch_l1_of(const struct wm_cache *l1)
{
    if (!l1->set_divider.power_of_two || l1->stride > 16)
        return batch_l1_any;
    return l1->stride == 8 ? batch_l1_masked_8 : batch_l1_masked_16;
}

static batch_l2_function *batch_l2_of(const struct wm_cache *l2)
{
    static batch_l2_function *const functions[2][4] = {
        {batch_l2_divided_8, batch_l2_divided_16, batch_l2_divided_24, batch_l2_divided_32},
        {batch_l2_masked_8, batch_l2_masked_16, batch_l2_masked_24, batch_l2_masked_32},
    };
    return functions[l2->set_divider.power_of_two][l2->stride / WM_CACHE_TAG_LANES - 1];
}

#endif
