// Accesses beyond an allocation that a GPU lets pass: the driver has mapped 2 MiB, and the program
// was given a part of them. The argument says which.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorName(status));
        std::exit(3);
    }
}

// A grid of whole blocks over a length that is no multiple, without a guard.
__global__ void scale(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = data[i] * 2; // LINE: beyond
}

// Each reads its right neighbour too, the last one beyond the end.
__global__ void difference(const float *data, float *to)
{
    int i = threadIdx.x;
    to[i] = data[i + 1] - data[i]; // LINE: neighbour
}

__global__ void far(char *data, long offset)
{
    data[offset] = 1; // LINE: far
}

enum { COUNT = 1000, BLOCK = 64 };

static float host[COUNT];

static int verdict(bool good)
{
    std::puts(good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "scale";
    float *data, *other;
    bool good = true;
    check(cudaMalloc((void **)&data, COUNT * sizeof(float)));
    check(cudaMalloc((void **)&other, COUNT * sizeof(float)));
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)i;
    check(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    check(cudaMemcpy(other, host, sizeof host, cudaMemcpyHostToDevice));
    if (!std::strcmp(kind, "scale")) {
        for (int launch = 0; launch < 3; launch++)
            scale<<<(COUNT + BLOCK - 1) / BLOCK, BLOCK>>>(data);
        check(cudaDeviceSynchronize());
        check(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < COUNT; i++)
            good &= host[i] == 8.0f * (float)i;
        // Nobody else's bytes were written.
        check(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < COUNT; i++)
            good &= host[i] == (float)i;
    } else if (!std::strcmp(kind, "difference")) {
        difference<<<1, COUNT>>>(data, other);
        check(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < COUNT - 1; i++)
            good &= host[i] == 1;
    } else { // so many bytes beyond
        far<<<1, 1>>>((char *)other, (long)(COUNT * sizeof(float)) + std::atol(kind));
        check(cudaDeviceSynchronize());
        // What is allocated there later is zero all the same.
        char *late, byte = 1;
        check(cudaMalloc((void **)&late, 1 << 20));
        for (int i = 0; i < 1 << 20; i += 512) {
            char row[512];
            check(cudaMemcpy(row, late + i, sizeof row, cudaMemcpyDeviceToHost));
            for (char each : row)
                good &= each == 0;
        }
        check(cudaMemcpy(&byte, late, 1, cudaMemcpyDeviceToHost));
        good &= byte == 0;
        check(cudaFree(late));
    }
    check(cudaFree(data));
    check(cudaFree(other));
    return verdict(good);
}
