// Prices of European calls by binomial trees of 2048 steps: a block has an option, and a thread 16 neighbouring leaves in
// registers; in each step only the first of them goes to the neighbour, through shared memory. What a block needs to
// know of its option is in constant memory.
//
// As the CUDA SDK's binomialOptions, for its 1024 options.
#include "../../../../workloads/workload.h"
#include <math.h>

#define STEPS 2048
#define THREADS 128
#define OWN (STEPS / THREADS)
#define MOST 1024

// Of an option: price now and at the end, the logarithm of a step's rise, and discounted odds of rise and fall.
struct option {
    float price, strike, rise, up, down;
};

__constant__ option options_of_blocks[MOST];

__device__ float paid(float price, float strike, float rise, int leaf)
{
    float gain = price * __expf(rise * (float)(2 * leaf - STEPS)) - strike;
    return gain > 0 ? gain : 0;
}

__global__ void binomial_blocks(float *values)
{
    __shared__ float handed[THREADS + 1];
    int thread = threadIdx.x;
    const float price = options_of_blocks[blockIdx.x].price, strike = options_of_blocks[blockIdx.x].strike;
    const float rise = options_of_blocks[blockIdx.x].rise, up = options_of_blocks[blockIdx.x].up;
    const float down = options_of_blocks[blockIdx.x].down;
    float value[OWN + 1];
#pragma unroll
    for (int i = 0; i < OWN; i++)
        value[i] = paid(price, strike, rise, thread * OWN + i);
    if (thread == 0)
        handed[THREADS] = paid(price, strike, rise, STEPS);
    int last = max(0, thread * OWN - 1); // the step until which a leaf of the thread's is still in the tree
#pragma unroll 1
    for (int step = STEPS; step > 0; step--) {
        handed[thread] = value[0];
        __syncthreads();
        value[OWN] = handed[thread + 1];
        __syncthreads();
        if (step > last) {
#pragma unroll
            for (int i = 0; i < OWN; i++)
                value[i] = up * value[i + 1] + down * value[i];
        }
    }
    if (thread == 0)
        values[blockIdx.x] = value[0];
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "options", 1024, 1, MOST, NULL},
    {"seed", "of the random options", 1, 0, 1000000000, NULL},
};

static double below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "binomial_blocks", "prices of options by trees", options, OPTIONS);
    unsigned count = (unsigned)options[N].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    option chosen[MOST];
    float expected[MOST], found[MOST], *values;
    const double rate = 0.06, volatility = 0.1;
    memset(chosen, 0, sizeof(chosen));
    for (unsigned i = 0; i < count; i++) {
        double price = 5 + workload_below(&random, 2500) / 100.0, strike = 1 + workload_below(&random, 9900) / 100.0;
        double years = 0.25 + workload_below(&random, 975) / 100.0, step = years / STEPS;
        double rise = volatility * sqrt(step), up = (exp(rate * step) - exp(-rise)) / (exp(rise) - exp(-rise));
        chosen[i] = {(float)price, (float)strike, (float)rise, (float)(exp(-rate * step) * up),
                     (float)(exp(-rate * step) * (1 - up))};
        // What the tree tends to: the formula of Black and Scholes.
        double d = (log(price / strike) + (rate + volatility * volatility / 2) * years) / (volatility * sqrt(years));
        expected[i] = (float)(price * below(d) - strike * exp(-rate * years) * below(d - volatility * sqrt(years)));
    }
    WORKLOAD_CHECK(cudaMemcpyToSymbol(options_of_blocks, chosen, sizeof(chosen)));
    WORKLOAD_CHECK(cudaMalloc((void **)&values, count * sizeof(float)));
    binomial_blocks<<<count, THREADS>>>(values);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, values, count * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = workload_first_far(found, expected, count, 0.02f); // of up to 30, in 2048 steps that are rounded
    WORKLOAD_CHECK(cudaFree(values));
    return workload_verdict("binomial_blocks", wrong);
}
