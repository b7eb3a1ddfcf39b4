// An obvious model of the memory system for the tests: lines in a flat array with a time of last
// use, one flag a sector, every rule written out in loops. Slow, and short enough to be read
// against the sentences of memory.h, memory_spec.h and the counters.
#ifndef WM_TESTS_MEMORY_MODEL_H
#define WM_TESTS_MEMORY_MODEL_H

#include "mem/memory.h"
#include "mem/memory_state.h"

struct model_line {
    bool present;
    uint64_t line, last_use;
    bool valid[32], dirty[32];
};

struct model_cache {
    const struct wm_cache_spec *spec;
    uint64_t sets;
    uint64_t slices, interleave_bytes; // 1 for L1
    struct model_line *lines;
    struct wm_cache_counters counters;
};

struct memory_model {
    struct wm_memory_spec spec;
    struct model_cache *l1, *l2;
    struct wm_dram_counters *dram;
    uint64_t clock;
};

struct memory_model *memory_model_new(const struct wm_memory_spec *spec);
void memory_model_free(struct memory_model *model);
void memory_model_access(struct memory_model *model, const struct wm_request *request);
void memory_model_kernel_begin(struct memory_model *model);
void memory_model_host_write(struct memory_model *model, uint64_t address, uint64_t size_bytes);
void memory_model_host_read(struct memory_model *model, uint64_t address, uint64_t size_bytes);

// Index of the first component that differs, or -1; the differing counter's name and both values
// are printed.
int memory_model_compare(const struct memory_model *model, const struct wm_memory *memory);

#endif
