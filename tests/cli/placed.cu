// Grids whose blocks take unequal times, for tests of where blocks run: alone, in two streams, on
// two devices.
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Every fifth block works longest.
__global__ void line(float *values, int rounds)
{
    float value = threadIdx.x;
    for (int i = 0; i < rounds * (int)(blockIdx.x % 5); i++)
        value = value * 0.5f + i;
    values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void box(int *count)
{
    atomicAdd(count, 1 + blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z);
}

static const int rounds = 400;

static void run_alone(float *values, int *count)
{
    int sum = 0;
    line<<<16, 64>>>(values, rounds);
    box<<<dim3(6, 3), 32>>>(count);
    box<<<dim3(2, 3, 2), 32>>>(count);
    cudaMemcpy(&sum, count, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%d\n", sum); // 32 lanes * (18 + 45 + 180 + 12 + 6 + 120 + 600)
}

static void run_streams(float *values)
{
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++)
        cudaStreamCreate(&streams[i]);
    for (int i = 0; i < 2; i++)
        line<<<12, 64, 0, streams[i]>>>(values + 4096 * i, rounds);
    cudaDeviceSynchronize();
}

static void run_devices()
{
    for (int device = 0; device < 2; device++) {
        float *values;
        cudaSetDevice(device);
        cudaMalloc(&values, 65536);
        line<<<10 + device, 64>>>(values, rounds);
    }
    for (int device = 0; device < 2; device++) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
}

int main(int argc, char **argv)
{
    float *values;
    int *count;
    const char *what = argc > 1 ? argv[1] : "alone";
    if (strcmp(what, "devices") == 0) {
        run_devices();
        return cudaGetLastError();
    }
    cudaMalloc(&values, 65536);
    cudaMalloc(&count, sizeof *count);
    cudaMemset(count, 0, sizeof *count);
    if (strcmp(what, "streams") == 0)
        run_streams(values);
    else
        run_alone(values, count);
    return cudaGetLastError();
}
