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

// The variant `vector`, with tiles of 64 by 64: a thread reads four numbers of each of four rows at
// once, and writes as many of four rows of the result. The pattern is that of the AMD APP SDK's
// sample MatrixTranspose.
#define NUMBERS 4  // of a vector
#define VECTORS 16 // in a row of a tile, and threads along each side of a block

__global__ void transpose_vector(const float4 *in, float4 *out, unsigned width, unsigned height)
{
    __shared__ float4 tile[VECTORS * NUMBERS][VECTORS];
    unsigned x = blockIdx.x * VECTORS + threadIdx.x; // in vectors, as are the pitches
    unsigned y = (blockIdx.y * VECTORS + threadIdx.y) * NUMBERS;
    unsigned in_pitch = width / NUMBERS, out_pitch = height / NUMBERS;
    if (x < in_pitch && y < height)
        for (unsigned step = 0; step < NUMBERS; step++)
            tile[threadIdx.y * NUMBERS + step][threadIdx.x] = in[(size_t)(y + step) * in_pitch + x];
    __syncthreads();
    x = blockIdx.y * VECTORS + threadIdx.x;
    y = (blockIdx.x * VECTORS + threadIdx.y) * NUMBERS;
    if (x >= out_pitch || y >= width)
        return;
    float4 a = tile[threadIdx.x * NUMBERS][threadIdx.y];
    float4 b = tile[threadIdx.x * NUMBERS + 1][threadIdx.y];
    float4 c = tile[threadIdx.x * NUMBERS + 2][threadIdx.y];
    float4 d = tile[threadIdx.x * NUMBERS + 3][threadIdx.y];
    out[(size_t)y * out_pitch + x] = make_float4(a.x, b.x, c.x, d.x);
    out[(size_t)(y + 1) * out_pitch + x] = make_float4(a.y, b.y, c.y, d.y);
    out[(size_t)(y + 2) * out_pitch + x] = make_float4(a.z, b.z, c.z, d.z);
    out[(size_t)(y + 3) * out_pitch + x] = make_float4(a.w, b.w, c.w, d.w);
}

enum { WIDTH, HEIGHT, SEED, VARIANT, SERIAL, OPTIONS };
enum { NAIVE, TILED, PADDED, VECTOR };
static struct workload_option options[OPTIONS] = {
    {"width", "columns of the matrix", 1024, 1, 32768, NULL},
    {"height", "rows of the matrix", 1024, 1, 32768, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "who turns the data around", 0, 0, 0, "naive tiled padded vector"},
    WORKLOAD_SERIAL_OPTION,
};

WORKLOAD_SERIAL static void transpose_serially(const float *in, float *out, unsigned width,
                                               unsigned height)
{
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            out[(size_t)x * height + y] = in[(size_t)y * width + x];
}

static void launch(const float *in, float *out, unsigned width, unsigned height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE_ROWS);
    unsigned side = VECTORS * NUMBERS;
    switch (options[VARIANT].value) {
    case NAIVE: transpose_naive<<<grid, block>>>(in, out, width, height); break;
    case TILED: transpose_tiled<<<grid, block>>>(in, out, width, height); break;
    case PADDED: transpose_padded<<<grid, block>>>(in, out, width, height); break;
    default:
        grid = dim3((width + side - 1) / side, (height + side - 1) / side);
        block = dim3(VECTORS, VECTORS);
        transpose_vector<<<grid, block>>>((const float4 *)in, (float4 *)out, width, height);
        break;
    }
    WORKLOAD_CHECK_LAUNCH();
}

static void transpose_on_device(const float *in, float *out, unsigned width, unsigned height)
{
    size_t bytes = (size_t)width * height * sizeof(float);
    float *device_in = (float *)workload_upload(in, bytes), *device_out;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_out, bytes));
    launch(device_in, device_out, width, height);
    WORKLOAD_CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_out));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "transpose", "transposes a matrix of floats", options, OPTIONS);
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    if (options[VARIANT].value == VECTOR && (width % NUMBERS != 0 || height % NUMBERS != 0)) {
        fprintf(stderr, "transpose: the variant vector takes multiples of 4, not '%u' and '%u'\n",
                width, height);
        return 2;
    }
    size_t count = (size_t)width * height, bytes = count * sizeof(float);
    float *in = (float *)workload_allocate(bytes), *out = (float *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < count; i++)
        in[i] = (float)workload_below(&random, 1 << 24);

    if (options[SERIAL].value) {
        workload_trace_begin();
        transpose_serially(in, out, width, height);
        workload_trace_end();
    } else {
        transpose_on_device(in, out, width, height);
    }

    long wrong = -1;
    for (size_t y = 0; y < height && wrong < 0; y++)
        for (size_t x = 0; x < width && wrong < 0; x++)
            if (out[x * height + y] != in[y * width + x])
                wrong = (long)(x * height + y);
    free(in);
    free(out);
    return workload_verdict("transpose", wrong);
}
