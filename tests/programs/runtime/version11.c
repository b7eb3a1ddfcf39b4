/* A program of CUDA 11, as its compiler would have made it: a fat binary whose PTX is one LZ4 block
 * (here of literals alone, which needs no compressor), launches between __cudaPushCallConfiguration
 * and cudaLaunchKernel, texture references that are registered, and the layouts and arguments that
 * CUDA 12 changed. Linked with libcudart.so.11.0. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct dim3 {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *, void *, struct dim3 *, struct dim3 *, int *);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int normalized, int is_extern);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, void *);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *);
int cudaLaunchKernel(const void *host, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cudaRuntimeGetVersion(int *version);
int cudaMalloc(void **pointer, size_t size);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaDeviceSynchronize(void);
int cudaStreamCreate(void **stream);
int cudaMemset(void *to, int value, size_t size);
int cudaLaunchCooperativeKernelMultiDevice(void *launches, unsigned count, unsigned flags);
int cudaSetDoubleForDevice(double *value);
int cudaSetDoubleForHost(double *value);
int cudaThreadSynchronize(void);
int cudaGetDeviceProperties(void *properties, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
struct reference {
    int normalized, filter, address[3];
    struct format {
        int x, y, z, w, kind;
    } format;
    int rest[22];
};
int cudaBindTexture(size_t *offset, const struct reference *reference, const void *memory,
                    const struct format *format, size_t bytes);
int cudaUnbindTexture(const struct reference *reference);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphAddEmptyNode(void **node, void *graph, void *const *dependencies, size_t count);
int cudaGraphInstantiate(void **exec, void *graph, void **node, char *log, size_t log_bytes);
int cudaGraphExecUpdate(void *exec, void *graph, void **node, int *result);
int cudaGraphLaunch(void *exec, void *stream);

static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                          ".visible .entry kernel(.param .u64 to) {\n"
                          ".reg .b64 %o, %a;\n.reg .b32 %r;\n"
                          "ld.param.u64 %o, [to];\nmov.u32 %r, %tid.x;\n"
                          "mul.wide.u32 %a, %r, 4;\nadd.u64 %a, %a, %o;\nadd.u32 %r, %r, 7;\n"
                          "st.global.u32 [%a], %r;\nret;\n}\n"
                          ".global .texref reference;\n"
                          ".visible .entry fetch(.param .u64 to) {\n"
                          ".reg .b64 %o, %a;\n.reg .b32 %r<5>;\n"
                          "ld.param.u64 %o, [to];\nmov.u32 %r0, %tid.x;\n"
                          "mul.wide.u32 %a, %r0, 4;\nadd.u64 %a, %a, %o;\n"
                          "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [reference, {%r0}];\n"
                          "st.global.u32 [%a], %r1;\nret;\n}\n";

static union {
    uint64_t aligned;
    uint8_t bytes[16 + 64 + 2048];
} container;
static struct {
    uint32_t magic, version;
    const void *container;
    const void *none;
} wrapper = {0x466243B1, 1, &container, NULL};
static char kernel_host, fetch_host;
static struct reference texture_host = {.format = {32, 0, 0, 0, 1}};
static int failures;

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        failures++;
    }
}

static void put(size_t at, uint64_t value, size_t bytes)
{
    memcpy(container.bytes + at, &value, bytes);
}

/* The block's format: a token whose high half is 15, the rest of the length in bytes of 255 and a
 * last smaller one, the literals. */
static void make_container(void)
{
    size_t length = sizeof ptx, rest = length - 15, at = 80;
    container.bytes[at++] = 0xf0;
    for (; rest >= 255; rest -= 255)
        container.bytes[at++] = 255;
    container.bytes[at++] = (uint8_t)rest;
    memcpy(container.bytes + at, ptx, length);
    at += length;
    size_t compressed = at - 80, padded = (compressed + 7) / 8 * 8;
    put(0, 0xBA55ED50, 4);
    put(4, 1, 2);
    put(6, 16, 2);
    put(8, 64 + padded, 8);
    put(16, 1, 2);     /* PTX */
    put(18, 0x101, 2); /* the entry's version */
    put(20, 64, 4);    /* bytes of the entry's header */
    put(24, padded, 8);
    put(32, compressed, 4);
    put(40, 0x00070000, 4); /* PTX 7.0 */
    put(44, 52, 4);         /* sm_52 */
    put(56, 0x2000 | 1, 8); /* LZ4, 64 bits */
    put(72, length, 8);
}

static void launch(const void *kernel, unsigned *device)
{
    struct dim3 grid, block;
    size_t shared;
    void *stream, *arguments[] = {&device};
    check(__cudaPushCallConfiguration((struct dim3){1, 1, 1}, (struct dim3){32, 1, 1}, 0, 0) == 0,
          "push");
    check(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == 0, "pop");
    check(cudaLaunchKernel(kernel, grid, block, arguments, shared, stream) == 0, "launch");
}

/* One launch for each device, of which there is one. */
static void launch_on_devices(unsigned *device)
{
    void *stream, *arguments[] = {&device};
    double value = 2.5;
    check(cudaStreamCreate(&stream) == 0, "a stream");
    struct {
        void *function;
        struct dim3 grid, block;
        void **arguments;
        size_t shared;
        void *stream;
    } all[2] = {{&kernel_host, {1, 1, 1}, {32, 1, 1}, arguments, 0, stream}};
    check(cudaMemset(device, 0, 128) == 0, "nothing there");
    check(cudaLaunchCooperativeKernelMultiDevice(all, 1, 0) == 0, "on the device");
    check(cudaLaunchCooperativeKernelMultiDevice(all, 2, 0) == 1, "on two devices");
    all[0].stream = 0;
    check(cudaLaunchCooperativeKernelMultiDevice(all, 1, 0) == 400, "in the default stream");
    check(cudaSetDoubleForDevice(&value) == 0 && cudaSetDoubleForHost(&value) == 0 && value == 2.5,
          "doubles stay doubles");
}

/* As nvcc of CUDA 11 writes it: the reference stands in the instruction. */
static void texture_reference(unsigned *device)
{
    unsigned *to, results[32];
    check(cudaMalloc((void **)&to, sizeof results) == 0, "more memory");
    check(cudaBindTexture(0, &texture_host, device, &texture_host.format, 64) == 0, "binding");
    launch(&fetch_host, to);
    check(cudaUnbindTexture(&texture_host) == 0, "unbinding, behind the launch");
    check(cudaMemcpy(results, to, sizeof results, 2) == 0, "what was fetched");
    for (unsigned i = 0; i < 32; i++)
        check(results[i] == (i < 16 ? i + 7 : 0), "a texel");
}

static void graphs(void)
{
    void *graph, *node, *exec, *wrong = &graph;
    int result = 9;
    char log[16];
    check(cudaGraphCreate(&graph, 0) == 0 && cudaGraphAddEmptyNode(&node, graph, 0, 0) == 0,
          "graph");
    check(cudaGraphInstantiate(&exec, graph, &wrong, log, sizeof log) == 0 && !wrong,
          "cudaGraphInstantiate of five arguments");
    check(cudaGraphLaunch(exec, 0) == 0, "cudaGraphLaunch");
    wrong = &graph;
    check(cudaGraphExecUpdate(exec, graph, &wrong, &result) == 0 && !wrong && result == 0,
          "cudaGraphExecUpdate of four arguments");
}

int main(void)
{
    int version = 0, major = 0, found;
    unsigned *device, results[32];
    char block[2048];
    make_container();
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &kernel_host, "kernel", "kernel", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, &fetch_host, "fetch", "fetch", -1, 0, 0, 0, 0, 0);
    __cudaRegisterTexture(handle, &texture_host, 0, "reference", 2, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    check(cudaRuntimeGetVersion(&version) == 0 && version / 1000 == 11, "version 11");
    check(cudaMalloc((void **)&device, sizeof results) == 0, "cudaMalloc");
    launch(&kernel_host, device);
    check(cudaThreadSynchronize() == 0, "the old name");
    launch_on_devices(device);
    check(cudaMemcpy(results, device, sizeof results, 2) == 0, "cudaMemcpy");
    for (unsigned i = 0; i < 32; i++)
        check(results[i] == i + 7, "a result");
    memset(block, 0x5a, sizeof block);
    check(cudaGetDeviceProperties(block, 0) == 0, "cudaGetDeviceProperties");
    cudaDeviceGetAttribute(&major, 75, 0);
    memcpy(&found, block + 360, sizeof found);
    check(found == major && block[727] != 0x5a && block[728] == 0x5a, "the properties of CUDA 11");
    texture_reference(device);
    graphs();
    __cudaUnregisterFatBinary(handle);
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}
