// Default streams of host threads (CUDA Runtime API, "Stream synchronization behavior"): what a
// program compiled with --default-stream per-thread means where it names no stream.
#include "check.h"

#include <cstdio>
#include <pthread.h>

enum { PATIENCE = 100000 };

// Each sets its flag, and sees whether the other's is set before it gives up.
__global__ void meet(volatile int *flags, int mine, int other, int *met)
{
    flags[mine] = 1;
    __threadfence();
    for (int i = 0; i < PATIENCE && !flags[other]; i++)
        ;
    met[mine] = flags[other];
}

__global__ void raise(int *value)
{
    ++*value;
}

static int *flags, *met;
static pthread_barrier_t both_launched;
static unsigned long long ids[3];

static void *meet_other(void *argument)
{
    int mine = *(int *)argument;
    GOOD(cudaStreamGetId(0, &ids[mine]));
    meet<<<1, 1>>>(flags, mine, 1 - mine, met);
    pthread_barrier_wait(&both_launched);
    GOOD(cudaStreamSynchronize(0));
    return NULL;
}

static int get(const int *device)
{
    int value = -1;
    GOOD(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void clear(void)
{
    GOOD(cudaMemset(flags, 0, 2 * sizeof(int)));
    GOOD(cudaMemset(met, 0, 2 * sizeof(int)));
    GOOD(cudaDeviceSynchronize());
}

// Whether kernels of two threads are beside each other: both see the other's flag.
static int two_threads(void)
{
    pthread_t others[2];
    int numbers[2] = {0, 1};
    clear();
    pthread_barrier_init(&both_launched, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, meet_other, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
    GOOD(cudaDeviceSynchronize());
    return get(met) && get(met + 1);
}

// Whether kernels of two streams are. The second always sees the first.
static int meets(cudaStream_t one, cudaStream_t other)
{
    clear();
    meet<<<1, 1, 0, one>>>(flags, 0, 1, met);
    meet<<<1, 1, 0, other>>>(flags, 1, 0, met);
    GOOD(cudaDeviceSynchronize());
    CHECK(get(met + 1) == 1);
    return get(met);
}

int main(void)
{
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    const int own = 1;
#else
    const int own = 0;
#endif
    cudaStream_t blocking;
    GOOD(cudaMalloc(&flags, 2 * sizeof(int)));
    GOOD(cudaMalloc(&met, 2 * sizeof(int)));
    GOOD(cudaStreamCreate(&blocking));
    GOOD(cudaStreamGetId(0, &ids[2]));
    // What names no stream is the thread's, and beside a blocking one; the legacy stream never is.
    CHECK(meets(0, blocking) == own);
    CHECK(meets(cudaStreamPerThread, blocking) == 1);
    CHECK(meets(cudaStreamLegacy, blocking) == 0);
    CHECK(meets(cudaStreamPerThread, cudaStreamLegacy) == 0);
    CHECK(meets(0, cudaStreamPerThread) == 0);
    // Of each thread its own.
    CHECK(two_threads() == own);
    CHECK((ids[0] != ids[1] && ids[0] != ids[2]) == own);
    unsigned long long id;
    GOOD(cudaStreamGetId(cudaStreamPerThread, &id));
    CHECK((id == ids[2]) == own);
    // Copies, fills, events and waits that name no stream are in it, too.
    int *value, count = 0;
    cudaEvent_t over;
    GOOD(cudaEventCreate(&over));
    GOOD(cudaMalloc(&value, sizeof(int)));
    GOOD(cudaMemsetAsync(value, 0, sizeof(int)));
    raise<<<1, 1>>>(value);
    GOOD(cudaMemcpyAsync(&count, value, sizeof count, cudaMemcpyDeviceToHost));
    raise<<<1, 1>>>(value);
    GOOD(cudaEventRecord(over));
    GOOD(cudaEventSynchronize(over));
    GOOD(cudaStreamQuery(0));
    CHECK(count == 1 && get(value) == 2);
#ifdef __NVCC__
    // A function of the driver by name, as this program's own calls mean it, or as it is told.
    for (int flags = 0; flags <= 2; flags++) {
        void *found = NULL;
        int query;
        GOOD(cudaGetDriverEntryPointByVersion("cuStreamGetId", &found, 12000, flags,
                                              (cudaDriverEntryPointQueryResult *)&query));
        CHECK(found != NULL);
        ((int (*)(cudaStream_t, unsigned long long *))found)(0, &id);
        unsigned long long legacy;
        GOOD(cudaStreamGetId(cudaStreamLegacy, &legacy));
        CHECK((id != legacy) == (flags == 2 || (flags == 0 && own)));
    }
#endif
    // Its stream ends with the device, and there is a new one.
    GOOD(cudaDeviceReset());
    GOOD(cudaMalloc(&value, sizeof(int)));
    GOOD(cudaMemset(value, 0, sizeof(int)));
    raise<<<1, 1>>>(value);
    CHECK(get(value) == 1);
    return verdict();
}
