// The requests of many instructions of an SM. Scattered ones miss the host's caches each several
// times over, so what they will read is prefetched; and most of what goes on in a machine is a load
// that L1 holds all of, so that has a way of its own, on which nothing is made ready for what lies
// below. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_REQUEST_RUN_H
#define WM_MEM_ACCESS_PATH_REQUEST_RUN_H

#include "mem/access_path/instruction_lines.h"

// --- Prefetching into the host's caches ---

// Lines that are prefetched ahead, first and again: enough for what they read to come from its last
// cache, few enough for it to stay in its first until then. Some at a time.
enum { FIRST_AHEAD = 20, AGAIN_AHEAD = 10, AHEAD_TOGETHER = 4 };

// Lines of the run that were prefetched already.
struct ahead {
    uint32_t first, again;
};

// Small L1s are in the host's nearest cache once half as many lines as they have were looked for:
// nothing below L1 displaces them (l2_queue.h).
enum { NEAR_LINES = 1024 };

static inline uint32_t lines_to_prefetch(const struct wm_memory *memory, const struct wm_cache *l1,
                                         const struct wm_request_run *run)
{
    uint32_t lines = l1->sets * l1->ways, most = lines <= NEAR_LINES ? lines / 2 : UINT32_MAX;
    if (lines <= NEAR_LINES && memory->near_l1 == l1)
        return 0;
    return run->line_count < most ? run->line_count : most;
}

// Prefetches the lines up to FIRST_AHEAD behind line `at`. Of an L1 with an index: first for its
// row, then for the line that that says. Of others: for the set, and no more.
static inline void host_prefetch_lines(const struct wm_cache *l1, const struct wm_request_run *run,
                                       uint32_t at, uint32_t end, struct ahead *ahead)
{
    uint32_t first_end = at + FIRST_AHEAD, again_end = at + AGAIN_AHEAD;
    if (first_end < ahead->first + AHEAD_TOGETHER)
        return;
    first_end = first_end < end ? first_end : end;
    again_end = again_end < end ? again_end : end;
    if (l1->index.rows == NULL) {
        for (; ahead->first < first_end; ahead->first++) {
            uint64_t line = run->lines[ahead->first].line_address >> l1->line_shift;
            wm_cache_host_prefetch_set(l1, wm_cache_set_of(l1, line));
        }
        ahead->again = ahead->first;
        return;
    }
    for (; ahead->first < first_end; ahead->first++)
        wm_cache_host_prefetch_row(l1, run->lines[ahead->first].line_address >> l1->line_shift);
    for (; ahead->again < again_end; ahead->again++)
        wm_cache_host_prefetch_entry(l1, run->lines[ahead->again].line_address >> l1->line_shift);
}

// --- Prefetching a whole L1 ---

// Small L1s with an index are prefetched as a whole, while the run before theirs is served: eight
// slots at a time, of which the tags lie in a line of the host's cache, and a row of the index.
struct whole_ahead {
    const struct wm_cache *l1;      // NULL: none is prefetched
    uint32_t below_requests, count; // of eight slots
    uint32_t each;                  // of them to be prefetched an instruction of the run
};

static inline bool is_prefetched_whole(const struct wm_cache *l1)
{
    return l1 != NULL && l1->index.rows != NULL && l1->narrow_lines != NULL &&
           l1->sets * l1->ways <= NEAR_LINES && l1->recency.packed == NULL &&
           l1->recency.nodes != NULL;
}

static inline struct whole_ahead whole_ahead_of(const struct wm_memory *memory,
                                                const struct wm_request_run *run)
{
    const struct wm_cache *l1 =
        memory->levels[WM_LEVEL_L1].caches != NULL ? memory->l1_of_sm[run->next_sm] : NULL;
    if (WM_PATHS_FULL || run->next_sm == run->heads->sm || !is_prefetched_whole(l1))
        return (struct whole_ahead){0};
    uint32_t count = l1->sets * l1->stride / WM_CACHE_TAG_LANES;
    return (struct whole_ahead){
        .l1 = l1, .count = count, .each = (count + run->count - 1) / run->count};
}

// Once an instruction: as many each time, which the processor foresees.
WM_CACHE_INLINE void host_prefetch_l1(struct whole_ahead *ahead)
{
    uint32_t until = ahead->below_requests + ahead->each;
    until = until < ahead->count ? until : ahead->count;
    const struct wm_cache *l1 = ahead->l1;
    for (; ahead->below_requests < until; ahead->below_requests++) {
        uint32_t at = ahead->below_requests;
        __builtin_prefetch(l1->tags + at * 8, 0, 2);
        if (at % 4 == 0)
            __builtin_prefetch(l1->narrow_lines + at * 8, 0, 2);
        __builtin_prefetch(l1->index.rows + (at & l1->index.row_mask) * WM_INDEX_WORDS, 0, 2);
        __builtin_prefetch(l1->recency.nodes + at * 8, 0, 2);
    }
}

// --- The run ---

static struct wm_request request_of(const struct wm_request_run *run,
                                    const struct wm_request_head *head)
{
    return (struct wm_request){
        .kind = (enum wm_access_kind)head->kind,
        .hint = (enum wm_cache_hint)head->hint,
        .sm = head->sm,
        .warp = head->warp,
        .pc = head->pc,
        .around_l1 = head->around_l1,
        .listed = run->listed[head->pc],
        .resident_warps = head->resident_warps,
        .lines = head->count,
        .instruction_counters = &run->counters_by_pc[head->pc],
    };
}

// The pages of an instruction's requests, in their order.
static void translate_lines(struct wm_memory *memory, const struct wm_request_run *run,
                            const struct wm_request_head *head, const struct wm_line_request *lines)
{
    uint64_t addresses[WM_MAX_LINE_REQUESTS];
    const struct wm_request who = request_of(run, head);
    for (uint32_t i = 0; i < head->count; i++)
        addresses[i] = lines[i].line_address;
    drain_l2_queues(memory); // walks read L2
    wm_memory_translate(memory, &who, addresses, head->count);
}

// --- What L1 looks up ---

// Of a run: what waits for an L1 under LRU, and what is counted when all have been served.
struct l1_run {
    struct wm_memory *memory;
    struct wm_cache *l1;
    bool waits;            // requests may, for others to be served with
    bool needs_requesters; // an entry sees them
    bool finds_first;      // of a load, what is there goes first
    // The last request, where it is a load of one line and nothing has happened since; the sectors
    // that are there then, where a load right behind another of its line changes nothing.
    uint64_t last_address;
    uint32_t last_sectors, repeated;
    uint32_t lines_apart, missed_apart; // of loads of several lines; those that were not there
    struct batch_work work;
    struct access_context context;
    uint32_t count;
    struct wm_l2_queue_entry requests[BATCH];
    struct wm_requester requesters[BATCH];
};

static struct wm_requester requester_of(const struct wm_request_head *head)
{
    return (struct wm_requester){.sm = head->sm,
                                 .warp = head->warp,
                                 .pc = head->pc,
                                 .kind = (enum wm_access_kind)head->kind,
                                 .hint = (enum wm_cache_hint)head->hint};
}

// An instruction's lines by number among them: those that are there, and where, of an array with an
// index, in which they stay there; and the others.
struct found_lines {
    uint8_t present[WM_MAX_LINE_REQUESTS], absent[WM_MAX_LINE_REQUESTS];
    uint32_t slots[WM_MAX_LINE_REQUESTS];
};

// Returns how many are there. No branch depends on it, which no processor foresees.
WM_CACHE_INLINE uint32_t find_lines(const struct wm_cache *l1, bool indexed,
                                    const struct wm_line_request *lines, uint32_t count,
                                    struct found_lines *found)
{
    uint32_t present = 0, absent = 0, line_shift = l1->line_shift;
    const uint64_t *tags = l1->tags;
    const struct wm_line_index index = l1->index;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t line = lines[i].line_address >> line_shift;
        uint32_t slot = 0;
        bool there = indexed ? wm_index_find_flat(&index, tags, line, &slot)
                             : wm_cache_find_in_set(l1, wm_cache_set_of(l1, line), line) >= 0;
        found->slots[present] = slot;
        found->present[present] = found->absent[absent] = (uint8_t)i;
        present += there;
        absent += !there;
    }
    return present;
}

// Where a line is, but for its slot: nowhere; to be looked for.
enum { SLOT_NONE = -1, SLOT_UNKNOWN = -2 };

// One of the lines of a load or a store, which `client` says. Requests, and those that missed, in
// the lower half; sectors in the upper.
WM_CACHE_INLINE void look_up_line(struct l1_run *state, bool indexed, enum wm_cache_client client,
                                  const struct wm_line_request *at, int64_t slot,
                                  uint64_t *requested, uint64_t *missed)
{
    struct wm_cache *l1 = state->l1;
    struct line_place place = place_in(l1, at->line_address);
    bool takes = client == WM_CACHE_LOAD || l1->write_allocate;
    int32_t way = -1;
    if (slot == SLOT_UNKNOWN)
        way = wm_cache_way_of(l1, indexed, place.set, place.line);
    else if (slot != SLOT_NONE)
        way = (int32_t)((uint32_t)slot - place.set * l1->stride);
    struct wm_cache_result result =
        wm_cache_access_at(l1, indexed, client, place.set, way, place.line, place.line, at->sectors,
                           at->full_sectors, takes, &state->context.requester);
    tally(requested, at->sectors);
    if (result.missing != 0)
        tally(missed, result.missing);
    finish(state->memory, &state->memory->levels[WM_LEVEL_L1], l1, client, &place, &result,
           at->full_sectors, takes, &state->context);
}

// The lines of a load or a store at once. Those of a load are different ones: what is absent stays
// so until its turn, whatever goes before. Returns how many missed.
WM_CACHE_INLINE uint32_t look_up_as(struct l1_run *state, bool indexed, enum wm_cache_client client,
                                    const struct wm_request_head *head,
                                    const struct wm_line_request *lines, uint32_t count,
                                    struct wm_instruction_counters *instruction_counters)
{
    uint64_t requested = 0, missed = 0;
    state->context.instruction_counters = instruction_counters;
    if (__builtin_expect(state->needs_requesters, 0))
        state->context.requester = requester_of(head);
    if (count > 1 && client == WM_CACHE_LOAD && state->finds_first) {
        struct found_lines found;
        uint32_t present = find_lines(state->l1, indexed, lines, count, &found);
        for (uint32_t n = 0; n < present; n++)
            look_up_line(state, indexed, client, &lines[found.present[n]],
                         indexed ? (int64_t)found.slots[n] : SLOT_UNKNOWN, &requested, &missed);
        for (uint32_t n = 0; n < count - present; n++)
            look_up_line(state, indexed, client, &lines[found.absent[n]], SLOT_NONE, &requested,
                         &missed);
    } else {
        for (uint32_t n = 0; n < count; n++)
            look_up_line(state, indexed, client, &lines[n], SLOT_UNKNOWN, &requested, &missed);
    }
    state->work.tallied.requested[client] += requested;
    state->work.tallied.missed[client] += missed;
    struct wm_level_counters *row = &instruction_counters->levels[WM_LEVEL_L1];
    row->hits += (requested - missed) >> 32;
    row->misses += missed >> 32;
    return (uint32_t)missed;
}

// The same; which of them is a constant.
WM_CACHE_INLINE uint32_t look_up_lines(struct l1_run *state, bool indexed,
                                       const struct wm_request_head *head,
                                       const struct wm_line_request *lines, uint32_t count,
                                       struct wm_instruction_counters *instruction_counters)
{
    if (head->kind == WM_ACCESS_LOAD)
        return look_up_as(state, indexed, WM_CACHE_LOAD, head, lines, count, instruction_counters);
    return look_up_as(state, indexed, WM_CACHE_STORE, head, lines, count, instruction_counters);
}

static void serve_l1_waiting(struct l1_run *state)
{
    const struct request_batch batch = {
        .requests = state->requests,
        .requesters = state->needs_requesters ? state->requesters : NULL,
        .count = state->count,
    };
    if (state->count != 0)
        serve_l1_batch(state->memory, state->l1, &batch, &state->work, &state->context);
    state->count = 0;
    state->last_address = WM_CACHE_EMPTY;
}

WM_CACHE_INLINE void add_request(struct l1_run *state, const struct wm_request_head *head,
                                 const struct wm_line_request *line,
                                 struct wm_instruction_counters *instruction_counters)
{
    if (state->count == BATCH)
        serve_l1_waiting(state);
    struct wm_l2_queue_entry *request = &state->requests[state->count];
    request->line_address = line->line_address;
    request->counters = (uintptr_t)instruction_counters - state->memory->l2_queues.charges;
    request->set = wm_cache_set_of(state->l1, line->line_address >> state->l1->line_shift);
    request->sectors = (uint8_t)line->sectors;
    request->full_sectors = (uint8_t)line->full_sectors;
    request->client = head->kind;
    if (__builtin_expect(state->needs_requesters, 0))
        state->requesters[state->count] = requester_of(head);
    state->count++;
}

// An instruction of one request; `waits` and `indexed` are constants: the state's, and of its
// array.
WM_CACHE_INLINE void look_up_one(struct l1_run *state, bool waits, bool indexed,
                                 const struct wm_request_head *head,
                                 const struct wm_line_request *line,
                                 struct wm_instruction_counters *instruction_counters)
{
    uint64_t other = (line->line_address ^ state->last_address) | head->kind |
                     (line->sectors & ~state->last_sectors);
    if (other == 0) {
        tally(&state->work.tallied.requested[WM_CACHE_LOAD], line->sectors);
        charge(&state->memory->levels[WM_LEVEL_L1], instruction_counters, line->sectors, 0);
        return;
    }
    if (waits)
        add_request(state, head, line, instruction_counters);
    else
        look_up_lines(state, indexed, head, line, 1, instruction_counters);
    state->last_address = line->line_address | head->kind; // of a store no line's
    state->last_sectors = line->sectors & state->repeated;
}

WM_CACHE_INLINE void look_up_several(struct l1_run *state, bool waits, bool indexed,
                                     const struct wm_request_head *head,
                                     const struct wm_line_request *lines,
                                     struct wm_instruction_counters *instruction_counters)
{
    if (waits)
        serve_l1_waiting(state);
    state->last_address = WM_CACHE_EMPTY;
    uint32_t missed = look_up_lines(state, indexed, head, lines, head->count, instruction_counters);
    if (head->kind != WM_ACCESS_LOAD)
        return;
    wm_load_misses_count(&state->l1->counters.load_miss_counts, head->count, missed);
    state->lines_apart += head->count;
    state->missed_apart += missed;
}

// Whether L1 looks for the lines, and takes them where it takes any.
static inline bool is_looked_up(const struct wm_request_head *head)
{
    _Static_assert((int)WM_CACHE_LOAD == WM_ACCESS_LOAD && (int)WM_CACHE_STORE == WM_ACCESS_STORE,
                   "loads and stores have the numbers of their clients");
    return (head->kind == WM_ACCESS_LOAD || head->kind == WM_ACCESS_STORE) &&
           decision_by_operator((enum wm_cache_hint)head->hint) == WM_BYPASS_NO;
}

// Whether it is one request, of a load or a store without a hint, as most are: in one comparison.
static inline bool is_plain(const struct wm_request_head *head)
{
    enum { COUNT = offsetof(struct wm_request_head, count) };
    _Static_assert(offsetof(struct wm_request_head, kind) == COUNT + 1 &&
                       offsetof(struct wm_request_head, hint) == COUNT + 2,
                   "the three stand together");
    _Static_assert(WM_ACCESS_LOAD == 0 && WM_ACCESS_STORE == 1 && WM_HINT_DEFAULT == 0,
                   "and are plain as numbers");
    uint32_t three;
    memcpy(&three, (const char *)head + COUNT, sizeof three);
    return (three & UINT32_C(0xfffeff)) == 1;
}

static void begin_l1_run(struct l1_run *state, struct wm_memory *memory, struct wm_cache *l1,
                         uint32_t sm)
{
    bool alike = l1->inserts_at_front && (l1->hit_moves_to_front || l1->hit_keeps_order);
    state->memory = memory;
    state->l1 = l1;
    state->waits = wm_lru_stride(l1) != 0;
    const struct wm_l2_queue *queues = memory->l2_queues.of_slice;
    state->needs_requesters = !alike || (queues != NULL && queues->requesters != NULL);
    state->finds_first = memory->spec.levels[WM_LEVEL_L1].allocation == WM_ALLOCATE_STREAMING;
    state->last_address = WM_CACHE_EMPTY;
    state->repeated = alike ? UINT32_MAX : 0;
    state->lines_apart = state->missed_apart = state->count = 0;
    state->work.tallied = (struct access_tally){0};
    state->context = (struct access_context){.requester.sm = sm, .unit = sm, .may_queue = true};
}

static void end_l1_run(struct l1_run *state)
{
    serve_l1_waiting(state);
    struct wm_load_miss_counters *misses = &state->l1->counters.load_miss_counts;
    uint32_t loads = (uint32_t)state->work.tallied.requested[WM_CACHE_LOAD] - state->lines_apart;
    uint32_t missed = (uint32_t)state->work.tallied.missed[WM_CACHE_LOAD] - state->missed_apart;
    misses->coherent_loads += loads;
    misses->coherent_loads_cached += loads - missed;
    misses->coherent_loads_missed_1 += missed;
    count_tally(state->l1, &state->work.tallied);
}

// An instruction that L1 does not simply look up, or that has pages to be translated.
static __attribute__((noinline)) void serve_other(struct l1_run *state, struct wm_memory *memory,
                                                  const struct wm_request_run *run,
                                                  const struct wm_request_head *head,
                                                  const struct wm_line_request *lines)
{
    if (state != NULL)
        serve_l1_waiting(state);
    if (memory->tlbs != NULL)
        translate_lines(memory, run, head, lines);
    const struct wm_request who = request_of(run, head);
    serve_lines(memory, &who, lines, head->count, true);
}

// `state` is NULL, a constant, where L1 looks up each request by itself.
WM_CACHE_INLINE void serve_run(struct wm_memory *memory, const struct wm_request_run *run,
                               struct wm_cache *l1, struct l1_run *state, bool waits, bool indexed)
{
    const struct wm_request_head *head = run->heads, *end = head + run->count;
    const struct wm_line_request *lines = run->lines;
    struct ahead ahead = {0};
    struct whole_ahead whole = whole_ahead_of(memory, run);
    uint32_t expected = 0;
    if (!WM_PATHS_FULL && l1 != NULL && !is_prefetched_whole(l1))
        expected = lines_to_prefetch(memory, l1, run);
    const bool prefetches = expected != 0 || whole.l1 != NULL;
    memory->near_l1 = l1;
    for (; head < end; lines += head->count, head++) {
        if (prefetches && ahead.again < expected)
            host_prefetch_lines(l1, run, (uint32_t)(lines - run->lines), expected, &ahead);
        if (prefetches && whole.l1 != NULL)
            host_prefetch_l1(&whole);
        struct wm_instruction_counters *instruction_counters = &run->counters_by_pc[head->pc];
        if (state != NULL && __builtin_expect(is_plain(head), 1))
            look_up_one(state, waits, indexed, head, lines, instruction_counters);
        else if (state != NULL && __builtin_expect(is_looked_up(head), 1))
            look_up_several(state, waits, indexed, head, lines, instruction_counters);
        else
            serve_other(state, memory, run, head, lines);
    }
}

static __attribute__((noinline)) void run_waiting(struct l1_run *state,
                                                  const struct wm_request_run *run)
{
    serve_run(state->memory, run, state->l1, state, true, false);
}

static __attribute__((noinline)) void run_indexed(struct l1_run *state,
                                                  const struct wm_request_run *run)
{
    serve_run(state->memory, run, state->l1, state, false, true);
}

static __attribute__((noinline)) void run_any(struct l1_run *state,
                                              const struct wm_request_run *run)
{
    serve_run(state->memory, run, state->l1, state, false, false);
}

static void access_run(struct wm_memory *memory, const struct wm_request_run *run)
{
    struct wm_cache *l1 =
        memory->levels[WM_LEVEL_L1].caches != NULL ? memory->l1_of_sm[run->heads->sm] : NULL;
    if (WM_PATHS_FULL || l1 == NULL || memory->bypass != NULL || memory->tlbs != NULL) {
        serve_run(memory, run, l1, NULL, false, false);
        return;
    }
    struct l1_run state;
    begin_l1_run(&state, memory, l1, run->heads->sm);
    if (state.waits)
        run_waiting(&state, run);
    else if (wm_cache_is_indexed(l1))
        run_indexed(&state, run);
    else
        run_any(&state, run);
    end_l1_run(&state);
}

#endif
