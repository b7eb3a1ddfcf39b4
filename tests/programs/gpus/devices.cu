// Two devices: which there are, what is of each, and what of the host's calls is of the current one
// (CUDA C++ Programming Guide, "Multi-Device System").
#include "../runtime/check.h"

#include <cstring>
#include <thread>

enum { COUNT = 1024, MIB = 1 << 20 };

__device__ int total;
__constant__ int factor;
#ifdef __NVCC__
__managed__ int shared_total;
#endif

__global__ void add_up(const int *values, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        atomicAdd(&total, values[i] * factor);
#ifdef __NVCC__
        atomicAdd(&shared_total, 1);
#endif
    }
}

__global__ void put(int *to, int value)
{
    to[threadIdx.x] = value;
}

__global__ void put_far(int *to)
{
    int *mine = (int *)malloc(64);
    mine[0] = threadIdx.x;
    to[threadIdx.x] = mine[0];
    free(mine);
    if (threadIdx.x == 0)
        printf("device %d\n", to[32]);
}

static int current(void)
{
    int device = -1;
    GOOD(cudaGetDevice(&device));
    return device;
}

// ---- The devices -------------------------------------------------------------------------------

static void numbers(void)
{
    int count = 0, value = -1;
    GOOD(cudaGetDeviceCount(&count));
    CHECK(count == 2);
    CHECK(current() == 0);
    EXPECT(cudaSetDevice(2), cudaErrorInvalidDevice);
    EXPECT(cudaSetDevice(-1), cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError(), cudaErrorInvalidDevice);
    CHECK(current() == 0);
    GOOD(cudaSetDevice(1));
    CHECK(current() == 1);
    EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2), cudaErrorInvalidDevice);
#ifdef __NVCC__
    int allowed[] = {1, 0, 2};
    GOOD(cudaSetValidDevices(allowed, 2));
    EXPECT(cudaSetValidDevices(allowed, 3), cudaErrorInvalidDevice);
#endif
    cudaGetLastError();
    // Each host thread begins with device 0, and has its own.
    std::thread other([] {
        CHECK(current() == 0);
        GOOD(cudaSetDevice(0));
    });
    other.join();
    CHECK(current() == 1);
    GOOD(cudaSetDevice(0));
}

static void properties(void)
{
    static cudaDeviceProp of[2];
    int at = -1;
    char bus[2][16];
    for (int device = 0; device < 2; device++) {
        GOOD(cudaGetDeviceProperties(&of[device], device));
        GOOD(cudaDeviceGetPCIBusId(bus[device], sizeof bus[device], device));
        GOOD(cudaDeviceGetByPCIBusId(&at, bus[device]));
        CHECK(at == device);
    }
    EXPECT(cudaGetDeviceProperties(&of[0], 2), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceGetByPCIBusId(&at, "0000:7f:00.0"), cudaErrorInvalidDevice);
    cudaGetLastError();
    CHECK(std::strcmp(of[0].name, of[1].name) == 0);
    CHECK(of[0].multiProcessorCount == of[1].multiProcessorCount);
    CHECK(of[0].pciBusID != of[1].pciBusID);
    CHECK(std::memcmp(&of[0].uuid, &of[1].uuid, sizeof of[0].uuid) != 0);
    CHECK(std::strcmp(bus[0], bus[1]) != 0);
}

// ---- Memory ------------------------------------------------------------------------------------

static void memory(void)
{
    size_t room[2], left[2], all;
    char *pointers[2];
    for (int device = 0; device < 2; device++) {
        GOOD(cudaSetDevice(device));
        GOOD(cudaMemGetInfo(&room[device], &all));
    }
    GOOD(cudaSetDevice(1));
    GOOD(cudaMalloc(&pointers[1], 64 * MIB));
    GOOD(cudaSetDevice(0));
    GOOD(cudaMalloc(&pointers[0], 16 * MIB));
    for (int device = 0; device < 2; device++) {
        cudaPointerAttributes is;
        GOOD(cudaSetDevice(device));
        GOOD(cudaMemGetInfo(&left[device], &all));
        GOOD(cudaPointerGetAttributes(&is, pointers[device] + 5));
        CHECK(is.type == cudaMemoryTypeDevice && is.device == device);
    }
    CHECK(room[0] - left[0] == 16 * MIB && room[1] - left[1] == 64 * MIB);
    // Any device's memory may be freed from any.
    GOOD(cudaSetDevice(0));
    GOOD(cudaFree(pointers[1]));
    GOOD(cudaFree(pointers[0]));
    // A device is full for itself.
    GOOD(cudaSetDevice(1));
    EXPECT(cudaMalloc(&pointers[1], all + 1), cudaErrorMemoryAllocation);
    GOOD(cudaMalloc(&pointers[1], room[1]));
    EXPECT(cudaMalloc(&pointers[0], MIB), cudaErrorMemoryAllocation);
    GOOD(cudaSetDevice(0));
    GOOD(cudaMalloc(&pointers[0], MIB));
    GOOD(cudaFree(pointers[0]));
    GOOD(cudaFree(pointers[1]));
    cudaGetLastError();
}

// Memory that all devices reach without peer access: managed, and the host's.
static void common(void)
{
    int *managed, *pinned;
    cudaPointerAttributes is;
    GOOD(cudaSetDevice(1));
    GOOD(cudaMallocManaged(&managed, 64 * sizeof(int)));
    GOOD(cudaMallocHost(&pinned, 64 * sizeof(int)));
    GOOD(cudaPointerGetAttributes(&is, managed));
    CHECK(is.type == cudaMemoryTypeManaged && is.device == 1);
    GOOD(cudaPointerGetAttributes(&is, pinned));
    CHECK(is.type == cudaMemoryTypeHost);
    for (int device = 0; device < 2; device++) {
        GOOD(cudaSetDevice(device));
        put<<<1, 32>>>(managed + 32 * device, 7 + device);
        put<<<1, 32>>>(pinned + 32 * device, 9 + device);
        GOOD(cudaDeviceSynchronize());
    }
    CHECK(managed[0] == 7 && managed[63] == 8 && pinned[31] == 9 && pinned[32] == 10);
    GOOD(cudaFree(managed));
    GOOD(cudaFreeHost(pinned));
    GOOD(cudaSetDevice(0));
}

// ---- Programs ----------------------------------------------------------------------------------

// Variables are of each device; managed ones are one for all.
static void variables(void)
{
    static int ones[COUNT];
    int *values[2], sum, *address[2];
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    for (int device = 0; device < 2; device++) {
        int times = 3 + device, zero = 0;
        GOOD(cudaSetDevice(device));
        GOOD(cudaMalloc(&values[device], sizeof ones));
        GOOD(cudaMemcpy(values[device], ones, sizeof ones, cudaMemcpyHostToDevice));
        GOOD(cudaMemcpyToSymbol(factor, &times, sizeof times));
        GOOD(cudaMemcpyToSymbol(total, &zero, sizeof zero));
        GOOD(cudaGetSymbolAddress((void **)&address[device], total));
        add_up<<<1, 128>>>(values[device], COUNT);
        GOOD(cudaGetLastError());
    }
    CHECK(address[0] != address[1]);
    for (int device = 0; device < 2; device++) {
        cudaPointerAttributes is;
        GOOD(cudaSetDevice(device));
        GOOD(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
        CHECK(sum == COUNT * (3 + device));
        GOOD(cudaPointerGetAttributes(&is, address[device]));
        CHECK(is.device == device);
        GOOD(cudaFree(values[device]));
    }
#ifdef __NVCC__
    CHECK(shared_total == 2 * COUNT);
#endif
    GOOD(cudaSetDevice(0));
}

// The heap of malloc in kernels, and what they print, in the order of launches.
static void kernels(void)
{
    int *to[2], got[33];
    for (int device = 0; device < 2; device++) {
        GOOD(cudaSetDevice(device));
        GOOD(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (2 + device) * MIB));
        GOOD(cudaMalloc(&to[device], sizeof got));
        GOOD(cudaMemset(to[device], 0, sizeof got));
        GOOD(cudaMemcpy(to[device] + 32, &device, sizeof device, cudaMemcpyHostToDevice));
        put_far<<<1, 32>>>(to[device]);
        GOOD(cudaGetLastError());
    }
    for (int device = 0; device < 2; device++) {
        size_t limit;
        GOOD(cudaSetDevice(device));
        GOOD(cudaMemcpy(got, to[device], sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32; i++)
            CHECK(got[i] == i);
        GOOD(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
        CHECK(limit == (size_t)(2 + device) * MIB);
        GOOD(cudaFree(to[device]));
    }
    GOOD(cudaSetDevice(0));
}

// What is reset is the current device.
static void resets(void)
{
    int *kept, *gone, value = 0;
    cudaStream_t of_kept, of_gone;
    GOOD(cudaSetDevice(0));
    GOOD(cudaMalloc(&kept, 32 * sizeof(int)));
    GOOD(cudaStreamCreate(&of_kept));
    GOOD(cudaSetDevice(1));
    GOOD(cudaMalloc(&gone, 32 * sizeof(int)));
    GOOD(cudaStreamCreate(&of_gone));
    put<<<1, 32, 0, of_gone>>>(gone, 4);
    GOOD(cudaDeviceReset());
    EXPECT(cudaMemcpy(&value, gone, sizeof value, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT(cudaStreamQuery(of_gone), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    GOOD(cudaMalloc(&gone, 32 * sizeof(int)));
    put<<<1, 32>>>(gone, 5);
    GOOD(cudaMemcpy(&value, gone, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 5);
    GOOD(cudaSetDevice(0));
    put<<<1, 32, 0, of_kept>>>(kept, 6);
    GOOD(cudaMemcpy(&value, kept, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 6);
    GOOD(cudaStreamDestroy(of_kept));
    GOOD(cudaFree(kept));
    GOOD(cudaFree(gone));
}

int main(void)
{
    numbers();
    properties();
    memory();
    common();
    variables();
    kernels();
    resets();
    return verdict();
}
