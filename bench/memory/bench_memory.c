// The memory system alone: references a second of one core through L1 and L2, with every count
// compared to what independent simulators agreed on (tests/oracle/cache_counts.h). A wrong count
// fails the benchmark: speed of a wrong answer is not speed.
//
// usage: bench_memory [--all]      mix4 on 768 KiB; with --all every stream and geometry
#include "base/error.h"
#include "mem/memory.h"
#include "mem/memory_state.h"
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"

#include "cache_counts.h"
#include "reference_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 1 << 20, MAX_RUNS = 3 };

static const char *const stream_names[] = {"mix128", "mix4", "hot"};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct wm_memory *build(const struct wm_cache_count_row *row,
                               const struct wm_memory_paths *paths)
{
    struct wm_cache_spec l1 = {
        .present = true,
        .size_bytes = 32768,
        .ways = 8,
        .line_bytes = 128,
        .sector_bytes = 128,
        .write_policy = WM_WRITE_BACK,
        .write_allocate = true,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_cache_spec l2 = l1;
    l2.ways = row->l2_ways;
    l2.size_bytes = (uint64_t)row->l2_sets * row->l2_ways * 128;
    struct wm_memory_spec spec = {
        .sm_count = 1,
        .l1 = l1,
        .l2 = l2,
        .l2_slices = 1,
        .l2_interleave_bytes = 256,
        .dram = {.channels = 1, .channel_interleave_bytes = 256, .access_bytes = 32},
        .demand_before_writeback = row->demand_first,
    };
    struct wm_memory *memory;
    struct wm_error error;
    if (wm_memory_new(&spec, "bench", &memory, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    memory->paths = paths;
    return memory;
}

static bool equal(const char *what, uint64_t counted, uint64_t expected)
{
    if (counted != expected)
        fprintf(stderr, "%s: counted %" PRIu64 ", expected %" PRIu64 "\n", what, counted, expected);
    return counted == expected;
}

// Every L1 request is one sector; every L2 request is a whole line of four.
static bool verify(const struct wm_memory *memory, const struct wm_cache_count_row *row)
{
    const struct wm_cache_counters *l1 = &memory->l1[0].counters, *l2 = &memory->l2[0].counters;
    bool ok = equal("references", l1->accesses, WM_CACHE_COUNT_REFERENCES);
    ok &= equal("stores", l1->store_accesses, row->stores);
    ok &= equal("L1 misses", l1->misses, row->l1_misses);
    ok &= equal("L1 store misses", l1->store_misses, row->l1_store_misses);
    ok &= equal("L1 write-backs", l1->write_backs, row->l1_write_backs);
    ok &= equal("L2 demand misses", l2->accesses_missed, row->l2_misses);
    ok &= equal("L2 write-back misses", l2->writeback_accesses_missed, row->l2_write_back_misses);
    ok &= equal("L2 write-backs", l2->write_backs, row->l2_write_backs);
    ok &= equal("bytes written", memory->dram[0].bytes_written, row->l2_write_backs * 128);
    ok &= equal("bytes read", memory->dram[0].bytes_read, row->l2_misses * 128);
    return ok;
}

// Only the memory system is timed: references are made a chunk at a time between.
static double run(const struct wm_cache_count_row *row, const struct wm_memory_paths *paths,
                  bool *ok)
{
    static uint64_t chunk[CHUNK];
    struct wm_memory *memory = build(row, paths);
    struct wm_reference_stream stream;
    wm_reference_stream_init(&stream, row->stream);
    double taken = 0;
    for (uint64_t left = WM_CACHE_COUNT_REFERENCES; left > 0;) {
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        wm_reference_stream_fill(&stream, chunk, count);
        for (size_t i = 0; !row->writes && i < count; i++)
            chunk[i] &= ~WM_STREAM_STORE;
        double begin = seconds();
        wm_memory_access_stream(memory, 0, chunk, count);
        taken += seconds() - begin;
        left -= count;
    }
    *ok &= verify(memory, row);
    wm_memory_free(memory);
    return WM_CACHE_COUNT_REFERENCES / taken / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void measure(const struct wm_cache_count_row *row, const struct wm_memory_paths *paths,
                    size_t runs, bool *ok)
{
    double rates[MAX_RUNS];
    for (size_t i = 0; i < runs; i++)
        rates[i] = run(row, paths, ok);
    qsort(rates, runs, sizeof rates[0], by_value);
    printf("%-7s L2 %" PRIu32 " sets x %" PRIu32
           ", %s, %s: %6.1f M references/s on %s, counts %s\n",
           stream_names[row->stream], row->l2_sets, row->l2_ways,
           row->writes ? "with stores" : "reads only",
           row->demand_first ? "demand first" : "write-back first", rates[runs / 2], paths->name,
           *ok ? "equal" : "DIFFER");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0, ok = true;
    size_t path_count, row_count = sizeof wm_cache_count_rows / sizeof wm_cache_count_rows[0];
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&path_count);
    for (size_t i = 0; i < row_count; i++) {
        const struct wm_cache_count_row *row = &wm_cache_count_rows[i];
        bool goal = row->stream == WM_STREAM_MIX4 && row->l2_sets == 384 && row->writes;
        if (all || goal)
            measure(row, paths[path_count - 1], goal ? MAX_RUNS : 1, &ok);
        for (size_t path = 0; goal && row->demand_first && path + 1 < path_count; path++)
            measure(row, paths[path], 1, &ok);
    }
    printf("goal: 100 M references/s on mix4; Dinero IV does 19, a hand-written loop 203 to 217\n");
    return ok ? 0 : 1;
}
