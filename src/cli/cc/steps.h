// The steps of `warpmem cc`, in the order that clang's CUDA mode requires: a .cu file
// is compiled for the device, to PTX; the PTX is packed; the file is compiled for the host, with
// the package inside; the objects are linked with warpmem's libcudart.
#ifndef WM_CLI_CC_STEPS_H
#define WM_CLI_CC_STEPS_H

#include "base/error.h"
#include "cli/cc/job.h"

// Carries the whole line out. WM_INVALID with an empty message when clang or the linker said why.
enum wm_status wm_cc_steps_run(const struct wm_cc_job *job, struct wm_error *error);

#endif
