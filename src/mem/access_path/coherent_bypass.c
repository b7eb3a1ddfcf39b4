// Loads that bypass a coherent L1, in the walk (docs/memory-system.md, R18).
#define WM_PATHS_FULL true
#include "mem/access_path/coherent_steps.h"
#include "mem/explain/coherent_misses.h"

#include <assert.h>

// A load takes its bytes of a line as that comes, and no copy stays: as if the line had been
// evicted in the same moment, from no way.
static void read_past(const struct transaction *transaction, uint32_t node,
                      const struct wm_coherent_place *place)
{
    assert(place->coherent->leaving == WM_CACHE_EMPTY);
    place->coherent->leaving = transaction->line;
    place->coherent->leaving_line = (struct wm_coherence_line){0};
    wm_coherent_present(transaction, node, WM_COHERENCE_LOAD);
    wm_coherent_present(transaction, node, WM_COHERENCE_EVICT);
    assert(place->coherent->leaving_line.cache == WM_COHERENCE_CACHE_I);
    place->coherent->leaving = WM_CACHE_EMPTY;
}

static void explain_past(const struct transaction *transaction,
                         const struct wm_coherent_place *place, uint32_t sectors, bool is_looked_up)
{
    const struct wm_coherent_lookup lookup = {.cache = place->cache,
                                              .client = WM_CACHE_LOAD,
                                              .line = transaction->line,
                                              .sectors = sectors,
                                              .missed = true,
                                              .passes = true,
                                              .victim = WM_CACHE_EMPTY};
    if (!is_explained(transaction->memory))
        return;
    if (is_looked_up)
        wm_explain_coherent_lookup(transaction->memory, &lookup, transaction->context->request);
    else
        wm_explain_passed(transaction->memory, place->cache, place->cache->all_sectors,
                          transaction->context->request);
}

void wm_coherent_load_past(const struct transaction *transaction, uint32_t node,
                           const struct wm_coherent_place *place, uint32_t sectors,
                           bool is_looked_up)
{
    struct wm_cache_counters *counters = &place->cache->counters;
    struct access_context *context = transaction->context;
    if (is_looked_up) {
        wm_cache_count(counters, WM_CACHE_LOAD, sectors, sectors);
        charge(place->level, context->instruction_counters, sectors, sectors);
    } else {
        counters->accesses++;
        counters->load_accesses++;
        counters->load_accesses_bypassed++;
        counters->bypasses += wm_count_sectors(sectors);
        context->result.went_around = true;
    }
    counters->bytes_to_above += bytes_of(sectors);
    explain_past(transaction, place, sectors, is_looked_up);
    note_source(context, WM_SOURCE_BELOW_L1);
    read_past(transaction, node, place);
}
