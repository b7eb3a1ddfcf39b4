// The memory systems that most tests begin from: a test changes where it is about something else.
#ifndef WM_TESTS_SMALL_MEMORY_H
#define WM_TESTS_SMALL_MEMORY_H

#include "base/names/counters.h"
#include "mem/system/memory.h"

// Under LRU, index modulo, written back with allocation. An L2's `sets` are those of all slices.
struct wm_cache_spec small_cache(uint32_t sets, uint32_t ways, uint32_t line_bytes,
                                 uint32_t sector_bytes);
// An L1 for each SM above `slices` slices of L2 with a DRAM channel each.
struct wm_memory_spec small_memory(uint32_t sm_count, struct wm_cache_spec l1,
                                   struct wm_cache_spec l2, uint32_t slices);
// Built as "gpu0"; a machine that is refused fails the test.
struct wm_memory *small_memory_new(const struct wm_memory_spec *spec);

// Of what is counted: a component by its path, and a counter of it. One that is not there fails the
// test.
const struct wm_component_counters *find_component(struct wm_memory *memory, const char *path);
uint64_t component_value(const struct wm_component_counters *component, const char *name);

// All that stores can do to a cache, but for what they fetch.
enum { WRITE_CHOICES = 5 };
extern const struct write_choice {
    enum wm_write_policy policy;
    bool allocate;
} write_choices[WRITE_CHOICES];
void set_writes(struct wm_cache_spec *cache, const struct write_choice *choice);

#endif
