// What a program reads of time: dependent loads by cycles, spins by cycles and by nanoseconds, and
// both clocks beside each other. Prints a line a number, for check_clocks.py.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t error = (call);                                          \
        if (error != cudaSuccess) {                                          \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));   \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

enum { HOPS = 64, WORDS = 256 };

__device__ unsigned long long nanoseconds(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Each word holds the address of another one: a load waits for the load before it.
__global__ void chase(void **first, long long *times)
{
    void **at = first;
    for (int i = 0; i < WORDS; i++) // brings all of them into L1
        at = (void **)*at;
    long long begin = clock64();
#pragma unroll
    for (int i = 0; i < HOPS; i++)
        at = (void **)*at;
    times[1] = (long long)at; // needs the last load
    times[0] = clock64() - begin;
}

__global__ void spin(long long cycles, long long *times)
{
    long long begin = clock64(), now;
    do
        now = clock64();
    while (now - begin < cycles);
    if (threadIdx.x == 0)
        times[blockIdx.x] = now - begin;
}

__global__ void spin_nanoseconds(unsigned long long wanted, long long *times)
{
    unsigned long long begin = nanoseconds(), now;
    do
        now = nanoseconds();
    while (now - begin < wanted);
    times[blockIdx.x] = (long long)(now - begin);
}

// One spin in both units.
__global__ void both(long long cycles, long long *times)
{
    unsigned long long begin = nanoseconds();
    long long first = clock64();
    while (clock64() - first < cycles)
        continue;
    times[0] = clock64() - first;
    times[1] = (long long)(nanoseconds() - begin);
}

int main(int argc, char **argv)
{
    long long length = argc > 1 ? atoll(argv[1]) : 1000000;
    void **words, *host[WORDS];
    long long *times, found[64];
    CHECK(cudaMalloc((void **)&words, sizeof host));
    CHECK(cudaMalloc((void **)&times, sizeof found));
    for (int i = 0; i < WORDS; i++)
        host[i] = words + (i + 16) % WORDS;
    CHECK(cudaMemcpy(words, host, sizeof host, cudaMemcpyHostToDevice));
    chase<<<1, 1>>>(words, times);
    CHECK(cudaMemcpy(found, times, sizeof found, cudaMemcpyDeviceToHost));
    printf("load %.3f\n", (double)found[0] / HOPS);
    spin<<<40, 64>>>(length, times);
    CHECK(cudaMemcpy(found, times, sizeof found, cudaMemcpyDeviceToHost));
    printf("spin %lld %lld\n", found[0], found[39]);
    spin_nanoseconds<<<4, 32>>>((unsigned long long)length, times);
    CHECK(cudaMemcpy(found, times, sizeof found, cudaMemcpyDeviceToHost));
    printf("nanoseconds %lld\n", found[0]);
    both<<<1, 32>>>(length, times);
    CHECK(cudaMemcpy(found, times, sizeof found, cudaMemcpyDeviceToHost));
    printf("both %lld %lld\n", found[0], found[1]);
    return 0;
}
