/* A program of CUDA 12, as its headers would have compiled it: the layouts and signatures that CUDA
 * 13 changed, called by hand. Linked with libcudart.so.12. */
#include <stdio.h>
#include <string.h>

int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaGetDeviceProperties(void *properties, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaMallocManaged(void **pointer, size_t size, unsigned flags);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaMemAdvise(const void *pointer, size_t size, int advice, int device);
int cudaMemPrefetchAsync(const void *pointer, size_t size, int device, void *stream);
int cudaThreadSynchronize(void);
int cudaThreadExit(void);
int cudaGraphAddNode_v2(void);

static int failures;

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        failures++;
    }
}

static int word(const char *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Fills `size` bytes and leaves the ones behind alone. */
static void properties(int (*get)(void *, int), size_t size, const char *what)
{
    char block[2048];
    int major = 0, clock = 0, processors = 0;
    memset(block, 0x5a, sizeof block);
    check(get(block, 0) == 0, what);
    cudaDeviceGetAttribute(&major, 75, 0);
    cudaDeviceGetAttribute(&clock, 13, 0);
    cudaDeviceGetAttribute(&processors, 16, 0);
    check(word(block + 360) == major, "major lies at byte 360");
    check(word(block + 348) == clock, "clockRate lies at byte 348");
    check(word(block + 388) == processors, "multiProcessorCount lies at byte 388");
    check(block[size - 1] != 0x5a && block[size] == 0x5a, "the size of the struct");
    check(get(block, 1) == 101, "device 1");
}

int main(void)
{
    int version = 0;
    char *pointer, attributes[64];
    check(cudaRuntimeGetVersion(&version) == 0 && version / 1000 == 12, "version 12");
    properties(cudaGetDeviceProperties_v2, 1032, "cudaGetDeviceProperties_v2");
    properties(cudaGetDeviceProperties, 728, "cudaGetDeviceProperties");
    check(cudaMallocManaged((void **)&pointer, 8192, 1) == 0, "cudaMallocManaged");
    memset(attributes, 0x5a, sizeof attributes);
    check(cudaPointerGetAttributes(attributes, pointer) == 0, "cudaPointerGetAttributes");
    check(word(attributes) == 3 && attributes[24] == 0x5a, "the attributes end after 24 bytes");
    check(cudaMemAdvise(pointer, 8192, 3, -1) == 0, "advice for the host");
    check(cudaMemAdvise(pointer, 8192, 3, 4) == 101, "advice for a device that is not there");
    check(cudaMemAdvise(pointer, 9000, 1, 0) == 1, "advice beyond the allocation");
    check(cudaMemPrefetchAsync(pointer, 8192, 0, 0) == 0, "prefetch");
    check(cudaThreadSynchronize() == 0 && cudaThreadExit() == 0, "the old names");
    check(cudaGraphAddNode_v2() == 801, "what is refused");
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}
