// Instructions executed one lane after another (private to exec/): those too rare for a kernel in
// lanes/. decode_scalar.c fills a form for each; the scalar_*.c files say what one lane computes.
#ifndef WM_EXEC_SCALAR_OPS_H
#define WM_EXEC_SCALAR_OPS_H

#include "exec/decode/register_allocation.h"
#include "exec/interpreter.h"

enum { WM_SCALAR_SOURCES = 4 };

struct wm_scalar_form;
// One lane: sources as they lie in their slots (a predicate is 0 or 1); results[1] is the second of
// a pair.
typedef void wm_scalar_function(const struct wm_scalar_form *form, const uint64_t *sources,
                                uint64_t *results);

struct wm_scalar_form {
    wm_scalar_function *function;
    const struct wm_ptx_instruction *instruction; // the module's
    unsigned source_count;
    uint32_t sources[WM_SCALAR_SOURCES];
    enum wm_register_class source_classes[WM_SCALAR_SOURCES];
    bool negated[WM_SCALAR_SOURCES]; // predicates: the opposite is read
    uint32_t results[2];             // WM_NO_OP: not used
    enum wm_register_class result_classes[2];
    unsigned extended_bits; // of the first result: its sign is extended from here; 0: not
    // What the function reads, found when it is decoded
    enum wm_ptx_modifier rounding;
    bool ftz, sat, nan, relu, satfinite, absolute, xorsign;
    unsigned kind; // by function
};

// What a family says of one of its instructions: the function, and the types of its operands,
// results first (WM_PTX_none after the last).
struct wm_scalar_plan {
    wm_scalar_function *function;
    wm_ptx_type results[2], sources[WM_SCALAR_SOURCES];
    unsigned kind;
};

// Each fills *plan, or returns false for an instruction that is not its own.
bool wm_scalar_video(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan);
bool wm_scalar_convert(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan);
bool wm_scalar_compare(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan);
bool wm_scalar_integer(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan);
bool wm_scalar_extreme(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan);

const struct wm_op *wm_run_scalar(struct wm_warp *warp, const struct wm_op *op);

#endif
