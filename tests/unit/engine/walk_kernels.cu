// Small kernels whose traffic can be counted by hand. walk_kernels.ptx is this file through clang 14:
//   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc
//     -nocudalib -Xclang -target-sdk-version=11.5 -O2 -fno-unroll-loops -gline-directives-only
//     -fdebug-prefix-map=$PWD=. -S
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#include <__clang_cuda_builtin_vars.h>

static __device__ unsigned thread_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void vecadd(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = thread_index();
    if (i < n)
        c[i] = a[i] + b[i];
}

// Each thread reads `times` times the same word of its own.
extern "C" __global__ void reread(const unsigned *a, unsigned *sum, unsigned times)
{
    unsigned total = 0;
    for (unsigned k = 0; k < times; k++) {
        unsigned word;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(a + thread_index()));
        total += word;
    }
    sum[thread_index()] = total;
}

extern "C" __global__ void stencil(const float *in, float *out, unsigned n)
{
    unsigned i = thread_index() + 1;
    if (i + 1 < n)
        out[i] = in[i - 1] + in[i] + in[i + 1];
}

// All lanes add to one of `bins` counters, chosen by thread.
extern "C" __global__ void count_bins(unsigned *bins, unsigned mask)
{
    unsigned bin = thread_index() & mask, old;
    asm volatile("red.global.add.u32 [%0], 1;" : : "l"(bins + bin) : "memory");
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(bins + 4096 + bin) : "memory");
}

// Block b waits until block b + 1 has raised its flag: the last block goes first.
extern "C" __global__ void wait_for_next(volatile unsigned *flags)
{
    unsigned block = blockIdx.x;
    if (block + 1 < gridDim.x)
        while (flags[block + 1] == 0)
            ;
    asm volatile("bar.sync 0;" : : : "memory");
    if (threadIdx.x == 0)
        flags[block] = 1;
}

// The last warp of a block raises the flag that the others spin for.
extern "C" __global__ void wait_for_last_warp(volatile unsigned *flags)
{
    if (threadIdx.x / 32 + 1 == blockDim.x / 32)
        flags[blockIdx.x] = 1;
    else
        while (flags[blockIdx.x] == 0)
            ;
}

extern "C" __global__ void reverse(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[256];
    tile[threadIdx.x] = in[thread_index()];
    asm volatile("bar.sync 0;" : : : "memory");
    out[thread_index()] = tile[blockDim.x - 1 - threadIdx.x];
}

// Every warp but the first waits at a barrier that the first never reaches.
extern "C" __global__ void never_meet(unsigned *out)
{
    if (threadIdx.x >= 32)
        asm volatile("bar.sync 1, 128;" : : : "memory");
    out[threadIdx.x] = 1;
}

// Thread `bad` writes outside.
extern "C" __global__ void out_of_bounds(unsigned *out, unsigned bad)
{
    unsigned i = thread_index();
    out[i == bad ? 1u << 28 : i] = i;
}

extern "C" __global__ void where_am_i(unsigned *sm)
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    if (threadIdx.x == 0)
        sm[blockIdx.x] = id;
}

// Even lanes read shared memory and odd ones global memory, through one generic load.
extern "C" __global__ void mixed_spaces(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[256];
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync 0;" : : : "memory");
    const unsigned *from = threadIdx.x % 2 == 0 ? tile + threadIdx.x : in + threadIdx.x;
    unsigned word;
    asm volatile("ld.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    out[threadIdx.x] = word;
}
