// All sets of a kernel's loads: what the traffic graph promises of each, and what is so. The graph
// knows loads alone and in pairs (traffic_graph.h); how well that ranks sets of any size is a
// question that the paper leaves open.
#ifndef WM_BYPASS_ALL_SETS_H
#define WM_BYPASS_ALL_SETS_H

#include "bypass/program.h"

// Each load more doubles the sets, each of which has L1s of its own.
enum { WM_ALL_SETS_MOST_LOADS = 10 };

struct wm_bypass_set {
    struct wm_load_set cached; // by load of the kernel: uses L1
    // Bytes between L1 and L2, both ways, of all accesses to L1.
    uint64_t measured;
    // By the graph of the source that decides, from what was measured without any cached load, to a
    // whole byte. Negative where pairs promise more than there is.
    int64_t predicted;
};

// Of one kernel. Loads that are forced are as they are forced in each set.
struct wm_bypass_all_sets {
    uint32_t free_loads;        // 2 to their power sets
    struct wm_bypass_set *sets; // by number: of the free loads, bit 0 for the first says "cached"
    uint32_t count;
    double correlation; // of ranks of predicted and measured; NAN: one of them is the same for all
};

// Finds them for each kernel of the program, in one pass over the recording that it was made of, on
// the same machine and with the same options; `all`, program->kernel_count of them, belongs to the
// program's arena. Warps have their turns as in its profile (wm_load_profile_sets). WM_LIMIT for a
// kernel with more than WM_ALL_SETS_MOST_LOADS free loads; WM_NO_MEMORY; errors of
// wm_load_profile_sets.
enum wm_status wm_bypass_find_all_sets(struct wm_bypass_program *program,
                                       struct wm_recording *recording,
                                       const struct wm_machine *machine,
                                       const struct wm_bypass_options *options,
                                       struct wm_bypass_all_sets *all, struct wm_error *error);

// The set of fewest measured bytes, of several the first.
const struct wm_bypass_set *wm_bypass_best_set(const struct wm_bypass_all_sets *all);
// That of a solution. NULL: it leaves a forced load as it was not to be.
const struct wm_bypass_set *wm_bypass_set_of(const struct wm_bypass_all_sets *all,
                                             const struct wm_bypass_kernel *kernel,
                                             const struct wm_bypass_solution *solution);

#endif
