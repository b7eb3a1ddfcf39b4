// A noisy picture grows smoother, but not over its edges: the whole of Rodinia's srad (the first of its two versions), in
// columns of 502 by 458 points, 100 steps of five launches between its exponential and its logarithm.
//
// Sums are those of blocks of 512 points, and then of these sums. A block adds up neighbours, then pairs of them and so
// on; the last block, where it is not full, leaves what is beyond a power of two to one thread. That thread takes
// what lies next to each other, as Rodinia's does: right in the first pass, while in the second it adds points where
// sums were meant. The host does the same. As in Rodinia's, the passes of full blocks are ones that the compiler knows
// and makes no divisions of.
#include "../../../../workloads/workload.h"
#include <math.h>

#define BLOCK 512
#define LAMBDA 0.5f

__global__ void srad_extract(float *picture, long count)
{
    long i = (long)blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        picture[i] = expf(picture[i] / 255);
}

__global__ void srad_prepare(const float *picture, float *sums, float *squares, long count)
{
    long i = (long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    sums[i] = picture[i];
    squares[i] = picture[i] * picture[i];
}

// One pass over the first `full` of the block's numbers: adds up the sums of two halves of each `group`.
__device__ __forceinline__ void add_halves(float *sum, float *square, int group, int full)
{
    int thread = threadIdx.x;
    if ((thread + 1) % group == 0 && thread < full) {
        sum[thread] = sum[thread] + sum[thread - group / 2];
        square[thread] = square[thread] + square[thread - group / 2];
    }
    __syncthreads();
}

// Of `count` numbers, `stride` apart.
__global__ void srad_reduce(float *sums, float *squares, long count, int stride)
{
    __shared__ float sum[BLOCK], square[BLOCK];
    int thread = threadIdx.x, first = blockIdx.x * BLOCK;
    int here = BLOCK - (int)((long)gridDim.x * BLOCK - count), full = 0;
    if (first + thread < count) {
        sum[thread] = sums[(first + thread) * stride];
        square[thread] = squares[(first + thread) * stride];
    }
    if (here == BLOCK || blockIdx.x != gridDim.x - 1) {
        full = here = BLOCK;
    } else {
        for (int i = 2; i <= BLOCK; i *= 2)
            if (here >= i)
                full = i;
    }
    if (full == BLOCK) {
#pragma unroll
        for (int group = 2; group <= BLOCK; group *= 2)
            add_halves(sum, square, group, BLOCK);
    } else {
        for (int group = 2; group <= full; group *= 2)
            add_halves(sum, square, group, full);
    }
    if (thread != full - 1)
        return;
    for (int i = first + full; i < first + here; i++) {
        sum[thread] = sum[thread] + sums[i];
        square[thread] = square[thread] + squares[i];
    }
    sums[first * stride] = sum[thread];
    squares[first * stride] = square[thread];
}

// Which row or column lies next to another, and differences to the neighbours and how far diffusion goes.
struct places {
    int *above, *below, *left, *right;
};

struct differences {
    float *above, *below, *left, *right, *spread;
};

__global__ void srad_derive(int rows, long count, struct places next, struct differences to, float noise,
                            const float *picture)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, row = (i + 1) % rows - 1, column = (i + 1) / rows;
    if ((i + 1) % rows == 0) {
        row = rows - 1;
        column--;
    }
    if (i >= count)
        return;
    float point = picture[i];
    float above = picture[next.above[row] + rows * column] - point;
    float below = picture[next.below[row] + rows * column] - point;
    float left = picture[row + rows * next.left[column]] - point;
    float right = picture[row + rows * next.right[column]] - point;
    float slope = (above * above + below * below + left * left + right * right) / (point * point);
    float bend = (above + below + left + right) / point;
    float base = 1.0f + 0.25f * bend, rough = (0.5f * slope - 0.0625f * bend * bend) / (base * base);
    float spread = 1.0f / (1.0f + (rough - noise) / (noise * (1.0f + noise)));
    to.above[i] = above;
    to.below[i] = below;
    to.left[i] = left;
    to.right[i] = right;
    to.spread[i] = spread < 0 ? 0 : spread > 1 ? 1 : spread;
}

__global__ void srad_update(int rows, long count, struct places next, struct differences from, float *picture)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, row = (i + 1) % rows - 1, column = (i + 1) / rows;
    if ((i + 1) % rows == 0) {
        row = rows - 1;
        column--;
    }
    if (i >= count)
        return;
    float here = from.spread[i], below = from.spread[next.below[row] + rows * column];
    float right = from.spread[row + rows * next.right[column]];
    float gained = here * from.above[i] + below * from.below[i] + here * from.left[i] + right * from.right[i];
    picture[i] = picture[i] + 0.25f * LAMBDA * gained;
}

__global__ void srad_compress(float *picture, long count)
{
    long i = (long)blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        picture[i] = logf(picture[i]) * 255;
}

enum { ROWS, COLUMNS, STEPS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"rows", "of the picture", 502, 1, 512, NULL},
    {"columns", "of the picture", 458, 1, 512, NULL},
    {"steps", "of diffusion", 100, 1, 1000, NULL},
    {"seed", "of the noise", 1, 0, 1000000000, NULL},
};

static float noise_of(double sum, double squares, long count)
{
    double mean = sum / (double)count;
    return (float)((squares / (double)count - mean * mean) / (mean * mean));
}

// --- On the device ---

static float *numbers_on_device(long count)
{
    float *numbers;
    WORKLOAD_CHECK(cudaMalloc((void **)&numbers, (size_t)count * sizeof(float)));
    return numbers;
}

static int *places_on_device(int count, int step)
{
    int *places = (int *)workload_allocate((size_t)count * sizeof(int));
    for (int i = 0; i < count; i++)
        places[i] = i + step < 0 || i + step >= count ? i : i + step;
    int *device = (int *)workload_upload(places, (size_t)count * sizeof(int));
    free(places);
    return device;
}

static float reduced_noise(float *sums, float *squares, long count)
{
    long left = count;
    int stride = 1;
    do {
        unsigned blocks = (unsigned)((left + BLOCK - 1) / BLOCK);
        srad_reduce<<<blocks, BLOCK>>>(sums, squares, left, stride);
        WORKLOAD_CHECK_LAUNCH();
        stride *= BLOCK;
        left = blocks;
    } while (left > 1);
    float sum, square;
    WORKLOAD_CHECK(cudaMemcpy(&sum, sums, sizeof(sum), cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(&square, squares, sizeof(square), cudaMemcpyDeviceToHost));
    return noise_of(sum, square, count);
}

static void smooth_on_device(float *picture, int rows, int columns, long steps)
{
    long count = (long)rows * columns;
    unsigned blocks = (unsigned)((count + BLOCK - 1) / BLOCK);
    float *device = (float *)workload_upload(picture, (size_t)count * sizeof(float));
    float *sums = numbers_on_device(count), *squares = numbers_on_device(count);
    struct places next = {places_on_device(rows, -1), places_on_device(rows, 1), places_on_device(columns, -1),
                          places_on_device(columns, 1)};
    struct differences to = {numbers_on_device(count), numbers_on_device(count), numbers_on_device(count),
                             numbers_on_device(count), numbers_on_device(count)};
    srad_extract<<<blocks, BLOCK>>>(device, count);
    for (long step = 0; step < steps; step++) {
        srad_prepare<<<blocks, BLOCK>>>(device, sums, squares, count);
        float noise = reduced_noise(sums, squares, count);
        srad_derive<<<blocks, BLOCK>>>(rows, count, next, to, noise, device);
        srad_update<<<blocks, BLOCK>>>(rows, count, next, to, device);
    }
    srad_compress<<<blocks, BLOCK>>>(device, count);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(picture, device, (size_t)count * sizeof(float), cudaMemcpyDeviceToHost));
    void *all[] = {device,     sums,      squares,  next.above, next.below, next.left, next.right,
                   to.above,   to.below,  to.left,  to.right,   to.spread};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
}

// --- The same on the host ---

static float noise_on_host(const float *picture, long count)
{
    long blocks = (count + BLOCK - 1) / BLOCK, full = 1;
    while (full * 2 <= blocks)
        full *= 2;
    double sum = 0, squares = 0;
    for (long i = 0; i < count && i < full * BLOCK; i++) {
        sum += picture[i];
        squares += (double)picture[i] * picture[i];
    }
    for (long i = full; i < blocks; i++) { // points, where sums were meant
        sum += picture[i];
        squares += (double)picture[i] * picture[i];
    }
    return noise_of(sum, squares, count);
}

static void smooth_on_host(float *picture, int rows, int columns, long steps)
{
    long count = (long)rows * columns;
    float *before = (float *)workload_allocate((size_t)count * sizeof(float));
    float *spread = (float *)workload_allocate((size_t)count * sizeof(float));
    for (long i = 0; i < count; i++)
        picture[i] = expf(picture[i] / 255);
    for (long step = 0; step < steps; step++) {
        float noise = noise_on_host(picture, count);
        memcpy(before, picture, (size_t)count * sizeof(float));
        for (long i = 0; i < count; i++) {
            float point = before[i];
            float above = before[i % rows > 0 ? i - 1 : i] - point;
            float below = before[i % rows < rows - 1 ? i + 1 : i] - point;
            float left = before[i >= rows ? i - rows : i] - point;
            float right = before[i + rows < count ? i + rows : i] - point;
            float slope = (above * above + below * below + left * left + right * right) / (point * point);
            float bend = (above + below + left + right) / point, base = 1 + 0.25f * bend;
            float rough = (0.5f * slope - 0.0625f * bend * bend) / (base * base);
            float found = 1 / (1 + (rough - noise) / (noise * (1 + noise)));
            spread[i] = found < 0 ? 0 : found > 1 ? 1 : found;
        }
        for (long i = 0; i < count; i++) {
            long below = i % rows < rows - 1 ? i + 1 : i, right = i + rows < count ? i + rows : i;
            float gained = spread[i] * (before[i % rows > 0 ? i - 1 : i] - before[i]) +
                           spread[below] * (before[below] - before[i]) +
                           spread[i] * (before[i >= rows ? i - rows : i] - before[i]) +
                           spread[right] * (before[right] - before[i]);
            picture[i] = before[i] + 0.25f * LAMBDA * gained;
        }
    }
    for (long i = 0; i < count; i++)
        picture[i] = logf(picture[i]) * 255;
    free(before);
    free(spread);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "srad_picture", "a picture grows smoother", options, OPTIONS);
    int rows = (int)options[ROWS].value, columns = (int)options[COLUMNS].value;
    size_t count = (size_t)rows * columns;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float *picture = (float *)workload_allocate(count * sizeof(float));
    float *expected = (float *)workload_allocate(count * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        int bright = (int)(i % rows / 32 + i / rows / 32) % 2;
        picture[i] = expected[i] = (float)(64 + 96 * bright) + (float)workload_below(&random, 64);
    }
    smooth_on_device(picture, rows, columns, options[STEPS].value);
    smooth_on_host(expected, rows, columns, options[STEPS].value);
    long wrong = workload_first_far(picture, expected, count, 0.05f); // of 255, after a hundred steps that are rounded
    free(picture);
    free(expected);
    return workload_verdict("srad_picture", wrong);
}
