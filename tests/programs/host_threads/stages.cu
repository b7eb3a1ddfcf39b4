// Threads that wait by locks alone, and kernels that a thread waits for behind each launch: nothing
// is polled, so that a recording on a machine has what a run on it does.
#include <cstdio>
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 4, COUNT = 2048, BLOCK = 128 };

__global__ void scale(int *numbers, int by)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = numbers[i] * by + 1;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int expected[COUNT], *numbers;

static void *work(void *argument)
{
    int number = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        for (int i = number; i < COUNT; i += THREADS) {
            numbers[i] += i;
            expected[i] += i;
        }
        scale<<<COUNT / BLOCK, BLOCK>>>(numbers, 2 + number);
        for (int i = 0; i < COUNT; i++)
            expected[i] = expected[i] * (2 + number) + 1;
        cudaDeviceSynchronize();
        pthread_mutex_unlock(&mutex);
    }
    return nullptr;
}

int main()
{
    int wrong = 0;
    pthread_t threads[THREADS];
    cudaMallocManaged(&numbers, COUNT * sizeof(int));
    for (int i = 0; i < COUNT; i++)
        numbers[i] = expected[i] = i;
    for (int number = 0; number < THREADS; number++)
        pthread_create(&threads[number], nullptr, work, (void *)(long)number);
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    for (int i = 0; i < COUNT; i++)
        wrong += numbers[i] != expected[i];
    std::printf("stages: %s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong != 0;
}
