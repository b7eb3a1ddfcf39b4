// y = A * x for a sparse matrix in compressed sparse rows: the places and values of a row's
// elements are a stream, and each element fetches a number of x from anywhere.
//
//   scalar  one thread a row: the lanes of a warp walk 32 rows at once, so their loads of places
//   and
//           values lie a row apart, and long rows hold the warp back
//   vector  one warp a row: lanes take neighbouring elements of the row, which is one access, and
//           add up through shuffles; short rows leave lanes idle
//
// --skew makes one row in 64 that many times longer than the others.
#include "workload.h"

#define WARP 32

__global__ void spmv_scalar(const unsigned *row_start, const unsigned *column, const float *value,
                            const float *x, float *y, unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (unsigned k = row_start[row]; k < row_start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

// The block is a whole number of warps.
__global__ void spmv_vector(const unsigned *row_start, const unsigned *column, const float *value,
                            const float *x, float *y, unsigned rows)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (unsigned k = row_start[row] + lane; k < row_start[row + 1]; k += WARP)
        sum += value[k] * x[column[k]];
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        y[row] = sum;
}

enum { ROWS, PER_ROW, SKEW, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns of the matrix", 1 << 16, 1, 1 << 24, NULL},
    {"per-row", "elements of a row, on average", 16, 1, 1024, NULL},
    {"skew", "how many times longer one row in 64 is", 1, 1, 1024, NULL},
    {"block", "threads of a block, a multiple of 32", 256, 32, 1024, NULL},
    {"seed", "of the random matrix", 1, 0, 1000000000, NULL},
    {"variant", "who takes a row: a thread or a warp", 0, 0, 0, "scalar vector"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "spmv", "sparse matrix (CSR) times vector", options, OPTIONS);
    unsigned rows = (unsigned)options[ROWS].value, per_row = (unsigned)options[PER_ROW].value;
    unsigned block = (unsigned)options[BLOCK].value, skew = (unsigned)options[SKEW].value;
    if (block % WARP != 0) {
        fprintf(stderr, "spmv: --block takes a multiple of %d, not '%u'\n", WARP, block);
        return 2;
    }
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned *row_start = (unsigned *)workload_allocate((rows + 1) * sizeof(unsigned));
    size_t count = 0;
    for (unsigned row = 0; row < rows; row++) {
        row_start[row] = (unsigned)count;
        size_t length = 1 + workload_below(&random, 2 * per_row - 1);
        count += row % 64 == 7 ? length * skew : length;
        if (count > 1u << 29) {
            fprintf(stderr,
                    "spmv: --n, --per-row and --skew together ask for over 2^29 elements\n");
            return 2;
        }
    }
    row_start[rows] = (unsigned)count;
    unsigned *column = (unsigned *)workload_allocate(count * sizeof(unsigned));
    float *value = (float *)workload_allocate(count * sizeof(float));
    float *x = (float *)workload_allocate(rows * sizeof(float));
    float *y = (float *)workload_allocate(rows * sizeof(float));
    // Whole numbers from -2 to 1, so products are at most 4 in size: the sum of the longest row
    // there can be, 2047 * 1024 elements, stays below 2^24 and is exact in any order.
    for (size_t k = 0; k < count; k++) {
        column[k] = workload_below(&random, rows);
        value[k] = (float)workload_below(&random, 4) - 2.0f;
    }
    for (unsigned i = 0; i < rows; i++)
        x[i] = (float)workload_below(&random, 4) - 2.0f;

    unsigned *device_start = (unsigned *)workload_upload(row_start, (rows + 1) * sizeof(unsigned));
    unsigned *device_column = (unsigned *)workload_upload(column, count * sizeof(unsigned));
    float *device_value = (float *)workload_upload(value, count * sizeof(float));
    float *device_x = (float *)workload_upload(x, rows * sizeof(float)), *device_y;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_y, rows * sizeof(float)));
    if (options[VARIANT].value == 0)
        spmv_scalar<<<(rows + block - 1) / block, block>>>(device_start, device_column,
                                                           device_value, device_x, device_y, rows);
    else
        spmv_vector<<<(rows + block / WARP - 1) / (block / WARP), block>>>(
            device_start, device_column, device_value, device_x, device_y, rows);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(y, device_y, rows * sizeof(float), cudaMemcpyDeviceToHost));

    long wrong = -1;
    for (unsigned row = 0; row < rows && wrong < 0; row++) {
        float sum = 0.0f;
        for (unsigned k = row_start[row]; k < row_start[row + 1]; k++)
            sum += value[k] * x[column[k]];
        if (y[row] != sum)
            wrong = (long)row;
    }
    WORKLOAD_CHECK(cudaFree(device_start));
    WORKLOAD_CHECK(cudaFree(device_column));
    WORKLOAD_CHECK(cudaFree(device_value));
    WORKLOAD_CHECK(cudaFree(device_x));
    WORKLOAD_CHECK(cudaFree(device_y));
    free(row_start);
    free(column);
    free(value);
    free(x);
    free(y);
    return workload_verdict("spmv", wrong);
}
