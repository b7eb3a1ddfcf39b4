// waits: each way in which a host thread waits for the device, by threads of their own beside each
// other, and what they and kernels add to one counter.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

enum { COUNT = 1024, BLOCK = 128 };

__global__ void add_one(int *numbers, unsigned *counter)
{
    numbers[blockIdx.x * blockDim.x + threadIdx.x] += 1;
    atomicAdd_system(counter, 1u);
}

static std::mutex mutex;
static std::condition_variable condition;
static bool called;

static void wake(void *)
{
    std::lock_guard<std::mutex> guard(mutex);
    called = true;
    condition.notify_all();
}

static void wait_for_call()
{
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [] { return called; });
}

static void launch(int *numbers, unsigned *counter, cudaStream_t stream)
{
    add_one<<<COUNT / BLOCK, BLOCK, 0, stream>>>(numbers, counter);
}

static void wait_by(int way, int *numbers, unsigned *counter, cudaStream_t stream)
{
    cudaEvent_t event;
    cudaEventCreate(&event);
    launch(numbers, counter, stream);
    cudaEventRecord(event, stream);
    std::vector<int> copy(COUNT);
    switch (way) {
    case 0: cudaDeviceSynchronize(); break;
    case 1: cudaStreamSynchronize(stream); break;
    case 2: cudaEventSynchronize(event); break;
    case 3:
        while (cudaEventQuery(event) == cudaErrorNotReady)
            continue;
        break;
    case 4:
        while (cudaStreamQuery(stream) == cudaErrorNotReady)
            usleep(10);
        break;
    case 5: cudaMemcpyAsync(copy.data(), numbers, COUNT * sizeof(int), cudaMemcpyDefault, stream);
        cudaLaunchHostFunc(stream, wake, nullptr);
        wait_for_call();
        break;
    }
    __atomic_fetch_add(counter, 1u, __ATOMIC_SEQ_CST);
    cudaEventDestroy(event);
}

int main()
{
    enum { WAYS = 6 };
    int *numbers[WAYS], wrong = 0;
    unsigned *counter;
    cudaStream_t streams[WAYS];
    std::vector<std::thread> threads;
    cudaHostAlloc(&counter, sizeof *counter, cudaHostAllocMapped);
    *counter = 0;
    for (int way = 0; way < WAYS; way++) {
        cudaMallocManaged(&numbers[way], COUNT * sizeof(int));
        for (int i = 0; i < COUNT; i++)
            numbers[way][i] = i;
        cudaStreamCreate(&streams[way]);
    }
    for (int way = 1; way < WAYS; way++)
        threads.emplace_back(wait_by, way, numbers[way], counter, streams[way]);
    wait_by(0, numbers[0], counter, streams[0]);
    for (std::thread &thread : threads)
        thread.join();
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < COUNT; i++)
            wrong += numbers[way][i] != i + 1;
    wrong += *counter != WAYS * (COUNT + 1);
    std::printf("waits: %s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong != 0;
}
