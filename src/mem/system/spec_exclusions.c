// Which parts of levels exclude each other: one table, with the sentence that a user reads.
#include "mem/bypass/entries.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_spec_check_parts.h"

#define FIELDS WM_SPEC_FIELDS
#define refuse wm_spec_refuse
#define cure wm_spec_cure

static bool is_absent(const struct wm_level_spec *level)
{
    return !level->cache.present;
}
static bool is_under_opt(const struct wm_level_spec *level)
{
    return level->cache.replacement == &wm_replacement_opt;
}
static bool is_not_lru(const struct wm_level_spec *level)
{
    return level->cache.present && level->cache.replacement != &wm_replacement_lru;
}
static bool writes_back(const struct wm_level_spec *level)
{
    return level->cache.write_policy == WM_WRITE_BACK;
}
static bool passes_stores(const struct wm_level_spec *level)
{
    return level->cache.write_policy != WM_WRITE_BACK;
}
static bool takes_host_writes(const struct wm_level_spec *level)
{
    return level->cache.present && level->host_write_allocate;
}
static bool is_limited(const struct wm_level_spec *level)
{
    return level->cache.present && level->cache.dirty_limit_bytes != 0;
}
static bool takes_stores(const struct wm_level_spec *level)
{
    return level->cache.write_allocate;
}
static bool has_sectors(const struct wm_level_spec *level)
{
    return level->cache.sector_bytes != level->cache.line_bytes;
}
static bool has_masks(const struct wm_level_spec *level)
{
    return level->cache.write_fetch == WM_FETCH_NEVER;
}
static bool has_slices(const struct wm_level_spec *level)
{
    return level->slices > 1;
}
static bool has_victims(const struct wm_level_spec *level)
{
    return level->victim_lines != 0;
}
static bool is_related(const struct wm_level_spec *level)
{
    return level->inclusion != WM_NON_INCLUSIVE;
}
static bool is_tracked(const struct wm_level_spec *level)
{
    return level->tracker.present;
}
static bool has_buffer(const struct wm_level_spec *level)
{
    return level->cache.present && level->atomic_buffer_lines != 0;
}
static bool has_below(const struct wm_level_spec *level)
{
    return level->below != WM_BELOW_DEFAULT && level->below != WM_BELOW_MEMORY;
}
static bool gauges(const struct wm_level_spec *level)
{
    return level->divergence.insertion != WM_INSERT_FRONT;
}
static bool promotes(const struct wm_level_spec *level)
{
    return level->divergence.promotion != 0;
}
static bool has_region(const struct wm_level_spec *level)
{
    return level->divergence.region != WM_REGION_NONE;
}
static bool region_stays(const struct wm_level_spec *level)
{
    return level->divergence.full != WM_FULL_ANY;
}
static bool fills_take_banks(const struct wm_level_spec *level)
{
    return level->banks.take_fills;
}
static bool has_no_banks(const struct wm_level_spec *level)
{
    return level->banks.count == 0;
}

static bool joins_in_flight(const struct wm_level_spec *level)
{
    return level->coalescing == WM_COALESCES_IN_FLIGHT;
}
static bool has_bypass(const struct wm_level_spec *level)
{
    return level->bypass != NULL && level->bypass != &wm_bypass_cache_operator;
}
static bool refuses(const struct wm_level_spec *level)
{
    return level->locked_line == WM_LOCKED_REFUSES;
}

static bool is_in_partitions(const struct wm_level_spec *level)
{
    return level->cache.present && level->partitions > 1;
}

static bool is_exclusive(const struct wm_level_spec *level)
{
    return level->inclusion == WM_EXCLUSIVE;
}

static bool is_coherent(const struct wm_level_spec *level)
{
    return level->coherence == WM_LEVEL_MESI;
}
static bool is_incoherent(const struct wm_level_spec *level)
{
    return level->cache.present && level->coherence == WM_LEVEL_INCOHERENT;
}
static bool is_scoped(const struct wm_level_spec *level)
{
    return level->coherence == WM_LEVEL_SCOPED;
}
static bool passes_missing_stores(const struct wm_level_spec *level)
{
    return !level->cache.write_allocate;
}
static bool takes_uncached(const struct wm_level_spec *level)
{
    return level->load_allocation == WM_L2_TAKES_UNCACHED;
}
static bool is_flushed(const struct wm_level_spec *level)
{
    return level->flush_at_kernel;
}

enum part {
    ABSENT,
    OPT,
    NOT_LRU,
    WRITE_BACK,
    WRITE_THROUGH,
    DIRTY_LIMIT,
    HOST_WRITES,
    STORES,
    SECTORS,
    MASKS,
    SLICES,
    VICTIMS,
    RELATED,
    EXCLUSIVE,
    PREFETCH,
    TRACKER,
    BUFFER,
    BELOW,
    GAUGE,
    PROMOTION,
    REGION,
    REGION_STAYS,
    BANK_FILLS,
    NO_BANKS,
    COALESCING,
    BYPASS,
    REFUSES,
    PARTITIONS,
    COHERENT,
    INCOHERENT,
    SCOPED,
    NO_STORES,
    UNCACHED,
    FLUSHES,
};

#define PART(field, says, has)                                       \
    {                                                                \
#field, offsetof(struct wm_level_spec, field),               \
            sizeof(((struct wm_level_spec *)NULL)->field), says, has \
    }
static const struct {
    const char *member;
    size_t offset, bytes;
    const char *says;
    bool (*has)(const struct wm_level_spec *level);
} parts[] = {
    [ABSENT] = PART(cache.present, "is false", is_absent),
    [OPT] = PART(cache.replacement, "is opt", is_under_opt),
    [NOT_LRU] = PART(cache.replacement, "is not lru", is_not_lru),
    [WRITE_BACK] = PART(cache.write_policy, "is back", writes_back),
    [WRITE_THROUGH] = PART(cache.write_policy, "is not back", passes_stores),
    [DIRTY_LIMIT] = PART(cache.dirty_limit_bytes, "is not 0", is_limited),
    [HOST_WRITES] = PART(host_write_allocate, "is true", takes_host_writes),
    [STORES] = PART(cache.write_allocate, "is true", takes_stores),
    [SECTORS] = PART(cache.sector_bytes, "is less than a line", has_sectors),
    [MASKS] = PART(cache.write_fetch, "is never", has_masks),
    [SLICES] = PART(slices, "is more than 1", has_slices),
    [VICTIMS] = PART(victim_lines, "is not 0", has_victims),
    [RELATED] = PART(inclusion, "is inclusive", is_related),
    [EXCLUSIVE] = PART(inclusion, "is exclusive", is_exclusive),
    [PREFETCH] = PART(prefetch, "is not none", wm_level_has_prefetcher),
    [TRACKER] = PART(tracker.present, "is true", is_tracked),
    [BUFFER] = PART(atomic_buffer_lines, "is not 0", has_buffer),
    [BELOW] = PART(below, "is not memory", has_below),
    [GAUGE] = PART(divergence.insertion, "is not front", gauges),
    [PROMOTION] = PART(divergence.promotion, "is not 0", promotes),
    [REGION] = PART(divergence.region, "is not none", has_region),
    [REGION_STAYS] = PART(divergence.full, "is not displace", region_stays),
    [BANK_FILLS] = PART(banks.take_fills, "is true", fills_take_banks),
    [NO_BANKS] = PART(banks.count, "is 0", has_no_banks),
    [COALESCING] = PART(coalescing, "is in-flight", joins_in_flight),
    [BYPASS] = PART(bypass, "is not cache-operator", has_bypass),
    [REFUSES] = PART(locked_line, "is refuse", refuses),
    [PARTITIONS] = PART(partitions, "is more than 1", is_in_partitions),
    [COHERENT] = PART(coherence, "is mesi", is_coherent),
    [INCOHERENT] = PART(coherence, "is none", is_incoherent),
    [SCOPED] = PART(coherence, "is scoped", is_scoped),
    [NO_STORES] = PART(cache.write_allocate, "is false", passes_missing_stores),
    [UNCACHED] = PART(load_allocation, "is uncached", takes_uncached),
    [FLUSHES] = PART(flush_at_kernel, "is true", is_flushed),
};

static struct wm_spec_field field_of(const struct wm_checked_level *level, enum part part)
{
    return (struct wm_spec_field){.group = level->name,
                                  .member = parts[part].member,
                                  .at = (const char *)level->spec + parts[part].offset,
                                  .bytes = parts[part].bytes};
}

static const char *says(const struct wm_checked_level *level, enum part part)
{
    bool exclusive = part == RELATED && level->spec->inclusion == WM_EXCLUSIVE;
    return exclusive ? "is exclusive" : parts[part].says;
}

// Where the other part is, seen from the level of the first.
enum where { HERE, ABOVE, UNDER };

static const char leaves[] = "opt does not know at once which line leaves";
static const char masks_stay[] = "which bytes were written is not known of a line that moves";
static const char chain[] = "it says how a chain of recency is used, which only lru has";
static const char tracked[] = "trackers want L1s that write through, take no lines for stores, "
                              "fetch whole lines, each in one cache, and know nothing of what is "
                              "below";
static const char related[] = "levels above are related to what the cache itself holds";
static const char related_above[] = "it knows of what comes into levels above by their requests";
static const char buffered[] = "what is buffered is in no other cache";

static const char limited[] = "what is dirty is known of lines that are whole and stay";

static const char whole[] = "a coherent line is fetched whole before it is read or written";
static const char home_knows[] = "the home of a coherent line knows each cache that has it";
static const char drops[] = "an acquire drops all lines that the cache has, and nothing else";
static const char stays[] = "a coherent line that is wanted takes a place";

static const char copied[] = "it would have to know of copies in the other partition";

static const struct {
    enum part part;
    enum where where;
    enum part other;
    const char *why, *cure;
} exclusions[] = {
    {RELATED, HERE, ABSENT, "what is not there knows of nothing above",
     "set {0} to non-inclusive, or {1} to true"},
    {TRACKER, HERE, ABSENT, tracked, "set {0} to false, or {1} to true"},
    {MASKS, HERE, OPT, leaves, "name another {1}, or another {0}"},
    {VICTIMS, HERE, OPT, leaves, "name another {1}, or set {0} to 0"},
    {VICTIMS, HERE, MASKS, masks_stay, "name another {1}, or set {0} to 0"},
    {VICTIMS, HERE, RELATED, related, "set {0} to 0, or {1} to non-inclusive"},
    {VICTIMS, HERE, BUFFER, buffered, "set one of the two to 0"},
    {RELATED, HERE, OPT, leaves, "name another {1}, or set {0} to non-inclusive"},
    {RELATED, ABOVE, OPT, leaves, "name another {1}, or set {0} to non-inclusive"},
    {RELATED, HERE, MASKS, masks_stay, "name another {1}, or set {0} to non-inclusive"},
    {RELATED, ABOVE, MASKS, masks_stay, "name another {1}, or set {0} to non-inclusive"},
    {TRACKER, HERE, WRITE_BACK, tracked, "set {0} to false, or name another {1}"},
    {TRACKER, HERE, STORES, tracked, "set one of the two to false"},
    {TRACKER, HERE, SECTORS, tracked, "set {0} to false, or make {1} a line"},
    {TRACKER, HERE, MASKS, tracked, "set {0} to false, or name another {1}"},
    {TRACKER, HERE, VICTIMS, tracked, "set {0} to false, or {1} to 0"},
    {TRACKER, UNDER, RELATED, tracked, "set {0} to false, or {1} to non-inclusive"},
    {TRACKER, HERE, SLICES, tracked, "set {0} to false, or {1} to 0"},
    {TRACKER, HERE, OPT, leaves, "set {0} to false, or name another {1}"},
    {TRACKER, HERE, PREFETCH, tracked, "set {0} to false, or {1} to none"},
    {PREFETCH, UNDER, EXCLUSIVE, "a line is above or below, and not held in between",
     "set {0} to none, or {1} to non-inclusive"},
    {BUFFER, HERE, RELATED, buffered, "set {0} to 0, or {1} to non-inclusive"},
    {BUFFER, HERE, BELOW, buffered, "set {0} to 0: atomics are done at the last level"},
    {BUFFER, HERE, OPT, leaves, "name another {1}, or set {0} to 0"},
    {DIRTY_LIMIT, HERE, WRITE_THROUGH, "nothing is dirty", "set {0} to 0, or {1} to back"},
    {DIRTY_LIMIT, HERE, OPT, leaves, "name another {1}, or set {0} to 0"},
    {DIRTY_LIMIT, HERE, MASKS, limited, "set {0} to 0, or name another {1}"},
    {DIRTY_LIMIT, HERE, VICTIMS, limited, "set one of the two to 0"},
    {DIRTY_LIMIT, HERE, RELATED, limited, "set {0} to 0, or {1} to non-inclusive"},
    {DIRTY_LIMIT, UNDER, EXCLUSIVE, limited, "set {0} to 0, or {1} to non-inclusive"},
    {DIRTY_LIMIT, HERE, BUFFER, limited, "set one of the two to 0"},
    {HOST_WRITES, HERE, OPT, leaves, "name another {1}, or set {0} to false"},
    {HOST_WRITES, HERE, MASKS, limited, "set {0} to false, or name another {1}"},
    {HOST_WRITES, HERE, VICTIMS, limited, "set {0} to false, or {1} to 0"},
    {HOST_WRITES, HERE, RELATED, related, "set {0} to false, or {1} to non-inclusive"},
    {HOST_WRITES, UNDER, RELATED, related_above, "set {0} to false, or {1} to non-inclusive"},
    {HOST_WRITES, HERE, BUFFER, buffered, "set {0} to false, or {1} to 0"},
    {GAUGE, HERE, NOT_LRU, chain, "set {1} to lru, or {0} to front"},
    {PROMOTION, HERE, NOT_LRU, chain, "set {1} to lru, or {0} to 0"},
    {REGION, HERE, NOT_LRU, chain, "set {1} to lru, or {0} to none"},
    {REGION_STAYS, HERE, NOT_LRU, chain, "set {1} to lru, or {0} to displace"},
    {COALESCING, HERE, BYPASS, "what comes to the cache is known only when it is looked up",
     "set {0} to none, or {1} to cache-operator"},
    {COALESCING, HERE, MASKS, "requests join whose bytes differ",
     "set {0} to none, or name another {1}"},
    {REFUSES, HERE, RELATED, "what is refused would have to be known above",
     "set {0} to merge, or {1} to non-inclusive"},
    {REFUSES, HERE, BUFFER, buffered, "set {0} to merge, or {1} to 0"},
    {PARTITIONS, HERE, OPT, leaves, "name another {1}, or set {0} to 1"},
    {PARTITIONS, HERE, MASKS, "copies are of lines that are known whole",
     "name another {1}, or set {0} to 1"},
    {PARTITIONS, HERE, VICTIMS, copied, "set {0} to 1, or {1} to 0"},
    {PARTITIONS, HERE, RELATED, copied, "set {0} to 1, or {1} to non-inclusive"},
    {PARTITIONS, HERE, PREFETCH, copied, "set {0} to 1, or {1} to none"},
    {PARTITIONS, HERE, BUFFER, copied, "set {0} to 1, or {1} to 0"},
    {PARTITIONS, HERE, BELOW, "its slices stand before memory", "set {0} to 1, or {1} to memory"},
    {PARTITIONS, HERE, REFUSES, copied, "set {0} to 1, or {1} to merge"},
    {COHERENT, HERE, ABSENT, "what is not there has no lines", "set {0} to none, or {1} to true"},
    {COHERENT, HERE, OPT, leaves, "name another {1}, or set {0} to none"},
    {COHERENT, HERE, WRITE_THROUGH, "a modified line stays in the cache that owns it",
     "set {1} to back, or {0} to none"},
    {COHERENT, HERE, NO_STORES, whole, "set {1} to true, or {0} to none"},
    {COHERENT, HERE, SECTORS, whole, "make {1} a line, or set {0} to none"},
    {COHERENT, HERE, MASKS, whole, "set {1} to partial, or {0} to none"},
    {COHERENT, HERE, DIRTY_LIMIT, "a modified line stays until it is evicted or requested",
     "set {1} to 0, or {0} to none"},
    {COHERENT, HERE, HOST_WRITES, "what the host writes is recalled",
     "set {1} to false, or {0} to none"},
    {COHERENT, HERE, VICTIMS, home_knows, "set {1} to 0, or {0} to none"},
    {COHERENT, HERE, EXCLUSIVE, "a coherent level includes the levels above it",
     "set {1} to inclusive, or {0} to none"},
    {COHERENT, HERE, UNCACHED, stays, "set {1} to all, or {0} to none"},
    {COHERENT, HERE, BUFFER, home_knows, "set {1} to 0, or {0} to none"},
    {COHERENT, HERE, GAUGE, stays, "set {1} to front, or {0} to none"},
    {COHERENT, HERE, PROMOTION, stays, "set {1} to 0, or {0} to none"},
    {COHERENT, HERE, REGION, stays, "set {1} to none, or {0} to none"},
    {COHERENT, HERE, REGION_STAYS, stays, "set {1} to displace, or {0} to none"},
    {COHERENT, HERE, COALESCING, home_knows, "set {1} to none, or {0} to none"},
    {COHERENT, HERE, REFUSES, home_knows, "set {1} to merge, or {0} to none"},
    {COHERENT, HERE, PARTITIONS, home_knows, "set {1} to 1, or {0} to none"},
    {COHERENT, HERE, FLUSHES, "coherent lines are never old, and need no flush",
     "set {1} to false, or {0} to none"},
    {COHERENT, UNDER, INCOHERENT, "the home of a coherent line is coherent itself, or memory",
     "set {1} to mesi, or {0} to none"},
    {TRACKER, UNDER, COHERENT, tracked, "set {0} to false, or {1} to none"},
    {SCOPED, HERE, ABSENT, "what is not there has no lines", "set {0} to none, or {1} to true"},
    {SCOPED, HERE, WRITE_BACK, "a release would have to write back what is dirty",
     "set {1} to through-update or through-evict, or {0} to none"},
    {SCOPED, HERE, OPT, leaves, "name another {1}, or set {0} to none"},
    {SCOPED, HERE, RELATED, "levels above would keep what it drops",
     "set {1} to non-inclusive, or {0} to none"},
    {SCOPED, UNDER, EXCLUSIVE, "a line that is dropped would be below no more",
     "set {1} to non-inclusive or inclusive, or {0} to none"},
    {SCOPED, HERE, VICTIMS, drops, "set {1} to 0, or {0} to none"},
    {SCOPED, HERE, PREFETCH, drops, "set {1} to none, or {0} to none"},
    {SCOPED, HERE, TRACKER, "a copy of another L1 is not the newest",
     "set {1} to false, or {0} to none"},
    {SCOPED, HERE, COALESCING, "a load would join one from before an acquire",
     "set {1} to none, or {0} to none"},
    {BANK_FILLS, HERE, NO_BANKS, "there are none to take", "say how many {1} there are"},
};

// Whether what `above` lacks passes `below` on its way.
static bool is_above(const struct wm_memory_spec *spec, uint32_t above, uint32_t below)
{
    for (uint32_t steps = 0; steps < WM_MOST_LEVELS && above < WM_MOST_LEVELS; steps++) {
        above = wm_level_below_said(spec, above);
        if (above == below)
            return true;
    }
    return false;
}

static bool is_where(const struct wm_spec_check *check, uint32_t level, enum where where,
                     uint32_t other)
{
    switch (where) {
    case HERE: return other == level;
    case ABOVE: return wm_spec_level_counts(check, other) && is_above(check->spec, other, level);
    case UNDER: return is_above(check->spec, level, other);
    }
    return false;
}

enum wm_status wm_spec_check_exclusions(struct wm_spec_check *check, uint32_t number)
{
    const struct wm_checked_level level = wm_spec_checked_level(check, number);
    for (size_t i = 0; i < sizeof exclusions / sizeof exclusions[0]; i++) {
        enum part part = exclusions[i].part, other = exclusions[i].other;
        for (uint32_t n = 0; parts[part].has(level.spec) && n < WM_MOST_LEVELS; n++) {
            const struct wm_checked_level at = wm_spec_checked_level(check, n);
            if (!is_where(check, number, exclusions[i].where, n) || !parts[other].has(at.spec))
                continue;
            refuse(check, FIELDS(field_of(&level, part), field_of(&at, other)),
                   "{0} %s, and {1} %s: %s", says(&level, part), says(&at, other),
                   exclusions[i].why);
            return cure(check, "%s", exclusions[i].cure);
        }
    }
    return WM_OK;
}
