// Kernel parameters of every size and alignment arrive as they were sent, up to a struct of 4,000
// bytes.
#include "check.h"

struct mixed {
    char a;
    double b;
    short c[3];
    int d;
};

struct __attribute__((aligned(16))) wide {
    long x, y;
};

struct large {
    int words[1000];
};

__global__ void take(char a, short b, int c, long d, float e, double f, struct mixed g,
                     struct wide h, char i, double *to)
{
    to[0] = a, to[1] = b, to[2] = c, to[3] = (double)d, to[4] = e, to[5] = f;
    to[6] = g.a, to[7] = g.b, to[8] = g.c[2], to[9] = g.d;
    to[10] = (double)h.x, to[11] = (double)h.y, to[12] = i;
}

__global__ void take_large(struct large all, int *to)
{
    int sum = 0;
    for (int i = threadIdx.x; i < 1000; i += blockDim.x)
        sum += all.words[i];
    atomicAdd(to, sum);
}

__global__ void take_nothing(void)
{
}

int main()
{
    double *device, host[13];
    GOOD(cudaMalloc((void **)&device, sizeof host));
    struct mixed g = {1, 2.5, {3, 4, 5}, 6};
    struct wide h = {7, 8};
    take<<<1, 1>>>(-1, -2, -3, -4, 5.5f, 6.25, g, h, 9, device);
    take_nothing<<<3, 32>>>();
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    const double wanted[13] = {-1, -2, -3, -4, 5.5, 6.25, 1, 2.5, 5, 6, 7, 8, 9};
    for (int i = 0; i < 13; i++)
        CHECK(host[i] == wanted[i]);
    // The same with a configuration and attributes; what is given becomes the parameters' types.
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[0].val.priority = -1;
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = dim3(1);
    configuration.blockDim = dim3(1);
    configuration.attrs = attributes;
    configuration.numAttrs = 2;
    GOOD(cudaMemset(device, 0, sizeof host));
    GOOD(cudaLaunchKernelEx(&configuration, take, -1, -2, -3, -4, 5.5, 6.25f, g, h, 9, device));
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 13; i++)
        CHECK(host[i] == wanted[i]);
    configuration.gridDim = dim3(100000);
    EXPECT(cudaLaunchKernelEx(&configuration, take_nothing), cudaErrorCooperativeLaunchTooLarge);
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = 2;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    EXPECT(cudaLaunchKernelEx(&configuration, take_nothing), cudaErrorNotSupported);
    EXPECT(cudaLaunchKernelExC(NULL, (const void *)take_nothing, NULL), cudaErrorInvalidValue);
    cudaGetLastError();
    struct large all;
    for (int i = 0; i < 1000; i++)
        all.words[i] = i;
    int *sum, total = -1;
    GOOD(cudaMalloc((void **)&sum, sizeof total));
    GOOD(cudaMemset(sum, 0, sizeof total));
    take_large<<<1, 96>>>(all, sum);
    GOOD(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    CHECK(total == 499500);
    return verdict();
}
