// What the front end counts of each access, whichever way it goes from there. Private to
// engine/access/.
#ifndef WM_ENGINE_ACCESS_FRONT_END_PARTS_H
#define WM_ENGINE_ACCESS_FRONT_END_PARTS_H

#include "engine/access/front_end.h"

#include <assert.h>

static inline uint64_t *space_counter(struct wm_sm_counters *counters, enum wm_address_space space)
{
    switch (space) {
    case WM_SPACE_GLOBAL: return &counters->global_accesses;
    case WM_SPACE_LOCAL: return &counters->local_accesses;
    case WM_SPACE_SHARED: return &counters->shared_accesses;
    case WM_SPACE_CONSTANT: return &counters->constant_accesses;
    case WM_SPACE_PARAMETER: return &counters->parameter_accesses;
    case WM_SPACE_TEXTURE: return &counters->texture_accesses;
    }
    assert(!"an address space without a counter");
    return &counters->global_accesses;
}

// What is counted of an instruction that `times` warps executed, `lanes` of them, wherever it goes.
// Returns its counters.
static inline struct wm_instruction_counters *count_access(struct wm_front_end *front_end,
                                                           const struct wm_warp_access *access,
                                                           uint64_t times, uint64_t lanes)
{
    struct wm_instruction_counters *instruction_counters = &front_end->counters_by_pc[access->pc];
    instruction_counters->executions += times;
    instruction_counters->lanes += lanes;
    instruction_counters->bytes_requested += lanes * access->bytes_per_lane;
    *space_counter(front_end->counters, access->space) += times;
    front_end->spaces[access->pc] |= (uint8_t)(1u << access->space);
    return instruction_counters;
}

static inline void count_requests(struct wm_front_end *front_end,
                                  struct wm_instruction_counters *instruction_counters,
                                  uint64_t requests, uint64_t sectors)
{
    instruction_counters->requests += requests;
    instruction_counters->sectors += sectors;
    front_end->counters->requests += requests;
    front_end->counters->sectors += sectors;
}

#endif
