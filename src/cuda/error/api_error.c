// Errors of the runtime API: names, sentences, and each host thread's last error.
#include "cuda/error/error_text.h"
#include "cuda/process.h"

WM_CUDA_API wm_cuda_status cudaGetLastError(void);
WM_CUDA_API wm_cuda_status cudaPeekAtLastError(void);
WM_CUDA_API const char *cudaGetErrorName(int code);
WM_CUDA_API const char *cudaGetErrorString(int code);

wm_cuda_status cudaGetLastError(void)
{
    struct wm_cuda_thread *thread = wm_cuda_thread();
    wm_cuda_status status = thread->last_error;
    thread->last_error = cudaSuccess;
    return status;
}

wm_cuda_status cudaPeekAtLastError(void)
{
    return wm_cuda_thread()->last_error;
}

const char *cudaGetErrorName(int code)
{
    return wm_cuda_error_name(code);
}

const char *cudaGetErrorString(int code)
{
    return wm_cuda_error_sentence(code);
}
