// The decisions of a program's loads as a setting of the machine (machine/bypass_list.h): what
// would be if the program's text had them, measured without writing a program. Private to bypass/.
#ifndef WM_BYPASS_LOAD_LIST_H
#define WM_BYPASS_LOAD_LIST_H

#include "bypass/program.h"
#include "engine/session/results.h"

// The hints of a load of the program, by numbers from 0.
typedef struct wm_load_hint wm_load_hint_finder(const void *context, uint32_t kernel,
                                                uint32_t load);

// The hints that the load has in its own text, as far as they may be chosen: .cg, or none.
struct wm_load_hint wm_bypass_own_hint(const struct wm_bypass_load *load);

// Makes `setting` "gpu.l1.bypass_list=KERNEL:pc7=cg,KERNEL:pc9=ca", of each load whose hints are to
// be others than those of its text: "gpu.l1.bypass_list=none" where none is. Of kernels that share
// their symbol each has its PTX's hash before its loads. The caller releases `setting`, whatever
// the outcome. WM_LIMIT for more than a machine's list holds (WM_BYPASS_LIST_BYTES), WM_NO_MEMORY.
enum wm_status wm_bypass_make_list(const struct wm_bypass_program *program,
                                   wm_load_hint_finder *hint_of, const void *context,
                                   struct wm_text *setting, struct wm_error *error);

// What the run came to for the kernel; NULL where it launched none.
const struct wm_kernel_result *wm_bypass_result_of(const struct wm_results *results,
                                                   const struct wm_bypass_kernel *kernel);

#endif
