// What kernels print, and what their malloc gives. The argument says which part.
#include "check.h"

#include <cassert>
#include <cstdio>
#include <cstring>

__device__ int depth(int n)
{
    printf("depth %d\n", n); // the arguments of each call lie in that call's frame
    return n > 0 ? depth(n - 1) + 1 : 0;
}

__global__ void print(const char *text, float real, int *counts)
{
    int i = (int)threadIdx.x;
    __shared__ char shared[4];
    shared[0] = 's', shared[1] = 'h', shared[2] = 0;
    if (i % 2 == 0)
        counts[i] = printf("thread %d: %s %5.2f %c %lld %% %-6s|%*d|%.3s\n", i, text, real, 'x',
                           -123456789012LL, shared, 5, i, "abcdef");
    __syncwarp(); // which of two branches goes first is nobody's promise
    if (i % 2 != 0)
        counts[i] = printf("odd\n");
}

__global__ void recurse(void)
{
    printf("%d frames\n", depth(3));
}

__global__ void null_format(int *result)
{
    result[0] = printf((const char *)0);
    result[1] = printf("%s\n", (const char *)0);
}

__global__ void many(int n)
{
    for (int i = 0; i < n; i++)
        printf("line %d\n", i);
}

__global__ void wrong_string(void)
{
    printf("%s\n", (const char *)16);
}

struct node {
    node *next;
    int value;
};

__device__ node *lists[64];

__global__ void build(int n)
{
    for (int i = 0; i < n; i++) {
        node *fresh = (node *)malloc(sizeof(node));
        fresh->next = lists[threadIdx.x];
        fresh->value = i;
        lists[threadIdx.x] = fresh;
    }
}

// The kernel after the one that took the memory reads it and gives it back.
__global__ void drop(int *sums)
{
    int sum = 0;
    for (node *at = lists[threadIdx.x], *next; at; at = next) {
        next = at->next;
        sum += at->value;
        free(at);
    }
    sums[threadIdx.x] = sum;
    lists[threadIdx.x] = 0;
}

enum { ATTEMPTS = 100 };

__global__ void exhaust(void **blocks)
{
    for (int i = 0; i < ATTEMPTS; i++)
        blocks[i] = malloc(1 << 16);
}

__device__ void *kept; // without it a compiler may leave out what nobody uses

__global__ void free_twice(void)
{
    void *block = kept = malloc(40);
    free(block);
    free(kept);
}

__global__ void asserts(int limit)
{
    assert(threadIdx.x < limit);
}

static void prints()
{
    char *text;
    int *counts, results[4];
    GOOD(cudaMalloc((void **)&text, 16));
    GOOD(cudaMalloc((void **)&counts, sizeof results));
    GOOD(cudaMemcpy(text, "words", 6, cudaMemcpyHostToDevice));
    print<<<1, 4>>>(text, 1.5f, counts);
    std::printf("before\n"); // what kernels print comes when the host waits
    GOOD(cudaDeviceSynchronize());
    std::printf("after\n");
    GOOD(cudaMemcpy(results, counts, sizeof results, cudaMemcpyDeviceToHost));
    CHECK(results[0] == 9 && results[1] == 0 && results[2] == 9 && results[3] == 0);
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096) == cudaErrorInvalidValue);
    cudaGetLastError();
    recurse<<<1, 1>>>();
    GOOD(cudaDeviceSynchronize());
    null_format<<<1, 1>>>(counts);
    GOOD(cudaMemcpy(results, counts, sizeof results, cudaMemcpyDeviceToHost));
    CHECK(results[0] == -1 && results[1] == 1);
    many<<<1, 1>>>(2); // nobody waits for it
}

static void overflows()
{
    GOOD(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 100));
    many<<<1, 1>>>(1000);
    GOOD(cudaDeviceSynchronize());
}

// How many blocks of 64 KiB there are.
static int blocks_of_heap()
{
    void **blocks, *found[ATTEMPTS];
    int count = 0;
    GOOD(cudaMalloc((void **)&blocks, sizeof found));
    exhaust<<<1, 1>>>(blocks);
    GOOD(cudaMemcpy(found, blocks, sizeof found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ATTEMPTS; i++)
        count += found[i] != 0;
    return count;
}

static void allocates()
{
    int *sums, results[64];
    GOOD(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    GOOD(cudaMalloc((void **)&sums, sizeof results));
    for (int round = 0; round < 20; round++) { // would not fit if nothing were given back
        build<<<1, 64>>>(200);
        drop<<<1, 64>>>(sums);
    }
    GOOD(cudaMemcpy(results, sums, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK(results[i] == 199 * 200 / 2);
    CHECK(blocks_of_heap() == 16);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 22) == cudaErrorInvalidValue);
    cudaGetLastError();
    GOOD(cudaDeviceReset());
    GOOD(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 22));
    CHECK(blocks_of_heap() == 64);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "prints";
    if (!std::strcmp(part, "prints"))
        prints();
    else if (!std::strcmp(part, "overflows"))
        overflows();
    else if (!std::strcmp(part, "allocates"))
        allocates();
    else if (!std::strcmp(part, "string"))
        wrong_string<<<1, 1>>>();
    else if (!std::strcmp(part, "twice"))
        free_twice<<<1, 1>>>();
    else if (!std::strcmp(part, "assert"))
        asserts<<<1, 8>>>(5);
    if (!std::strcmp(part, "assert"))
        EXPECT(cudaDeviceSynchronize(), cudaErrorAssert);
    else if (!std::strcmp(part, "string") || !std::strcmp(part, "twice"))
        EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return verdict();
}
