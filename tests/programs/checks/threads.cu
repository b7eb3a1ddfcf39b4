// Mistakes of a thread while a kernel runs, and of kernels while threads run (threads are the CPU
// cores of the machine). usage: threads CASE
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <thread>

struct shared_words {
    int go, seen, stop;
};

// It is under way until a thread says so.
__global__ void wait_for_thread(volatile shared_words *words)
{
    words->seen = 1;
    while (words->stop == 0)
        continue;
}

// Both warps write and read others' words without a barrier, while a thread is to let them begin.
__global__ void race(volatile shared_words *words, int *sums)
{
    __shared__ int values[64];
    while (words->go == 0)
        continue;
    values[threadIdx.x] = (int)threadIdx.x;      // LINE: own
    sums[threadIdx.x] = values[63 - threadIdx.x]; // LINE: others'
}

// What lies behind the first word was never written.
__global__ void sum(volatile shared_words *words, const int *numbers, int *to)
{
    while (words->go == 0)
        continue;
    to[threadIdx.x] = numbers[threadIdx.x]; // LINE: sum
}

__global__ void store_behind(volatile shared_words *words, int *numbers, int at)
{
    while (words->go == 0)
        continue;
    numbers[at] = 1; // LINE: behind
}

static shared_words *words;

// A thread that lets kernels begin when `busy` accesses have been made beside them.
static std::thread starter(int busy)
{
    return std::thread([busy] {
        static volatile int sums[64];
        for (int i = 0; i < busy; i++)
            sums[i % 64] = sums[i % 64] + 1;
        *(volatile int *)&words->go = 1;
    });
}

static void await_kernel()
{
    while (*(volatile int *)&words->seen == 0)
        continue;
}

static void stop_kernel()
{
    *(volatile int *)&words->stop = 1;
    cudaDeviceSynchronize();
}

// Of a thread, while a kernel runs.

static void freed()
{
    int *values;
    cudaMallocManaged(&values, 64);
    cudaFree(values);
    wait_for_thread<<<1, 1>>>(words);
    std::thread([=] {
        await_kernel();
#pragma nounroll
        for (int i = 0; i < 3; i++)
            ((volatile int *)values)[i] = i; // LINE: freed
    }).join();
    stop_kernel();
}

static void beyond()
{
    int *values;
    cudaMallocHost(&values, 64);
    wait_for_thread<<<1, 1>>>(words);
    std::thread([=] {
        await_kernel();
        printf("%d\n", ((volatile int *)values)[16]); // LINE: beyond
    }).join();
    stop_kernel();
    cudaFreeHost(values);
}

// A thread's turn ends before a load, as it polls. The other one frees what it is about to read.
static void freed_meanwhile()
{
    volatile int *flag;
    cudaMallocManaged(&flag, 64);
    *flag = 0;
    std::thread other([=] {
#pragma nounroll
        for (int i = 0; i < 200 && *flag == 0; i++) // LINE: meanwhile
            continue;
    });
    sched_yield();
    cudaFree((void *)flag);
    other.join();
}

// In a host function of a stream, which runs in the device's turn.
static void in_function()
{
    int *values;
    cudaMallocManaged(&values, 64);
    cudaFree(values);
    auto function = [](void *at) { *(volatile int *)at = 1; }; // LINE: function
    wait_for_thread<<<1, 1>>>(words);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaLaunchHostFunc(stream, function, values);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    stop_kernel();
}

// Of kernels, while threads run: two of them, in two streams.

static void kernels(bool good)
{
    int *numbers, *sums;
    cudaStream_t streams[2];
    cudaMalloc(&numbers, 64 * sizeof *numbers);
    cudaMalloc(&sums, 128 * sizeof *sums);
    cudaMemset(numbers, 0, good ? 64 * sizeof *numbers : sizeof *numbers);
    for (auto &stream : streams)
        cudaStreamCreate(&stream);
    if (!good)
        race<<<1, 64, 0, streams[0]>>>(words, sums);
    sum<<<1, 64, 0, streams[1]>>>(words, numbers, sums + 64);
    std::thread thread = starter(3000);
    thread.join();
    cudaDeviceSynchronize();
    for (auto stream : streams)
        cudaStreamDestroy(stream);
    cudaFree(numbers);
    cudaFree(sums);
}

static void stray()
{
    int *numbers;
    cudaMalloc(&numbers, 64);
    store_behind<<<1, 1>>>(words, numbers, 16);
    std::thread thread = starter(3000);
    thread.join();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static void leaked()
{
    std::thread([] {
        int *numbers;
        cudaMalloc(&numbers, 1000); // LINE: leak
    }).join();
}

int main(int, char **arguments)
{
    const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"freed", freed},
                 {"beyond", beyond},
                 {"freed meanwhile", freed_meanwhile},
                 {"in function", in_function},
                 {"kernels", [] { kernels(false); }},
                 {"good", [] { kernels(true); }},
                 {"stray", stray},
                 {"leaked", leaked}};
    cudaMallocManaged(&words, sizeof *words);
    memset(words, 0, sizeof *words);
    for (auto &one : cases)
        if (strcmp(arguments[1], one.name) == 0)
            one.run();
    cudaFree(words);
    return 0;
}
