// Kernels that launch kernels, through both interfaces of the device runtime, as PTX: the order in
// which what they launch is executed, and the errors of launches that cannot be.
#include "driver_api.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define DIMENSIONS(name, x)                                                   \
    ".param .align 4 .b8 " name "[12];\n st.param.b32 [" name "+0], " x ";\n" \
    " st.param.b32 [" name "+4], 1;\n st.param.b32 [" name "+8], 1;\n"
// append(log, VALUE) in blocks of THREADS on stream STREAM: the second interface.
#define LAUNCH(VALUE, THREADS, STREAM)                                                             \
    " {\n .param .b64 f;\n mov.u64 %d2, append;\n st.param.b64 [f], %d2;\n" DIMENSIONS("g", "1")   \
        DIMENSIONS(                                                                                \
            "b", THREADS) " .param .b32 s;\n st.param.b32 [s], 0;\n .param .b64 r;\n"              \
                          " call.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n "        \
                          "ld.param.b64 %d3, [r];\n }\n"                                           \
                          " setp.eq.s64 %p1, %d3, 0;\n @%p1 bra NONE_" VALUE ";\n"                 \
                          " st.u64 [%d3], %d1;\n mov.u32 %r1, " VALUE ";\n st.u32 [%d3+8], %r1;\n" \
                          " {\n .param .b64 p;\n st.param.b64 [p], %d3;\n .param .b64 q;\n "       \
                          "st.param.b64 [q], " STREAM                                              \
                          ";\n .param .b32 r;\n call.uni (r), __cudaCDP2LaunchDeviceV2, (p, q);\n" \
                          " ld.param.b32 %r2, [r];\n }\n NONE_" VALUE ":\n"
#define WAIT                                                                          \
    " {\n .param .b32 r;\n call.uni (r), cudaDeviceSynchronize;\n ld.param.b32 %r2, " \
    "[r];\n }\n"
#define REGISTERS " .reg .b64 %d<6>;\n .reg .b32 %r<6>;\n .reg .pred %p<2>;\n"

static const char program[] =
    HEAD ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f,\n"
         " .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
         ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 q);\n"
         ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
         ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 n);\n"
         ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 f, .param .b64 p,\n"
         " .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s, .param .b64 q);\n"
         ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync_ptsz(.param .b64 p, .param .b32 v,\n"
         " .param .b64 n, .param .b64 q);\n"
         ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"
         ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f,\n"
         " .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
         ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 q);\n"
         ".extern .func (.param .b32 r) cudaStreamSynchronize(.param .b64 q);\n"
         ".visible .entry asks(.param .u64 log)\n{\n" REGISTERS
         " {\n .param .b64 q;\n st.param.b64 [q], 0;\n .param .b32 r;\n"
         " call.uni (r), cudaStreamSynchronize, (q);\n }\n ret;\n}\n"
         // log[0] counts the values behind it.
         ".visible .entry append(.param .u64 log, .param .u32 value)\n{\n" REGISTERS
         " ld.param.u64 %d1, [log];\n ld.param.u32 %r1, [value];\n ld.global.u32 %r2, [%d1];\n"
         " add.u32 %r3, %r2, 1;\n st.global.u32 [%d1], %r3;\n mul.wide.u32 %d2, %r3, 4;\n"
         " add.u64 %d2, %d2, %d1;\n st.global.u32 [%d2], %r1;\n ret;\n}\n"
         ".visible .entry middle(.param .u64 log)\n{\n" REGISTERS
         " ld.param.u64 %d1, [log];\n" LAUNCH("22", "1", "3")
             LAUNCH("21", "1", "0") " ret;\n}\n"
                                    ".visible .entry parent(.param .u64 log)\n{\n" REGISTERS
                                    " ld.param.u64 %d1, [log];\n" LAUNCH("4", "1", "3")
                                        LAUNCH("1", "1", "4")
    // middle, through the first interface: its buffer holds the pointer alone.
    " {\n .param .b64 a;\n st.param.b64 [a], 8;\n .param .b64 n;\n st.param.b64 [n], 8;\n"
    " .param .b64 r;\n call.uni (r), cudaGetParameterBuffer, (a, n);\n ld.param.b64 %d3, [r];\n }\n"
    " st.u64 [%d3], %d1;\n"
    " {\n .param .b64 f;\n mov.u64 %d2, middle;\n st.param.b64 [f], %d2;\n .param .b64 p;\n"
    " st.param.b64 [p], %d3;\n" DIMENSIONS("g", "1") DIMENSIONS(
        "b", "1") " .param .b32 s;\n st.param.b32 [s], 0;\n .param .b64 q;\n st.param.b64 [q], 0;\n"
                  " .param .b32 r;\n call.uni (r), cudaLaunchDevice, (f, p, g, b, s, q);\n"
                  " ld.param.b32 %r2, [r];\n }\n st.global.u32 [%d1+252], %r2;\n"
    // A block that no machine has: no buffer, and an error that is forgotten once it is read.
    LAUNCH("99", "4096", "0") " {\n .param .b32 r;\n call.uni (r), __cudaCDP2GetLastError;\n "
                              "ld.param.b32 %r2, [r];\n }\n"
                              " st.global.u32 [%d1+240], %r2;\n"
                              " {\n .param .b32 r;\n call.uni (r), __cudaCDP2GetLastError;\n "
                              "ld.param.b32 %r2, [r];\n }\n"
                              " st.global.u32 [%d1+244], %r2;\n"
    // A stream that is none.
    LAUNCH("98", "1", "77") " st.global.u32 [%d1+248], %r2;\n" LAUNCH(
        "3", "1",
        "0") " add.u64 %d4, %d1, 256;\n"
             " {\n .param .b64 p;\n st.param.b64 [p], %d4;\n .param .b32 v;\n st.param.b32 [v], "
             "7;\n"
             " .param .b64 n;\n st.param.b64 [n], 8;\n .param .b64 q;\n st.param.b64 [q], 0;\n"
             " .param .b32 r;\n call.uni (r), __cudaCDP2MemsetAsync_ptsz, (p, v, n, q);\n }\n"
             " ret;\n}\n"
             // What a wait sees each time: one value, then two more with what the child's child
             // adds; and what the call returns.
             ".visible .entry waits(.param .u64 log)\n{\n" REGISTERS
             " ld.param.u64 %d1, [log];\n" LAUNCH("31", "1", "0") WAIT
    " ld.global.u32 %r3, [%d1];\n st.global.u32 [%d1+280], %r3;\n"
    " {\n .param .b64 f;\n mov.u64 %d2, middle;\n st.param.b64 [f], %d2;\n" DIMENSIONS("g", "1")
        DIMENSIONS("b",
                   "1") " .param .b32 s;\n st.param.b32 [s], 0;\n .param .b64 r;\n"
                        " call.uni (r), cudaGetParameterBufferV2, (f, g, b, s);\n ld.param.b64 "
                        "%d3, [r];\n }\n"
                        " st.u64 [%d3], %d1;\n"
                        " {\n .param .b64 p;\n st.param.b64 [p], %d3;\n .param .b64 q;\n "
                        "st.param.b64 [q], 0;\n"
                        " .param .b32 r;\n call.uni (r), cudaLaunchDeviceV2, (p, q);\n }\n" WAIT
                        " ld.global.u32 %r3, [%d1];\n st.global.u32 [%d1+284], %r3;\n"
                        " st.global.u32 [%d1+288], %r2;\n ret;\n}\n";

enum { WORDS = 128, ROUNDS = 3 };

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction parent;
    CUdeviceptr log;
    unsigned words[WORDS];
    GOOD(cuInit(0));
    GOOD(cuDeviceGet(&device, 0));
    GOOD(cuDevicePrimaryCtxRetain(&context, device));
    GOOD(cuCtxSetCurrent(context));
    GOOD(cuModuleLoadData(&module, program));
    GOOD(cuModuleGetFunction(&parent, module, "parent"));
    GOOD(cuMemAlloc(&log, sizeof words));
    GOOD(cuMemsetD8(log, 0, sizeof words));
    void *parameters[] = {&log};
    for (int round = 0; round < ROUNDS; round++)
        GOOD(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    GOOD(cuCtxSynchronize());
    GOOD(cuMemcpyDtoH(words, log, sizeof words));
    static const unsigned order[] = {1, 21, 22, 3, 4};
    CHECK(words[0] == 5 * ROUNDS);
    for (unsigned i = 0; i < 5 * ROUNDS; i++)
        CHECK(words[1 + i] == order[i % 5]);
    CHECK(words[60] == 9); // cudaErrorInvalidConfiguration
    CHECK(words[61] == 0);
    CHECK(words[62] == 400); // cudaErrorInvalidResourceHandle
    CHECK(words[63] == 0);
    CHECK(words[64] == 0x07070707 && words[65] == 0x07070707 && words[66] == 0);
    GOOD(cuMemsetD8(log, 0, sizeof words));
    GOOD(cuModuleGetFunction(&parent, module, "waits"));
    GOOD(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    GOOD(cuMemcpyDtoH(words, log, sizeof words));
    CHECK(words[0] == 3 && words[1] == 31 && words[2] == 21 && words[3] == 22);
    CHECK(words[70] == 1 && words[71] == 3 && words[72] == 0);
    // No kernel may wait for a single stream: the program learns so from the one that does.
    GOOD(cuModuleGetFunction(&parent, module, "asks"));
    GOOD(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    EXPECT(cuCtxSynchronize(), 801);
    return verdict();
}
