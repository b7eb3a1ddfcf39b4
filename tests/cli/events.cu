// One kernel between two events: its time in microseconds.
#include <cstdio>

__global__ void scale(float *values)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = values[i] * 2.0f + 1.0f;
}

int main()
{
    float *values, milliseconds;
    cudaEvent_t begin, end;
    cudaMalloc(&values, 4096 * sizeof *values);
    cudaMemset(values, 0, 4096 * sizeof *values);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    scale<<<32, 128>>>(values);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&milliseconds, begin, end);
    std::printf("%.3f\n", milliseconds * 1e3);
    return 0;
}
