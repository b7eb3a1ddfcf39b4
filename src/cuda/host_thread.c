// What the library has of each host thread: its current device, and default streams of its own.
#include "cuda/graph/capture.h"
#include "cuda/process.h"
#include "cuda/stream/stream_order.h"

#include <stdlib.h>

static _Thread_local struct wm_cuda_thread the_thread;

static pthread_key_t key; // of threads that have a default stream of their own
static bool has_key;

struct wm_cuda_thread *wm_cuda_thread(void)
{
    return &the_thread;
}

uint32_t wm_cuda_use_device(uint32_t device)
{
    uint32_t before = the_thread.device;
    the_thread.device = device;
    return before;
}

bool wm_cuda_default_is_own(bool own)
{
    bool before = the_thread.default_is_own;
    the_thread.default_is_own = own;
    return before;
}

// ---- Default streams of host threads -----------------------------------------------------------

// The thread ends: its streams' work runs to its end.
static void end_thread(void *streams)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    for (uint32_t device = 0; device < WM_MOST_GPUS; device++) {
        struct wm_cuda_stream *stream = ((struct wm_cuda_stream **)streams)[device];
        struct wm_cuda_stream **link = &process->thread_streams;
        while (*link && *link != stream)
            link = &(*link)->next;
        if (*link && process->phase == WM_CUDA_READY) {
            *link = (*link)->next;
            wm_cuda_stream_free(process, stream);
        }
    }
    wm_cuda_unlock(process);
}

// Numbered as that of a program's first thread always was: 2, and later ones as streams that are
// made.
struct wm_cuda_stream *wm_cuda_stream_of_thread(struct wm_cuda_process *process)
{
    struct wm_cuda_thread *thread = &the_thread;
    uint32_t device = thread->device;
    if (thread->streams[device] && thread->stream_resets[device] == process->resets[device])
        return thread->streams[device];
    struct wm_cuda_stream *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->device = device;
    made->of_thread = true;
    made->id = process->thread_streams_made++ == 0 ? 2 : process->next_stream_id++;
    made->next = process->thread_streams;
    process->thread_streams = thread->streams[device] = made;
    thread->stream_resets[device] = process->resets[device];
    if (has_key)
        pthread_setspecific(key, thread->streams);
    wm_cuda_streams_several(process);
    return made;
}

void wm_cuda_threads_open(void)
{
    has_key = pthread_key_create(&key, end_thread) == 0;
}

void wm_cuda_threads_close(void)
{
    if (has_key)
        pthread_key_delete(key);
}
