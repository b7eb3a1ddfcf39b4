// The coalescer alone: nanoseconds a warp access of 32 lanes, for the patterns that kernels make,
// in each build.
#include "base/numbers/random.h"
#include "sm/coalescer/coalescer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ACCESSES = 256, ROUNDS = 2000, RUNS = 5, LANES = 32 };

// Processor time of this thread: others may share the machine.
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct pattern {
    const char *name;
    uint64_t (*address)(struct wm_random *random, uint64_t base, uint32_t lane);
    enum wm_access_kind kind;
};

static uint64_t consecutive(struct wm_random *random, uint64_t base, uint32_t lane)
{
    (void)random;
    return base + 4 * lane;
}

static uint64_t uniform(struct wm_random *random, uint64_t base, uint32_t lane)
{
    (void)random;
    (void)lane;
    return base;
}

static uint64_t two_rows(struct wm_random *random, uint64_t base, uint32_t lane)
{
    (void)random;
    return base + lane / 16 * 2048 + lane % 16 * 4;
}

static uint64_t strided(struct wm_random *random, uint64_t base, uint32_t lane)
{
    (void)random;
    return base + 64 * lane;
}

static uint64_t scattered(struct wm_random *random, uint64_t base, uint32_t lane)
{
    (void)lane;
    return base + wm_random_below(random, 1 << 18) * 4;
}

static const struct pattern patterns[] = {
    {"consecutive load", consecutive, WM_ACCESS_LOAD},
    {"consecutive store", consecutive, WM_ACCESS_STORE},
    {"uniform load", uniform, WM_ACCESS_LOAD},
    {"two rows, load", two_rows, WM_ACCESS_LOAD},
    {"stride 64 B, load", strided, WM_ACCESS_LOAD},
    {"scattered load", scattered, WM_ACCESS_LOAD},
    {"scattered store", scattered, WM_ACCESS_STORE},
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint64_t addresses[ACCESSES][LANES];

static double median_ns(wm_coalesce_function *coalesce, enum wm_access_kind kind, double *requests)
{
    double taken[RUNS];
    uint64_t sum = 0;
    struct wm_line_request out[WM_MAX_LINE_REQUESTS];
    for (int run = 0; run < RUNS; run++) {
        double begin = seconds();
        sum = 0;
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < ACCESSES; i++) {
                const struct wm_warp_access access = {
                    .kind = kind,
                    .bytes_per_lane = 4,
                    .lanes = LANES,
                    .active = 0xFFFFFFFF,
                    .addresses = addresses[i],
                };
                sum += coalesce(&access, 128, out);
            }
        taken[run] = (seconds() - begin) * 1e9 / ((double)ROUNDS * ACCESSES);
    }
    qsort(taken, RUNS, sizeof taken[0], compare);
    *requests = (double)sum / ((double)ROUNDS * ACCESSES);
    return taken[RUNS / 2];
}

int main(void)
{
    struct wm_random random;
    wm_random_init(&random, 1, "bench_coalescer");
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        for (int i = 0; i < ACCESSES; i++) {
            uint64_t base = UINT64_C(0x200000000000) + wm_random_below(&random, 1 << 20) * 128;
            for (uint32_t lane = 0; lane < LANES; lane++)
                addresses[i][lane] = patterns[p].address(&random, base, lane);
        }
        printf("%-18s", patterns[p].name);
        double requests = 0;
        for (int isa = 0; isa < WM_COALESCER_ISA_COUNT; isa++) {
            wm_coalesce_function *coalesce = wm_coalescer_find((enum wm_coalescer_isa)isa);
            if (coalesce != NULL)
                printf("  %s %6.1f ns", wm_coalescer_isa_name((enum wm_coalescer_isa)isa),
                       median_ns(coalesce, patterns[p].kind, &requests));
        }
        printf("  %4.1f requests\n", requests);
    }
    return 0;
}
