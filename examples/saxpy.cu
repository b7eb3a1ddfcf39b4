// The smallest program worth running: y = a * x + y.
//
//     warpmem cc saxpy.cu -o saxpy
//     warpmem run -- ./saxpy
#include <stdio.h>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    const int n = 1 << 16;
    float *x, *y;
    // Managed memory: host and device use the same pointers.
    if (cudaMallocManaged(&x, n * sizeof(float)) != cudaSuccess ||
        cudaMallocManaged(&y, n * sizeof(float)) != cudaSuccess) {
        fprintf(stderr, "saxpy: no memory on the device\n");
        return 1;
    }
    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        fprintf(stderr, "saxpy: %s\n", cudaGetErrorString(error));
        return 1;
    }
    for (int i = 0; i < n; i++)
        if (y[i] != 2.0f * (float)i + 1.0f) {
            printf("y[%d] is %g\n", i, y[i]);
            return 1;
        }
    printf("saxpy: %d elements, all right\n", n);
    return 0;
}
