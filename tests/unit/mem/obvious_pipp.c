#include "obvious_pipp.h"
#include "base/numbers/hash.h"

#include <stdlib.h>
#include <string.h>

void obvious_pipp_init(struct obvious_pipp *pipp, uint32_t sets, uint32_t ways, uint64_t seed)
{
    *pipp = (struct obvious_pipp){.sets = sets, .ways = ways, .unit = 1, .drawn = 6};
    while (pipp->unit * OBVIOUS_DEPTH < ways)
        pipp->unit++;
    pipp->depth = ways / pipp->unit;
    pipp->stacks = calloc((size_t)OBVIOUS_GROUPS * sets * OBVIOUS_DEPTH, sizeof *pipp->stacks);
    for (int group = 0; group < OBVIOUS_GROUPS; group++)
        pipp->target[group] = ways;
    wm_random_init(&pipp->random, seed, "pipp");
}

void obvious_pipp_release(struct obvious_pipp *pipp)
{
    free(pipp->stacks);
}

// --- Partitions ---

static uint64_t utility(const struct obvious_pipp *pipp, int group, uint32_t from, uint32_t to)
{
    uint64_t sum = 0;
    for (uint32_t position = from; position < to; position++)
        sum += pipp->hits[group][position];
    return sum;
}

// More than 4095 misses, and more than one access in eight, as far as the sampled sets show.
static uint32_t find_streams(struct obvious_pipp *pipp)
{
    uint32_t count = 0;
    for (int group = 0; group < OBVIOUS_GROUPS; group++) {
        double rate =
            pipp->seen[group] == 0 ? 0 : (double)pipp->missed[group] / (double)pipp->seen[group];
        pipp->streams[group] = rate * (double)pipp->accesses_of[group] > 4095 && rate > 0.125;
        count += pipp->streams[group];
    }
    pipp->streams_found += count;
    return count;
}

static void look_ahead(const struct obvious_pipp *pipp, uint32_t *given, uint32_t balance)
{
    while (balance > 0) {
        double most = 0;
        int winner = -1;
        uint32_t blocks = 0;
        for (int group = 0; group < OBVIOUS_GROUPS; group++)
            for (uint32_t ways = 1; given[group] > 0 && ways <= balance; ways++) {
                double gain = (double)utility(pipp, group, given[group], given[group] + ways);
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
    for (int group = 0; balance > 0 && group < 1000 * OBVIOUS_GROUPS; group++)
        if (given[group % OBVIOUS_GROUPS] > 0) {
            given[group % OBVIOUS_GROUPS]++;
            balance--;
        }
}

static uint32_t target_of(const struct obvious_pipp *pipp, int group, uint32_t given,
                          uint32_t streams)
{
    if (pipp->streams[group])
        return streams < pipp->ways ? streams : pipp->ways;
    if (given == pipp->depth)
        return pipp->ways;
    return given > 0 ? given * pipp->unit : 1;
}

static void partition(struct obvious_pipp *pipp)
{
    uint32_t given[OBVIOUS_GROUPS] = {0}, streams = find_streams(pipp), balance = pipp->depth;
    for (uint32_t ways = 0; ways < streams && balance > 0; ways += pipp->unit)
        balance--;
    for (int group = 0; group < OBVIOUS_GROUPS; group++)
        if (pipp->accesses_of[group] > 0 && !pipp->streams[group] && balance > 0) {
            given[group] = 1;
            balance--;
        }
    look_ahead(pipp, given, balance);
    for (int group = 0; group < OBVIOUS_GROUPS; group++) {
        pipp->target[group] = target_of(pipp, group, given[group], streams);
        pipp->accesses_of[group] = pipp->seen[group] = pipp->missed[group] = 0;
        for (uint32_t position = 0; position < pipp->depth; position++)
            pipp->hits[group][position] /= 2;
    }
    pipp->partitions++;
}

// --- Accesses ---

uint32_t obvious_pipp_behind(const struct obvious_pipp *pipp, uint32_t sm)
{
    return pipp->target[sm % OBVIOUS_GROUPS] - 1;
}

// Six chances of ten bits from the upper sixty of a word, lowest first; three in four promote, one
// in 128 when the SMs stream.
bool obvious_pipp_promotes(struct obvious_pipp *pipp, uint32_t sm)
{
    if (pipp->drawn == 6) {
        pipp->word = wm_random_u64(&pipp->random);
        pipp->drawn = 0;
    }
    uint64_t chance = pipp->word >> (4 + 10 * pipp->drawn++) & 1023;
    return chance < (pipp->streams[sm % OBVIOUS_GROUPS] ? 8 : 768);
}

static bool is_sampled(const struct obvious_pipp *pipp, uint32_t set, uint64_t line)
{
    uint32_t samples = pipp->sets / 32;
    samples = samples == 0 ? 1 : samples > 16 ? 16 : samples;
    uint32_t stride = pipp->sets / samples;
    return set % stride == 0 && set / stride < samples &&
           (pipp->unit == 1 || (wm_hash_u64(line) >> 32) % pipp->unit == 0);
}

void obvious_pipp_watch(struct obvious_pipp *pipp, uint32_t set, uint32_t sm, uint64_t line)
{
    uint32_t group = sm % OBVIOUS_GROUPS, at = 0;
    uint64_t *stack = pipp->stacks + ((size_t)group * pipp->sets + set) * OBVIOUS_DEPTH;
    pipp->accesses_of[group]++;
    if (is_sampled(pipp, set, line)) {
        while (at < pipp->depth && stack[at] != line + 1)
            at++;
        pipp->seen[group]++;
        pipp->missed[group] += at == pipp->depth;
        if (at < pipp->depth)
            pipp->hits[group][at]++;
        else
            at = pipp->depth - 1;
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = line + 1;
    }
    if (++pipp->accesses % 32768 == 0)
        partition(pipp);
}
