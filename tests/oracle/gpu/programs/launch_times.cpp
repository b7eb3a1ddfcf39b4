// A library that the CUDA driver loads into a program (CUDA_INJECTION64_PATH): when the program
// ends, LAUNCH_TIMES_FILE has a row for each of its kernels, copies and fills, with the device's
// own begin and end in nanoseconds. It is CUPTI's activity interface and nothing else; kernels run
// one at a time, as they do without it in a program of one stream, and caches stay as the program
// leaves them.
//
// g++ -shared -fPIC launch_times.cpp -I CUDA/include -L CUDA/lib64 -lcupti -o launch_times.so
#include <cstdio>
#include <cstdlib>

#include <cupti.h>

namespace
{
enum { BUFFER_BYTES = 8 << 20 };

FILE *file;
unsigned long long first; // nanosecond of the first record

void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
    *buffer = static_cast<uint8_t *>(aligned_alloc(8, BUFFER_BYTES));
    *size = BUFFER_BYTES;
    *most_records = 0; // as many as fit
}

void write_row(const char *kind, const char *name, unsigned long long begin, unsigned long long end,
               unsigned long long bytes, const char *shape)
{
    if (first == 0)
        first = begin;
    fprintf(file, "%s,\"%s\",%s,%llu,%lld,%llu\n", kind, name, shape, bytes,
            static_cast<long long>(begin - first), end - begin);
}

void write_record(const CUpti_Activity *record)
{
    char shape[96];
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        // The fields that are read lie where the first version of the record had them.
        auto *kernel = reinterpret_cast<const CUpti_ActivityKernel9 *>(record);
        snprintf(shape, sizeof shape, "%dx%dx%d,%dx%dx%d,%u", kernel->gridX, kernel->gridY,
                 kernel->gridZ, kernel->blockX, kernel->blockY, kernel->blockZ,
                 kernel->registersPerThread);
        write_row("kernel", kernel->name, kernel->start, kernel->end,
                  static_cast<unsigned long long>(kernel->staticSharedMemory) +
                      kernel->dynamicSharedMemory,
                  shape);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        auto *copy = reinterpret_cast<const CUpti_ActivityMemcpy5 *>(record);
        snprintf(shape, sizeof shape, "%d,%d,%d", copy->srcKind, copy->dstKind, copy->copyKind);
        write_row("copy", "", copy->start, copy->end, copy->bytes, shape);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        auto *fill = reinterpret_cast<const CUpti_ActivityMemset4 *>(record);
        write_row("fill", "", fill->start, fill->end, fill->bytes, ",,");
    }
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
    CUpti_Activity *record = nullptr;
    while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        write_record(record);
    free(buffer);
}

void finish()
{
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    fclose(file);
}
} // namespace

// What the driver calls when it has loaded the library.
extern "C" int InitializeInjection(void)
{
    const char *path = getenv("LAUNCH_TIMES_FILE");
    file = path ? fopen(path, "w") : nullptr;
    if (!file)
        return 0;
    fprintf(file, "kind,name,grid,block,registers,bytes,begin_ns,ns\n");
    cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
    atexit(finish);
    return 1;
}
