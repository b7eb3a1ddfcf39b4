// Two caches, as plainly as they can be written: LRU, whole lines, index modulo, write-back and
// write-allocate. Shares no code with warpmem's.
#ifndef WM_TESTS_SIMPLE_CACHES_H
#define WM_TESTS_SIMPLE_CACHES_H

#include <stdbool.h>
#include <stdint.h>

struct simple_cache {
    uint64_t sets, ways, line_bytes;
    struct simple_line {
        uint64_t number, used_at; // number of the line plus 1; 0: empty
        bool dirty;
    } * lines; // by set, then way
    uint64_t clock, accesses, misses, write_backs;
};

struct simple_caches {
    struct simple_cache l1, l2, instruction; // the last a side cache, when there is one
    bool demand_first;                       // the fetch of an L1 miss reaches L2 before its victim
    uint64_t l2_demand_misses, l2_arrival_misses, stores, store_misses;
};

void simple_caches_init(struct simple_caches *caches, uint64_t line_bytes, uint64_t l1_sets,
                        uint64_t l1_ways, uint64_t l2_sets, uint64_t l2_ways, bool demand_first);
void simple_caches_release(struct simple_caches *caches);
// One reference to one line.
void simple_caches_access(struct simple_caches *caches, uint64_t address, bool store);
// An instruction cache next to L1, with lines as L1 has them, and one line fetched through it.
void simple_caches_add_instruction(struct simple_caches *caches, uint64_t sets, uint64_t ways);
void simple_caches_fetch(struct simple_caches *caches, uint64_t address);

#endif
