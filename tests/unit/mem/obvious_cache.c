#include "obvious_cache.h"
#include "obvious_set_index.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const uint32_t ALL_BYTES = UINT32_MAX;

// --- Masks ---

int obvious_count(uint32_t sectors)
{
    int count = 0;
    for (int i = 0; i < 32; i++)
        count += (int)(sectors >> i & 1);
    return count;
}

uint32_t obvious_dirty(const struct obvious_line *line)
{
    uint32_t mask = 0;
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        mask |= (uint32_t)line->dirty[i] << i;
    return mask;
}

uint32_t obvious_whole(const struct obvious_line *line)
{
    uint32_t mask = 0;
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        mask |= (uint32_t)(line->held[i] == ALL_BYTES) << i;
    return mask;
}

uint32_t obvious_some(const struct obvious_line *line)
{
    uint32_t mask = 0;
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        mask |= (uint32_t)(line->held[i] != 0) << i;
    return mask;
}

uint32_t obvious_units(const struct obvious_cache *cache, uint32_t sectors)
{
    uint32_t each = cache->spec.sector_bytes / OBVIOUS_SECTOR, result = 0;
    for (uint32_t i = 0; i < cache->spec.line_bytes / OBVIOUS_SECTOR; i++)
        for (uint32_t j = i / each * each; j < (i / each + 1) * each; j++)
            result |= (sectors >> j & 1) << i;
    return result;
}

// --- Sets and lines ---

static uint64_t set_of(const struct obvious_cache *cache, uint64_t number)
{
    uint64_t line_bytes = cache->spec.line_bytes, address = number * line_bytes, inner = address;
    if (cache->slices > 1) // the slice's part of the address
        inner = address / cache->interleave_bytes / cache->slices * cache->interleave_bytes +
                address % cache->interleave_bytes;
    return obvious_set_index(cache->spec.set_index->name, inner / line_bytes,
                             cache->spec.line_bytes, (uint32_t)cache->sets);
}

static struct obvious_line *lines_of(struct obvious_cache *cache, uint64_t set)
{
    return cache->lines + set * cache->spec.ways;
}

struct obvious_line *obvious_find(struct obvious_cache *cache, uint64_t number)
{
    struct obvious_line *set = lines_of(cache, set_of(cache, number));
    for (uint32_t way = 0; way < cache->spec.ways; way++)
        if (set[way].present && set[way].number == number)
            return &set[way];
    return NULL;
}

// --- Taking, using, losing lines ---

static struct wm_replacement_event event_of(uint64_t number, bool write_back,
                                            const struct wm_requester *who)
{
    return (struct wm_replacement_event){
        .line = number,
        .pc = who->pc,
        .warp = who->warp,
        .sm = who->sm,
        .kind = who->kind,
        .hint = who->hint,
        .write_back = write_back,
    };
}

struct obvious_line *obvious_take(struct obvious_cache *cache, const struct obvious_access *access,
                                  struct obvious_line *victim)
{
    uint64_t set = set_of(cache, access->number);
    bool write_back = access->client == WM_CACHE_WRITEBACK;
    struct wm_replacement_event event = event_of(access->number, write_back, &access->who);
    struct obvious_line *lines = lines_of(cache, set);
    int32_t way = 0;
    while (way < (int32_t)cache->spec.ways && lines[way].present)
        way++;
    if (way == (int32_t)cache->spec.ways)
        way = obvious_replacement_victim(&cache->replacement, (uint32_t)set, &event);
    *victim = (struct obvious_line){0};
    if (way < 0) {
        cache->counters.refusals++;
        return NULL;
    }
    if (lines[way].present) {
        *victim = lines[way];
        obvious_replacement_leave(&cache->replacement, (uint32_t)set, (uint32_t)way);
        cache->counters.evictions++;
        if (!cache->hands_on)
            obvious_count_write_back(cache, victim, obvious_dirty(victim));
    }
    cache->counters.allocations++;
    obvious_replacement_enter(&cache->replacement, (uint32_t)set, (uint32_t)way, &event);
    lines[way] = (struct obvious_line){.present = true, .number = access->number};
    return &lines[way];
}

void obvious_use(struct obvious_cache *cache, struct obvious_line *line,
                 const struct obvious_access *access)
{
    uint64_t set = set_of(cache, line->number);
    bool write_back = access->client == WM_CACHE_WRITEBACK;
    struct wm_replacement_event event = event_of(access->number, write_back, &access->who);
    obvious_replacement_hit(&cache->replacement, (uint32_t)set,
                            (uint32_t)(line - lines_of(cache, set)), &event);
}

void obvious_remove(struct obvious_cache *cache, struct obvious_line *line)
{
    uint64_t set = set_of(cache, line->number);
    obvious_replacement_leave(&cache->replacement, (uint32_t)set,
                              (uint32_t)(line - lines_of(cache, set)));
    *line = (struct obvious_line){0};
}

void obvious_count_write_back(struct obvious_cache *cache, const struct obvious_line *line,
                              uint32_t dirty)
{
    cache->counters.write_backs += dirty != 0;
    cache->counters.partial_write_backs += (uint64_t)obvious_count(dirty & ~obvious_whole(line));
}

uint32_t obvious_clean(struct obvious_cache *cache, struct obvious_line *line, uint32_t part)
{
    uint32_t dirty = obvious_dirty(line) & obvious_units(cache, part);
    obvious_count_write_back(cache, line, dirty);
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        line->dirty[i] = line->dirty[i] && !(dirty >> i & 1);
    return dirty;
}

void obvious_drop(struct obvious_cache *cache, struct obvious_line *line, uint32_t part)
{
    uint32_t gone = obvious_units(cache, part);
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        if (gone >> i & 1) {
            line->held[i] = 0;
            line->dirty[i] = false;
        }
    if (obvious_some(line) != 0)
        return;
    cache->counters.invalidations++;
    obvious_remove(cache, line);
}

// --- An access ---

void obvious_count_access(struct obvious_cache *cache, const struct obvious_access *access,
                          uint32_t missing, bool present)
{
    struct wm_cache_counters *c = &cache->counters;
    uint64_t misses = (uint64_t)obvious_count(missing);
    uint64_t hits = (uint64_t)obvious_count(access->sectors) - misses;
    if (access->client == WM_CACHE_WRITEBACK) {
        c->writeback_accesses++;
        c->writeback_hits += hits;
        c->writeback_misses += misses;
        c->writeback_accesses_missed += misses > 0;
        return;
    }
    c->accesses++;
    c->accesses_missed += misses > 0;
    c->hits += hits;
    c->misses += misses;
    c->sector_misses += present ? misses : 0;
    switch (access->client) {
    case WM_CACHE_LOAD:
        c->load_accesses++;
        c->load_hits += hits;
        c->load_misses += misses;
        break;
    case WM_CACHE_STORE:
        c->store_accesses++;
        c->store_hits += hits;
        c->store_misses += misses;
        break;
    default:
        c->atomic_accesses++;
        c->atomic_hits += hits;
        c->atomic_misses += misses;
    }
}

// Units arrive from below and are kept.
static void fill(struct obvious_cache *cache, struct obvious_line *line, uint32_t units)
{
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        if (units >> i & 1)
            line->held[i] = ALL_BYTES;
    cache->counters.fills += (uint64_t)obvious_count(units);
}

static uint32_t written_whole(const struct obvious_access *access)
{
    uint32_t mask = 0;
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        mask |= (uint32_t)((access->sectors >> i & 1) && access->bytes[i] == ALL_BYTES) << i;
    return mask;
}

// R4: a store writes `here` of its sectors into a line that held `before` of them. Returns what is
// fetched for it.
static uint32_t write_here(struct obvious_cache *cache, struct obvious_line *line,
                           const struct obvious_access *access, uint32_t here, uint32_t before)
{
    uint32_t taken = obvious_units(cache, here & ~before), fetch = 0;
    switch (cache->spec.write_fetch) {
    case WM_FETCH_NEVER:
        for (int i = 0; i < OBVIOUS_SECTORS; i++)
            if (here >> i & 1)
                line->held[i] |= access->bytes[i];
        return 0;
    case WM_FETCH_PARTIAL: fetch = obvious_units(cache, taken & ~written_whole(access)); break;
    case WM_FETCH_ALWAYS: fetch = taken; break;
    }
    fill(cache, line, fetch);
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        if (taken >> i & 1)
            line->held[i] = ALL_BYTES;
    return fetch;
}

// R3: a store, atomic or write-back whose line is there now.
static void write_line(struct obvious_cache *cache, struct obvious_line *line,
                       const struct obvious_access *access, struct obvious_answer *answer)
{
    uint32_t before = obvious_some(line), here = access->may_take ? ALL_BYTES : before;
    here &= access->sectors;
    if (access->client == WM_CACHE_ATOMIC) {
        answer->fetch = obvious_units(cache, here & ~obvious_whole(line));
        fill(cache, line, answer->fetch);
        here |= access->sectors & answer->fetch;
        answer->fetch |= access->sectors & ~here; // for below, where it is done
    } else {
        answer->fetch = write_here(cache, line, access, here, before);
    }
    answer->forward = access->sectors;
    if (cache->spec.write_policy != WM_WRITE_BACK)
        return;
    answer->forward = access->sectors & ~here;
    uint32_t dirty = cache->spec.write_fetch == WM_FETCH_NEVER ? here : obvious_units(cache, here);
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        line->dirty[i] = line->dirty[i] || (dirty >> i & 1);
}

// R15: of the set's dirty lines but the one that was written the one that would go first.
struct obvious_line *obvious_beyond_limit(struct obvious_cache *cache, uint64_t written)
{
    uint64_t set = set_of(cache, written), sectors = 0;
    uint64_t limit = cache->spec.dirty_limit_bytes / OBVIOUS_SECTOR / cache->sets;
    struct obvious_line *lines = lines_of(cache, set), *first = NULL;
    if (cache->spec.dirty_limit_bytes == 0)
        return NULL;
    for (uint32_t way = 0; way < cache->spec.ways; way++)
        sectors += lines[way].present ? (uint64_t)obvious_count(obvious_dirty(&lines[way])) : 0;
    for (uint32_t at = 0; at < cache->spec.ways; at++) {
        int32_t way = obvious_replacement_from_last(&cache->replacement, (uint32_t)set, at);
        if (first == NULL && way >= 0 && lines[way].present && obvious_dirty(&lines[way]) != 0 &&
            lines[way].number != written)
            first = &lines[way];
    }
    return sectors > limit ? first : NULL;
}

struct obvious_answer obvious_access(struct obvious_cache *cache,
                                     const struct obvious_access *access)
{
    struct obvious_answer answer = {.fetch = access->sectors, .forward = access->sectors};
    struct obvious_line *line = obvious_find(cache, access->number);
    bool load = access->client == WM_CACHE_LOAD, atomic = access->client == WM_CACHE_ATOMIC;
    bool present = line != NULL;
    uint32_t found = !present ? 0 : load || atomic ? obvious_whole(line) : obvious_some(line);
    answer.missing = access->sectors & ~found;
    obvious_count_access(cache, access, answer.missing, present);
    if (!load && cache->spec.write_policy == WM_WRITE_THROUGH_EVICT) {
        answer.fetch = atomic ? answer.missing : 0;
        if (present)
            obvious_drop(cache, line, ALL_BYTES);
        return answer;
    }
    if (present)
        obvious_use(cache, line, access);
    else if (access->may_take)
        line = obvious_take(cache, access, &answer.victim);
    if (load) {
        answer.forward = 0;
        answer.fetch = answer.missing;
        if (line != NULL && access->may_take) {
            answer.fetch = obvious_units(cache, answer.missing);
            fill(cache, line, answer.fetch);
        }
    } else if (line != NULL) {
        write_line(cache, line, access, &answer);
    } else {
        answer.fetch = atomic ? access->sectors : 0;
    }
    return answer;
}

// --- Building ---

void obvious_cache_init(struct obvious_cache *cache, const struct wm_cache_spec *spec,
                        const char *path)
{
    *cache = (struct obvious_cache){
        .spec = *spec,
        .sets = spec->size_bytes / spec->ways / spec->line_bytes,
        .slices = 1,
    };
    snprintf(cache->path, sizeof cache->path, "%s", path);
    cache->lines = calloc(cache->sets * spec->ways, sizeof *cache->lines);
    assert(spec->replacement_values.given == 0); // the model has the papers' values
    obvious_replacement_init(&cache->replacement, spec->replacement, (uint32_t)cache->sets,
                             spec->ways, path);
}

void obvious_cache_release(struct obvious_cache *cache)
{
    free(cache->lines);
    obvious_replacement_release(&cache->replacement);
}

void obvious_empty(struct obvious_cache *cache)
{
    for (uint64_t i = 0; i < cache->sets * cache->spec.ways; i++) {
        if (!cache->lines[i].present)
            continue;
        obvious_remove(cache, &cache->lines[i]);
        cache->counters.invalidations++;
    }
    obvious_replacement_flush(&cache->replacement);
}
