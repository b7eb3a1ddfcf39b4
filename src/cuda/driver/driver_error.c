// Results of the driver API: names, sentences, and what the runtime API's codes are here.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"

WM_CUDA_API wm_driver_result cuGetErrorName(int result, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    switch (result) {
#define X(known, number, sentence) \
    case number:                   \
        *name = #known;            \
        return CUDA_SUCCESS;
#include "cuda/driver/driver_results.def"
#undef X
    default: *name = NULL; return CUDA_ERROR_INVALID_VALUE;
    }
}

WM_CUDA_API wm_driver_result cuGetErrorString(int result, const char **sentence)
{
    if (!sentence)
        return CUDA_ERROR_INVALID_VALUE;
    switch (result) {
#define X(known, number, said) \
    case number:               \
        *sentence = said;      \
        return CUDA_SUCCESS;
#include "cuda/driver/driver_results.def"
#undef X
    default: *sentence = NULL; return CUDA_ERROR_INVALID_VALUE;
    }
}

// Most numbers are both APIs'. The runtime's own ones say more closely what is wrong with an
// argument.
wm_driver_result wm_driver_result_of(wm_cuda_status status)
{
    switch (status) {
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInsufficientDriver: return CUDA_ERROR_NOT_SUPPORTED;
    default: break;
    }
    switch ((int)status) {
#define X(name, number, sentence) \
    case number:                  \
        return name;
#include "cuda/driver/driver_results.def"
#undef X
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}
