// Races on shared memory: each access is an event at its warp's clock, and two are ordered when the
// later warp knows of the earlier one's clock (C. Flanagan and S. Freund, "FastTrack", PLDI 2009,
// sections 2 and 3; warps in place of threads, and two readers kept in place of all).
#include "engine/check/checker_state.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_SHIFT = 2 };

uint32_t *wm_races_clocks(struct wm_check_block *block, uint32_t warp)
{
    return block->clocks + (size_t)warp * block->warp_count;
}

void wm_races_join(uint32_t *to, const uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (from[i] > to[i])
            to[i] = from[i];
}

bool wm_races_open(struct wm_check_block *block)
{
    size_t cells = ((size_t)block->shared_bytes >> WORD_SHIFT) + 2;
    size_t clocks = (size_t)block->warp_count * block->warp_count;
    free(block->cells);
    free(block->clocks);
    block->cell_shift = WORD_SHIFT;
    block->cells = calloc(cells, sizeof *block->cells);
    block->clocks = calloc(clocks, sizeof *block->clocks);
    if (!block->cells || !block->clocks)
        return false;
    for (uint32_t warp = 0; warp < block->warp_count; warp++)
        wm_races_clocks(block, warp)[warp] = 1;
    memset(block->barriers, 0, sizeof block->barriers);
    memset(block->waits, 0, sizeof block->waits);
    memset(block->sync_offsets, 0, sizeof block->sync_offsets);
    memset(block->cluster_lanes, 0, sizeof block->cluster_lanes);
    block->next_sync = block->phase_count = 0;
    return true;
}

// ---- Barriers ----------------------------------------------------------------------------------

static void complete(const struct wm_check_block *block, struct wm_check_barrier *barrier)
{
    memcpy(barrier->released, barrier->gathered, block->warp_count * sizeof(uint32_t));
    memset(barrier->gathered, 0, block->warp_count * sizeof(uint32_t));
    barrier->arrived = 0;
    barrier->generation++;
}

// A warp that continues after its barrier knows what all that arrived there knew.
static void resume(struct wm_check_block *block, uint32_t warp)
{
    if (!block->waits[warp])
        return;
    const struct wm_check_barrier *barrier = &block->barriers[block->waits_at[warp]];
    if (barrier->generation == block->waits_for[warp])
        return; // other lanes of the warp continue meanwhile
    wm_races_join(wm_races_clocks(block, warp), barrier->released, block->warp_count);
    block->waits[warp] = false;
}

void wm_races_arrival(struct wm_check_block *block, uint32_t warp,
                      const struct wm_warp_arrival *arrival)
{
    struct wm_check_barrier *barrier = &block->barriers[arrival->barrier % WM_CHECK_BARRIERS];
    resume(block, warp);
    uint32_t *clocks = wm_races_clocks(block, warp);
    wm_races_join(barrier->gathered, clocks, block->warp_count);
    clocks[warp]++;
    barrier->threads = arrival->threads;
    barrier->arrived += (uint32_t)__builtin_popcountll(arrival->lanes);
    if (arrival->waits) {
        block->waits[warp] = true;
        block->waits_at[warp] = (uint8_t)(arrival->barrier % WM_CHECK_BARRIERS);
        block->waits_for[warp] = barrier->generation;
    }
    if (barrier->arrived >= (barrier->threads ? barrier->threads : block->live_threads))
        complete(block, barrier);
}

// All live threads arrive at the cluster's barrier, once each, before any passes its wait. A lane
// that arrives a second time before that counts once, as a thread of it would have to wait first.
void wm_races_cluster(struct wm_check_block *block, uint32_t warp, uint64_t lanes, bool waits,
                      bool releases)
{
    struct wm_check_barrier *barrier = &block->barriers[WM_CHECK_CLUSTER];
    resume(block, warp);
    if (waits) {
        block->waits[warp] = true;
        block->waits_at[warp] = WM_CHECK_CLUSTER;
        block->waits_for[warp] = block->cluster_generation[warp];
        return;
    }
    uint32_t *clocks = wm_races_clocks(block, warp);
    if (releases) {
        wm_races_join(barrier->gathered, clocks, block->warp_count);
        clocks[warp]++;
    }
    if (block->cluster_generation[warp] != barrier->generation)
        block->cluster_lanes[warp] = 0;
    block->cluster_generation[warp] = barrier->generation;
    barrier->arrived += (uint32_t)__builtin_popcountll(lanes & ~block->cluster_lanes[warp]);
    block->cluster_lanes[warp] |= lanes;
    if (barrier->arrived >= block->live_threads)
        complete(block, barrier);
}

// Threads that end are waited for no longer.
void wm_races_exit(struct wm_check_block *block, uint32_t warp, uint64_t lanes)
{
    struct wm_check_barrier *cluster = &block->barriers[WM_CHECK_CLUSTER];
    block->live_threads -= (uint32_t)__builtin_popcountll(lanes);
    if (block->cluster_generation[warp] == cluster->generation)
        cluster->arrived -= (uint32_t)__builtin_popcountll(lanes & block->cluster_lanes[warp]);
    for (uint32_t i = 0; i < WM_CHECK_BARRIERS; i++) {
        struct wm_check_barrier *barrier = &block->barriers[i];
        if (barrier->arrived > 0 && barrier->threads == 0 &&
            barrier->arrived >= block->live_threads)
            complete(block, barrier);
    }
}

// ---- Synchronisation through memory ------------------------------------------------------------

// What the warps know that released at the address; NULL: none did.
static uint32_t *sync_at(struct wm_check_block *block, uint64_t offset, bool make)
{
    for (uint32_t i = 0; i < WM_CHECK_SYNCS; i++)
        if (block->sync_offsets[i] == offset + 1)
            return block->sync_clocks[i];
    if (!make)
        return NULL;
    uint32_t place = block->next_sync++ % WM_CHECK_SYNCS;
    memset(block->sync_clocks[place], 0, sizeof block->sync_clocks[place]);
    block->sync_offsets[place] = offset + 1;
    return block->sync_clocks[place];
}

static void synchronise(struct wm_check_block *block, uint32_t warp, uint64_t offset,
                        const struct wm_check_instruction *instruction)
{
    uint32_t *clocks = wm_races_clocks(block, warp);
    uint32_t *sync = sync_at(block, offset, instruction->releases);
    if (sync && instruction->acquires)
        wm_races_join(clocks, sync, block->warp_count);
    if (sync && instruction->releases) {
        wm_races_join(sync, clocks, block->warp_count);
        clocks[warp]++;
    }
}

// ---- Accesses ----------------------------------------------------------------------------------

// A narrow access: from now on each byte has a cell.
static bool split_cells(struct wm_check_block *block)
{
    size_t bytes = block->shared_bytes + 4u;
    struct wm_race_cell *split = calloc(bytes, sizeof *split);
    if (!split)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        split[i] = block->cells[i >> WORD_SHIFT];
        split[i].value = split[i].value >> (i % 4 * 8) & 0xff;
    }
    free(block->cells);
    block->cells = split;
    block->cell_shift = 0;
    return true;
}

struct touch {
    struct wm_checked_launch *launch;
    struct wm_check_block *block;
    const struct wm_warp_access *access;
    const struct wm_check_instruction *instruction;
    uint32_t *clocks;
    struct wm_race_event event; // this access
    bool writes;
    uint64_t offset; // of the lane's access
};

static bool races(const struct touch *touch, const struct wm_race_event *earlier)
{
    return earlier->clock != 0 && earlier->warp != touch->event.warp &&
           touch->clocks[earlier->warp] < earlier->clock &&
           !(earlier->strong && touch->event.strong);
}

static void note(const struct touch *touch, enum wm_check_kind kind,
                 const struct wm_race_event *earlier)
{
    struct wm_check_seen seen = {
        .block = touch->block,
        .warp = touch->event.warp,
        .pc = touch->event.pc,
        .lane = touch->event.lane,
        .kind = touch->access->kind,
        .earlier = earlier,
        .address = touch->offset,
        .bytes = touch->access->bytes_per_lane,
    };
    wm_checked_report(touch->launch, kind, &seen);
}

static void keep_read(const struct touch *touch, struct wm_race_cell *cell)
{
    struct wm_race_event *slot = &cell->reads[1];
    for (uint32_t i = 2; i-- > 0;) {
        const struct wm_race_event *read = &cell->reads[i];
        if (read->clock == 0 || read->warp == touch->event.warp ||
            touch->clocks[read->warp] >= read->clock)
            slot = &cell->reads[i];
    }
    *slot = touch->event;
}

// Looks for a race in one cell; true when there is one.
static bool check_cell(const struct touch *touch, const struct wm_race_cell *cell, uint32_t value)
{
    if (races(touch, &cell->write) && !(touch->writes && cell->value == value)) {
        note(touch, touch->writes ? WM_FOUND_WRITE_AFTER_WRITE : WM_FOUND_READ_AFTER_WRITE,
             &cell->write);
        return true;
    }
    for (uint32_t i = 0; i < 2 && touch->writes; i++) {
        if (races(touch, &cell->reads[i])) {
            note(touch, WM_FOUND_WRITE_AFTER_READ, &cell->reads[i]);
            return true;
        }
    }
    return false;
}

static void keep(const struct touch *touch, struct wm_race_cell *cell, uint32_t value)
{
    if (touch->writes)
        *cell = (struct wm_race_cell){.write = touch->event, .value = value};
    else
        keep_read(touch, cell);
}

static void touch_lane(const struct touch *touch)
{
    const struct wm_check_block *block = touch->block;
    uint64_t end = touch->offset + touch->access->bytes_per_lane;
    uint32_t shift = block->cell_shift, unit = 1u << shift;
    bool found = false; // one finding for a lane's access, however many bytes it has
    if (end > block->shared_bytes)
        return; // the interpreter has refused it
    for (uint64_t at = touch->offset; at < end; at += unit) {
        struct wm_race_cell *cell = &block->cells[at >> shift];
        uint32_t value = 0;
        memcpy(&value, block->shared + at, unit);
        found = found || check_cell(touch, cell, value);
        keep(touch, cell, value);
    }
}

void wm_races_access(struct wm_checked_launch *launch, struct wm_check_block *block, uint32_t warp,
                     const struct wm_warp_access *access)
{
    resume(block, warp);
    if (access->bytes_per_lane % 4 != 0 && block->cell_shift != 0 && !split_cells(block))
        return;
    struct touch touch = {
        .launch = launch,
        .block = block,
        .access = access,
        .instruction = wm_checked_instruction(launch, access->pc),
        .clocks = wm_races_clocks(block, warp),
        .writes = access->kind != WM_ACCESS_LOAD,
    };
    bool phases = touch.instruction->role != WM_CHECK_NO_PHASE;
    if (phases)
        wm_phases_access(block, warp, touch.instruction, access);
    for (uint64_t lanes = access->active; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        touch.offset = access->addresses[lane];
        if (!phases && (touch.instruction->acquires || touch.instruction->releases))
            synchronise(block, warp, touch.offset, touch.instruction);
        touch.event = (struct wm_race_event){
            .pc = access->pc,
            .clock = touch.clocks[warp],
            .warp = (uint8_t)warp,
            .lane = (uint8_t)lane,
            .strong = touch.instruction->strong,
            .kind = (uint8_t)access->kind,
        };
        touch_lane(&touch);
    }
    // The arrival itself is among what is released: the object may be made anew behind its phase.
    if (phases && touch.instruction->releases)
        touch.clocks[warp]++;
}
