// The linker of the driver API: PTX, fat binaries, object files and libraries become one image,
// which cuModuleLoadData takes.
#include "cuda/driver/driver_assembler.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/image/linked_image.h"

#include <stdlib.h>

struct wm_driver_link {
    struct wm_driver_link *next;
    struct wm_link link;
    struct wm_driver_assembler assembler; // buffers of the program's, which must live as long
};
typedef struct wm_driver_link *link_handle; // CUlinkState

WM_CUDA_ALIAS(cuLinkCreate, cuLinkCreate_v2);
WM_CUDA_ALIAS(cuLinkAddData, cuLinkAddData_v2);
WM_CUDA_ALIAS(cuLinkAddFile, cuLinkAddFile_v2);

// Guarded by the process's mutex.
static struct wm_driver_link *the_links;

// The place of a link in the list: its end for a handle that is none.
static struct wm_driver_link **place_of(const struct wm_driver_link *handle)
{
    struct wm_driver_link **place = &the_links;
    while (*place && *place != handle)
        place = &(*place)->next;
    return place;
}

static wm_cuda_status enter_link(struct wm_cuda_process **process,
                                 const struct wm_driver_link *link)
{
    wm_cuda_status status = wm_cuda_enter(process);
    return status == cudaSuccess && !*place_of(link) ? cudaErrorInvalidResourceHandle : status;
}

WM_CUDA_API wm_driver_result cuLinkCreate_v2(unsigned count, int *options, void **values,
                                             link_handle *link)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = wm_cuda_enter(&process);
    struct wm_driver_link *made = NULL;
    if (status == cudaSuccess && !(made = calloc(1, sizeof *made)))
        status = cudaErrorMemoryAllocation;
    if (status == cudaSuccess &&
        (!link || !wm_driver_assembler_read(&made->assembler, count, options, values)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        made->link.capability =
            process->machine.device.compute_major * 10 + process->machine.device.compute_minor;
        made->next = the_links;
        the_links = *link = made;
    } else {
        free(made);
    }
    return wm_driver_end(wm_cuda_leave(process, status));
}

// What went wrong is on standard error, too, as for modules.
static wm_cuda_status say(const struct wm_driver_link *link, wm_cuda_status status,
                          const struct wm_error *error)
{
    wm_driver_assembler_log(&link->assembler, error);
    if (error->message[0])
        wm_cuda_print_error(error);
    return status;
}

static wm_cuda_status add(struct wm_driver_link *link, int input, const void *data, size_t bytes,
                          const char *name, unsigned count, const int *options, void **values)
{
    struct wm_cuda_process *process;
    struct wm_driver_assembler ignored = {.wrong = {.text = NULL}};
    struct wm_error error;
    wm_cuda_status status = enter_link(&process, link);
    // An input's own options can only concern an assembler.
    if (status == cudaSuccess && !wm_driver_assembler_read(&ignored, count, options, values))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        status = wm_link_add(&link->link, input, data, bytes, name ? name : "input", &error);
        status = say(link, status, &error);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_driver_result cuLinkAddData_v2(link_handle link, int input, void *data, size_t bytes,
                                              const char *name, unsigned count, int *options,
                                              void **values)
{
    WM_DRIVER_RETURN(add(link, input, data, bytes, name, count, options, values));
}

WM_CUDA_API wm_driver_result cuLinkAddFile_v2(link_handle link, int input, const char *path,
                                              unsigned count, int *options, void **values)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    char *data = NULL;
    size_t bytes;
    wm_cuda_status status = path ? wm_driver_read_file(path, &data, &bytes) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = add(link, input, data, bytes, path, count, options, values);
    free(data);
    return wm_driver_end(status);
}

WM_CUDA_API wm_driver_result cuLinkComplete(link_handle link, const void **image, size_t *bytes)
{
    struct wm_cuda_process *process;
    struct wm_error error;
    const void *made;
    size_t size;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_link(&process, link);
    if (status == cudaSuccess && !image)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        status = wm_link_finish(&link->link, &made, &size, &error);
        status = say(link, status, &error);
    }
    if (status == cudaSuccess) {
        *image = made;
        if (bytes)
            *bytes = size;
    }
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuLinkDestroy(link_handle link)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = enter_link(&process, link);
    if (status == cudaSuccess) {
        *place_of(link) = link->next;
        wm_link_release(&link->link);
        free(link);
    }
    return wm_driver_end(wm_cuda_leave(process, status));
}
