// PIPP against an obvious model on random traffic: whole line numbers in the monitors' lists, the
// lookahead algorithm as its paper writes it, and the chain as a list.
#include "base/hash.h"
#include "base/random.h"
#include "policy_runs.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST_SETS = 64, MOST_WAYS = 32, PARTIES = 8, STEPS = 300000 };

struct model {
    uint32_t sets, ways;
    uint64_t chain[MOST_SETS][MOST_WAYS]; // lines, most recent first
    uint32_t held[MOST_SETS];             // lines in the set
    uint64_t stacks[PARTIES][MOST_SETS][MOST_WAYS];
    uint64_t hits[PARTIES][MOST_WAYS];
    uint64_t accesses_of[PARTIES], seen[PARTIES], missed[PARTIES]; // since the last partition
    bool streams[PARTIES];
    uint32_t streams_found; // in all
    uint32_t target[PARTIES], accesses, partitions;
    struct wm_random random;
    uint64_t word;
    int drawn; // of the word's promotions
};

static void model_init(struct model *model, uint32_t sets, uint32_t ways)
{
    memset(model, 0, sizeof *model);
    model->sets = sets;
    model->ways = ways;
    for (int group = 0; group < PARTIES; group++)
        model->target[group] = ways;
    wm_random_init(&model->random, wm_hash_bytes(POLICY_COMPONENT, strlen(POLICY_COMPONENT)),
                   "pipp");
    model->drawn = 6;
}

static uint64_t utility(const struct model *model, int group, uint32_t from, uint32_t to)
{
    uint64_t sum = 0;
    for (uint32_t position = from; position < to; position++)
        sum += model->hits[group][position];
    return sum;
}

// More than 4095 misses, and more than one access in eight, as far as the sampled sets tell.
static uint32_t find_streams(struct model *model)
{
    uint32_t count = 0;
    for (int group = 0; group < PARTIES; group++) {
        double rate =
            model->seen[group] == 0 ? 0 : (double)model->missed[group] / (double)model->seen[group];
        model->streams[group] = rate * (double)model->accesses_of[group] > 4095 && rate > 0.125;
        count += model->streams[group];
    }
    model->streams_found += count;
    return count;
}

static void partition(struct model *model)
{
    uint32_t given[PARTIES] = {0}, streams = find_streams(model);
    uint32_t balance = streams < model->ways ? model->ways - streams : 0;
    for (int group = 0; group < PARTIES; group++)
        if (model->accesses_of[group] > 0 && !model->streams[group] && balance > 0) {
            given[group] = 1;
            balance--;
        }
    while (balance > 0) {
        double most = 0;
        int winner = -1;
        uint32_t blocks = 0;
        for (int group = 0; group < PARTIES; group++)
            for (uint32_t ways = 1; given[group] > 0 && ways <= balance; ways++) {
                double gain = (double)utility(model, group, given[group], given[group] + ways);
                if (gain / ways > most) {
                    most = gain / ways;
                    winner = group;
                    blocks = ways;
                }
            }
        if (winner < 0)
            break;
        given[winner] += blocks;
        balance -= blocks;
    }
    for (int group = 0; balance > 0 && group < 1000 * PARTIES; group++)
        if (given[group % PARTIES] > 0) {
            given[group % PARTIES]++;
            balance--;
        }
    for (int group = 0; group < PARTIES; group++) {
        model->target[group] = given[group] > 0 ? given[group] : 1;
        if (model->streams[group])
            model->target[group] = streams < model->ways ? streams : model->ways;
        model->accesses_of[group] = model->seen[group] = model->missed[group] = 0;
        for (uint32_t position = 0; position < model->ways; position++)
            model->hits[group][position] /= 2;
    }
    model->partitions++;
}

static void watch(struct model *model, uint32_t set, const struct policy_reference *reference)
{
    uint32_t group = reference->sm % PARTIES, samples = model->sets / 32;
    samples = samples == 0 ? 1 : samples > 16 ? 16 : samples;
    model->accesses_of[group]++;
    bool sampled = set % (model->sets / samples) == 0 && set / (model->sets / samples) < samples;
    uint64_t *stack = model->stacks[group][set];
    uint32_t at = 0;
    while (sampled && at < model->ways && stack[at] != reference->line)
        at++;
    model->seen[group] += sampled;
    model->missed[group] += sampled && at == model->ways;
    if (sampled && at < model->ways)
        model->hits[group][at]++;
    if (sampled) {
        at = at < model->ways ? at : model->ways - 1;
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = reference->line;
    }
    if (++model->accesses % 32768 == 0)
        partition(model);
}

// Six chances of ten bits from the upper sixty of a word, lowest first; three in four promote, one
// in 128 when the party streams.
static bool promotes(struct model *model, uint32_t group)
{
    if (model->drawn == 6) {
        model->word = wm_random_u64(&model->random);
        model->drawn = 0;
    }
    return (model->word >> (4 + 10 * model->drawn++) & 1023) < (model->streams[group] ? 8 : 768);
}

static bool model_refer(struct model *model, const struct policy_reference *reference)
{
    uint32_t set = (uint32_t)(reference->line % model->sets), at = 0;
    uint64_t *chain = model->chain[set];
    while (at < model->held[set] && chain[at] != reference->line)
        at++;
    bool hit = at < model->held[set];
    if (hit && promotes(model, reference->sm % PARTIES) && at > 0) {
        chain[at] = chain[at - 1];
        chain[at - 1] = reference->line;
    } else if (!hit) {
        model->held[set] -= model->held[set] == model->ways; // the last line goes
        uint32_t behind = model->target[reference->sm % PARTIES] - 1, lines = model->held[set]++;
        uint32_t position = lines > behind ? lines - behind : 0;
        memmove(chain + position + 1, chain + position, (lines - position) * sizeof *chain);
        chain[position] = reference->line;
    }
    if (!reference->write_back)
        watch(model, set, reference);
    return hit;
}

// Each SM has a working set of its own size, which changes with time, so that targets depend on how
// much of the past counts; one streams.
static struct policy_reference draw(struct wm_random *random, uint64_t sets, uint64_t step)
{
    uint32_t sm = (uint32_t)wm_random_below(random, 6);
    uint64_t own = sets * (1 + (sm * 3 + step / 30000 * 7) % 17), base = (uint64_t)sm << 20;
    uint64_t line = sm == 5 ? base + step : base + wm_random_below(random, own);
    bool write_back = wm_random_below(random, 12) == 0;
    return (struct policy_reference){.line = 1 + line, .sm = sm, .write_back = write_back};
}

static void compare(uint32_t sets, uint32_t ways, uint32_t *streams_found)
{
    static struct model model;
    model_init(&model, sets, ways);
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, sets, ways);
    struct wm_random random;
    wm_random_init(&random, sets * 100 + ways, "traffic");
    for (uint64_t step = 0; step < STEPS; step++) {
        struct policy_reference reference = draw(&random, sets, step);
        bool expected = model_refer(&model, &reference);
        cr_assert_eq(policy_refer(&cache, &reference), expected, "%u sets of %u, step %lu", sets,
                     ways, (unsigned long)step);
    }
    cr_assert_geq(model.partitions, 3);
    *streams_found += model.streams_found;
    wm_cache_release(&cache);
}

Test(pipp, is_its_obvious_model)
{
    static const uint32_t shapes[][2] = {{1, 8}, {4, 4}, {64, 16}, {48, 24}, {2, 32}, {5, 2}};
    uint32_t streams_found = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        compare(shapes[i][0], shapes[i][1], &streams_found);
    cr_assert_gt(streams_found, 0);
}

// Above 32 ways targets come in steps and all is still bounded: one SM alone owns every way.
Test(pipp, serves_more_ways_than_its_monitors_have)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, 2, 100);
    cr_assert_eq(policy_cycle(&cache, 1, 100, 500), 2 * 100 * 499);
    struct policy_reference next = {.line = 100000};
    policy_refer(&cache, &next);
    uint32_t way = (uint32_t)wm_cache_find(&cache, next.line, next.line);
    cr_assert_eq(wm_recency_position(&cache.recency, 0, way), 0);
    wm_cache_release(&cache);
}

// 64 ways are seen through half of the lines: SM 0's cycle of 40 lines is more than a monitor
// holds, and yet it gets about 40 ways.
Test(pipp, samples_lines_where_ways_are_many)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, 1, 64);
    for (uint64_t i = 0; i < 40000; i++) {
        struct policy_reference reference = {.line = i % 2 == 0 ? 1 + i / 2 % 40 : 100 + i / 2 % 15,
                                             .sm = i % 2};
        policy_refer(&cache, &reference);
    }
    struct policy_reference next = {.line = 100000};
    policy_refer(&cache, &next);
    uint32_t way = (uint32_t)wm_cache_find(&cache, next.line, next.line);
    uint32_t target = 64 - wm_recency_position(&cache.recency, 0, way);
    cr_assert(target >= 30 && target <= 56, "%u", target);
    wm_cache_release(&cache);
}
