// A matrix becomes the product of a lower triangle, which has ones on its diagonal, and an upper
// one, in place and in squares of 16 by 16. Three launches a square of the diagonal:
//
//   lu_diagonal   the square itself, by one block
//   lu_perimeter  the squares to its right, and those below it
//   lu_internal   from every other square the product of what stands left of it and above it
//
// The kernels of Rodinia's benchmark lud. Rows have more on the diagonal than beside it, so that no
// pivots are needed and rounding stays small.
#include "../managed_memory.h"

#define SIDE 16

struct matrix {
    float *numbers;
    unsigned n; // a multiple of SIDE
};

static __device__ float *number_at(struct matrix m, unsigned row, unsigned column)
{
    return &m.numbers[(size_t)row * m.n + column];
}

// `first`: row and column where the square of the diagonal begins. One thread a column.
__global__ void lu_diagonal(struct matrix m, unsigned first)
{
    __shared__ float square[SIDE][SIDE];
    unsigned j = threadIdx.x;
    for (unsigned i = 0; i < SIDE; i++)
        square[i][j] = *number_at(m, first + i, first + j);
    __syncthreads();
    for (unsigned k = 0; k + 1 < SIDE; k++) {
        if (j > k)
            square[j][k] /= square[k][k];
        __syncthreads();
        for (unsigned i = k + 1; j > k && i < SIDE; i++)
            square[i][j] -= square[i][k] * square[k][j];
        __syncthreads();
    }
    for (unsigned i = 0; i < SIDE; i++)
        *number_at(m, first + i, first + j) = square[i][j];
}

// Block b has the square b + 1 to the right, with a thread a column, and the one so far below, with
// a thread a row.
__global__ void lu_perimeter(struct matrix m, unsigned first)
{
    __shared__ float diagonal[SIDE][SIDE], square[2][SIDE][SIDE + 1];
    unsigned half = threadIdx.x / SIDE, j = threadIdx.x % SIDE;
    unsigned other = first + (blockIdx.x + 1) * SIDE;
    unsigned row = half == 0 ? first : other, column = half == 0 ? other : first;
    for (unsigned i = 0; i < SIDE; i++) {
        if (half == 0)
            diagonal[i][j] = *number_at(m, first + i, first + j);
        square[half][i][j] = *number_at(m, row + i, column + j);
    }
    __syncthreads();
    for (unsigned k = 0; k < SIDE; k++) {
        if (half == 1) {
            for (unsigned i = 0; i < k; i++)
                square[1][j][k] -= square[1][j][i] * diagonal[i][k];
            square[1][j][k] /= diagonal[k][k];
        } else {
            for (unsigned i = 0; i < k; i++)
                square[0][k][j] -= diagonal[k][i] * square[0][i][j];
        }
    }
    __syncthreads();
    for (unsigned i = 0; i < SIDE; i++)
        *number_at(m, row + i, column + j) = square[half][i][j];
}

__global__ void lu_internal(struct matrix m, unsigned first)
{
    __shared__ float left[SIDE][SIDE], above[SIDE][SIDE];
    unsigned i = threadIdx.y, j = threadIdx.x;
    unsigned row = first + (blockIdx.y + 1) * SIDE, column = first + (blockIdx.x + 1) * SIDE;
    left[i][j] = *number_at(m, row + i, first + j);
    above[i][j] = *number_at(m, first + i, column + j);
    __syncthreads();
    float sum = 0.0f;
    for (unsigned k = 0; k < SIDE; k++)
        sum += left[i][k] * above[k][j];
    *number_at(m, row + i, column + j) -= sum;
}

static void decompose(struct matrix m)
{
    for (unsigned first = 0; first < m.n; first += SIDE) {
        unsigned others = (m.n - first) / SIDE - 1;
        lu_diagonal<<<1, SIDE>>>(m, first);
        if (others == 0)
            break;
        lu_perimeter<<<others, 2 * SIDE>>>(m, first);
        lu_internal<<<dim3(others, others), dim3(SIDE, SIDE)>>>(m, first);
    }
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns, a multiple of 16", 128, SIDE, 16384, NULL},
    {"seed", "of the matrix", 1, 0, 1000000000, NULL},
};

static void random_row(struct workload_random *random, unsigned i, unsigned n, float *row)
{
    float beside = 0.0f;
    for (unsigned j = 0; j < n; j++) {
        row[j] = (float)workload_below(random, 17) / 8.0f - 1.0f;
        beside += row[j] < 0.0f ? -row[j] : row[j];
    }
    row[i] = beside + 1.0f;
}

// A row of the product of both triangles is the row that was there. Takes n^3 / 3 products.
static long first_wrong(struct matrix m)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    std::vector<float> row(m.n);
    std::vector<double> sums(m.n);
    for (unsigned i = 0; i < m.n; i++) {
        random_row(&random, i, m.n, row.data());
        std::fill(sums.begin(), sums.end(), 0.0);
        for (unsigned k = 0; k <= i; k++) {
            double left = k == i ? 1.0 : m.numbers[(size_t)i * m.n + k];
            for (unsigned j = k; j < m.n; j++)
                sums[j] += left * m.numbers[(size_t)k * m.n + j];
        }
        for (unsigned j = 0; j < m.n; j++) {
            double off = sums[j] - row[j], allowed = 1e-6 * m.n;
            if (!(off <= allowed && off >= -allowed))
                return (long)((size_t)i * m.n + j);
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "lu_decomposition", "a matrix as a product of triangles", options,
                   OPTIONS);
    struct matrix m = {NULL, (unsigned)options[N].value};
    if (m.n % SIDE) {
        fprintf(stderr, "lu_decomposition: --n takes a multiple of %d, not '%u'\n", SIDE, m.n);
        return 2;
    }
    m.numbers = managed_array<float>((size_t)m.n * m.n);

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < m.n; i++)
        random_row(&random, i, m.n, m.numbers + (size_t)i * m.n);
    managed_work_begin();
    decompose(m);
    managed_work_end();

    long wrong = first_wrong(m);
    managed_release(m.numbers);
    return workload_verdict("lu_decomposition", wrong);
}
