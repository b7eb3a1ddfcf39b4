// Speckle-reducing anisotropic diffusion: a noisy picture grows smoother, but not over its edges.
// How far a point's neighbours move it depends on how much they differ from it, in relation to how
// noisy the whole picture is, so each step begins with two sums over all points. The picture lies
// in columns, along which the lanes go; which column or row is next to another is in tables, where
// a column or row at the rim has itself as neighbour. Kernels:
//
//   prepare  copies each point and its square, to be summed up, and finds each block's largest
//   reduce   sums of 512 points a block in shared memory; the next pass adds up the blocks' sums,
//            512 points apart, and so on until there is one
//   derive   differences to the four neighbours, and from them how far diffusion goes at a point:
//            above and below are in the same lines, left and right a column apart
//   update   adds to each point what came from its neighbours
//
// Variants of one kernel get what it reads from the host and launch nothing else:
//
//   whole, prepare, reduce, derive
//
// The loop of Rodinia's benchmark srad (the first of its two versions); its exponential of the
// picture before, and the logarithm afterwards, are left out.
#include "workload.h"
#include <math.h>

#define BLOCK 512

__global__ void srad_prepare(const float *picture, float *sums, float *squares, float *largest,
                             unsigned count)
{
    __shared__ float most[BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    float point = i < count ? picture[i] : 0.0f;
    most[threadIdx.x] = point;
    if (i < count) {
        sums[i] = point;
        squares[i] = point * point;
    }
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            most[threadIdx.x] = fmaxf(most[threadIdx.x], most[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        largest[blockIdx.x] = most[0];
}

// Of `count` numbers, `stride` apart, the sum of each 512 takes the place of the first.
__global__ void srad_reduce(float *sums, float *squares, unsigned count, unsigned stride)
{
    __shared__ float sum[BLOCK], square[BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    sum[threadIdx.x] = i < count ? sums[i * stride] : 0.0f;
    square[threadIdx.x] = i < count ? squares[i * stride] : 0.0f;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sum[threadIdx.x] += sum[threadIdx.x + half];
            square[threadIdx.x] += square[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[i * stride] = sum[0];
        squares[i * stride] = square[0];
    }
}

// Which row or column lies where.
struct neighbours {
    unsigned *above, *below, *left, *right;
};

// Differences to the neighbours, and how far diffusion goes: from 0 to 1.
struct differences {
    float *above, *below, *left, *right, *spread;
};

// `noise` is the variance of the picture in relation to the square of its mean.
__global__ void srad_derive(const float *picture, struct neighbours next, struct differences to,
                            unsigned rows, unsigned columns, float noise)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, row = i % rows, column = i / rows;
    if (column >= columns)
        return;
    float point = picture[i];
    float above = picture[next.above[row] + rows * column] - point;
    float below = picture[next.below[row] + rows * column] - point;
    float left = picture[row + rows * next.left[column]] - point;
    float right = picture[row + rows * next.right[column]] - point;
    float slope = (above * above + below * below + left * left + right * right) / (point * point);
    float bend = (above + below + left + right) / point;
    float base = 1.0f + 0.25f * bend;
    float roughness = (0.5f * slope - 0.0625f * bend * bend) / (base * base);
    float spread = 1.0f / (1.0f + (roughness - noise) / (noise * (1.0f + noise)));
    to.above[i] = above;
    to.below[i] = below;
    to.left[i] = left;
    to.right[i] = right;
    to.spread[i] = spread < 0.0f ? 0.0f : spread > 1.0f ? 1.0f : spread;
}

__global__ void srad_update(float *picture, struct neighbours next, struct differences from,
                            unsigned rows, unsigned columns, float lambda)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, row = i % rows, column = i / rows;
    if (column >= columns)
        return;
    float here = from.spread[i];
    float below = from.spread[next.below[row] + rows * column];
    float right = from.spread[row + rows * next.right[column]];
    float gained =
        here * from.above[i] + below * from.below[i] + here * from.left[i] + right * from.right[i];
    picture[i] += 0.25f * lambda * gained;
}

enum { WHOLE, PREPARE, REDUCE, DERIVE };
enum { ROWS, COLUMNS, STEPS, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"rows", "of the picture", 251, 8, 4096, NULL},
    {"columns", "of the picture", 229, 8, 4096, NULL},
    {"steps", "of diffusion, or times that the one kernel is launched", 2, 1, 1000, NULL},
    {"seed", "of the noise", 1, 0, 1000000000, NULL},
    {"variant", "the loop, or one kernel of it", 0, 0, 0, "whole prepare reduce derive"},
};

#define LAMBDA 0.5f

struct image {
    unsigned rows, columns, count, blocks;
    float *picture;
    struct neighbours next;
    struct differences difference;
    float *sums, *squares, *largest;
};

static void launch_prepare(const struct image *device)
{
    srad_prepare<<<device->blocks, BLOCK>>>(device->picture, device->sums, device->squares,
                                            device->largest, device->count);
    WORKLOAD_CHECK_LAUNCH();
}

// Leaves the sums of all points in the first places.
static void launch_reduce(const struct image *device)
{
    unsigned left = device->count, stride = 1;
    do {
        unsigned blocks = (left + BLOCK - 1) / BLOCK;
        srad_reduce<<<blocks, BLOCK>>>(device->sums, device->squares, left, stride);
        WORKLOAD_CHECK_LAUNCH();
        stride *= BLOCK;
        left = blocks;
    } while (left > 1);
}

static float noise_of(double sum, double squares, unsigned count)
{
    double mean = sum / count;
    return (float)((squares / count - mean * mean) / (mean * mean));
}

static void launch_derive(const struct image *device, float noise)
{
    srad_derive<<<device->blocks, BLOCK>>>(device->picture, device->next, device->difference,
                                           device->rows, device->columns, noise);
    WORKLOAD_CHECK_LAUNCH();
}

static void diffuse_on_device(const struct image *device)
{
    launch_prepare(device);
    launch_reduce(device);
    float sum, squares;
    WORKLOAD_CHECK(cudaMemcpy(&sum, device->sums, sizeof(sum), cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(&squares, device->squares, sizeof(sum), cudaMemcpyDeviceToHost));
    launch_derive(device, noise_of(sum, squares, device->count));
    srad_update<<<device->blocks, BLOCK>>>(device->picture, device->next, device->difference,
                                           device->rows, device->columns, LAMBDA);
    WORKLOAD_CHECK_LAUNCH();
}

// --- The same on the host ---

static void prepare_on_host(struct image *host)
{
    memset(host->largest, 0, host->blocks * sizeof(float));
    for (unsigned i = 0; i < host->count; i++) {
        host->sums[i] = host->picture[i];
        host->squares[i] = host->picture[i] * host->picture[i];
        host->largest[i / BLOCK] = fmaxf(host->largest[i / BLOCK], host->picture[i]);
    }
}

static void sum_on_host(const struct image *host, double *sum, double *squares)
{
    *sum = *squares = 0.0;
    for (unsigned i = 0; i < host->count; i++) {
        *sum += host->picture[i];
        *squares += (double)host->picture[i] * host->picture[i];
    }
}

static void derive_on_host(struct image *host, float noise)
{
    const float *picture = host->picture;
    for (unsigned i = 0; i < host->count; i++) {
        unsigned row = i % host->rows, column = i / host->rows;
        float point = picture[i];
        float above = row > 0 ? picture[i - 1] - point : 0;
        float below = row + 1 < host->rows ? picture[i + 1] - point : 0;
        float left = column > 0 ? picture[i - host->rows] - point : 0;
        float right = column + 1 < host->columns ? picture[i + host->rows] - point : 0;
        double slope = (double)above * above + below * below + left * left + right * right;
        double bend = ((double)above + below + left + right) / point;
        double base = 1 + bend / 4;
        double roughness = (slope / point / point / 2 - bend * bend / 16) / base / base;
        double spread = 1 / (1 + (roughness - noise) / (noise * (1 + noise)));
        host->difference.above[i] = above;
        host->difference.below[i] = below;
        host->difference.left[i] = left;
        host->difference.right[i] = right;
        host->difference.spread[i] = (float)fmin(fmax(spread, 0.0), 1.0);
    }
}

static void diffuse_on_host(struct image *host)
{
    double sum, squares;
    sum_on_host(host, &sum, &squares);
    derive_on_host(host, noise_of(sum, squares, host->count));
    const struct differences *from = &host->difference;
    for (unsigned i = 0; i < host->count; i++) {
        unsigned row = i % host->rows, column = i / host->rows;
        float below = from->spread[row + 1 < host->rows ? i + 1 : i];
        float right = from->spread[column + 1 < host->columns ? i + host->rows : i];
        host->picture[i] += LAMBDA / 4 *
                            (from->spread[i] * (from->above[i] + from->left[i]) +
                             below * from->below[i] + right * from->right[i]);
    }
}

// --- Pictures ---

static float *numbers(size_t count)
{
    return (float *)workload_allocate(count * sizeof(float));
}

// Squares of two brightnesses under noise: multiples of 1/16 from 1 to 4.
static struct image random_image(struct workload_random *random)
{
    struct image host;
    host.rows = (unsigned)options[ROWS].value;
    host.columns = (unsigned)options[COLUMNS].value;
    host.count = host.rows * host.columns;
    host.blocks = (host.count + BLOCK - 1) / BLOCK;
    float **arrays[] = {&host.picture,          &host.sums,
                        &host.squares,          &host.difference.above,
                        &host.difference.below, &host.difference.left,
                        &host.difference.right, &host.difference.spread};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        *arrays[i] = numbers(host.count);
    host.largest = numbers(host.blocks);
    for (unsigned i = 0; i < host.count; i++) {
        unsigned bright = (i % host.rows / 32 + i / host.rows / 32) % 2;
        host.picture[i] = (float)(bright ? 3 : 2) + (float)workload_below(random, 33) / 16 - 1;
    }
    return host;
}

static void free_image(struct image *host)
{
    float *arrays[] = {host->picture,          host->sums,
                       host->squares,          host->difference.above,
                       host->difference.below, host->difference.left,
                       host->difference.right, host->difference.spread,
                       host->largest};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        free(arrays[i]);
}

// Places one lower or higher, but at the rim: on the device.
static unsigned *upload_neighbours(unsigned count, int step)
{
    unsigned *places = (unsigned *)workload_allocate(count * sizeof(unsigned));
    for (unsigned i = 0; i < count; i++)
        places[i] = step < 0 ? (i > 0 ? i - 1 : 0) : (i + 1 < count ? i + 1 : i);
    unsigned *device = (unsigned *)workload_upload(places, count * sizeof(unsigned));
    free(places);
    return device;
}

static struct image upload(const struct image *host)
{
    struct image device = *host;
    size_t bytes = host->count * sizeof(float);
    device.picture = (float *)workload_upload(host->picture, bytes);
    device.next.above = upload_neighbours(host->rows, -1);
    device.next.below = upload_neighbours(host->rows, 1);
    device.next.left = upload_neighbours(host->columns, -1);
    device.next.right = upload_neighbours(host->columns, 1);
    float **arrays[] = {&device.sums,
                        &device.squares,
                        &device.difference.above,
                        &device.difference.below,
                        &device.difference.left,
                        &device.difference.right,
                        &device.difference.spread};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        WORKLOAD_CHECK(cudaMalloc((void **)arrays[i], bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&device.largest, host->blocks * sizeof(float)));
    return device;
}

static void release(struct image *device)
{
    void *all[] = {device->picture,         device->next.above,       device->next.below,
                   device->next.left,       device->next.right,       device->sums,
                   device->squares,         device->difference.above, device->difference.below,
                   device->difference.left, device->difference.right, device->difference.spread,
                   device->largest};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
}

// --- What the variants compute, and whether it is right ---

static long compare(const float *device, const float *expected, unsigned count, float tolerance)
{
    float *found = numbers(count);
    WORKLOAD_CHECK(cudaMemcpy(found, device, count * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = workload_first_far(found, expected, count, tolerance);
    free(found);
    return wrong;
}

static long check_prepare(const struct image *device, struct image *host)
{
    for (long step = 0; step < options[STEPS].value; step++)
        launch_prepare(device);
    prepare_on_host(host);
    long wrong = compare(device->sums, host->sums, host->count, 0.0f);
    if (wrong < 0)
        wrong = compare(device->squares, host->squares, host->count, 0.0f);
    return wrong < 0 ? compare(device->largest, host->largest, host->blocks, 0.0f) : wrong;
}

// Points are multiples of 1/16, so a sum of 2^18 of them is exact; squares are added in a tree of
// at most 24 levels, each of which may be wrong by half of its last place.
static long check_reduce(const struct image *device, struct image *host)
{
    double sum, squares;
    size_t bytes = host->count * sizeof(float);
    prepare_on_host(host);
    sum_on_host(host, &sum, &squares);
    float expected[] = {(float)sum, (float)squares};
    long wrong = -1;
    for (long step = 0; step < options[STEPS].value && wrong < 0; step++) {
        WORKLOAD_CHECK(cudaMemcpy(device->sums, host->sums, bytes, cudaMemcpyHostToDevice));
        WORKLOAD_CHECK(cudaMemcpy(device->squares, host->squares, bytes, cudaMemcpyHostToDevice));
        launch_reduce(device);
        wrong = compare(device->sums, &expected[0], 1, 2e-6f * expected[0]);
        if (wrong < 0)
            wrong = compare(device->squares, &expected[1], 1, 2e-6f * expected[1]);
    }
    return wrong;
}

static long check_derive(const struct image *device, struct image *host)
{
    double sum, squares;
    sum_on_host(host, &sum, &squares);
    float noise = noise_of(sum, squares, host->count);
    for (long step = 0; step < options[STEPS].value; step++)
        launch_derive(device, noise);
    derive_on_host(host, noise);
    const float *found[] = {device->difference.above, device->difference.below,
                            device->difference.left, device->difference.right};
    const float *wanted[] = {host->difference.above, host->difference.below, host->difference.left,
                             host->difference.right};
    long wrong = compare(device->difference.spread, host->difference.spread, host->count, 1e-4f);
    for (size_t i = 0; i < sizeof(found) / sizeof(*found) && wrong < 0; i++)
        wrong = compare(found[i], wanted[i], host->count, 0.0f);
    return wrong;
}

// A step moves a point by up to one.
static long check_whole(const struct image *device, struct image *host)
{
    for (long step = 0; step < options[STEPS].value; step++) {
        diffuse_on_device(device);
        diffuse_on_host(host);
    }
    return compare(device->picture, host->picture, host->count, 1e-3f);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "srad", "diffusion that takes noise out of a picture", options,
                   OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct image host = random_image(&random), device = upload(&host);
    long wrong = -1;
    if (options[VARIANT].value == PREPARE)
        wrong = check_prepare(&device, &host);
    else if (options[VARIANT].value == REDUCE)
        wrong = check_reduce(&device, &host);
    else if (options[VARIANT].value == DERIVE)
        wrong = check_derive(&device, &host);
    else
        wrong = check_whole(&device, &host);
    release(&device);
    free_image(&host);
    return workload_verdict("srad", wrong);
}
