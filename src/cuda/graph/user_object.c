#include "cuda/graph/user_object.h"

#include <stdlib.h>

struct wm_cuda_user_object {
    uint32_t references;
    wm_cuda_host_function *destructor;
    void *pointer;
};

struct destructor_command {
    struct wm_cuda_command base;
    struct wm_cuda_user_object *object; // owned
};

wm_cuda_status wm_cuda_user_object_new(struct wm_cuda_process *process, void *pointer,
                                       wm_cuda_host_function *destructor, uint32_t references,
                                       struct wm_cuda_user_object **object)
{
    struct wm_cuda_user_object *made = calloc(1, sizeof *made);
    if (!made || !wm_cuda_handle_add(&process->handles, made, WM_CUDA_HANDLE_USER_OBJECT)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct wm_cuda_user_object){references, destructor, pointer};
    *object = made;
    return cudaSuccess;
}

void wm_cuda_user_object_retain(struct wm_cuda_user_object *object, uint32_t count)
{
    object->references += count;
}

uint32_t wm_cuda_user_object_references(const struct wm_cuda_user_object *object)
{
    return object->references;
}

// Even after a fault: what it frees is the program's own.
static void execute_destructor(struct wm_cuda_command *command, void *owner)
{
    (void)owner;
    struct wm_cuda_user_object *object = ((struct destructor_command *)command)->object;
    object->destructor(object->pointer);
    free(object);
}

void wm_cuda_user_object_release(struct wm_cuda_process *process,
                                 struct wm_cuda_user_object *object, uint32_t count)
{
    object->references -= count;
    if (object->references > 0)
        return;
    wm_cuda_handle_remove(&process->handles, object);
    struct destructor_command *command = malloc(sizeof *command);
    if (!command) { // the destructor does not run, as when a program ends
        free(object);
        return;
    }
    *command =
        (struct destructor_command){.base = {.execute = execute_destructor}, .object = object};
    (void)wm_cuda_queue_push(&process->queue, &command->base);
}
