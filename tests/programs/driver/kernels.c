/* Libraries and their kernels, and the forms that functions had when they were new: CUDA 12's
 * batches of copies, which say what was wrong, and operations on words of memory. */
#include "batch_types.h"

#include <unistd.h>

#ifndef TOOLKIT
CUresult cuLibraryLoadFromFile(CUlibrary *, const char *, CUjit_option *, void **, unsigned, void *,
                               void **, unsigned);
CUresult cuLibraryGetKernelCount(unsigned *, CUlibrary);
CUresult cuLibraryEnumerateKernels(CUkernel *, unsigned, CUlibrary);
CUresult cuLibraryGetModule(CUmodule *, CUlibrary);
CUresult cuLibraryGetGlobal(CUdeviceptr *, size_t *, CUlibrary, const char *);
CUresult cuLibraryGetManaged(CUdeviceptr *, size_t *, CUlibrary, const char *);
CUresult cuKernelGetLibrary(CUlibrary *, CUkernel);
CUresult cuKernelGetAttribute(int *, CUfunction_attribute, CUkernel, CUdevice);
CUresult cuKernelSetAttribute(CUfunction_attribute, int, CUkernel, CUdevice);
CUresult cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice);
#else
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64
#undef cuStreamBatchMemOp
#endif
/* The header has later forms under these names. */
CUresult cuMemcpyBatchAsync(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
                            size_t *, size_t, size_t *, CUstream);
CUresult cuMemcpy3DBatchAsync(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                              CUstream);
CUresult cuStreamWaitValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult cuStreamWaitValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult cuStreamWriteValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult cuStreamWriteValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult cuStreamBatchMemOp(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned);

static const char library_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .b32 plain[6];\n"
    ".visible .global .attribute(.managed) .align 4 .b32 shared_word[3];\n"
    ".visible .entry first() .maxntid 64, 1, 1 { ret; }\n"
    ".visible .entry second(.param .u32 n) {\n.shared .align 4 .b8 room[128];\n"
    ".reg .b32 %r; mov.u32 %r, 1; st.shared.u32 [room], %r; ret; }\n";

enum { MAX_THREADS = 0, SHARED_BYTES = 1, MAX_DYNAMIC = 8, EQUAL = 1 };

static void load_file(const char *folder)
{
    char path[4096];
    CUlibrary library;
    CUkernel kernel;
    snprintf(path, sizeof path, "%s/library.ptx", folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(library_text, file) >= 0 && fclose(file) == 0);
    GOOD(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernel(&kernel, library, "second"));
    GOOD(cuLibraryUnload(library));
    EXPECT(cuLibraryGetKernel(&kernel, library, "second"), INVALID_HANDLE);
    CHECK(unlink(path) == 0);
    EXPECT(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), FILE_NOT_FOUND);
    EXPECT(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 1), INVALID_VALUE);
}

static void libraries(void)
{
    CUlibrary library, of;
    CUmodule module;
    CUkernel all[3] = {NULL, NULL, NULL}, second;
    CUfunction function, again;
    CUdeviceptr global, managed;
    unsigned count = 0;
    int value = 0;
    size_t bytes = 0;
    GOOD(cuLibraryLoadData(&library, library_text, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernelCount(&count, library));
    CHECK(count == 2);
    EXPECT(cuLibraryGetKernelCount(NULL, library), INVALID_VALUE);
    GOOD(cuLibraryEnumerateKernels(all, 1, library));
    CHECK(all[0] && !all[1]);
    GOOD(cuLibraryEnumerateKernels(all, 3, library));
    CHECK(all[0] && all[1] && all[0] != all[1] && !all[2]);
    GOOD(cuLibraryGetKernel(&second, library, "second"));
    CHECK(second == all[1]);
    GOOD(cuLibraryGetModule(&module, library));
    GOOD(cuModuleGetFunction(&function, module, "second"));
    GOOD(cuKernelGetFunction(&again, second));
    CHECK(function == again);
    GOOD(cuKernelGetLibrary(&of, second));
    CHECK(of == library);
    EXPECT(cuKernelGetLibrary(&of, (CUkernel)&count), INVALID_HANDLE);

    GOOD(cuKernelGetAttribute(&value, MAX_THREADS, all[0], 0));
    CHECK(value == 64);
    GOOD(cuKernelGetAttribute(&value, SHARED_BYTES, second, 0));
    CHECK(value == 128);
    EXPECT(cuKernelGetAttribute(&value, SHARED_BYTES, second, 1), INVALID_DEVICE);
    GOOD(cuKernelSetAttribute(MAX_DYNAMIC, 60000, second, 0));
    GOOD(cuKernelGetAttribute(&value, MAX_DYNAMIC, second, 0));
    CHECK(value == 60000);
    EXPECT(cuKernelSetAttribute(MAX_DYNAMIC, 1 << 20, second, 0), INVALID_VALUE);
    EXPECT(cuKernelSetAttribute(MAX_DYNAMIC, 60000, second, 1), INVALID_DEVICE);
    GOOD(cuKernelSetCacheConfig(second, 1, 0));
    EXPECT(cuKernelSetCacheConfig(second, 1, 1), INVALID_DEVICE);
    EXPECT(cuKernelSetCacheConfig((CUkernel)&count, 1, 0), INVALID_HANDLE);

    GOOD(cuLibraryGetGlobal(&global, &bytes, library, "plain"));
    CHECK(global != 0 && bytes == 24);
    EXPECT(cuLibraryGetGlobal(&global, &bytes, library, "nothing"), NOT_FOUND);
    GOOD(cuLibraryGetManaged(&managed, &bytes, library, "shared_word"));
    CHECK(bytes == 12);
    *(volatile int *)(uintptr_t)managed = 5; /* the host may */
    EXPECT(cuLibraryGetManaged(&managed, &bytes, library, "plain"), NOT_FOUND);
    GOOD(cuLibraryUnload(library));
}

static void batches_of_12(CUstream stream)
{
    unsigned char from[2][16], got[32];
    CUdeviceptr data;
    size_t sizes[] = {16, 8}, first[] = {0}, failed = 9;
    CUmemcpyAttributes attributes = {.srcAccessOrder = 1};
    memset(from[0], 3, 16);
    memset(from[1], 4, 16);
    GOOD(cuMemAlloc(&data, 32));
    GOOD(cuMemsetD8(data, 0, 32));
    CUdeviceptr to[] = {data, data + 16};
    CUdeviceptr sources[] = {(CUdeviceptr)(uintptr_t)from[0], (CUdeviceptr)(uintptr_t)from[1]};
    GOOD(cuMemcpyBatchAsync(to, sources, sizes, 2, &attributes, first, 1, &failed, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyDtoH(got, data, 32));
    CHECK(got[15] == 3 && got[16] == 4 && got[23] == 4 && got[24] == 0);
    sizes[1] = 1 << 20;
    EXPECT(cuMemcpyBatchAsync(to, sources, sizes, 2, &attributes, first, 1, &failed, stream),
           INVALID_VALUE);
    CHECK(failed == 1);

    CUDA_MEMCPY3D_BATCH_OP boxes[2] = {{.extent = {4, 2, 1}, .srcAccessOrder = 1}};
    boxes[0].src.type = boxes[0].dst.type = 1;
    boxes[0].src.op.ptr.ptr = data;
    boxes[0].src.op.ptr.rowLength = boxes[0].dst.op.ptr.rowLength = 4;
    boxes[0].src.op.ptr.layerHeight = boxes[0].dst.op.ptr.layerHeight = 2;
    boxes[0].dst.op.ptr.ptr = data + 24;
    GOOD(cuMemcpy3DBatchAsync(1, boxes, &failed, 0, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyDtoH(got, data, 32));
    CHECK(got[23] == 4 && got[24] == 3 && got[31] == 3);
    failed = 9;
    EXPECT(cuMemcpy3DBatchAsync(2, boxes, &failed, 0, stream), INVALID_VALUE); /* of no type */
    CHECK(failed == 1);
    GOOD(cuMemFree(data));
}

static void words(CUstream stream)
{
    CUdeviceptr data;
    uint32_t got[4];
    CUstreamBatchMemOpParams write = {.pad = {0}};
    GOOD(cuMemAlloc(&data, sizeof got));
    GOOD(cuMemsetD8(data, 0, sizeof got));
    GOOD(cuStreamWriteValue32(stream, data, 7, 0));
    GOOD(cuStreamWaitValue32(stream, data, 7, EQUAL));
    GOOD(cuStreamWriteValue64(stream, data + 8, 0x900000008ull, 0));
    GOOD(cuStreamWaitValue64(stream, data + 8, 0x900000008ull, EQUAL));
    write.writeValue.operation = 2;
    write.writeValue.address = data + 4;
    write.writeValue.value = 6;
    GOOD(cuStreamBatchMemOp(stream, 1, &write, 0));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyDtoH(got, data, sizeof got));
    CHECK(got[0] == 7 && got[1] == 6 && got[2] == 8 && got[3] == 9);
    EXPECT(cuStreamWriteValue32(stream, data + 2, 7, 0), INVALID_VALUE);
    EXPECT(cuStreamWaitValue32(stream, data + 2, 7, EQUAL), INVALID_VALUE);
    EXPECT(cuStreamWriteValue64(stream, data + 4, 7, 0), INVALID_VALUE);
    EXPECT(cuStreamWaitValue64(stream, data + 4, 7, EQUAL), INVALID_VALUE);
    EXPECT(cuStreamBatchMemOp(stream, 1, &write, 1), INVALID_VALUE);
    GOOD(cuMemFree(data));
}

int main(int count, char **arguments)
{
    CUcontext context;
    CUstream stream;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuStreamCreate(&stream, 0));
    load_file(count > 1 ? arguments[1] : ".");
    libraries();
    batches_of_12(stream);
    words(stream);
    GOOD(cuStreamDestroy(stream));
    GOOD(cuCtxDestroy(context));
    return verdict();
}
