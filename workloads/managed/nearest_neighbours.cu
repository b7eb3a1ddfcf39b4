// Which records lie nearest to a place? The kernel finds the distance of each, a stream in and one
// out, and the CPU scans the distances for the least, as often as records are wanted.
//
// Rodinia's benchmark nn. Latitudes and longitudes are quarters of a degree, so that sums of squares
// are exact, and roots are rounded in one way.
#include "../managed_memory.h"
#include <math.h>

struct record {
    float latitude, longitude;
};

__global__ void nearest_distances(const struct record *records, float *distances, unsigned count,
                                  struct record place)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float up = place.latitude - records[i].latitude;
    float across = place.longitude - records[i].longitude;
    distances[i] = sqrtf(up * up + across * across);
}

enum { N, NEAREST, LATITUDE, LONGITUDE, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "records", 65536, 1, 1 << 26, NULL},
    {"nearest", "records that are wanted", 5, 1, 1024, NULL},
    {"latitude", "of the place", 30, -90, 90, NULL},
    {"longitude", "of the place", 90, -180, 180, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the records", 1, 0, 1000000000, NULL},
};

static struct record random_record(struct workload_random *random)
{
    struct record record;
    record.latitude = (float)workload_below(random, 721) / 4.0f - 90.0f;
    record.longitude = (float)workload_below(random, 1441) / 4.0f - 180.0f;
    return record;
}

// The numbers of the nearest records, of equally far ones the first; those found are marked as far
// away.
static void find_nearest(float *distances, unsigned count, unsigned *nearest, unsigned wanted)
{
    for (unsigned k = 0; k < wanted; k++) {
        unsigned least = 0;
        for (unsigned i = 1; i < count; i++)
            if (distances[i] < distances[least])
                least = i;
        nearest[k] = least;
        distances[least] = INFINITY;
    }
}

static long first_wrong(const unsigned *nearest, unsigned wanted, unsigned count,
                        struct record place)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    std::vector<float> distances(count);
    std::vector<unsigned> expected(wanted);
    for (unsigned i = 0; i < count; i++) {
        struct record record = random_record(&random);
        float up = place.latitude - record.latitude, across = place.longitude - record.longitude;
        distances[i] = sqrtf(up * up + across * across);
    }
    find_nearest(distances.data(), count, expected.data(), wanted);
    return first_difference(nearest, expected.data(), wanted);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "nearest_neighbours", "records near a place", options, OPTIONS);
    unsigned count = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    unsigned wanted = (unsigned)options[NEAREST].value;
    wanted = wanted < count ? wanted : count;
    struct record place = {(float)options[LATITUDE].value, (float)options[LONGITUDE].value};
    struct record *records = managed_array<struct record>(count);
    float *distances = managed_array<float>(count);
    unsigned *nearest = managed_array<unsigned>(wanted);

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < count; i++)
        records[i] = random_record(&random);
    managed_work_begin();
    nearest_distances<<<(count + block - 1) / block, block>>>(records, distances, count, place);
    WORKLOAD_CHECK_LAUNCH();
    find_nearest(distances, count, nearest, wanted);
    managed_work_end();

    long wrong = first_wrong(nearest, wanted, count, place);
    managed_release(records);
    managed_release(distances);
    managed_release(nearest);
    return workload_verdict("nearest_neighbours", wrong);
}
