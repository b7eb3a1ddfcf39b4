#include "mem/system/memory.h"

#include "base/containers/array.h"
#include "base/host/processor.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/explain/explain.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static const struct wm_counter_declaration cause_declarations[] = {
    WM_INSTRUCTION_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration dram_declarations[] = {
    WM_DRAM_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_instruction_counter_set = {
    .kind = "cause",
    .title = "memory instruction",
    .declarations = cause_declarations,
    .count = sizeof cause_declarations / sizeof cause_declarations[0],
};
const struct wm_counter_set wm_dram_counter_set = {
    .kind = "dram",
    .title = "DRAM channel",
    .declarations = dram_declarations,
    .count = sizeof dram_declarations / sizeof dram_declarations[0],
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

static bool cache_needs_full(const struct wm_cache_spec *spec)
{
    return spec->present &&
           (spec->write_fetch == WM_FETCH_NEVER || spec->replacement == &wm_replacement_opt);
}

bool wm_memory_needs_full(const struct wm_memory_spec *spec)
{
    bool full = cache_needs_full(&spec->l1) || cache_needs_full(&spec->l2);
    full = full || (spec->l1.present && spec->l1_victim_lines != 0);
    full = full || (spec->l2.present && spec->l2_inclusion != WM_NON_INCLUSIVE);
    full = full || (spec->l2.present && // what waits for it does not fit
                    spec->l2.line_bytes > WM_CACHE_NARROW_SECTORS * WM_SECTOR_BYTES);
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        full = full || cache_needs_full(&spec->side_caches[kind].cache);
    full = full || (spec->l1.present && spec->tracker.present);
    full = full || (spec->l2.present && (spec->atomic_buffer_lines != 0 ||
                                         spec->l2_load_allocation != WM_L2_TAKES_ALL));
    return full;
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
    uint32_t line = spec->l1.line_bytes;
    if (line == 0)
        line = spec->l2.line_bytes != 0 ? spec->l2.line_bytes : spec->dram.access_bytes;
    memory->request_bytes = line;
    memory->l2_line_bytes = spec->l2.present ? spec->l2.line_bytes : line;
    memory->l2_line_shift = (uint32_t)__builtin_ctz(memory->l2_line_bytes);
    memory->l2_line_sectors = memory->l2_line_bytes / WM_SECTOR_BYTES;
    if (spec->l2.present) {
        uint64_t block_lines = spec->l2_interleave_bytes / spec->l2.line_bytes;
        memory->l2_block_shift = (uint32_t)__builtin_ctzll(block_lines);
    }
    memory->slices = wm_divider_of(spec->l2.present ? spec->l2_slices : 1);
    memory->channels = wm_divider_of(spec->dram.channels);
    memory->channel_shift = (uint32_t)__builtin_ctzll(spec->dram.channel_interleave_bytes);
    memory->burst_sectors = spec->dram.access_bytes / WM_SECTOR_BYTES;
}

// Of one of the caches; 0 when there are none.
static uint64_t lines_of(const struct wm_cache *caches)
{
    return caches != NULL ? (uint64_t)caches->sets * caches->ways : 0;
}

static enum wm_status build_l1s(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    if (!spec->l1.present)
        return WM_OK;
    uint32_t each = spec->l1_sms_each <= 1 ? 1 : spec->l1_sms_each;
    uint32_t count = wm_sm_groups(spec->sm_count, each);
    memory->l1 = aligned_alloc(64, (count * sizeof *memory->l1 + 63) / 64 * 64);
    memory->l1_of_sm = calloc(spec->sm_count, sizeof *memory->l1_of_sm);
    if (memory->l1 == NULL || memory->l1_of_sm == NULL)
        return wm_fail_no_memory(error, "%" PRIu32 " L1s", count);
    memset(memory->l1, 0, count * sizeof *memory->l1);
    memory->l1_count = count;
    struct wm_cache_spec l1 = wm_divergence_built_as(&spec->l1_divergence, &spec->l1);
    char path[sizeof memory->components->path];
    for (uint32_t i = 0; i < count; i++) {
        wm_memory_graph_path(&memory->graph, memory->graph.l1, i, NULL, path, sizeof path);
        WM_TRY(wm_cache_init(&memory->l1[i], &l1, path, error));
    }
    for (uint32_t sm = 0; sm < spec->sm_count; sm++)
        memory->l1_of_sm[sm] = &memory->l1[sm / each];
    return WM_OK;
}

// One set of LRU behind each L1 (docs/memory-system.md, R7).
static enum wm_status build_victims(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    if (memory->l1 == NULL || spec->l1_victim_lines == 0)
        return WM_OK;
    struct wm_cache_spec victim = spec->l1;
    victim.size_bytes = (uint64_t)spec->l1_victim_lines * spec->l1.line_bytes;
    victim.ways = spec->l1_victim_lines;
    victim.replacement = &wm_replacement_lru;
    victim.replacement_values = (struct wm_entry_values){0};
    victim.set_index = &wm_set_index_modulo;
    WM_TRY(WM_ARRAY_NEW(memory->victim_caches, memory->l1_count, error, "%" PRIu32 " victim caches",
                        memory->l1_count));
    for (uint32_t i = 0; i < memory->l1_count; i++)
        WM_TRY(wm_cache_init(&memory->victim_caches[i], &victim, "victim", error));
    return WM_OK;
}

static enum wm_status build_l2_queues(struct wm_memory *memory, struct wm_error *error)
{
    struct wm_l2_queues *queues = &memory->l2_queues;
    size_t slices = memory->spec.l2_slices;
    if (memory->l2 == NULL)
        return WM_OK;
    bool sees_requester =
        !memory->l2->is_lru && wm_replacement_sees_requester(memory->spec.l2.replacement);
    size_t room = slices * WM_L2_QUEUE_STRIDE;
    queues->words = (uint32_t)(slices + 63) / 64;
    queues->entries = aligned_alloc(64, (room * sizeof *queues->entries + 63) / 64 * 64);
    queues->requesters = sees_requester ? calloc(room, sizeof *queues->requesters) : NULL;
    queues->counts = calloc(slices, sizeof *queues->counts);
    queues->busy = calloc(queues->words, sizeof *queues->busy);
    bool ok = queues->entries != NULL && (queues->requesters != NULL || !sees_requester);
    return ok && queues->counts != NULL && queues->busy != NULL
               ? WM_OK
               : wm_fail_no_memory(error, "the requests of %zu slices", slices);
}

static enum wm_status build_set_tables(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_cache *l2 = memory->l2;
    bool hashes = l2 != NULL && l2->set_index->is_linear && !l2->set_index->is_modulo;
    if (!hashes || !wm_set_hash_has_tables(&l2->set_hash))
        return WM_OK;
    memory->l2_sets = malloc(sizeof *memory->l2_sets);
    if (memory->l2_sets == NULL)
        return wm_fail_no_memory(error, "the set index of L2");
    wm_set_tables_fill(memory->l2_sets, &l2->set_hash);
    return WM_OK;
}

static enum wm_status build_caches(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    char path[sizeof memory->components->path];
    WM_TRY(build_l1s(memory, error));
    WM_TRY(build_victims(memory, error));
    WM_TRY(wm_memory_side_caches_init(memory, error));
    if (spec->tlb.present)
        WM_TRY(wm_tlbs_new(&spec->tlb, &memory->graph, &memory->tlbs, error));
    if (spec->l2.present) {
        memory->l2 = aligned_alloc(64, (spec->l2_slices * sizeof *memory->l2 + 63) / 64 * 64);
        if (memory->l2 == NULL)
            return wm_fail_no_memory(error, "%" PRIu32 " slices", spec->l2_slices);
        memset(memory->l2, 0, spec->l2_slices * sizeof *memory->l2);
    }
    struct wm_cache_spec slice_spec = spec->l2;
    if (memory->l2 != NULL)
        slice_spec.size_bytes /= spec->l2_slices;
    for (uint32_t slice = 0; memory->l2 != NULL && slice < spec->l2_slices; slice++) {
        wm_memory_graph_path(&memory->graph, memory->graph.l2, slice, NULL, path, sizeof path);
        WM_TRY(wm_cache_init(&memory->l2[slice], &slice_spec, path, error));
    }
    WM_TRY(build_l2_queues(memory, error));
    WM_TRY(build_set_tables(memory, error));
    uint64_t most = lines_of(memory->l1), l2_lines = lines_of(memory->l2);
    most = most > l2_lines ? most : l2_lines;
    most = most > spec->l1_victim_lines ? most : spec->l1_victim_lines;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        uint64_t lines = lines_of(memory->side_caches[kind].caches);
        most = most > lines ? most : lines;
    }
    memory->visited_lines = most;
    memory->visited = calloc(most + 1, sizeof *memory->visited);
    return memory->visited != NULL ? WM_OK : wm_fail_no_memory(error, "%" PRIu64 " lines", most);
}

enum wm_status wm_memory_new(const struct wm_memory_spec *spec, const char *path_prefix,
                             struct wm_memory **memory, struct wm_error *error)
{
    *memory = NULL;
    WM_TRY(wm_memory_spec_check(spec, error));
    struct wm_memory *made;
    WM_TRY(WM_ARRAY_NEW(made, 1, error, "a memory system"));
    made->spec = *spec;
    made->paths = best_paths(spec);
    wm_memory_graph_make(spec, path_prefix, &made->graph);
    derive(made);
    enum wm_status status = WM_OK;
    made->dram = calloc(spec->dram.channels, sizeof *made->dram);
    if (made->dram == NULL)
        status = wm_fail_no_memory(error, "%" PRIu32 " DRAM channels", spec->dram.channels);
    if (status == WM_OK)
        status = build_caches(made, error);
    if (status == WM_OK)
        status = wm_memory_bypass_init(made, error);
    if (status == WM_OK)
        status = wm_memory_atomic_buffers_init(made, error);
    if (status == WM_OK)
        status = wm_memory_trackers_init(made, error);
    if (status == WM_OK)
        status = wm_memory_list_components(made, error);
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
    for (uint32_t i = 0; i < memory->l1_count; i++)
        wm_cache_release(&memory->l1[i]);
    for (uint32_t slice = 0; memory->l2 != NULL && slice < memory->spec.l2_slices; slice++)
        wm_cache_release(&memory->l2[slice]);
    wm_memory_side_caches_release(memory);
    wm_tlbs_free(memory->tlbs);
    wm_memory_trackers_release(memory);
    wm_memory_atomic_buffers_release(memory);
    free(memory->l1);
    free(memory->l1_of_sm);
    for (uint32_t i = 0; memory->victim_caches != NULL && i < memory->l1_count; i++)
        wm_cache_release(&memory->victim_caches[i]);
    free(memory->victim_caches);
    free(memory->l2);
    free(memory->l2_sets);
    free(memory->l2_queues.entries);
    free(memory->l2_queues.requesters);
    free(memory->l2_queues.counts);
    free(memory->l2_queues.busy);
    free(memory->dram);
    free(memory->visited);
    free(memory->bypass_states);
    free(memory->components);
    wm_memory_shadows_free(memory->shadows);
    free(memory);
}

static bool opt_failed(const struct wm_cache *caches, uint32_t count)
{
    for (uint32_t i = 0; caches != NULL && i < count; i++)
        if (caches[i].opt != NULL && wm_opt_failed(caches[i].opt))
            return true;
    return false;
}

bool wm_memory_opt_failed(const struct wm_memory *memory)
{
    bool failed =
        opt_failed(memory->l1, memory->l1_count) || opt_failed(memory->l2, memory->spec.l2_slices);
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        failed =
            failed || opt_failed(memory->side_caches[kind].caches, memory->side_caches[kind].count);
    const struct wm_tlbs *tlbs = memory->tlbs;
    for (uint32_t i = 0; tlbs != NULL && i < tlbs->l1_count; i++)
        failed = failed || opt_failed(&tlbs->l1[i].entries, 1);
    if (tlbs != NULL && tlbs->l2 != NULL)
        failed = failed || opt_failed(&tlbs->l2->entries, 1);
    return failed;
}

bool wm_memory_needs_byte_masks(const struct wm_memory *memory)
{
    return (memory->l1 != NULL && memory->l1->bytes != NULL) ||
           (memory->l2 != NULL && memory->l2->bytes != NULL);
}

bool wm_memory_l1_holds(const struct wm_memory *memory, uint32_t sm, uint64_t address)
{
    if (memory->l1 == NULL)
        return false;
    const struct wm_cache *l1 = memory->l1_of_sm[sm];
    uint64_t line = address >> l1->line_shift;
    return wm_cache_holds(l1, line, line) ||
           (memory->victim_caches != NULL &&
            wm_cache_holds(&memory->victim_caches[l1 - memory->l1], line, line));
}

struct wm_access_result wm_memory_access(struct wm_memory *memory, const struct wm_request *request)
{
    assert(request->sectors != 0 && request->sm < memory->spec.sm_count);
    struct wm_line_request line = {.line_address = request->address,
                                   .sectors = request->sectors,
                                   .full_sectors = request->full_sectors};
    return memory->paths->access_lines(memory, request, &line, 1);
}

struct wm_access_result wm_memory_access_lines(struct wm_memory *memory,
                                               const struct wm_request *who,
                                               const struct wm_line_request *lines, uint32_t count)
{
    assert(count <= WM_MAX_LINE_REQUESTS && who->sm < memory->spec.sm_count);
    return memory->paths->access_lines(memory, who, lines, count);
}

void wm_memory_access_stream(struct wm_memory *memory, uint32_t sm, const uint64_t *references,
                             size_t count)
{
    memory->paths->stream(memory, sm, references, count);
}

void wm_memory_access_run(struct wm_memory *memory, const struct wm_request_run *run)
{
    assert(run->heads->sm < memory->spec.sm_count);
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

uint32_t wm_memory_l1_lines(const struct wm_memory *memory)
{
    return memory->l1->sets * memory->l1->ways + memory->spec.l1_victim_lines;
}

uint32_t wm_memory_tracker_count(const struct wm_memory *memory)
{
    return memory->tracker_count;
}

struct wm_sharing_tracker *wm_memory_tracker(const struct wm_memory *memory, uint32_t index)
{
    return &memory->trackers[index];
}
