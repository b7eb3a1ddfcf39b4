// polls CASE: a thread that polls, with sleeps in between, for a kernel that waits for it for ever.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

__global__ void answer(volatile int *at)
{
    while (at[0] == 0)
        continue;
    at[1] = 7;
}

int main(int, char **arguments)
{
    const char *what = arguments[1];
    int *at;
    cudaMallocManaged(&at, 64);
    answer<<<1, 1>>>(at);
    if (strcmp(what, "memory") == 0)
        while (__atomic_load_n(&at[1], __ATOMIC_ACQUIRE) != 7)
            usleep(10);
    if (strcmp(what, "stream") == 0)
        while (cudaStreamQuery(0) == cudaErrorNotReady)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // It goes on after a while, long before it would be a deadlock.
    for (int i = 0; i < 500; i++)
        usleep(10);
    at[0] = 1;
    cudaDeviceSynchronize();
    printf("polls: %d\n", at[1]);
    return 0;
}
