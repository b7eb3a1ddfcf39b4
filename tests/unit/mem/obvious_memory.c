#include "obvious_memory.h"
#include "mem/bypass/entries.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t bytes_of(uint32_t sectors)
{
    return (uint64_t)obvious_count(sectors) * OBVIOUS_SECTOR;
}

// --- DRAM: block by block, burst by burst ---

void obvious_to_dram(struct obvious_memory *memory, uint64_t address, uint32_t sectors, bool write)
{
    const struct wm_dram_spec *spec = &memory->spec.dram;
    uint64_t last_block = UINT64_MAX, last_burst = UINT64_MAX;
    for (uint32_t i = 0; i < OBVIOUS_SECTORS; i++) {
        if (!(sectors >> i & 1))
            continue;
        uint64_t at = address + (uint64_t)i * OBVIOUS_SECTOR;
        uint64_t block = at / spec->channel_interleave_bytes, burst = at / spec->access_bytes;
        struct wm_dram_counters *dram = &memory->dram[block % spec->channels];
        *(write ? &dram->writes : &dram->reads) += block != last_block;
        *(write ? &dram->bytes_written : &dram->bytes_read) += OBVIOUS_SECTOR;
        if (burst != last_burst) {
            *(write ? &dram->write_bursts : &dram->read_bursts) += 1;
            dram->bytes_transferred += spec->access_bytes;
        }
        last_block = block;
        last_burst = burst;
    }
}

// --- L2 (R8) ---

static bool is_exclusive(const struct obvious_memory *memory)
{
    return memory->spec.levels[WM_LEVEL_L2].inclusion == WM_EXCLUSIVE;
}

static bool answers(const struct obvious_load *load)
{
    return load->client == WM_CACHE_LOAD ||
           (load->client == WM_CACHE_ATOMIC && load->who.kind == WM_ACCESS_ATOMIC);
}

// R13: what an atomic buffer makes of it first. True when it was an atomic, which is done then.
static bool use_buffer(struct obvious_memory *memory, struct obvious_cache *l2,
                       const struct obvious_load *load, uint64_t line_address, uint32_t sectors)
{
    for (uint32_t i = 0; i < OBVIOUS_SECTORS; i++) {
        if (!(sectors >> i & 1))
            continue;
        uint64_t address = line_address + (uint64_t)i * OBVIOUS_SECTOR;
        if (load->client == WM_CACHE_ATOMIC)
            obvious_operate(memory, address, &load->who);
        else
            obvious_spill(memory, address, &load->who);
    }
    if (load->client != WM_CACHE_ATOMIC)
        return false;
    l2->counters.bytes_to_above += answers(load) ? bytes_of(sectors) : 0;
    l2->counters.bytes_from_above += bytes_of(sectors);
    return true;
}

// The part of a request that lies in the L2 line at `line_address`.
static void to_l2_line(struct obvious_memory *memory, const struct obvious_load *load,
                       uint64_t line_address, uint32_t sectors, const uint32_t *bytes)
{
    struct obvious_cache *l2 = obvious_slice(memory, line_address);
    if (memory->buffers != NULL && use_buffer(memory, l2, load, line_address, sectors))
        return;
    uint64_t refusals = l2->counters.refusals;
    struct obvious_access access = {
        .client = load->client,
        .number = line_address / l2->spec.line_bytes,
        .sectors = sectors,
        .bytes = bytes,
        .may_take = load->client == WM_CACHE_LOAD
                        ? !load->read_no_allocate
                        : (l2->spec.write_allocate && !load->write_no_allocate),
        .who = load->who,
    };
    struct obvious_answer answer = obvious_access(l2, &access);
    l2->counters.bytes_to_above += answers(load) ? bytes_of(sectors) : 0;
    l2->counters.bytes_from_above += load->client != WM_CACHE_LOAD ? bytes_of(sectors) : 0;
    obvious_to_dram(memory, line_address, answer.fetch, false);
    l2->counters.bytes_from_below += bytes_of(answer.fetch);
    obvious_displaced_from_l2(memory, l2, &answer.victim);
    bool dropped = load->client != WM_CACHE_LOAD && l2->spec.write_policy == WM_WRITE_THROUGH_EVICT;
    if (memory->spec.levels[WM_LEVEL_L2].inclusion == WM_INCLUSIVE &&
        (dropped || l2->counters.refusals != refusals)) {
        uint32_t dirty = obvious_drop_above(memory, line_address);
        l2->counters.write_backs += dirty != 0;
        answer.forward |= dirty;
    }
    obvious_to_dram(memory, line_address, answer.forward, true);
    l2->counters.bytes_to_below += bytes_of(answer.forward);
}

void obvious_to_l2(struct obvious_memory *memory, const struct obvious_load *load)
{
    static const uint32_t all_bytes = UINT32_MAX;
    if (memory->l2 == NULL) {
        if (load->client == WM_CACHE_LOAD || load->client == WM_CACHE_ATOMIC)
            obvious_to_dram(memory, load->address, load->sectors, false);
        if (load->client != WM_CACHE_LOAD)
            obvious_to_dram(memory, load->address, load->sectors, true);
        return;
    }
    uint64_t line_bytes = memory->spec.levels[WM_LEVEL_L2].cache.line_bytes;
    for (uint32_t i = 0; i < OBVIOUS_SECTORS;) {
        uint64_t at = load->address + (uint64_t)i * OBVIOUS_SECTOR;
        uint64_t line_address = at / line_bytes * line_bytes;
        uint32_t sectors = 0, bytes[OBVIOUS_SECTORS] = {0};
        for (; i < OBVIOUS_SECTORS && at < line_address + line_bytes; i++, at += OBVIOUS_SECTOR) {
            uint64_t there = (at - line_address) / OBVIOUS_SECTOR;
            if (load->sectors >> i & 1) {
                sectors |= UINT32_C(1) << there;
                bytes[there] = load->bytes != NULL ? load->bytes[i] : all_bytes;
            }
        }
        if (sectors != 0)
            to_l2_line(memory, load, line_address, sectors, bytes);
    }
}

// --- L1 (R1 to R5) ---

void obvious_write_back(struct obvious_memory *memory, struct obvious_cache *l1,
                        const struct obvious_line *line, uint32_t dirty, bool write_no_allocate,
                        const struct wm_requester *who)
{
    if (dirty == 0)
        return;
    struct obvious_line copy = *line; // which an inclusive L2 may drop on the way
    struct obvious_load load = {
        .client = WM_CACHE_WRITEBACK,
        .address = copy.number * l1->spec.line_bytes,
        .sectors = dirty,
        .bytes = copy.held,
        .who = *who,
        .write_no_allocate = write_no_allocate && is_exclusive(memory),
    };
    l1->counters.bytes_to_below += bytes_of(dirty);
    obvious_to_l2(memory, &load);
}

void obvious_send_down(struct obvious_memory *memory, struct obvious_cache *cache,
                       const struct obvious_line *line, const struct wm_requester *who)
{
    if (line->present && is_exclusive(memory))
        obvious_enter_l2(memory, cache, line, who);
    else
        obvious_write_back(memory, cache, line, obvious_dirty(line), false, who);
}

static struct obvious_load load_of(const struct wm_request *request, uint32_t sectors)
{
    return (struct obvious_load){
        .client = request->kind == WM_ACCESS_LOAD    ? WM_CACHE_LOAD
                  : request->kind == WM_ACCESS_STORE ? WM_CACHE_STORE
                                                     : WM_CACHE_ATOMIC,
        .address = request->address,
        .sectors = sectors,
        .who = {.sm = request->sm,
                .warp = request->warp,
                .pc = request->pc,
                .kind = request->kind,
                .hint = request->hint},
    };
}

static struct obvious_cache *l1_of(struct obvious_memory *memory, uint32_t sm)
{
    uint32_t each = memory->spec.levels[WM_LEVEL_L1].units_each == 0
                        ? 1
                        : memory->spec.levels[WM_LEVEL_L1].units_each;
    return &memory->l1[sm / each];
}

// Which bytes of each sector a store writes. Where it does not say, any part will do that is not
// all: only caches with byte masks would show it.
static void bytes_of_store(const struct wm_request *request, uint32_t *bytes)
{
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        bytes[i] = request->full_sectors >> i & 1 ? UINT32_MAX
                   : request->bytes != NULL       ? request->bytes[i]
                                                  : 1;
}

// R5: what `cache` holds of the line of an access that goes around it.
static void flush_l1_copy(struct obvious_memory *memory, struct obvious_cache *cache,
                          const struct wm_request *request)
{
    if (cache == NULL)
        return;
    struct obvious_line *line = obvious_find(cache, request->address / cache->spec.line_bytes);
    if (line == NULL)
        return;
    struct obvious_load load = load_of(request, request->sectors);
    struct obvious_line copy = *line;
    if (is_exclusive(memory)) {
        obvious_count_write_back(cache, line, obvious_dirty(line));
        obvious_drop(cache, line, UINT32_MAX);
        obvious_send_down(memory, cache, &copy, &load.who);
        return;
    }
    uint32_t dirty = obvious_clean(cache, line, UINT32_MAX);
    if (request->kind != WM_ACCESS_LOAD || request->hint == WM_HINT_VOLATILE)
        obvious_drop(cache, line, UINT32_MAX);
    obvious_write_back(memory, cache, &copy, dirty, false, &load.who);
}

// How many of its lines a load that used L1 found there, in the groups of docs/divergence.md.
static void note_load(struct obvious_memory *memory, struct obvious_cache *l1,
                      const struct wm_request *request, bool looked_up, bool missed)
{
    struct wm_load_miss_counters *c = &l1->counters.load_miss_counts;
    if (request->kind != WM_ACCESS_LOAD)
        return;
    if (memory->load.left == 0) {
        memory->load.lines = memory->load.left = request->lines > 1 ? request->lines : 1;
        memory->load.looked_up = memory->load.missed = 0;
    }
    memory->load.looked_up += looked_up;
    memory->load.missed += missed;
    memory->load.left--;
    if (memory->load.left > 0 || memory->load.looked_up < memory->load.lines)
        return;
    uint32_t misses = memory->load.missed;
    if (memory->load.lines <= 2) {
        c->coherent_loads++;
        c->coherent_loads_cached += misses == 0;
        c->coherent_loads_missed_1 += misses == 1;
        c->coherent_loads_missed_2 += misses == 2;
    } else {
        c->divergent_loads++;
        c->divergent_loads_cached += misses == 0;
        c->divergent_loads_missed_1 += misses == 1;
        c->divergent_loads_missed_2 += misses == 2;
        c->divergent_loads_missed_more += misses >= 3 && misses <= 31;
        c->divergent_loads_missed_32 += misses >= 32;
    }
}

// R5: an access that does not use L1.
static void around_l1(struct obvious_memory *memory, struct obvious_cache *l1,
                      const struct wm_request *request, const uint32_t *bytes_written)
{
    struct obvious_load load = load_of(request, request->sectors);
    load.bytes = bytes_written;
    struct wm_cache_counters *c = &l1->counters;
    uint64_t bytes = bytes_of(request->sectors);
    flush_l1_copy(memory, l1, request);
    flush_l1_copy(memory, obvious_victims_of(memory, l1), request);
    c->accesses++;
    c->load_accesses += load.client == WM_CACHE_LOAD;
    c->store_accesses += load.client == WM_CACHE_STORE;
    c->atomic_accesses += load.client == WM_CACHE_ATOMIC;
    c->load_accesses_bypassed += load.client == WM_CACHE_LOAD;
    note_load(memory, l1, request, false, false);
    c->store_accesses_bypassed += load.client == WM_CACHE_STORE;
    c->bypasses += (uint64_t)obvious_count(request->sectors);
    c->bytes_from_above += load.client != WM_CACHE_LOAD ? bytes : 0;
    c->bytes_to_below += load.client != WM_CACHE_LOAD ? bytes : 0;
    c->bytes_from_below += answers(&load) ? bytes : 0;
    c->bytes_to_above += answers(&load) ? bytes : 0;
    obvious_to_l2(memory, &load);
    if (request->kind != WM_ACCESS_LOAD || request->hint == WM_HINT_VOLATILE)
        obvious_written(memory, l1, request->address / l1->spec.line_bytes);
}

// R2 to R4: a load or a store that uses L1.
static void use_l1(struct obvious_memory *memory, struct obvious_cache *l1,
                   const struct wm_request *request, const uint32_t *bytes_written, bool may_take)
{
    bool load = request->kind == WM_ACCESS_LOAD;
    struct obvious_load asked = load_of(request, request->sectors);
    struct obvious_access access = {
        .client = asked.client,
        .number = request->address / l1->spec.line_bytes,
        .sectors = request->sectors,
        .bytes = bytes_written,
        .may_take = may_take && (load || l1->spec.write_allocate),
        .who = asked.who,
    };
    struct obvious_answer answer = {.forward = request->sectors};
    if (!obvious_recall(memory, l1, &access))
        answer = obvious_access(l1, &access);
    struct obvious_cache *displacer = obvious_hand_on(memory, l1, &answer.victim, &access.who);
    *(load ? &l1->counters.bytes_to_above : &l1->counters.bytes_from_above) +=
        bytes_of(request->sectors);
    note_load(memory, l1, request, true, answer.missing != 0);
    bool holds = obvious_find(l1, access.number) != NULL;
    if (is_exclusive(memory) && !load && holds && access.may_take)
        obvious_forget_in_l2(memory, request->address,
                             obvious_units(l1, answer.missing) & ~answer.fetch);
    if (!memory->spec.demand_before_writeback)
        obvious_send_down(memory, displacer, &answer.victim, &access.who);
    bool taken = load && may_take && holds && answer.missing != 0;
    bool supplied = load && obvious_supplied(memory, l1, access.number, &answer, taken);
    if (answer.fetch != 0 && !supplied) {
        struct obvious_load fetch = load_of(request, answer.fetch);
        fetch.client = WM_CACHE_LOAD;
        fetch.read_no_allocate =
            taken && memory->spec.levels[WM_LEVEL_L2].load_allocation == WM_L2_TAKES_UNCACHED;
        l1->counters.bytes_from_below += bytes_of(answer.fetch);
        if (is_exclusive(memory) && access.may_take && holds)
            obvious_take_from_l2(memory, l1, request->address, answer.fetch, &access.who);
        else
            obvious_to_l2(memory, &fetch);
    }
    if (memory->spec.demand_before_writeback)
        obvious_send_down(memory, displacer, &answer.victim, &access.who);
    if (!load && answer.forward != 0) {
        struct obvious_load forward = load_of(request, answer.forward);
        forward.bytes = bytes_written;
        forward.write_no_allocate = is_exclusive(memory) && holds;
        l1->counters.bytes_to_below += bytes_of(answer.forward);
        obvious_to_l2(memory, &forward);
    }
    if (!load)
        obvious_written(memory, l1, access.number);
    if (!load)
        obvious_hold_below(memory, l1, request->address, &access.who);
}

// What the machine's bypass entry decides about a load or store.
static enum wm_bypass_decision decide(const struct obvious_memory *memory,
                                      const struct wm_request *request)
{
    const struct wm_bypass_ops *entry = memory->spec.levels[WM_LEVEL_L1].bypass;
    bool no_lookup = memory->spec.levels[WM_LEVEL_L1].bypass_means == WM_BYPASS_MEANS_NO_LOOKUP;
    if (entry == &wm_bypass_none && !request->around_l1)
        return WM_BYPASS_NO;
    if (entry == &wm_bypass_per_pc && !request->around_l1 && request->listed)
        return no_lookup ? WM_BYPASS_LOOKUP : WM_BYPASS_ALLOCATION;
    switch (request->hint) {
    case WM_HINT_L2_ONLY: return WM_BYPASS_LOOKUP;
    case WM_HINT_NO_L1: return WM_BYPASS_ALLOCATION;
    default: return WM_BYPASS_NO;
    }
}

void obvious_serve(struct obvious_memory *memory, const struct wm_request *request)
{
    uint32_t bytes[OBVIOUS_SECTORS], *bytes_written = NULL;
    if (request->kind == WM_ACCESS_STORE) {
        bytes_of_store(request, bytes);
        bytes_written = bytes;
    }
    if (memory->l1 == NULL) {
        struct obvious_load load = load_of(request, request->sectors);
        load.bytes = bytes_written;
        obvious_to_l2(memory, &load);
        return;
    }
    struct obvious_cache *l1 = l1_of(memory, request->sm);
    bool changes_below = request->kind != WM_ACCESS_LOAD && request->kind != WM_ACCESS_STORE;
    enum wm_bypass_decision decision = decide(memory, request);
    if (changes_below || request->hint == WM_HINT_VOLATILE || decision == WM_BYPASS_LOOKUP)
        around_l1(memory, l1, request, bytes_written);
    else
        use_l1(memory, l1, request, bytes_written, decision != WM_BYPASS_ALLOCATION);
}

// --- Side caches (R10) ---

void obvious_side_cache_load(struct obvious_memory *memory, enum wm_side_cache_kind kind,
                             const struct wm_request *request)
{
    if (memory->side_caches[kind] == NULL)
        return;
    struct obvious_cache *cache =
        &memory->side_caches[kind]
                            [request->sm / memory->spec.levels[WM_LEVEL_SIDE + kind].units_each];
    struct obvious_access access = {
        .client = WM_CACHE_LOAD,
        .number = request->address / cache->spec.line_bytes,
        .sectors = request->sectors,
        .may_take = true,
        .who = {.sm = request->sm, .warp = request->warp, .pc = request->pc},
    };
    struct obvious_answer answer = obvious_access(cache, &access);
    cache->counters.bytes_to_above += bytes_of(request->sectors);
    cache->counters.bytes_from_below += bytes_of(answer.fetch);
    struct obvious_load fetch = {.client = WM_CACHE_LOAD,
                                 .address = request->address,
                                 .sectors = answer.fetch,
                                 .who = access.who};
    if (answer.fetch != 0)
        obvious_to_l2(memory, &fetch);
}

// --- Building and comparing ---

static struct obvious_cache *new_caches(const struct wm_cache_spec *spec, uint32_t count,
                                        uint32_t sms_each, const char *name)
{
    struct obvious_cache *caches = calloc(count, sizeof *caches);
    for (uint32_t i = 0; i < count; i++) {
        char path[64];
        if (sms_each != 0)
            snprintf(path, sizeof path, "gpu0.sm[%" PRIu32 "].%s", i * sms_each, name);
        else
            snprintf(path, sizeof path, "gpu0.%s[%" PRIu32 "]", name, i);
        obvious_cache_init(&caches[i], spec, path);
    }
    return caches;
}

static uint32_t groups(uint32_t sms, uint32_t each)
{
    return (sms + each - 1) / each;
}

struct obvious_memory *obvious_memory_new(const struct wm_memory_spec *spec)
{
    static const char *const names[] = {"constant", "texture", "scalar", "instruction"};
    struct obvious_memory *memory = calloc(1, sizeof *memory);
    memory->spec = *spec;
    memory->dram = calloc(spec->dram.channels, sizeof *memory->dram);
    if (spec->levels[WM_LEVEL_L1].cache.present) {
        uint32_t each =
            spec->levels[WM_LEVEL_L1].units_each == 0 ? 1 : spec->levels[WM_LEVEL_L1].units_each;
        memory->l1_count = groups(spec->sm_count, each);
        memory->l1 = new_caches(&spec->levels[WM_LEVEL_L1].cache, memory->l1_count, each, "l1");
    }
    if (spec->levels[WM_LEVEL_L1].cache.present && spec->levels[WM_LEVEL_L1].victim_lines != 0) {
        struct wm_cache_spec victims = spec->levels[WM_LEVEL_L1].cache;
        victims.ways = spec->levels[WM_LEVEL_L1].victim_lines;
        victims.size_bytes = (uint64_t)victims.ways * victims.line_bytes;
        victims.replacement = &wm_replacement_lru;
        victims.set_index = &wm_set_index_modulo;
        memory->victims = new_caches(
            &victims, memory->l1_count,
            spec->levels[WM_LEVEL_L1].units_each == 0 ? 1 : spec->levels[WM_LEVEL_L1].units_each,
            "victim");
        for (uint32_t i = 0; i < memory->l1_count; i++)
            memory->l1[i].hands_on = true;
    }
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        const struct wm_level_spec *beside = &spec->levels[WM_LEVEL_SIDE + kind];
        if (!beside->cache.present)
            continue;
        memory->side_cache_counts[kind] = groups(spec->sm_count, beside->units_each);
        memory->side_caches[kind] = new_caches(&beside->cache, memory->side_cache_counts[kind],
                                               beside->units_each, names[kind]);
    }
    obvious_tlbs_init(memory);
    obvious_trackers_init(memory);
    if (spec->levels[WM_LEVEL_L2].cache.present) {
        struct wm_cache_spec slice = spec->levels[WM_LEVEL_L2].cache;
        slice.size_bytes /= spec->levels[WM_LEVEL_L2].slices;
        memory->l2 = new_caches(&slice, spec->levels[WM_LEVEL_L2].slices, 0, "l2");
        for (uint32_t i = 0; i < spec->levels[WM_LEVEL_L2].slices; i++) {
            memory->l2[i].slices = spec->levels[WM_LEVEL_L2].slices;
            memory->l2[i].interleave_bytes = spec->levels[WM_LEVEL_L2].interleave_bytes;
        }
    }
    return memory;
}

static void free_caches(struct obvious_cache *caches, uint32_t count)
{
    for (uint32_t i = 0; caches != NULL && i < count; i++)
        obvious_cache_release(&caches[i]);
    free(caches);
}

void obvious_memory_free(struct obvious_memory *memory)
{
    free_caches(memory->l1, memory->l1_count);
    free_caches(memory->victims, memory->l1_count);
    free_caches(memory->l2, memory->spec.levels[WM_LEVEL_L2].slices);
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        free_caches(memory->side_caches[kind], memory->side_cache_counts[kind]);
    obvious_tlbs_free(memory);
    obvious_trackers_free(memory);
    free(memory->dram);
    free(memory);
}

// The counters of the component of that name, or NULL.
static const uint64_t *counters_of(const struct obvious_memory *memory, const char *path)
{
    for (uint32_t i = 0; i < memory->l1_count; i++)
        if (strcmp(memory->l1[i].path, path) == 0)
            return &memory->l1[i].counters.accesses;
    for (uint32_t i = 0; memory->victims != NULL && i < memory->l1_count; i++)
        if (strcmp(memory->victims[i].path, path) == 0)
            return &memory->victims[i].counters.accesses;
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        for (uint32_t i = 0; i < memory->side_cache_counts[kind]; i++)
            if (strcmp(memory->side_caches[kind][i].path, path) == 0)
                return &memory->side_caches[kind][i].counters.accesses;
    for (uint32_t i = 0; i < memory->tlb_count; i++)
        if (strcmp(memory->l1_tlbs[i].pages.path, path) == 0)
            return &memory->l1_tlbs[i].counters.lookups;
    if (memory->l2_tlb != NULL && strcmp(memory->l2_tlb->pages.path, path) == 0)
        return &memory->l2_tlb->counters.lookups;
    for (uint32_t i = 0; memory->l2 != NULL && i < memory->spec.levels[WM_LEVEL_L2].slices; i++)
        if (strcmp(memory->l2[i].path, path) == 0)
            return &memory->l2[i].counters.accesses;
    uint32_t at, bank;
    char rest[16];
    if (sscanf(path, "gpu0.tracker[%" SCNu32 "].bank[%" SCNu32 "]", &at, &bank) == 2 &&
        at < memory->tracker_count && bank < memory->spec.levels[WM_LEVEL_L1].tracker.banks)
        return &memory->trackers[at].counters[bank].lookups;
    if (memory->buffers != NULL && sscanf(path, "gpu0.l2[%" SCNu32 "].%15s", &at, rest) == 2 &&
        strcmp(rest, "atomic_buffer") == 0 && at < memory->spec.levels[WM_LEVEL_L2].slices)
        return &memory->buffers[at].counters.operations;
    uint32_t channel;
    if (sscanf(path, "gpu0.dram[%" SCNu32 "]", &channel) == 1 &&
        channel < memory->spec.dram.channels)
        return &memory->dram[channel].reads;
    return NULL;
}

static size_t component_count(const struct obvious_memory *memory)
{
    size_t count = memory->l1_count + memory->spec.dram.channels;
    count += memory->victims != NULL ? memory->l1_count : 0;
    count += memory->tlb_count + (memory->l2_tlb != NULL);
    count += (size_t)memory->tracker_count * memory->spec.levels[WM_LEVEL_L1].tracker.banks;
    count += memory->buffers != NULL ? memory->spec.levels[WM_LEVEL_L2].slices : 0;
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        count += memory->side_cache_counts[kind];
    return count + (memory->l2 != NULL ? memory->spec.levels[WM_LEVEL_L2].slices : 0);
}

static bool is_of_model(const struct wm_component_counters *component)
{
    // What explains misses is apart, and counts nothing of its own.
    const char *kind = component->set->kind;
    return strstr(kind, "explained") == NULL && strstr(kind, "reuse") == NULL &&
           strstr(kind, "sharing") == NULL;
}

static bool equal_component(const struct wm_component_counters *component, const uint64_t *expected)
{
    size_t count = component->set->count;
    if (memcmp(component->values, expected, count * sizeof *expected) == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (component->values[i] == expected[i])
            continue;
        fprintf(stderr, "%s %s: counted %" PRIu64 ", the model says %" PRIu64 "\n", component->path,
                component->set->declarations[i].name, component->values[i], expected[i]);
        return false;
    }
    return true;
}

bool obvious_equal(const struct obvious_memory *memory, const struct wm_memory *real)
{
    size_t count, known = 0;
    const struct wm_component_counters *components = wm_memory_components(real, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_of_model(&components[i]))
            continue;
        const uint64_t *expected = counters_of(memory, components[i].path);
        if (expected == NULL) {
            fprintf(stderr, "%s: the model has no such component\n", components[i].path);
            return false;
        }
        if (!equal_component(&components[i], expected))
            return false;
        known++;
    }
    if (known != component_count(memory))
        fprintf(stderr, "%zu components, the model has %zu\n", known, component_count(memory));
    return known == component_count(memory);
}
