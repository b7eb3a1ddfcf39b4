// How well two sequences go together: each cell of a table comes of the three above and to the left. Squares of 16 by
// 16 cells go into shared memory, a block of 16 threads each, and are filled along their diagonals; a launch fills the
// squares of one diagonal of the table.
//
// As Rodinia's nw (Needleman-Wunsch), with its two kernels, of which the second has the lower right half.
#include "../../../../workloads/workload.h"

#define SIDE 16

__device__ int best(int diagonal, int left, int above)
{
    return max(diagonal, max(left, above));
}

// The square at (x, y) of the table, whose rows have `pitch` cells and begin with the rim.
__device__ __forceinline__ void fill_square(const int *likeness, int *table, int pitch, int penalty, int x, int y)
{
    __shared__ int cell[SIDE + 1][SIDE + 1], like[SIDE][SIDE];
    int tx = threadIdx.x;
    int corner = pitch * SIDE * y + SIDE * x, first = corner + pitch + 1 + tx;
    if (tx == 0)
        cell[0][0] = table[corner];
#pragma unroll // as nvcc does
    for (int row = 0; row < SIDE; row++)
        like[row][tx] = likeness[first + pitch * row];
    __syncthreads();
    cell[tx + 1][0] = table[corner + pitch + pitch * tx];
    __syncthreads();
    cell[0][tx + 1] = table[corner + 1 + tx];
    __syncthreads();
#pragma unroll
    for (int step = 0; step < SIDE; step++) {
        if (tx <= step) {
            int column = tx + 1, row = step - tx + 1;
            cell[row][column] = best(cell[row - 1][column - 1] + like[row - 1][column - 1],
                                     cell[row][column - 1] - penalty, cell[row - 1][column] - penalty);
        }
        __syncthreads();
    }
#pragma unroll
    for (int step = SIDE - 2; step >= 0; step--) {
        if (tx <= step) {
            int column = tx + SIDE - step, row = SIDE - tx;
            cell[row][column] = best(cell[row - 1][column - 1] + like[row - 1][column - 1],
                                     cell[row][column - 1] - penalty, cell[row - 1][column] - penalty);
        }
        __syncthreads();
    }
#pragma unroll
    for (int row = 0; row < SIDE; row++)
        table[first + pitch * row] = cell[row + 1][tx + 1];
}

__global__ void upper_squares(const int *likeness, int *table, int pitch, int penalty, int diagonal)
{
    fill_square(likeness, table, pitch, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

__global__ void lower_squares(const int *likeness, int *table, int pitch, int penalty, int diagonal, int squares)
{
    fill_square(likeness, table, pitch, penalty, blockIdx.x + squares - diagonal, squares - 1 - blockIdx.x);
}

enum { N, PENALTY, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "letters of each sequence, a multiple of 16", 2048, 16, 8192, NULL},
    {"penalty", "of a gap", 10, 0, 1000, NULL},
    {"seed", "of the letters", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "needleman_wunsch", "how well two sequences go together", options, OPTIONS);
    int squares = (int)options[N].value / SIDE, pitch = squares * SIDE + 1, penalty = (int)options[PENALTY].value;
    size_t cells = (size_t)pitch * pitch, bytes = cells * sizeof(int);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    int *likeness = (int *)workload_allocate(bytes), *table = (int *)workload_allocate(bytes);
    int *found = (int *)workload_allocate(bytes);
    memset(table, 0, bytes);
    for (size_t i = 0; i < cells; i++)
        likeness[i] = (int)workload_below(&random, 15) - 4;
    for (int i = 1; i < pitch; i++)
        table[i] = table[(size_t)i * pitch] = -i * penalty;
    int *device_likeness = (int *)workload_upload(likeness, bytes), *device_table = (int *)workload_upload(table, bytes);
    for (int diagonal = 1; diagonal <= squares; diagonal++)
        upper_squares<<<diagonal, SIDE>>>(device_likeness, device_table, pitch, penalty, diagonal);
    for (int diagonal = squares - 1; diagonal >= 1; diagonal--)
        lower_squares<<<diagonal, SIDE>>>(device_likeness, device_table, pitch, penalty, diagonal, squares);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, device_table, bytes, cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (int row = 1; row < pitch; row++)
        for (int column = 1; column < pitch; column++) {
            size_t at = (size_t)row * pitch + column;
            int most = table[at - pitch - 1] + likeness[at];
            most = table[at - 1] - penalty > most ? table[at - 1] - penalty : most;
            table[at] = table[at - pitch] - penalty > most ? table[at - pitch] - penalty : most;
            if (wrong < 0 && found[at] != table[at])
                wrong = (long)at;
        }
    WORKLOAD_CHECK(cudaFree(device_likeness));
    WORKLOAD_CHECK(cudaFree(device_table));
    free(likeness);
    free(table);
    free(found);
    return workload_verdict("needleman_wunsch", wrong);
}
