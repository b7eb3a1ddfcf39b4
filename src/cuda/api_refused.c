// Every function of the interface that is not done yet is here by name (exports.def), so that a
// program that imports it starts; called, it says so once and returns cudaErrorNotSupported.
#include "cuda/error/log.h"
#include "cuda/process.h"

#include <stdatomic.h>

// For linked_runtime/ too, which finds it by name in libcuda.so.1.
WM_CUDA_API wm_cuda_status wm_cuda_refuse(const char *name, atomic_flag *said);

wm_cuda_status wm_cuda_refuse(const char *name, atomic_flag *said)
{
    if (!atomic_flag_test_and_set(said))
        wm_log_explain(WM_LOG_ERROR, "%s is not supported yet: it returns cudaErrorNotSupported\n",
                       name);
    return wm_cuda_set_last_error(cudaErrorNotSupported);
}

#define DONE(name, versions)
#define REFUSED(name, versions)                     \
    WM_CUDA_API wm_cuda_status name(void);          \
    wm_cuda_status name(void)                       \
    {                                               \
        static atomic_flag said = ATOMIC_FLAG_INIT; \
        return wm_cuda_refuse(#name, &said);        \
    }
#include "cuda/exports.def"
