// Warp-level primitives, atomics, fences, volatile, cache operators, vectors, inline assembly.
#include <stdio.h>
#if __CUDA_ARCH__ >= 800
#define __reduce_add_sync_maybe(x) (int)__reduce_add_sync(0xffffffffu, (unsigned)(x))
#else
#define __reduce_add_sync_maybe(x) (x)
#endif
__device__ unsigned managed_like;
__managed__ int managed_value = 3;
__global__ void warp(int *data, float4 *vectors, const float2 *__restrict__ read_only, volatile int *v, unsigned long long *wide)
{
    int t = threadIdx.x, value = data[t];
    for (int k = 16; k; k >>= 1) value += __shfl_xor_sync(0xffffffffu, value, k);
    value += __shfl_down_sync(0xffffffffu, value, 1) + __shfl_up_sync(0xffffffffu, value, 2) + __shfl_sync(0xffffffffu, value, 3);
    unsigned ballot = __ballot_sync(0xffffffffu, value > 3);
    if (__any_sync(0xffffffffu, t == 3) && !__all_sync(0xffffffffu, t == 4)) ballot ^= __activemask();
    float4 w = vectors[t];
    float2 r = __ldg(&read_only[t]);
    w.x += r.x; w.y *= r.y;
    vectors[t] = w;
    atomicAdd(&data[0], value);
    atomicMax(&data[1], value);
    atomicAdd((float *)&data[2], 1.5f);
    wide[0] += atomicCAS(&wide[1], 1ull, 2ull) + atomicAdd(&wide[2], 3ull);
    atomicInc(&managed_like, 17);
    __threadfence(); __threadfence_block(); __threadfence_system();
    v[t] = v[t + 1] + managed_value;
    asm volatile("{ .reg .pred p; .reg .u32 q;\n setp.ne.u32 p, %0, 0;\n LOOP: @p bra DONE;\n mov.u32 q, %%laneid;\n st.global.cg.u32 [%1+-4], q;\n DONE: }" ::"r"(ballot), "l"(data));
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0; @!p bra DONE; bar.sync 0; DONE: }" ::"r"(ballot));
    data[t] = (int)ballot + __dp4a(value, t, 3) + __funnelshift_l(value, t, 5) + __byte_perm(value, t, 0x1234) + warpSize + (int)clock64();
    data[t + 64] = __reduce_add_sync_maybe(value) + (int)__cvta_generic_to_shared(data);
    if (t == 0) printf("value %d of %f\n", value, (double)w.x);
    __nanosleep(100);
    __syncwarp();
}
