// Streams: work of one stream in order, events between streams, host functions in their place, and
// asynchronous copies that may change their source at once.
#include "check.h"

#include <cstring>

enum { STREAMS = 8, COUNT = 1024 };

__global__ void append(int *list, int *length, int value)
{
    list[(*length)++] = value;
}

static int order[64], order_length;

static void note(void *argument)
{
    order[order_length++] = (int)(size_t)argument;
}

static void callback(cudaStream_t stream, cudaError_t status, void *argument)
{
    (void)stream;
    order[order_length++] = status == cudaSuccess ? (int)(size_t)argument : -1;
}

// The API is not to be called from a host function: it says so.
static void forbidden(void *argument)
{
    *(int *)argument = (int)cudaMalloc((void **)&argument, 4);
}

static void in_order(void)
{
    int *list, *length, host[16];
    cudaStream_t stream;
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaMalloc((void **)&list, sizeof host));
    GOOD(cudaMalloc((void **)&length, sizeof(int)));
    GOOD(cudaMemsetAsync(length, 0, sizeof(int), stream));
    for (int i = 0; i < 16; i++) {
        append<<<1, 1, 0, stream>>>(list, length, i * i);
        GOOD(cudaLaunchHostFunc(stream, note, (void *)(size_t)i));
    }
    GOOD(cudaStreamAddCallback(stream, callback, (void *)99, 0));
    GOOD(cudaMemcpyAsync(host, list, sizeof host, cudaMemcpyDeviceToHost, stream));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaStreamQuery(stream));
    CHECK(order_length == 17);
    for (int i = 0; i < 16; i++)
        CHECK(host[i] == i * i && order[i] == i);
    CHECK(order[16] == 99);
    int code = -1;
    GOOD(cudaLaunchHostFunc(stream, forbidden, &code));
    GOOD(cudaStreamSynchronize(stream));
    EXPECT(code, 800);
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaFree(list));
    GOOD(cudaFree(length));
}

static void staged_source(void)
{
    char *device, source[COUNT], host[COUNT];
    GOOD(cudaMalloc((void **)&device, COUNT));
    std::memset(source, 7, COUNT);
    GOOD(cudaMemcpyAsync(device, source, COUNT, cudaMemcpyHostToDevice, 0));
    std::memset(source, 9, COUNT); // pageable memory is the caller's again
    GOOD(cudaMemcpy(host, device, COUNT, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 7 && host[COUNT - 1] == 7);
    GOOD(cudaFree(device));
}

static void between_streams(void)
{
    int *list, *length, host[STREAMS + 1];
    cudaStream_t streams[STREAMS];
    cudaEvent_t events[STREAMS];
    GOOD(cudaMalloc((void **)&list, sizeof host));
    GOOD(cudaMallocAsync((void **)&length, sizeof(int), 0));
    GOOD(cudaMemset(length, 0, sizeof(int)));
    for (int i = 0; i < STREAMS; i++) {
        int priority, least, greatest;
        GOOD(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        GOOD(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, -1));
        GOOD(cudaStreamGetPriority(streams[i], &priority));
        CHECK(priority <= least && priority >= greatest);
        GOOD(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
    }
    for (int i = 0; i < STREAMS; i++) {
        if (i > 0)
            GOOD(cudaStreamWaitEvent(streams[i], events[i - 1], 0));
        append<<<1, 1, 0, streams[i]>>>(list, length, i);
        GOOD(cudaEventRecord(events[i], streams[i]));
    }
    GOOD(cudaStreamSynchronize(streams[STREAMS - 1]));
    GOOD(cudaMemcpy(host, list, sizeof(int) * STREAMS, cudaMemcpyDeviceToHost));
    for (int i = 0; i < STREAMS; i++) {
        CHECK(host[i] == i);
        GOOD(cudaStreamDestroy(streams[i]));
        GOOD(cudaEventDestroy(events[i]));
    }
    GOOD(cudaFreeAsync(length, 0));
    EXPECT(cudaFreeAsync(length, 0), cudaErrorInvalidValue);
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaFree(list));
    cudaGetLastError();
}

int main()
{
    in_order();
    staged_source();
    between_streams();
    return verdict();
}
