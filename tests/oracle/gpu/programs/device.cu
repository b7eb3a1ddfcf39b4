// What the driver says of the device, and what it makes of requests: a property a row.
#include "measure.h"

static void property(const char *name, double value)
{
    printf("%s,%.15g\n", name, value);
}

__global__ void asks_for_shared(char *out)
{
    extern __shared__ char bytes[];
    out[threadIdx.x] = bytes[threadIdx.x];
}

static void print_attributes(void)
{
    static const struct {
        const char *name;
        cudaDeviceAttr attribute;
    } attributes[] = {
        {"multiprocessors", cudaDevAttrMultiProcessorCount},
        {"clock_khz", cudaDevAttrClockRate},
        {"memory_clock_khz", cudaDevAttrMemoryClockRate},
        {"memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth},
        {"l2_bytes", cudaDevAttrL2CacheSize},
        {"persisting_l2_bytes", cudaDevAttrMaxPersistingL2CacheSize},
        {"access_window_bytes", cudaDevAttrMaxAccessPolicyWindowSize},
        {"shared_bytes_of_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {"shared_bytes_of_block", cudaDevAttrMaxSharedMemoryPerBlock},
        {"shared_bytes_of_block_opt_in", cudaDevAttrMaxSharedMemoryPerBlockOptin},
        {"shared_bytes_reserved", RESERVED_SHARED_OF_BLOCK},
        {"registers_of_sm", cudaDevAttrMaxRegistersPerMultiprocessor},
        {"threads_of_sm", cudaDevAttrMaxThreadsPerMultiProcessor},
        {"blocks_of_sm", cudaDevAttrMaxBlocksPerMultiprocessor},
        {"ecc", cudaDevAttrEccEnabled},
        {"copy_engines", cudaDevAttrAsyncEngineCount},
        {"concurrent_kernels", cudaDevAttrConcurrentKernels},
        {"cooperative_launch", cudaDevAttrCooperativeLaunch},
    };
    for (const auto &it : attributes) {
        int value = 0;
        if (cudaDeviceGetAttribute(&value, it.attribute, 0) == cudaSuccess)
            property(it.name, value);
    }
    (void)cudaGetLastError();
}

static void print_limits(void)
{
    static const struct {
        const char *name;
        cudaLimit limit;
    } limits[] = {{"limit_stack_bytes", cudaLimitStackSize},
                  {"limit_printf_bytes", cudaLimitPrintfFifoSize},
                  {"limit_heap_bytes", cudaLimitMallocHeapSize},
                  {"limit_l2_fetch_bytes", cudaLimitMaxL2FetchGranularity},
                  {"limit_persisting_l2_bytes", cudaLimitPersistingL2CacheSize}};
    for (const auto &it : limits) {
        size_t value = 0;
        if (cudaDeviceGetLimit(&value, it.limit) == cudaSuccess)
            property(it.name, (double)value);
    }
    (void)cudaGetLastError();
}

// How many blocks of 64 threads fit an SM by the shared memory that they ask for, where nothing was
// said about how the array is divided.
static void print_occupancy(void)
{
    int largest = measure_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    WORKLOAD_CHECK(cudaFuncSetAttribute(asks_for_shared,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, largest));
    for (int kib : {0, 1, 2, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 112, 160, 227}) {
        int fit = 0;
        char name[64];
        if (kib * 1024 > largest)
            continue;
        WORKLOAD_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, asks_for_shared, 64,
                                                                     (size_t)kib * 1024));
        snprintf(name, sizeof name, "blocks_of_64_threads_with_%d_kib", kib);
        property(name, fit);
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "device", "what the driver says", NULL, 0);
    int driver = 0, runtime = 0;
    size_t free_bytes = 0, all_bytes = 0;
    WORKLOAD_CHECK(cudaDriverGetVersion(&driver));
    WORKLOAD_CHECK(cudaRuntimeGetVersion(&runtime));
    WORKLOAD_CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
    printf("property,value\n");
    property("cuda_driver", driver);
    property("cuda_runtime", runtime);
    property("memory_bytes", (double)all_bytes);
    property("memory_bytes_free", (double)free_bytes);
    print_attributes();
    print_limits();
    print_occupancy();
    return measure_verdict("device");
}
