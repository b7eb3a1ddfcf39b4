// The settings of a run, from environment variables: `warpmem run` sets them for the program it
// starts, and a person may set them without it.
#ifndef WM_CUDA_RUN_ENVIRONMENT_H
#define WM_CUDA_RUN_ENVIRONMENT_H

#include "base/error.h"
#include "engine/session/launch_filter.h"
#include "machine/machine.h"
#include "machine/plugins.h"

#include <stdbool.h>

struct wm_cuda_environment {
    // Borrowed from the environment; NULL when not set.
    const char *report;                        // WARPMEM_REPORT: a file, or "-" for standard output
    const char *json, *csv;                    // WARPMEM_JSON, WARPMEM_CSV: files
    const char *annotate_html, *annotate_json; // WARPMEM_ANNOTATE_HTML, WARPMEM_ANNOTATE_JSON
    const char *timeline;                      // WARPMEM_TIMELINE: a file
    const char *record;                        // WARPMEM_RECORD: a file
    const char *run_folder; // WARPMEM_RUN_FOLDER: where `warpmem run` collects text reports
    // WARPMEM_COLUMNS: width of the text report; 0, or when not set and it goes to a file:
    // WM_REPORT_UNLIMITED
    unsigned columns;
    bool memory;             // WARPMEM_MEMORY=0: execute only
    bool record_memory_only; // WARPMEM_RECORD_MEMORY_ONLY=1: of all instructions those of memory
    bool record_any_order;   // WARPMEM_RECORD_ANY_ORDER=1: not in the order of the machine
    bool serial_streams;     // WARPMEM_SERIAL_STREAMS=1: work of streams never runs side by side
    bool progress;           // WARPMEM_PROGRESS=1
    bool annotate;           // WARPMEM_ANNOTATE=1: the text is the annotated source
    bool inline_chain;       // WARPMEM_INLINE_CHAIN=1: of inlined functions all places in it
    bool measure;            // WARPMEM_MEASURE=walk or clock: what is advised is tried out, by the
    bool measure_clock;      // walk or in time; none when not set
    bool clock;              // WARPMEM_ENGINE=clock: the clock engine; else walk
    uint64_t sample_cycles;  // WARPMEM_SAMPLE: 0, or 1000 with a timeline, when not set
    bool profiled;           // WARPMEM_PROFILED=1: count profiler's ranges alone
    bool per_launch;         // WARPMEM_PER_LAUNCH=1: keep the numbers of each launch
    bool explain;            // WARPMEM_EXPLAIN=1: explain misses
    uint64_t limit_instructions; // WARPMEM_LIMIT_INSTRUCTIONS, warp instructions; 0: none
    uint64_t limit_ns;           // WARPMEM_LIMIT_TIME, nanoseconds of the host's clock; 0: none
    uint32_t checks;             // WARPMEM_CHECK=memory,init,race,leak: of enum wm_check
};

// WM_INVALID for a value that cannot be read.
enum wm_status wm_cuda_environment_read(struct wm_cuda_environment *environment,
                                        struct wm_error *error);
// The plug-ins that WARPMEM_PLUGINS names, one path a line, and the machine that WARPMEM_MACHINE
// names (v100 when not set), with the settings of WARPMEM_SET, one a line. `plugins` must have been
// initialised, and lives as long as the machine.
enum wm_status wm_cuda_environment_machine(struct wm_plugins *plugins, struct wm_machine *machine,
                                           struct wm_error *error);

// The choice of launches of WARPMEM_KERNELS, one pattern a line, WARPMEM_LAUNCHES,
// WARPMEM_LAUNCH_SKIP and WARPMEM_LAUNCH_COUNT; `wanted`: any of them is set. Release the filter in
// any case.
enum wm_status wm_cuda_environment_launches(struct wm_launch_filter *filter, bool *wanted,
                                            struct wm_error *error);

#endif
