// Clustering of points as they come: would one more centre, at a given point, lower the cost of
// all? Every point says what it would save by going there, or what its own centre's points would
// lose if that one closed. A launch asks this for one point; the host adds up and moves.
//
// A thread takes a point. Coordinates lie dimension by dimension, so the lanes of a warp read
// neighbours; what else is known of a point is a structure of 32 bytes, whose parts are read one
// after the other: 8 lines each time, a sector a lane. What a thread finds goes to a row of its
// own.
//
//   shared  the coordinates of the candidate are kept in shared memory
//   global  every lane reads them where the others' are: a broadcast
//
// Rodinia's benchmark streamcluster.
#include "workload.h"

// 32 bytes, as Rodinia's.
struct point {
    float weight;
    const float *coordinates; // the host's, which the device does not use
    long long centre;         // the point that is its centre
    float cost;               // the distance to it, squared, times the weight
};

// What point number `i` would do: `saved` has a column for each open centre and one for the
// candidate, `column_of` says which.
static __device__ void decide(const struct point *points, const int *column_of, float *saved,
                              unsigned char *moves, unsigned i, unsigned centres, float distance)
{
    float cost = distance * points[i].weight;
    float *row = saved + i * (centres + 1);
    if (cost < points[i].cost) {
        moves[i] = 1;
        row[centres] += cost - points[i].cost;
    } else {
        row[column_of[points[i].centre]] += points[i].cost - cost;
    }
}

__global__ void streamcluster_shared(const struct point *points, const float *coordinates,
                                     const int *column_of, float *saved, unsigned char *moves,
                                     unsigned count, unsigned dimensions, unsigned centres,
                                     unsigned candidate)
{
    extern __shared__ float there[];
    for (unsigned k = threadIdx.x; k < dimensions; k += blockDim.x)
        there[k] = coordinates[k * count + candidate];
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float distance = 0.0f;
    for (unsigned k = 0; k < dimensions; k++) {
        float difference = coordinates[k * count + i] - there[k];
        distance += difference * difference;
    }
    decide(points, column_of, saved, moves, i, centres, distance);
}

__global__ void streamcluster_global(const struct point *points, const float *coordinates,
                                     const int *column_of, float *saved, unsigned char *moves,
                                     unsigned count, unsigned dimensions, unsigned centres,
                                     unsigned candidate)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float distance = 0.0f;
    for (unsigned k = 0; k < dimensions; k++) {
        float difference = coordinates[k * count + i] - coordinates[k * count + candidate];
        distance += difference * difference;
    }
    decide(points, column_of, saved, moves, i, centres, distance);
}

#define MOST_CENTRES 64

enum { N, DIMENSIONS, CENTRES, STEPS, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "points", 16384, 1, 1 << 20, NULL},
    {"dimensions", "of a point", 32, 1, 256, NULL},
    {"centres", "open at first", 10, 1, 32, NULL},
    {"steps", "candidates, a launch each", 2, 1, 1000, NULL},
    {"block", "threads of a block", 512, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "where the candidate's coordinates are", 0, 0, 0, "shared global"},
};

// The points; their coordinates point by point on the host and dimension by dimension on the
// device; and the centres that are open, as points, with the column of each.
struct clustering {
    unsigned count, dimensions, centres;
    struct point *points, *device_points;
    float *coordinates, *device_coordinates;
    int *column_of, *device_column_of;
    unsigned char *moves, *device_moves;
};

static float distance_on_host(const struct clustering *all, unsigned one, unsigned other)
{
    const float *a = all->points[one].coordinates, *b = all->points[other].coordinates;
    float distance = 0.0f;
    for (unsigned k = 0; k < all->dimensions; k++)
        distance += (a[k] - b[k]) * (a[k] - b[k]);
    return distance;
}

// Whole numbers below 16 and weights up to 4: a cost of 256 dimensions stays below 2^18. The first
// points are the centres.
static void make_points(struct clustering *all, struct workload_random *random)
{
    size_t numbers = (size_t)all->count * all->dimensions;
    all->points = (struct point *)workload_allocate(all->count * sizeof(struct point));
    all->coordinates = (float *)workload_allocate(numbers * sizeof(float));
    for (size_t i = 0; i < numbers; i++)
        all->coordinates[i] = (float)workload_below(random, 16);
    for (unsigned i = 0; i < all->count; i++) {
        all->points[i].weight = (float)(1 + workload_below(random, 4));
        all->points[i].coordinates = all->coordinates + (size_t)i * all->dimensions;
        all->points[i].cost = 3.4e38f;
    }
    for (unsigned i = 0; i < all->count; i++) {
        all->column_of[i] = i < all->centres ? (int)i : -1;
        for (unsigned c = 0; c < all->centres; c++) {
            float cost = distance_on_host(all, i, c) * all->points[i].weight;
            if (cost < all->points[i].cost) {
                all->points[i].cost = cost;
                all->points[i].centre = c;
            }
        }
    }
}

static struct clustering new_clustering(unsigned count, unsigned dimensions, unsigned centres,
                                        struct workload_random *random)
{
    struct clustering all;
    memset(&all, 0, sizeof(all));
    all.count = count;
    all.dimensions = dimensions;
    all.centres = centres < count ? centres : count;
    all.column_of = (int *)workload_allocate(count * sizeof(int));
    all.moves = (unsigned char *)workload_allocate(count);
    make_points(&all, random);
    size_t numbers = (size_t)count * dimensions;
    float *turned = (float *)workload_allocate(numbers * sizeof(float));
    for (size_t i = 0; i < numbers; i++)
        turned[i % dimensions * count + i / dimensions] = all.coordinates[i];
    all.device_coordinates = (float *)workload_upload(turned, numbers * sizeof(float));
    free(turned);
    WORKLOAD_CHECK(cudaMalloc((void **)&all.device_points, count * sizeof(struct point)));
    WORKLOAD_CHECK(cudaMalloc((void **)&all.device_column_of, count * sizeof(int)));
    WORKLOAD_CHECK(cudaMalloc((void **)&all.device_moves, count));
    return all;
}

static void free_clustering(struct clustering *all)
{
    WORKLOAD_CHECK(cudaFree(all->device_points));
    WORKLOAD_CHECK(cudaFree(all->device_coordinates));
    WORKLOAD_CHECK(cudaFree(all->device_column_of));
    WORKLOAD_CHECK(cudaFree(all->device_moves));
    free(all->points);
    free(all->coordinates);
    free(all->column_of);
    free(all->moves);
}

// What everybody would save, into `saved`, and who would move.
static void ask_device(struct clustering *all, float *saved, unsigned candidate)
{
    size_t bytes = (size_t)all->count * (all->centres + 1) * sizeof(float);
    float *device_saved;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_saved, bytes));
    WORKLOAD_CHECK(cudaMemset(device_saved, 0, bytes));
    WORKLOAD_CHECK(cudaMemset(all->device_moves, 0, all->count));
    WORKLOAD_CHECK(cudaMemcpy(all->device_points, all->points, all->count * sizeof(struct point),
                              cudaMemcpyHostToDevice));
    WORKLOAD_CHECK(cudaMemcpy(all->device_column_of, all->column_of, all->count * sizeof(int),
                              cudaMemcpyHostToDevice));
    unsigned block = (unsigned)options[BLOCK].value, grid = (all->count + block - 1) / block;
    if (options[VARIANT].value == 0)
        streamcluster_shared<<<grid, block, all->dimensions * sizeof(float)>>>(
            all->device_points, all->device_coordinates, all->device_column_of, device_saved,
            all->device_moves, all->count, all->dimensions, all->centres, candidate);
    else
        streamcluster_global<<<grid, block>>>(
            all->device_points, all->device_coordinates, all->device_column_of, device_saved,
            all->device_moves, all->count, all->dimensions, all->centres, candidate);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(saved, device_saved, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(all->moves, all->device_moves, all->count, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_saved));
}

// The first point whose row, or whether it moves, is not what it should be, or -1. All numbers are
// whole and below 2^24: exact.
static long first_wrong_row(const struct clustering *all, const float *saved, unsigned candidate)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct point *point = &all->points[i];
        float cost = distance_on_host(all, i, candidate) * point->weight;
        bool moves = cost < point->cost;
        unsigned column = moves ? all->centres : (unsigned)all->column_of[point->centre];
        float wanted = moves ? cost - point->cost : point->cost - cost;
        if (all->moves[i] != moves)
            return (long)i;
        for (unsigned c = 0; c <= all->centres; c++)
            if (saved[(size_t)i * (all->centres + 1) + c] != (c == column ? wanted : 0.0f))
                return (long)i;
    }
    return -1;
}

// Opens the candidate if that pays, where a centre costs as much as an average point: those that
// save by it move, and the candidate itself, which costs nothing from then on.
static void open_candidate(struct clustering *all, const float *saved, unsigned candidate)
{
    double gain = 0.0, costs = 0.0;
    for (unsigned i = 0; i < all->count; i++) {
        gain -= saved[(size_t)i * (all->centres + 1) + all->centres];
        costs += all->points[i].cost;
    }
    if (gain <= costs / all->count || all->column_of[candidate] >= 0 ||
        all->centres == MOST_CENTRES)
        return;
    for (unsigned i = 0; i < all->count; i++)
        if (all->moves[i]) {
            all->points[i].cost = distance_on_host(all, i, candidate) * all->points[i].weight;
            all->points[i].centre = candidate;
        }
    all->column_of[candidate] = (int)all->centres++;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "streamcluster", "looks for centres of points, one at a time",
                   options, OPTIONS);
    unsigned count = (unsigned)options[N].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct clustering all = new_clustering(count, (unsigned)options[DIMENSIONS].value,
                                           (unsigned)options[CENTRES].value, &random);
    float *saved = (float *)workload_allocate((size_t)count * (MOST_CENTRES + 1) * sizeof(float));
    long wrong = -1;
    for (long step = 0; step < options[STEPS].value && wrong < 0; step++) {
        unsigned candidate = workload_below(&random, count);
        ask_device(&all, saved, candidate);
        wrong = first_wrong_row(&all, saved, candidate);
        open_candidate(&all, saved, candidate);
    }
    free(saved);
    free_clustering(&all);
    return workload_verdict("streamcluster", wrong);
}
