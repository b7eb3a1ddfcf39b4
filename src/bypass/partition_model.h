// How fast a program is, relatively, with each partition of an SM's array into L1 and shared
// memory: Y. Liang, X. Xie, G. Sun and D. Chen, "An efficient compiler framework for cache
// bypassing on GPUs" (TCAD), section V-D, equation 1:
//
//     performance = constant + a * occupancy + b * hit rate + c * occupancy * hit rate
//
// The four coefficients are the platform's, fitted once by ordinary least squares to programs that
// were measured with every partition. Only the order of what it predicts for one program matters.
//
// A model is a table of rows (machine/row_table.h), one a coefficient, in a file of its own; those
// that come with warpmem lie in the presets' folder, partition/MACHINE.yaml. Private to bypass/.
#ifndef WM_BYPASS_PARTITION_MODEL_H
#define WM_BYPASS_PARTITION_MODEL_H

#include "base/containers/arena.h"
#include "base/text/text.h"
#include "machine/row_table.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_partition_term {
    WM_PARTITION_CONSTANT,
    WM_PARTITION_OCCUPANCY,
    WM_PARTITION_HIT_RATE,
    WM_PARTITION_PRODUCT,
    WM_PARTITION_TERMS
};
extern const char *const wm_partition_term_names[WM_PARTITION_TERMS]; // as in rows

struct wm_partition_model {
    double coefficients[WM_PARTITION_TERMS];
    bool given[WM_PARTITION_TERMS]; // by a row
};

extern const struct wm_row_table_kind wm_partition_row_table; // of a struct wm_partition_model

// Occupancy and hit rate from 0 to 1. Rounded to four digits behind the point, which is what is
// printed: what is equal there is equal.
double wm_partition_predict(const struct wm_partition_model *model, double occupancy,
                            double hit_rate);

// --- Fitting ---

// A program on one partition.
struct wm_partition_sample {
    const char *program; // samples of one program follow each other, the most shared memory first
    uint64_t shared_bytes;
    double occupancy, hit_rate;
    double performance; // of that with the program's first sample's partition
};

// How well the model chooses for a program of the samples.
struct wm_partition_judged {
    const char *program;   // borrowed of its samples
    uint32_t first, count; // its samples
    uint32_t best;         // that was measured fastest; the first of equals
    uint32_t chosen;       // that the model predicts fastest; the first of equals
    // The same by a model that is fitted to the other programs alone; `others` false: these do not
    // determine one.
    bool others;
    uint32_t chosen_by_others;
};

struct wm_partition_fit {
    struct wm_partition_model model; // coefficients rounded to six digits behind the point
    double mean_square_error;        // of the samples' performance, by the rounded coefficients
    struct wm_partition_judged *programs; // owned by the arena given
    uint32_t program_count;
};

// Fits a model to the samples, and judges it. Errors as wm_least_squares'; WM_NO_MEMORY.
enum wm_status wm_partition_fit(const struct wm_partition_sample *samples, uint32_t count,
                                struct wm_arena *arena, struct wm_partition_fit *fit,
                                struct wm_error *error);

// Appends the model's file: its rows, and in comments the machine, samples and errors.
void wm_partition_fit_print(const struct wm_partition_fit *fit,
                            const struct wm_partition_sample *samples, uint32_t count,
                            const char *machine, struct wm_text *text);

#endif
