// The rules of levels: of each by itself, and of how levels stand above each other.
#include "mem/cache/cache.h"
#include "mem/system/atomic_buffer.h"
#include "mem/system/instruction_counters.h"
#include "mem/system/memory_spec_check_parts.h"

#include <inttypes.h>
#include <string.h>

#define ANY WM_SPEC_ANY
#define POWERS_OF_TWO WM_SPEC_POWERS_OF_TWO
#define FIELDS WM_SPEC_FIELDS
#define OWN WM_SPEC_OWN
#define OF WM_SPEC_OF
#define RANGE WM_SPEC_RANGE
#define refuse wm_spec_refuse
#define cure wm_spec_cure

struct wm_checked_level wm_spec_checked_level(const struct wm_spec_check *check, uint32_t number)
{
    return (struct wm_checked_level){.spec = &check->spec->levels[number],
                                     .name = wm_level_name(check->spec, number),
                                     .number = number};
}

bool wm_spec_level_counts(const struct wm_spec_check *check, uint32_t number)
{
    const struct wm_cache_spec *cache = &check->spec->levels[number].cache;
    return cache->present || (check->absent_too && cache->size_bytes != 0);
}

// --- One level ---

static enum wm_status check_slices(struct wm_spec_check *check,
                                   const struct wm_checked_level *level)
{
    const struct wm_memory_spec *spec = check->spec;
    RANGE(OF(level, slices), level->number == WM_LEVEL_L2, UINT32_MAX, ANY);
    struct wm_checked_cache cache = {
        .spec = &level->spec->cache, .name = level->name, .instances = 1};
    if (level->spec->slices != 0) {
        cache.instances = level->spec->slices;
        cache.slices = (struct wm_spec_field)OF(level, slices);
    }
    WM_TRY(wm_spec_check_cache(check, &cache));
    if (level->spec->slices == 0)
        return WM_OK;
    bool before_channels = level->number == WM_LEVEL_L2 &&
                           wm_level_below(spec, level->number) == WM_BELOW_MEMORY &&
                           wm_level_units_each(spec, level->number) >= spec->sm_count;
    if (before_channels && level->spec->slices % spec->dram.channels != 0) {
        refuse(check, FIELDS(OF(level, slices), OWN(dram.channels)),
               "{0=} is not a multiple of {1=}");
        return cure(check, "each slice stands before one channel: change one of the two");
    }
    if (before_channels && spec->dram.channels > 1 &&
        level->spec->interleave_hash != spec->dram.interleave_hash) {
        refuse(check, FIELDS(OF(level, interleave_hash), OWN(dram.interleave_hash)),
               "{0} and {1} are not the same");
        return cure(check, "each slice stands before one channel: give {0} and {1} the same hash");
    }
    RANGE(OF(level, interleave_bytes), 1, UINT64_MAX, POWERS_OF_TWO);
    if (level->spec->interleave_bytes >= level->spec->cache.line_bytes)
        return WM_OK;
    refuse(check, FIELDS(OF(level, interleave_bytes), OF(level, cache.line_bytes)),
           "{0=} is smaller than {1=}");
    return cure(check, "a line lies in one slice: make {0} at least a line");
}

// What a side cache fetches lies in one line of the level below, and in one request.
static enum wm_status check_side_line(struct wm_spec_check *check,
                                      const struct wm_checked_level *side)
{
    const struct wm_checked_level l1 = wm_spec_checked_level(check, WM_LEVEL_L1);
    uint32_t number = wm_level_below(check->spec, side->number);
    bool has_below = number < WM_MOST_LEVELS;
    const struct wm_checked_level below =
        wm_spec_checked_level(check, has_below ? number : WM_LEVEL_L2);
    uint32_t line = side->spec->cache.line_bytes, request = l1.spec->cache.line_bytes;
    RANGE(OF(side, units_each), 1, UINT32_MAX, ANY);
    if (!side->spec->cache.present ||
        ((!has_below || line <= below.spec->cache.line_bytes) && (request == 0 || line <= request)))
        return WM_OK;
    refuse(check,
           FIELDS(OF(side, cache.line_bytes), OF(&below, cache.line_bytes),
                  OF(&l1, cache.line_bytes), OF(side, cache.present)),
           "{0=} is larger than {1=} or {2=}");
    return cure(check, "make {0} at most as large as both");
}

// A tracker names L1s that can send a line, whole and as it is below.
static enum wm_status check_tracker(struct wm_spec_check *check,
                                    const struct wm_checked_level *level)
{
    const struct wm_tracker_spec *tracker = &level->spec->tracker;
    if (!tracker->present)
        return WM_OK;
    RANGE(OF(level, tracker.sets), 1, WM_TRACKER_MOST_ENTRIES, ANY);
    RANGE(OF(level, tracker.ways), 1, WM_TRACKER_MOST_ENTRIES / tracker->sets, ANY);
    RANGE(OF(level, tracker.banks), 1, tracker->sets, ANY);
    RANGE(OF(level, tracker.sharers), 1, UINT32_MAX, ANY);
    RANGE(OF(level, tracker.sms_each), 1, UINT32_MAX, ANY);
    if (tracker->sets % tracker->banks != 0) {
        refuse(check, FIELDS(OF(level, tracker.banks), OF(level, tracker.sets)),
               "{0=} do not divide {1=}");
        return cure(check, "banks have as many sets each: make {1} a multiple of {0}");
    }
    uint32_t each = wm_level_units_each(check->spec, level->number);
    if (tracker->sms_each % each == 0 || tracker->sms_each >= check->spec->sm_count)
        return WM_OK;
    refuse(check, FIELDS(OF(level, tracker.sms_each), OF(level, units_each), OWN(sm_count)),
           "{0=} is not a multiple of the SMs that share an L1, %" PRIu32, each);
    return cure(check, "an L1 has one tracker: change {0} or {1}");
}

// Each set's share is a line at least: else the one that is written could not stay dirty.
static enum wm_status check_dirty_limit(struct wm_spec_check *check,
                                        const struct wm_checked_level *level)
{
    const struct wm_cache_spec *cache = &level->spec->cache;
    uint64_t least = cache->ways != 0 ? cache->size_bytes / cache->ways : 0;
    // An L1 may change its size, and a side cache has nothing dirty.
    RANGE(OF(level, cache.dirty_limit_bytes), 0, level->number < WM_LEVEL_L2 ? 0 : UINT64_MAX, ANY);
    if (!cache->present || cache->dirty_limit_bytes == 0 || cache->dirty_limit_bytes >= least)
        return WM_OK;
    refuse(check, FIELDS(OF(level, cache.dirty_limit_bytes), OF(level, cache.line_bytes)),
           "{0=} is less than a line of {1=} for each of %" PRIu64 " sets",
           least / cache->line_bytes);
    return cure(check, "make {0} at least %s, or 0 for no limit", wm_spec_bytes(least).text);
}

// What the host writes goes to the one L2 that is before memory.
static enum wm_status check_host_writes(struct wm_spec_check *check,
                                        const struct wm_checked_level *level)
{
    if (!level->spec->cache.present || !level->spec->host_write_allocate ||
        wm_level_units_each(check->spec, level->number) >= check->spec->sm_count)
        return WM_OK;
    refuse(check, FIELDS(OF(level, host_write_allocate), OF(level, units_each)),
           "{0=}, and {1=} does not say all");
    return cure(check, "which of several L2s the host writes to is not known: set {0} to false");
}

// Halves of the slices of an L2 that all SMs of one GPU share, each near half of them.
static enum wm_status check_partitions(struct wm_spec_check *check,
                                       const struct wm_checked_level *level)
{
    const struct wm_memory_spec *spec = check->spec;
    RANGE(OF(level, partitions), 0, level->number == WM_LEVEL_L2 ? 2 : 1, ANY);
    if (!level->spec->cache.present || level->spec->partitions < 2)
        return WM_OK;
    if (level->spec->slices % level->spec->partitions != 0) {
        refuse(check, FIELDS(OF(level, partitions), OF(level, slices)),
               "{0=} does not divide {1=}");
        return cure(check, "each has as many slices: change one of the two");
    }
    if (level->spec->partitions > spec->sm_count) {
        refuse(check, FIELDS(OF(level, partitions), OWN(sm_count)), "{0=} is more than {1=}");
        return cure(check, "each is near some SMs: set {0} to 1");
    }
    if (wm_level_units_each(spec, level->number) < spec->sm_count) {
        refuse(check, FIELDS(OF(level, partitions), OF(level, units_each)),
               "{0=}, and {1=} does not say all");
        return cure(check, "only an L2 of all SMs has partitions: set {0} to 1");
    }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level above = wm_spec_checked_level(check, i);
        if (!above.spec->cache.present || wm_level_below(spec, i) != level->number ||
            wm_level_serves(spec, i) != 0 || wm_level_units_each(spec, i) < spec->sm_count)
            continue;
        refuse(check, FIELDS(OF(level, partitions), OF(&above, units_each)),
               "{0=}, and a level above it is of all SMs ({1})");
        return cure(check, "a cache above is near one partition: set {0} to 1, or change {1}");
    }
    if (wm_memory_gpus(spec) == 1 && spec->core_count == 0)
        return WM_OK;
    bool cores = spec->core_count != 0;
    refuse(check, FIELDS(OF(level, partitions), OWN(gpus), OWN(core_count)), "{0=}, and {%d=}: %s",
           cores ? 2 : 1,
           cores ? "which of them a CPU core is near is not known"
                 : "partitions of several GPUs are not modelled");
    return cure(check, "set {0} to 1, or {%d} to %d", cores ? 2 : 1, cores ? 0 : 1);
}

static enum wm_status check_alone(struct wm_spec_check *check, const struct wm_checked_level *level)
{
    WM_TRY(check_slices(check, level));
    RANGE(OF(level, victim_lines), 0, WM_CACHE_MAX_WAYS, ANY);
    RANGE(OF(level, atomic_buffer_lines), 0, WM_ATOMIC_BUFFER_MOST_LINES, ANY);
    WM_TRY(check_dirty_limit(check, level));
    WM_TRY(check_host_writes(check, level));
    WM_TRY(check_partitions(check, level));
    return wm_level_is_side(level->number) ? check_side_line(check, level) : WM_OK;
}

// --- Levels above levels ---

static enum wm_status check_ways_end(struct wm_spec_check *check,
                                     const struct wm_checked_level *level)
{
    uint32_t below = level->number, steps = 0;
    while (below < WM_MOST_LEVELS && steps++ < WM_MOST_LEVELS)
        below = wm_level_below_said(check->spec, below);
    if (below == WM_BELOW_MEMORY)
        return WM_OK;
    if (below < WM_MOST_LEVELS)
        refuse(check, FIELDS(OF(level, below)), "{0}: what is missed goes round and round");
    else
        refuse(check, FIELDS(OF(level, below)), "{0} is no level");
    return cure(check, "every way down ends in memory: change a below on it");
}

// Caches of several levels below each other, all exclusive or inclusive, hold lines that fit. What
// is dirty above an inclusive level may come to an exclusive one below that in parts of its units.
static enum wm_status check_relation(struct wm_spec_check *check,
                                     const struct wm_checked_level *level,
                                     const struct wm_checked_level *below)
{
    bool next = wm_level_below(check->spec, level->number) == below->number;
    const struct wm_cache_spec *over = &level->spec->cache, *under = &below->spec->cache;
    const struct wm_spec_field geometry[] = {
        OF(below, inclusion), OF(level, cache.line_bytes), OF(level, cache.sector_bytes),
        OF(below, cache.line_bytes), OF(below, cache.sector_bytes)};
    if (wm_level_is_side(level->number) || below->spec->inclusion == WM_NON_INCLUSIVE)
        return WM_OK;
    if (below->spec->inclusion == WM_EXCLUSIVE &&
        ((next && over->line_bytes != under->line_bytes) ||
         over->sector_bytes != under->sector_bytes))
        refuse(check, geometry, 5, "{0} is exclusive: {1=} and {2=} have to be {3=} and {4=}");
    else if (below->spec->inclusion == WM_INCLUSIVE && over->sector_bytes > under->line_bytes)
        refuse(check, geometry, 4, "{0} is inclusive, and {2=} larger than {3=}");
    else
        return WM_OK;
    return cure(check, "change that, or set {0} to non-inclusive");
}

// All units of a cache above share the same one below.
static enum wm_status check_nesting(struct wm_spec_check *check,
                                    const struct wm_checked_level *level,
                                    const struct wm_checked_level *below)
{
    uint32_t each = wm_level_units_each(check->spec, level->number);
    uint32_t each_below = wm_level_units_each(check->spec, below->number);
    uint32_t units = wm_units_of(check->spec, level->spec->place).count;
    if (each_below >= units || each_below % each == 0)
        return WM_OK;
    refuse(check, FIELDS(OF(level, units_each), OF(below, units_each), OF(level, below)),
           "{0}: %s%" PRIu32 " units share one, which do not divide the %" PRIu32
           " that share one below ({1})",
           each >= units ? "all " : "", each >= units ? units : each, each_below);
    return cure(check, "the units of one above lie in one below: make {1} a multiple of {0}");
}

static enum wm_status check_pair(struct wm_spec_check *check, const struct wm_checked_level *level,
                                 const struct wm_checked_level *below)
{
    if (level->spec->place != below->spec->place && below->spec->place != WM_PLACE_MACHINE) {
        refuse(check, FIELDS(OF(level, below)), "{0} is %s, which units of another group have",
               below->name);
        return cure(check, "what several groups share stands outside of them");
    }
    return check_nesting(check, level, below);
}

static enum wm_status check_relations(struct wm_spec_check *check,
                                      const struct wm_checked_level *level)
{
    for (uint32_t below = wm_level_below(check->spec, level->number); below < WM_MOST_LEVELS;
         below = wm_level_below(check->spec, below)) {
        const struct wm_checked_level under = wm_spec_checked_level(check, below);
        WM_TRY(check_relation(check, level, &under));
    }
    return WM_OK;
}

// --- Who reaches a level ---

static bool has_units(const struct wm_memory_spec *spec, uint32_t number)
{
    return wm_units_of(spec, spec->levels[number].place).count != 0;
}

// That are there, serve something or have something above that does. Where there is no L1, its
// accesses go on to what is below it.
static uint32_t reached_levels(const struct wm_memory_spec *spec)
{
    uint32_t reached = 0;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        bool begins = (spec->levels[i].cache.present || i == WM_LEVEL_L1) && has_units(spec, i) &&
                      wm_level_serves(spec, i) != 0;
        for (uint32_t at = i; begins && at < WM_MOST_LEVELS; at = wm_level_below(spec, at))
            reached |= 1U << at;
    }
    return reached;
}

static enum wm_status check_reached(struct wm_spec_check *check,
                                    const struct wm_checked_level *level, uint32_t reached)
{
    if (!level->spec->cache.present || (reached >> level->number & 1))
        return WM_OK;
    if (!has_units(check->spec, level->number)) {
        refuse(check, FIELDS(OF(level, cache.present), OWN(core_count)),
               "there is a level %s of CPU cores, and {1} is 0", level->name);
        return cure(check, "say how many there are: {1}");
    }
    refuse(check, FIELDS(OF(level, cache.present), OF(level, serves), OF(level, below)),
           "nothing reaches the level %s: it is below no other, and {1} names nothing",
           level->name);
    return cure(check, "name it in another level's below, say what it serves, or set {0} to false");
}

// Of a unit's accesses each begins at one level.
static enum wm_status check_served_once(struct wm_spec_check *check,
                                        const struct wm_checked_level *level)
{
    for (uint32_t i = 0; i < level->number; i++) {
        const struct wm_checked_level other = wm_spec_checked_level(check, i);
        bool both = other.spec->cache.present && level->spec->cache.present;
        bool meet = other.spec->place == level->spec->place ||
                    other.spec->place == WM_PLACE_MACHINE || level->spec->place == WM_PLACE_MACHINE;
        if (!both || !meet ||
            !(wm_level_serves(check->spec, i) & wm_level_serves(check->spec, level->number)))
            continue;
        refuse(check, FIELDS(OF(level, serves), OF(&other, serves)),
               "{0} and {1} have an access in common, which begins at one level");
        return cure(check, "take it from one of the two");
    }
    return WM_OK;
}

// Counters and prices go by the kind of a component, wherever it stands.
static enum wm_status check_kinds(struct wm_spec_check *check, const struct wm_checked_level *level)
{
    char kind[WM_LEVEL_COUNTER_BYTES], other_kind[WM_LEVEL_COUNTER_BYTES];
    wm_level_kind(check->spec, level->number, kind);
    for (uint32_t i = 0; i < level->number && level->spec->cache.present; i++) {
        const struct wm_checked_level other = wm_spec_checked_level(check, i);
        wm_level_kind(check->spec, i, other_kind);
        if (!other.spec->cache.present || strcmp(kind, other_kind) != 0)
            continue;
        refuse(check, FIELDS(OF(level, cache.present), OF(&other, cache.present)),
               "results would call two levels \"%s\": those of {0} and {1}", kind);
        return cure(check, "give one of them another name");
    }
    return WM_OK;
}

enum wm_status wm_spec_check_levels(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level level = wm_spec_checked_level(check, i);
        if (wm_spec_level_counts(check, i))
            WM_TRY(check_alone(check, &level));
        WM_TRY(check_ways_end(check, &level));
    }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level level = wm_spec_checked_level(check, i);
        uint32_t below = wm_level_below(spec, i);
        WM_TRY(wm_spec_check_exclusions(check, i));
        if (level.spec->cache.present && below < WM_MOST_LEVELS) {
            const struct wm_checked_level under = wm_spec_checked_level(check, below);
            WM_TRY(check_pair(check, &level, &under));
            WM_TRY(check_relations(check, &level));
        }
        WM_TRY(check_tracker(check, &level));
    }
    uint32_t reached = reached_levels(spec);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level level = wm_spec_checked_level(check, i);
        WM_TRY(check_kinds(check, &level));
        WM_TRY(check_served_once(check, &level));
        WM_TRY(check_reached(check, &level, reached));
    }
    return WM_OK;
}
