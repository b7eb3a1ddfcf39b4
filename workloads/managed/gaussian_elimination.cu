// Linear equations are solved by elimination, two launches a column: one finds what the rows below
// have of the column's number on the diagonal, one subtracts as much of the diagonal's row from
// them. The CPU finds the unknowns from the last to the first.
//
// The kernels of Rodinia's benchmark gaussian. The unknowns are small whole numbers, and rows have
// more on the diagonal than beside it, so that rounding stays far below the tolerance.
#include "../managed_memory.h"

#define SIDE 16 // of a block of eliminate_rows

struct equations {
    float *matrix, *right, *factor; // factor: row i has so much of row k, for one k after the other
    unsigned n;
};

__global__ void eliminate_factors(struct equations e, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    if (i < e.n)
        e.factor[i * e.n + k] = e.matrix[i * e.n + k] / e.matrix[k * e.n + k];
}

__global__ void eliminate_rows(struct equations e, unsigned k)
{
    unsigned i = blockIdx.y * SIDE + threadIdx.y + k + 1, j = blockIdx.x * SIDE + threadIdx.x + k;
    if (i >= e.n || j >= e.n)
        return;
    e.matrix[i * e.n + j] -= e.factor[i * e.n + k] * e.matrix[k * e.n + j];
    if (j == k)
        e.right[i] -= e.factor[i * e.n + k] * e.right[k];
}

static void eliminate(struct equations e)
{
    for (unsigned k = 0; k + 1 < e.n; k++) {
        unsigned below = e.n - 1 - k;
        eliminate_factors<<<(below + 511) / 512, 512>>>(e, k);
        dim3 blocks((below + 1 + SIDE - 1) / SIDE, (below + SIDE - 1) / SIDE);
        eliminate_rows<<<blocks, dim3(SIDE, SIDE)>>>(e, k);
    }
    WORKLOAD_CHECK_LAUNCH();
}

static void find_unknowns(struct equations e, float *unknown)
{
    for (unsigned i = e.n; i-- > 0;) {
        float rest = e.right[i];
        for (unsigned j = i + 1; j < e.n; j++)
            rest -= e.matrix[i * e.n + j] * unknown[j];
        unknown[i] = rest / e.matrix[i * e.n + i];
    }
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "unknowns", 96, 1, 8192, NULL},
    {"seed", "of the equations", 1, 0, 1000000000, NULL},
};

// Writes `unknown`, and if there are equations, too, those that it fulfils.
static void fill_equations(const struct equations *e, float *unknown, unsigned n)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < n; i++)
        unknown[i] = (float)workload_below(&random, 19) - 9.0f;
    for (unsigned i = 0; e && i < n; i++) {
        double sum = 0.0, beside = 0.0;
        float *row = e->matrix + (size_t)i * n;
        for (unsigned j = 0; j < n; j++) {
            row[j] = (float)workload_below(&random, 17) / 8.0f - 1.0f;
            beside += row[j] < 0.0f ? -row[j] : row[j];
        }
        row[i] = (float)(beside + 1.0);
        for (unsigned j = 0; j < n; j++)
            sum += (double)row[j] * unknown[j];
        e->right[i] = (float)sum;
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "gaussian_elimination", "linear equations", options, OPTIONS);
    unsigned n = (unsigned)options[N].value;
    struct equations e = {managed_array<float>((size_t)n * n), managed_array<float>(n),
                          managed_array<float>((size_t)n * n), n};
    float *unknown = managed_array<float>(n);

    workload_trace_begin();
    fill_equations(&e, unknown, n);
    memset(e.factor, 0, (size_t)n * n * sizeof(float));
    managed_work_begin();
    eliminate(e);
    find_unknowns(e, unknown);
    managed_work_end();

    std::vector<float> expected(n);
    fill_equations(NULL, expected.data(), n);
    long wrong = workload_first_far(unknown, expected.data(), n, 1e-3f);
    managed_release(e.matrix);
    managed_release(e.right);
    managed_release(e.factor);
    managed_release(unknown);
    return workload_verdict("gaussian_elimination", wrong);
}
