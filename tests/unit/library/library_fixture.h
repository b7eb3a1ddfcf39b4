// What the tests of the library share: machines, random accesses and the comparison of counters.
#ifndef WM_TESTS_LIBRARY_FIXTURE_H
#define WM_TESTS_LIBRARY_FIXTURE_H

#include "base/numbers/random.h"
#include "machine/machine.h"
#include "mem/system/memory.h"
#include "warpmem/warpmem.h"

#include <stdbool.h>
#include <stddef.h>

// Loads a preset or fails the test.
struct warpmem_machine *library_machine(const char *name);
struct warpmem_memory *library_memory(const char *name, bool explain);

// A random legal access to one line of some 4 MiB.
struct warpmem_access library_random_access(struct wm_random *random, uint32_t sm_count,
                                            uint32_t line_bytes);

// Requires every counter of `own` to be what the library says under the same path. Returns how many
// of the values were not zero, so that a test can require that there were some. `line_by_line`:
// `own` was given each line of an instruction as one, and does not know how many a load found.
size_t library_same_counters(const struct warpmem_memory *memory, const struct wm_memory *own,
                             bool line_by_line);

// Requires the sums of all counters to be 0.
void library_require_untouched(const struct warpmem_memory *memory);

#endif
