// The machines of cache_counts.h, and the comparison of what one of them counted with its row.
#ifndef WM_TESTS_ORACLE_MACHINE_H
#define WM_TESTS_ORACLE_MACHINE_H

#include "cache_counts.h"
#include "mem/system/memory_state.h"

// Of the row only L2's sets and ways and the order count.
struct wm_memory_spec wm_oracle_spec(const struct wm_cache_count_row *row);
// Prints the two when they differ.
bool wm_oracle_count_equal(const char *what, uint64_t counted, uint64_t expected);
// Whether all counts are the row's after its references; each that is not is printed.
bool wm_oracle_equal(const struct wm_memory *memory, const struct wm_cache_count_row *row);

#endif
