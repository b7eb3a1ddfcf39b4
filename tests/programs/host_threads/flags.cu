// flags: two threads and a kernel that wait for each other by flags in managed memory. Thread 1
// writes numbers and sets a flag that the kernel polls; the kernel doubles them and sets a flag that
// thread 0 polls, which adds them up.
#include <cstdio>
#include <thread>

enum { COUNT = 256 };

struct shared {
    volatile int filled, doubled;
    int numbers[COUNT];
};

__global__ void twice(shared *at)
{
    while (at->filled == 0)
        continue;
    __threadfence_system();
    at->numbers[threadIdx.x] *= 2;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        at->doubled = 1;
}

static void fill(shared *at)
{
    for (int i = 0; i < COUNT; i++)
        at->numbers[i] = i;
    __atomic_store_n(&at->filled, 1, __ATOMIC_RELEASE);
}

int main()
{
    shared *at;
    cudaMallocManaged(&at, sizeof *at);
    at->filled = at->doubled = 0;
    twice<<<1, COUNT>>>(at);
    std::thread filler(fill, at);
    while (__atomic_load_n(&at->doubled, __ATOMIC_ACQUIRE) == 0)
        continue;
    int sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += at->numbers[i];
    filler.join();
    std::printf("flags: %s\n", sum == COUNT * (COUNT - 1) ? "PASS" : "FAIL");
    return cudaFree(at) != cudaSuccess || sum != COUNT * (COUNT - 1);
}
