// The results of a run as they are compared: read from its JSON (docs/formats/results-json.md), so
// that files of yesterday and replays of today are the same thing. Private to study/compare/.
#ifndef WM_STUDY_RUN_MODEL_H
#define WM_STUDY_RUN_MODEL_H

#include "base/containers/arena.h"
#include "base/containers/string_map.h"
#include "base/error.h"
#include "mem/system/memory.h"
#include "study/page/machine_values.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A counter, summed over the components of one level ("gpu0.sm[*].l1": all L1s).
struct wm_model_counter {
    const char *key; // "gpu0.sm[*].l1 hits": names it in a table
    const char *level, *kind, *name, *unit;
    uint64_t value;
};

struct wm_model_counters {
    struct wm_model_counter *items; // owned; in order of first appearance
    uint32_t count, room;
    struct wm_string_map places; // from keys to items' numbers, plus one
};

struct wm_model_instruction {
    const char *file; // without its folder, or NULL
    const char *text, *opcode;
    uint32_t line, ptx_line, pc;
    uint64_t *counters;   // in the order of the model's names
    uint64_t load_cycles; // of a load in a timed run
};

struct wm_model_kernel {
    const char *name, *signature;
    bool of_several_gpus; // of a machine of several: `gpu` ran it
    uint32_t gpu;
    uint64_t launches, warp_instructions, thread_instructions, cycles;
    struct wm_model_counters counters;
    struct wm_instruction_counters moved;      // at the model's levels, by its components
    struct wm_model_instruction *instructions; // in the arena
    uint32_t instruction_count;
};

struct wm_run_model {
    struct wm_arena arena; // owns all texts
    const char *label;     // what reports call it
    const char *engine, *machine, *title;
    const char *chosen;                // the options that chose launches, or NULL
    struct wm_machine_values settings; // the effective machine
    struct wm_level_list levels;       // its levels
    const char **names;                // of instructions' counters
    uint32_t name_count;
    struct wm_model_kernel *kernels;
    uint32_t kernel_count;
    struct wm_model_counters counters; // of the whole run
    bool timed, priced;
    uint64_t clock_hz;
    double dynamic_pj; // of the whole run, when priced
};

// Reads one run. `label` is copied, and names the place of errors. WM_INVALID when it is not the
// JSON of results, or damaged; WM_NO_MEMORY. Release it in any case.
enum wm_status wm_run_model_read(struct wm_run_model *model, FILE *stream, const char *label,
                                 struct wm_error *error);
void wm_run_model_release(struct wm_run_model *model);

// The counter of that key; NULL when there is none.
const struct wm_model_counter *wm_model_find(const struct wm_model_counters *counters,
                                             const char *key);
// A counter of all levels of a kind ("l1").
uint64_t wm_model_sum(const struct wm_model_counters *counters, const char *kind, const char *name);

#endif
