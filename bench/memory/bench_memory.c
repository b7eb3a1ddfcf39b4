// The memory system alone: references a second of one core through L1 and L2, in runs as `run` and
// `replay` make them, with every count compared to what independent simulators agreed on
// (tests/oracle/cache_counts.h). A wrong count fails the benchmark: speed of a wrong answer is not
// speed.
//
// Then one request at a time. Times are the thread's processor time, so that a busy machine
// disturbs them less.
//
// mix4 on 768 KiB; with --all every stream and geometry; with --best N that row alone, the best and
// the median of N; with --entries only the replacement entries, in runs and one request at a time,
// or those that are named behind it.
#include "base/error.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory.h"
#include "mem/system/memory_state.h"

#include "oracle_machine.h"
#include "reference_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 1 << 20, USUAL_RUNS = 3, MOST_RUNS = 99 };

static const char *const stream_names[] = {"mix128", "mix4", "hot"};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct wm_memory *build(const struct wm_cache_count_row *row,
                               const struct wm_memory_paths *paths,
                               const struct wm_replacement_ops *replacement)
{
    struct wm_memory_spec spec = wm_oracle_spec(row);
    spec.levels[WM_LEVEL_L1].cache.replacement = spec.levels[WM_LEVEL_L2].cache.replacement =
        replacement;
    struct wm_memory *memory;
    struct wm_error error;
    if (wm_memory_new(&spec, "bench", &memory, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    if (!wm_memory_needs_full(&spec))
        memory->paths = paths;
    return memory;
}

// The same references as requests, loads and stores charged apart: the only way to tell which of
// L2's misses were for stores.
static void access_singly(struct wm_memory *memory, const uint64_t *references, size_t count,
                          struct wm_instruction_counters counters_by_pc[2])
{
    for (size_t i = 0; i < count; i++) {
        uint64_t address = references[i] & ~WM_REFERENCE_STORE;
        bool store = references[i] >> 63;
        struct wm_request request = {.address = address & ~UINT64_C(127),
                                     .sectors = UINT32_C(1) << (address % 128 / 32),
                                     .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                                     .instruction_counters = &counters_by_pc[store]};
        wm_memory_access(memory, &request);
    }
}

// Only the memory system is timed: references are made a chunk at a time between.
static double run(const struct wm_cache_count_row *row, const struct wm_memory_paths *paths,
                  bool singly, bool *ok)
{
    static uint64_t chunk[CHUNK];
    struct wm_instruction_counters counters_by_pc[2] = {0};
    struct wm_memory *memory = build(row, paths, &wm_replacement_lru);
    struct wm_reference_stream stream;
    wm_reference_stream_init(&stream, row->stream);
    double taken = 0;
    for (uint64_t left = WM_CACHE_COUNT_REFERENCES; left > 0;) {
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        wm_reference_stream_fill(&stream, chunk, count);
        for (size_t i = 0; !row->writes && i < count; i++)
            chunk[i] &= ~WM_REFERENCE_STORE;
        double begin = seconds();
        if (singly)
            access_singly(memory, chunk, count, counters_by_pc);
        else
            wm_memory_access_references(memory, &(struct wm_request){0}, chunk, count);
        taken += seconds() - begin;
        left -= count;
    }
    *ok &= wm_oracle_equal(memory, row);
    if (singly) {
        *ok &= wm_oracle_count_equal("L2 misses for stores",
                                     counters_by_pc[1].levels[WM_LEVEL_L2].misses / 4,
                                     row->l2_misses_for_stores);
        *ok &= wm_oracle_count_equal("L2 misses charged",
                                     counters_by_pc[0].levels[WM_LEVEL_L2].misses +
                                         counters_by_pc[1].levels[WM_LEVEL_L2].misses,
                                     row->l2_misses * 4);
    }
    wm_memory_free(memory);
    return WM_CACHE_COUNT_REFERENCES / taken / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void measure(const struct wm_cache_count_row *row, const struct wm_memory_paths *paths,
                    size_t runs, bool singly, bool *ok)
{
    double rates[MOST_RUNS];
    for (size_t i = 0; i < runs; i++)
        rates[i] = run(row, paths, singly, ok);
    qsort(rates, runs, sizeof rates[0], by_value);
    printf("%-7s L2 %" PRIu32 " sets x %" PRIu32
           ", %s, %s: %6.1f M references/s on %s%s, best %.1f, counts %s\n",
           stream_names[row->stream], row->l2_sets, row->l2_ways,
           row->writes ? "with stores" : "reads only",
           row->demand_first ? "demand first" : "write-back first", rates[runs / 2], paths->name,
           singly ? " one request at a time" : "", rates[runs - 1], *ok ? "equal" : "DIFFER");
    fflush(stdout);
}

// --- Every replacement entry, in L1 and L2, beside LRU ---

enum { ENTRY_CHUNKS = 8, ENTRY_REFERENCES = ENTRY_CHUNKS * CHUNK, ENTRY_RUNS = 5 };

// Nanoseconds a reference, in runs or one request at a time.
static double run_entry(const struct wm_cache_count_row *row, const struct wm_memory_paths *paths,
                        const struct wm_replacement_ops *ops, bool singly,
                        const uint64_t *references, uint64_t misses[2])
{
    struct wm_instruction_counters counters_by_pc[2] = {0};
    struct wm_memory *memory = build(row, paths, ops);
    double begin = seconds();
    if (singly)
        access_singly(memory, references, ENTRY_REFERENCES, counters_by_pc);
    else
        wm_memory_access_references(memory, &(struct wm_request){0}, references, ENTRY_REFERENCES);
    double taken = seconds() - begin;
    misses[0] = memory->levels[WM_LEVEL_L1].caches[0].counters.misses;
    misses[1] = memory->levels[WM_LEVEL_L2].caches[0].counters.accesses_missed;
    wm_memory_free(memory);
    return taken / ENTRY_REFERENCES * 1e9;
}

struct beside {
    double taken, lru; // medians
};

// By turns: the rest of the machine disturbs both alike.
static struct beside run_beside(const struct wm_cache_count_row *row,
                                const struct wm_memory_paths *paths,
                                const struct wm_replacement_ops *ops, bool singly,
                                const uint64_t *references, uint64_t misses[2])
{
    double lru[ENTRY_RUNS], taken[ENTRY_RUNS];
    for (int i = 0; i < ENTRY_RUNS; i++) {
        lru[i] = run_entry(row, paths, &wm_replacement_lru, singly, references, misses);
        taken[i] = run_entry(row, paths, ops, singly, references, misses);
    }
    qsort(lru, ENTRY_RUNS, sizeof lru[0], by_value);
    qsort(taken, ENTRY_RUNS, sizeof taken[0], by_value);
    return (struct beside){.taken = taken[ENTRY_RUNS / 2], .lru = lru[ENTRY_RUNS / 2]};
}

static void measure_entry(const struct wm_cache_count_row *row, const struct wm_memory_paths *paths,
                          const struct wm_replacement_ops *ops, const uint64_t *references)
{
    uint64_t misses[2], singly_misses[2];
    struct beside together = run_beside(row, paths, ops, false, references, misses);
    struct beside single = run_beside(row, paths, ops, true, references, singly_misses);
    bool same = misses[0] == singly_misses[0] && misses[1] == singly_misses[1];
    printf("mix4 under %-7s %6.1f M references/s, lru %.2f times that; singly %5.1f ns, %.2f times "
           "lru; misses L1 %.2f%%, L2 %.2f%%%s\n",
           ops->name, 1e3 / together.taken, together.taken / together.lru, single.taken,
           single.taken / single.lru, 100.0 * (double)misses[0] / ENTRY_REFERENCES,
           100.0 * (double)misses[1] / ENTRY_REFERENCES, same ? "" : ", DIFFERENT SINGLY");
    fflush(stdout);
}

// An empty list has all.
static bool is_among(const char *name, char **names)
{
    for (char **at = names; *at != NULL; at++)
        if (strcmp(*at, name) == 0)
            return true;
    return *names == NULL;
}

static void measure_entries(const struct wm_cache_count_row *row,
                            const struct wm_memory_paths *paths, char **names)
{
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    uint64_t *references = malloc(ENTRY_REFERENCES * sizeof *references);
    if (references == NULL)
        exit(1);
    struct wm_reference_stream stream;
    wm_reference_stream_init(&stream, row->stream);
    wm_reference_stream_fill(&stream, references, ENTRY_REFERENCES);
    for (size_t entry = 0; entry < count; entry++)
        if (is_among(table[entry]->name, names))
            measure_entry(row, paths, table[entry], references);
    free(references);
    printf("goal: singly all within 1.4 times lru\n");
}

// --- One request at a time, as the walk engine makes them ---

enum { REQUESTS = 1 << 20, ROUNDS = 8 };

// 80 SMs with 32 KiB in 4 sets of 64 ways, 64 slices with 96 KiB in 32 sets of 24 ways.
static struct wm_memory *build_gpu(void)
{
    struct wm_cache_spec l1 = {
        .present = true,
        .size_bytes = 32768,
        .ways = 64,
        .line_bytes = 128,
        .sector_bytes = 32,
        .write_policy = WM_WRITE_THROUGH_UPDATE,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_cache_spec l2 = l1;
    l2.ways = 24;
    l2.size_bytes = 6291456;
    l2.write_policy = WM_WRITE_BACK;
    l2.write_allocate = true;
    struct wm_memory_spec spec = {
        .sm_count = 80,
        .levels[WM_LEVEL_L1] = {.cache = l1},
        .levels[WM_LEVEL_L2] = {.cache = l2, .slices = 64, .interleave_bytes = 256},
        .dram = {.channels = 32, .channel_interleave_bytes = 256, .access_bytes = 32},
        .demand_before_writeback = true,
    };
    struct wm_memory *memory;
    struct wm_error error;
    if (wm_memory_new(&spec, "bench", &memory, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return memory;
}

// Each SM in turn makes 16 requests of whole lines: `lines` of its own over and over, or, when 0,
// lines that nobody has touched.
static void measure_requests(const char *name, enum wm_access_kind kind, uint64_t lines)
{
    struct wm_request *requests = calloc(REQUESTS, sizeof *requests);
    struct wm_instruction_counters instruction_counters = {0};
    if (requests == NULL)
        exit(1);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        uint32_t sm = (uint32_t)(i / 16 % 80);
        uint64_t own = i / (16 * 80) * 16 + i % 16;
        uint64_t line = lines != 0 ? sm * 4096 + own * 7 % lines : i;
        requests[i] = (struct wm_request){.address = UINT64_C(0x7f00000000) + line * 128,
                                          .sectors = 0xf,
                                          .full_sectors = 0xf,
                                          .kind = kind,
                                          .sm = sm,
                                          .instruction_counters = &instruction_counters};
    }
    double taken[ROUNDS];
    struct wm_memory *memory = build_gpu();
    for (int round = 0; round < ROUNDS; round++) {
        double begin = seconds();
        for (size_t i = 0; i < REQUESTS; i++)
            wm_memory_access(memory, &requests[i]);
        taken[round] = (seconds() - begin) / REQUESTS * 1e9;
    }
    qsort(taken, ROUNDS, sizeof taken[0], by_value);
    printf("%-28s %6.1f ns a request, L1 holds %.0f of 100 sectors\n", name, taken[ROUNDS / 2],
           100.0 * (double)instruction_counters.levels[WM_LEVEL_L1].hits /
               (double)(instruction_counters.levels[WM_LEVEL_L1].hits +
                        instruction_counters.levels[WM_LEVEL_L1].misses));
    wm_memory_free(memory);
    free(requests);
}

// mix4 with stores on 768 KiB; the first of the two is demand first.
static bool is_goal(const struct wm_cache_count_row *row)
{
    return row->stream == WM_STREAM_MIX4 && row->l2_sets == 384 && row->writes;
}

static void measure_rows(bool all, bool *ok)
{
    size_t path_count, row_count = sizeof wm_cache_count_rows / sizeof wm_cache_count_rows[0];
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&path_count);
    for (size_t i = 0; i < row_count; i++) {
        const struct wm_cache_count_row *row = &wm_cache_count_rows[i];
        bool goal = is_goal(row);
        if (all || goal)
            measure(row, paths[path_count - 1], goal ? USUAL_RUNS : 1, false, ok);
        for (size_t path = 0; goal && row->demand_first && path + 1 < path_count; path++)
            measure(row, paths[path], 1, false, ok);
        if (goal)
            measure(row, paths[path_count - 1], 1, true, ok);
    }
    printf("goal: 50 M references/s on mix4 (Dinero IV 19, a hand-written loop 203 to 217)\n");
}

int main(int argc, char **argv)
{
    bool all = argc == 2 && strcmp(argv[1], "--all") == 0, ok = true;
    bool entries = argc >= 2 && strcmp(argv[1], "--entries") == 0;
    size_t best = argc == 3 && strcmp(argv[1], "--best") == 0 ? strtoul(argv[2], NULL, 10) : 0;
    if ((argc > 1 && !all && !entries && best == 0) || best > MOST_RUNS) {
        fprintf(stderr,
                "usage: bench_memory [--all | --best N | --entries [NAME...]]\n"
                "N: from 1 to %d\n",
                MOST_RUNS);
        return 2;
    }
    size_t path_count;
    const struct wm_memory_paths *const *available = wm_memory_paths_available(&path_count);
    const struct wm_memory_paths *paths = available[path_count - 1];
    const struct wm_cache_count_row *row = wm_cache_count_rows;
    while (!is_goal(row) || !row->demand_first)
        row++;
    if (best != 0) {
        measure(row, paths, best, false, &ok);
        return ok ? 0 : 1;
    }
    measure_entries(row, paths, entries ? argv + 2 : argv + argc);
    if (entries)
        return 0;
    measure_rows(all, &ok);
    measure_requests("GPU loads that hit L1", WM_ACCESS_LOAD, 128);
    measure_requests("GPU loads that miss L1, L2", WM_ACCESS_LOAD, 0);
    measure_requests("GPU stores to new lines", WM_ACCESS_STORE, 0);
    return ok ? 0 : 1;
}
