// A slice's atomic buffer in time (docs/memory-system.md, R13; docs/engine-clock.md, R4): what
// mem/access_path/atomic_buffer_access.h does at once. Each sector that goes from L2 to it or back
// is a look-up of the slice, in a cycle of its own.
#include "mem/timed/partition/partition_state.h"

#include <stdlib.h>

enum wm_status wm_atomic_buffer_moves_new(struct wm_partition_slice *slice, uint32_t tokens,
                                          struct wm_atomic_buffer *buffer, struct wm_error *error)
{
    struct wm_atomic_buffer_moves *moves = calloc(1, sizeof *moves);
    slice->moves = moves;
    if (moves != NULL)
        moves->parts = calloc(tokens, sizeof *moves->parts);
    if (moves == NULL || moves->parts == NULL)
        return wm_fail_no_memory(error, "a memory partition");
    moves->buffer = buffer;
    return WM_OK;
}

void wm_atomic_buffer_moves_free(struct wm_atomic_buffer_moves *moves)
{
    if (moves != NULL)
        free(moves->parts);
    free(moves);
}

static struct wm_timed_access access_for(const struct wm_partition *partition,
                                         const struct wm_partition_slice *slice,
                                         const struct wm_packet *packet, uint64_t address)
{
    const struct wm_memory *memory = partition->memory;
    uint64_t within = address & (memory->l2_line_bytes - 1), index_line;
    uint64_t line = address >> memory->l2_line_shift;
    uint32_t sector = UINT32_C(1) << within / WM_SECTOR_BYTES;
    wm_memory_slice(memory, line, &index_line);
    return (struct wm_timed_access){
        .line = line,
        .index_line = index_line,
        .sectors = sector,
        .full_sectors = sector,
        .queue_has_room = slice->bursts.end - slice->bursts.first < partition->queue,
        .requester = {.sm = packet->sm,
                      .warp = packet->warp,
                      .pc = packet->pc,
                      .kind = wm_partition_kind(packet),
                      .hint = (enum wm_cache_hint)packet->hint},
    };
}

// The first request waits for bytes once more: the token that these complete.
static uint32_t token_of(struct wm_partition_slice *slice)
{
    return slice->moves->waits ? slice->moves->token : slice->free_waiting[slice->free_count - 1];
}

static void note_wait(struct wm_partition_slice *slice, const struct wm_packet *packet)
{
    struct wm_atomic_buffer_moves *moves = slice->moves;
    if (!moves->waits) {
        moves->token = slice->free_waiting[--slice->free_count];
        slice->waiting[moves->token] = *packet;
        slice->waiting[moves->token].from_dram = true;
        moves->parts[moves->token] = 1; // till all its sectors are there
        moves->waits = true;
    }
    moves->parts[moves->token]++;
}

// The sector that made room, or that another request needs, is written to L2.
static enum wm_stall write_sector(struct wm_partition *partition, struct wm_partition_slice *slice,
                                  const struct wm_packet *packet)
{
    struct wm_timed_access access = access_for(partition, slice, packet, slice->moves->written);
    access.client = WM_CACHE_WRITEBACK;
    access.allocate = slice->cache->write_allocate;
    struct wm_timed_result result = wm_timed_cache_write(&slice->timed, &access);
    if (result.stall != WM_STALL_NONE)
        return result.stall;
    wm_partition_finish_lookup(partition, slice, access.line, &result, packet->pc);
    slice->moves->writes = false;
    return WM_STALL_NONE;
}

static enum wm_stall read_sector(struct wm_partition *partition, struct wm_partition_slice *slice,
                                 const struct wm_packet *packet)
{
    struct wm_timed_access access = access_for(partition, slice, packet, slice->moves->read);
    access.client = WM_CACHE_LOAD;
    access.allocate = true;
    access.token = token_of(slice);
    struct wm_timed_result result = wm_timed_cache_read(&slice->timed, &access);
    if (result.stall != WM_STALL_NONE)
        return result.stall;
    struct wm_instruction_counters *instruction_counters = &partition->counters_by_pc[packet->pc];
    *(result.missing != 0 ? &instruction_counters->levels[WM_LEVEL_L2].misses
                          : &instruction_counters->levels[WM_LEVEL_L2].hits) += 1;
    wm_partition_finish_lookup(partition, slice, access.line, &result, packet->pc);
    if (result.waits)
        note_wait(slice, packet);
    slice->moves->reads = false;
    return WM_STALL_NONE;
}

// An operation on a sector of the buffer, whose bytes may be on their way still.
static enum wm_stall operate(struct wm_partition *partition, struct wm_partition_slice *slice,
                             const struct wm_packet *packet, uint64_t address)
{
    struct wm_atomic_buffer_moves *moves = slice->moves;
    struct wm_timed_access access = access_for(partition, slice, packet, address);
    bool waits = false, displaces;
    if (wm_atomic_buffer_holds(moves->buffer, address)) {
        enum wm_stall stall = wm_timed_cache_wait(&slice->timed, access.line, access.sectors,
                                                  token_of(slice), &waits);
        if (stall != WM_STALL_NONE)
            return stall;
        if (waits)
            note_wait(slice, packet);
    }
    moves->reads = !wm_atomic_buffer_operate(moves->buffer, address, &moves->written, &displaces);
    moves->writes = displaces;
    moves->read = address;
    return WM_STALL_NONE;
}

// The next sector of the first request that the buffer has to do with; false when that was the
// last.
static bool next_sector(struct wm_partition *partition, struct wm_partition_slice *slice,
                        const struct wm_packet *packet, enum wm_stall *stall)
{
    struct wm_atomic_buffer_moves *moves = slice->moves;
    uint32_t rest = packet->sectors & ~moves->seen;
    if (rest == 0)
        return false;
    uint64_t address = packet->address + (uint64_t)__builtin_ctz(rest) * WM_SECTOR_BYTES;
    if (packet->client == WM_CACHE_ATOMIC) {
        *stall = operate(partition, slice, packet, address);
    } else {
        moves->writes = wm_atomic_buffer_spill(moves->buffer, address);
        moves->written = address;
    }
    if (*stall == WM_STALL_NONE)
        moves->seen |= rest & -rest;
    return true;
}

enum wm_atomic_buffer_move_result wm_atomic_buffer_move(struct wm_partition *partition,
                                                        struct wm_partition_slice *slice,
                                                        const struct wm_packet *packet,
                                                        enum wm_stall *stall)
{
    struct wm_atomic_buffer_moves *moves = slice->moves;
    bool looked_up = false;
    *stall = WM_STALL_NONE;
    while (*stall == WM_STALL_NONE) {
        bool moves_one = moves->writes || moves->reads;
        if (moves_one && looked_up)
            return WM_MOVED_ONE;
        looked_up |= moves_one;
        if (moves->writes)
            *stall = write_sector(partition, slice, packet);
        else if (moves->reads)
            *stall = read_sector(partition, slice, packet);
        else if (!next_sector(partition, slice, packet, stall))
            return looked_up && packet->client != WM_CACHE_ATOMIC ? WM_MOVED_ONE : WM_MOVED_ALL;
    }
    return WM_MOVED_NONE;
}
