// The requests of one instruction, in the order that they are served (docs/memory-system.md, R6).
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_INSTRUCTION_LINES_H
#define WM_MEM_ACCESS_PATH_INSTRUCTION_LINES_H

#include "mem/access_path/entry.h"

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
        request_below(memory, &memory->levels[WM_LEVEL_L1], WM_CACHE_ATOMIC, lines[i].line_address,
                      lines[i].sectors, 0, context);
    }
    count_atomics(&l1->counters, count, sectors, context->requester.kind == WM_ACCESS_ATOMIC);
}

// `waits`: its requests to L2 may be queued.
static struct wm_access_result serve_lines(struct wm_memory *memory, const struct wm_request *who,
                                           const struct wm_line_request *lines, uint32_t count,
                                           bool waits)
{
    struct access_context context = access_context_of(memory, who);
    context.may_queue = waits;
    struct wm_access_result result = {.source = WM_SOURCE_BELOW_L1};
    struct wm_cache *l1 =
        memory->levels[WM_LEVEL_L1].caches != NULL ? memory->l1_of_sm[who->sm] : NULL;
    if (!WM_PATHS_FULL && l1 != NULL && who->kind >= WM_ACCESS_ATOMIC) {
        atomic_lines(memory, l1, lines, count, &context);
    } else {
        access_each_line(memory, who, lines, count, &context);
        result = context.result;
    }
    if (who->kind == WM_ACCESS_LOAD && l1 != NULL && !result.went_around)
        wm_load_misses_count(&l1->counters.load_miss_counts, who->lines != 0 ? who->lines : count,
                             result.lines_missed);
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
