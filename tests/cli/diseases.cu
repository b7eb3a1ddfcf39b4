// Kernels with one disease each, and healthy ones: what warpmem annotate advises of them is in
// check_advice.py.
#include <cstdio>
#include <cuda_runtime.h>

constexpr unsigned N = 1 << 15, BLOCK = 256;

__device__ unsigned here() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- One disease each ---

__global__ void strided(const float *in, float *out)
{
    unsigned i = here();
    out[i] = in[i * 16];
}

struct particle {
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void one_field_of_structures(const particle *in, float *out)
{
    unsigned i = here();
    out[i] = in[i].mass;
}

__global__ void rows_by_thread(const float *in, float *out) // each lane walks through its own
{
    unsigned i = here();
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 64; k++)
        sum += in[i * 64 + (i & 1) * 8 + k];
    out[i] = sum;
}

__global__ void columns_of_a_tile(const float *in, float *out)
{
    __shared__ float tile[32][32];
    unsigned lane = threadIdx.x & 31, row = threadIdx.x / 32;
    for (unsigned k = row; k < 32; k += blockDim.x / 32)
        tile[k][lane] = in[blockIdx.x * 1024 + k * 32 + lane];
    __syncthreads();
    for (unsigned k = row; k < 32; k += blockDim.x / 32)
        out[blockIdx.x * 1024 + k * 32 + lane] = tile[lane][k];
}

__global__ void few_bins(const unsigned *in, unsigned *bins)
{
    atomicAdd(&bins[in[here()] & 3], 1u);
}

__global__ void few_bins_in_shared(const unsigned *in, unsigned *bins)
{
    __shared__ unsigned own[4];
    if (threadIdx.x < 4)
        own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[in[here()] & 3], 1u);
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// Lanes side by side, and all warps at the same place.
__global__ void one_row_of_bins(const unsigned *in, unsigned *bins)
{
    atomicAdd(&bins[threadIdx.x & 31], in[here()]);
}

__global__ void one_row_of_bins_in_shared(const unsigned *in, unsigned *bins)
{
    __shared__ unsigned own[32];
    if (threadIdx.x < 32)
        own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[threadIdx.x & 31], in[here()]);
    __syncthreads();
    if (threadIdx.x < 32)
        bins[blockIdx.x * 32 + threadIdx.x] = own[threadIdx.x];
}

// A table of 96 KiB that each block reads again and again, and as many bytes that it reads once.
constexpr unsigned TABLE = 96 * 256, ROUNDS = 4;

__global__ void stream_beside_a_table(const float *table, const float *stream, float *out)
{
    float sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned k = threadIdx.x; k < TABLE; k += blockDim.x) {
            sum += table[blockIdx.x * TABLE + k];
            sum += stream[(blockIdx.x * ROUNDS + round) * TABLE + k];
        }
    out[here()] = sum;
}

// The same of 192 KiB, which L1 does not hold whatever else goes around it.
constexpr unsigned LARGE = 2 * TABLE;

__global__ void stream_beside_a_large_table(const float *table, const float *stream, float *out)
{
    float sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned k = threadIdx.x; k < LARGE; k += blockDim.x) {
            sum += table[blockIdx.x * LARGE + k];
            sum += stream[(blockIdx.x * ROUNDS + round) * LARGE + k];
        }
    out[here()] = sum;
}

// One stream is too much beside the other.
__global__ void two_streams_beside_a_table(const float *table, const float *a, const float *b,
                                           float *out)
{
    float sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned k = threadIdx.x; k < TABLE; k += blockDim.x) {
            sum += table[blockIdx.x * TABLE + k];
            sum += a[(blockIdx.x * ROUNDS + round) * TABLE + k];
            sum += b[(blockIdx.x * ROUNDS + round) * TABLE + k];
        }
    out[here()] = sum;
}

struct point {
    float x, y, z, w;
};

__global__ void four_scalars(const point *in, float *out)
{
    unsigned i = here();
    out[i] = in[i].x + in[i].y * in[i].z - in[i].w;
}

constexpr unsigned SIDE = 64;

__global__ void product_without_tiles(const float *a, const float *b, float *c)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < SIDE; k++)
        sum += a[y * SIDE + k] * b[k * SIDE + x];
    c[y * SIDE + x] = sum;
}

// --- Healthy ---

__global__ void copy(const float *in, float *out)
{
    unsigned i = here();
    out[i] = in[i];
}

__global__ void copy_vectors(const float4 *in, float4 *out)
{
    unsigned i = here();
    out[i] = in[i];
}

__global__ void saxpy(float a, const float *x, float *y)
{
    unsigned i = here();
    y[i] = a * x[i] + y[i];
}

__global__ void neighbours(const float *in, float *out)
{
    unsigned i = here();
    out[i] = in[i] + in[i + 1] + in[i + 2];
}

__global__ void transpose_in_tiles(const float *in, float *out)
{
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * 256 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8)
        out[(y + k) * 256 + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void reduction(const float *in, float *out)
{
    __shared__ float partial[BLOCK];
    partial[threadIdx.x] = in[here()];
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(out, partial[0]);
}

__global__ void many_bins(const unsigned *in, unsigned *bins)
{
    atomicAdd(&bins[in[here()] % N], 1u);
}

__global__ void many_bins_in_shared(const unsigned *in, unsigned *bins)
{
    __shared__ unsigned own[2048];
    for (unsigned k = threadIdx.x; k < 2048; k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    atomicAdd(&own[in[here()] % 2048], 1u);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 2048; k += blockDim.x)
        bins[blockIdx.x * 2048 + k] = own[k];
}

__global__ void gather(const unsigned *in, const float *from, float *out)
{
    unsigned i = here();
    out[i] = from[in[i] & ((1u << 22) - 1)];
}

int main()
{
    char *a, *b;
    unsigned *random, *host = new unsigned[N];
    const size_t bytes = 16 << 20;
    for (unsigned i = 0, x = 1; i < N; i++)
        host[i] = (x = x * 1664525 + 1013904223) >> 8;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&random, N * sizeof *random);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    cudaMemcpy(random, host, N * sizeof *random, cudaMemcpyHostToDevice);
    float *in = (float *)a, *out = (float *)b;
    unsigned *bins = (unsigned *)b;
    const dim3 grid(N / BLOCK), tiles(8, 8), tile(32, 8);
    strided<<<grid, BLOCK>>>(in, out);
    one_field_of_structures<<<grid, BLOCK>>>((particle *)in, out);
    rows_by_thread<<<4, BLOCK>>>(in, out);
    columns_of_a_tile<<<16, BLOCK>>>(in, out);
    few_bins<<<grid, BLOCK>>>(random, bins);
    few_bins_in_shared<<<grid, BLOCK>>>(random, bins);
    one_row_of_bins<<<grid, BLOCK>>>(random, bins);
    one_row_of_bins_in_shared<<<grid, BLOCK>>>(random, bins);
    stream_beside_a_table<<<8, BLOCK>>>(in, in + 8 * TABLE, out);
    stream_beside_a_large_table<<<4, BLOCK>>>(in, in + 4 * LARGE, out);
    two_streams_beside_a_table<<<4, BLOCK>>>(in, in + 4 * TABLE, in + 20 * TABLE, out);
    four_scalars<<<grid, BLOCK>>>((point *)in, out);
    product_without_tiles<<<dim3(2, 8), tile>>>(in, in + SIDE * SIDE, out);
    copy<<<grid, BLOCK>>>(in, out);
    copy_vectors<<<grid, BLOCK>>>((float4 *)in, (float4 *)out);
    saxpy<<<grid, BLOCK>>>(2, in, out);
    neighbours<<<grid, BLOCK>>>(in, out);
    transpose_in_tiles<<<tiles, tile>>>(in, out);
    reduction<<<grid, BLOCK>>>(in, out);
    many_bins<<<grid, BLOCK>>>(random, bins);
    many_bins_in_shared<<<grid, BLOCK>>>(random, bins);
    gather<<<grid, BLOCK>>>(random, in, out);
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
    delete[] host;
    return 0;
}
