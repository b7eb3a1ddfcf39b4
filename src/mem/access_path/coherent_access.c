// Accesses to coherent levels, in the walk: the tables of mem/coherence/ with messages as calls. A
// message is an event of its receiver before the sender goes on, so an access, with all that it
// makes homes and other caches do, is over when it returns. An event that the tables defer waits
// for what its own row began, which is over then, and is presented again (tests/coherence/
// test_at_once.c).
#define WM_PATHS_FULL true
#include "mem/access_path/coherent_steps.h"
#include "mem/explain/coherent_misses.h"

#include <assert.h>

// An event at a node, as the tables' ports see it.
struct at_node {
    const struct transaction *transaction;
    uint32_t node;
    const struct wm_coherent_place *place;
    struct wm_coherence_line *line;
    bool from_peer; // it brings data of a cache of the same home, not of the home
    bool is_deferred;
};

static const struct wm_coherence_ports ports;

// A line that has left its way is nowhere, from when it leaves it.
static struct wm_coherent_place place_of(const struct transaction *transaction, uint32_t number)
{
    const struct wm_coherent_node *node = node_of(transaction, number);
    struct wm_coherent_place *found = &transaction->coherent->found[number];
    if (node->level == WM_MOST_LEVELS)
        return (struct wm_coherent_place){.way = -1};
    if (found->cache != NULL && found->line == transaction->line &&
        found->cache->tags[slot_of(found)] == found->line)
        return *found;
    const struct wm_cache_level *level = &transaction->memory->levels[node->level];
    struct wm_coherent_place place = {.level = level, .line = transaction->line};
    uint32_t slice = wm_level_slice_of_one(level, transaction->line, &place.index_line);
    uint32_t cache = node->instance * (uint32_t)level->slices.divisor + slice;
    place.cache = &level->caches[cache];
    place.coherent = &transaction->coherent->caches[node->level][cache];
    place.set = set_at(level, place.index_line);
    place.way = place.coherent->leaving == transaction->line
                    ? -1
                    : wm_cache_find_in_set(place.cache, place.set, transaction->line);
    if (place.way >= 0)
        *found = place;
    return place;
}

// What a node knows of the line: in its way, or while it is evicted.
static struct wm_coherence_line *line_at(const struct transaction *transaction,
                                         const struct wm_coherent_place *place)
{
    if (place->cache == NULL)
        return wm_directory_take(&transaction->coherent->directory, transaction->line);
    if (place->way >= 0)
        return &place->coherent->lines[slot_of(place)];
    assert(place->coherent->leaving == transaction->line);
    return &place->coherent->leaving_line;
}

static uint64_t line_bytes(const struct wm_coherent_place *place)
{
    return place->cache->line_bytes;
}

static void charge_bytes(const struct transaction *transaction,
                         const struct wm_coherent_place *place)
{
    transaction->context->instruction_counters->levels[place->level->number].bytes +=
        line_bytes(place);
}

// An access to a node's cache. `victim`: the line that it displaces, WM_CACHE_EMPTY: none.
static void explain_access(const struct transaction *transaction,
                           const struct wm_coherent_place *place, enum wm_cache_client client,
                           uint32_t sectors, bool missed, uint64_t victim)
{
    const struct wm_coherent_lookup lookup = {.cache = place->cache,
                                              .client = client,
                                              .line = transaction->line,
                                              .sectors = sectors,
                                              .missed = missed,
                                              .victim = victim};
    wm_explain_coherent_lookup(transaction->memory, &lookup, transaction->context->request);
}

// Modified data come from a cache above. A line that is being evicted has left already.
static void count_written_above(const struct transaction *transaction,
                                const struct wm_coherent_place *place)
{
    if (is_explained(transaction->memory) && place->way >= 0)
        explain_access(transaction, place, WM_CACHE_WRITEBACK, place->cache->all_sectors, false,
                       WM_CACHE_EMPTY);
    place->cache->counters.bytes_from_above += line_bytes(place);
    wm_cache_count(&place->cache->counters, WM_CACHE_WRITEBACK, place->cache->all_sectors, 0);
    charge_bytes(transaction, place);
}

// An event at the place of its line, and again where it was deferred.
static void present_at(const struct transaction *transaction, uint32_t node,
                       const struct wm_coherent_place *place, struct wm_coherence_input input,
                       bool from_peer)
{
    struct at_node at = {.transaction = transaction,
                         .node = node,
                         .place = place,
                         .line = line_at(transaction, place),
                         .from_peer = from_peer,
                         .is_deferred = true};
    input.forwards_clean = place->cache == NULL && transaction->memory->spec.dram.clean_forward;
    for (uint32_t times = 0; at.is_deferred; times++) {
        at.is_deferred = false;
        bool found =
            wm_coherence_step(&transaction->coherent->protocol, at.line, &input, &ports, &at);
        assert(found && times < 4); // each wait is for what has been done since
        (void)found;
    }
}

static void present(const struct transaction *transaction, uint32_t node,
                    struct wm_coherence_input input, bool from_peer)
{
    const struct wm_coherent_place place = place_of(transaction, node);
    bool is_written = input.event == WM_COHERENCE_PUTM || input.event == WM_COHERENCE_ACK_DATA;
    if (is_written && place.cache != NULL)
        count_written_above(transaction, &place);
    present_at(transaction, node, &place, input, from_peer);
}

static void present_access(const struct transaction *transaction, uint32_t node,
                           enum wm_coherence_event access)
{
    present(transaction, node,
            (struct wm_coherence_input){.event = access, .peer = WM_COHERENCE_NOBODY}, false);
}

// --- Places for lines ---

// A line has left its way: the caches above give it up, and the home is informed.
static void evict(const struct transaction *cause, uint32_t node, struct wm_coherent_cache *cache,
                  uint64_t line, struct wm_coherence_line state)
{
    struct transaction transaction = *cause;
    transaction.line = line;
    transaction.recalls = true;
    assert(cache->leaving == WM_CACHE_EMPTY);
    cache->leaving = line;
    cache->leaving_line = state;
    present_access(&transaction, node, WM_COHERENCE_EVICT);
    assert(cache->leaving_line.cache == WM_COHERENCE_CACHE_I && cache->leaving_line.holders == 0);
    cache->leaving = WM_CACHE_EMPTY;
}

// Gives the line a way, without a copy yet, for an access to these sectors; to none: for a
// prefetcher.
static void take_place(const struct transaction *transaction, uint32_t node,
                       struct wm_coherent_place *place, enum wm_cache_client client,
                       uint32_t sectors)
{
    struct wm_cache *cache = place->cache;
    struct wm_cache_victim victim = {.line = WM_CACHE_EMPTY};
    bool taken = wm_cache_allocate(cache, false, place->set, transaction->line,
                                   (struct wm_cache_line){.valid = cache->all_sectors}, false,
                                   &transaction->context->requester, &victim);
    assert(taken);
    (void)taken;
    place->way = wm_cache_find_in_set(cache, place->set, transaction->line);
    transaction->coherent->found[node] = *place;
    uint64_t slot = slot_of(place);
    struct wm_coherence_line old = place->coherent->lines[slot];
    place->coherent->lines[slot] = (struct wm_coherence_line){0};
    bool was_taken_here =
        wm_coherent_was_taken(place->coherent, (uint64_t)place->set * cache->stride, cache->ways,
                              transaction->line) &&
        sectors != 0;
    place->coherent->counters.coherence_misses += was_taken_here;
    transaction->context->instruction_counters->coherence_misses += was_taken_here;
    wm_coherent_set_taken(place->coherent, slot, WM_CACHE_EMPTY);
    if (is_explained(transaction->memory))
        explain_access(transaction, place, client, sectors, true,
                       victim.evicted ? victim.line : WM_CACHE_EMPTY);
    if (place_has_prefetcher(place) && victim.evicted)
        wm_coherent_left(place, victim.line);
    if (victim.evicted)
        evict(transaction, node, place->coherent, victim.line, old);
}

// A hit of an access, or of an upgrade, which wants no data.
static void use(const struct transaction *transaction, const struct wm_coherent_place *place,
                enum wm_cache_client client, uint32_t sectors)
{
    if (is_explained(transaction->memory) && sectors != 0)
        explain_access(transaction, place, client, sectors, false, WM_CACHE_EMPTY);
    struct wm_cache_line held = wm_cache_line_at(place->cache, (uint32_t)slot_of(place));
    wm_cache_update_hit(place->cache, false, place->set, (uint32_t)place->way, transaction->line,
                        held, false, &transaction->context->requester);
}

// --- Messages ---

// All coherent lines are of one size.
static void access_memory(const struct transaction *transaction, bool write)
{
    const struct wm_coherent_levels *levels = &transaction->coherent->levels;
    uint32_t last =
        levels->has_directory ? wm_coherent_child(levels, levels->root, 0) : levels->root;
    const struct wm_cache_level *level = &transaction->memory->levels[levels->nodes[last].level];
    if (!(write && transaction->discards))
        memory_access(transaction->memory, level->line_bytes,
                      transaction->line << level->line_shift, level->caches->all_sectors, write,
                      transaction->context);
}

// GetS or GetM of a child: an access to the node's cache, unless it is an upgrade, which wants no
// data. The line has a place then.
static void receive_request(const struct transaction *transaction, uint32_t node,
                            struct wm_coherence_input input)
{
    struct wm_coherent_place place = place_of(transaction, node);
    if (place.cache != NULL) {
        uint32_t all = place.cache->all_sectors, missing = place.way < 0 ? all : 0;
        bool upgrades = input.event == WM_COHERENCE_GETM && place.way >= 0 &&
                        (place.coherent->lines[slot_of(&place)].holders >> input.from & 1) != 0;
        if (!upgrades) {
            wm_cache_count(&place.cache->counters, WM_CACHE_LOAD, all, missing);
            charge(place.level, transaction->context->instruction_counters, all, missing);
        }
        if (place.way >= 0) {
            use(transaction, &place, WM_CACHE_LOAD, upgrades ? 0 : all);
            if (place_has_prefetcher(&place) && !upgrades)
                wm_coherent_used(transaction, &place);
        } else {
            take_place(transaction, node, &place, WM_CACHE_LOAD, all);
            if (place_has_prefetcher(&place))
                wm_coherent_missed(transaction, &place);
        }
    }
    present_at(transaction, node, &place, input, false);
}

// The directory keeps what some cache has.
static void forget_if_none(const struct transaction *transaction)
{
    struct wm_directory *directory = &transaction->coherent->directory;
    const struct wm_coherence_line *line = wm_directory_find(directory, transaction->line);
    if (line != NULL && line->home == WM_COHERENCE_HOME_NONE)
        wm_directory_forget(directory, transaction->line);
}

// Memory is the home of the only last-level cache: it gives what is requested, and keeps nothing.
static void memory_answers(const struct at_node *at, enum wm_coherence_event message)
{
    bool upgrades = at->line->cache == WM_COHERENCE_CACHE_SM;
    struct wm_coherence_input answer = {.peer = WM_COHERENCE_NOBODY};
    switch (message) {
    case WM_COHERENCE_GETS: answer.event = WM_COHERENCE_DATA_E; break;
    case WM_COHERENCE_GETM:
        answer.event = upgrades ? WM_COHERENCE_GRANT_M : WM_COHERENCE_DATA_M;
        break;
    case WM_COHERENCE_PUTS:
    case WM_COHERENCE_PUTE:
    case WM_COHERENCE_PUTM: answer.event = WM_COHERENCE_PUT_ACK; break;
    default: return;
    }
    if (wm_coherence_brings_data(answer.event))
        access_memory(at->transaction, false);
    present(at->transaction, at->node, answer, false);
}

static void to_home(void *context, enum wm_coherence_event message)
{
    const struct at_node *at = context;
    const struct transaction *transaction = at->transaction;
    const struct wm_coherent_node *node = node_of(transaction, at->node);
    if (wm_coherence_brings_data(message)) {
        at->place->cache->counters.write_backs++;
        at->place->cache->counters.bytes_to_below += line_bytes(at->place);
    }
    if (node->home == WM_NO_NODE) {
        if (wm_coherence_brings_data(message))
            access_memory(transaction, true);
        memory_answers(at, message);
        return;
    }
    struct wm_coherence_input input = {message, (uint8_t)node->number, WM_COHERENCE_NOBODY};
    bool puts = message == WM_COHERENCE_PUTS || message == WM_COHERENCE_PUTE ||
                message == WM_COHERENCE_PUTM;
    if (message == WM_COHERENCE_GETS || message == WM_COHERENCE_GETM)
        receive_request(transaction, node->home, input);
    else
        present(transaction, node->home, input, false);
    if (puts && transaction->coherent->levels.has_directory &&
        node->home == transaction->coherent->levels.root)
        forget_if_none(transaction);
}

static void to_peer(void *context, unsigned peer, enum wm_coherence_event message)
{
    const struct at_node *at = context;
    const struct transaction *transaction = at->transaction;
    uint32_t home = node_of(transaction, at->node)->home;
    at->place->coherent->counters.bytes_to_peers += line_bytes(at->place);
    present(transaction, wm_coherent_child(&transaction->coherent->levels, home, peer),
            (struct wm_coherence_input){.event = message, .peer = WM_COHERENCE_NOBODY}, true);
}

static void count_given(const struct at_node *at)
{
    if (at->place->cache == NULL) {
        access_memory(at->transaction, false);
        return;
    }
    at->place->cache->counters.bytes_to_above += line_bytes(at->place);
    charge_bytes(at->transaction, at->place);
}

static void to_child(void *context, unsigned child, enum wm_coherence_event message, unsigned peer)
{
    const struct at_node *at = context;
    const struct transaction *transaction = at->transaction;
    if (wm_coherence_brings_data(message))
        count_given(at);
    present(transaction, wm_coherent_child(&transaction->coherent->levels, at->node, child),
            (struct wm_coherence_input){.event = message, .peer = (uint8_t)peer}, false);
}

// --- What becomes of the copy ---

static void complete(void *context, enum wm_coherence_event access)
{
    (void)context, (void)access; // it is over when it returns
}

static void defer(void *context)
{
    ((struct at_node *)context)->is_deferred = true;
}

static void fill(void *context)
{
    const struct at_node *at = context;
    const struct wm_coherent_place *place = at->place;
    if (place->way >= 0)
        place->cache->counters.fills += place->cache->line_sectors;
    if (at->from_peer)
        place->coherent->counters.bytes_from_peers += line_bytes(place);
    else
        place->cache->counters.bytes_from_below += line_bytes(place);
}

static void merge(void *context)
{
    const struct at_node *at = context;
    if (at->place->cache == NULL)
        access_memory(at->transaction, true);
}

// The copy is gone: taken by another's write, or called back for an eviction below.
static void drop(void *context)
{
    const struct at_node *at = context;
    const struct wm_coherent_place *place = at->place;
    const struct transaction *transaction = at->transaction;
    uint64_t line = transaction->line;
    if (place->way < 0)
        return; // it has been evicted
    if (is_explained(transaction->memory))
        wm_explain_coherent_loss(transaction->memory, place->cache, line, transaction->recalls,
                                 transaction->context->request);
    if (place_has_prefetcher(place))
        wm_coherent_left(place, line);
    if (transaction->recalls)
        place->cache->counters.inclusion_victims++;
    else
        wm_coherent_set_taken(place->coherent, slot_of(place), line);
    wm_cache_invalidate(place->cache, line, place->index_line, place->cache->all_sectors);
}

static void took(void *context, enum wm_coherence_side side, const struct wm_coherence_row *row,
                 unsigned facts)
{
    const struct at_node *at = context;
    const struct transaction *transaction = at->transaction;
    if (at->place->cache == NULL) {
        wm_directory_count(&transaction->coherent->directory_counters, row, at->line, facts);
        return;
    }
    struct wm_coherence_counters *counters = &at->place->coherent->counters;
    uint64_t taken = counters->invalidations;
    wm_coherence_count(counters, row, side, transaction->recalls);
    transaction->context->instruction_counters->copies_taken += counters->invalidations - taken;
}

static const struct wm_coherence_ports ports = {
    .to_home = to_home,
    .to_peer = to_peer,
    .to_child = to_child,
    .complete = complete,
    .defer = defer,
    .fill = fill,
    .merge = merge,
    .drop = drop,
    .took = took,
};

// --- Accesses ---

static void carry_out(const struct transaction *transaction, uint32_t node,
                      const struct wm_coherent_place *place, enum wm_cache_client client)
{
    static const enum wm_coherence_event accesses[] = {
        [WM_CACHE_LOAD] = WM_COHERENCE_LOAD,
        [WM_CACHE_STORE] = WM_COHERENCE_STORE,
        [WM_CACHE_ATOMIC] = WM_COHERENCE_RMW_BEGIN,
        [WM_CACHE_WRITEBACK] = WM_COHERENCE_STORE,
    };
    struct wm_coherence_input input = {.event = accesses[client], .peer = WM_COHERENCE_NOBODY};
    present_at(transaction, node, place, input, false);
    input.event = WM_COHERENCE_RMW_END;
    if (client == WM_CACHE_ATOMIC)
        present_at(transaction, node, place, input, false);
}

// Whether caches above have to give up or share a line first that is accessed here, by a unit or a
// cache that is no child: the rows of the tables that say so. The home keeps no record of who
// reads, as of an ACE-Lite requester (Arm IHI 0022, "ACE-Lite"): coherent one way.
static bool children_first(const struct wm_coherence_line *line, enum wm_cache_client client)
{
    return client == WM_CACHE_LOAD ? line->home == WM_COHERENCE_HOME_OWNED
                                   : line->home != WM_COHERENCE_HOME_NONE;
}

void wm_coherent_fetch(const struct transaction *transaction, uint32_t node)
{
    struct wm_coherent_place place = place_of(transaction, node);
    take_place(transaction, node, &place, WM_CACHE_WRITEBACK, 0);
    carry_out(transaction, node, &place, WM_CACHE_LOAD);
}

// Sectors of one line. Returns those that were not held.
static uint32_t access_line(struct transaction *transaction, uint32_t node,
                            enum wm_cache_client client, uint32_t sectors)
{
    struct wm_coherent_place place = place_of(transaction, node);
    struct access_context *context = transaction->context;
    struct wm_cache_counters *counters = &place.cache->counters;
    uint32_t missing = place.way < 0 ? sectors : 0;
    uint64_t bytes = bytes_of(sectors);
    bool locks = client == WM_CACHE_ATOMIC;
    wm_cache_count(counters, client, sectors, missing);
    counters->bytes_from_above += client != WM_CACHE_LOAD ? bytes : 0;
    counters->bytes_to_above +=
        client == WM_CACHE_LOAD || atomic_returns(client, context) ? bytes : 0;
    if (client != WM_CACHE_WRITEBACK)
        charge(place.level, context->instruction_counters, sectors, missing);
    place.coherent->counters.locked_operations += locks;
    if (place.way >= 0) {
        struct wm_coherence_line *line = &place.coherent->lines[slot_of(&place)];
        use(transaction, &place, client, sectors);
        if (place_has_prefetcher(&place))
            wm_coherent_used(transaction, &place);
        place.coherent->counters.locked_hits += locks && line->cache != WM_COHERENCE_CACHE_S;
        if (!children_first(line, client) && wm_coherent_hit_is_done(line, client))
            return 0;
    } else {
        take_place(transaction, node, &place, client, sectors);
        if (place_has_prefetcher(&place))
            wm_coherent_missed(transaction, &place);
    }
    note_source(context, WM_SOURCE_BELOW_L1);
    carry_out(transaction, node, &place, client);
    return missing;
}

// The same, of a load that bypasses the cache.
static __attribute__((noinline)) uint32_t load_bypassing(struct transaction *transaction,
                                                         uint32_t node, uint32_t sectors,
                                                         enum wm_bypass_decision decision)
{
    const struct wm_coherent_place place = place_of(transaction, node);
    if (place.way >= 0)
        return access_line(transaction, node, WM_CACHE_LOAD, sectors);
    wm_coherent_load_past(transaction, node, &place, sectors, decision == WM_BYPASS_ALLOCATION);
    return decision == WM_BYPASS_ALLOCATION ? sectors : 0;
}

uint32_t wm_coherent_request(struct wm_memory *memory, const struct wm_cache_level *level,
                             enum wm_cache_client client, uint64_t address, uint32_t sectors,
                             enum wm_bypass_decision decision, struct access_context *context)
{
    struct transaction transaction = {
        .memory = memory, .coherent = memory->coherent, .context = context};
    uint32_t node = memory->coherent->levels.first_node[level->number] +
                    wm_level_instance(level, context->unit);
    uint32_t missing = 0;
    while (sectors != 0) {
        uint32_t first = (uint32_t)(address & (level->line_bytes - 1)) / WM_SECTOR_BYTES;
        uint32_t rest = level->line_sectors - first;
        uint32_t here = rest >= 32 ? sectors : sectors & ((UINT32_C(1) << rest) - 1);
        transaction.line = address >> level->line_shift;
        if (here != 0)
            missing |= decision != WM_BYPASS_NO
                           ? load_bypassing(&transaction, node, here << first, decision)
                           : access_line(&transaction, node, client, here << first);
        if (here != 0 && memory->coherent->prefetches)
            wm_coherent_prefetch(&transaction, node);
        sectors = rest >= 32 ? 0 : sectors >> rest;
        address += (uint64_t)rest * WM_SECTOR_BYTES;
    }
    return missing;
}

// --- For the other files ---

struct wm_coherent_place wm_coherent_place_of(const struct transaction *transaction, uint32_t node)
{
    return place_of(transaction, node);
}

struct wm_coherence_line *wm_coherent_line_at(const struct transaction *transaction,
                                              const struct wm_coherent_place *place)
{
    return line_at(transaction, place);
}

void wm_coherent_present(const struct transaction *transaction, uint32_t node,
                         enum wm_coherence_event event)
{
    present_access(transaction, node, event);
}

void wm_coherent_forget_if_none(const struct transaction *transaction)
{
    forget_if_none(transaction);
}
