// Objects of the program that graphs hold on to: when the last reference goes, a destructor of the
// program's runs. With the process locked.
#ifndef WM_CUDA_USER_OBJECT_H
#define WM_CUDA_USER_OBJECT_H

#include "cuda/process.h"

struct wm_cuda_user_object;

wm_cuda_status wm_cuda_user_object_new(struct wm_cuda_process *process, void *pointer,
                                       wm_cuda_host_function *destructor, uint32_t references,
                                       struct wm_cuda_user_object **object);
void wm_cuda_user_object_retain(struct wm_cuda_user_object *object, uint32_t count);
// With the last reference the destructor runs on the worker, after everything that was issued: a
// graph that is still running has not lost what it uses.
void wm_cuda_user_object_release(struct wm_cuda_process *process,
                                 struct wm_cuda_user_object *object, uint32_t count);
uint32_t wm_cuda_user_object_references(const struct wm_cuda_user_object *object);

#endif
