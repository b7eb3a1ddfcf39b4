// Many host threads on one device: each has its own last error, and none disturbs another's work.
#include "check.h"

#include <pthread.h>

enum { THREADS = 6, LAUNCHES = 40 };

__global__ void add(int *to, int value)
{
    atomicAdd(to + threadIdx.x % 4, value);
}

static void *work(void *argument)
{
    int number = (int)(size_t)argument, wrong = 0, *device, host[4];
    cudaStream_t stream;
    wrong += cudaStreamCreate(&stream) != cudaSuccess;
    wrong += cudaMalloc((void **)&device, sizeof host) != cudaSuccess;
    wrong += cudaMemsetAsync(device, 0, sizeof host, stream) != cudaSuccess;
    for (int i = 0; i < LAUNCHES; i++) {
        int *other;
        add<<<2, 64, 0, stream>>>(device, number);
        wrong += cudaGetLastError() != cudaSuccess;
        wrong += cudaMalloc((void **)&other, 1000) != cudaSuccess;
        wrong += cudaFree(other) != cudaSuccess;
        if (number % 2 == 0) { // an error of this thread's own
            add<<<0, 64, 0, stream>>>(device, number);
            wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
        }
        wrong += cudaGetLastError() != cudaSuccess;
    }
    wrong += cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream) !=
             cudaSuccess;
    wrong += cudaStreamSynchronize(stream) != cudaSuccess;
    for (int i = 0; i < 4; i++)
        wrong += host[i] != LAUNCHES * 32 * number;
    wrong += cudaStreamDestroy(stream) != cudaSuccess;
    wrong += cudaFree(device) != cudaSuccess;
    return (void *)(size_t)wrong;
}

int main()
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)(size_t)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        CHECK(wrong == 0);
    }
    return verdict();
}
