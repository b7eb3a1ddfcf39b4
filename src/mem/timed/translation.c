#include "mem/timed/translation.h"

#include "base/containers/array.h"
#include "mem/system/memory_state.h"

static struct wm_timed_walk *find(struct wm_timed_walks *walks, uint64_t page)
{
    for (uint32_t i = 0; i < walks->count; i++)
        if (walks->walks[i].page == page)
            return &walks->walks[i];
    return NULL;
}

// The walk goes from the root down. Each entry lies in one sector.
static void read_entry(const struct wm_timed_translation *translation, uint64_t cycle,
                       struct wm_timed_walk *walk)
{
    struct wm_outbox *out = translation->out;
    uint64_t address = wm_page_table_address(walk->page, --walk->left);
    wm_outbox_send(out, cycle, &walk->who,
                   &(struct wm_sending){.charged = &translation->counters_by_pc[walk->who.pc],
                                        .to = out->memory->levels[WM_LEVEL_L1].below,
                                        .from = WM_OF_UNIT,
                                        .address = address & ~(uint64_t)(WM_SECTOR_BYTES - 1),
                                        .sectors = 1,
                                        .client = WM_CACHE_LOAD,
                                        .replies = true,
                                        .walks = true,
                                        .token = walk->page});
}

static void begin_walk(const struct wm_timed_translation *translation, uint64_t cycle,
                       uint64_t page, const struct wm_request *who)
{
    struct wm_timed_walks *walks = translation->walks;
    struct wm_outbox *out = translation->out;
    who->instruction_counters->tlb_walks++;
    if (!out->memory->spec.tlb.walks_use_l2)
        return;
    struct wm_timed_walk *walk = WM_ARRAY_PUSH(walks->walks, walks->count, walks->room);
    out->failed |= walk == NULL;
    if (walk == NULL)
        return;
    *walk = (struct wm_timed_walk){.page = page,
                                   .left = out->memory->tlbs->walk_levels,
                                   .who = {.sm = who->sm, .warp = who->warp, .pc = who->pc}};
    read_entry(translation, cycle, walk);
}

static void look_up(struct wm_timed_translation *translation, uint64_t cycle, uint64_t page,
                    const struct wm_request *who)
{
    const struct wm_memory *memory = translation->out->memory;
    struct wm_tlbs *tlbs = memory->tlbs;
    const struct wm_requester requester = {.sm = who->sm, .warp = who->warp, .pc = who->pc};
    const struct wm_tlb *first = wm_tlbs_first(tlbs, who->sm);
    uint64_t misses = first->counters.misses;
    if (wm_tlbs_look_up(tlbs, page, &requester) != NULL)
        begin_walk(translation, cycle, page, who);
    if (first->counters.misses != misses && tlbs->l2 != NULL)
        translation->ready = cycle + memory->spec.tlb.l2_latency;
    if (find(translation->walks, page) != NULL)
        translation->pages[translation->count++] = page;
}

static void begin(struct wm_timed_translation *translation, uint64_t cycle,
                  const struct wm_request *who, const struct wm_line_request *lines, uint32_t count)
{
    uint32_t shift = translation->out->memory->tlbs->page_shift;
    translation->count = 0;
    translation->ready = cycle;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t page = lines[i].line_address >> shift;
        uint32_t before = i;
        while (before > 0 && lines[before - 1].line_address >> shift != page)
            before--;
        if (before == 0)
            look_up(translation, cycle, page, who);
    }
}

enum wm_stall wm_timed_translate(struct wm_timed_translation *translation, uint64_t cycle,
                                 const struct wm_request *who, const struct wm_line_request *lines,
                                 uint32_t count, uint64_t *again)
{
    uint32_t left = 0;
    if (!translation->begun && !wm_outbox_has_room(translation->out, cycle))
        return WM_STALL_QUEUE;
    if (!translation->begun)
        begin(translation, cycle, who, lines, count);
    for (uint32_t i = 0; i < translation->count; i++)
        if (find(translation->walks, translation->pages[i]) != NULL)
            translation->pages[left++] = translation->pages[i];
    translation->count = left;
    translation->begun = left != 0 || translation->ready > cycle;
    *again = left == 0 ? translation->ready : 0;
    return translation->begun ? WM_STALL_PAGE : WM_STALL_NONE;
}

void wm_timed_walk_on(struct wm_timed_translation *translation, uint64_t cycle,
                      const struct wm_packet *reply)
{
    struct wm_timed_walks *walks = translation->walks;
    struct wm_timed_walk *walk = find(walks, reply->token);
    if (walk->left != 0)
        read_entry(translation, cycle, walk);
    else
        *walk = walks->walks[--walks->count];
}
