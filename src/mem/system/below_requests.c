#include "mem/system/below_requests.h"

#include "base/containers/array.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/system/memory_state.h"

#include <assert.h>
#include <stdlib.h>

void wm_below_requests_release(struct wm_below_requests *requests)
{
    free(requests->requests);
    *requests = (struct wm_below_requests){0};
}

bool wm_below_requests_grow(struct wm_below_requests *requests)
{
    requests->failed = requests->failed ||
                       !WM_ARRAY_RESERVE(requests->requests, requests->count, requests->room, 1);
    return !requests->failed;
}

void wm_slice_batches_release(struct wm_slice_batches *kept)
{
    free(kept->entries);
    free(kept->rows);
    *kept = (struct wm_slice_batches){0};
}

bool wm_slice_batches_grow(struct wm_slice_batches *kept, uint32_t count)
{
    kept->failed |= !WM_ARRAY_RESERVE(kept->rows, kept->count, kept->room, 1) ||
                    !WM_ARRAY_RESERVE(kept->entries, kept->entry_count, kept->entry_room, count);
    return !kept->failed;
}

// --- Which L1s send the same requests ---

static bool same_values(const struct wm_entry_values *a, const struct wm_entry_values *b)
{
    bool same = a->given == b->given;
    for (uint32_t i = 0; i < WM_MAX_PARAMETERS; i++)
        same &= (a->given >> i & 1) == 0 || a->values[i] == b->values[i];
    return same;
}

// Field by field, as specs have padding and values that do not count; that none is forgotten, here
// and in wm_memory_same_l1s, is what tests/unit/engine/test_same_l1s.c is for.
static bool same_cache(const struct wm_cache_spec *a, const struct wm_cache_spec *b)
{
    return a->present == b->present && a->size_bytes == b->size_bytes && a->ways == b->ways &&
           a->line_bytes == b->line_bytes && a->sector_bytes == b->sector_bytes &&
           a->write_policy == b->write_policy && a->write_allocate == b->write_allocate &&
           a->write_fetch == b->write_fetch && a->replacement == b->replacement &&
           same_values(&a->replacement_values, &b->replacement_values) &&
           a->set_index == b->set_index;
}

// Lines that are never dirty leave L1 without a word, whenever the host or a launch makes them.
static bool l1_stands_alone(const struct wm_memory_spec *spec)
{
    return spec->levels[WM_LEVEL_L1].cache.present &&
           spec->levels[WM_LEVEL_L1].cache.write_policy != WM_WRITE_BACK && !spec->tlb.present &&
           !wm_memory_needs_full(spec) &&
           !wm_divergence_is_enabled(&spec->levels[WM_LEVEL_L1].divergence);
}

// What of accesses begins where, and goes on to where.
static bool same_ways(const struct wm_memory_spec *a, const struct wm_memory_spec *b)
{
    bool same = a->core_count == b->core_count;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        same = same && a->levels[i].below == b->levels[i].below &&
               a->levels[i].serves == b->levels[i].serves;
    return same;
}

bool wm_memory_same_l1s(const struct wm_memory_spec *a, const struct wm_memory_spec *b)
{
    return l1_stands_alone(a) && l1_stands_alone(b) && same_ways(a, b) &&
           same_cache(&a->levels[WM_LEVEL_L1].cache, &b->levels[WM_LEVEL_L1].cache) &&
           a->sm_count == b->sm_count &&
           a->levels[WM_LEVEL_L1].units_each == b->levels[WM_LEVEL_L1].units_each &&
           a->levels[WM_LEVEL_L1].allocation == b->levels[WM_LEVEL_L1].allocation &&
           a->levels[WM_LEVEL_L1].bypass == b->levels[WM_LEVEL_L1].bypass &&
           same_values(&a->levels[WM_LEVEL_L1].bypass_values,
                       &b->levels[WM_LEVEL_L1].bypass_values) &&
           a->levels[WM_LEVEL_L1].bypass_means == b->levels[WM_LEVEL_L1].bypass_means &&
           a->levels[WM_LEVEL_L1].flush_at_kernel == b->levels[WM_LEVEL_L1].flush_at_kernel;
}

bool wm_memory_same_slice_batches(const struct wm_memory_spec *leads,
                                  const struct wm_memory_spec *follows)
{
    return leads->levels[WM_LEVEL_L2].cache.present && follows->levels[WM_LEVEL_L2].cache.present &&
           leads->levels[WM_LEVEL_L2].slices == follows->levels[WM_LEVEL_L2].slices &&
           leads->levels[WM_LEVEL_L2].interleave_bytes ==
               follows->levels[WM_LEVEL_L2].interleave_bytes &&
           leads->levels[WM_LEVEL_L2].cache.line_bytes ==
               follows->levels[WM_LEVEL_L2].cache.line_bytes &&
           !wm_replacement_sees_requester(follows->levels[WM_LEVEL_L2].cache.replacement);
}

// --- Keeping and serving ---

void wm_memory_record_below_requests(struct wm_memory *memory, struct wm_below_requests *requests)
{
    assert(requests == NULL || l1_stands_alone(&memory->spec));
    memory->recorded_requests = requests;
}

void wm_memory_serve_below_requests(struct wm_memory *memory,
                                    const struct wm_below_request *requests, uint32_t count,
                                    struct wm_instruction_counters *counters_by_pc)
{
    memory->paths->serve_below_requests(memory, requests, count, counters_by_pc);
}

void wm_memory_record_slice_batches(struct wm_memory *memory, struct wm_slice_batches *kept,
                                    const struct wm_instruction_counters *counters_by_pc)
{
    assert(kept == NULL ||
           (l1_stands_alone(&memory->spec) && memory->levels[WM_LEVEL_L2].caches != NULL));
    memory->recorded_batches = kept;
    if (kept == NULL)
        return;
    kept->sets = memory->levels[WM_LEVEL_L2].caches->sets;
    kept->set_index = memory->levels[WM_LEVEL_L2].caches->set_index;
    kept->counters_by_pc = counters_by_pc;
}

void wm_memory_serve_slice_batches(struct wm_memory *memory, const struct wm_slice_batches *kept,
                                   uint32_t first, uint32_t end,
                                   struct wm_instruction_counters *counters_by_pc)
{
    memory->paths->serve_slice_batches(memory, kept, first, end, counters_by_pc);
}

uint32_t wm_memory_l1_count(const struct wm_memory *memory)
{
    return memory->levels[WM_LEVEL_L1].count;
}

void wm_memory_save_l1_counters(const struct wm_memory *memory, struct wm_cache_counters *saved)
{
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++)
        saved[i] = memory->levels[WM_LEVEL_L1].caches[i].counters;
}

void wm_memory_load_l1_counters(struct wm_memory *memory, const struct wm_cache_counters *saved)
{
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++)
        memory->levels[WM_LEVEL_L1].caches[i].counters = saved[i];
}
