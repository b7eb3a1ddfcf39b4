// The runtime API's error codes in words: those of cudaGetErrorName and cudaGetErrorString.
#ifndef WM_CUDA_ERROR_ERROR_TEXT_H
#define WM_CUDA_ERROR_ERROR_TEXT_H

// "unrecognized error code" for a code that CUDA does not have.
const char *wm_cuda_error_name(int code);
const char *wm_cuda_error_sentence(int code);

#endif
