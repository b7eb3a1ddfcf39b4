// A cache in time: each stall by its cause, random traffic against an obvious model, and without
// overlap the counts of the plain cache.
#include "base/numbers/random.h"
#include "choosy.h"
#include "mem/cache/pins.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "obvious_timed_cache.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_cache_spec spec_of(uint32_t sets, uint32_t ways, enum wm_write_policy write)
{
    return (struct wm_cache_spec){
        .present = true,
        .size_bytes = (uint64_t)sets * ways * 128,
        .ways = ways,
        .line_bytes = 128,
        .sector_bytes = 32,
        .write_policy = write,
        .write_allocate = write == WM_WRITE_BACK,
        .replacement = wm_replacement_find("lru"),
        .set_index = wm_set_index_find("modulo"),
    };
}

struct pair {
    struct wm_cache cache;
    struct wm_timed_cache timed;
};

static void new_pair(struct pair *pair, const struct wm_cache_spec *spec, uint32_t entries,
                     uint32_t merges, bool on_fill)
{
    struct wm_error error;
    cr_assert_eq(wm_cache_init(&pair->cache, spec, "timed", &error), WM_OK);
    const struct wm_cache_timing timing = {.mshr_entries = entries, .mshr_merges = merges};
    cr_assert_eq(wm_timed_cache_init(&pair->timed, &pair->cache, &timing, on_fill, &error), WM_OK);
}

// Every build for another width of vectors has its turns.
static void use_build(struct pair *pair, int turn)
{
    size_t count;
    const struct wm_timed_steps *const *builds = wm_timed_steps_available(&count);
    pair->timed.steps = builds[(size_t)turn % count];
}

static void release_pair(struct pair *pair)
{
    wm_timed_cache_release(&pair->timed);
    wm_cache_release(&pair->cache);
}

struct told {
    uint64_t tokens[OBVIOUS_WAITERS];
    uint32_t count;
};

static void tell(void *context, uint64_t token)
{
    struct told *told = context;
    told->tokens[told->count++] = token;
}

static struct wm_timed_result load(struct pair *pair, uint64_t line, uint32_t sectors)
{
    struct wm_timed_access ask = {.line = line,
                                  .index_line = line,
                                  .sectors = sectors,
                                  .token = line * 100,
                                  .allocate = true,
                                  .queue_has_room = true};
    return wm_timed_cache_read(&pair->timed, &ask);
}

static struct wm_cache_victim fill(struct pair *pair, uint64_t line, uint32_t sectors)
{
    struct told told = {0};
    struct wm_cache_victim victim;
    const struct wm_requester unattributed = {0};
    wm_timed_cache_fill(&pair->timed, WM_MSHR_NONE, line, line, sectors, &unattributed, tell, &told,
                        &victim);
    return victim;
}

// --- Stalls, one by one ---

Test(timed_cache, a_pending_sector_is_a_hit_that_waits)
{
    struct wm_cache_spec spec = spec_of(1, 2, WM_WRITE_BACK);
    struct pair pair;
    new_pair(&pair, &spec, 2, 4, false);
    struct wm_timed_result first = load(&pair, 1, 0x3), second = load(&pair, 1, 0x6);
    cr_assert_eq(first.fetch, 0x3);
    cr_assert(first.waits);
    cr_assert_eq(second.missing, 0x4);
    cr_assert_eq(second.fetch, 0x4, "what is on its way is not asked for again");
    cr_assert(second.waits);
    cr_assert_eq(pair.cache.counters.hits, 1);
    cr_assert_eq(pair.cache.counters.misses, 3);
    cr_assert_eq(pair.timed.counters.pending_hits, 1);
    fill(&pair, 1, 0x7);
    cr_assert_not(load(&pair, 1, 0x7).waits);
    cr_assert_eq(pair.timed.counters.pending_hits, 1);
    release_pair(&pair);
}

Test(timed_cache, stalls_say_what_is_used_up)
{
    struct wm_cache_spec spec = spec_of(1, 2, WM_WRITE_BACK);
    struct pair pair;
    new_pair(&pair, &spec, 2, 1, false);
    cr_assert_eq(load(&pair, 1, 0x1).stall, WM_STALL_NONE);
    cr_assert_eq(load(&pair, 1, 0x2).stall, WM_STALL_MERGE, "one waiter an entry");
    cr_assert_eq(load(&pair, 2, 0x1).stall, WM_STALL_NONE);
    cr_assert_eq(load(&pair, 3, 0x1).stall, WM_STALL_MSHR, "two entries");
    struct wm_cache_counters before = pair.cache.counters;
    cr_assert_eq(load(&pair, 3, 0x1).stall, WM_STALL_MSHR);
    cr_assert_eq(memcmp(&before, &pair.cache.counters, sizeof before), 0, "a stall counts nothing");
    cr_assert_eq(pair.timed.counters.mshr_lines, 2);
    release_pair(&pair);

    new_pair(&pair, &spec, 8, 8, false);
    load(&pair, 1, 0x1);
    load(&pair, 2, 0x1);
    cr_assert_eq(load(&pair, 3, 0x1).stall, WM_STALL_WAY, "both ways wait for their bytes");
    cr_assert_eq(load(&pair, 2, 0x2).stall, WM_STALL_NONE, "a line that has a way needs none");
    fill(&pair, 1, 0x1);
    cr_assert_eq(load(&pair, 3, 0x1).stall, WM_STALL_NONE);
    cr_assert_eq(wm_cache_find(&pair.cache, 1, 1), -1, "1 made room: 2 is reserved");
    release_pair(&pair);
}

// Of the two ways the entry would choose the second for line 4, and the first for line 7: it takes
// the other one where that waits for its bytes.
Test(timed_cache, an_entry_displaces_no_line_that_waits)
{
    struct wm_cache_spec spec = spec_of(1, 2, WM_WRITE_BACK);
    spec.replacement = &choosy_replacement;
    for (uint64_t come = 1; come <= 2; come++) {
        struct pair pair;
        new_pair(&pair, &spec, 8, 8, false);
        load(&pair, 1, 0x1);
        load(&pair, 2, 0x1);
        fill(&pair, come, 0x1);
        cr_expect(load(&pair, 3, 0x1).victim.refused);
        cr_expect_eq(load(&pair, come == 1 ? 4 : 7, 0x1).stall, WM_STALL_NONE);
        cr_expect_eq(wm_cache_find(&pair.cache, come, come), -1, "it has come, and makes room");
        cr_expect_neq(wm_cache_find(&pair.cache, 3 - come, 3 - come), -1, "it is on its way");
        release_pair(&pair);
    }
}

Test(timed_cache, no_room_below_stalls_what_would_go_there)
{
    struct wm_cache_spec spec = spec_of(1, 2, WM_WRITE_BACK);
    struct pair pair;
    new_pair(&pair, &spec, 2, 2, false);
    load(&pair, 1, 0x1);
    struct wm_timed_access ask = {.line = 1, .index_line = 1, .sectors = 0x1, .allocate = true};
    cr_assert_eq(wm_timed_cache_read(&pair.timed, &ask).stall, WM_STALL_NONE, "it only waits");
    fill(&pair, 1, 0x1);
    cr_assert_eq(wm_timed_cache_read(&pair.timed, &ask).stall, WM_STALL_NONE, "a hit");
    ask.sectors = 0x2;
    cr_assert_eq(wm_timed_cache_read(&pair.timed, &ask).stall, WM_STALL_QUEUE);
    ask.sectors = 0x1;
    ask.client = WM_CACHE_STORE;
    cr_assert_eq(wm_timed_cache_write(&pair.timed, &ask).stall, WM_STALL_NONE, "stays here");
    release_pair(&pair);

    spec.write_policy = WM_WRITE_THROUGH_UPDATE;
    spec.write_allocate = false;
    new_pair(&pair, &spec, 2, 2, false);
    ask.allocate = false;
    cr_assert_eq(wm_timed_cache_write(&pair.timed, &ask).stall, WM_STALL_QUEUE, "goes on");
    release_pair(&pair);
}

Test(timed_cache, on_fill_a_line_is_taken_when_its_bytes_come)
{
    struct wm_cache_spec spec = spec_of(1, 1, WM_WRITE_THROUGH_UPDATE);
    struct pair pair;
    new_pair(&pair, &spec, 4, 4, true);
    load(&pair, 1, 0x1);
    fill(&pair, 1, 0x1);
    cr_assert_eq(load(&pair, 2, 0x1).stall, WM_STALL_NONE);
    cr_assert_eq(load(&pair, 3, 0x1).stall, WM_STALL_NONE, "no way is reserved");
    cr_assert_not(load(&pair, 1, 0x1).waits, "1 has its way still");
    cr_assert_eq(fill(&pair, 3, 0x1).line, 1);
    cr_assert_eq(fill(&pair, 2, 0x1).line, 3);
    release_pair(&pair);
}

// A store reserves the way of a line that a load waits for as well; when the bytes have come it may
// be displaced again.
Test(timed_cache, on_fill_what_a_store_reserved_is_let_go)
{
    struct wm_cache_spec spec = spec_of(1, 1, WM_WRITE_BACK);
    struct pair pair;
    new_pair(&pair, &spec, 4, 4, true);
    struct wm_timed_access store = {.line = 1,
                                    .index_line = 1,
                                    .sectors = 0x1,
                                    .client = WM_CACHE_STORE,
                                    .allocate = true,
                                    .queue_has_room = true};
    cr_assert_eq(wm_timed_cache_write(&pair.timed, &store).fetch, 0x1);
    load(&pair, 1, 0x2);
    fill(&pair, 1, 0x1);
    fill(&pair, 1, 0x2);
    store.line = store.index_line = 2;
    cr_assert_eq(wm_timed_cache_write(&pair.timed, &store).stall, WM_STALL_NONE);
    release_pair(&pair);
}

// A store drops the line while its bytes are on their way: an access that needs them once more
// waits for these, and they are not fetched twice.
Test(timed_cache, a_dropped_line_is_not_fetched_twice)
{
    struct wm_cache_spec spec = spec_of(1, 2, WM_WRITE_THROUGH_EVICT);
    spec.sector_bytes = 128;
    struct pair pair;
    new_pair(&pair, &spec, 4, 4, false);
    struct wm_timed_access bypassing = {
        .line = 1, .index_line = 1, .sectors = 0x1, .queue_has_room = true};
    cr_assert_eq(wm_timed_cache_read(&pair.timed, &bypassing).fetch, 0x1);
    cr_assert_eq(load(&pair, 1, 0x2).fetch, 0xe, "the line, but for what comes anyway");
    release_pair(&pair);
}

// --- Random traffic against the model ---

enum { STEPS = 20000, ROUNDS = 48, LINES_USED = 14, FETCHES = 128 };

struct traffic {
    struct pair pair;
    struct obvious_timed model;
    struct wm_random chance;
    struct {
        uint64_t line;
        uint32_t sectors;
        uint32_t entry;
    } fetches[FETCHES]; // on their way
    uint32_t fetch_count;
    uint32_t seen[WM_STALLS];
};

static uint32_t below(struct traffic *traffic, uint32_t bound)
{
    return (uint32_t)wm_random_below(&traffic->chance, bound);
}

static void new_traffic(struct traffic *traffic, int round)
{
    static const uint32_t ways[] = {1, 2, 4, 8};
    *traffic = (struct traffic){0};
    wm_random_init(&traffic->chance, (uint64_t)round, "timed_cache");
    struct wm_cache_spec spec = spec_of(1U << below(traffic, 3), ways[below(traffic, 4)],
                                        (enum wm_write_policy)(round % 3));
    spec.write_allocate = spec.write_policy != WM_WRITE_THROUGH_EVICT && below(traffic, 4) != 0;
    spec.sector_bytes = round % 2 == 0 ? 32 : 128;
    spec.write_fetch = below(traffic, 2) == 0 ? WM_FETCH_PARTIAL : WM_FETCH_ALWAYS;
    uint32_t entries = 1 + below(traffic, 8), merges = 1 + below(traffic, 4);
    bool on_fill = round / 3 % 2 == 0;
    new_pair(&traffic->pair, &spec, entries, merges, on_fill);
    use_build(&traffic->pair, round / 6);
    obvious_timed_init(&traffic->model, &spec, entries, merges, on_fill);
}

static void random_fill(struct traffic *traffic)
{
    if (traffic->fetch_count == 0)
        return;
    uint32_t index = below(traffic, traffic->fetch_count), expected_count;
    uint64_t line = traffic->fetches[index].line, expected[OBVIOUS_WAITERS];
    uint32_t part = traffic->fetches[index].sectors & (1 + below(traffic, 15));
    part = part != 0 ? part : traffic->fetches[index].sectors;
    // Either is allowed: the caller that fills need not know the entry.
    uint32_t entry = below(traffic, 2) == 0 ? traffic->fetches[index].entry : WM_MSHR_NONE;
    traffic->fetches[index].sectors &= ~part;
    if (traffic->fetches[index].sectors == 0)
        traffic->fetches[index] = traffic->fetches[--traffic->fetch_count];
    struct told told = {0};
    struct wm_cache_victim victim, wanted;
    const struct wm_requester unattributed = {0};
    wm_timed_cache_fill(&traffic->pair.timed, entry, line, line, part, &unattributed, tell, &told,
                        &victim);
    expected_count = obvious_timed_fill(&traffic->model, line, part, expected, &wanted);
    cr_assert_eq(told.count, expected_count);
    cr_assert_eq(memcmp(told.tokens, expected, expected_count * sizeof *expected), 0);
    cr_assert_eq(victim.dirty, wanted.dirty);
    cr_assert(victim.dirty == 0 || victim.line == wanted.line);
}

static struct wm_timed_access random_ask(struct traffic *traffic, uint64_t token)
{
    uint64_t line = below(traffic, LINES_USED);
    uint32_t sectors = 1 + below(traffic, 15), kind = below(traffic, 8);
    bool load = kind < 4;
    return (struct wm_timed_access){
        .line = line,
        .index_line = line,
        .token = token,
        .sectors = sectors,
        .full_sectors = kind == 4 || kind == 5 ? sectors & below(traffic, 16) : 0,
        .client = load        ? WM_CACHE_LOAD
                  : kind == 7 ? WM_CACHE_ATOMIC
                              : WM_CACHE_STORE,
        .allocate = load ? below(traffic, 4) != 0 : traffic->model.spec.write_allocate,
        .queue_has_room = below(traffic, 8) != 0,
    };
}

static void random_access(struct traffic *traffic, uint64_t token)
{
    struct wm_timed_access ask = random_ask(traffic, token);
    struct wm_timed_result result, wanted;
    if (ask.client == WM_CACHE_LOAD) {
        result = wm_timed_cache_read(&traffic->pair.timed, &ask);
        wanted = obvious_timed_read(&traffic->model, &ask);
    } else {
        result = wm_timed_cache_write(&traffic->pair.timed, &ask);
        wanted = obvious_timed_write(&traffic->model, &ask);
    }
    cr_assert_eq(result.stall, wanted.stall, "%s for %s", wm_stall_names[result.stall],
                 wm_stall_names[wanted.stall]);
    traffic->seen[result.stall]++;
    if (result.stall != WM_STALL_NONE)
        return;
    cr_assert_eq(result.missing, wanted.missing);
    cr_assert_eq(result.fetch, wanted.fetch, "%x for %x", result.fetch, wanted.fetch);
    cr_assert_eq(result.forward, wanted.forward);
    cr_assert_eq(result.waits, wanted.waits);
    cr_assert_eq(result.victim.dirty, wanted.victim.dirty);
    cr_assert(result.victim.dirty == 0 || result.victim.line == wanted.victim.line);
    if (result.fetch == 0)
        return;
    cr_assert_lt(traffic->fetch_count, FETCHES);
    traffic->fetches[traffic->fetch_count].line = ask.line;
    traffic->fetches[traffic->fetch_count].entry = result.entry;
    traffic->fetches[traffic->fetch_count++].sectors = result.fetch;
}

static void compare(struct traffic *traffic)
{
    const struct wm_cache *cache = &traffic->pair.cache;
    for (uint64_t line = 0; line < LINES_USED; line++) {
        const struct obvious_held *held = obvious_timed_find(&traffic->model, line);
        int32_t way = wm_cache_find(cache, line, line);
        cr_assert_eq(way >= 0, held != NULL);
        if (held == NULL)
            continue;
        uint32_t set = (uint32_t)(line % traffic->model.sets);
        struct wm_cache_line real = wm_cache_line_at(cache, set * cache->stride + (uint32_t)way);
        cr_assert_eq(real.valid, held->valid);
        cr_assert_eq(real.dirty, held->dirty);
        cr_assert_eq(wm_cache_is_pinned(cache, set, (uint32_t)way), held->reserved);
    }
    cr_assert_eq(traffic->pair.timed.mshr.used, obvious_timed_entries(&traffic->model));
    cr_assert_eq(cache->counters.hits, traffic->model.hits);
    cr_assert_eq(cache->counters.misses, traffic->model.misses);
    cr_assert_eq(traffic->pair.timed.counters.pending_hits, traffic->model.pending_hits);
}

Test(timed_cache, random_traffic_against_the_obvious_one, .timeout = 120)
{
    static struct traffic traffic;
    uint64_t seen[WM_STALLS] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        new_traffic(&traffic, round);
        uint32_t fill_every = 2 + below(&traffic, 5);
        for (uint64_t step = 0; step < STEPS; step++) {
            if (below(&traffic, fill_every) == 0)
                random_fill(&traffic);
            else
                random_access(&traffic, step);
            compare(&traffic);
        }
        while (traffic.fetch_count != 0)
            random_fill(&traffic);
        compare(&traffic);
        cr_assert(wm_timed_cache_is_idle(&traffic.pair.timed));
        cr_assert_eq(traffic.model.waiter_count, 0, "nobody waits for ever");
        for (uint32_t i = 0; i < WM_STALLS; i++)
            seen[i] += traffic.seen[i];
        release_pair(&traffic.pair);
    }
    for (uint32_t i = 0; i < WM_STALL_BANK; i++) // banks stand before the cache
        cr_assert_gt(seen[i], 1000, "%s came to pass", wm_stall_names[i]);
}

// --- Without overlap it is the plain cache ---

static const char *const policies[] = {"lru",   "fifo", "plru", "srrip",
                                       "drrip", "dip",  "ship", "pipp"};
enum { POLICIES = sizeof policies / sizeof policies[0] };

static void serve_at_once(struct pair *pair, const struct wm_timed_access *ask,
                          struct wm_cache *plain)
{
    struct wm_timed_result result;
    struct wm_cache_result wanted;
    struct wm_cache_victim filled = {0};
    if (ask->client == WM_CACHE_LOAD) {
        result = wm_timed_cache_read(&pair->timed, ask);
        wanted = wm_cache_read(plain, ask->line, ask->line, ask->sectors, ask->allocate,
                               &ask->requester);
    } else {
        result = wm_timed_cache_write(&pair->timed, ask);
        wanted = plain->bytes != NULL
                     ? wm_byte_masks_write(plain, ask->client, ask->line, ask->line, ask->sectors,
                                           ask->full_sectors, ask->allocate, ask->written,
                                           &ask->requester)
                     : wm_cache_write(plain, ask->client, ask->line, ask->line, ask->sectors,
                                      ask->full_sectors, ask->allocate, &ask->requester);
    }
    cr_assert_eq(result.stall, WM_STALL_NONE);
    cr_assert_eq(result.missing, wanted.missing);
    cr_assert_eq(result.forward, wanted.forward);
    cr_assert_eq(result.fetch, wanted.fetch);
    if (result.fetch != 0) {
        struct told told = {0};
        wm_timed_cache_fill(&pair->timed, result.entry, ask->line, ask->line, result.fetch,
                            &ask->requester, tell, &told, &filled);
        cr_assert_eq(told.count, result.waits);
    }
    cr_assert_eq(result.victim.dirty | filled.dirty, wanted.victim.dirty);
    cr_assert_eq((result.victim.partly | filled.partly) & wanted.victim.dirty,
                 wanted.victim.partly & wanted.victim.dirty);
}

// What each line holds, in part too.
static void compare_lines(const struct wm_cache *timed, const struct wm_cache *plain)
{
    for (uint64_t line = 0; line < 40; line++) {
        int32_t way = wm_cache_find(timed, line, line), wanted = wm_cache_find(plain, line, line);
        cr_assert_eq(way >= 0, wanted >= 0);
        if (way < 0)
            continue;
        uint64_t base = line % timed->sets * timed->stride;
        struct wm_cache_line held = wm_cache_line_at(timed, base + (uint32_t)way),
                             other = wm_cache_line_at(plain, base + (uint32_t)wanted);
        cr_assert_eq(held.valid, other.valid);
        cr_assert_eq(held.dirty, other.dirty);
        if (timed->bytes != NULL)
            cr_assert_eq(timed->bytes->partly[base + (uint32_t)way],
                         plain->bytes->partly[base + (uint32_t)wanted]);
    }
}

static void compare_counts(const struct wm_cache *timed, const struct wm_cache *plain,
                           const char *policy, int round)
{
    const uint64_t *a = (const uint64_t *)&timed->counters;
    const uint64_t *b = (const uint64_t *)&plain->counters;
    for (size_t i = 0; i < wm_l1_counter_set.count; i++)
        cr_assert_eq(a[i], b[i], "%s, %s, round %d: %llu for %llu", policy,
                     wm_l1_counter_set.declarations[i].name, round, (unsigned long long)a[i],
                     (unsigned long long)b[i]);
}

static void run_at_once(const char *policy, int round, int build)
{
    struct traffic traffic = {0};
    struct wm_error error;
    struct wm_cache plain;
    wm_random_init(&traffic.chance, (uint64_t)round, "at_once");
    struct wm_cache_spec spec = spec_of(4, 4, (enum wm_write_policy)(round % 3));
    spec.write_allocate = spec.write_policy != WM_WRITE_THROUGH_EVICT && round % 4 != 0;
    spec.sector_bytes = round % 2 == 0 ? 32 : 128;
    spec.write_fetch = (enum wm_write_fetch)(round / 8);
    spec.replacement = wm_replacement_find(policy);
    new_pair(&traffic.pair, &spec, 4, 4, round / 3 % 2 == 0);
    use_build(&traffic.pair, build);
    cr_assert_eq(wm_cache_init(&plain, &spec, "timed", &error), WM_OK);
    traffic.model.spec = spec;
    for (uint64_t step = 0; step < 4000; step++) {
        struct wm_timed_access ask = random_ask(&traffic, step);
        ask.line = ask.index_line = below(&traffic, 40);
        ask.queue_has_room = true;
        ask.requester =
            (struct wm_requester){.pc = (uint32_t)ask.line % 5, .warp = below(&traffic, 8)};
        // Halves of sectors: two stores may make a whole.
        uint32_t low = below(&traffic, 2) * 16;
        uint32_t halves[] = {0xffffU << low, 0xffff0000U >> low, 0xffffU << low, 0xffffU};
        const struct wm_write_mask written = {.address = ask.line * 128, .words = halves};
        ask.written = &written;
        serve_at_once(&traffic.pair, &ask, &plain);
    }
    compare_counts(&traffic.pair.cache, &plain, policy, round);
    compare_lines(&traffic.pair.cache, &plain);
    wm_cache_release(&plain);
    release_pair(&traffic.pair);
}

Test(timed_cache, fills_that_come_at_once_count_as_in_the_walk, .timeout = 120)
{
    for (int policy = 0; policy < POLICIES; policy++)
        for (int round = 0; round < 24; round++)
            run_at_once(policies[policy], round, policy + round);
}
