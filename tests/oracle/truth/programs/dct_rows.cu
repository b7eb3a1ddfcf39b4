// The cosine transform of squares of eight by eight points: a thread transforms a column of eight and then a row of eight
// in registers; in between and on the way in and out, numbers go through shared memory.
//
// As the CUDA SDK's dct8x8 (kernel CUDAkernel2DCT), for its picture of 512 by 512 points.
#include "../../../../workloads/workload.h"
#include <math.h>

#define SIDE 8      // of a square
#define WIDTH 32    // of a block, in points
#define HEIGHT 16
#define PITCH (WIDTH + 1)

// Even and odd parts apart; the factors are cosines of multiples of pi / 16, halved.
__device__ void transform(float (&x)[SIDE])
{
    const float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f, c5 = 0.27778512f,
                c6 = 0.19134172f, c7 = 0.09754516f;
    float s07 = x[0] + x[7], s16 = x[1] + x[6], s25 = x[2] + x[5], s34 = x[3] + x[4];
    float d07 = x[0] - x[7], d16 = x[1] - x[6], d25 = x[2] - x[5], d34 = x[3] - x[4];
    float s0734 = s07 + s34, s1625 = s16 + s25, d0734 = s07 - s34, d1625 = s16 - s25;
    x[0] = c4 * (s0734 + s1625);
    x[4] = c4 * (s0734 - s1625);
    x[2] = c2 * d0734 + c6 * d1625;
    x[6] = c6 * d0734 - c2 * d1625;
    x[1] = c1 * d07 + c3 * d16 + c5 * d25 + c7 * d34;
    x[3] = c3 * d07 - c7 * d16 - c1 * d25 - c5 * d34;
    x[5] = c5 * d07 - c1 * d16 + c7 * d25 + c3 * d34;
    x[7] = c7 * d07 - c5 * d16 + c3 * d25 - c1 * d34;
}

// A block's threads are eight wide, as many high as there are squares beside each other, and as deep as above each other.
__global__ void dct_rows(const float *points, float *result, unsigned pitch)
{
    __shared__ float tile[HEIGHT * PITCH];
    unsigned x = threadIdx.y * SIDE + threadIdx.x, y = threadIdx.z * SIDE;
    unsigned first = (blockIdx.y * HEIGHT + y) * pitch + blockIdx.x * WIDTH + x;
    float number[SIDE];
    float *column = tile + y * PITCH + x, *row = tile + (y + threadIdx.x) * PITCH + threadIdx.y * SIDE;
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++)
        column[i * PITCH] = points[first + i * pitch];
    __syncwarp(); // the eight threads of a square are of one warp
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++)
        number[i] = row[i];
    transform(number);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++)
        row[i] = number[i];
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++)
        number[i] = column[i * PITCH];
    transform(number);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++)
        column[i * PITCH] = number[i];
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++)
        result[first + i * pitch] = column[i * PITCH];
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "points of a side of the picture, a multiple of 32", 512, 32, 8192, NULL},
    {"seed", "of the points", 1, 0, 1000000000, NULL},
};

// One square, as the sum over products of cosines.
static void transform_on_host(const float *points, float *result, size_t pitch)
{
    const double pi = 3.14159265358979323846;
    for (unsigned v = 0; v < SIDE; v++)
        for (unsigned u = 0; u < SIDE; u++) {
            double sum = 0;
            for (unsigned y = 0; y < SIDE; y++)
                for (unsigned x = 0; x < SIDE; x++)
                    sum += points[y * pitch + x] * cos((2 * x + 1) * u * pi / 16) * cos((2 * y + 1) * v * pi / 16);
            result[v * pitch + u] = (float)(sum / 4 * (u ? 1 : sqrt(0.5)) * (v ? 1 : sqrt(0.5)));
        }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "dct_rows", "cosine transforms, a row of eight to a thread", options, OPTIONS);
    unsigned side = (unsigned)options[N].value / WIDTH * WIDTH;
    size_t count = (size_t)side * side, bytes = count * sizeof(float);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float *points = (float *)workload_allocate(bytes), *expected = (float *)workload_allocate(bytes);
    float *found = (float *)workload_allocate(bytes), *result;
    for (size_t i = 0; i < count; i++)
        points[i] = (float)workload_below(&random, 256) - 128;
    for (size_t y = 0; y < side; y += SIDE)
        for (size_t x = 0; x < side; x += SIDE)
            transform_on_host(points + y * side + x, expected + y * side + x, side);
    float *device = (float *)workload_upload(points, bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&result, bytes));
    dct_rows<<<dim3(side / WIDTH, side / HEIGHT), dim3(SIDE, WIDTH / SIDE, HEIGHT / SIDE)>>>(device, result, side);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, result, bytes, cudaMemcpyDeviceToHost));
    long wrong = workload_first_far(found, expected, count, 1e-2f); // of up to 1024, factors of eight places
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(result));
    free(points);
    free(expected);
    free(found);
    return workload_verdict("dct_rows", wrong);
}
