// Compiled by clang alone, without a toolkit: the attributes are our own.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#include <__clang_cuda_builtin_vars.h>
struct pair { int a; double b; };
__constant__ float coefficients[4] = {0.5f, 1.25f, -3.0f, 1e-3f};
__device__ int table[2][3] = {{1, 2, 3}, {-4, 5}};
__device__ const char *message = "hello\n";
__device__ int *const cells[2] = {&table[0][1], &table[1][0]};
struct mixed { const char *name; int *cell; float weight; char tag; };
__device__ mixed things[2] = {{"one", &table[0][0], 1.5f, 'x'}, {"two", 0, 2.5f, 'y'}};
typedef int (*operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ operation operations[2] = {plus, times};
__device__ __attribute__((noinline)) pair make_pair_of(int a, double b) { pair p; p.a = a * 3; p.b = b / 3; return p; }
extern "C" __global__ void work(float *f, double *d, int *i, pair by_value, int which)
{
    __shared__ float tile[64];
    int t = blockIdx.x * blockDim.x + threadIdx.x, local[8];
    tile[threadIdx.x] = f[t] * coefficients[t & 3];
    __nvvm_bar_sync(0);
    f[t] = tile[threadIdx.x ^ 1] + (float)table[t & 1][which] + (float)message[t & 3] + things[t & 1].weight;
    pair p = make_pair_of(t, d[t]);
    d[t] = p.b + by_value.b + __nvvm_sqrt_rn_d(d[t]);
    for (int k = 0; k < 8; k++) local[k] = i[t + k];
    switch (i[t]) {
    case 0: i[t] = operations[which](t, 3); break;
    case 1: i[t] = local[which & 7] / 3; break;
    case 2: i[t] = *cells[which]; break;
    case 3: i[t] ^= 12345; break;
    case 4: i[t] -= things[1].tag; break;
    default: __nvvm_atom_add_gen_i(i, 1); i[t] = __atomic_fetch_add(&i[1], 2, __ATOMIC_RELAXED);
    }
}
