// Heat on a plate: each inner cell becomes half of itself and an eighth of each of its four
// neighbours, several times over. Neighbouring threads want almost the same cells.
//
//   naive  five loads a cell from global memory: re-use between neighbours is the caches' work
//   tiled  a block keeps its cells and a rim of one in shared memory: about one global load a cell
#include "workload.h"

#define TILE_X 32
#define TILE_Y 8

__global__ void stencil_naive(const float *in, float *out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned i = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        out[i] = in[i];
    else
        out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void stencil_tiled(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];
    unsigned x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    unsigned column = threadIdx.x + 1, row = threadIdx.y + 1, i = y * width + x;
    bool inside = x < width && y < height;
    if (inside) {
        tile[row][column] = in[i];
        if (threadIdx.x == 0 && x > 0)
            tile[row][0] = in[i - 1];
        if (threadIdx.x == TILE_X - 1 && x < width - 1)
            tile[row][TILE_X + 1] = in[i + 1];
        if (threadIdx.y == 0 && y > 0)
            tile[0][column] = in[i - width];
        if (threadIdx.y == TILE_Y - 1 && y < height - 1)
            tile[TILE_Y + 1][column] = in[i + width];
    }
    __syncthreads();
    if (!inside)
        return;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        out[i] = tile[row][column];
    else
        out[i] =
            0.5f * tile[row][column] + 0.125f * (tile[row][column - 1] + tile[row][column + 1] +
                                                 tile[row - 1][column] + tile[row + 1][column]);
}

static void step_on_host(const float *in, float *out, size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t i = y * width + x;
            if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
                out[i] = in[i];
            else
                out[i] =
                    0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
        }
}

enum { WIDTH, HEIGHT, STEPS, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "columns of the plate", 512, 1, 16384, NULL},
    {"height", "rows of the plate", 512, 1, 16384, NULL},
    {"steps", "times each cell is computed", 4, 1, 1000, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "where neighbours are kept", 0, 0, 0, "naive tiled"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "stencil", "five-point stencil over a plate", options, OPTIONS);
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    size_t count = (size_t)width * height, bytes = count * sizeof(float);
    float *in = (float *)workload_allocate(bytes), *out = (float *)workload_allocate(bytes);
    float *result = (float *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < count; i++)
        in[i] = (float)workload_below(&random, 1024);

    float *device_in = (float *)workload_upload(in, bytes), *device_out;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_out, bytes));
    dim3 grid((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y), block(TILE_X, TILE_Y);
    for (long step = 0; step < options[STEPS].value; step++) {
        if (options[VARIANT].value == 0)
            stencil_naive<<<grid, block>>>(device_in, device_out, width, height);
        else
            stencil_tiled<<<grid, block>>>(device_in, device_out, width, height);
        WORKLOAD_CHECK_LAUNCH();
        float *swap = device_in;
        device_in = device_out;
        device_out = swap;
        step_on_host(in, out, width, height);
        swap = in;
        in = out;
        out = swap;
    }
    WORKLOAD_CHECK(cudaMemcpy(result, device_in, bytes, cudaMemcpyDeviceToHost));

    // The device fuses multiplications into additions where the host does not. A step rounds each
    // of values below 1024 by at most 2^-14 or so, and never makes an older error larger.
    float tolerance = 0.000125f * (float)options[STEPS].value;
    long wrong = -1;
    for (size_t i = 0; i < count && wrong < 0; i++) {
        float difference = result[i] - in[i];
        if (!(difference <= tolerance && difference >= -tolerance))
            wrong = (long)i;
    }
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    free(result);
    return workload_verdict("stencil", wrong);
}
