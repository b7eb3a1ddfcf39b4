// What the programs that measure a GPU share: rows of a table, repeated values, times, and chains
// of pointers. Plain CUDA C++; options and error checks are those of workloads/workload.h.
//
// Every program prints one table as comma-separated values to standard output, a measured value a
// row, whose columns row_header() names, and its verdict to standard error. What it has measured is
// only as good as what it has computed: sums and places are compared with the host's.
#ifndef MEASURE_H
#define MEASURE_H

#include <algorithm>
#include <math.h>

#include "../../../../workloads/workload.h"

enum { MOST_SAMPLES = 4096, WARP = 32 };

// Values of one quantity, of which a row says the median, the least and the most.
struct samples {
    double values[MOST_SAMPLES];
    int count;
};

static inline void samples_add(struct samples *samples, double value)
{
    if (samples->count < MOST_SAMPLES)
        samples->values[samples->count++] = value;
}

static inline void row_header(void)
{
    printf("experiment,variant,parameter,parameter_unit,value,unit,least,most,samples\n");
}

// One row, and the samples are empty again.
static inline void row(const char *experiment, const char *variant, double parameter,
                       const char *parameter_unit, struct samples *samples, const char *unit)
{
    std::sort(samples->values, samples->values + samples->count);
    int count = samples->count, last = count ? count - 1 : 0;
    printf("%s,%s,%.10g,%s,%.6g,%s,%.6g,%.6g,%d\n", experiment, variant, parameter, parameter_unit,
           samples->values[last / 2], unit, samples->values[0], samples->values[last], count);
    fflush(stdout);
    samples->count = 0;
}

static inline void row_of_one(const char *experiment, const char *variant, double parameter,
                              const char *parameter_unit, double value, const char *unit)
{
    static struct samples one;
    samples_add(&one, value);
    row(experiment, variant, parameter, parameter_unit, &one, unit);
}

static long measure_wrong; // checks that failed

static inline void expect(bool right, const char *what, double parameter)
{
    if (!right && measure_wrong++ < 10)
        fprintf(stderr, "wrong: %s at %.10g\n", what, parameter);
}

static inline int measure_verdict(const char *program)
{
    fprintf(stderr, "%s: %s\n", program, measure_wrong ? "FAIL" : "PASS");
    return measure_wrong ? 1 : 0;
}

// The SM's clock, read when `needed` is there: the branch on it cannot be left out, and what stands
// behind a branch is not done before it.
__device__ inline long long measure_clock_after(const void *needed)
{
    long long now;
    asm volatile("{ .reg .pred none; setp.eq.u64 none, %1, 0; @none trap;\n"
                 "mov.u64 %0, %%clock64; }"
                 : "=l"(now)
                 : "l"(needed)
                 : "memory");
    return now;
}

// A number without pattern for each place (the finaliser of MurmurHash3, A. Appleby).
__host__ __device__ inline unsigned measure_mixed(unsigned number)
{
    number ^= number >> 16;
    number *= 0x85ebca6bu;
    number ^= number >> 13;
    number *= 0xc2b2ae35u;
    return number ^ number >> 16;
}

__global__ void measure_fill(unsigned *words, size_t count)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step)
        words[i] = measure_mixed((unsigned)i);
}

// Whether an option selects that part; its first choice, "all", selects each.
static inline bool measure_selects(const struct workload_option *only, const char *part)
{
    size_t length;
    const char *word = workload_word(only->choices, only->value, &length);
    return only->value == 0 || (strlen(part) == length && strncmp(word, part, length) == 0);
}

// Device memory with measure_mixed of each word's place in it.
static inline unsigned *measure_words(size_t bytes)
{
    unsigned *words;
    WORKLOAD_CHECK(cudaMalloc((void **)&words, bytes));
    measure_fill<<<1024, 256>>>(words, bytes / sizeof *words);
    WORKLOAD_CHECK_LAUNCH();
    return words;
}

// The place of shared memory as instructions of that space have it.
__device__ inline unsigned measure_shared(const void *generic)
{
    unsigned long long place;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(place) : "l"(generic));
    return (unsigned)place;
}

// cudaDevAttrReservedSharedMemoryPerBlock, which not every toolkit's headers name.
static const cudaDeviceAttr RESERVED_SHARED_OF_BLOCK = (cudaDeviceAttr)111;

static inline int measure_attribute(cudaDeviceAttr attribute)
{
    int value = 0;
    WORKLOAD_CHECK(cudaDeviceGetAttribute(&value, attribute, 0));
    return value;
}

static inline int measure_sms(void)
{
    return measure_attribute(cudaDevAttrMultiProcessorCount);
}

// Times of what a stream does between two calls.
struct stopwatch {
    cudaEvent_t begin, end;
    double launch; // nanoseconds that are left out
};

static inline struct stopwatch stopwatch_new(void)
{
    struct stopwatch watch = {};
    WORKLOAD_CHECK(cudaEventCreate(&watch.begin));
    WORKLOAD_CHECK(cudaEventCreate(&watch.end));
    return watch;
}

static inline void stopwatch_begin(struct stopwatch *watch)
{
    WORKLOAD_CHECK(cudaEventRecord(watch->begin, 0));
}

// Nanoseconds since stopwatch_begin, but those of a launch where they are left out; never 0, so
// that rates can be made of it.
static inline double stopwatch_end(struct stopwatch *watch)
{
    float milliseconds = 0;
    WORKLOAD_CHECK(cudaEventRecord(watch->end, 0));
    WORKLOAD_CHECK(cudaEventSynchronize(watch->end));
    WORKLOAD_CHECK(cudaEventElapsedTime(&milliseconds, watch->begin, watch->end));
    return std::max(milliseconds * 1e6 - watch->launch, 1.0);
}

__global__ void measure_nothing(void)
{
}

// From now on what a launch takes by itself is left out: where little is launched for a simulator,
// it would be a large part of what takes long on a device.
static inline void stopwatch_leave_out_launch(struct stopwatch *watch)
{
    for (int i = 0; i < 3; i++) {
        watch->launch = 0;
        stopwatch_begin(watch);
        measure_nothing<<<1, WARP>>>();
        watch->launch = stopwatch_end(watch);
    }
}

__global__ void measure_busy(unsigned *word, unsigned turns)
{
    unsigned number = threadIdx.x;
    for (unsigned i = 0; i < turns; i++)
        number = measure_mixed(number);
    if (number == 12345)
        *word = number;
}

// Clocks rise when there is work: some tenths of a second of it, before anything is measured.
static inline void measure_wake(long milliseconds)
{
    struct stopwatch watch = stopwatch_new();
    unsigned *word = (unsigned *)workload_upload("word", 4);
    for (double spent = 0; spent < milliseconds * 1e6;) {
        stopwatch_begin(&watch);
        measure_busy<<<measure_sms() * 2, 256>>>(word, 20000);
        spent += stopwatch_end(&watch);
    }
    WORKLOAD_CHECK(cudaFree(word));
}

// The order in which a chain goes through `count` places, each once: from the first to the last,
// or a random one. The caller frees it.
static inline unsigned *measure_order(unsigned count, bool shuffled, unsigned seed)
{
    struct workload_random random = {seed};
    unsigned *order = (unsigned *)workload_allocate((size_t)count * sizeof *order);
    for (unsigned i = 0; i < count; i++)
        order[i] = i;
    for (unsigned i = count; shuffled && i > 1; i--)
        std::swap(order[i - 1], order[workload_below(&random, i)]);
    return order;
}

// Where a place of the chain lies: a stride further than the one before it, and within the stride
// by `jitter`, a multiple of 128 bytes below it, so that places of large strides do not all lie at
// the same bytes of a page.
__host__ __device__ inline size_t measure_place(unsigned place, size_t stride, size_t jitter)
{
    return place * stride + (jitter ? measure_mixed(place) % (jitter / 128) * 128 : 0);
}

__global__ void measure_link(char *base, const unsigned *order, unsigned count, size_t stride,
                             size_t jitter)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        unsigned next = order[i + 1 < count ? i + 1 : 0];
        *(char **)(base + measure_place(order[i], stride, jitter)) =
            base + measure_place(next, stride, jitter);
    }
}

#endif
