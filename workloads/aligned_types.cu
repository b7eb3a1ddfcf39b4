// Structures copied from one array to another, each thread with a stride of the whole grid: what
// the compiler knows of a structure's alignment decides how many loads one copy is, and so how much
// of its lines each load uses. Four numbers of 32 bits without a promise are four loads, each with
// its lanes 16 bytes apart; aligned to 16 bytes they are one.
//
// The types are those of NVIDIA's SDK sample alignedTypes.
#include "workload.h"

struct four_bytes {
    unsigned char r, g, b, a;
};

struct two_words {
    unsigned l, a;
};

struct three_words {
    unsigned r, g, b;
};

struct four_words {
    unsigned r, g, b, a;
};

struct __align__(4) four_bytes_aligned
{
    unsigned char r, g, b, a;
};

struct __align__(8) two_words_aligned
{
    unsigned l, a;
};

// 12 bytes, and 4 that are in no member.
struct __align__(16) three_words_aligned
{
    unsigned r, g, b;
};

struct __align__(16) four_words_aligned
{
    unsigned r, g, b, a;
};

struct eight_words_aligned {
    struct four_words_aligned first, second;
};

template <typename element>
__global__ void aligned_types_copy(const element *in, element *out, unsigned count)
{
    unsigned threads = blockDim.x * gridDim.x;
#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)
        out[i] = in[i];
}

enum { N, GRID, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "structures of each type", 20000, 1, 1 << 22, NULL},
    {"grid", "blocks", 64, 1, 65535, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random bytes", 1, 0, 1000000000, NULL},
};

// Copies as many structures as there are. Returns the place of the first byte that differs, or -1;
// of each structure the first `used` bytes count.
template <typename element>
static long copy_and_compare(const unsigned char *bytes, unsigned char *found, size_t used)
{
    size_t count = (size_t)options[N].value, size = count * sizeof(element);
    element *in = (element *)workload_upload(bytes, size), *out;
    WORKLOAD_CHECK(cudaMalloc((void **)&out, size));
    WORKLOAD_CHECK(cudaMemset(out, 0, size));
    aligned_types_copy<<<(unsigned)options[GRID].value, (unsigned)options[BLOCK].value>>>(
        in, out, (unsigned)count);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, out, size, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(in));
    WORKLOAD_CHECK(cudaFree(out));
    for (size_t i = 0; i < size; i++)
        if (i % sizeof(element) < used && found[i] != bytes[i])
            return (long)i;
    return -1;
}

typedef long copier(const unsigned char *bytes, unsigned char *found, size_t used);

static const struct {
    copier *copy;
    size_t used; // bytes of a structure that members lie in
} types[] = {
    {copy_and_compare<unsigned char>, 1},        {copy_and_compare<unsigned short>, 2},
    {copy_and_compare<four_bytes>, 4},           {copy_and_compare<two_words>, 8},
    {copy_and_compare<three_words>, 12},         {copy_and_compare<four_words>, 16},
    {copy_and_compare<four_bytes_aligned>, 4},   {copy_and_compare<two_words_aligned>, 8},
    {copy_and_compare<three_words_aligned>, 12}, {copy_and_compare<four_words_aligned>, 16},
    {copy_and_compare<eight_words_aligned>, 32},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "aligned_types", "copies structures of many sizes and alignments",
                   options, OPTIONS);
    size_t largest = (size_t)options[N].value * sizeof(struct eight_words_aligned);
    unsigned char *bytes = (unsigned char *)workload_allocate(largest);
    unsigned char *found = (unsigned char *)workload_allocate(largest);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < largest; i++)
        bytes[i] = (unsigned char)(1 + workload_below(&random, 255));
    long wrong = -1;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types) && wrong < 0; i++)
        wrong = types[i].copy(bytes, found, types[i].used);
    free(bytes);
    free(found);
    return workload_verdict("aligned_types", wrong);
}
