// What changed from one run to another: `a` before, `b` after. By kernel, by line of the source, by
// level of the machine, largest change first.
#ifndef WM_STUDY_COMPARE_H
#define WM_STUDY_COMPARE_H

#include "base/names/kernel_names.h"
#include "base/text/text.h"
#include "study/compare/run_model.h"
#include "study/tables/columns.h"

// A kernel and its like; one of them is NULL where the other has none.
struct wm_kernel_pair {
    const struct wm_model_kernel *a, *b;
    struct wm_kernel_name shown;
    bool differs;
    uint32_t number; // in order of first launch: a's, then those of b alone
};

// A counter of one level, in the whole run. One of them is NULL where the other has none: a machine
// without that level.
struct wm_counter_pair {
    const struct wm_model_counter *a, *b;
    double share; // of the difference in the largest counter of that unit at that level
    uint32_t number;
};

enum { WM_LINE_MEASURES = 4 }; // that lines are ordered by

// The instructions of one opcode on one line of a kernel's source; without a source, one
// instruction.
struct wm_line_pair {
    const struct wm_kernel_pair *kernel;
    const struct wm_model_instruction *a, *b; // the first of each; one is NULL where there are none
    uint32_t count_a, count_b;
    uint64_t *causes_a, *causes_b;         // in the order of the comparison's names
    uint64_t load_cycles_a, load_cycles_b; // of timed runs
    uint64_t changes[WM_LINE_MEASURES];    // the most significant first
    bool differs;
    uint32_t number;
};

struct wm_setting_pair {
    const char *key, *a, *b; // NULL where one does not have the key
};

struct wm_comparison {
    const struct wm_run_model *a, *b; // borrowed
    struct wm_arena arena;            // owns the rest
    struct wm_setting_pair *settings; // of the machines, those that differ
    struct wm_kernel_pair *kernels;   // all of them
    struct wm_counter_pair *counters; // those that differ
    struct wm_line_pair *lines;       // all of them
    const char **names; // of instructions' counters: those of a, then those that b alone has
    uint32_t *places_a, *places_b; // of each model's names among them
    uint32_t name_count;
    uint32_t setting_count, kernel_count, counter_count, line_count;
    uint32_t differing_kernels, differing_lines;
    bool differs; // in anything that was counted
};

// Kernels are the same by their symbol, else by their signature; instructions of a kernel by line
// and text, else by line and opcode, else where one sequence of opcodes has them as the other (as
// diff has lines). WM_NO_MEMORY. Release it in any case.
enum wm_status wm_compare(const struct wm_run_model *a, const struct wm_run_model *b,
                          struct wm_comparison *comparison, struct wm_error *error);
void wm_comparison_release(struct wm_comparison *comparison);

// For each instruction of `a` its like's index in `b`, or UINT32_MAX; `like` has room for a's
// instructions. False when out of memory (match.c).
bool wm_compare_match(const struct wm_model_kernel *a, const struct wm_model_kernel *b,
                      uint32_t *like);

extern const struct wm_report_table wm_compared_kernel_table, wm_compared_line_table,
    wm_compared_level_table;

// For people: the `most` largest changes of each table, or all of them with UINT32_MAX.
void wm_comparison_text(const struct wm_comparison *comparison, uint32_t most,
                        struct wm_text *text);
// docs/formats/compare-json.md, to `path`.
enum wm_status wm_comparison_json(const struct wm_comparison *comparison, const char *path,
                                  struct wm_error *error);

#endif
