#include "mem/timed/translation.h"

#include "base/containers/array.h"
#include "mem/system/memory_state.h"
#include "mem/timed/unit.h"

static struct wm_timed_walk *find(struct wm_timed_walks *walks, uint64_t page)
{
    for (uint32_t i = 0; i < walks->count; i++)
        if (walks->walks[i].page == page)
            return &walks->walks[i];
    return NULL;
}

// The walk goes from the root down. Each entry lies in one sector.
static void read_entry(struct wm_timed_unit *unit, uint64_t cycle, struct wm_timed_walk *walk)
{
    uint64_t address = wm_page_table_address(walk->page, --walk->left);
    wm_outbox_send(&unit->out, cycle, &walk->who,
                   &(struct wm_sending){.charged = &unit->counters_by_pc[walk->who.pc],
                                        .to = unit->memory->levels[WM_LEVEL_L1].below,
                                        .from = WM_OF_UNIT,
                                        .address = address & ~(uint64_t)(WM_SECTOR_BYTES - 1),
                                        .sectors = 1,
                                        .client = WM_CACHE_LOAD,
                                        .replies = true,
                                        .walks = true,
                                        .token = walk->page});
}

static void begin_walk(struct wm_timed_unit *unit, uint64_t cycle, uint64_t page,
                       const struct wm_request *who)
{
    struct wm_timed_walks *walks = unit->translation.walks;
    who->instruction_counters->tlb_walks++;
    if (!unit->memory->spec.tlb.walks_use_l2)
        return;
    struct wm_timed_walk *walk = WM_ARRAY_PUSH(walks->walks, walks->count, walks->room);
    unit->out.failed |= walk == NULL;
    if (walk == NULL)
        return;
    *walk = (struct wm_timed_walk){.page = page,
                                   .left = unit->memory->tlbs->walk_levels,
                                   .who = {.sm = who->sm, .warp = who->warp, .pc = who->pc}};
    read_entry(unit, cycle, walk);
}

static void look_up(struct wm_timed_unit *unit, uint64_t cycle, uint64_t page,
                    const struct wm_request *who)
{
    struct wm_timed_translation *translation = &unit->translation;
    struct wm_tlbs *tlbs = unit->memory->tlbs;
    const struct wm_requester requester = {.sm = who->sm, .warp = who->warp, .pc = who->pc};
    const struct wm_tlb *first = &tlbs->l1[who->sm / tlbs->sms_each];
    uint64_t misses = first->counters.misses;
    if (wm_tlbs_look_up(tlbs, page, &requester) != NULL)
        begin_walk(unit, cycle, page, who);
    if (first->counters.misses != misses && tlbs->l2 != NULL)
        translation->ready = cycle + unit->memory->spec.tlb.l2_latency;
    if (find(translation->walks, page) != NULL)
        translation->pages[translation->count++] = page;
}

static void begin(struct wm_timed_unit *unit, uint64_t cycle, const struct wm_request *who,
                  const struct wm_line_request *lines, uint32_t count)
{
    uint32_t shift = unit->memory->tlbs->page_shift;
    unit->translation.count = 0;
    unit->translation.ready = cycle;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t page = lines[i].line_address >> shift;
        uint32_t before = i;
        while (before > 0 && lines[before - 1].line_address >> shift != page)
            before--;
        if (before == 0)
            look_up(unit, cycle, page, who);
    }
}

enum wm_stall wm_timed_unit_translate(struct wm_timed_unit *unit, uint64_t cycle,
                                      const struct wm_request *who,
                                      const struct wm_line_request *lines, uint32_t count)
{
    struct wm_timed_translation *translation = &unit->translation;
    uint32_t left = 0;
    if (!translation->begun && !wm_outbox_has_room(&unit->out, cycle))
        return WM_STALL_QUEUE;
    if (!translation->begun)
        begin(unit, cycle, who, lines, count);
    for (uint32_t i = 0; i < translation->count; i++)
        if (find(translation->walks, translation->pages[i]) != NULL)
            translation->pages[left++] = translation->pages[i];
    translation->count = left;
    translation->begun = left != 0 || translation->ready > cycle;
    unit->banks_ready = left == 0 ? translation->ready : 0;
    return translation->begun ? WM_STALL_PAGE : WM_STALL_NONE;
}

void wm_timed_unit_walk_on(struct wm_timed_unit *unit, uint64_t cycle,
                           const struct wm_packet *reply)
{
    struct wm_timed_walks *walks = unit->translation.walks;
    struct wm_timed_walk *walk = find(walks, reply->token);
    if (walk->left != 0)
        read_entry(unit, cycle, walk);
    else
        *walk = walks->walks[--walks->count];
}
