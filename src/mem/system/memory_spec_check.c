#include "mem/system/memory_spec_check.h"

#include "base/access/gpu_addresses.h"
#include "base/text/units.h"
#include "mem/cache/cache.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/set_index.h"
#include "mem/system/atomic_buffer.h"
#include "mem/timed/network/butterfly.h"
#include "mem/timed/topology.h"
#include "mem/translation/tlb.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- Refusals: in their texts "{0}" is the name of the first field, "{0=}" also its value ---

struct printed {
    char text[64];
};

static struct printed bytes(uint64_t value)
{
    struct printed printed;
    wm_units_print(value, WM_QUANTITY_BYTES, printed.text, sizeof printed.text);
    return printed;
}

static uint64_t number_in(const struct wm_spec_field *field)
{
    uint32_t number;
    if (field->bytes == sizeof(uint64_t))
        return *(const uint64_t *)field->at;
    memcpy(&number, field->at, sizeof number);
    return number;
}

// In the quantity that the field's name ends in.
static struct printed number_of(const struct wm_spec_field *field, uint64_t number)
{
    const char *last = strrchr(field->member, '_');
    if (last != NULL && strcmp(last, "_bytes") == 0)
        return bytes(number);
    struct printed printed;
    snprintf(printed.text, sizeof printed.text, "%" PRIu64, number);
    return printed;
}

static struct printed name_of(const struct wm_spec_check *check, const struct wm_spec_field *field)
{
    struct printed printed;
    const char *name =
        check->name_of == NULL
            ? NULL
            : check->name_of((size_t)((const char *)field->at - (const char *)check->spec));
    if (name != NULL)
        snprintf(printed.text, sizeof printed.text, "%s", name);
    else
        snprintf(printed.text, sizeof printed.text, "%s%s%s", field->group ? field->group : "",
                 field->group ? "." : "", field->member);
    return printed;
}

enum { LONGEST_TEXT = 512 };

static void fill_in(const struct wm_spec_check *check, const char *format, va_list arguments,
                    char text[LONGEST_TEXT])
{
    char raw[LONGEST_TEXT];
    size_t used = 0;
    vsnprintf(raw, sizeof raw, format, arguments);
    for (const char *at = raw; *at != '\0' && used + 1 < LONGEST_TEXT;) {
        if (at[0] != '{') {
            text[used++] = *at++;
            continue;
        }
        const struct wm_spec_field *field = &check->fields[at[1] - '0'];
        bool valued = at[2] == '=';
        int length =
            snprintf(text + used, LONGEST_TEXT - used, "%s%s%s%s", name_of(check, field).text,
                     valued ? " (" : "", valued ? number_of(field, number_in(field)).text : "",
                     valued ? ")" : "");
        used += (size_t)length < LONGEST_TEXT - used ? (size_t)length : LONGEST_TEXT - used - 1;
        at += valued ? 4 : 3;
    }
    text[used] = '\0';
}

#define FIELDS(...)                              \
    (const struct wm_spec_field[]){__VA_ARGS__}, \
        sizeof((const struct wm_spec_field[]){__VA_ARGS__}) / sizeof(struct wm_spec_field)
// A field of the spec, and one of a struct cache.
static const char level_name_L1[] = "l1", level_name_L2[] = "l2";
#define OWN(field)                                                   \
    {                                                                \
        NULL, #field, &check->spec->field, sizeof check->spec->field \
    }
// Of a level, and of its caches.
#define OWN_OF(level, field)                                                      \
    {                                                                             \
        level_name_##level, #field, &check->spec->levels[WM_LEVEL_##level].field, \
            sizeof check->spec->levels[WM_LEVEL_##level].field                    \
    }
#define OWN_CACHE_OF(level, field)                                                      \
    {                                                                                   \
        level_name_##level, #field, &check->spec->levels[WM_LEVEL_##level].cache.field, \
            sizeof check->spec->levels[WM_LEVEL_##level].cache.field                    \
    }
#define OF(cache, field)                                                         \
    {                                                                            \
        (cache)->name, #field, &(cache)->spec->field, sizeof(cache)->spec->field \
    }

static void __attribute__((format(printf, 4, 5)))
refuse(struct wm_spec_check *check, const struct wm_spec_field *fields, size_t count,
       const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list arguments;
    memcpy(check->fields, fields, count * sizeof *fields);
    check->field_count = (uint32_t)count;
    va_start(arguments, format);
    fill_in(check, format, arguments, text);
    va_end(arguments);
    wm_fail(check->error, WM_INVALID, "%s", text);
}

// What to do about what was refused.
static enum wm_status __attribute__((format(printf, 2, 3)))
cure(const struct wm_spec_check *check, const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    fill_in(check, format, arguments, text);
    va_end(arguments);
    return wm_error_hint(check->error, "%s", text);
}

static bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

enum steps { ANY, POWERS_OF_TWO };

// Machine files cannot leave these ranges (machine/schema_table.c); those who fill specs can.
static enum wm_status check_range(struct wm_spec_check *check, struct wm_spec_field field,
                                  uint64_t low, uint64_t high, enum steps steps)
{
    uint64_t value = number_in(&field);
    if (value >= low && value <= high && (steps == ANY || is_power_of_two(value)))
        return WM_OK;
    refuse(check, &field, 1, "{0=} is out of range");
    return cure(check, "give %s to %s%s", number_of(&field, low).text, number_of(&field, high).text,
                steps == POWERS_OF_TWO ? ", a power of two" : "");
}

#define RANGE(field, low, high, steps) \
    WM_TRY(check_range(check, (struct wm_spec_field)field, low, high, steps))

// --- One cache ---

struct cache {
    const struct wm_cache_spec *spec;
    const char *name;
    uint32_t instances; // that share its bytes: slices
};

// `who` must know which line leaves the cache, at once; it is there for the sake of `reason`.
static enum wm_status check_victims_known(struct wm_spec_check *check, const struct cache *cache,
                                          struct wm_spec_field reason, const char *who,
                                          const char *otherwise)
{
    if (cache->spec->replacement != &wm_replacement_opt)
        return WM_OK;
    refuse(check, FIELDS(OF(cache, replacement), reason),
           "{0} is opt, which does not know yet which line leaves, and %s", who);
    return cure(check, "name another {0}, or %s", otherwise);
}

static enum wm_status check_lines(struct wm_spec_check *check, const struct cache *cache)
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

static enum wm_status check_stores(struct wm_spec_check *check, const struct cache *cache)
{
    if (cache->spec->write_fetch == WM_FETCH_NEVER)
        WM_TRY(check_victims_known(check, cache, (struct wm_spec_field)OF(cache, write_fetch),
                                   "{1} never remembers which of its bytes were written",
                                   "another {1}"));
    if (cache->spec->write_policy != WM_WRITE_THROUGH_EVICT || !cache->spec->write_allocate)
        return WM_OK;
    refuse(check, FIELDS(OF(cache, write_policy), OF(cache, write_allocate)),
           "{0} through-evict drops the line that {1} true would take");
    return cure(check, "make {1} false, or take another {0}");
}

static enum wm_status check_sets(struct wm_spec_check *check, const struct cache *cache)
{
    const struct wm_cache_spec *spec = cache->spec;
    uint64_t step = (uint64_t)cache->instances * spec->ways * spec->line_bytes;
    const struct wm_spec_field fields[] = {OF(cache, size_bytes), OF(cache, ways),
                                           OF(cache, line_bytes), OWN_OF(L2, slices)};
    bool sliced = check->spec != NULL && spec == &check->spec->levels[WM_LEVEL_L2].cache;
    if (spec->size_bytes == 0 || spec->size_bytes % step != 0) {
        char slices[64] = "";
        if (sliced)
            snprintf(slices, sizeof slices, "%" PRIu32 " slices of ", cache->instances);
        refuse(check, fields, sliced ? 4 : 3,
               "{0=} is not a whole number of sets (%s%" PRIu32 " ways of %s: %s)", slices,
               spec->ways, bytes(spec->line_bytes).text, bytes(step).text);
        return cure(check, "make {0} a multiple of %s, or change %s{1} or {2}", bytes(step).text,
                    sliced ? "{3}, " : "");
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

static enum wm_status check_cache(struct wm_spec_check *check, const struct cache *cache)
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
    return check_cache(&check, &(struct cache){spec, name, instances});
}

enum wm_status wm_cache_spec_names_victims(const struct wm_cache_spec *spec, const char *name,
                                           const char *what, struct wm_error *error)
{
    struct wm_spec_check check = {.error = error};
    const struct cache cache = {spec, name, 1};
    return spec->present
               ? check_victims_known(&check, &cache, (struct wm_spec_field)OF(&cache, replacement),
                                     what, "do without")
               : WM_OK;
}

// --- Victim caches, side caches, what lies between levels ---

static struct cache side_cache_of(const struct wm_spec_check *check, enum wm_side_cache_kind kind)
{
    return (struct cache){&check->spec->levels[WM_LEVEL_SIDE + kind].cache,
                          wm_side_cache_names[kind], 1};
}

static struct cache l1_of(const struct wm_spec_check *check)
{
    return (struct cache){&check->spec->levels[WM_LEVEL_L1].cache, "l1", 1};
}

static struct cache l2_of(const struct wm_spec_check *check)
{
    return (struct cache){&check->spec->levels[WM_LEVEL_L2].cache, "l2",
                          check->spec->levels[WM_LEVEL_L2].slices};
}

// Whether what is said of a part is to be looked at.
static bool counts(const struct wm_spec_check *check, bool present)
{
    return present || check->absent_too;
}

static enum wm_status check_banks(struct wm_spec_check *check)
{
    if (!check->spec->levels[WM_LEVEL_L1].banks.take_fills ||
        check->spec->levels[WM_LEVEL_L1].banks.count != 0)
        return WM_OK;
    refuse(check, FIELDS(OWN_OF(L1, banks.take_fills), OWN_OF(L1, banks.count)),
           "{0} is true, and {1} is 0: there are none to take");
    return cure(check, "say how many {1} there are");
}

// A victim cache is given the lines that L1 displaces, and gives them back whole.
static enum wm_status check_victim_cache(struct wm_spec_check *check)
{
    const struct cache l1 = l1_of(check);
    RANGE(OWN_OF(L1, victim_lines), 0, WM_CACHE_MAX_WAYS, ANY);
    if (check->spec->levels[WM_LEVEL_L1].victim_lines == 0)
        return WM_OK;
    WM_TRY(check_victims_known(check, &l1, (struct wm_spec_field)OWN_OF(L1, victim_lines),
                               "a victim cache must be given it: {1=}", "set {1} to 0"));
    if (l1.spec->write_fetch != WM_FETCH_NEVER)
        return WM_OK;
    refuse(check, FIELDS(OWN_OF(L1, victim_lines), OWN_CACHE_OF(L1, write_fetch)),
           "{1} never keeps byte masks, which do not move to a victim cache: {0=}");
    return cure(check, "name another {1}, or set {0} to 0");
}

// Insertion, promotion and region are answers of LRU's chain.
static enum wm_status check_divergence(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    if (!wm_divergence_is_enabled(&spec->levels[WM_LEVEL_L1].divergence) ||
        !spec->levels[WM_LEVEL_L1].cache.present ||
        spec->levels[WM_LEVEL_L1].cache.replacement == &wm_replacement_lru)
        return WM_OK;
    refuse(check,
           FIELDS(OWN_OF(L1, divergence.insertion), OWN_OF(L1, divergence.promotion),
                  OWN_OF(L1, divergence.region), OWN_OF(L1, divergence.full),
                  OWN_CACHE_OF(L1, replacement), OWN_CACHE_OF(L1, present)),
           "{0}, {1}, {2} and {3} say how a chain of recency is used, which {4} %s is not",
           spec->levels[WM_LEVEL_L1].cache.replacement->name);
    return cure(check, "set {4} to lru, or leave them as they are by default");
}

// Inclusive and exclusive levels must know what is where, at once.
static enum wm_status check_inclusion(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct wm_spec_field inclusion = OWN_OF(L2, inclusion);
    const struct cache l1 = l1_of(check), l2 = l2_of(check);
    bool has_l1 = counts(check, spec->levels[WM_LEVEL_L1].cache.present),
         exclusive = spec->levels[WM_LEVEL_L2].inclusion == WM_EXCLUSIVE;
    const char *word = exclusive ? "exclusive" : "inclusive";
    const char *knows =
        exclusive ? "an exclusive L2 ({1}) must be given it" : "an inclusive L2 ({1}) must know it";
    const char *otherwise = "set {1} to non-inclusive";
    if (!spec->levels[WM_LEVEL_L2].cache.present) {
        refuse(check, FIELDS(inclusion, OWN_CACHE_OF(L2, present)), "{0} is %s, and {1} false",
               word);
        return cure(check, "set {0} to non-inclusive, or {1} to true");
    }
    WM_TRY(check_victims_known(check, &l2, inclusion, knows, otherwise));
    if (has_l1)
        WM_TRY(check_victims_known(check, &l1, inclusion, knows, otherwise));
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        const struct cache side = side_cache_of(check, kind);
        if (counts(check, side.spec->present))
            WM_TRY(check_victims_known(check, &side, inclusion, knows, otherwise));
    }
    bool masks_below = l2.spec->write_fetch == WM_FETCH_NEVER;
    const struct wm_spec_field geometry[] = {
        inclusion, OWN_CACHE_OF(L1, line_bytes), OWN_CACHE_OF(L1, sector_bytes),
        OWN_CACHE_OF(L2, line_bytes), OWN_CACHE_OF(L2, sector_bytes)};
    if (masks_below || (has_l1 && l1.spec->write_fetch == WM_FETCH_NEVER))
        refuse(check, FIELDS(inclusion, OF(masks_below ? &l2 : &l1, write_fetch)),
               "{0} is %s, and {1} never keeps byte masks, which do not move", word);
    else if (has_l1 && exclusive &&
             (l1.spec->line_bytes != l2.spec->line_bytes ||
              l1.spec->sector_bytes != l2.spec->sector_bytes))
        refuse(check, geometry, 5,
               "{0} is exclusive, and L1 has lines of %s in sectors of %s, L2 lines of %s in "
               "sectors of %s",
               bytes(l1.spec->line_bytes).text, bytes(l1.spec->sector_bytes).text,
               bytes(l2.spec->line_bytes).text, bytes(l2.spec->sector_bytes).text);
    else if (has_l1 && l1.spec->sector_bytes > l2.spec->line_bytes)
        refuse(check, geometry, 4, "{0} is inclusive, and {2=} larger than {3=}");
    else
        return WM_OK;
    return cure(check, "change that, or set {0} to non-inclusive");
}

// A tracker names L1s that can send a line, whole and as it is below.
static enum wm_status check_tracker(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct wm_tracker_spec *tracker = &spec->levels[WM_LEVEL_L1].tracker;
    const struct wm_cache_spec *l1 = &spec->levels[WM_LEVEL_L1].cache;
    const struct cache cache = l1_of(check);
    const struct wm_spec_field present = OWN_OF(L1, tracker.present);
    RANGE(OWN_OF(L1, tracker.sets), 1, WM_TRACKER_MOST_ENTRIES, ANY);
    RANGE(OWN_OF(L1, tracker.ways), 1, WM_TRACKER_MOST_ENTRIES / tracker->sets, ANY);
    RANGE(OWN_OF(L1, tracker.banks), 1, tracker->sets, ANY);
    RANGE(OWN_OF(L1, tracker.sharers), 1, UINT32_MAX, ANY);
    RANGE(OWN_OF(L1, tracker.sms_each), 1, UINT32_MAX, ANY);
    uint32_t each =
        spec->levels[WM_LEVEL_L1].units_each > 1 ? spec->levels[WM_LEVEL_L1].units_each : 1;
    const struct {
        bool excludes;
        struct wm_spec_field field;
        const char *says;
    } rules[] = {
        {!l1->present, OWN_CACHE_OF(L1, present), "is false"},
        {l1->write_policy == WM_WRITE_BACK, OWN_CACHE_OF(L1, write_policy), "is back"},
        {l1->write_allocate, OWN_CACHE_OF(L1, write_allocate), "is true"},
        {l1->sector_bytes != l1->line_bytes, OWN_CACHE_OF(L1, sector_bytes), "is less than a line"},
        {l1->write_fetch == WM_FETCH_NEVER, OWN_CACHE_OF(L1, write_fetch), "is never"},
        {spec->levels[WM_LEVEL_L1].victim_lines != 0, OWN_OF(L1, victim_lines), "is not 0"},
        {spec->levels[WM_LEVEL_L2].inclusion != WM_NON_INCLUSIVE, OWN_OF(L2, inclusion),
         "is not non-inclusive"},
        {tracker->sets % tracker->banks != 0, OWN_OF(L1, tracker.banks), "do not divide its sets"},
        {tracker->sms_each % each != 0 && tracker->sms_each < spec->sm_count,
         OWN_OF(L1, tracker.sms_each), "is not a multiple of the SMs that share an L1"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!rules[i].excludes)
            continue;
        refuse(check,
               FIELDS(present, rules[i].field, OWN_OF(L1, tracker.sets),
                      OWN_CACHE_OF(L1, line_bytes), OWN_OF(L1, units_each), OWN(sm_count)),
               "{0} is true, and {1} %s", rules[i].says);
        return cure(check, "trackers want L1s that write through, take no lines for stores, fetch "
                           "whole lines and know nothing of L2, and banks of as many sets each");
    }
    return check_victims_known(check, &cache, present, "a sharing tracker ({1}) must know it",
                               "set {1} to false");
}

static enum wm_status check_atomic_buffers(struct wm_spec_check *check)
{
    const struct cache l2 = l2_of(check);
    const struct wm_spec_field lines = OWN_OF(L2, atomic_buffer_lines);
    RANGE(OWN_OF(L2, atomic_buffer_lines), 0, WM_ATOMIC_BUFFER_MOST_LINES, ANY);
    if (check->spec->levels[WM_LEVEL_L2].inclusion == WM_NON_INCLUSIVE)
        return check_victims_known(check, &l2, lines, "an atomic buffer must write to it: {1=}",
                                   "set {1} to 0");
    refuse(check, FIELDS(lines, OWN_OF(L2, inclusion)), "{0=} needs {1} non-inclusive");
    return cure(check, "change that, or set {0} to 0");
}

// What a side cache fetches lies in one line of the level below, and in one request.
static enum wm_status check_side_cache(struct wm_spec_check *check, enum wm_side_cache_kind kind)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct cache cache = side_cache_of(check, kind);
    const struct wm_spec_field each = {
        cache.name, "sms_each", &spec->levels[WM_LEVEL_SIDE + kind].units_each, sizeof(uint32_t)};
    WM_TRY(check_cache(check, &cache));
    WM_TRY(check_range(check, each, 1, UINT32_MAX, ANY));
    uint32_t line = cache.spec->line_bytes;
    bool too_long = (counts(check, spec->levels[WM_LEVEL_L2].cache.present) &&
                     line > spec->levels[WM_LEVEL_L2].cache.line_bytes) ||
                    (spec->levels[WM_LEVEL_L1].cache.line_bytes != 0 &&
                     line > spec->levels[WM_LEVEL_L1].cache.line_bytes);
    if (!cache.spec->present || !too_long)
        return WM_OK;
    refuse(check,
           FIELDS(OF(&cache, line_bytes), OWN_CACHE_OF(L2, line_bytes),
                  OWN_CACHE_OF(L1, line_bytes), OF(&cache, present)),
           "{0=} is larger than {1=} or {2=}");
    return cure(check, "make {0} at most as large as both");
}

static enum wm_status check_tlb_level(struct wm_spec_check *check,
                                      const struct wm_tlb_level_spec *level, const char *name)
{
    const struct wm_spec_field entries = {name, "entries", &level->entries, sizeof level->entries};
    const struct wm_spec_field ways = {name, "ways", &level->ways, sizeof level->ways};
    if (level->replacement == NULL) {
        refuse(check, NULL, 0, "%s has no replacement", name);
        return cure(check, "name an entry of the kind's table");
    }
    WM_TRY(check_range(check, entries, 0, WM_TLB_MOST_ENTRIES, ANY));
    WM_TRY(check_range(check, ways, 1, WM_CACHE_MAX_WAYS, ANY));
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

static enum wm_status check_slices(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct cache l2 = l2_of(check);
    RANGE(OWN_OF(L2, slices), 1, UINT32_MAX, ANY);
    WM_TRY(check_cache(check, &l2));
    if (spec->levels[WM_LEVEL_L2].slices % spec->dram.channels != 0) {
        refuse(check, FIELDS(OWN_OF(L2, slices), OWN(dram.channels)),
               "{0=} is not a multiple of {1=}");
        return cure(check, "each slice stands before one channel: change one of the two");
    }
    RANGE(OWN_OF(L2, interleave_bytes), 1, UINT64_MAX, POWERS_OF_TWO);
    if (spec->levels[WM_LEVEL_L2].interleave_bytes >= spec->levels[WM_LEVEL_L2].cache.line_bytes)
        return WM_OK;
    refuse(check, FIELDS(OWN_OF(L2, interleave_bytes), OWN_CACHE_OF(L2, line_bytes)),
           "{0=} is smaller than {1=}");
    return cure(check, "a line lies in one slice: make {0} at least a line");
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
    uint32_t stages =
        wm_butterfly_stages(spec->sm_count, wm_timed_receivers(spec), network->radix);
    if (network->latency >= stages + 2)
        return WM_OK;
    refuse(check,
           FIELDS(OWN(interconnect.latency), OWN(interconnect.radix), OWN(interconnect.topology),
                  OWN(sm_count), OWN_OF(L2, slices)),
           "{0=} is not a cycle for each of the butterfly's %" PRIu32 " stages and two for wires",
           stages);
    return cure(check, "make {0} at least %" PRIu32 ", or {1} larger", stages + 2);
}

// What SMs share is of one GPU, and an L2 knows the L1s of its own alone.
static enum wm_status check_gpus(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    RANGE(OWN(gpus), 0, WM_MOST_GPUS, ANY);
    if (wm_memory_gpus(spec) == 1)
        return WM_OK;
    if (spec->levels[WM_LEVEL_L2].inclusion != WM_NON_INCLUSIVE) {
        refuse(check, FIELDS(OWN_OF(L2, inclusion), OWN(gpus)),
               "{0} is not non-inclusive, and {1=}: caches of other GPUs have lines of an L2, too");
        return cure(check, "set {0} to non-inclusive");
    }
    const struct {
        bool counts;
        struct wm_spec_field each;
    } shared[] = {
        {spec->levels[WM_LEVEL_L1].cache.present, OWN_OF(L1, units_each)},
        {spec->levels[WM_LEVEL_L1].tracker.present, OWN_OF(L1, tracker.sms_each)},
        {spec->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.present,
         OWN(levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].units_each)},
        {spec->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].cache.present,
         OWN(levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].units_each)},
        {spec->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR].cache.present,
         OWN(levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR].units_each)},
        {spec->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION].cache.present,
         OWN(levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION].units_each)},
    };
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        uint64_t each = number_in(&shared[i].each);
        if (!shared[i].counts || each <= 1 || each >= spec->sm_count || spec->sm_count % each == 0)
            continue;
        refuse(check, FIELDS(shared[i].each, OWN(sm_count), OWN(gpus)),
               "{0=} does not divide {1=}, and {2=}");
        return cure(check, "SMs of two GPUs share nothing: give {0} a divisor of {1}");
    }
    return WM_OK;
}

enum wm_status wm_memory_spec_check_as(struct wm_spec_check *check)
{
    const struct wm_memory_spec *spec = check->spec;
    const struct cache l1 = l1_of(check);
    RANGE(OWN(sm_count), 1, UINT32_MAX, ANY);
    RANGE(OWN(dram.channels), 1, UINT32_MAX, ANY);
    if (counts(check, spec->levels[WM_LEVEL_L1].cache.present)) {
        WM_TRY(check_cache(check, &l1));
        WM_TRY(check_victim_cache(check));
    }
    WM_TRY(check_banks(check));
    WM_TRY(check_divergence(check));
    if (spec->levels[WM_LEVEL_L2].inclusion != WM_NON_INCLUSIVE)
        WM_TRY(check_inclusion(check));
    if (spec->levels[WM_LEVEL_L1].tracker.present)
        WM_TRY(check_tracker(check));
    if (spec->levels[WM_LEVEL_L2].cache.present &&
        spec->levels[WM_LEVEL_L2].atomic_buffer_lines != 0)
        WM_TRY(check_atomic_buffers(check));
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        if (counts(check, spec->levels[WM_LEVEL_SIDE + kind].cache.present))
            WM_TRY(check_side_cache(check, kind));
    if (counts(check, spec->tlb.present))
        WM_TRY(check_tlb(check));
    if (counts(check, spec->levels[WM_LEVEL_L2].cache.present))
        WM_TRY(check_slices(check));
    WM_TRY(check_dram(check));
    WM_TRY(check_gpus(check));
    return check_butterfly(check);
}

enum wm_status wm_memory_spec_check(const struct wm_memory_spec *spec, struct wm_error *error)
{
    struct wm_spec_check check = {.spec = spec, .error = error};
    return wm_memory_spec_check_as(&check);
}
