#include "mem/system/memory_spec_check.h"

#include "base/access/gpu_addresses.h"
#include "mem/cache/cache.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/set_index.h"
#include "mem/system/memory_spec_check_parts.h"
#include "mem/timed/network/butterfly.h"
#include "mem/timed/topology.h"
#include "mem/translation/tlb.h"

#include <inttypes.h>
#include <stdio.h>

#define ANY WM_SPEC_ANY
#define POWERS_OF_TWO WM_SPEC_POWERS_OF_TWO
#define FIELDS WM_SPEC_FIELDS
#define OWN WM_SPEC_OWN
#define OF WM_SPEC_OF
#define RANGE WM_SPEC_RANGE
#define refuse wm_spec_refuse
#define cure wm_spec_cure

// --- One cache ---

static enum wm_status check_lines(struct wm_spec_check *check, const struct wm_checked_cache *cache)
{
    RANGE(OF(cache, line_bytes), WM_SECTOR_BYTES, WM_CACHE_MAX_LINE_BYTES, POWERS_OF_TWO);
    RANGE(OF(cache, sector_bytes), WM_SECTOR_BYTES, WM_CACHE_MAX_LINE_BYTES, POWERS_OF_TWO);
    RANGE(OF(cache, ways), 1, WM_CACHE_MAX_WAYS, ANY);
    if (cache->spec->sector_bytes <= cache->spec->line_bytes)
        return WM_OK;
    refuse(check, FIELDS(OF(cache, sector_bytes), OF(cache, line_bytes)),
           "{0=} is larger than {1=}");
    return cure(check, "a cache without sectors has {0} equal to {1}");
}

static enum wm_status check_stores(struct wm_spec_check *check,
                                   const struct wm_checked_cache *cache)
{
    if (cache->spec->write_policy != WM_WRITE_THROUGH_EVICT || !cache->spec->write_allocate)
        return WM_OK;
    refuse(check, FIELDS(OF(cache, write_policy), OF(cache, write_allocate)),
           "{0} through-evict drops the line that {1} true would take");
    return cure(check, "make {1} false, or take another {0}");
}

static enum wm_status check_sets(struct wm_spec_check *check, const struct wm_checked_cache *cache)
{
    const struct wm_cache_spec *spec = cache->spec;
    uint64_t step = (uint64_t)cache->instances * spec->ways * spec->line_bytes;
    const struct wm_spec_field fields[] = {OF(cache, size_bytes), OF(cache, ways),
                                           OF(cache, line_bytes), cache->slices};
    bool sliced = cache->slices.member != NULL;
    if (spec->size_bytes == 0 || spec->size_bytes % step != 0) {
        char slices[64] = "";
        if (sliced)
            snprintf(slices, sizeof slices, "%" PRIu32 " slices of ", cache->instances);
        refuse(check, fields, sliced ? 4 : 3,
               "{0=} is not a whole number of sets (%s%" PRIu32 " ways of %s: %s)", slices,
               spec->ways, wm_spec_bytes(spec->line_bytes).text, wm_spec_bytes(step).text);
        return cure(check, "make {0} a multiple of %s, or change %s{1} or {2}",
                    wm_spec_bytes(step).text, sliced ? "{3}, " : "");
    }
    uint64_t sets = spec->size_bytes / step;
    if (sets * spec->ways > UINT32_MAX / 16) {
        refuse(check, fields, 2, "{0=} has %" PRIu64 " lines in one array", sets * spec->ways);
        return cure(check, "give at most %" PRIu32 " lines an array", UINT32_MAX / 16);
    }
    if (spec->set_index->supports((uint32_t)sets))
        return WM_OK;
    refuse(check, FIELDS(OF(cache, set_index), fields[0], fields[1], fields[2], fields[3]),
           "{0} %s does not serve %" PRIu64 " sets (%s)", spec->set_index->name, sets,
           spec->set_index->sets);
    check->field_count -= !sliced;
    return cure(check, "take another {0}, or another {1} or {2}");
}

enum wm_status wm_spec_check_cache(struct wm_spec_check *check,
                                   const struct wm_checked_cache *cache)
{
    if (cache->spec->replacement == NULL || cache->spec->set_index == NULL) {
        refuse(check, FIELDS(OF(cache, replacement), OF(cache, set_index)), "{%d} is not given",
               cache->spec->replacement != NULL);
        return cure(check, "name an entry of the kind's table");
    }
    WM_TRY(check_lines(check, cache));
    WM_TRY(check_stores(check, cache));
    return check_sets(check, cache);
}

enum wm_status wm_cache_spec_check(const struct wm_cache_spec *spec, const char *name,
                                   uint32_t instances, struct wm_error *error)
{
    const struct wm_memory_spec none = {0};
    struct wm_spec_check check = {.spec = &none, .error = error};
    return wm_spec_check_cache(
        &check, &(struct wm_checked_cache){.spec = spec, .name = name, .instances = instances});
}

enum wm_status wm_cache_spec_names_victims(const struct wm_cache_spec *spec, const char *name,
                                           const char *what, struct wm_error *error)
{
    struct wm_spec_check check = {.error = error};
    const struct wm_checked_cache cache = {.spec = spec, .name = name, .instances = 1};
    if (!spec->present || spec->replacement != &wm_replacement_opt)
        return WM_OK;
    refuse(&check, FIELDS(OF(&cache, replacement)),
           "{0} is opt, which does not know yet which line leaves, and %s", what);
    return cure(&check, "name another {0}, or do without");
}

// --- What lies beside levels ---

static enum wm_status check_tlb_level(struct wm_spec_check *check,
                                      const struct wm_tlb_level_spec *level, const char *name)
{
    const struct wm_spec_field entries = {name, "entries", &level->entries, sizeof level->entries};
    const struct wm_spec_field ways = {name, "ways", &level->ways, sizeof level->ways};
    if (level->replacement == NULL) {
        refuse(check, NULL, 0, "%s has no replacement", name);
        return cure(check, "name an entry of the kind's table");
    }
    WM_TRY(wm_spec_check_range(check, entries, 0, WM_TLB_MOST_ENTRIES, ANY));
    WM_TRY(wm_spec_check_range(check, ways, 1, WM_CACHE_MAX_WAYS, ANY));
    if (level->entries % level->ways == 0)
        return WM_OK;
    refuse(check, FIELDS(entries, ways), "{0=} is not a whole number of sets of {1=}");
    return cure(check, "make {0} a multiple of {1}; equal, every page may use any");
}

static enum wm_status check_tlb(struct wm_spec_check *check)
{
    const struct wm_tlb_spec *tlb = &check->spec->tlb;
    RANGE(OWN(tlb.page_bytes), 4096, UINT64_MAX, POWERS_OF_TWO);
    RANGE(OWN(tlb.sms_each), 1, UINT32_MAX, ANY);
    RANGE(OWN(tlb.walk_levels), 1, WM_TLB_MOST_LEVELS, ANY);
    RANGE(OWN(tlb.l1.entries), 1, WM_TLB_MOST_ENTRIES, ANY);
    WM_TRY(check_tlb_level(check, &tlb->l1, "tlb.l1"));
    return tlb->l2.entries == 0 ? WM_OK : check_tlb_level(check, &tlb->l2, "tlb.l2");
}

static enum wm_status check_dram(struct wm_spec_check *check)
{
    const struct wm_dram_spec *dram = &check->spec->dram;
    RANGE(OWN(dram.access_bytes), WM_SECTOR_BYTES, WM_CACHE_MAX_LINE_BYTES, POWERS_OF_TWO);
    RANGE(OWN(dram.channel_interleave_bytes), 1, UINT64_MAX, POWERS_OF_TWO);
    if (dram->channel_interleave_bytes >= dram->access_bytes)
        return WM_OK;
    refuse(check, FIELDS(OWN(dram.channel_interleave_bytes), OWN(dram.access_bytes)),
           "{0=} is smaller than {1=}");
    return cure(check, "a transfer lies in one channel: make {0} at least {1}");
}

static enum wm_status check_butterfly(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct wm_interconnect_spec *network = &spec->interconnect;
    if (network->topology != WM_BUTTERFLY)
        return WM_OK;
    const struct {
        const struct wm_level_spec *spec;
        const char *name;
    } l2 = {&spec->levels[WM_LEVEL_L2], "l2"};
    uint32_t stages = wm_butterfly_stages(spec->sm_count, wm_timed_receivers(spec), network->radix);
    if (network->latency >= stages + 2)
        return WM_OK;
    refuse(check,
           FIELDS(OWN(interconnect.latency), OWN(interconnect.radix), OWN(interconnect.topology),
                  OWN(sm_count), OF(&l2, slices)),
           "{0=} is not a cycle for each of the butterfly's %" PRIu32 " stages and two for wires",
           stages);
    return cure(check, "make {0} at least %" PRIu32 ", or {1} larger", stages + 2);
}

// SMs of two GPUs share nothing: not a level's caches, and no tracker.
static enum wm_status check_sharers(struct wm_spec_check *check, const struct wm_spec_field *field,
                                    uint32_t each)
{
    const struct wm_memory_spec *spec = check->spec;
    if (each <= 1 || each >= spec->sm_count || spec->sm_count % each == 0)
        return WM_OK;
    refuse(check, FIELDS(*field, OWN(sm_count), OWN(gpus)), "{0=} does not divide {1=}, and {2=}");
    return cure(check, "SMs of two GPUs share nothing: give {0} a divisor of {1}");
}

static enum wm_status check_level_of_gpus(struct wm_spec_check *check, uint32_t number)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct {
        const struct wm_level_spec *spec;
        const char *name;
    } level = {&spec->levels[number], wm_level_name(spec, number)};
    if (level.spec->place == WM_PLACE_MACHINE) {
        refuse(check, FIELDS(OWN(gpus)),
               "{0=}, and level \"%s\" is outside of gpu: a cache before "
               "all GPUs' memories is not modelled",
               level.name);
        return cure(check, "describe %s in gpu: each GPU has one then", level.name);
    }
    if (level.spec->inclusion != WM_NON_INCLUSIVE) {
        refuse(check, FIELDS(OF(&level, inclusion), OWN(gpus)),
               "{0} is not non-inclusive, and {1=}: caches of other GPUs have lines of it, too");
        return cure(check, "set {0} to non-inclusive");
    }
    uint32_t below = wm_level_below(spec, number);
    if (wm_level_is_home(spec, number) && below != WM_BELOW_MEMORY &&
        !wm_level_is_home(spec, below)) {
        refuse(check, FIELDS(OWN(gpus)),
               "{0=}, and level \"%s\", of all SMs of a GPU, is above \"%s\", which is not",
               level.name, wm_level_name(spec, below));
        return cure(check, "set per of %s to all", wm_level_name(spec, below));
    }
    const struct wm_spec_field caches = OF(&level, units_each),
                               trackers = OF(&level, tracker.sms_each);
    WM_TRY(check_sharers(check, &caches, level.spec->units_each));
    return level.spec->tracker.present
               ? check_sharers(check, &trackers, level.spec->tracker.sms_each)
               : WM_OK;
}

// What SMs share is of one GPU, and an L2 knows the L1s of its own alone.
static enum wm_status check_gpus(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    RANGE(OWN(gpus), 0, WM_MOST_GPUS, ANY);
    if (wm_memory_gpus(spec) == 1)
        return WM_OK;
    if (spec->core_count != 0) {
        refuse(check, FIELDS(OWN(core_count), OWN(gpus)),
               "{0=}, and {1=}: CPU cores beside several GPUs are not modelled");
        return cure(check, "set {1} to 1, or leave cpu out");
    }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present)
            WM_TRY(check_level_of_gpus(check, i));
    return WM_OK;
}

enum wm_status wm_memory_spec_check_as(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    RANGE(OWN(sm_count), 1, UINT32_MAX, ANY);
    RANGE(OWN(core_count), 0, UINT32_MAX - spec->sm_count, ANY);
    RANGE(OWN(dram.channels), 1, UINT32_MAX, ANY);
    WM_TRY(wm_spec_check_levels(check));
    if (spec->tlb.present || check->absent_too)
        WM_TRY(check_tlb(check));
    WM_TRY(check_dram(check));
    WM_TRY(check_gpus(check));
    WM_TRY(wm_spec_check_coherence(check));
    WM_TRY(wm_spec_check_scoped(check));
    return check_butterfly(check);
}

enum wm_status wm_memory_spec_check(const struct wm_memory_spec *spec, struct wm_error *error)
{
    struct wm_spec_check check = {.spec = spec, .error = error};
    return wm_memory_spec_check_as(&check);
}
