// Prices of European options by Black and Scholes. A thread reads one vector of four random numbers
// and writes two, the prices of four calls and of four puts: streams, and much arithmetic for each
// number. Nothing is read twice.
//
// The pattern is that of the AMD APP SDK's sample BlackScholes.
#include "workload.h"
#include <math.h>

// From a random number from 0 to 1: what an option is about.
struct contract {
    float price, strike, years, rate, volatility;
};

static inline __host__ __device__ struct contract contract_of(float random)
{
    struct contract contract = {10.0f + 90.0f * random, 100.0f - 90.0f * random,
                                1.0f + 9.0f * random, 0.01f + 0.04f * random, 0.5f - 0.4f * random};
    return contract;
}

// The normal distribution's share below x, by the polynomial 26.2.17 of Abramowitz and Stegun,
// which is right to 7.5e-8.
static inline __host__ __device__ float normal_below(float x)
{
    float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float sum = 1.330274429f;
    sum = sum * t - 1.821255978f;
    sum = sum * t + 1.781477937f;
    sum = sum * t - 0.356563782f;
    sum = sum * t + 0.319381530f;
    float above = 0.398942280f * expf(-0.5f * x * x) * sum * t;
    return x < 0.0f ? above : 1.0f - above;
}

static inline __host__ __device__ float prices_of(float random, float *put)
{
    struct contract it = contract_of(random);
    float spread = it.volatility * sqrtf(it.years);
    float growth = (it.rate + 0.5f * it.volatility * it.volatility) * it.years;
    float d1 = (logf(it.price / it.strike) + growth) / spread;
    float d2 = d1 - spread;
    float discounted = it.strike * expf(-it.rate * it.years);
    *put = discounted * normal_below(-d2) - it.price * normal_below(-d1);
    return it.price * normal_below(d1) - discounted * normal_below(d2);
}

__global__ void black_scholes(const float4 *random, float4 *calls, float4 *puts, unsigned vectors)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors)
        return;
    float4 in = random[i], call, put;
    call.x = prices_of(in.x, &put.x);
    call.y = prices_of(in.y, &put.y);
    call.z = prices_of(in.z, &put.z);
    call.w = prices_of(in.w, &put.w);
    calls[i] = call;
    puts[i] = put;
}

enum { N, BLOCK, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "options, a multiple of 4", 1 << 19, 4, 1 << 28, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

WORKLOAD_SERIAL static void price_serially(const float *random, float *calls, float *puts,
                                           unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        calls[i] = prices_of(random[i], &puts[i]);
}

static void price_on_device(const float *random, float *calls, float *puts, unsigned count,
                            unsigned block)
{
    size_t bytes = count * sizeof(float);
    unsigned vectors = count / 4;
    float4 *device_random = (float4 *)workload_upload(random, bytes), *device_calls, *device_puts;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_calls, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&device_puts, bytes));
    black_scholes<<<(vectors + block - 1) / block, block>>>(device_random, device_calls,
                                                            device_puts, vectors);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(calls, device_calls, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(puts, device_puts, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_random));
    WORKLOAD_CHECK(cudaFree(device_calls));
    WORKLOAD_CHECK(cudaFree(device_puts));
}

// Prices are differences of numbers up to 100, each of some twenty roundings of 2^-24; and where
// the share of the distribution is steepest, 0.4, it is of a quotient by 0.3 or more.
#define TOLERANCE 0.0005f

// The first option whose prices are not what parity makes of each other, or, of some, not what the
// distribution itself says, or -1.
static long first_wrong_price(const float *random, const float *calls, const float *puts,
                              unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct contract it = contract_of(random[i]);
        double discounted = it.strike * exp(-(double)it.rate * it.years);
        if (!(fabs((double)calls[i] - puts[i] - (it.price - discounted)) <= TOLERANCE))
            return (long)i;
        if (i % 64 != 0)
            continue;
        double spread = it.volatility * sqrt((double)it.years);
        double d1 = (log((double)it.price / it.strike) + it.rate * it.years) / spread + spread / 2;
        double call = 0.5 * it.price * erfc(-d1 / sqrt(2.0)) -
                      0.5 * discounted * erfc((spread - d1) / sqrt(2.0));
        if (!(fabs(calls[i] - call) <= TOLERANCE))
            return (long)i;
    }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "black_scholes", "prices of European options", options, OPTIONS);
    unsigned count = (unsigned)options[N].value;
    if (count % 4 != 0) {
        fprintf(stderr, "black_scholes: --n takes a multiple of 4, not '%u'\n", count);
        return 2;
    }
    float *arrays[5]; // the input; calls and puts as expected and as found
    for (int i = 0; i < 5; i++)
        arrays[i] = (float *)workload_allocate(count * sizeof(float));
    float *input = arrays[0], *calls = arrays[1], *puts = arrays[2];
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < count; i++)
        input[i] = (float)workload_below(&random, 1 << 24) / (float)(1 << 24);

    workload_trace_begin();
    price_serially(input, calls, puts, count);
    workload_trace_end();
    long wrong = first_wrong_price(input, calls, puts, count);
    if (wrong < 0 && !options[SERIAL].value) {
        price_on_device(input, arrays[3], arrays[4], count, (unsigned)options[BLOCK].value);
        wrong = workload_first_far(arrays[3], calls, count, TOLERANCE);
        if (wrong < 0)
            wrong = workload_first_far(arrays[4], puts, count, TOLERANCE);
    }
    for (int i = 0; i < 5; i++)
        free(arrays[i]);
    return workload_verdict("black_scholes", wrong);
}
