// A histogram of a picture that CPU threads and blocks of a kernel count at the same time, with
// atomics on common counters. The picture's chunks are dealt out in turn: of every eight one goes to
// the CPU's threads, the others to the kernel's blocks.
//
//   smooth    neighbouring points are alike, so that those that follow mostly count in the same line
//   shuffled  the same points in any order
#include "../managed_memory.h"

#define LEVELS 4096 // values of a point
#define DEAL 8      // of so many chunks one is the CPU's

struct picture {
    unsigned *points, *bins;
    unsigned count, bin_count, chunk, chunks;
};

static __host__ __device__ void count_point(const struct picture *picture, unsigned i)
{
    system_count(&picture->bins[picture->points[i] * picture->bin_count / LEVELS], 1);
}

static __host__ __device__ bool chunk_of_cpu(unsigned chunk, bool both)
{
    return both && chunk % DEAL == DEAL - 1;
}

// `both`: CPU threads work, too.
__global__ void histogram_count(struct picture picture, bool both)
{
    for (unsigned chunk = blockIdx.x; chunk < picture.chunks; chunk += gridDim.x) {
        if (chunk_of_cpu(chunk, both))
            continue;
        for (unsigned k = threadIdx.x; k < picture.chunk; k += blockDim.x)
            if (chunk * picture.chunk + k < picture.count)
                count_point(&picture, chunk * picture.chunk + k);
    }
}

// CPU thread `thread` of `threads`; `both`: a kernel works, too.
static void count_on_cpu(const struct picture *picture, unsigned thread, unsigned threads, bool both)
{
    for (unsigned chunk = 0, turn = 0; chunk < picture->chunks; chunk++) {
        if (both && !chunk_of_cpu(chunk, both))
            continue;
        if (turn++ % threads != thread)
            continue;
        for (unsigned k = 0; k < picture->chunk; k++)
            if (chunk * picture->chunk + k < picture->count)
                count_point(picture, chunk * picture->chunk + k);
    }
}

enum { SMOOTH, SHUFFLED };
enum { WIDTH, HEIGHT, BINS, CHUNK, BLOCKS, BLOCK, THREADS, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "of the picture", 160, 1, 32768, NULL},
    {"height", "of the picture", 128, 1, 32768, NULL},
    {"bins", "of the histogram", 256, 1, LEVELS, NULL},
    {"chunk", "points that are dealt out together", 256, 1, 1 << 20, NULL},
    {"blocks", "of the kernel", 8, 0, 1024, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"threads", "of the CPU", 2, 0, 64, NULL},
    {"seed", "of the picture", 1, 0, 1000000000, NULL},
    {"variant", "the picture", 0, 0, 0, "smooth shuffled"},
};

// Brighter along both sides of the picture, which a few levels of noise lie on.
static unsigned smooth_point(struct workload_random *random, unsigned x, unsigned y)
{
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    unsigned slope = (unsigned)((unsigned long long)x * (LEVELS - 64) / (2 * width) +
                                (unsigned long long)y * (LEVELS - 64) / (2 * height));
    return slope + workload_below(random, 64);
}

static void fill_picture(struct picture *picture)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned width = (unsigned)options[WIDTH].value;
    for (unsigned i = 0; i < picture->count; i++)
        picture->points[i] = smooth_point(&random, i % width, i / width);
    if (options[VARIANT].value != SHUFFLED)
        return;
    for (unsigned i = picture->count; i > 1; i--) {
        unsigned other = workload_below(&random, i), point = picture->points[i - 1];
        picture->points[i - 1] = picture->points[other];
        picture->points[other] = point;
    }
}

// The order of the points does not matter to the counts.
static long first_wrong(const struct picture *picture)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned width = (unsigned)options[WIDTH].value;
    std::vector<unsigned> expected(picture->bin_count);
    for (unsigned i = 0; i < picture->count; i++)
        expected[smooth_point(&random, i % width, i / width) * picture->bin_count / LEVELS]++;
    return first_difference(picture->bins, expected.data(), picture->bin_count);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "image_histogram", "CPU and GPU count the points of a picture",
                   options, OPTIONS);
    unsigned blocks = (unsigned)options[BLOCKS].value, threads = (unsigned)options[THREADS].value;
    workload_check_agents("image_histogram", blocks, threads);
    struct picture picture = {NULL, NULL, 0, (unsigned)options[BINS].value,
                              (unsigned)options[CHUNK].value, 0};
    picture.count = (unsigned)(options[WIDTH].value * options[HEIGHT].value);
    picture.chunks = (picture.count + picture.chunk - 1) / picture.chunk;
    picture.points = managed_array<unsigned>(picture.count);
    picture.bins = managed_array<unsigned>(picture.bin_count);

    workload_trace_begin();
    fill_picture(&picture);
    memset(picture.bins, 0, picture.bin_count * sizeof(unsigned));
    managed_work_begin();
    if (blocks > 0)
        histogram_count<<<blocks, (unsigned)options[BLOCK].value>>>(picture, threads > 0);
    run_cpu_threads(threads, [&](unsigned thread) {
        count_on_cpu(&picture, thread, threads, blocks > 0);
    });
    managed_work_end();

    long wrong = first_wrong(&picture);
    managed_release(picture.points);
    managed_release(picture.bins);
    return workload_verdict("image_histogram", wrong);
}
