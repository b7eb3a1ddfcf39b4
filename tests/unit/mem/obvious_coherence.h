// What coherent caches do, said as plainly as can be: no messages and no directories, but a look at
// all caches. Each has its lines in the order of their last use, and each line is S, E or M. For
// levels under LRU with modulo as their index. Prefetchers are the entry next-line.
#ifndef WM_TESTS_OBVIOUS_COHERENCE_H
#define WM_TESTS_OBVIOUS_COHERENCE_H

#include "mem/system/coherent_levels.h"
#include "mem/system/memory.h"

enum {
    OBVIOUS_NODES = 32,
    OBVIOUS_SETS = 128,
    OBVIOUS_WAYS = 8,
    OBVIOUS_LINES = 4096,
    OBVIOUS_REQUESTS = 1 << 14
};

enum obvious_state { OBVIOUS_I, OBVIOUS_S, OBVIOUS_E, OBVIOUS_M };

struct obvious_line {
    uint64_t line;
    enum obvious_state state;
    enum { NOT_WANTED, CAME, WAS_HERE } wanted; // by a prefetcher, and not used since
};

struct obvious_counts {
    uint64_t hits, misses, write_backs, evictions; // in requests, not sectors
    uint64_t read_requests, write_requests, upgrades, invalidations, back_invalidations, downgrades;
    uint64_t forwards, clean_puts, put_m, locked_hits;
    uint64_t noticed, used, prefetched, unused; // by prefetchers
};

// Of one slice: all lines that it ever requested, in order, and those that it wants now.
struct obvious_ahead {
    uint64_t requested[OBVIOUS_REQUESTS], wanted[16];
    bool taken[OBVIOUS_REQUESTS]; // used, or gone
    uint32_t count, wanted_count;
};

struct obvious_cache {
    int parent; // -1: memory
    uint32_t sets, ways, slices, block_lines;
    struct obvious_line lines[OBVIOUS_SETS][OBVIOUS_WAYS]; // the last used first
    uint32_t counts_of[OBVIOUS_SETS];
    struct obvious_counts counts;
    uint32_t prefetch_lines, held; // 0: it has no prefetcher
    bool tagged;
    struct obvious_ahead ahead[4]; // by slice
};

struct obvious_coherence {
    struct obvious_cache nodes[OBVIOUS_NODES]; // numbered as those of struct wm_coherent_levels
    uint32_t node_count;
    bool has_directory; // caches that miss to memory meet there
    bool clean_forward; // and of those that share a line the first gives it
    uint64_t dram_reads, dram_writes;
};

void obvious_coherence_init(struct obvious_coherence *model, const struct wm_memory_spec *spec,
                            const struct wm_coherent_levels *levels);
void obvious_coherence_access(struct obvious_coherence *model, uint32_t node, uint64_t line,
                              enum wm_access_kind kind);
// A load that takes no copy; `looks_up`: it counts as a miss where the line is not there.
void obvious_coherence_load_past(struct obvious_coherence *model, uint32_t node, uint64_t line,
                                 bool looks_up);
// The host reads, or overwrites, a whole line.
void obvious_coherence_clean(struct obvious_coherence *model, uint64_t line);
void obvious_coherence_recall(struct obvious_coherence *model, uint64_t line);
enum obvious_state obvious_coherence_state(const struct obvious_coherence *model, uint32_t node,
                                           uint64_t line);

#endif
