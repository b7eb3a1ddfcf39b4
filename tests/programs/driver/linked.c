// The linker of the driver API: functions of one input that another one calls, its logs, and what
// is said to inputs that do not fit. usage: linked FOLDER | linked objects A.o LIBRARY.a B.fatbin
#include "driver_api.h"

#ifndef TOOLKIT
typedef struct CUlinkState_st *CUlinkState;
CUresult cuLinkCreate_v2(unsigned, CUjit_option *, void **, CUlinkState *);
CUresult cuLinkAddData_v2(CUlinkState, int, void *, size_t, const char *, unsigned, CUjit_option *,
                          void **);
CUresult cuLinkAddFile_v2(CUlinkState, int, const char *, unsigned, CUjit_option *, void **);
CUresult cuLinkComplete(CUlinkState, void **, size_t *), cuLinkDestroy(CUlinkState);
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#endif

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static char caller[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                            ".extern .global .align 4 .b32 offset;\n"
                            ".visible .entry apply(.param .u64 to)\n"
                            "{\n"
                            "  .reg .b32 %r<4>;\n  .reg .b64 %d<3>;\n"
                            "  ld.param.u64 %d1, [to];\n  ld.global.u32 %r1, [%d1];\n"
                            "  {\n  .param .b32 x;\n  .param .b32 y;\n  st.param.b32 [x], %r1;\n"
                            "  call (y), twice, (x);\n  ld.param.b32 %r2, [y];\n  }\n"
                            "  ld.global.u32 %r3, [offset];\n  add.u32 %r2, %r2, %r3;\n"
                            "  st.global.u32 [%d1], %r2;\n  ret;\n"
                            "}\n";
static char callee[] =
    HEAD ".visible .global .align 4 .b32 offset = 5;\n"
         ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
         "{\n"
         "  .reg .b32 %r<3>;\n  ld.param.b32 %r1, [x];\n  add.u32 %r2, %r1, %r1;\n"
         "  st.param.b32 [r], %r2;\n  ret;\n"
         "}\n";

enum { CUBIN, PTX, FATBINARY, OBJECT, LIBRARY, BITCODE };
enum { NOT_SUPPORTED = 801 };

static unsigned apply(const void *image, unsigned value)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr data;
    GOOD(cuModuleLoadData(&module, image));
    GOOD(cuModuleGetFunction(&function, module, "apply"));
    GOOD(cuMemAlloc(&data, sizeof value));
    GOOD(cuMemcpyHtoD(data, &value, sizeof value));
    void *parameters[] = {&data};
    GOOD(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    GOOD(cuMemcpyDtoH(&value, data, sizeof value));
    GOOD(cuMemFree(data));
    GOOD(cuModuleUnload(module));
    return value;
}

static void check_link(const char *folder)
{
    CUlinkState link, again;
    void *image = NULL;
    size_t bytes = 0;
    char path[500];
    GOOD(cuLinkCreate(0, NULL, NULL, &link));
    GOOD(cuLinkAddData(link, PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
    GOOD(cuLinkAddData(link, PTX, callee, strlen(callee), NULL, 0, NULL, NULL));
    GOOD(cuLinkComplete(link, &image, &bytes));
    CHECK(apply(image, 10) == 25);
    EXPECT(cuLinkAddData(link, PTX, callee, sizeof callee, NULL, 0, NULL, NULL), INVALID_VALUE);
    // The image may be kept for later, in memory or as a file, and be an input again.
    void *copy = malloc(bytes);
    memcpy(copy, image, bytes);
    snprintf(path, sizeof path, "%s/linked.cubin", folder);
    FILE *file = fopen(path, "wb");
    fwrite(image, 1, bytes, file);
    fclose(file);
    GOOD(cuLinkDestroy(link));
    EXPECT(cuLinkDestroy(link), INVALID_HANDLE);
    EXPECT(cuLinkComplete(link, &image, &bytes), INVALID_HANDLE);
    CHECK(apply(copy, 20) == 45);
    memset((char *)copy + bytes - 1, 1, 1); // no longer what it was
    CUmodule module;
    EXPECT(cuModuleLoadData(&module, copy), INVALID_IMAGE);
    free(copy);
    GOOD(cuModuleLoad(&module, path));
    GOOD(cuModuleUnload(module));
    GOOD(cuLinkCreate(0, NULL, NULL, &again));
    GOOD(cuLinkAddFile(again, CUBIN, path, 0, NULL, NULL));
    GOOD(cuLinkComplete(again, &image, &bytes));
    CHECK(apply(image, 1) == 7);
    GOOD(cuLinkDestroy(again));
}

static void check_logs(void)
{
    CUlinkState link;
    char said[2000] = "before", broken[] = HEAD ".visible .entry broken() { mov.u32 %no, 1; }\n";
    void *image;
    size_t bytes;
    // CU_JIT_ERROR_LOG_BUFFER, its size, and CU_JIT_TARGET_FROM_CUCONTEXT.
    CUjit_option options[] = {5, 6, 8};
    void *values[] = {said, (void *)(uintptr_t)sizeof said, NULL};
    GOOD(cuLinkCreate(3, options, values, &link));
    EXPECT(cuLinkAddData(link, PTX, broken, sizeof broken, "broken.ptx", 0, NULL, NULL),
           INVALID_PTX);
    CHECK(strstr(said, "broken.ptx:4") && strstr(said, "%no"));
    CHECK((size_t)(uintptr_t)values[1] == strlen(said) + 1);
    EXPECT(cuLinkAddData(link, BITCODE, callee, sizeof callee, "bitcode", 0, NULL, NULL),
           NOT_SUPPORTED);
    EXPECT(cuLinkAddData(link, CUBIN, callee, sizeof callee, "machine code", 0, NULL, NULL),
           NO_BINARY);
    CHECK(strstr(said, "machine code"));
    EXPECT(cuLinkAddData(link, FATBINARY, "nothing", 7, "fat", 0, NULL, NULL), INVALID_IMAGE);
    EXPECT(cuLinkAddData(link, OBJECT, callee, sizeof callee, "object", 0, NULL, NULL),
           INVALID_IMAGE);
    EXPECT(cuLinkAddData(link, LIBRARY, callee, sizeof callee, "library", 0, NULL, NULL),
           INVALID_IMAGE);
    EXPECT(cuLinkAddData(link, PTX, NULL, 0, "nothing", 0, NULL, NULL), INVALID_VALUE);
    EXPECT(cuLinkAddFile(link, PTX, "/no/such/file", 0, NULL, NULL), FILE_NOT_FOUND);
    EXPECT(cuLinkComplete(link, &image, &bytes), INVALID_VALUE); // nothing is there
    // Two definitions of one function.
    GOOD(cuLinkAddData(link, PTX, callee, sizeof callee, "one", 0, NULL, NULL));
    GOOD(cuLinkAddData(link, PTX, callee, sizeof callee, "two", 0, NULL, NULL));
    EXPECT(cuLinkComplete(link, &image, &bytes), INVALID_PTX);
    CHECK(strstr(said, "one") && strstr(said, "two"));
    GOOD(cuLinkDestroy(link));
    EXPECT(cuLinkCreate(1, NULL, NULL, &link), INVALID_VALUE);
}

// `apply` calls `twice` of the other one: of an object file, of a library, of a fat binary.
static void check_objects(char **paths)
{
    static const int kinds[] = {LIBRARY, FATBINARY};
    for (int i = 0; i < 2; i++) {
        CUlinkState link;
        void *image;
        size_t bytes;
        GOOD(cuLinkCreate(0, NULL, NULL, &link));
        GOOD(cuLinkAddFile(link, OBJECT, paths[0], 0, NULL, NULL));
        GOOD(cuLinkAddFile(link, kinds[i], paths[1 + i], 0, NULL, NULL));
        GOOD(cuLinkComplete(link, &image, &bytes));
        CHECK(apply(image, 10) == 25);
        GOOD(cuLinkDestroy(link));
    }
}

int main(int count, char **arguments)
{
    CUcontext context;
    CUlinkState link;
    EXPECT(cuLinkCreate(0, NULL, NULL, &link), NOT_INITIALIZED);
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    if (count == 5) {
        check_objects(arguments + 2);
    } else {
        check_link(count > 1 ? arguments[1] : ".");
        check_logs();
    }
    GOOD(cuCtxDestroy(context));
    return verdict();
}
