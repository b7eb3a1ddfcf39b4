// Heat of a chip after two steps, in one launch: a block reads 16 by 16 points of temperature and power, computes in
// shared memory what of them has its neighbours there, and writes the 12 by 12 in the middle. Beyond the chip's rim
// lies what lies at it.
//
// As Rodinia's hotspot with a pyramid of two steps.
#include "../../../../workloads/workload.h"

#define SIDE 16
#define STEPS 2
#define KEPT (SIDE - 2 * STEPS)

struct conduction {
    float capacity, rows, columns, outside; // of a point, to those above and below, beside it, and to the air
};

#define AIR 80.0f

__global__ void hotspot(const float *power, const float *before, float *after, int side, struct conduction by)
{
    __shared__ float heat[SIDE][SIDE], given[SIDE][SIDE], next[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int left = KEPT * (int)blockIdx.x - STEPS, top = KEPT * (int)blockIdx.y - STEPS;
    int x = left + tx, y = top + ty, place = side * y + x;
    bool inside = x >= 0 && x < side && y >= 0 && y < side;
    if (inside) {
        heat[ty][tx] = before[place];
        given[ty][tx] = power[place];
    }
    __syncthreads();
    int first_x = max(-left, 0), last_x = min(side - 1 - left, SIDE - 1);
    int first_y = max(-top, 0), last_y = min(side - 1 - top, SIDE - 1);
    int above = max(ty - 1, first_y), below = min(ty + 1, last_y);
    int west = max(tx - 1, first_x), east = min(tx + 1, last_x);
    bool computed = false;
    for (int step = 0; step < STEPS; step++) {
        computed = tx > step && tx < SIDE - 1 - step && ty > step && ty < SIDE - 1 - step && inside;
        if (computed)
            next[ty][tx] = heat[ty][tx] + by.capacity * (given[ty][tx] +
                                                         (heat[below][tx] + heat[above][tx] - 2 * heat[ty][tx]) * by.rows +
                                                         (heat[ty][east] + heat[ty][west] - 2 * heat[ty][tx]) * by.columns +
                                                         (AIR - heat[ty][tx]) * by.outside);
        __syncthreads();
        if (step == STEPS - 1)
            break;
        if (computed)
            heat[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed)
        after[place] = next[ty][tx];
}

static void step_on_host(const float *power, const float *before, float *after, int side, struct conduction by)
{
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            float here = before[y * side + x];
            float above = before[(y > 0 ? y - 1 : y) * side + x], below = before[(y + 1 < side ? y + 1 : y) * side + x];
            float west = before[y * side + (x > 0 ? x - 1 : x)], east = before[y * side + (x + 1 < side ? x + 1 : x)];
            after[y * side + x] = here + by.capacity * (power[y * side + x] + (below + above - 2 * here) * by.rows +
                                                        (east + west - 2 * here) * by.columns +
                                                        (AIR - here) * by.outside);
        }
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "points of a side of the chip", 1024, 1, 8192, NULL},
    {"seed", "of the temperatures and powers", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "hotspot", "two steps of a chip's heat", options, OPTIONS);
    int side = (int)options[N].value;
    size_t count = (size_t)side * side, bytes = count * sizeof(float);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float *power = (float *)workload_allocate(bytes), *heat = (float *)workload_allocate(bytes);
    float *first = (float *)workload_allocate(bytes), *expected = (float *)workload_allocate(bytes);
    for (size_t i = 0; i < count; i++) {
        power[i] = (float)workload_below(&random, 64) / 64;
        heat[i] = 300 + (float)workload_below(&random, 1024) / 64;
    }
    struct conduction by = {0.25f, 0.125f, 0.0625f, 0.03125f};
    step_on_host(power, heat, first, side, by);
    step_on_host(power, first, expected, side, by);

    float *device_power = (float *)workload_upload(power, bytes), *device_heat = (float *)workload_upload(heat, bytes);
    float *after;
    WORKLOAD_CHECK(cudaMalloc((void **)&after, bytes));
    unsigned blocks = (unsigned)((side + KEPT - 1) / KEPT);
    hotspot<<<dim3(blocks, blocks), dim3(SIDE, SIDE)>>>(device_power, device_heat, after, side, by);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(first, after, bytes, cudaMemcpyDeviceToHost));
    // A step rounds some ten times, at numbers of some 300 of which a quarter counts.
    long wrong = workload_first_far(first, expected, count, 1e-3f);
    WORKLOAD_CHECK(cudaFree(device_power));
    WORKLOAD_CHECK(cudaFree(device_heat));
    WORKLOAD_CHECK(cudaFree(after));
    free(power);
    free(heat);
    free(first);
    free(expected);
    return workload_verdict("hotspot", wrong);
}
