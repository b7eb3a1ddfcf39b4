// Host threads and a kernel take tasks from one counter in managed memory until none is left: every
// task is done exactly once, whoever does it.
#include "check.h"

#include <atomic>
#include <thread>
#include <vector>

enum { TASKS = 5000, WIDTH = 32 };

__global__ void work(int *next, int *out, int *done)
{
    __shared__ int task;
    for (;;) {
        if (threadIdx.x == 0)
            task = atomicAdd_system(next, 1);
        __syncthreads();
        int mine = task;
        __syncthreads();
        if (mine >= TASKS)
            return;
        out[mine * WIDTH + threadIdx.x] = mine;
        if (threadIdx.x == 0)
            atomicAdd_system(&done[mine], 1);
    }
}

static void work_on_host(int *next, int *out, int *done)
{
    for (;;) {
        int mine = reinterpret_cast<std::atomic_int *>(next)->fetch_add(1);
        if (mine >= TASKS)
            return;
        for (int i = 0; i < WIDTH; i++)
            out[mine * WIDTH + i] = mine;
        reinterpret_cast<std::atomic_int *>(&done[mine])->fetch_add(1);
    }
}

int main()
{
    int *next, *out, *done;
    GOOD(cudaMallocManaged(&next, sizeof(int)));
    GOOD(cudaMallocManaged(&out, TASKS * WIDTH * sizeof(int)));
    GOOD(cudaMallocManaged(&done, TASKS * sizeof(int)));
    *next = 0;
    for (int i = 0; i < TASKS; i++)
        done[i] = 0;
    work<<<16, WIDTH>>>(next, out, done);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back(work_on_host, next, out, done);
    for (auto &thread : threads)
        thread.join();
    GOOD(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < TASKS; i++) {
        wrong += done[i] != 1;
        for (int j = 0; j < WIDTH; j++)
            wrong += out[i * WIDTH + j] != i;
    }
    CHECK(wrong == 0);
    return verdict();
}
