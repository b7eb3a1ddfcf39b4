#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/explain/explain.h"
#include "mem/timed/level/parts.h"

#include <assert.h>

static uint64_t index_of(const struct wm_timed_level *level, uint64_t line)
{
    uint64_t index_line;
    wm_level_slice(level->described, line, &index_line);
    return index_line;
}

// Whether the level's own cache has no such line.
static bool is_absent(const struct wm_timed_level *level, uint64_t line)
{
    return wm_cache_find(level->timed.cache, line, index_of(level, line)) < 0;
}

struct wm_cache *wm_timed_level_holder(const struct wm_timed_level *level, uint64_t line)
{
    bool elsewhere = level->victims != NULL && is_absent(level, line);
    return elsewhere ? level->victims : level->timed.cache;
}

// The sectors of `line` in the victim cache, which has one set.
static uint32_t valid_in(const struct wm_cache *victims, uint64_t line)
{
    int32_t way = wm_cache_find(victims, line, line);
    return way >= 0 ? wm_cache_line_at(victims, (uint32_t)way).valid : 0;
}

// Counts an access for which the level's own cache has no line: `found` with its sectors `valid`,
// or not.
static void count(struct wm_cache *victims, const struct wm_timed_access *access, bool found,
                  uint32_t valid)
{
    uint32_t missing = access->sectors & ~valid;
    wm_cache_count(&victims->counters, access->client, access->sectors, missing);
    if (found && access->client != WM_CACHE_WRITEBACK)
        victims->counters.sector_misses += wm_count_sectors(missing);
}

// What the level displaced enters; `*victim` is what leaves in turn. Between the two nothing is
// written back.
static void insert(struct wm_timed_level *level, struct wm_cache_victim *victim,
                   const struct wm_requester *who)
{
    struct wm_cache *victims = level->victims;
    struct wm_cache_line held = {.valid = victim->valid, .dirty = victim->dirty};
    if (victim->valid == 0)
        return;
    level->timed.cache->counters.write_backs -= victim->dirty != 0;
    victims->counters.bytes_from_above += wm_sector_bytes(victim->valid);
    wm_cache_insert_line(victims, victim->line, victim->line, held, false, who, victim);
}

void wm_timed_level_keep_victim(struct wm_timed_level *level,
                                const struct wm_level_request *request,
                                const struct wm_requester *who, struct wm_cache_victim *victim)
{
    insert(level, victim, who);
    if (request->explained != NULL && victim->valid != 0)
        wm_explain_evicted(level->memory, level->timed.cache, victim->line, request->explained);
}

// `line`, which the victim cache has and the level's own cache has not, goes there, and what that
// displaces takes its place. Where the cache refuses it, it leaves both.
static void swap(struct wm_timed_level *level, uint64_t cycle, uint64_t line,
                 const struct wm_level_request *request, const struct wm_requester *who)
{
    struct wm_cache *victims = level->victims;
    struct wm_cache_line held = {0};
    bool found = wm_cache_extract_line(victims, line, line, &held);
    assert(found);
    (void)found;
    struct wm_cache_victim displaced;
    if (wm_cache_insert_line(level->timed.cache, line, index_of(level, line), held, false, who,
                             &displaced)) {
        victims->counters.bytes_to_above += wm_sector_bytes(held.valid);
        insert(level, &displaced, who); // a place is free: nothing leaves
        return;
    }
    victims->counters.invalidations++;
    victims->counters.write_backs += held.dirty != 0;
    const struct wm_cache_victim left = {.line = line, .dirty = held.dirty, .valid = held.valid};
    wm_timed_level_send_down(level, cycle, victims, request, who, &left);
}

void wm_timed_level_bring_back(struct wm_timed_level *level, uint64_t cycle, uint64_t line,
                               const struct wm_level_request *request,
                               const struct wm_requester *who)
{
    if (level->timed.allocates_on_fill && is_absent(level, line) &&
        wm_cache_find(level->victims, line, line) >= 0)
        swap(level, cycle, line, request, who);
}

// A store drops its line in the victim cache, where it is, and is sent on.
static enum wm_stall drop(struct wm_timed_level *level, uint64_t cycle,
                          struct wm_level_request *request, struct wm_level_outcome *outcome)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_cache *cache = level->timed.cache;
    uint32_t valid = valid_in(level->victims, access->line);
    outcome->missing = access->sectors & ~valid;
    count(level->victims, access, true, valid);
    count(cache, access, true, valid);
    wm_cache_invalidate(level->victims, access->line, access->line, cache->all_sectors);
    if (!request->moves)
        wm_timed_level_count_bytes(level, access);
    if (access->client != WM_CACHE_WRITEBACK)
        wm_timed_level_charge(level, request->charged, access->sectors, outcome->missing);
    if (request->explained != NULL)
        wm_timed_level_explain(level, request,
                               &(struct wm_timed_result){.missing = outcome->missing});
    wm_timed_level_forward(level, cycle, request, access->sectors, outcome);
    return WM_STALL_NONE;
}

// An access to a line that only the victim cache has: first the two exchange.
static enum wm_stall look_up_exchanged(struct wm_timed_level *level, uint64_t cycle,
                                       struct wm_level_request *request,
                                       struct wm_level_outcome *outcome)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_cache *cache = level->timed.cache;
    bool drops = access->client != WM_CACHE_LOAD && cache->write_policy == WM_WRITE_THROUGH_EVICT;
    if (!drops && wm_cache_set_is_pinned(cache, wm_cache_set_of(cache, access->index_line)))
        return WM_STALL_WAY;
    if (!wm_outbox_has_room(request->out, cycle))
        return WM_STALL_QUEUE;
    if (drops)
        return drop(level, cycle, request, outcome);
    count(level->victims, access, true, valid_in(level->victims, access->line));
    cycle += level->victim_latency;
    swap(level, cycle, access->line, request, &access->requester);
    enum wm_stall stall = wm_timed_level_look_up_array(level, cycle, request, outcome);
    if (stall == WM_STALL_NONE)
        level->late = level->victim_latency;
    return stall;
}

enum wm_stall wm_timed_level_look_up_with_victims(struct wm_timed_level *level, uint64_t cycle,
                                                  struct wm_level_request *request,
                                                  struct wm_level_outcome *outcome)
{
    const struct wm_timed_access *access = &request->access;
    bool absent = is_absent(level, access->line);
    if (absent && wm_cache_find(level->victims, access->line, access->line) >= 0)
        return look_up_exchanged(level, cycle, request, outcome);
    // What is on its way is the level's already.
    bool missed = absent && wm_mshr_find(&level->timed.mshr, access->line) == NULL;
    enum wm_stall stall = wm_timed_level_look_up_array(level, cycle, request, outcome);
    if (missed && stall == WM_STALL_NONE)
        count(level->victims, access, false, 0);
    return stall;
}
