// Every function of the interface that is not done is here by name (driver_exports.def), so that a
// program that imports it starts; called, it says so once and returns CUDA_ERROR_NOT_SUPPORTED.
#include "cuda/cuda_types.h"
#include "cuda/error/log.h"

#include <stdatomic.h>
#include <stdio.h>

enum { NOT_SUPPORTED = 801 };

static int refuse(const char *name, atomic_flag *said)
{
    if (!atomic_flag_test_and_set(said))
        wm_log_explain(WM_LOG_ERROR,
                       "%s is not supported yet: it returns CUDA_ERROR_NOT_SUPPORTED\n", name);
    return NOT_SUPPORTED;
}

#define DONE(name, base, version)
#define REFUSED(name, base, version)                \
    WM_CUDA_API int name(void);                     \
    int name(void)                                  \
    {                                               \
        static atomic_flag said = ATOMIC_FLAG_INIT; \
        return refuse(#name, &said);                \
    }
#include "cuda/driver/driver_exports.def"
