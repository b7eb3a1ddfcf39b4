// Integer, float, double arithmetic; conversions; constants; device calls kept out of line.
#include <math.h>
__constant__ float coefficients[4] = {0.5f, 1.25f, -3.0f, 1e-3f};
__constant__ int table[2][3] = {{1, 2, 3}, {-4, 5}};
__device__ const char message[] = "hello\n";
__device__ double shared_state = 2.5;
__device__ int *pointer_to_table;
__device__ const int *const first_cell = &table[1][1];
struct pair { int a; double b; };
__device__ __noinline__ pair make_pair_of(int a, double b) { pair p; p.a = a * 3; p.b = b / 3; return p; }
__device__ __noinline__ float4 widen(float x) { return make_float4(x, x + 1, x + 2, x + 3); }
extern "C" __global__ void arithmetic(float *f, double *d, int *i, unsigned long long *u, short s, pair by_value)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    f[t] = fmaf(f[t], coefficients[t & 3], sinf(f[t])) / sqrtf(f[t] + 2.0f) + expf(f[t]) * __frcp_rn(f[t]);
    d[t] = d[t] / (1.0 + d[t]) + sqrt(d[t]) + fma(d[t], shared_state, by_value.b) + exp(d[t]);
    i[t] = i[t] / (t + 1) + i[t] % 7 + __popc(t) + __clz(i[t]) + __brev(t) + table[t & 1][t % 3] + s + message[t & 3];
    u[t] = u[t] * 0x123456789abcdefULL + __umul64hi(u[t], 77) + (u[t] >> 3) + (unsigned long long)d[t] + (long long)f[t];
    pair p = make_pair_of(t, d[t]);
    float4 w = widen(f[t]);
    f[t] += w.x * w.w + (float)p.a;
    d[t] += p.b;
    pointer_to_table = i;
    u[t] ^= (unsigned long long)first_cell;
}
