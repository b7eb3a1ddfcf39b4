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

static inline uint32_t lines_to_prefetch(const struct wm_cache *l1,
                                         const struct wm_request_run *run)
{
    uint32_t lines = l1->sets * l1->ways, most = lines <= NEAR_LINES ? lines / 2 : UINT32_MAX;
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

// --- Loads that hit ---

// Whether a hit of a load changes no more than the chain, and always alike.
static inline bool hits_use_fast_path(const struct wm_memory *memory, const struct wm_cache *l1)
{
    return l1 != NULL && memory->bypass == NULL && (l1->hit_moves_to_front || l1->hit_keeps_order);
}

static inline bool is_looked_up_load(const struct wm_request_head *head)
{
    return head->kind == WM_ACCESS_LOAD &&
           decision_by_operator((enum wm_cache_hint)head->hint) != WM_BYPASS_LOOKUP;
}

// Serves lines up to the first that L1 does not hold with all sectors requested; returns how many.
// The others may be served as if they were all of the instruction: what was there before it went in
// this order anyway (plan_loads).
WM_CACHE_INLINE uint32_t load_hits(struct wm_cache *l1, const struct wm_line_request *lines,
                                   uint32_t count, struct hits *hits)
{
    uint32_t at = 0;
    for (; at < count; at++) {
        uint64_t line = lines[at].line_address >> l1->line_shift;
        if (line != hits->last_line) {
            uint32_t set = wm_cache_set_of(l1, line);
            int32_t way = wm_cache_find_in_set(l1, set, line);
            if (way < 0)
                break;
            struct wm_cache_line held = wm_cache_line_at(l1, set * l1->stride + (uint32_t)way);
            if ((lines[at].sectors & ~held.valid) != 0)
                break;
            wm_cache_update_hit(l1, set, (uint32_t)way, line, held, false, NULL);
            hits->last_line = line;
            hits->last_valid = held.valid;
        } else if ((lines[at].sectors & ~hits->last_valid) != 0) {
            break;
        }
        hits->sectors += wm_count_sectors(lines[at].sectors);
    }
    hits->lines += at;
    return at;
}

static void count_hits(struct wm_cache_counters *counters, const struct hits *hits)
{
    counters->accesses += hits->lines;
    counters->load_accesses += hits->lines;
    counters->hits += hits->sectors;
    counters->load_hits += hits->sectors;
    counters->bytes_to_above += hits->sectors * WM_SECTOR_BYTES;
    struct wm_load_miss_counters *misses = &counters->load_miss_counts;
    misses->coherent_loads += hits->loads[0];
    misses->coherent_loads_cached += hits->loads[0];
    misses->divergent_loads += hits->loads[1];
    misses->divergent_loads_cached += hits->loads[1];
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

// A load whose L1 serves it the short way.
WM_CACHE_INLINE void fast_load(struct wm_memory *memory, struct wm_cache *l1,
                               const struct wm_request_run *run, const struct wm_request_head *head,
                               const struct wm_line_request *lines, struct hits *hits,
                               struct access_context *context, struct loads_tally *tally)
{
    struct wm_instruction_counters *instruction_counters = &run->counters_by_pc[head->pc];
    uint64_t sectors = hits->sectors;
    // What is not coherent is seldom there as a whole.
    uint32_t served = wm_is_divergent(head->count) ? 0 : fast_hits(l1, lines, head->count, hits);
    instruction_counters->levels[WM_LEVEL_L1].hits += hits->sectors - sectors;
    if (served == head->count) {
        hits->loads[wm_is_divergent(head->count)]++;
        return;
    }
    context->requester.warp = head->warp;
    context->requester.pc = head->pc;
    context->requester.hint = (enum wm_cache_hint)head->hint;
    context->instruction_counters = instruction_counters;
    bool allocate = decision_by_operator(context->requester.hint) != WM_BYPASS_ALLOCATION;
    uint32_t missed =
        fast_loads(memory, l1, lines + served, head->count - served, allocate, context, tally);
    wm_load_misses_count(&l1->counters.load_miss_counts, head->count, missed);
    hits->last_line = WM_CACHE_EMPTY;
}

static void access_run(struct wm_memory *memory, const struct wm_request_run *run)
{
    struct wm_cache *l1 =
        memory->levels[WM_LEVEL_L1].caches != NULL ? memory->l1_of_sm[run->heads->sm] : NULL;
    bool hits_fast = !WM_PATHS_FULL && hits_use_fast_path(memory, l1);
    bool loads_fast = hits_fast && loads_use_fast_path(memory, l1);
    struct hits hits = {.last_line = WM_CACHE_EMPTY};
    struct loads_tally tally = {0};
    struct access_context context = {.requester.sm = run->heads->sm, .may_queue = true};
    struct ahead ahead = {0};
    struct whole_ahead whole = whole_ahead_of(memory, run);
    uint32_t at = 0, expected = 0;
    if (!WM_PATHS_FULL && l1 != NULL && !is_prefetched_whole(l1))
        expected = lines_to_prefetch(l1, run);
    for (const struct wm_request_head *head = run->heads; head < run->heads + run->count; head++) {
        const struct wm_line_request *lines = run->lines + at;
        uint32_t served = 0;
        if (ahead.again < expected)
            host_prefetch_lines(l1, run, at, expected, &ahead);
        if (whole.l1 != NULL)
            host_prefetch_l1(&whole);
        if (__builtin_expect(memory->tlbs != NULL, 0))
            translate_lines(memory, run, head, lines);
        at += head->count;
        if (hits_fast && is_looked_up_load(head)) {
            if (loads_fast) {
                fast_load(memory, l1, run, head, lines, &hits, &context, &tally);
                continue;
            }
            uint64_t sectors = hits.sectors;
            served = load_hits(l1, lines, head->count, &hits);
            run->counters_by_pc[head->pc].levels[WM_LEVEL_L1].hits += hits.sectors - sectors;
            hits.loads[wm_is_divergent(head->count)] += served == head->count;
        }
        if (served < head->count) {
            const struct wm_request who = request_of(run, head);
            serve_lines(memory, &who, lines + served, head->count - served, true);
            hits.last_line = WM_CACHE_EMPTY;
        }
    }
    if (hits_fast)
        count_hits(&l1->counters, &hits);
    if (loads_fast)
        count_fast(l1, &tally);
}

#endif
