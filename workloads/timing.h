// What programs that measure time share: the device's clocks, whether they tell time at all, and
// how long a launch's blocks took together.
//
// A simulator without time counts something else, such as instructions. A load that waits for the
// one before takes some dozens of cycles on any GPU and a few instructions, which tells them apart.
#ifndef WORKLOAD_TIMING_H
#define WORKLOAD_TIMING_H

#include "workload.h"

enum { TIMING_HOPS = 64, TIMING_LEAST_CYCLES = 8 };

__device__ inline unsigned long long timing_nanoseconds(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void timing_probe(void **word, long long *ticks)
{
    void **at = word;
    long long begin = clock64();
    for (int i = 0; i < TIMING_HOPS; i++)
        at = (void **)*at;
    ticks[1] = (long long)at; // which waits for the last load
    ticks[0] = clock64() - begin;
}

// Whether the device's clocks tell time; if not, says so.
static inline bool timing_is_told(const char *program)
{
    void *word = NULL, **device = (void **)workload_upload(&word, sizeof word);
    long long ticks[2] = {0, 0}, *device_ticks = (long long *)workload_upload(ticks, sizeof ticks);
    word = device;
    WORKLOAD_CHECK(cudaMemcpy(device, &word, sizeof word, cudaMemcpyHostToDevice));
    timing_probe<<<1, 1>>>(device, device_ticks);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(ticks, device_ticks, sizeof ticks, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(device_ticks));
    bool told = ticks[0] >= TIMING_HOPS * TIMING_LEAST_CYCLES;
    if (!told)
        printf("%s: clocks tell no time here, so nothing is measured\n", program);
    return told;
}

// From the first block's begin to the last one's end: `times` has both of each block.
static inline double timing_of(const unsigned long long *device_times, unsigned blocks)
{
    size_t bytes = 2 * blocks * sizeof(unsigned long long);
    unsigned long long *times = (unsigned long long *)workload_allocate(bytes);
    WORKLOAD_CHECK(cudaMemcpy(times, device_times, bytes, cudaMemcpyDeviceToHost));
    unsigned long long first = times[0], last = times[1];
    for (unsigned i = 1; i < blocks; i++) {
        first = times[2 * i] < first ? times[2 * i] : first;
        last = times[2 * i + 1] > last ? times[2 * i + 1] : last;
    }
    free(times);
    return last > first ? (double)(last - first) : 1;
}

#endif
