// Random traffic through machines of every pair of choices (memory_pairs.h), against the obvious
// memory system (obvious_memory.h), counter by counter as it goes; and the invariants that hold
// whatever the choices.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "memory_pairs.h"
#include "obvious_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { STEPS = 3000, COMPARE_EVERY = 10, PCS = 8, MOST_LINES = 12 };

// One machine under test, its model, and what they are given.
struct run {
    struct memory_choices choices;
    struct wm_memory_spec spec;
    struct wm_memory *memory;
    struct obvious_memory *model;
    struct wm_random random;
    uint64_t lines; // that addresses are spread over
    struct wm_instruction_counters counters_by_pc[PCS];
    struct wm_instruction_misses explained[PCS];
};

static uint64_t below(struct run *run, uint64_t limit)
{
    return wm_random_below(&run->random, limit);
}

static bool one_in(struct run *run, uint64_t count)
{
    return below(run, count) == 0;
}

// --- Traffic ---

static uint64_t random_address(struct run *run)
{
    uint64_t spread = one_in(run, 4) ? 40 * run->lines : run->lines;
    return UINT64_C(0x7f0000000) + below(run, spread) * 128 + below(run, 128);
}

static uint32_t random_sectors(struct run *run, uint32_t line_bytes)
{
    uint32_t line_sectors = line_bytes / 32;
    uint32_t all = line_sectors == 32 ? UINT32_MAX : (UINT32_C(1) << line_sectors) - 1;
    uint32_t sectors = (uint32_t)wm_random_u64(&run->random) & all;
    if (sectors == 0 || one_in(run, 3))
        sectors = UINT32_C(1) << below(run, line_sectors);
    return one_in(run, 6) ? all : sectors;
}

// Whole sectors, halves of them that may meet, and odd parts.
static void random_bytes(struct run *run, struct wm_request *request, uint32_t *bytes)
{
    static const uint32_t parts[] = {0xffff, 0xffff0000, 0xff, 0xf0000000, 0xfffffffe};
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t part = parts[below(run, 5)];
        if (one_in(run, 8))
            part = (uint32_t)wm_random_u64(&run->random) | 1;
        bytes[i] = one_in(run, 2) ? UINT32_MAX : part;
        if ((request->sectors >> i & 1) && bytes[i] == UINT32_MAX)
            request->full_sectors |= UINT32_C(1) << i;
    }
    request->bytes = bytes;
}

static struct wm_request random_request(struct run *run, uint32_t line_bytes)
{
    uint32_t pc = (uint32_t)below(run, PCS);
    return (struct wm_request){
        .address = random_address(run) / line_bytes * line_bytes,
        .sectors = random_sectors(run, line_bytes),
        .sm = (uint32_t)below(run, CHOICE_SMS),
        .warp = (uint32_t)below(run, 48),
        .pc = pc,
        .listed = pc % 3 == 0,
        .block = below(run, 4),
        .instruction_counters = &run->counters_by_pc[pc],
        .explained = &run->explained[pc],
    };
}

static struct wm_request random_access(struct run *run)
{
    struct wm_request request = random_request(run, run->spec.levels[WM_LEVEL_L1].cache.line_bytes);
    uint64_t kind = below(run, 10);
    request.kind = kind < 5   ? WM_ACCESS_LOAD
                   : kind < 8 ? WM_ACCESS_STORE
                   : kind < 9 ? WM_ACCESS_ATOMIC
                              : WM_ACCESS_REDUCTION;
    if (run->choices.value[CHOICE_HINTS] == 1) {
        request.hint = (enum wm_cache_hint)below(run, WM_HINT_NO_L1 + 1);
        request.around_l1 = request.hint == WM_HINT_L2_ONLY && one_in(run, 2);
    }
    return request;
}

static void access(struct run *run)
{
    uint32_t bytes[32];
    struct wm_request request = random_access(run);
    if (request.kind == WM_ACCESS_STORE)
        random_bytes(run, &request, bytes);
    wm_memory_access(run->memory, &request);
    obvious_serve(run->model, &request);
}

// Of an instruction: other lines than the one before.
static uint32_t random_lines(struct run *run, struct wm_request *requests)
{
    uint32_t most = 1 + (uint32_t)below(run, MOST_LINES), count = 0;
    for (uint32_t tried = 0; tried < most; tried++) {
        struct wm_request *request = &requests[count];
        *request = requests[0];
        request->address = random_address(run) / run->spec.levels[WM_LEVEL_L1].cache.line_bytes *
                           run->spec.levels[WM_LEVEL_L1].cache.line_bytes;
        request->sectors = random_sectors(run, run->spec.levels[WM_LEVEL_L1].cache.line_bytes);
        bool is_new = true;
        for (uint32_t i = 0; i < count; i++)
            is_new = is_new && requests[i].address != request->address;
        count += is_new;
    }
    return count;
}

// Several lines of one instruction at once; the model gets them one by one, in the order that
// docs/memory-system.md says (R6).
static void instruction(struct run *run)
{
    struct wm_request who = random_access(run), requests[MOST_LINES + 1] = {who};
    struct wm_line_request lines[MOST_LINES];
    bool first[MOST_LINES],
        reorders = run->spec.levels[WM_LEVEL_L1].allocation == WM_ALLOCATE_STREAMING;
    uint32_t bytes[MOST_LINES * 32],
        line_sectors = run->spec.levels[WM_LEVEL_L1].cache.line_bytes / 32;
    reorders = reorders && who.kind == WM_ACCESS_LOAD && !who.around_l1;
    uint32_t count = random_lines(run, requests);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t all[32];
        first[i] = !reorders || wm_memory_l1_holds(run->memory, who.sm, requests[i].address);
        random_bytes(run, &requests[i], all);
        if (who.kind != WM_ACCESS_STORE)
            requests[i].full_sectors = 0;
        memcpy(bytes + i * line_sectors, all, line_sectors * sizeof *all);
        requests[i].bytes = bytes + i * line_sectors;
        requests[i].lines = (uint16_t)count;
        lines[i] = (struct wm_line_request){.line_address = requests[i].address,
                                            .sectors = requests[i].sectors,
                                            .full_sectors = requests[i].full_sectors};
    }
    who.bytes = bytes;
    wm_memory_access_lines(run->memory, &who, lines, count);
    for (uint32_t i = 0; i < count; i++)
        if (first[i])
            obvious_serve(run->model, &requests[i]);
    for (uint32_t i = 0; i < count; i++)
        if (!first[i])
            obvious_serve(run->model, &requests[i]);
}

static void load_side_cache(struct run *run)
{
    enum wm_side_cache_kind kind = (enum wm_side_cache_kind)below(run, WM_SIDE_CACHE_KINDS);
    uint32_t line_bytes = run->spec.levels[WM_LEVEL_SIDE + kind].cache.line_bytes;
    if (!run->spec.levels[WM_LEVEL_SIDE + kind].cache.present)
        line_bytes = run->spec.levels[WM_LEVEL_L1].cache.line_bytes;
    struct wm_request request = random_request(run, line_bytes);
    wm_memory_side_load(run->memory, kind, &request);
    obvious_side_cache_load(run->model, kind, &request);
}

static void stream(struct run *run)
{
    uint64_t references[40], count = below(run, 40),
                             line_bytes = run->spec.levels[WM_LEVEL_L1].cache.line_bytes;
    uint32_t sm = (uint32_t)below(run, CHOICE_SMS);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t address = random_address(run), within = address % line_bytes;
        bool store = one_in(run, 3);
        references[i] = address | (store ? WM_REFERENCE_STORE : 0);
        uint32_t bytes[32] = {0};
        for (uint64_t byte = address % 32; byte < 32 && byte < address % 32 + 4; byte++)
            bytes[within / 32] |= UINT32_C(1) << byte;
        struct wm_request request = {
            .address = address - within,
            .sectors = UINT32_C(1) << within / 32,
            .bytes = bytes,
            .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
            .sm = sm,
        };
        obvious_translate(run->model, &request, &request.address, 1);
        obvious_serve(run->model, &request);
    }
    wm_memory_access_references(run->memory, &(struct wm_request){.sm = sm}, references, count);
}

static void translate(struct run *run)
{
    uint64_t addresses[8], count = 1 + below(run, 8);
    struct wm_request who = random_request(run, run->spec.levels[WM_LEVEL_L1].cache.line_bytes);
    for (uint64_t i = 0; i < count; i++)
        addresses[i] = random_address(run) + below(run, 24) * 4096;
    wm_memory_translate(run->memory, &who, addresses, count);
    obvious_translate(run->model, &who, addresses, count);
}

// The host's doings, and what happens between kernels.
static void host_step(struct run *run)
{
    uint64_t address = random_address(run), size = below(run, 600);
    if (one_in(run, 8))
        size *= 200;
    switch (below(run, 8)) {
    case 0:
    case 1:
    case 2:
        wm_memory_host_read(run->memory, address, size);
        obvious_host_read(run->model, address, size);
        return;
    case 3:
    case 4:
        wm_memory_host_write(run->memory, address, size);
        obvious_host_write(run->model, address, size);
        return;
    case 5:
        wm_memory_kernel_begin(run->memory);
        obvious_kernel_begin(run->model);
        return;
    case 6:
        wm_memory_write_back_all(run->memory);
        obvious_drain(run->model);
        return;
    default: {
        uint64_t way_bytes = run->spec.levels[WM_LEVEL_L1].cache.size_bytes /
                             run->spec.levels[WM_LEVEL_L1].cache.ways;
        uint32_t ways = 1 + (uint32_t)below(run, 2) * run->spec.levels[WM_LEVEL_L1].cache.ways;
        cr_assert_eq(wm_memory_resize_l1(run->memory, ways * way_bytes, ways, NULL), WM_OK);
        obvious_resize_l1(run->model, ways * way_bytes, ways);
    }
    }
}

static void step(struct run *run)
{
    uint64_t choice = below(run, 100);
    if (choice < 4)
        load_side_cache(run);
    else if (choice < 6)
        host_step(run);
    else if (choice < 12)
        translate(run);
    else if (choice < 16 && run->choices.value[CHOICE_STREAMS] == 1)
        stream(run);
    else if (choice < 22)
        instruction(run);
    else
        access(run);
}

// --- What must hold on any machine ---

static void check_cache(const struct wm_cache_counters *c)
{
    cr_assert_eq(c->accesses, c->load_accesses + c->store_accesses + c->atomic_accesses);
    cr_assert_eq(c->hits, c->load_hits + c->store_hits + c->atomic_hits);
    cr_assert_eq(c->misses, c->load_misses + c->store_misses + c->atomic_misses);
    cr_assert_leq(c->sector_misses, c->misses);
    cr_assert_leq(c->evictions, c->allocations);
    const struct wm_load_miss_counters *w = &c->load_miss_counts;
    cr_assert_eq(w->coherent_loads, w->coherent_loads_cached + w->coherent_loads_missed_1 +
                                        w->coherent_loads_missed_2);
    cr_assert_eq(w->divergent_loads, w->divergent_loads_cached + w->divergent_loads_missed_1 +
                                         w->divergent_loads_missed_2 +
                                         w->divergent_loads_missed_more +
                                         w->divergent_loads_missed_32);
}

// What leaves one level is what enters the next.
static void check_boundaries(const struct wm_memory *memory)
{
    uint64_t down = 0, up = 0, l2_in = 0, l2_out = 0, l2_down = 0, l2_up = 0, read = 0, written = 0;
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++) {
        const char *kind = components[i].set->kind;
        if (strcmp(kind, "dram") == 0) {
            const struct wm_dram_counters *dram = (const void *)components[i].values;
            read += dram->bytes_read;
            written += dram->bytes_written;
            cr_assert_leq(dram->bytes_read + dram->bytes_written, dram->bytes_transferred);
        } else if (strstr(kind, "_tlb") != NULL && memory->spec.tlb.walks_use_l2) {
            up += ((const struct wm_tlb_counters *)(const void *)components[i].values)->bytes;
        } else if (components[i].set->declarations == wm_l1_counter_set.declarations ||
                   components[i].set->declarations == wm_l2_counter_set.declarations) {
            const struct wm_cache_counters *c = (const void *)components[i].values;
            bool l2 = strcmp(kind, "l2") == 0;
            check_cache(c);
            l2_in += l2 ? c->bytes_from_above : 0;
            l2_out += l2 ? c->bytes_to_above : 0;
            *(l2 ? &l2_down : &down) += c->bytes_to_below;
            *(l2 ? &l2_up : &up) += c->bytes_from_below;
        }
    }
    if (memory->levels[WM_LEVEL_L1].caches != NULL && memory->levels[WM_LEVEL_L2].caches != NULL) {
        cr_assert_eq(down, l2_in);
        cr_assert_eq(up, l2_out);
    }
    cr_assert(memory->levels[WM_LEVEL_L2].caches == NULL || (l2_down == written && l2_up == read));
    cr_assert(memory->levels[WM_LEVEL_L2].caches != NULL ||
              memory->levels[WM_LEVEL_L1].caches == NULL || down == written);
}

// What the instructions were charged, and no instruction was, is what the components counted.
static void check_causes(const struct run *run)
{
    const struct wm_memory *memory = run->memory;
    struct wm_instruction_counters charged = memory->unattributed;
    for (size_t i = 0; i < PCS; i++) {
        charged.levels[WM_LEVEL_L1].hits += run->counters_by_pc[i].levels[WM_LEVEL_L1].hits;
        charged.levels[WM_LEVEL_L1].misses += run->counters_by_pc[i].levels[WM_LEVEL_L1].misses;
        charged.levels[WM_LEVEL_L2].hits += run->counters_by_pc[i].levels[WM_LEVEL_L2].hits;
        charged.levels[WM_LEVEL_L2].misses += run->counters_by_pc[i].levels[WM_LEVEL_L2].misses;
        charged.levels[WM_LEVEL_L2].bytes += run->counters_by_pc[i].levels[WM_LEVEL_L2].bytes;
        charged.memory_bytes += run->counters_by_pc[i].memory_bytes;
    }
    uint64_t l1_hits = 0, l1_misses = 0, l2_hits = 0, l2_misses = 0, between = 0;
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++) {
        l1_hits += memory->levels[WM_LEVEL_L1].caches[i].counters.hits;
        l1_misses += memory->levels[WM_LEVEL_L1].caches[i].counters.misses;
    }
    for (uint32_t slice = 0; memory->levels[WM_LEVEL_L2].caches != NULL &&
                             slice < memory->spec.levels[WM_LEVEL_L2].slices;
         slice++) {
        const struct wm_cache_counters *c = &memory->levels[WM_LEVEL_L2].caches[slice].counters;
        l2_hits += c->hits;
        l2_misses += c->misses;
        between += c->bytes_from_above + c->bytes_to_above;
    }
    // In a batch of a stream no instruction is charged.
    if (run->choices.value[CHOICE_STREAMS] == 1)
        return;
    cr_assert_eq(charged.levels[WM_LEVEL_L1].hits, l1_hits);
    cr_assert_eq(charged.levels[WM_LEVEL_L1].misses, l1_misses);
    cr_assert_eq(charged.levels[WM_LEVEL_L2].hits, l2_hits);
    cr_assert_eq(charged.levels[WM_LEVEL_L2].misses, l2_misses);
    if (memory->levels[WM_LEVEL_L2].caches != NULL)
        cr_assert_eq(charged.levels[WM_LEVEL_L2].bytes, between);
}

// --- The tests ---

static void choose_path(struct run *run)
{
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    uint8_t choice = run->choices.value[CHOICE_PATHS];
    if (choice == CHOICE_EXPLAINED)
        cr_assert_eq(wm_memory_explain(run->memory, NULL), WM_OK);
    else if (choice == CHOICE_FULL)
        run->memory->paths = &wm_memory_paths_full;
    else if (!wm_memory_needs_full(&run->spec))
        run->memory->paths = paths[choice < count ? choice : count - 1];
}

static void run_machine(const struct memory_choices *choices, size_t machine, uint32_t steps)
{
    struct run *run = calloc(1, sizeof *run);
    run->choices = *choices;
    run->spec = memory_spec_of(choices);
    run->lines = machine % 3 == 0 ? 16 : machine % 3 == 1 ? 80 : 300;
    wm_random_init(&run->random, machine, "traffic");
    struct wm_error error;
    cr_assert_eq(wm_memory_new(&run->spec, "gpu0", &run->memory, &error), WM_OK, "%s",
                 error.message);
    choose_path(run);
    run->model = obvious_memory_new(&run->spec);
    for (uint32_t i = 0; i < steps; i++) {
        step(run);
        if (i % COMPARE_EVERY != COMPARE_EVERY - 1)
            continue;
        bool equal = obvious_equal(run->model, run->memory);
        if (!equal)
            memory_choices_print(choices);
        cr_assert(equal, "machine %zu, at access %u", machine, i);
    }
    check_boundaries(run->memory);
    check_causes(run);
    wm_memory_free(run->memory);
    obvious_memory_free(run->model);
    free(run);
}

// Which sets an index serves is its own, so that choices of it are listed by hand.
Test(memory_random, choices_have_every_set_index)
{
    size_t count;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&count);
    struct memory_choices choices = {{0}};
    for (size_t i = 0; i < count; i++) {
        bool chosen = false;
        for (uint8_t sets = 0; sets < CHOICE_SETS; sets++) {
            choices.value[CHOICE_L1_SETS] = sets;
            chosen =
                chosen || memory_spec_of(&choices).levels[WM_LEVEL_L1].cache.set_index == table[i];
        }
        cr_expect(chosen, "'%s' is none of set_choices in memory_pairs.c", table[i]->name);
    }
}

Test(memory_random, every_pair_of_choices_counts_as_the_model)
{
    static struct memory_choices machines[CHOICE_MOST_MACHINES];
    size_t impossible, count = memory_pairs(machines, &impossible);
    cr_assert_eq(impossible, 0);
    cr_assert_geq(count, CHOICE_MOST_VALUES * CHOICE_MOST_VALUES);
    for (size_t i = 0; i < count; i++)
        run_machine(&machines[i], i, TEST_ROUNDS(STEPS));
}

// Pairs are not everything: three choices may have to meet.
Test(memory_random, machines_of_any_choices_count_as_the_model)
{
    struct wm_random random;
    wm_random_init(&random, 2, "machines");
    for (size_t i = 0; i < TEST_ROUNDS(300); i++) {
        struct memory_choices machine;
        memory_any(&random, &machine);
        run_machine(&machine, 1000 + i, STEPS / 2);
    }
}

// The plainest machines, whose caches are served in batches (mem/access_path/request_run.h), and
// those one choice away from them.
Test(memory_random, streams_through_plain_machines_count_as_the_model)
{
    static const int chosen[] = {CHOICE_L1_REPLACEMENT, CHOICE_L2_REPLACEMENT, CHOICE_L1_WAYS,
                                 CHOICE_L2_WAYS,        CHOICE_L1_FLUSH,       CHOICE_L1_SMS_EACH,
                                 CHOICE_ORDER,          CHOICE_DRAM_ACCESS,    CHOICE_HASH,
                                 CHOICE_L2_LIMIT,       CHOICE_PATHS};
    struct wm_random random;
    wm_random_init(&random, 3, "plain machines");
    for (size_t i = 0; i < TEST_ROUNDS(150); i++) {
        struct memory_choices any, plain = {{0}};
        memory_any(&random, &any);
        for (size_t j = 0; j < sizeof chosen / sizeof chosen[0]; j++)
            plain.value[chosen[j]] = any.value[chosen[j]];
        plain.value[CHOICE_L1_LINE] = plain.value[CHOICE_L2_LINE] = any.value[CHOICE_L1_LINE];
        plain.value[CHOICE_L1_SECTOR] = plain.value[CHOICE_L2_SECTOR] = 2; // the line
        plain.value[CHOICE_L1_SETS] = any.value[CHOICE_L1_SETS] % 2;       // modulo
        plain.value[CHOICE_L2_SETS] = any.value[CHOICE_L2_SETS] % 2;
        plain.value[CHOICE_STREAMS] = 1;
        plain.value[i % 3 == 0 ? CHOICE_L1_FETCH : CHOICE_L2_FETCH] =
            i % 2 == 0 ? WM_FETCH_PARTIAL : WM_FETCH_ALWAYS;
        run_machine(&plain, 2000 + i, STEPS / 3);
    }
}

// One machine on each of the builds of the access path.
Test(memory_random, every_path_counts_as_the_model)
{
    static struct memory_choices machines[CHOICE_MOST_MACHINES];
    size_t impossible, count = memory_pairs(machines, &impossible);
    for (size_t i = 0; i < count; i += 16)
        for (uint8_t path = 0; path <= CHOICE_EXPLAINED; path++) {
            struct memory_choices choices = machines[i];
            choices.value[CHOICE_PATHS] = path;
            run_machine(&choices, i, STEPS / 2);
        }
}
