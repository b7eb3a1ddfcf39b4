// The interpreter alone, and with the walk on v100: thread instructions a second on one core. Every
// kernel's result is compared with the host's own: speed of a wrong answer is not speed.
//
// usage: bench_walk [KERNEL…]      all of them, or those named
#include "base/numbers/random.h"
#include "engine/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, GEMM_N = 512, TILE = 16, ROWS = 1 << 16, PER_ROW = 16 };
#define UNREACHED UINT32_C(0xFFFFFFFF)

struct bench {
    struct wm_machine machine;
    struct wm_device_memory *memory;
    struct wm_program *program;
    struct wm_random random;
    // A random matrix or graph in compressed rows.
    uint32_t *starts, *places;
    float *values, *x, *y;
    uint32_t *distances, *found;
    float *a, *b, *c;
};

// Processor time of this thread: others may share the machine.
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(enum wm_status status, const struct wm_error *error)
{
    char text[2048];
    if (status == WM_OK)
        return;
    fputs(wm_error_format(error, text, sizeof text), stderr);
    exit(1);
}

static void *allocate(struct bench *bench, uint64_t bytes, const char *label)
{
    uint64_t address;
    struct wm_error error;
    check(wm_device_memory_allocate(bench->memory, bytes, 256, WM_ALLOCATION_DEVICE, label,
                                    &address, &error),
          &error);
    return (void *)address;
}

static void fill(struct bench *bench)
{
    enum { CELLS = GEMM_N * GEMM_N, MOST = ROWS * 2 * PER_ROW };
    wm_random_init(&bench->random, 1, "bench_walk");
    bench->a = allocate(bench, sizeof(float) * CELLS, "a");
    bench->b = allocate(bench, sizeof(float) * CELLS, "b");
    bench->c = allocate(bench, sizeof(float) * CELLS, "c");
    // Small whole numbers: every sum is exact, in any order.
    for (int i = 0; i < CELLS; i++) {
        bench->a[i] = (float)wm_random_below(&bench->random, 16) - 8;
        bench->b[i] = (float)wm_random_below(&bench->random, 16) - 8;
    }
    bench->starts = allocate(bench, sizeof(uint32_t) * (ROWS + 1), "starts");
    bench->places = allocate(bench, sizeof(uint32_t) * MOST, "places");
    bench->values = allocate(bench, sizeof(float) * MOST, "values");
    bench->x = allocate(bench, sizeof(float) * ROWS, "x");
    bench->y = allocate(bench, sizeof(float) * ROWS, "y");
    bench->distances = allocate(bench, sizeof(uint32_t) * ROWS, "distances");
    bench->found = allocate(bench, sizeof(uint32_t), "found");
    uint32_t count = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        bench->starts[row] = count;
        bench->x[row] = (float)wm_random_below(&bench->random, 16) - 8;
        uint64_t length = 1 + wm_random_below(&bench->random, 2 * PER_ROW - 1);
        for (uint64_t k = 0; k < length; k++, count++) {
            bench->places[count] = (uint32_t)wm_random_below(&bench->random, ROWS);
            bench->values[count] = (float)wm_random_below(&bench->random, 16) - 8;
        }
    }
    bench->starts[ROWS] = count;
}

static const struct wm_kernel *kernel_of(struct bench *bench, const char *name)
{
    const struct wm_kernel *kernel;
    struct wm_error error;
    check(wm_program_kernel(bench->program, name, &kernel, &error), &error);
    return kernel;
}

// Parameters, each at the place PTX gives it.
static void set_parameters(const struct wm_kernel *kernel, const uint64_t *values, uint8_t *block)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        memcpy(block + kernel->parameters[i].offset, &values[i], kernel->parameters[i].size);
}

static void launch(struct bench *bench, struct wm_session *session, const char *name,
                   uint32_t grid_x, uint32_t grid_y, uint32_t block_x, uint32_t block_y,
                   const uint64_t *values)
{
    uint8_t block[256] = {0};
    struct wm_error error;
    struct wm_launch launch = {
        .kernel = kernel_of(bench, name),
        .grid = {grid_x, grid_y, 1},
        .block = {block_x, block_y, 1},
        .parameters = block,
    };
    launch.parameter_bytes = launch.kernel->parameter_bytes;
    set_parameters(launch.kernel, values, block);
    check(wm_session_launch(session, &launch, NULL, &error), &error);
}

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

static void run_gemm(struct bench *bench, struct wm_session *session, bool tiled)
{
    const uint64_t values[] = {ADDRESS(bench->a), ADDRESS(bench->b), ADDRESS(bench->c), GEMM_N};
    if (tiled)
        launch(bench, session, "gemm_tiled", GEMM_N / TILE, GEMM_N / TILE, TILE, TILE, values);
    else
        launch(bench, session, "gemm_naive", GEMM_N / 32, GEMM_N / 8, 32, 8, values);
}

static void run_gemm_naive(struct bench *bench, struct wm_session *session)
{
    run_gemm(bench, session, false);
}

static void run_gemm_tiled(struct bench *bench, struct wm_session *session)
{
    run_gemm(bench, session, true);
}

static bool check_gemm(struct bench *bench)
{
    for (int row = 0; row < GEMM_N; row += 7) {
        float sums[GEMM_N] = {0};
        for (int k = 0; k < GEMM_N; k++)
            for (int column = 0; column < GEMM_N; column++)
                sums[column] += bench->a[row * GEMM_N + k] * bench->b[k * GEMM_N + column];
        if (memcmp(sums, bench->c + row * GEMM_N, sizeof sums) != 0)
            return false;
    }
    return true;
}

static void run_spmv(struct bench *bench, struct wm_session *session)
{
    const uint64_t values[] = {ADDRESS(bench->starts), ADDRESS(bench->places),
                               ADDRESS(bench->values), ADDRESS(bench->x),
                               ADDRESS(bench->y),      ROWS};
    launch(bench, session, "spmv", ROWS / 256, 1, 256, 1, values);
}

static bool check_spmv(struct bench *bench)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        float sum = 0;
        for (uint32_t k = bench->starts[row]; k < bench->starts[row + 1]; k++)
            sum += bench->values[k] * bench->x[bench->places[k]];
        if (sum != bench->y[row])
            return false;
    }
    return true;
}

static void run_bfs(struct bench *bench, struct wm_session *session)
{
    memset(bench->distances, 0xFF, sizeof(uint32_t) * ROWS);
    bench->distances[0] = 0;
    uint32_t step = 0;
    do {
        *bench->found = 0;
        const uint64_t values[] = {
            ADDRESS(bench->starts), ADDRESS(bench->places), ADDRESS(bench->distances), ROWS, step++,
            ADDRESS(bench->found)};
        launch(bench, session, "bfs", ROWS / 256, 1, 256, 1, values);
    } while (*bench->found != 0);
}

static bool check_bfs(struct bench *bench)
{
    uint32_t *distances = malloc(sizeof(uint32_t) * ROWS), *queue = malloc(sizeof(uint32_t) * ROWS);
    memset(distances, 0xFF, sizeof(uint32_t) * ROWS);
    uint32_t head = 0, tail = 0;
    distances[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t vertex = queue[head++];
        for (uint32_t k = bench->starts[vertex]; k < bench->starts[vertex + 1]; k++) {
            uint32_t neighbour = bench->places[k];
            if (distances[neighbour] == UNREACHED) {
                distances[neighbour] = distances[vertex] + 1;
                queue[tail++] = neighbour;
            }
        }
    }
    bool equal = memcmp(distances, bench->distances, sizeof(uint32_t) * ROWS) == 0;
    free(distances);
    free(queue);
    return equal;
}

// Goals in millions of thread instructions a second; 0 is none.
static const struct {
    const char *name;
    void (*run)(struct bench *bench, struct wm_session *session);
    bool (*check)(struct bench *bench);
    double goal_alone, goal_walk;
} cases[] = {
    {"gemm_naive", run_gemm_naive, check_gemm, 2000, 600},
    {"gemm_tiled", run_gemm_tiled, check_gemm, 2000, 600},
    {"spmv", run_spmv, check_spmv, 500, 0},
    {"bfs", run_bfs, check_bfs, 500, 0},
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint64_t executed_threads(struct wm_session *session)
{
    struct wm_results *results;
    struct wm_error error;
    check(wm_session_results(session, NULL, &results, &error), &error);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        sum += results->kernels[i].thread_instructions;
    wm_results_free(results);
    return sum;
}

static int time_case(struct bench *bench, size_t which, bool memory, double goal)
{
    double rates[RUNS];
    for (int run = 0; run < RUNS; run++) {
        struct wm_session *session;
        struct wm_error error;
        struct wm_session_options options = {.memory = memory};
        check(wm_session_new(&bench->machine, bench->memory, &options, &session, &error), &error);
        double begin = seconds();
        cases[which].run(bench, session);
        double taken = seconds() - begin;
        rates[run] = (double)executed_threads(session) / taken * 1e-6;
        wm_session_free(session);
        if (!cases[which].check(bench)) {
            printf("%s: wrong result\n", cases[which].name);
            return 1;
        }
    }
    qsort(rates, RUNS, sizeof rates[0], compare);
    printf("%-11s %-6s %7.0f M thread-instructions/s (%.0f to %.0f)", cases[which].name,
           memory ? "walk" : "alone", rates[RUNS / 2], rates[0], rates[RUNS - 1]);
    if (goal > 0)
        printf("  %.2f of the goal %.0f", rates[RUNS / 2] / goal, goal);
    printf("\n");
    fflush(stdout);
    return 0;
}

static void load(struct bench *bench)
{
    struct wm_error error;
    wm_error_clear(&error);
    check(wm_machine_load("v100", NULL, 0, &bench->machine, &error), &error);
    check(wm_device_memory_new(UINT64_C(1) << 30, &bench->memory, &error), &error);
    static char text[1 << 20];
    FILE *stream = fopen(KERNELS_PTX, "rb");
    if (stream == NULL) {
        perror(KERNELS_PTX);
        exit(1);
    }
    size_t length = fread(text, 1, sizeof text, stream);
    fclose(stream);
    struct wm_ptx_module *module;
    check(wm_ptx_parse(text, length, KERNELS_PTX, &module, &error), &error);
    struct wm_program_options options = {.warp_width = 32, .isa = wm_host_best_isa()};
    check(wm_program_load(module, bench->memory, &options, &bench->program, &error), &error);
    printf("lanes: %s\n", wm_host_isa_name(options.isa));
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    load(&bench);
    fill(&bench);
    int failed = 0;
    for (size_t which = 0; which < sizeof cases / sizeof cases[0]; which++) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], cases[which].name) == 0;
        if (!wanted)
            continue;
        failed |= time_case(&bench, which, false, cases[which].goal_alone);
        failed |= time_case(&bench, which, true, cases[which].goal_walk);
    }
    wm_program_free(bench.program);
    wm_device_memory_free(bench.memory);
    return failed;
}
