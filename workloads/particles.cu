// Where is the bright disk in this film? A few hundred guesses, the particles, each go with the
// disk's usual motion and a little by chance; each is then weighed by what the film shows around
// it, and those that weigh much are guessed from again. Kernels, in each picture of the film:
//
//   move     takes a particle on and weighs it. First the places of the disk's points in the film
//            are written down: 276 bytes a thread, so lanes lie in lines of their own; the offsets
//            of the points from the middle go to all lanes. Then the film is read at those places
//   total    running sums of the weights, by one block
//   choose   each thread looks for the particle that its number falls to, from the first one on:
//            all lanes read the same sum as long as they look
//
// The single-precision version of Rodinia's benchmark particlefilter, with whole numbers instead:
// positions are in 256ths of a point, and weights are whole, so host and device choose alike.
#include "workload.h"

#define BLOCK 512
#define PART 256 // of a point
#define DIM 100  // of the film, without noise; where the disk is, it is BRIGHT
#define BRIGHT 228
#define MOVE_X 1 // points a picture
#define MOVE_Y (-2)

// Picture k of a film is at every `pictures`-th byte, from byte k on; columns lie together.
struct film {
    unsigned char *points;
    int width, height, pictures;
};

struct particles {
    int *x, *y;
    int *before_x, *before_y; // those that were chosen, before the move
    unsigned *seed, *weight, *total;
    int *likelihood, *before_likelihood;
};

static __host__ __device__ unsigned next_random(unsigned state)
{
    return state * 1664525u + 1013904223u;
}

// About normal, with a deviation of 1 point: the sum of twelve numbers from -1/2 to 1/2. The state
// is read and written in memory at each.
static __host__ __device__ int random_step(unsigned *seed, unsigned i)
{
    unsigned state = seed[i];
    int sum = 0;
    for (int k = 0; k < 12; k++) {
        state = next_random(state);
        sum += (int)(state >> 24) - PART / 2;
    }
    seed[i] = state;
    return sum;
}

// How much likelier a disk is at this point than none, in thousandths.
static __host__ __device__ int likelier(int point)
{
    return ((point - DIM) * (point - DIM) - (point - BRIGHT) * (point - BRIGHT)) / 16;
}

// One picture's likelihood, and a quarter of what the pictures before it said, so that noise in one
// does not decide alone.
static __host__ __device__ int smooth(int before, int now)
{
    return (before + 3 * now) / 4;
}

// What cannot be the disk is not quite left out.
static __host__ __device__ unsigned weight_of(int likelihood)
{
    return likelihood > 0 ? 1u + (unsigned)likelihood / 16u : 1u;
}

__global__ void particles_move(struct particles all, int *places, const int *offsets,
                               struct film film, unsigned *sums, unsigned count, unsigned points,
                               int picture)
{
    __shared__ unsigned long long sum[BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count) {
        all.x[i] = all.before_x[i];
        all.y[i] = all.before_y[i];
        all.weight[i] = 1;
        all.x[i] += MOVE_X * PART + 2 * random_step(all.seed, i);
        all.y[i] += MOVE_Y * PART + 2 * random_step(all.seed, i);
        int size = film.width * film.height * film.pictures;
#pragma unroll 1
        for (unsigned k = 0; k < points; k++) {
            int x = (all.x[i] + PART / 2) / PART + offsets[2 * k + 1];
            int y = (all.y[i] + PART / 2) / PART + offsets[2 * k];
            int place = abs((x * film.height + y) * film.pictures + picture);
            places[i * points + k] = place < size ? place : 0;
        }
        int likelihood = 0;
#pragma unroll 1
        for (unsigned k = 0; k < points; k++)
            likelihood += likelier(film.points[places[i * points + k]]);
        all.likelihood[i] = smooth(all.before_likelihood[i], likelihood / (int)points);
        all.weight[i] *= weight_of(all.likelihood[i]);
    }
    sum[threadIdx.x] = i < count ? all.weight[i] : 0;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = (unsigned)sum[0];
}

// Each block begins with what the blocks before it weigh.
__global__ void particles_total(const unsigned *weight, const unsigned *sums, unsigned *total,
                                unsigned count)
{
    __shared__ unsigned part[2][BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, before = 0, from = 0;
    for (unsigned block = 0; block < blockIdx.x; block++)
        before += sums[block];
    part[0][threadIdx.x] = i < count ? weight[i] : 0;
    __syncthreads();
    for (unsigned distance = 1; distance < BLOCK; distance *= 2, from ^= 1) {
        unsigned other = threadIdx.x >= distance ? part[from][threadIdx.x - distance] : 0;
        part[from ^ 1][threadIdx.x] = part[from][threadIdx.x] + other;
        __syncthreads();
    }
    if (i < count)
        total[i] = before + part[from][threadIdx.x];
}

// Numbers at equal distances, half of one from both ends.
static __host__ __device__ unsigned fall(unsigned i, unsigned total, unsigned count)
{
    return (unsigned)((2ull * i + 1) * total / (2ull * count));
}

__global__ void particles_choose(struct particles all, unsigned count)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    unsigned wanted = fall(i, all.total[count - 1], count), chosen = 0;
#pragma unroll 1
    while (all.total[chosen] <= wanted)
        chosen++;
    all.before_x[i] = all.x[chosen];
    all.before_y[i] = all.y[chosen];
    all.before_likelihood[i] = all.likelihood[chosen];
}

enum { N, WIDTH, HEIGHT, PICTURES, STEPS, RADIUS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "particles", 1000, 1, 1 << 16, NULL},
    {"width", "of the film", 128, 16, 1024, NULL},
    {"height", "of the film", 128, 16, 1024, NULL},
    {"pictures", "of the film", 10, 2, 64, NULL},
    {"steps", "pictures that the disk is looked for in, after the first", 2, 1, 63, NULL},
    {"radius", "of the disk, in points, and one more", 5, 1, 16, NULL},
    {"seed", "of noise and chance", 1, 0, 1000000000, NULL},
};

#define PARTICLE_ARRAYS 9

static void list_arrays(struct particles *all, void **arrays[PARTICLE_ARRAYS])
{
    void **list[PARTICLE_ARRAYS] = {
        (void **)&all->x,        (void **)&all->y,          (void **)&all->before_x,
        (void **)&all->before_y, (void **)&all->seed,       (void **)&all->weight,
        (void **)&all->total,    (void **)&all->likelihood, (void **)&all->before_likelihood};
    memcpy(arrays, list, sizeof(list));
}

// Pairs of the disk's points: y and x from its middle.
static int *disk_offsets(unsigned *points)
{
    int reach = (int)options[RADIUS].value - 1;
    int *offsets =
        (int *)workload_allocate(2 * sizeof(int) * (size_t)((2 * reach + 1) * (2 * reach + 1)));
    *points = 0;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++)
            if (x * x + y * y <= reach * (reach + 1)) {
                offsets[2 * *points] = y;
                offsets[2 * *points + 1] = x;
                *points += 1;
            }
    return offsets;
}

// The disk begins in the middle.
static struct film random_film(struct workload_random *random)
{
    struct film film = {NULL, (int)options[WIDTH].value, (int)options[HEIGHT].value,
                        (int)options[PICTURES].value};
    int reach = (int)options[RADIUS].value - 1;
    film.points = (unsigned char *)workload_allocate((size_t)film.width * (size_t)film.height *
                                                     (size_t)film.pictures);
    unsigned char *point = film.points;
    for (int x = 0; x < film.width; x++)
        for (int y = 0; y < film.height; y++)
            for (int k = 0; k < film.pictures; k++, point++) {
                int across = x - film.width / 2 - MOVE_X * k;
                int down = y - film.height / 2 - MOVE_Y * k;
                bool inside = across * across + down * down <= reach * (reach + 1);
                *point =
                    (unsigned char)((inside ? BRIGHT : DIM) - 10 + (int)workload_below(random, 21));
            }
    return film;
}

static struct particles first_particles(unsigned count, struct workload_random *random)
{
    struct particles host;
    void **arrays[PARTICLE_ARRAYS];
    list_arrays(&host, arrays);
    for (size_t i = 0; i < PARTICLE_ARRAYS; i++)
        *arrays[i] = workload_allocate(count * sizeof(int));
    for (unsigned i = 0; i < count; i++) {
        host.before_x[i] = (int)options[WIDTH].value / 2 * PART;
        host.before_y[i] = (int)options[HEIGHT].value / 2 * PART;
        host.before_likelihood[i] = 0;
        host.seed[i] = workload_next(random);
    }
    return host;
}

static void track_on_device(const struct particles *host, unsigned count, const int *offsets,
                            unsigned points, struct film film, int *x, int *y)
{
    size_t bytes = count * sizeof(int);
    size_t film_bytes = (size_t)film.width * (size_t)film.height * (size_t)film.pictures;
    struct particles all = *host;
    void **arrays[PARTICLE_ARRAYS];
    list_arrays(&all, arrays);
    for (size_t i = 0; i < PARTICLE_ARRAYS; i++)
        *arrays[i] = workload_upload(*arrays[i], bytes);
    film.points = (unsigned char *)workload_upload(film.points, film_bytes);
    int *device_offsets = (int *)workload_upload(offsets, 2 * points * sizeof(int)), *places;
    unsigned blocks = (count + BLOCK - 1) / BLOCK, *sums;
    WORKLOAD_CHECK(cudaMalloc((void **)&sums, blocks * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMalloc((void **)&places, points * bytes));
    for (int picture = 1; picture <= options[STEPS].value; picture++) {
        particles_move<<<blocks, BLOCK>>>(all, places, device_offsets, film, sums, count, points,
                                          picture % film.pictures);
        WORKLOAD_CHECK_LAUNCH();
        particles_total<<<blocks, BLOCK>>>(all.weight, sums, all.total, count);
        WORKLOAD_CHECK_LAUNCH();
        particles_choose<<<blocks, BLOCK>>>(all, count);
        WORKLOAD_CHECK_LAUNCH();
    }
    WORKLOAD_CHECK(cudaMemcpy(x, all.before_x, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(y, all.before_y, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < PARTICLE_ARRAYS; i++)
        WORKLOAD_CHECK(cudaFree(*arrays[i]));
    void *rest[] = {places, sums, film.points, device_offsets};
    for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
        WORKLOAD_CHECK(cudaFree(rest[i]));
}

static int likelihood_on_host(const struct film *film, const int *offsets, unsigned points, int x,
                              int y, int picture)
{
    int size = film->width * film->height * film->pictures, likelihood = 0;
    for (unsigned k = 0; k < points; k++) {
        int column = (x + PART / 2) / PART + offsets[2 * k + 1];
        int row = (y + PART / 2) / PART + offsets[2 * k];
        int place = abs((column * film->height + row) * film->pictures + picture);
        likelihood += likelier(film->points[place < size ? place : 0]);
    }
    return likelihood / (int)points;
}

static void track_on_host(struct particles *all, unsigned count, const int *offsets,
                          unsigned points, struct film film)
{
    for (int picture = 1; picture <= options[STEPS].value; picture++) {
        unsigned total = 0;
        for (unsigned i = 0; i < count; i++) {
            all->x[i] = all->before_x[i] + MOVE_X * PART + 2 * random_step(all->seed, i);
            all->y[i] = all->before_y[i] + MOVE_Y * PART + 2 * random_step(all->seed, i);
            all->likelihood[i] = smooth(all->before_likelihood[i],
                                        likelihood_on_host(&film, offsets, points, all->x[i],
                                                           all->y[i], picture % film.pictures));
            total += weight_of(all->likelihood[i]);
            all->total[i] = total;
        }
        unsigned chosen = 0;
        for (unsigned i = 0; i < count; i++) {
            while (all->total[chosen] <= fall(i, total, count))
                chosen++;
            all->before_x[i] = all->x[chosen];
            all->before_y[i] = all->y[chosen];
            all->before_likelihood[i] = all->likelihood[chosen];
        }
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "particles", "follows a disk through a noisy film", options,
                   OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned count = (unsigned)options[N].value, points;
    int *offsets = disk_offsets(&points);
    struct film film = random_film(&random);
    struct particles host = first_particles(count, &random);
    int *x = (int *)workload_allocate(count * sizeof(int));
    int *y = (int *)workload_allocate(count * sizeof(int));
    track_on_device(&host, count, offsets, points, film, x, y);
    track_on_host(&host, count, offsets, points, film);

    long wrong = -1;
    for (unsigned i = 0; i < count && wrong < 0; i++)
        if (x[i] != host.before_x[i] || y[i] != host.before_y[i])
            wrong = (long)i;
    void **arrays[PARTICLE_ARRAYS];
    list_arrays(&host, arrays);
    for (size_t i = 0; i < PARTICLE_ARRAYS; i++)
        free(*arrays[i]);
    free(film.points);
    free(offsets);
    free(x);
    free(y);
    return workload_verdict("particles", wrong);
}
