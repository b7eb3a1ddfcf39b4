// Waves in a plane by finite differences in time: three stencils in turn, of the electric field's
// two parts and of the magnetic field between them. The lanes of a warp lie along a row, so the
// loads of a neighbour to one side touch two lines; so do all those of ex, whose rows are a number
// longer. What a launch writes is what the next one reads.
//
// PolyBench's benchmark FDTD-2D.
#include "matrix.h"

// A source along the first row drives the wave.
__global__ void fdtd2d_ey(float *ey, const float *hz, float source, unsigned height, unsigned width,
                          unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= height || j >= width)
        return;
    if (i == 0)
        ey[j] = source;
    else
        ey[i * pitch + j] -= 0.5f * (hz[i * pitch + j] - hz[(i - 1) * pitch + j]);
}

__global__ void fdtd2d_ex(float *ex, const float *hz, unsigned height, unsigned width,
                          unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= height || j >= width || j == 0)
        return;
    ex[i * (pitch + 1) + j] -= 0.5f * (hz[i * pitch + j] - hz[i * pitch + j - 1]);
}

__global__ void fdtd2d_hz(const float *ex, const float *ey, float *hz, unsigned height,
                          unsigned width, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= height || j >= width)
        return;
    hz[i * pitch + j] -= 0.7f * (ex[i * (pitch + 1) + j + 1] - ex[i * (pitch + 1) + j] +
                                 ey[(i + 1) * pitch + j] - ey[i * pitch + j]);
}

enum { HEIGHT, WIDTH, STEPS, PAD, BLOCK_X, BLOCK_Y, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"height", "rows of the plane", 256, 1, 16384, NULL},
    {"width", "columns of the plane", 256, 1, 16384, NULL},
    {"steps", "of time", 4, 1, 10000, NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block-x", "columns of a block", 32, 1, 32, NULL},
    {"block-y", "rows of a block", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

struct fields {
    struct matrix ex, ey, hz;
};

static void step_on_device(const struct fields *fields, float source, unsigned height,
                           unsigned width)
{
    float *ex = fields->ex.device, *ey = fields->ey.device, *hz = fields->hz.device;
    unsigned pitch = fields->hz.pitch;
    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid(matrix_blocks(width, block.x), matrix_blocks(height, block.y));
    fdtd2d_ey<<<grid, block>>>(ey, hz, source, height, width, pitch);
    WORKLOAD_CHECK_LAUNCH();
    fdtd2d_ex<<<grid, block>>>(ex, hz, height, width, pitch);
    WORKLOAD_CHECK_LAUNCH();
    fdtd2d_hz<<<grid, block>>>(ex, ey, hz, height, width, pitch);
    WORKLOAD_CHECK_LAUNCH();
}

static void step_on_host(const struct fields *fields, float source, size_t height, size_t width)
{
    for (size_t i = 0; i < height; i++) {
        float *ex = matrix_row(&fields->ex, i), *ey = matrix_row(&fields->ey, i);
        const float *hz = matrix_row(&fields->hz, i);
        for (size_t j = 0; j < width; j++) {
            ey[j] = i == 0 ? source : ey[j] - 0.5f * (hz[j] - matrix_row(&fields->hz, i - 1)[j]);
            if (j > 0)
                ex[j] -= 0.5f * (hz[j] - hz[j - 1]);
        }
    }
    for (size_t i = 0; i < height; i++) {
        const float *ex = matrix_row(&fields->ex, i), *ey = matrix_row(&fields->ey, i);
        const float *below = matrix_row(&fields->ey, i + 1);
        for (size_t j = 0; j < width; j++)
            matrix_row(&fields->hz, i)[j] -= 0.7f * (ex[j + 1] - ex[j] + below[j] - ey[j]);
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "fdtd2d", "waves in a plane by finite differences", options,
                   OPTIONS);
    unsigned height = (unsigned)options[HEIGHT].value, width = (unsigned)options[WIDTH].value;
    unsigned pad = (unsigned)options[PAD].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // ex and ey have a number more than hz across their own direction.
    struct fields device;
    device.ex = matrix_random(height, width + 1, pad, 16, &random);
    device.ey = matrix_random(height + 1, width, pad, 16, &random);
    device.hz = matrix_random(height, width, pad, 16, &random);
    struct fields host = {matrix_copy(&device.ex), matrix_copy(&device.ey),
                          matrix_copy(&device.hz)};
    matrix_upload(&device.ex);
    matrix_upload(&device.ey);
    matrix_upload(&device.hz);
    for (long step = 0; step < options[STEPS].value; step++) {
        float source = (float)(step % 16);
        step_on_device(&device, source, height, width);
        step_on_host(&host, source, height, width);
    }

    // The device fuses multiplications into additions where the host does not. The scheme keeps the
    // fields' energy, so values stay below 256 and a step rounds them by at most 2^-17 a few times;
    // what was rounded is carried on, not amplified.
    float tolerance = 0.00003f * (float)options[STEPS].value;
    long wrong = matrix_compare(&device.hz, &host.hz, tolerance);
    if (wrong < 0)
        wrong = matrix_compare(&device.ex, &host.ex, tolerance);
    if (wrong < 0)
        wrong = matrix_compare(&device.ey, &host.ey, tolerance);
    struct fields *both[2] = {&device, &host};
    for (int i = 0; i < 2; i++) {
        matrix_free(&both[i]->ex);
        matrix_free(&both[i]->ey);
        matrix_free(&both[i]->hz);
    }
    return workload_verdict("fdtd2d", wrong);
}
