// Random sample consensus: which motion do most of a picture's points share, when some were measured
// wrong? A CPU thread fits a motion to two points chosen at random and raises a flag; a block of the
// kernel waits for it, counts the points that move otherwise, and raises a flag back, which the CPU
// thread waits for. Of n CPU threads each has a block of its own and every n-th trial; the first
// trial that few enough points contradict ends the search.
//
// Positions and motions are whole numbers, and a fitted motion is four fractions with one
// denominator, so that counts are exact. Trials before the one that ended the search have all been
// counted: the result is the same on every run.
#include "../managed_memory.h"

#define BLOCK 256

// A point at (x, y), and how far it moved, in steps.
struct vector {
    int x, y, across, down;
};

// across = (turn[0] * x - turn[1] * y + shift[0]) / parts, down = (turn[1] * x + turn[0] * y +
// shift[1]) / parts; none if parts is 0.
struct motion {
    long long turn[2], shift[2], parts;
};

// The state of a trial: what the CPU thread fitted, and when; what the block counted, and when.
struct trial {
    struct motion motion;
    unsigned fitted;   // 0: not yet, FIT, or STOP: the search has ended
    unsigned outliers; // of a trial that was counted
    unsigned counted;
};

enum { FIT = 1, STOP = 2 };

struct search {
    const struct vector *vectors;
    struct trial *trials;
    unsigned count, trial_count;
    unsigned tolerance; // in steps of a point, across and down together
};

static __host__ __device__ long long distance_of(long long a, long long b)
{
    return a < b ? b - a : a - b;
}

static __host__ __device__ bool contradicts(const struct motion *m, struct vector v,
                                            unsigned tolerance)
{
    long long across = m->turn[0] * v.x - m->turn[1] * v.y + m->shift[0];
    long long down = m->turn[1] * v.x + m->turn[0] * v.y + m->shift[1];
    return distance_of(across, v.across * m->parts) + distance_of(down, v.down * m->parts) >
           (long long)tolerance * m->parts;
}

// Block b has the trials b, b + gridDim.x, and so on.
__global__ void ransac_count(struct search search)
{
    __shared__ unsigned state, outliers;
    for (unsigned k = blockIdx.x; k < search.trial_count; k += gridDim.x) {
        struct trial *trial = &search.trials[k];
        if (threadIdx.x == 0) {
            state = system_await(&trial->fitted);
            outliers = 0;
        }
        __syncthreads();
        if (state == STOP)
            return;
        unsigned mine = 0;
        for (unsigned i = threadIdx.x; i < search.count; i += BLOCK)
            mine += contradicts(&trial->motion, search.vectors[i], search.tolerance);
        atomicAdd(&outliers, mine);
        __syncthreads();
        if (threadIdx.x == 0) {
            trial->outliers = outliers;
            system_store(&trial->counted, 1);
        }
        __syncthreads();
    }
}

// The motion of two points; none if they lie at one place.
static struct motion fit(struct vector a, struct vector b)
{
    long long x = b.x - a.x, y = b.y - a.y, across = b.across - a.across, down = b.down - a.down;
    struct motion m = {{x * across + y * down, x * down - y * across}, {0, 0}, x * x + y * y};
    m.shift[0] = a.across * m.parts - m.turn[0] * a.x + m.turn[1] * a.y;
    m.shift[1] = a.down * m.parts - m.turn[1] * a.x - m.turn[0] * a.y;
    return m;
}

// Each trial has random numbers of its own.
static struct motion fit_trial(const struct search *search, unsigned trial, unsigned long long seed)
{
    struct workload_random random = {seed * 1000003ull + trial};
    workload_next(&random);
    unsigned a = workload_below(&random, search->count), b = workload_below(&random, search->count);
    return fit(search->vectors[a], search->vectors[b]);
}

enum { N, WRONG, TRIALS, ENOUGH, THREADS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "points", 2000, 2, 1 << 24, NULL},
    {"wrong", "of 100 points that were measured wrong", 60, 0, 100, NULL},
    {"trials", "at most", 64, 1, 1 << 20, NULL},
    {"enough", "a trial that so many of 100 points contradict ends the search", 61, 0, 100, NULL},
    {"threads", "of the CPU, and blocks of the kernel", 2, 1, 64, NULL},
    {"seed", "of the points and trials", 1, 0, 1000000000, NULL},
};

static bool is_enough(const struct search *search, unsigned outliers)
{
    return 100ull * outliers <= (unsigned long long)options[ENOUGH].value * search->count;
}

// `ended` has the first trial that ended the search, so far.
static void fit_on_cpu(const struct search *search, unsigned thread, unsigned *ended)
{
    unsigned threads = (unsigned)options[THREADS].value;
    for (unsigned k = thread; k < search->trial_count; k += threads) {
        struct trial *trial = &search->trials[k];
        if (k > system_load(ended)) {
            system_store(&trial->fitted, STOP);
            return;
        }
        trial->motion = fit_trial(search, k, (unsigned long long)options[SEED].value);
        system_store(&trial->fitted, FIT);
        system_await(&trial->counted);
        if (trial->motion.parts != 0 && is_enough(search, trial->outliers)) {
            unsigned before = system_load(ended);
            while (k < before) {
                unsigned found = system_compare_and_swap(ended, before, k);
                before = found == before ? k : found;
            }
        }
    }
}

// Most points turn by a 64th of a right angle or so and move aside; the others go anywhere.
static void fill_vectors(struct vector *vectors, unsigned count, struct workload_random *random)
{
    for (unsigned i = 0; i < count; i++) {
        struct vector *v = &vectors[i];
        v->x = (int)workload_below(random, 1024) - 512;
        v->y = (int)workload_below(random, 1024) - 512;
        v->across = -v->y / 32 + 9 + (int)workload_below(random, 3);
        v->down = v->x / 32 - 5 + (int)workload_below(random, 3);
        if (workload_below(random, 100) < (unsigned)options[WRONG].value) {
            v->across = (int)workload_below(random, 129) - 64;
            v->down = (int)workload_below(random, 129) - 64;
        }
    }
}

// Repeats all trials one after the other. Returns the first whose count or motion is wrong, or
// whose end of the search was missed, or -1.
static long first_wrong(const struct search *search, unsigned ended)
{
    for (unsigned k = 0; k < search->trial_count; k++) {
        const struct trial *trial = &search->trials[k];
        struct motion motion = fit_trial(search, k, (unsigned long long)options[SEED].value);
        unsigned outliers = 0;
        for (unsigned i = 0; i < search->count; i++)
            outliers += contradicts(&motion, search->vectors[i], search->tolerance);
        if (!trial->counted || trial->outliers != outliers)
            return (long)k;
        if (motion.parts != 0 && is_enough(search, outliers))
            return ended == k ? -1 : (long)k;
    }
    return ended == search->trial_count ? -1 : (long)search->trial_count;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "ransac", "a motion that most points share", options, OPTIONS);
    unsigned threads = (unsigned)options[THREADS].value;
    struct search search = {NULL, NULL, (unsigned)options[N].value, (unsigned)options[TRIALS].value,
                            6};
    struct vector *vectors = managed_array<struct vector>(search.count);
    search.vectors = vectors;
    search.trials = managed_array<struct trial>(search.trial_count);
    unsigned *ended = managed_array<unsigned>(1);

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    fill_vectors(vectors, search.count, &random);
    memset(search.trials, 0, search.trial_count * sizeof(struct trial));
    *ended = search.trial_count;
    managed_work_begin();
    ransac_count<<<threads, BLOCK>>>(search);
    run_cpu_threads(threads, [&](unsigned thread) { fit_on_cpu(&search, thread, ended); });
    managed_work_end();

    long wrong = first_wrong(&search, *ended);
    if (wrong < 0 && *ended < search.trial_count)
        printf("trial %u: %u of %u points move otherwise\n", *ended, search.trials[*ended].outliers,
               search.count);
    managed_release(vectors);
    managed_release(search.trials);
    managed_release(ended);
    return workload_verdict("ransac", wrong);
}
