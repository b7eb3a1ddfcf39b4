#include "mem/explain/cache_shadow.h"

#include "base/access/access.h"
#include "base/containers/array.h"

#include <stddef.h>
#include <stdlib.h>

void wm_cache_shadow_init(struct wm_cache_shadow *shadow, uint32_t capacity_lines,
                          uint32_t line_sectors)
{
    *shadow = (struct wm_cache_shadow){.capacity_lines = capacity_lines,
                                       .line_sectors = line_sectors,
                                       .newest = WM_NO_INDEX,
                                       .oldest = WM_NO_INDEX};
}

void wm_cache_shadow_release(struct wm_cache_shadow *shadow)
{
    wm_key_table_release(&shadow->table);
    free(shadow->lines);
    free(shadow->sectors);
    *shadow = (struct wm_cache_shadow){0};
}

void wm_cache_shadow_clear(struct wm_cache_shadow *shadow)
{
    wm_cache_shadow_count_unused(shadow);
    wm_key_table_clear(&shadow->table);
    shadow->newest = shadow->oldest = WM_NO_INDEX;
    shadow->held_lines = 0;
}

static struct wm_shadow_line *find(struct wm_cache_shadow *shadow, uint64_t line)
{
    uint32_t index = wm_key_table_find(&shadow->table, line);
    // Beyond the room: memory ran out as the line was entered.
    return index == WM_NO_INDEX || index >= shadow->line_capacity ? NULL : &shadow->lines[index];
}

static bool make_room(struct wm_cache_shadow *shadow)
{
    size_t capacity = shadow->table.capacity;
    if (shadow->line_capacity >= capacity)
        return true;
    if (!WM_ARRAY_RESIZE(shadow->lines, capacity) ||
        !WM_ARRAY_RESIZE(shadow->sectors, capacity * shadow->line_sectors))
        return false;
    shadow->line_capacity = shadow->table.capacity;
    return true;
}

// The index of `line`, new or known; WM_NO_INDEX when memory ran out.
static uint32_t enter(struct wm_cache_shadow *shadow, uint64_t line)
{
    uint32_t before = shadow->table.count;
    uint32_t index = wm_key_table_add(&shadow->table, line);
    if (index == WM_NO_INDEX || !make_room(shadow))
        return WM_NO_INDEX;
    if (index == before) // what is known of its sectors is said by the line's masks
        shadow->lines[index] = (struct wm_shadow_line){0};
    return index;
}

static struct wm_shadow_sector *sectors_of(struct wm_cache_shadow *shadow,
                                           const struct wm_shadow_line *line)
{
    return shadow->sectors + (size_t)(line - shadow->lines) * shadow->line_sectors;
}

// --- The fully associative cache: a list in order of use ---

static void unlink_line(struct wm_cache_shadow *shadow, struct wm_shadow_line *line)
{
    if (line->newer != WM_NO_INDEX)
        shadow->lines[line->newer].older = line->older;
    else
        shadow->newest = line->older;
    if (line->older != WM_NO_INDEX)
        shadow->lines[line->older].newer = line->newer;
    else
        shadow->oldest = line->newer;
    line->listed = false;
    shadow->held_lines--;
}

static void link_newest(struct wm_cache_shadow *shadow, uint32_t index)
{
    struct wm_shadow_line *line = &shadow->lines[index];
    line->newer = WM_NO_INDEX;
    line->older = shadow->newest;
    if (shadow->newest != WM_NO_INDEX)
        shadow->lines[shadow->newest].newer = index;
    else
        shadow->oldest = index;
    shadow->newest = index;
    line->listed = true;
    shadow->held_lines++;
}

// A line that is not there enters, empty.
static void enter_associative(struct wm_cache_shadow *shadow, uint32_t index)
{
    shadow->lines[index].associative = 0;
    if (shadow->held_lines == shadow->capacity_lines)
        unlink_line(shadow, &shadow->lines[shadow->oldest]);
    link_newest(shadow, index);
}

static void use_associative(struct wm_cache_shadow *shadow, uint32_t index, bool takes)
{
    if (shadow->lines[index].listed) {
        unlink_line(shadow, &shadow->lines[index]);
        link_newest(shadow, index);
    } else if (takes) {
        enter_associative(shadow, index);
    }
}

// `sectors` are in the line from now on, of the cache and, but for what it displaces, of both
// shadows.
static void give(struct wm_shadow_line *line, uint32_t sectors)
{
    line->associative |= sectors;
    line->held |= sectors;
    line->endless |= sectors;
    line->given |= sectors;
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

// --- Counting ---

static uint32_t count(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

// Once for the cache, and for the instruction when there is one.
static void tally(struct wm_cache_shadow *shadow, uint64_t *charge, size_t offset, uint64_t amount)
{
    ((uint64_t *)&shadow->counters)[offset / sizeof(uint64_t)] += amount;
    if (charge != NULL)
        charge[offset / sizeof(uint64_t)] += amount;
}
#define TALLY(shadow, charge, name, amount) \
    tally(shadow, charge, offsetof(struct wm_explained_cache, name), amount)

static void add_classes(struct wm_cache_shadow *shadow, uint64_t *charge,
                        const struct wm_miss_classes *classes)
{
    TALLY(shadow, charge, cold, classes->cold);
    TALLY(shadow, charge, coherence, classes->coherence);
    TALLY(shadow, charge, capacity, classes->capacity);
    TALLY(shadow, charge, conflict, classes->conflict);
    TALLY(shadow, charge, unallocated, classes->unallocated);
    TALLY(shadow, charge, evicted_same_warp, classes->same_warp);
    TALLY(shadow, charge, evicted_same_block, classes->same_block);
    TALLY(shadow, charge, evicted_other_block, classes->other_block);
}

// An access that missed, by the kinds of its sectors.
static void add_access(struct wm_cache_shadow *shadow, uint64_t *charge,
                       const struct wm_miss_classes *classes)
{
    if (classes->same_block + classes->other_block != 0)
        TALLY(shadow, charge, accesses_other_warp, 1);
    else if (classes->same_warp != 0)
        TALLY(shadow, charge, accesses_same_warp, 1);
    else if (classes->capacity + classes->conflict != 0)
        TALLY(shadow, charge, accesses_refused, 1);
    else if (classes->coherence != 0)
        TALLY(shadow, charge, accesses_dropped, 1);
    else if (classes->cold != 0)
        TALLY(shadow, charge, accesses_cold, 1);
    else if (classes->unallocated != 0)
        TALLY(shadow, charge, accesses_unallocated, 1);
}

// --- What was fetched, and whether it was used ---

// `sectors` of the line leave the cache, or will without being used again.
static void count_unused(struct wm_cache_shadow *shadow, struct wm_shadow_line *line,
                         uint32_t sectors)
{
    for (uint32_t rest = line->fetched & sectors; rest != 0; rest &= rest - 1) {
        struct wm_shadow_sector *sector = &sectors_of(shadow, line)[__builtin_ctz(rest)];
        if (sector->requested == 0)
            TALLY(shadow, sector->charge, unused_sector_bytes, WM_SECTOR_BYTES);
        TALLY(shadow, sector->charge, unused_bytes, WM_SECTOR_BYTES - count(sector->requested));
    }
    line->fetched &= ~sectors;
}

static void note_use(struct wm_cache_shadow *shadow, struct wm_shadow_line *line,
                     const struct wm_shadow_access *access)
{
    struct wm_shadow_sector *sectors = sectors_of(shadow, line);
    if (!access->allocate) {
        wm_cache_shadow_passed(shadow, access->fetched, access->bytes, access->charge);
    } else if (access->fetched != 0) {
        // Not counted yet: the cache had refused to keep it, without a call from here.
        count_unused(shadow, line, access->fetched);
        TALLY(shadow, access->charge, fetched_bytes,
              (uint64_t)count(access->fetched) * WM_SECTOR_BYTES);
        for (uint32_t rest = access->fetched; rest != 0; rest &= rest - 1) {
            sectors[__builtin_ctz(rest)].charge = access->charge;
            sectors[__builtin_ctz(rest)].requested = 0;
        }
        line->fetched |= access->fetched;
    }
    for (uint32_t rest = access->sectors & line->fetched; rest != 0; rest &= rest - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(rest);
        sectors[at].requested |= access->bytes != NULL ? access->bytes[at] : UINT32_MAX;
    }
}

void wm_cache_shadow_passed(struct wm_cache_shadow *shadow, uint32_t sectors, const uint32_t *bytes,
                            uint64_t *charge)
{
    for (uint32_t rest = sectors; rest != 0; rest &= rest - 1) {
        uint32_t requested = bytes != NULL ? bytes[__builtin_ctz(rest)] : UINT32_MAX;
        TALLY(shadow, charge, fetched_bytes, WM_SECTOR_BYTES);
        TALLY(shadow, charge, unused_bytes, WM_SECTOR_BYTES - count(requested));
    }
}

void wm_cache_shadow_count_unused(struct wm_cache_shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->table.count && i < shadow->line_capacity; i++)
        count_unused(shadow, &shadow->lines[i], UINT32_MAX);
}

// --- The classes ---

static void blame(struct wm_cache_shadow *shadow, const struct wm_shadow_line *line,
                  const struct wm_shadow_requester *requester, uint32_t sectors,
                  struct wm_miss_classes *classes)
{
    for (uint32_t rest = sectors & line->evicted; rest != 0; rest &= rest - 1) {
        const struct wm_shadow_sector *sector = &sectors_of(shadow, line)[__builtin_ctz(rest)];
        if (sector->evictor_block != requester->block)
            classes->other_block++;
        else if (sector->evictor_warp != requester->warp)
            classes->same_block++;
        else
            classes->same_warp++;
    }
}

static struct wm_miss_classes classify(struct wm_cache_shadow *shadow,
                                       const struct wm_shadow_line *line,
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
    blame(shadow, line, &access->requester, missing & endless, &classes);
    return classes;
}

struct wm_miss_classes wm_cache_shadow_access(struct wm_cache_shadow *shadow,
                                              const struct wm_shadow_access *access)
{
    struct wm_miss_classes classes = {0};
    uint32_t index = shadow->failed ? WM_NO_INDEX : enter(shadow, access->line);
    if (index == WM_NO_INDEX) {
        shadow->failed = true;
        return classes;
    }
    struct wm_shadow_line *line = &shadow->lines[index];
    if (access->counted) {
        classes = classify(shadow, line, access);
        add_classes(shadow, access->charge, &classes);
        add_access(shadow, access->charge, &classes);
        // Found or not: the access that brought the line was of use.
        uint32_t here = line->endless | (access->later ? ~access->missing : 0);
        TALLY(shadow, line->charge, again, count(access->sectors & here));
    }
    if (access->allocate && access->missing != 0)
        line->charge = access->charge;
    note_use(shadow, line, access);
    if (access->drops) {
        count_unused(shadow, line, UINT32_MAX);
        line->held = 0;
        drop_line(shadow, line, UINT32_MAX);
        return classes;
    }
    bool takes = access->allocate && !access->later;
    use_associative(shadow, index, takes);
    if (takes)
        give(line, access->units);
    return classes;
}

void wm_cache_shadow_filled(struct wm_cache_shadow *shadow, uint64_t line, uint32_t sectors,
                            bool taken)
{
    uint32_t index = wm_key_table_find(&shadow->table, line);
    if (index == WM_NO_INDEX || index >= shadow->line_capacity)
        return;
    if (!shadow->lines[index].listed)
        enter_associative(shadow, index);
    uint32_t held = shadow->lines[index].held;
    give(&shadow->lines[index], sectors);
    if (!taken)
        shadow->lines[index].held = held;
}

void wm_cache_shadow_evicted(struct wm_cache_shadow *shadow, uint64_t line,
                             const struct wm_shadow_requester *requester)
{
    struct wm_shadow_line *entry = find(shadow, line);
    if (entry == NULL)
        return;
    count_unused(shadow, entry, UINT32_MAX);
    for (uint32_t rest = entry->held; rest != 0; rest &= rest - 1) {
        struct wm_shadow_sector *sector = &sectors_of(shadow, entry)[__builtin_ctz(rest)];
        sector->evictor_block = requester->block;
        sector->evictor_warp = requester->warp;
    }
    entry->evicted |= entry->held;
    entry->held = 0;
}

void wm_cache_shadow_drop(struct wm_cache_shadow *shadow, uint64_t line, uint32_t sectors)
{
    struct wm_shadow_line *entry = find(shadow, line);
    if (entry == NULL)
        return;
    count_unused(shadow, entry, sectors);
    entry->held &= ~sectors;
    drop_line(shadow, entry, sectors);
}
