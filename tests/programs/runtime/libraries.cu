// Device code that the program loads itself, the driver's functions by name, attributes of streams,
// and handles for other processes.
#include "check.h"

#include <cstring>

#ifndef __NVCC__ // NVIDIA's headers have these
typedef struct CUlib_st *cudaLibrary_t;
enum { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
typedef int cudaDriverEntryPointQueryResult;
enum { cudaEnableDefault = 0, cudaDevP2PAttrAccessSupported = 2 };
extern "C" {
cudaError_t cudaLibraryLoadData(cudaLibrary_t *, const void *, void *, void **, unsigned, void *,
                                void **, unsigned);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *, const char *, void *, void **, unsigned,
                                    void *, void **, unsigned);
cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetKernelCount(unsigned *, cudaLibrary_t);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *, unsigned, cudaLibrary_t);
cudaError_t cudaLibraryGetGlobal(void **, size_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetManaged(void **, size_t *, cudaLibrary_t, const char *);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t, enum cudaFuncAttribute, int, int);
cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *);
cudaError_t cudaDeviceGetP2PAttribute(int *, int, int, int);
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t);
}
#else
#define cudaGetDriverEntryPointByVersion(symbol, function, version, flags, query) \
    cudaGetDriverEntryPointByVersion(symbol, function, version, flags,            \
                                     (enum cudaDriverEntryPointQueryResult *)(query))
#endif

static const char ptx[] = R"(.version 6.5
.target sm_70
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 at)
{
    .reg .b64 %p;
    .reg .b32 %v, %f;
    ld.param.u64 %p, [at];
    ld.global.u32 %v, [%p];
    ld.global.u32 %f, [factor];
    mul.lo.u32 %v, %v, %f;
    st.global.u32 [%p], %v;
    ret;
}
.visible .entry nothing()
{
    ret;
}
)";

static void libraries(const char *path)
{
    cudaLibrary_t library;
    cudaKernel_t scale, other, both[2];
    unsigned count = 0;
    int *at, *factor, four = 4;
    void *managed;
    size_t bytes = 0;
    GOOD(cudaMalloc((void **)&at, 4));
    GOOD(cudaMemset(at, 0, 4));
    GOOD(cudaMemset(at, 5, 1));
    GOOD(cudaLibraryLoadData(&library, ptx, 0, 0, 0, 0, 0, 0));
    GOOD(cudaLibraryGetKernel(&scale, library, "scale"));
    EXPECT(cudaLibraryGetKernel(&other, library, "missing"), cudaErrorSymbolNotFound);
    GOOD(cudaLibraryGetKernelCount(&count, library));
    CHECK(count == 2);
    GOOD(cudaLibraryEnumerateKernels(both, 2, library));
    CHECK(both[0] == scale || both[1] == scale);
    GOOD(cudaLibraryGetGlobal((void **)&factor, &bytes, library, "factor"));
    CHECK(bytes == 4);
    EXPECT(cudaLibraryGetManaged(&managed, &bytes, library, "factor"), cudaErrorSymbolNotFound);
    void *arguments[] = {&at};
    GOOD(cudaLaunchKernel((const void *)scale, dim3(1), dim3(1), arguments, 0, 0));
    GOOD(cudaMemcpy(factor, &four, 4, cudaMemcpyHostToDevice));
    GOOD(cudaLaunchKernel((const void *)scale, dim3(1), dim3(1), arguments, 0, 0));
    int result = 0;
    GOOD(cudaMemcpy(&result, at, 4, cudaMemcpyDeviceToHost));
    CHECK(result == 60);
    GOOD(cudaKernelSetAttributeForDevice(scale, cudaFuncAttributePreferredSharedMemoryCarveout, 50,
                                         0));
    EXPECT(cudaKernelSetAttributeForDevice(scale, cudaFuncAttributePreferredSharedMemoryCarveout,
                                           50, 1),
           cudaErrorInvalidDevice);
    // In a graph, too
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaKernelNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.func = (void *)scale;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, 0));
    GOOD(cudaMemcpy(&result, at, 4, cudaMemcpyDeviceToHost));
    CHECK(result == 240);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaLibraryUnload(library));
    EXPECT(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
    EXPECT(cudaLibraryLoadData(&library, ".version 6.5\n.visible .entry {", 0, 0, 0, 0, 0, 0),
           cudaErrorInvalidPtx);
    EXPECT(cudaLibraryLoadFromFile(&library, "/no/such/file.ptx", 0, 0, 0, 0, 0, 0),
           cudaErrorFileNotFound);
    FILE *file = std::fopen(path, "w");
    std::fputs(ptx, file);
    std::fclose(file);
    GOOD(cudaLibraryLoadFromFile(&library, path, 0, 0, 0, 0, 0, 0));
    GOOD(cudaLibraryGetKernel(&scale, library, "scale"));
    GOOD(cudaLaunchKernel((const void *)scale, dim3(1), dim3(1), arguments, 0, 0));
    GOOD(cudaMemcpy(&result, at, 4, cudaMemcpyDeviceToHost));
    CHECK(result == 720);
    GOOD(cudaLibraryUnload(library));
    GOOD(cudaFree(at));
    cudaGetLastError();
}

static void entry_points(void)
{
    int (*count_devices)(int *) = NULL;
    int query = 9, count = 0;
    GOOD(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", (void **)&count_devices, 12000,
                                          cudaEnableDefault, &query));
    CHECK(query == cudaDriverEntryPointSuccess && count_devices != NULL);
    if (count_devices)
        CHECK(count_devices(&count) == 3 || count == 1); // 3: the driver is not initialised
    GOOD(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", (void **)&count_devices, 12000,
                                          cudaEnableDefault, &query));
    CHECK(query == cudaDriverEntryPointSymbolNotFound);
    EXPECT(cudaGetDriverEntryPointByVersion(NULL, (void **)&count_devices, 12000, 0, &query),
           cudaErrorInvalidValue);
    cudaGetLastError();
}

static void attributes(void)
{
    cudaStream_t a, b;
    cudaStreamAttrValue value, read;
    GOOD(cudaStreamCreateWithPriority(&a, 0, -2));
    GOOD(cudaStreamCreate(&b));
    std::memset(&value, 0, sizeof value);
    GOOD(cudaStreamGetAttribute(a, cudaLaunchAttributePriority, &read));
    CHECK(read.priority == -2);
    GOOD(cudaStreamGetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &read));
    CHECK(read.syncPolicy == cudaSyncPolicyAuto);
    value.syncPolicy = cudaSyncPolicyYield;
    GOOD(cudaStreamSetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &value));
    std::memset(&value, 0, sizeof value);
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 0.5f;
    GOOD(cudaStreamSetAttribute(a, cudaLaunchAttributeAccessPolicyWindow, &value));
    GOOD(cudaStreamCopyAttributes(b, a));
    GOOD(cudaStreamGetAttribute(b, cudaLaunchAttributeAccessPolicyWindow, &read));
    CHECK(read.accessPolicyWindow.num_bytes == 4096 && read.accessPolicyWindow.hitRatio == 0.5f);
    GOOD(cudaStreamGetAttribute(b, cudaLaunchAttributeSynchronizationPolicy, &read));
    CHECK(read.syncPolicy == cudaSyncPolicyYield);
    value.syncPolicy = (enum cudaSynchronizationPolicy)9;
    EXPECT(cudaStreamSetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &value),
           cudaErrorInvalidValue);
    EXPECT(cudaStreamSetAttribute(a, cudaLaunchAttributeCooperative, &value),
           cudaErrorInvalidValue);
    EXPECT(cudaStreamGetAttribute((cudaStream_t)&value, cudaLaunchAttributePriority, &read),
           cudaErrorInvalidResourceHandle);
    GOOD(cudaStreamDestroy(a));
    GOOD(cudaStreamDestroy(b));
    cudaGetLastError();
}

static void sharing(void)
{
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t point;
    cudaEvent_t shared, own, opened;
    void *at, *other;
    int host, value;
    GOOD(cudaMalloc(&at, 64));
    GOOD(cudaIpcGetMemHandle(&memory, (char *)at + 8));
    EXPECT(cudaIpcGetMemHandle(&memory, &host), cudaErrorInvalidValue);
    EXPECT(cudaIpcOpenMemHandle(&other, memory, cudaIpcMemLazyEnablePeerAccess),
           cudaErrorDeviceUninitialized); // this process made it
    EXPECT(cudaIpcOpenMemHandle(&other, memory, 0), cudaErrorInvalidValue);
    int process = 0x7fffffff; // none has this number
    std::memcpy(memory.reserved + 8, &process, sizeof process);
    EXPECT(cudaIpcOpenMemHandle(&other, memory, cudaIpcMemLazyEnablePeerAccess),
           cudaErrorInvalidResourceHandle);
    std::memset(&memory, 1, sizeof memory);
    EXPECT(cudaIpcOpenMemHandle(&other, memory, cudaIpcMemLazyEnablePeerAccess),
           cudaErrorInvalidResourceHandle);
    EXPECT(cudaIpcCloseMemHandle(at), cudaErrorInvalidValue);
    GOOD(cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming));
    GOOD(cudaEventCreate(&own));
    GOOD(cudaIpcGetEventHandle(&point, shared));
    EXPECT(cudaIpcGetEventHandle(&point, own), cudaErrorInvalidResourceHandle);
    EXPECT(cudaIpcOpenEventHandle(&opened, point), cudaErrorDeviceUninitialized);
    EXPECT(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
           cudaErrorInvalidDevice);
    EXPECT(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1),
           cudaErrorInvalidValue);
    GOOD(cudaEventDestroy(shared));
    GOOD(cudaEventDestroy(own));
    GOOD(cudaFree(at));
    cudaGetLastError();
}

int main(int argc, char **argv)
{
    libraries(argc > 1 ? argv[1] : "scale.ptx");
    entry_points();
    attributes();
    sharing();
    return verdict();
}
