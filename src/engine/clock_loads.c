// How long loads took: counted by each SM for itself, added up when a launch ends.
#include "engine/clock_parts.h"

#include <stdlib.h>

static const struct wm_counter_declaration load_declarations[] = {
    WM_LOAD_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_load_counter_set = {
    .kind = "load",
    .title = "load in time",
    .declarations = load_declarations,
    .count = sizeof load_declarations / sizeof load_declarations[0],
};

const char *wm_served_name(enum wm_served served)
{
    static const char *const names[] = {"shared", "l1", "l2", "dram"};
    return names[served];
}

bool wm_clock_loads_begin(struct wm_clock_sm *sm, uint32_t count)
{
    free(sm->loads);
    sm->loads = calloc(count + UINT64_C(1), sizeof *sm->loads);
    sm->latency = (struct wm_load_latency){0};
    return sm->loads != NULL;
}

static uint32_t bucket_of(uint64_t cycles)
{
    uint32_t log = 63 - (uint32_t)__builtin_clzll(cycles | 1);
    return log < WM_LATENCY_BUCKETS ? log : WM_LATENCY_BUCKETS - 1;
}

void wm_clock_loads_count(struct wm_clock_sm *sm, const struct wm_clock_op *op, uint64_t cycles)
{
    struct wm_latency_of_level *level = &sm->latency.levels[op->served];
    struct wm_load_counters *load = &sm->loads[op->pc];
    level->loads++;
    level->cycles += cycles;
    level->buckets[bucket_of(cycles)]++;
    load->loads++;
    load->load_cycles += cycles;
    load->loads_cached += op->requests_waited == 0;
    load->requests_waited += op->requests_waited;
}

static void add_words(void *to, const void *from, size_t bytes)
{
    uint64_t *sums = to;
    const uint64_t *values = from;
    for (size_t i = 0; i < bytes / sizeof *sums; i++)
        sums[i] += values[i];
}

bool wm_clock_loads_keep(const struct wm_clock *clock, struct wm_walk_record *record)
{
    uint32_t count = record->instruction_count;
    if (record->latency == NULL)
        record->latency = calloc(1, sizeof *record->latency);
    if (record->loads == NULL)
        record->loads = calloc(count + UINT64_C(1), sizeof *record->loads);
    if (record->latency == NULL || record->loads == NULL)
        return false;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        add_words(record->latency, &clock->sms[i].latency, sizeof *record->latency);
        add_words(record->loads, clock->sms[i].loads, count * sizeof *record->loads);
    }
    return true;
}
