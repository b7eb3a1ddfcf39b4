// Virtual memory management: reserved addresses, memory behind them, and what kernels, copies and
// fills make of it; the vector that grows in place; and what is said to wrong calls.
#include "driver_api.h"

#include <unistd.h>

#ifndef TOOLKIT
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;
CUresult cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
CUresult cuMemAddressFree(CUdeviceptr, size_t), cuMemRelease(CUmemGenericAllocationHandle);
CUresult cuMemCreate(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
                     unsigned long long);
CUresult cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
CUresult cuMemUnmap(CUdeviceptr, size_t);
CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
CUresult cuMemGetAccess(unsigned long long *, const CUmemLocation *, CUdeviceptr);
CUresult cuMemGetAllocationGranularity(size_t *, const CUmemAllocationProp *, int);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *,
                                                CUmemGenericAllocationHandle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *, void *);
CUresult cuMemExportToShareableHandle(void *, CUmemGenericAllocationHandle, int,
                                      unsigned long long);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *, void *, int);
#endif

static const char module_text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry add(.param .u64 to, .param .u32 by, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p;\n  .reg .b32 %r<7>;\n  .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to];\n  ld.param.u32 %r6, [by];\n  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n  setp.ge.u32 %p, %r5, %r1;\n  @%p bra done;\n"
    "  mul.wide.u32 %d2, %r5, 4;\n  add.s64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r2, [%d3];\n  add.u32 %r2, %r2, %r6;\n  st.global.u32 [%d3], %r2;\n"
    "done:\n  ret;\n"
    "}\n"
    ".visible .entry peek(.param .u64 from, .param .u64 to)\n"
    "{\n"
    "  .reg .b64 %d<3>;\n  .reg .b32 %r;\n  ld.param.u64 %d1, [from];\n  ld.param.u64 %d2, [to];\n"
    "  ld.global.u32 %r, [%d1];\n  st.global.u32 [%d2], %r;\n  ret;\n"
    "}\n";

enum { GRAIN = 1 << 21, WORDS = GRAIN / 4, ALREADY_FAULTED = 700 };

static CUfunction add, peek;
static CUmemAllocationProp pinned = {.type = 1, .location = {.type = 1, .id = 0}};
static CUmemAccessDesc read_write = {.location = {.type = 1, .id = 0}, .flags = 3};
static CUmemAccessDesc read_only = {.location = {.type = 1, .id = 0}, .flags = 1};

static void load(void)
{
    CUmodule module;
    GOOD(cuModuleLoadData(&module, module_text));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    GOOD(cuModuleGetFunction(&peek, module, "peek"));
}

static void launch_add(CUdeviceptr to, unsigned by, unsigned n)
{
    void *parameters[] = {&to, &by, &n};
    GOOD(cuLaunchKernel(add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
}

static unsigned word_at(CUdeviceptr address)
{
    unsigned word = 0;
    GOOD(cuMemcpyDtoH(&word, address, sizeof word));
    return word;
}

static void check_properties(void)
{
    int yes;
    size_t grain = 0;
    CUmemAllocationProp other = pinned, found;
    CUmemGenericAllocationHandle handle;
    GOOD(cuDeviceGetAttribute(&yes, 102, 0));
    CHECK(yes == 1);
    GOOD(cuMemGetAllocationGranularity(&grain, &pinned, 0));
    CHECK(grain == GRAIN);
    GOOD(cuMemGetAllocationGranularity(&grain, &pinned, 1));
    EXPECT(cuMemGetAllocationGranularity(&grain, &pinned, 2), INVALID_VALUE);
    EXPECT(cuMemCreate(&handle, GRAIN + 4096, &pinned, 0), INVALID_VALUE);
    EXPECT(cuMemCreate(&handle, 0, &pinned, 0), INVALID_VALUE);
    EXPECT(cuMemCreate(&handle, GRAIN, &pinned, 1), INVALID_VALUE);
    other.location.id = 1;
    EXPECT(cuMemCreate(&handle, GRAIN, &other, 0), INVALID_DEVICE);
    EXPECT(cuMemCreate(&handle, (size_t)1 << 50, &pinned, 0), OUT_OF_MEMORY);
    other = pinned;
    other.requestedHandleTypes = 1;
    GOOD(cuMemCreate(&handle, 3 * GRAIN, &other, 0));
    GOOD(cuMemGetAllocationPropertiesFromHandle(&found, handle));
    CHECK(found.type == 1 && found.location.type == 1 && found.requestedHandleTypes == 1);
    GOOD(cuMemRelease(handle));
    EXPECT(cuMemRelease(handle), INVALID_VALUE);
    EXPECT(cuMemGetAllocationPropertiesFromHandle(&found, handle), INVALID_VALUE);
}

static void check_addresses(void)
{
    CUdeviceptr first, second, third;
    EXPECT(cuMemAddressReserve(&first, 1000, 0, 0, 0), INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&first, GRAIN, 3, 0, 0), INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&first, GRAIN, 0, 0, 1), INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&first, (size_t)1 << 46, 0, 0, 0), OUT_OF_MEMORY);
    GOOD(cuMemAddressReserve(&first, 4 * GRAIN, 0, 0, 0));
    CHECK(first % GRAIN == 0);
    GOOD(cuMemAddressReserve(&second, GRAIN, (size_t)1 << 30, 0, 0));
    CHECK(second % ((size_t)1 << 30) == 0);
    // Where the hint says when that is free, else somewhere.
    GOOD(cuMemAddressReserve(&third, GRAIN, 0, first + 4 * GRAIN, 0));
    CHECK(third == first + 4 * GRAIN);
    GOOD(cuMemAddressFree(third, GRAIN));
    GOOD(cuMemAddressReserve(&third, GRAIN, 0, first + GRAIN, 0));
    CHECK(third < first || third >= first + 4 * GRAIN);
    EXPECT(cuMemAddressFree(first, GRAIN), INVALID_VALUE);
    EXPECT(cuMemAddressFree(first + GRAIN, 3 * GRAIN), INVALID_VALUE);
    GOOD(cuMemAddressFree(first, 4 * GRAIN));
    GOOD(cuMemAddressFree(second, GRAIN));
    GOOD(cuMemAddressFree(third, GRAIN));
    EXPECT(cuMemAddressFree(third, GRAIN), INVALID_VALUE);
}

static void check_wrong_mappings(void)
{
    CUdeviceptr at;
    CUmemGenericAllocationHandle two;
    GOOD(cuMemAddressReserve(&at, 4 * GRAIN, 0, 0, 0));
    GOOD(cuMemCreate(&two, 2 * GRAIN, &pinned, 0));
    EXPECT(cuMemMap(at + 4096, GRAIN, 0, two, 0), INVALID_VALUE);
    EXPECT(cuMemMap(at, 4096, 0, two, 0), INVALID_VALUE);
    EXPECT(cuMemMap(at, 3 * GRAIN, 0, two, 0), INVALID_VALUE);
    EXPECT(cuMemMap(at, GRAIN, GRAIN, two, 0), INVALID_VALUE);
    EXPECT(cuMemMap(at + 3 * GRAIN, 2 * GRAIN, 0, two, 0), INVALID_VALUE);
    EXPECT(cuMemMap(at, GRAIN, 0, two + 1, 0), INVALID_VALUE);
    EXPECT(cuMemSetAccess(at, 2 * GRAIN, &read_write, 1), INVALID_VALUE);
    EXPECT(cuMemUnmap(at, GRAIN), INVALID_VALUE);
    GOOD(cuMemMap(at, 2 * GRAIN, 0, two, 0));
    EXPECT(cuMemMap(at + GRAIN, GRAIN, 0, two, 0), INVALID_VALUE);
    EXPECT(cuMemUnmap(at, GRAIN), INVALID_VALUE);
    EXPECT(cuMemUnmap(at + GRAIN, GRAIN), INVALID_VALUE);
    EXPECT(cuMemSetAccess(at, GRAIN, &read_write, 1), INVALID_VALUE);
    EXPECT(cuMemAddressFree(at, 4 * GRAIN), INVALID_VALUE);
    EXPECT(cuMemFree(at), INVALID_VALUE);
    EXPECT(cuMemsetD8(at, 1, 16), INVALID_VALUE); // nothing has access yet
    GOOD(cuMemSetAccess(at, 2 * GRAIN, &read_write, 1));
    EXPECT(cuMemFree(at), INVALID_VALUE);
    GOOD(cuMemsetD8(at, 1, 16));
    EXPECT(cuMemsetD8(at, 1, 2 * GRAIN + 1), INVALID_VALUE);
    GOOD(cuMemUnmap(at, 2 * GRAIN));
    EXPECT(cuMemsetD8(at, 1, 16), INVALID_VALUE);
    GOOD(cuMemRelease(two));
    GOOD(cuMemAddressFree(at, 4 * GRAIN));
}

// Memory stays until it is neither mapped nor held.
static void check_lifetimes(void)
{
    CUdeviceptr at;
    CUmemGenericAllocationHandle handle, same;
    size_t before, during, after, total;
    GOOD(cuMemGetInfo(&before, &total));
    GOOD(cuMemAddressReserve(&at, GRAIN, 0, 0, 0));
    GOOD(cuMemCreate(&handle, GRAIN, &pinned, 0));
    GOOD(cuMemGetInfo(&during, &total));
    CHECK(before - during == GRAIN);
    GOOD(cuMemMap(at, GRAIN, 0, handle, 0));
    GOOD(cuMemSetAccess(at, GRAIN, &read_write, 1));
    GOOD(cuMemRelease(handle));
    launch_add(at, 7, WORDS);
    CHECK(word_at(at + GRAIN - 4) == 7);
    GOOD(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(at + 100)));
    CHECK(same == handle);
    GOOD(cuMemUnmap(at, GRAIN));
    EXPECT(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)at), INVALID_VALUE);
    GOOD(cuMemMap(at, GRAIN, 0, handle, 0));
    GOOD(cuMemSetAccess(at, GRAIN, &read_write, 1));
    CHECK(word_at(at) == 7);
    GOOD(cuMemUnmap(at, GRAIN));
    GOOD(cuMemRelease(handle));
    GOOD(cuMemGetInfo(&after, &total));
    CHECK(after == before);
    GOOD(cuMemAddressFree(at, GRAIN));
}

// The same memory at two addresses; and two memories side by side as one range.
static void check_aliases_and_neighbours(void)
{
    enum { MANY = 2 * WORDS };
    static unsigned numbers[MANY];
    CUdeviceptr at, start;
    size_t bytes;
    CUmemGenericAllocationHandle one, two;
    GOOD(cuMemAddressReserve(&at, 4 * GRAIN, 0, 0, 0));
    GOOD(cuMemCreate(&one, GRAIN, &pinned, 0));
    GOOD(cuMemCreate(&two, GRAIN, &pinned, 0));
    GOOD(cuMemMap(at, GRAIN, 0, one, 0));
    GOOD(cuMemMap(at + GRAIN, GRAIN, 0, two, 0));
    GOOD(cuMemMap(at + 2 * GRAIN, GRAIN, 0, one, 0));
    GOOD(cuMemSetAccess(at, 3 * GRAIN, &read_write, 1));
    GOOD(cuMemsetD32(at, 5, MANY)); // over both
    launch_add(at, 1, MANY);
    CHECK(word_at(at + 2 * GRAIN) == 6 && word_at(at + GRAIN) == 6);
    launch_add(at + 2 * GRAIN, 10, WORDS);
    GOOD(cuMemcpyDtoH(numbers, at, sizeof numbers));
    for (int i = 0; i < MANY; i++)
        CHECK(numbers[i] == (i < WORDS ? 16 : 6));
    numbers[0] = 77;
    numbers[MANY - 1] = 88;
    GOOD(cuMemcpyHtoD(at + GRAIN, numbers, 2 * GRAIN)); // the second, and the first by its alias
    CHECK(word_at(at + GRAIN) == 77 && word_at(at + GRAIN - 4) == 88);
    GOOD(cuMemcpyDtoD(at + 4, at + GRAIN, 8));
    CHECK(word_at(at + 2 * GRAIN + 4) == 77);
    unsigned long long flags;
    unsigned type, access;
    unsigned char mapped;
    GOOD(cuMemGetAccess(&flags, &read_write.location, at));
    CHECK(flags == 3);
    EXPECT(cuMemGetAccess(&flags, &read_write.location, at + 3 * GRAIN), INVALID_VALUE);
    GOOD(cuPointerGetAttribute(&type, 2, at + GRAIN + 8));
    GOOD(cuPointerGetAttribute(&access, 16, at + GRAIN + 8));
    CHECK(type == CU_MEMORYTYPE_DEVICE && access == 3);
    GOOD(cuPointerGetAttribute(&start, 11, at + GRAIN + 8));
    GOOD(cuPointerGetAttribute(&bytes, 12, at + GRAIN + 8));
    CHECK(start == at && bytes == 4 * GRAIN);
    GOOD(cuPointerGetAttribute(&start, 19, at + GRAIN + 8));
    GOOD(cuPointerGetAttribute(&bytes, 18, at + GRAIN + 8));
    CHECK(start == at + GRAIN && bytes == GRAIN);
    GOOD(cuMemGetAddressRange(&start, &bytes, at + GRAIN + 8));
    CHECK(start == at + GRAIN && bytes == GRAIN);
    GOOD(cuPointerGetAttribute(&mapped, 13, at + 3 * GRAIN));
    CHECK(mapped == 0);
    EXPECT(cuPointerGetAttribute(&type, 2, at + 3 * GRAIN), INVALID_VALUE);
    EXPECT(cuMemUnmap(at, 4 * GRAIN), INVALID_VALUE);
    GOOD(cuMemUnmap(at, 3 * GRAIN));
    GOOD(cuMemRelease(one));
    GOOD(cuMemRelease(two));
    GOOD(cuMemAddressFree(at, 4 * GRAIN));
}

// A descriptor leads back to the same memory.
static void check_sharing(void)
{
    CUmemAllocationProp shareable = pinned;
    CUmemGenericAllocationHandle handle, imported;
    CUdeviceptr at;
    int descriptor = -1;
    shareable.requestedHandleTypes = 1;
    GOOD(cuMemCreate(&handle, GRAIN, &pinned, 0));
    EXPECT(cuMemExportToShareableHandle(&descriptor, handle, 1, 0), INVALID_VALUE);
    GOOD(cuMemRelease(handle));
    GOOD(cuMemCreate(&handle, GRAIN, &shareable, 0));
    GOOD(cuMemExportToShareableHandle(&descriptor, handle, 1, 0));
    GOOD(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor, 1));
    EXPECT(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)0, 1), INVALID_VALUE);
    GOOD(cuMemRelease(handle));
    GOOD(cuMemAddressReserve(&at, GRAIN, 0, 0, 0));
    GOOD(cuMemMap(at, GRAIN, 0, imported, 0));
    GOOD(cuMemUnmap(at, GRAIN));
    GOOD(cuMemRelease(imported));
    // The descriptor keeps the memory.
    GOOD(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor, 1));
    GOOD(cuMemRelease(imported));
    close(descriptor);
    EXPECT(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor, 1),
           INVALID_VALUE);
    GOOD(cuMemAddressFree(at, GRAIN));
}

// A vector that grows without moving: addresses for all it may ever be, memory as it is needed. The
// functions come by name, as programs without libcuda.so find them.
static CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                       unsigned long long);
static CUresult (*set_access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);

static void *find(const char *name)
{
    void *function = NULL;
    GOOD(cuGetProcAddress(name, &function, 12000, 0, NULL));
    return function;
}

static void check_vector(void)
{
    enum { CHUNKS = 5 };
    CUmemGenericAllocationHandle handles[CHUNKS];
    CUdeviceptr start;
    const size_t most = (size_t)1 << 40;
    *(void **)&map = find("cuMemMap");
    *(void **)&set_access = find("cuMemSetAccess");
    GOOD(cuMemAddressReserve(&start, most, 0, 0, 0));
    for (int i = 0; i < CHUNKS; i++) {
        size_t used = (size_t)i * GRAIN;
        GOOD(cuMemCreate(&handles[i], GRAIN, &pinned, 0));
        GOOD(map(start + used, GRAIN, 0, handles[i], 0));
        GOOD(set_access(start + used, GRAIN, &read_write, 1));
        launch_add(start, 1, (unsigned)(used + GRAIN) / 4);
    }
    for (int i = 0; i < CHUNKS; i++) {
        CHECK(word_at(start + (size_t)i * GRAIN + 400) == (unsigned)(CHUNKS - i));
        GOOD(cuMemRelease(handles[i]));
    }
    GOOD(cuMemUnmap(start, (size_t)CHUNKS * GRAIN));
    GOOD(cuMemAddressFree(start, most));
}

// What has no access is as good as nothing; and what may only be read cannot be written.
static void check_fault(CUcontext *context, const CUmemAccessDesc *access, int write)
{
    CUdeviceptr at, other;
    CUmemGenericAllocationHandle handle;
    GOOD(cuMemAlloc(&other, 4));
    GOOD(cuMemAddressReserve(&at, GRAIN, 0, 0, 0));
    GOOD(cuMemCreate(&handle, GRAIN, &pinned, 0));
    GOOD(cuMemMap(at, GRAIN, 0, handle, 0));
    if (access) {
        GOOD(cuMemSetAccess(at, GRAIN, access, 1));
        EXPECT(cuMemsetD8(at, 1, 4), INVALID_VALUE);
        void *reads[] = {&at, &other};
        GOOD(cuLaunchKernel(peek, 1, 1, 1, 1, 1, 1, 0, NULL, reads, NULL));
        GOOD(cuCtxSynchronize());
    }
    void *parameters[] = {write ? &other : &at, write ? &at : &other};
    GOOD(cuLaunchKernel(peek, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    EXPECT(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    EXPECT(cuMemUnmap(at, GRAIN), ALREADY_FAULTED);
    GOOD(cuCtxDestroy(*context));
    GOOD(make_context(context));
    load();
}

// A handle that is never released, and one whose memory is only mapped any more.
static int leave_behind(void)
{
    CUdeviceptr at;
    CUmemGenericAllocationHandle kept, mapped;
    GOOD(cuMemCreate(&kept, 2 * GRAIN, &pinned, 0));
    GOOD(cuMemCreate(&mapped, GRAIN, &pinned, 0));
    GOOD(cuMemAddressReserve(&at, GRAIN, 0, 0, 0));
    GOOD(cuMemMap(at, GRAIN, 0, mapped, 0));
    GOOD(cuMemSetAccess(at, GRAIN, &read_write, 1));
    GOOD(cuMemRelease(mapped));
    launch_add(at, 1, 32);
    GOOD(cuCtxSynchronize());
    return verdict();
}

int main(int count, char **arguments)
{
    CUcontext context;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    load();
    if (count > 1 && strcmp(arguments[1], "leave") == 0)
        return leave_behind();
    check_properties();
    check_addresses();
    check_wrong_mappings();
    check_lifetimes();
    check_aliases_and_neighbours();
    check_sharing();
    check_vector();
    check_fault(&context, NULL, 0);
    check_fault(&context, &read_only, 1);
    check_lifetimes();
    GOOD(cuCtxDestroy(context));
    return verdict();
}
