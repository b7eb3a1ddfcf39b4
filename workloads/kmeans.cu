// Clustering by means: every point goes to the nearest of a few centres, and centres move to the
// mean of their points, on the host.
//
//   kmeans_invert  once, at first: the table comes with a point's features side by side, and leaves
//                  with a feature of all points so. A thread takes a point: the lanes of a warp
//                  read 32 lines and come back for the rest of each; they write neighbours
//   kmeans_assign  in each step: a thread takes a point and measures how far each centre is. The
//                  lanes of a warp read neighbours, as often as there are centres; these lie in
//                  constant memory
//
// Variants:
//   constant  as said
//   shared    kmeans_assign_shared takes a feature of its point once, measures it against all
//             centres, which are in global memory, one number for all lanes, and keeps the sums of
//             16 centres and 256 points in 16 KiB of shared memory
//
// Rodinia's benchmark kmeans, but for the textures through which it reads the inverted table.
#include "workload.h"

#define CENTRE_NUMBERS 8192

__constant__ float centre_features[CENTRE_NUMBERS];

__global__ void kmeans_invert(const float *points, float *inverted, unsigned count,
                              unsigned features)
{
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    for (unsigned i = 0; i < features; i++)
        inverted[i * count + point] = points[point * features + i];
}

// Of two centres at one distance the first.
__global__ void kmeans_assign(const float *inverted, int *membership, unsigned count,
                              unsigned features, unsigned centres)
{
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    float nearest = 3.4e38f;
    int index = -1;
    for (unsigned centre = 0; centre < centres; centre++) {
        float distance = 0.0f;
        for (unsigned i = 0; i < features; i++) {
            float difference = inverted[i * count + point] - centre_features[centre * features + i];
            distance += difference * difference;
        }
        if (distance < nearest) {
            nearest = distance;
            index = (int)centre;
        }
    }
    membership[point] = index;
}

#define MOST_CENTRES 16 // of the variant in shared memory
#define MOST_POINTS 256

__global__ void kmeans_assign_shared(const float *inverted, const float *centre, int *membership,
                                     unsigned count, unsigned features, unsigned centres)
{
    __shared__ float distance[MOST_CENTRES][MOST_POINTS];
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    for (unsigned c = 0; c < centres; c++)
        distance[c][threadIdx.x] = 0.0f;
    for (unsigned i = 0; i < features; i++) {
        float feature = inverted[i * count + point];
        for (unsigned c = 0; c < centres; c++) {
            float difference = feature - centre[c * features + i];
            distance[c][threadIdx.x] += difference * difference;
        }
    }
    int index = 0;
    for (unsigned c = 1; c < centres; c++)
        if (distance[c][threadIdx.x] < distance[index][threadIdx.x])
            index = (int)c;
    membership[point] = index;
}

// kmeans_invert of points whose features begin `pitch` numbers apart. It stands last, and by
// itself, as studies name the lines of the other kernels' PTX.
__global__ void kmeans_invert_padded(const float *points, float *inverted, unsigned count,
                                     unsigned features, unsigned pitch)
{
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    for (unsigned i = 0; i < features; i++)
        inverted[i * count + point] = points[point * pitch + i];
}

enum { CONSTANT, SHARED };
enum { N, FEATURES, PAD, CENTRES, STEPS, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "points", 4096, 1, 1 << 20, NULL},
    {"features", "of a point", 136, 1, 256, NULL},
    {"pad", "numbers between a point's features and the next point's", 0, 0, 256, NULL},
    {"centres", "to choose from", 5, 1, 32, NULL},
    {"steps", "times that centres move", 2, 1, 500, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "where centres and distances are", 0, 0, 0, "constant shared"},
};

// Points around as many places as there will be centres. Features are whole numbers below 256, and
// so are those of the centres: a squared distance of 256 features stays below 2^24 and is exact.
static float *random_points(unsigned count, unsigned features, unsigned places,
                            struct workload_random *random)
{
    float *points = (float *)workload_allocate((size_t)count * features * sizeof(float));
    unsigned *place = (unsigned *)workload_allocate(places * features * sizeof(unsigned));
    for (size_t i = 0; i < places * features; i++)
        place[i] = workload_below(random, 128);
    for (size_t point = 0; point < count; point++) {
        size_t near = workload_below(random, places);
        for (size_t i = 0; i < features; i++)
            points[point * features + i] =
                (float)(place[near * features + i] + workload_below(random, 128));
    }
    free(place);
    return points;
}

static void assign_on_host(const float *points, const float *centre, int *membership, size_t count,
                           size_t features, size_t centres)
{
    for (size_t point = 0; point < count; point++) {
        float nearest = 3.4e38f;
        for (size_t c = 0; c < centres; c++) {
            float distance = 0.0f;
            for (size_t i = 0; i < features; i++) {
                float difference = points[point * features + i] - centre[c * features + i];
                distance += difference * difference;
            }
            if (distance < nearest) {
                nearest = distance;
                membership[point] = (int)c;
            }
        }
    }
}

// To the whole numbers next to the means. A centre without points stays where it is.
static void move_centres(const float *points, const int *membership, float *centre, size_t count,
                         size_t features, size_t centres)
{
    for (size_t c = 0; c < centres; c++)
        for (size_t i = 0; i < features; i++) {
            double sum = 0.0, members = 0.0;
            for (size_t point = 0; point < count; point++)
                if (membership[point] == (int)c) {
                    sum += points[point * features + i];
                    members += 1.0;
                }
            if (members > 0.0)
                centre[c * features + i] = (float)(int)(sum / members + 0.5);
        }
}

// Of the variant in shared memory the centres are at `device_centre`.
static void assign_on_device(const float *inverted, const float *centre, float *device_centre,
                             int *membership, unsigned count, unsigned features)
{
    unsigned centres = (unsigned)options[CENTRES].value, block = (unsigned)options[BLOCK].value;
    unsigned grid = (count + block - 1) / block;
    size_t bytes = centres * features * sizeof(float);
    if (options[VARIANT].value == SHARED) {
        WORKLOAD_CHECK(cudaMemcpy(device_centre, centre, bytes, cudaMemcpyHostToDevice));
        kmeans_assign_shared<<<grid, block>>>(inverted, device_centre, membership, count, features,
                                              centres);
    } else {
        WORKLOAD_CHECK(cudaMemcpyToSymbol(centre_features, centre, bytes));
        kmeans_assign<<<grid, block>>>(inverted, membership, count, features, centres);
    }
    WORKLOAD_CHECK_LAUNCH();
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "kmeans", "clusters points around their means", options, OPTIONS);
    if (options[VARIANT].value == SHARED &&
        (options[CENTRES].value > MOST_CENTRES || options[BLOCK].value > MOST_POINTS)) {
        fprintf(stderr,
                "kmeans: --variant shared takes up to %d --centres and a --block of up to %d, not "
                "'%ld' and '%ld'\n",
                MOST_CENTRES, MOST_POINTS, options[CENTRES].value, options[BLOCK].value);
        return 2;
    }
    unsigned count = (unsigned)options[N].value, features = (unsigned)options[FEATURES].value;
    unsigned centres = (unsigned)options[CENTRES].value, block = (unsigned)options[BLOCK].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    size_t bytes = (size_t)count * features * sizeof(float);
    float *points = random_points(count, features, centres, &random);
    float *centre = (float *)workload_allocate(CENTRE_NUMBERS * sizeof(float));
    for (size_t c = 0; c < centres; c++)
        memcpy(centre + c * features, points + (c % count) * features, features * sizeof(float));
    int *membership = (int *)workload_allocate(count * sizeof(int));
    int *expected = (int *)workload_allocate(count * sizeof(int));

    unsigned pitch = features + (unsigned)options[PAD].value;
    float *device_points, *inverted;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_points, (size_t)count * pitch * sizeof(float)));
    WORKLOAD_CHECK(cudaMemcpy2D(device_points, pitch * sizeof(float), points,
                                features * sizeof(float), features * sizeof(float), count,
                                cudaMemcpyHostToDevice));
    int *device_membership;
    WORKLOAD_CHECK(cudaMalloc((void **)&inverted, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&device_membership, count * sizeof(int)));
    float *device_centre = NULL;
    if (options[VARIANT].value == SHARED)
        WORKLOAD_CHECK(cudaMalloc((void **)&device_centre, centres * features * sizeof(float)));
    unsigned grid = (count + block - 1) / block;
    if (pitch == features)
        kmeans_invert<<<grid, block>>>(device_points, inverted, count, features);
    else
        kmeans_invert_padded<<<grid, block>>>(device_points, inverted, count, features, pitch);
    WORKLOAD_CHECK_LAUNCH();
    long wrong = -1;
    for (long step = 0; step < options[STEPS].value && wrong < 0; step++) {
        assign_on_device(inverted, centre, device_centre, device_membership, count, features);
        WORKLOAD_CHECK(
            cudaMemcpy(membership, device_membership, count * sizeof(int), cudaMemcpyDeviceToHost));
        assign_on_host(points, centre, expected, count, features, centres);
        for (unsigned point = 0; point < count && wrong < 0; point++)
            if (membership[point] != expected[point])
                wrong = (long)point;
        move_centres(points, membership, centre, count, features, centres);
    }
    WORKLOAD_CHECK(cudaFree(device_points));
    WORKLOAD_CHECK(cudaFree(inverted));
    WORKLOAD_CHECK(cudaFree(device_membership));
    WORKLOAD_CHECK(cudaFree(device_centre));
    free(points);
    free(centre);
    free(membership);
    free(expected);
    return workload_verdict("kmeans", wrong);
}
