// Coherent levels in the walk: accesses a second of four cores through private L1s and L2s and a
// shared last-level cache, in runs as `replay` makes them; the sizes are those of
// machines/examples/cpu-gpu-shared-llc.yaml. All accesses hit L1; 7 of 8 miss L1; four cores store
// to the same lines. Beside each the same levels without coherence. Times are the thread's
// processor time; the best of five.
#include "base/error.h"
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CORES = 4, LINE = 128, TOGETHER = 1024, CHUNKS = 4000, RUNS = 5, LAST = WM_LEVELS_NAMED };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct wm_level_spec level(uint64_t size_bytes, uint32_t ways, bool coherent)
{
    return (struct wm_level_spec){
        .cache = {.present = true,
                  .size_bytes = size_bytes,
                  .ways = ways,
                  .line_bytes = LINE,
                  .sector_bytes = LINE,
                  .write_policy = WM_WRITE_BACK,
                  .write_allocate = true,
                  .replacement = &wm_replacement_lru,
                  .set_index = &wm_set_index_modulo},
        .coherence = coherent ? WM_LEVEL_MESI : WM_LEVEL_INCOHERENT,
        .units_each = 1,
    };
}

static struct wm_memory *build(bool coherent)
{
    struct wm_memory_spec spec = {
        .sm_count = CORES,
        .levels = {[WM_LEVEL_L1] = level(64 << 10, 4, coherent),
                   [WM_LEVEL_L2] = level(512 << 10, 8, coherent),
                   [LAST] = level(8 << 20, 32, coherent)},
        .dram = {.channels = 1, .channel_interleave_bytes = 256, .access_bytes = 64},
    };
    spec.levels[WM_LEVEL_L2].slices = 1;
    spec.levels[WM_LEVEL_L2].interleave_bytes = LINE;
    spec.levels[WM_LEVEL_L2].below = WM_BELOW(LAST);
    spec.levels[LAST].units_each = WM_UNITS_ALL;
    spec.levels[LAST].slices = 4;
    spec.levels[LAST].interleave_bytes = LINE;
    spec.levels[LAST].inclusion = WM_INCLUSIVE;
    snprintf(spec.levels[LAST].name, sizeof spec.levels[LAST].name, "llc");
    struct wm_memory *memory;
    struct wm_error error;
    if (wm_memory_new(&spec, "bench", &memory, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return memory;
}

// Of one core's lines, or of those of all; one in five is a store.
static void fill(struct wm_random *random, uint64_t *references, uint64_t base, uint64_t lines)
{
    for (uint32_t i = 0; i < TOGETHER; i++) {
        uint64_t address = base + wm_random_below(random, lines) * LINE;
        references[i] = address | (wm_random_below(random, 5) == 0 ? WM_REFERENCE_STORE : 0);
    }
}

static double rate(bool coherent, uint64_t lines, bool shared, double *missed)
{
    static uint64_t references[TOGETHER];
    struct wm_memory *memory = build(coherent);
    struct wm_random random;
    double taken = 0;
    wm_random_init(&random, 1, "bench");
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        uint32_t core = chunk % CORES;
        fill(&random, references, shared ? 0 : (uint64_t)core << 32, lines);
        double begin = seconds();
        wm_memory_access_references(memory, &(struct wm_request){.sm = core}, references, TOGETHER);
        taken += seconds() - begin;
    }
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    uint64_t misses = 0;
    for (uint32_t i = 0; i < CORES; i++)
        misses += components[i].values[wm_counter_index(components[i].set, "misses")];
    *missed = (double)misses / ((double)CHUNKS * TOGETHER);
    wm_memory_free(memory);
    return (double)CHUNKS * TOGETHER / taken / 1e6;
}

static void print(const char *what, uint64_t lines, bool shared)
{
    double best[2] = {0}, missed[2];
    for (int i = 0; i < RUNS; i++)
        for (int coherent = 0; coherent < 2; coherent++) {
            double is = rate(coherent, lines, shared, &missed[coherent]);
            best[coherent] = is > best[coherent] ? is : best[coherent];
        }
    printf("%-32s %6.1f M accesses/s (L1 misses %4.1f%%); without coherence %6.1f (%4.1f%%)\n",
           what, best[1], 100 * missed[1], best[0], 100 * missed[0]);
}

int main(void)
{
    print("L1 hits", 128, false);
    print("7 of 8 miss L1", 4096, false);
    print("four cores share 32 lines", 32, true);
    return 0;
}
