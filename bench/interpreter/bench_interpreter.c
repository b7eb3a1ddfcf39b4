// The interpreter alone: thread instructions a second on kernels of different habits, each result
// checked. No memory system, no sink. One host thread.
#include "base/numbers/random.h"
#include "exec/exec.h"

#include <math.h>

enum { RUNS = 5, RESIDENT = 16, BLOCK_THREADS = 256 };

struct bench {
    struct wm_device_memory *memory;
    struct wm_program *program;
    struct wm_random random;
};

struct measure {
    uint64_t thread_instructions, warp_instructions;
    double seconds;
};

static double now(void)
{
    struct timespec time;
    // Of this process alone: on a shared machine the wall clock measures the neighbours.
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void die(const struct wm_error *error)
{
    char text[4096];
    fprintf(stderr, "%s\n", wm_error_format(error, text, sizeof(text)));
    exit(1);
}

static void *allocate(struct bench *bench, size_t bytes)
{
    struct wm_error error;
    uint64_t address;
    if (wm_device_memory_allocate(bench->memory, bytes, 256, WM_ALLOCATION_DEVICE, "bench",
                                  &address, &error) != WM_OK)
        die(&error);
    return (void *)(uintptr_t)address;
}

// Runs every ready warp of a block until it blocks or ends; false when none was ready.
static bool turn(struct wm_block *block, struct wm_run_result *result)
{
    uint64_t ready = block->ready;
    for (uint64_t rest = ready; rest; rest &= rest - 1)
        wm_warp_run(block, (uint32_t)__builtin_ctzll(rest), UINT64_MAX, WM_RUN_INSTRUCTIONS, NULL,
                    result);
    return ready != 0;
}

static void run_grid(struct wm_grid *grid, struct wm_run_result *result)
{
    struct wm_block *blocks[RESIDENT] = {0};
    struct wm_error error;
    uint64_t next = 0, count = wm_grid_block_count(grid), done = 0;
    while (done < count) {
        for (uint32_t b = 0; b < RESIDENT; b++) {
            if (!blocks[b] && next < count &&
                wm_grid_start_block(grid, next++, b, 0, &blocks[b], &error) != WM_OK)
                die(&error);
            if (!blocks[b])
                continue;
            turn(blocks[b], result);
            if (wm_grid_fault(grid))
                die(&wm_grid_fault(grid)->error);
            uint64_t all = blocks[b]->warp_count == 64 ? UINT64_MAX
                                                       : (UINT64_C(1) << blocks[b]->warp_count) - 1;
            if (blocks[b]->finished == all) {
                wm_grid_finish_block(grid, blocks[b]);
                blocks[b] = NULL;
                done++;
            }
        }
    }
}

static void launch(struct bench *bench, const char *name, const uint32_t grid[2],
                   const uint32_t block[2], const void *parameters, uint32_t bytes,
                   struct measure *measure)
{
    struct wm_error error;
    const struct wm_kernel *kernel;
    if (wm_program_kernel(bench->program, name, &kernel, &error) != WM_OK)
        die(&error);
    struct wm_launch launch = {.kernel = kernel,
                               .grid = {grid[0], grid[1], 1},
                               .block = {block[0], block[1], 1},
                               .parameters = parameters,
                               .parameter_bytes = bytes};
    struct wm_grid *running;
    struct wm_run_result result = {0};
    double start = now();
    if (wm_grid_new(&launch, bench->memory, &running, &error) != WM_OK)
        die(&error);
    run_grid(running, &result);
    wm_grid_free(running);
    measure->seconds += now() - start;
    measure->thread_instructions += result.thread_instructions;
    measure->warp_instructions += result.warp_instructions;
}

static int by_seconds(const void *a, const void *b)
{
    const struct measure *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static void report(const char *name, struct measure *runs, double wanted)
{
    qsort(runs, RUNS, sizeof(runs[0]), by_seconds);
    const struct measure *median = &runs[RUNS / 2];
    double rate = (double)median->thread_instructions / median->seconds / 1e6;
    printf("%-12s %8.0f M thread-instructions/s  %6.2f ns a warp instruction  %5.2f lanes  "
           "goal %4.0f (x %.2f)\n",
           name, rate, median->seconds / (double)median->warp_instructions * 1e9,
           (double)median->thread_instructions / (double)median->warp_instructions, wanted,
           rate / wanted);
}

static void fill(struct bench *bench, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)wm_random_unit(&bench->random);
}

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_interpreter: wrong result of %s\n", what);
    exit(1);
}

static void bench_gemm(struct bench *bench, const char *name, uint32_t block_x, uint32_t block_y,
                       int n)
{
    size_t count = (size_t)n * (size_t)n;
    float *a = allocate(bench, count * 4), *b = allocate(bench, count * 4),
          *c = allocate(bench, count * 4);
    fill(bench, a, count);
    fill(bench, b, count);
    struct {
        float *a, *b, *c;
        int n;
    } parameters = {a, b, c, n};
    uint32_t side = (uint32_t)n;
    struct measure runs[RUNS] = {0};
    for (int r = 0; r < RUNS; r++)
        launch(bench, name, (uint32_t[]){side / block_x, side / block_y},
               (uint32_t[]){block_x, block_y}, &parameters, sizeof(parameters), &runs[r]);
    for (size_t i = 0; i < count; i += 997) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum = fmaf(a[i / side * side + (size_t)k], b[(size_t)k * side + i % side], sum);
        check(sum == c[i], name);
    }
    report(name, runs, 2000);
}

struct graph {
    int nodes, *first, *targets;
};

// Each node has 0 to 31 edges, most of them to nodes nearby.
static struct graph make_graph(struct bench *bench, int nodes)
{
    struct graph graph = {.nodes = nodes};
    graph.first = allocate(bench, ((size_t)nodes + 1) * 4);
    graph.first[0] = 0;
    for (int i = 0; i < nodes; i++)
        graph.first[i + 1] = graph.first[i] + (int)wm_random_below(&bench->random, 32);
    size_t edges = (size_t)graph.first[nodes];
    graph.targets = allocate(bench, edges * 4);
    for (int i = 0; i < nodes; i++) {
        for (int j = graph.first[i]; j < graph.first[i + 1]; j++) {
            uint64_t near = (uint64_t)i + wm_random_below(&bench->random, 4096);
            uint64_t any = wm_random_below(&bench->random, (uint64_t)nodes);
            graph.targets[j] = (int)((j & 7 ? near : any) % (uint64_t)nodes);
        }
    }
    return graph;
}

static void bench_spmv(struct bench *bench, const struct graph *graph)
{
    size_t edges = (size_t)graph->first[graph->nodes], rows = (size_t)graph->nodes;
    float *values = allocate(bench, edges * 4), *x = allocate(bench, rows * 4),
          *y = allocate(bench, rows * 4);
    fill(bench, values, edges);
    fill(bench, x, rows);
    struct {
        int rows, pad, *first, *columns;
        float *values, *x, *y;
    } parameters = {graph->nodes, 0, graph->first, graph->targets, values, x, y};
    struct measure runs[RUNS] = {0};
    for (int r = 0; r < RUNS; r++)
        for (int again = 0; again < 4; again++)
            launch(bench, "spmv", (uint32_t[]){(uint32_t)(rows + 255) / 256, 1},
                   (uint32_t[]){256, 1}, &parameters, sizeof(parameters), &runs[r]);
    for (size_t i = 0; i < rows; i += 97) {
        float sum = 0;
        for (int j = graph->first[i]; j < graph->first[i + 1]; j++)
            sum = fmaf(values[j], x[graph->targets[j]], sum);
        check(sum == y[i], "spmv");
    }
    report("spmv", runs, 500);
}

static int reference_bfs(const struct graph *graph, int *level)
{
    int current = 0;
    for (bool changed = true; changed; current++) {
        changed = false;
        for (int i = 0; i < graph->nodes; i++) {
            for (int j = graph->first[i]; level[i] == current && j < graph->first[i + 1]; j++) {
                if (level[graph->targets[j]] < 0) {
                    level[graph->targets[j]] = current + 1;
                    changed = true;
                }
            }
        }
    }
    return current;
}

static void bench_bfs(struct bench *bench, const struct graph *graph)
{
    size_t bytes = (size_t)graph->nodes * 4;
    int *level = allocate(bench, bytes), *changed = allocate(bench, 4), *expected = malloc(bytes);
    if (!expected)
        exit(1);
    memset(expected, 0xFF, bytes);
    expected[0] = 0;
    reference_bfs(graph, expected);
    struct measure runs[RUNS] = {0};
    for (int r = 0; r < RUNS; r++) {
        memset(level, 0xFF, bytes);
        level[0] = 0;
        *changed = 1;
        for (int current = 0; *changed; current++) {
            *changed = 0;
            struct {
                int nodes, pad, *first, *targets, *level;
                int current, pad2, *changed;
            } parameters = {graph->nodes, 0, graph->first, graph->targets, level,
                            current,      0, changed};
            launch(bench, "bfs", (uint32_t[]){(uint32_t)(graph->nodes + 255) / 256, 1},
                   (uint32_t[]){256, 1}, &parameters, sizeof(parameters), &runs[r]);
        }
    }
    check(memcmp(level, expected, bytes) == 0, "bfs");
    free(expected);
    report("bfs", runs, 500);
}

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!file || !text) {
        fprintf(stderr, "bench_interpreter: cannot read %s\n", path);
        exit(1);
    }
    *length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: bench_interpreter kernels.ptx [kernel]\n");
        return 2;
    }
    const char *only = count > 2 ? arguments[2] : NULL;
    struct bench bench;
    struct wm_error error;
    struct wm_ptx_module *module;
    size_t length;
    char *text = read_text(arguments[1], &length);
    wm_random_init(&bench.random, 1, "bench");
    if (wm_ptx_parse(text, length, arguments[1], &module, &error) != WM_OK ||
        wm_device_memory_new(UINT64_C(1) << 32, &bench.memory, &error) != WM_OK)
        die(&error);
    struct wm_program_options options = {.warp_width = 32, .isa = wm_host_best_isa()};
    if (wm_program_load(module, bench.memory, &options, &bench.program, &error) != WM_OK)
        die(&error);
    printf("lanes: %s\n", wm_host_isa_name(options.isa));
    if (!only || strcmp(only, "gemm") == 0)
        bench_gemm(&bench, "gemm", 32, 8, 256);
    if (!only || strcmp(only, "gemm_tiled") == 0)
        bench_gemm(&bench, "gemm_tiled", 16, 16, 256);
    struct graph graph = make_graph(&bench, 1 << 16);
    if (!only || strcmp(only, "spmv") == 0)
        bench_spmv(&bench, &graph);
    if (!only || strcmp(only, "bfs") == 0)
        bench_bfs(&bench, &graph);
    wm_program_free(bench.program);
    wm_device_memory_free(bench.memory);
    free(text);
    return 0;
}
