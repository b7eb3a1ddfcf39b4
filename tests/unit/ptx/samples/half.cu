// Half precision, bfloat16, tensor cores, asynchronous copies, textures: what later issues execute.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
__global__ void half_precision(__half *h, __nv_bfloat16 *b, float *f, __half2 *h2)
{
    int t = threadIdx.x;
    h[t] = __hfma(h[t], h[t + 1], __float2half(f[t]));
    b[t] = __float2bfloat16(f[t] + __bfloat162float(b[t]));
    h2[t] = __hadd2(h2[t], __hmul2(h2[t + 1], h2[t]));
    if (__hgt(h[t], h[t + 2])) f[t] = __half2float(hsqrt(h[t]));
    h[t] = __hmax(h[t], __ushort2half_rn(t));
}
__global__ void tensor(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}
__global__ void texture(cudaTextureObject_t image, cudaSurfaceObject_t surface, float4 *out)
{
    out[threadIdx.x] = tex2D<float4>(image, threadIdx.x + 0.5f, 1.0f);
    surf2Dwrite(out[threadIdx.x].x, surface, threadIdx.x * 4, 2);
}
