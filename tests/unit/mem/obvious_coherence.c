#include "obvious_coherence.h"

#include <assert.h>
#include <string.h>

void obvious_coherence_init(struct obvious_coherence *model, const struct wm_memory_spec *spec,
                            const struct wm_coherent_levels *levels)
{
    memset(model, 0, sizeof *model);
    model->has_directory = levels->has_directory;
    model->clean_forward = spec->dram.clean_forward;
    model->node_count = levels->node_count - levels->has_directory;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const struct wm_coherent_node *node = &levels->nodes[i];
        const struct wm_level_spec *level = &spec->levels[node->level];
        struct obvious_cache *cache = &model->nodes[i];
        bool last = node->home == WM_NO_NODE || node->home >= model->node_count;
        cache->parent = last ? -1 : (int)node->home;
        cache->slices = level->slices == 0 ? 1 : level->slices;
        cache->ways = level->cache.ways;
        cache->sets = (uint32_t)(level->cache.size_bytes / level->cache.line_bytes / cache->ways /
                                 cache->slices);
        cache->block_lines =
            level->slices == 0 ? 1 : (uint32_t)(level->interleave_bytes / level->cache.line_bytes);
        assert(cache->sets * cache->slices <= OBVIOUS_SETS && cache->ways < OBVIOUS_WAYS);
        if (level->prefetch != NULL) {
            cache->prefetch_lines = (uint32_t)level->prefetch_values.values[0];
            cache->tagged = level->prefetch_values.values[1] != 0;
            cache->held = (uint32_t)level->prefetch_values.values[2];
        }
    }
}

// Slices take turns with blocks of lines, and each uses all of its sets.
static uint32_t set_of(const struct obvious_cache *cache, uint64_t line)
{
    uint64_t block = line / cache->block_lines;
    uint64_t within = block / cache->slices * cache->block_lines + line % cache->block_lines;
    return (uint32_t)(block % cache->slices * cache->sets + within % cache->sets);
}

static struct obvious_line *find(struct obvious_cache *cache, uint64_t line)
{
    uint32_t set = set_of(cache, line);
    for (uint32_t i = 0; i < cache->counts_of[set]; i++)
        if (cache->lines[set][i].line == line)
            return &cache->lines[set][i];
    return NULL;
}

enum obvious_state obvious_coherence_state(const struct obvious_coherence *model, uint32_t node,
                                           uint64_t line)
{
    const struct obvious_cache *cache = &model->nodes[node];
    uint32_t set = set_of(cache, line);
    for (uint32_t i = 0; i < cache->counts_of[set]; i++)
        if (cache->lines[set][i].line == line)
            return cache->lines[set][i].state;
    return OBVIOUS_I;
}

static void take_out(struct obvious_cache *cache, uint64_t line)
{
    uint32_t set = set_of(cache, line);
    struct obvious_line *at = find(cache, line), *end = &cache->lines[set][cache->counts_of[set]];
    memmove(at, at + 1, (size_t)(end - at - 1) * sizeof *at);
    cache->counts_of[set]--;
}

static void put_first(struct obvious_cache *cache, struct obvious_line line)
{
    struct obvious_line *first = cache->lines[set_of(cache, line.line)];
    memmove(first + 1, first, cache->counts_of[set_of(cache, line.line)]++ * sizeof *first);
    *first = line;
}

static void use(struct obvious_cache *cache, uint64_t line)
{
    struct obvious_line held = *find(cache, line);
    take_out(cache, line);
    put_first(cache, held);
}

// --- Prefetchers ---

static struct obvious_ahead *ahead_of(struct obvious_cache *cache, uint64_t line)
{
    return &cache->ahead[line / cache->block_lines % cache->slices];
}

// It is not held any more. Whether it was: one of the last so many requested, and not taken since.
static bool take_held(struct obvious_cache *cache, uint64_t line, bool takes)
{
    struct obvious_ahead *ahead = ahead_of(cache, line);
    for (uint32_t i = ahead->count; i-- > 0 && ahead->count - i <= cache->held;)
        if (ahead->requested[i] == line && !ahead->taken[i]) {
            ahead->taken[i] = takes;
            return true;
        }
    return false;
}

// A miss, or the first use of a line that the prefetcher wanted.
static void notice(struct obvious_cache *cache, uint64_t line, bool used)
{
    struct obvious_ahead *ahead = ahead_of(cache, line);
    if (cache->prefetch_lines == 0)
        return;
    cache->counts.noticed++;
    cache->counts.used += used;
    if (take_held(cache, line, true) && !cache->tagged)
        return;
    for (uint32_t i = 0; i < cache->prefetch_lines; i++) {
        do // the next of the slice
            line++;
        while (ahead_of(cache, line) != ahead);
        if (take_held(cache, line, false))
            continue;
        assert(ahead->count < OBVIOUS_REQUESTS);
        ahead->requested[ahead->count++] = line;
        ahead->wanted[ahead->wanted_count++] = line;
    }
}

static void notice_use(struct obvious_cache *cache, uint64_t line)
{
    struct obvious_line *held = find(cache, line);
    bool came = held->wanted == CAME, wanted = held->wanted != NOT_WANTED;
    held->wanted = NOT_WANTED;
    if (wanted)
        notice(cache, line, came);
}

static void acquire(struct obvious_coherence *model, uint32_t node, uint64_t line, bool writes,
                    bool notices);

// Caches below go first.
static void prefetch(struct obvious_coherence *model, int node, uint64_t line)
{
    if (node < 0)
        return;
    struct obvious_cache *cache = &model->nodes[node];
    prefetch(model, cache->parent, line);
    struct obvious_ahead *ahead = ahead_of(cache, line);
    uint32_t count = ahead->wanted_count;
    uint64_t wanted[16];
    memcpy(wanted, ahead->wanted, sizeof wanted);
    ahead->wanted_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct obvious_line *held = find(cache, wanted[i]);
        if (held != NULL) {
            held->wanted = held->wanted == NOT_WANTED ? WAS_HERE : held->wanted;
            continue;
        }
        cache->counts.prefetched++;
        acquire(model, (uint32_t)node, wanted[i], false, false);
        find(cache, wanted[i])->wanted = CAME;
        prefetch(model, cache->parent, wanted[i]);
    }
}

// It leaves the cache.
static void leave(struct obvious_cache *cache, uint64_t line)
{
    enum obvious_state came = find(cache, line)->wanted == CAME;
    if (find(cache, line)->wanted != NOT_WANTED)
        take_held(cache, line, true);
    cache->counts.unused += came;
    take_out(cache, line);
}

// Modified data arrive one level below.
static void write_below(struct obvious_coherence *model, struct obvious_cache *cache, uint64_t line)
{
    cache->counts.write_backs++;
    if (cache->parent < 0)
        model->dram_writes++;
    else
        find(&model->nodes[cache->parent], line)->state = OBVIOUS_M;
}

// All copies of a line above a cache go, and what was modified comes to it.
static void empty_above(struct obvious_coherence *model, int node, uint64_t line, bool back)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        struct obvious_cache *above = &model->nodes[i];
        if (above->parent != node || find(above, line) == NULL)
            continue;
        empty_above(model, (int)i, line, back);
        if (find(above, line)->state == OBVIOUS_M)
            write_below(model, above, line);
        *(back ? &above->counts.back_invalidations : &above->counts.invalidations) += 1;
        leave(above, line);
    }
}

// No copy above a cache is E or M afterwards.
static void share_above(struct obvious_coherence *model, int node, uint64_t line)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        struct obvious_cache *above = &model->nodes[i];
        struct obvious_line *held = find(above, line);
        if (above->parent != node || held == NULL || held->state == OBVIOUS_S)
            continue;
        share_above(model, (int)i, line);
        if (held->state == OBVIOUS_M)
            write_below(model, above, line);
        held->state = OBVIOUS_S;
        above->counts.downgrades++;
    }
}

static void evict(struct obvious_coherence *model, uint32_t node, uint64_t line)
{
    struct obvious_cache *cache = &model->nodes[node];
    empty_above(model, (int)node, line, true);
    cache->counts.evictions++;
    if (find(cache, line)->state == OBVIOUS_M) {
        cache->counts.put_m++;
        write_below(model, cache, line);
    } else {
        cache->counts.clean_puts++;
    }
    leave(cache, line);
}

static void make_room(struct obvious_coherence *model, uint32_t node, uint64_t line)
{
    struct obvious_cache *cache = &model->nodes[node];
    uint32_t set = set_of(cache, line);
    if (cache->counts_of[set] == cache->ways)
        evict(model, node, cache->lines[set][cache->ways - 1].line);
    put_first(cache, (struct obvious_line){.line = line});
}

// Another cache of the same home that has the line in E or M.
static struct obvious_cache *owner_beside(struct obvious_coherence *model, uint32_t node,
                                          uint64_t line, uint32_t *number)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        struct obvious_cache *other = &model->nodes[i];
        const struct obvious_line *held = find(other, line);
        bool owns = held != NULL && held->state >= OBVIOUS_E;
        if (i != node && other->parent == model->nodes[node].parent && owns) {
            *number = i;
            return other;
        }
    }
    return NULL;
}

// The first other cache of the same home that has the line.
static struct obvious_cache *first_beside(struct obvious_coherence *model, uint32_t node,
                                          uint64_t line)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (i != node && model->nodes[i].parent == model->nodes[node].parent &&
            find(&model->nodes[i], line) != NULL)
            return &model->nodes[i];
    return NULL;
}

static void invalidate_beside(struct obvious_coherence *model, uint32_t node, uint64_t line)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        struct obvious_cache *other = &model->nodes[i];
        if (i == node || other->parent != model->nodes[node].parent || find(other, line) == NULL)
            continue;
        empty_above(model, (int)i, line, false);
        other->counts.invalidations++;
        leave(other, line);
    }
}

// The owner gives the line; what it has modified goes to the home too where both keep a copy.
static void owner_gives(struct obvious_coherence *model, uint32_t node, uint64_t line, bool writes)
{
    uint32_t number = 0;
    struct obvious_cache *owner = owner_beside(model, node, line, &number);
    owner->counts.forwards++;
    if (writes) {
        invalidate_beside(model, node, line);
        return;
    }
    share_above(model, (int)number, line);
    if (find(owner, line)->state == OBVIOUS_M)
        write_below(model, owner, line);
    find(owner, line)->state = OBVIOUS_S;
    owner->counts.downgrades++;
}

static enum obvious_state below_state(struct obvious_coherence *model,
                                      const struct obvious_cache *of, uint64_t line)
{
    return of->parent < 0 ? OBVIOUS_M : find(&model->nodes[of->parent], line)->state;
}

// What a cache lacks for a read or a write.
static void fetch(struct obvious_coherence *model, uint32_t node, uint64_t line, bool writes)
{
    struct obvious_cache *cache = &model->nodes[node];
    bool has = find(cache, line)->state != OBVIOUS_I;
    uint32_t number;
    *(writes ? &cache->counts.write_requests : &cache->counts.read_requests) += 1;
    cache->counts.upgrades += writes && has;
    if (cache->parent >= 0) {
        struct obvious_cache *home = &model->nodes[cache->parent];
        bool held = find(home, line) != NULL;
        if (!has)
            *(held ? &home->counts.hits : &home->counts.misses) += 1;
        acquire(model, (uint32_t)cache->parent, line, writes, !has);
    }
    enum obvious_state becomes = writes ? OBVIOUS_M : OBVIOUS_E;
    if (owner_beside(model, node, line, &number) != NULL) {
        owner_gives(model, node, line, writes);
        becomes = writes ? OBVIOUS_M : OBVIOUS_S;
    } else {
        struct obvious_cache *sharer = first_beside(model, node, line);
        bool gives = model->clean_forward && cache->parent < 0 && sharer != NULL && !writes;
        if (writes)
            invalidate_beside(model, node, line);
        else if (sharer != NULL || below_state(model, cache, line) == OBVIOUS_S)
            becomes = OBVIOUS_S;
        if (gives)
            sharer->counts.forwards++;
        else
            model->dram_reads += cache->parent < 0 && !has;
    }
    find(cache, line)->state = becomes;
}

// The cache has the line, to be read or written, and has used it.
static void acquire(struct obvious_coherence *model, uint32_t node, uint64_t line, bool writes,
                    bool notices)
{
    struct obvious_cache *cache = &model->nodes[node];
    if (find(cache, line) != NULL) {
        use(cache, line);
        if (notices)
            notice_use(cache, line);
    } else {
        make_room(model, node, line);
        if (notices)
            notice(cache, line, false);
    }
    enum obvious_state state = find(cache, line)->state;
    if (state == OBVIOUS_I || (writes && state == OBVIOUS_S))
        fetch(model, node, line, writes);
}

void obvious_coherence_access(struct obvious_coherence *model, uint32_t node, uint64_t line,
                              enum wm_access_kind kind)
{
    struct obvious_cache *cache = &model->nodes[node];
    enum obvious_state state = obvious_coherence_state(model, node, line);
    *(state != OBVIOUS_I ? &cache->counts.hits : &cache->counts.misses) += 1;
    cache->counts.locked_hits += kind >= WM_ACCESS_ATOMIC && state >= OBVIOUS_E;
    // Of caches above that know nothing of the access.
    if (kind == WM_ACCESS_LOAD)
        share_above(model, (int)node, line);
    else
        empty_above(model, (int)node, line, false);
    acquire(model, node, line, kind != WM_ACCESS_LOAD, true);
    if (kind != WM_ACCESS_LOAD)
        find(cache, line)->state = OBVIOUS_M;
    prefetch(model, (int)node, line);
}

void obvious_coherence_load_past(struct obvious_coherence *model, uint32_t node, uint64_t line,
                                 bool looks_up)
{
    struct obvious_cache *cache = &model->nodes[node];
    if (find(cache, line) != NULL) {
        obvious_coherence_access(model, node, line, WM_ACCESS_LOAD);
        return;
    }
    *(looks_up ? &cache->counts.misses : &cache->counts.hits) += 1;
    put_first(cache, (struct obvious_line){.line = line}); // for now, beside its ways
    fetch(model, node, line, false);
    cache->counts.clean_puts++;
    take_out(cache, line);
    prefetch(model, (int)node, line);
}

static bool may_be_modified_above(struct obvious_coherence *model, uint32_t node, uint64_t line)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        const struct obvious_line *held = find(&model->nodes[i], line);
        if (model->nodes[i].parent == (int)node && held != NULL && held->state >= OBVIOUS_E)
            return true;
    }
    return false;
}

void obvious_coherence_clean(struct obvious_coherence *model, uint64_t line)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        struct obvious_cache *cache = &model->nodes[i];
        struct obvious_line *held = find(cache, line);
        if (cache->parent >= 0 || held == NULL ||
            (held->state != OBVIOUS_M && !may_be_modified_above(model, i, line)))
            continue;
        share_above(model, (int)i, line);
        if (held->state == OBVIOUS_M)
            write_below(model, cache, line);
        held->state = OBVIOUS_S;
        cache->counts.downgrades++;
    }
}

void obvious_coherence_recall(struct obvious_coherence *model, uint64_t line)
{
    uint64_t writes = model->dram_writes;
    empty_above(model, -1, line, true);
    model->dram_writes = writes; // what the host overwrites is written nowhere
}
