// What each counted launch counted, kept on request: its instructions, its cycles, and of every
// level of the machine (all L1s, all slices of L2) the sum of each counter. Some hundred numbers a
// launch, where all components of a machine have thousands.
#include "base/containers/array.h"
#include "engine/session/session_state.h"

#include <stdlib.h>

static uint32_t find_level(struct wm_launch_results *each,
                           const struct wm_component_counters *component)
{
    char path[WM_COMPONENT_PATH_BYTES];
    wm_counter_level(component->path, path);
    for (uint32_t i = 0; i < each->level_count; i++)
        if (each->levels[i].set == component->set && strcmp(each->levels[i].path, path) == 0)
            return i;
    struct wm_level *level = &each->levels[each->level_count];
    memcpy(level->path, path, sizeof level->path);
    level->set = component->set;
    each->first_value[each->level_count] = each->value_count;
    each->value_count += component->set->count;
    return each->level_count++;
}

bool wm_launch_results_init(struct wm_session *session)
{
    struct wm_launch_results *each = &session->launched_each;
    uint32_t count = session->component_count;
    each->levels = WM_ARENA_ARRAY(&session->arena, struct wm_level, count);
    each->level_of = WM_ARENA_ARRAY(&session->arena, uint32_t, count);
    each->first_value = WM_ARENA_ARRAY(&session->arena, size_t, count);
    if (each->levels == NULL || each->level_of == NULL || each->first_value == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        each->level_of[i] = find_level(each, &session->components[i]);
    return true;
}

void wm_launch_results_release(struct wm_launch_results *launches)
{
    free(launches->items);
    *launches = (struct wm_launch_results){0};
}

// The place of the launch that is about to run: it is one of them when it is closed.
static struct wm_launch_result *next_launch(struct wm_launch_results *each)
{
    if (!WM_ARRAY_RESERVE(each->items, each->count, each->room, 1))
        return NULL;
    return &each->items[each->count];
}

void wm_launch_accounting_begin(struct wm_session *session, const struct wm_work *work,
                                const struct wm_kernel_record *record,
                                struct wm_launch_accounting *launch)
{
    struct wm_launch_results *each = &session->launched_each;
    launch->kept = session->options.per_launch && !record->not_counted && !each->failed;
    if (!launch->kept)
        return;
    launch->values = WM_ARENA_ARRAY(&session->arena, uint64_t, each->value_count);
    each->failed = launch->values == NULL;
    launch->kept = !each->failed;
    launch->cycles_before = record->cycles;
    launch->counted = (struct wm_launch_result){
        .number = session->launches,
        .kernel = record->number,
        .dynamic_shared_bytes = work->dynamic_shared_bytes,
        .blocks_per_sm = record->occupancy.blocks,
        .values = launch->values,
    };
    memcpy(launch->counted.grid, work->grid, sizeof launch->counted.grid);
    memcpy(launch->counted.block, work->block, sizeof launch->counted.block);
}

void wm_launch_accounting_add_component(const struct wm_session *session,
                                        struct wm_launch_accounting *launch, uint32_t component,
                                        const uint64_t *before)
{
    const struct wm_launch_results *each = &session->launched_each;
    const struct wm_component_counters *now = &session->components[component];
    uint64_t *sum = launch->values + each->first_value[each->level_of[component]];
    for (size_t c = 0; c < now->set->count; c++)
        wm_add_atomically(&sum[c], now->values[c] - before[c]);
}

void wm_launch_accounting_add(struct wm_session *session, uint64_t warp_instructions,
                              uint64_t thread_instructions)
{
    struct wm_launch_accounting *launch = session->launch;
    if (launch == NULL || !launch->kept)
        return;
    launch->counted.warp_instructions += warp_instructions;
    launch->counted.thread_instructions += thread_instructions;
    const uint64_t *before = session->values_at_begin;
    for (uint32_t i = 0; i < session->component_count; i++) {
        wm_launch_accounting_add_component(session, launch, i, before);
        before += session->components[i].set->count;
    }
}

void wm_launch_accounting_end(struct wm_session *session, const struct wm_kernel_record *record,
                              struct wm_launch_accounting *launch)
{
    struct wm_launch_results *each = &session->launched_each;
    struct wm_launch_result *place = launch->kept ? next_launch(each) : NULL;
    each->failed = each->failed || (launch->kept && place == NULL);
    if (place == NULL)
        return;
    *place = launch->counted;
    place->cycles = record->cycles - launch->cycles_before;
    each->count++;
}

// Launches side by side end in another order than they began in.
static int by_number(const void *a, const void *b)
{
    uint64_t one = ((const struct wm_launch_result *)a)->number,
             other = ((const struct wm_launch_result *)b)->number;
    return (one > other) - (one < other);
}

bool wm_launch_results_copy(const struct wm_session *session, struct wm_results *results)
{
    const struct wm_launch_results *each = &session->launched_each;
    if (!session->options.per_launch)
        return true;
    struct wm_level *levels = WM_ARENA_ARRAY(&results->arena, struct wm_level, each->level_count);
    struct wm_launch_result *launches =
        WM_ARENA_ARRAY(&results->arena, struct wm_launch_result, each->count);
    uint64_t *values = WM_ARENA_ARRAY(&results->arena, uint64_t, each->count * each->value_count);
    if (each->failed || levels == NULL || launches == NULL || values == NULL)
        return false;
    if (each->level_count != 0)
        memcpy(levels, each->levels, each->level_count * sizeof *levels);
    for (uint64_t i = 0; i < each->count; i++) {
        launches[i] = each->items[i];
        launches[i].values = values;
        if (each->value_count != 0)
            memcpy(values, each->items[i].values, each->value_count * sizeof *values);
        values += each->value_count;
    }
    if (each->count != 0)
        qsort(launches, each->count, sizeof *launches, by_number);
    results->per_launch = true;
    results->levels = levels;
    results->level_count = each->level_count;
    results->launches = launches;
    results->launch_count = each->count;
    return true;
}
