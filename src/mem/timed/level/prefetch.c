#include "mem/timed/level/prefetch.h"

#include "base/containers/array.h"
#include "mem/system/prefetch_events.h"

static const struct wm_counter_declaration declarations[] = {
    WM_PREFETCHER_TIMING_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_prefetcher_timing_counter_set = {
    .kind = "prefetcher_timing",
    .title = "prefetcher in time",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

enum wm_status wm_timed_prefetcher_new(struct wm_timed_prefetcher **prefetcher,
                                       struct wm_error *error)
{
    return WM_ARRAY_NEW(*prefetcher, 1, error, "a prefetcher");
}

// A line that is on its way, and which no miss waits for.
static struct wm_prefetched_line *find(struct wm_timed_prefetcher *prefetcher, uint64_t line)
{
    for (uint32_t rest = prefetcher->used; rest != 0; rest &= rest - 1) {
        struct wm_prefetched_line *on_way = &prefetcher->lines[__builtin_ctz(rest)];
        if (on_way->line == line && on_way->entry == WM_MSHR_NONE)
            return on_way;
    }
    return NULL;
}

static uint64_t token_of(const struct wm_timed_level *level, const struct wm_prefetched_line *line)
{
    return WM_PREFETCH_TOKEN | (uint64_t)level->number << 8 |
           (uint64_t)(line - level->prefetcher->lines);
}

// --- A miss ---

static void note_done(void *context, uint64_t token)
{
    bool *done = context;
    (void)token;
    *done = true;
}

bool wm_timed_prefetcher_supplies(struct wm_timed_level *level, uint64_t cycle,
                                  const struct wm_level_request *request,
                                  struct wm_timed_result *result)
{
    const struct wm_timed_access *access = &request->access;
    if (!wm_prefetchers_missed(level->described, level->timed.cache, access->line,
                               &access->requester))
        return false;
    struct wm_prefetched_line *on_way = find(level->prefetcher, access->line);
    uint32_t wanted = on_way != NULL ? result->fetch & on_way->pending : 0;
    uint32_t here = result->fetch & ~wanted;
    if (wanted != 0) {
        level->prefetcher->counters.late++;
        on_way->wanted = wanted;
        on_way->entry = result->entry;
        wm_outbox_promote_prefetch(on_way->out, token_of(level, on_way));
    }
    bool done = false;
    if (here != 0) // as fast as the cache itself
        wm_timed_level_fill(level, cycle, result->entry, access->line, access->index_line, here, 0,
                            &access->requester, request, note_done, &done);
    result->waits &= !done;
    return true;
}

// --- Its own requests ---

static void request_line(struct wm_timed_level *level, uint64_t cycle,
                         const struct wm_level_request *request, uint64_t line)
{
    struct wm_timed_prefetcher *prefetcher = level->prefetcher;
    struct wm_cache *cache = level->timed.cache;
    uint32_t index = (uint32_t)__builtin_ctz(~prefetcher->used);
    struct wm_prefetched_line *on_way = &prefetcher->lines[index];
    prefetcher->used |= UINT32_C(1) << index;
    *on_way = (struct wm_prefetched_line){
        .line = line, .pending = cache->all_sectors, .entry = WM_MSHR_NONE, .out = request->out};
    wm_prefetchers_requested(level->described, cache);
    wm_outbox_send_prefetch(request->out, cycle, &request->access.requester,
                            &(struct wm_sending){.charged = request->charged,
                                                 .to = level->described->below,
                                                 .from = level->number,
                                                 .address = line << cache->line_shift,
                                                 .sectors = cache->all_sectors,
                                                 .client = WM_CACHE_LOAD,
                                                 .latency = level->latency_below,
                                                 .replies = true,
                                                 .uncharged = request->uncharged,
                                                 .token = token_of(level, on_way)});
}

void wm_timed_prefetcher_served(struct wm_timed_level *level, uint64_t cycle,
                                const struct wm_level_request *request)
{
    const struct wm_cache_level *described = level->described;
    struct wm_prefetch_answer *wanted = wm_prefetchers_wanted(described, level->timed.cache);
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (~level->prefetcher->used != 0) {
            request_line(level, cycle, request, wanted->lines[i]);
            continue;
        }
        level->prefetcher->counters.refused++;
        wm_prefetchers_refused(described, level->timed.cache, wanted->lines[i]);
    }
    wanted->count = 0;
    if (request->access.client != WM_CACHE_LOAD)
        wm_timed_prefetcher_dropped(level, request->access.line);
}

void wm_timed_prefetcher_dropped(struct wm_timed_level *level, uint64_t line)
{
    struct wm_prefetched_line *on_way;
    if (level->prefetcher == NULL)
        return;
    wm_prefetchers_dropped(level->described, level->timed.cache, line);
    while ((on_way = find(level->prefetcher, line)) != NULL)
        on_way->line = WM_CACHE_EMPTY; // it comes for nothing
}

bool wm_timed_prefetcher_filled(struct wm_timed_level *level, uint32_t *entry, uint32_t *sectors)
{
    uint32_t index = *entry % WM_MOST_PREFETCHES;
    struct wm_prefetched_line *on_way = &level->prefetcher->lines[index];
    on_way->pending &= ~*sectors;
    *sectors &= on_way->wanted;
    *entry = on_way->entry;
    if (on_way->pending == 0)
        level->prefetcher->used &= ~(UINT32_C(1) << index);
    return *sectors != 0;
}
