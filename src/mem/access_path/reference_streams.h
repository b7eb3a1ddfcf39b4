// Streams of references through two plain arrays, a batch at a time: all of it through L1, then
// L1's requests to L2, in their order. L1 does not depend on L2's replies, so this is the same as
// one reference after the other, and each loop has one array and no data-dependent branch
// (mem/cache/branchless_step.h). For access_path.c, which compiles it for each vector width.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_REFERENCE_STREAMS_H
#define WM_MEM_ACCESS_PATH_REFERENCE_STREAMS_H

#include "mem/cache/branchless_step.h"
#include "mem/system/memory_state.h"

// A request of L1 to L2: for a fetch the reference itself, for a victim's write-back its address
// and this bit.
#define REQUEST_WRITE_BACK (WM_STREAM_STORE >> 1)
#define REQUEST_ADDRESS (REQUEST_WRITE_BACK - 1)

enum { BATCH = 512 };

_Static_assert(2 * BATCH <= (int)WM_STEPS, "a batch of L2 is not too long");

// What a stream's batches have in common.
struct stream_way {
    uint32_t sm; // the requester's
    bool demand_first;
    uint64_t bursts_of_line, burst_bytes; // of DRAM
};

struct below_requests {
    uint64_t request[2 * BATCH + 1]; // and room for one that is not made, or looked at ahead
    size_t count;
};

static inline uint64_t mask_of_top_bit(uint64_t word)
{
    return (uint64_t)((int64_t)word >> 63);
}

// Drops what is above the address.
static inline uint64_t line_of(uint64_t request, uint32_t line_shift)
{
    return request << 2 >> (line_shift + 2);
}

static uint64_t count_stores(const uint64_t *references, size_t count)
{
    uint64_t stores = 0;
    for (size_t i = 0; i < count; i++)
        stores += references[i] >> 63;
    return stores;
}

static uint64_t count_write_backs(const uint64_t *requests, size_t count)
{
    uint64_t write_backs = 0;
    for (size_t i = 0; i < count; i++)
        write_backs += (requests[i] >> 62) & 1;
    return write_backs;
}

// PIPP's monitors see what they have to of a batch, but for what has a bit of `hidden`.
WM_CACHE_INLINE void monitor_steps(const struct wm_cache_steps *steps, enum wm_step_family family,
                                   uint32_t line_shift, const uint64_t *requests, uint64_t hidden)
{
    const struct wm_step_state *state = &steps->replacement;
    for (uint32_t i = 0; family == WM_STEP_PIPP && i < state->pipp_seen; i++) {
        uint64_t request = requests[wm_pipp_step_seen(state, i)],
                 line = (request & REQUEST_ADDRESS) >> line_shift;
        if ((request & hidden) == 0)
            wm_pipp_step_monitor(state, wm_cache_steps_set(steps, false, line), line);
    }
}

// The order of demand and victim is no branch either: whichever request is not made is overwritten.
WM_CACHE_INLINE size_t batch_l1(struct wm_cache *l1, enum wm_step_family family, uint32_t stride,
                                bool power_of_two, struct stream_way way,
                                const uint64_t *references, size_t most,
                                struct below_requests *below_requests)
{
    struct wm_cache_steps steps = wm_cache_steps_begin(l1, family, way.sm);
    uint32_t line_shift = l1->line_shift;
    uint64_t filled = 0;
    size_t requests = 0, demand_first = way.demand_first, demand_last = !way.demand_first;
    __asm__("" : "+r"(demand_first), "+r"(demand_last)); // as words, not as bytes to be widened
    size_t count = wm_cache_steps_most(&steps, family, most);
    for (size_t i = 0; i < count; i++) {
        uint64_t reference = references[i], line = line_of(reference, line_shift);
        uint64_t set = wm_cache_steps_set(&steps, power_of_two, line);
        struct wm_cache_step step = wm_cache_step(&steps, family, stride, false, (uint32_t)i, set,
                                                  line, mask_of_top_bit(reference), 0);
        uint64_t victim = step.last_line << line_shift | REQUEST_WRITE_BACK;
        below_requests->request[requests + (step.miss & demand_first)] = victim;
        below_requests->request[requests + (step.victim_dirty & demand_last)] = reference;
        requests += (size_t)step.miss + step.victim_dirty;
        if (__builtin_expect(!steps.full, 0))
            filled += step.miss & (step.last_line == WM_CACHE_EMPTY);
    }
    monitor_steps(&steps, family, line_shift, references, 0);
    wm_cache_steps_end(&steps, l1, family, (uint32_t)count);
    below_requests->count = requests;
    below_requests->request[requests] = 0;

    uint64_t stores = count_stores(references, count);
    uint64_t write_backs = count_write_backs(below_requests->request, requests),
             misses = requests - write_backs;
    uint64_t store_misses = count_stores(below_requests->request, requests);
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
    return count;
}

WM_CACHE_INLINE size_t batch_l2(struct wm_cache *l2, enum wm_step_family family, uint32_t stride,
                                bool power_of_two, struct stream_way way, const uint64_t *requests,
                                size_t most, struct wm_dram_counters *dram)
{
    struct wm_cache_steps steps = wm_cache_steps_begin(l2, family, way.sm);
    uint32_t line_shift = l2->line_shift;
    uint64_t filled = 0, misses = 0, arrival_misses = 0, write_backs = 0;
    size_t count = wm_cache_steps_most(&steps, family, most);
    uint64_t next = wm_cache_steps_set(&steps, power_of_two, line_of(requests[0], line_shift));
    for (size_t i = 0; i < count; i++) {
        uint64_t request = requests[i], line = line_of(request, line_shift), set = next;
        next = wm_cache_steps_set(&steps, power_of_two, line_of(requests[i + 1], line_shift));
        wm_cache_steps_host_prefetch(&steps, family, stride, next);
        uint64_t writeback_mask = mask_of_top_bit(request << 1);
        struct wm_cache_step step = wm_cache_step(&steps, family, stride, true, (uint32_t)i, set,
                                                  line, writeback_mask, writeback_mask);
        misses += step.miss;
        arrival_misses += step.miss & writeback_mask;
        write_backs += step.victim_dirty;
        if (__builtin_expect(!steps.full, 0))
            filled += step.miss & (step.last_line == WM_CACHE_EMPTY);
    }
    uint64_t arrivals = count_write_backs(requests, count), evictions = misses - filled;
    monitor_steps(&steps, family, line_shift, requests, REQUEST_WRITE_BACK);
    wm_cache_steps_end(&steps, l2, family, (uint32_t)(count - arrivals));

    struct wm_cache_counters *counters = &l2->counters;
    uint64_t sectors = l2->line_sectors, line_bytes = l2->line_bytes;
    uint64_t reads = count - arrivals, read_misses = misses - arrival_misses;
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
    dram->read_bursts += read_misses * way.bursts_of_line;
    dram->write_bursts += write_backs * way.bursts_of_line;
    dram->bytes_transferred += (read_misses + write_backs) * way.bursts_of_line * way.burst_bytes;
    return count;
}

// Out of line, so that each loop has the registers to itself: one for each family of entries and
// length of a set's vector. LRU, the most common, and those that do most have one more for each
// usual length where the number of sets is a power of two.
typedef size_t batch_l1_function(struct wm_cache *l1, struct stream_way way,
                                 const uint64_t *references, size_t most,
                                 struct below_requests *below_requests);
typedef size_t batch_l2_function(struct wm_cache *l2, struct stream_way way,
                                 const uint64_t *requests, size_t most,
                                 struct wm_dram_counters *dram);

#define BATCHES(name, family, stride, power_of_two)                                                \
    static __attribute__((noinline))                                                               \
    size_t batch_l1_##name(struct wm_cache *l1, struct stream_way way, const uint64_t *references, \
                           size_t most, struct below_requests *below_requests)                     \
    {                                                                                              \
        return batch_l1(l1, family, stride(l1), power_of_two, way, references, most,               \
                        below_requests);                                                           \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    size_t batch_l2_##name(struct wm_cache *l2, struct stream_way way, const uint64_t *requests,   \
                           size_t most, struct wm_dram_counters *dram)                             \
    {                                                                                              \
        return batch_l2(l2, family, stride(l2), power_of_two, way, requests, most, dram);          \
    }
#define STRIDE_8(cache) 8
#define STRIDE_16(cache) 16
#define STRIDE_ANY(cache) (cache)->stride
#define FAMILY(name, family)                     \
    BATCHES(name##_8, family, STRIDE_8, false)   \
    BATCHES(name##_16, family, STRIDE_16, false) \
    BATCHES(name##_any, family, STRIDE_ANY, false)
#define MASKED_FAMILY(name, family)                  \
    FAMILY(name, family)                             \
    BATCHES(name##_masked_8, family, STRIDE_8, true) \
    BATCHES(name##_masked_16, family, STRIDE_16, true)
MASKED_FAMILY(lru, WM_STEP_LRU)
FAMILY(chain, WM_STEP_CHAIN)
FAMILY(bip, WM_STEP_BIP)
FAMILY(dip, WM_STEP_DIP)
MASKED_FAMILY(pipp, WM_STEP_PIPP)
FAMILY(random, WM_STEP_RANDOM)
FAMILY(plru, WM_STEP_PLRU)
FAMILY(nru, WM_STEP_NRU)
FAMILY(srrip, WM_STEP_SRRIP)
FAMILY(brrip, WM_STEP_BRRIP)
FAMILY(drrip, WM_STEP_DRRIP)
MASKED_FAMILY(ship, WM_STEP_SHIP)

struct batch_functions {
    batch_l1_function *l1;
    batch_l2_function *l2;
};

// Of a cache that can step.
static struct batch_functions batch_functions_of(const struct wm_cache *cache)
{
#define OF_STRIDE(name)                  \
    {                                    \
        batch_l1_##name, batch_l2_##name \
    }
#define OF_FAMILY(name)                                                  \
    {                                                                    \
        OF_STRIDE(name##_8), OF_STRIDE(name##_16), OF_STRIDE(name##_any) \
    }
    static const struct batch_functions families[WM_STEP_FAMILIES][3] = {
        [WM_STEP_LRU] = OF_FAMILY(lru),     [WM_STEP_CHAIN] = OF_FAMILY(chain),
        [WM_STEP_BIP] = OF_FAMILY(bip),     [WM_STEP_DIP] = OF_FAMILY(dip),
        [WM_STEP_PIPP] = OF_FAMILY(pipp),   [WM_STEP_RANDOM] = OF_FAMILY(random),
        [WM_STEP_PLRU] = OF_FAMILY(plru),   [WM_STEP_NRU] = OF_FAMILY(nru),
        [WM_STEP_SRRIP] = OF_FAMILY(srrip), [WM_STEP_BRRIP] = OF_FAMILY(brrip),
        [WM_STEP_DRRIP] = OF_FAMILY(drrip), [WM_STEP_SHIP] = OF_FAMILY(ship),
    };
#define OF_MASKED(name)                                         \
    {                                                           \
        OF_STRIDE(name##_masked_8), OF_STRIDE(name##_masked_16) \
    }
    static const struct batch_functions masked[WM_STEP_FAMILIES][2] = {
        [WM_STEP_LRU] = OF_MASKED(lru),
        [WM_STEP_PIPP] = OF_MASKED(pipp),
        [WM_STEP_SHIP] = OF_MASKED(ship),
    };
    enum wm_step_family family = cache->step_family;
    uint32_t at = cache->stride / WM_CACHE_TAG_LANES - 1;
    if (at < 2 && cache->set_divider.power_of_two && masked[family][at].l1 != NULL)
        return masked[family][at];
    return families[family][at < 2 ? at : 2];
}

#endif
