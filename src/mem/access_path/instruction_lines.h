// The requests of one instruction, in the order that they are served (docs/memory-system.md, R6).
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_INSTRUCTION_LINES_H
#define WM_MEM_ACCESS_PATH_INSTRUCTION_LINES_H

#include "mem/access_path/fast_loads.h"

// The lines of a load that is looked up in L1, as they will be served.
enum { WAY_ABSENT = -1, WAY_UNKNOWN = -2 };
struct load_plan {
    uint8_t order[WM_MAX_LINE_REQUESTS]; // which line goes n-th
    int32_t ways[WM_MAX_LINE_REQUESTS];  // where each line is
};

// The lines are different ones: what is absent stays so until its turn, whatever goes before. What
// is present may be displaced or moved, unless all that is goes first and stays where it is.
static void plan_loads(const struct wm_memory *memory, const struct wm_cache *l1,
                       const struct wm_line_request *lines, uint32_t count, struct load_plan *plan)
{
    bool streaming = memory->spec.levels[WM_LEVEL_L1].allocation == WM_ALLOCATE_STREAMING;
    bool stays = streaming && !l1->is_ordered;
    uint8_t absent[WM_MAX_LINE_REQUESTS];
    uint32_t first = 0, behind = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t line = lines[i].line_address >> l1->line_shift;
        int32_t way = wm_cache_find_in_set(l1, wm_cache_set_of(l1, line), line);
        plan->ways[i] = way < 0 ? WAY_ABSENT : stays ? way : WAY_UNKNOWN;
        if (way < 0 && streaming)
            absent[behind++] = (uint8_t)i;
        else
            plan->order[first++] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < behind; i++)
        plan->order[first + i] = absent[i];
}

// Sectors of the lines served so far, to be counted together.
struct load_tally {
    uint64_t sectors, missing, lines_missed;
};

static void count_loads(struct wm_cache_counters *counters, uint32_t lines,
                        const struct load_tally *tally, struct access_context *context)
{
    uint64_t hits = tally->sectors - tally->missing;
    counters->accesses += lines;
    counters->load_accesses += lines;
    counters->accesses_missed += tally->lines_missed;
    counters->hits += hits;
    counters->load_hits += hits;
    counters->misses += tally->missing;
    counters->load_misses += tally->missing;
    counters->bytes_to_above += tally->sectors * WM_SECTOR_BYTES;
    context->instruction_counters->levels[WM_LEVEL_L1].hits += hits;
    context->instruction_counters->levels[WM_LEVEL_L1].misses += tally->missing;
}

// l1_load for each of them. Returns how many of them missed.
static uint32_t load_lines(struct wm_memory *memory, struct wm_cache *l1,
                           const struct wm_line_request *lines, uint32_t count, bool allocate,
                           struct access_context *context)
{
    if (may_be_queued(context) && loads_use_fast_path(memory, l1)) {
        struct loads_tally fast_tally = {0};
        uint32_t missed = fast_loads(memory, l1, lines, count, allocate, context, &fast_tally);
        count_fast(l1, &fast_tally);
        return missed;
    }
    struct load_plan plan;
    struct load_tally tally = {0};
    if (count == 1) {
        plan.order[0] = 0;
        plan.ways[0] = WAY_UNKNOWN;
    } else {
        plan_loads(memory, l1, lines, count, &plan);
    }
    for (uint32_t n = 0; n < count; n++) {
        uint32_t i = plan.order[n], sectors = lines[i].sectors;
        uint64_t address = lines[i].line_address, line = address >> l1->line_shift;
        uint32_t set = wm_cache_set_of(l1, line);
        int32_t way = plan.ways[i];
        if (way == WAY_UNKNOWN)
            way = wm_cache_find_in_set(l1, set, line);
        struct wm_cache_result result =
            wm_cache_read_at(l1, set, way, line, sectors, allocate, &context->requester);
        tally.sectors += wm_count_sectors(sectors);
        if (result.missing == 0)
            continue;
        tally.missing += wm_count_sectors(result.missing);
        tally.lines_missed++;
        struct line_place place = {
            .address = address, .line = line, .index_line = line, .set = set};
        finish_miss(memory, &memory->levels[WM_LEVEL_L1], l1, &place, &result, allocate, context);
    }
    count_loads(&l1->counters, count, &tally, context);
    return (uint32_t)tally.lines_missed;
}

// Those that come by themselves, and all of the full build.
static void access_line(struct wm_memory *memory, const struct wm_request *who,
                        const struct wm_line_request *line, uint32_t number,
                        struct access_context *context)
{
    struct wm_request request = *who; // the full build's
    if (WM_PATHS_FULL) {
        request.address = line->line_address;
        request.sectors = line->sectors;
        request.full_sectors = line->full_sectors;
        if (who->bytes != NULL)
            request.bytes = who->bytes + number * first_level(memory, context)->line_sectors;
        context->request = &request;
        context->written =
            (struct wm_write_mask){.address = request.address, .words = request.bytes};
    }
    if (is_explained(memory))
        wm_explain_request(memory, &request);
    access_inline(memory, line->line_address, line->sectors, line->full_sectors, context);
}

// Of the level where the unit's accesses begin.
static inline bool takes_lines_with_fills(const struct wm_memory *memory,
                                          const struct access_context *context)
{
    size_t level = (size_t)(first_level(memory, context) - memory->levels);
    return memory->spec.levels[level].allocation == WM_ALLOCATE_STREAMING;
}

static void access_each_line(struct wm_memory *memory, const struct wm_request *who,
                             const struct wm_line_request *lines, uint32_t count,
                             struct access_context *context)
{
    context->lines = count;
    bool present_first = count > 1 && takes_lines_with_fills(memory, context) &&
                         who->kind == WM_ACCESS_LOAD && !who->around_l1;
    bool later[WM_MAX_LINE_REQUESTS];
    for (uint32_t i = 0; present_first && i < count; i++)
        later[i] = !wm_memory_l1_holds(memory, who->sm, lines[i].line_address);
    for (uint32_t i = 0; i < count; i++)
        if (!present_first || !later[i])
            access_line(memory, who, &lines[i], i, context);
    for (uint32_t i = 0; present_first && i < count; i++)
        if (later[i])
            access_line(memory, who, &lines[i], i, context);
}

// l1_atomic for each of them.
static void atomic_lines(struct wm_memory *memory, struct wm_cache *l1,
                         const struct wm_line_request *lines, uint32_t count,
                         struct access_context *context)
{
    uint64_t sectors = 0;
    for (uint32_t i = 0; i < count; i++) {
        flush_l1_copy(memory, l1, lines[i].line_address, true, context);
        sectors += wm_count_sectors(lines[i].sectors);
        l2_write(memory, WM_CACHE_ATOMIC, lines[i].line_address, lines[i].sectors, 0, context);
    }
    count_atomics(&l1->counters, count, sectors, context->requester.kind == WM_ACCESS_ATOMIC);
}

// A load's last `count` requests have been served; the others found their lines.
static inline void count_load(struct wm_cache *l1, const struct wm_request *who, uint32_t count,
                              struct wm_access_result result)
{
    if (!result.went_around)
        wm_load_misses_count(&l1->counters.load_miss_counts, who->lines != 0 ? who->lines : count,
                             result.lines_missed);
}

// `waits`: its requests to L2 may be queued.
static struct wm_access_result serve_lines(struct wm_memory *memory, const struct wm_request *who,
                                           const struct wm_line_request *lines, uint32_t count,
                                           bool waits)
{
    struct access_context context = access_context_of(memory, who);
    context.may_queue = waits;
    struct wm_access_result result = {.source = WM_SOURCE_BELOW_L1};
    bool is_load = who->kind == WM_ACCESS_LOAD;
    struct wm_cache *l1 =
        memory->levels[WM_LEVEL_L1].caches != NULL ? memory->l1_of_sm[who->sm] : NULL;
    bool has_bypass_policy =
        memory->bypass != NULL && who->hint != WM_HINT_VOLATILE && !who->around_l1;
    if (!WM_PATHS_FULL && is_load && l1 != NULL && !has_bypass_policy &&
        decision_by_operator(who->hint) != WM_BYPASS_LOOKUP) {
        bool allocate = decision_by_operator(who->hint) != WM_BYPASS_ALLOCATION;
        uint32_t missed = load_lines(memory, l1, lines, count, allocate, &context);
        result.lines_missed = (uint16_t)missed;
        result.source = missed != 0 ? WM_SOURCE_BELOW_L1 : WM_SOURCE_L1;
    } else if (!WM_PATHS_FULL && l1 != NULL && who->kind >= WM_ACCESS_ATOMIC) {
        atomic_lines(memory, l1, lines, count, &context);
    } else {
        access_each_line(memory, who, lines, count, &context);
        result = context.result;
    }
    if (is_load && l1 != NULL)
        count_load(l1, who, count, result);
    return result;
}

static struct wm_access_result access_lines(struct wm_memory *memory, const struct wm_request *who,
                                            const struct wm_line_request *lines, uint32_t count)
{
    bool waits = count > 1 || memory->l2_queues.defers;
    struct wm_access_result result = serve_lines(memory, who, lines, count, waits);
    if (!WM_PATHS_FULL && waits)
        drain_l2_queues(memory);
    return result;
}

#endif
