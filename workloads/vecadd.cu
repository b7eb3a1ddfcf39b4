// c = a + b over vectors of floats: the simplest stream of memory traffic there is. Three numbers
// of 4 bytes move for one addition, each used once, so no cache helps and the time is the DRAM's.
//
// The variants move the same bytes in different shapes:
//   scalar   neighbouring lanes take neighbouring elements: a warp's load is 128 consecutive bytes
//   vector   each lane takes 4 elements with one 16-byte load: a quarter of the load instructions
//   blocked  each lane takes a run of its own: a warp's load touches 32 different lines, and the
//            rest of each line must survive in the L1 until its lane comes to it
#include "workload.h"

__global__ void vecadd_scalar(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

// cudaMalloc() aligns to 256 bytes at least, so element 4 * i starts a 16-byte word.
__global__ void vecadd_vector(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned first = 4 * i;
    if (first + 3 < n) {
        float4 x = ((const float4 *)a)[i];
        float4 y = ((const float4 *)b)[i];
        ((float4 *)c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (unsigned k = first; k < n; k++)
            c[k] = a[k] + b[k];
    }
}

__global__ void vecadd_blocked(const float *a, const float *b, float *c, unsigned n, unsigned run)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned first = i * run;
    for (unsigned k = first; k < first + run && k < n; k++)
        c[k] = a[k] + b[k];
}

enum { N, BLOCK, RUN, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "elements of each vector", 1 << 20, 1, 1 << 28, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"run", "elements a thread of the blocked variant takes", 32, 1, 4096, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "shape of the accesses", 0, 0, 0, "scalar vector blocked"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "vecadd", "adds two vectors of floats", options, OPTIONS);
    unsigned n = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    unsigned run = (unsigned)options[RUN].value;
    size_t bytes = n * sizeof(float);
    float *a = (float *)workload_allocate(bytes), *b = (float *)workload_allocate(bytes);
    float *c = (float *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers below 2^23: their sums are exact.
    for (unsigned i = 0; i < n; i++) {
        a[i] = (float)workload_below(&random, 1 << 23);
        b[i] = (float)workload_below(&random, 1 << 23);
    }

    float *device_a = (float *)workload_upload(a, bytes);
    float *device_b = (float *)workload_upload(b, bytes);
    float *device_c;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_c, bytes));
    long variant = options[VARIANT].value;
    unsigned elements_per_thread = variant == 0 ? 1 : variant == 1 ? 4 : run;
    unsigned threads = (n + elements_per_thread - 1) / elements_per_thread;
    unsigned blocks = (threads + block - 1) / block;
    if (variant == 0)
        vecadd_scalar<<<blocks, block>>>(device_a, device_b, device_c, n);
    else if (variant == 1)
        vecadd_vector<<<blocks, block>>>(device_a, device_b, device_c, n);
    else
        vecadd_blocked<<<blocks, block>>>(device_a, device_b, device_c, n, run);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost));

    long wrong = -1;
    for (unsigned i = 0; i < n && wrong < 0; i++)
        if (c[i] != a[i] + b[i])
            wrong = (long)i;
    WORKLOAD_CHECK(cudaFree(device_a));
    WORKLOAD_CHECK(cudaFree(device_b));
    WORKLOAD_CHECK(cudaFree(device_c));
    free(a);
    free(b);
    free(c);
    return workload_verdict("vecadd", wrong);
}
