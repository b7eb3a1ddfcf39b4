// What a call of `warpmem cc` is to do.
#ifndef WM_CLI_CC_JOB_H
#define WM_CLI_CC_JOB_H

#include "base/containers/arena.h"
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

#endif
