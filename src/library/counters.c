#include "library/handles.h"

#include "base/text/nearest.h"

#include <inttypes.h>
#include <string.h>

static const struct wm_counter_set *set_of(const struct warpmem_memory *memory, size_t kind)
{
    return memory->components[memory->kinds[kind].first].set;
}

void wm_library_find_kinds(struct warpmem_memory *memory)
{
    memory->kind_count = 0;
    for (size_t i = 0; i < memory->component_count; i++) {
        size_t kind = 0;
        while (kind < memory->kind_count && set_of(memory, kind) != memory->components[i].set)
            kind++;
        if (kind == memory->kind_count)
            memory->kinds[memory->kind_count++] = (struct wm_library_kind){.first = i};
        memory->kinds[kind].count++;
    }
}

// The sum over a kind's components.
static uint64_t sum(const struct warpmem_memory *memory, size_t kind, size_t index)
{
    const struct wm_counter_set *set = set_of(memory, kind);
    uint64_t total = 0;
    for (size_t i = 0; i < memory->component_count; i++)
        if (memory->components[i].set == set)
            total += memory->components[i].values[index];
    return total;
}

static void describe(const struct wm_counter_declaration *declaration, uint64_t value,
                     struct warpmem_counter *counter)
{
    *counter = (struct warpmem_counter){
        .name = declaration->name,
        .unit = declaration->unit,
        .sentence = declaration->sentence,
        .value = value,
    };
}

// Checks the two pointers.
static enum warpmem_status check(const void *memory, const void *result, const char *function,
                                 struct warpmem_error *error)
{
    if (memory && result)
        return wm_library_good(error);
    return wm_library_refuse_null(function, error, memory ? "the result" : "memory");
}

// The same of a reading, whose value must be right.
static enum warpmem_status check_reading(const struct warpmem_memory *memory, const void *result,
                                         const char *function, struct warpmem_error *error)
{
    enum warpmem_status status = check(memory, result, function, error);
    return status == WARPMEM_OK ? wm_library_check_memory(memory, function, error) : status;
}

static enum warpmem_status check_index(size_t index, size_t count, const char *noun,
                                       const char *function, struct warpmem_error *error)
{
    if (index < count)
        return WARPMEM_OK;
    return wm_library_refuse(function, WARPMEM_NOT_FOUND, error, "%s %zu of %zu", noun, index,
                             count);
}

size_t warpmem_memory_component_count(const struct warpmem_memory *memory)
{
    return memory ? memory->component_count : 0;
}

enum warpmem_status warpmem_memory_component(const struct warpmem_memory *memory, size_t index,
                                             struct warpmem_component *component,
                                             struct warpmem_error *error)
{
    enum warpmem_status status = check(memory, component, __func__, error);
    if (status == WARPMEM_OK)
        status = check_index(index, memory->component_count, "component", __func__, error);
    if (status != WARPMEM_OK)
        return status;
    const struct wm_component_counters *own = &memory->components[index];
    *component = (struct warpmem_component){
        .path = own->path,
        .kind = own->set->kind,
        .title = own->set->title,
        .counter_count = own->set->count,
        .components = 1,
    };
    return WARPMEM_OK;
}

enum warpmem_status warpmem_memory_counter(const struct warpmem_memory *memory, size_t component,
                                           size_t index, struct warpmem_counter *counter,
                                           struct warpmem_error *error)
{
    enum warpmem_status status = check_reading(memory, counter, __func__, error);
    if (status == WARPMEM_OK)
        status = check_index(component, memory->component_count, "component", __func__, error);
    if (status != WARPMEM_OK)
        return status;
    const struct wm_component_counters *own = &memory->components[component];
    status = check_index(index, own->set->count, "counter", __func__, error);
    if (status == WARPMEM_OK)
        describe(&own->set->declarations[index], own->values[index], counter);
    return status;
}

size_t warpmem_memory_kind_count(const struct warpmem_memory *memory)
{
    return memory ? memory->kind_count : 0;
}

enum warpmem_status warpmem_memory_kind(const struct warpmem_memory *memory, size_t index,
                                        struct warpmem_component *component,
                                        struct warpmem_error *error)
{
    enum warpmem_status status = check(memory, component, __func__, error);
    if (status == WARPMEM_OK)
        status = check_index(index, memory->kind_count, "kind", __func__, error);
    if (status != WARPMEM_OK)
        return status;
    const struct wm_counter_set *set = set_of(memory, index);
    *component = (struct warpmem_component){
        .path = set->kind,
        .kind = set->kind,
        .title = set->title,
        .counter_count = set->count,
        .components = memory->kinds[index].count,
    };
    return WARPMEM_OK;
}

enum warpmem_status warpmem_memory_kind_counter(const struct warpmem_memory *memory, size_t kind,
                                                size_t index, struct warpmem_counter *counter,
                                                struct warpmem_error *error)
{
    enum warpmem_status status = check_reading(memory, counter, __func__, error);
    if (status == WARPMEM_OK)
        status = check_index(kind, memory->kind_count, "kind", __func__, error);
    if (status != WARPMEM_OK)
        return status;
    const struct wm_counter_set *set = set_of(memory, kind);
    status = check_index(index, set->count, "counter", __func__, error);
    if (status == WARPMEM_OK)
        describe(&set->declarations[index], sum(memory, kind, index), counter);
    return status;
}

static enum warpmem_status unknown_component(const struct warpmem_memory *memory, const char *name,
                                             const char *function, struct warpmem_error *error)
{
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, name);
    for (size_t i = 0; i < memory->kind_count; i++)
        wm_nearest_offer(&nearest, set_of(memory, i)->kind);
    for (size_t i = 0; i < memory->component_count; i++)
        wm_nearest_offer(&nearest, memory->components[i].path);
    enum warpmem_status status = wm_library_refuse(function, WARPMEM_NOT_FOUND, error,
                                                   "there is no component or kind \"%s\"", name);
    return nearest.best ? wm_library_hint(status, error, "did you mean \"%s\"?", nearest.best)
                        : status;
}

static enum warpmem_status unknown_counter(const struct wm_counter_set *set, const char *name,
                                           const char *function, struct warpmem_error *error)
{
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, name);
    for (size_t i = 0; i < set->count; i++)
        wm_nearest_offer(&nearest, set->declarations[i].name);
    enum warpmem_status status = wm_library_refuse(
        function, WARPMEM_NOT_FOUND, error, "kind %s has no counter \"%s\"", set->kind, name);
    return nearest.best ? wm_library_hint(status, error, "did you mean \"%s\"?", nearest.best)
                        : status;
}

enum warpmem_status warpmem_memory_value(const struct warpmem_memory *memory, const char *component,
                                         const char *counter, uint64_t *value,
                                         struct warpmem_error *error)
{
    enum warpmem_status status = check_reading(memory, value, __func__, error);
    if (status != WARPMEM_OK)
        return status;
    if (!component || !counter)
        return wm_library_refuse_null(__func__, error, component ? "counter" : "component");
    size_t kind = 0, one = 0;
    while (kind < memory->kind_count && strcmp(set_of(memory, kind)->kind, component) != 0)
        kind++;
    while (one < memory->component_count && strcmp(memory->components[one].path, component) != 0)
        one++;
    bool is_kind = kind < memory->kind_count;
    if (!is_kind && one == memory->component_count)
        return unknown_component(memory, component, __func__, error);
    const struct wm_counter_set *set = is_kind ? set_of(memory, kind) : memory->components[one].set;
    size_t index = wm_counter_index(set, counter);
    if (index == set->count)
        return unknown_counter(set, counter, __func__, error);
    *value = is_kind ? sum(memory, kind, index) : memory->components[one].values[index];
    return WARPMEM_OK;
}

size_t warpmem_memory_instruction_counter_count(const struct warpmem_memory *memory)
{
    if (!memory)
        return 0;
    return memory->counted.set.count + (memory->explain ? memory->missed.set.count : 0);
}

enum warpmem_status warpmem_memory_instruction_counter(const struct warpmem_memory *memory,
                                                       uint32_t pc, size_t index,
                                                       struct warpmem_counter *counter,
                                                       struct warpmem_error *error)
{
    enum warpmem_status status = check_reading(memory, counter, __func__, error);
    if (status == WARPMEM_OK)
        status = check_index(pc, memory->instructions, "instruction", __func__, error);
    if (status == WARPMEM_OK)
        status = check_index(index, warpmem_memory_instruction_counter_count(memory), "counter",
                             __func__, error);
    if (status != WARPMEM_OK)
        return status;
    size_t plain = memory->counted.set.count;
    bool missed = index >= plain;
    const struct wm_instruction_counter_set *set = missed ? &memory->missed : &memory->counted;
    const void *counters =
        missed ? (const void *)&memory->explained[pc] : (const void *)&memory->counters_by_pc[pc];
    uint64_t values[WM_MOST_INSTRUCTION_VALUES];
    wm_instruction_counter_values(set, counters, values);
    index -= missed ? plain : 0;
    describe(&set->set.declarations[index], values[index], counter);
    return WARPMEM_OK;
}
