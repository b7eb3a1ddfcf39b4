#include "library_fixture.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

struct warpmem_machine *library_machine(const char *name)
{
    struct warpmem_error error;
    struct warpmem_machine *machine = NULL;
    cr_assert_eq(warpmem_machine_load(name, NULL, &machine, &error), WARPMEM_OK, "%s: %s",
                 error.place, error.message);
    return machine;
}

struct warpmem_memory *library_memory(const char *name, bool explain)
{
    struct warpmem_machine *machine = library_machine(name);
    const struct warpmem_memory_options options = {.explain = explain, .instructions = 64};
    struct warpmem_memory *memory = NULL;
    struct warpmem_error error;
    cr_assert_eq(warpmem_memory_new(machine, &options, &memory, &error), WARPMEM_OK, "%s",
                 error.message);
    warpmem_machine_free(machine); // the memory system keeps what it needs
    return memory;
}

struct warpmem_access library_random_access(struct wm_random *random, uint32_t sm_count,
                                            uint32_t line_bytes)
{
    uint32_t all = UINT32_MAX >> (32 - line_bytes / WARPMEM_SECTOR_BYTES);
    struct warpmem_access access = {
        .address = wm_random_below(random, (1 << 22) / line_bytes) * line_bytes,
        .sectors = (uint32_t)wm_random_below(random, all) + 1,
        .kind = (enum wm_access_kind)wm_random_below(random, 4),
        .space = wm_random_below(random, 4) == 0 ? WARPMEM_LOCAL : WARPMEM_GLOBAL,
        .hint = (enum wm_cache_hint)wm_random_below(random, 7),
        .sm = (uint32_t)wm_random_below(random, sm_count < 4 ? sm_count : 4),
        .warp = (uint32_t)wm_random_below(random, 16),
        .pc = (uint32_t)wm_random_below(random, 64),
        .block = wm_random_below(random, 8),
    };
    if (access.kind == WM_ACCESS_STORE)
        access.full_sectors = access.sectors & (uint32_t)wm_random_u64(random);
    return access;
}

// Whether a counter is of loads with all of their lines.
static bool is_of_whole_loads(const char *name)
{
    return strncmp(name, "coherent_loads", 14) == 0 || strncmp(name, "divergent_loads", 15) == 0;
}

size_t library_same_counters(const struct warpmem_memory *memory, const struct wm_memory *own,
                             bool line_by_line)
{
    size_t count, some = 0;
    const struct wm_component_counters *components = wm_memory_components(own, &count);
    cr_assert_leq(count, warpmem_memory_component_count(memory));
    for (size_t i = 0; i < count; i++) {
        struct warpmem_component component;
        cr_assert_eq(warpmem_memory_component(memory, i, &component, NULL), WARPMEM_OK);
        cr_assert_str_eq(component.path, components[i].path);
        cr_assert_str_eq(component.kind, components[i].set->kind);
        cr_assert_eq(component.counter_count, components[i].set->count);
        for (size_t j = 0; j < component.counter_count; j++) {
            struct warpmem_counter counter;
            cr_assert_eq(warpmem_memory_counter(memory, i, j, &counter, NULL), WARPMEM_OK);
            cr_assert_str_eq(counter.name, components[i].set->declarations[j].name);
            if (line_by_line && is_of_whole_loads(counter.name))
                continue;
            cr_assert_eq(counter.value, components[i].values[j],
                         "%s %s: %" PRIu64 " instead of %" PRIu64, component.path, counter.name,
                         counter.value, components[i].values[j]);
            some += counter.value != 0;
        }
    }
    return some;
}

void library_require_untouched(const struct warpmem_memory *memory)
{
    for (size_t kind = 0; kind < warpmem_memory_kind_count(memory); kind++) {
        struct warpmem_component component;
        cr_assert_eq(warpmem_memory_kind(memory, kind, &component, NULL), WARPMEM_OK);
        for (size_t i = 0; i < component.counter_count; i++) {
            struct warpmem_counter counter;
            cr_assert_eq(warpmem_memory_kind_counter(memory, kind, i, &counter, NULL), WARPMEM_OK);
            cr_expect_eq(counter.value, 0, "%s %s", component.kind, counter.name);
        }
    }
}
