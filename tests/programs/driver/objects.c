// Devices, contexts, modules and functions of the driver API, and what it says to wrong calls.
#include "driver_api.h"

static const char module_text[] = ".version 7.0\n"
                                  ".target sm_70\n"
                                  ".address_size 64\n"
                                  ".visible .const .align 4 .b32 factor = 3;\n"
                                  ".visible .global .align 8 .b8 table[64];\n"
                                  ".visible .entry first(.param .u64 to, .param .u32 n) { ret; }\n"
                                  ".visible .entry second() .maxntid 64, 1, 1 { ret; }\n";

static void check_device(void)
{
    int count, version, major, minor, warp, value;
    CUdevice device, again;
    char name[64], bus[32];
    size_t bytes;
    CUuuid uuid;
    GOOD(cuDeviceGetCount(&count));
    CHECK(count == 1);
    GOOD(cuDeviceGet(&device, 0));
    CHECK(device == 0);
    EXPECT(cuDeviceGet(&device, 1), INVALID_DEVICE);
    EXPECT(cuDeviceGet(NULL, 0), INVALID_VALUE);
    GOOD(cuDriverGetVersion(&version));
    CHECK(version >= 12000);
    GOOD(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strlen(name) > 3);
    GOOD(cuDeviceGetName(name, 4, 0));
    CHECK(strlen(name) == 3);
    GOOD(cuDeviceTotalMem(&bytes, 0));
    CHECK(bytes == (size_t)16 << 30);
    GOOD(cuDeviceGetUuid(&uuid, 0));
    GOOD(cuDeviceComputeCapability(&major, &minor, 0));
    CHECK(major == 7 && minor == 0);
    GOOD(cuDeviceGetAttribute(&warp, 10, 0));
    CHECK(warp == 32);
    GOOD(cuDeviceGetAttribute(&value, 75, 0));
    CHECK(value == 7);
    EXPECT(cuDeviceGetAttribute(&value, 100000, 0), INVALID_VALUE);
    EXPECT(cuDeviceGetAttribute(&value, 10, 3), INVALID_DEVICE);
    GOOD(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    GOOD(cuDeviceGetByPCIBusId(&again, bus));
    CHECK(again == 0);
}

static void check_contexts(void)
{
    CUcontext first, second, current, primary;
    unsigned flags, version;
    unsigned long long first_id, second_id;
    int active, least, greatest;
    CUdeviceptr mine;
    CUstream stream;
    size_t before, after, total, limit;
    CUfunc_cache cache;
    EXPECT(cuMemAlloc(&mine, 16), INVALID_CONTEXT);
    GOOD(make_context(&first));
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == first);
    GOOD(make_context(&second));
    GOOD(cuCtxGetId(first, &first_id));
    GOOD(cuCtxGetId(NULL, &second_id));
    CHECK(first_id != second_id);
    GOOD(cuCtxPopCurrent(&current));
    CHECK(current == second);
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == first);
    GOOD(cuCtxPushCurrent(second));
    GOOD(cuMemGetInfo(&before, &total));
    GOOD(cuMemAlloc(&mine, 1 << 20));
    GOOD(cuStreamCreate(&stream, 0));
    GOOD(cuStreamGetCtx(stream, &current));
    CHECK(current == second);
    GOOD(cuPointerGetAttribute(&current, 1, mine));
    CHECK(current == second);
    GOOD(cuCtxGetApiVersion(second, &version));
    CHECK(version >= 3020);
    GOOD(cuCtxSetLimit(0, 4096));
    GOOD(cuCtxGetLimit(&limit, 0));
    CHECK(limit == 4096);
    EXPECT(cuCtxSetCacheConfig(4), INVALID_VALUE);
    GOOD(cuCtxGetFlags(&flags));
    CHECK(flags == 0);
    EXPECT(cuCtxGetFlags(NULL), INVALID_VALUE);
    GOOD(cuCtxSetCacheConfig(1));
    GOOD(cuCtxGetCacheConfig(&cache));
    CHECK(cache == 1);
    GOOD(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least >= greatest);
    // What was made in a context goes with it.
    GOOD(cuCtxDestroy(second));
    EXPECT(cuCtxSetCurrent(second), CONTEXT_IS_DESTROYED);
    GOOD(cuCtxGetCurrent(&current));
    CHECK(current == first);
    GOOD(cuMemGetInfo(&after, &total));
    CHECK(after == before);
    EXPECT(cuStreamSynchronize(stream), INVALID_HANDLE);
    EXPECT(cuMemFree(mine), INVALID_VALUE);
    EXPECT(cuCtxPushCurrent((CUcontext)&limit), INVALID_CONTEXT);
    GOOD(cuCtxDestroy(first));
    EXPECT(cuCtxSynchronize(), INVALID_CONTEXT);
    GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(!active);
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active);
    GOOD(cuCtxSetCurrent(primary));
    GOOD(cuCtxSynchronize());
    EXPECT(cuCtxDestroy(primary), INVALID_CONTEXT);
    GOOD(cuDevicePrimaryCtxRelease(0));
    EXPECT(cuDevicePrimaryCtxRelease(0), INVALID_CONTEXT);
}

static void check_functions(CUmodule module)
{
    CUfunction first, again, all[4] = {NULL};
    CUmodule of;
    const char *name;
    int value, blocks, threads;
    size_t offset, bytes;
    unsigned count;
    GOOD(cuModuleGetFunction(&first, module, "first"));
    GOOD(cuModuleGetFunction(&again, module, "first"));
    CHECK(first == again);
    EXPECT(cuModuleGetFunction(&again, module, "third"), NOT_FOUND);
    GOOD(cuModuleGetFunctionCount(&count, module));
    CHECK(count == 2);
    GOOD(cuModuleEnumerateFunctions(all, 4, module));
    CHECK(all[0] == first && all[1] && !all[2]);
    GOOD(cuFuncGetName(&name, all[1]));
    CHECK(strcmp(name, "second") == 0);
    GOOD(cuFuncGetModule(&of, first));
    CHECK(of == module);
    GOOD(cuFuncGetAttribute(&value, 0, all[1]));
    CHECK(value == 64);
    GOOD(cuFuncGetAttribute(&value, 0, first));
    CHECK(value == 1024);
    EXPECT(cuFuncGetAttribute(&value, 99, first), INVALID_VALUE);
    GOOD(cuFuncSetAttribute(first, 8, 64 << 10));
    GOOD(cuFuncGetAttribute(&value, 8, first));
    CHECK(value == 64 << 10);
    GOOD(cuFuncGetParamInfo(first, 1, &offset, &bytes));
    CHECK(offset == 8 && bytes == 4);
    EXPECT(cuFuncGetParamInfo(first, 2, &offset, &bytes), INVALID_VALUE);
    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, first, 1024, 0));
    CHECK(blocks == 2);
    GOOD(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, first, NULL, 0, 0));
    CHECK(blocks * threads == 80 * 2048 && threads == 1024);
    GOOD(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, first, NULL, 0, 100));
    CHECK(threads == 96 || threads == 64 || threads == 100);
    EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (CUfunction)&value, 32, 0),
           INVALID_HANDLE);
}

static void check_modules(const char *folder)
{
    CUcontext context;
    CUmodule module, other;
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    CUdeviceptr address;
    size_t bytes;
    int factor;
    char log[512] = "", path[4096];
    CUjit_option options[] = {5, 6, 7};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, (void *)4};
    GOOD(make_context(&context));
    GOOD(cuModuleLoadData(&module, module_text));
    check_functions(module);
    GOOD(cuModuleGetGlobal(&address, &bytes, module, "factor"));
    CHECK(bytes == 4);
    GOOD(cuMemcpyDtoH(&factor, address, sizeof factor));
    CHECK(factor == 3);
    EXPECT(cuModuleGetGlobal(&address, &bytes, module, "nothing"), NOT_FOUND);
    // A second load has variables of its own.
    GOOD(cuModuleLoadDataEx(&other, module_text, 3, options, values));
    CUdeviceptr second;
    GOOD(cuModuleGetGlobal(&second, NULL, other, "table"));
    GOOD(cuModuleGetGlobal(&address, NULL, module, "table"));
    CHECK(second != address);
    GOOD(cuModuleUnload(other));
    EXPECT(cuModuleUnload(other), INVALID_HANDLE);
    EXPECT(cuModuleGetFunction(&function, other, "first"), INVALID_HANDLE);
    // What is wrong with an image is in the log.
    values[1] = (void *)(uintptr_t)sizeof log;
    EXPECT(cuModuleLoadDataEx(&other, ".version 7.0\n.target sm_70\n.address_size 64\nnonsense;", 3,
                              options, values),
           INVALID_PTX);
    CHECK(strstr(log, "nonsense"));
    CHECK((uintptr_t)values[1] == strlen(log) + 1);
    EXPECT(cuModuleLoadData(&other, "no image at all"), INVALID_IMAGE);
    EXPECT(cuModuleLoadData(&other, NULL), INVALID_VALUE);
    EXPECT(cuModuleLoad(&other, "/nowhere/at/all.ptx"), FILE_NOT_FOUND);
    snprintf(path, sizeof path, "%s/objects.ptx", folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(module_text, file) >= 0 && fclose(file) == 0);
    GOOD(cuModuleLoad(&other, path));
    GOOD(cuModuleGetFunction(&function, other, "second"));
    GOOD(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    GOOD(cuCtxSynchronize());
    GOOD(cuLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernel(&kernel, library, "first"));
    GOOD(cuKernelGetFunction(&function, kernel));
    GOOD(cuFuncGetAttribute(&factor, 4, function));
    GOOD(cuLibraryUnload(library));
    GOOD(cuCtxDestroy(context));
}

static void check_names(void)
{
    const char *text;
    CUresult (*init)(unsigned);
    void *old, *new, *found;
    int query;
    GOOD(cuGetErrorName((CUresult)700, &text));
    CHECK(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    GOOD(cuGetErrorString((CUresult)2, &text));
    CHECK(strcmp(text, "out of memory") == 0);
    EXPECT(cuGetErrorName((CUresult)12345, &text), INVALID_VALUE);
    CHECK(text == NULL);
    GOOD(cuGetProcAddress("cuInit", (void **)&init, 12000, 0, NULL));
    GOOD(init(0));
    // The form that the asked version had.
    GOOD(cuGetProcAddress("cuCtxCreate", &old, 11000, 0, NULL));
    GOOD(cuGetProcAddress("cuCtxCreate", &new, 13000, 0, NULL));
    CHECK(old != new);
    GOOD(cuGetProcAddress("cuMemAlloc", &found, 12000, 0, NULL));
    CHECK(found == (void *)cuMemAlloc);
    EXPECT(cuGetProcAddress("cuNothing", &found, 13000, 0, (void *)&query), NOT_FOUND);
    CHECK(query == 1 && !found);
    GOOD(cuGetProcAddress("cuLibraryLoadData", &found, 11000, 0, (void *)&query));
    CHECK(query == 2 && !found);
}

int main(int count, char **arguments)
{
    CUdevice device;
    EXPECT(cuDeviceGet(&device, 0), NOT_INITIALIZED);
    EXPECT(cuInit(1), INVALID_VALUE);
    GOOD(cuInit(0));
    check_device();
    check_contexts();
    check_modules(count > 1 ? arguments[1] : ".");
    check_names();
    return verdict();
}
