#include "memory_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32 };

static int bits(uint32_t mask)
{
    int count = 0;
    for (int i = 0; i < 32; i++)
        count += (int)(mask >> i & 1);
    return count;
}

// --- One cache ---

static void cache_init(struct model_cache *cache, const struct wm_cache_spec *spec, uint64_t slices,
                       uint64_t interleave_bytes)
{
    *cache = (struct model_cache){.spec = spec,
                                  .sets = spec->size_bytes / slices / spec->ways / spec->line_bytes,
                                  .slices = slices,
                                  .interleave_bytes = interleave_bytes};
    cache->lines = calloc(cache->sets * spec->ways, sizeof *cache->lines);
}

static uint64_t set_of(const struct model_cache *cache, uint64_t line)
{
    uint64_t address = line * cache->spec->line_bytes, inner = address;
    if (cache->slices > 1)
        inner = address / cache->interleave_bytes / cache->slices * cache->interleave_bytes +
                address % cache->interleave_bytes;
    return cache->spec->set_index->index(inner / cache->spec->line_bytes, cache->spec->line_bytes,
                                         (uint32_t)cache->sets);
}

static struct model_line *find(struct model_cache *cache, uint64_t line)
{
    struct model_line *set = cache->lines + set_of(cache, line) * cache->spec->ways;
    for (uint32_t way = 0; way < cache->spec->ways; way++)
        if (set[way].present && set[way].line == line)
            return &set[way];
    return NULL;
}

static uint32_t mask_of(const bool *flags)
{
    uint32_t mask = 0;
    for (int i = 0; i < 32; i++)
        mask |= (uint32_t)flags[i] << i;
    return mask;
}

static void set_flags(bool *flags, uint32_t mask, bool value)
{
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1)
            flags[i] = value;
}

// Whole fetch units that `mask` touches.
static uint32_t units(const struct model_cache *cache, uint32_t mask)
{
    uint32_t unit_sectors = cache->spec->sector_bytes / SECTOR, result = 0;
    for (uint32_t i = 0; i < cache->spec->line_bytes / SECTOR; i++)
        if (mask >> i & 1)
            for (uint32_t j = 0; j < unit_sectors; j++)
                result |= UINT32_C(1) << (i / unit_sectors * unit_sectors + j);
    return result;
}

struct outcome {
    uint32_t fetch, forward, victim_dirty;
    uint64_t victim;
};

static struct model_line *allocate(struct memory_model *model, struct model_cache *cache,
                                   uint64_t line, struct outcome *outcome)
{
    struct model_line *set = cache->lines + set_of(cache, line) * cache->spec->ways, *chosen = NULL;
    for (uint32_t way = 0; way < cache->spec->ways; way++)
        if (!set[way].present && chosen == NULL)
            chosen = &set[way];
    for (uint32_t way = 0; chosen == NULL || (chosen->present && way < cache->spec->ways); way++)
        if (chosen == NULL || set[way].last_use < chosen->last_use)
            chosen = &set[way];
    cache->counters.allocations++;
    if (chosen->present) {
        cache->counters.evictions++;
        outcome->victim = chosen->line;
        outcome->victim_dirty = mask_of(chosen->dirty);
        cache->counters.write_backs += outcome->victim_dirty != 0;
    }
    *chosen = (struct model_line){.present = true, .line = line, .last_use = model->clock};
    return chosen;
}

static void count(struct model_cache *cache, enum wm_cache_client client, uint32_t asked,
                  uint32_t missing, bool line_present)
{
    struct wm_cache_counters *c = &cache->counters;
    uint64_t misses = (uint64_t)bits(missing), hits = (uint64_t)bits(asked) - misses;
    if (client == WM_CACHE_WRITEBACK) {
        c->writeback_accesses++;
        c->writeback_hits += hits;
        c->writeback_misses += misses;
        c->writeback_accesses_missed += misses > 0;
        return;
    }
    uint64_t *kind = client == WM_CACHE_LOAD    ? &c->load_accesses
                     : client == WM_CACHE_STORE ? &c->store_accesses
                                                : &c->atomic_accesses;
    kind[0]++;
    kind[1] += hits;
    kind[2] += misses;
    c->accesses++;
    c->accesses_missed += misses > 0;
    c->hits += hits;
    c->misses += misses;
    if (line_present)
        c->sector_misses += misses;
}

static struct outcome cache_read(struct memory_model *model, struct model_cache *cache,
                                 uint64_t line, uint32_t asked, bool may_allocate)
{
    struct outcome outcome = {0};
    struct model_line *held = find(cache, line);
    bool present = held != NULL;
    uint32_t missing = present ? asked & ~mask_of(held->valid) : asked;
    if (present)
        held->last_use = model->clock;
    else if (may_allocate)
        held = allocate(model, cache, line, &outcome);
    outcome.fetch = missing;
    if (may_allocate) {
        outcome.fetch = units(cache, missing);
        set_flags(held->valid, outcome.fetch, true);
        cache->counters.fills += (uint64_t)bits(outcome.fetch);
    }
    count(cache, WM_CACHE_LOAD, asked, missing, present);
    return outcome;
}

static struct outcome cache_write(struct memory_model *model, struct model_cache *cache,
                                  enum wm_cache_client client, uint64_t line, uint32_t asked,
                                  uint32_t full, bool may_allocate)
{
    struct outcome outcome = {0};
    struct model_line *held = find(cache, line);
    bool present = held != NULL;
    uint32_t missing = present ? asked & ~mask_of(held->valid) : asked;
    count(cache, client, asked, missing, present);
    if (client == WM_CACHE_ATOMIC) // needs the old value wherever it is done
        outcome.fetch = missing;
    if (cache->spec->write_policy == WM_WRITE_THROUGH_EVICT) {
        if (present) {
            *held = (struct model_line){0};
            cache->counters.invalidations++;
        }
        outcome.forward = asked;
        return outcome;
    }
    if (present)
        held->last_use = model->clock;
    else if (may_allocate)
        held = allocate(model, cache, line, &outcome);
    if (may_allocate && missing != 0) {
        // A unit that the store covers whole needs no fetch.
        outcome.fetch = 0;
        uint32_t wanted = units(cache, missing), not_written = wanted & ~full;
        outcome.fetch = units(cache, not_written);
        set_flags(held->valid, wanted, true);
        cache->counters.fills += (uint64_t)bits(outcome.fetch);
    }
    uint32_t here = may_allocate ? asked : asked & ~missing;
    if (cache->spec->write_policy == WM_WRITE_BACK) {
        if (held != NULL)
            set_flags(held->dirty, units(cache, here), true);
        outcome.forward = asked & ~here;
    } else {
        outcome.forward = asked;
    }
    return outcome;
}

// Dirty sectors of a line's part become clean.
static uint32_t cache_clean(struct model_cache *cache, struct model_line *held, uint32_t part)
{
    uint32_t dirty = mask_of(held->dirty) & units(cache, part);
    set_flags(held->dirty, dirty, false);
    cache->counters.write_backs += dirty != 0;
    return dirty;
}

static void cache_drop(struct model_cache *cache, struct model_line *held, uint32_t part)
{
    set_flags(held->valid, units(cache, part), false);
    set_flags(held->dirty, units(cache, part), false);
    if (mask_of(held->valid) == 0) {
        *held = (struct model_line){0};
        cache->counters.invalidations++;
    }
}

// --- DRAM and L2, sector address by sector address ---

static void dram_access(struct memory_model *model, uint64_t address, uint32_t asked, bool write,
                        uint32_t line_bytes)
{
    const struct wm_dram_spec *spec = &model->spec.dram;
    uint64_t last_block = UINT64_MAX, last_burst = UINT64_MAX;
    for (uint32_t i = 0; i < line_bytes / SECTOR; i++) {
        if (!(asked >> i & 1))
            continue;
        uint64_t at = address + (uint64_t)i * SECTOR, block = at / spec->channel_interleave_bytes;
        struct wm_dram_counters *dram = &model->dram[block % spec->channels];
        uint64_t burst = at / spec->access_bytes;
        *(write ? &dram->writes : &dram->reads) += block != last_block;
        *(write ? &dram->bytes_written : &dram->bytes_read) += SECTOR;
        if (burst != last_burst) {
            *(write ? &dram->write_bursts : &dram->read_bursts) += 1;
            dram->bytes_transferred += spec->access_bytes;
        }
        last_block = block;
        last_burst = burst;
    }
}

static void settle_l2(struct memory_model *model, struct model_cache *l2, uint64_t address,
                      const struct outcome *outcome)
{
    uint32_t line_bytes = l2->spec->line_bytes;
    dram_access(model, address, outcome->fetch, false, line_bytes);
    dram_access(model, outcome->victim * line_bytes, outcome->victim_dirty, true, line_bytes);
    dram_access(model, address, outcome->forward, true, line_bytes);
    l2->counters.bytes_from_below += (uint64_t)bits(outcome->fetch) * SECTOR;
    l2->counters.bytes_to_below +=
        (uint64_t)(bits(outcome->victim_dirty) + bits(outcome->forward)) * SECTOR;
}

static void l2_line_access(struct memory_model *model, enum wm_cache_client client,
                           enum wm_access_kind kind, uint64_t address, uint32_t asked,
                           uint32_t full)
{
    struct model_cache *l2 =
        &model->l2[address / model->spec.l2_interleave_bytes % model->spec.l2_slices];
    uint64_t line = address / l2->spec->line_bytes, bytes = (uint64_t)bits(asked) * SECTOR;
    model->clock++;
    struct outcome outcome;
    if (client == WM_CACHE_LOAD) {
        outcome = cache_read(model, l2, line, asked, true);
        l2->counters.bytes_to_above += bytes;
    } else {
        outcome = cache_write(model, l2, client, line, asked, full, l2->spec->write_allocate);
        l2->counters.bytes_from_above += bytes;
        if (client == WM_CACHE_ATOMIC && kind == WM_ACCESS_ATOMIC)
            l2->counters.bytes_to_above += bytes;
    }
    settle_l2(model, l2, address, &outcome);
}

static uint32_t request_bytes(const struct memory_model *model)
{
    return model->spec.l1.line_bytes;
}

static void below_l1(struct memory_model *model, enum wm_cache_client client,
                     enum wm_access_kind kind, uint64_t address, uint32_t asked, uint32_t full)
{
    if (model->l2 == NULL) {
        if (client == WM_CACHE_LOAD || client == WM_CACHE_ATOMIC)
            dram_access(model, address, asked, false, request_bytes(model));
        if (client != WM_CACHE_LOAD)
            dram_access(model, address, asked, true, request_bytes(model));
        return;
    }
    uint64_t line_bytes = model->spec.l2.line_bytes, i = 0, sectors = request_bytes(model) / SECTOR;
    while (i < sectors) {
        uint64_t line_address = (address + i * SECTOR) / line_bytes * line_bytes;
        uint32_t part = 0, full_part = 0;
        for (; i < sectors && (address + i * SECTOR) / line_bytes * line_bytes == line_address;
             i++) {
            uint64_t within = (address + i * SECTOR - line_address) / SECTOR;
            part |= (asked >> i & 1) << within;
            full_part |= (full >> i & 1) << within;
        }
        if (part != 0)
            l2_line_access(model, client, kind, line_address, part, full_part);
    }
}

// --- L1 ---

static void write_back_l1(struct memory_model *model, struct model_cache *l1, uint64_t line,
                          uint32_t dirty)
{
    if (dirty == 0)
        return;
    l1->counters.bytes_to_below += (uint64_t)bits(dirty) * SECTOR;
    below_l1(model, WM_CACHE_WRITEBACK, WM_ACCESS_STORE, line * l1->spec->line_bytes, dirty, dirty);
}

static void settle_l1(struct memory_model *model, struct model_cache *l1, uint64_t address,
                      const struct outcome *outcome)
{
    if (!model->spec.demand_before_writeback)
        write_back_l1(model, l1, outcome->victim, outcome->victim_dirty);
    if (outcome->fetch != 0) {
        l1->counters.bytes_from_below += (uint64_t)bits(outcome->fetch) * SECTOR;
        below_l1(model, WM_CACHE_LOAD, WM_ACCESS_LOAD, address, outcome->fetch, 0);
    }
    if (model->spec.demand_before_writeback)
        write_back_l1(model, l1, outcome->victim, outcome->victim_dirty);
}

static void around_l1(struct memory_model *model, struct model_cache *l1,
                      const struct wm_request *request)
{
    struct wm_cache_counters *c = &l1->counters;
    uint64_t bytes = (uint64_t)bits(request->sectors) * SECTOR;
    uint64_t line = request->address / l1->spec->line_bytes;
    bool load = request->kind == WM_ACCESS_LOAD, store = request->kind == WM_ACCESS_STORE;
    struct model_line *held = find(l1, line);
    if (held != NULL) {
        uint32_t dirty = cache_clean(l1, held, UINT32_MAX);
        if (!load || request->hint == WM_HINT_VOLATILE)
            cache_drop(l1, held, UINT32_MAX);
        write_back_l1(model, l1, line, dirty);
    }
    c->accesses++;
    *(load ? &c->load_accesses : store ? &c->store_accesses : &c->atomic_accesses) += 1;
    c->bypasses += (uint64_t)bits(request->sectors);
    if (!load) {
        c->bytes_from_above += bytes;
        c->bytes_to_below += bytes;
    }
    if (load || request->kind == WM_ACCESS_ATOMIC) {
        c->bytes_from_below += bytes;
        c->bytes_to_above += bytes;
    }
    below_l1(model,
             load    ? WM_CACHE_LOAD
             : store ? WM_CACHE_STORE
                     : WM_CACHE_ATOMIC,
             request->kind, request->address, request->sectors, store ? request->full_sectors : 0);
}

static uint32_t each_of(const struct wm_memory_spec *spec)
{
    return spec->l1_sms_each == 0 ? 1 : spec->l1_sms_each;
}

static uint32_t l1_count(const struct wm_memory_spec *spec)
{
    uint32_t count = 0;
    for (uint32_t first = 0; first < spec->sm_count; first += each_of(spec))
        count++;
    return count;
}

void memory_model_access(struct memory_model *model, const struct wm_request *request)
{
    model->clock++;
    bool load = request->kind == WM_ACCESS_LOAD, store = request->kind == WM_ACCESS_STORE;
    if (model->l1 == NULL) {
        below_l1(model,
                 load    ? WM_CACHE_LOAD
                 : store ? WM_CACHE_STORE
                         : WM_CACHE_ATOMIC,
                 request->kind, request->address, request->sectors,
                 store ? request->full_sectors : 0);
        return;
    }
    struct model_cache *l1 = &model->l1[request->sm / each_of(&model->spec)];
    if ((!load && !store) || request->hint == WM_HINT_L2_ONLY ||
        request->hint == WM_HINT_VOLATILE) {
        around_l1(model, l1, request);
        return;
    }
    uint64_t line = request->address / l1->spec->line_bytes;
    uint64_t bytes = (uint64_t)bits(request->sectors) * SECTOR;
    bool may_allocate = request->hint != WM_HINT_NO_L1;
    if (load) {
        l1->counters.bytes_to_above += bytes;
        struct outcome outcome = cache_read(model, l1, line, request->sectors, may_allocate);
        settle_l1(model, l1, request->address, &outcome);
        return;
    }
    l1->counters.bytes_from_above += bytes;
    struct outcome outcome =
        cache_write(model, l1, WM_CACHE_STORE, line, request->sectors, request->full_sectors,
                    may_allocate && l1->spec->write_allocate);
    settle_l1(model, l1, request->address, &outcome);
    if (outcome.forward != 0) {
        l1->counters.bytes_to_below += (uint64_t)bits(outcome.forward) * SECTOR;
        below_l1(model, WM_CACHE_STORE, WM_ACCESS_STORE, request->address, outcome.forward,
                 request->full_sectors & outcome.forward);
    }
}

// --- The host ---

// Sectors of the line at `address` that [begin, end) touches.
static uint32_t touched(uint64_t address, uint32_t line_bytes, uint64_t begin, uint64_t end)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < line_bytes / SECTOR; i++) {
        uint64_t at = address + (uint64_t)i * SECTOR;
        if (at < end && at + SECTOR > begin)
            mask |= UINT32_C(1) << i;
    }
    return mask;
}

// In address order, as write-backs of a range go.
static int by_line(const void *a, const void *b)
{
    const struct model_line *left = *(struct model_line *const *)a;
    const struct model_line *right = *(struct model_line *const *)b;
    return (left->line > right->line) - (left->line < right->line);
}

static void each_cache_line(struct memory_model *model, struct model_cache *cache, uint64_t begin,
                            uint64_t end, bool drop)
{
    uint64_t total = cache->sets * cache->spec->ways, found = 0;
    struct model_line **held = calloc(total, sizeof(struct model_line *));
    for (uint64_t i = 0; i < total; i++)
        if (cache->lines[i].present && touched(cache->lines[i].line * cache->spec->line_bytes,
                                               cache->spec->line_bytes, begin, end) != 0)
            held[found++] = &cache->lines[i];
    qsort(held, found, sizeof(struct model_line *), by_line);
    for (uint64_t i = 0; i < found; i++) {
        uint64_t line = held[i]->line, address = line * cache->spec->line_bytes;
        uint32_t part = touched(address, cache->spec->line_bytes, begin, end);
        if (drop) {
            cache_drop(cache, held[i], part);
            continue;
        }
        uint32_t dirty = cache_clean(cache, held[i], part);
        if (dirty == 0)
            continue;
        if (cache->slices == 0) { // an L1
            write_back_l1(model, cache, line, dirty);
        } else {
            cache->counters.bytes_to_below += (uint64_t)bits(dirty) * SECTOR;
            dram_access(model, address, dirty, true, cache->spec->line_bytes);
        }
    }
    free(held);
}

static void each_line(struct memory_model *model, uint64_t begin, uint64_t end, bool drop)
{
    if (begin >= end)
        return;
    for (uint32_t i = 0; model->l1 != NULL && i < l1_count(&model->spec); i++)
        each_cache_line(model, &model->l1[i], begin, end, drop);
    for (uint32_t slice = 0; model->l2 != NULL && slice < model->spec.l2_slices; slice++)
        each_cache_line(model, &model->l2[slice], begin, end, drop);
}

void memory_model_host_read(struct memory_model *model, uint64_t address, uint64_t size_bytes)
{
    each_line(model, address, address + size_bytes, false);
}

void memory_model_host_write(struct memory_model *model, uint64_t address, uint64_t size_bytes)
{
    if (size_bytes == 0)
        return;
    uint64_t unit = SECTOR, end = address + size_bytes;
    if (model->l1 != NULL && model->spec.l1.sector_bytes > unit)
        unit = model->spec.l1.sector_bytes;
    if (model->l2 != NULL && model->spec.l2.sector_bytes > unit)
        unit = model->spec.l2.sector_bytes;
    each_line(model, address / unit * unit, address, false);
    each_line(model, end, (end + unit - 1) / unit * unit, false);
    each_line(model, address, end, true);
}

void memory_model_kernel_begin(struct memory_model *model)
{
    uint32_t count =
        model->l1 != NULL && model->spec.l1_flush_at_kernel ? l1_count(&model->spec) : 0;
    for (uint32_t i = 0; i < count; i++)
        each_cache_line(model, &model->l1[i], 0, UINT64_MAX, false);
    for (uint32_t i = 0; i < count; i++)
        each_cache_line(model, &model->l1[i], 0, UINT64_MAX, true);
}

// --- Building and comparing ---

struct memory_model *memory_model_new(const struct wm_memory_spec *spec)
{
    struct memory_model *model = calloc(1, sizeof *model);
    model->spec = *spec;
    model->dram = calloc(spec->dram.channels, sizeof *model->dram);
    if (spec->l1.present) {
        model->l1 = calloc(l1_count(spec), sizeof *model->l1);
        for (uint32_t i = 0; i < l1_count(spec); i++) {
            cache_init(&model->l1[i], &model->spec.l1, 1, 1);
            model->l1[i].slices = 0;
        }
    }
    if (spec->l2.present) {
        model->l2 = calloc(spec->l2_slices, sizeof *model->l2);
        for (uint32_t slice = 0; slice < spec->l2_slices; slice++)
            cache_init(&model->l2[slice], &model->spec.l2, spec->l2_slices,
                       spec->l2_interleave_bytes);
    }
    return model;
}

void memory_model_free(struct memory_model *model)
{
    for (uint32_t i = 0; model->l1 != NULL && i < l1_count(&model->spec); i++)
        free(model->l1[i].lines);
    for (uint32_t slice = 0; model->l2 != NULL && slice < model->spec.l2_slices; slice++)
        free(model->l2[slice].lines);
    free(model->l1);
    free(model->l2);
    free(model->dram);
    free(model);
}

int memory_model_compare(const struct memory_model *model, const struct wm_memory *memory)
{
    size_t count, i = 0;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    uint32_t l1s = model->l1 != NULL ? l1_count(&model->spec) : 0;
    uint32_t l2s = model->l2 != NULL ? model->spec.l2_slices : 0;
    for (; i < count; i++) {
        const uint64_t *expected = i < l1s         ? &model->l1[i].counters.accesses
                                   : i < l1s + l2s ? &model->l2[i - l1s].counters.accesses
                                                   : &model->dram[i - l1s - l2s].reads;
        for (size_t j = 0; j < components[i].set->count; j++) {
            if (components[i].values[j] == expected[j])
                continue;
            fprintf(stderr, "%s %s: counted %" PRIu64 ", the model says %" PRIu64 "\n",
                    components[i].path, components[i].set->declarations[j].name,
                    components[i].values[j], expected[j]);
            return (int)i;
        }
    }
    return -1;
}
