// A table that is read again and again beside a stream that is read once: eviction priorities say so,
// in each of the ways that PTX has. The argument says in which.
#include "check.h"

#include <cstring>

enum { THREADS = 256, TABLE = 24 << 10, ROUNDS = 4, STREAM = 48 << 10 };

enum way { PLAIN, FIRST, LAST, POLICY, HALF, STREAMING, UNCHANGED };

template <way WAY> static __device__ int read_table(const int *at, unsigned long long policy)
{
    int value;
    if (WAY == LAST)
        asm volatile("ld.global.L1::evict_last.L2::evict_last.b32 %0, [%1];"
                     : "=r"(value)
                     : "l"(at));
    else if (WAY == POLICY || WAY == HALF)
        asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;"
                     : "=r"(value)
                     : "l"(at), "l"(policy));
    else
        asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

template <way WAY> static __device__ int read_stream(const int *at)
{
    int value;
    if (WAY == FIRST)
        asm volatile("ld.global.L1::evict_first.L2::evict_first.b32 %0, [%1];"
                     : "=r"(value)
                     : "l"(at));
    else if (WAY == STREAMING)
        asm volatile("ld.global.cs.b32 %0, [%1];" : "=r"(value) : "l"(at));
    else if (WAY == UNCHANGED)
        asm volatile("ld.global.L1::evict_unchanged.b32 %0, [%1];" : "=r"(value) : "l"(at));
    else
        asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

// One block: its table, then a piece of the stream, by turns. Both lie a line apart.
template <way WAY> __global__ void walk(const int *table, const int *stream, int *to)
{
    unsigned long long policy = 0;
    int sum = 0;
    if (WAY == POLICY)
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (WAY == HALF)
        asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.5;"
                     : "=l"(policy));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = threadIdx.x; i < TABLE / 32; i += THREADS)
            sum += read_table<WAY>(table + 32 * i, policy);
        for (int i = threadIdx.x; i < STREAM / 32; i += THREADS)
            sum += read_stream<WAY>(stream + 32 * i + round * STREAM);
    }
    to[threadIdx.x] = sum;
}

// Something else, on another SM, that ends soon and says nothing of caches.
__global__ void brief(int *to)
{
    to[threadIdx.x] = threadIdx.x;
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    int *table, *stream, *to;
    GOOD(cudaMalloc((void **)&table, TABLE * sizeof *table));
    GOOD(cudaMalloc((void **)&stream, ROUNDS * STREAM * sizeof *stream));
    GOOD(cudaMalloc((void **)&to, 2 * THREADS * sizeof *to));
    GOOD(cudaMemset(table, 1, TABLE * sizeof *table));
    GOOD(cudaMemset(stream, 1, ROUNDS * STREAM * sizeof *stream));
    if (!std::strcmp(how, "plain"))
        walk<PLAIN><<<1, THREADS>>>(table, stream, to);
    if (!std::strcmp(how, "first"))
        walk<FIRST><<<1, THREADS>>>(table, stream, to);
    if (!std::strcmp(how, "last"))
        walk<LAST><<<1, THREADS>>>(table, stream, to);
    if (!std::strncmp(how, "beside", 6)) {
        cudaStream_t own, other;
        GOOD(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
        GOOD(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        walk<LAST><<<1, THREADS, 0, own>>>(table, stream, to);
        for (int again = 0; again < (std::strcmp(how, "beside-again") == 0 ? 3 : 1); again++)
            brief<<<1, 32, 0, other>>>(to + THREADS);
    }
    if (!std::strcmp(how, "policy"))
        walk<POLICY><<<1, THREADS>>>(table, stream, to);
    if (!std::strcmp(how, "half"))
        walk<HALF><<<1, THREADS>>>(table, stream, to);
    if (!std::strcmp(how, "streaming"))
        walk<STREAMING><<<1, THREADS>>>(table, stream, to);
    if (!std::strcmp(how, "unchanged"))
        walk<UNCHANGED><<<1, THREADS>>>(table, stream, to);
    GOOD(cudaDeviceSynchronize());
    return verdict();
}
