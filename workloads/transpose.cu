// out[x][y] = in[y][x] for a matrix of floats: either the reads or the writes run against the rows,
// unless shared memory turns the data around.
//
//   naive   lanes read along a row and write down a column: each store of a warp touches 32 lines
//   tiled   a block reads a tile of 32 by 32 along rows into shared memory and writes it along rows
//           of the result: every global access is 128 consecutive bytes. But the lanes of a warp
//           now read a column of the tile, and words 32 apart lie in one bank
//   padded  the same with a column of padding, so that a column of the tile lies across all banks
#include "workload.h"

#define TILE 32
#define TILE_ROWS 8 // a block of 32 by 8 threads moves a tile in four steps

__global__ void transpose_naive(const float *in, float *out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * TILE + threadIdx.x;
    unsigned y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned step = 0; step < TILE; step += TILE_ROWS)
        if (x < width && y + step < height)
            out[(size_t)x * height + y + step] = in[(size_t)(y + step) * width + x];
}

__global__ void transpose_tiled(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[TILE][TILE];
    unsigned x = blockIdx.x * TILE + threadIdx.x;
    unsigned y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned step = 0; step < TILE; step += TILE_ROWS)
        if (x < width && y + step < height)
            tile[threadIdx.y + step][threadIdx.x] = in[(size_t)(y + step) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (unsigned step = 0; step < TILE; step += TILE_ROWS)
        if (x < height && y + step < width)
            out[(size_t)(y + step) * height + x] = tile[threadIdx.x][threadIdx.y + step];
}

__global__ void transpose_padded(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned x = blockIdx.x * TILE + threadIdx.x;
    unsigned y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned step = 0; step < TILE; step += TILE_ROWS)
        if (x < width && y + step < height)
            tile[threadIdx.y + step][threadIdx.x] = in[(size_t)(y + step) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (unsigned step = 0; step < TILE; step += TILE_ROWS)
        if (x < height && y + step < width)
            out[(size_t)(y + step) * height + x] = tile[threadIdx.x][threadIdx.y + step];
}

enum { WIDTH, HEIGHT, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "columns of the matrix", 1024, 1, 32768, NULL},
    {"height", "rows of the matrix", 1024, 1, 32768, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "who turns the data around", 0, 0, 0, "naive tiled padded"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "transpose", "transposes a matrix of floats", options, OPTIONS);
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    size_t count = (size_t)width * height, bytes = count * sizeof(float);
    float *in = (float *)workload_allocate(bytes), *out = (float *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < count; i++)
        in[i] = (float)workload_below(&random, 1 << 24);

    float *device_in = (float *)workload_upload(in, bytes), *device_out;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_out, bytes));
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE_ROWS);
    if (options[VARIANT].value == 0)
        transpose_naive<<<grid, block>>>(device_in, device_out, width, height);
    else if (options[VARIANT].value == 1)
        transpose_tiled<<<grid, block>>>(device_in, device_out, width, height);
    else
        transpose_padded<<<grid, block>>>(device_in, device_out, width, height);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));

    long wrong = -1;
    for (size_t y = 0; y < height && wrong < 0; y++)
        for (size_t x = 0; x < width && wrong < 0; x++)
            if (out[x * height + y] != in[y * width + x])
                wrong = (long)(x * height + y);
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    return workload_verdict("transpose", wrong);
}
