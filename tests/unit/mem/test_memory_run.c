// Requests of many instructions at once (wm_memory_access_run), their requests to L2 queued for
// several such runs, against the same instructions one by one, on random machines and every build
// of the access path: all that is counted is the same.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"
#include "memory_pairs.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MACHINES = 250, RUNS = 60, HEADS = 24, LINES = 6, PCS = 6 };

// `together` gets runs, `alone` their instructions.
struct pair {
    struct wm_memory *together, *alone;
    struct wm_instruction_counters counters_by_pc[2][PCS];
    uint8_t listed[PCS];
    struct wm_random random;
    uint32_t line_bytes;
    uint64_t lines; // that addresses are spread over
    bool hints;
};

static uint64_t below(struct pair *pair, uint64_t limit)
{
    return wm_random_below(&pair->random, limit);
}

// Different lines of one instruction, often near each other; of sectors often all.
static uint32_t draw_lines(struct pair *pair, struct wm_line_request *lines)
{
    uint32_t count = 1 + (below(pair, 2) == 0 ? 0 : (uint32_t)below(pair, LINES));
    uint32_t sectors = pair->line_bytes / 32, all = UINT32_MAX >> (32 - sectors);
    uint64_t first = below(pair, pair->lines), step = 1 + below(pair, 3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = below(pair, 3) == 0 ? (uint32_t)wm_random_u64(&pair->random) & all : all;
        mask = mask != 0 ? mask : 1;
        lines[i] = (struct wm_line_request){.line_address = (first + step * i) * pair->line_bytes,
                                            .sectors = mask,
                                            .full_sectors = mask & 5};
    }
    return count;
}

static struct wm_request_head draw_head(struct pair *pair, uint32_t sm, uint32_t count)
{
    struct wm_request_head head = {
        .pc = (uint32_t)below(pair, PCS),
        .sm = sm,
        .warp = (uint32_t)below(pair, 40),
        .count = (uint8_t)count,
        .kind = (uint8_t)(below(pair, 4) == 0 ? below(pair, 4) : WM_ACCESS_LOAD),
        .hint = (uint8_t)(pair->hints ? below(pair, WM_HINT_NO_L1 + 1) : WM_HINT_DEFAULT),
        .resident_warps = (uint16_t)below(pair, 40),
    };
    head.around_l1 = head.hint == WM_HINT_L2_ONLY && below(pair, 2) == 0;
    return head;
}

static void serve_alone(struct pair *pair, const struct wm_request_head *head,
                        const struct wm_line_request *lines)
{
    const struct wm_request who = {.kind = (enum wm_access_kind)head->kind,
                                   .hint = (enum wm_cache_hint)head->hint,
                                   .sm = head->sm,
                                   .warp = head->warp,
                                   .pc = head->pc,
                                   .around_l1 = head->around_l1,
                                   .listed = pair->listed[head->pc],
                                   .resident_warps = head->resident_warps,
                                   .instruction_counters = &pair->counters_by_pc[1][head->pc]};
    uint64_t addresses[LINES + 1];
    for (uint32_t i = 0; i < head->count; i++)
        addresses[i] = lines[i].line_address;
    wm_memory_translate(pair->alone, &who, addresses, head->count);
    wm_memory_access_lines(pair->alone, &who, lines, head->count);
}

static void serve_run(struct pair *pair)
{
    struct wm_request_head heads[HEADS];
    struct wm_line_request lines[HEADS * (LINES + 1)];
    struct wm_request_run run = {.heads = heads,
                                 .count = 1 + (uint32_t)below(pair, HEADS),
                                 .lines = lines,
                                 .counters_by_pc = pair->counters_by_pc[0],
                                 .listed = pair->listed};
    uint32_t sm = (uint32_t)below(pair, CHOICE_SMS);
    for (uint32_t i = 0; i < run.count; i++) {
        // Now and then what the instruction before requested, or a part of it.
        bool again = i > 0 && below(pair, 3) == 0;
        uint32_t count = again ? 1 : draw_lines(pair, lines + run.line_count);
        if (again)
            lines[run.line_count] = lines[run.line_count - 1];
        heads[i] = draw_head(pair, sm, count);
        serve_alone(pair, &heads[i], lines + run.line_count);
        run.line_count += count;
    }
    wm_memory_access_run(pair->together, &run);
    if (below(pair, 8) == 0)
        wm_memory_drain_l2_queues(pair->together);
}

static void host(struct pair *pair)
{
    uint64_t address = below(pair, pair->lines * pair->line_bytes), size = below(pair, 5000);
    bool writes = below(pair, 2) == 0;
    wm_memory_drain_l2_queues(pair->together);
    for (int i = 0; i < 2; i++) {
        struct wm_memory *memory = i == 0 ? pair->together : pair->alone;
        if (writes)
            wm_memory_host_write(memory, address, size);
        else
            wm_memory_kernel_begin(memory);
    }
}

static void compare(const struct pair *pair, const struct memory_choices *choices)
{
    size_t count, as_many;
    wm_memory_drain_l2_queues(pair->together);
    const struct wm_component_counters *got = wm_memory_components(pair->together, &count);
    const struct wm_component_counters *expected = wm_memory_components(pair->alone, &as_many);
    cr_assert_eq(count, as_many);
    for (size_t i = 0; i < count; i++)
        for (size_t value = 0; value < got[i].set->count; value++) {
            if (got[i].values[value] == expected[i].values[value])
                continue;
            memory_choices_print(choices);
            cr_assert_fail("%s %s: %lu in a run, %lu one by one", got[i].path,
                           got[i].set->declarations[value].name, got[i].values[value],
                           expected[i].values[value]);
        }
    for (uint32_t pc = 0; pc < PCS; pc++)
        cr_assert_arr_eq(&pair->counters_by_pc[0][pc], &pair->counters_by_pc[1][pc],
                         sizeof pair->counters_by_pc[0][pc]);
}

static struct wm_memory *new_memory(const struct wm_memory_spec *spec, uint8_t path)
{
    struct wm_memory *memory;
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, NULL), WM_OK);
    if (path == CHOICE_FULL)
        memory->paths = &wm_memory_paths_full;
    else if (!wm_memory_needs_full(spec))
        memory->paths = paths[path < count ? path : count - 1];
    return memory;
}

// Most machines of any choices need the full build: three in four are to do without.
static void make_plain(struct memory_choices *choices)
{
    static const int parts[] = {CHOICE_VICTIMS, CHOICE_INCLUSION, CHOICE_TRACKER, CHOICE_ATOMICS,
                                CHOICE_L2_LOADS};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        choices->value[parts[i]] = 0;
    choices->value[CHOICE_BYPASS] %= 2;
    if (choices->value[CHOICE_L1_FETCH] == WM_FETCH_NEVER)
        choices->value[CHOICE_L1_FETCH] = WM_FETCH_ALWAYS;
    if (choices->value[CHOICE_L2_FETCH] == WM_FETCH_NEVER)
        choices->value[CHOICE_L2_FETCH] = WM_FETCH_PARTIAL;
}

// Slices under LRU that keep few sectors dirty, which are served as a batch by themselves.
static void limit_dirty(struct memory_choices *choices)
{
    choices->value[CHOICE_L2_LIMIT] = 1;
    choices->value[CHOICE_L2_REPLACEMENT] = 0;
    choices->value[CHOICE_L2_WRITE] = 0;
}

static bool is_limited_batch(const struct wm_memory_spec *spec)
{
    const struct wm_cache_spec *l2 = &spec->levels[WM_LEVEL_L2].cache;
    return !wm_memory_needs_full(spec) && l2->present && l2->dirty_limit_bytes != 0 &&
           l2->replacement == &wm_replacement_lru && l2->ways <= WM_CACHE_VECTOR_WAYS &&
           l2->line_bytes <= WM_CACHE_NARROW_SECTORS * WM_SECTOR_BYTES;
}

Test(memory_run, counts_as_its_instructions_one_by_one)
{
    struct wm_random random;
    int plain = 0, made = 0, limited = 0;
    wm_random_init(&random, 5, "runs");
    for (int machine = 0; machine < MACHINES; machine++) {
        struct memory_choices choices;
        memory_any(&random, &choices);
        if (machine % 4 != 0)
            make_plain(&choices);
        if (machine % 5 == 0)
            choices.value[CHOICE_L1_PRESENT] ^= 1;
        if (machine % 4 == 1)
            limit_dirty(&choices);
        const struct wm_memory_spec spec = memory_spec_of(&choices);
        if (wm_memory_spec_check(&spec, NULL) != WM_OK)
            continue;
        made++;
        plain += !wm_memory_needs_full(&spec);
        limited += is_limited_batch(&spec);
        static struct pair pair;
        pair = (struct pair){.together = new_memory(&spec, choices.value[CHOICE_PATHS]),
                             .alone = new_memory(&spec, choices.value[CHOICE_PATHS]),
                             .listed = {1, 0, 0, 1},
                             .line_bytes = spec.levels[WM_LEVEL_L1].cache.line_bytes,
                             .lines = machine % 2 == 0 ? 40 : 400,
                             .hints = choices.value[CHOICE_HINTS] == 1};
        wm_random_init(&pair.random, (uint64_t)machine, "requests");
        for (int run = 0; run < RUNS; run++) {
            if (below(&pair, 10) == 0)
                host(&pair);
            serve_run(&pair);
        }
        compare(&pair, &choices);
        wm_memory_free(pair.together);
        wm_memory_free(pair.alone);
    }
    cr_assert_gt(plain, made / 2, "%d of %d machines", plain, made);
    cr_assert_gt(limited, made / 8, "%d of %d machines", limited, made);
}
