// What the two benchmarks that map text to keys and reduce those share, in Mars's manner: text that
// is made from a seed, keys that stay in the text where they were found, and a sort that puts equal
// keys side by side.
#ifndef WORKLOAD_MAP_REDUCE_H
#define WORKLOAD_MAP_REDUCE_H

#include "workload.h"

// ---- text

struct text {
    unsigned char *bytes;
    unsigned size, capacity;
};

static inline struct text text_new(unsigned capacity)
{
    struct text text = {(unsigned char *)workload_allocate(capacity), 0, capacity};
    return text;
}

// What does not fit is left out.
static inline void text_add(struct text *text, const char *more)
{
    for (; *more && text->size < text->capacity; more++)
        text->bytes[text->size++] = (unsigned char)*more;
}

// A number from 0 to 2^octaves - 2, each power of two as often as any other, as of words in a
// language: half as often twice as far down the list (Zipf).
static inline unsigned text_rank(struct workload_random *random, unsigned octaves)
{
    unsigned first = 1u << workload_below(random, octaves);
    return first - 1 + workload_below(random, first);
}

// The word of a rank: no two ranks have one.
static inline void text_add_word(struct text *text, unsigned rank)
{
    do {
        char syllable[3] = {"bcdfgklmnprstvwz"[rank % 16], "aeio"[rank / 16 % 4], '\0'};
        text_add(text, syllable);
        rank /= 64;
    } while (rank > 0);
}

// The address of a rank: no two ranks have one. The more seldom, the longer, give or take.
static inline void text_add_address(struct text *text, unsigned rank)
{
    text_add(text, "http://www.");
    text_add_word(text, rank);
    text_add(text, ".org/");
    for (unsigned part = 0; part < 1 + rank * 7 % 5; part++)
        text_add_word(text, 64 + rank * 31 % 4000 + part);
}

// ---- keys

// `length` bytes of the text from `start` on, and what belongs to them. Keys of different hashes
// differ; a program that does not hash leaves it 0.
struct record {
    unsigned hash, start, length, value;
};

// Below, at or above zero as key `a` comes before, is the same as or comes after `b`: byte by byte,
// as far as the hashes do not tell.
static inline __device__ int record_compare(const unsigned char *text, struct record a,
                                            struct record b)
{
    if (a.hash != b.hash)
        return a.hash < b.hash ? -1 : 1;
    for (unsigned k = 0; k < a.length && k < b.length; k++) {
        int difference = (int)text[a.start + k] - (int)text[b.start + k];
        if (difference != 0)
            return difference;
    }
    return (int)a.length - (int)b.length;
}

// A step of a bitonic sort: record i and record i ^ mask, the smaller one first; of equal keys the
// one of smaller value.
static __global__ void record_sort_step(const unsigned char *text, struct record *records,
                                        unsigned count, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ mask;
    if (other <= i || other >= count)
        return;
    struct record low = records[i], high = records[other];
    int order = record_compare(text, low, high);
    if (order > 0 || (order == 0 && low.value > high.value)) {
        records[i] = high;
        records[other] = low;
    }
}

// Whether a record's key is another than that of the one before it.
static __global__ void record_mark_first(const unsigned char *text, const struct record *records,
                                         unsigned char *first, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        first[i] = i == 0 || record_compare(text, records[i - 1], records[i]) != 0;
}

// The first step of each size compares a half with the other half reversed, so that all steps put
// the smaller one first: records past the last, which are not there, then count as the largest.
// With `run`, a power of two, sorting ends when each run of as many records is sorted; 0 is all.
static inline void records_sort(const unsigned char *text, struct record *records, unsigned count,
                                unsigned run, unsigned block)
{
    unsigned grid = (count + block - 1) / block;
    for (unsigned size = 2; size / 2 < count && (run == 0 || size <= run); size *= 2)
        for (unsigned mask = size - 1; mask > 0; mask = mask == size - 1 ? size / 4 : mask / 2) {
            record_sort_step<<<grid, block>>>(text, records, count, mask);
            WORKLOAD_CHECK_LAUNCH();
        }
}

// For each of the sorted records on the device whether its key is the first of its kind.
static inline unsigned char *records_first(const unsigned char *text, const struct record *records,
                                           unsigned count, unsigned block)
{
    unsigned char *host = (unsigned char *)workload_allocate(count), *device;
    WORKLOAD_CHECK(cudaMalloc((void **)&device, count));
    record_mark_first<<<(count + block - 1) / block, block>>>(text, records, device, count);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(host, device, count, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device));
    return host;
}

// A copy of the device's records.
static inline struct record *records_download(const struct record *records, unsigned count)
{
    struct record *host = (struct record *)workload_allocate(count * sizeof(struct record));
    WORKLOAD_CHECK(
        cudaMemcpy(host, records, count * sizeof(struct record), cudaMemcpyDeviceToHost));
    return host;
}

#endif
