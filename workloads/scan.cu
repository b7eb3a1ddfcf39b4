// The exclusive prefix sum of a vector of whole numbers: out[i] = in[0] + … + in[i - 1]. Each block
// scans a part in shared memory and leaves its total; the totals are scanned the same way, and then
// added to the parts. So the vector crosses the DRAM twice in, twice out.
//
//   hillis-steele  log2(block) steps in which every thread adds: more additions, few barriers
//   blelloch       a tree up and a tree down, half as many threads with each step: fewer additions,
//                  twice the barriers, and strides that are powers of two, so banks conflict
//   padded         blelloch with one word of padding for each 32, which spreads the strides
#include "workload.h"

__global__ void scan_hillis_steele(const unsigned int *in, unsigned int *out, unsigned int *totals,
                                   unsigned n)
{
    extern __shared__ unsigned int part[]; // two copies: a step reads one and writes the other
    unsigned lane = threadIdx.x, i = blockIdx.x * blockDim.x + lane;
    unsigned int *from = part, *to = part + blockDim.x;
    unsigned int mine = i < n ? in[i] : 0;
    from[lane] = mine;
    __syncthreads();
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        to[lane] = from[lane] + (lane >= distance ? from[lane - distance] : 0);
        __syncthreads();
        unsigned int *swap = from;
        from = to;
        to = swap;
    }
    if (i < n)
        out[i] = from[lane] - mine;
    if (lane == blockDim.x - 1)
        totals[blockIdx.x] = from[lane];
}

// The two trees differ in where a word of the part lies.
static __device__ unsigned place(unsigned i, bool padded)
{
    return padded ? i + i / 32 : i;
}

static __device__ void scan_tree(const unsigned int *in, unsigned int *out, unsigned int *totals,
                                 unsigned n, bool padded)
{
    extern __shared__ unsigned int part[];
    unsigned lane = threadIdx.x, length = 2 * blockDim.x; // a thread holds two elements
    unsigned first = blockIdx.x * length + lane, second = first + blockDim.x;
    part[place(lane, padded)] = first < n ? in[first] : 0;
    part[place(lane + blockDim.x, padded)] = second < n ? in[second] : 0;
    unsigned stride = 1;
    for (unsigned working = blockDim.x; working > 0; working /= 2, stride *= 2) {
        __syncthreads();
        if (lane < working) {
            unsigned left = place(stride * (2 * lane + 1) - 1, padded);
            unsigned right = place(stride * (2 * lane + 2) - 1, padded);
            part[right] += part[left];
        }
    }
    if (lane == 0) {
        totals[blockIdx.x] = part[place(length - 1, padded)];
        part[place(length - 1, padded)] = 0;
    }
    for (unsigned working = 1; working <= blockDim.x; working *= 2) {
        stride /= 2;
        __syncthreads();
        if (lane < working) {
            unsigned left = place(stride * (2 * lane + 1) - 1, padded);
            unsigned right = place(stride * (2 * lane + 2) - 1, padded);
            unsigned int kept = part[left];
            part[left] = part[right];
            part[right] += kept;
        }
    }
    __syncthreads();
    if (first < n)
        out[first] = part[place(lane, padded)];
    if (second < n)
        out[second] = part[place(lane + blockDim.x, padded)];
}

__global__ void scan_blelloch(const unsigned int *in, unsigned int *out, unsigned int *totals,
                              unsigned n)
{
    scan_tree(in, out, totals, n, false);
}

__global__ void scan_padded(const unsigned int *in, unsigned int *out, unsigned int *totals,
                            unsigned n)
{
    scan_tree(in, out, totals, n, true);
}

__global__ void add_totals(unsigned int *out, const unsigned int *totals, unsigned n,
                           unsigned length)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += totals[i / length];
}

// The variant `pairs`: a thread has two neighbours, and adds to each what lies 1, 2, 4 and so on
// before it, in steps of all threads as in `hillis-steele`. The pattern is that of the AMD APP
// SDK's sample ScanLargeArrays.
__global__ void scan_pairs(const unsigned int *in, unsigned int *out, unsigned int *totals,
                           unsigned n)
{
    extern __shared__ unsigned int part[];
    unsigned length = 2 * blockDim.x, left = 2 * threadIdx.x, right = left + 1;
    unsigned first = blockIdx.x * length + left, second = first + 1;
    part[left] = first < n ? in[first] : 0;
    part[right] = second < n ? in[second] : 0;
    for (unsigned distance = 1; distance < length; distance *= 2) {
        __syncthreads();
        unsigned int before_left = left >= distance ? part[left - distance] : 0;
        unsigned int before_right = right >= distance ? part[right - distance] : 0;
        __syncthreads();
        part[left] += before_left;
        part[right] += before_right;
    }
    __syncthreads();
    if (first < n)
        out[first] = left > 0 ? part[left - 1] : 0;
    if (second < n)
        out[second] = part[left];
    if (threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = part[right];
}

enum { N, BLOCK, SEED, VARIANT, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "elements of the vector", 1 << 20, 1, 1 << 28, NULL},
    {"block", "threads of a block, a power of two", 256, 32, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "how a block scans its part", 0, 0, 0, "hillis-steele blelloch padded pairs"},
    WORKLOAD_SERIAL_OPTION,
};

// Scans n elements of device memory from `in` to `out` (which may be the same).
static void scan(const unsigned int *in, unsigned int *out, unsigned n, unsigned block,
                 long variant)
{
    unsigned length = variant == 0 ? block : 2 * block; // elements of one block's part
    unsigned parts = (n + length - 1) / length;
    unsigned int *totals;
    WORKLOAD_CHECK(cudaMalloc((void **)&totals, parts * sizeof(unsigned int)));
    size_t shared_bytes = (2 * block + (variant == 2 ? 2 * block / 32 : 0)) * sizeof(unsigned int);
    if (variant == 0)
        scan_hillis_steele<<<parts, block, shared_bytes>>>(in, out, totals, n);
    else if (variant == 1)
        scan_blelloch<<<parts, block, shared_bytes>>>(in, out, totals, n);
    else if (variant == 2)
        scan_padded<<<parts, block, shared_bytes>>>(in, out, totals, n);
    else
        scan_pairs<<<parts, block, shared_bytes>>>(in, out, totals, n);
    WORKLOAD_CHECK_LAUNCH();
    if (parts > 1) {
        scan(totals, totals, parts, block, variant);
        add_totals<<<(n + block - 1) / block, block>>>(out, totals, n, length);
        WORKLOAD_CHECK_LAUNCH();
    }
    WORKLOAD_CHECK(cudaFree(totals));
}

WORKLOAD_SERIAL static void scan_serially(const unsigned int *in, unsigned int *out, unsigned n)
{
    unsigned int sum = 0;
    for (unsigned i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i];
    }
}

static void scan_on_device(const unsigned int *in, unsigned int *out, unsigned n)
{
    size_t bytes = n * sizeof(unsigned int);
    unsigned int *device_in = (unsigned int *)workload_upload(in, bytes), *device_out;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_out, bytes));
    scan(device_in, device_out, n, (unsigned)options[BLOCK].value, options[VARIANT].value);
    WORKLOAD_CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_out));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "scan", "exclusive prefix sum of whole numbers", options, OPTIONS);
    workload_check_power_of_two("scan", &options[BLOCK]);
    unsigned n = (unsigned)options[N].value;
    size_t bytes = n * sizeof(unsigned int);
    unsigned int *in = (unsigned int *)workload_allocate(bytes);
    unsigned int *out = (unsigned int *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < n; i++)
        in[i] = workload_next(&random);

    if (options[SERIAL].value) {
        workload_trace_begin();
        scan_serially(in, out, n);
        workload_trace_end();
    } else {
        scan_on_device(in, out, n);
    }

    long wrong = -1;
    unsigned int expected = 0;
    for (unsigned i = 0; i < n && wrong < 0; i++) {
        if (out[i] != expected)
            wrong = (long)i;
        expected += in[i];
    }
    free(in);
    free(out);
    return workload_verdict("scan", wrong);
}
