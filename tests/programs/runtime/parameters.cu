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
