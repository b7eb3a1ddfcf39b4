// Events: order, queries, and times that are positive and the same on every run.
#include "check.h"

#include <cmath>

__global__ void work(float *data, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int r = 0; r < rounds; r++)
        x = x * 1.5f + 0.25f;
    data[i] = x;
}

static float measure(float *device, int rounds)
{
    cudaEvent_t start, end;
    float time = -1;
    GOOD(cudaEventCreate(&start));
    GOOD(cudaEventCreate(&end));
    GOOD(cudaEventRecord(start));
    work<<<64, 256>>>(device, rounds);
    GOOD(cudaEventRecord(end));
    GOOD(cudaEventSynchronize(end));
    GOOD(cudaEventQuery(start));
    GOOD(cudaEventElapsedTime(&time, start, end));
    CHECK(std::isfinite(time) && time > 0);
    float back;
    GOOD(cudaEventElapsedTime(&back, end, start));
    CHECK(back == -time);
    GOOD(cudaEventDestroy(start));
    GOOD(cudaEventDestroy(end));
    return time;
}

int main()
{
    float *device;
    GOOD(cudaMalloc((void **)&device, 64 * 256 * sizeof(float)));
    GOOD(cudaMemset(device, 0, 64 * 256 * sizeof(float)));
    float little = measure(device, 1), much = measure(device, 20000);
    std::printf("%a %a\n", little, much);
    CHECK(much > little);
    // An event that was never recorded is complete, but has no time.
    cudaEvent_t idle;
    float time;
    GOOD(cudaEventCreate(&idle));
    GOOD(cudaEventQuery(idle));
    GOOD(cudaEventSynchronize(idle));
    EXPECT(cudaEventElapsedTime(&time, idle, idle), cudaErrorInvalidResourceHandle);
    GOOD(cudaEventDestroy(idle));
    GOOD(cudaFree(device));
    cudaGetLastError();
    return verdict();
}
