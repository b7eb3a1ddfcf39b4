// Heat in a block of metal: each inner cell becomes a quarter of itself and an eighth of each of
// its six neighbours in space, several times over; the faces keep their heat. A thread a cell, the
// lanes of a warp along x, and every operand from global memory: a cell is asked for seven times,
// and what of that reaches DRAM is the caches' work. Blocks share the cells along their faces, with
// the next block in x and y, and with one a whole plane later in z.
#include "workload.h"

__global__ void stencil3d_step(const float *in, float *out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width - 1 || y >= height - 1)
        return;
    unsigned plane = width * height, i = (blockIdx.z + 1) * plane + y * width + x;
    float around = in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
    out[i] = 0.25f * in[i] + 0.125f * (around + in[i - plane] + in[i + plane]);
}

// In the same order of additions; the factors are powers of two, so that fusing a multiplication
// into an addition changes nothing, and results agree to the bit.
static void step_on_host(const float *in, float *out, size_t width, size_t height, size_t depth)
{
    size_t plane = width * height;
    for (size_t z = 1; z + 1 < depth; z++)
        for (size_t y = 1; y + 1 < height; y++)
            for (size_t x = 1; x + 1 < width; x++) {
                size_t i = z * plane + y * width + x;
                float around = in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
                out[i] = 0.25f * in[i] + 0.125f * (around + in[i - plane] + in[i + plane]);
            }
}

enum { WIDTH, HEIGHT, DEPTH, STEPS, BLOCK_X, BLOCK_Y, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "cells along x", 128, 3, 1024, NULL},
    {"height", "cells along y", 64, 3, 1024, NULL},
    {"depth", "cells along z", 32, 3, 1024, NULL},
    {"steps", "times each cell is computed", 4, 1, 1000, NULL},
    {"block-x", "threads of a block along x", 32, 1, 32, NULL},
    {"block-y", "threads of a block along y", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

static void step_on_device(const float *in, float *out, unsigned width, unsigned height,
                           unsigned depth)
{
    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid((width - 2 + block.x - 1) / block.x, (height - 2 + block.y - 1) / block.y, depth - 2);
    stencil3d_step<<<grid, block>>>(in, out, width, height);
    WORKLOAD_CHECK_LAUNCH();
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "stencil3d", "seven-point stencil in space", options, OPTIONS);
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    unsigned depth = (unsigned)options[DEPTH].value;
    size_t count = (size_t)width * height * depth, bytes = count * sizeof(float);
    float *in = (float *)workload_allocate(bytes), *out = (float *)workload_allocate(bytes);
    float *result = (float *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < count; i++)
        in[i] = (float)workload_below(&random, 1024);
    memcpy(out, in, bytes);

    // Both have the faces, which no step writes.
    float *device_in = (float *)workload_upload(in, bytes);
    float *device_out = (float *)workload_upload(in, bytes);
    for (long step = 0; step < options[STEPS].value; step++) {
        step_on_device(device_in, device_out, width, height, depth);
        step_on_host(in, out, width, height, depth);
        float *swap = device_in;
        device_in = device_out;
        device_out = swap;
        swap = in;
        in = out;
        out = swap;
    }
    WORKLOAD_CHECK(cudaMemcpy(result, device_in, bytes, cudaMemcpyDeviceToHost));

    long wrong = workload_first_far(result, in, count, 0.0f);
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    free(result);
    return workload_verdict("stencil3d", wrong);
}
