// A noisy picture grows smoother, but not over its edges. Each step begins on the CPU, which adds up
// all points and their squares to find how noisy the picture is; then come two launches:
//
//   speckle_derive  differences to the four neighbours, and how far diffusion goes at a point
//   speckle_update  adds to each point what came from its neighbours
//
// Both in blocks of 16 by 16 points. The loop of Rodinia's benchmark srad, its second version;
// workloads/srad.cu is the first.
#include "../managed_memory.h"

#define SIDE 16
#define LAMBDA 0.5f

// Differences to the neighbours above, below, left and right, and how far diffusion goes: 0 to 1.
struct picture {
    float *points, *above, *below, *left, *right, *spread;
    unsigned rows, columns;
};

// `i`: the point's place; `noise`: the picture's variance in relation to the square of its mean.
static __host__ __device__ void derive_point(struct picture p, unsigned row, unsigned column,
                                             float noise)
{
    size_t i = (size_t)row * p.columns + column;
    float point = p.points[i];
    float above = p.points[row > 0 ? i - p.columns : i] - point;
    float below = p.points[row + 1 < p.rows ? i + p.columns : i] - point;
    float left = p.points[column > 0 ? i - 1 : i] - point;
    float right = p.points[column + 1 < p.columns ? i + 1 : i] - point;
    float slope = (above * above + below * below + left * left + right * right) / (point * point);
    float bend = (above + below + left + right) / point;
    float base = 1.0f + 0.25f * bend;
    float roughness = (0.5f * slope - 0.0625f * bend * bend) / (base * base);
    float spread = 1.0f / (1.0f + (roughness - noise) / (noise * (1.0f + noise)));
    p.above[i] = above;
    p.below[i] = below;
    p.left[i] = left;
    p.right[i] = right;
    p.spread[i] = spread < 0.0f ? 0.0f : spread > 1.0f ? 1.0f : spread;
}

static __host__ __device__ void update_point(struct picture p, unsigned row, unsigned column)
{
    size_t i = (size_t)row * p.columns + column;
    float below = p.spread[row + 1 < p.rows ? i + p.columns : i];
    float right = p.spread[column + 1 < p.columns ? i + 1 : i];
    float gained = p.spread[i] * (p.above[i] + p.left[i]) + below * p.below[i] + right * p.right[i];
    p.points[i] += 0.25f * LAMBDA * gained;
}

__global__ void speckle_derive(struct picture p, float noise)
{
    unsigned row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    if (row < p.rows && column < p.columns)
        derive_point(p, row, column, noise);
}

__global__ void speckle_update(struct picture p)
{
    unsigned row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    if (row < p.rows && column < p.columns)
        update_point(p, row, column);
}

enum { ROWS, COLUMNS, STEPS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"rows", "of the picture", 96, 1, 8192, NULL},
    {"columns", "of the picture", 96, 2, 8192, NULL},
    {"steps", "of diffusion", 2, 1, 1000, NULL},
    {"seed", "of the noise", 1, 0, 1000000000, NULL},
};

// Two levels of brightness with noise on them.
static void fill_picture(struct picture p)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned row = 0; row < p.rows; row++)
        for (unsigned column = 0; column < p.columns; column++)
            p.points[(size_t)row * p.columns + column] =
                (column < p.columns / 2 ? 1.0f : 3.0f) + (float)workload_below(&random, 32) / 32.0f;
}

static float noise_of(struct picture p)
{
    double sum = 0.0, squares = 0.0, count = (double)p.rows * p.columns;
    for (size_t i = 0; i < (size_t)p.rows * p.columns; i++) {
        sum += p.points[i];
        squares += (double)p.points[i] * p.points[i];
    }
    double mean = sum / count;
    return (float)((squares / count - mean * mean) / (mean * mean));
}

static struct picture allocate_picture(void *(*allocate)(size_t))
{
    struct picture p;
    p.rows = (unsigned)options[ROWS].value;
    p.columns = (unsigned)options[COLUMNS].value;
    float **arrays[] = {&p.points, &p.above, &p.below, &p.left, &p.right, &p.spread};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        *arrays[i] = (float *)allocate((size_t)p.rows * p.columns * sizeof(float));
    return p;
}

static void release_picture(struct picture p, void (*release)(void *))
{
    float *arrays[] = {p.points, p.above, p.below, p.left, p.right, p.spread};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        release(arrays[i]);
}

// Kernels may round once where the host rounds twice, a step moves a point by up to one.
static long first_wrong(struct picture found)
{
    struct picture p = allocate_picture(workload_allocate);
    fill_picture(p);
    for (long step = 0; step < options[STEPS].value; step++) {
        float noise = noise_of(p);
        for (unsigned row = 0; row < p.rows; row++)
            for (unsigned column = 0; column < p.columns; column++)
                derive_point(p, row, column, noise);
        for (unsigned row = 0; row < p.rows; row++)
            for (unsigned column = 0; column < p.columns; column++)
                update_point(p, row, column);
    }
    long wrong = workload_first_far(found.points, p.points, (size_t)p.rows * p.columns, 1e-3f);
    release_picture(p, free);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "speckle_diffusion", "diffusion that takes noise out of a picture",
                   options, OPTIONS);
    struct picture p = allocate_picture(managed_bytes);
    dim3 blocks((p.columns + SIDE - 1) / SIDE, (p.rows + SIDE - 1) / SIDE), block(SIDE, SIDE);

    workload_trace_begin();
    fill_picture(p);
    managed_work_begin();
    for (long step = 0; step < options[STEPS].value; step++) {
        float noise = noise_of(p);
        speckle_derive<<<blocks, block>>>(p, noise);
        speckle_update<<<blocks, block>>>(p);
        WORKLOAD_CHECK_LAUNCH();
    }
    managed_work_end();

    long wrong = first_wrong(p);
    release_picture(p, managed_release);
    return workload_verdict("speckle_diffusion", wrong);
}
