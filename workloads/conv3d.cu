// A convolution in space, three by three by three: a launch computes one plane from that plane and
// its two neighbours, so what launches share must live through the end of a kernel. The lanes of a
// warp lie along a row; a load of the neighbours to one side touches two lines.
//
//   eleven  eleven of the 27 points have a weight, as in PolyBench, whose benchmark 3DCONV this is:
//           three in the plane itself, and those of the outer planes that lie to the sides
//   full    all 27 have one
#include "matrix.h"

// From 1 to 27, so that no two points can be mistaken for each other.
#define WEIGHT(z, y, x) ((float)(9 * (z) + 3 * (y) + (x) + 1))
#define POINT(z, y, x) (WEIGHT(z, y, x) * in[((i + (z)-1) * rows + j + (y)-1) * pitch + k + (x)-1])
#define ROW(z, y) (POINT(z, y, 0) + POINT(z, y, 1) + POINT(z, y, 2))
#define PLANE(z) (ROW(z, 0) + ROW(z, 1) + ROW(z, 2))
#define SIDES(z) (POINT(z, 0, 0) + POINT(z, 0, 2) + POINT(z, 1, 2) + POINT(z, 2, 2))
#define FULL (PLANE(0) + PLANE(1) + PLANE(2))
#define ELEVEN (SIDES(0) + POINT(1, 0, 1) + POINT(1, 1, 1) + POINT(1, 2, 1) + SIDES(2))

__global__ void conv3d_eleven(const float *in, float *out, unsigned i, unsigned rows,
                              unsigned columns, unsigned pitch)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j == 0 || k == 0 || j + 1 >= rows || k + 1 >= columns)
        return;
    out[(i * rows + j) * pitch + k] = ELEVEN;
}

__global__ void conv3d_full(const float *in, float *out, unsigned i, unsigned rows,
                            unsigned columns, unsigned pitch)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j == 0 || k == 0 || j + 1 >= rows || k + 1 >= columns)
        return;
    out[(i * rows + j) * pitch + k] = FULL;
}

enum { DEPTH, HEIGHT, WIDTH, PAD, BLOCK_X, BLOCK_Y, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"depth", "planes; each but the first and last is a launch", 12, 1, 512, NULL},
    {"height", "rows of a plane", 64, 1, 512, NULL},
    {"width", "columns of a plane", 256, 1, 512, NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block-x", "columns of a block", 32, 1, 32, NULL},
    {"block-y", "rows of a block", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "points that count", 0, 0, 0, "eleven full"},
};

// Whether a point counts, of those around the one in the middle, (1, 1, 1).
static bool counts(size_t z, size_t y, size_t x)
{
    if (options[VARIANT].value == 1)
        return true;
    return z == 1 ? x == 1 : y == 0 ? x != 1 : x == 2;
}

// What a point adds to all those around it. Sums of at most 27 products of small whole numbers are
// exact.
static void convolve_on_host(const struct matrix *in, struct matrix *out, size_t depth, size_t rows)
{
    for (size_t point = 0; point < 27; point++) {
        size_t z = point / 9, y = point / 3 % 3, x = point % 3;
        for (size_t i = 1; counts(z, y, x) && i + 1 < depth; i++)
            for (size_t j = 1; j + 1 < rows; j++) {
                const float *from = matrix_row(in, (i + z - 1) * rows + j + y - 1);
                float *to = matrix_row(out, i * rows + j);
                for (size_t k = 1; k + 1 < in->columns; k++)
                    to[k] += (float)(point + 1) * from[k + x - 1];
            }
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "conv3d", "convolution in space, three by three by three", options,
                   OPTIONS);
    unsigned depth = (unsigned)options[DEPTH].value, height = (unsigned)options[HEIGHT].value;
    unsigned width = (unsigned)options[WIDTH].value, pad = (unsigned)options[PAD].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // The rows of all planes, one plane after the other.
    struct matrix in = matrix_random(depth * height, width, pad, 1024, &random);
    struct matrix out = matrix_zero(depth * height, width, pad);
    struct matrix expected = matrix_copy(&out);
    matrix_upload(&in);
    matrix_upload(&out);

    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid(matrix_blocks(width, block.x), matrix_blocks(height, block.y));
    for (unsigned i = 1; i + 1 < depth; i++) {
        if (options[VARIANT].value == 0)
            conv3d_eleven<<<grid, block>>>(in.device, out.device, i, height, width, in.pitch);
        else
            conv3d_full<<<grid, block>>>(in.device, out.device, i, height, width, in.pitch);
        WORKLOAD_CHECK_LAUNCH();
    }

    convolve_on_host(&in, &expected, depth, height);
    long wrong = matrix_compare(&out, &expected, 0.0f);
    matrix_free(&in);
    matrix_free(&out);
    matrix_free(&expected);
    return workload_verdict("conv3d", wrong);
}
