#include "obvious_timed_cache.h"

#include <criterion/criterion.h>

void obvious_timed_init(struct obvious_timed *model, const struct wm_cache_spec *spec,
                        uint32_t entries, uint32_t merges, bool on_fill)
{
    *model = (struct obvious_timed){
        .spec = *spec,
        .sets = (uint32_t)(spec->size_bytes / spec->line_bytes / spec->ways),
        .entries = entries,
        .merges = merges,
        .all_sectors = (uint32_t)((UINT64_C(1) << spec->line_bytes / 32) - 1),
        .on_fill = on_fill};
}

struct obvious_held *obvious_timed_find(struct obvious_timed *model, uint64_t line)
{
    for (uint32_t way = 0; way < model->spec.ways; way++) {
        struct obvious_held *held = &model->ways[line % model->sets][way];
        if (held->present && held->line == line)
            return held;
    }
    return NULL;
}

uint32_t obvious_timed_entries(const struct obvious_timed *model)
{
    uint32_t entries = 0;
    for (uint32_t i = 0; i < OBVIOUS_LINES; i++)
        entries += model->pending[i] != 0;
    return entries;
}

static uint32_t waiters_of(const struct obvious_timed *model, uint64_t line)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->waiter_count; i++)
        count += model->waiters[i].line == line;
    return count;
}

// What one fetch of `sectors` brings.
static uint32_t units(const struct obvious_timed *model, uint32_t sectors)
{
    bool sectored = model->spec.sector_bytes == 32;
    return sectored || sectors == 0 ? sectors : model->all_sectors;
}

// The way that a new line gets: an empty one, else the least recently used that is not reserved.
static struct obvious_held *way_for(struct obvious_timed *model, uint64_t line)
{
    struct obvious_held *best = NULL;
    for (uint32_t way = 0; way < model->spec.ways; way++) {
        struct obvious_held *held = &model->ways[line % model->sets][way];
        if (!held->present)
            return held;
        if (!held->reserved && (best == NULL || held->used < best->used))
            best = held;
    }
    return best;
}

static struct obvious_held *take(struct obvious_timed *model, uint64_t line,
                                 struct wm_cache_victim *victim)
{
    struct obvious_held *way = way_for(model, line);
    if (way == NULL)
        return NULL;
    if (way->present)
        *victim =
            (struct wm_cache_victim){.line = way->line, .dirty = way->dirty, .valid = way->valid};
    *way = (struct obvious_held){.present = true, .line = line, .used = ++model->now};
    return way;
}

static void wait_for(struct obvious_timed *model, const struct wm_timed_access *ask,
                     uint32_t sectors, struct wm_timed_result *result)
{
    cr_assert_lt(model->waiter_count, OBVIOUS_WAITERS);
    model->waiters[model->waiter_count++] =
        (struct obvious_waiter){.line = ask->line, .token = ask->token, .missing = sectors};
    result->waits = true;
}

static enum wm_stall stall_of(struct obvious_timed *model, const struct wm_timed_access *ask,
                              bool waits, bool fetches, bool takes, bool sends)
{
    bool has_entry = model->pending[ask->line] != 0;
    if (waits && has_entry && waiters_of(model, ask->line) == model->merges)
        return WM_STALL_MERGE;
    if ((waits || fetches) && !has_entry && obvious_timed_entries(model) == model->entries)
        return WM_STALL_MSHR;
    if (takes && way_for(model, ask->line) == NULL)
        return WM_STALL_WAY;
    return !ask->queue_has_room && (fetches || takes || sends) ? WM_STALL_QUEUE : WM_STALL_NONE;
}

static void count(struct obvious_timed *model, const struct wm_timed_access *ask, uint32_t missing,
                  uint32_t pending)
{
    uint32_t misses = (uint32_t)__builtin_popcount(missing);
    model->misses += misses;
    model->hits += (uint32_t)__builtin_popcount(ask->sectors) - misses;
    model->pending_hits += (uint32_t)__builtin_popcount(ask->sectors & pending);
}

struct wm_timed_result obvious_timed_read(struct obvious_timed *model,
                                          const struct wm_timed_access *ask)
{
    struct obvious_held *held = obvious_timed_find(model, ask->line);
    uint32_t valid = held != NULL ? held->valid : 0, pending = model->pending[ask->line];
    uint32_t missing = ask->sectors & ~(valid | pending);
    uint32_t waits_for = missing | (ask->sectors & pending);
    bool takes = ask->allocate && !model->on_fill && missing != 0;
    struct wm_timed_result result = {
        .missing = missing,
        .stall = stall_of(model, ask, waits_for != 0, missing != 0, takes && held == NULL, false)};
    if (takes && held != NULL && !ask->queue_has_room && result.stall == WM_STALL_NONE)
        result.stall = WM_STALL_QUEUE;
    if (result.stall != WM_STALL_NONE)
        return result;
    count(model, ask, missing, pending);
    if (held != NULL && (ask->sectors & ~(pending & ~valid)) != 0)
        held->used = ++model->now;
    if (missing != 0)
        result.fetch = (ask->allocate ? units(model, missing) : missing) & ~(valid | pending);
    if (takes) {
        held = held != NULL ? held : take(model, ask->line, &result.victim);
        held->valid |= result.fetch | (units(model, missing) & pending);
        held->reserved = true;
    }
    if (waits_for == 0)
        return result;
    model->pending[ask->line] |= result.fetch;
    model->allocates[ask->line] |= ask->allocate;
    wait_for(model, ask, waits_for, &result);
    return result;
}

struct wm_timed_result obvious_timed_write(struct obvious_timed *model,
                                           const struct wm_timed_access *ask)
{
    struct obvious_held *held = obvious_timed_find(model, ask->line);
    uint32_t valid = held != NULL ? held->valid : 0, pending = model->pending[ask->line];
    bool back = model->spec.write_policy == WM_WRITE_BACK, atomic = ask->client == WM_CACHE_ATOMIC;
    bool evicts = model->spec.write_policy == WM_WRITE_THROUGH_EVICT;
    // What the line lacks, whether or not it is on its way, is what the array counts.
    uint32_t absent = ask->sectors & ~valid, missing = absent & ~pending;
    uint32_t covered = model->spec.write_fetch == WM_FETCH_PARTIAL ? ask->full_sectors : 0;
    bool stays = ask->allocate && !evicts;
    uint32_t fetch = stays ? units(model, units(model, absent) & ~covered) : atomic ? absent : 0;
    uint32_t waits_for = atomic ? missing | (ask->sectors & pending) : 0;
    bool takes = stays && held == NULL, sends = !back || (!ask->allocate && missing != 0);
    bool fetches = missing != 0 && (atomic || (stays && (units(model, missing) & ~covered) != 0));
    struct wm_timed_result result = {
        .missing = absent,
        .stall = stall_of(model, ask, waits_for != 0, fetches, takes, sends || (stays && missing))};
    if (result.stall != WM_STALL_NONE)
        return result;
    count(model, ask, absent, pending & valid);
    result.fetch = fetch & ~pending;
    result.forward = !back ? ask->sectors : stays ? 0 : absent;
    if (evicts && held != NULL)
        held->present = held->reserved = false;
    else if (held != NULL || takes) {
        held = held != NULL ? held : take(model, ask->line, &result.victim);
        held->used = ++model->now;
        held->valid |= stays ? units(model, absent) : 0;
        held->dirty |= back ? units(model, ask->sectors & held->valid) : 0;
        held->reserved |= result.fetch != 0;
    }
    model->pending[ask->line] |= result.fetch;
    if (waits_for != 0)
        wait_for(model, ask, waits_for, &result);
    return result;
}

uint32_t obvious_timed_fill(struct obvious_timed *model, uint64_t line, uint32_t sectors,
                            uint64_t *told, struct wm_cache_victim *victim)
{
    struct obvious_held *held = obvious_timed_find(model, line);
    uint32_t count = 0, kept = 0;
    *victim = (struct wm_cache_victim){.line = WM_CACHE_EMPTY};
    if (model->on_fill && model->allocates[line]) {
        held = held != NULL ? held : take(model, line, victim);
        if (held != NULL)
            held->valid |= sectors;
    }
    model->pending[line] &= ~sectors;
    if (model->pending[line] == 0) {
        model->allocates[line] = false;
        if (held != NULL)
            held->reserved = false;
    }
    for (uint32_t i = 0; i < model->waiter_count; i++) {
        if (model->waiters[i].line == line)
            model->waiters[i].missing &= ~sectors;
        if (model->waiters[i].missing == 0)
            told[count++] = model->waiters[i].token;
        else
            model->waiters[kept++] = model->waiters[i];
    }
    model->waiter_count = kept;
    return count;
}
