// Results by the lines of source that caused them: what the text, the page and the JSON of
// an annotation are all printed from. Private to study/.
#ifndef WM_STUDY_ANNOTATE_LINES_H
#define WM_STUDY_ANNOTATE_LINES_H

#include "base/containers/arena.h"
#include "study/annotate/rules.h"

enum { WM_MOST_CHAINS = 8, WM_MOST_TRIALS = 4 };

enum wm_trial_kind {
    WM_TRIAL_ALONE,    // the advice's instructions around L1
    WM_TRIAL_TOGETHER, // with those of all advice of the kernel that says the same
    WM_TRIAL_BLOCKS,   // at most so many blocks at a time on an SM
    WM_TRIAL_PRIORITY, // the advice's instructions with an eviction priority of L1
};

// Of one kernel, all its launches: bytes below L1 and of memory, both ways.
struct wm_trial_figures {
    const char *below_l1; // the name of the counters there, "l2"; borrowed from the results
    uint64_t below_l1_bytes, memory_bytes, cycles; // cycles: 0 unless timed
};

struct wm_advice_trial {
    enum wm_trial_kind kind;
    uint32_t blocks;      // of WM_TRIAL_BLOCKS
    uint32_t loads;       // of the others: instructions that go around L1, or have the priority
    const char *settings; // what makes the variant, one setting a line
    bool measured;        // else what follows is zeros
    bool gains;           // by WM_TRIAL_LEAST_GAIN
    struct wm_trial_figures before, after;
};

// A rule that applies to some of a line's instructions, and what those did together.
struct wm_advice {
    const struct wm_annotate_rule *rule;
    uint32_t instructions;
    struct wm_rule_view view;
    struct wm_advice_trial trials[WM_MOST_TRIALS];
    uint32_t trial_count;
};

struct wm_annotated_line {
    uint32_t number; // in the file, or of the PTX
    const char *text;
    bool has_memory;                         // memory instructions that are counted below
    uint64_t accesses, shared_accesses;      // executions of those instructions
    struct wm_instruction_counters counters; // of those beyond the SM
    struct wm_instruction_misses explained;  // of all
    struct wm_load_counters timed;           // in time, of its loads; else zeros
    struct wm_load_servers served;           // likewise
    struct wm_advice *advice;
    uint32_t advice_count;
    struct wm_advice *tried; // what would be advised, were it not for what was measured
    uint32_t tried_count;
    // Of those that come from inlined functions, one of each chain of places.
    const struct wm_instruction_result *inlined[WM_MOST_CHAINS];
    uint32_t inlined_count;
};

// Lines of one file, or of PTX, in order; not every line is in it.
struct wm_annotated_section {
    const char *file;  // NULL: the kernel's PTX, or a CPU's code whose source is not known
    const char *title; // for people: the file, or which of the two
    struct wm_annotated_line *lines;
    uint32_t line_count;
};

struct wm_annotated_kernel {
    const struct wm_kernel_result *kernel;
    struct wm_annotated_section *sections;
    uint32_t section_count;
};

struct wm_annotation {
    struct wm_arena arena; // owns everything below
    struct wm_annotated_kernel *kernels;
    uint32_t kernel_count;
};

// Whether time passed in the run.
bool wm_annotation_is_timed(const struct wm_results *results);

// All that the rules advise, before measurements decide (wm_annotation_init,
// study/annotate/advice_trials.h). The results stay borrowed. False when memory runs out; release
// it all the same.
bool wm_annotation_gather(struct wm_annotation *annotation, const struct wm_results *results);
void wm_annotation_release(struct wm_annotation *annotation);

#endif
