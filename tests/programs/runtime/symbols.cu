// Variables of a module by their host names: copies with offsets, addresses, sizes, and errors.
#include "check.h"

__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ float scale = 2.5f;
__device__ int counter;
__device__ int *pointer;
static int no_symbol;

__global__ void use(float *to)
{
    to[threadIdx.x] = scale * (float)table[threadIdx.x];
    if (threadIdx.x == 0) {
        counter += 5;
        pointer[1] = 77;
    }
}

int main()
{
    float *device, host[8];
    int *box, one = 100, value;
    GOOD(cudaMalloc((void **)&device, sizeof host));
    GOOD(cudaMalloc((void **)&box, 8));
    GOOD(cudaMemcpyToSymbol(pointer, &box, sizeof box));
    GOOD(cudaMemcpyToSymbol(table, &one, sizeof one, 2 * sizeof(int)));
    use<<<1, 8>>>(device);
    use<<<1, 8>>>(device);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 2.5f && host[2] == 250.0f && host[7] == 20.0f);
    GOOD(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    CHECK(value == 10);
    GOOD(cudaMemcpy(&value, box + 1, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 77);
    void *address;
    size_t size;
    GOOD(cudaGetSymbolAddress(&address, counter));
    GOOD(cudaGetSymbolSize(&size, table));
    CHECK(size == sizeof table);
    value = 41;
    GOOD(cudaMemcpy(address, &value, sizeof value, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpyFromSymbol(&value, counter, sizeof value, 0, cudaMemcpyDeviceToHost));
    CHECK(value == 41);
    GOOD(cudaMemcpyToSymbol(counter, device, sizeof value, 0, cudaMemcpyDeviceToDevice));
    EXPECT(cudaMemcpyToSymbol(counter, &value, 8), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(counter, &value, 4, 4), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(no_symbol, &value, 4), cudaErrorInvalidSymbol);
    EXPECT(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyHostToDevice),
           cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaGetSymbolSize(&size, no_symbol), cudaErrorInvalidSymbol);
    value = 0;
    GOOD(cudaMemcpyFromSymbolAsync(&value, table, sizeof value, 2 * sizeof(int),
                                   cudaMemcpyDeviceToHost, 0));
    GOOD(cudaDeviceSynchronize());
    CHECK(value == 100);
    EXPECT(cudaMemcpyFromSymbolAsync(&value, counter, 8), cudaErrorInvalidValue);
    // After a reset the variables have their first values again.
    GOOD(cudaDeviceReset());
    GOOD(cudaMemcpyFromSymbol(&value, table, sizeof value, 2 * sizeof(int)));
    CHECK(value == 3);
    cudaGetLastError();
    return verdict();
}
