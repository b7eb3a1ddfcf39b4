// Kernels that need no advice, of many kinds: check_advice.py, on several machines. At the end a few
// that do.
#include <cstdio>
#include <cuda_runtime.h>
#ifdef __NVCC__
#include <cuda_fp16.h>
typedef __half half_float;
#else
typedef __fp16 half_float; // warpmem cc has no header of halves
#endif

constexpr unsigned N = 1 << 15, BLOCK = 256, WARPS = BLOCK / 32;
constexpr unsigned ALL = 0xffffffffu;

__device__ unsigned here() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- What warps of a block share of a line, or once ---

__global__ void bytes_once(const unsigned char *in, unsigned *out)
{
    unsigned i = here();
    if (in[i] == 255)
        atomicAdd(out, 1u);
}

__global__ void histogram_of_bytes(const unsigned char *in, unsigned *bins)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = here(); i < N; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void bytes_copied(const unsigned char *in, unsigned char *out)
{
    unsigned i = here();
    out[i] = in[i];
}

__global__ void bytes_added(const char *a, const char *b, char *out)
{
    unsigned i = here();
    out[i] = a[i] + b[i];
}

__global__ void value_of_a_block(const float *in, float *out)
{
    out[here()] = in[blockIdx.x];
}

__global__ void table_by_thread(const float *in, const float *table, float *out)
{
    unsigned i = here();
    out[i] = in[i] * table[i & 255];
}

__global__ void table_in_rounds(const float *in, const float *table, float *out)
{
    for (unsigned i = here(); i < N; i += gridDim.x * blockDim.x)
        out[i] = in[i] * table[i & 255];
}

__global__ void mask_of_bits(const unsigned *mask, const float *in, float *out)
{
    unsigned i = here();
    out[i] = mask[i / 32] >> (i & 31) & 1 ? in[i] : 0;
}

__global__ void waits_for_a_flag(volatile unsigned *flag, unsigned *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (unsigned k = 0; k < 512; k++)
            out[N + k] = k;
        __threadfence();
        flag[0] = 1;
    }
    while (flag[0] == 0) {
    }
    out[here()] = 1;
}

// --- The rest ---

template <class T> __device__ void axpy(T a, const T *x, T *y)
{
    unsigned i = here();
    y[i] = a * x[i] + y[i];
}
__global__ void axpy_char(char a, const char *x, char *y) { axpy(a, x, y); }
__global__ void axpy_short(short a, const short *x, short *y) { axpy(a, x, y); }
__global__ void axpy_double(double a, const double *x, double *y) { axpy(a, x, y); }
__global__ void axpy_half(float a, const half_float *x, half_float *y)
{
    unsigned i = here();
    y[i] = half_float(a * float(x[i]) + float(y[i]));
}

__global__ void reduction_by_shuffles(const float *in, float *out)
{
    __shared__ float of_warps[WARPS];
    float sum = 0;
    for (unsigned i = here(); i < N; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (unsigned far = 16; far > 0; far /= 2)
        sum += __shfl_down_sync(ALL, sum, far);
    if ((threadIdx.x & 31) == 0)
        of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned k = 1; k < WARPS; k++)
            sum += of_warps[k];
        out[blockIdx.x] = sum;
    }
}

__global__ void scan_of_a_block(const unsigned *in, unsigned *out)
{
    __shared__ unsigned of_warps[WARPS];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32, sum = in[here()];
    for (unsigned far = 1; far < 32; far *= 2) {
        unsigned other = __shfl_up_sync(ALL, sum, far);
        sum += lane >= far ? other : 0;
    }
    if (lane == 31)
        of_warps[warp] = sum;
    __syncthreads();
    for (unsigned k = 0; k < warp; k++)
        sum += of_warps[k];
    out[here()] = sum;
}

__global__ void rows_with_padding(const float *in, float *out) // rows of 48, of which 32 are used
{
    unsigned lane = threadIdx.x & 31, row = here() / 32;
    out[row * 48 + lane] = 2 * in[row * 48 + lane];
}

__global__ void stencil_through_shared(const float *in, float *out, unsigned pitch)
{
    __shared__ float tile[10][34];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 8;
    for (unsigned y = threadIdx.y; y < 10; y += 8)
        for (unsigned x = threadIdx.x; x < 34; x += 32)
            tile[y][x] = in[(top + y) * pitch + left + x];
    __syncthreads();
    unsigned x = threadIdx.x + 1, y = threadIdx.y + 1;
    out[(top + y) * pitch + left + x] =
        tile[y][x] + tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
}

__constant__ float taps[8];

__global__ void filter_of_constants(const float *in, float *out)
{
    unsigned i = here();
    float sum = 0;
    for (unsigned k = 0; k < 8; k++)
        sum += taps[k] * in[i + k];
    out[i] = sum;
}

// Each warp takes its work with one atomic.
__global__ void taken_by_warps(const float *in, float *out, unsigned *next)
{
    unsigned lane = threadIdx.x & 31, first = 0;
    for (;;) {
        if (lane == 0)
            first = atomicAdd(next, 32u);
        first = __shfl_sync(ALL, first, 0);
        if (first >= N)
            return;
        out[first + lane] = in[first + lane] + 1;
    }
}

// L1 of some machines is too small for the table, and going around it helps nobody.
__global__ void gather_from_a_table(const unsigned *random, const float *from, float *out)
{
    for (unsigned i = here(); i < N; i += gridDim.x * blockDim.x)
        out[i] = from[random[i] & 32767];
}

__global__ void gather_nearby(const unsigned *random, const float *from, float *out)
{
    unsigned i = here();
    out[i] = from[(i & ~63u) + (random[i] & 63)];
}

constexpr unsigned COLUMNS = 2048;

__global__ void matrix_by_vector(const float *matrix, const float *vector, float *out) // a row a warp
{
    unsigned lane = threadIdx.x & 31, row = here() / 32;
    float sum = 0;
    for (unsigned k = lane; k < COLUMNS; k += 32)
        sum += matrix[row * COLUMNS + k] * vector[k];
    for (unsigned far = 16; far > 0; far /= 2)
        sum += __shfl_down_sync(ALL, sum, far);
    if (lane == 0)
        out[row] = sum;
}

__global__ void transpose_padded(const double *in, double *out)
{
    __shared__ double tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * 256 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8)
        out[(y + k) * 256 + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void bins_of_warps(const unsigned *in, unsigned *bins)
{
    __shared__ unsigned own[WARPS][256];
    for (unsigned w = 0; w < WARPS; w++)
        own[w][threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = here(); i < N; i += gridDim.x * blockDim.x)
        atomicAdd(&own[threadIdx.x / 32][in[i] * 2654435761u >> 24], 1u);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned w = 0; w < WARPS; w++)
        sum += own[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

constexpr unsigned SIDE = 64;

__global__ void product_in_tiles(const float *a, const float *b, float *c)
{
    __shared__ float of_a[16][16], of_b[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (unsigned from = 0; from < SIDE; from += 16) {
        of_a[ty][tx] = a[y * SIDE + from + tx];
        of_b[ty][tx] = b[(from + ty) * SIDE + x];
        __syncthreads();
        for (unsigned k = 0; k < 16; k++)
            sum += of_a[ty][k] * of_b[k][tx];
        __syncthreads();
    }
    c[y * SIDE + x] = sum;
}

__global__ void polynomial(const float *factors, const float *in, float *out)
{
    unsigned i = here();
    float x = in[i], sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 64; k++)
        sum = sum * x + factors[k];
    out[i] = sum;
}

__global__ void differences_of_rows(const float *in, float *out) // down a column, side by side
{
    unsigned x = here();
    float last = in[x];
#pragma unroll 1
    for (unsigned y = 1; y < 16; y++) {
        float now = in[y * 4096 + x];
        out[y * 4096 + x] = now - last;
        last = now;
    }
}

// --- One disease each ---

__global__ void every_body(const float4 *bodies, float *out)
{
    unsigned i = here();
    float4 own = bodies[i];
    float sum = own.w;
    for (unsigned k = 0; k < 1024; k++) {
        float4 other = bodies[k];
        float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
        sum += other.w / (1 + x * x + y * y + z * z);
    }
    out[i] = sum;
}

__global__ void transpose_without_tiles(const float *in, float *out)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * 256 + y] = in[y * 256 + x];
}

__global__ void doubles_in_columns(const double *in, double *out)
{
    __shared__ double tile[32][32];
    unsigned lane = threadIdx.x & 31, row = threadIdx.x / 32;
    for (unsigned k = row; k < 32; k += WARPS)
        tile[lane][k] = in[blockIdx.x * 1024 + k * 32 + lane];
    __syncthreads();
    for (unsigned k = row; k < 32; k += WARPS)
        out[blockIdx.x * 1024 + k * 32 + lane] = tile[k][lane];
}

__global__ void one_counter(const unsigned *in, unsigned *count)
{
    if (in[here()] & 1)
        atomicAdd(count, 1u);
}

__global__ void taken_by_lanes(const float *in, float *out, unsigned *next)
{
    unsigned i = atomicAdd(next, 1u);
    out[i] = in[i] + 1;
}

__global__ void pairs_of_doubles(const double *in, double *out)
{
    unsigned i = here();
    out[i] = in[2 * i] + in[2 * i + 1];
}

int main()
{
    char *a, *b;
    unsigned *random, *next, *host = new unsigned[N];
    const size_t bytes = 8 << 20;
    for (unsigned i = 0, x = 1; i < N; i++)
        host[i] = (x = x * 1664525 + 1013904223) >> 8;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&random, N * sizeof *random);
    cudaMalloc(&next, 3 * sizeof *next);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    cudaMemset(next, 0, 3 * sizeof *next);
    cudaMemcpy(random, host, N * sizeof *random, cudaMemcpyHostToDevice);
    float *in = (float *)a, *out = (float *)b;
    unsigned *words = (unsigned *)b;
    const dim3 grid(N / BLOCK), tiles(8, 8), tile(32, 8);
    bytes_once<<<grid, BLOCK>>>((unsigned char *)random, words);
    histogram_of_bytes<<<8, BLOCK>>>((unsigned char *)random, words);
    bytes_copied<<<grid, BLOCK>>>((unsigned char *)a, (unsigned char *)b);
    bytes_added<<<grid, BLOCK>>>(a, a + N, b);
    value_of_a_block<<<grid, BLOCK>>>(in, out);
    table_by_thread<<<N / 1024, 1024>>>(in, in + N, out);
    table_in_rounds<<<4, 1024>>>(in, in + N, out);
    mask_of_bits<<<grid, BLOCK>>>(random, in, out);
    waits_for_a_flag<<<4, BLOCK>>>(next + 1, words);
    axpy_char<<<grid, BLOCK>>>(2, a, b);
    axpy_short<<<grid, BLOCK>>>(2, (short *)a, (short *)b);
    axpy_double<<<grid, BLOCK>>>(2, (double *)a, (double *)b);
    axpy_half<<<grid, BLOCK>>>(2, (half_float *)a, (half_float *)b);
    reduction_by_shuffles<<<8, BLOCK>>>(in, out);
    scan_of_a_block<<<grid, BLOCK>>>(random, words);
    rows_with_padding<<<grid, BLOCK>>>(in, out);
    stencil_through_shared<<<tiles, tile>>>(in, out, 288);
    filter_of_constants<<<grid, BLOCK>>>(in, out);
    taken_by_warps<<<8, BLOCK>>>(in, out, next);
    gather_from_a_table<<<8, BLOCK>>>(random, in, out);
    gather_nearby<<<grid, BLOCK>>>(random, in, out);
    matrix_by_vector<<<32, BLOCK>>>(in, in + 256 * COLUMNS, out);
    transpose_padded<<<tiles, tile>>>((double *)a, (double *)b);
    bins_of_warps<<<8, BLOCK>>>(random, words);
    product_in_tiles<<<dim3(4, 4), dim3(16, 16)>>>(in, in + SIDE * SIDE, out);
    polynomial<<<grid, BLOCK>>>(in + N, in, out);
    differences_of_rows<<<16, BLOCK>>>(in, out);
    every_body<<<4, BLOCK>>>((float4 *)a, out);
    transpose_without_tiles<<<dim3(8, 32), tile>>>(in, out);
    doubles_in_columns<<<16, BLOCK>>>((double *)a, (double *)b);
    one_counter<<<grid, BLOCK>>>(random, words);
    taken_by_lanes<<<grid, BLOCK>>>(in, out, next + 2);
    pairs_of_doubles<<<grid, BLOCK>>>((double *)a, (double *)b);
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
    delete[] host;
    return 0;
}
