// The log of errors: the runtime API's.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/error/log.h"

// What goes wrong here is no news for the log, which it would change.
#define FORWARD(name, runtime)                                                     \
    WM_CUDA_API wm_driver_result name runtime##_PARAMETERS;                        \
    wm_driver_result name runtime##_PARAMETERS                                     \
    {                                                                              \
        wm_driver_result begun = wm_driver_begin_any();                            \
        return begun ? begun : wm_driver_end_quietly(runtime runtime##_ARGUMENTS); \
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

FORWARD(cuLogsRegisterCallback, cudaLogsRegisterCallback)
FORWARD(cuLogsUnregisterCallback, cudaLogsUnregisterCallback)
FORWARD(cuLogsCurrent, cudaLogsCurrent)
FORWARD(cuLogsDumpToFile, cudaLogsDumpToFile)
FORWARD(cuLogsDumpToMemory, cudaLogsDumpToMemory)
