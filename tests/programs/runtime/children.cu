// Dynamic parallelism as nvcc compiles it (-rdc=true): recursion, streams and events that kernels
// make, launches behind the end of the grid, copies, errors and what the device says of itself.
#include "check.h"

__device__ unsigned long long sum;
__device__ int reports[16];

__global__ void add(int *to, int value)
{
    atomicAdd(to + threadIdx.x, value);
}

// Quicksort, each part in a child of its own.
__global__ void sort(int *data, int left, int right)
{
    int pivot = data[(left + right) / 2], i = left, j = right;
    while (i <= j) {
        while (data[i] < pivot)
            i++;
        while (data[j] > pivot)
            j--;
        if (i <= j) {
            int kept = data[i];
            data[i++] = data[j];
            data[j--] = kept;
        }
    }
    cudaStream_t stream;
    if (left < j) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        sort<<<1, 1, 0, stream>>>(data, left, j);
        cudaStreamDestroy(stream);
    }
    if (i < right) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        sort<<<1, 1, 0, stream>>>(data, i, right);
        cudaStreamDestroy(stream);
    }
}

// A loop of grids, each behind the end of the one before, deeper than any stack.
__global__ void countdown(int *count, int left)
{
    if (threadIdx.x == 0)
        atomicAdd(count, 1);
    if (threadIdx.x == 0 && left > 0)
        countdown<<<1, 32, 0, cudaStreamTailLaunch>>>(count, left - 1);
}

// What the tail launch sees: all that the grid and its children did.
__global__ void total(const int *data, int count)
{
    for (int i = 0; i < count; i++)
        sum += data[i];
}

__global__ void dyadic(int *data, int blocks)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        total<<<1, 1, 0, cudaStreamTailLaunch>>>(data, 64);
    if (threadIdx.x < 2)
        add<<<1, 32>>>(data + 32 * threadIdx.x, (int)blockIdx.x + 1);
}

__global__ void ask(int *from, int *to)
{
    cudaEvent_t event;
    cudaStream_t stream;
    int device = -1, warp = 0, blocks = 0;
    reports[0] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    reports[1] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    add<<<1, 4, 0, stream>>>(from, 5);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(0, event, 0);
    reports[2] = cudaMemcpyAsync(to, from, 4 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    reports[3] = cudaMemsetAsync(to + 4, 1, 8, 0);
    reports[4] = cudaGetDevice(&device) + device;
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    reports[5] = warp;
    reports[6] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0);
    reports[7] = blocks;
    reports[8] = cudaGetLastError();
    add<<<1, 2048>>>(from, 1);
    reports[9] = cudaPeekAtLastError();
    reports[10] = cudaGetLastError();
    reports[11] = cudaGetLastError();
    // One text for one code, however often it is asked for: else there is no room any more.
    const char *text = cudaGetErrorString(cudaErrorInvalidConfiguration);
    for (int i = 0; i < 1 << 19 && text; i++)
        if (cudaGetErrorString(cudaErrorInvalidConfiguration) != text)
            text = 0;
    reports[12] = text ? text[0] : 0;
    size_t bytes;
    reports[13] = cudaDeviceGetLimit(&bytes, (cudaLimit)1000);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
}

enum { WIDE = 24, HIGH = 3, PITCH = 32, DEEP = 2, SLICE = PITCH * (HIGH + 1) };

// Boxes: what is filled and copied of pitched memory, and nothing beside it.
__global__ void boxes(char *from, char *to)
{
    cudaPitchedPtr place = {from, PITCH, PITCH, HIGH + 1};
    reports[0] = cudaMemset3DAsync(place, 5, {WIDE, HIGH, DEEP}, 0);
    cudaMemcpy3DParms parameters = {};
    parameters.srcPtr = place;
    parameters.dstPtr = {to, PITCH, PITCH, HIGH + 1};
    parameters.srcPos = {4, 1, 0};
    parameters.dstPos = {8, 0, 1};
    parameters.extent = {16, 2, 1};
    parameters.kind = cudaMemcpyDeviceToDevice;
    reports[1] = cudaMemcpy3DAsync(&parameters, 0);
    reports[2] = cudaMemset2DAsync(to, PITCH, 7, 3, HIGH, 0);
    reports[3] = cudaMemcpy2DAsync(to + 4, PITCH, from, PITCH, 2, 2, cudaMemcpyDeviceToDevice, 0);
    parameters.extent = {16, 2, 1 << 20};
    reports[4] = cudaMemcpy3DAsync(&parameters, 0); // outside of all memory
    place.pitch = 8;
    parameters.srcPtr = place;
    parameters.extent = {16, 2, 1};
    reports[5] = cudaMemcpy3DAsync(&parameters, 0); // rows longer than their pitch
}

static void check_boxes()
{
    char *data, wanted[2][SLICE * DEEP] = {}, seen[2][SLICE * DEEP];
    int said[16];
    GOOD(cudaMalloc(&data, sizeof seen));
    GOOD(cudaMemset(data, 0, sizeof seen));
    boxes<<<1, 1>>>(data, data + SLICE * DEEP);
    GOOD(cudaMemcpy(seen, data, sizeof seen, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpyFromSymbol(said, reports, sizeof said));
    for (int z = 0; z < DEEP; z++)
        for (int y = 0; y < HIGH; y++)
            for (int x = 0; x < WIDE; x++)
                wanted[0][z * SLICE + y * PITCH + x] = 5;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 16; x++)
            wanted[1][SLICE + y * PITCH + 8 + x] = 5;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < 6; x++)
            if (x < 3 || (x >= 4 && y < 2))
                wanted[1][y * PITCH + x] = x < 3 ? 7 : 5;
    for (int i = 0; i < SLICE * DEEP; i++)
        CHECK(seen[0][i] == wanted[0][i] && seen[1][i] == wanted[1][i]);
    for (int i = 0; i < 4; i++)
        CHECK(said[i] == cudaSuccess);
    CHECK(said[4] == cudaErrorInvalidValue && said[5] == cudaErrorInvalidPitchValue);
    GOOD(cudaFree(data));
}

int main()
{
    check_boxes();
    enum { COUNT = 500, DEEP = 400 };
    int *data;
    GOOD(cudaMallocManaged(&data, COUNT * sizeof(int)));
    unsigned seed = 7;
    for (int i = 0; i < COUNT; i++)
        data[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 8);
    sort<<<1, 1>>>(data, 0, COUNT - 1);
    GOOD(cudaDeviceSynchronize());
    for (int i = 1; i < COUNT; i++)
        CHECK(data[i - 1] <= data[i]);

    GOOD(cudaMemset(data, 0, COUNT * sizeof(int)));
    countdown<<<1, 32>>>(data, DEEP);
    GOOD(cudaDeviceSynchronize());
    CHECK(data[0] == DEEP + 1);

    unsigned long long seen = 0;
    GOOD(cudaMemset(data, 0, COUNT * sizeof(int)));
    dyadic<<<4, 32>>>(data, 4);
    GOOD(cudaMemcpyFromSymbol(&seen, sum, sizeof seen));
    CHECK(seen == 64 * (1 + 2 + 3 + 4));

    int said[16];
    GOOD(cudaMemset(data, 0, COUNT * sizeof(int)));
    ask<<<1, 1>>>(data, data + 8);
    GOOD(cudaMemcpyFromSymbol(said, reports, sizeof said));
    for (int good : {0, 1, 2, 3, 4, 6, 8, 11})
        CHECK(said[good] == 0);
    CHECK(data[8] == 5 && data[11] == 5 && data[12] == 0x01010101 && data[14] == 0);
    CHECK(said[5] == 32 && said[7] > 0 && said[12] == 'i');
    CHECK(said[13] == cudaErrorInvalidValue);
    CHECK(said[9] == cudaErrorInvalidConfiguration && said[10] == cudaErrorInvalidConfiguration);
    GOOD(cudaFree(data));
    return verdict();
}
