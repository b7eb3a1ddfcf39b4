// The options of an assembler that modules and the linker take (CUjit_option), and files of device
// code. PTX is interpreted, so that of the options the logs alone are heeded.
#ifndef WM_CUDA_DRIVER_ASSEMBLER_H
#define WM_CUDA_DRIVER_ASSEMBLER_H

#include "cuda/driver/driver.h"

// A buffer of the program's. An option's value is the pointer or, for numbers, the number itself;
// how much of a log was filled is written over its size.
struct wm_driver_log {
    char *text;
    void **bytes_value;
    size_t bytes;
};

struct wm_driver_assembler {
    struct wm_driver_log info, wrong;
};

// False for an option that does not exist. Logs that are not named stay as they were.
bool wm_driver_assembler_read(struct wm_driver_assembler *assembler, unsigned count,
                              const int *options, void **values);
// Fills the logs: with the error, if there is one.
void wm_driver_assembler_log(const struct wm_driver_assembler *assembler,
                             const struct wm_error *error);

// The whole file with a NUL after it, as PTX text requires; the caller frees it. 301, 2 or 304.
wm_cuda_status wm_driver_read_file(const char *path, char **text, size_t *bytes);

#endif
