// What the bypass entries make of loads and stores, held against the cache operators that do the
// same, and each entry's own idea.
#include "base/numbers/random.h"
#include "mem/bypass/entries.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_memory_spec spec_with(const struct wm_bypass_ops *bypass,
                                       enum wm_bypass_means means, enum wm_write_policy write)
{
    struct wm_memory_spec spec =
        small_memory(2, small_cache(16, 4, 128, 32), small_cache(128, 8, 128, 32), 2);
    spec.levels[WM_LEVEL_L1].cache.write_policy = write;
    spec.levels[WM_LEVEL_L1].cache.write_allocate = write == WM_WRITE_BACK;
    spec.levels[WM_LEVEL_L1].bypass = bypass;
    spec.levels[WM_LEVEL_L1].bypass_means = means;
    return spec;
}

static uint64_t counter(const struct wm_memory *memory, const char *path, const char *name)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; strcmp(components[i].path, path) == 0 && j < components[i].set->count;
             j++)
            if (strcmp(components[i].set->declarations[j].name, name) == 0)
                return ((const uint64_t *)components[i].values)[j];
    cr_assert(false, "no counter %s of %s", name, path);
    return 0;
}

static void assert_equal(const struct wm_memory *a, const struct wm_memory *b, const char *what)
{
    size_t count, others;
    const struct wm_component_counters *first = wm_memory_components(a, &count);
    const struct wm_component_counters *second = wm_memory_components(b, &others);
    cr_assert_eq(count, others);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < first[i].set->count; j++)
            cr_assert_eq(((const uint64_t *)first[i].values)[j],
                         ((const uint64_t *)second[i].values)[j], "%s: %s %s", what, first[i].path,
                         first[i].set->declarations[j].name);
}

static struct wm_request random_request(struct wm_random *random)
{
    struct wm_request request = {
        .address = wm_random_below(random, 400) * 128,
        .sectors = 1 + (uint32_t)wm_random_below(random, 15),
        .sm = (uint32_t)wm_random_below(random, 2),
        .pc = (uint32_t)wm_random_below(random, 8),
    };
    uint64_t kind = wm_random_below(random, 10);
    request.kind = kind < 6 ? WM_ACCESS_LOAD : kind < 9 ? WM_ACCESS_STORE : WM_ACCESS_ATOMIC;
    if (request.kind == WM_ACCESS_STORE)
        request.full_sectors = request.sectors & (uint32_t)wm_random_u64(random);
    return request;
}

// An instruction on the list does what the operator of that meaning does; one that is not does what
// its own says.
Test(bypass, a_listed_instruction_is_one_with_the_operator)
{
    static const struct {
        enum wm_bypass_means means;
        enum wm_cache_hint hint;
    } senses[] = {{WM_BYPASS_MEANS_NO_LOOKUP, WM_HINT_L2_ONLY},
                  {WM_BYPASS_MEANS_NO_ALLOCATION, WM_HINT_NO_L1}};
    for (int round = 0; round < 6; round++) {
        enum wm_write_policy write = (enum wm_write_policy)(round / 2);
        struct wm_memory_spec listing =
            spec_with(&wm_bypass_per_pc, senses[round % 2].means, write);
        struct wm_memory_spec obeying =
            spec_with(&wm_bypass_cache_operator, WM_BYPASS_MEANS_NO_LOOKUP, write);
        struct wm_memory *listed = small_memory_new(&listing), *marked = small_memory_new(&obeying);
        struct wm_random random;
        wm_random_init(&random, 1, "listed");
        for (int i = 0; i < 20000; i++) {
            struct wm_request request = random_request(&random);
            request.hint = (enum wm_cache_hint)wm_random_below(&random, WM_HINT_NO_L1 + 1);
            bool is_listed = request.pc < 3 && request.hint != WM_HINT_VOLATILE;
            request.listed = is_listed ? WM_BYPASS_LISTED_BYPASS : WM_BYPASS_LISTED_NOT;
            wm_memory_access(listed, &request);
            request.hint = is_listed ? senses[round % 2].hint : request.hint;
            request.listed = WM_BYPASS_LISTED_NOT;
            wm_memory_access(marked, &request);
        }
        assert_equal(listed, marked, "per-pc");
        cr_assert_gt(counter(listed, "gpu0.sm[0].l1", "hits"), 100);
        wm_memory_free(listed);
        wm_memory_free(marked);
    }
}

// Words of a list, and the operators that they are.
static const struct {
    enum wm_bypass_list_entry listed;
    enum wm_cache_hint hint;
} words[] = {{WM_BYPASS_LISTED_CACHE, WM_HINT_DEFAULT},
             {WM_BYPASS_LISTED_L2, WM_HINT_L2_ONLY},
             {WM_BYPASS_LISTED_NO_ALLOCATE, WM_HINT_NO_L1}};
enum { WORDS = sizeof words / sizeof words[0] };

// They do what these operators do, whatever the instruction's own says and whatever the machine
// means by a bypass.
Test(bypass, a_list_may_name_operators)
{
    for (int round = 0; round < 6; round++) {
        enum wm_write_policy write = (enum wm_write_policy)(round / 2);
        struct wm_memory_spec listing =
            spec_with(&wm_bypass_per_pc,
                      round % 2 ? WM_BYPASS_MEANS_NO_LOOKUP : WM_BYPASS_MEANS_NO_ALLOCATION, write);
        struct wm_memory_spec obeying =
            spec_with(&wm_bypass_cache_operator, WM_BYPASS_MEANS_NO_LOOKUP, write);
        struct wm_memory *listed = small_memory_new(&listing), *marked = small_memory_new(&obeying);
        struct wm_random random;
        wm_random_init(&random, 1, "operators");
        for (int i = 0; i < 20000; i++) {
            struct wm_request request = random_request(&random);
            request.hint = wm_random_below(&random, 2) ? WM_HINT_L2_ONLY : WM_HINT_DEFAULT;
            uint32_t word = request.pc % (WORDS + 1); // the last one: not in the list
            request.listed = (uint8_t)(word < WORDS ? words[word].listed : WM_BYPASS_LISTED_NOT);
            wm_memory_access(listed, &request);
            request.hint = word < WORDS ? words[word].hint : request.hint;
            request.listed = WM_BYPASS_LISTED_NOT;
            wm_memory_access(marked, &request);
        }
        assert_equal(listed, marked, "operators");
        cr_assert_gt(counter(listed, "gpu0.sm[0].l1", "hits"), 100);
        wm_memory_free(listed);
        wm_memory_free(marked);
    }
}

Test(bypass, none_does_not_listen_to_operators)
{
    struct wm_memory_spec deaf = spec_with(&wm_bypass_none, 0, WM_WRITE_BACK);
    struct wm_memory_spec plain = spec_with(NULL, 0, WM_WRITE_BACK);
    struct wm_memory *with_hints = small_memory_new(&deaf), *without = small_memory_new(&plain);
    struct wm_memory *obeying = small_memory_new(&plain);
    struct wm_random random;
    wm_random_init(&random, 1, "none");
    for (int i = 0; i < 20000; i++) {
        struct wm_request request = random_request(&random);
        // Volatile accesses are no hint: they go around under every entry.
        bool is_volatile = wm_random_below(&random, 20) == 0;
        request.hint = is_volatile ? WM_HINT_VOLATILE : WM_HINT_L2_ONLY;
        request.listed = true;
        wm_memory_access(with_hints, &request);
        wm_memory_access(obeying, &request);
        request.hint = is_volatile ? WM_HINT_VOLATILE : WM_HINT_DEFAULT;
        wm_memory_access(without, &request);
    }
    assert_equal(with_hints, without, "none");
    cr_assert_eq(counter(obeying, "gpu0.sm[0].l1", "hits"), 0);
    cr_assert_gt(counter(with_hints, "gpu0.sm[0].l1", "hits"), 100);
    wm_memory_free(with_hints);
    wm_memory_free(without);
    wm_memory_free(obeying);
}

// The idea of per-pc: one load goes round and round over what fits, another streams. Together they
// thrash under LRU; with the streaming one listed the other's lines stay.
static uint64_t hits_of_loop(bool listed)
{
    struct wm_memory_spec spec = spec_with(&wm_bypass_per_pc, 0, WM_WRITE_THROUGH_EVICT);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint64_t i = 0; i < 64 * 100; i++) {
        struct wm_request reused = {.address = i % 64 * 128, .sectors = 1, .pc = 1};
        struct wm_request streamed = {
            .address = (1000 + i) * 128, .sectors = 1, .pc = 2, .listed = listed};
        wm_memory_access(memory, &reused);
        wm_memory_access(memory, &streamed);
    }
    uint64_t hits = counter(memory, "gpu0.sm[0].l1", "hits");
    wm_memory_free(memory);
    return hits;
}

Test(bypass, listing_the_stream_keeps_the_loop)
{
    cr_assert_eq(hits_of_loop(false), 0);
    cr_assert_eq(hits_of_loop(true), 64 * 99);
}

// An entry with a state and all hooks: its hooks get each access that was looked for, and kernels,
// and each SM has its own.
struct watch {
    uint64_t asked, served, missing, kernels, way_count, parameter;
};

static struct watch seen[2];

static void watch_reset(void *state, const struct wm_bypass_geometry *geometry)
{
    struct watch *watch = state;
    watch->way_count = geometry->ways;
    watch->parameter = geometry->parameters[0];
}

static enum wm_bypass_decision watch_decide(void *state, const struct wm_bypass_event *event)
{
    struct watch *watch = state;
    watch->asked++;
    seen[event->sm] = *watch;
    return watch->asked % 3 == 0 ? WM_BYPASS_LOOKUP : WM_BYPASS_NO;
}

static void watch_served(void *state, const struct wm_bypass_event *event, uint32_t missing)
{
    struct watch *watch = state;
    cr_assert_eq(missing & ~event->sectors, 0);
    watch->served++;
    watch->missing += (uint64_t)__builtin_popcount(missing);
    seen[event->sm] = *watch;
}

static void watch_kernel(void *state)
{
    ((struct watch *)state)->kernels++;
}

Test(bypass, entries_with_a_state_are_told_what_became_of_accesses)
{
    static const struct wm_parameter parameters[] = {{"third", "every so many", 1, 9, 3}};
    static const struct wm_bypass_ops ops = {
        .name = "watch",
        .parameters = parameters,
        .parameter_count = 1,
        .state_bytes = sizeof(struct watch),
        .decide = watch_decide,
        .reset = watch_reset,
        .served = watch_served,
        .kernel = watch_kernel,
    };
    struct wm_memory_spec spec = spec_with(&ops, 0, WM_WRITE_THROUGH_UPDATE);
    spec.levels[WM_LEVEL_L1].bypass_values = (struct wm_entry_values){.values = {5}, .given = 1};
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_random random;
    wm_random_init(&random, 1, "watch");
    uint64_t asked[2] = {0};
    wm_memory_kernel_begin(memory);
    wm_memory_kernel_begin(memory);
    for (int i = 0; i < 5000; i++) {
        struct wm_request request = random_request(&random);
        request.hint = i % 7 == 0 ? WM_HINT_VOLATILE : WM_HINT_DEFAULT;
        asked[request.sm] += request.kind != WM_ACCESS_ATOMIC && i % 7 != 0;
        wm_memory_access(memory, &request);
    }
    for (int sm = 0; sm < 2; sm++) {
        const char *path = sm == 0 ? "gpu0.sm[0].l1" : "gpu0.sm[1].l1";
        cr_assert_eq(seen[sm].asked, asked[sm]);
        cr_assert_eq(seen[sm].served, asked[sm] - asked[sm] / 3);
        cr_assert_eq(seen[sm].missing, counter(memory, path, "misses"));
        cr_assert_eq(seen[sm].kernels, 2);
        cr_assert_eq(seen[sm].way_count, 4);
        cr_assert_eq(seen[sm].parameter, 5);
    }
    wm_memory_free(memory);
}

// Streams take the same way as requests, whatever the entry.
Test(bypass, streams_are_asked_about_too)
{
    struct wm_memory_spec spec = spec_with(&wm_bypass_none, 0, WM_WRITE_BACK);
    spec.levels[WM_LEVEL_L1].cache.sector_bytes = spec.levels[WM_LEVEL_L2].cache.sector_bytes =
        128; // else they are not batched anyway
    struct wm_memory_spec plain = spec;
    plain.levels[WM_LEVEL_L1].bypass = NULL;
    struct wm_memory *asked = small_memory_new(&spec), *batched = small_memory_new(&plain);
    struct wm_random random;
    wm_random_init(&random, 1, "streams");
    static uint64_t references[4000];
    for (size_t i = 0; i < 4000; i++)
        references[i] = wm_random_below(&random, 40000) | (i % 5 == 0 ? WM_REFERENCE_STORE : 0);
    wm_memory_access_references(asked, &(struct wm_request){.sm = 1}, references, 4000);
    wm_memory_access_references(batched, &(struct wm_request){.sm = 1}, references, 4000);
    assert_equal(asked, batched, "stream");
    wm_memory_free(asked);
    wm_memory_free(batched);
}

// --- Contention ---

// The thesis' numbers (docs/studies/anssari.md): 512 lines divided by the warps, and strictly less.
Test(bypass, contention_divides_the_lines_among_the_warps)
{
    static const struct {
        uint32_t warps, most; // lines that are still cached
    } rows[] = {{64, 7}, {48, 9}, {32, 15}, {24, 20}, {16, 31}, {15, 33}, {1, 511}};
    _Alignas(64) unsigned char state[64];
    uint64_t parameters[WM_MAX_PARAMETERS] = {0};
    struct wm_bypass_geometry geometry = {
        .sets = 128, .ways = 4, .line_bytes = 128, .parameters = parameters};
    cr_assert_leq(wm_bypass_contention.state_bytes, sizeof state);
    for (int constant = 0; constant < 2; constant++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            parameters[0] = constant ? rows[i].warps : 0;
            memset(state, 0, sizeof state);
            wm_bypass_contention.reset(state, &geometry);
            struct wm_bypass_event event = {.lines = rows[i].most,
                                            .resident_warps = constant ? 3 : rows[i].warps};
            cr_assert_eq(wm_bypass_contention.decide(state, &event), WM_BYPASS_NO, "%u warps",
                         rows[i].warps);
            event.lines++;
            cr_assert_eq(wm_bypass_contention.decide(state, &event), WM_BYPASS_YES);
            event.kind = WM_ACCESS_STORE;
            cr_assert_eq(wm_bypass_contention.decide(state, &event), WM_BYPASS_NO);
        }
}

// The lines are those of the instruction, however many requests it makes.
Test(bypass, contention_is_told_of_the_instruction)
{
    struct wm_memory_spec spec =
        spec_with(&wm_bypass_contention, WM_BYPASS_MEANS_NO_ALLOCATION, WM_WRITE_THROUGH_UPDATE);
    struct wm_memory *memory = small_memory_new(&spec); // 64 lines
    struct wm_line_request lines[8];
    for (uint32_t i = 0; i < 8; i++)
        lines[i] = (struct wm_line_request){.line_address = i * 128, .sectors = 1};
    struct wm_request who = {.kind = WM_ACCESS_LOAD, .resident_warps = 8};
    wm_memory_access_lines(memory, &who, lines, 8);
    cr_assert_not(wm_memory_l1_holds(memory, 0, 0));
    wm_memory_access_lines(memory, &who, lines, 7);
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(wm_memory_l1_holds(memory, 0, i * 128), i < 7);
    wm_memory_free(memory);
}
