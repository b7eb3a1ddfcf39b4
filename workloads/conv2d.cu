// A convolution with three by three weights: each inner point of a plane becomes a sum of itself
// and its eight neighbours, times a weight each. The lanes of a warp lie along a row, so a load of
// the neighbours to one side begins a number beside a line's start and touches two lines; every
// line is wanted by nine loads of a warp, and by those of the warps above and below.
//
// PolyBench's benchmark 2DCONV, but for the weights.
#include "matrix.h"

// From 1 to 9, so that no two points can be mistaken for each other.
#define WEIGHT(row, column) ((float)(3 * (row) + (column) + 1))
#define POINT(row, column) (WEIGHT(row, column) * in[(i + (row)-1) * pitch + j + (column)-1])
#define ROW(row) (POINT(row, 0) + POINT(row, 1) + POINT(row, 2))

__global__ void conv2d(const float *in, float *out, unsigned height, unsigned width, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i == 0 || j == 0 || i + 1 >= height || j + 1 >= width)
        return;
    out[i * pitch + j] = ROW(0) + ROW(1) + ROW(2);
}

enum { HEIGHT, WIDTH, PAD, BLOCK_X, BLOCK_Y, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"height", "rows of the plane", 512, 1, 16384, NULL},
    {"width", "columns of the plane", 512, 1, 16384, NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block-x", "columns of a block", 32, 1, 32, NULL},
    {"block-y", "rows of a block", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

// What a point adds to all those around it. Sums of nine products of small whole numbers are exact.
static void convolve_on_host(const struct matrix *in, struct matrix *out)
{
    for (size_t point = 0; point < 9; point++)
        for (size_t i = 1; i + 1 < in->rows; i++)
            for (size_t j = 1; j + 1 < in->columns; j++)
                matrix_row(out, i)[j] +=
                    (float)(point + 1) * matrix_row(in, i + point / 3 - 1)[j + point % 3 - 1];
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "conv2d", "convolution of a plane, three by three", options,
                   OPTIONS);
    unsigned height = (unsigned)options[HEIGHT].value, width = (unsigned)options[WIDTH].value;
    unsigned pad = (unsigned)options[PAD].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct matrix in = matrix_random(height, width, pad, 1024, &random);
    struct matrix out = matrix_zero(height, width, pad), expected = matrix_zero(height, width, pad);
    matrix_upload(&in);
    matrix_upload(&out);

    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid(matrix_blocks(width, block.x), matrix_blocks(height, block.y));
    conv2d<<<grid, block>>>(in.device, out.device, height, width, in.pitch);
    WORKLOAD_CHECK_LAUNCH();

    convolve_on_host(&in, &expected);
    long wrong = matrix_compare(&out, &expected, 0.0f);
    matrix_free(&in);
    matrix_free(&out);
    matrix_free(&expected);
    return workload_verdict("conv2d", wrong);
}
