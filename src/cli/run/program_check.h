// What a program's file says of itself before it is started: whether it can run here, and if not,
// how to rebuild it. Only the file is read; nothing in it is trusted.
#ifndef WM_CLI_RUN_PROGRAM_CHECK_H
#define WM_CLI_RUN_PROGRAM_CHECK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_program_file_info {
    bool elf;               // false: a script, which the kernel hands to its interpreter
    bool device_code;       // sections of fat binaries
    unsigned cudart;        // major version of the libcudart it is linked with, 0 for none
    unsigned static_cudart; // and of the runtime that is linked into it
    bool driver;            // it is linked with libcuda.so.1
    bool traces_host;       // its host code is instrumented (warpmem cc --trace-host)
    bool fixed_run_path;    // DT_RPATH without DT_RUNPATH: searched before LD_LIBRARY_PATH
};

// Finds `name` as a shell does: by PATH when it has no slash. WM_NOT_FOUND, or WM_INVALID for what
// is there but cannot be executed.
enum wm_status wm_program_find(const char *name, char *path, size_t size, struct wm_error *error);

// WM_INVALID for a file that is no program or whose device code is corrupt; WM_UNSUPPORTED, with
// the rebuild in the hint, for a static runtime that no symbol table shows, machine code without
// PTX, another CUDA version, and libraries of NVIDIA's that bring kernels.
enum wm_status wm_program_check(const char *path, struct wm_program_file_info *facts,
                                struct wm_error *error);
// The same of a file's bytes; `path` is for messages.
enum wm_status wm_program_check_bytes(const uint8_t *data, uint64_t size_bytes, const char *path,
                                      struct wm_program_file_info *facts, struct wm_error *error);

#endif
