// serial [device]: doubles numbers on the host, which is traced, or on the device.
#include "marks.h"

#include <cstdio>
#include <vector>

__global__ void twice(int *numbers)
{
    numbers[threadIdx.x] *= 2;
}

static void twice_serially(std::vector<int> &numbers)
{
    for (int &number : numbers)
        number *= 2;
}

static void twice_on_device(std::vector<int> &numbers)
{
    int *device;
    size_t bytes = numbers.size() * sizeof numbers[0];
    cudaMalloc(&device, bytes);
    cudaMemcpy(device, numbers.data(), bytes, cudaMemcpyHostToDevice);
    twice<<<1, (unsigned)numbers.size()>>>(device);
    cudaMemcpy(numbers.data(), device, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device);
}

int main(int argc, char **argv)
{
    std::vector<int> numbers(32, 21);
    begin();
    if (argc > 1)
        twice_on_device(numbers);
    else
        twice_serially(numbers);
    end();
    std::printf("%p %d\n", (void *)numbers.data(), numbers[31]);
    return numbers[31] == 42 ? 0 : 1;
}
