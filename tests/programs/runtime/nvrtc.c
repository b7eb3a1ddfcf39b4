/* A program that compiles its kernel while it runs, by NVRTC, and loads the PTX by the driver API.
 */
#include <stdio.h>
#include <stdlib.h>

int nvrtcCreateProgram(void **program, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names);
int nvrtcCompileProgram(void *program, int options, const char *const *values);
int nvrtcGetPTXSize(void *program, size_t *size);
int nvrtcGetPTX(void *program, char *text);
int nvrtcDestroyProgram(void **program);
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes);
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes);
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream,
                   void **arguments, void **more);

static const char source[] =
    "extern \"C\" __global__ void scale(int *to, int by) { to[threadIdx.x] = threadIdx.x * by; }";

static void check(int status, const char *what)
{
    if (status == 0)
        return;
    printf("%s gave %d\n", what, status);
    exit(1);
}

int main(void)
{
    const char *options[] = {"--gpu-architecture=compute_75"};
    void *program, *context, *module, *function;
    size_t size;
    check(nvrtcCreateProgram(&program, source, "scale.cu", 0, 0, 0), "nvrtcCreateProgram");
    check(nvrtcCompileProgram(program, 1, options), "nvrtcCompileProgram");
    check(nvrtcGetPTXSize(program, &size), "nvrtcGetPTXSize");
    char *text = malloc(size);
    check(!text || nvrtcGetPTX(program, text), "nvrtcGetPTX");
    check(nvrtcDestroyProgram(&program), "nvrtcDestroyProgram");

    unsigned long long memory;
    int by = 7, results[32];
    void *arguments[] = {&memory, &by};
    check(cuInit(0), "cuInit");
    check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoadData(&module, text), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module, "scale"), "cuModuleGetFunction");
    check(cuMemAlloc_v2(&memory, sizeof results), "cuMemAlloc");
    check(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0), "cuLaunchKernel");
    check(cuMemcpyDtoH_v2(results, memory, sizeof results), "cuMemcpyDtoH");
    for (int i = 0; i < 32; i++)
        check(results[i] != 7 * i, "a result");
    free(text);
    puts("PASS");
    return 0;
}
