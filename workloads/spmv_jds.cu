// y = A * x for a sparse matrix in jagged diagonals: rows are sorted by length, and the k-th
// elements of all rows that have so many lie one after another, the k-th diagonal. Neighbouring
// threads take neighbouring rows, so they read a diagonal as one coalesced stream, from wherever
// the one before it ended; x is gathered from anywhere, and y goes back through the permutation.
//
// --spread keeps the elements of a row near the diagonal of A, as in matrices that come of meshes.
#include "workload.h"

__global__ void spmv_jds(const unsigned *diagonal_start, const unsigned *length,
                         const unsigned *column, const float *value, const unsigned *permutation,
                         const float *x, float *y, unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    unsigned elements = length[row];
    for (unsigned k = 0; k < elements; k++) {
        unsigned place = diagonal_start[k] + row;
        sum += value[place] * x[column[place]];
    }
    y[permutation[row]] = sum;
}

enum { ROWS, PER_ROW, SPREAD, REPEAT, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns of the matrix", 1 << 16, 1, 1 << 22, NULL},
    {"per-row", "elements of a row, on average", 16, 1, 128, NULL},
    {"spread", "columns from the diagonal, or 0 for anywhere", 0, 0, 1 << 22, NULL},
    {"repeat", "times the product is computed", 1, 1, 1000, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random matrix", 1, 0, 1000000000, NULL},
};

// Rows one after another: row i has elements row_start[i] to row_start[i + 1].
struct matrix {
    unsigned rows, *row_start, *column;
    float *value;
};

// Jagged diagonals of the same matrix. Row `permutation[i]` is the i-th in the order of length.
struct diagonals {
    unsigned count, *start, *length, *column, *permutation;
    float *value;
};

static unsigned *numbers(size_t count)
{
    return (unsigned *)workload_allocate(count * sizeof(unsigned));
}

// Whole numbers from -2 to 1, so that the sum of a row, 255 elements at most, is exact.
static float small_number(struct workload_random *random)
{
    return (float)workload_below(random, 4) - 2.0f;
}

static struct matrix random_matrix(struct workload_random *random, unsigned rows, unsigned per_row,
                                   unsigned spread)
{
    struct matrix matrix = {rows, numbers(rows + 1), NULL, NULL};
    unsigned count = 0;
    for (unsigned row = 0; row < rows; row++) {
        matrix.row_start[row] = count;
        count += 1 + workload_below(random, 2 * per_row - 1);
    }
    matrix.row_start[rows] = count;
    matrix.column = numbers(count);
    matrix.value = (float *)workload_allocate(count * sizeof(float));
    for (unsigned row = 0; row < rows; row++)
        for (unsigned k = matrix.row_start[row]; k < matrix.row_start[row + 1]; k++) {
            matrix.column[k] = workload_near(random, row, spread, rows);
            matrix.value[k] = small_number(random);
        }
    return matrix;
}

// Rows by length, the longest first, and of one length in their order.
static void sort_rows(const struct matrix *matrix, struct diagonals *diagonals)
{
    unsigned place = 0;
    for (unsigned length = diagonals->count; length > 0; length--)
        for (unsigned row = 0; row < matrix->rows; row++)
            if (matrix->row_start[row + 1] - matrix->row_start[row] == length) {
                diagonals->permutation[place] = row;
                diagonals->length[place++] = length;
            }
}

static struct diagonals make_diagonals(const struct matrix *matrix)
{
    unsigned rows = matrix->rows, count = matrix->row_start[rows], place = 0;
    struct diagonals diagonals = {0,
                                  NULL,
                                  numbers(rows),
                                  numbers(count),
                                  numbers(rows),
                                  (float *)workload_allocate(count * sizeof(float))};
    for (unsigned row = 0; row < rows; row++) {
        unsigned length = matrix->row_start[row + 1] - matrix->row_start[row];
        if (length > diagonals.count)
            diagonals.count = length;
    }
    sort_rows(matrix, &diagonals);
    diagonals.start = numbers(diagonals.count);
    for (unsigned k = 0; k < diagonals.count; k++) {
        diagonals.start[k] = place;
        for (unsigned i = 0; i < rows && diagonals.length[i] > k; i++, place++) {
            unsigned from = matrix->row_start[diagonals.permutation[i]] + k;
            diagonals.column[place] = matrix->column[from];
            diagonals.value[place] = matrix->value[from];
        }
    }
    return diagonals;
}

static void multiply_on_device(const struct diagonals *host, const float *x, float *y,
                               unsigned rows, unsigned elements)
{
    size_t row_bytes = rows * sizeof(unsigned), element_bytes = elements * sizeof(unsigned);
    unsigned *start = (unsigned *)workload_upload(host->start, host->count * sizeof(unsigned));
    unsigned *length = (unsigned *)workload_upload(host->length, row_bytes);
    unsigned *column = (unsigned *)workload_upload(host->column, element_bytes);
    float *value = (float *)workload_upload(host->value, element_bytes);
    unsigned *permutation = (unsigned *)workload_upload(host->permutation, row_bytes);
    float *device_x = (float *)workload_upload(x, row_bytes), *device_y;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_y, row_bytes));
    unsigned block = (unsigned)options[BLOCK].value;
    for (long i = 0; i < options[REPEAT].value; i++) {
        spmv_jds<<<(rows + block - 1) / block, block>>>(start, length, column, value, permutation,
                                                        device_x, device_y, rows);
        WORKLOAD_CHECK_LAUNCH();
    }
    WORKLOAD_CHECK(cudaMemcpy(y, device_y, row_bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(start));
    WORKLOAD_CHECK(cudaFree(length));
    WORKLOAD_CHECK(cudaFree(column));
    WORKLOAD_CHECK(cudaFree(value));
    WORKLOAD_CHECK(cudaFree(permutation));
    WORKLOAD_CHECK(cudaFree(device_x));
    WORKLOAD_CHECK(cudaFree(device_y));
}

// The rows as they came, so that a mistake in the diagonals shows.
static long first_wrong(const struct matrix *matrix, const float *x, const float *y)
{
    for (unsigned row = 0; row < matrix->rows; row++) {
        float sum = 0.0f;
        for (unsigned k = matrix->row_start[row]; k < matrix->row_start[row + 1]; k++)
            sum += matrix->value[k] * x[matrix->column[k]];
        if (y[row] != sum)
            return (long)row;
    }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "spmv_jds", "sparse matrix (jagged diagonals) times vector", options,
                   OPTIONS);
    unsigned rows = (unsigned)options[ROWS].value, per_row = (unsigned)options[PER_ROW].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct matrix matrix = random_matrix(&random, rows, per_row, (unsigned)options[SPREAD].value);
    struct diagonals diagonals = make_diagonals(&matrix);
    float *x = (float *)workload_allocate(rows * sizeof(float));
    float *y = (float *)workload_allocate(rows * sizeof(float));
    for (unsigned i = 0; i < rows; i++)
        x[i] = small_number(&random);

    multiply_on_device(&diagonals, x, y, rows, matrix.row_start[rows]);

    long wrong = first_wrong(&matrix, x, y);
    free(matrix.row_start);
    free(matrix.column);
    free(matrix.value);
    free(diagonals.start);
    free(diagonals.length);
    free(diagonals.column);
    free(diagonals.permutation);
    free(diagonals.value);
    free(x);
    free(y);
    return workload_verdict("spmv_jds", wrong);
}
