// The runtime API and the driver API in one program: one device, the same handles.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

extern "C" {
int cuInit(unsigned), cuCtxGetCurrent(void **), cuMemAlloc_v2(unsigned long long *, size_t);
int cuDevicePrimaryCtxRetain(void **, int), cuStreamSynchronize(cudaStream_t);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   cudaStream_t, void **, void **);
int cuFuncGetAttribute(int *, int, void *), cudaGetFuncBySymbol(void **, const void *);
int cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);
}

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry store(.param .u64 to) {\n"
                           ".reg .b64 %d;\n.reg .b32 %r;\n ld.param.u64 %d, [to];\n"
                           "ld.global.u32 %r, [%d];\n add.u32 %r, %r, 100;\n"
                           "st.global.u32 [%d], %r;\n ret;\n}\n";

__global__ void add(int *to)
{
    atomicAdd(to, 1);
}

typedef int reserve_function(unsigned long long *, size_t, size_t, unsigned long long,
                             unsigned long long);
typedef int free_function(unsigned long long, size_t);

static int failures;
#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition)) {                                              \
            std::printf("line %d: not so: %s\n", __LINE__, #condition);  \
            failures++;                                                  \
        }                                                                \
    } while (0)

int main()
{
    void *current = nullptr, *primary = nullptr, *module = nullptr, *store = nullptr;
    unsigned long long memory = 0;
    int result = 0, threads = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess); // makes the primary context current
    CHECK(cuInit(0) == 0);
    CHECK(cuCtxGetCurrent(&current) == 0 && current);
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0) == 0 && primary == current);
    CHECK(cuMemAlloc_v2(&memory, sizeof(int)) == 0);
    int *data = reinterpret_cast<int *>(memory);
    CHECK(cudaMemset(data, 0, sizeof(int)) == cudaSuccess);
    CHECK(cuModuleLoadData(&module, text) == 0 && cuModuleGetFunction(&store, module, "store") == 0);
    void *arguments[] = {&data};
    add<<<2, 32, 0, stream>>>(data);
    CHECK(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr) == 0);
    CHECK(cuStreamSynchronize(stream) == 0);
    CHECK(cudaMemcpy(&result, data, sizeof result, cudaMemcpyDefault) == cudaSuccess);
    CHECK(result == 164);
    // A failure of the driver API is not the runtime's last error.
    CHECK(cuMemAlloc_v2(&memory, 0) != 0 && cudaGetLastError() == cudaSuccess);
    void *function;
    CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(add)) == 0);
    CHECK(cuFuncGetAttribute(&threads, 0, function) == 0 && threads == 1024);
    CHECK(cudaFree(data) == cudaSuccess);
    // The driver's functions by name, as programs of the runtime API find them.
    void *reserve = nullptr, *give_back = nullptr;
    CHECK(cudaGetDriverEntryPointByVersion("cuMemAddressReserve", &reserve, 12000, 0, nullptr) == 0);
    CHECK(cudaGetDriverEntryPointByVersion("cuMemAddressFree", &give_back, 12000, 0, nullptr) == 0);
    CHECK(reinterpret_cast<reserve_function *>(reserve)(&memory, 1 << 21, 0, 0, 0) == 0);
    CHECK(cudaMemset(reinterpret_cast<void *>(memory), 0, 4) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(reinterpret_cast<free_function *>(give_back)(memory, 1 << 21) == 0);
    std::printf(failures ? "FAIL\n" : "PASS\n");
    return failures != 0;
}
