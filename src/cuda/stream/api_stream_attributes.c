// Attributes of streams: hints, which are kept and given back.
#include "cuda/device/launch_request.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/stream_table.h"

#include <string.h>

WM_CUDA_PER_THREAD(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute)
WM_CUDA_PER_THREAD(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute)
WM_CUDA_PER_THREAD(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes)

// Where an attribute's value is kept; NULL for one that streams have not.
static char *place_of(struct wm_cuda_stream *stream, int attribute)
{
    switch (attribute) {
    case WM_CUDA_LAUNCH_ACCESS_POLICY_WINDOW: return stream->attributes[0];
    case WM_CUDA_LAUNCH_SYNCHRONIZATION_POLICY: return stream->attributes[1];
    case WM_CUDA_LAUNCH_MEMORY_DOMAIN_MAP: return stream->attributes[2];
    case WM_CUDA_LAUNCH_MEMORY_DOMAIN: return stream->attributes[3];
    default: return NULL;
    }
}

WM_CUDA_API wm_cuda_status cudaStreamGetAttribute(wm_cuda_stream_handle handle, int attribute,
                                                  void *value)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess && value && attribute == WM_CUDA_LAUNCH_PRIORITY) {
        memset(value, 0, sizeof stream->attributes[0]);
        memcpy(value, &stream->priority, sizeof stream->priority);
    } else if (status == cudaSuccess) {
        const char *place = place_of(stream, attribute);
        if (!value || !place)
            status = cudaErrorInvalidValue;
        else
            memcpy(value, place, sizeof stream->attributes[0]);
    }
    // No policy is set: the runtime chooses (cudaSyncPolicyAuto).
    int policy = 1;
    if (status == cudaSuccess && attribute == WM_CUDA_LAUNCH_SYNCHRONIZATION_POLICY &&
        stream->attributes[1][0] == 0)
        memcpy(value, &policy, sizeof policy);
    return wm_cuda_leave(process, status);
}

// cudaAccessPolicyWindow. A device that has none ignores the hint.
struct access_window {
    void *base;
    size_t bytes;
    float hit_ratio;
    int hit_property, miss_property; // cudaAccessProperty
};
enum { PROPERTY_PERSISTING = 2 };

static bool is_bad_window(const struct wm_cuda_process *process, const void *value)
{
    struct access_window window;
    uint64_t longest = process->machine.device.access_window_bytes;
    memcpy(&window, value, sizeof window);
    if (longest == 0)
        return false;
    return window.bytes > longest || !(window.hit_ratio >= 0 && window.hit_ratio <= 1) ||
           window.hit_property < 0 || window.hit_property > PROPERTY_PERSISTING ||
           window.miss_property < 0 || window.miss_property >= PROPERTY_PERSISTING;
}

WM_CUDA_API wm_cuda_status cudaStreamSetAttribute(wm_cuda_stream_handle handle, int attribute,
                                                  const void *value)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess) {
        char *place = place_of(stream, attribute);
        int policy = 0;
        if (value)
            memcpy(&policy, value, sizeof policy);
        bool bad_policy =
            attribute == WM_CUDA_LAUNCH_SYNCHRONIZATION_POLICY && (policy < 1 || policy > 4);
        bool bad_window = value && attribute == WM_CUDA_LAUNCH_ACCESS_POLICY_WINDOW &&
                          is_bad_window(process, value);
        if (!value || !place || bad_policy || bad_window)
            status = cudaErrorInvalidValue;
        else
            memcpy(place, value, sizeof stream->attributes[0]);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaStreamCopyAttributes(wm_cuda_stream_handle to,
                                                    wm_cuda_stream_handle from)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *target, *source;
    wm_cuda_status status = wm_cuda_enter_stream(&process, to, &target);
    if (status == cudaSuccess)
        status = wm_cuda_stream_resolve(process, from, &source);
    if (status == cudaSuccess)
        memmove(target->attributes, source->attributes, sizeof target->attributes);
    return wm_cuda_leave(process, status);
}
