// The log of errors: the runtime API's.
#include "cuda/driver/driver.h"
#include "cuda/error/log.h"

// What goes wrong here is no news for the log, which it would change.
#define FORWARD(name, runtime, parameters, arguments)                    \
    wm_cuda_status runtime parameters;                                   \
    WM_CUDA_API wm_driver_result name parameters;                        \
    wm_driver_result name parameters                                     \
    {                                                                    \
        wm_driver_result begun = wm_driver_begin_any();                  \
        return begun ? begun : wm_driver_end_quietly(runtime arguments); \
    }

void wm_driver_log(wm_driver_result result)
{
    switch ((int)result) {
#define X(name, number, sentence)                      \
    case number:                                       \
        wm_log_add(WM_LOG_ERROR, #name ": " sentence); \
        break;
#include "cuda/driver/driver_results.def"
#undef X
    default: break;
    }
    wm_log_deliver();
}

FORWARD(cuLogsRegisterCallback, cudaLogsRegisterCallback,
        (wm_log_callback * callback, void *data, struct wm_log_listener **handle),
        (callback, data, handle))
FORWARD(cuLogsUnregisterCallback, cudaLogsUnregisterCallback, (struct wm_log_listener * handle),
        (handle))
FORWARD(cuLogsCurrent, cudaLogsCurrent, (unsigned *iterator, unsigned flags), (iterator, flags))
FORWARD(cuLogsDumpToFile, cudaLogsDumpToFile,
        (unsigned *iterator, const char *path, unsigned flags), (iterator, path, flags))
FORWARD(cuLogsDumpToMemory, cudaLogsDumpToMemory,
        (unsigned *iterator, char *buffer, size_t *size, unsigned flags),
        (iterator, buffer, size, flags))
