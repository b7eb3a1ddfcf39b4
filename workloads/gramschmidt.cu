// A = Q R by Gram and Schmidt's process: one column after the other is scaled to length one, and
// its share is taken out of all columns to its right. Three launches for each column, of very
// different shapes, and what one of them read lies in the cache for the next:
//
//   gramschmidt_norm   one thread walks down a column of A
//   gramschmidt_scale  a thread takes a row: the lanes of a warp read a column of A, 32 lines, and
//                      write one of Q
//   gramschmidt_rest   a thread takes a column to the right: the lanes of a warp read neighbours in
//                      A, and the same number of Q
//
// PolyBench's benchmark GRAMSCHM; `--steps` stops after some of the columns.
#include "matrix.h"

__global__ void gramschmidt_norm(const float *a, float *r, unsigned k, unsigned rows,
                                 unsigned a_pitch, unsigned r_pitch)
{
    if (blockIdx.x * blockDim.x + threadIdx.x > 0)
        return;
    float square = 0.0f;
    for (unsigned i = 0; i < rows; i++)
        square += a[i * a_pitch + k] * a[i * a_pitch + k];
    r[k * r_pitch + k] = sqrtf(square);
}

__global__ void gramschmidt_scale(const float *a, const float *r, float *q, unsigned k,
                                  unsigned rows, unsigned a_pitch, unsigned r_pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        q[i * a_pitch + k] = a[i * a_pitch + k] / r[k * r_pitch + k];
}

__global__ void gramschmidt_rest(float *a, float *r, const float *q, unsigned k, unsigned rows,
                                 unsigned columns, unsigned a_pitch, unsigned r_pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j <= k || j >= columns)
        return;
    r[k * r_pitch + j] = 0.0f;
    for (unsigned i = 0; i < rows; i++)
        r[k * r_pitch + j] += q[i * a_pitch + k] * a[i * a_pitch + j];
    for (unsigned i = 0; i < rows; i++)
        a[i * a_pitch + j] -= q[i * a_pitch + k] * r[k * r_pitch + j];
}

enum { ROWS, COLUMNS, STEPS, PAD, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"m", "rows of the matrix, at least as many as columns", 256, 1, 4096, NULL},
    {"n", "columns of the matrix", 256, 1, 4096, NULL},
    {"steps", "columns to stop after, or 0 for all", 24, 0, 4096, NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

// A, and what it is made into.
struct factors {
    struct matrix a, q, r;
};

static void step_on_device(const struct factors *factors, unsigned k)
{
    const struct matrix *a = &factors->a, *q = &factors->q, *r = &factors->r;
    unsigned block = (unsigned)options[BLOCK].value;
    gramschmidt_norm<<<1, block>>>(a->device, r->device, k, a->rows, a->pitch, r->pitch);
    WORKLOAD_CHECK_LAUNCH();
    gramschmidt_scale<<<matrix_blocks(a->rows, block), block>>>(a->device, r->device, q->device, k,
                                                                a->rows, a->pitch, r->pitch);
    WORKLOAD_CHECK_LAUNCH();
    gramschmidt_rest<<<matrix_blocks(a->columns, block), block>>>(
        a->device, r->device, q->device, k, a->rows, a->columns, a->pitch, r->pitch);
    WORKLOAD_CHECK_LAUNCH();
}

static void step_on_host(const struct factors *factors, size_t k)
{
    const struct matrix *a = &factors->a, *q = &factors->q;
    float *r = matrix_row(&factors->r, k), square = 0.0f;
    for (size_t i = 0; i < a->rows; i++)
        square += matrix_row(a, i)[k] * matrix_row(a, i)[k];
    r[k] = sqrtf(square);
    for (size_t i = 0; i < a->rows; i++) {
        matrix_row(q, i)[k] = matrix_row(a, i)[k] / r[k];
        for (size_t j = k + 1; j < a->columns; j++)
            r[j] += matrix_row(q, i)[k] * matrix_row(a, i)[j];
    }
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = k + 1; j < a->columns; j++)
            matrix_row(a, i)[j] -= matrix_row(q, i)[k] * r[j];
}

// Numbers from -1 to 1, and on the diagonal as large a number as keeps columns far from each
// other's combinations: rounding errors then stay as small as they come.
static struct matrix random_columns(unsigned rows, unsigned columns, unsigned pad,
                                    struct workload_random *random)
{
    struct matrix a = matrix_random(rows, columns, pad, 1, random);
    for (size_t k = 0; k < columns; k++)
        matrix_row(&a, k)[k] = 2.0f * sqrtf((float)rows);
    return a;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "gramschmidt", "A = Q R by Gram and Schmidt's process", options,
                   OPTIONS);
    unsigned rows = (unsigned)options[ROWS].value, columns = (unsigned)options[COLUMNS].value;
    unsigned pad = (unsigned)options[PAD].value, steps = (unsigned)options[STEPS].value;
    if (rows < columns) {
        fprintf(stderr, "gramschmidt: --m takes at least the columns of --n, %u, not '%u'\n",
                columns, rows);
        return 2;
    }
    if (steps == 0 || steps > columns)
        steps = columns;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct factors device, host;
    device.a = random_columns(rows, columns, pad, &random);
    device.q = matrix_zero(rows, columns, pad);
    device.r = matrix_zero(columns, columns, pad);
    host.a = matrix_copy(&device.a);
    host.q = matrix_copy(&device.q);
    host.r = matrix_copy(&device.r);
    matrix_upload(&device.a);
    matrix_upload(&device.q);
    matrix_upload(&device.r);
    for (unsigned k = 0; k < steps; k++) {
        step_on_device(&device, k);
        step_on_host(&host, k);
    }

    // Numbers of Q are at most 1. Those of A and R stay below 256, where a rounding is by at most
    // 2^-17; each step rounds either way, and what they leave is about ten roundings' worth.
    long wrong = matrix_compare(&device.q, &host.q, 0.00001f);
    if (wrong < 0)
        wrong = matrix_compare(&device.a, &host.a, 0.0002f);
    if (wrong < 0)
        wrong = matrix_compare(&device.r, &host.r, 0.0002f);
    struct factors *both[2] = {&device, &host};
    for (int i = 0; i < 2; i++) {
        matrix_free(&both[i]->a);
        matrix_free(&both[i]->q);
        matrix_free(&both[i]->r);
    }
    return workload_verdict("gramschmidt", wrong);
}
