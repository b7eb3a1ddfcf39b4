// Two devices through the driver API: contexts of each, and what is in them.
#include "../driver/driver_api.h"

#ifndef TOOLKIT
CUresult cuDeviceCanAccessPeer(int *, CUdevice, CUdevice);
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned), cuCtxDisablePeerAccess(CUcontext);
CUresult cuMemcpyPeer(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);
CUresult cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream);
CUresult cuMemCreate(unsigned long long *, size_t, const CUmemAllocationProp *, unsigned long long);
CUresult cuMemRelease(unsigned long long);
#endif
int cudaSetDevice(int), cudaGetDevice(int *); // the runtime API, in the same program

enum { COUNT = 1024, CONTEXT_ATTRIBUTE = 1, ORDINAL_ATTRIBUTE = 9 };

static const char module_text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f,\n"
    " .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 q);\n"
    ".visible .global .align 4 .u32 step;\n"
    ".visible .entry fill(.param .u64 to)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n"
    "    .reg .b64 %rd<5>;\n"
    "    ld.param.u64 %rd1, [to];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    ld.global.u32 %r2, [step];\n"
    "    mul.lo.u32 %r3, %r1, %r2;\n"
    "    mul.wide.u32 %rd2, %r1, 4;\n"
    "    add.s64 %rd3, %rd1, %rd2;\n"
    "    st.global.u32 [%rd3], %r3;\n"
    "    ret;\n"
    "}\n"
    "// fill, launched by a kernel.\n"
    ".visible .entry parent(.param .u64 to)\n"
    "{\n"
    "    .reg .b64 %rd<4>;\n"
    "    .param .b64 f;\n"
    "    .param .align 4 .b8 g[12];\n"
    "    .param .align 4 .b8 b[12];\n"
    "    .param .b32 s;\n"
    "    .param .b64 p;\n"
    "    .param .b64 q;\n"
    "    .param .b32 r;\n"
    "    ld.param.u64 %rd1, [to];\n"
    "    mov.u64 %rd2, fill;\n"
    "    st.param.b64 [f], %rd2;\n"
    "    st.param.b32 [g+0], 1;\n"
    "    st.param.b32 [g+4], 1;\n"
    "    st.param.b32 [g+8], 1;\n"
    "    st.param.b32 [b+0], 1024;\n"
    "    st.param.b32 [b+4], 1;\n"
    "    st.param.b32 [b+8], 1;\n"
    "    st.param.b32 [s], 0;\n"
    "    call.uni (p), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"
    "    ld.param.b64 %rd3, [p];\n"
    "    st.u64 [%rd3], %rd1;\n"
    "    .param .b64 a;\n"
    "    st.param.b64 [a], %rd3;\n"
    "    st.param.b64 [q], 0;\n"
    "    call.uni (r), __cudaCDP2LaunchDeviceV2, (a, q);\n"
    "    ret;\n"
    "}\n";

static CUcontext contexts[2];
static CUmodule modules[2];
static CUfunction fill[2], parent[2];
static CUdeviceptr memory[2], step[2];

static void check_devices(void)
{
    int count, can;
    CUdevice device;
    GOOD(cuDeviceGetCount(&count));
    CHECK(count == 2);
    GOOD(cuDeviceGet(&device, 1));
    CHECK(device == 1);
    EXPECT(cuDeviceGet(&device, 2), INVALID_DEVICE);
    GOOD(cuDeviceCanAccessPeer(&can, 1, 0));
    CHECK(can == 1);
    GOOD(cuDeviceCanAccessPeer(&can, 1, 1));
    CHECK(can == 0);
    EXPECT(cuCtxCreate_v2(&contexts[0], 0, 2), INVALID_DEVICE);
}

static void make(int device)
{
    CUdevice current;
    size_t bytes;
    GOOD(cuCtxCreate_v2(&contexts[device], 0, device));
    GOOD(cuCtxGetDevice(&current));
    CHECK(current == device);
    GOOD(cuModuleLoadData(&modules[device], module_text));
    GOOD(cuModuleGetFunction(&fill[device], modules[device], "fill"));
    GOOD(cuModuleGetFunction(&parent[device], modules[device], "parent"));
    GOOD(cuModuleGetGlobal(&step[device], &bytes, modules[device], "step"));
    GOOD(cuMemAlloc(&memory[device], COUNT * sizeof(int)));
    GOOD(cuMemsetD32(step[device], 2u + (unsigned)device, 1));
}

static void run(int device, CUdeviceptr to)
{
    void *parameters[] = {&to};
    GOOD(cuLaunchKernel(fill[device], 1, 1, 1, COUNT, 1, 1, 0, NULL, parameters, NULL));
}

static void check_values(CUdeviceptr at, int factor)
{
    static int got[COUNT];
    GOOD(cuMemcpyDtoH(got, at, sizeof got));
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == i * factor);
}

static void check_pointer(CUdeviceptr at, int device)
{
    int ordinal = -1;
    CUcontext context = NULL;
    GOOD(cuPointerGetAttribute(&ordinal, ORDINAL_ATTRIBUTE, at));
    CHECK(ordinal == device);
    GOOD(cuPointerGetAttribute(&context, CONTEXT_ATTRIBUTE, at));
    CHECK(context == contexts[device]);
}

// Kernels run on the device of the current context, with that device's variables.
static void check_work(void)
{
    CHECK(step[0] != step[1]);
    for (int device = 0; device < 2; device++) {
        GOOD(cuCtxSetCurrent(contexts[device]));
        run(device, memory[device]);
        check_values(memory[device], 2 + device);
        check_pointer(memory[device], device);
    }
    void *parameters[] = {&memory[0]};
    EXPECT(cuLaunchKernel(fill[0], 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), INVALID_HANDLE);
}

// What a kernel launches runs on its device, with that device's variables.
static void check_children(void)
{
    for (int device = 0; device < 2; device++) {
        void *parameters[] = {&memory[device]};
        GOOD(cuCtxSetCurrent(contexts[device]));
        GOOD(cuMemsetD32(memory[device], 0, COUNT));
        GOOD(cuLaunchKernel(parent[device], 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
        GOOD(cuCtxSynchronize());
        check_values(memory[device], 2 + device);
    }
}

static void check_peers(void)
{
    GOOD(cuCtxSetCurrent(contexts[0]));
    EXPECT(cuCtxEnablePeerAccess(contexts[0], 0), INVALID_DEVICE);
    EXPECT(cuCtxEnablePeerAccess(contexts[1], 1), INVALID_VALUE);
    EXPECT(cuCtxDisablePeerAccess(contexts[1]), 705);
    GOOD(cuCtxEnablePeerAccess(contexts[1], 0));
    EXPECT(cuCtxEnablePeerAccess(contexts[1], 0), 704);
    run(0, memory[1]);
    GOOD(cuCtxSynchronize());
    check_values(memory[1], 2);
    GOOD(cuCtxDisablePeerAccess(contexts[1]));
    GOOD(cuCtxSetCurrent(contexts[1]));
    run(1, memory[1]);
    GOOD(cuMemcpyPeer(memory[0], contexts[0], memory[1], contexts[1], COUNT * sizeof(int)));
    GOOD(cuCtxSynchronize());
    check_values(memory[0], 3);
    EXPECT(cuMemcpyPeer(memory[0], contexts[1], memory[1], contexts[1], 16), INVALID_VALUE);
    EXPECT(cuMemcpyPeer(memory[0], contexts[0], memory[1] + 16, contexts[1], COUNT * sizeof(int)),
           INVALID_VALUE);
}

// A library is of no context: its kernels run on any device.
static void check_library(void)
{
    CUlibrary library;
    CUkernel kernel;
    GOOD(cuLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernel(&kernel, library, "fill"));
    for (int device = 0; device < 2; device++) {
        void *parameters[] = {&memory[device]};
        GOOD(cuCtxSetCurrent(contexts[device]));
        GOOD(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, COUNT, 1, 1, 0, NULL, parameters, NULL));
        check_values(memory[device], 0); // of variables that were not set
    }
    GOOD(cuLibraryUnload(library));
}

// The runtime API's current device, and the context that is current, are one thing.
static void check_runtime(void)
{
    CUcontext primary, current;
    int device = -1;
    GOOD(cuCtxSetCurrent(contexts[1]));
    GOOD(cudaGetDevice(&device));
    CHECK(device == 1);
    GOOD(cudaSetDevice(0));
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == primary);
    GOOD(cuDevicePrimaryCtxRelease(0));
    GOOD(cuCtxSetCurrent(contexts[1]));
    GOOD(cuCtxGetDevice(&device));
    CHECK(device == 1);
}

// Memory for reserved addresses is the first device's.
static void check_created(void)
{
    unsigned long long handle;
    CUmemAllocationProp of = {.type = 1, .location = {.type = 1, .id = 0}};
    GOOD(cuMemCreate(&handle, 2 << 20, &of, 0));
    GOOD(cuMemRelease(handle));
    of.location.id = 1;
    EXPECT(cuMemCreate(&handle, 2 << 20, &of, 0), 801); // CUDA_ERROR_NOT_SUPPORTED
    of.location.id = 2;
    EXPECT(cuMemCreate(&handle, 2 << 20, &of, 0), INVALID_DEVICE);
}

// With the last context of a device goes what was made there, and not the other's.
static void check_end(void)
{
    char byte;
    GOOD(cuCtxDestroy(contexts[1]));
    GOOD(cuCtxSetCurrent(contexts[0]));
    EXPECT(cuMemcpyDtoH(&byte, memory[1], 1), INVALID_VALUE);
    run(0, memory[0]);
    check_values(memory[0], 2);
    GOOD(cuMemFree(memory[0]));
    GOOD(cuCtxDestroy(contexts[0]));
}

int main(void)
{
    GOOD(cuInit(0));
    check_devices();
    make(0);
    make(1);
    check_work();
    check_children();
    check_peers();
    check_library();
    check_runtime();
    check_created();
    check_end();
    return verdict();
}
