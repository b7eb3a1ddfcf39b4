#include "mem/translation/tlb.h"

#include "base/containers/array.h"
#include "mem/graph/memory_graph.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_components.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    LEVEL_BITS = 9,   // of a page number, as in 4 KiB nodes of 8-byte entries
    LEVEL_SHIFT = 56, // between two levels' nodes: more than the entries of any level take
};

static const struct wm_counter_declaration declarations[] = {
    WM_TLB_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_l1_tlb_counter_set = {
    .kind = "l1_tlb",
    .title = "L1 TLB",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};
const struct wm_counter_set wm_l2_tlb_counter_set = {
    .kind = "l2_tlb",
    .title = "L2 TLB",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

static enum wm_status init(struct wm_tlb *tlb, const struct wm_tlb_level_spec *spec,
                           const char *component, struct wm_error *error)
{
    const struct wm_cache_spec array = {
        .present = true,
        .size_bytes = (uint64_t)spec->entries * WM_SECTOR_BYTES,
        .ways = spec->ways,
        .line_bytes = WM_SECTOR_BYTES,
        .sector_bytes = WM_SECTOR_BYTES,
        .write_policy = WM_WRITE_THROUGH_UPDATE,
        .replacement = spec->replacement,
        .replacement_values = spec->replacement_values,
        .set_index = &wm_set_index_modulo,
    };
    return wm_cache_init(&tlb->entries, &array, component, error);
}

static enum wm_status build(struct wm_tlbs *tlbs, const struct wm_tlb_spec *spec,
                            const struct wm_memory_graph *graph, struct wm_error *error)
{
    char path[WM_COMPONENT_PATH_BYTES];
    WM_TRY(WM_ARRAY_NEW(tlbs->l1, tlbs->l1_count, error, "%" PRIu32 " TLBs", tlbs->l1_count));
    for (uint32_t i = 0; i < tlbs->l1_count; i++) {
        wm_memory_graph_path(graph, graph->l1_tlb, i, NULL, path, sizeof path);
        WM_TRY(init(&tlbs->l1[i], &spec->l1, path, error));
    }
    if (spec->l2.entries == 0)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(tlbs->l2, tlbs->l2_count, error, "an L2 TLB"));
    for (uint32_t i = 0; i < tlbs->l2_count; i++) {
        wm_memory_graph_path(graph, graph->l2_tlb, i, NULL, path, sizeof path);
        WM_TRY(init(&tlbs->l2[i], &spec->l2, path, error));
    }
    return WM_OK;
}

enum wm_status wm_tlbs_new(const struct wm_tlb_spec *spec, const struct wm_memory_graph *graph,
                           struct wm_tlbs **tlbs, struct wm_error *error)
{
    struct wm_tlbs *made = calloc(1, sizeof *made);
    *tlbs = NULL;
    if (made == NULL)
        return wm_fail_no_memory(error, "TLBs");
    made->sms_each = spec->sms_each;
    made->page_shift = (uint32_t)__builtin_ctzll(spec->page_bytes);
    made->walk_levels = spec->walk_levels;
    made->l1_count = wm_memory_graph_path_count(graph, graph->l1_tlb);
    made->l2_count = graph->gpus;
    made->sms = graph->components[graph->units].instances;
    enum wm_status status = build(made, spec, graph, error);
    if (status == WM_OK)
        *tlbs = made;
    else
        wm_tlbs_free(made);
    return status;
}

void wm_tlbs_free(struct wm_tlbs *tlbs)
{
    if (tlbs == NULL)
        return;
    for (uint32_t i = 0; tlbs->l1 != NULL && i < tlbs->l1_count; i++)
        wm_cache_release(&tlbs->l1[i].entries);
    for (uint32_t i = 0; tlbs->l2 != NULL && i < tlbs->l2_count; i++)
        wm_cache_release(&tlbs->l2[i].entries);
    free(tlbs->l1);
    free(tlbs->l2);
    free(tlbs);
}

// Whether it was there; it is now.
static bool look_up(struct wm_tlb *tlb, uint64_t page, const struct wm_requester *requester)
{
    bool hit = wm_cache_read(&tlb->entries, page, page, 1, true, requester).missing == 0;
    tlb->counters.lookups++;
    tlb->counters.hits += hit;
    tlb->counters.misses += !hit;
    return hit;
}

struct wm_tlb *wm_tlbs_first(const struct wm_tlbs *tlbs, uint32_t sm)
{
    uint32_t gpu = sm / tlbs->sms, within = sm % tlbs->sms;
    uint32_t groups = tlbs->l1_count / tlbs->l2_count; // of a GPU
    return &tlbs->l1[gpu * groups + within / tlbs->sms_each];
}

struct wm_tlb *wm_tlbs_look_up(struct wm_tlbs *tlbs, uint64_t page,
                               const struct wm_requester *requester)
{
    struct wm_tlb *walker = wm_tlbs_first(tlbs, requester->sm);
    if (look_up(walker, page, requester))
        return NULL;
    if (tlbs->l2 != NULL) {
        walker = &tlbs->l2[requester->sm / tlbs->sms];
        if (look_up(walker, page, requester))
            return NULL;
    }
    walker->counters.walks++;
    walker->counters.walk_reads += tlbs->walk_levels;
    walker->counters.bytes += (uint64_t)tlbs->walk_levels * WM_SECTOR_BYTES;
    return walker;
}

uint64_t wm_page_table_address(uint64_t page, uint32_t level)
{
    uint64_t entry = page >> (LEVEL_BITS * level);
    return WM_PAGE_TABLE_BASE + ((uint64_t)level << LEVEL_SHIFT) + 8 * entry;
}
