// What two devices do with each other's memory: peer access, copies, and the order of their work
// (CUDA C++ Programming Guide, "Multi-Device System").
#include "../runtime/check.h"

#include <cstdint>
#include <cstring>

enum { COUNT = 256 * 1024, BYTES = COUNT * sizeof(int) };

__global__ void fill(int *to, int first, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = first + i;
}

__global__ void read(const int *from, int *to, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}

__global__ void count_up(int *total)
{
    atomicAdd(total, 1);
}

__global__ void wait_for(volatile int *flag, int *seen)
{
    while (*flag == 0)
        ;
    *seen = *flag;
}

__global__ void raise(volatile int *flag, int value)
{
    *flag = value;
}

static int *of[2]; // BYTES of each device's memory

static void make(void)
{
    for (int device = 1; device >= 0; device--) {
        GOOD(cudaSetDevice(device));
        GOOD(cudaMalloc(&of[device], BYTES));
        GOOD(cudaMemset(of[device], 0, BYTES));
    }
}

static bool holds(const int *device, int first)
{
    static int got[COUNT];
    GOOD(cudaMemcpy(got, device, BYTES, cudaMemcpyDefault));
    for (int i = 0; i < COUNT; i++)
        if (got[i] != first + i)
            return false;
    return true;
}

// ---- Access ------------------------------------------------------------------------------------

static void enabling(void)
{
    int can = -1;
    GOOD(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    GOOD(cudaDeviceCanAccessPeer(&can, 1, 1));
    CHECK(can == 0);
    EXPECT(cudaDeviceCanAccessPeer(&can, 0, 8), cudaErrorInvalidDevice);
#ifdef __NVCC__
    GOOD(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
    CHECK(can == 1);
    EXPECT(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 1),
           cudaErrorInvalidDevice);
#endif
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceEnablePeerAccess(8, 0), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    EXPECT(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    EXPECT(cudaDeviceDisablePeerAccess(8), cudaErrorInvalidDevice);
    GOOD(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    GOOD(cudaDeviceDisablePeerAccess(1));
    GOOD(cudaDeviceEnablePeerAccess(1, 0));
    cudaGetLastError();
}

// Reads, writes and atomics of one device in the other's memory.
static void access(void)
{
    int *total, sum;
    GOOD(cudaSetDevice(1));
    fill<<<64, 256>>>(of[1], 5, COUNT);
    GOOD(cudaMalloc(&total, sizeof *total));
    GOOD(cudaMemset(total, 0, sizeof *total));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaSetDevice(0));
    read<<<64, 256>>>(of[1], of[0], COUNT);
    CHECK(holds(of[0], 5));
    fill<<<64, 256>>>(of[1], 11, COUNT);
    GOOD(cudaDeviceSynchronize());
    CHECK(holds(of[1], 11));
    count_up<<<4, 64>>>(total);
    GOOD(cudaSetDevice(1));
    count_up<<<4, 64>>>(total);
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaSetDevice(0));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDefault));
    CHECK(sum == 512);
    GOOD(cudaFree(total));
}

// ---- Copies ------------------------------------------------------------------------------------

static void copies(void)
{
    cudaStream_t stream;
    GOOD(cudaSetDevice(0));
    fill<<<64, 256>>>(of[0], 100, COUNT);
    GOOD(cudaMemcpyPeer(of[1], 1, of[0], 0, BYTES));
    GOOD(cudaDeviceSynchronize());
    CHECK(holds(of[1], 100));
    GOOD(cudaSetDevice(1));
    fill<<<64, 256>>>(of[1], 200, COUNT);
    GOOD(cudaMemcpy(of[0], of[1], BYTES, cudaMemcpyDefault));
    CHECK(holds(of[0], 200));
    fill<<<64, 256>>>(of[1], 300, COUNT);
    GOOD(cudaMemcpy(of[0], of[1], BYTES, cudaMemcpyDeviceToDevice));
    CHECK(holds(of[0], 300));
    // A copy may be in either device's stream, whichever is current.
    GOOD(cudaStreamCreate(&stream));
    fill<<<64, 256, 0, stream>>>(of[1], 400, COUNT);
    GOOD(cudaSetDevice(0));
    GOOD(cudaMemcpyPeerAsync(of[0], 0, of[1], 1, BYTES, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(holds(of[0], 400));
    GOOD(cudaStreamDestroy(stream));
}

#ifdef __NVCC__
static void boxes(void)
{
    cudaMemcpy3DPeerParms box = {};
    GOOD(cudaSetDevice(0));
    fill<<<64, 256>>>(of[0], 500, COUNT);
    box.srcPtr = make_cudaPitchedPtr(of[0], 1024, 1024, 32);
    box.dstPtr = make_cudaPitchedPtr(of[1], 1024, 1024, 32);
    box.srcDevice = 0;
    box.dstDevice = 1;
    box.extent = make_cudaExtent(1024, 32, BYTES / 1024 / 32);
    GOOD(cudaMemcpy3DPeer(&box));
    GOOD(cudaDeviceSynchronize());
    CHECK(holds(of[1], 500));
    box.dstDevice = 8;
    EXPECT(cudaMemcpy3DPeer(&box), cudaErrorInvalidDevice);
    cudaGetLastError();
}
#endif

static void wrong_copies(void)
{
    EXPECT(cudaMemcpyPeer(of[1], 8, of[0], 0, 64), cudaErrorInvalidDevice);
    EXPECT(cudaMemcpyPeer(of[1], 1, of[0], -1, 64), cudaErrorInvalidDevice);
    EXPECT(cudaMemcpyPeer(of[1], 0, of[0], 0, 64), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyPeer(of[1], 1, of[0], 1, 64), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyPeer(of[1], 1, of[0] + 1, 0, BYTES), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyPeer(of[1] + 1, 1, of[0], 0, BYTES), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(of[1], of[0] + COUNT, 64, cudaMemcpyDefault), cudaErrorInvalidValue);
    cudaGetLastError();
}

// ---- Streams and events ------------------------------------------------------------------------

static void handles(void)
{
    cudaStream_t stream;
    cudaEvent_t event, other;
    int device = -1;
    float time;
    GOOD(cudaSetDevice(1));
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaEventCreate(&event));
    GOOD(cudaStreamGetDevice(stream, &device));
    CHECK(device == 1);
    GOOD(cudaSetDevice(0));
    GOOD(cudaEventCreate(&other));
    GOOD(cudaEventRecord(other));
    // Kernels and events of one device's stream are that device's; other work need not be.
    fill<<<1, 32, 0, stream>>>(of[1], 0, 32);
    EXPECT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(other, stream), cudaErrorInvalidResourceHandle);
    GOOD(cudaEventRecord(event, stream));
    GOOD(cudaMemsetAsync(of[1], 0, 64, stream));
    GOOD(cudaEventSynchronize(event));
    GOOD(cudaEventSynchronize(other));
    EXPECT(cudaEventElapsedTime(&time, event, other), cudaErrorInvalidResourceHandle);
    GOOD(cudaStreamWaitEvent(0, event));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaEventDestroy(event));
    GOOD(cudaEventDestroy(other));
    cudaGetLastError();
}

// The devices' default streams are each other's none: a kernel of the one may wait for one of the
// other, issued later.
static void independence(void)
{
    int *flag, *seen;
    GOOD(cudaMallocHost(&flag, 2 * sizeof(int)));
    seen = flag + 1;
    flag[0] = flag[1] = 0;
    GOOD(cudaSetDevice(0));
    wait_for<<<1, 1>>>(flag, seen);
    EXPECT(cudaStreamQuery(0), cudaErrorNotReady);
    GOOD(cudaSetDevice(1));
    fill<<<1, 32>>>(of[1], 0, 32);
    GOOD(cudaDeviceSynchronize()); // of this device alone
    CHECK(flag[1] == 0);
    raise<<<1, 1>>>(flag, 33);
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaSetDevice(0));
    GOOD(cudaDeviceSynchronize());
    CHECK(flag[1] == 33);
    GOOD(cudaFreeHost(flag));
}

// An event of one device's stream orders the other's; and so does a copy in a default stream.
static void order(void)
{
    cudaStream_t streams[2];
    cudaEvent_t filled;
    for (int device = 0; device < 2; device++) {
        GOOD(cudaSetDevice(device));
        GOOD(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
    }
    GOOD(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    fill<<<64, 256, 0, streams[1]>>>(of[1], 1000, COUNT);
    GOOD(cudaEventRecord(filled, streams[1]));
    GOOD(cudaSetDevice(0));
    GOOD(cudaStreamWaitEvent(streams[0], filled, 0));
    read<<<64, 256, 0, streams[0]>>>(of[1], of[0], COUNT);
    GOOD(cudaStreamSynchronize(streams[0]));
    CHECK(holds(of[0], 1000));
    // Behind the one's stream, which is no blocking one, and before the other's.
    GOOD(cudaSetDevice(1));
    fill<<<64, 256, 0, streams[1]>>>(of[1], 2000, COUNT);
    GOOD(cudaSetDevice(0));
    GOOD(cudaMemcpyPeerAsync(of[0], 0, of[1], 1, BYTES, 0));
    GOOD(cudaSetDevice(1));
    fill<<<64, 256, 0, streams[1]>>>(of[1], 3000, COUNT);
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaSetDevice(0));
    GOOD(cudaDeviceSynchronize());
    CHECK(holds(of[0], 2000) && holds(of[1], 3000));
    GOOD(cudaEventDestroy(filled));
    for (int device = 0; device < 2; device++)
        GOOD(cudaStreamDestroy(streams[device]));
}

// A graph that is captured on a device runs there.
static void graphs(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    GOOD(cudaSetDevice(1));
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<64, 256, 0, stream>>>(of[1], 50, COUNT);
    GOOD(cudaMemcpyAsync(of[0], of[1], BYTES, cudaMemcpyDefault, stream));
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(holds(of[1], 50) && holds(of[0], 50));
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaSetDevice(0));
}

// Memory of a device's pool.
static void pools(void)
{
    cudaStream_t stream;
    cudaPointerAttributes is;
    int *made;
    GOOD(cudaSetDevice(1));
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaMallocAsync(&made, BYTES, stream));
    GOOD(cudaPointerGetAttributes(&is, made));
    CHECK(is.device == 1);
    fill<<<64, 256, 0, stream>>>(made, 60, COUNT);
    GOOD(cudaMemcpyPeerAsync(of[0], 0, made, 1, BYTES, stream));
    GOOD(cudaFreeAsync(made, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(holds(of[0], 60));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaSetDevice(0));
}

// ---- What is counted ---------------------------------------------------------------------------

// One kernel each: reads the other's memory once, or writes it; or a copy. Its name is in the results.
static void traffic(const char *part)
{
    int reader = part[0] - '0', home = part[2] - '0';
    GOOD(cudaSetDevice(reader));
    if (reader != home)
        GOOD(cudaDeviceEnablePeerAccess(home, 0));
    if (std::strstr(part, "reads"))
        read<<<64, 256>>>(of[home], of[reader] + (reader == home ? COUNT / 2 : 0),
                          reader == home ? COUNT / 2 : COUNT);
    if (std::strstr(part, "writes"))
        fill<<<64, 256>>>(of[home], 0, COUNT);
    if (std::strstr(part, "copies"))
        GOOD(cudaMemcpyPeer(of[reader], reader, of[home], home, BYTES - 12));
    GOOD(cudaDeviceSynchronize());
}

// ---- Without access ----------------------------------------------------------------------------

static void faults(const char *part)
{
    GOOD(cudaSetDevice(0));
    if (std::strstr(part, "disabled")) {
        GOOD(cudaDeviceEnablePeerAccess(1, 0));
        fill<<<1, 32>>>(of[1], 0, 32);
        GOOD(cudaDeviceSynchronize());
        GOOD(cudaDeviceDisablePeerAccess(1));
    }
    fill<<<1, 32>>>(of[1], 0, 32);
    EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&of[0], 64), cudaErrorIllegalAddress);
}

int main(int count, char **arguments)
{
    const char *part = count > 1 ? arguments[1] : "";
    make();
    if (std::strstr(part, "fault")) {
        faults(part);
        return verdict();
    }
    bool recorded = std::strcmp(part, "recorded") == 0;
    if (count > 1 && !recorded) {
        traffic(part);
        return verdict();
    }
    wrong_copies();
    copies(); // needs no peer access
#ifdef __NVCC__
    boxes();
#endif
    enabling();
    access();
    handles();
    if (!recorded) // where kernels run one after the other
        independence();
    order();
    graphs();
    pools();
    return verdict();
}
