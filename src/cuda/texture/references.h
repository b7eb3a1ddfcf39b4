// Texture and surface references (CUDA 11 and before): variables of the program that kernels read
// through, and what is bound to them. With the process locked.
#ifndef WM_CUDA_TEXTURE_REFERENCES_H
#define WM_CUDA_TEXTURE_REFERENCES_H

#include "cuda/process.h"

struct wm_cuda_reference {
    struct wm_cuda_reference *next;
    struct wm_cuda_binary *binary; // NULL: it was unregistered
    const void *host;              // the program's variable; NULL: of the driver API
    char *name;                    // owned
    bool surface;
    bool to_float; // integers are read as floats from 0 or -1 to 1
    // Under which kernels of each device find what is bound; 0: its module is not loaded there.
    uint64_t numbers[WM_MOST_GPUS];
    uint32_t bound; // on which devices, bit by number
    size_t lead;    // of the address that was bound behind the texture's: bytes
};

// The reference of that name in a binary, made if there is none yet. NULL without memory.
struct wm_cuda_reference *wm_cuda_reference_add(struct wm_cuda_process *process,
                                                struct wm_cuda_binary *binary, const void *host,
                                                const char *name, bool surface, bool to_float);
// The one that a variable of the program stands for, or NULL.
struct wm_cuda_reference *wm_cuda_reference_of(const struct wm_cuda_process *process,
                                               const void *host, bool surface);
// What kernels launched from now on read through it; NULL: nothing. The texture's memory is moved
// to begin `lead` bytes earlier, where a texture may. Loads its module: 18 or 37 when that has no
// such reference, 2 without memory, and as wm_cuda_binary_load.
wm_cuda_status wm_cuda_reference_bind(struct wm_cuda_process *process,
                                      struct wm_cuda_reference *reference,
                                      const struct wm_texture *texture, size_t lead);
// A binary is unregistered: its references stand for nothing any more.
void wm_cuda_references_drop(struct wm_cuda_process *process, const struct wm_cuda_binary *binary);
// The device is reset: nothing is bound or loaded.
void wm_cuda_references_forget(struct wm_cuda_process *process);

#endif
