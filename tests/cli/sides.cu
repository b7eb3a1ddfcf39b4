// A host thread and kernels in turn: each adds to a word of its own in one line, and to one that both
// have in another.
#include <cstdio>

enum { OWN = 0, KERNELS = 1, BOTH = 32 };

__global__ void add(volatile int *data)
{
    data[KERNELS] += 1; // beside
    data[BOTH] += 1; // both, kernel
}

int main()
{
    volatile int *data;
    cudaMallocManaged((void **)&data, 256);
    data[OWN] = data[KERNELS] = data[BOTH] = 0; // first
    for (int i = 0; i < 4; i++) {
        add<<<1, 1>>>(data);
        cudaDeviceSynchronize();
        data[OWN] = data[OWN] + 1; // own
        data[BOTH] = data[BOTH] + 1; // both, host
    }
    printf("%d %d %d\n", data[OWN], data[KERNELS], data[BOTH]);
    return 0;
}
