// The objects that a program holds handles of. A handle is looked up before it is followed, so that
// one that was destroyed, or never was one, is an error and no crash. With the process locked.
#ifndef WM_CUDA_HANDLE_SET_H
#define WM_CUDA_HANDLE_SET_H

#include <stdbool.h>
#include <stdint.h>

enum wm_cuda_handle_kind {
    WM_CUDA_HANDLE_NONE,
    WM_CUDA_HANDLE_GRAPH,
    WM_CUDA_HANDLE_NODE,
    WM_CUDA_HANDLE_EXEC,
    WM_CUDA_HANDLE_USER_OBJECT,
    WM_CUDA_HANDLE_POOL,
    WM_CUDA_HANDLE_LIBRARY,
};

struct wm_cuda_handle_set {
    void *root; // owned; a tree of tsearch(3), by address
};

// False when the host is out of memory.
bool wm_cuda_handle_add(struct wm_cuda_handle_set *set, const void *object,
                        enum wm_cuda_handle_kind kind);
void wm_cuda_handle_remove(struct wm_cuda_handle_set *set, const void *object);
bool wm_cuda_handle_known(const struct wm_cuda_handle_set *set, const void *object,
                          enum wm_cuda_handle_kind kind);
void wm_cuda_handle_set_free(struct wm_cuda_handle_set *set);

#endif
