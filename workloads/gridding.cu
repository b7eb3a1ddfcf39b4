// Samples of a scan, anywhere in space, are gathered onto a grid: a point is the sum of all samples
// within two of it, each faded by its distance. So that a point finds its samples, they are first
// sorted by the cell of 4 by 4 by 4 points they lie in, least digit first. Kernels:
//
//   keys     the cell of each sample
//   count    for each digit of the key: how often each of 16 values occurs in each block,
//   scan     where each block's samples of each value begin,
//   split    and the samples' numbers written there: scattered stores
//   starts   where each cell begins in the sorted order
//   reorder  the samples fetched in that order: a gather of six numbers a lane, 24 bytes apart at
//            best
//   sum      a block takes 8 by 8 by 4 points, and all its threads read all samples of the cells
//            around: a broadcast to all blocks near, and as long as there are samples
//
// Samples are densest in the middle, as in a scan.
#include "workload.h"

#define BLOCK 256     // threads, but for sum
#define SUM_BLOCK 128 // threads of sum: half the points of a block
#define WARP 32
#define DIGIT_BITS 4
#define DIGITS (1 << DIGIT_BITS)
#define CELL 4       // points along a side of a cell
#define BLOCK_SIDE 8 // points along x and y of a block of sum
#define QUARTERS 4   // samples lie at quarters of the way from point to point

struct sample {
    float x, y, z, real, imaginary, weight;
};

// In cells.
struct extent {
    unsigned width, height, depth;
};

__global__ void gridding_keys(const struct sample *samples, unsigned count, struct extent cells,
                              unsigned *keys, unsigned *order)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned x = (unsigned)samples[i].x / CELL, y = (unsigned)samples[i].y / CELL;
    unsigned z = (unsigned)samples[i].z / CELL;
    keys[i] = (z * cells.height + y) * cells.width + x;
    order[i] = i;
}

static __device__ unsigned digit_of(unsigned key, unsigned shift)
{
    return key >> shift & (DIGITS - 1);
}

// The counts of all blocks for one value lie together, before those of the next value.
__global__ void gridding_count(const unsigned *keys, unsigned count, unsigned shift,
                               unsigned *counts)
{
    __shared__ unsigned found[DIGITS];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < DIGITS)
        found[threadIdx.x] = 0;
    __syncthreads();
    if (i < count)
        atomicAdd(&found[digit_of(keys[i], shift)], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = found[threadIdx.x];
}

// Exclusive prefix sums in place, by one block that carries the total from part to part.
__global__ void gridding_scan(unsigned *counts, unsigned count)
{
    __shared__ unsigned part[2][BLOCK];
    unsigned carry = 0, lane = threadIdx.x;
    for (unsigned first = 0; first < count; first += BLOCK) {
        unsigned mine = first + lane < count ? counts[first + lane] : 0, from = 0;
        part[0][lane] = mine;
        __syncthreads();
        for (unsigned distance = 1; distance < BLOCK; distance *= 2, from ^= 1) {
            unsigned before = lane >= distance ? part[from][lane - distance] : 0;
            part[from ^ 1][lane] = part[from][lane] + before;
            __syncthreads();
        }
        if (first + lane < count)
            counts[first + lane] = carry + part[from][lane] - mine;
        carry += part[from][BLOCK - 1];
        __syncthreads();
    }
}

// Which lanes of the warp have the same digit; a lane without a sample stands alone.
static __device__ unsigned same_digit(unsigned digit, bool present)
{
    unsigned same = __ballot_sync(0xffffffffu, present);
    for (unsigned bit = 0; bit < DIGIT_BITS; bit++) {
        bool set = digit >> bit & 1;
        unsigned votes = __ballot_sync(0xffffffffu, set);
        same &= set ? votes : ~votes;
    }
    return present ? same : 1u << threadIdx.x % WARP;
}

// Samples with one digit keep their order: those of a block's earlier warps come first, and of a
// warp's lower lanes.
__global__ void gridding_split(const unsigned *keys, const unsigned *order, unsigned count,
                               unsigned shift, const unsigned *starts, unsigned *keys_after,
                               unsigned *order_after)
{
    __shared__ unsigned in_warp[BLOCK / WARP][DIGITS];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / WARP;
    for (unsigned k = threadIdx.x; k < BLOCK / WARP * DIGITS; k += BLOCK)
        in_warp[k / DIGITS][k % DIGITS] = 0;
    __syncthreads();
    unsigned key = i < count ? keys[i] : 0, digit = digit_of(key, shift);
    unsigned same = same_digit(digit, i < count);
    unsigned lower = (unsigned)__popc(same & ((1u << threadIdx.x % WARP) - 1));
    if (i < count && lower == 0)
        in_warp[warp][digit] = (unsigned)__popc(same);
    __syncthreads();
    if (i >= count)
        return;
    unsigned place = starts[digit * gridDim.x + blockIdx.x] + lower;
    for (unsigned earlier = 0; earlier < warp; earlier++)
        place += in_warp[earlier][digit];
    keys_after[place] = key;
    order_after[place] = order[i];
}

// A thread a sample, and one more: it says of the cells up to its sample's, since the last one's,
// that they begin here.
__global__ void gridding_starts(const unsigned *keys, unsigned count, unsigned cells,
                                unsigned *starts)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > count)
        return;
    unsigned last = i == count ? cells : keys[i];
    for (unsigned cell = i == 0 ? 0 : keys[i - 1] + 1; cell <= last; cell++)
        starts[cell] = i;
}

// What a sample adds is its value times its weight: the real part goes with the place.
__global__ void gridding_reorder(const struct sample *samples, const unsigned *order,
                                 unsigned count, float4 *sorted, float *imaginary)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    struct sample sample = samples[order[i]];
    sorted[i] = make_float4(sample.x, sample.y, sample.z, sample.weight * sample.real);
    imaginary[i] = sample.weight * sample.imaginary;
}

static __device__ void add_sample(float4 sample, float imaginary, float x, float y, float z,
                                  float2 *point)
{
    float dx = sample.x - x, dy = sample.y - y, dz = sample.z - z;
    float fade = fmaxf(0.0f, 1.0f - 0.25f * (dx * dx + dy * dy + dz * dz));
    point->x += fade * fade * sample.w;
    point->y += fade * fade * imaginary;
}

// The cells of a row lie one after another in the sorted order, so a row is one run of samples.
__global__ void gridding_sum(const float4 *sorted, const float *imaginary, const unsigned *starts,
                             struct extent cells, float2 *grid)
{
    unsigned x = blockIdx.x * BLOCK_SIDE + threadIdx.x % BLOCK_SIDE;
    unsigned y = blockIdx.y * BLOCK_SIDE + threadIdx.x / BLOCK_SIDE % BLOCK_SIDE;
    unsigned z = blockIdx.z * CELL + threadIdx.x / BLOCK_SIDE / BLOCK_SIDE;
    unsigned first = blockIdx.x == 0 ? 0 : 2 * blockIdx.x - 1;
    unsigned end = 2 * blockIdx.x + 3 < cells.width ? 2 * blockIdx.x + 3 : cells.width;
    float2 near = make_float2(0, 0), far = near; // points two apart along z
    for (unsigned k = blockIdx.z == 0 ? 0 : blockIdx.z - 1; k <= blockIdx.z + 1; k++)
        for (unsigned j = blockIdx.y == 0 ? 0 : 2 * blockIdx.y - 1; j <= 2 * blockIdx.y + 2; j++) {
            if (k >= cells.depth || j >= cells.height)
                continue;
            unsigned row = (k * cells.height + j) * cells.width;
            for (unsigned i = starts[row + first]; i < starts[row + end]; i++) {
                add_sample(sorted[i], imaginary[i], (float)x, (float)y, (float)z, &near);
                add_sample(sorted[i], imaginary[i], (float)x, (float)y, (float)(z + 2), &far);
            }
        }
    unsigned width = cells.width * CELL, plane = width * cells.height * CELL;
    grid[z * plane + y * width + x] = near;
    grid[(z + 2) * plane + y * width + x] = far;
}

enum { SAMPLES, WIDTH, HEIGHT, DEPTH, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "samples", 8192, 1, 1 << 24, NULL},
    {"width", "times 8 points along x", 3, 1, 64, NULL},
    {"height", "times 8 points along y", 3, 1, 64, NULL},
    {"depth", "times 4 points along z", 6, 1, 128, NULL},
    {"seed", "of the random samples", 1, 0, 1000000000, NULL},
};

// The mean of two, so that the middle is likelier; from 0 up to the last point.
static float random_place(struct workload_random *random, unsigned points)
{
    unsigned bound = (points - 1) * QUARTERS + 1;
    unsigned place = (workload_below(random, bound) + workload_below(random, bound)) / 2;
    return (float)place / QUARTERS;
}

static struct sample *random_samples(unsigned count, struct extent cells)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct sample *samples = (struct sample *)workload_allocate(count * sizeof(struct sample));
    for (unsigned i = 0; i < count; i++) {
        samples[i].x = random_place(&random, cells.width * CELL);
        samples[i].y = random_place(&random, cells.height * CELL);
        samples[i].z = random_place(&random, cells.depth * CELL);
        samples[i].real = (float)workload_below(&random, 16) - 8.0f;
        samples[i].imaginary = (float)workload_below(&random, 16) - 8.0f;
        samples[i].weight = (float)workload_below(&random, 2) + 1.0f;
    }
    return samples;
}

static void *allocate_on_device(size_t bytes)
{
    void *memory;
    WORKLOAD_CHECK(cudaMalloc(&memory, bytes));
    return memory;
}

// Sorts `order` by `keys`, both in device memory; what they point to afterwards is sorted.
static void sort_on_device(unsigned **keys, unsigned **order, unsigned count, unsigned key_count)
{
    unsigned blocks = (count + BLOCK - 1) / BLOCK;
    size_t bytes = count * sizeof(unsigned);
    unsigned *counts = (unsigned *)allocate_on_device(blocks * DIGITS * sizeof(unsigned));
    unsigned *keys_after = (unsigned *)allocate_on_device(bytes);
    unsigned *order_after = (unsigned *)allocate_on_device(bytes), *swap;
    for (unsigned shift = 0; (key_count - 1) >> shift > 0; shift += DIGIT_BITS) {
        gridding_count<<<blocks, BLOCK>>>(*keys, count, shift, counts);
        WORKLOAD_CHECK_LAUNCH();
        gridding_scan<<<1, BLOCK>>>(counts, blocks * DIGITS);
        WORKLOAD_CHECK_LAUNCH();
        gridding_split<<<blocks, BLOCK>>>(*keys, *order, count, shift, counts, keys_after,
                                          order_after);
        WORKLOAD_CHECK_LAUNCH();
        swap = *keys;
        *keys = keys_after;
        keys_after = swap;
        swap = *order;
        *order = order_after;
        order_after = swap;
    }
    WORKLOAD_CHECK(cudaFree(counts));
    WORKLOAD_CHECK(cudaFree(keys_after));
    WORKLOAD_CHECK(cudaFree(order_after));
}

static void grid_on_device(const struct sample *host, unsigned count, struct extent cells,
                           float *grid)
{
    unsigned blocks = (count + BLOCK - 1) / BLOCK;
    unsigned cell_count = cells.width * cells.height * cells.depth;
    size_t grid_bytes = (size_t)cell_count * CELL * CELL * CELL * sizeof(float2);
    struct sample *samples = (struct sample *)workload_upload(host, count * sizeof(struct sample));
    unsigned *keys = (unsigned *)allocate_on_device(count * sizeof(unsigned));
    unsigned *order = (unsigned *)allocate_on_device(count * sizeof(unsigned));
    unsigned *starts = (unsigned *)allocate_on_device((cell_count + 1) * sizeof(unsigned));
    float4 *sorted = (float4 *)allocate_on_device(count * sizeof(float4));
    float *imaginary = (float *)allocate_on_device(count * sizeof(float));
    float2 *device_grid = (float2 *)allocate_on_device(grid_bytes);
    gridding_keys<<<blocks, BLOCK>>>(samples, count, cells, keys, order);
    WORKLOAD_CHECK_LAUNCH();
    sort_on_device(&keys, &order, count, cell_count);
    gridding_starts<<<count / BLOCK + 1, BLOCK>>>(keys, count, cell_count, starts);
    WORKLOAD_CHECK_LAUNCH();
    gridding_reorder<<<blocks, BLOCK>>>(samples, order, count, sorted, imaginary);
    WORKLOAD_CHECK_LAUNCH();
    gridding_sum<<<dim3(cells.width / 2, cells.height / 2, cells.depth), SUM_BLOCK>>>(
        sorted, imaginary, starts, cells, device_grid);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(grid, device_grid, grid_bytes, cudaMemcpyDeviceToHost));
    void *all[] = {samples, keys, order, starts, sorted, imaginary, device_grid};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
}

// Sample by sample, onto all points within two. Returns the largest sum of sizes at a point.
static float grid_on_host(const struct sample *samples, unsigned count, struct extent cells,
                          float *grid, float *sizes)
{
    int size[3] = {(int)cells.width * CELL, (int)cells.height * CELL, (int)cells.depth * CELL};
    float largest = 0;
    for (unsigned n = 0; n < count; n++) {
        const struct sample *sample = &samples[n];
        int x = (int)sample->x, y = (int)sample->y, z = (int)sample->z;
        for (int k = z < 1 ? 0 : z - 1; k <= z + 2 && k < size[2]; k++)
            for (int j = y < 1 ? 0 : y - 1; j <= y + 2 && j < size[1]; j++)
                for (int i = x < 1 ? 0 : x - 1; i <= x + 2 && i < size[0]; i++) {
                    float dx = sample->x - (float)i, dy = sample->y - (float)j;
                    float dz = sample->z - (float)k;
                    float fade = 1.0f - (dx * dx + dy * dy + dz * dz) / 4.0f;
                    if (fade <= 0)
                        continue;
                    size_t point =
                        ((size_t)k * (size_t)size[1] + (size_t)j) * (size_t)size[0] + (size_t)i;
                    float share = sample->weight * fade * fade;
                    grid[2 * point] += share * sample->real;
                    grid[2 * point + 1] += share * sample->imaginary;
                    sizes[point] += 8.0f * share;
                    largest = sizes[point] > largest ? sizes[point] : largest;
                }
    }
    return largest;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "gridding", "samples onto a grid, sorted into cells", options,
                   OPTIONS);
    unsigned count = (unsigned)options[SAMPLES].value;
    struct extent cells = {2 * (unsigned)options[WIDTH].value, 2 * (unsigned)options[HEIGHT].value,
                           (unsigned)options[DEPTH].value};
    size_t points = (size_t)cells.width * cells.height * cells.depth * CELL * CELL * CELL;
    struct sample *samples = random_samples(count, cells);
    float *grid = (float *)workload_allocate(2 * points * sizeof(float));
    float *expected = (float *)workload_allocate(2 * points * sizeof(float));
    float *sizes = (float *)workload_allocate(points * sizeof(float));
    memset(expected, 0, 2 * points * sizeof(float));
    memset(sizes, 0, points * sizeof(float));

    grid_on_device(samples, count, cells, grid);

    // A sample's part is a multiple of 2^-12, so sums are exact in any order while they stay below
    // 2^12; where samples are that dense, an error is far below the size of one sample.
    float largest = grid_on_host(samples, count, cells, expected, sizes);
    long wrong =
        workload_first_far(grid, expected, 2 * points, largest < 4096.0f ? 0.0f : 1e-5f * largest);
    free(samples);
    free(grid);
    free(expected);
    free(sizes);
    return workload_verdict("gridding", wrong);
}
