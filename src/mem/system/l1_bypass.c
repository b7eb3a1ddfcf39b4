// The bypass entry of the L1s: its states, and its decisions.
#include "mem/bypass/entries.h"
#include "mem/system/memory_state.h"

#include <stdlib.h>

static size_t stride_of(const struct wm_bypass_ops *ops)
{
    return (ops->state_bytes + 63) / 64 * 64;
}

enum wm_status wm_memory_bypass_init(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    const struct wm_bypass_ops *ops = spec->levels[WM_LEVEL_L1].bypass != NULL
                                          ? spec->levels[WM_LEVEL_L1].bypass
                                          : &wm_bypass_cache_operator;
    if (memory->levels[WM_LEVEL_L1].caches == NULL || ops == &wm_bypass_cache_operator)
        return WM_OK;
    size_t stride = stride_of(ops), bytes = stride * memory->levels[WM_LEVEL_L1].count;
    memory->bypass_states = aligned_alloc(64, bytes != 0 ? bytes : 64);
    if (memory->bypass_states == NULL)
        return wm_fail_no_memory(error, "the states of bypass '%s'", ops->name);
    memory->bypass = ops;
    for (uint32_t gpu = 0; gpu < memory->gpus; gpu++)
        wm_memory_bypass_reset(memory, gpu);
    return WM_OK;
}

void wm_memory_bypass_reset(struct wm_memory *memory, uint32_t gpu)
{
    const struct wm_bypass_ops *ops = memory->bypass;
    if (ops == NULL)
        return;
    uint32_t each = memory->levels[WM_LEVEL_L1].count / memory->gpus, first = gpu * each;
    memset(memory->bypass_states + stride_of(ops) * first, 0, stride_of(ops) * each);
    uint64_t parameters[WM_MAX_PARAMETERS];
    wm_entry_values_resolve(ops->parameters, ops->parameter_count,
                            &memory->spec.levels[WM_LEVEL_L1].bypass_values, parameters);
    for (uint32_t i = first; ops->reset != NULL && i < first + each; i++) {
        const struct wm_cache *l1 = &memory->levels[WM_LEVEL_L1].caches[i];
        struct wm_bypass_geometry geometry = {.sets = l1->sets,
                                              .ways = l1->ways,
                                              .line_bytes = l1->line_bytes,
                                              .seed = l1->seed,
                                              .parameters = parameters};
        ops->reset(wm_memory_bypass_state(memory, l1), &geometry);
    }
}

void *wm_memory_bypass_state(const struct wm_memory *memory, const struct wm_cache *l1)
{
    return memory->bypass_states +
           (size_t)(l1 - memory->levels[WM_LEVEL_L1].caches) * stride_of(memory->bypass);
}

enum wm_bypass_decision wm_memory_bypass_decide(struct wm_memory *memory,
                                                const struct wm_bypass_event *event)
{
    enum wm_bypass_decision decision =
        memory->bypass->decide(wm_memory_bypass_state(memory, memory->l1_of_sm[event->sm]), event);
    if (decision != WM_BYPASS_YES)
        return decision;
    return memory->spec.levels[WM_LEVEL_L1].bypass_means == WM_BYPASS_MEANS_NO_LOOKUP
               ? WM_BYPASS_LOOKUP
               : WM_BYPASS_ALLOCATION;
}

void wm_memory_bypass_kernel(struct wm_memory *memory, uint32_t gpu)
{
    const struct wm_cache_level *l1s = &memory->levels[WM_LEVEL_L1];
    uint32_t each = l1s->count / memory->gpus;
    if (memory->bypass == NULL || memory->bypass->kernel == NULL)
        return;
    for (uint32_t i = gpu * each; i < (gpu + 1) * each; i++)
        memory->bypass->kernel(wm_memory_bypass_state(memory, &l1s->caches[i]));
}
