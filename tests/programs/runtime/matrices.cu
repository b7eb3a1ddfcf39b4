// Tensor cores through <mma.h>: a tiled product of half matrices in shared and global memory, and
// one of bytes, against loops on the host. nvcc only: clang 14 has no fragments of its own.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>

using namespace nvcuda;

constexpr int N = 64;

__global__ void halves(const half *a, const half *b, float *c)
{
    __shared__ half tile[16 * 16];
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    for (int k = 0; k < N; k += 16) {
        for (int i = threadIdx.x; i < 256; i += 32)
            tile[i] = a[(row + i / 16) * N + k + i % 16];
        __syncwarp();
        wmma::load_matrix_sync(fa, tile, 16);
        wmma::load_matrix_sync(fb, b + column * N + k, N);
        wmma::mma_sync(fc, fa, fb, fc);
        __syncwarp();
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 2.0f;
    wmma::store_matrix_sync(c + row * N + column, fc, N, wmma::mem_row_major);
}

__global__ void bytes(const signed char *a, const signed char *b, int *c)
{
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 0);
    for (int k = 0; k < N; k += 16) {
        wmma::load_matrix_sync(fa, a + row * N + k, N);
        wmma::load_matrix_sync(fb, b + k * N + column, N);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + column * N + row, fc, N, wmma::mem_col_major);
}

template <class T> static T *managed(int count)
{
    T *pointer;
    cudaMallocManaged(&pointer, count * sizeof(T));
    return pointer;
}

int main()
{
    half *a = managed<half>(N * N), *b = managed<half>(N * N);
    float *c = managed<float>(N * N);
    signed char *x = managed<signed char>(N * N), *y = managed<signed char>(N * N);
    int *z = managed<int>(N * N), wrong = 0;
    for (int i = 0; i < N * N; i++) {
        a[i] = __float2half((float)(i * 7 % 9 - 4));
        b[i] = __float2half((float)(i * 5 % 13 - 6) / 4);
        x[i] = (signed char)(i * 37 % 255 - 127);
        y[i] = (signed char)(i * 53 % 255 - 127);
    }
    halves<<<dim3(N / 16, N / 16), 32>>>(a, b, c);
    bytes<<<dim3(N / 16, N / 16), 32>>>(x, y, z);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 1;
            int product = 0;
            for (int k = 0; k < N; k++) {
                sum += __half2float(a[i * N + k]) * __half2float(b[j * N + k]);
                product += x[i * N + k] * y[k * N + j];
            }
            wrong += c[i * N + j] != 2 * sum;
            wrong += z[j * N + i] != product;
        }
    if (wrong || cudaGetLastError() != cudaSuccess)
        printf("FAIL: %d wrong\n", wrong);
    else
        printf("PASS\n");
    return wrong != 0;
}
