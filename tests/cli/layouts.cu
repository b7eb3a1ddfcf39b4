// One field of an array of structures of 32 bytes, the same field of its own array, and one value
// for all lanes: 32, 4 and 1 sectors a request.
#include <cstdio>
#include <cuda_runtime.h>

struct particle {
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void of_structures(const particle *all, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all[i].mass;
}

__global__ void of_arrays(const float *mass, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mass[i];
}

__global__ void of_one(const float *mass, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mass[0];
}

int main()
{
    const int count = 4096;
    particle *structures;
    float *arrays, *out;
    cudaMalloc(&structures, count * sizeof *structures);
    cudaMalloc(&arrays, count * sizeof *arrays);
    cudaMalloc(&out, count * sizeof *out);
    cudaMemset(structures, 0, count * sizeof *structures);
    cudaMemset(arrays, 0, count * sizeof *arrays);
    of_structures<<<count / 256, 256>>>(structures, out);
    of_arrays<<<count / 256, 256>>>(arrays, out);
    of_one<<<count / 256, 256>>>(arrays, out);
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
    return 0;
}
