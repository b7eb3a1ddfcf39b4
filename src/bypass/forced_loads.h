// Loads whose decision is given: "3=ca", "spmv*:3=cg". The solvers decide the others.
#ifndef WM_BYPASS_FORCED_LOADS_H
#define WM_BYPASS_FORCED_LOADS_H

#include "bypass/program.h"

// Checks the words before anything is profiled: WM_INVALID for what is no [KERNEL:]N=ca or =cg.
enum wm_status wm_bypass_forces_check(const char *const *words, uint32_t count,
                                      struct wm_error *error);
// Fills the kernels' `forced`. KERNEL is a pattern, as of --kernel
// (engine/session/launch_filter.h), and may be left out where one kernel was profiled. WM_NOT_FOUND
// for a kernel or number that is not there, WM_INVALID where one load is forced both ways,
// WM_NO_MEMORY.
enum wm_status wm_bypass_forces_apply(struct wm_bypass_program *program, const char *const *words,
                                      uint32_t count, struct wm_error *error);

#endif
