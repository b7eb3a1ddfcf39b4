#include "small_memory.h"

#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_components.h"

#include <criterion/criterion.h>
#include <string.h>

struct wm_cache_spec small_cache(uint32_t sets, uint32_t ways, uint32_t line_bytes,
                                 uint32_t sector_bytes)
{
    return (struct wm_cache_spec){
        .present = true,
        .size_bytes = (uint64_t)sets * ways * line_bytes,
        .ways = ways,
        .line_bytes = line_bytes,
        .sector_bytes = sector_bytes,
        .write_policy = WM_WRITE_BACK,
        .write_allocate = true,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
}

struct wm_memory_spec small_memory(uint32_t sm_count, struct wm_cache_spec l1,
                                   struct wm_cache_spec l2, uint32_t slices)
{
    return (struct wm_memory_spec){
        .sm_count = sm_count,
        .levels[WM_LEVEL_L1] = {.cache = l1},
        .levels[WM_LEVEL_L2] = {.cache = l2, .slices = slices, .interleave_bytes = 256},
        .dram = {.channels = slices, .channel_interleave_bytes = 256, .access_bytes = 32},
        .demand_before_writeback = true,
    };
}

struct wm_memory *small_memory_new(const struct wm_memory_spec *spec)
{
    struct wm_memory *memory;
    struct wm_error error;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_OK, "%s", error.message);
    return memory;
}

const struct write_choice write_choices[WRITE_CHOICES] = {{WM_WRITE_BACK, true},
                                                          {WM_WRITE_BACK, false},
                                                          {WM_WRITE_THROUGH_UPDATE, true},
                                                          {WM_WRITE_THROUGH_UPDATE, false},
                                                          {WM_WRITE_THROUGH_EVICT, false}};

void set_writes(struct wm_cache_spec *cache, const struct write_choice *choice)
{
    cache->write_policy = choice->policy;
    cache->write_allocate = choice->allocate;
}

const struct wm_component_counters *find_component(struct wm_memory *memory, const char *path)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(components[i].path, path) == 0)
            return &components[i];
    cr_assert_fail("no %s", path);
    return NULL;
}

uint64_t component_value(const struct wm_component_counters *component, const char *name)
{
    size_t index = wm_counter_index(component->set, name);
    cr_assert_lt(index, component->set->count, "%s", name);
    return component->values[index];
}
