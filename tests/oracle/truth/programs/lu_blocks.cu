// A matrix in rows becomes the product of a lower and an upper triangle, in place, in squares of 16 by 16. A step is
// three launches: the square on the diagonal, by one block of 16 threads; the squares below and to the right of it,
// two of them to a block; and all that lie behind, by a product each.
//
// As Rodinia's lud.
#include "../../../../workloads/workload.h"
#include <math.h>

#define SIDE 16

__global__ void lu_diagonal(float *matrix, int n, int first)
{
    __shared__ float square[SIDE][SIDE];
    int thread = threadIdx.x, at = first * n + first;
    for (int i = 0; i < SIDE; i++, at += n)
        square[i][thread] = matrix[at + thread];
    __syncthreads();
    for (int i = 0; i < SIDE - 1; i++) {
        if (thread > i) {
            for (int j = 0; j < i; j++)
                square[thread][i] -= square[thread][j] * square[j][i];
            square[thread][i] /= square[i][i];
        }
        __syncthreads();
        if (thread > i)
            for (int j = 0; j < i + 1; j++)
                square[i + 1][thread] -= square[i + 1][j] * square[j][thread];
        __syncthreads();
    }
    at = (first + 1) * n + first;
    for (int i = 1; i < SIDE; i++, at += n)
        matrix[at + thread] = square[i][thread];
}

// The first half of the threads has the square to the right, the others have the one below.
__global__ void lu_perimeter(float *matrix, int n, int first)
{
    __shared__ float diagonal[SIDE][SIDE], right[SIDE][SIDE], below[SIDE][SIDE];
    int next = (blockIdx.x + 1) * SIDE, thread = threadIdx.x % SIDE;
    if (threadIdx.x < SIDE) {
        int at = first * n + first;
        for (int i = 0; i < SIDE / 2; i++, at += n)
            diagonal[i][thread] = matrix[at + thread];
        at = first * n + first;
        for (int i = 0; i < SIDE; i++, at += n)
            right[i][thread] = matrix[at + next + thread];
    } else {
        int at = (first + SIDE / 2) * n + first;
        for (int i = SIDE / 2; i < SIDE; i++, at += n)
            diagonal[i][thread] = matrix[at + thread];
        at = (first + next) * n + first;
        for (int i = 0; i < SIDE; i++, at += n)
            below[i][thread] = matrix[at + thread];
    }
    __syncthreads();
    if (threadIdx.x < SIDE) {
        for (int i = 1; i < SIDE; i++)
            for (int j = 0; j < i; j++)
                right[i][thread] -= diagonal[i][j] * right[j][thread];
    } else {
        for (int i = 0; i < SIDE; i++) {
            for (int j = 0; j < i; j++)
                below[thread][i] -= below[thread][j] * diagonal[j][i];
            below[thread][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < SIDE) {
        int at = (first + 1) * n + first;
        for (int i = 1; i < SIDE; i++, at += n)
            matrix[at + next + thread] = right[i][thread];
    } else {
        int at = (first + next) * n + first;
        for (int i = 0; i < SIDE; i++, at += n)
            matrix[at + thread] = below[i][thread];
    }
}

__global__ void lu_inside(float *matrix, int n, int first)
{
    __shared__ float right[SIDE][SIDE], below[SIDE][SIDE];
    int row = first + (blockIdx.y + 1) * SIDE, column = first + (blockIdx.x + 1) * SIDE;
    int tx = threadIdx.x, ty = threadIdx.y;
    right[ty][tx] = matrix[(first + ty) * n + column + tx];
    below[ty][tx] = matrix[(row + ty) * n + first + tx];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < SIDE; i++)
        sum += below[ty][i] * right[i][tx];
    matrix[(row + ty) * n + column + tx] -= sum;
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns, a multiple of 16", 512, 16, 4096, NULL},
    {"seed", "of the matrix", 1, 0, 1000000000, NULL},
};

static void factor_on_host(double *matrix, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = matrix[(size_t)i * n + k] /= matrix[(size_t)k * n + k];
            for (int j = k + 1; j < n; j++)
                matrix[(size_t)i * n + j] -= factor * matrix[(size_t)k * n + j];
        }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "lu_blocks", "a matrix as a product of triangles", options, OPTIONS);
    int n = (int)options[N].value / SIDE * SIDE, first = 0;
    size_t count = (size_t)n * n, bytes = count * sizeof(float);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float *matrix = (float *)workload_allocate(bytes);
    double *expected = (double *)workload_allocate(count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        // Numbers on the diagonal that are larger than all others of their row together.
        matrix[i] = (float)workload_below(&random, 65) / 64 + (i % n == i / n ? (float)n : 0.0f);
        expected[i] = matrix[i];
    }
    factor_on_host(expected, n);
    float *device = (float *)workload_upload(matrix, bytes);
    for (; first < n - SIDE; first += SIDE) {
        unsigned squares = (unsigned)((n - first) / SIDE - 1);
        lu_diagonal<<<1, SIDE>>>(device, n, first);
        lu_perimeter<<<squares, 2 * SIDE>>>(device, n, first);
        lu_inside<<<dim3(squares, squares), dim3(SIDE, SIDE)>>>(device, n, first);
    }
    lu_diagonal<<<1, SIDE>>>(device, n, first);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(matrix, device, bytes, cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (size_t i = 0; i < count && wrong < 0; i++) // numbers of up to n, which are rounded n times
        if (!(fabs(matrix[i] - expected[i]) < 1e-5 * n))
            wrong = (long)i;
    WORKLOAD_CHECK(cudaFree(device));
    free(matrix);
    free(expected);
    return workload_verdict("lu_blocks", wrong);
}
