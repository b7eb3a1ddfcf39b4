// Errors of the runtime API: names, sentences, and each host thread's last error.
#include "cuda/error/error_text.h"
#include "cuda/process.h"
#include "cuda/runtime_prototypes.h"

WM_CUDA_API wm_cuda_status cudaGetLastError(void)
{
    struct wm_cuda_thread *thread = wm_cuda_thread();
    wm_cuda_status status = thread->last_error;
    thread->last_error = cudaSuccess;
    return status;
}

WM_CUDA_API wm_cuda_status cudaPeekAtLastError(void)
{
    return wm_cuda_thread()->last_error;
}

WM_CUDA_API const char *cudaGetErrorName(int code)
{
    return wm_cuda_error_name(code);
}

WM_CUDA_API const char *cudaGetErrorString(int code)
{
    return wm_cuda_error_sentence(code);
}
