// `opt` at its place in a memory system: never worse than any other entry, and what the host,
// bypasses and kernels do to a cache whose contents are not known.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"
#include "opt_model.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct wm_memory_spec spec_of(enum wm_write_policy l1_policy, uint32_t l1_sets,
                                     uint32_t l1_ways, uint32_t l1_sector)
{
    struct wm_memory_spec spec = small_memory(2, small_cache(l1_sets, l1_ways, 128, l1_sector),
                                              small_cache(8, 16, 128, l1_sector), 2);
    spec.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_opt;
    spec.levels[WM_LEVEL_L1].cache.write_policy = l1_policy;
    spec.levels[WM_LEVEL_L1].cache.write_allocate = l1_policy == WM_WRITE_BACK;
    spec.dram.channels = 1;
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    return spec;
}

static void check_bytes(const struct wm_memory *memory)
{
    uint64_t down = 0, arrived = 0, up = 0, left = 0;
    for (uint32_t sm = 0; sm < memory->spec.sm_count; sm++) {
        down += memory->levels[WM_LEVEL_L1].caches[sm].counters.bytes_to_below;
        up += memory->levels[WM_LEVEL_L1].caches[sm].counters.bytes_from_below;
    }
    for (uint32_t slice = 0; slice < memory->spec.levels[WM_LEVEL_L2].slices; slice++) {
        arrived += memory->levels[WM_LEVEL_L2].caches[slice].counters.bytes_from_above;
        left += memory->levels[WM_LEVEL_L2].caches[slice].counters.bytes_to_above;
    }
    cr_assert_eq(down, arrived);
    cr_assert_eq(up, left);
}

// --- Never worse ---

enum { REQUESTS = 6000 };

static void draw_requests(struct wm_random *random, uint64_t lines, struct wm_request *requests)
{
    for (size_t i = 0; i < REQUESTS;) {
        uint64_t kind = wm_random_below(random, 3), length = 1 + wm_random_below(random, 300);
        uint64_t cycle = 1 + wm_random_below(random, 2 * lines);
        for (uint64_t j = 0; j < length && i < REQUESTS; j++, i++) {
            uint64_t line = kind == 0 ? j % cycle : wm_random_below(random, kind * cycle);
            bool store = wm_random_below(random, 4) == 0;
            requests[i] = (struct wm_request){.address = line * 128,
                                              .sectors = 1 + (uint32_t)wm_random_below(random, 15),
                                              .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                                              .sm = (uint32_t)(line / 4 + j / 50) % 2};
        }
    }
}

struct misses {
    uint64_t l1_loads, l1, l2; // accesses
};

static struct misses run(const struct wm_memory_spec *spec, const struct wm_request *requests)
{
    struct wm_memory *memory = small_memory_new(spec);
    struct misses misses = {0};
    for (size_t i = 0; i < REQUESTS; i++)
        wm_memory_access(memory, &requests[i]);
    check_bytes(memory);
    for (uint32_t sm = 0; sm < spec->sm_count; sm++) {
        misses.l1 += memory->levels[WM_LEVEL_L1].caches[sm].counters.accesses_missed;
        misses.l1_loads += memory->levels[WM_LEVEL_L1].caches[sm].counters.fills / 4;
    }
    for (uint32_t slice = 0; slice < spec->levels[WM_LEVEL_L2].slices; slice++)
        misses.l2 += memory->levels[WM_LEVEL_L2].caches[slice].counters.accesses_missed +
                     memory->levels[WM_LEVEL_L2].caches[slice].counters.writeback_accesses_missed;
    wm_memory_free(memory);
    return misses;
}

// Whole lines, in L1 with a fixed L2 below, then in L2 with a fixed L1 above.
Test(opt_memory, never_misses_more_than_any_entry)
{
    static const enum wm_write_policy policies[] = {WM_WRITE_BACK, WM_WRITE_THROUGH_UPDATE,
                                                    WM_WRITE_THROUGH_EVICT};
    static struct wm_request requests[REQUESTS];
    struct wm_random random;
    wm_random_init(&random, 1, "opt_memory");
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    for (uint32_t machine = 0; machine < 18; machine++) {
        uint32_t sets = 1 + (uint32_t)wm_random_below(&random, 5);
        uint32_t ways = 1 + (uint32_t)wm_random_below(&random, 20);
        struct wm_memory_spec spec = spec_of(policies[machine % 3], sets, ways, 128);
        draw_requests(&random, (uint64_t)sets * ways, requests);
        struct misses limit = run(&spec, requests);
        cr_assert_gt(limit.l1, 0);
        for (size_t entry = 0; entry < count; entry++) {
            spec.levels[WM_LEVEL_L1].cache.replacement = table[entry];
            struct misses other = run(&spec, requests);
            cr_assert_leq(limit.l1, other.l1, "'%s'", table[entry]->name);
            cr_assert_leq(limit.l1_loads, other.l1_loads, "'%s'", table[entry]->name);
        }
        spec.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_lru;
        spec.levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_opt;
        limit = run(&spec, requests);
        for (size_t entry = 0; entry < count; entry++) {
            spec.levels[WM_LEVEL_L2].cache.replacement = table[entry];
            cr_assert_leq(limit.l2, run(&spec, requests).l2, "'%s'", table[entry]->name);
        }
    }
}

// --- What is done to it from outside, against the list of it ---

enum { STEPS = 4000, LINES = 96 };

struct run {
    struct wm_memory *memory;
    struct opt_step steps[STEPS * (LINES + 1)]; // what its L1 had to do
    size_t count;
};

static void note(struct run *run, enum opt_action action, uint64_t line, uint32_t sectors,
                 bool allocate)
{
    run->steps[run->count++] =
        (struct opt_step){.action = action, .line = line, .sectors = sectors, .allocate = allocate};
}

static void note_gone(struct run *run, uint64_t line)
{
    note(run, OPT_CLEAN, line, 0xf, false);
    note(run, OPT_DROP, line, UINT32_MAX, false);
}

static void access_line(struct run *run, struct wm_random *random, uint64_t line)
{
    static const enum wm_cache_hint hints[] = {WM_HINT_DEFAULT, WM_HINT_DEFAULT, WM_HINT_DEFAULT,
                                               WM_HINT_DEFAULT, WM_HINT_DEFAULT, WM_HINT_NO_L1,
                                               WM_HINT_L2_ONLY, WM_HINT_VOLATILE};
    uint64_t kind = wm_random_below(random, 40);
    struct wm_request request = {
        .address = line * 128,
        .sectors = 1 + (uint32_t)wm_random_below(random, 15),
        .kind = kind == 0   ? WM_ACCESS_ATOMIC
                : kind < 12 ? WM_ACCESS_STORE
                            : WM_ACCESS_LOAD,
        .hint = hints[wm_random_below(random, 8)],
    };
    wm_memory_access(run->memory, &request);
    bool around = request.hint == WM_HINT_L2_ONLY || request.hint == WM_HINT_VOLATILE;
    if (request.kind == WM_ACCESS_LOAD && request.hint == WM_HINT_L2_ONLY)
        note(run, OPT_CLEAN, line, 0xf, false);
    else if (request.kind == WM_ACCESS_ATOMIC || around)
        note_gone(run, line);
    else
        note(run, request.kind == WM_ACCESS_LOAD ? OPT_READ : OPT_WRITE, line, request.sectors,
             request.hint != WM_HINT_NO_L1);
}

static void step(struct run *run, struct wm_random *random, bool host_writes)
{
    uint64_t line = wm_random_below(random, LINES), kind = wm_random_below(random, 1000);
    if (kind < 2) {
        wm_memory_kernel_begin(run->memory);
        for (uint64_t i = 0; i < LINES; i++)
            note_gone(run, i);
    } else if (kind < 8) {
        wm_memory_host_read(run->memory, line * 128, 384);
        for (uint64_t i = line; i < LINES && i < line + 3; i++)
            note(run, OPT_CLEAN, i, 0xf, false);
    } else if (kind < 16 && host_writes) {
        wm_memory_host_write(run->memory, line * 128, 256);
        for (uint64_t i = line; i < LINES && i < line + 2; i++)
            note(run, OPT_DROP, i, UINT32_MAX, false);
    } else if (kind < 18) { // more lines than the array has: from the list of them
        wm_memory_host_read(run->memory, 0, UINT64_C(1) << 30);
        for (uint64_t i = 0; i < LINES; i++)
            note(run, OPT_CLEAN, i, 0xf, false);
    } else {
        access_line(run, random, line);
    }
}

Test(opt_memory, finds_what_the_list_of_all_steps_says)
{
    static struct run run;
    struct wm_random random;
    wm_random_init(&random, 2, "opt_memory");
    for (uint32_t machine = 0; machine < 24; machine++) {
        uint32_t sets = 1 + (uint32_t)wm_random_below(&random, 5), ways = 1 + machine % 12;
        struct wm_memory_spec spec = spec_of(WM_WRITE_BACK, sets, ways, 32);
        bool host_writes = machine % 2 == 1;
        run.memory = small_memory_new(&spec);
        run.count = 0;
        for (int i = 0; i < STEPS; i++)
            step(&run, &random, host_writes);
        wm_memory_write_back_all(run.memory);
        struct opt_model_result model = opt_model_run(
            run.steps, run.count, sets, ways, &wm_set_index_modulo, 128, WM_WRITE_BACK, NULL);
        const struct wm_cache_counters *l1 = &run.memory->levels[WM_LEVEL_L1].caches[0].counters;
        cr_assert_eq(l1->hits, model.hits, "machine %u", machine);
        cr_assert_eq(l1->misses, model.misses);
        cr_assert_eq(l1->sector_misses, model.sector_misses);
        cr_assert_eq(l1->allocations, model.allocations);
        cr_assert_eq(l1->fills, model.fills);
        cr_assert_eq(l1->evictions + l1->invalidations +
                         run.memory->levels[WM_LEVEL_L1].caches[0].occupied_lines,
                     l1->allocations);
        if (!host_writes)
            cr_assert_eq(l1->write_backs, model.lines_written_back);
        check_bytes(run.memory);
        wm_memory_free(run.memory);
    }
}

// --- Corners ---

static void load(struct wm_memory *memory, uint64_t line)
{
    struct wm_request request = {.address = line * 128, .sectors = 1, .kind = WM_ACCESS_LOAD};
    wm_memory_access(memory, &request);
}

// The machine fetches before it writes back; but a line that is written back late, at its own miss,
// must be in L2 before it is fetched.
Test(opt_memory, writes_a_line_back_before_it_fetches_it)
{
    struct wm_memory_spec spec = spec_of(WM_WRITE_BACK, 1, 2, 32);
    spec.levels[WM_LEVEL_L2].slices = 1;
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_request store = {
        .address = 128, .sectors = 1, .full_sectors = 1, .kind = WM_ACCESS_STORE};
    wm_memory_access(memory, &store);
    load(memory, 2);
    load(memory, 3);
    load(memory, 2);
    const struct wm_cache_counters *l2 = &memory->levels[WM_LEVEL_L2].caches[0].counters;
    cr_assert_eq(l2->load_misses, 2);
    cr_assert_eq(l2->writeback_accesses, 0);
    load(memory, 1);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_misses, 3);
    cr_assert_eq(l2->writeback_accesses, 1);
    cr_assert_eq(l2->load_hits, 1, "what was just written back is there");
    cr_assert_eq(l2->load_misses, 2);
    wm_memory_free(memory);
}

// A stream is the same as one request after the other.
Test(opt_memory, streams_as_it_is_asked_singly)
{
    struct wm_memory_spec spec = spec_of(WM_WRITE_BACK, 4, 4, 128);
    spec.levels[WM_LEVEL_L2].slices = 1;
    struct wm_memory *stream = small_memory_new(&spec), *singly = small_memory_new(&spec);
    static uint64_t references[5000];
    struct wm_random random;
    wm_random_init(&random, 3, "opt_memory");
    for (size_t i = 0; i < 5000; i++) {
        bool store = wm_random_below(&random, 3) == 0;
        references[i] = wm_random_below(&random, 40) * 128 | (store ? WM_REFERENCE_STORE : 0);
        struct wm_request request = {.address = references[i] & ~WM_REFERENCE_STORE,
                                     .sectors = 1,
                                     .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD};
        wm_memory_access(singly, &request);
    }
    wm_memory_access_references(stream, &(struct wm_request){0}, references, 5000);
    cr_assert_eq(memcmp(&stream->levels[WM_LEVEL_L1].caches[0].counters,
                        &singly->levels[WM_LEVEL_L1].caches[0].counters,
                        sizeof stream->levels[WM_LEVEL_L1].caches[0].counters),
                 0);
    cr_assert_eq(memcmp(&stream->levels[WM_LEVEL_L2].caches[0].counters,
                        &singly->levels[WM_LEVEL_L2].caches[0].counters,
                        sizeof stream->levels[WM_LEVEL_L2].caches[0].counters),
                 0);
    wm_memory_free(stream);
    wm_memory_free(singly);
}

Test(opt_memory, is_refused_where_it_cannot_tell_who_left)
{
    struct wm_memory_spec spec = spec_of(WM_WRITE_BACK, 4, 4, 128);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_error error;
    cr_assert_eq(wm_memory_explain(memory, &error), WM_INVALID);
    cr_assert_not_null(strstr(error.message, "l1.replacement is opt"), "%s", error.message);
    wm_memory_free(memory);
    spec.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_lru;
    spec.levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_opt;
    memory = small_memory_new(&spec);
    cr_assert_eq(wm_memory_explain(memory, &error), WM_INVALID);
    cr_assert_not_null(strstr(error.message, "l2.replacement is opt"), "%s", error.message);
    cr_assert_not(wm_memory_opt_failed(memory));
    wm_memory_free(memory);
    cr_assert_eq(wm_cache_spec_names_victims(&spec.levels[WM_LEVEL_L1].cache, "l1", "", &error),
                 WM_OK);
    cr_assert_eq(wm_cache_spec_names_victims(&spec.levels[WM_LEVEL_L2].cache, "l2", "", &error),
                 WM_INVALID);
    spec.levels[WM_LEVEL_L2].cache.present = false;
    cr_assert_eq(wm_cache_spec_names_victims(&spec.levels[WM_LEVEL_L2].cache, "l2", "", &error),
                 WM_OK);
}

// The constant cache, which is emptied at each kernel, and an L1 that becomes larger.
Test(opt_memory, serves_constants_and_survives_a_resize)
{
    struct wm_memory_spec spec = spec_of(WM_WRITE_BACK, 4, 4, 128);
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] =
        (struct wm_level_spec){.cache = spec.levels[WM_LEVEL_L1].cache, .units_each = 1};
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.write_allocate = false;
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_cache_counters *constant =
        &memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].caches[0].counters;
    for (int round = 0; round < 3; round++) {
        struct wm_request request = {.address = 256, .sectors = 1};
        wm_memory_side_load(memory, WM_SIDE_CACHE_CONSTANT, &request);
    }
    cr_assert_eq(constant->load_hits, 2);
    wm_memory_kernel_begin(memory);
    cr_assert_eq(constant->invalidations, 1);
    struct wm_request store = {.address = 128, .sectors = 1, .kind = WM_ACCESS_STORE};
    wm_memory_access(memory, &store);
    struct wm_error error;
    cr_assert_eq(wm_memory_resize_l1(memory, 4096, 8, &error), WM_OK);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.write_backs, 1);
    load(memory, 1);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 0);
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t line = 1; line < 33; line++)
            load(memory, line);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 33,
                 "all of it fits now");
    wm_memory_free(memory);
}
