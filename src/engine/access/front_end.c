#include "engine/access/front_end.h"
#include "engine/access/access_pattern.h"
#include "engine/access/front_end_parts.h"
#include "engine/issue/memory_order.h"
#include "engine/walk/request_batch.h"
#include "mem/explain/written_lines.h"
#include "sm/conflicts/atomic_conflicts.h"
#include "sm/conflicts/bank_conflicts.h"

#include <assert.h>
#include <string.h>

static bool reaches_beyond_sm(enum wm_address_space space)
{
    return space == WM_SPACE_GLOBAL || space == WM_SPACE_LOCAL || space == WM_SPACE_TEXTURE;
}

static void count_banks(struct wm_front_end *front_end, const struct wm_warp_access *access)
{
    struct wm_bank_use use = wm_bank_use_of(access);
    struct wm_instruction_misses *instruction_counters = &front_end->explained[access->pc];
    instruction_counters->shared_passes += use.passes;
    instruction_counters->shared_replays += use.replays;
    front_end->shared->accesses++;
    front_end->shared->passes += use.passes;
    front_end->shared->replays += use.replays;
}

static bool is_uniform(const struct wm_warp_access *access)
{
    if (access->active == 0)
        return false;
    if (access->addresses == NULL)
        return (access->stride == 0 && access->row_stride == 0) ||
               (access->active & (access->active - 1)) == 0;
    uint64_t rest = access->active & (access->active - 1);
    uint64_t address = access->addresses[__builtin_ctzll(access->active)];
    for (; rest != 0; rest &= rest - 1)
        if (access->addresses[__builtin_ctzll(rest)] != address)
            return false;
    return true;
}

// The side cache that serves the access, or WM_SIDE_CACHE_KINDS: none (docs/memory-system.md, R10).
static enum wm_side_cache_kind side_cache_for(const struct wm_front_end *front_end,
                                              const struct wm_warp_access *access)
{
    bool scalar = front_end->side_cache_line_bytes[WM_SIDE_CACHE_SCALAR] != 0;
    bool texture = front_end->side_cache_line_bytes[WM_SIDE_CACHE_TEXTURE] != 0;
    bool read_only = access->hint == WM_HINT_READ_ONLY;
    if (access->kind != WM_ACCESS_LOAD)
        return WM_SIDE_CACHE_KINDS;
    if (access->space == WM_SPACE_CONSTANT)
        return front_end->serves_constants;
    if (access->space == WM_SPACE_TEXTURE)
        return texture ? WM_SIDE_CACHE_TEXTURE : WM_SIDE_CACHE_KINDS;
    if (access->space != WM_SPACE_GLOBAL || access->hint == WM_HINT_VOLATILE ||
        access->hint == WM_HINT_L2_ONLY)
        return WM_SIDE_CACHE_KINDS;
    if (scalar && (read_only || !front_end->scalar_read_only) && is_uniform(access))
        return WM_SIDE_CACHE_SCALAR;
    return texture && read_only ? WM_SIDE_CACHE_TEXTURE : WM_SIDE_CACHE_KINDS;
}

// The pages of an instruction's requests, in their order. Returns whether one took a walk.
static bool translate(const struct wm_front_end *front_end, const struct wm_request *who,
                      const struct wm_line_request *lines, uint32_t count)
{
    uint64_t addresses[WM_MAX_LINE_REQUESTS];
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = lines[i].line_address;
    return wm_memory_translate(front_end->memory, who, addresses, count);
}

static uint32_t all_sectors(const struct wm_line_request *lines, uint32_t count)
{
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < count; i++)
        sectors += wm_count_sectors(lines[i].sectors);
    return sectors;
}

static struct wm_request request_of(const struct wm_front_end *front_end,
                                    const struct wm_request_head *head)
{
    return (struct wm_request){
        .kind = (enum wm_access_kind)head->kind,
        .hint = (enum wm_cache_hint)head->hint,
        .around_l1 = head->around_l1,
        .resident_warps = head->resident_warps,
        .sm = head->sm,
        .warp = head->warp,
        .pc = head->pc,
        .instruction_counters = &front_end->counters_by_pc[head->pc],
        .block = front_end->block,
        .explained = front_end->explained != NULL ? &front_end->explained[head->pc] : NULL,
    };
}

static inline uint32_t coalesce(const struct wm_front_end *front_end,
                                const struct wm_warp_access *access, uint32_t line_bytes,
                                struct wm_line_request *lines)
{
    return access->addresses != NULL
               ? front_end->coalesce(access, line_bytes, lines)
               : wm_coalesce_regular(access, line_bytes, front_end->coalesce, lines);
}

// Takes away what earlier accesses of the instruction have requested: a texture unit fetches a
// sector once for all the texels that its filter reads there. Returns how many lines are left.
static __attribute__((noinline)) uint32_t drop_known(struct wm_instruction_footprint *footprint,
                                                     struct wm_line_request *lines, uint32_t count)
{
    uint32_t left = 0, before = footprint->line_count;
    for (uint32_t i = 0; i < count; i++) {
        struct wm_line_request line = lines[i];
        uint32_t at = 0;
        while (at < before && footprint->lines[at].line_address != line.line_address)
            at++;
        if (at == before && footprint->line_count < WM_MOST_ACCESSES * WM_MAX_LANES) {
            footprint->lines[footprint->line_count++] = line;
        } else if (at < before) {
            line.sectors &= ~footprint->lines[at].sectors;
            footprint->lines[at].sectors |= line.sectors;
        }
        if (line.sectors != 0)
            lines[left++] = line;
    }
    return left;
}

// Where an instruction's requests go until they are served.
static struct wm_line_request *room_for_lines(struct wm_front_end *front_end,
                                              struct wm_line_request *own)
{
    return front_end->batcher != NULL ? wm_request_batcher_room(front_end->batcher) : own;
}

// One request a line of the cache of that kind: lanes that read one word share it. `access` is NULL
// where the bytes are not needed. Returns whether that cache lacked something, or a page took a
// walk.
static bool serve_side_cache(struct wm_front_end *front_end, const struct wm_request_head *head,
                             const struct wm_line_request *lines,
                             const struct wm_warp_access *access)
{
    enum wm_side_cache_kind kind = (enum wm_side_cache_kind)head->side_cache;
    uint32_t bytes[WM_MAX_LINE_SECTORS];
    struct wm_request request = request_of(front_end, head);
    bool missed = false;
    if (kind == WM_SIDE_CACHE_INSTRUCTION) {
        request.instruction_counters = front_end->fetches;
        request.explained = front_end->fetches_explained;
    } else if (front_end->translates) {
        missed = translate(front_end, &request, lines, head->count);
    }
    for (uint32_t i = 0; i < head->count; i++) {
        request.address = lines[i].line_address;
        request.sectors = lines[i].sectors;
        if (front_end->explained != NULL && access != NULL) {
            wm_coalesced_bytes(access, &lines[i], front_end->side_cache_line_bytes[kind], bytes);
            request.bytes = bytes;
        }
        missed |= !wm_access_hit(wm_memory_side_load(front_end->memory, kind, &request));
    }
    return missed;
}

void wm_front_end_serve_side_cache(struct wm_front_end *front_end,
                                   const struct wm_request_head *head,
                                   const struct wm_line_request *lines)
{
    serve_side_cache(front_end, head, lines, NULL);
}

// Returns whether bytes lay below it.
static bool load_side_cache(struct wm_front_end *front_end, enum wm_side_cache_kind kind,
                            const struct wm_warp_access *access,
                            struct wm_instruction_counters *instruction_counters)
{
    struct wm_line_request own[WM_MAX_LINE_REQUESTS], *lines = room_for_lines(front_end, own);
    uint32_t count = coalesce(front_end, access, front_end->side_cache_line_bytes[kind], lines);
    if (__builtin_expect(front_end->in_footprint, 0))
        count = drop_known(front_end->footprint, lines, count);
    if (count == 0)
        return false;
    const struct wm_request_head head = {
        .item = WM_BATCH_SIDE_CACHE,
        .pc = access->pc,
        .sm = front_end->sm,
        .warp = front_end->warp,
        .count = (uint8_t)count,
        .kind = WM_ACCESS_LOAD,
        .side_cache = (uint8_t)kind,
    };
    count_requests(front_end, instruction_counters, count, all_sectors(lines, count));
    if (front_end->batcher == NULL)
        return serve_side_cache(front_end, &head, lines, access);
    wm_request_batcher_add(front_end->batcher, head);
    return false;
}

// With the bytes that the lanes cover: off the hot path.
static __attribute__((noinline)) struct wm_access_result serve_bytes(
    struct wm_front_end *front_end, struct wm_request *who, const struct wm_line_request *lines,
    uint32_t count, const struct wm_warp_access *access)
{
    uint32_t bytes[WM_MAX_LINE_REQUESTS * WM_MAX_LINE_SECTORS];
    uint32_t line_sectors = front_end->line_bytes / WM_SECTOR_BYTES;
    for (uint32_t i = 0; i < count; i++)
        wm_coalesced_bytes(access, &lines[i], front_end->line_bytes, bytes + i * line_sectors);
    who->bytes = bytes;
    return wm_memory_access_lines(front_end->memory, who, lines, count);
}

// One request a line of L1, whichever way it goes from there. `access` is NULL where the
// bytes are not needed. Returns whether the SM's own caches lacked something, or a page took a
// walk.
static inline bool serve(struct wm_front_end *front_end, const struct wm_request_head *head,
                         const struct wm_line_request *lines, const struct wm_warp_access *access)
{
    struct wm_request who = request_of(front_end, head);
    who.listed = front_end->listed[head->pc];
    bool walked = false;
    if (__builtin_expect(front_end->translates, 0))
        walked = translate(front_end, &who, lines, head->count);
    bool needs_bytes =
        front_end->explained != NULL || (front_end->needs_bytes && who.kind == WM_ACCESS_STORE);
    struct wm_access_result result =
        __builtin_expect(needs_bytes && access != NULL, 0)
            ? serve_bytes(front_end, &who, lines, head->count, access)
            : wm_memory_access_lines(front_end->memory, &who, lines, head->count);
    return walked || !wm_access_hit(result);
}

void wm_front_end_serve(struct wm_front_end *front_end, const struct wm_request_head *heads,
                        uint32_t count, const struct wm_line_request *lines, uint32_t line_count,
                        uint32_t next_sm)
{
    const struct wm_request_run run = {.heads = heads,
                                       .count = count,
                                       .line_count = line_count,
                                       .lines = lines,
                                       .counters_by_pc = front_end->counters_by_pc,
                                       .listed = front_end->listed,
                                       .next_sm = next_sm};
    wm_memory_access_run(front_end->memory, &run);
}

void wm_front_end_self_invalidate(struct wm_front_end *front_end, uint32_t sm)
{
    wm_memory_self_invalidate(front_end->memory, sm);
}

void wm_front_end_drain(struct wm_front_end *front_end)
{
    if (front_end->memory != NULL)
        wm_memory_drain_l2_queues(front_end->memory);
}

// Of an instruction's requests, all but how many there are.
static inline struct wm_request_head head_of(const struct wm_front_end *front_end,
                                             const struct wm_warp_access *access)
{
    bool around = wm_front_end_skips_l1(front_end, access->space, access->hint);
    return (struct wm_request_head){
        .item = WM_BATCH_L1,
        .pc = access->pc,
        .sm = front_end->sm,
        .warp = front_end->warp,
        .kind = (uint8_t)access->kind,
        .hint = (uint8_t)(around ? WM_HINT_L2_ONLY : access->hint),
        .around_l1 = around,
        .resident_warps = (uint16_t)front_end->resident_warps,
    };
}

static struct wm_warp_identity origin_of(const struct wm_front_end *front_end)
{
    return (struct wm_warp_identity){front_end->block, front_end->sm, front_end->warp};
}

static inline void access_memory(struct wm_front_end *front_end,
                                 const struct wm_warp_access *access,
                                 struct wm_instruction_counters *instruction_counters)
{
    struct wm_line_request own[WM_MAX_LINE_REQUESTS], *lines = room_for_lines(front_end, own);
    uint32_t count = coalesce(front_end, access, front_end->line_bytes, lines);
    struct wm_request_head head = head_of(front_end, access);
    if (__builtin_expect(front_end->in_footprint, 0)) {
        count = drop_known(front_end->footprint, lines, count);
        if (count == 0)
            return;
    }
    head.count = (uint8_t)count;
    if (__builtin_expect(front_end->patterns != NULL, 0) && front_end->explained != NULL &&
        access->kind == WM_ACCESS_LOAD)
        wm_access_pattern_lines(front_end->patterns, origin_of(front_end), access, lines, count,
                                front_end->line_bytes, &front_end->explained[access->pc]);
    count_requests(front_end, instruction_counters, count, all_sectors(lines, count));
    if (front_end->batcher != NULL) {
        wm_request_batcher_add(front_end->batcher, head);
        return;
    }
    bool missed = serve(front_end, &head, lines, access);
    front_end->missed |=
        missed && (access->kind == WM_ACCESS_LOAD || access->kind == WM_ACCESS_ATOMIC);
}

static inline bool is_atomic(const struct wm_warp_access *access)
{
    return access->kind == WM_ACCESS_ATOMIC || access->kind == WM_ACCESS_REDUCTION;
}

// A CPU core's locked operation above caches that are not coherent: it reads and writes in the
// core's own L1, as on a processor, not where a GPU's atomics are done.
static __attribute__((noinline)) void access_locked(
    struct wm_front_end *front_end, const struct wm_warp_access *access,
    struct wm_instruction_counters *instruction_counters)
{
    struct wm_warp_access half = *access;
    half.kind = WM_ACCESS_LOAD;
    access_memory(front_end, &half, instruction_counters);
    half.kind = WM_ACCESS_STORE;
    access_memory(front_end, &half, instruction_counters);
}

// Lanes of a warp's atomic that come to the same address.
static __attribute__((noinline)) void count_conflicts(struct wm_front_end *front_end,
                                                      const struct wm_warp_access *access)
{
    struct wm_atomic_use use = wm_atomic_use_of(access);
    front_end->counters_by_pc[access->pc].atomic_conflicts += use.conflicts;
    front_end->counters->atomics++;
    front_end->counters->atomic_lanes += use.lanes;
    front_end->counters->atomic_conflicts += use.conflicts;
    front_end->counters->atomic_rounds += use.rounds;
}

// Each lane's bytes by themselves.
static void note_written_lines(struct wm_front_end *front_end, const struct wm_warp_access *access,
                               struct wm_instruction_misses *instruction)
{
    struct wm_written_access note = {.bytes = access->bytes_per_lane,
                                     .cache = front_end->coherent_caches[front_end->sm],
                                     .unit = front_end->sm,
                                     .writes = access->kind == WM_ACCESS_STORE || is_atomic(access),
                                     .instruction = instruction};
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1) {
        note.address = access->addresses[__builtin_ctzll(rest)];
        wm_written_lines_access(front_end->written_lines, &note);
    }
}

static __attribute__((noinline)) void count_pattern(struct wm_front_end *front_end,
                                                    const struct wm_warp_access *access)
{
    bool has_lanes = access->space == WM_SPACE_GLOBAL || access->space == WM_SPACE_LOCAL ||
                     access->space == WM_SPACE_SHARED;
    if (!has_lanes || access->addresses == NULL || front_end->explained == NULL)
        return;
    struct wm_instruction_misses *instruction_counters = &front_end->explained[access->pc];
    wm_access_pattern_count(front_end->patterns, origin_of(front_end), access,
                            instruction_counters);
    if (is_atomic(access))
        wm_access_pattern_atomic(front_end->patterns, origin_of(front_end), access,
                                 instruction_counters);
    if (front_end->written_lines != NULL && access->space == WM_SPACE_GLOBAL)
        note_written_lines(front_end, access, instruction_counters);
}

// Where the requests of an instruction go, if not to L1: WM_SIDE_CACHE_KINDS where they do.
static inline enum wm_side_cache_kind choose_side_cache(const struct wm_front_end *front_end,
                                                        const struct wm_warp_access *access)
{
    bool may_serve = front_end->serves_global || access->space == WM_SPACE_CONSTANT;
    return may_serve ? side_cache_for(front_end, access) : WM_SIDE_CACHE_KINDS;
}

// What becomes of an instruction that has been counted.
static inline void follow_access(struct wm_front_end *front_end,
                                 const struct wm_warp_access *access,
                                 enum wm_side_cache_kind side_cache,
                                 struct wm_instruction_counters *instruction_counters)
{
    if (side_cache != WM_SIDE_CACHE_KINDS) {
        bool missed = load_side_cache(front_end, side_cache, access, instruction_counters);
        // No warp gives way for a constant.
        front_end->missed |= missed && access->space != WM_SPACE_CONSTANT;
    } else if (__builtin_expect(access->lanes == 1 && is_atomic(access), 0) &&
               !front_end->coherent) {
        access_locked(front_end, access, instruction_counters);
    } else if (reaches_beyond_sm(access->space)) {
        access_memory(front_end, access, instruction_counters);
    } else if (front_end->explained != NULL && access->space == WM_SPACE_SHARED) {
        count_banks(front_end, access);
    }
}

// One of several accesses of an instruction: it is executed once, by the lanes of its first, and
// requests a sector once.
static __attribute__((noinline)) void trace_part(struct wm_front_end *front_end,
                                                 const struct wm_warp_access *access)
{
    struct wm_instruction_counters *instruction_counters = &front_end->counters_by_pc[access->pc];
    if (front_end->parts == 0) {
        front_end->footprint->line_count = 0;
        count_access(front_end, access, 1, wm_count_lanes(access->active));
    } else {
        instruction_counters->bytes_requested +=
            (uint64_t)wm_count_lanes(access->active) * access->bytes_per_lane;
    }
    front_end->in_footprint = true;
    follow_access(front_end, access, choose_side_cache(front_end, access), instruction_counters);
    front_end->in_footprint = false;
    front_end->parts = access->continues ? front_end->parts + 1 : 0;
}

static __attribute__((noinline)) void self_invalidate(struct wm_front_end *front_end)
{
    if (front_end->batcher == NULL) {
        wm_memory_self_invalidate(front_end->memory, front_end->sm);
        return;
    }
    const struct wm_request_head head = {.item = WM_BATCH_SELF_INVALIDATION, .sm = front_end->sm};
    wm_request_batcher_room(front_end->batcher);
    wm_request_batcher_add(front_end->batcher, head);
}

void wm_front_end_fence(void *context, uint32_t pc)
{
    struct wm_front_end *front_end = context;
    if ((front_end->orders[pc] & WM_ORDER_ACQUIRES) != 0)
        self_invalidate(front_end);
}

void wm_front_end_access(void *context, const struct wm_warp_access *access)
{
    struct wm_front_end *front_end = context;
    if (__builtin_expect(access->continues || front_end->parts != 0, 0)) {
        trace_part(front_end, access);
        return;
    }
    uint32_t lanes = wm_count_lanes(access->active);
    if (__builtin_expect(front_end->patterns != NULL, 0))
        count_pattern(front_end, access);
    if (__builtin_expect(is_atomic(access), 0))
        count_conflicts(front_end, access);
    follow_access(front_end, access, choose_side_cache(front_end, access),
                  count_access(front_end, access, 1, lanes));
    // What it loaded itself came from below L1, or is dropped with the rest.
    if (__builtin_expect(front_end->orders != NULL, 0))
        wm_front_end_fence(front_end, access->pc);
}

// The same lanes at a base that lies a whole number of lines further touch the same lines, as far
// away.
static inline void shift_lines(const struct wm_line_request *lines, uint32_t count, uint64_t by,
                               struct wm_line_request *shifted)
{
    for (uint32_t i = 0; i < count; i++) {
        shifted[i] = lines[i];
        shifted[i].line_address += by;
    }
}

static uint64_t all_lanes(const struct wm_multi_warp_access *accesses)
{
    if (accesses->access.addresses != NULL)
        return wm_count_lanes(accesses->access.active);
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < accesses->count; i++)
        lanes += wm_count_lanes(accesses->active[i]);
    return lanes;
}

static void count_conflicts_together(struct wm_front_end *front_end,
                                     const struct wm_multi_warp_access *accesses)
{
    struct wm_warp_access access = accesses->access;
    for (uint32_t i = 0; i < accesses->count; i++) {
        access.base = accesses->bases[i];
        if (access.addresses == NULL)
            access.active = accesses->active[i];
        count_conflicts(front_end, &access);
    }
}

// Puts the requests of warps that are at one instruction into the batch, to be served later.
static void feed_together(struct wm_front_end *front_end,
                          const struct wm_multi_warp_access *accesses,
                          struct wm_instruction_counters *instruction_counters)
{
    struct wm_warp_access access = accesses->access;
    struct wm_request_head head = head_of(front_end, &access);
    const struct wm_line_request *before = NULL; // the lines of the warp before, still in the batch
    uint64_t requests = 0, sectors = 0, offsets = front_end->line_bytes - 1;
    uint32_t sectors_each = 0;
    for (uint32_t i = 0; i < accesses->count; i++) {
        struct wm_line_request *lines = wm_request_batcher_room(front_end->batcher);
        uint64_t base = accesses->bases[i], apart = base - access.base;
        uint64_t active = accesses->active[i], others = active ^ access.active;
        access.base = base;
        access.active = active;
        if (before != NULL && lines == before + head.count && ((apart & offsets) | others) == 0) {
            shift_lines(before, head.count, apart, lines);
        } else {
            head.count = (uint8_t)coalesce(front_end, &access, front_end->line_bytes, lines);
            sectors_each = all_sectors(lines, head.count);
        }
        head.warp = front_end->first_warp + accesses->warps[i];
        wm_request_batcher_add(front_end->batcher, head);
        requests += head.count;
        sectors += sectors_each;
        before = lines;
    }
    count_requests(front_end, instruction_counters, requests, sectors);
}

void wm_front_end_access_of_warps(void *context, const struct wm_multi_warp_access *accesses)
{
    struct wm_front_end *front_end = context;
    const struct wm_warp_access *common = &accesses->access;
    struct wm_instruction_counters *instruction_counters =
        count_access(front_end, common, accesses->count, all_lanes(accesses));
    if (__builtin_expect(is_atomic(common), 0))
        count_conflicts_together(front_end, accesses);
    enum wm_side_cache_kind side_cache = choose_side_cache(front_end, common);
    bool to_l1 = side_cache == WM_SIDE_CACHE_KINDS && reaches_beyond_sm(common->space);
    if (to_l1 && front_end->batcher != NULL && common->addresses == NULL) {
        feed_together(front_end, accesses, instruction_counters);
        return;
    }
    if (common->addresses != NULL) { // one warp's, whose base is not used
        front_end->warp = front_end->first_warp + accesses->warps[0];
        follow_access(front_end, common, side_cache, instruction_counters);
        return;
    }
    struct wm_warp_access access = *common;
    for (uint32_t i = 0; i < accesses->count; i++) {
        front_end->warp = front_end->first_warp + accesses->warps[i];
        access.base = accesses->bases[i];
        access.active = accesses->active[i];
        follow_access(front_end, &access, side_cache, instruction_counters);
    }
}
