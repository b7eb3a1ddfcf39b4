// The work that an engine drives while a checker observes: every call is forwarded to the launch's
// own work.
#include "base/containers/array.h"
#include "engine/check/checker_state.h"
#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

static struct wm_checked_launch *launch_of(void *work)
{
    return (struct wm_checked_launch *)((char *)work - offsetof(struct wm_checked_launch, work));
}

static const struct wm_work *inner_of(const void *work)
{
    const char *launch = (const char *)work - offsetof(struct wm_checked_launch, work);
    return ((const struct wm_checked_launch *)launch)->inner;
}

// ---- Blocks ------------------------------------------------------------------------------------

static struct wm_check_block **place_of(struct wm_checked_launch *launch, uint32_t sm,
                                        uint32_t slot)
{
    uint32_t index = slot * launch->sm_count + sm;
    if (index >= launch->block_count) {
        uint32_t count = (slot + 1) * launch->sm_count;
        if (!WM_ARRAY_EXTEND(launch->blocks, launch->block_count, count))
            return NULL;
        launch->block_count = count;
    }
    if (!launch->blocks[index])
        launch->blocks[index] = calloc(1, sizeof(struct wm_check_block));
    return launch->blocks[index] ? &launch->blocks[index] : NULL;
}

static bool open_block(struct wm_checked_launch *launch, struct wm_block *block)
{
    struct wm_check_block **place = place_of(launch, block->sm, block->slot);
    if (!place)
        return false;
    struct wm_check_block *mine = *place;
    const uint32_t *threads = launch->inner->block;
    mine->block = block;
    mine->shared = wm_block_shared(block, &mine->shared_bytes);
    mine->warp_count = block->warp_count;
    mine->live_threads = threads[0] * threads[1] * threads[2];
    if (launch->checker->checks & WM_CHECK_INIT && mine->shared_bytes > 0) {
        size_t words = mine->shared_bytes / 64u + 1;
        free(mine->unwritten);
        mine->unwritten = malloc(words * sizeof *mine->unwritten);
        if (!mine->unwritten)
            return false;
        memset(mine->unwritten, 0xff, words * sizeof *mine->unwritten);
    }
    return !(launch->checker->checks & WM_CHECK_RACE) || mine->shared_bytes == 0 ||
           wm_races_open(mine);
}

static enum wm_status start_block(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                  struct wm_block **block, struct wm_error *error)
{
    struct wm_checked_launch *launch = launch_of(work);
    struct wm_work *inner = launch->inner;
    WM_TRY(inner->ops->start_block(inner, index, sm, slot, block, error));
    if (!open_block(launch, *block))
        return wm_fail_no_memory(error, "checking a block's accesses");
    return WM_OK;
}

static void finish_block(void *work, struct wm_block *block)
{
    struct wm_work *inner = launch_of(work)->inner;
    inner->ops->finish_block(inner, block);
}

// ---- Listening ---------------------------------------------------------------------------------

struct listener {
    struct wm_checked_launch *launch;
    struct wm_check_block *block;
    uint32_t warp;
    const struct wm_access_sink *next; // or NULL
};

static void note_read(const struct listener *listener, const struct wm_warp_access *access,
                      uint32_t lane, enum wm_check_kind kind)
{
    struct wm_check_seen seen = {
        .block = listener->block,
        .warp = listener->warp,
        .pc = access->pc,
        .lane = lane,
        .kind = access->kind,
        .address = access->addresses[lane],
        .bytes = access->bytes_per_lane,
    };
    wm_checked_report(listener->launch, kind, &seen);
}

static void check_global(const struct listener *listener, const struct wm_warp_access *access)
{
    struct wm_uninitialised_bytes *unwritten = &listener->launch->checker->unwritten;
    for (uint64_t lanes = access->active; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        uint64_t bytes = access->bytes_per_lane;
        uint64_t address =
            wm_checker_canonical(listener->launch->checker, access->addresses[lane], &bytes);
        if (access->kind != WM_ACCESS_STORE &&
            wm_uninitialised_bytes_any(unwritten, address, (uint32_t)bytes))
            note_read(listener, access, lane, WM_FOUND_UNINITIALISED_GLOBAL);
        if (access->kind != WM_ACCESS_LOAD)
            wm_uninitialised_bytes_mark(unwritten, address, bytes, false);
    }
}

static void check_shared(const struct listener *listener, const struct wm_warp_access *access)
{
    const struct wm_check_block *block = listener->block;
    for (uint64_t lanes = access->active; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        uint64_t offset = access->addresses[lane], bytes = access->bytes_per_lane;
        if (offset + bytes > block->shared_bytes)
            continue; // the interpreter has refused it
        if (access->kind != WM_ACCESS_STORE && wm_bits_any(block->unwritten, offset, bytes))
            note_read(listener, access, lane, WM_FOUND_UNINITIALISED_SHARED);
        if (access->kind != WM_ACCESS_LOAD)
            wm_bits_mark(block->unwritten, offset, bytes, false);
    }
}

static void on_access(void *context, const struct wm_warp_access *access)
{
    const struct listener *listener = context;
    if (access->space == WM_SPACE_GLOBAL && listener->launch->checker->checks & WM_CHECK_INIT)
        check_global(listener, access);
    if (access->space == WM_SPACE_SHARED && listener->block->unwritten)
        check_shared(listener, access);
    if (access->space == WM_SPACE_SHARED && listener->block->cells)
        wm_races_access(listener->launch, listener->block, listener->warp, access);
    if (listener->next && listener->next->access)
        listener->next->access(listener->next->context, access);
}

static void on_arrival(void *context, const struct wm_warp_arrival *arrival)
{
    const struct listener *listener = context;
    if (listener->block->cells)
        wm_races_arrival(listener->block, listener->warp, arrival);
    if (listener->next && listener->next->arrival)
        listener->next->arrival(listener->next->context, arrival);
}

static void on_lanes_exit(void *context, uint32_t pc, uint64_t lanes)
{
    const struct listener *listener = context;
    if (listener->block->cells)
        wm_races_exit(listener->block, listener->warp, lanes);
    if (listener->next && listener->next->exit)
        listener->next->exit(listener->next->context, pc, lanes);
}

static void on_cluster(void *context, uint32_t pc, uint64_t lanes, bool waits, bool others)
{
    const struct listener *listener = context;
    if (listener->block->cells)
        wm_races_cluster(listener->block, listener->warp, lanes, waits,
                         wm_checked_instruction(listener->launch, pc)->releases);
    if (listener->next && listener->next->cluster)
        listener->next->cluster(listener->next->context, pc, lanes, waits, others);
}

static void on_phase(void *context, const struct wm_warp_phase *phase)
{
    const struct listener *listener = context;
    // An access of the object itself has been reported already.
    if (listener->block->cells && phase->operation == WM_PHASE_COMPLETE &&
        wm_checked_instruction(listener->launch, phase->pc)->role == WM_CHECK_NO_PHASE)
        wm_phases_sent(listener->block, listener->warp,
                       (uint64_t)phase->object * WM_MBARRIER_BYTES);
    if (listener->next && listener->next->phase)
        listener->next->phase(listener->next->context, phase);
}

static void on_stretch(void *context, const struct wm_warp_stretch *stretch)
{
    const struct listener *listener = context;
    listener->next->stretch(listener->next->context, stretch);
}

static void on_fence(void *context, uint32_t pc)
{
    const struct listener *listener = context;
    listener->next->fence(listener->next->context, pc);
}

static void run(void *work, struct wm_block *block, uint32_t warp, uint64_t budget,
                enum wm_run_until until, const struct wm_access_sink *sink,
                struct wm_run_result *result)
{
    struct wm_checked_launch *launch = launch_of(work);
    struct listener listener = {
        .launch = launch,
        .block = launch->blocks[block->slot * launch->sm_count + block->sm],
        .warp = warp,
        .next = sink && sink->access ? sink : NULL,
    };
    struct wm_access_sink mine = {
        .access = on_access,
        .arrival = on_arrival,
        .exit = on_lanes_exit,
        .cluster = on_cluster,
        .phase = on_phase,
        .stretch = listener.next && sink->stretch ? on_stretch : NULL,
        .fence = listener.next && sink->fence ? on_fence : NULL,
        .fences = listener.next ? sink->fences : NULL,
        .context = &listener,
    };
    launch->inner->ops->run(launch->inner, block, warp, budget, until, &mine, result);
}

// ---- Forwarded unchanged -----------------------------------------------------------------------

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    const struct wm_work *inner = inner_of(work);
    inner->ops->describe(inner, pc, facts, text);
}

static char *copy_ptx(const void *work)
{
    const struct wm_work *inner = inner_of(work);
    return inner->ops->copy_ptx != NULL ? inner->ops->copy_ptx(inner) : NULL;
}

static bool next_pc(void *work, struct wm_block *block, uint32_t warp, uint32_t *pc)
{
    struct wm_work *inner = launch_of(work)->inner;
    return inner->ops->next_pc(inner, block, warp, pc);
}

static enum wm_status fault(const void *work, struct wm_error *error)
{
    const struct wm_work *inner = inner_of(work);
    return inner->ops->fault(inner, error);
}

static enum wm_status deadlock(void *work, struct wm_block *const *blocks, uint32_t count,
                               struct wm_error *error)
{
    struct wm_work *inner = launch_of(work)->inner;
    return inner->ops->deadlock(inner, blocks, count, error);
}

const struct wm_work_ops wm_checked_work_ops = {
    .describe = describe,
    .copy_ptx = copy_ptx,
    .start_block = start_block,
    .finish_block = finish_block,
    .run = run,
    .next_pc = next_pc,
    .fault = fault,
    .deadlock = deadlock,
};
