// What a kernel's instructions are together, which a rule of advice about one of them has to know.
// Private to study/.
#ifndef WM_STUDY_ANNOTATE_KERNEL_H
#define WM_STUDY_ANNOTATE_KERNEL_H

#include "base/containers/arena.h"
#include "study/annotate/rules.h"

struct wm_annotate_kernel {
    const struct wm_kernel_result *kernel;
    const struct wm_results *results;
    struct wm_rule_kernel_totals traffic;
    uint8_t *vectors;   // by instruction: wm_rule_view.vector
    bool *covered;      // by instruction: wm_rule_view.in_vector
    double *tile_bytes; // by instruction: wm_rule_view.tile_bytes
};

// Memory is the arena's; the results and their kernel stay borrowed. False when out of memory.
bool wm_annotate_kernel_init(struct wm_annotate_kernel *context, struct wm_arena *arena,
                             const struct wm_results *results,
                             const struct wm_kernel_result *kernel);
// What rules see of the kernel's instruction `index`; without its counters, to add some up.
struct wm_rule_view wm_annotate_empty_input(const struct wm_annotate_kernel *context,
                                            uint32_t index);
void wm_annotate_add_input(const struct wm_annotate_kernel *context, struct wm_rule_view *sum,
                           const struct wm_instruction_result *it);

#endif
