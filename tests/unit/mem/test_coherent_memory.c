// Coherent levels in the walk, against a model without messages (obvious_coherence.h), on random
// machines: the state of each line in each cache, what directories know, and what is counted.
#include "base/numbers/random.h"
#include "coherent_machines.h"
#include "mem/prefetch/entries.h"
#include "mem/replacement/entries.h"
#include "mem/system/coherent_memory.h"
#include "obvious_coherence.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { LINE = 128 };

struct pair {
    struct wm_memory *memory;
    struct obvious_coherence *model;
    const struct wm_coherent_levels *levels;
    uint64_t lines; // that accesses touch
    uint32_t machine;
    uint64_t written, read; // bytes of accesses of units to a cache with coherent ones above it
    uint32_t steps, hits;   // accesses; of them, those that wm_memory_hit did
};

static struct wm_coherence_line line_of(const struct pair *pair, uint32_t number, uint64_t line)
{
    static const struct wm_coherence_line none;
    const struct wm_coherent_node *node = &pair->levels->nodes[number];
    if (node->level == WM_MOST_LEVELS) {
        const struct wm_coherence_line *known =
            wm_directory_find(&pair->memory->coherent->directory, line);
        return known != NULL ? *known : none;
    }
    const struct wm_cache_level *level = &pair->memory->levels[node->level];
    uint64_t index_line;
    uint32_t slice = wm_level_slice(level, line, &index_line);
    uint32_t number_in_level = node->instance * (uint32_t)level->slices.divisor + slice;
    const struct wm_cache *cache = &level->caches[number_in_level];
    int32_t way = wm_cache_find(cache, line, index_line);
    if (way < 0)
        return none;
    uint64_t set = index_line % cache->sets;
    return pair->memory->coherent->caches[node->level][number_in_level]
        .lines[set * cache->stride + (uint32_t)way];
}

static const enum wm_coherence_cache_state states[] = {WM_COHERENCE_CACHE_I, WM_COHERENCE_CACHE_S,
                                                       WM_COHERENCE_CACHE_E, WM_COHERENCE_CACHE_M};

// A home knows exactly who has the line, and has it itself.
static void check_home(const struct pair *pair, uint32_t home, uint64_t line)
{
    const struct wm_coherent_node *node = &pair->levels->nodes[home];
    struct wm_coherence_line knows = line_of(pair, home, line);
    uint64_t holders = 0, owners = 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        struct wm_coherence_line child =
            line_of(pair, wm_coherent_child(pair->levels, home, i), line);
        holders |= (uint64_t)(child.cache != WM_COHERENCE_CACHE_I) << i;
        owners += child.cache >= WM_COHERENCE_CACHE_E;
    }
    cr_assert_eq(knows.holders, holders, "machine %u, node %u", pair->machine, home);
    cr_assert(holders == 0 || knows.cache != WM_COHERENCE_CACHE_I, "not included");
    cr_assert(owners == 0 || (owners == 1 && (holders & (holders - 1)) == 0),
              "an owner and others");
    cr_assert(owners == 0 || knows.cache >= WM_COHERENCE_CACHE_E);
    cr_assert_eq(knows.home, owners != 0    ? WM_COHERENCE_HOME_OWNED
                             : holders != 0 ? WM_COHERENCE_HOME_SHARED
                                            : WM_COHERENCE_HOME_NONE);
}

static void check_line(const struct pair *pair, uint64_t line)
{
    for (uint32_t i = 0; i < pair->model->node_count; i++) {
        enum obvious_state expected = obvious_coherence_state(pair->model, i, line);
        cr_assert_eq(line_of(pair, i, line).cache, states[expected],
                     "machine %u: line %lu of node %u is %s", pair->machine, (unsigned long)line, i,
                     wm_coherence_state_name(WM_COHERENCE_CACHE, line_of(pair, i, line).cache));
    }
    for (uint32_t i = 0; i < pair->levels->node_count; i++)
        check_home(pair, i, line);
}

static void check_all(const struct pair *pair)
{
    for (uint64_t line = 0; line < pair->lines + 64; line++) // and what prefetchers bring
        check_line(pair, line);
}

struct sums {
    uint64_t hits, misses, write_backs, evictions;
    struct wm_coherence_counters coherence;
    uint64_t from_above, to_above, from_below, to_below;
};

static void add_sums(struct sums *sums, const struct wm_cache *cache,
                     const struct wm_coherent_cache *coherent)
{
    uint64_t *to = (uint64_t *)&sums->coherence, *from = (uint64_t *)&coherent->counters;
    for (size_t i = 0; i < sizeof sums->coherence / sizeof *to; i++)
        to[i] += from[i];
    sums->hits += cache->counters.accesses - cache->counters.accesses_missed;
    sums->misses += cache->counters.accesses_missed;
    sums->write_backs += cache->counters.write_backs;
    sums->evictions += cache->counters.evictions;
    sums->from_above += cache->counters.bytes_from_above;
    sums->to_above += cache->counters.bytes_to_above;
    sums->from_below += cache->counters.bytes_from_below;
    sums->to_below += cache->counters.bytes_to_below;
}

static struct sums sums_of(const struct pair *pair, uint32_t number)
{
    const struct wm_coherent_node *node = &pair->levels->nodes[number];
    const struct wm_cache_level *level = &pair->memory->levels[node->level];
    struct sums sums = {0};
    uint32_t slices = (uint32_t)level->slices.divisor;
    for (uint32_t i = node->instance * slices; i < (node->instance + 1) * slices; i++)
        add_sums(&sums, &level->caches[i], &pair->memory->coherent->caches[node->level][i]);
    return sums;
}

#define EXPECT(is, should)                                                                        \
    cr_expect_eq(is, should, "machine %u, node %u: " #is " is %lu and not %lu", pair->machine, i, \
                 (unsigned long)(is), (unsigned long)(should))

static void check_prefetcher(const struct pair *pair, uint32_t i)
{
    const struct obvious_counts *model = &pair->model->nodes[i].counts;
    const struct wm_coherent_node *node = &pair->levels->nodes[i];
    const struct wm_cache_level *level = &pair->memory->levels[node->level];
    struct wm_prefetcher_counters sum = {0};
    uint32_t slices = (uint32_t)level->slices.divisor;
    if (level->prefetchers.ops == NULL)
        return;
    for (uint32_t n = node->instance * slices; n < (node->instance + 1) * slices; n++) {
        const struct wm_prefetcher_counters *one = &level->prefetchers.counters[n];
        sum.misses += one->misses;
        sum.supplied += one->supplied;
        sum.prefetches += one->prefetches;
        sum.bytes_prefetched += one->bytes_prefetched;
        sum.dropped += one->dropped;
    }
    EXPECT(sum.misses, model->noticed);
    EXPECT(sum.supplied, model->used);
    EXPECT(sum.prefetches, model->prefetched);
    EXPECT(sum.bytes_prefetched, model->prefetched * LINE);
    EXPECT(sum.dropped, model->unused);
}

static void check_counts(const struct pair *pair)
{
    uint64_t peers = 0;
    for (uint32_t i = 0; i < pair->model->node_count; i++) {
        const struct obvious_counts *model = &pair->model->nodes[i].counts;
        struct sums sums = sums_of(pair, i);
        EXPECT(sums.hits, model->hits);
        EXPECT(sums.misses, model->misses);
        EXPECT(sums.write_backs, model->write_backs);
        EXPECT(sums.evictions, model->evictions);
        EXPECT(sums.to_below, model->write_backs * LINE);
        EXPECT(sums.coherence.read_requests, model->read_requests);
        EXPECT(sums.coherence.write_requests, model->write_requests);
        EXPECT(sums.coherence.upgrades, model->upgrades);
        EXPECT(sums.coherence.invalidations, model->invalidations);
        EXPECT(sums.coherence.back_invalidations, model->back_invalidations);
        EXPECT(sums.coherence.downgrades, model->downgrades);
        EXPECT(sums.coherence.forwards, model->forwards);
        EXPECT(sums.coherence.bytes_to_peers, model->forwards * LINE);
        EXPECT(sums.coherence.clean_puts, model->clean_puts);
        EXPECT(sums.coherence.put_m, model->put_m);
        EXPECT(sums.coherence.locked_hits, model->locked_hits);
        cr_expect_leq(sums.coherence.coherence_misses, sums.misses);
        check_prefetcher(pair, i);
        peers += sums.coherence.bytes_to_peers - sums.coherence.bytes_from_peers;
    }
    cr_expect_eq(peers, 0);
    uint32_t i = 0;
    EXPECT(pair->memory->dram->bytes_read, pair->model->dram_reads * LINE);
    EXPECT(pair->memory->dram->bytes_written, pair->model->dram_writes * LINE);
}

// What leaves a level is what enters the next.
static void check_bytes(const struct pair *pair)
{
    for (uint32_t home = 0; home < pair->model->node_count; home++) {
        const struct wm_coherent_node *node = &pair->levels->nodes[home];
        uint64_t down = 0, up = 0;
        struct sums sums = sums_of(pair, home);
        for (uint32_t i = 0; i < node->child_count; i++) {
            struct sums child = sums_of(pair, wm_coherent_child(pair->levels, home, i));
            down += child.to_below;
            up += child.from_below;
        }
        if (node->child_count != 0) {
            bool is_root = home == pair->levels->root;
            cr_expect_eq(sums.from_above, down + (is_root ? pair->written : 0));
            cr_expect_eq(sums.to_above, up + (is_root ? pair->read : 0));
        }
    }
}

static struct pair pair_of(const struct wm_memory_spec *spec, uint32_t machine)
{
    struct pair pair = {.memory = small_memory_new(spec),
                        .model = malloc(sizeof(struct obvious_coherence)),
                        .machine = machine};
    pair.levels = &pair.memory->coherent->levels;
    obvious_coherence_init(pair.model, spec, pair.levels);
    return pair;
}

static void release(struct pair *pair)
{
    wm_memory_free(pair->memory);
    free(pair->model);
}

// A bypass entry that does as each test says.
static enum wm_bypass_decision decision;

static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    cr_assert_eq(event->kind, WM_ACCESS_LOAD);
    return decision;
}

static uint64_t served_sectors, served_missing;

static void served(void *state, const struct wm_bypass_event *event, uint32_t missing)
{
    (void)state;
    cr_assert_eq(missing & ~event->sectors, 0);
    served_sectors += (uint64_t)__builtin_popcount(event->sectors);
    served_missing += (uint64_t)__builtin_popcount(missing);
}

static const struct wm_bypass_ops as_said = {.name = "as-said", .decide = decide, .served = served};

static void access(struct pair *pair, uint32_t unit, uint64_t line, enum wm_access_kind kind,
                   uint32_t sectors)
{
    const struct wm_cache_level *first = pair->memory->first_of_unit[unit];
    struct wm_request request = {.address = line * LINE,
                                 .sectors = sectors,
                                 .full_sectors = kind == WM_ACCESS_STORE ? sectors : 0,
                                 .kind = kind,
                                 .sm = unit};
    if (first->caches == NULL) {
        uint64_t bytes = (uint64_t)__builtin_popcount(sectors) * 32;
        pair->written += kind != WM_ACCESS_LOAD ? bytes : 0;
        pair->read += kind == WM_ACCESS_LOAD || kind == WM_ACCESS_ATOMIC ? bytes : 0;
        first = first->below;
    }
    uint32_t node = pair->levels->first_node[first->number] + wm_level_instance(first, unit);
    bool held = obvious_coherence_state(pair->model, node, line) != OBVIOUS_I;
    bool decides = first == &pair->memory->levels[WM_LEVEL_L1] && pair->memory->bypass != NULL;
    if (decides && kind == WM_ACCESS_LOAD && decision != WM_BYPASS_NO)
        obvious_coherence_load_past(pair->model, node, line, decision == WM_BYPASS_ALLOCATION);
    else
        obvious_coherence_access(pair->model, node, line, kind);
    // Every other step by the way of hits alone, which is to change the same.
    bool is_done = pair->steps++ % 2 == 0 && wm_memory_hit(pair->memory, &request);
    pair->hits += is_done;
    struct wm_access_result result = {.source = WM_SOURCE_L1};
    if (!is_done)
        result = wm_memory_access(pair->memory, &request);
    if (kind == WM_ACCESS_LOAD && first == pair->memory->first_of_unit[unit])
        cr_assert_eq(wm_access_hit(result), held);
}

static uint32_t below(struct wm_random *random, uint32_t limit)
{
    return (uint32_t)wm_random_below(random, limit);
}

static void resize(struct wm_random *random, struct wm_level_spec *level, uint32_t most_sets)
{
    uint32_t sets = 1 + below(random, most_sets), slices = level->slices == 0 ? 1 : level->slices;
    level->cache.ways = 1 + below(random, 4);
    level->cache.size_bytes = (uint64_t)sets * slices * level->cache.ways * LINE;
}

static struct wm_memory_spec random_spec(struct wm_random *random)
{
    uint32_t units = 2 + below(random, 3), cores = 1 + below(random, 4), kind = below(random, 5);
    struct wm_memory_spec spec = kind == 0   ? coherent_shared(units, cores)
                                 : kind == 4 ? coherent_without_sms_caches(units, cores)
                                 : kind == 1 ? coherent_split(units, cores)
                                             : coherent_cores(units);
    if (kind == 3) // several L2s before the directory
        spec.levels[WM_LEVEL_L2].units_each = 1 + below(random, 2);
    if (below(random, 4) == 0 && kind != 4)
        spec.levels[WM_LEVEL_L1].units_each = kind == 3 ? 1 : 2;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec.levels[i].cache.present)
            resize(random, &spec.levels[i], i >= LAST || kind == 2 || kind == 3 ? 7 : 4);
    return spec;
}

static void run(struct pair *pair, struct wm_random *random, uint32_t steps)
{
    uint32_t units = wm_memory_units(&pair->memory->spec);
    for (uint32_t step = 0; step < steps; step++) {
        static const enum wm_bypass_decision decisions[] = {WM_BYPASS_NO, WM_BYPASS_LOOKUP,
                                                            WM_BYPASS_ALLOCATION};
        decision = decisions[step % 3];
        static const enum wm_access_kind kinds[] = {WM_ACCESS_LOAD, WM_ACCESS_LOAD, WM_ACCESS_STORE,
                                                    WM_ACCESS_ATOMIC, WM_ACCESS_REDUCTION};
        uint64_t line = wm_random_below(random, pair->lines);
        if (below(random, 50) == 0) {
            obvious_coherence_clean(pair->model, line);
            wm_memory_host_read(pair->memory, line * LINE + 5, 20);
        } else if (below(random, 50) == 0) {
            obvious_coherence_recall(pair->model, line);
            wm_memory_host_write(pair->memory, line * LINE, LINE);
        } else {
            access(pair, below(random, units), line, kinds[below(random, 5)],
                   1 + below(random, 15));
        }
        check_line(pair, line);
        if (step % 16 == 0)
            check_all(pair);
    }
}

Test(coherent_memory, as_the_model_on_random_machines)
{
    uint32_t hits = 0;
    for (uint32_t machine = 0; machine < 120; machine++) {
        struct wm_random random;
        wm_random_init(&random, machine, "coherent memory");
        struct wm_memory_spec spec = random_spec(&random);
        spec.dram.clean_forward = wm_memory_has_directory(&spec) && below(&random, 2) == 0;
        struct pair pair = pair_of(&spec, machine);
        pair.lines = 8 + wm_random_below(&random, 60);
        run(&pair, &random, 1500);
        check_counts(&pair);
        check_bytes(&pair);
        wm_memory_write_back_all(pair.memory);
        for (uint64_t line = 0; line < pair.lines; line++)
            obvious_coherence_clean(pair.model, line);
        check_all(&pair);
        check_counts(&pair);
        hits += pair.hits;
        release(&pair);
    }
    cr_assert_gt(hits, 2000);
}

// Any level with a prefetcher, and loads of L1 that bypass it: as each by itself, and no copy is
// old.
Test(coherent_memory, with_prefetchers_and_bypasses_as_the_model)
{
    struct obvious_counts sums = {0};
    for (uint32_t machine = 0; machine < 120; machine++) {
        struct wm_random random;
        wm_random_init(&random, machine, "coherent prefetchers");
        struct wm_memory_spec spec = random_spec(&random);
        spec.dram.clean_forward = wm_memory_has_directory(&spec) && below(&random, 2) == 0;
        for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
            if (!spec.levels[i].cache.present || below(&random, 3) == 0)
                continue;
            spec.levels[i].prefetch = &wm_prefetch_next_line;
            spec.levels[i].prefetch_values = (struct wm_entry_values){
                {1 + below(&random, 3), below(&random, 2), 16 + below(&random, 20)}, 7};
        }
        if (below(&random, 2) == 0)
            spec.levels[WM_LEVEL_L1].bypass = &as_said;
        struct pair pair = pair_of(&spec, machine);
        pair.lines = 8 + wm_random_below(&random, 100);
        run(&pair, &random, 1000);
        check_all(&pair);
        check_counts(&pair);
        check_bytes(&pair);
        for (uint32_t i = 0; i < pair.model->node_count; i++) {
            sums.prefetched += pair.model->nodes[i].counts.prefetched;
            sums.used += pair.model->nodes[i].counts.used;
            sums.unused += pair.model->nodes[i].counts.unused;
        }
        release(&pair);
    }
    cr_assert_gt(sums.prefetched, 50000);
    cr_assert_gt(sums.used, 5000);
    cr_assert_gt(sums.unused, 20000);
    cr_assert_gt(served_missing, 1000);
    cr_assert_gt(served_sectors, served_missing);
}

// Whatever lines are displaced, and in caches whose lines are found through an index: homes know
// who has a line, and no cache has an old copy.
static const struct wm_prefetch_ops *prefetch_entry; // of all levels

static void run_under(const struct wm_replacement_ops *replacement, uint32_t ways, uint64_t seed)
{
    struct wm_memory_spec spec = coherent_split(3, 2);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        spec.levels[i].cache.replacement = replacement, spec.levels[i].prefetch = prefetch_entry;
    for (uint32_t i = LAST; i <= CPU_LAST; i++) {
        spec.levels[i].cache.ways = ways;
        spec.levels[i].cache.size_bytes = (uint64_t)(i == LAST ? 4 : 1) * ways * LINE;
    }
    struct wm_memory *memory = small_memory_new(&spec);
    struct pair pair = {.memory = memory, .levels = &memory->coherent->levels};
    struct wm_random random;
    wm_random_init(&random, seed, "replacement");
    for (uint32_t step = 0; step < 6000; step++) {
        uint64_t line = wm_random_below(&random, 100);
        struct wm_request request = {.address = line * LINE,
                                     .sectors = 1,
                                     .kind = (enum wm_access_kind)below(&random, 4),
                                     .sm = below(&random, 5)};
        wm_memory_access(memory, &request);
        const struct wm_cache_level *first = memory->first_of_unit[request.sm];
        uint32_t node =
            pair.levels->first_node[first->number] + wm_level_instance(first, request.sm);
        enum wm_coherence_cache_state state = line_of(&pair, node, line).cache;
        // What is prefetched behind the access may displace its line.
        bool is_there = state != WM_COHERENCE_CACHE_I || prefetch_entry == NULL;
        cr_assert(!is_there || (request.kind == WM_ACCESS_LOAD ? state != WM_COHERENCE_CACHE_I
                                                               : state == WM_COHERENCE_CACHE_M));
        for (uint64_t at = step % 20 == 0 ? 0 : line; at <= (step % 20 == 0 ? 99 : line); at++)
            for (uint32_t i = 0; i < pair.levels->node_count; i++)
                check_home(&pair, i, at);
    }
    wm_memory_free(memory);
}

Test(coherent_memory, under_other_replacements)
{
    static const struct wm_replacement_ops *const entries[] = {
        &wm_replacement_lru,  &wm_replacement_fifo,  &wm_replacement_random,
        &wm_replacement_plru, &wm_replacement_srrip, &wm_replacement_ship,
        &wm_replacement_pipp, &wm_replacement_dip,   &wm_replacement_nru};
    prefetch_entry = NULL;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        run_under(entries[i], 4, i);
        run_under(entries[i], 16, i);
    }
    run_under(&wm_replacement_lru, 40, 1);
    run_under(&wm_replacement_fifo, 40, 2);
    size_t count;
    const struct wm_prefetch_ops *const *prefetchers = wm_prefetch_table(&count);
    for (size_t i = 0; i < count; i++) {
        prefetch_entry = prefetchers[i];
        run_under(&wm_replacement_lru, 4, i);
        run_under(&wm_replacement_ship, 16, i);
    }
}

// The way of its own that hits have does what the tables say.
Test(coherent_memory, hits_are_as_the_tables_say)
{
    struct wm_coherence_protocol protocol;
    wm_coherence_protocol_init(&protocol, wm_coherence_mesi_cache, wm_coherence_mesi_home);
    static const enum wm_coherence_event hits[] = {WM_COHERENCE_LOAD, WM_COHERENCE_STORE,
                                                   WM_COHERENCE_RMW_BEGIN};
    for (size_t event = 0; event < 3; event++)
        for (uint8_t state = WM_COHERENCE_CACHE_S; state <= WM_COHERENCE_CACHE_M; state++) {
            struct wm_coherence_line line = {.cache = state};
            const struct wm_coherence_row *row =
                wm_coherence_find(&protocol, &line, hits[event], 0);
            cr_assert_not_null(row);
            bool at_once = event == 0 || state != WM_COHERENCE_CACHE_S;
            cr_expect_eq(row->actions[0],
                         at_once ? WM_COHERENCE_DO_COMPLETE : WM_COHERENCE_DO_DEFER);
            if (!at_once)
                continue;
            cr_expect_eq(row->actions[1], WM_COHERENCE_DO_NOTHING);
            cr_expect_eq(row->next, event == 0   ? state
                                    : event == 1 ? WM_COHERENCE_CACHE_M
                                                 : WM_COHERENCE_CACHE_ML);
        }
    struct wm_coherence_line locked = {.cache = WM_COHERENCE_CACHE_ML};
    cr_expect_eq(wm_coherence_find(&protocol, &locked, WM_COHERENCE_RMW_END, 0)->next,
                 WM_COHERENCE_CACHE_M);
}

// A directory of many lines that come and go.
Test(coherent_memory, a_directory_forgets_what_no_cache_has)
{
    struct wm_directory directory;
    struct wm_error error;
    struct wm_random random;
    static bool known[1000];
    cr_assert_eq(wm_directory_init(&directory, 100, &error), WM_OK);
    wm_random_init(&random, 1, "directory");
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t line = wm_random_below(&random, 1000);
        struct wm_coherence_line *found = wm_directory_find(&directory, line);
        cr_assert_eq(found != NULL, known[line]);
        if (found != NULL) {
            cr_assert_eq(found->holders, line + 1);
            if (below(&random, 2) == 0)
                continue;
            found->holders = 0;
            wm_directory_forget(&directory, line);
            known[line] = false;
        } else if (directory.known.count < 100) {
            found = wm_directory_take(&directory, line);
            cr_assert_eq(found->holders, 0);
            cr_assert_eq(found->cache, WM_COHERENCE_CACHE_M);
            found->holders = line + 1;
            known[line] = true;
        }
    }
    wm_directory_release(&directory);
}
