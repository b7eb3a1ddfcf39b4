// How long a load takes by the bytes that a program goes round in: L1, L2, and DRAM show as steps.
// One thread follows pointers, each in the word that the one before led to, so that no load begins
// before the last has ended.
//
//   ring      the next word is one stride further: neighbours of a DRAM row come one after another
//   shuffled  the words of the ring come in an order without pattern
//
// Each working set is gone round once before it is measured.
#include "timing.h"

__global__ void pointer_chase(void **first, unsigned warm, unsigned hops, void **last,
                              long long *cycles)
{
    void **at = first;
    for (unsigned i = 0; i < warm; i++)
        at = (void **)*at;
    last[0] = at; // which waits for the last of them
    long long begin = clock64();
    for (unsigned i = 0; i < hops; i++)
        at = (void **)*at;
    last[1] = at;
    *cycles = clock64() - begin;
}

enum { FROM, SIZE, STRIDE, HOPS, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"from", "KiB of the smallest working set; each is twice the one before", 16, 1, 1 << 20, NULL},
    {"size", "KiB of the largest", 8192, 1, 1 << 20, NULL},
    {"stride", "bytes from a word to the next, a multiple of 8", 128, 8, 1 << 20, NULL},
    {"hops", "loads that are measured", 1000, 1, 1000000, NULL},
    {"seed", "of the shuffled order", 1, 0, 1000000000, NULL},
    {"variant", "the order of the words", 0, 0, 0, "ring shuffled"},
};

// Links `words` words of `stride` bytes, which will lie at `base` on the device: order[i] comes
// before order[i + 1].
static void link_words(char *host, char *base, const unsigned *order, unsigned words, size_t stride)
{
    for (unsigned i = 0; i < words; i++) {
        char *next = base + order[i + 1 < words ? i + 1 : 0] * stride;
        memcpy(host + order[i] * stride, &next, sizeof next);
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "pointer_chase", "cycles of a load by the bytes it is one of",
                   options, OPTIONS);
    size_t stride = (size_t)options[STRIDE].value / 8 * 8, most = (size_t)options[SIZE].value << 10;
    unsigned hops = (unsigned)options[HOPS].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    char *host = (char *)workload_allocate(most + stride);
    unsigned *order = (unsigned *)workload_allocate((most / stride + 1) * sizeof *order);
    void *last[2] = {NULL, NULL}, **device_last = (void **)workload_upload(last, sizeof last);
    long long cycles = 0, *device_cycles = (long long *)workload_upload(&cycles, sizeof cycles);
    long wrong = -1;
    bool told = timing_is_told("pointer_chase");
    if (told)
        printf("working set  cycles a load\n");
    for (size_t size = (size_t)options[FROM].value << 10; size <= most && wrong < 0; size *= 2) {
        unsigned words = size / stride > 1 ? (unsigned)(size / stride) : 1;
        for (unsigned i = 0; i < words; i++)
            order[i] = i;
        for (unsigned i = words - 1; options[VARIANT].value == 1 && i > 0; i--) {
            unsigned other = workload_below(&random, i + 1), word = order[i];
            order[i] = order[other];
            order[other] = word;
        }
        memset(host, 0, words * stride);
        char *base;
        WORKLOAD_CHECK(cudaMalloc((void **)&base, words * stride));
        link_words(host, base, order, words, stride);
        WORKLOAD_CHECK(cudaMemcpy(base, host, words * stride, cudaMemcpyHostToDevice));
        pointer_chase<<<1, 1>>>((void **)(base + order[0] * stride), words, hops, device_last,
                                device_cycles);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(last, device_last, sizeof last, cudaMemcpyDeviceToHost));
        WORKLOAD_CHECK(cudaMemcpy(&cycles, device_cycles, sizeof cycles, cudaMemcpyDeviceToHost));
        if (last[0] != base + order[0] * stride || last[1] != base + order[hops % words] * stride)
            wrong = (long)(size >> 10);
        if (told)
            printf("%7zu KiB  %13.1f\n", size >> 10, (double)cycles / hops);
        WORKLOAD_CHECK(cudaFree(base));
    }
    WORKLOAD_CHECK(cudaFree(device_last));
    WORKLOAD_CHECK(cudaFree(device_cycles));
    free(host);
    free(order);
    return workload_verdict("pointer_chase", wrong);
}
