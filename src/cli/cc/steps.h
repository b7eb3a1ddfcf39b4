// The steps of `warpmem cc`, in the order that clang's CUDA mode requires: a .cu file
// is compiled for the device, to PTX; the PTX is packed; the file is compiled for the host, with
// the package inside; the objects are linked with warpmem's libcudart.
#ifndef WM_CLI_CC_STEPS_H
#define WM_CLI_CC_STEPS_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "cli/cc/command_line.h"

#include <stdio.h>

// What the steps work with. The texts are borrowed.
struct wm_cc_job {
    const struct wm_cc_line *line;
    struct wm_arena *arena;
    const char *clang;    // the program, found
    const char *headers;  // the folder of our CUDA headers
    const char *runtime;  // the libcudart to link with; NULL when nothing is linked
    const char *recorder; // what traced programs are linked with; NULL when there is none
    const char *objdump;  // the program, found; NULL when no host code is traced
    const char *folder;   // for intermediate files
    FILE *log;            // gets the commands when line->verbose
};

// Carries the whole line out. WM_INVALID with an empty message when clang or the linker said why.
enum wm_status wm_cc_steps_run(const struct wm_cc_job *job, struct wm_error *error);

#endif
