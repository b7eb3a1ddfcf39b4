// The driver API's functions by name and version (driver_exports.def).
#ifndef WM_CUDA_DRIVER_NAMES_H
#define WM_CUDA_DRIVER_NAMES_H

#include <stddef.h>

typedef void wm_driver_any_function(void);

struct wm_driver_name {
    const char *name;
    const char *base; // without the suffix that counts its forms
    int version;      // the CUDA version that brought this form: 12050 for 12.5
    wm_driver_any_function *function;
};

// All of them, in no order of use.
const struct wm_driver_name *wm_driver_names(size_t *count);

#endif
