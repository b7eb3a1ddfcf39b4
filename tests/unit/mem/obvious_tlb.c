// The model: TLBs and page walks (R11).
#include "mem/set_index/entries.h"
#include "obvious_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void init(struct obvious_tlb *tlb, const struct wm_tlb_level_spec *level, const char *path)
{
    struct wm_cache_spec pages = {
        .size_bytes = (uint64_t)level->entries * OBVIOUS_SECTOR, // one sector stands for a page
        .ways = level->ways,
        .line_bytes = OBVIOUS_SECTOR,
        .sector_bytes = OBVIOUS_SECTOR,
        .replacement = level->replacement,
        .replacement_values = level->replacement_values,
        .set_index = &wm_set_index_modulo,
    };
    obvious_cache_init(&tlb->pages, &pages, path);
}

void obvious_tlbs_init(struct obvious_memory *memory)
{
    const struct wm_tlb_spec *spec = &memory->spec.tlb;
    if (!spec->present)
        return;
    memory->tlb_count = (memory->spec.sm_count + spec->sms_each - 1) / spec->sms_each;
    memory->l1_tlbs = calloc(memory->tlb_count, sizeof *memory->l1_tlbs);
    for (uint32_t i = 0; i < memory->tlb_count; i++) {
        char path[64];
        snprintf(path, sizeof path, "gpu0.sm[%" PRIu32 "].tlb", i * spec->sms_each);
        init(&memory->l1_tlbs[i], &spec->l1, path);
    }
    if (spec->l2.entries == 0)
        return;
    memory->l2_tlb = calloc(1, sizeof *memory->l2_tlb);
    init(memory->l2_tlb, &spec->l2, "gpu0.tlb");
}

void obvious_tlbs_free(struct obvious_memory *memory)
{
    for (uint32_t i = 0; i < memory->tlb_count; i++)
        obvious_cache_release(&memory->l1_tlbs[i].pages);
    if (memory->l2_tlb != NULL)
        obvious_cache_release(&memory->l2_tlb->pages);
    free(memory->l1_tlbs);
    free(memory->l2_tlb);
}

static bool holds(struct obvious_tlb *tlb, uint64_t page, const struct wm_requester *who)
{
    struct obvious_access access = {
        .client = WM_CACHE_LOAD, .number = page, .sectors = 1, .may_take = true, .who = *who};
    bool hit = obvious_access(&tlb->pages, &access).missing == 0;
    tlb->counters.lookups++;
    tlb->counters.hits += hit;
    tlb->counters.misses += !hit;
    return hit;
}

static void walk(struct obvious_memory *memory, struct obvious_tlb *tlb, uint64_t page,
                 const struct wm_requester *who)
{
    uint32_t levels = memory->spec.tlb.walk_levels;
    tlb->counters.walks++;
    tlb->counters.walk_reads += levels;
    tlb->counters.bytes += levels * OBVIOUS_SECTOR;
    for (uint32_t done = 0; memory->spec.tlb.walks_use_l2 && done < levels; done++) {
        uint32_t level = levels - 1 - done;
        uint64_t entry = page;
        for (uint32_t i = 0; i < level; i++)
            entry /= 512;
        uint64_t at = (UINT64_C(1) << 62) + level * (UINT64_C(1) << 56) + entry * 8;
        const struct obvious_request read = {.client = WM_CACHE_LOAD,
                                             .address = at / OBVIOUS_SECTOR * OBVIOUS_SECTOR,
                                             .sectors = 1,
                                             .who = *who};
        obvious_arrive(memory, obvious_past_first(memory, who->sm), who->sm, &read);
    }
}

void obvious_translate(struct obvious_memory *memory, const struct wm_request *who,
                       const uint64_t *addresses, size_t count)
{
    const struct wm_tlb_spec *spec = &memory->spec.tlb;
    struct wm_requester requester = {.sm = who->sm, .warp = who->warp, .pc = who->pc};
    bool is_sm = who->sm < memory->spec.sm_count; // cores have none
    memory->unit = who->sm;
    for (size_t i = 0; spec->present && is_sm && i < count; i++) {
        uint64_t page = addresses[i] / spec->page_bytes;
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || addresses[j] / spec->page_bytes == page;
        struct obvious_tlb *l1 = &memory->l1_tlbs[who->sm / spec->sms_each];
        if (seen || holds(l1, page, &requester))
            continue;
        if (memory->l2_tlb == NULL)
            walk(memory, l1, page, &requester);
        else if (!holds(memory->l2_tlb, page, &requester))
            walk(memory, memory->l2_tlb, page, &requester);
    }
}
