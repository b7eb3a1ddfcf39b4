// Each thread reads one float, `stride` floats behind its neighbour's. The program asks for the
// same bytes whatever the stride; what has to be moved for them grows until every lane has a sector
// of 32 bytes to itself, which is from a stride of 8 on, and a line from 32 on.
//
//     warpmem cc stride.cu -o stride
//     warpmem run -- ./stride 1
//     warpmem run -- ./stride 8
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void gather(const float *in, float *out, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "stride: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = 1 << 16;
    unsigned long stride = argc > 1 ? strtoul(argv[1], nullptr, 10) : 1;
    if (stride < 1 || stride > 256) {
        fprintf(stderr, "usage: stride [1 to 256]\n");
        return 2;
    }
    std::vector<float> in(threads * stride), out(threads);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (float)(i % 1000);
    float *device_in, *device_out;
    check(cudaMalloc(&device_in, in.size() * sizeof(float)));
    check(cudaMalloc(&device_out, out.size() * sizeof(float)));
    check(cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    gather<<<threads / 256, 256>>>(device_in, device_out, (unsigned)stride);
    check(cudaGetLastError());
    check(cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < out.size(); i++)
        if (out[i] != in[i * stride]) {
            printf("element %zu is %g, not %g\n", i, out[i], in[i * stride]);
            return 1;
        }
    printf("stride %lu: all right\n", stride);
    check(cudaFree(device_in));
    check(cudaFree(device_out));
    return 0;
}
