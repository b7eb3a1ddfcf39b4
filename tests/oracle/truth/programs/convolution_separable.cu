// A picture is blurred along its rows and then along its columns, with 17 factors in constant memory. A block brings eight
// tiles beside or above each other into shared memory, and one more on each side, of which it needs half.
//
// As the CUDA SDK's convolutionSeparable: blocks of 16 by 4 for rows, of 16 by 8 for columns.
#include "../../../../workloads/workload.h"

#define RADIUS 8
#define TILES 8 // that a block has results of
#define ALL (TILES + 2)
#define ROW_X 16
#define ROW_Y 4
#define COLUMN_X 16
#define COLUMN_Y 8

__constant__ float factors[2 * RADIUS + 1];

// Machine code has constants as operands of its arithmetic, and no instruction for them: here each is read once.
#define READ_FACTORS(kept)                  \
    float kept[2 * RADIUS + 1];             \
    _Pragma("unroll") for (int k = 0; k <= 2 * RADIUS; k++) kept[k] = factors[k]

// The numbers of a tile at `at`, STEP further than those of before. Sums of a thread have some of them in common, and nvcc reads those
// once, where clang would read them for each sum.
template <int STEP> __device__ __forceinline__ void slide(float *window, const float *at)
{
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++)
        window[k] = k + STEP <= 2 * RADIUS ? window[k + STEP] : at[k];
}

__device__ __forceinline__ float weighted(const float *weight, const float *window)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += weight[2 * RADIUS - k] * window[k];
    return sum;
}

__global__ void blur_rows(float *result, const float *source, int width, int pitch)
{
    __shared__ float tile[ROW_Y][ALL * ROW_X];
    int tx = threadIdx.x, ty = threadIdx.y;
    int first = ((int)blockIdx.x * TILES - 1) * ROW_X + tx, row = (int)blockIdx.y * ROW_Y + ty;
    source += row * pitch + first;
    result += row * pitch + first;
#pragma unroll
    for (int i = 1; i <= TILES; i++)
        tile[ty][tx + i * ROW_X] = source[i * ROW_X];
    tile[ty][tx] = first >= 0 ? source[0] : 0;
    tile[ty][tx + (TILES + 1) * ROW_X] = width - first > (TILES + 1) * ROW_X ? source[(TILES + 1) * ROW_X] : 0;
    READ_FACTORS(weight);
    __syncthreads();
    float window[2 * RADIUS + 1];
    slide<2 * RADIUS + 1>(window, &tile[ty][tx + ROW_X - RADIUS]);
#pragma unroll
    for (int i = 1; i <= TILES; i++) {
        if (i > 1)
            slide<ROW_X>(window, &tile[ty][tx + i * ROW_X - RADIUS]);
        result[i * ROW_X] = weighted(weight, window);
    }
}

__global__ void blur_columns(float *result, const float *source, int height, int pitch)
{
    __shared__ float tile[COLUMN_X][ALL * COLUMN_Y + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = (int)blockIdx.x * COLUMN_X + tx, first = ((int)blockIdx.y * TILES - 1) * COLUMN_Y + ty;
    source += first * pitch + column;
    result += first * pitch + column;
#pragma unroll
    for (int i = 1; i <= TILES; i++)
        tile[tx][ty + i * COLUMN_Y] = source[i * COLUMN_Y * pitch];
    tile[tx][ty] = first >= 0 ? source[0] : 0;
    tile[tx][ty + (TILES + 1) * COLUMN_Y] =
        height - first > (TILES + 1) * COLUMN_Y ? source[(TILES + 1) * COLUMN_Y * pitch] : 0;
    READ_FACTORS(weight);
    __syncthreads();
    float window[2 * RADIUS + 1];
    slide<2 * RADIUS + 1>(window, &tile[tx][ty + COLUMN_Y - RADIUS]);
#pragma unroll
    for (int i = 1; i <= TILES; i++) {
        if (i > 1)
            slide<COLUMN_Y>(window, &tile[tx][ty + i * COLUMN_Y - RADIUS]);
        result[i * COLUMN_Y * pitch] = weighted(weight, window);
    }
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "points of a side of the picture, a multiple of 128", 3072, 128, 8192, NULL},
    {"seed", "of the picture", 1, 0, 1000000000, NULL},
};

// Sums along steps of so many numbers; what lies outside of a line of `side` numbers is zero.
static void blur_on_host(const float *from, float *to, int side, int step, const float *weights)
{
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            int at = y * side + x, along = step == 1 ? x : y;
            float sum = 0;
            for (int j = -RADIUS; j <= RADIUS; j++)
                if (along + j >= 0 && along + j < side)
                    sum += weights[RADIUS - j] * from[at + j * step];
            to[at] = sum;
        }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "convolution_separable", "a blur along rows and columns", options, OPTIONS);
    int side = (int)options[N].value / 128 * 128;
    size_t count = (size_t)side * side, bytes = count * sizeof(float);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float weights[2 * RADIUS + 1], *picture = (float *)workload_allocate(bytes);
    float *along = (float *)workload_allocate(bytes), *expected = (float *)workload_allocate(bytes), *rows, *result;
    for (int i = 0; i <= 2 * RADIUS; i++)
        weights[i] = (float)workload_below(&random, 16);
    for (size_t i = 0; i < count; i++) // whole numbers whose sums are below 2^24
        picture[i] = (float)workload_below(&random, 16);
    blur_on_host(picture, along, side, 1, weights);
    blur_on_host(along, expected, side, side, weights);
    WORKLOAD_CHECK(cudaMemcpyToSymbol(factors, weights, sizeof(weights)));
    float *device = (float *)workload_upload(picture, bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&rows, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&result, bytes));
    blur_rows<<<dim3(side / (TILES * ROW_X), side / ROW_Y), dim3(ROW_X, ROW_Y)>>>(rows, device, side, side);
    WORKLOAD_CHECK_LAUNCH();
    blur_columns<<<dim3(side / COLUMN_X, side / (TILES * COLUMN_Y)), dim3(COLUMN_X, COLUMN_Y)>>>(result, rows, side, side);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(along, result, bytes, cudaMemcpyDeviceToHost));
    long wrong = workload_first_far(along, expected, count, 0.0f);
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(rows));
    WORKLOAD_CHECK(cudaFree(result));
    free(picture);
    free(along);
    free(expected);
    return workload_verdict("convolution_separable", wrong);
}
