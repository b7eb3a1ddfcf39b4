// Two kernels with loads to decide, and one without. Modes: nothing, both; "none", the third alone;
// "wrong", both, and the program says its results are wrong; "volatile", "read-only": two loads, one
// of these; "places", loads in functions, launched twice; "stepped", an error of the paper's table.
#include <cstdio>
#include <cstring>

const int table_size = 1024, threads = 1 << 14;

// A table that L1 holds, and a stream that only displaces it.
__global__ void gather(const float *table, const float *stream, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += table[(i * 32 + k * 96) % table_size] * stream[(i * 8 + k) * 8];
    out[i] = sum;
}

__global__ void neighbours(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + in[i + 1] + in[i + 33];
}

__global__ void still(float *out) { out[threadIdx.x] = 1; }

__global__ void guarded(const volatile float *in, const float *other, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] + other[threadIdx.x];
}

__global__ void read_only(const float *in, const float *other, float *out)
{
    out[threadIdx.x] = __ldg(in + threadIdx.x) + other[threadIdx.x];
}

__device__ __forceinline__ float inlined(const float *in) { return *in; }
__device__ __noinline__ float called(const float *in) { return *in; }

__global__ void places(const float *in, float *out)
{
    int i = threadIdx.x;
    out[i] = inlined(in + i) + inlined(in + 32 * i) + called(in + i) + called(in + 32 * i);
}

// Two lanes a line: without L1 a sector of it moves, and by the paper's Table II the line.
__global__ void stepped(const float *in, float *out)
{
    int i = threadIdx.x / 2 * 32;
    out[threadIdx.x] = in[i] + in[i + 1];
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    float *table, *stream, *out;
    cudaMalloc(&table, (threads + 64) * sizeof(float));
    cudaMalloc(&stream, 64 * threads * sizeof(float));
    cudaMalloc(&out, threads * sizeof(float));
    cudaMemset(table, 0, (threads + 64) * sizeof(float));
    cudaMemset(stream, 0, 64 * threads * sizeof(float));
    if (strcmp(mode, "none") == 0)
        still<<<1, 32>>>(out);
    else if (strcmp(mode, "volatile") == 0)
        guarded<<<1, 128>>>(table, stream, out);
    else if (strcmp(mode, "read-only") == 0)
        read_only<<<1, 128>>>(table, stream, out);
    else if (strcmp(mode, "places") == 0) {
        places<<<1, 128>>>(stream, out);
        places<<<2, 128>>>(stream, out);
    } else if (strcmp(mode, "stepped") == 0)
        stepped<<<1, 128>>>(stream, out);
    else {
        gather<<<threads / 256, 256>>>(table, stream, out);
        neighbours<<<threads / 256, 256>>>(table, out);
    }
    bool wrong = cudaDeviceSynchronize() != cudaSuccess || strcmp(mode, "wrong") == 0;
    printf("bypassed: %s\n", wrong ? "FAIL" : "PASS");
    return wrong ? 5 : 0;
}
