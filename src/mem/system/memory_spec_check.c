// Which memory systems can be built. Each refusal names the field, the numbers and a hint.
#include "mem/cache/cache.h"
#include "mem/system/memory_state.h"

#include <inttypes.h>

static bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

static enum wm_status check_sectors(const struct wm_cache_spec *spec, const char *name,
                                    struct wm_error *error)
{
    if (!is_power_of_two(spec->line_bytes) || spec->line_bytes < WM_SECTOR_BYTES ||
        spec->line_bytes > WM_CACHE_MAX_LINE_BYTES) {
        wm_fail(error, WM_INVALID, "%s.line_bytes is %" PRIu32, name, spec->line_bytes);
        return wm_error_hint(error, "give a power of two from %d to %d bytes", WM_SECTOR_BYTES,
                             WM_CACHE_MAX_LINE_BYTES);
    }
    if (!is_power_of_two(spec->sector_bytes) || spec->sector_bytes < WM_SECTOR_BYTES ||
        spec->sector_bytes > spec->line_bytes) {
        wm_fail(error, WM_INVALID, "%s.sector_bytes is %" PRIu32 " with lines of %" PRIu32 " bytes",
                name, spec->sector_bytes, spec->line_bytes);
        return wm_error_hint(error, "give a power of two from %d to the line's %" PRIu32 " bytes",
                             WM_SECTOR_BYTES, spec->line_bytes);
    }
    return WM_OK;
}

static enum wm_status check_sets(const struct wm_cache_spec *spec, const char *name,
                                 uint32_t instances, struct wm_error *error)
{
    if (spec->ways == 0 || spec->ways > WM_CACHE_MAX_WAYS) {
        wm_fail(error, WM_INVALID, "%s.ways is %" PRIu32, name, spec->ways);
        return wm_error_hint(error, "give 1 to %d ways", WM_CACHE_MAX_WAYS);
    }
    uint64_t all_ways = (uint64_t)spec->ways * spec->line_bytes;
    uint64_t step = all_ways * instances;
    if (spec->size_bytes == 0 || spec->size_bytes % step != 0) {
        wm_fail(error, WM_INVALID,
                "%s.size_bytes is %" PRIu64 ", not a multiple of %" PRIu64 " (%" PRIu32
                " ways of %" PRIu32 "-byte lines in %" PRIu32 " %s)",
                name, spec->size_bytes, step, spec->ways, spec->line_bytes, instances,
                instances == 1 ? "array" : "slices");
        uint64_t below = spec->size_bytes / step * step;
        return wm_error_hint(error, "give %" PRIu64 " bytes, or other ways",
                             below != 0 ? below : step);
    }
    uint64_t sets = spec->size_bytes / step;
    if (sets * spec->ways > UINT32_MAX / 16) {
        wm_fail(error, WM_INVALID, "%s.size_bytes is %" PRIu64 ": %" PRIu64 " lines in one array",
                name, spec->size_bytes, sets * spec->ways);
        return wm_error_hint(error, "give at most %" PRIu32 " lines an array", UINT32_MAX / 16);
    }
    if (!spec->set_index->supports((uint32_t)sets)) {
        wm_fail(error, WM_INVALID, "%s has %" PRIu64 " sets, but its set index '%s' takes %s", name,
                sets, spec->set_index->name, spec->set_index->sets);
        return wm_error_hint(error, "change %s.size_bytes or %s.ways, or use set index 'modulo'",
                             name, name);
    }
    return WM_OK;
}

enum wm_status wm_cache_spec_check(const struct wm_cache_spec *spec, const char *name,
                                   uint32_t instances, struct wm_error *error)
{
    if (spec->replacement == NULL || spec->set_index == NULL) {
        wm_fail(error, WM_INVALID, "%s has no %s", name,
                spec->replacement == NULL ? "replacement" : "set index");
        return wm_error_hint(error, "name an entry of the kind's table");
    }
    WM_TRY(check_sectors(spec, name, error));
    WM_TRY(check_sets(spec, name, instances, error));
    if (spec->write_policy == WM_WRITE_THROUGH_EVICT && spec->write_allocate) {
        wm_fail(error, WM_INVALID, "%s allocates on stores and drops lines on stores", name);
        return wm_error_hint(error, "give %s.write_allocate false, or another write policy", name);
    }
    if (spec->write_fetch == WM_FETCH_NEVER)
        return wm_cache_spec_names_victims(
            spec, name, "the bytes of its sectors are remembered (write_fetch)", error);
    return WM_OK;
}

enum wm_status wm_cache_spec_names_victims(const struct wm_cache_spec *spec, const char *name,
                                           const char *what, struct wm_error *error)
{
    if (!spec->present || spec->replacement != &wm_replacement_opt)
        return WM_OK;
    wm_fail(error, WM_INVALID, "%s.replacement is opt, which cannot tell which line leaves: %s",
            name, what);
    return wm_error_hint(error, "name another replacement, or do without");
}

static enum wm_status check_interleave(uint64_t bytes, uint64_t at_least, const char *name,
                                       const char *least, struct wm_error *error)
{
    if (is_power_of_two(bytes) && bytes >= at_least)
        return WM_OK;
    wm_fail(error, WM_INVALID, "%s is %" PRIu64, name, bytes);
    return wm_error_hint(error, "give a power of two of at least %" PRIu64 " bytes (%s)", at_least,
                         least);
}

static enum wm_status check_dram(const struct wm_dram_spec *dram, struct wm_error *error)
{
    if (dram->channels == 0) {
        wm_fail(error, WM_INVALID, "dram.channels is 0");
        return wm_error_hint(error, "give at least one channel");
    }
    if (!is_power_of_two(dram->access_bytes) || dram->access_bytes < WM_SECTOR_BYTES ||
        dram->access_bytes > WM_CACHE_MAX_LINE_BYTES) {
        wm_fail(error, WM_INVALID, "dram.access_bytes is %" PRIu32, dram->access_bytes);
        return wm_error_hint(error, "give a power of two from %d to %d bytes", WM_SECTOR_BYTES,
                             WM_CACHE_MAX_LINE_BYTES);
    }
    return check_interleave(dram->channel_interleave_bytes, dram->access_bytes,
                            "dram.channel_interleave_bytes", "one DRAM access", error);
}

static enum wm_status check_side_cache(const struct wm_memory_spec *spec,
                                       enum wm_side_cache_kind kind, struct wm_error *error)
{
    const struct wm_cache_spec *cache = &spec->side_caches[kind].cache;
    const char *name = wm_side_cache_names[kind];
    WM_TRY(wm_cache_spec_check(cache, name, 1, error));
    if (spec->side_caches[kind].sms_each == 0) {
        wm_fail(error, WM_INVALID, "%s.sms_each is 0", name);
        return wm_error_hint(error, "give 1 for a cache of each SM's own");
    }
    uint32_t below = spec->l2.present ? spec->l2.line_bytes : spec->l1.line_bytes;
    if (cache->line_bytes <= below)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "%s.line_bytes is %" PRIu32 ", more than the %" PRIu32 " of a line below", name,
            cache->line_bytes, below);
    return wm_error_hint(error, "give a %s line that lies in one line below", name);
}

static enum wm_status check_victims(const struct wm_memory_spec *spec, struct wm_error *error)
{
    if (spec->l1_victim_lines > WM_CACHE_MAX_WAYS) {
        wm_fail(error, WM_INVALID, "l1_victim_lines is %" PRIu32, spec->l1_victim_lines);
        return wm_error_hint(error, "give at most %d lines", WM_CACHE_MAX_WAYS);
    }
    if (spec->l1.write_fetch == WM_FETCH_NEVER) {
        wm_fail(error, WM_INVALID, "l1 has a victim cache, and byte masks, which do not move");
        return wm_error_hint(error, "give l1.write_fetch another value, or no l1_victim_lines");
    }
    return wm_cache_spec_names_victims(&spec->l1, "l1", "a victim cache must be given it", error);
}

// Levels that know of each other.
static enum wm_status check_inclusion(const struct wm_memory_spec *spec, struct wm_error *error)
{
    static const char *const what[] = {"", "an inclusive L2 must know it",
                                       "an exclusive L2 must be given it"};
    bool exclusive = spec->l2_inclusion == WM_EXCLUSIVE;
    if (!spec->l2.present) {
        wm_fail(error, WM_INVALID, "l2_inclusion is given, and there is no L2");
        return wm_error_hint(error, "give WM_NON_INCLUSIVE, or an L2");
    }
    WM_TRY(wm_cache_spec_names_victims(&spec->l1, "l1", what[spec->l2_inclusion], error));
    WM_TRY(wm_cache_spec_names_victims(&spec->l2, "l2", what[spec->l2_inclusion], error));
    for (enum wm_side_cache_kind kind = 0; !exclusive && kind < WM_SIDE_CACHE_KINDS; kind++)
        WM_TRY(wm_cache_spec_names_victims(&spec->side_caches[kind].cache, "a cache beside L1",
                                           what[spec->l2_inclusion], error));
    bool masks = (spec->l1.present && spec->l1.write_fetch == WM_FETCH_NEVER) ||
                 spec->l2.write_fetch == WM_FETCH_NEVER;
    if (masks) {
        wm_fail(error, WM_INVALID, "l2_inclusion is given, and byte masks do not move");
        return wm_error_hint(error,
                             "give write_fetch another value, or l2_inclusion WM_NON_INCLUSIVE");
    }
    if (!spec->l1.present)
        return WM_OK;
    if (exclusive && (spec->l1.line_bytes != spec->l2.line_bytes ||
                      spec->l1.sector_bytes != spec->l2.sector_bytes)) {
        wm_fail(error, WM_INVALID, "an exclusive L2 has other lines or sectors than L1");
        return wm_error_hint(error, "give both lines of one size and sectors of one size");
    }
    if (spec->l1.sector_bytes > spec->l2.line_bytes) {
        wm_fail(error, WM_INVALID,
                "l1.sector_bytes is %" PRIu32 ", more than a line of an inclusive L2 (%" PRIu32 ")",
                spec->l1.sector_bytes, spec->l2.line_bytes);
        return wm_error_hint(error, "give L1 sectors that lie in one L2 line");
    }
    return WM_OK;
}

// What a tracker names must hold whole lines of what is below.
static enum wm_status check_tracker(const struct wm_memory_spec *spec, struct wm_error *error)
{
    const struct wm_cache_spec *l1 = &spec->l1;
    const char *why = !l1->present                             ? "there is no L1"
                      : l1->write_policy == WM_WRITE_BACK      ? "L1 writes back"
                      : l1->write_allocate                     ? "L1 allocates on stores"
                      : l1->sector_bytes != l1->line_bytes     ? "L1 fetches parts of lines"
                      : spec->l1_victim_lines != 0             ? "L1 has a victim cache"
                      : spec->l2_inclusion != WM_NON_INCLUSIVE ? "L2 and L1 know of each other"
                      : l1->write_fetch == WM_FETCH_NEVER      ? "L1 keeps byte masks"
                                                               : NULL;
    if (why != NULL) {
        wm_fail(error, WM_INVALID, "a sharing tracker, and %s", why);
        return wm_error_hint(error, "give L1s that write through without allocating, fetch whole "
                                    "lines and stand alone; or no tracker");
    }
    WM_TRY(wm_cache_spec_names_victims(l1, "l1", "a sharing tracker must know it", error));
    WM_TRY(wm_tracker_spec_check(&spec->tracker, error));
    uint32_t each = spec->l1_sms_each > 1 ? spec->l1_sms_each : 1;
    if (spec->tracker.sms_each % each == 0 || spec->tracker.sms_each >= spec->sm_count)
        return WM_OK;
    wm_fail(error, WM_INVALID, "tracker.sms_each is %" PRIu32 ", and %" PRIu32 " SMs share an L1",
            spec->tracker.sms_each, each);
    return wm_error_hint(error, "give a multiple of that");
}

static enum wm_status check_atomic_buffers(const struct wm_memory_spec *spec,
                                           struct wm_error *error)
{
    if (spec->atomic_buffer_lines > WM_ATOMIC_BUFFER_MOST_LINES) {
        wm_fail(error, WM_INVALID, "atomic_buffer_lines is %" PRIu32, spec->atomic_buffer_lines);
        return wm_error_hint(error, "give at most %d", WM_ATOMIC_BUFFER_MOST_LINES);
    }
    if (spec->l2_inclusion != WM_NON_INCLUSIVE) {
        wm_fail(error, WM_INVALID, "atomic buffers, and L2 and L1 know of each other");
        return wm_error_hint(error,
                             "give l2_inclusion WM_NON_INCLUSIVE, or no atomic_buffer_lines");
    }
    return wm_cache_spec_names_victims(&spec->l2, "l2", "an atomic buffer must write to it", error);
}

enum wm_status wm_memory_spec_check(const struct wm_memory_spec *spec, struct wm_error *error)
{
    if (spec->sm_count == 0) {
        wm_fail(error, WM_INVALID, "sm_count is 0");
        return wm_error_hint(error, "give at least one SM");
    }
    WM_TRY(check_dram(&spec->dram, error));
    if (spec->l1.present)
        WM_TRY(wm_cache_spec_check(&spec->l1, "l1", 1, error));
    if (spec->l1.present && spec->l1_victim_lines != 0)
        WM_TRY(check_victims(spec, error));
    if (spec->l2_inclusion != WM_NON_INCLUSIVE)
        WM_TRY(check_inclusion(spec, error));
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        if (spec->side_caches[kind].cache.present)
            WM_TRY(check_side_cache(spec, kind, error));
    if (spec->tlb.present)
        WM_TRY(wm_tlb_spec_check(&spec->tlb, error));
    if (spec->tracker.present)
        WM_TRY(check_tracker(spec, error));
    if (spec->l2.present && spec->atomic_buffer_lines != 0)
        WM_TRY(check_atomic_buffers(spec, error));
    if (!spec->l2.present)
        return WM_OK;
    if (spec->l2_slices == 0 || spec->l2_slices % spec->dram.channels != 0) {
        wm_fail(error, WM_INVALID,
                "l2_slices is %" PRIu32 ", not a multiple of dram.channels (%" PRIu32 ")",
                spec->l2_slices, spec->dram.channels);
        return wm_error_hint(error, "give each DRAM channel the same number of slices");
    }
    WM_TRY(wm_cache_spec_check(&spec->l2, "l2", spec->l2_slices, error));
    return check_interleave(spec->l2_interleave_bytes, spec->l2.line_bytes, "l2_interleave_bytes",
                            "one L2 line", error);
}
