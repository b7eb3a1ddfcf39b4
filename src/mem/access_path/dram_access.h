// The last step down: which DRAM channel, how many of its bursts. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_DRAM_ACCESS_H
#define WM_MEM_ACCESS_PATH_DRAM_ACCESS_H

#include "mem/access_path/access_context.h"

// Smallest transfers that cover `sectors`.
static inline uint64_t bursts_of(const struct wm_memory *memory, uint32_t sectors)
{
    if (memory->burst_sectors == 1)
        return (uint64_t)__builtin_popcount(sectors);
    uint32_t burst =
        memory->burst_sectors >= 32 ? UINT32_MAX : (UINT32_C(1) << memory->burst_sectors) - 1;
    uint64_t bursts = 0;
    for (uint32_t at = 0; at < 32; at += memory->burst_sectors)
        bursts += (sectors >> at & burst) != 0;
    return bursts;
}

static inline void channel_access(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                                  bool write, struct access_context *context)
{
    uint32_t channel = 0;
    if (memory->channels.divisor != 1)
        wm_channel_of(memory, address, &channel);
    if (WM_PATHS_FULL)
        channel += wm_gpu_of_unit(memory, context->unit) * (uint32_t)memory->channels.divisor;
    wm_count_dram(memory, channel, write, sectors, bursts_of(memory, sectors),
                  context->instruction_counters);
}

// `sectors` of a line of so many bytes at `line_address`, which may span several channels' blocks.
static inline void memory_access(struct wm_memory *memory, uint32_t line_bytes,
                                 uint64_t line_address, uint32_t sectors, bool write,
                                 struct access_context *context)
{
    uint64_t block_bytes = UINT64_C(1) << memory->channel_shift;
    if (__builtin_expect(block_bytes >= line_bytes, 1)) {
        channel_access(memory, line_address, sectors, write, context);
        return;
    }
    uint32_t block_sectors = (uint32_t)(block_bytes / WM_SECTOR_BYTES);
    uint32_t block = (UINT32_C(1) << block_sectors) - 1;
    for (uint32_t at = 0; at < line_bytes / WM_SECTOR_BYTES; at += block_sectors) {
        uint32_t part = sectors & (block << at);
        if (part != 0)
            channel_access(memory, line_address + (uint64_t)at * WM_SECTOR_BYTES, part, write,
                           context);
    }
}

// Of a line of L2, or of a request that passes it.
static inline void dram_access(struct wm_memory *memory, uint64_t line_address, uint32_t sectors,
                               bool write, struct access_context *context)
{
    memory_access(memory, memory->l2_line_bytes, line_address, sectors, write, context);
}

#endif
