// A node's atomic buffer in time (docs/memory-system.md, R13; docs/engine-clock.md, R4): what
// mem/access_path/atomic_buffer_access.h does at once. Each sector that goes from the cache to it
// or back is a look-up, in a cycle of its own.
#include "mem/timed/node/node_parts.h"

// The first request waits for bytes once more: the token that these complete.
static uint32_t token_of(struct wm_timed_node *node)
{
    return node->moves->waits ? node->moves->token : node->free_waiting[node->free_count - 1];
}

static void note_wait(struct wm_timed_node *node, const struct wm_packet *packet)
{
    struct wm_buffer_moves *moves = node->moves;
    if (!moves->waits) {
        moves->token = node->free_waiting[--node->free_count];
        node->waiting[moves->token] = *packet;
        node->parts[moves->token] = 1; // till all its sectors are there
        moves->waits = true;
    }
    node->parts[moves->token]++;
}

// A sector to the cache, which made room or is needed by another request; or one from it.
static enum wm_stall move_sector(struct wm_timed_node *node, uint64_t cycle,
                                 const struct wm_packet *packet, bool writes)
{
    struct wm_buffer_moves *moves = node->moves;
    struct wm_level_request request =
        wm_node_request_for(node, packet, writes ? moves->written : moves->read, 1);
    struct wm_level_outcome outcome;
    request.access.client = writes ? WM_CACHE_WRITEBACK : WM_CACHE_LOAD;
    request.access.allocate = !writes || node->level.timed.cache->write_allocate;
    request.access.full_sectors = request.access.sectors;
    request.access.token = token_of(node);
    request.moves = true;
    enum wm_stall stall = wm_timed_level_look_up(&node->level, cycle, &request, &outcome);
    if (stall != WM_STALL_NONE)
        return stall;
    if (outcome.waits != 0)
        note_wait(node, packet);
    *(writes ? &moves->writes : &moves->reads) = false;
    return WM_STALL_NONE;
}

// An operation on a sector of the buffer, whose bytes may be on their way still.
static enum wm_stall operate(struct wm_timed_node *node, const struct wm_packet *packet,
                             uint64_t address)
{
    struct wm_buffer_moves *moves = node->moves;
    struct wm_level_request request = wm_node_request_for(node, packet, address, 1);
    bool waits = false, displaces;
    if (wm_atomic_buffer_holds(moves->buffer, address)) {
        enum wm_stall stall = wm_timed_cache_wait(&node->level.timed, request.access.line,
                                                  request.access.sectors, token_of(node), &waits);
        if (stall != WM_STALL_NONE)
            return stall;
        if (waits)
            note_wait(node, packet);
    }
    moves->reads = !wm_atomic_buffer_operate(moves->buffer, address, &moves->written, &displaces);
    moves->writes = displaces;
    moves->read = address;
    return WM_STALL_NONE;
}

// The next sector of the first request that the buffer has to do with; false when that was the
// last.
static bool next_sector(struct wm_timed_node *node, const struct wm_packet *packet,
                        enum wm_stall *stall)
{
    struct wm_buffer_moves *moves = node->moves;
    uint32_t rest = packet->sectors & ~moves->seen;
    if (rest == 0)
        return false;
    uint64_t address = packet->address + (uint64_t)__builtin_ctz(rest) * WM_SECTOR_BYTES;
    if (packet->client == WM_CACHE_ATOMIC) {
        *stall = operate(node, packet, address);
    } else {
        moves->writes = wm_atomic_buffer_spill(moves->buffer, address);
        moves->written = address;
    }
    if (*stall == WM_STALL_NONE)
        moves->seen |= rest & -rest;
    return true;
}

enum wm_buffer_move_result wm_buffer_move(struct wm_timed_node *node, uint64_t cycle,
                                          const struct wm_packet *packet, enum wm_stall *stall)
{
    struct wm_buffer_moves *moves = node->moves;
    bool looked_up = false;
    *stall = WM_STALL_NONE;
    while (*stall == WM_STALL_NONE) {
        bool moves_one = moves->writes || moves->reads;
        if (moves_one && looked_up)
            return WM_MOVED_ONE;
        looked_up |= moves_one;
        if (moves_one)
            *stall = move_sector(node, cycle, packet, moves->writes);
        else if (!next_sector(node, packet, stall))
            return looked_up && packet->client != WM_CACHE_ATOMIC ? WM_MOVED_ONE : WM_MOVED_ALL;
    }
    return WM_MOVED_NONE;
}
