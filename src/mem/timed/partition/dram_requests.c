// Requests of the slices of a partition to its DRAM channel.
#include "base/containers/array.h"
#include "mem/timed/partition/partition_state.h"

#include "base/containers/ring.h"

#include <stdlib.h>

// Within the channel: what the others hold is divided out.
static uint64_t address_in_channel(const struct wm_memory *memory, uint64_t address)
{
    uint64_t channel,
        block = wm_divide(&memory->channels, address >> memory->channel_shift, &channel);
    uint64_t within = address & ((UINT64_C(1) << memory->channel_shift) - 1);
    return block << memory->channel_shift | within;
}

static void count_dram(struct wm_partition *partition, uint32_t sectors, uint32_t bursts,
                       bool write, uint32_t pc)
{
    struct wm_dram_counters *dram = partition->dram_counters;
    uint64_t bytes = wm_sector_bytes(sectors);
    *(write ? &dram->writes : &dram->reads) += 1;
    *(write ? &dram->bytes_written : &dram->bytes_read) += bytes;
    *(write ? &dram->write_bursts : &dram->read_bursts) += bursts;
    dram->bytes_transferred += (uint64_t)bursts * partition->memory->spec.dram.access_bytes;
    partition->counters_by_pc[pc].memory_bytes += bytes;
}

static bool grow_reads(struct wm_partition_reads *reads)
{
    return WM_ARRAY_RESERVE(reads->reads, reads->room, reads->room, 1);
}

// There is room.
static uint64_t note_read(struct wm_partition *partition, const struct wm_partition_slice *slice,
                          uint64_t line, uint32_t sectors, uint32_t entry)
{
    uint32_t index = partition->reads.free;
    struct wm_partition_read *read = &partition->reads.reads[index];
    if (index == partition->reads.fresh)
        read->next_free = ++partition->reads.fresh;
    partition->reads.free = read->next_free;
    read->line = line;
    read->sectors = sectors;
    read->slice = (uint32_t)(slice - partition->slices);
    read->entry = entry;
    return index;
}

static bool grow_bursts(struct wm_partition_bursts *bursts)
{
    struct wm_partition_burst *larger =
        wm_ring_grow(bursts->bursts, sizeof *larger, &bursts->mask, bursts->first, bursts->end);
    if (larger != NULL)
        bursts->bursts = larger;
    return larger != NULL;
}

// Requests sectors of a line of L2 from DRAM, burst by burst.
void wm_partition_request_dram(struct wm_partition *partition, struct wm_partition_slice *slice,
                               uint64_t line, uint32_t sectors, bool write, uint32_t entry,
                               uint32_t pc)
{
    const struct wm_memory *memory = partition->memory;
    uint32_t step = memory->burst_sectors, burst_count = 0;
    uint32_t burst = step >= 32 ? UINT32_MAX : (UINT32_C(1) << step) - 1;
    uint64_t begin = address_in_channel(memory, line << memory->l2_line_shift);
    for (uint32_t at = 0; at < memory->l2_line_sectors; at += step) {
        uint32_t part = sectors & burst << at;
        if (part == 0)
            continue;
        struct wm_partition_bursts *bursts = &slice->bursts;
        struct wm_partition_reads *reads = &partition->reads;
        if ((bursts->end - bursts->first > bursts->mask && !grow_bursts(bursts)) ||
            (reads->free == reads->room && !grow_reads(reads))) {
            partition->failed = true;
            return;
        }
        bursts->bursts[bursts->end++ & bursts->mask] = (struct wm_partition_burst){
            .address = begin + (uint64_t)at * WM_SECTOR_BYTES,
            .token = write ? 0 : note_read(partition, slice, line, part, entry),
            .write = write,
        };
        burst_count++;
    }
    partition->waiting_bursts += burst_count;
    count_dram(partition, sectors, burst_count, write, pc);
}

// What waits goes to the channel while that has room, slice after slice.
void wm_partition_issue_bursts(struct wm_partition *partition, uint64_t dram_cycle)
{
    uint32_t refused = 0;
    while (refused < partition->slice_count) {
        struct wm_partition_slice *slice = &partition->slices[partition->turn];
        struct wm_partition_bursts *bursts = &slice->bursts;
        partition->turn = partition->turn + 1 == partition->slice_count ? 0 : partition->turn + 1;
        const struct wm_partition_burst *access = &bursts->bursts[bursts->first & bursts->mask];
        refused++;
        if (bursts->first == bursts->end ||
            !wm_dram_channel_has_room(partition->channel, access->write))
            continue;
        struct wm_dram_request request = {
            .address = access->address, .token = access->token, .write = access->write};
        wm_dram_channel_add(partition->channel, dram_cycle, &request);
        bursts->first++;
        partition->waiting_bursts--;
        slice->retries = true;
        if (slice->stall != WM_STALL_NONE)
            slice->next = wm_earlier(slice->next, partition->cycle + 1);
        refused = 0;
    }
}

static bool grow_completions(struct wm_partition_completions *completions)
{
    struct wm_partition_completion *larger =
        wm_ring_grow(completions->items, sizeof *larger, &completions->mask, completions->first,
                     completions->end);
    if (larger != NULL)
        completions->items = larger;
    return larger != NULL;
}

void wm_partition_note_completion(void *context, const struct wm_dram_completion *done)
{
    struct wm_partition *partition = context;
    struct wm_partition_completions *completions = &partition->completions;
    if (done->write)
        return;
    uint64_t cycle = wm_clock_convert(&partition->from_dram, done->cycle);
    if (completions->end - completions->first > completions->mask &&
        !grow_completions(completions)) {
        partition->failed = true;
        return;
    }
    struct wm_partition_completion *items = completions->items;
    uint32_t at = completions->end++;
    for (; at != completions->first && items[(at - 1) & completions->mask].cycle > cycle; at--)
        items[at & completions->mask] = items[(at - 1) & completions->mask];
    items[at & completions->mask] =
        (struct wm_partition_completion){.cycle = cycle, .read = (uint32_t)done->token};
}
