// The rules of coherent levels: how they stand to each other, to units, and to parts of the machine
// that are no levels. What excludes what in one level is in spec_exclusions.c.
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_spec_check_parts.h"
#include "mem/timed/topology.h"

#include <inttypes.h>

#define FIELDS WM_SPEC_FIELDS
#define OWN WM_SPEC_OWN
#define OF WM_SPEC_OF
#define refuse wm_spec_refuse
#define cure wm_spec_cure

static struct wm_checked_level first_coherent(const struct wm_spec_check *check)
{
    uint32_t level = 0;
    while (!wm_level_is_coherent(check->spec, level))
        level++;
    return wm_spec_checked_level(check, level);
}

// Several GPUs, walks of page tables and side caches: what would make accesses that the homes of
// lines do not see.
static enum wm_status check_beside(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct wm_checked_level coherent = first_coherent(check);
    if (wm_memory_gpus(spec) > 1) {
        refuse(check, FIELDS(OF(&coherent, coherence), OWN(gpus)),
               "{0} is mesi, and {1=}: coherence of several GPUs' caches is not modelled");
        return cure(check, "set {1} to 1, or {0} to none");
    }
    if (spec->tlb.present && spec->tlb.walks_use_l2) {
        refuse(check, FIELDS(OF(&coherent, coherence), OWN(tlb.walks_use_l2)),
               "{0} is mesi, and {1} is true: what page walks read is not kept coherent");
        return cure(check, "set {1} to false, or {0} to none");
    }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level side = wm_spec_checked_level(check, i);
        if (!wm_level_is_side(i) || !side.spec->cache.present)
            continue;
        refuse(check, FIELDS(OF(&side, cache.present), OF(&coherent, coherence)),
               "{0} is true, and {1} is mesi: a side cache's copies are not kept coherent");
        return cure(check, "set {0} to false, or {1} to none");
    }
    return WM_OK;
}

// Each way from units to memory ends in a coherent level: else some writes pass the homes of lines.
static enum wm_status check_way(struct wm_spec_check *check, enum wm_level_place place)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct wm_checked_level coherent = first_coherent(check);
    struct wm_unit_group units = wm_units_of(spec, place);
    if (units.count == 0)
        return WM_OK;
    uint32_t first = wm_level_first(spec, units.first, WM_SERVES_DATA);
    bool has_first = first != WM_BELOW_MEMORY;
    if (!has_first && place == WM_PLACE_GPU)
        first = wm_level_below(spec, WM_LEVEL_L1);
    uint32_t last = first;
    while (last < WM_MOST_LEVELS && wm_level_below(spec, last) != WM_BELOW_MEMORY)
        last = wm_level_below(spec, last);
    if (last >= WM_MOST_LEVELS) {
        refuse(check, FIELDS(OF(&coherent, coherence)),
               "{0} is mesi, and %s %s has no cache: what it writes passes by the home of a line",
               place == WM_PLACE_CPU ? "a CPU" : "an", units.name[0] == 's' ? "SM" : units.name);
        return cure(check, "give it a coherent level, or set {0} to none");
    }
    const struct wm_checked_level end = wm_spec_checked_level(check, last);
    if (!wm_level_is_coherent(spec, last)) {
        refuse(check, FIELDS(OF(&end, coherence), OF(&coherent, coherence)),
               "{0} is not mesi, and {1} is: what passes %s to memory passes by the home of a line",
               end.name);
        return cure(check, "set both to mesi, or both to none");
    }
    return WM_OK;
}

static enum wm_status check_above(struct wm_spec_check *check, const struct wm_checked_level *level)
{
    const struct wm_memory_spec *spec = check->spec;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level above = wm_spec_checked_level(check, i);
        if (!wm_level_is_coherent(spec, i) || wm_level_below(spec, i) != level->number ||
            above.spec->cache.line_bytes == level->spec->cache.line_bytes)
            continue;
        refuse(check, FIELDS(OF(&above, cache.line_bytes), OF(level, cache.line_bytes)),
               "{0=} is not {1=}: a directory knows lines of one size");
        return cure(check, "give coherent levels the same line");
    }
    return WM_OK;
}

static enum wm_status check_level(struct wm_spec_check *check, const struct wm_checked_level *level)
{
    const struct wm_memory_spec *spec = check->spec;
    WM_TRY(check_above(check, level));
    if (wm_level_is_coherent_leaf(spec, level->number) && level->spec->inclusion == WM_INCLUSIVE) {
        refuse(check, FIELDS(OF(level, inclusion), OF(level, coherence)),
               "{0} is inclusive, and {1} is mesi: levels above it take no part in that");
        return cure(check, "set {0} to non-inclusive: coherent levels include coherent ones");
    }
    uint32_t children = wm_coherent_most_children(spec, level->number);
    if (children <= WM_COHERENT_MOST_CHILDREN)
        return WM_OK;
    refuse(check, FIELDS(OF(level, coherence)), "{0} is mesi, and %" PRIu32 " caches are above one",
           children);
    return cure(check,
                "a directory knows %d: put a level between, or have more units share a cache",
                WM_COHERENT_MOST_CHILDREN);
}

// Last-level caches meet in the directory at memory.
static enum wm_status check_directory(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct wm_checked_level coherent = first_coherent(check);
    uint32_t children = wm_coherent_most_children(spec, WM_MOST_LEVELS), line_bytes = 0;
    if (children > WM_COHERENT_MOST_CHILDREN) {
        refuse(check, FIELDS(OF(&coherent, coherence)),
               "{0} is mesi, and %" PRIu32 " caches are before memory", children);
        return cure(check,
                    "a directory knows %d: put a level between, or have more units share a "
                    "cache",
                    WM_COHERENT_MOST_CHILDREN);
    }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level level = wm_spec_checked_level(check, i);
        if (!wm_level_is_coherent(spec, i))
            continue;
        if (line_bytes == 0)
            line_bytes = level.spec->cache.line_bytes;
        if (level.spec->cache.line_bytes == line_bytes)
            continue;
        refuse(check, FIELDS(OF(&level, cache.line_bytes), OF(&coherent, cache.line_bytes)),
               "{0=} is not {1=}: a directory knows lines of one size");
        return cure(check, "give coherent levels the same line");
    }
    return WM_OK;
}

static enum wm_status check_clean_forward(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    if (!spec->dram.clean_forward || (wm_memory_is_coherent(spec) && wm_memory_has_directory(spec)))
        return WM_OK;
    refuse(
        check, FIELDS(OWN(dram.clean_forward)),
        "{0} is true, and there is no directory at memory: coherent levels do not end in several "
        "caches");
    return cure(check, "set {0} to false");
}

// Messages between coherent levels have a latency of their own where they do not cross the
// interconnect, which has one.
static enum wm_status check_link(struct wm_spec_check *check, const struct wm_checked_level *level)
{
    const struct wm_memory_spec *spec = check->spec;
    if (level->spec->link_latency == 0 || !level->spec->cache.present)
        return WM_OK;
    if (!wm_level_is_coherent(spec, level->number)) {
        refuse(check, FIELDS(OF(level, link_latency), OF(level, coherence)),
               "{0=}, and {1} is not mesi: only messages between coherent levels have it");
        return cure(check, "set {0} to 0, or {1} to mesi");
    }
    if (!wm_timed_crosses_network(spec, level->number))
        return WM_OK;
    refuse(check, FIELDS(OF(level, link_latency), OWN(interconnect.latency)),
           "{0=}, and what leaves %s crosses the interconnect, which has {1=}", level->name);
    return cure(check, "set {0} to 0, and {1} to what the way takes");
}

enum wm_status wm_spec_check_coherence(struct wm_spec_check *check)
{
    WM_TRY(check_clean_forward(check));
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level level = wm_spec_checked_level(check, i);
        WM_TRY(check_link(check, &level));
    }
    if (!wm_memory_is_coherent(check->spec))
        return WM_OK;
    WM_TRY(check_beside(check));
    WM_TRY(check_way(check, WM_PLACE_GPU));
    WM_TRY(check_way(check, WM_PLACE_CPU));
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level level = wm_spec_checked_level(check, i);
        if (wm_level_is_coherent(check->spec, i))
            WM_TRY(check_level(check, &level));
    }
    return check_directory(check);
}
