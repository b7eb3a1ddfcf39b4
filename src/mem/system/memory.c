#include "mem/system/memory.h"

#include "base/containers/array.h"
#include "base/host/processor.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/explain/explain.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_spec_check_parts.h"
#include "mem/system/memory_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static const struct wm_counter_declaration dram_declarations[] = {
    WM_DRAM_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration peer_link_declarations[] = {
    WM_PEER_LINK_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_dram_counter_set = {
    .kind = "dram",
    .title = "DRAM channel",
    .declarations = dram_declarations,
    .count = sizeof dram_declarations / sizeof dram_declarations[0],
};

const struct wm_counter_set wm_peer_link_counter_set = {
    .kind = "peer_link",
    .title = "link between GPUs, in one direction",
    .declarations = peer_link_declarations,
    .count = sizeof peer_link_declarations / sizeof peer_link_declarations[0],
};

// --- Which access path this processor runs ---

// Builds up to that of `isa`: one for each, from plain C on. Those of x86-64 are compiled for
// -march=x86-64-v3 and -v4.
static size_t paths_up_to(enum wm_processor_isa isa)
{
    return isa >= WM_PROCESSOR_AVX512 ? 3 : (size_t)isa + 1;
}

const struct wm_memory_paths *const *wm_memory_paths_available(size_t *count)
{
    static const struct wm_memory_paths *const paths[] = {
        &wm_memory_paths_plain,
#if defined(__x86_64__)
        &wm_memory_paths_avx2,
        &wm_memory_paths_avx512,
#endif
    };
    enum wm_processor_isa isa = WM_PROCESSOR_AVX512;
    while (!wm_processor_runs(isa))
        isa--;
    *count = paths_up_to(isa);
    return paths;
}

size_t wm_memory_paths_allowed(void)
{
    return paths_up_to(wm_processor_best());
}

// Whether it is a level of SMs between side caches and L2, all of whose loads are of those.
static bool is_between_sides_and_l2(const struct wm_memory_spec *spec, uint32_t number)
{
    return wm_level_has_sides_alone_above(spec, number) &&
           wm_level_below(spec, number) == WM_LEVEL_L2 && spec->levels[number].unit_count == 0 &&
           wm_level_units_each(spec, number) != WM_UNITS_ALL && spec->levels[number].slices <= 1;
}

// Whether the level has the place that the vector builds have it in: L1s and side caches of SMs
// above one L2 of slices, or above memory, and levels between side caches and L2.
static bool is_where_vector_builds_have_it(const struct wm_memory_spec *spec, uint32_t number)
{
    const struct wm_level_spec *level = &spec->levels[number];
    if (number >= WM_LEVELS_NAMED)
        return is_between_sides_and_l2(spec, number);
    bool of_all = level->unit_count == 0 && level->serves == 0;
    bool above_l2 = level->below == WM_BELOW_DEFAULT;
    if (number == WM_LEVEL_L2)
        return of_all && above_l2 &&
               (level->units_each == 0 || level->units_each >= spec->sm_count);
    if (wm_level_is_side(number))
        above_l2 |= is_between_sides_and_l2(spec, wm_level_below(spec, number));
    return of_all && above_l2 && level->slices <= 1;
}

static bool level_needs_full(const struct wm_memory_spec *spec, uint32_t number)
{
    const struct wm_level_spec *level = &spec->levels[number];
    bool long_lines = // what waits for L2 does not fit
        number == WM_LEVEL_L2 &&
        level->cache.line_bytes > WM_CACHE_NARROW_SECTORS * WM_SECTOR_BYTES;
    return level->cache.present &&
           (level->cache.write_fetch == WM_FETCH_NEVER ||
            level->cache.replacement == &wm_replacement_opt || level->victim_lines != 0 ||
            level->inclusion != WM_NON_INCLUSIVE || level->coherence == WM_LEVEL_MESI ||
            level->tracker.present || long_lines || level->atomic_buffer_lines != 0 ||
            wm_level_prefetches(spec, number) || level->load_allocation != WM_L2_TAKES_ALL ||
            level->partitions > 1 || !is_where_vector_builds_have_it(spec, number));
}

bool wm_memory_needs_full(const struct wm_memory_spec *spec)
{
    if (wm_memory_gpus(spec) > 1)
        return true;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (level_needs_full(spec, i))
            return true;
    return false;
}

static const struct wm_memory_paths *best_paths(const struct wm_memory_spec *spec)
{
    if (wm_memory_needs_full(spec))
        return &wm_memory_paths_full;
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    return paths[wm_memory_paths_allowed() - 1];
}

// --- Building ---

static void derive(struct wm_memory *memory)
{
    const struct wm_memory_spec *spec = &memory->spec;
    uint32_t line = spec->levels[WM_LEVEL_L1].cache.line_bytes;
    memory->gpus = wm_memory_gpus(spec);
    if (line == 0)
        line = spec->levels[WM_LEVEL_L2].cache.line_bytes != 0
                   ? spec->levels[WM_LEVEL_L2].cache.line_bytes
                   : spec->dram.access_bytes;
    memory->request_bytes = line;
    memory->l2_line_bytes =
        spec->levels[WM_LEVEL_L2].cache.present ? spec->levels[WM_LEVEL_L2].cache.line_bytes : line;
    memory->l2_line_shift = (uint32_t)__builtin_ctz(memory->l2_line_bytes);
    memory->l2_line_sectors = memory->l2_line_bytes / WM_SECTOR_BYTES;
    memory->channels = wm_divider_of(spec->dram.channels);
    memory->channel_shift = (uint32_t)__builtin_ctzll(spec->dram.channel_interleave_bytes);
    memory->burst_sectors = spec->dram.access_bytes / WM_SECTOR_BYTES;
}

static enum wm_status build_l2_queues(struct wm_memory *memory, struct wm_error *error)
{
    struct wm_l2_queues *queues = &memory->l2_queues;
    size_t slices = memory->levels[WM_LEVEL_L2].count;
    if (memory->levels[WM_LEVEL_L2].caches == NULL)
        return WM_OK;
    bool sees_requester =
        !memory->levels[WM_LEVEL_L2].caches->is_lru &&
        wm_replacement_sees_requester(memory->spec.levels[WM_LEVEL_L2].cache.replacement);
    size_t room = slices * WM_L2_QUEUE_STRIDE;
    queues->words = (uint32_t)(slices + 63) / 64;
    queues->entries = aligned_alloc(64, (room * sizeof *queues->entries + 63) / 64 * 64);
    queues->requesters = sees_requester ? calloc(room, sizeof *queues->requesters) : NULL;
    queues->of_slice = calloc(slices, sizeof *queues->of_slice);
    queues->busy = calloc(queues->words, sizeof *queues->busy);
    if (queues->entries == NULL || (sees_requester && queues->requesters == NULL) ||
        queues->of_slice == NULL || queues->busy == NULL)
        return wm_fail_no_memory(error, "the requests of %zu slices", slices);
    for (size_t i = 0; i < slices; i++)
        queues->of_slice[i] = (struct wm_l2_queue){
            .entries = queues->entries + i * WM_L2_QUEUE_STRIDE,
            .requesters = sees_requester ? queues->requesters + i * WM_L2_QUEUE_STRIDE : NULL,
            .room = WM_L2_QUEUE_ENTRIES};
    return WM_OK;
}

static enum wm_status build_caches(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    WM_TRY(wm_memory_levels_init(memory, error));
    if (spec->tlb.present)
        WM_TRY(wm_tlbs_new(&spec->tlb, &memory->graph, &memory->tlbs, error));
    WM_TRY(build_l2_queues(memory, error));
    memory->visited_lines = wm_memory_largest_cache_lines(memory);
    return WM_ARRAY_NEW(memory->visited, memory->visited_lines + 1, error, "%" PRIu64 " lines",
                        memory->visited_lines);
}

static enum wm_status build_memories(struct wm_memory *memory, struct wm_error *error)
{
    uint32_t gpus = memory->gpus, channels = memory->spec.dram.channels;
    memory->dram = calloc((size_t)gpus * channels, sizeof *memory->dram);
    if (memory->dram == NULL)
        return wm_fail_no_memory(error, "%" PRIu32 " DRAM channels", channels);
    WM_TRY(wm_block_hash_new(&memory->channel_hash, memory->spec.dram.interleave_hash,
                             wm_channel_hash_bits(&memory->spec), error));
    if (gpus == 1)
        return WM_OK;
    return WM_ARRAY_NEW(memory->peer_links, (size_t)gpus * gpus, error,
                        "the links between %" PRIu32 " GPUs", gpus);
}

enum wm_status wm_memory_new(const struct wm_memory_spec *spec, const char *path_prefix,
                             struct wm_memory **memory, struct wm_error *error)
{
    *memory = NULL;
    WM_TRY(wm_memory_spec_check(spec, error));
    WM_TRY(wm_spec_check_served(spec, error));
    struct wm_memory *made;
    WM_TRY(WM_ARRAY_NEW(made, 1, error, "a memory system"));
    made->spec = *spec;
    made->paths = best_paths(spec);
    wm_memory_graph_make(spec, path_prefix, &made->graph);
    derive(made);
    enum wm_status status = build_memories(made, error);
    if (status == WM_OK)
        status = build_caches(made, error);
    if (status == WM_OK)
        status = wm_coherent_memory_init(made, error);
    if (status == WM_OK)
        status = wm_memory_bypass_init(made, error);
    if (status == WM_OK)
        status = wm_memory_atomic_buffers_init(made, error);
    if (status == WM_OK)
        status = wm_memory_trackers_init(made, error);
    if (status == WM_OK)
        status = wm_memory_list_components(made, error);
    if (status == WM_OK)
        status = wm_unit_hits_init(made, error);
    if (status != WM_OK) {
        wm_memory_free(made);
        return status;
    }
    *memory = made;
    return WM_OK;
}

void wm_memory_free(struct wm_memory *memory)
{
    if (memory == NULL)
        return;
    wm_coherent_memory_release(memory);
    wm_memory_levels_release(memory);
    wm_tlbs_free(memory->tlbs);
    wm_memory_trackers_release(memory);
    wm_memory_atomic_buffers_release(memory);
    free(memory->l2_queues.entries);
    free(memory->l2_queues.requesters);
    free(memory->l2_queues.of_slice);
    free(memory->l2_queues.busy);
    free(memory->dram);
    free(memory->channel_hash);
    free(memory->peer_links);
    free(memory->visited);
    free(memory->bypass_states);
    free(memory->components);
    free(memory->hits);
    wm_memory_shadows_free(memory->shadows);
    free(memory);
}

bool wm_memory_opt_failed(const struct wm_memory *memory)
{
    bool failed = wm_memory_levels_opt_failed(memory);
    const struct wm_tlbs *tlbs = memory->tlbs;
    for (uint32_t i = 0; tlbs != NULL && i < tlbs->l1_count; i++)
        failed = failed || wm_cache_opt_failed(&tlbs->l1[i].entries);
    for (uint32_t i = 0; tlbs != NULL && tlbs->l2 != NULL && i < tlbs->l2_count; i++)
        failed = failed || wm_cache_opt_failed(&tlbs->l2[i].entries);
    return failed;
}

bool wm_memory_needs_byte_masks(const struct wm_memory *memory)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (memory->levels[i].caches != NULL && !memory->levels[i].loads_only &&
            memory->levels[i].caches->bytes != NULL)
            return true;
    return false;
}

bool wm_memory_l1_holds(const struct wm_memory *memory, uint32_t sm, uint64_t address)
{
    const struct wm_cache_level *level = memory->first_of_unit[sm];
    if (level->caches == NULL)
        return false;
    uint64_t index_line, line = address >> level->line_shift;
    uint32_t cache = wm_level_instance(level, sm) * (uint32_t)level->slices.divisor +
                     wm_level_slice(level, line, &index_line);
    return wm_cache_holds(&level->caches[cache], line, index_line) ||
           (level->victims != NULL && wm_cache_holds(&level->victims[cache], line, line));
}

struct wm_access_result wm_memory_access(struct wm_memory *memory, const struct wm_request *request)
{
    assert(request->sectors != 0 && request->sm < wm_memory_units(&memory->spec));
    struct wm_line_request line = {.line_address = request->address,
                                   .sectors = request->sectors,
                                   .full_sectors = request->full_sectors};
    return memory->paths->access_lines(memory, request, &line, 1);
}

struct wm_access_result wm_memory_access_lines(struct wm_memory *memory,
                                               const struct wm_request *who,
                                               const struct wm_line_request *lines, uint32_t count)
{
    assert(count <= WM_MAX_LINE_REQUESTS && who->sm < wm_memory_units(&memory->spec));
    return memory->paths->access_lines(memory, who, lines, count);
}

struct wm_access_result wm_memory_side_load(struct wm_memory *memory, enum wm_side_cache_kind kind,
                                            const struct wm_request *request)
{
    assert(kind < WM_SIDE_CACHE_KINDS && request->sectors != 0);
    assert(request->sm < wm_memory_units(&memory->spec));
    const struct wm_cache_level *level = &memory->levels[WM_LEVEL_SIDE + kind];
    if (level->caches == NULL)
        return (struct wm_access_result){.source = WM_SOURCE_SIDE_CACHE};
    // Texture and scalar caches serve loads of global memory.
    if (memory->shadows != NULL && (kind == WM_SIDE_CACHE_TEXTURE || kind == WM_SIDE_CACHE_SCALAR))
        wm_explain_request(memory, request);
    return memory->paths->side_cache_load(memory, level, wm_cache_of_unit(level, request->sm),
                                          request);
}

void wm_memory_access_run(struct wm_memory *memory, const struct wm_request_run *run)
{
    assert(run->heads->sm < wm_memory_units(&memory->spec));
    memory->paths->access_run(memory, run);
}

void wm_memory_drain_l2_queues(struct wm_memory *memory)
{
    memory->paths->drain_l2_queues(memory);
}

struct wm_cache *wm_memory_l1(const struct wm_memory *memory, uint32_t sm)
{
    return memory->l1_of_sm == NULL ? NULL : memory->l1_of_sm[sm];
}

uint32_t wm_memory_caches(const struct wm_memory *memory, uint32_t level)
{
    return memory->levels[level].count;
}

uint32_t wm_memory_cache_of(const struct wm_memory *memory, uint32_t level, uint32_t unit,
                            uint64_t address)
{
    const struct wm_cache_level *of = &memory->levels[level];
    uint64_t index_line;
    return wm_level_instance(of, unit) * (uint32_t)of->slices.divisor +
           wm_level_slice(of, address >> of->line_shift, &index_line);
}

uint32_t wm_memory_first_unit(const struct wm_memory *memory, uint32_t level, uint32_t cache)
{
    return wm_first_unit_of(&memory->levels[level], cache);
}

void wm_memory_level_ranks(const struct wm_memory *memory, uint8_t *ranks)
{
    for (uint32_t i = 0; i < memory->level_count; i++)
        ranks[memory->from_units[i]->number] = (uint8_t)(i + 1);
}

uint32_t wm_memory_l1_lines(const struct wm_memory *memory)
{
    return memory->levels[WM_LEVEL_L1].caches->sets * memory->levels[WM_LEVEL_L1].caches->ways +
           memory->spec.levels[WM_LEVEL_L1].victim_lines;
}

uint32_t wm_memory_tracker_count(const struct wm_memory *memory)
{
    return memory->tracker_count;
}

struct wm_sharing_tracker *wm_memory_tracker(const struct wm_memory *memory, uint32_t index)
{
    return &memory->trackers[index];
}
