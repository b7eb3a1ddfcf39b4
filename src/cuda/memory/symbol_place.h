// Where a part of a module's variable is, by the host address that stands for the variable. With
// the process locked.
#ifndef WM_CUDA_SYMBOL_PLACE_H
#define WM_CUDA_SYMBOL_PLACE_H

#include "cuda/process.h"

// 13 for a symbol that is none, 21 for a direction in which the variable would not be on the
// device, 1 beyond the variable's end.
wm_cuda_status wm_cuda_symbol_place(struct wm_cuda_process *process, const void *symbol,
                                    bool to_symbol, int kind, uint64_t bytes, uint64_t offset,
                                    uint64_t *address);
// The whole variable.
wm_cuda_status wm_cuda_symbol_resolve(struct wm_cuda_process *process, const void *symbol,
                                      uint64_t *address, uint64_t *size_bytes);

#endif
