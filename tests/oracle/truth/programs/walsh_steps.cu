// The fast Walsh transform of 2^n numbers, in place. While pairs lie far apart, a launch takes two steps: a thread has
// four numbers, a quarter of its group apart. The last eleven steps are taken in shared memory, 2048 numbers a block:
// two steps at a time, and the last one of neighbours, which are read and written as vectors.
//
// As the CUDA SDK's fastWalshTransform (kernels fwtBatch2 and fwtBatch1; and modulate where it convolves).
#include "../../../../workloads/workload.h"

#define LOCAL_LOG 11
#define LOCAL (1u << LOCAL_LOG)
#define THREADS (LOCAL / 4)

struct four {
    float a, b, c, d;
};

__device__ four transform(four x)
{
    float sum_ac = x.a + x.c, difference_ac = x.a - x.c, sum_bd = x.b + x.d, difference_bd = x.b - x.d;
    return {sum_ac + sum_bd, sum_ac - sum_bd, difference_ac + difference_bd, difference_ac - difference_bd};
}

// Steps over numbers `stride` and 2 * `stride` apart.
__global__ void walsh_two_steps(float *numbers, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = i & (stride - 1);
    float *first = numbers + ((i - low) << 2) + low;
    four x = transform({first[0], first[stride], first[2 * stride], first[3 * stride]});
    first[0] = x.a;
    first[stride] = x.b;
    first[2 * stride] = x.c;
    first[3 * stride] = x.d;
}

__global__ void walsh_local_steps(float *numbers)
{
    __shared__ float2 pairs[LOCAL / 2];
    float *local = (float *)pairs, *of_block = numbers + blockIdx.x * LOCAL;
    for (unsigned i = threadIdx.x; i < LOCAL; i += THREADS)
        local[i] = of_block[i];
#pragma unroll 1
    for (unsigned stride = LOCAL >> 2; stride > 1; stride >>= 2) {
        unsigned low = threadIdx.x & (stride - 1), at = ((threadIdx.x - low) << 2) + low;
        __syncthreads();
        four x = transform({local[at], local[at + stride], local[at + 2 * stride], local[at + 3 * stride]});
        local[at] = x.a;
        local[at + stride] = x.b;
        local[at + 2 * stride] = x.c;
        local[at + 3 * stride] = x.d;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < LOCAL / 2; i += THREADS) {
        float2 pair = pairs[i];
        pairs[i] = make_float2(pair.x + pair.y, pair.x - pair.y);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < LOCAL; i += THREADS)
        of_block[i] = local[i];
}

__global__ void multiply(float *numbers, const float *others, unsigned count, float scale)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        numbers[i] *= others[i] * scale;
}

enum { FAR, LOCALLY, CONVOLVE };
enum { LOG, LOG_OTHER, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"log", "of the numbers' count, to base 2; odd", 23, 11, 25, NULL},
    {"log-other", "of those that they are convolved with", 7, 0, 25, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "the first launch of two steps, the steps in shared memory, or two transforms, products and one back", 2, 0,
     0, "far local convolve"},
};

// Steps over numbers from `stride` apart down to `last`.
static void transform_on_host(float *numbers, size_t count, size_t stride, size_t last)
{
    for (; stride >= last; stride /= 2)
        for (size_t i = 0; i < count; i++)
            if (!(i & stride)) {
                float one = numbers[i], other = numbers[i + stride];
                numbers[i] = one + other;
                numbers[i + stride] = one - other;
            }
}

static void launch_far(float *device, size_t count, size_t stride)
{
    walsh_two_steps<<<(unsigned)(count / 4 / 256), 256>>>(device, (unsigned)stride);
    WORKLOAD_CHECK_LAUNCH();
}

static void launch_local(float *device, size_t count)
{
    walsh_local_steps<<<(unsigned)(count / LOCAL), THREADS>>>(device);
    WORKLOAD_CHECK_LAUNCH();
}

static void launch_all(float *device, size_t count)
{
    for (size_t stride = count / 4; stride >= LOCAL; stride /= 4)
        launch_far(device, count, stride);
    launch_local(device, count);
}

// Both are transformed, multiplied and transformed back; the host only multiplies what it transformed.
static void convolve(float *numbers, float *device, float *others, size_t count)
{
    float *device_others = (float *)workload_upload(others, count * sizeof(float));
    launch_all(device, count);
    launch_all(device_others, count);
    multiply<<<128, 256>>>(device, device_others, (unsigned)count, 1.0f / (float)count);
    WORKLOAD_CHECK_LAUNCH();
    launch_all(device, count);
    transform_on_host(numbers, count, count / 2, 1);
    transform_on_host(others, count, count / 2, 1);
    for (size_t i = 0; i < count; i++)
        numbers[i] *= others[i] / (float)count;
    transform_on_host(numbers, count, count / 2, 1);
    WORKLOAD_CHECK(cudaFree(device_others));
}

// Halves, of which sums are exact, and `few` small whole numbers with zeros behind them.
static float *random_numbers(struct workload_random *random, size_t count, size_t few)
{
    float *numbers = (float *)workload_allocate(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        numbers[i] = i < few ? (float)workload_below(random, 2) - 0.5f : 0.0f;
    return numbers;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "walsh_steps", "a fast Walsh transform, two steps a launch", options, OPTIONS);
    long log = options[LOG].value | 1, variant = options[VARIANT].value;
    size_t count = (size_t)1 << log, bytes = count * sizeof(float), few = (size_t)1 << options[LOG_OTHER].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float *numbers = random_numbers(&random, count, count), *found = (float *)workload_allocate(bytes);
    float *others = random_numbers(&random, count, few), *device = (float *)workload_upload(numbers, bytes);
    if (variant == FAR) {
        launch_far(device, count, count / 4);
        transform_on_host(numbers, count, count / 2, count / 4);
    } else if (variant == LOCALLY) {
        launch_local(device, count);
        transform_on_host(numbers, count, LOCAL / 2, 1);
    } else {
        convolve(numbers, device, others, count);
    }
    WORKLOAD_CHECK(cudaMemcpy(found, device, bytes, cudaMemcpyDeviceToHost));
    // Sums of products of transforms are rounded, and in the same order here and there.
    long wrong = workload_first_far(found, numbers, count, variant == CONVOLVE ? 0.01f : 0.0f);
    WORKLOAD_CHECK(cudaFree(device));
    free(numbers);
    free(others);
    free(found);
    return workload_verdict("walsh_steps", wrong);
}
