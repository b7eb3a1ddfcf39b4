// The distance of each of many places from one: eight bytes in, four out, and a root.
//
// As Rodinia's nn, whose list of four files has 42764 places.
#include "../../../../workloads/workload.h"
#include <math.h>

#define BLOCK 256

__global__ void distances(const float2 *places, float *distance, unsigned count, float latitude, float longitude)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    const float2 *place = places + i;
    distance[i] = sqrtf((latitude - place->x) * (latitude - place->x) + (longitude - place->y) * (longitude - place->y));
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "places", 42764, 1, 1 << 26, NULL},
    {"seed", "of the places", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "nearest", "how far places are from one", options, OPTIONS);
    unsigned count = (unsigned)options[N].value;
    const float latitude = 30.0f, longitude = 90.0f;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float2 *places = (float2 *)workload_allocate(count * sizeof(float2));
    float *expected = (float *)workload_allocate(count * sizeof(float));
    float *found = (float *)workload_allocate(count * sizeof(float)), *distance;
    for (unsigned i = 0; i < count; i++) {
        places[i].x = 7 + (float)workload_below(&random, 630) / 10;
        places[i].y = (float)workload_below(&random, 3580) / 10;
        expected[i] = hypotf(latitude - places[i].x, longitude - places[i].y);
    }
    float2 *device = (float2 *)workload_upload(places, count * sizeof(float2));
    WORKLOAD_CHECK(cudaMalloc((void **)&distance, count * sizeof(float)));
    distances<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(device, distance, count, latitude, longitude);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, distance, count * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = workload_first_far(found, expected, count, 1e-3f); // of some 300, rounded five times
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(distance));
    free(places);
    free(expected);
    free(found);
    return workload_verdict("nearest", wrong);
}
