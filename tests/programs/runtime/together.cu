// Host and device at the same time: a launch returns before its kernel ends, both see each other's
// stores to managed and pinned memory, and memory is allocated while a kernel runs.
#include "check.h"

__global__ void answer(volatile int *question, volatile int *reply, int rounds)
{
    for (int round = 1; round <= rounds; round++) {
        while (*question != round) {
        }
        *reply = round * 10;
        __threadfence_system();
    }
}

__global__ void touch(int *data)
{
    data[threadIdx.x] = (int)threadIdx.x;
}

static void play(int *question, int *reply)
{
    enum { ROUNDS = 5 };
    volatile int *ask = question, *told = reply;
    *ask = *told = 0;
    answer<<<1, 1>>>(question, reply, ROUNDS);
    GOOD(cudaGetLastError());
    EXPECT(cudaStreamQuery(0), cudaErrorNotReady); // it cannot have ended: nobody has asked
    int *during[ROUNDS + 1];
    for (int round = 1; round <= ROUNDS; round++) {
        GOOD(cudaMalloc((void **)&during[round], 256)); // while the kernel waits
        *ask = round;
        while (*told != round * 10) {
        }
    }
    GOOD(cudaDeviceSynchronize());
    for (int round = 1; round <= ROUNDS; round++) {
        touch<<<1, 64>>>(during[round]);
        GOOD(cudaFree(during[round]));
    }
    GOOD(cudaGetLastError()); // that the query found it not ready is no error
}

static void managed(void)
{
    int *data;
    GOOD(cudaMallocManaged((void **)&data, 8192));
    play(data, data + 1024);
    touch<<<1, 128>>>(data);
    GOOD(cudaDeviceSynchronize());
    CHECK(data[127] == 127);
    cudaPointerAttributes attributes;
    GOOD(cudaPointerGetAttributes(&attributes, data + 5));
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == data + 5);
    GOOD(cudaFree(data));
}

static void pinned(void)
{
    int *host, *device;
    unsigned flags;
    GOOD(cudaHostAlloc((void **)&host, 8192, cudaHostAllocMapped));
    GOOD(cudaHostGetDevicePointer((void **)&device, host, 0));
    GOOD(cudaHostGetFlags(&flags, host));
    CHECK(flags & cudaHostAllocMapped);
    play(device, device + 1024);
    cudaPointerAttributes attributes;
    GOOD(cudaPointerGetAttributes(&attributes, host));
    CHECK(attributes.type == cudaMemoryTypeHost);
    GOOD(cudaFreeHost(host));
}

static void registered(void)
{
    static int own[4096];
    int *device;
    GOOD(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
    GOOD(cudaHostGetDevicePointer((void **)&device, own, 0));
    play(device, device + 1024);
    GOOD(cudaHostUnregister(own));
    cudaPointerAttributes attributes;
    GOOD(cudaPointerGetAttributes(&attributes, own));
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
}

int main()
{
    managed();
    pinned();
    registered();
    return verdict();
}
