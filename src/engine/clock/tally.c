// What instructions cost and how long loads took: counted by each thread for itself, added up when
// a launch ends. Sums do not depend on which thread ran which island.
#include "engine/clock/clock_state.h"

#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration load_declarations[] = {
    WM_LOAD_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_load_counter_set = {
    .kind = "load",
    .title = "load in time",
    .declarations = load_declarations,
    .count = sizeof load_declarations / sizeof load_declarations[0],
};

uint32_t wm_servers_of(const struct wm_level_list *levels, enum wm_server servers[WM_SERVERS])
{
    uint32_t count = 0;
    servers[count++] = WM_SERVED_SHARED;
    for (uint32_t i = 0; i < levels->count; i++)
        servers[count++] = WM_SERVED_LEVEL + levels->levels[i].number;
    servers[count++] = WM_SERVED_MEMORY;
    return count;
}

void wm_clock_tallies_release(struct wm_clock *clock)
{
    for (uint32_t i = 0; clock->tallies != NULL && i < clock->tally_count; i++) {
        free(clock->tallies[i].counters_by_pc);
        free(clock->tallies[i].loads);
        free(clock->tallies[i].latencies);
        free(clock->tallies[i].servers);
    }
    free(clock->tallies);
    clock->tallies = NULL;
}

void wm_clock_sm_use_tally(struct wm_clock_sm *sm, uint32_t thread)
{
    sm->tally = &sm->clock->tallies[thread];
    sm->front_end.counters_by_pc = sm->tally->counters_by_pc + sm->base;
    sm->front_end.footprint = &sm->tally->footprint;
    sm->timed.translation.counters_by_pc = sm->tally->counters_by_pc;
}

bool wm_clock_tallies_begin(struct wm_clock *clock, uint32_t threads, uint32_t instructions)
{
    bool ok = true;
    clock->tally_count = threads;
    clock->tallies = wm_clock_zeros(threads, sizeof *clock->tallies);
    if (clock->tallies == NULL)
        return false;
    for (uint32_t i = 0; i < threads; i++) {
        struct wm_clock_tally *tally = &clock->tallies[i];
        tally->counters_by_pc =
            wm_clock_zeros(instructions + UINT64_C(1), sizeof *tally->counters_by_pc);
        tally->loads = wm_clock_zeros(instructions + UINT64_C(1), sizeof *tally->loads);
        tally->latencies = wm_clock_zeros(1, sizeof *tally->latencies);
        ok =
            ok && tally->counters_by_pc != NULL && tally->loads != NULL && tally->latencies != NULL;
        if (clock->session->options.explain) {
            tally->servers = wm_clock_zeros(instructions + UINT64_C(1), sizeof *tally->servers);
            ok = ok && tally->servers != NULL;
        }
    }
    clock->tally_entries = instructions + 1;
    for (uint32_t i = 0; i < clock->unit_count; i++)
        wm_clock_sm_use_tally(&clock->sms[i], 0);
    for (uint32_t i = 0; i < clock->partition_count; i++)
        clock->partitions[i]->island.counters_by_pc = clock->tallies->counters_by_pc;
    return ok;
}

static bool grow(void **items, size_t before, size_t after, size_t size)
{
    void *larger = wm_clock_zeros(after, size);
    if (larger == NULL)
        return false;
    memcpy(larger, *items, before * size);
    free(*items);
    *items = larger;
    return true;
}

bool wm_clock_tallies_grow(struct wm_clock *clock, uint32_t instructions, uint32_t segments)
{
    bool ok = true;
    size_t before = clock->tally_entries, after = instructions + UINT64_C(1);
    for (uint32_t i = 0; i < clock->tally_count && ok; i++) {
        struct wm_clock_tally *tally = &clock->tallies[i];
        ok = grow((void **)&tally->counters_by_pc, before, after, sizeof *tally->counters_by_pc) &&
             grow((void **)&tally->loads, before, after, sizeof *tally->loads) &&
             (tally->servers == NULL ||
              grow((void **)&tally->servers, before, after, sizeof *tally->servers)) &&
             grow((void **)&tally->latencies, segments - 1, segments, sizeof *tally->latencies);
    }
    if (!ok)
        return false;
    clock->tally_entries = (uint32_t)after;
    for (uint32_t i = 0; i < clock->unit_count; i++)
        wm_clock_sm_use_tally(&clock->sms[i], 0);
    for (uint32_t i = 0; i < clock->partition_count; i++)
        clock->partitions[i]->island.counters_by_pc = clock->tallies->counters_by_pc;
    return true;
}

static uint32_t bucket_of(uint64_t cycles)
{
    uint32_t log = 63 - (uint32_t)__builtin_clzll(cycles | 1);
    return log < WM_LATENCY_BUCKETS ? log : WM_LATENCY_BUCKETS - 1;
}

void wm_clock_tally_load(struct wm_clock_tally *tally, uint32_t segment,
                         const struct wm_clock_memory_op *op, uint64_t cycles)
{
    struct wm_served_loads *level = &tally->latencies[segment].by[op->served];
    struct wm_load_counters *load = &tally->loads[op->pc];
    level->loads++;
    level->cycles += cycles;
    level->buckets[bucket_of(cycles)]++;
    load->loads++;
    load->load_cycles += cycles;
    load->loads_cached += op->requests_waited == 0;
    load->requests_waited += op->requests_waited;
    if (__builtin_expect(tally->servers != NULL, false))
        tally->servers[op->pc].loads[op->served]++;
}

static void add_words(void *to, const void *from, size_t bytes)
{
    uint64_t *sums = to;
    const uint64_t *values = from;
    for (size_t i = 0; i < bytes / sizeof *sums; i++)
        sums[i] += values[i];
}

bool wm_clock_tallies_keep(const struct wm_clock *clock, const struct wm_clock_segment *segment)
{
    struct wm_kernel_record *record = segment->record;
    uint32_t count = record->instruction_count, base = segment->base;
    size_t number = (size_t)(segment - clock->segments);
    if (record->latency == NULL)
        record->latency = calloc(1, sizeof *record->latency);
    if (record->loads == NULL)
        record->loads = calloc(count + UINT64_C(1), sizeof *record->loads);
    if (record->servers == NULL && clock->session->options.explain)
        record->servers = calloc(count + UINT64_C(1), sizeof *record->servers);
    if (record->latency == NULL || record->loads == NULL ||
        (record->servers == NULL && clock->session->options.explain))
        return false;
    for (uint32_t i = 0; i < clock->tally_count; i++) {
        const struct wm_clock_tally *tally = &clock->tallies[i];
        add_words(record->latency, &tally->latencies[number], sizeof *record->latency);
        add_words(record->loads, tally->loads + base, count * sizeof *record->loads);
        if (tally->servers != NULL)
            add_words(record->servers, tally->servers + base, count * sizeof *record->servers);
        add_words(record->counters_by_pc, tally->counters_by_pc + base,
                  count * sizeof *record->counters_by_pc);
        add_words(&record->fetches, tally->counters_by_pc + base + count, sizeof record->fetches);
    }
    return true;
}
