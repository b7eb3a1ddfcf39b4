// The model: what a level does with a request (R2 to R5, R8), and memory behind the last one.
#include "obvious_interleave.h"
#include "obvious_memory.h"

uint64_t obvious_bytes_of(uint32_t sectors)
{
    return (uint64_t)obvious_count(sectors) * OBVIOUS_SECTOR;
}

// --- Memory: block by block, burst by burst ---

static void use_memory(struct obvious_memory *memory, uint64_t address, uint32_t sectors,
                       bool write)
{
    const struct wm_dram_spec *spec = &memory->spec.dram;
    uint64_t last_block = UINT64_MAX, last_burst = UINT64_MAX;
    for (uint32_t i = 0; i < OBVIOUS_SECTORS; i++) {
        if (!(sectors >> i & 1))
            continue;
        uint64_t at = address + (uint64_t)i * OBVIOUS_SECTOR;
        uint64_t block = at / spec->channel_interleave_bytes, burst = at / spec->access_bytes;
        struct wm_dram_counters *dram = &memory->dram[obvious_channel(&memory->spec, at)];
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

// --- From one level to the next ---

bool obvious_next_part(struct obvious_request *rest, uint64_t line_bytes, struct obvious_part *part)
{
    uint32_t i = 0;
    while (i < OBVIOUS_SECTORS && !(rest->sectors >> i & 1))
        i++;
    if (i == OBVIOUS_SECTORS)
        return false;
    uint64_t at = rest->address + (uint64_t)i * OBVIOUS_SECTOR,
             begin = at / line_bytes * line_bytes;
    part->request = *rest;
    part->request.address = begin;
    part->request.sectors = 0;
    part->request.bytes = part->bytes;
    for (; i < OBVIOUS_SECTORS && at < begin + line_bytes; i++, at += OBVIOUS_SECTOR) {
        uint64_t there = (at - begin) / OBVIOUS_SECTOR;
        if (!(rest->sectors >> i & 1))
            continue;
        part->request.sectors |= UINT32_C(1) << there;
        part->bytes[there] = rest->bytes != NULL ? rest->bytes[i] : UINT32_MAX;
        rest->sectors &= ~(UINT32_C(1) << i);
    }
    return true;
}

// Atomics are done at the last level, where units' own accesses do not begin; else in memory.
static bool does_atomics(const struct obvious_level *level)
{
    return level->below == NULL && !obvious_serves_data(level);
}

void obvious_arrive(struct obvious_memory *memory, struct obvious_level *level, uint32_t unit,
                    const struct obvious_request *request)
{
    bool load = request->client == WM_CACHE_LOAD, atomic = request->client == WM_CACHE_ATOMIC;
    if (level == NULL && (load || atomic))
        use_memory(memory, request->address, request->sectors, false);
    if (level == NULL && !load)
        use_memory(memory, request->address, request->sectors, true);
    struct obvious_request rest = *request;
    struct obvious_part part;
    while (level != NULL && obvious_next_part(&rest, level->spec->cache.line_bytes, &part)) {
        struct obvious_node *node = obvious_node_of(level, unit, part.request.address);
        if (atomic && !does_atomics(level))
            obvious_pass(memory, node, &part.request);
        else if (level->spec->partitions > 1)
            obvious_serve_in_partitions(memory, node, &part.request);
        else if (!obvious_use_buffer(memory, node, &part.request))
            obvious_look_up(memory, node, &part.request);
    }
}

void obvious_go_below(struct obvious_memory *memory, const struct obvious_node *node,
                      const struct obvious_request *request)
{
    obvious_arrive(memory, node->level->below, node->first_unit, request);
}

void obvious_write_back(struct obvious_memory *memory, struct obvious_node *node,
                        struct obvious_cache *cache, const struct obvious_line *line,
                        uint32_t dirty, bool stays, const struct wm_requester *who)
{
    if (dirty == 0)
        return;
    struct obvious_line copy = *line; // which an inclusive level may drop on the way
    const struct obvious_request request = {
        .client = WM_CACHE_WRITEBACK,
        .address = copy.number * cache->spec.line_bytes,
        .sectors = dirty,
        .bytes = copy.held,
        .who = *who,
        .takes_no_line = stays && obvious_excludes_below(node->level),
    };
    cache->counters.bytes_to_below += obvious_bytes_of(dirty);
    obvious_go_below(memory, node, &request);
}

void obvious_send_down(struct obvious_memory *memory, struct obvious_node *node,
                       struct obvious_cache *cache, const struct obvious_line *line,
                       const struct wm_requester *who)
{
    if (obvious_some(line) != 0 && obvious_excludes_below(node->level))
        obvious_enter_below(memory, node, cache, line, who);
    else
        obvious_write_back(memory, node, cache, line, obvious_dirty(line), false, who);
}

// Whether bytes come back.
static bool answers(const struct obvious_request *request)
{
    return request->client == WM_CACHE_LOAD ||
           (request->client == WM_CACHE_ATOMIC && request->who.kind == WM_ACCESS_ATOMIC);
}

void obvious_count_above(struct obvious_cache *cache, const struct obvious_request *request)
{
    uint64_t bytes = obvious_bytes_of(request->sectors);
    cache->counters.bytes_to_above += answers(request) ? bytes : 0;
    cache->counters.bytes_from_above += request->client != WM_CACHE_LOAD ? bytes : 0;
}

// --- Around a cache (R5) ---

static bool drops_copies(const struct obvious_request *request)
{
    return request->client != WM_CACHE_LOAD || request->who.hint == WM_HINT_VOLATILE;
}

// What `cache` holds of the line of an access that goes around it.
static void flush_copy(struct obvious_memory *memory, struct obvious_node *node,
                       struct obvious_cache *cache, const struct obvious_request *request)
{
    struct obvious_line *line =
        cache != NULL ? obvious_find(cache, request->address / cache->spec.line_bytes) : NULL;
    if (line == NULL)
        return;
    if (drops_copies(request))
        obvious_leaves(memory, node, line);
    struct obvious_line copy = *line;
    if (obvious_excludes_below(node->level)) {
        obvious_count_write_back(cache, line, obvious_dirty(line));
        obvious_drop(cache, line, UINT32_MAX);
        obvious_send_down(memory, node, cache, &copy, &request->who);
        return;
    }
    uint32_t dirty = obvious_clean(cache, line, UINT32_MAX);
    if (drops_copies(request))
        obvious_drop(cache, line, UINT32_MAX);
    obvious_write_back(memory, node, cache, &copy, dirty, false, &request->who);
}

void obvious_pass(struct obvious_memory *memory, struct obvious_node *node,
                  const struct obvious_request *request)
{
    struct wm_cache_counters *c = &node->array.counters;
    uint64_t bytes = obvious_bytes_of(request->sectors);
    flush_copy(memory, node, &node->array, request);
    flush_copy(memory, node, node->victims, request);
    c->accesses++;
    c->load_accesses += request->client == WM_CACHE_LOAD;
    c->store_accesses += request->client == WM_CACHE_STORE;
    c->atomic_accesses += request->client == WM_CACHE_ATOMIC;
    c->load_accesses_bypassed += request->client == WM_CACHE_LOAD;
    c->store_accesses_bypassed += request->client == WM_CACHE_STORE;
    c->bypasses += (uint64_t)obvious_count(request->sectors);
    if (drops_copies(request) && node->prefetcher != NULL)
        obvious_prefetch_dropped(node->prefetcher, request->address / node->array.spec.line_bytes);
    obvious_count_above(&node->array, request);
    c->bytes_to_below += request->client != WM_CACHE_LOAD ? bytes : 0;
    c->bytes_from_below += answers(request) ? bytes : 0;
    obvious_go_below(memory, node, request);
    if (drops_copies(request))
        obvious_written(memory, node, request->address / node->array.spec.line_bytes);
}

// --- Through a cache (R2 to R4) ---

// A request of what is missed, which a prefetcher may hold; what that wants then.
static void fetch_past_prefetcher(struct obvious_memory *memory, struct obvious_node *node,
                                  const struct obvious_request *request,
                                  struct obvious_stream *wanted)
{
    struct obvious_cache *cache = &node->array;
    uint32_t line_bytes = cache->spec.line_bytes;
    if (obvious_prefetch_missed(node->prefetcher, request->address / line_bytes, line_bytes,
                                wanted))
        return;
    cache->counters.bytes_from_below += obvious_bytes_of(request->sectors);
    obvious_go_below(memory, node, request);
}

static void prefetch(struct obvious_memory *memory, struct obvious_node *node,
                     const struct obvious_stream *wanted, const struct wm_requester *who)
{
    struct obvious_cache *cache = &node->array;
    uint32_t line_bytes = cache->spec.line_bytes;
    for (uint32_t i = 0; i < wanted->count; i++) {
        const struct obvious_request request = {.client = WM_CACHE_LOAD,
                                                .address = wanted->lines[i] * line_bytes,
                                                .sectors = UINT32_MAX >> (32 - line_bytes / 32),
                                                .who = *who};
        cache->counters.bytes_from_below += line_bytes;
        obvious_go_below(memory, node, &request);
    }
}

// What an access misses comes from below, unless another L1 supplies it. `taken`: it is a load
// whose line the cache has taken, or lacked sectors of. `*wanted`: what a prefetcher wants then.
static void fetch(struct obvious_memory *memory, struct obvious_node *node,
                  const struct obvious_access *access, const struct obvious_answer *answer,
                  bool taken, struct obvious_stream *wanted)
{
    struct obvious_cache *cache = &node->array;
    const struct obvious_level *below = node->level->below;
    bool supplied = access->client == WM_CACHE_LOAD &&
                    obvious_supplied(memory, node, access->number, answer, taken);
    const struct obvious_request request = {
        .client = WM_CACHE_LOAD,
        .address = access->number * cache->spec.line_bytes,
        .sectors = answer->fetch,
        .who = access->who,
        .takes_no_line = taken && below != NULL &&
                         below->spec->load_allocation == WM_L2_TAKES_UNCACHED &&
                         !obvious_loads_only(node->level),
    };
    if (answer->fetch == 0 || supplied)
        return;
    if (node->prefetcher != NULL) {
        fetch_past_prefetcher(memory, node, &request, wanted);
        return;
    }
    cache->counters.bytes_from_below += obvious_bytes_of(answer->fetch);
    if (access->may_take && obvious_keeps(node, access->number))
        obvious_take_from_below(memory, node, request.address, request.sectors, &access->who);
    else
        obvious_go_below(memory, node, &request);
}

// What a write does not leave in the cache goes on; with it, or after a load alone, what was dirty
// above in a line that an inclusive level did not take. `from_above` are the latter.
static void send_on(struct obvious_memory *memory, struct obvious_node *node,
                    const struct obvious_request *request, uint32_t forward, uint32_t from_above)
{
    struct obvious_cache *cache = &node->array;
    struct obvious_request on = *request;
    uint32_t bytes[OBVIOUS_SECTORS];
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        bytes[i] = request->bytes == NULL || (from_above >> i & 1) ? UINT32_MAX : request->bytes[i];
    on.client = request->client == WM_CACHE_LOAD     ? WM_CACHE_WRITEBACK
                : request->client == WM_CACHE_ATOMIC ? WM_CACHE_STORE
                                                     : request->client;
    on.sectors = forward | from_above;
    on.bytes = bytes;
    on.takes_no_line = obvious_keeps(node, request->address / cache->spec.line_bytes);
    if (on.sectors == 0)
        return;
    cache->counters.bytes_to_below += obvious_bytes_of(on.sectors);
    obvious_go_below(memory, node, &on);
}

// R15.
static void clean_beyond_limit(struct obvious_memory *memory, struct obvious_node *node,
                               const struct obvious_access *access)
{
    struct obvious_cache *cache = &node->array;
    struct obvious_line *line;
    while ((line = obvious_beyond_limit(cache, access->number)) != NULL) {
        uint32_t dirty = obvious_clean(cache, line, UINT32_MAX);
        cache->limit_counters.cleaned++;
        cache->limit_counters.cleaned_sectors += (uint64_t)obvious_count(dirty);
        obvious_write_back(memory, node, cache, line, dirty, true, &access->who);
    }
}

uint32_t obvious_look_up(struct obvious_memory *memory, struct obvious_node *node,
                         const struct obvious_request *request)
{
    struct obvious_cache *cache = &node->array;
    bool load = request->client == WM_CACHE_LOAD;
    struct obvious_access access = {
        .client = request->client,
        .number = request->address / cache->spec.line_bytes,
        .sectors = request->sectors,
        .bytes = load ? NULL : request->bytes,
        .may_take = !request->takes_no_line && (load || cache->spec.write_allocate),
        .who = request->who,
    };
    struct obvious_answer answer = {.forward = request->sectors};
    uint64_t refusals = cache->counters.refusals;
    if (!obvious_recall(memory, node, &access))
        answer = obvious_access(cache, &access);
    obvious_count_above(cache, request);
    bool dropped = !load && cache->spec.write_policy == WM_WRITE_THROUGH_EVICT;
    cache->counters.write_backs += obvious_leaves(memory, node, &answer.victim);
    uint32_t from_above = 0;
    if (dropped || cache->counters.refusals != refusals)
        from_above = obvious_refuses(memory, node, request->address);
    if (!load && access.may_take && obvious_find(cache, access.number) != NULL)
        obvious_forget_below(node, request->address,
                             obvious_units(cache, answer.missing) & ~answer.fetch);
    bool taken = load && access.may_take && answer.missing != 0 &&
                 obvious_find(cache, access.number) != NULL;
    struct obvious_cache *displacer = obvious_hand_on(node, &answer.victim, &access.who);
    if (!memory->spec.demand_before_writeback)
        obvious_send_down(memory, node, displacer, &answer.victim, &access.who);
    struct obvious_stream wanted = {0};
    fetch(memory, node, &access, &answer, taken, &wanted);
    if (memory->spec.demand_before_writeback)
        obvious_send_down(memory, node, displacer, &answer.victim, &access.who);
    send_on(memory, node, request, load ? 0 : answer.forward, from_above);
    prefetch(memory, node, &wanted, &access.who);
    if (load)
        return answer.missing;
    clean_beyond_limit(memory, node, &access);
    if (node->prefetcher != NULL)
        obvious_prefetch_dropped(node->prefetcher, access.number);
    obvious_written(memory, node, access.number);
    obvious_hold_below(memory, node, request->address, &access.who);
    return answer.missing;
}
