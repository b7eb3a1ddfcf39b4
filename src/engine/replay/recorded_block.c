// The blocks of a recorded launch: made as they are needed, and used again for those that come
// later; and the chunks of the recording that their warps are in.
#include "engine/replay/recorded_block.h"

#include <stdlib.h>
#include <string.h>

const struct wm_trace_item wm_recorded_no_item;

static void free_block(struct wm_recorded_block *block)
{
    if (block == NULL)
        return;
    free(block->slots);
    free(block->warp_barriers);
    wm_mbarrier_table_release(&block->phases);
    free(block);
}

// Zeros that begin with a pair of lines of the host's cache.
static void *aligned_zeros(size_t size)
{
    size_t bytes = (size + 127) / 128 * 128 + 128;
    void *zeros = aligned_alloc(128, bytes);
    if (zeros != NULL)
        memset(zeros, 0, bytes);
    return zeros;
}

static struct wm_decoder_slot *new_slots(const struct wm_recorded_work *recorded, size_t warps)
{
    return aligned_zeros(warps * recorded->slots.count * sizeof(struct wm_decoder_slot));
}

bool wm_recorded_make_pools(struct wm_recorded_work *recorded)
{
    recorded->pools = aligned_zeros(recorded->sm_count * sizeof *recorded->pools);
    return recorded->pools != NULL;
}

static struct wm_recorded_pool *pool_of(const struct wm_recorded_work *recorded, uint32_t sm)
{
    return &recorded->pools[recorded->work.threaded ? sm : 0];
}

static struct wm_recorded_block *take_block(struct wm_recorded_work *recorded, uint32_t sm)
{
    struct wm_recorded_pool *pool = pool_of(recorded, sm);
    struct wm_recorded_block *block = pool->free_blocks;
    if (block != NULL) {
        pool->free_blocks = block->next_free;
        return block;
    }
    if (pool->shared_slots == NULL)
        pool->shared_slots = new_slots(recorded, 1);
    uint32_t warps = recorded->work.warps_per_block;
    block = aligned_zeros(sizeof *block + warps * sizeof *block->warps);
    if (block == NULL || pool->shared_slots == NULL) {
        free(block);
        return NULL;
    }
    block->next_made = pool->made_blocks;
    pool->made_blocks = block;
    for (uint32_t warp = 0; warp < warps; warp++)
        block->warps[warp].decoder =
            (struct wm_warp_decoder){.slots = pool->shared_slots,
                                     .slot_count = recorded->slots.count,
                                     .instruction_count = recorded->work.instruction_count,
                                     .lanes = recorded->lanes};
    return block;
}

bool wm_recorded_out_of_memory(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                               const char *what)
{
    struct wm_error error;
    wm_fail_no_memory(&error, "%s", what);
    wm_recorded_stop_with(recorded, block, &error);
    return false;
}

bool wm_recorded_make_warp_barriers(struct wm_recorded_work *recorded,
                                    struct wm_recorded_block *block)
{
    if (block->warp_barriers == NULL)
        block->warp_barriers = calloc(block->public.warp_count, sizeof *block->warp_barriers);
    return block->warp_barriers != NULL ||
           wm_recorded_out_of_memory(recorded, block, "a recorded block's barriers");
}

static void release_pool(struct wm_recorded_pool *pool)
{
    // Those that were under way when it stopped, too.
    for (struct wm_recorded_block *block = pool->made_blocks, *next; block; block = next) {
        next = block->next_made;
        free_block(block);
    }
    free(pool->shared_slots);
    for (struct wm_recorded_successors *one = pool->made_successors, *next; one; one = next) {
        next = one->next_made;
        free(one);
    }
}

void wm_recorded_release_blocks(struct wm_recorded_work *recorded)
{
    for (uint32_t sm = 0; recorded->pools != NULL && sm < recorded->sm_count; sm++)
        release_pool(&recorded->pools[sm]);
    free(recorded->pools);
    recorded->pools = NULL;
}

// --- Chunks ---

// Most warps never need any: they have a plan.
static bool lend_successors(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                            struct wm_recorded_warp *warp)
{
    struct wm_recorded_pool *pool = pool_of(recorded, block->public.sm);
    struct wm_recorded_successors *lent = pool->free_successors;
    if (lent != NULL) {
        pool->free_successors = lent->next_free;
    } else {
        lent = malloc(sizeof *lent);
        if (lent == NULL)
            return wm_recorded_out_of_memory(recorded, block, "a recorded warp");
        lent->next_made = pool->made_successors;
        pool->made_successors = lent;
    }
    warp->decoder.successors = lent->items;
    return true;
}

// The first chunk is got once for all warps.
static void leave_chunk(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                        struct wm_recorded_warp *warp)
{
    bool shared = warp->next_chunk == 1;
    if (!shared)
        wm_recorded_chunk_drop(&recorded->streams, &warp->chunk);
    else if (--block->first_left == 0)
        wm_recorded_chunk_drop(&recorded->streams, &block->first);
    warp->chunk.frame = NULL;
}

static void drop_chunk(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                       struct wm_recorded_warp *warp)
{
    struct wm_recorded_successors *lent = (struct wm_recorded_successors *)warp->decoder.successors;
    leave_chunk(recorded, block, warp);
    if (lent == NULL)
        return;
    struct wm_recorded_pool *pool = pool_of(recorded, block->public.sm);
    lent->next_free = pool->free_successors;
    pool->free_successors = lent;
    warp->decoder.successors = NULL;
}

// Where a chunk's accesses are decoded. Thousands of warps' own slots fill the host's caches; warps
// that come to each slot once need none.
static bool lend_slots(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                       uint32_t index)
{
    struct wm_warp_decoder *decoder = &block->warps[index].decoder;
    if (decoder->once) {
        decoder->slots = pool_of(recorded, block->public.sm)->shared_slots;
        return true;
    }
    if (block->slots == NULL)
        block->slots = new_slots(recorded, block->public.warp_count);
    if (block->slots == NULL)
        return wm_recorded_out_of_memory(recorded, block, "a recorded block's memory instructions");
    decoder->slots = block->slots + (size_t)index * recorded->slots.count;
    return true;
}

// The chunk that the warp comes to, which is begun.
static enum wm_status get_chunk(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                                uint32_t index, struct wm_error *error)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    struct wm_recorded_chunk *chunk = warp->next_chunk == 0 ? &block->first : &warp->chunk;
    if (chunk->frame == NULL) {
        WM_TRY(wm_recorded_chunk_get(&recorded->streams, block->public.index, warp->next_chunk,
                                     chunk, error));
        if (warp->next_chunk == 0)
            block->first_left = block->public.warp_count;
    }
    wm_recorded_chunk_begin(chunk, index, &warp->decoder);
    if (warp->next_chunk++ == 0)
        warp->chunk = block->first;
    return WM_OK;
}

bool wm_recorded_next_chunk(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                            uint32_t index)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    bool last = warp->chunk.frame != NULL && warp->chunk.last;
    if (warp->chunk.frame != NULL)
        drop_chunk(recorded, block, warp);
    if (last) {
        wm_recorded_stop(recorded, block, index, "its stream ends before its threads do");
        return false;
    }
    if (block->slots != NULL) // the decoder clears them when its numbers of chunks begin anew
        warp->decoder.slots = block->slots + (size_t)index * recorded->slots.count;
    struct wm_error error;
    if (get_chunk(recorded, block, index, &error) != WM_OK) {
        wm_recorded_stop_with(recorded, block, &error);
        return false;
    }
    return lend_slots(recorded, block, index) &&
           (warp->decoder.planned_left != 0 || lend_successors(recorded, block, warp));
}

// --- From start to finish ---

// As before its first instruction.
static void start_warp(struct wm_recorded_block *block, uint32_t index, uint64_t lanes)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    for (; warp->barriers != 0; warp->barriers &= warp->barriers - 1) {
        uint32_t number = (uint32_t)__builtin_ctz(warp->barriers);
        block->warp_barriers[index].come[number] = block->warp_barriers[index].waits[number] = 0;
        block->warp_barriers[index].grouped = 0;
    }
    warp->live = lanes;
    warp->next_chunk = 0;
    wm_recorded_begin_item(warp, &wm_recorded_no_item);
    warp->chunk.frame = NULL;
    warp->decoder.planned_left = 0;
}

// Blocks start one after the other: prefetches what the start of this one will write.
static void expect_start(const struct wm_recorded_block *block, uint32_t warps)
{
    if (block == NULL)
        return;
    __builtin_prefetch(block, 1);
    for (uint32_t i = 0; i < warps; i++) {
        __builtin_prefetch(&block->warps[i], 1);
        __builtin_prefetch(&block->warps[i].decoder, 1);
        __builtin_prefetch(&block->warps[i].decoder.control, 1);
        __builtin_prefetch(&block->warps[i].chunk, 1);
    }
}

enum wm_status wm_recorded_start_block(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                       struct wm_block **result, struct wm_error *error)
{
    struct wm_recorded_work *recorded = work;
    struct wm_recorded_block *block = take_block(recorded, sm);
    if (block == NULL)
        return wm_fail_no_memory(error, "a recorded block");
    if (recorded->progress != NULL)
        recorded->progress[index].begun = true;
    uint32_t warps = recorded->work.warps_per_block, lanes = recorded->lanes;
    expect_start(pool_of(recorded, sm)->free_blocks, warps);
    const uint32_t *size = recorded->work.block;
    block->live_threads = size[0] * size[1] * size[2];
    block->public = (struct wm_block){
        .index = index,
        .sm = sm,
        .slot = slot,
        .warp_count = warps,
        .ready = warps == 64 ? UINT64_MAX : (UINT64_C(1) << warps) - 1,
    };
    block->local_base = wm_work_local_base(&recorded->work, recorded->sm_count, &block->public);
    for (; block->met != 0; block->met &= block->met - 1)
        block->barriers[__builtin_ctz(block->met)] = (struct wm_recorded_barrier){0};
    block->awaited = 0;
    block->stopped = false;
    block->at_phases = block->let_go = 0;
    wm_mbarrier_table_clear(&block->phases);
    for (uint32_t i = 0; i < warps; i++) {
        uint32_t left = block->live_threads - i * lanes;
        start_warp(block, i, wm_all_lanes(left < lanes ? left : lanes));
    }
    *result = &block->public;
    return WM_OK;
}

void wm_recorded_finish_block(void *work, struct wm_block *public)
{
    struct wm_recorded_work *recorded = work;
    struct wm_recorded_block *block = (struct wm_recorded_block *)public;
    if (recorded->progress != NULL)
        recorded->progress[public->index].ended = true;
    for (uint32_t i = 0; i < public->warp_count; i++)
        if (block->warps[i].chunk.frame != NULL)
            drop_chunk(recorded, block, &block->warps[i]);
    if (block->first.frame != NULL) // warps without a thread that ran have not come to it
        wm_recorded_chunk_drop(&recorded->streams, &block->first);
    struct wm_recorded_pool *pool = pool_of(recorded, public->sm);
    block->next_free = pool->free_blocks;
    pool->free_blocks = block;
}
