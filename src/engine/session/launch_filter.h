// Which launches of a run are counted, by their kernel's name and their number: what --kernel,
// --launches, --launch-skip and --launch-count say, as profilers have it. The others are executed
// and change the memory system's state, as outside a profiler's ranges (session/counting.c).
#ifndef WM_ENGINE_SESSION_LAUNCH_FILTER_H
#define WM_ENGINE_SESSION_LAUNCH_FILTER_H

#include "base/containers/arena.h"
#include "base/containers/string_map.h"
#include "base/error.h"
#include "base/text/number_ranges.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_kernel_pattern; // launch_filter.c

struct wm_launch_filter {
    struct wm_arena arena; // owns everything below but compiled expressions
    struct wm_kernel_pattern *patterns;
    uint32_t pattern_count;    // none: every kernel
    struct wm_ranges launches; // numbered over the run from 0; none: every launch
    uint64_t skip, most;       // of those that pass both: so many are left out first, and then
                               // at most so many counted
    const char *text;          // as options: "--kernel bfs* --launches 2-5"
};

// As the options have them: the texts are borrowed for the call, and NULL when not given.
struct wm_launch_filter_words {
    const char *const *kernels;
    uint32_t kernel_count;
    const char *launches, *skip, *count;
};

// Whether any of them is given: else there is nothing to filter.
bool wm_launch_filter_wanted(const struct wm_launch_filter_words *words);
// Reads them. A pattern of a kernel is compared with each of its names: the symbol, the signature
// ("void ns::reduce<256>(float*)"), that without result type and parameters ("ns::reduce<256>"),
// and without namespaces and arguments of templates too ("reduce"). "regex:EXPRESSION" (POSIX,
// extended) is found anywhere in one of these; any other pattern is one of the shell (*, ?, [a-z])
// and means the whole of one. WM_INVALID with the option's name. Release it in any case.
enum wm_status wm_launch_filter_init(struct wm_launch_filter *filter,
                                     const struct wm_launch_filter_words *words,
                                     struct wm_error *error);
void wm_launch_filter_release(struct wm_launch_filter *filter);

// A run's place in the filter: zeros at its begin.
struct wm_launch_choice {
    uint64_t passed;              // launches that --kernel and --launches let pass
    struct wm_string_map kernels; // symbols seen, and which patterns match them
};

// Whether the launch of that number is counted; `arena` keeps `kernel`, its symbol. To be called
// once for each launch, in order. Out of memory costs time alone.
bool wm_launch_filter_takes(const struct wm_launch_filter *filter, struct wm_launch_choice *choice,
                            const char *kernel, uint64_t number, struct wm_arena *arena);
// Whether one of the patterns means the kernel of that symbol, or there are none.
bool wm_launch_filter_means(const struct wm_launch_filter *filter, const char *kernel);

#endif
