// The rules between keys. Each alone may be legal and the machine still be impossible; then the
// error names the keys and their values, and stands at the one that was given last.
#include "machine/description.h"
#include "machine/machine_dram.h"

#include "mem/cache/cache.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "mem/timed/network/butterfly.h"

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

// Places the error at the latest setting among `paths`, else at the first that the file gives.
static enum wm_status blame(const struct wm_description *description, const char *const *paths)
{
    const struct wm_value_source *chosen = NULL;
    for (; *paths; paths++) {
        const struct wm_machine_key *key = wm_machine_key_find(*paths);
        const struct wm_value_source *source = &description->values[key - wm_machine_keys];
        if (source->origin == WM_VALUE_DEFAULT)
            continue;
        bool later = chosen && source->origin == WM_VALUE_SETTING &&
                     (chosen->origin != WM_VALUE_SETTING || source->setting > chosen->setting);
        later |= chosen && chosen->origin == WM_VALUE_BASE && source->origin == WM_VALUE_FILE;
        if (!chosen || later)
            chosen = source;
    }
    static const struct wm_value_source nowhere = {WM_VALUE_DEFAULT};
    wm_description_point_value(description, chosen ? chosen : &nowhere);
    return WM_INVALID;
}

struct printed {
    char text[64];
};

static struct printed bytes(uint64_t value)
{
    struct printed printed;
    wm_units_print(value, WM_QUANTITY_BYTES, printed.text, sizeof printed.text);
    return printed;
}

// The paths of one cache's keys, by level.
struct cache_paths {
    const char *size, *ways, *line, *sector, *write, *write_allocate, *write_fetch, *replacement,
        *set_index, *slices;
};

#define CACHE_PATHS(group, slices_path)                                               \
    {                                                                                 \
        group ".size", group ".ways", group ".line", group ".sector", group ".write", \
            group ".write_allocate", group ".write_fetch", group ".replacement",      \
            group ".set_index", slices_path                                           \
    }

static const struct cache_paths l1_paths = CACHE_PATHS("gpu.l1", NULL);
static const struct cache_paths side_cache_paths[WM_SIDE_CACHE_KINDS] = {
    [WM_SIDE_CACHE_CONSTANT] = CACHE_PATHS("gpu.constant", NULL),
    [WM_SIDE_CACHE_TEXTURE] = CACHE_PATHS("gpu.texture", NULL),
    [WM_SIDE_CACHE_SCALAR] = CACHE_PATHS("gpu.scalar", NULL),
    [WM_SIDE_CACHE_INSTRUCTION] = CACHE_PATHS("gpu.instruction", NULL),
};
static const char *const side_cache_present[WM_SIDE_CACHE_KINDS] = {
    "gpu.constant.present", "gpu.texture.present", "gpu.scalar.present", "gpu.instruction.present"};
static const struct cache_paths l2_paths = CACHE_PATHS("gpu.l2", "gpu.l2.slices");

static enum wm_status check_policies(const struct wm_description *description,
                                     const struct wm_cache_spec *spec,
                                     const struct cache_paths *paths)
{
    if (spec->write_fetch == WM_FETCH_NEVER && spec->replacement == &wm_replacement_opt) {
        wm_fail(description->error, WM_INVALID,
                "%s opt cannot tell which line leaves with the bytes of %s never",
                paths->replacement, paths->write_fetch);
        wm_error_hint(description->error, "take another %s, or another %s", paths->replacement,
                      paths->write_fetch);
        return blame(description, PATHS(paths->write_fetch, paths->replacement));
    }
    if (spec->write_policy != WM_WRITE_THROUGH_EVICT || !spec->write_allocate)
        return WM_OK;
    wm_fail(description->error, WM_INVALID,
            "%s through-evict drops the line that %s true would take", paths->write,
            paths->write_allocate);
    wm_error_hint(description->error, "make %s false, or take another %s", paths->write_allocate,
                  paths->write);
    return blame(description, PATHS(paths->write, paths->write_allocate));
}

static enum wm_status check_cache(const struct wm_description *description,
                                  const struct wm_cache_spec *spec, uint32_t slices,
                                  const struct cache_paths *paths)
{
    struct wm_error *error = description->error;
    if (spec->sector_bytes > spec->line_bytes) {
        wm_fail(error, WM_INVALID, "%s (%s) is larger than %s (%s)", paths->sector,
                bytes(spec->sector_bytes).text, paths->line, bytes(spec->line_bytes).text);
        wm_error_hint(error, "a cache without sectors has %s equal to %s", paths->sector,
                      paths->line);
        return blame(description, PATHS(paths->sector, paths->line));
    }
    WM_TRY(check_policies(description, spec, paths));
    // At most 1024 slices of 1024 ways of 1 KiB: no overflow.
    uint64_t step = (uint64_t)slices * spec->ways * spec->line_bytes;
    if (spec->size_bytes % step != 0) {
        char of_slices[64] = "";
        if (paths->slices)
            snprintf(of_slices, sizeof of_slices, "%u slices of ", slices);
        wm_fail(error, WM_INVALID, "%s (%s) is not a whole number of sets (%s%u ways of %s: %s)",
                paths->size, bytes(spec->size_bytes).text, of_slices, spec->ways,
                bytes(spec->line_bytes).text, bytes(step).text);
        wm_error_hint(error, "make %s a multiple of %s, or change %s%s%s or %s", paths->size,
                      bytes(step).text, paths->slices ? paths->slices : "",
                      paths->slices ? ", " : "", paths->ways, paths->line);
        return blame(description, paths->slices
                                      ? PATHS(paths->size, paths->ways, paths->line, paths->slices)
                                      : PATHS(paths->size, paths->ways, paths->line));
    }
    uint64_t sets = spec->size_bytes / step;
    if (sets > UINT32_MAX || !spec->set_index->supports((uint32_t)sets)) {
        wm_fail(error, WM_INVALID, "%s %s does not serve %llu sets (%s)", paths->set_index,
                spec->set_index->name, (unsigned long long)sets, spec->set_index->sets);
        wm_error_hint(error, "take another %s, or another %s or %s", paths->set_index, paths->size,
                      paths->ways);
        return blame(description,
                     PATHS(paths->set_index, paths->size, paths->ways, paths->line, paths->slices));
    }
    return WM_OK;
}

static enum wm_status check_interleave(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_memory_spec *memory = &description->machine->memory;
    if (memory->l2_slices % memory->dram.channels != 0) {
        wm_fail(error, WM_INVALID, "gpu.l2.slices (%u) is not a multiple of gpu.dram.channels (%u)",
                memory->l2_slices, memory->dram.channels);
        wm_error_hint(error, "each slice stands before one channel: change one of the two");
        return blame(description, PATHS("gpu.l2.slices", "gpu.dram.channels"));
    }
    if (memory->l2_interleave_bytes < memory->l2.line_bytes) {
        wm_fail(error, WM_INVALID, "gpu.l2.interleave (%s) is smaller than gpu.l2.line (%s)",
                bytes(memory->l2_interleave_bytes).text, bytes(memory->l2.line_bytes).text);
        wm_error_hint(error, "a line lies in one slice: make gpu.l2.interleave at least a line");
        return blame(description, PATHS("gpu.l2.interleave", "gpu.l2.line"));
    }
    if (memory->dram.channel_interleave_bytes < memory->dram.access_bytes) {
        wm_fail(error, WM_INVALID, "gpu.dram.interleave (%s) is smaller than gpu.dram.access (%s)",
                bytes(memory->dram.channel_interleave_bytes).text,
                bytes(memory->dram.access_bytes).text);
        wm_error_hint(error, "a transfer lies in one channel: make gpu.dram.interleave at least "
                             "gpu.dram.access");
        return blame(description, PATHS("gpu.dram.interleave", "gpu.dram.access"));
    }
    return WM_OK;
}

static enum wm_status check_threads(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_sm_spec *sm = &description->machine->sm;
    if (sm->warp_width != 1 && sm->warp_width < 32) {
        wm_fail(error, WM_INVALID, "gpu.sm.warp_width (%u) is no width of a warp", sm->warp_width);
        wm_error_hint(error, "make it 32 or 64, or 1 for a machine whose SMs are CPU cores");
        return blame(description, PATHS("gpu.sm.warp_width"));
    }
    if (sm->max_threads % sm->warp_width != 0 || sm->max_threads > sm->max_warps * sm->warp_width) {
        wm_fail(
            error, WM_INVALID,
            "gpu.sm.max_threads (%u) do not fit gpu.sm.max_warps (%u) of gpu.sm.warp_width (%u)",
            sm->max_threads, sm->max_warps, sm->warp_width);
        wm_error_hint(error, "make it a multiple of %u, at most %u", sm->warp_width,
                      sm->max_warps * sm->warp_width);
        return blame(description,
                     PATHS("gpu.sm.max_threads", "gpu.sm.max_warps", "gpu.sm.warp_width"));
    }
    if (sm->max_threads_per_block > sm->max_threads) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.max_threads_per_block (%u) is more than gpu.sm.max_threads (%u)",
                sm->max_threads_per_block, sm->max_threads);
        wm_error_hint(error, "make gpu.sm.max_threads_per_block at most gpu.sm.max_threads");
        return blame(description, PATHS("gpu.sm.max_threads_per_block", "gpu.sm.max_threads"));
    }
    if ((uint64_t)sm->max_registers_per_thread * sm->warp_width > sm->registers) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.registers (%u) do not hold one warp of gpu.sm.max_registers_per_thread "
                "(%u) a thread",
                sm->registers, sm->max_registers_per_thread);
        wm_error_hint(error, "a warp of %u lanes needs %u", sm->warp_width,
                      sm->max_registers_per_thread * sm->warp_width);
        return blame(description, PATHS("gpu.sm.registers", "gpu.sm.max_registers_per_thread",
                                        "gpu.sm.warp_width"));
    }
    return WM_OK;
}

static enum wm_status check_shared(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_sm_spec *sm = &description->machine->sm;
    if (sm->shared_bytes_per_block > sm->shared_bytes) {
        wm_fail(error, WM_INVALID, "gpu.sm.shared_per_block (%s) is more than gpu.sm.shared (%s)",
                bytes(sm->shared_bytes_per_block).text, bytes(sm->shared_bytes).text);
        wm_error_hint(error, "make gpu.sm.shared_per_block at most gpu.sm.shared");
        return blame(description, PATHS("gpu.sm.shared_per_block", "gpu.sm.shared"));
    }
    if (sm->shared_bytes_per_block + sm->shared_reserved_bytes > sm->shared_bytes &&
        sm->shared_bytes_per_block > 0) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.shared_per_block (%s) and gpu.sm.shared_reserved (%s) are more than "
                "gpu.sm.shared (%s)",
                bytes(sm->shared_bytes_per_block).text, bytes(sm->shared_reserved_bytes).text,
                bytes(sm->shared_bytes).text);
        wm_error_hint(error, "make gpu.sm.shared_per_block at most what is left of gpu.sm.shared");
        return blame(description,
                     PATHS("gpu.sm.shared_per_block", "gpu.sm.shared_reserved", "gpu.sm.shared"));
    }
    return WM_OK;
}

// A unified array is one SM's: its L1 part cannot be a group's.
static enum wm_status check_l1_group(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    uint64_t unified_bytes = description->machine->sm.unified_bytes;
    uint32_t each = description->machine->memory.l1_sms_each;
    if (each == 1 || unified_bytes == 0)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "gpu.l1.sms_each is %u, but L1 is a part of each SM's own array (gpu.sm.unified, %s)",
            each, bytes(unified_bytes).text);
    wm_error_hint(error, "set gpu.sm.unified to 0B: then L1 is an array apart, and may be shared");
    return blame(description, PATHS("gpu.l1.sms_each", "gpu.sm.unified", "gpu.l1.present"));
}

// A victim cache is given the lines that L1 displaces, and gives them back whole.
static enum wm_status check_victims(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_memory_spec *memory = &description->machine->memory;
    if (memory->l1_victim_lines == 0)
        return WM_OK;
    if (memory->l1.replacement == &wm_replacement_opt) {
        wm_fail(error, WM_INVALID,
                "gpu.l1.replacement opt cannot tell which line leaves, and a victim cache "
                "(gpu.l1.victim_lines, %u) must be given it",
                memory->l1_victim_lines);
        wm_error_hint(error, "name another gpu.l1.replacement, or set gpu.l1.victim_lines to 0");
        return blame(description, PATHS("gpu.l1.victim_lines", "gpu.l1.replacement"));
    }
    if (memory->l1.write_fetch != WM_FETCH_NEVER)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "gpu.l1.write_fetch never keeps byte masks, which do not move to a victim cache "
            "(gpu.l1.victim_lines, %u)",
            memory->l1_victim_lines);
    wm_error_hint(error, "name another gpu.l1.write_fetch, or set gpu.l1.victim_lines to 0");
    return blame(description, PATHS("gpu.l1.victim_lines", "gpu.l1.write_fetch"));
}

// Insertion, promotion and region are answers of LRU's chain.
static enum wm_status check_divergence(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_memory_spec *memory = &description->machine->memory;
    if (!wm_divergence_is_asked_for(&memory->l1_divergence) || !memory->l1.present ||
        memory->l1.replacement == &wm_replacement_lru)
        return WM_OK;
    wm_fail(
        error, WM_INVALID,
        "gpu.l1.insertion, promotion, region and region_full say how a chain of recency is used, "
        "which gpu.l1.replacement %s is not",
        memory->l1.replacement->name);
    wm_error_hint(error, "set gpu.l1.replacement to lru, or leave them as they are by default");
    return blame(description, PATHS("gpu.l1.insertion", "gpu.l1.promotion", "gpu.l1.region",
                                    "gpu.l1.region_full", "gpu.l1.replacement", "gpu.l1.present"));
}

// Victim tags: of an L1 that displaces its lines for good, in sets.
static enum wm_status check_throttle(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_load_throttle_spec *throttle = &description->machine->sm.load_throttle;
    const struct wm_memory_spec *memory = &description->machine->memory;
    if (throttle->kind == WM_THROTTLE_NONE)
        return WM_OK;
    if (throttle->tags % throttle->tag_ways != 0) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.throttle_tag_ways (%u) do not divide gpu.sm.throttle_tags (%u)",
                throttle->tag_ways, throttle->tags);
        wm_error_hint(error, "make the tags a multiple of the ways");
        return blame(description, PATHS("gpu.sm.throttle_tag_ways", "gpu.sm.throttle_tags",
                                        "gpu.sm.load_throttle"));
    }
    if (memory->l1.present && memory->l1_victim_lines == 0)
        return WM_OK;
    wm_fail(error, WM_INVALID, "gpu.sm.load_throttle asks which lines L1 displaced, and %s",
            memory->l1.present ? "gpu.l1.victim_lines has them come back"
                               : "gpu.l1.present is false");
    wm_error_hint(error, "set gpu.sm.load_throttle to none, or change that");
    return blame(description,
                 PATHS("gpu.sm.load_throttle", "gpu.l1.victim_lines", "gpu.l1.present"));
}

// A tracker names L1s that can send a line, whole and as it is below.
static enum wm_status check_tracker(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_memory_spec *memory = &description->machine->memory;
    const struct wm_cache_spec *l1 = &memory->l1;
    if (!memory->tracker.present)
        return WM_OK;
    const char *why =
        !l1->present                                   ? "gpu.l1.present is false"
        : l1->write_policy == WM_WRITE_BACK            ? "gpu.l1.write is back"
        : l1->write_allocate                           ? "gpu.l1.write_allocate is true"
        : l1->sector_bytes != l1->line_bytes           ? "gpu.l1.sector is not gpu.l1.line"
        : l1->write_fetch == WM_FETCH_NEVER            ? "gpu.l1.write_fetch is never"
        : l1->replacement == &wm_replacement_opt       ? "gpu.l1.replacement is opt"
        : memory->l1_victim_lines != 0                 ? "gpu.l1.victim_lines is not 0"
        : memory->l2_inclusion != WM_NON_INCLUSIVE     ? "gpu.l2.inclusion is not non-inclusive"
        : memory->tracker.sets % memory->tracker.banks ? "gpu.tracker.banks do not divide its sets"
        : memory->tracker.sms_each % memory->l1_sms_each != 0 &&
                memory->tracker.sms_each < memory->sm_count
            ? "gpu.tracker.sms_each is not a multiple of gpu.l1.sms_each"
            : NULL;
    if (why == NULL)
        return WM_OK;
    wm_fail(error, WM_INVALID, "gpu.tracker.present is true, and %s", why);
    wm_error_hint(error, "trackers want L1s that write through, take no lines for stores, fetch "
                         "whole lines and know nothing of L2, and banks of as many sets each");
    return blame(description,
                 PATHS("gpu.tracker.present", "gpu.tracker.banks", "gpu.tracker.sets",
                       "gpu.tracker.sms_each", "gpu.l1.present", "gpu.l1.write",
                       "gpu.l1.write_allocate", "gpu.l1.sector", "gpu.l1.line",
                       "gpu.l1.write_fetch", "gpu.l1.replacement", "gpu.l1.victim_lines",
                       "gpu.l2.inclusion", "gpu.l1.sms_each", "gpu.sm.count"));
}

static enum wm_status check_atomic_buffers(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_memory_spec *memory = &description->machine->memory;
    const char *why = memory->l2_inclusion != WM_NON_INCLUSIVE
                          ? "gpu.l2.inclusion is not non-inclusive"
                      : memory->l2.replacement == &wm_replacement_opt
                          ? "gpu.l2.replacement is opt, which cannot tell which line leaves"
                          : NULL;
    if (memory->atomic_buffer_lines == 0 || !memory->l2.present || why == NULL)
        return WM_OK;
    wm_fail(error, WM_INVALID, "gpu.l2.atomic_buffer is %u, and %s", memory->atomic_buffer_lines,
            why);
    wm_error_hint(error, "change that, or set gpu.l2.atomic_buffer to 0");
    return blame(description,
                 PATHS("gpu.l2.atomic_buffer", "gpu.l2.inclusion", "gpu.l2.replacement"));
}

static bool has_opt_above(const struct wm_memory_spec *memory)
{
    bool found = memory->l1.replacement == &wm_replacement_opt;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        found = found || memory->side_caches[kind].cache.replacement == &wm_replacement_opt;
    return found;
}

// Levels that know of each other must know what is where, at once.
static enum wm_status check_inclusion(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_memory_spec *memory = &description->machine->memory;
    const struct wm_cache_spec *l1 = &memory->l1, *l2 = &memory->l2;
    const char *word = memory->l2_inclusion == WM_EXCLUSIVE ? "exclusive" : "inclusive";
    if (memory->l2_inclusion == WM_NON_INCLUSIVE)
        return WM_OK;
    wm_error_clear(error);
    if (!l2->present)
        wm_fail(error, WM_INVALID, "gpu.l2.inclusion is %s, and gpu.l2.present false", word);
    else if (l2->replacement == &wm_replacement_opt || has_opt_above(memory))
        wm_fail(error, WM_INVALID,
                "gpu.l2.inclusion is %s, and a replacement is opt, which cannot tell which line "
                "leaves",
                word);
    else if (l1->write_fetch == WM_FETCH_NEVER || l2->write_fetch == WM_FETCH_NEVER)
        wm_fail(error, WM_INVALID,
                "gpu.l2.inclusion is %s, and write_fetch never keeps byte masks, which do not move",
                word);
    else if (memory->l2_inclusion == WM_EXCLUSIVE &&
             (l1->line_bytes != l2->line_bytes || l1->sector_bytes != l2->sector_bytes))
        wm_fail(error, WM_INVALID,
                "gpu.l2.inclusion is exclusive, and L1 has lines of %s in sectors of %s, L2 lines "
                "of %s in sectors of %s",
                bytes(l1->line_bytes).text, bytes(l1->sector_bytes).text,
                bytes(l2->line_bytes).text, bytes(l2->sector_bytes).text);
    else if (l1->sector_bytes > l2->line_bytes)
        wm_fail(
            error, WM_INVALID,
            "gpu.l2.inclusion is inclusive, and gpu.l1.sector (%s) larger than gpu.l2.line (%s)",
            bytes(l1->sector_bytes).text, bytes(l2->line_bytes).text);
    else
        return WM_OK;
    wm_error_hint(error, "change that, or set gpu.l2.inclusion to non-inclusive");
    return blame(description,
                 PATHS("gpu.l2.inclusion", "gpu.l2.present", "gpu.l2.replacement",
                       "gpu.l1.replacement", "gpu.constant.replacement", "gpu.texture.replacement",
                       "gpu.scalar.replacement", "gpu.instruction.replacement",
                       "gpu.l1.write_fetch", "gpu.l2.write_fetch", "gpu.l1.line", "gpu.l1.sector",
                       "gpu.l2.line", "gpu.l2.sector"));
}

static enum wm_status check_carveouts(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_sm_spec *sm = &description->machine->sm;
    const struct wm_carveouts *list = &sm->carveouts;
    if (list->count == 0 || list->bytes[list->count - 1] != sm->shared_bytes) {
        wm_fail(error, WM_INVALID, "the largest of gpu.sm.carveouts (%s) is not gpu.sm.shared (%s)",
                list->count ? bytes(list->bytes[list->count - 1]).text : "there is none",
                bytes(sm->shared_bytes).text);
        wm_error_hint(error, "a unified array gives shared memory one of its carve-outs: end the "
                             "list with gpu.sm.shared, or set gpu.sm.unified to 0B");
        return blame(description, PATHS("gpu.sm.carveouts", "gpu.sm.shared", "gpu.sm.unified"));
    }
    const struct wm_cache_spec *l1 = &description->machine->memory.l1;
    if (sm->shared_bytes + l1->size_bytes != sm->unified_bytes) {
        wm_fail(error, WM_INVALID,
                "gpu.l1.size (%s) and gpu.sm.shared (%s) are not gpu.sm.unified (%s) together",
                bytes(l1->size_bytes).text, bytes(sm->shared_bytes).text,
                bytes(sm->unified_bytes).text);
        wm_error_hint(error, "gpu.l1.size is what the largest carve-out leaves; to choose it "
                             "freely, set gpu.sm.unified to 0B, and it stays the same for all "
                             "kernels");
        return blame(description, PATHS("gpu.l1.size", "gpu.sm.shared", "gpu.sm.unified"));
    }
    // The sets stay and the ways change, so each L1 is a whole number of ways.
    uint64_t way_bytes = l1->size_bytes / l1->ways;
    for (uint64_t i = 0; i < list->count; i++) {
        uint64_t left = sm->unified_bytes - list->bytes[i];
        if (left % way_bytes == 0 && left / way_bytes <= WM_CACHE_MAX_WAYS)
            continue;
        wm_fail(error, WM_INVALID,
                "the carve-out of %s leaves L1 %s: not 1 to %d ways of %s (the sets stay)",
                bytes(list->bytes[i]).text, bytes(left).text, WM_CACHE_MAX_WAYS,
                bytes(way_bytes).text);
        wm_error_hint(error, "change gpu.sm.carveouts, or gpu.l1.ways and with it the sets");
        return blame(description, PATHS("gpu.sm.carveouts", "gpu.l1.ways", "gpu.sm.unified"));
    }
    return WM_OK;
}

static enum wm_status check_default_carveout(const struct wm_description *description)
{
    const struct wm_sm_spec *sm = &description->machine->sm;
    bool known = sm->default_carveout_bytes == 0;
    for (uint64_t i = 0; i < sm->carveouts.count; i++)
        known = known || sm->carveouts.bytes[i] == sm->default_carveout_bytes;
    if (known)
        return WM_OK;
    wm_fail(description->error, WM_INVALID,
            "gpu.sm.default_carveout (%s) is none of gpu.sm.carveouts",
            bytes(sm->default_carveout_bytes).text);
    wm_error_hint(description->error, "give one of those, or 0B for what each kernel needs");
    return blame(description, PATHS("gpu.sm.default_carveout", "gpu.sm.carveouts"));
}

// What a cache beside L1 fetches lies in one line of the level below: L2's, or without L2 a
// request's.
static enum wm_status check_side_cache(const struct wm_description *description,
                                       enum wm_side_cache_kind kind)
{
    struct wm_error *error = description->error;
    const struct wm_memory_spec *memory = &description->machine->memory;
    const struct wm_cache_spec *cache = &memory->side_caches[kind].cache;
    const struct cache_paths *paths = &side_cache_paths[kind];
    WM_TRY(check_cache(description, cache, 1, paths));
    bool too_long =
        cache->line_bytes > memory->l2.line_bytes || cache->line_bytes > memory->l1.line_bytes;
    if (!too_long || !cache->present)
        return WM_OK;
    wm_fail(error, WM_INVALID, "%s (%s) is larger than gpu.l2.line (%s) or gpu.l1.line (%s)",
            paths->line, bytes(cache->line_bytes).text, bytes(memory->l2.line_bytes).text,
            bytes(memory->l1.line_bytes).text);
    wm_error_hint(error, "make %s at most as large as both", paths->line);
    return blame(description,
                 PATHS(paths->line, "gpu.l2.line", "gpu.l1.line", side_cache_present[kind]));
}

static enum wm_status check_tlb(const struct wm_description *description,
                                const struct wm_tlb_level_spec *level, const char *entries,
                                const char *ways)
{
    if (level->entries % level->ways == 0)
        return WM_OK;
    wm_fail(description->error, WM_INVALID, "%s (%u) is not a whole number of sets of %s (%u)",
            entries, level->entries, ways, level->ways);
    wm_error_hint(description->error, "make %s a multiple of %s; equal, every page may use any",
                  entries, ways);
    return blame(description, PATHS(entries, ways));
}

// A structure whose capacity the energy table does not know.
static enum wm_status check_banks(const struct wm_description *description)
{
    const struct wm_bank_spec *banks = &description->machine->memory.l1_banks;
    if (!banks->take_fills || banks->count != 0)
        return WM_OK;
    wm_fail(description->error, WM_INVALID,
            "gpu.l1.fills_take_banks is true, and gpu.l1.banks is 0: there are none to take");
    wm_error_hint(description->error, "say how many gpu.l1.banks there are");
    return blame(description, PATHS("gpu.l1.fills_take_banks", "gpu.l1.banks"));
}

static enum wm_status check_butterfly(const struct wm_description *description)
{
    const struct wm_memory_spec *memory = &description->machine->memory;
    const struct wm_interconnect_spec *network = &memory->interconnect;
    if (network->topology != WM_BUTTERFLY)
        return WM_OK;
    uint32_t stages =
        wm_butterfly_stages(description->machine->sm.count, memory->l2_slices, network->radix);
    if (network->latency >= stages + 2)
        return WM_OK;
    wm_fail(
        description->error, WM_INVALID,
        "gpu.interconnect.latency (%u) is not a cycle for each of the butterfly's %u stages and "
        "two for wires",
        network->latency, stages);
    wm_error_hint(description->error,
                  "make gpu.interconnect.latency at least %u, or "
                  "gpu.interconnect.radix larger",
                  stages + 2);
    return blame(description, PATHS("gpu.interconnect.latency", "gpu.interconnect.radix",
                                    "gpu.interconnect.topology", "gpu.sm.count", "gpu.l2.slices"));
}

static enum wm_status check_energy(const struct wm_description *description)
{
    static const char *const sizes[WM_ENERGY_STRUCTURES] = {
        [WM_ENERGY_L1] = "gpu.l1.size",
        [WM_ENERGY_TRACKER] = "gpu.tracker.sets",
        [WM_ENERGY_CONSTANT] = "gpu.constant.size",
        [WM_ENERGY_TEXTURE] = "gpu.texture.size",
        [WM_ENERGY_SCALAR] = "gpu.scalar.size",
        [WM_ENERGY_INSTRUCTION] = "gpu.instruction.size",
        [WM_ENERGY_L2] = "gpu.l2.size",
        [WM_ENERGY_ATOMIC_BUFFER] = "gpu.l2.atomic_buffer",
        [WM_ENERGY_INTERCONNECT] = "gpu.energy.distance",
        [WM_ENERGY_DRAM] = "gpu.dram.access",
    };
    const struct wm_machine *machine = description->machine;
    struct wm_energy_model model;
    enum wm_energy_structure structure;
    if (machine->energy.table.count == 0 ||
        wm_energy_model_init(&model, &machine->energy, &machine->memory, machine->sm.unified_bytes,
                             &structure, description->error) == WM_OK)
        return WM_OK;
    return blame(description, PATHS("gpu.energy.table", sizes[structure]));
}

static enum wm_status check_dram(const struct wm_description *description)
{
    struct wm_dram_channel_spec spec;
    if (wm_machine_dram_channel(description->machine, &spec, description->error) == WM_OK)
        return WM_OK;
    return blame(description, PATHS("gpu.dram.device", "gpu.dram.mapping", "gpu.dram.bank_queue"));
}

enum wm_status wm_description_check_geometry(struct wm_description *description)
{
    const struct wm_memory_spec *memory = &description->machine->memory;
    if (wm_bypass_list_check_for(description->machine->bypass_list, memory, description->error))
        return blame(description, PATHS("gpu.l1.bypass_list"));
    WM_TRY(check_threads(description));
    WM_TRY(check_shared(description));
    WM_TRY(check_cache(description, &memory->l1, 1, &l1_paths));
    WM_TRY(check_l1_group(description));
    WM_TRY(check_banks(description));
    WM_TRY(check_victims(description));
    WM_TRY(check_divergence(description));
    WM_TRY(check_throttle(description));
    WM_TRY(check_inclusion(description));
    WM_TRY(check_tracker(description));
    WM_TRY(check_atomic_buffers(description));
    if (description->machine->sm.unified_bytes != 0) {
        WM_TRY(check_carveouts(description));
        WM_TRY(check_default_carveout(description));
    }
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        WM_TRY(check_side_cache(description, kind));
    WM_TRY(check_tlb(description, &memory->tlb.l1, "gpu.tlb.l1_entries", "gpu.tlb.l1_ways"));
    WM_TRY(check_tlb(description, &memory->tlb.l2, "gpu.tlb.l2_entries", "gpu.tlb.l2_ways"));
    WM_TRY(check_cache(description, &memory->l2, memory->l2_slices, &l2_paths));
    WM_TRY(check_interleave(description));
    WM_TRY(check_butterfly(description));
    WM_TRY(check_dram(description));
    return check_energy(description);
}
