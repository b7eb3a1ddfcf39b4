// What the device and its driver need beside the work itself: launches, copies, fills.
//
//   launch-…        kernels that do nothing, one after the other, by blocks and by threads of a
//   block:
//                   microseconds of one from the device's clock (events), and from the host's
//   graph           the same as nodes of a graph
//   launch-gap      from the last instruction of a kernel to the first of the next, by the global
//   timer launch-wait     one launch and a wait for its end, by the host's clock h2d, d2h, d2d,
//   fill      bytes a second by size; -pageable: from memory that is not pinned clock           the
//   SM's cycles a nanosecond, from both clocks of one kernel
#include <time.h>

#include "measure.h"

__global__ void nothing(void)
{
}

__global__ void stamp(unsigned long long *times)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    times[0] = now;
}

__global__ void both_clocks(unsigned long long *ticks, unsigned long long nanoseconds)
{
    unsigned long long begin, now;
    long long cycles = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
    ticks[0] = now - begin;
    ticks[1] = clock64() - cycles;
}

static double host_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

enum { LAUNCHES, LARGEST, REPEATS, CLOCK, ONLY, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"launches", "one after the other", 500, 2, 100000, NULL},
    {"largest", "KiB of the largest copy", 256 << 10, 1, 1 << 22, NULL},
    {"repeats", "of each measurement", 7, 1, 100, NULL},
    {"clock", "microseconds of the clocks' comparison, 0 for none", 20000, 0, 1000000, NULL},
    {"only", "one part", 0, 0, 0, "all launches graph gaps copies"},
};

static void launches(struct stopwatch *watch, unsigned blocks, unsigned threads)
{
    static struct samples device, host;
    unsigned count = (unsigned)options[LAUNCHES].value;
    for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
        WORKLOAD_CHECK(cudaDeviceSynchronize());
        double begin = host_nanoseconds();
        stopwatch_begin(watch);
        for (unsigned i = 0; i < count; i++)
            nothing<<<blocks, threads>>>();
        double spent = stopwatch_end(watch);
        double all = host_nanoseconds() - begin;
        WORKLOAD_CHECK(cudaGetLastError());
        if (repeat > 0) {
            samples_add(&device, spent / count);
            samples_add(&host, all / count);
        }
    }
    char variant[64];
    snprintf(variant, sizeof variant, "launch of %u threads a block", threads);
    row("overhead", variant, blocks, "block", &device, "ns");
    snprintf(variant, sizeof variant, "launch of %u threads a block (host)", threads);
    row("overhead", variant, blocks, "block", &host, "ns");
}

static void graph(struct stopwatch *watch)
{
    static struct samples samples;
    unsigned count = (unsigned)options[LAUNCHES].value;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    WORKLOAD_CHECK(cudaStreamCreate(&stream));
    WORKLOAD_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (unsigned i = 0; i < count; i++)
        nothing<<<1, WARP, 0, stream>>>();
    WORKLOAD_CHECK(cudaStreamEndCapture(stream, &graph));
    WORKLOAD_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
        stopwatch_begin(watch);
        WORKLOAD_CHECK(cudaGraphLaunch(executable, 0));
        double spent = stopwatch_end(watch);
        if (repeat > 0)
            samples_add(&samples, spent / count);
    }
    row("overhead", "graph", 1, "block", &samples, "ns");
    WORKLOAD_CHECK(cudaGraphExecDestroy(executable));
    WORKLOAD_CHECK(cudaGraphDestroy(graph));
    WORKLOAD_CHECK(cudaStreamDestroy(stream));
}

static void gaps(void)
{
    static struct samples gap, wait;
    unsigned count = (unsigned)std::min(options[LAUNCHES].value, 256l);
    unsigned long long *times, *host = (unsigned long long *)workload_allocate(count * 8);
    WORKLOAD_CHECK(cudaMalloc((void **)&times, count * 8));
    for (unsigned i = 0; i < count; i++)
        stamp<<<1, 1>>>(times + i);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(host, times, count * 8, cudaMemcpyDeviceToHost));
    for (unsigned i = 1; i < count; i++)
        samples_add(&gap, (double)(host[i] - host[i - 1]));
    row("overhead", "launch-gap", 1, "block", &gap, "ns");
    for (unsigned i = 0; i < count; i++) {
        double begin = host_nanoseconds();
        nothing<<<1, WARP>>>();
        WORKLOAD_CHECK_LAUNCH();
        samples_add(&wait, host_nanoseconds() - begin);
    }
    row("overhead", "launch-wait (host)", 1, "block", &wait, "ns");
    WORKLOAD_CHECK(cudaFree(times));
    free(host);
}

// The device's nanoseconds of one copy, in the order in which work is queued.
static double time_copy(struct stopwatch *watch, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind)
{
    stopwatch_begin(watch);
    WORKLOAD_CHECK(cudaMemcpyAsync(to, from, bytes, kind, 0));
    return stopwatch_end(watch);
}

static void copies(struct stopwatch *watch)
{
    static struct samples samples[5];
    static const char *const names[] = {"h2d", "d2h", "d2d", "fill", "h2d-pageable"};
    size_t most = (size_t)options[LARGEST].value << 10;
    char *pinned, *pageable = (char *)workload_allocate(most), *device, *other;
    WORKLOAD_CHECK(cudaMallocHost((void **)&pinned, most));
    WORKLOAD_CHECK(cudaMalloc((void **)&device, most));
    WORKLOAD_CHECK(cudaMalloc((void **)&other, most));
    for (size_t i = 0; i < most; i++)
        pinned[i] = pageable[i] = (char)(i * 7 + i / 1000);
    for (size_t bytes = 4; bytes <= most; bytes *= 4) {
        for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
            double times[5];
            times[0] = time_copy(watch, device, pinned, bytes, cudaMemcpyHostToDevice);
            times[2] = time_copy(watch, other, device, bytes, cudaMemcpyDeviceToDevice);
            memset(pinned, 0, bytes);
            times[1] = time_copy(watch, pinned, other, bytes, cudaMemcpyDeviceToHost);
            expect(memcmp(pinned, pageable, bytes) == 0, "bytes copied", (double)bytes);
            stopwatch_begin(watch);
            WORKLOAD_CHECK(cudaMemsetAsync(other, 1, bytes, 0));
            times[3] = stopwatch_end(watch);
            times[4] = time_copy(watch, other, pageable, bytes, cudaMemcpyHostToDevice);
            for (int i = 0; i < 5 && repeat > 0; i++)
                samples_add(&samples[i], times[i]);
        }
        for (int i = 0; i < 5; i++)
            row("copies", names[i], (double)bytes, "byte", &samples[i], "ns");
    }
    free(pageable);
    WORKLOAD_CHECK(cudaFreeHost(pinned));
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(other));
}

static void clocks(void)
{
    static struct samples samples;
    unsigned long long ticks[2], *device;
    WORKLOAD_CHECK(cudaMalloc((void **)&device, sizeof ticks));
    for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
        both_clocks<<<1, 1>>>(device, (unsigned long long)options[CLOCK].value * 1000);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(ticks, device, sizeof ticks, cudaMemcpyDeviceToHost));
        samples_add(&samples, (double)ticks[1] / ticks[0]);
    }
    row("clock", "clock", (double)options[CLOCK].value, "us", &samples, "cycle/ns");
    WORKLOAD_CHECK(cudaFree(device));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "overhead", "launches, copies and clocks", options, OPTIONS);
    struct stopwatch watch = stopwatch_new();
    measure_wake(options[LAUNCHES].value > 50 ? 200 : 0);
    row_header();
    if (options[CLOCK].value > 0)
        clocks();
    const struct workload_option *only = &options[ONLY];
    unsigned sms = measure_sms();
    for (unsigned blocks : {1u, sms, 8 * sms, 64 * sms, 512 * sms})
        for (unsigned threads : {32u, 256u, 1024u})
            if (measure_selects(only, "launches") &&
                (size_t)blocks * options[LAUNCHES].value <= 40000000)
                launches(&watch, blocks, threads);
    if (measure_selects(only, "graph"))
        graph(&watch);
    if (measure_selects(only, "gaps"))
        gaps();
    if (measure_selects(only, "copies"))
        copies(&watch);
    return measure_verdict("overhead");
}
