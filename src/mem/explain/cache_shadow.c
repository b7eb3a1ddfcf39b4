#include "mem/explain/cache_shadow.h"

#include <stdlib.h>

#define DECLARATIONS(list)           \
    {                                \
        list(WM_COUNTER_DECLARATION) \
    }
static const struct wm_counter_declaration cache_declarations[] =
    DECLARATIONS(WM_EXPLAINED_CACHE_COUNTERS);
static const struct wm_counter_declaration cause_declarations[] =
    DECLARATIONS(WM_EXPLAINED_CAUSE_COUNTERS);

#define COUNTER_SET(key, name, list)                                                            \
    {                                                                                           \
        .kind = key, .title = name, .declarations = list, .count = sizeof list / sizeof list[0] \
    }
const struct wm_counter_set wm_l1_explained_set =
    COUNTER_SET("l1_explained", "why L1 missed", cache_declarations);
const struct wm_counter_set wm_l2_explained_set =
    COUNTER_SET("l2_explained", "why L2 missed", cache_declarations);
const struct wm_counter_set wm_cause_explained_set =
    COUNTER_SET("cause_explained", "why a memory instruction missed", cause_declarations);

void wm_cache_shadow_init(struct wm_cache_shadow *shadow, uint32_t capacity_lines)
{
    *shadow = (struct wm_cache_shadow){
        .capacity_lines = capacity_lines, .newest = WM_NO_LINE, .oldest = WM_NO_LINE};
}

void wm_cache_shadow_release(struct wm_cache_shadow *shadow)
{
    wm_line_table_release(&shadow->table);
    free(shadow->lines);
    *shadow = (struct wm_cache_shadow){0};
}

void wm_cache_shadow_clear(struct wm_cache_shadow *shadow)
{
    wm_line_table_clear(&shadow->table);
    shadow->newest = shadow->oldest = WM_NO_LINE;
    shadow->held_lines = 0;
}

static struct wm_shadow_line *find(struct wm_cache_shadow *shadow, uint64_t line)
{
    uint32_t index = wm_line_table_find(&shadow->table, line);
    return index == WM_NO_LINE ? NULL : &shadow->lines[index];
}

// The index of `line`, new or known; WM_NO_LINE when memory ran out.
static uint32_t enter(struct wm_cache_shadow *shadow, uint64_t line)
{
    uint32_t before = shadow->table.count;
    uint32_t index = wm_line_table_add(&shadow->table, line);
    if (index == WM_NO_LINE)
        return index;
    if (shadow->line_capacity < shadow->table.capacity) {
        struct wm_shadow_line *lines =
            realloc(shadow->lines, shadow->table.capacity * sizeof *lines);
        if (lines == NULL)
            return WM_NO_LINE;
        shadow->lines = lines;
        shadow->line_capacity = shadow->table.capacity;
    }
    if (index == before)
        shadow->lines[index] = (struct wm_shadow_line){0};
    return index;
}

// --- The fully associative cache: a list in order of use ---

static void unlink_line(struct wm_cache_shadow *shadow, struct wm_shadow_line *line)
{
    if (line->newer != WM_NO_LINE)
        shadow->lines[line->newer].older = line->older;
    else
        shadow->newest = line->older;
    if (line->older != WM_NO_LINE)
        shadow->lines[line->older].newer = line->newer;
    else
        shadow->oldest = line->newer;
    line->listed = false;
    shadow->held_lines--;
}

static void link_newest(struct wm_cache_shadow *shadow, uint32_t index)
{
    struct wm_shadow_line *line = &shadow->lines[index];
    line->newer = WM_NO_LINE;
    line->older = shadow->newest;
    if (shadow->newest != WM_NO_LINE)
        shadow->lines[shadow->newest].newer = index;
    else
        shadow->oldest = index;
    shadow->newest = index;
    line->listed = true;
    shadow->held_lines++;
}

static void use_associative(struct wm_cache_shadow *shadow, uint32_t index,
                            const struct wm_shadow_access *access)
{
    struct wm_shadow_line *line = &shadow->lines[index];
    if (!line->listed && !access->allocate)
        return;
    if (line->listed) {
        unlink_line(shadow, line);
    } else {
        line->associative = 0;
        if (shadow->held_lines == shadow->capacity_lines)
            unlink_line(shadow, &shadow->lines[shadow->oldest]);
    }
    link_newest(shadow, index);
    if (access->allocate)
        line->associative |= access->units;
}

static void drop_line(struct wm_cache_shadow *shadow, struct wm_shadow_line *line, uint32_t sectors)
{
    line->endless &= ~sectors;
    if (!line->listed)
        return;
    line->associative &= ~sectors;
    if (line->associative == 0)
        unlink_line(shadow, line);
}

// --- The classes ---

static uint32_t count(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

static void blame(const struct wm_shadow_line *line, const struct wm_shadow_origin *origin,
                  uint32_t sectors, struct wm_miss_classes *classes)
{
    if (!line->evicted)
        return;
    if (line->evictor_block != origin->block)
        classes->other_block = sectors;
    else if (line->evictor_warp != origin->warp)
        classes->same_block = sectors;
    else
        classes->same_warp = sectors;
}

static struct wm_miss_classes classify(const struct wm_shadow_line *line,
                                       const struct wm_shadow_access *access)
{
    struct wm_miss_classes classes = {0};
    uint32_t missing = access->missing, endless = line->endless;
    uint32_t associative = line->listed ? line->associative : 0;
    uint32_t lost = missing & ~endless;
    if (!access->allocate) {
        classes.unallocated = count(lost);
    } else {
        classes.cold = count(lost & ~line->given);
        classes.coherence = count(lost & line->given);
    }
    classes.capacity = count(missing & endless & ~associative);
    classes.conflict = count(missing & endless & associative);
    blame(line, &access->origin, classes.capacity + classes.conflict, &classes);
    return classes;
}

static void add(struct wm_explained_cache *counters, const struct wm_miss_classes *classes)
{
    counters->cold += classes->cold;
    counters->coherence += classes->coherence;
    counters->capacity += classes->capacity;
    counters->conflict += classes->conflict;
    counters->unallocated += classes->unallocated;
    counters->evicted_same_warp += classes->same_warp;
    counters->evicted_same_block += classes->same_block;
    counters->evicted_other_block += classes->other_block;
}

struct wm_miss_classes wm_cache_shadow_access(struct wm_cache_shadow *shadow,
                                              const struct wm_shadow_access *access)
{
    struct wm_miss_classes classes = {0};
    if (shadow->failed)
        return classes;
    uint32_t index = enter(shadow, access->line);
    if (index == WM_NO_LINE) {
        shadow->failed = true;
        return classes;
    }
    struct wm_shadow_line *line = &shadow->lines[index];
    if (access->counted) {
        classes = classify(line, access);
        add(&shadow->counters, &classes);
    }
    // Found or not: whoever brought the line did so for something.
    if (access->counted && line->again != NULL)
        *line->again += count(access->sectors & line->endless);
    if (access->allocate && access->missing != 0)
        line->again = access->again;
    if (access->allocate)
        line->brought |= access->units;
    line->used |= access->sectors;
    if (access->drops) {
        line->brought = line->used = 0;
        drop_line(shadow, line, UINT32_MAX);
        return classes;
    }
    use_associative(shadow, index, access);
    if (access->allocate) {
        line->endless |= access->units;
        line->given |= access->units;
    }
    return classes;
}

void wm_cache_shadow_evicted(struct wm_cache_shadow *shadow, uint64_t line,
                             const struct wm_shadow_origin *origin)
{
    struct wm_shadow_line *entry = find(shadow, line);
    if (entry == NULL)
        return;
    shadow->counters.fetched_unused += count(entry->brought & ~entry->used);
    entry->brought = entry->used = 0;
    entry->evicted = true;
    entry->evictor_block = origin->block;
    entry->evictor_warp = origin->warp;
}

void wm_cache_shadow_drop(struct wm_cache_shadow *shadow, uint64_t line, uint32_t sectors)
{
    struct wm_shadow_line *entry = find(shadow, line);
    if (entry == NULL)
        return;
    entry->brought &= ~sectors;
    drop_line(shadow, entry, sectors);
}
