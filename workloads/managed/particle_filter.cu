// A disk moves through a noisy film, and particles follow it. In each picture the CPU moves all
// particles by chance, weighs them by how likely the disk is there, and adds the weights up one
// after the other; a thread of the kernel for each number between 0 and the total looks from the
// first sum on for the first that is larger, and takes that particle for its own.
//
// Rodinia's benchmark particlefilter, its naive version, where the search alone is the kernel's.
// All numbers are whole; workloads/particles.cu has all steps in kernels.
#include "../managed_memory.h"

#define PART 64 // of a point: positions are whole numbers of these

struct particles {
    int *x, *y, *next_x, *next_y;
    unsigned *total; // the particle's weight and those of all before it
    unsigned count;
};

// Number i of `count`, at equal distances from 0 to the total.
static __host__ __device__ unsigned wanted_sum(unsigned i, unsigned total, unsigned count)
{
    return (unsigned)((2ull * i + 1) * total / (2ull * count));
}

__global__ void filter_choose(struct particles all)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= all.count)
        return;
    unsigned wanted = wanted_sum(i, all.total[all.count - 1], all.count), chosen = 0;
    while (chosen < all.count - 1 && all.total[chosen] <= wanted)
        chosen++;
    all.next_x[i] = all.x[chosen];
    all.next_y[i] = all.y[chosen];
}

enum { N, SIDE, STEPS, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "particles", 1024, 1, 1 << 20, NULL},
    {"side", "of a picture", 128, 32, 4096, NULL},
    {"steps", "pictures of the film", 4, 1, 1000, NULL},
    {"block", "threads of a block", 512, 1, 1024, NULL},
    {"seed", "of noise and chance", 1, 0, 1000000000, NULL},
};

static size_t film_bytes(void)
{
    size_t side = (size_t)options[SIDE].value;
    return side * side * (size_t)options[STEPS].value;
}

// Brighter in the disk, which moves by a point and two a picture.
static void fill_film(unsigned char *film, struct workload_random *random)
{
    int side = (int)options[SIDE].value;
    for (int picture = 0; picture < options[STEPS].value; picture++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                int across = x - side / 2 - picture, down = y - side / 2 + 2 * picture;
                int level = across * across + down * down <= 20 ? 228 : 100;
                *film++ = (unsigned char)(level + (int)workload_below(random, 21));
            }
}

static int between(int number, int least, int most)
{
    return number < least ? least : number > most ? most : number;
}

// At least 1; more where points around the particle are as bright as the disk.
static unsigned weight_of(const unsigned char *picture, int x, int y)
{
    int side = (int)options[SIDE].value, likely = 0;
    for (int down = -2; down <= 2; down++)
        for (int across = -2; across <= 2; across++) {
            int row = between(y / PART + down, 0, side - 1);
            int point = picture[row * side + between(x / PART + across, 0, side - 1)];
            likely += ((point - 100) * (point - 100) - (point - 228) * (point - 228)) / 64;
        }
    return likely > 0 ? 1u + (unsigned)likely / 64u : 1u;
}

static void start_particles(struct particles all)
{
    for (unsigned i = 0; i < all.count; i++)
        all.next_x[i] = all.next_y[i] = (int)options[SIDE].value / 2 * PART;
}

// What the CPU does before a launch.
static void move_and_weigh(struct particles all, const unsigned char *film, long step,
                           struct workload_random *random)
{
    size_t side = (size_t)options[SIDE].value;
    const unsigned char *picture = film + (size_t)step * side * side;
    unsigned total = 0;
    for (unsigned i = 0; i < all.count; i++) {
        all.x[i] = all.next_x[i] + PART + (int)workload_below(random, 4 * PART) - 2 * PART;
        all.y[i] = all.next_y[i] - 2 * PART + (int)workload_below(random, 4 * PART) - 2 * PART;
        total += weight_of(picture, all.x[i], all.y[i]);
        all.total[i] = total;
    }
}

static void choose_on_host(struct particles all)
{
    for (unsigned i = 0, chosen = 0; i < all.count; i++) {
        unsigned wanted = wanted_sum(i, all.total[all.count - 1], all.count);
        while (chosen < all.count - 1 && all.total[chosen] <= wanted)
            chosen++;
        all.next_x[i] = all.x[chosen];
        all.next_y[i] = all.y[chosen];
    }
}

static struct particles allocate_particles(unsigned count, void *(*allocate)(size_t))
{
    struct particles all;
    all.count = count;
    all.x = (int *)allocate(count * sizeof(int));
    all.y = (int *)allocate(count * sizeof(int));
    all.next_x = (int *)allocate(count * sizeof(int));
    all.next_y = (int *)allocate(count * sizeof(int));
    all.total = (unsigned *)allocate(count * sizeof(unsigned));
    return all;
}

static void release_particles(struct particles all, void (*release)(void *))
{
    release(all.x);
    release(all.y);
    release(all.next_x);
    release(all.next_y);
    release(all.total);
}

static long first_wrong(struct particles found)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    std::vector<unsigned char> film(film_bytes());
    fill_film(film.data(), &random);
    struct particles all = allocate_particles(found.count, workload_allocate);
    start_particles(all);
    for (long step = 0; step < options[STEPS].value; step++) {
        move_and_weigh(all, film.data(), step, &random);
        choose_on_host(all);
    }
    long wrong = first_difference(found.next_x, all.next_x, all.count);
    if (wrong < 0)
        wrong = first_difference(found.next_y, all.next_y, all.count);
    release_particles(all, free);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "particle_filter", "particles follow a disk", options, OPTIONS);
    struct particles all = allocate_particles((unsigned)options[N].value, managed_bytes);
    unsigned char *film = managed_array<unsigned char>(film_bytes());
    unsigned block = (unsigned)options[BLOCK].value;

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    fill_film(film, &random);
    start_particles(all);
    managed_work_begin();
    for (long step = 0; step < options[STEPS].value; step++) {
        move_and_weigh(all, film, step, &random);
        filter_choose<<<(all.count + block - 1) / block, block>>>(all);
        WORKLOAD_CHECK_LAUNCH();
    }
    managed_work_end();

    long wrong = first_wrong(all);
    release_particles(all, managed_release);
    managed_release(film);
    return workload_verdict("particle_filter", wrong);
}
