// The accesses of a CPU core: one lane, most often of one line that the core's L1 has, for which
// the way of a warp's 32 lanes is long. All others go that way.
#include "engine/access/front_end_parts.h"

// Nothing is counted of an access but itself and its requests, and these go to L1.
static inline bool goes_to_l1(const struct wm_front_end *front_end)
{
    return wm_front_end_takes_regular(front_end) && front_end->patterns == NULL &&
           front_end->orders == NULL && !front_end->translates && !front_end->serves_global &&
           !front_end->global_around_l1;
}

bool wm_front_end_core_may_hit(const struct wm_front_end *front_end)
{
    return front_end->memory != NULL && front_end->batcher == NULL && goes_to_l1(front_end);
}

// The sectors of a line that an access from `within` it on touches.
static inline uint32_t sectors_of(uint32_t within, uint32_t bytes)
{
    uint32_t first = within / WM_SECTOR_BYTES, last = (within + bytes - 1) / WM_SECTOR_BYTES;
    return (UINT32_C(2) << last) - (UINT32_C(1) << first);
}

static inline uint64_t address_of(const struct wm_warp_access *access)
{
    return access->addresses != NULL ? access->addresses[0] : access->base;
}

// A load or store of one line, from `within` it on, an instruction by itself.
static inline bool is_plain(const struct wm_front_end *front_end,
                            const struct wm_warp_access *access, uint32_t within)
{
    return access->kind <= WM_ACCESS_STORE && access->space == WM_SPACE_GLOBAL &&
           access->hint == WM_HINT_DEFAULT && !access->continues && front_end->parts == 0 &&
           within + access->bytes_per_lane <= front_end->line_bytes;
}

void wm_front_end_core_count(struct wm_front_end *front_end, const struct wm_warp_access *access)
{
    uint32_t within = (uint32_t)address_of(access) & (front_end->line_bytes - 1);
    if (access->active != 1 || !goes_to_l1(front_end) || !is_plain(front_end, access, within)) {
        wm_front_end_access(front_end, access);
        return;
    }
    count_requests(front_end, count_access(front_end, access, 1, 1), 1,
                   wm_count_sectors(sectors_of(within, access->bytes_per_lane)));
}

void wm_front_end_core_access(void *context, const struct wm_warp_access *access)
{
    struct wm_front_end *front_end = context;
    uint64_t address = address_of(access);
    uint32_t within = (uint32_t)address & (front_end->line_bytes - 1);
    if (!is_plain(front_end, access, within)) {
        wm_front_end_access(front_end, access);
        return;
    }
    struct wm_instruction_counters *counters = &front_end->counters_by_pc[access->pc];
    const struct wm_request request = {.address = address - within,
                                       .sectors = sectors_of(within, access->bytes_per_lane),
                                       .kind = access->kind,
                                       .sm = front_end->sm,
                                       .warp = front_end->warp,
                                       .pc = access->pc,
                                       .instruction_counters = counters};
    if (!wm_memory_hit(front_end->memory, &request)) {
        wm_front_end_access(front_end, access);
        return;
    }
    count_access(front_end, access, 1, 1);
    count_requests(front_end, counters, 1, wm_count_sectors(request.sectors));
}
