// Device code that a program hands over in memory (cuModuleLoadData, cudaLibraryLoadData): a fat
// binary's wrapper or container, or PTX text. It is parsed and loaded at once, so that its bytes
// may go; its kernels are found by name. All with the process locked.
#ifndef WM_CUDA_BINARY_IMAGE_H
#define WM_CUDA_BINARY_IMAGE_H

#include "cuda/process.h"

#define WM_CUDA_IMAGE_MAX_BYTES (UINT64_C(1) << 30) // of a file that is read as one

// 200, 209 (machine code without PTX), 218, 222 or 2 with the reason in *error and on stderr.
// wm_cuda_registry_drop_binary unloads the binary.
wm_cuda_status wm_cuda_image_load(struct wm_cuda_process *process, const void *image,
                                  struct wm_cuda_binary **binary, struct wm_error *error);
// The kernel's handle, the same on every call; 500 (cudaErrorSymbolNotFound) when there is none.
wm_cuda_status wm_cuda_image_kernel(struct wm_cuda_process *process, struct wm_cuda_binary *binary,
                                    const char *name, struct wm_cuda_function **function);
uint32_t wm_cuda_image_kernel_count(const struct wm_cuda_binary *binary);
const char *wm_cuda_image_kernel_name(const struct wm_cuda_binary *binary, uint32_t index);
// Address and size of a variable on the current device, loading the binary if need be; 500.
wm_cuda_status wm_cuda_image_variable(struct wm_cuda_process *process,
                                      struct wm_cuda_binary *binary, const char *name,
                                      uint64_t *address, uint64_t *size_bytes);

#endif
