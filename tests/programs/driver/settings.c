// What contexts, the device, functions and streams are asked and set, and the forms of functions
// that came with later versions.
#include "driver_api.h"

#ifndef TOOLKIT
typedef int CUsharedconfig, CUmoduleLoadingMode, CUfunctionLoadingState, CUexecAffinityType;
typedef int CUstreamCaptureStatus;
typedef struct {
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock;
    int totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;
typedef struct CUctxCreateParams CUctxCreateParams;
typedef size_t (*CUoccupancyB2DSize)(int);
CUresult cuCtxAttach(CUcontext *, unsigned), cuCtxDetach(CUcontext);
CUresult cuCtxCreate_v3(CUcontext *, void *, int, unsigned, CUdevice);
CUresult cuCtxCreate_v4(CUcontext *, CUctxCreateParams *, unsigned, CUdevice);
CUresult cuCtxDisablePeerAccess(CUcontext), cuCtxEnablePeerAccess(CUcontext, unsigned);
CUresult cuCtxGetDevice_v2(CUdevice *, CUcontext), cuCtxSynchronize_v2(CUcontext);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *), cuCtxSetSharedMemConfig(CUsharedconfig);
CUresult cuCtxResetPersistingL2Cache(void), cuCtxSetFlags(unsigned);
CUresult cuDeviceCanAccessPeer(int *, CUdevice, CUdevice);
CUresult cuDeviceGetExecAffinitySupport(int *, CUexecAffinityType, CUdevice);
CUresult cuDeviceGetLuid(char *, unsigned *, CUdevice);
CUresult cuDeviceGetProperties(CUdevprop *, CUdevice);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice), cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned);
CUresult cuEventRecordWithFlags(CUevent, CUstream, unsigned);
CUresult cuFuncIsLoaded(CUfunctionLoadingState *, CUfunction), cuFuncLoad(CUfunction);
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache);
CUresult cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig);
CUresult cuGetExportTable(const void **, const CUuuid *);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *);
CUresult cuModuleLoadFatBinary(CUmodule *, const void *);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *, CUfunction, int, int);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, CUfunction, int, size_t,
                                                              unsigned);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *, int *, CUfunction, CUoccupancyB2DSize,
                                                   size_t, int, unsigned);
CUresult cuPointerSetAttribute(const void *, CUpointer_attribute, CUdeviceptr);
CUresult cuProfilerStart(void), cuProfilerStop(void);
CUresult cuStreamCreateWithPriority(CUstream *, unsigned, int);
typedef int CUstreamAttrID, CUdevice_P2PAttribute, CUatomicOperation;
typedef struct CUasyncCallbackEntry_st *CUasyncCallbackHandle;
typedef void (*CUasyncCallback)(void *, void *, CUasyncCallbackHandle);
typedef union {
    char pad[64];
    int syncPolicy;
} CUstreamAttrValue;
CUresult cuStreamGetAttribute(CUstream, CUstreamAttrID, CUstreamAttrValue *);
CUresult cuStreamSetAttribute(CUstream, CUstreamAttrID, const CUstreamAttrValue *);
CUresult cuStreamCopyAttributes(CUstream, CUstream);
CUresult cuDeviceGetP2PAttribute(int *, CUdevice_P2PAttribute, CUdevice, CUdevice);
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *, const CUatomicOperation *, unsigned, CUdevice,
                                          CUdevice);
CUresult cuDeviceGetHostAtomicCapabilities(unsigned *, const CUatomicOperation *, unsigned,
                                           CUdevice);
CUresult cuDeviceRegisterAsyncNotification(CUdevice, CUasyncCallback, void *,
                                           CUasyncCallbackHandle *);
CUresult cuDeviceUnregisterAsyncNotification(CUdevice, CUasyncCallbackHandle);
CUresult cuStreamGetDevice(CUstream, CUdevice *), cuStreamGetId(CUstream, unsigned long long *);
CUresult cuStreamGetPriority(CUstream, int *),
    cuStreamIsCapturing(CUstream, CUstreamCaptureStatus *);
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#else
#include <cudaProfiler.h>
#undef cuCtxGetDevice // the forms without a context
#undef cuCtxSynchronize
CUresult cuCtxGetDevice(CUdevice *), cuCtxSynchronize(void);
CUresult cuCtxGetDevice_v2(CUdevice *, CUcontext), cuCtxSynchronize_v2(CUcontext);
CUresult cuCtxCreate_v3(CUcontext *, void *, int, unsigned, CUdevice);
CUresult cuCtxCreate_v4(CUcontext *, CUctxCreateParams *, unsigned, CUdevice);
#endif

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *, void **, int, cuuint64_t);

// Results that only this program expects.
enum { NOT_SUPPORTED = 801, PEER_ACCESS_NOT_ENABLED = 705, INVALID_PEER_DEVICE = 101 };

static const char module_text[] = ".version 7.0\n"
                                  ".target sm_70\n"
                                  ".address_size 64\n"
                                  ".visible .entry plain(.param .u64 to) { ret; }\n";

static void check_device(void)
{
    CUdevprop properties;
    char luid[8];
    unsigned mask;
    int value, shared, can = 7;
    const void *table = &can;
    CUuuid id = {{0}};
    GOOD(cuDeviceGetProperties(&properties, 0));
    GOOD(cuDeviceGetAttribute(&shared, 8, 0)); // bytes of shared memory in a block
    CHECK(properties.maxThreadsPerBlock == 1024 && properties.maxThreadsDim[2] == 64);
    CHECK(properties.SIMDWidth == 32 && properties.sharedMemPerBlock == shared);
    EXPECT(cuDeviceGetProperties(&properties, 1), INVALID_DEVICE);
    EXPECT(cuDeviceGetLuid(luid, &mask, 0), NOT_SUPPORTED); // Windows' only
    GOOD(cuDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0);
    EXPECT(cuDeviceCanAccessPeer(&can, 0, 1), INVALID_DEVICE);
    value = 7;
    GOOD(cuDeviceGetExecAffinitySupport(&value, 0, 0));
    CHECK(value == 0);
    EXPECT(cuGetExportTable(&table, &id), NOT_FOUND);
    CHECK(table == NULL);
}

static void called(void *information, void *argument, CUasyncCallbackHandle handle)
{
    (void)information, (void)handle;
    ++*(int *)argument;
}

// There is no second device, and no link that carries atomics.
static void check_links(void)
{
    CUasyncCallbackHandle handle;
    CUasyncCallback function = (CUasyncCallback)called;
    const CUatomicOperation operation = 0;
    unsigned capability = 7;
    int value, calls = 0;
    EXPECT(cuDeviceGetP2PAttribute(&value, 1, 0, 1), INVALID_DEVICE);
    EXPECT(cuDeviceGetP2PAttribute(NULL, 1, 0, 1), INVALID_VALUE);
    EXPECT(cuDeviceGetP2PAtomicCapabilities(&capability, &operation, 1, 0, 1), INVALID_DEVICE);
    GOOD(cuDeviceGetHostAtomicCapabilities(&capability, &operation, 1, 0));
    CHECK(capability == 0);
    GOOD(cuDeviceRegisterAsyncNotification(0, function, &calls, &handle));
    GOOD(cuDeviceUnregisterAsyncNotification(0, handle));
    EXPECT(cuDeviceUnregisterAsyncNotification(0, handle), INVALID_VALUE);
    CHECK(calls == 0);
}

// The first form: without the answer of why there is none.
static void check_address(void)
{
    void *found = NULL;
    CUresult (*version)(int *);
    int number = 0;
    GOOD(cuGetProcAddress("cuDriverGetVersion", &found, 12000, 0));
    CHECK(found != NULL);
    memcpy(&version, &found, sizeof version);
    if (found)
        EXPECT(version(&number), 0);
    CHECK(number >= 12000);
    EXPECT(cuGetProcAddress("cuNothing", &found, 12000, 0), NOT_FOUND);
}

static void check_primary(void)
{
    CUcontext primary;
    unsigned flags = 0;
    int active = 0;
    CUdeviceptr data;
    GOOD(cuDevicePrimaryCtxSetFlags(0, 2)); // the host yields while it waits
    EXPECT(cuDevicePrimaryCtxSetFlags(0, 1u << 20), INVALID_VALUE);
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(flags == 2 && active);
    GOOD(cuCtxSetCurrent(primary));
    GOOD(cuMemAlloc(&data, 16));
    // What was made in it is gone.
    GOOD(cuDevicePrimaryCtxReset(0));
    EXPECT(cuMemFree(data), INVALID_VALUE);
    GOOD(cuDevicePrimaryCtxRelease(0));
    GOOD(cuCtxSetCurrent(NULL));
}

static void check_contexts(void)
{
    CUcontext first, second, current;
    CUdevice device = 7;
    CUsharedconfig banks = 7;
    unsigned flags = 7;
    GOOD(cuCtxCreate_v3(&first, NULL, 0, 1, 0));
    GOOD(cuCtxGetFlags(&flags));
    CHECK(flags == 1);
    GOOD(cuCtxSetFlags(4));
    GOOD(cuCtxGetFlags(&flags));
    CHECK(flags == 4);
    EXPECT(cuCtxSetFlags(1u << 20), INVALID_VALUE);
    GOOD(cuCtxCreate_v4(&second, NULL, 0, 0));
    GOOD(cuCtxGetDevice(&device));
    CHECK(device == 0);
    device = 7;
    GOOD(cuCtxGetDevice_v2(&device, first));
    CHECK(device == 0);
    GOOD(cuCtxSetSharedMemConfig(2));
    GOOD(cuCtxGetSharedMemConfig(&banks));
    CHECK(banks == 2);
    EXPECT(cuCtxSetSharedMemConfig(3), INVALID_VALUE);
    GOOD(cuCtxResetPersistingL2Cache());
    GOOD(cuCtxSynchronize_v2(first));
    EXPECT(cuCtxEnablePeerAccess(first, 0), INVALID_PEER_DEVICE);
    EXPECT(cuCtxEnablePeerAccess(first, 1), INVALID_VALUE);
    EXPECT(cuCtxDisablePeerAccess(first), PEER_ACCESS_NOT_ENABLED);
    // Attached twice, it goes with the second detaching.
    GOOD(cuCtxAttach(&current, 0));
    CHECK(current == second);
    EXPECT(cuCtxAttach(&current, 1), INVALID_VALUE);
    EXPECT(cuCtxDetach(first), INVALID_CONTEXT);
    GOOD(cuCtxDetach(second));
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == second);
    GOOD(cuCtxDetach(second));
    EXPECT(cuCtxSetCurrent(second), CONTEXT_IS_DESTROYED);
    EXPECT(cuCtxSynchronize_v2(second), CONTEXT_IS_DESTROYED);
    EXPECT(cuCtxGetDevice_v2(&device, second), CONTEXT_IS_DESTROYED);
    GOOD(cuCtxDestroy(first));
}

static size_t half_a_kilobyte_each(int threads)
{
    return (size_t)threads * 512;
}

static void check_functions(void)
{
    CUmodule module;
    CUfunction plain;
    CUfunctionLoadingState state = 7;
    CUmoduleLoadingMode mode = 7;
    int blocks, threads, yes = 1;
    size_t shared;
    CUdeviceptr data;
    GOOD(cuModuleGetLoadingMode(&mode));
    CHECK(mode == 2); // functions are loaded when they are first used
    GOOD(cuModuleLoadFatBinary(&module, module_text));
    GOOD(cuModuleGetFunction(&plain, module, "plain"));
    GOOD(cuFuncLoad(plain));
    GOOD(cuFuncIsLoaded(&state, plain));
    CHECK(state == 1);
    EXPECT(cuFuncLoad((CUfunction)&state), INVALID_HANDLE);
    GOOD(cuFuncSetCacheConfig(plain, 2));
    EXPECT(cuFuncSetCacheConfig(plain, 4), INVALID_VALUE);
    GOOD(cuFuncSetSharedMemConfig(plain, 1));
    EXPECT(cuFuncSetSharedMemConfig(plain, 3), INVALID_VALUE);
    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, plain, 512, 0, 1));
    CHECK(blocks == 4);
    GOOD(cuOccupancyAvailableDynamicSMemPerBlock(&shared, plain, 4, 512));
    CHECK(shared == 96 * 1024 / 4); // of the V100's 96 KiB
    EXPECT(cuOccupancyAvailableDynamicSMemPerBlock(&shared, plain, 5, 512), INVALID_VALUE);
    // 192 threads of 512 bytes each fill an SM, where a block may have as much.
    GOOD(cuFuncSetAttribute(plain, 8, 96 << 10));
    GOOD(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &threads, plain, half_a_kilobyte_each,
                                                   0, 0, 0));
    CHECK(blocks * threads == 80 * 192 && threads == 192);
    GOOD(cuMemAlloc(&data, 64));
    GOOD(cuPointerSetAttribute(&yes, 6, data)); // copies of it wait for each other
    EXPECT(cuPointerSetAttribute(&yes, 2, data), INVALID_VALUE);
    GOOD(cuMemFree(data));
    GOOD(cuProfilerStart());
    GOOD(cuProfilerStop());
    GOOD(cuModuleUnload(module));
}

static void check_streams(void)
{
    CUstream stream, other;
    CUevent event;
    CUdevice device = 7;
    CUstreamCaptureStatus status = 7;
    int priority = 7, least, greatest;
    unsigned long long first = 0, second = 0;
    GOOD(cuCtxGetStreamPriorityRange(&least, &greatest));
    GOOD(cuStreamCreateWithPriority(&stream, 1, greatest - 3));
    GOOD(cuStreamGetPriority(stream, &priority));
    CHECK(priority == greatest);
    GOOD(cuStreamCreate(&other, 0));
    GOOD(cuStreamGetPriority(other, &priority));
    CHECK(priority == least);
    GOOD(cuStreamGetId(stream, &first));
    GOOD(cuStreamGetId(other, &second));
    CHECK(first != second);
    GOOD(cuStreamGetDevice(stream, &device));
    CHECK(device == 0);
    GOOD(cuStreamIsCapturing(stream, &status));
    CHECK(status == 0);
    CUstreamAttrValue policy = {.syncPolicy = 4}, got = {.syncPolicy = 0};
    GOOD(cuStreamSetAttribute(stream, 3, &policy)); // how the host waits
    GOOD(cuStreamCopyAttributes(other, stream));
    GOOD(cuStreamGetAttribute(other, 3, &got));
    CHECK(got.syncPolicy == 4);
    EXPECT(cuStreamGetAttribute(other, 99, &got), INVALID_VALUE);
    GOOD(cuEventCreate(&event, 0));
    GOOD(cuEventRecordWithFlags(event, stream, 0));
    EXPECT(cuEventRecordWithFlags(event, stream, 2), INVALID_VALUE);
    GOOD(cuEventSynchronize(event));
    GOOD(cuEventDestroy(event));
    GOOD(cuStreamDestroy(other));
    EXPECT(cuStreamGetId(other, &second), INVALID_HANDLE);
    GOOD(cuStreamDestroy(stream));
}

int main(void)
{
    CUcontext context;
    GOOD(cuInit(0));
    check_device();
    check_links();
    check_address();
    check_primary();
    check_contexts();
    GOOD(make_context(&context));
    check_functions();
    check_streams();
    GOOD(cuCtxDestroy(context));
    return verdict();
}
