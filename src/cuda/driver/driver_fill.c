// Fills of the driver API: elements of 8, 16 and 32 bits, in lines and in rows.
#include "cuda/driver/driver.h"
#include "cuda/memory/copy_request.h"

// An element's type and bytes, and the names of its functions.
#define FILLS(X)              \
    X(D8, unsigned char, 1)   \
    X(D16, unsigned short, 2) \
    X(D32, unsigned int, 4)

#define DECLARE(kind, type, bytes)                                                                \
    WM_CUDA_API wm_driver_result cuMemset##kind##_v2(wm_driver_pointer to, type value,            \
                                                     size_t count);                               \
    WM_CUDA_API wm_driver_result cuMemset##kind##Async(                                           \
        wm_driver_pointer to, type value, size_t count, wm_cuda_stream_handle stream);            \
    WM_CUDA_API wm_driver_result cuMemsetD2##kind##_v2(wm_driver_pointer to, size_t pitch,        \
                                                       type value, size_t width, size_t height);  \
    WM_CUDA_API wm_driver_result cuMemsetD2##kind##Async(wm_driver_pointer to, size_t pitch,      \
                                                         type value, size_t width, size_t height, \
                                                         wm_cuda_stream_handle stream);
FILLS(DECLARE)

// Rows of whole elements, as CUDA requires: addresses and pitch are multiples of the element.
static wm_cuda_status fill(wm_driver_pointer to, size_t pitch, struct wm_cuda_element element,
                           size_t width, size_t height, wm_cuda_stream_handle stream,
                           bool asynchronous)
{
    struct wm_cuda_process *process;
    struct wm_cuda_box box = {.height = height, .depth = 1};
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (to % element.bytes != 0 || pitch % element.bytes != 0 ||
                                  __builtin_mul_overflow(width, element.bytes, &box.width)))
        status = cudaErrorInvalidValue;
    if (height > 1 && status == cudaSuccess && pitch < box.width)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_pitched_address place = {to, pitch, 0};
        status = wm_cuda_fill(process, &place, &box, element, stream, asynchronous);
    }
    return wm_cuda_leave(process, status);
}

static wm_driver_result fill_rows(wm_driver_pointer to, size_t pitch,
                                  struct wm_cuda_element element, size_t width, size_t height,
                                  wm_cuda_stream_handle stream, bool asynchronous)
{
    WM_DRIVER_RETURN(fill(to, pitch, element, width, height, stream, asynchronous));
}

static wm_driver_result fill_line(wm_driver_pointer to, struct wm_cuda_element element,
                                  size_t count, wm_cuda_stream_handle stream, bool asynchronous)
{
    return fill_rows(to, 0, element, count, 1, stream, asynchronous);
}

#define DEFINE(kind, type, bytes)                                                                  \
    wm_driver_result cuMemset##kind##_v2(wm_driver_pointer to, type value, size_t count)           \
    {                                                                                              \
        return fill_line(to, (struct wm_cuda_element){value, bytes}, count, NULL, false);          \
    }                                                                                              \
    wm_driver_result cuMemset##kind##Async(wm_driver_pointer to, type value, size_t count,         \
                                           wm_cuda_stream_handle stream)                           \
    {                                                                                              \
        return fill_line(to, (struct wm_cuda_element){value, bytes}, count, stream, true);         \
    }                                                                                              \
    wm_driver_result cuMemsetD2##kind##_v2(wm_driver_pointer to, size_t pitch, type value,         \
                                           size_t width, size_t height)                            \
    {                                                                                              \
        return fill_rows(to, pitch, (struct wm_cuda_element){value, bytes}, width, height, NULL,   \
                         false);                                                                   \
    }                                                                                              \
    wm_driver_result cuMemsetD2##kind##Async(wm_driver_pointer to, size_t pitch, type value,       \
                                             size_t width, size_t height,                          \
                                             wm_cuda_stream_handle stream)                         \
    {                                                                                              \
        return fill_rows(to, pitch, (struct wm_cuda_element){value, bytes}, width, height, stream, \
                         true);                                                                    \
    }                                                                                              \
    WM_CUDA_VARIANT(wm_driver_result, cuMemset##kind##_v2_ptds, cuMemset##kind##_v2,               \
                    (wm_driver_pointer to, type value, size_t count), (to, value, count))          \
    WM_CUDA_VARIANT(                                                                               \
        wm_driver_result, cuMemset##kind##Async_ptsz, cuMemset##kind##Async,                       \
        (wm_driver_pointer to, type value, size_t count, wm_cuda_stream_handle stream),            \
        (to, value, count, stream))                                                                \
    WM_CUDA_VARIANT(wm_driver_result, cuMemsetD2##kind##_v2_ptds, cuMemsetD2##kind##_v2,           \
                    (wm_driver_pointer to, size_t pitch, type value, size_t width, size_t height), \
                    (to, pitch, value, width, height))                                             \
    WM_CUDA_VARIANT(wm_driver_result, cuMemsetD2##kind##Async_ptsz, cuMemsetD2##kind##Async,       \
                    (wm_driver_pointer to, size_t pitch, type value, size_t width, size_t height,  \
                     wm_cuda_stream_handle stream),                                                \
                    (to, pitch, value, width, height, stream))
FILLS(DEFINE)
