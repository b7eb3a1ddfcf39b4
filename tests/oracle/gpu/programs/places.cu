// Where L2 has a line, as far as it shows: cycles of a load that L2 serves, by line and by SM; or of an
// atomic with its result, which is done in the half of L2 that the line belongs to, where a load finds a
// copy in the near half.
//
//   sms     a row of the table is an SM, a column is a line: all SMs, a few lines
//   lines   a row is a line of 2 MiB, a column is an SM: all lines of a page, a few SMs
//
// One thread of one SM loads a line that points to itself, again and again past L1, and nothing
// else runs. Of several times it is the least.
#include "measure.h"

enum { LINE = 128, HOPS = 8, TIMES = 3, PAGE = 2 << 20 };

template <int ATOMIC> __device__ inline void follow(char **at)
{
    if (ATOMIC)
        asm volatile("atom.global.or.b64 %0, [%0], 0;" : "+l"(*at) : : "memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(*at) : : "memory");
}

template <int ATOMIC>
__global__ void chase_itself(char *base, size_t first, size_t apart, unsigned lines,
                             unsigned wanted, short *cycles)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != wanted)
        return;
    for (unsigned line = 0; line < lines; line++) {
        char *at = base + first + line * apart;
        long long least = 1 << 20;
        for (int time = 0; time < TIMES; time++) {
            long long begin = clock64();
#pragma unroll
            for (int hop = 0; hop < HOPS; hop++)
                follow<ATOMIC>(&at);
            long long spent = measure_clock_after(at) - begin;
            least = spent < least ? spent : least;
        }
        cycles[line] = (short)(least / HOPS);
    }
}

__global__ void point_to_itself(char *base, size_t bytes)
{
    for (size_t at = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * LINE; at < bytes;
         at += (size_t)gridDim.x * blockDim.x * LINE)
        *(char **)(base + at) = base + at;
}

enum { LINES, APART, SMS, ACCESS, TABLE, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"lines", "that are loaded", 64, 1, PAGE / LINE, NULL},
    {"apart", "bytes from one to the next, a multiple of 128", 128, 128, PAGE, NULL},
    {"sms", "that load them, evenly among all; 0 for all", 0, 0, 1024, NULL},
    {"access", "what is timed", 0, 0, 0, "load atomic"},
    {"table", "what its rows are", 0, 0, 0, "sms lines"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "places", "cycles of a load from L2 by line and SM", options,
                   OPTIONS);
    int all = measure_sms(), sms = options[SMS].value ? (int)options[SMS].value : all;
    unsigned lines = (unsigned)options[LINES].value;
    size_t apart = (size_t)options[APART].value / LINE * LINE, bytes = lines * apart;
    char *base;
    WORKLOAD_CHECK(cudaMalloc((void **)&base, std::max(bytes, (size_t)PAGE)));
    point_to_itself<<<64, 256>>>(base, bytes);
    WORKLOAD_CHECK_LAUNCH();
    measure_wake(lines > 16 ? 200 : 0);
    short *device, *cycles = (short *)workload_allocate((size_t)sms * lines * sizeof *cycles);
    WORKLOAD_CHECK(cudaMalloc((void **)&device, lines * sizeof *device));
    auto *chase = options[ACCESS].value == 0 ? chase_itself<0> : chase_itself<1>;
    int shared = measure_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 + 1024;
    WORKLOAD_CHECK(
        cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    for (int i = 0; i < sms; i++) {
        WORKLOAD_CHECK(cudaMemset(device, 0, lines * sizeof *device));
        chase<<<all, 1, shared>>>(base, 0, apart, lines, (unsigned)(i * all / sms), device);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(cycles + (size_t)i * lines, device, lines * sizeof *device,
                                  cudaMemcpyDeviceToHost));
        for (unsigned line = 0; line < lines; line++)
            expect(cycles[(size_t)i * lines + line] > 0, "an SM that had no block", i * all / sms);
    }
    bool by_sm = options[TABLE].value == 0;
    printf("%s", by_sm ? "sm" : "offset");
    for (unsigned column = 0; column < (by_sm ? lines : (unsigned)sms); column++)
        printf(by_sm ? ",%zu" : ",sm%zu", by_sm ? column * apart : (size_t)column * all / sms);
    for (unsigned i = 0; i < (by_sm ? (unsigned)sms : lines); i++) {
        printf("\n%zu", by_sm ? (size_t)i * all / sms : i * apart);
        for (unsigned j = 0; j < (by_sm ? lines : (unsigned)sms); j++)
            printf(",%d", by_sm ? cycles[(size_t)i * lines + j] : cycles[(size_t)j * lines + i]);
    }
    printf("\n");
    return measure_verdict("places");
}
