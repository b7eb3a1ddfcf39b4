#include "engine/access_pattern.h"
#include "engine/walk_feed.h"
#include "engine/walk_tracer.h"
#include "mem/bypass/bypass.h"
#include "sm/atomic_conflicts.h"
#include "sm/bank_conflicts.h"

#include <assert.h>
#include <string.h>

static const struct wm_counter_declaration sm_declarations[] = {
    WM_SM_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_sm_counter_set = {
    .kind = "sm",
    .title = "streaming multiprocessor",
    .declarations = sm_declarations,
    .count = sizeof sm_declarations / sizeof sm_declarations[0],
};

static const struct wm_counter_declaration shared_declarations[] = {
    WM_SHARED_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_shared_counter_set = {
    .kind = "shared",
    .title = "shared memory of an SM",
    .declarations = shared_declarations,
    .count = sizeof shared_declarations / sizeof shared_declarations[0],
};

bool wm_walk_counts_residents(const struct wm_machine *machine)
{
    const struct wm_bypass_ops *bypass = machine->memory.l1_bypass;
    return bypass != NULL && bypass != &wm_bypass_cache_operator;
}

void wm_walk_tracer_init(struct wm_walk_tracer *tracer, const struct wm_machine *machine,
                         struct wm_memory *memory)
{
    *tracer = (struct wm_walk_tracer){
        .memory = memory,
        .coalesce = wm_coalescer_best(),
        // The memory system takes requests for whole lines of its L1, there or not.
        .line_bytes = machine->memory.l1.line_bytes,
        .global_around_l1 = machine->sm.global_around_l1,
        .instruction_bytes = machine->sm.instruction_bytes,
        .counts_residents = wm_walk_counts_residents(machine),
        .wants_bytes = memory != NULL && wm_memory_wants_bytes(memory),
    };
    for (enum wm_beside_kind kind = 0; kind < WM_BESIDE_KINDS; kind++)
        if (machine->memory.beside[kind].cache.present)
            tracer->beside_line_bytes[kind] = machine->memory.beside[kind].cache.line_bytes;
    tracer->serves_constants = tracer->beside_line_bytes[WM_BESIDE_CONSTANT] != 0
                                   ? WM_BESIDE_CONSTANT
                               : tracer->beside_line_bytes[WM_BESIDE_SCALAR] != 0 ? WM_BESIDE_SCALAR
                                                                                  : WM_BESIDE_KINDS;
    tracer->serves_global = tracer->beside_line_bytes[WM_BESIDE_TEXTURE] != 0 ||
                            tracer->beside_line_bytes[WM_BESIDE_SCALAR] != 0;
    tracer->translates = machine->memory.tlb.present;
    tracer->scalar_read_only = machine->sm.scalar_loads == WM_SCALAR_READ_ONLY;
}

enum wm_status wm_walk_divide_array(const struct wm_machine *machine,
                                    const struct wm_occupancy *occupancy, struct wm_memory *memory,
                                    uint64_t *l1_bytes, struct wm_error *error)
{
    const struct wm_cache_spec *l1 = &machine->memory.l1;
    *l1_bytes = l1->present ? l1->size_bytes : 0;
    if (machine->sm.unified_bytes == 0 || !l1->present)
        return WM_OK;
    *l1_bytes = machine->sm.unified_bytes - occupancy->shared_bytes;
    if (memory == NULL)
        return WM_OK;
    uint64_t way_bytes = l1->size_bytes / l1->ways;
    return wm_memory_resize_l1(memory, *l1_bytes, (uint32_t)(*l1_bytes / way_bytes), error);
}

static uint64_t *space_counter(struct wm_sm_counters *counters, enum wm_address_space space)
{
    switch (space) {
    case WM_SPACE_GLOBAL: return &counters->global_accesses;
    case WM_SPACE_LOCAL: return &counters->local_accesses;
    case WM_SPACE_SHARED: return &counters->shared_accesses;
    case WM_SPACE_CONSTANT: return &counters->constant_accesses;
    case WM_SPACE_PARAMETER: return &counters->parameter_accesses;
    case WM_SPACE_TEXTURE: return &counters->texture_accesses;
    }
    assert(!"an address space without a counter");
    return &counters->global_accesses;
}

static bool reaches_beyond_sm(enum wm_address_space space)
{
    return space == WM_SPACE_GLOBAL || space == WM_SPACE_LOCAL || space == WM_SPACE_TEXTURE;
}

static void count_banks(struct wm_walk_tracer *tracer, const struct wm_warp_access *access)
{
    struct wm_bank_use use = wm_bank_use_of(access);
    struct wm_explained_cause *cause = &tracer->explained[access->pc];
    cause->shared_passes += use.passes;
    cause->shared_replays += use.replays;
    tracer->shared->accesses++;
    tracer->shared->passes += use.passes;
    tracer->shared->replays += use.replays;
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

// The cache beside L1 that serves the access, or WM_BESIDE_KINDS (docs/memory-system.md, R10).
static enum wm_beside_kind served_beside(const struct wm_walk_tracer *tracer,
                                         const struct wm_warp_access *access)
{
    bool scalar = tracer->beside_line_bytes[WM_BESIDE_SCALAR] != 0;
    bool texture = tracer->beside_line_bytes[WM_BESIDE_TEXTURE] != 0;
    bool read_only = access->hint == WM_HINT_READ_ONLY;
    if (access->kind != WM_ACCESS_LOAD)
        return WM_BESIDE_KINDS;
    if (access->space == WM_SPACE_CONSTANT)
        return tracer->serves_constants;
    if (access->space == WM_SPACE_TEXTURE)
        return texture ? WM_BESIDE_TEXTURE : WM_BESIDE_KINDS;
    if (access->space != WM_SPACE_GLOBAL || access->hint == WM_HINT_VOLATILE ||
        access->hint == WM_HINT_L2_ONLY)
        return WM_BESIDE_KINDS;
    if (scalar && (read_only || !tracer->scalar_read_only) && is_uniform(access))
        return WM_BESIDE_SCALAR;
    return texture && read_only ? WM_BESIDE_TEXTURE : WM_BESIDE_KINDS;
}

// The pages of an instruction's requests, in their order.
static void translate(const struct wm_walk_tracer *tracer, const struct wm_request *who,
                      const struct wm_coalesced *lines, uint32_t count)
{
    uint64_t addresses[WM_MAX_COALESCED];
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = lines[i].line_address;
    wm_memory_translate(tracer->memory, who, addresses, count);
}

static uint32_t all_sectors(const struct wm_coalesced *lines, uint32_t count)
{
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < count; i++)
        sectors += wm_count_sectors(lines[i].sectors);
    return sectors;
}

static struct wm_request request_of(const struct wm_walk_tracer *tracer,
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
        .cause = &tracer->causes[head->pc],
        .block = tracer->block,
        .explained = tracer->explained != NULL ? &tracer->explained[head->pc] : NULL,
    };
}

static inline uint32_t coalesce(const struct wm_walk_tracer *tracer,
                                const struct wm_warp_access *access, uint32_t line_bytes,
                                struct wm_coalesced *lines)
{
    return access->addresses != NULL
               ? tracer->coalesce(access, line_bytes, lines)
               : wm_coalesce_regular(access, line_bytes, tracer->coalesce, lines);
}

// Takes away what earlier accesses of the instruction have asked for: a texture unit fetches a
// sector once for all the texels that its filter reads there. Returns how many lines are left.
static __attribute__((noinline)) uint32_t drop_known(struct wm_walk_footprint *footprint,
                                                     struct wm_coalesced *lines, uint32_t count)
{
    uint32_t left = 0, before = footprint->line_count;
    for (uint32_t i = 0; i < count; i++) {
        struct wm_coalesced line = lines[i];
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
static struct wm_coalesced *room_for_lines(struct wm_walk_tracer *tracer, struct wm_coalesced *own)
{
    return tracer->feed != NULL ? wm_feed_room(tracer->feed) : own;
}

// One request a line of the cache of that kind: lanes that read one word share it. `access` is NULL
// when nobody asks for bytes.
static void serve_beside(struct wm_walk_tracer *tracer, const struct wm_request_head *head,
                         const struct wm_coalesced *lines, const struct wm_warp_access *access)
{
    enum wm_beside_kind kind = (enum wm_beside_kind)head->beside;
    uint32_t bytes[WM_MAX_LINE_SECTORS];
    struct wm_request request = request_of(tracer, head);
    if (kind == WM_BESIDE_INSTRUCTION) {
        request.cause = tracer->fetches;
        request.explained = tracer->fetches_explained;
    } else if (tracer->translates) {
        translate(tracer, &request, lines, head->count);
    }
    for (uint32_t i = 0; i < head->count; i++) {
        request.address = lines[i].line_address;
        request.sectors = lines[i].sectors;
        if (tracer->explained != NULL && access != NULL) {
            wm_coalesced_bytes(access, &lines[i], tracer->beside_line_bytes[kind], bytes);
            request.bytes = bytes;
        }
        wm_memory_beside_load(tracer->memory, kind, &request);
    }
}

void wm_walk_serve_beside(struct wm_walk_tracer *tracer, const struct wm_request_head *head,
                          const struct wm_coalesced *lines)
{
    serve_beside(tracer, head, lines, NULL);
}

static inline void count_requests(struct wm_walk_tracer *tracer, struct wm_cause_counters *cause,
                                  uint64_t requests, uint64_t sectors)
{
    cause->requests += requests;
    cause->sectors += sectors;
    tracer->counters->requests += requests;
    tracer->counters->sectors += sectors;
}

// Returns whether bytes lay below it.
static bool load_beside(struct wm_walk_tracer *tracer, enum wm_beside_kind kind,
                        const struct wm_warp_access *access, struct wm_cause_counters *cause)
{
    uint64_t missed = cause->beside_misses + cause->tlb_walks;
    struct wm_coalesced own[WM_MAX_COALESCED], *lines = room_for_lines(tracer, own);
    uint32_t count = coalesce(tracer, access, tracer->beside_line_bytes[kind], lines);
    if (__builtin_expect(tracer->in_footprint, 0))
        count = drop_known(tracer->footprint, lines, count);
    if (count == 0)
        return false;
    const struct wm_request_head head = {
        .item = WM_FEED_BESIDE,
        .pc = access->pc,
        .sm = tracer->sm,
        .warp = tracer->warp,
        .count = (uint8_t)count,
        .kind = WM_ACCESS_LOAD,
        .beside = (uint8_t)kind,
    };
    count_requests(tracer, cause, count, all_sectors(lines, count));
    if (tracer->feed != NULL)
        wm_feed_add(tracer->feed, head);
    else
        serve_beside(tracer, &head, lines, access);
    return cause->beside_misses + cause->tlb_walks != missed;
}

// With the bytes that the lanes cover: off the hot path.
static __attribute__((noinline)) void serve_bytes(struct wm_walk_tracer *tracer,
                                                  struct wm_request *who,
                                                  const struct wm_coalesced *lines, uint32_t count,
                                                  const struct wm_warp_access *access)
{
    uint32_t bytes[WM_MAX_COALESCED * WM_MAX_LINE_SECTORS];
    uint32_t line_sectors = tracer->line_bytes / WM_SECTOR_BYTES;
    for (uint32_t i = 0; i < count; i++)
        wm_coalesced_bytes(access, &lines[i], tracer->line_bytes, bytes + i * line_sectors);
    who->bytes = bytes;
    wm_memory_access_lines(tracer->memory, who, lines, count);
}

// One request a line of L1, whichever way it goes from there. `access` is NULL when nobody asks for
// bytes.
static inline void serve(struct wm_walk_tracer *tracer, const struct wm_request_head *head,
                         const struct wm_coalesced *lines, const struct wm_warp_access *access)
{
    struct wm_request who = request_of(tracer, head);
    who.listed = tracer->listed[head->pc];
    if (__builtin_expect(tracer->translates, 0))
        translate(tracer, &who, lines, head->count);
    bool asks = tracer->explained != NULL || (tracer->wants_bytes && who.kind == WM_ACCESS_STORE);
    if (__builtin_expect(asks && access != NULL, 0))
        serve_bytes(tracer, &who, lines, head->count, access);
    else
        wm_memory_access_lines(tracer->memory, &who, lines, head->count);
}

void wm_walk_serve(struct wm_walk_tracer *tracer, const struct wm_request_head *heads,
                   uint32_t count, const struct wm_coalesced *lines, uint32_t line_count,
                   uint32_t next_sm)
{
    const struct wm_request_run run = {.heads = heads,
                                       .count = count,
                                       .line_count = line_count,
                                       .lines = lines,
                                       .causes = tracer->causes,
                                       .listed = tracer->listed,
                                       .next_sm = next_sm};
    wm_memory_access_run(tracer->memory, &run);
}

void wm_walk_settle(struct wm_walk_tracer *tracer)
{
    if (tracer->memory != NULL)
        wm_memory_settle(tracer->memory);
}

// Of an instruction's requests, all but how many there are.
static inline struct wm_request_head head_of(const struct wm_walk_tracer *tracer,
                                             const struct wm_warp_access *access)
{
    bool around = wm_walk_around_l1(tracer, access->space, access->hint);
    return (struct wm_request_head){
        .item = WM_FEED_LINES,
        .pc = access->pc,
        .sm = tracer->sm,
        .warp = tracer->warp,
        .kind = (uint8_t)access->kind,
        .hint = (uint8_t)(around ? WM_HINT_L2_ONLY : access->hint),
        .around_l1 = around,
        .resident_warps = (uint16_t)tracer->resident_warps,
    };
}

static struct wm_access_origin origin_of(const struct wm_walk_tracer *tracer)
{
    return (struct wm_access_origin){tracer->block, tracer->sm, tracer->warp};
}

static inline void access_memory(struct wm_walk_tracer *tracer, const struct wm_warp_access *access,
                                 struct wm_cause_counters *cause)
{
    struct wm_coalesced own[WM_MAX_COALESCED], *lines = room_for_lines(tracer, own);
    uint32_t count = coalesce(tracer, access, tracer->line_bytes, lines);
    struct wm_request_head head = head_of(tracer, access);
    if (__builtin_expect(tracer->in_footprint, 0)) {
        count = drop_known(tracer->footprint, lines, count);
        if (count == 0)
            return;
    }
    head.count = (uint8_t)count;
    if (__builtin_expect(tracer->patterns != NULL, 0) && tracer->explained != NULL &&
        access->kind == WM_ACCESS_LOAD)
        wm_access_pattern_lines(tracer->patterns, origin_of(tracer), access, lines, count,
                                tracer->line_bytes, &tracer->explained[access->pc]);
    count_requests(tracer, cause, count, all_sectors(lines, count));
    if (tracer->feed != NULL) {
        wm_feed_add(tracer->feed, head);
        return;
    }
    uint64_t below = cause->l2_hits + cause->l2_misses + cause->tlb_walks;
    serve(tracer, &head, lines, access);
    tracer->missed |= cause->l2_hits + cause->l2_misses + cause->tlb_walks != below &&
                      (access->kind == WM_ACCESS_LOAD || access->kind == WM_ACCESS_ATOMIC);
}

// Lanes of a warp's atomic that come to the same address.
static __attribute__((noinline)) void count_conflicts(struct wm_walk_tracer *tracer,
                                                      const struct wm_warp_access *access)
{
    struct wm_atomic_use use = wm_atomic_use_of(access);
    tracer->causes[access->pc].atomic_conflicts += use.conflicts;
    tracer->counters->atomics++;
    tracer->counters->atomic_lanes += use.lanes;
    tracer->counters->atomic_conflicts += use.conflicts;
    tracer->counters->atomic_rounds += use.rounds;
}

static inline bool is_atomic(const struct wm_warp_access *access)
{
    return access->kind == WM_ACCESS_ATOMIC || access->kind == WM_ACCESS_REDUCTION;
}

static __attribute__((noinline)) void count_pattern(struct wm_walk_tracer *tracer,
                                                    const struct wm_warp_access *access)
{
    bool has_lanes = access->space == WM_SPACE_GLOBAL || access->space == WM_SPACE_LOCAL ||
                     access->space == WM_SPACE_SHARED;
    if (!has_lanes || access->addresses == NULL || tracer->explained == NULL)
        return;
    struct wm_explained_cause *cause = &tracer->explained[access->pc];
    wm_access_pattern_count(tracer->patterns, origin_of(tracer), access, cause);
    if (is_atomic(access))
        wm_access_pattern_atomic(tracer->patterns, origin_of(tracer), access, cause);
}

// What is counted of an instruction that `times` warps executed, `lanes` of them, wherever it goes.
// Returns its counters.
static inline struct wm_cause_counters *count_access(struct wm_walk_tracer *tracer,
                                                     const struct wm_warp_access *access,
                                                     uint64_t times, uint64_t lanes)
{
    struct wm_cause_counters *cause = &tracer->causes[access->pc];
    cause->executions += times;
    cause->lanes += lanes;
    cause->bytes_requested += lanes * access->bytes_per_lane;
    *space_counter(tracer->counters, access->space) += times;
    // A generic access may go to several spaces: the one beyond the SM is where its bytes went.
    if (reaches_beyond_sm(access->space) || tracer->spaces[access->pc] == 0)
        tracer->spaces[access->pc] = (uint8_t)(access->space + 1);
    return cause;
}

// Where the requests of an instruction go, if not to L1: WM_BESIDE_KINDS where they do.
static inline enum wm_beside_kind goes_beside(const struct wm_walk_tracer *tracer,
                                              const struct wm_warp_access *access)
{
    bool asks = tracer->serves_global || access->space == WM_SPACE_CONSTANT;
    return asks ? served_beside(tracer, access) : WM_BESIDE_KINDS;
}

// What becomes of an instruction that has been counted.
static inline void follow_access(struct wm_walk_tracer *tracer, const struct wm_warp_access *access,
                                 enum wm_beside_kind beside, struct wm_cause_counters *cause)
{
    if (beside != WM_BESIDE_KINDS) {
        bool missed = load_beside(tracer, beside, access, cause);
        // No warp gives way for a constant.
        tracer->missed |= missed && access->space != WM_SPACE_CONSTANT;
    } else if (reaches_beyond_sm(access->space)) {
        access_memory(tracer, access, cause);
    } else if (tracer->explained != NULL && access->space == WM_SPACE_SHARED) {
        count_banks(tracer, access);
    }
}

// One of several accesses of an instruction: it is executed once, by the lanes of its first, and
// asks for a sector once.
static __attribute__((noinline)) void trace_part(struct wm_walk_tracer *tracer,
                                                 const struct wm_warp_access *access)
{
    struct wm_cause_counters *cause = &tracer->causes[access->pc];
    if (tracer->parts == 0) {
        tracer->footprint->line_count = 0;
        count_access(tracer, access, 1, wm_count_lanes(access->active));
    } else {
        cause->bytes_requested += (uint64_t)wm_count_lanes(access->active) * access->bytes_per_lane;
    }
    tracer->in_footprint = true;
    follow_access(tracer, access, goes_beside(tracer, access), cause);
    tracer->in_footprint = false;
    tracer->parts = access->continues ? tracer->parts + 1 : 0;
}

void wm_walk_trace(void *context, const struct wm_warp_access *access)
{
    struct wm_walk_tracer *tracer = context;
    if (__builtin_expect(access->continues || tracer->parts != 0, 0)) {
        trace_part(tracer, access);
        return;
    }
    uint32_t lanes = wm_count_lanes(access->active);
    if (__builtin_expect(tracer->patterns != NULL, 0))
        count_pattern(tracer, access);
    if (__builtin_expect(is_atomic(access), 0))
        count_conflicts(tracer, access);
    follow_access(tracer, access, goes_beside(tracer, access),
                  count_access(tracer, access, 1, lanes));
}

// The same lanes at a base that lies a whole number of lines further touch the same lines, as far
// away.
static inline void shift_lines(const struct wm_coalesced *lines, uint32_t count, uint64_t by,
                               struct wm_coalesced *shifted)
{
    for (uint32_t i = 0; i < count; i++) {
        shifted[i] = lines[i];
        shifted[i].line_address += by;
    }
}

static uint64_t all_lanes(const struct wm_warps_access *accesses)
{
    if (accesses->access.addresses != NULL)
        return wm_count_lanes(accesses->access.active);
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < accesses->count; i++)
        lanes += wm_count_lanes(accesses->active[i]);
    return lanes;
}

static void count_conflicts_together(struct wm_walk_tracer *tracer,
                                     const struct wm_warps_access *accesses)
{
    struct wm_warp_access access = accesses->access;
    for (uint32_t i = 0; i < accesses->count; i++) {
        access.base = accesses->bases[i];
        if (access.addresses == NULL)
            access.active = accesses->active[i];
        count_conflicts(tracer, &access);
    }
}

// Requests of warps that are at one instruction, for whoever serves them later.
static void feed_together(struct wm_walk_tracer *tracer, const struct wm_warps_access *accesses,
                          struct wm_cause_counters *cause)
{
    struct wm_warp_access access = accesses->access;
    struct wm_request_head head = head_of(tracer, &access);
    const struct wm_coalesced *before = NULL; // the lines of the warp before, still in the batch
    uint64_t requests = 0, sectors = 0, offsets = tracer->line_bytes - 1;
    uint32_t sectors_each = 0;
    for (uint32_t i = 0; i < accesses->count; i++) {
        struct wm_coalesced *lines = wm_feed_room(tracer->feed);
        uint64_t base = accesses->bases[i], apart = base - access.base;
        uint64_t active = accesses->active[i], others = active ^ access.active;
        access.base = base;
        access.active = active;
        if (before != NULL && lines == before + head.count && ((apart & offsets) | others) == 0) {
            shift_lines(before, head.count, apart, lines);
        } else {
            head.count = (uint8_t)coalesce(tracer, &access, tracer->line_bytes, lines);
            sectors_each = all_sectors(lines, head.count);
        }
        head.warp = tracer->first_warp + accesses->warps[i];
        wm_feed_add(tracer->feed, head);
        requests += head.count;
        sectors += sectors_each;
        before = lines;
    }
    count_requests(tracer, cause, requests, sectors);
}

void wm_walk_trace_together(void *context, const struct wm_warps_access *accesses)
{
    struct wm_walk_tracer *tracer = context;
    const struct wm_warp_access *told = &accesses->access;
    struct wm_cause_counters *cause =
        count_access(tracer, told, accesses->count, all_lanes(accesses));
    if (__builtin_expect(is_atomic(told), 0))
        count_conflicts_together(tracer, accesses);
    enum wm_beside_kind beside = goes_beside(tracer, told);
    bool to_l1 = beside == WM_BESIDE_KINDS && reaches_beyond_sm(told->space);
    if (to_l1 && tracer->feed != NULL && told->addresses == NULL) {
        feed_together(tracer, accesses, cause);
        return;
    }
    if (told->addresses != NULL) { // one warp's, whose base nobody asks for
        tracer->warp = tracer->first_warp + accesses->warps[0];
        follow_access(tracer, told, beside, cause);
        return;
    }
    struct wm_warp_access access = *told;
    for (uint32_t i = 0; i < accesses->count; i++) {
        tracer->warp = tracer->first_warp + accesses->warps[i];
        access.base = accesses->bases[i];
        access.active = accesses->active[i];
        follow_access(tracer, &access, beside, cause);
    }
}
