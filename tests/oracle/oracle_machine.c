#include "oracle_machine.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"

#include <inttypes.h>
#include <stdio.h>

struct wm_memory_spec wm_oracle_spec(const struct wm_cache_count_row *row)
{
    struct wm_cache_spec l1 = {
        .present = true,
        .size_bytes = 32768,
        .ways = 8,
        .line_bytes = 128,
        .sector_bytes = 128,
        .write_policy = WM_WRITE_BACK,
        .write_allocate = true,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_cache_spec l2 = l1;
    l2.ways = row->l2_ways;
    l2.size_bytes = (uint64_t)row->l2_sets * row->l2_ways * 128;
    return (struct wm_memory_spec){
        .sm_count = 1,
        .levels[WM_LEVEL_L1] = {.cache = l1},
        .levels[WM_LEVEL_L2] = {.cache = l2, .slices = 1, .interleave_bytes = 256},
        .dram = {.channels = 1, .channel_interleave_bytes = 256, .access_bytes = 32},
        .demand_before_writeback = row->demand_first,
    };
}

bool wm_oracle_count_equal(const char *what, uint64_t counted, uint64_t expected)
{
    if (counted != expected)
        fprintf(stderr, "%s: counted %" PRIu64 ", expected %" PRIu64 "\n", what, counted, expected);
    return counted == expected;
}

// Every L1 request is one sector; every L2 request is a whole line of four.
bool wm_oracle_equal(const struct wm_memory *memory, const struct wm_cache_count_row *row)
{
    const struct wm_cache_counters *l1 = &memory->levels[WM_LEVEL_L1].caches[0].counters,
                                   *l2 = &memory->levels[WM_LEVEL_L2].caches[0].counters;
    bool ok = wm_oracle_count_equal("references", l1->accesses, WM_CACHE_COUNT_REFERENCES);
    ok &= wm_oracle_count_equal("stores", l1->store_accesses, row->stores);
    ok &= wm_oracle_count_equal("L1 misses", l1->misses, row->l1_misses);
    ok &= wm_oracle_count_equal("L1 store misses", l1->store_misses, row->l1_store_misses);
    ok &= wm_oracle_count_equal("L1 write-backs", l1->write_backs, row->l1_write_backs);
    ok &= wm_oracle_count_equal("L2 demand misses", l2->accesses_missed, row->l2_misses);
    ok &= wm_oracle_count_equal("L2 write-back misses", l2->writeback_accesses_missed,
                                row->l2_write_back_misses);
    ok &= wm_oracle_count_equal("L2 write-backs", l2->write_backs, row->l2_write_backs);
    ok &= wm_oracle_count_equal("bytes written", memory->dram[0].bytes_written,
                                row->l2_write_backs * 128);
    ok &= wm_oracle_count_equal("bytes read", memory->dram[0].bytes_read, row->l2_misses * 128);
    return ok;
}
