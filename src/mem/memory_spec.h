// What a memory system was told to be: filled from a machine file, read by mem/. Plain data.
#ifndef WM_MEM_MEMORY_SPEC_H
#define WM_MEM_MEMORY_SPEC_H

#include <stdbool.h>
#include <stdint.h>

struct wm_replacement_ops; // mem/replacement/replacement.h
struct wm_set_index_ops;   // mem/set_index/set_index.h

enum wm_write_policy {
    WM_WRITE_BACK,           // a store dirties the line; memory sees it on eviction
    WM_WRITE_THROUGH_UPDATE, // a store goes on, and updates the line when present
    WM_WRITE_THROUGH_EVICT,  // a store goes on, and drops the line when present
};

struct wm_cache_spec {
    bool present; // false: every access goes on (a GPU without L1 for global loads)
    uint64_t size_bytes;
    uint32_t ways, line_bytes;
    uint32_t sector_bytes; // bytes fetched on a miss: line_bytes when not sectored, else 32
    enum wm_write_policy write_policy;
    bool write_allocate; // a store that misses takes a line (always with fetch when it does not
                         // cover a whole sector)
    const struct wm_replacement_ops *replacement;
    const struct wm_set_index_ops *set_index;
};

struct wm_dram_spec {
    uint32_t channels;
    uint64_t channel_interleave_bytes;   // consecutive bytes on one channel
    uint64_t bandwidth_bytes_per_second; // peak, all channels
    uint32_t access_bytes;               // smallest transfer: 32
};

struct wm_memory_spec {
    uint32_t sm_count;
    struct wm_cache_spec l1;      // one each SM
    struct wm_cache_spec l2;      // the whole: size_bytes is divided among the slices
    uint32_t l2_slices;           // a multiple of dram.channels
    uint64_t l2_interleave_bytes; // consecutive bytes on one slice
    struct wm_dram_spec dram;
    bool l1_flush_at_kernel;      // L1 contents are dropped when a kernel starts
    bool demand_before_writeback; // order at L2 of a miss's fetch and its victim's write-back
};

#endif
