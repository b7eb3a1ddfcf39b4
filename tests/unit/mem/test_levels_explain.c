// Why sectors missed, by level: an L1 of each SM, an L2 of each two, an L3 of two slices, against
// obvious caches with obvious shadows, which pass on to each other what they lack. By instruction,
// under the names that reports print.
#include "base/numbers/random.h"
#include "mem/explain/explain.h"
#include "mem/system/instruction_counters.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 4, LINES = 60, PCS = 5, SECTORS = 4, ROUNDS = 30, STEPS = 3000, LEVELS = 3 };
enum { CLUSTER = WM_LEVELS_NAMED, L3 };

// --- The model ---

enum reason {
    COLD,
    COHERENCE,
    CAPACITY,
    CONFLICT,
    SAME_WARP,
    SAME_BLOCK,
    OTHER_BLOCK,
    FETCHED,
    REASONS
};
static const char *const reason_names[REASONS] = {
    "cold",
    "coherence",
    "capacity",
    "conflict",
    "evicted_same_warp",
    "evicted_same_block",
    "evicted_other_block",
    "fetched_bytes",
};

struct who {
    uint64_t block;
    uint32_t warp, pc;
};

struct model_line {
    bool is_here, is_in_associative;
    bool here[SECTORS], associative[SECTORS], endless[SECTORS], given[SECTORS],
        was_evicted[SECTORS];
    struct who evictor[SECTORS];
    uint64_t used;
};

struct model_cache {
    uint32_t sets, ways;
    struct model_line lines[LINES];
};

struct model {
    struct model_cache l1[SMS], cluster[SMS / 2], l3[2];
    uint64_t counts[LEVELS][PCS][REASONS], now;
};

// The line by which a set is chosen: of L3, 256 bytes lie on one slice, the next on the other.
static uint32_t index_of(const struct model *model, const struct model_cache *cache, uint32_t line)
{
    bool sliced = cache == &model->l3[0] || cache == &model->l3[1];
    return sliced ? line / 4 * 2 + line % 2 : line;
}

// The least recently used of a set's lines, or of all, when there are as many as `most`.
static struct model_line *oldest(const struct model *model, struct model_cache *cache, int set,
                                 uint32_t most)
{
    struct model_line *found = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        struct model_line *it = &cache->lines[i];
        bool in = set < 0 ? it->is_in_associative
                          : it->is_here && index_of(model, cache, i) % cache->sets == (uint32_t)set;
        count += in;
        if (in && (found == NULL || it->used < found->used))
            found = it;
    }
    return count == most ? found : NULL;
}

static void evict(struct model_line *line, const struct who *who)
{
    line->is_here = false;
    for (int s = 0; s < SECTORS; s++) {
        if (line->here[s]) {
            line->was_evicted[s] = true;
            line->evictor[s] = *who;
        }
        line->here[s] = false;
    }
}

static void count_reason(const struct model_line *line, int s, const struct who *who,
                         uint64_t counts[REASONS])
{
    counts[FETCHED] += 32;
    if (!line->endless[s]) {
        counts[line->given[s] ? COHERENCE : COLD]++;
        return;
    }
    bool found = line->is_in_associative && line->associative[s];
    counts[found ? CONFLICT : CAPACITY]++;
    if (!line->was_evicted[s])
        return;
    bool block = line->evictor[s].block == who->block, warp = line->evictor[s].warp == who->warp;
    counts[!block ? OTHER_BLOCK : warp ? SAME_WARP : SAME_BLOCK]++;
}

// Returns the sectors that were not there.
static uint32_t load(struct model *model, struct model_cache *cache, uint32_t number,
                     uint32_t sectors, const struct who *who, uint64_t counts[REASONS])
{
    struct model_line *line = &cache->lines[number], *leaves;
    uint32_t missing = 0;
    for (int s = 0; s < SECTORS; s++)
        if ((sectors >> s & 1) != 0 && !line->here[s]) {
            missing |= UINT32_C(1) << s;
            count_reason(line, s, who, counts);
        }
    int set = (int)(index_of(model, cache, number) % cache->sets);
    if (!line->is_here && (leaves = oldest(model, cache, set, cache->ways)) != NULL)
        evict(leaves, who);
    if (!line->is_in_associative) {
        if ((leaves = oldest(model, cache, -1, cache->sets * cache->ways)) != NULL)
            leaves->is_in_associative = false;
        memset(line->associative, 0, sizeof line->associative);
    }
    line->is_here = line->is_in_associative = true;
    line->used = ++model->now;
    for (int s = 0; s < SECTORS; s++)
        if ((sectors >> s & 1) != 0)
            line->here[s] = line->associative[s] = line->endless[s] = line->given[s] = true;
    return missing;
}

static void drop(struct model_cache *cache, uint32_t number)
{
    struct model_line *line = &cache->lines[number];
    line->is_here = line->is_in_associative = false;
    memset(line->here, 0, sizeof line->here);
    memset(line->endless, 0, sizeof line->endless);
}

static void load_at_all(struct model *model, const struct wm_request *request)
{
    const struct who who = {request->block, request->warp, request->pc};
    uint32_t line = (uint32_t)(request->address / 128), missing = request->sectors;
    struct model_cache *path[LEVELS] = {&model->l1[request->sm], &model->cluster[request->sm / 2],
                                        &model->l3[line / 2 % 2]};
    for (int level = 0; level < LEVELS && missing != 0; level++)
        missing = load(model, path[level], line, missing, &who, model->counts[level][request->pc]);
}

static void host_writes(struct model *model, uint32_t line)
{
    for (int i = 0; i < SMS; i++)
        drop(&model->l1[i], line);
    for (int i = 0; i < 2; i++) {
        drop(&model->cluster[i], line);
        drop(&model->l3[i], line);
    }
}

// --- The same of the memory system ---

static struct wm_cache_spec random_cache(struct wm_random *random, struct model_cache *models,
                                         uint32_t count, uint32_t slices)
{
    uint32_t sets = 1 + (uint32_t)wm_random_below(random, 4),
             ways = 1 + (uint32_t)wm_random_below(random, 4);
    for (uint32_t i = 0; i < count; i++)
        models[i] = (struct model_cache){.sets = sets, .ways = ways};
    return small_cache(sets * slices, ways, 128, 32);
}

static struct wm_memory *random_memory(struct wm_random *random, struct model *model)
{
    struct wm_memory_spec spec = {
        .sm_count = SMS,
        .levels[WM_LEVEL_L1] = {.cache = random_cache(random, model->l1, SMS, 1),
                                .below = WM_BELOW(CLUSTER),
                                .flush_at_kernel = true},
        .levels[CLUSTER] = {.name = "cluster_l2",
                            .cache = random_cache(random, model->cluster, SMS / 2, 1),
                            .units_each = 2,
                            .below = WM_BELOW(L3)},
        .levels[L3] = {.name = "l3",
                       .cache = random_cache(random, model->l3, 2, 2),
                       .units_each = WM_UNITS_ALL,
                       .slices = 2,
                       .interleave_bytes = 256,
                       .below = WM_BELOW_MEMORY},
        .dram = {.channels = 2, .channel_interleave_bytes = 256, .access_bytes = 32},
    };
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_error error;
    cr_assert_eq(wm_memory_explain(memory, &error), WM_OK, "%s", error.message);
    return memory;
}

static void compare(const struct wm_memory *memory, const struct model *model,
                    const struct wm_instruction_misses *explained)
{
    static const char *const levels[LEVELS] = {"l1", "cluster_l2", "l3"};
    static struct wm_instruction_counter_set set;
    wm_instruction_miss_set_make(&memory->spec, &set);
    for (int pc = 0; pc < PCS; pc++) {
        uint64_t values[WM_MOST_INSTRUCTION_VALUES];
        wm_instruction_counter_values(&set, &explained[pc], values);
        for (int level = 0; level < LEVELS; level++)
            for (int r = 0; r < REASONS; r++) {
                char name[64];
                snprintf(name, sizeof name, "%s_%s", levels[level], reason_names[r]);
                size_t at = wm_counter_index(&set.set, name);
                cr_assert_lt(at, set.set.count, "no %s", name);
                cr_assert_eq(values[at], model->counts[level][pc][r], "%s of pc %d", name, pc);
            }
        cr_assert_eq(values[wm_counter_index(&set.set, "l2_cold")], 0, "there is no L2");
    }
}

Test(levels_explain, sectors_missed_for_the_same_reasons_at_each_level)
{
    struct model *model = malloc(sizeof *model);
    uint64_t all[LEVELS][REASONS] = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct wm_random random;
        struct wm_instruction_misses explained[PCS] = {0};
        wm_random_init(&random, round, "reasons by level");
        memset(model, 0, sizeof *model);
        struct wm_memory *memory = random_memory(&random, model);
        for (int step = 0; step < STEPS; step++) {
            struct wm_request request = {
                .address = wm_random_below(&random, LINES) * 128,
                .sectors = 1 + (uint32_t)wm_random_below(&random, 15),
                .kind = WM_ACCESS_LOAD,
                .sm = (uint32_t)wm_random_below(&random, SMS),
                .warp = (uint32_t)wm_random_below(&random, 2),
                .block = wm_random_below(&random, 2),
                .pc = (uint32_t)wm_random_below(&random, PCS),
            };
            request.explained = &explained[request.pc];
            wm_memory_access(memory, &request);
            load_at_all(model, &request);
            if (wm_random_below(&random, 50) == 0) {
                uint32_t line = (uint32_t)wm_random_below(&random, LINES);
                wm_memory_host_write(memory, line * 128, 128);
                host_writes(model, line);
            }
            if (wm_random_below(&random, 500) == 0) {
                wm_memory_kernel_begin(memory);
                for (int i = 0; i < SMS; i++)
                    memset(model->l1[i].lines, 0, sizeof model->l1[i].lines);
            }
        }
        compare(memory, model, explained);
        for (int i = 0; i < LEVELS * PCS * REASONS; i++)
            all[i / (PCS * REASONS)][i % REASONS] += (&model->counts[0][0][0])[i];
        wm_memory_free(memory);
    }
    for (int i = 0; i < LEVELS * REASONS; i++)
        cr_expect_gt(all[i / REASONS][i % REASONS], 100, "%s is hardly ever the reason",
                     reason_names[i % REASONS]);
    free(model);
}
