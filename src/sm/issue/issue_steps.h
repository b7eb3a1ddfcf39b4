// What an SM's issue needs of a kernel's instructions, found once for all SMs and all warps.
#ifndef WM_SM_ISSUE_ISSUE_STEPS_H
#define WM_SM_ISSUE_ISSUE_STEPS_H

#include "base/error.h"
#include "sm/issue/issue.h"
#include "sm/sm_spec.h"

// The registers of a step are numbered behind two of none: one whose value is always there, one
// that is never read.
enum { WM_ISSUE_ALWAYS_READY, WM_ISSUE_DISCARDED, WM_ISSUE_SPARE };

// Fills table->steps, which free() releases, for SMs of that kind: one for each instruction, and
// behind them one of integers without registers, for those of which nothing is known. WM_NO_MEMORY.
enum wm_status wm_issue_steps_find(struct wm_issue_table *table, const struct wm_sm_spec *spec,
                                   struct wm_error *error);
// The same for those from `first` on, which were appended; of those before nothing changes.
enum wm_status wm_issue_steps_extend(struct wm_issue_table *table, uint32_t first,
                                     const struct wm_sm_spec *spec, struct wm_error *error);

#endif
