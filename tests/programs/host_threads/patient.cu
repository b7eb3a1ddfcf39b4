// patient CASE: threads that look and sleep for long, and go on in the end, beside kernels that wait
// or work for long; and some that never do. "patient: 7" is what a program prints that goes on.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <time.h>
#include <unistd.h>

enum { CYCLES = 30000000 }; // 30 ms of a GPU of 1 GHz

struct words {
    int go, done, beats, looks;
};

__global__ void answer(volatile words *at)
{
    while (at->go == 0)
        continue;
    at->done = 7;
}

__global__ void answer_with_sleeps(volatile words *at)
{
    while (at->go == 0)
        __nanosleep(500);
    at->done = 7;
}

// Its threads come back to the same state, but memory does not.
__global__ void beat(volatile words *at)
{
    while (at->go == 0)
        atomicAdd_system((int *)&at->beats, 1);
    at->done = 7;
}

// These go on by themselves.

__global__ void spend_cycles(volatile words *at)
{
    for (long long begin = clock64(); clock64() - begin < CYCLES;)
        continue;
    at->done = 7;
}

__global__ void spend_time(volatile words *at)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < CYCLES);
    at->done = 7;
}

__global__ void sleep_through(volatile words *at)
{
    for (int i = 0; i < 60; i++)
        __nanosleep(500000);
    at->done = 7;
}

__global__ void work(volatile words *at, int *data)
{
    int sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += data[(i * 1024 + threadIdx.x) % 65536];
    at->done = sum == 0 ? 7 : 0;
}

static words *at;

static void go()
{
    *(volatile int *)&at->go = 1;
    cudaDeviceSynchronize();
}

static void look_at_stream()
{
    while (cudaStreamQuery(0) == cudaErrorNotReady)
        usleep(100); // LINE: stream
}

// ---- Threads that go on ------------------------------------------------------------------------

static void count_in_a_register()
{
    for (int i = 0; i < 400 && cudaStreamQuery(0) == cudaErrorNotReady; i++)
        usleep(100);
    go();
}

static void count_in_memory()
{
    static int count;
    while (count++ < 400)
        usleep(100);
    go();
}

__attribute__((noinline)) static bool count_in_caller(int *count)
{
    usleep(100);
    return ++*count < 400;
}

static void count_on_the_stack()
{
    int count = 0;
    while (count_in_caller(&count))
        continue;
    go();
}

// So long by the system's clock, and many times as long as it takes to find a deadlock.
static void look_at_a_clock()
{
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end)
        usleep(100);
    go();
}

static void wait_for_beats()
{
    while (*(volatile int *)&at->beats < 100000)
        usleep(100);
    go();
}

// One thread looks while the other sleeps, once.
static void await_another()
{
    std::thread other([] {
        usleep(60000);
        *(volatile int *)&at->go = 1;
    });
    look_at_stream();
    other.join();
}

// The same by a loop without sleeps.
static void spin_for_another()
{
    std::thread other([] {
        usleep(30000);
        *(volatile int *)&at->go = 1;
    });
    while (__atomic_load_n(&at->done, __ATOMIC_ACQUIRE) == 0)
        continue;
    other.join();
}

// ---- Threads that do not -----------------------------------------------------------------------

static void look_at_event()
{
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventRecord(event);
    while (cudaEventQuery(event) == cudaErrorNotReady)
        usleep(200); // LINE: event
}

static void look_by_two()
{
    std::thread other([] {
        while (__atomic_load_n(&at->done, __ATOMIC_ACQUIRE) == 0)
            usleep(300); // LINE: other
    });
    look_at_stream();
    other.join();
}

// However fast the host is, more looks than a deadlock takes where nothing is known of a thread.
static void look_often_at_a_clock()
{
    enum { LOOKS = 25000 };
    for (int i = 0; i < LOOKS; i++) {
        (void)std::chrono::steady_clock::now();
        usleep(100);
    }
    go();
}

int main(int, char **arguments)
{
    const struct {
        const char *name;
        void (*kernel)(volatile words *at);
        void (*thread)();
    } cases[] = {{"register", answer, count_in_a_register},
                 {"memory", answer, count_in_memory},
                 {"stack", answer, count_on_the_stack},
                 {"clock", answer, look_at_a_clock},
                 {"clock often", answer, look_often_at_a_clock},
                 {"beats", beat, wait_for_beats},
                 {"another", answer, await_another},
                 {"spins", answer, spin_for_another},
                 {"sleeps count", answer_with_sleeps, count_in_a_register},
                 {"cycles", spend_cycles, look_at_stream},
                 {"time", spend_time, look_at_stream},
                 {"sleep", sleep_through, look_at_stream},
                 {"stream", answer, look_at_stream},
                 {"event", answer, look_at_event},
                 {"two", answer, look_by_two},
                 {"sleeps", answer_with_sleeps, look_at_stream}};
    cudaMallocManaged(&at, sizeof *at);
    memset(at, 0, sizeof *at);
    for (auto &one : cases)
        if (strcmp(arguments[1], one.name) == 0) {
            one.kernel<<<1, 1>>>(at);
            one.thread();
        }
    if (strcmp(arguments[1], "work") == 0) {
        int *data;
        cudaMalloc(&data, 65536 * sizeof *data);
        cudaMemset(data, 0, 65536 * sizeof *data);
        work<<<1, 32>>>(at, data);
        look_at_stream();
        cudaFree(data);
    }
    printf("patient: %d\n", at->done);
    return 0;
}
