// What TLBs do in the memory system: the pages of an instruction, and what their walks read of L2.
#include "mem/system/memory_state.h"

#include <assert.h>

// The walk goes from the root down. Each entry lies in one sector.
static void read_page_table(struct wm_memory *memory, uint64_t page, const struct wm_request *who)
{
    struct wm_request request = *who;
    request.bytes = NULL;
    for (uint32_t level = memory->tlbs->walk_levels; level-- > 0;) {
        uint64_t address = wm_page_table_address(page, level);
        request.address = address & ~(uint64_t)(WM_SECTOR_BYTES - 1);
        request.sectors = 1;
        memory->paths->load_past_first(memory, &request);
    }
}

// Returns whether it took a walk.
static bool translate(struct wm_memory *memory, uint64_t page, const struct wm_request *who)
{
    const struct wm_requester requester = {.sm = who->sm, .warp = who->warp, .pc = who->pc};
    struct wm_instruction_counters *instruction_counters =
        who->instruction_counters != NULL ? who->instruction_counters : &memory->unattributed;
    if (wm_tlbs_look_up(memory->tlbs, page, &requester) == NULL)
        return false;
    instruction_counters->tlb_walks++;
    if (memory->spec.tlb.walks_use_l2)
        read_page_table(memory, page, who);
    return true;
}

bool wm_memory_translate(struct wm_memory *memory, const struct wm_request *who,
                         const uint64_t *addresses, size_t count)
{
    assert(who->sm < wm_memory_units(&memory->spec));
    if (memory->tlbs == NULL || wm_is_core(&memory->spec, who->sm))
        return false;
    bool walked = false;
    uint32_t shift = memory->tlbs->page_shift;
    for (size_t i = 0; i < count; i++) {
        uint64_t page = addresses[i] >> shift;
        size_t before = i;
        while (before > 0 && addresses[before - 1] >> shift != page)
            before--;
        if (before == 0)
            walked |= translate(memory, page, who);
    }
    return walked;
}
