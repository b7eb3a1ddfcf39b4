#include "level_machines.h"
#include "choosy.h"
#include "mem/bypass/entries.h"
#include "mem/prefetch/entries.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_spec_check_parts.h"
#include "mem/system/memory_state.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_UNITS = 6, MOST_DEPTH = 4, PATHS = 4 };

static uint32_t below(struct wm_random *random, uint32_t limit)
{
    return (uint32_t)wm_random_below(random, limit);
}

static bool one_in(struct wm_random *random, uint32_t count)
{
    return below(random, count) == 0;
}

// --- One cache ---

static uint32_t slices_of(const struct wm_level_spec *level)
{
    return level->slices > 1 ? level->slices : 1;
}

struct geometry level_geometry(const struct wm_level_spec *level)
{
    const struct wm_cache_spec *cache = &level->cache;
    uint64_t lines = cache->size_bytes / cache->line_bytes / slices_of(level);
    return (struct geometry){(uint32_t)(lines / cache->ways), cache->ways, cache->line_bytes};
}

void level_set_geometry(struct wm_level_spec *level, struct geometry geometry)
{
    struct wm_cache_spec *cache = &level->cache;
    cache->ways = geometry.ways;
    if (cache->sector_bytes == cache->line_bytes || cache->sector_bytes > geometry.line)
        cache->sector_bytes = geometry.line;
    cache->line_bytes = geometry.line;
    cache->size_bytes = (uint64_t)geometry.sets * geometry.ways * geometry.line * slices_of(level);
    if (level->slices > 0 && level->interleave_bytes < geometry.line)
        level->interleave_bytes = geometry.line;
}

static const struct wm_replacement_ops *draw_replacement(struct wm_random *random)
{
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    const struct wm_replacement_ops *entry = table[below(random, (uint32_t)count)];
    if (one_in(random, 3))
        return &wm_replacement_lru;
    // opt leaves open which line goes: test_opt_memory.c is about its machines.
    return entry == &wm_replacement_opt || one_in(random, 8) ? &choosy_replacement : entry;
}

static void draw_stores(struct wm_random *random, struct wm_cache_spec *cache)
{
    cache->write_policy = (enum wm_write_policy)below(random, 3);
    cache->write_allocate = cache->write_policy != WM_WRITE_THROUGH_EVICT && !one_in(random, 3);
    cache->write_fetch =
        one_in(random, 2) ? WM_FETCH_PARTIAL : (enum wm_write_fetch)below(random, 3);
}

static void draw_cache(struct wm_random *random, struct wm_level_spec *level)
{
    static const struct {
        const struct wm_set_index_ops *index;
        uint32_t sets;
    } sets[] = {{&wm_set_index_modulo, 1},     {&wm_set_index_modulo, 2}, {&wm_set_index_modulo, 3},
                {&wm_set_index_modulo, 8},     {&wm_set_index_xor, 4},    {&wm_set_index_ipoly, 6},
                {&wm_set_index_fermi_hash, 32}};
    static const uint32_t ways[] = {1, 2, 2, 3, 4, 8, 40}, lines[] = {32, 64, 128, 128, 256, 1024};
    uint32_t choice = below(random, one_in(random, 3) ? 7 : 4);
    level->cache.present = true;
    level->cache.replacement = draw_replacement(random);
    level->cache.set_index = sets[choice].index;
    draw_stores(random, &level->cache);
    struct geometry geometry = {sets[choice].sets, ways[below(random, 7)], lines[below(random, 6)]};
    level->cache.line_bytes = level->cache.sector_bytes = geometry.line;
    level_set_geometry(level, geometry);
    if (one_in(random, 2))
        level->cache.sector_bytes = one_in(random, 3) && geometry.line > 32 ? 64 : 32;
}

// --- Who uses what ---

// A chain of levels by number, units first.
struct chain {
    uint8_t levels[MOST_DEPTH];
    uint32_t depth;
};

// Of most machines those of levels and of memory are alike, as they have to be of slices that stand
// before channels.
static void draw_slices(struct wm_random *random, struct wm_level_spec *level,
                        const struct wm_memory_spec *spec, uint32_t channels)
{
    struct geometry geometry = level_geometry(level);
    level->interleave_hash =
        one_in(random, 4) ? (enum wm_interleave_hash)below(random, 3) : spec->dram.interleave_hash;
    level->slices = channels * (1 + below(random, 3));
    level->interleave_bytes = (uint64_t)level->cache.line_bytes << below(random, 3);
    level_set_geometry(level, geometry);
}

// Each level is shared by as many as the one above it, or more.
static void draw_sharing(struct wm_random *random, struct wm_memory_spec *spec,
                         const struct chain *chain, uint32_t units)
{
    uint32_t each = 1;
    for (uint32_t i = 0; i < chain->depth; i++) {
        struct wm_level_spec *level = &spec->levels[chain->levels[i]];
        if (one_in(random, 2) && each < units)
            each *= 2;
        if (one_in(random, 4) || (chain->levels[i] == WM_LEVEL_L2 && !one_in(random, 4)) ||
            each > units)
            each = units;
        level->units_each = each == units && one_in(random, 2) ? WM_UNITS_ALL : each;
        if (chain->levels[i] != WM_LEVEL_L2 && !one_in(random, each < units ? 6 : 2))
            continue;
        draw_slices(random, level, spec, chain->levels[i] == WM_LEVEL_L2 ? spec->dram.channels : 1);
        level->units_each = each < units ? each : 0;
    }
}

// Said where it is not what it would be anyway.
static void set_below(struct wm_memory_spec *spec, uint32_t number, uint32_t lower)
{
    spec->levels[number].below = WM_BELOW_DEFAULT;
    if (wm_level_below(spec, number) != lower)
        spec->levels[number].below = lower == WM_BELOW_MEMORY ? WM_BELOW_MEMORY : WM_BELOW(lower);
}

static void link_chain(struct wm_memory_spec *spec, const struct chain *chain)
{
    for (uint32_t i = 0; i < chain->depth; i++)
        set_below(spec, chain->levels[i],
                  i + 1 < chain->depth ? chain->levels[i + 1] : WM_BELOW_MEMORY);
}

static struct chain draw_chain(struct wm_random *random, struct wm_memory_spec *spec)
{
    struct chain chain = {.depth = 1 + below(random, MOST_DEPTH)};
    uint32_t l2 = one_in(random, 4) ? MOST_DEPTH : below(random, chain.depth);
    uint8_t next = (uint8_t)(WM_LEVELS_NAMED + below(random, 2) * 3), step = next > WM_LEVELS_NAMED;
    for (uint32_t i = 0; i < chain.depth; i++) {
        bool own = i != 0 || (chain.depth > 1 && one_in(random, 5)); // of no name in every machine
        chain.levels[i] = i == l2 ? WM_LEVEL_L2 : own ? next : WM_LEVEL_L1;
        next = i == l2 || !own ? next : step ? next - 1 : next + 1; // in both orders
        struct wm_level_spec *level = &spec->levels[chain.levels[i]];
        draw_cache(random, level);
        if (chain.levels[i] >= WM_LEVELS_NAMED)
            snprintf(level->name, sizeof level->name, "level%u", chain.levels[i]);
        if (i == 0 && chain.levels[i] >= WM_LEVELS_NAMED)
            level->serves = WM_SERVES_DATA;
    }
    return chain;
}

// CPU cores, with levels of their own above one that they share with the SMs, or above memory.
static void draw_cores(struct wm_random *random, struct wm_memory_spec *spec,
                       const struct chain *first)
{
    uint32_t meet = first->depth;
    while (meet > 1 && spec->levels[first->levels[meet - 1]].units_each == 0)
        meet--;
    struct chain chain = {.depth = 1 + below(random, 2)};
    spec->core_count = 1 + below(random, MOST_UNITS / 2);
    for (uint32_t i = 0; i < chain.depth; i++) {
        struct wm_level_spec *level = &spec->levels[chain.levels[i] = (uint8_t)(12 + i)];
        draw_cache(random, level);
        snprintf(level->name, sizeof level->name, "core%u", i + 1);
        level->place = WM_PLACE_CPU;
        level->first_unit = spec->sm_count;
        level->unit_count = spec->core_count;
    }
    spec->levels[chain.levels[0]].serves = WM_SERVES_DATA;
    draw_sharing(random, spec, &chain, spec->core_count);
    link_chain(spec, &chain);
    if (meet < first->depth)
        set_below(spec, chain.levels[chain.depth - 1], first->levels[meet]);
    for (uint32_t i = 0; i < first->depth; i++) {
        struct wm_level_spec *level = &spec->levels[first->levels[i]];
        level->unit_count = i < meet ? spec->sm_count : 0;
        level->place = i < meet ? WM_PLACE_GPU : WM_PLACE_MACHINE;
    }
}

// Next to the first level, above any of the others.
static void draw_side_caches(struct wm_random *random, struct wm_memory_spec *spec,
                             const struct chain *chain)
{
    const struct wm_level_spec *first = &spec->levels[chain->levels[0]];
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        struct wm_level_spec *side = &spec->levels[WM_LEVEL_SIDE + kind];
        uint32_t at = below(random, chain->depth);
        if (one_in(random, 2))
            continue;
        draw_cache(random, side);
        struct geometry geometry = level_geometry(side);
        side->units_each = 1 + below(random, 3);
        side->unit_count = first->unit_count;
        set_below(spec, WM_LEVEL_SIDE + (uint32_t)kind,
                  at == 0 ? WM_BELOW_MEMORY : chain->levels[at]);
        geometry.line = 32;
        level_set_geometry(side, geometry);
        side->cache.sector_bytes = 32;
        while (at > 0 && geometry.line < spec->levels[chain->levels[at]].cache.line_bytes &&
               geometry.line < first->cache.line_bytes && one_in(random, 2))
            geometry.line *= 2;
        side->cache.sector_bytes = side->cache.line_bytes; // they fetch lines whole
        level_set_geometry(side, geometry);
    }
}

// --- Parts ---

static void draw_tracker(struct wm_random *random, struct wm_memory_spec *spec)
{
    struct wm_level_spec *l1 = &spec->levels[WM_LEVEL_L1];
    uint32_t each = l1->units_each > 1 ? l1->units_each : 1, choice = below(random, 4);
    each = each < spec->sm_count ? each : spec->sm_count;
    l1->tracker = (struct wm_tracker_spec){
        .present = true,
        .sms_each = choice % 2 == 0 ? spec->sm_count : each * 2,
        .sets = choice % 2 == 0 ? 12 : 4,
        .ways = 3,
        .banks = choice < 2 ? 1 : 4,
        .sharers = 1 + below(random, 3),
        .keep = (enum wm_tracker_keep)below(random, 2),
        .keeps_on_write = one_in(random, 4),
    };
    l1->cache.write_policy = 1 + below(random, 2);
    l1->cache.write_allocate = false;
    l1->cache.sector_bytes = l1->cache.line_bytes;
}

static void draw_tlbs(struct wm_random *random, struct wm_memory_spec *spec)
{
    spec->tlb = (struct wm_tlb_spec){
        .present = true,
        .page_bytes = 4096,
        .sms_each = 1 + below(random, 2),
        .l1 = {.entries = 6, .ways = 3, .replacement = draw_replacement(random)},
        .l2 = {.entries = below(random, 2) * 12,
               .ways = 4,
               .replacement = draw_replacement(random)},
        .walk_levels = 2 + below(random, 3),
        .walks_use_l2 = one_in(random, 2),
    };
}

// A line or two of each set's, with and without a part of another, or more than it ever is.
static void draw_dirty_limit(struct wm_random *random, struct wm_level_spec *level)
{
    bool may = level->cache.write_policy == WM_WRITE_BACK &&
               level->cache.write_fetch != WM_FETCH_NEVER && level->victim_lines == 0 &&
               level->atomic_buffer_lines == 0;
    if (!may || !one_in(random, 3))
        return;
    const struct wm_cache_spec *cache = &level->cache;
    uint64_t sets = cache->size_bytes / cache->ways / cache->line_bytes;
    uint64_t each = (1 + below(random, 6)) * cache->line_bytes + 32 * below(random, 4);
    level->cache.dirty_limit_bytes = each * sets + below(random, 32);
}

// What a level may have whatever stands above and below it.
static void draw_parts(struct wm_random *random, struct wm_memory_spec *spec,
                       const struct chain *chain)
{
    static const struct wm_bypass_ops *const bypasses[] = {NULL, &wm_bypass_none,
                                                           &wm_bypass_per_pc};
    struct wm_level_spec *first = &spec->levels[chain->levels[0]];
    struct wm_level_spec *last = &spec->levels[chain->levels[chain->depth - 1]];
    first->allocation = (enum wm_l1_allocation)below(random, 2);
    if (chain->levels[0] == WM_LEVEL_L1) {
        first->bypass = bypasses[below(random, 3)];
        first->bypass_means = (enum wm_bypass_means)below(random, 2);
    }
    if (chain->levels[0] == WM_LEVEL_L1 && one_in(random, 4))
        draw_tracker(random, spec);
    if (chain->levels[chain->depth - 1] == WM_LEVEL_L2 && one_in(random, 4))
        last->atomic_buffer_lines = 1 + below(random, 2);
    if (one_in(random, 5))
        draw_tlbs(random, spec);
    for (uint32_t i = 0; i < chain->depth; i++) {
        struct wm_level_spec *level = &spec->levels[chain->levels[i]];
        level->flush_at_kernel = one_in(random, i == 0 ? 2 : 8);
        level->victim_lines = one_in(random, i == 0 ? 4 : 8) ? 1u << below(random, 3) : 0;
        if (chain->levels[i] >= WM_LEVEL_L2)
            draw_dirty_limit(random, level);
        level->prefetch = one_in(random, 8) ? &wm_prefetch_stream_buffer : NULL;
        level->prefetch_values = (struct wm_entry_values){.given = level->prefetch != NULL ? 3 : 0};
        level->prefetch_values.values[0] = 1 + below(random, 3);
        level->prefetch_values.values[1] = 1 + below(random, 4);
    }
}

// Lines of neighbours alike.
static void exclude(struct wm_memory_spec *spec, const struct chain *chain, uint32_t lower)
{
    struct wm_level_spec *above = &spec->levels[chain->levels[lower - 1]];
    struct wm_level_spec *level = &spec->levels[chain->levels[lower]];
    struct geometry geometry = level_geometry(level);
    geometry.line = above->cache.line_bytes;
    level_set_geometry(level, geometry);
    level->cache.sector_bytes = above->cache.sector_bytes;
    level->inclusion = WM_EXCLUSIVE;
}

// What levels know of each other: most machines have nothing of that, or one level that does.
static void draw_relations(struct wm_random *random, struct wm_memory_spec *spec,
                           const struct chain *chain)
{
    for (uint32_t i = 1; i < chain->depth; i++) {
        struct wm_level_spec *level = &spec->levels[chain->levels[i]];
        uint32_t choice = below(random, 6);
        level->load_allocation = one_in(random, 6) ? WM_L2_TAKES_UNCACHED : WM_L2_TAKES_ALL;
        if (choice == 5)
            exclude(spec, chain, i);
        else if (choice == 4)
            level->inclusion = WM_INCLUSIVE;
        level->flush_at_kernel = level->flush_at_kernel && choice != 4;
        for (uint32_t above = 0; choice > 3 && above <= i; above++) {
            struct wm_cache_spec *cache = &spec->levels[chain->levels[above]].cache;
            if (cache->write_fetch == WM_FETCH_NEVER)
                cache->write_fetch = WM_FETCH_ALWAYS; // byte masks do not move
        }
    }
}

// --- Machines ---

bool level_machine_is_legal(const struct wm_memory_spec *spec)
{
    struct wm_error error;
    return wm_memory_spec_check(spec, &error) == WM_OK &&
           wm_spec_check_served(spec, &error) == WM_OK;
}

static void draw_spec(struct wm_random *random, struct wm_memory_spec *spec)
{
    static const uint64_t interleaves[] = {64, 512, 4096};
    memset(spec, 0, sizeof *spec);
    spec->sm_count = 1 + below(random, MOST_UNITS);
    spec->dram.channels = 1 + below(random, 4);
    spec->dram.interleave_hash = (enum wm_interleave_hash)below(random, 3);
    spec->dram.channel_interleave_bytes = interleaves[below(random, 3)];
    spec->dram.access_bytes = 32 << below(random, 2);
    spec->demand_before_writeback = one_in(random, 2);
    struct chain chain = draw_chain(random, spec);
    draw_sharing(random, spec, &chain, spec->sm_count);
    link_chain(spec, &chain);
    draw_parts(random, spec, &chain);
    draw_relations(random, spec, &chain);
    if (one_in(random, 3))
        draw_cores(random, spec, &chain);
    if (one_in(random, 3))
        draw_side_caches(random, spec, &chain);
}

// A third of the L2s that may be are in partitions, without the parts that exclude these. `random`
// is a copy: what else is drawn is the same with and without.
static void draw_partitions(struct wm_random random, struct wm_memory_spec *spec)
{
    struct wm_memory_spec drawn;
    memcpy(&drawn, spec, sizeof drawn);
    struct wm_level_spec *l2 = &drawn.levels[WM_LEVEL_L2];
    if (!l2->cache.present || !one_in(&random, 3))
        return;
    struct geometry geometry = level_geometry(l2);
    l2->slices += l2->slices % 2 * l2->slices;
    level_set_geometry(l2, geometry);
    l2->partitions = 2;
    l2->victim_lines = l2->atomic_buffer_lines = 0;
    l2->prefetch = NULL;
    l2->prefetch_values = (struct wm_entry_values){0};
    l2->inclusion = WM_NON_INCLUSIVE;
    if (l2->cache.write_fetch == WM_FETCH_NEVER)
        l2->cache.write_fetch = WM_FETCH_PARTIAL;
    if (level_machine_is_legal(&drawn))
        memcpy(spec, &drawn, sizeof drawn);
}

// Half of the machines whose side caches are above an L2 get a level between, but for instructions,
// which tests in time fetch from memory (timed_levels.c); `random` likewise.
static void draw_between(struct wm_random random, struct wm_memory_spec *spec)
{
    enum { BETWEEN = WM_LEVELS_NAMED + 3 }; // of no chain
    struct wm_memory_spec drawn;
    memcpy(&drawn, spec, sizeof drawn);
    struct wm_level_spec *between = &drawn.levels[BETWEEN];
    if (!one_in(&random, 2) || between->cache.present || drawn.core_count != 0)
        return;
    draw_cache(&random, between);
    between->units_each = 1 + below(&random, 3);
    snprintf(between->name, sizeof between->name, "between");
    set_below(&drawn, BETWEEN, WM_LEVEL_L2);
    uint32_t moved = 0;
    for (uint32_t i = WM_LEVEL_SIDE; i < WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION; i++) {
        bool moves = drawn.levels[i].cache.present && wm_level_below(&drawn, i) == WM_LEVEL_L2;
        if (moves && (moved == 0 || one_in(&random, 2))) {
            set_below(&drawn, i, BETWEEN);
            moved++;
        }
    }
    if (moved != 0 && level_machine_is_legal(&drawn))
        memcpy(spec, &drawn, sizeof drawn);
}

// Of a third of the L2s that may, host writes take lines; `random` likewise.
static void draw_host_writes(struct wm_random random, struct wm_memory_spec *spec)
{
    bool *allocates = &spec->levels[WM_LEVEL_L2].host_write_allocate;
    (void)below(&random, 2); // what draw_partitions has not drawn
    *allocates = one_in(&random, 3);
    *allocates = *allocates && level_machine_is_legal(spec);
}

uint32_t level_machine_draw(struct wm_random *random, struct level_machine *machine)
{
    uint32_t drawn = 0;
    memset(machine, 0, sizeof *machine);
    do {
        draw_spec(random, &machine->spec);
        drawn++;
    } while (!level_machine_is_legal(&machine->spec));
    draw_partitions(*random, &machine->spec);
    draw_host_writes(*random, &machine->spec);
    draw_between(*random, &machine->spec);
    machine->build = wm_memory_needs_full(&machine->spec) ? 0 : (uint8_t)below(random, PATHS);
    machine->explained = machine->build == 0 && one_in(random, 4);
    return drawn;
}

// The level where a unit's loads come first; WM_BELOW_MEMORY: none.
static uint32_t first_of(const struct wm_memory_spec *spec, uint32_t unit)
{
    uint32_t first = wm_level_first(spec, unit, WM_SERVES_DATA);
    bool l2 = first == WM_BELOW_MEMORY && spec->levels[WM_LEVEL_L2].cache.present;
    return l2 ? WM_LEVEL_L2 : first;
}

uint32_t level_machine_depth(const struct wm_memory_spec *spec, uint32_t unit)
{
    uint32_t depth = 0;
    for (uint32_t level = first_of(spec, unit); level != WM_BELOW_MEMORY;
         level = wm_level_below(spec, level))
        depth++;
    return depth;
}

uint32_t level_machine_request_bytes(const struct wm_memory_spec *spec, uint32_t unit)
{
    uint32_t first = first_of(spec, unit);
    return first == WM_BELOW_MEMORY ? spec->dram.access_bytes
                                    : spec->levels[first].cache.line_bytes;
}
