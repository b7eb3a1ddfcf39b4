/* What nvcc -rdc=true makes, by hand: a wrapper of version 2 with a list of modules, here plain
 * PTX, which use each other's functions and variables. Any argument: the last two contradict each
 * other. */
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
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int constant, int global);
int cudaMalloc(void **pointer, size_t size);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, int kind);
int cudaLaunchKernel(const void *host, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cudaDeviceSynchronize(void);

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static const char calls[] =
    HEAD ".extern .global .u32 total;\n"
         ".extern .func (.param .b32 r) scaled (.param .b32 x);\n"
         ".visible .entry kernel(.param .u64 to) {\n"
         ".reg .b64 %o, %a;\n.reg .b32 %r<4>;\n"
         "ld.param.u64 %o, [to];\nmov.u32 %r0, %tid.x;\n"
         "{ .param .b32 p; .param .b32 q;\nst.param.b32 [p], %r0;\n"
         "call.uni (q), scaled, (p);\nld.param.b32 %r1, [q]; }\n"
         "red.global.add.u32 [total], %r1;\n"
         "mul.wide.u32 %a, %r0, 4;\nadd.u64 %a, %a, %o;\nst.global.u32 [%a], %r1;\nret;\n}\n";
static const char wants[] = HEAD ".extern .global .u32 nowhere;\n"
                                 ".visible .entry wanting(.param .u64 to) { .reg .b32 "
                                 "%a;\nld.global.u32 %a, [nowhere];\nret;\n}\n";
static const char defines[] =
    HEAD ".visible .global .u32 total = 1000;\n.visible .const .u32 scale = 2;\n"
         ".visible .func (.param .b32 r) scaled (.param .b32 x) {\n.reg .b32 %a, %b;\n"
         "ld.param.b32 %a, [x];\nld.const.u32 %b, [scale];\nmul.lo.u32 %a, %a, %b;\n"
         "st.param.b32 [r], %a;\nret;\n}\n";
static const char again[] = HEAD ".visible .global .u32 total;\n";

static struct {
    uint32_t magic, version;
    const void *container;
    const void **prelinked;
} wrapper = {0x466243B1, 2, calls, NULL};

static char kernel_host, wanting_host, total_host, scale_host;
static int failures;

static void expect(int got, int wanted, const char *what)
{
    if (got != wanted) {
        printf("%s: %d, wanted %d\n", what, got, wanted);
        failures++;
    }
}

static int launch(const void *host, void **arguments)
{
    struct dim3 one = {1, 1, 1}, warp = {32, 1, 1};
    int status = cudaLaunchKernel(host, one, warp, arguments, 0, NULL);
    return status ? status : cudaDeviceSynchronize();
}

static void run(void)
{
    unsigned *device, results[32], three = 3, total = 0;
    void *arguments[] = {&device};
    expect(cudaMalloc((void **)&device, sizeof results), 0, "cudaMalloc");
    expect(launch(&wanting_host, arguments), 222, "a variable that nothing defines");
    expect(launch(&kernel_host, arguments), 0, "the first launch");
    expect(cudaMemcpyFromSymbol(&total, &total_host, 4, 0, 2), 0, "cudaMemcpyFromSymbol");
    expect((int)total, 1000 + 2 * 496, "one copy of the variable");
    expect(cudaMemcpyToSymbol(&scale_host, &three, 4, 0, 1), 0, "cudaMemcpyToSymbol");
    expect(launch(&kernel_host, arguments), 0, "the second launch");
    expect(cudaMemcpy(results, device, sizeof results, 2), 0, "cudaMemcpy");
    for (int i = 0; i < 32; i++)
        expect((int)results[i], 3 * i, "a result");
}

int main(int argc, char **argv)
{
    const void *modules[] = {calls, wants, defines, argc > 1 ? again : NULL, NULL};
    (void)argv;
    wrapper.prelinked = modules;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &kernel_host, "kernel", "kernel", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, &wanting_host, "wanting", "wanting", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(handle, &total_host, "total", "total", 0, 4, 0, 0);
    __cudaRegisterVar(handle, &scale_host, "scale", "scale", 0, 4, 1, 0);
    __cudaRegisterFatBinaryEnd(handle);
    if (argc > 1)
        expect(launch(&kernel_host, NULL), 218, "modules that contradict each other");
    else
        run();
    __cudaUnregisterFatBinary(handle);
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}
