// Prices of European calls by the binomial tree of Cox, Ross and Rubinstein. A block takes four
// options: all its lanes read the same vector of four random numbers, each makes the payoffs of one
// leaf of the four trees, and the trees are folded in shared memory, level by level, with one lane
// fewer each time. The last lane writes four prices. So there is next to no traffic beyond L1: one
// vector in for all lanes, one out.
//
// The pattern is that of the AMD APP SDK's sample BinomialOption.
#include "workload.h"
#include <math.h>

// From a random number from 0 to 1: what an option is about.
struct contract {
    float price, strike, years, rate;
};

#define VOLATILITY 0.3f

static inline __host__ __device__ struct contract contract_of(float random)
{
    struct contract contract = {10.0f + 90.0f * random, 100.0f - 90.0f * random,
                                1.0f + 9.0f * random, 0.01f + 0.04f * random};
    return contract;
}

// A step of a tree: by how much the logarithm of the price rises or falls, and what a price one
// step later is worth if it rose or fell.
struct step {
    float jump, risen, fallen;
};

static inline __host__ __device__ struct step step_of(struct contract it, unsigned steps)
{
    float years = it.years / (float)steps, jump = VOLATILITY * sqrtf(years);
    float up = expf(jump), down = 1.0f / up, growth = expf(it.rate * years);
    float rises = (growth - down) / (up - down);
    struct step step = {jump, rises / growth, (1.0f - rises) / growth};
    return step;
}

// What the option is worth in the end, when the price rose `leaf` times and fell the others.
static inline __host__ __device__ float payoff(struct contract it, struct step step, unsigned leaf,
                                               unsigned steps)
{
    float gain = it.price * expf(step.jump * (2.0f * (float)leaf - (float)steps)) - it.strike;
    return gain > 0.0f ? gain : 0.0f;
}

static inline __device__ float folded(struct step step, float fell, float rose)
{
    return step.risen * rose + step.fallen * fell;
}

// A thread a leaf: one thread more than there are steps.
__global__ void binomial_tree(const float4 *random, float4 *prices, unsigned steps)
{
    extern __shared__ float4 level[]; // two of them: one is read and the other written
    float4 in = random[blockIdx.x], *from = level, *to = level + blockDim.x;
    struct contract it[4] = {contract_of(in.x), contract_of(in.y), contract_of(in.z),
                             contract_of(in.w)};
    struct step step[4] = {step_of(it[0], steps), step_of(it[1], steps), step_of(it[2], steps),
                           step_of(it[3], steps)};
    unsigned leaf = threadIdx.x;
    from[leaf] =
        make_float4(payoff(it[0], step[0], leaf, steps), payoff(it[1], step[1], leaf, steps),
                    payoff(it[2], step[2], leaf, steps), payoff(it[3], step[3], leaf, steps));
    for (unsigned left = steps; left > 0; left--) {
        __syncthreads();
        if (leaf < left) {
            float4 fell = from[leaf], rose = from[leaf + 1];
            to[leaf] =
                make_float4(folded(step[0], fell.x, rose.x), folded(step[1], fell.y, rose.y),
                            folded(step[2], fell.z, rose.z), folded(step[3], fell.w, rose.w));
        }
        float4 *swap = from;
        from = to;
        to = swap;
    }
    if (leaf == 0)
        prices[blockIdx.x] = from[0];
}

enum { N, STEPS, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "options, a multiple of 4", 256, 4, 1 << 24, NULL},
    {"steps", "of a tree; a block has a thread more", 254, 1, 1023, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

WORKLOAD_SERIAL static void price_serially(const float *random, float *prices, float *level,
                                           unsigned count, unsigned steps)
{
    for (unsigned i = 0; i < count; i++) {
        struct contract it = contract_of(random[i]);
        struct step step = step_of(it, steps);
        for (unsigned leaf = 0; leaf <= steps; leaf++)
            level[leaf] = payoff(it, step, leaf, steps);
        for (unsigned left = steps; left > 0; left--)
            for (unsigned node = 0; node < left; node++)
                level[node] = step.risen * level[node + 1] + step.fallen * level[node];
        prices[i] = level[0];
    }
}

static void price_on_device(const float *random, float *prices, unsigned count, unsigned steps)
{
    size_t bytes = count * sizeof(float), level_bytes = (steps + 1) * sizeof(float4);
    float4 *device_random = (float4 *)workload_upload(random, bytes), *device_prices;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_prices, bytes));
    binomial_tree<<<count / 4, steps + 1, 2 * level_bytes>>>(device_random, device_prices, steps);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(prices, device_prices, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_random));
    WORKLOAD_CHECK(cudaFree(device_prices));
}

// The first option whose price is further from that of Black and Scholes than a tree of so many
// steps may be, or -1. The tree has few prices to end at: around the strike, two of them lie
// 2 strike volatility sqrt(years / steps) apart, and it gets to one of the two nearest with a
// likelihood of about sqrt(2 / (pi steps)) or less, so what it cannot tell between them is worth up
// to the product.
static long first_wrong_price(const float *random, const float *prices, unsigned count,
                              unsigned steps)
{
    for (unsigned i = 0; i < count; i++) {
        struct contract it = contract_of(random[i]);
        double discounted = it.strike * exp(-(double)it.rate * it.years);
        double spread = VOLATILITY * sqrt((double)it.years);
        double d1 = (log((double)it.price / it.strike) + it.rate * it.years) / spread + spread / 2;
        double call = 0.5 * it.price * erfc(-d1 / sqrt(2.0)) -
                      0.5 * discounted * erfc((spread - d1) / sqrt(2.0));
        if (!(fabs(prices[i] - call) <= 1.6 * it.strike * spread / steps))
            return (long)i;
    }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "binomial_option", "prices of European calls by trees", options,
                   OPTIONS);
    unsigned count = (unsigned)options[N].value, steps = (unsigned)options[STEPS].value;
    if (count % 4 != 0) {
        fprintf(stderr, "binomial_option: --n takes a multiple of 4, not '%u'\n", count);
        return 2;
    }
    size_t bytes = count * sizeof(float);
    float *input = (float *)workload_allocate(bytes), *found = (float *)workload_allocate(bytes);
    float *expected = (float *)workload_allocate(bytes);
    float *level = (float *)workload_allocate((steps + 1) * sizeof(float));
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < count; i++)
        input[i] = (float)workload_below(&random, 1 << 24) / (float)(1 << 24);

    workload_trace_begin();
    price_serially(input, expected, level, count, steps);
    workload_trace_end();
    long wrong = first_wrong_price(input, expected, count, steps);
    if (wrong < 0 && !options[SERIAL].value) {
        price_on_device(input, found, count, steps);
        // Weights add up to less than one, so each level leaves what was off and rounds prices of
        // up to 100 by 2^-24 of that or little more: 1024 of them by 0.01 on both sides together.
        wrong = workload_first_far(found, expected, count, 0.02f);
    }
    free(input);
    free(found);
    free(expected);
    free(level);
    return workload_verdict("binomial_option", wrong);
}
