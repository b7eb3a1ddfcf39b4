// The steps of wm_bypass_program_init. Private to bypass/.
//
//   program.c     kernels and loads, out of the recording's PTX and a profile
//   program_efficiency.c  how well each load uses what is moved for it, from three sources
//   forced_loads.c      loads whose decision is given
//   decide.c      graphs of each source, and what the solvers make of them
#ifndef WM_BYPASS_PROGRAM_PARTS_H
#define WM_BYPASS_PROGRAM_PARTS_H

#include "bypass/program.h"

// Of all loads of the program; WM_NO_MEMORY.
enum wm_status wm_bypass_find_efficiencies(struct wm_bypass_program *program,
                                           struct wm_error *error);
// Of each source; errors of the solvers, WM_NO_MEMORY.
enum wm_status wm_bypass_decide(struct wm_bypass_program *program, struct wm_error *error);

#endif
