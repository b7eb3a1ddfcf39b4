// Variables and allocations that threads and kernels share lines of (annotate-cores.t).
#include <cstdio>
#include <thread>

namespace counters {
int each[2];
static int total;
} // namespace counters
__device__ int on_device[32];

__global__ void add(int *words)
{
    on_device[threadIdx.x]++;
    atomicAdd_system(&words[threadIdx.x % 4], 1);
}

static int *pinned()
{
    int *words;
    cudaHostAlloc((void **)&words, 512, 0);
    words[0] = words[1] = 0;
    return words;
}

__attribute__((noinline)) static int count(int *words, int me)
{
    static int calls[2];
    calls[me]++;
    counters::each[me]++;
    counters::total++;
    return words[me]++;
}

int main()
{
    int *words, *others = pinned(), *gone;
    cudaMalloc(&gone, 256);
    cudaFree(gone);
    cudaMallocManaged(&words, 4096);
    for (int round = 0; round < 4; round++) {
        add<<<2, 32>>>(words);
        cudaDeviceSynchronize();
        words[0]++;
        std::thread other([&] { count(others, 1); });
        other.join();
        count(others, 0);
    }
    std::printf("%d %d\n", words[0], counters::each[0] + counters::each[1] + counters::total + others[0]);
    return 0;
}
