// A histogram that saturates at 255, of an image with many more bins than shared memory has room
// for. Most pixels lie in a window about the middle of their values; the window's bins are divided
// into ranges, a block keeps one range in shared memory, and every block reads the whole image to
// find its own: a broadcast to the device. The few pixels outside the window are counted by atomics
// in global memory. Four kernels, for each of several frames:
//
//   prescan        the least and the greatest value: a minimum and a maximum a block, by atomics
//   intermediates  pixel to range and place in it, from padded rows to one dense array
//   main           a range a block, and one block for the pixels outside
//   final          both counts added, cut off at 255, one byte a bin; the atomics' counts cleared
//
// Arrays are read in one kernel and written in the next, and again in the next frame.
#include "workload.h"

#define PLACE_BITS 22 // of a pixel's code: its place; its range above
#define PLACE_MASK ((1u << PLACE_BITS) - 1)
#define FULL 255
#define FAVOURITES 16 // values that --favour pixels have, in the middle

// How bins are divided. A pixel outside the window has the range `ranges`, and its value as place.
struct shape {
    unsigned bins, range, ranges;
};

struct image {
    unsigned width, height, pitch; // in pixels
    unsigned *pixels;
};

static __host__ __device__ unsigned window_start(const unsigned *extremes, struct shape shape)
{
    unsigned middle = extremes[0] + (extremes[1] - extremes[0]) / 2;
    unsigned half = shape.range * shape.ranges / 2;
    return middle > half ? middle - half : 0;
}

__global__ void histo_prescan(struct image image, unsigned *extremes)
{
    __shared__ unsigned least, greatest;
    if (threadIdx.x == 0) {
        least = 0xffffffffu;
        greatest = 0;
    }
    __syncthreads();
    unsigned low = 0xffffffffu, high = 0;
    for (unsigned row = blockIdx.x; row < image.height; row += gridDim.x)
        for (unsigned x = threadIdx.x; x < image.width; x += blockDim.x) {
            unsigned value = image.pixels[row * image.pitch + x];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    atomicMin(&least, low);
    atomicMax(&greatest, high);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMin(&extremes[0], least);
        atomicMax(&extremes[1], greatest);
    }
}

// A block a row.
__global__ void histo_intermediates(struct image image, const unsigned *extremes,
                                    struct shape shape, unsigned *codes)
{
    unsigned start = window_start(extremes, shape), row = blockIdx.x;
    for (unsigned x = threadIdx.x; x < image.width; x += blockDim.x) {
        unsigned value = image.pixels[row * image.pitch + x], bin = value - start;
        bool inside = value >= start && bin < shape.range * shape.ranges;
        codes[row * image.width + x] = inside ? bin / shape.range << PLACE_BITS | bin % shape.range
                                              : shape.ranges << PLACE_BITS | value;
    }
}

// All lanes take part in every turn, so that they can meet after its atomics and load together
// again.
static __device__ void count_range(const unsigned *codes, unsigned count, struct shape shape,
                                   unsigned *inside)
{
    extern __shared__ unsigned counters[];
    for (unsigned place = threadIdx.x; place < shape.range; place += blockDim.x)
        counters[place] = 0;
    __syncthreads();
    for (unsigned first = 0; first < count; first += blockDim.x) {
        unsigned i = first + threadIdx.x;
        if (i < count && codes[i] >> PLACE_BITS == blockIdx.x)
            atomicAdd(&counters[codes[i] & PLACE_MASK], 1u);
        __syncwarp();
    }
    __syncthreads();
    for (unsigned place = threadIdx.x; place < shape.range; place += blockDim.x)
        inside[blockIdx.x * shape.range + place] = counters[place];
}

static __device__ void count_outside(const unsigned *codes, unsigned count, struct shape shape,
                                     unsigned *outside)
{
    for (unsigned first = 0; first < count; first += blockDim.x) {
        unsigned i = first + threadIdx.x;
        if (i < count && codes[i] >> PLACE_BITS == shape.ranges)
            atomicAdd(&outside[codes[i] & PLACE_MASK], 1u);
        __syncwarp();
    }
}

// A block a range, and the last for what lies outside the window.
__global__ void histo_main(const unsigned *codes, unsigned count, struct shape shape,
                           unsigned *inside, unsigned *outside)
{
    if (blockIdx.x < shape.ranges)
        count_range(codes, count, shape, inside);
    else
        count_outside(codes, count, shape, outside);
}

__global__ void histo_final(const unsigned *inside, unsigned *outside, const unsigned *extremes,
                            struct shape shape, unsigned char *result)
{
    unsigned bin = blockIdx.x * blockDim.x + threadIdx.x, start = window_start(extremes, shape);
    if (bin >= shape.bins)
        return;
    unsigned total = outside[bin];
    outside[bin] = 0;
    if (bin >= start && bin - start < shape.range * shape.ranges)
        total += inside[bin - start];
    result[bin] = (unsigned char)(total < FULL ? total : FULL);
}

enum { WIDTH, HEIGHT, BINS, RANGE, RANGES, FAVOUR, FRAMES, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "columns of the image", 250, 1, 8192, NULL},
    {"height", "rows of the image", 200, 1, 8192, NULL},
    {"bins", "different values that a pixel may have", 16384, FAVOURITES, 1 << PLACE_BITS, NULL},
    {"range", "bins of a block, in shared memory", 1024, 1, 4096, NULL},
    {"ranges", "ranges in the window", 12, 1, 1000, NULL},
    {"favour", "percent of the pixels that have one of 16 values", 10, 0, 100, NULL},
    {"frames", "times the image is counted", 2, 1, 1000, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random image", 1, 0, 1000000000, NULL},
};

// Values gather about the middle: each is the mean of four, but for the favourites.
static struct image random_image(unsigned bins)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    struct image image = {width, height, (width + 31) / 32 * 32, NULL};
    size_t bytes = (size_t)image.pitch * height * sizeof(unsigned);
    image.pixels = (unsigned *)workload_allocate(bytes);
    memset(image.pixels, 0, bytes);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            unsigned value = 0;
            for (int i = 0; i < 4; i++)
                value += workload_below(&random, bins);
            value /= 4;
            if (workload_below(&random, 100) < (unsigned)options[FAVOUR].value)
                value = bins / 2 - FAVOURITES / 2 + workload_below(&random, FAVOURITES);
            image.pixels[y * image.pitch + x] = value;
        }
    return image;
}

static void count_on_device(const struct image *host, struct shape shape, unsigned char *result)
{
    unsigned block = (unsigned)options[BLOCK].value, count = host->width * host->height;
    const unsigned none[2] = {0xffffffffu, 0};
    struct image image = *host;
    image.pixels = (unsigned *)workload_upload(host->pixels, (size_t)host->pitch * host->height *
                                                                 sizeof(unsigned));
    unsigned *extremes = (unsigned *)workload_upload(none, sizeof(none)), *codes, *inside, *outside;
    unsigned char *device_result;
    size_t window_bytes = (size_t)shape.range * shape.ranges * sizeof(unsigned);
    WORKLOAD_CHECK(cudaMalloc((void **)&codes, count * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMalloc((void **)&inside, window_bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&outside, shape.bins * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMalloc((void **)&device_result, shape.bins));
    WORKLOAD_CHECK(cudaMemset(outside, 0, shape.bins * sizeof(unsigned)));
    for (long frame = 0; frame < options[FRAMES].value; frame++) {
        WORKLOAD_CHECK(cudaMemcpy(extremes, none, sizeof(none), cudaMemcpyHostToDevice));
        histo_prescan<<<(image.height + 7) / 8, block>>>(image, extremes);
        WORKLOAD_CHECK_LAUNCH();
        histo_intermediates<<<image.height, block>>>(image, extremes, shape, codes);
        WORKLOAD_CHECK_LAUNCH();
        histo_main<<<shape.ranges + 1, block, shape.range * sizeof(unsigned)>>>(codes, count, shape,
                                                                                inside, outside);
        WORKLOAD_CHECK_LAUNCH();
        histo_final<<<(shape.bins + block - 1) / block, block>>>(inside, outside, extremes, shape,
                                                                 device_result);
        WORKLOAD_CHECK_LAUNCH();
    }
    WORKLOAD_CHECK(cudaMemcpy(result, device_result, shape.bins, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(image.pixels));
    WORKLOAD_CHECK(cudaFree(extremes));
    WORKLOAD_CHECK(cudaFree(codes));
    WORKLOAD_CHECK(cudaFree(inside));
    WORKLOAD_CHECK(cudaFree(outside));
    WORKLOAD_CHECK(cudaFree(device_result));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "histo", "saturating histogram of many bins", options, OPTIONS);
    struct shape shape = {(unsigned)options[BINS].value, (unsigned)options[RANGE].value,
                          (unsigned)options[RANGES].value};
    struct image image = random_image(shape.bins);
    unsigned *expected = (unsigned *)workload_allocate(shape.bins * sizeof(unsigned));
    unsigned char *result = (unsigned char *)workload_allocate(shape.bins);
    memset(expected, 0, shape.bins * sizeof(unsigned));
    for (unsigned y = 0; y < image.height; y++)
        for (unsigned x = 0; x < image.width; x++)
            expected[image.pixels[y * image.pitch + x]]++;

    count_on_device(&image, shape, result);

    long wrong = -1;
    for (unsigned bin = 0; bin < shape.bins && wrong < 0; bin++)
        if (result[bin] != (expected[bin] < FULL ? expected[bin] : FULL))
            wrong = (long)bin;
    free(image.pixels);
    free(expected);
    free(result);
    return workload_verdict("histo", wrong);
}
