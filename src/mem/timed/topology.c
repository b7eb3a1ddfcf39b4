#include "mem/timed/topology.h"

#include "base/access/access.h"
#include "base/containers/array.h"
#include "base/numbers/divisor.h"
#include "mem/interleave/block_hash.h"

#include <stdlib.h>

// --- Which levels lie where ---

static bool is_present(const struct wm_memory_spec *spec, uint32_t level)
{
    return spec->levels[level].cache.present;
}

// Whether it sends to others: an L1 does, there or not.
static bool sends(const struct wm_memory_spec *spec, uint32_t level)
{
    return level == WM_LEVEL_L1 || is_present(spec, level);
}

// All SMs share one instance, and none calls it.
static bool is_of_all(const struct wm_memory_spec *spec, uint32_t level)
{
    bool all = wm_level_units_each(spec, level) >= spec->sm_count ||
               spec->levels[level].place == WM_PLACE_MACHINE;
    if (wm_memory_gpus(spec) > 1)
        return wm_level_is_home(spec, level);
    return all && spec->levels[level].place != WM_PLACE_CPU && wm_level_serves(spec, level) == 0;
}

bool wm_timed_is_below(const struct wm_memory_spec *spec, uint32_t level)
{
    bool below = is_present(spec, level) && is_of_all(spec, level);
    for (uint32_t i = 0; i < WM_MOST_LEVELS && !below && is_present(spec, level); i++)
        below = i != level && wm_level_below(spec, i) == level && wm_timed_is_below(spec, i);
    return below;
}

bool wm_timed_crosses_network(const struct wm_memory_spec *spec, uint32_t level)
{
    uint32_t below = wm_level_below(spec, level);
    return spec->levels[level].place == WM_PLACE_GPU && !wm_timed_is_below(spec, level) &&
           (below == WM_BELOW_MEMORY || wm_timed_is_below(spec, below));
}

bool wm_timed_is_between(const struct wm_memory_spec *spec, uint32_t level)
{
    return is_present(spec, level) && spec->levels[level].place == WM_PLACE_GPU &&
           wm_level_serves(spec, level) == 0 && !wm_timed_is_below(spec, level);
}

bool wm_timed_is_of_cores(const struct wm_memory_spec *spec, uint32_t level)
{
    return is_present(spec, level) && spec->levels[level].place == WM_PLACE_CPU &&
           wm_level_serves(spec, level) == 0 && !wm_timed_is_below(spec, level);
}

bool wm_timed_is_inclusive(const struct wm_memory_spec *spec, uint32_t level)
{
    bool coherent = spec->levels[level].coherence == WM_LEVEL_MESI; // whose tables see to that
    return spec->levels[level].inclusion == WM_INCLUSIVE && !coherent &&
           (wm_timed_is_below(spec, level) || wm_timed_is_between(spec, level));
}

// Whether the level, or memory, has something to do with what comes through the network.
static bool receives(const struct wm_memory_spec *spec, uint32_t level)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (sends(spec, i) && wm_level_below(spec, i) == level && !wm_timed_is_below(spec, i))
            return true;
    return false;
}

static void number_receivers(struct wm_timed_topology *topology, const struct wm_memory_spec *spec)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        topology->is_below[i] = wm_timed_is_below(spec, i);
        topology->receiver[i] = WM_NO_RECEIVER;
        if (!topology->is_below[i] || !receives(spec, i))
            continue;
        topology->receiver[i] = (uint16_t)topology->receivers;
        topology->receivers += wm_timed_slices(spec, i);
    }
    topology->memory_receiver = WM_NO_RECEIVER;
    if (receives(spec, WM_BELOW_MEMORY)) {
        topology->memory_receiver = (uint16_t)topology->receivers;
        topology->receivers += spec->dram.channels;
    }
    topology->gpu_receivers = topology->receivers;
    topology->receivers *= wm_memory_gpus(spec);
}

uint32_t wm_timed_receivers(const struct wm_memory_spec *spec)
{
    struct wm_timed_topology topology = {0};
    number_receivers(&topology, spec);
    return topology.receivers;
}

// --- What belongs together ---

// Sets of caches and channels, each known by one of its members.
struct sets {
    uint32_t *parent; // owned
    uint32_t count;
};

static uint32_t find(const struct sets *sets, uint32_t member)
{
    while (sets->parent[member] != member)
        member = sets->parent[member];
    return member;
}

// The lower number is that of the whole.
static void unite(struct sets *sets, uint32_t a, uint32_t b)
{
    uint32_t one = find(sets, a), other = find(sets, b);
    if (one == other)
        return;
    sets->parent[one > other ? one : other] = one > other ? other : one;
    sets->count--;
}

// Parts that addresses take turns with.
struct parts {
    uint32_t first, count;
    uint64_t block_bytes;
    enum wm_interleave_hash hash; // of so many bits of a block's number
    uint32_t hash_bits;
};

// Whether blocks change places for both alike: what parts take in turn then is the same for both.
static bool exchange_alike(const struct parts *a, const struct parts *b)
{
    if (a->hash_bits == 0 && b->hash_bits == 0)
        return true;
    return a->hash == b->hash && a->hash_bits == b->hash_bits && a->block_bytes == b->block_bytes;
}

static void unite_all(struct sets *sets, const struct parts *parts)
{
    for (uint32_t i = 1; i < parts->count; i++)
        unite(sets, parts->first, parts->first + i);
}

// Those of both that some address lies in. Where blocks change places for one and not the other,
// any of the one may have bytes of any of the other.
static void unite_parts(struct sets *sets, const struct parts *a, const struct parts *b)
{
    if (!exchange_alike(a, b)) {
        unite_all(sets, a);
        unite_all(sets, b);
        unite(sets, a->first, b->first);
        return;
    }
    uint64_t step = a->block_bytes < b->block_bytes ? a->block_bytes : b->block_bytes;
    uint64_t turn_a = a->count * (a->block_bytes / step),
             turn_b = b->count * (b->block_bytes / step);
    uint64_t end = wm_common_multiple(turn_a, turn_b);
    for (uint64_t block = 0; block < end && sets->count > 1; block++)
        unite(sets, a->first + (uint32_t)(block / (a->block_bytes / step) % a->count),
              b->first + (uint32_t)(block / (b->block_bytes / step) % b->count));
}

// Slices that hold the same lines, one as their home and the others as copies.
static void unite_partitions(struct sets *sets, const struct wm_memory_spec *spec,
                             const uint32_t *first, uint32_t level)
{
    uint32_t slices = wm_timed_slices(spec, level), partitions = spec->levels[level].partitions;
    bool several = wm_timed_is_below(spec, level) && partitions > 1;
    for (uint32_t i = slices / (several ? partitions : 1); i < slices && several; i++)
        unite(sets, first[level] + i % (slices / partitions), first[level] + i);
}

// The channels, which come first, or the caches of a level.
static struct parts parts_of(const struct wm_memory_spec *spec, const uint32_t *first,
                             uint32_t level)
{
    if (level == WM_BELOW_MEMORY)
        return (struct parts){.count = spec->dram.channels,
                              .block_bytes = spec->dram.channel_interleave_bytes,
                              .hash = spec->dram.interleave_hash,
                              .hash_bits = wm_channel_hash_bits(spec)};
    uint32_t slices = wm_timed_slices(spec, level);
    uint64_t block = slices > 1 ? spec->levels[level].interleave_bytes : WM_SECTOR_BYTES;
    return (struct parts){.first = first[level],
                          .count = slices,
                          .block_bytes = block,
                          .hash = spec->levels[level].interleave_hash,
                          .hash_bits = wm_level_hash_bits(spec, level)};
}

// Islands have numbers in the order of their first channels, or, without any, caches.
static void number_islands(struct wm_timed_topology *topology, const struct wm_memory_spec *spec,
                           const struct sets *sets, const uint32_t *first)
{
    for (uint32_t i = 0; i < spec->dram.channels; i++) {
        uint32_t of = find(sets, i);
        topology->channel_island[i] =
            of == i ? (uint16_t)topology->islands++ : topology->channel_island[of];
    }
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        for (uint32_t i = 0; topology->island[level] != NULL && i < wm_timed_slices(spec, level);
             i++)
            topology->island[level][i] = topology->channel_island[find(sets, first[level] + i)];
}

// Those of the first GPU are numbered; the others' follow in the same order.
static void number_others(struct wm_timed_topology *topology, const struct wm_memory_spec *spec)
{
    uint32_t gpus = wm_memory_gpus(spec), channels = spec->dram.channels;
    topology->gpu_islands = topology->islands;
    topology->islands *= gpus;
    for (uint32_t i = channels; i < gpus * channels; i++)
        topology->channel_island[i] =
            (uint16_t)(topology->channel_island[i - channels] + topology->gpu_islands);
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
        uint32_t slices = wm_timed_slices(spec, level);
        uint16_t *island = topology->island[level];
        for (uint32_t i = slices; island != NULL && i < gpus * slices; i++)
            island[i] = (uint16_t)(island[i - slices] + topology->gpu_islands);
    }
}

enum wm_status wm_timed_topology_init(struct wm_timed_topology *topology,
                                      const struct wm_memory_spec *spec, struct wm_error *error)
{
    uint32_t first[WM_MOST_LEVELS] = {0}, all = spec->dram.channels, gpus = wm_memory_gpus(spec);
    *topology = (struct wm_timed_topology){0};
    number_receivers(topology, spec);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        topology->invalidates |= wm_timed_is_inclusive(spec, i);
    WM_TRY(WM_ARRAY_NEW(topology->channel_island, gpus * all, error, "the islands of memory"));
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        if (!topology->is_below[i])
            continue;
        first[i] = all;
        all += wm_timed_slices(spec, i);
        WM_TRY(WM_ARRAY_NEW(topology->island[i], gpus * wm_timed_slices(spec, i), error,
                            "the islands of memory"));
    }
    struct sets sets = {.count = all};
    WM_TRY(WM_ARRAY_NEW(sets.parent, all, error, "the islands of memory"));
    for (uint32_t i = 0; i < all; i++)
        sets.parent[i] = i;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct parts above = parts_of(spec, first, i),
                           below = parts_of(spec, first, wm_level_below(spec, i));
        if (topology->is_below[i])
            unite_parts(&sets, &above, &below);
    }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        unite_partitions(&sets, spec, first, i);
    number_islands(topology, spec, &sets, first);
    number_others(topology, spec);
    free(sets.parent);
    return WM_OK;
}

void wm_timed_topology_release(struct wm_timed_topology *topology)
{
    free(topology->channel_island);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        free(topology->island[i]);
    *topology = (struct wm_timed_topology){0};
}
