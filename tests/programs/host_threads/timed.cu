// timed WHAT: what takes a known time, in a profiler's range, between two sleeps outside.
//   loads        one thread loads one word 1000 times
//   sleep        one thread sleeps for 100 us
//   kernel       a kernel waits 20,000 cycles, then sets a flag that a thread polls
//   launch       a thread loads one word 30 times, then launches a kernel that waits 20,000 cycles
//   thread       a thread sleeps for 50 us, then sets a flag that a kernel polls
//   yield        a thread gives the processor away until a kernel that waits 20,000 cycles has ended
//   relay        two threads hand a word to each other 100 times
#include <atomic>
#include <cstdio>
#include <cstring>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

enum { LOADS = 1000, FEW_LOADS = 30, ROUNDS = 100 };
static volatile int word;
static std::atomic<int> turn;

__global__ void set_later(volatile int *flag)
{
    long long begin = clock64();
    while (clock64() - begin < 20000)
        continue;
    *flag = 1;
}

__global__ void poll(volatile int *flag)
{
    while (*flag == 0)
        continue;
}

static void take_turns(int self)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (turn.load(std::memory_order_acquire) != self)
            continue;
        turn.store(1 - self, std::memory_order_release);
    }
}

static void run(const char *what, volatile int *flag)
{
    if (std::strcmp(what, "loads") == 0) {
        for (int i = 0; i < LOADS; i++)
            (void)word;
    } else if (std::strcmp(what, "sleep") == 0) {
        usleep(100);
    } else if (std::strcmp(what, "kernel") == 0) {
        set_later<<<1, 1>>>((volatile int *)flag);
        while (*flag == 0)
            continue;
    } else if (std::strcmp(what, "launch") == 0) {
        for (int i = 0; i < FEW_LOADS; i++)
            (void)word;
        set_later<<<1, 1>>>(flag);
        cudaDeviceSynchronize();
    } else if (std::strcmp(what, "thread") == 0) {
        poll<<<1, 1>>>(flag);
        usleep(50);
        *flag = 1;
        cudaDeviceSynchronize();
    } else if (std::strcmp(what, "yield") == 0) {
        set_later<<<1, 1>>>(flag);
        while (cudaStreamQuery(0) == cudaErrorNotReady)
            sched_yield();
    } else {
        std::thread other(take_turns, 1);
        take_turns(0);
        other.join();
    }
}

int main(int argc, char **argv)
{
    volatile int *flag;
    cudaMallocManaged((void **)&flag, sizeof *flag);
    *flag = 0;
    word = 0;
    usleep(300);
    cudaProfilerStart();
    run(argc > 1 ? argv[1] : "loads", flag);
    cudaProfilerStop();
    usleep(500);
    std::puts("timed: PASS");
    return 0;
}
