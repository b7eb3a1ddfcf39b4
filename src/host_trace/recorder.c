#include "host_trace/recorder.h"

#include "host_trace/exported_calls.h"
#include "host_trace/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EXIT_REFUSED = 2 };

struct wm_host_recorder wm_host_recorder = {.channel = -1, .mode = "WARPMEM_HOST_TRACE"};
_Thread_local uint32_t wm_host_thread;
_Thread_local int64_t wm_host_counted;

void wm_host_put_counted(void)
{
    uint64_t most = (UINT64_C(1) << (WM_HOST_ADDRESS_BITS - WM_HOST_MARK_BITS)) - 1;
    uint64_t counted = (uint64_t)wm_host_counted;
    wm_host_turn_mark(wm_host_counted_word(counted < most ? counted : most));
    wm_host_counted = 0;
}

static bool send_all(const void *data, size_t length)
{
    const char *from = data;
    while (length > 0) {
        ssize_t sent = send(wm_host_recorder.channel, from, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        from += sent;
        length -= (size_t)sent;
    }
    return true;
}

_Static_assert(2 * WM_HOST_RECORDER_WORDS <= WM_HOST_FRAME_WORDS, "a frame has the buffer");
_Static_assert(offsetof(struct wm_host_recorder, words) ==
                   offsetof(struct wm_host_recorder, frame) + sizeof(uint64_t),
               "the frame's first word lies before the others");

static bool send_buffer(void)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    size_t bytes = recorder->count * sizeof recorder->words[0];
    recorder->frame = wm_host_frame_word(WM_HOST_FRAME_ACCESSES, UINT64_C(2) * recorder->count);
    return wm_host_objects_send(send_all) &&
           send_all(&recorder->frame, sizeof recorder->frame + bytes) &&
           send_all(recorder->codes, bytes);
}

void wm_host_recorder_send(void)
{
    int reason = errno; // the program may be about to look at it
    if (wm_host_recorder.takes != NULL) {
        wm_host_recorder.takes();
        errno = reason;
        return;
    }
    wm_host_recorder_send_words();
    wm_host_recorder.count = 0;
    errno = reason;
}

void wm_host_recorder_send_words(void)
{
    if (wm_host_recorder.traces && !wm_host_recorder.ended && !send_buffer())
        _exit(EXIT_REFUSED);
}

static void send_mark(enum wm_host_mark mark)
{
    const uint64_t frame[] = WM_HOST_MARK_FRAME(mark);
    if (wm_host_recorder.traces)
        send_all(frame, sizeof frame);
}

void wm_host_recorder_send_end(void)
{
    send_mark(WM_HOST_MARK_END);
}

void wm_host_recorder_refuse(const char *what, const char *hint)
{
    dprintf(STDERR_FILENO, "error: %s: %s\nhint: %s\n", wm_host_recorder.mode, what, hint);
    wm_host_recorder_end_refused();
}

void wm_host_recorder_end_refused(void)
{
    send_mark(WM_HOST_MARK_REFUSED);
    _exit(EXIT_REFUSED);
}

void wm_host_recorder_refuse_thread(void)
{
    wm_host_recorder_refuse(
        "a thread that takes no turns loads or stores: it was made by a library of CUDA's, or past "
        "pthread_create()",
        "make threads by pthread_create(), std::thread or thrd_create(), or end the traced part "
        "before it: warpmem_trace_end()");
}

// A copy of the process is another program.
static void leave(void)
{
    wm_host_recorder.on = wm_host_recorder.several = false;
    if (wm_host_recorder.traces)
        close(wm_host_recorder.channel);
    wm_host_recorder.traces = false;
    wm_host_recorder.takes = NULL;
    wm_host_recorder.channel = -1;
}

void wm_host_recorder_start(int channel, bool on)
{
    if (wm_host_recorder.traces)
        fcntl(channel, F_SETFD, FD_CLOEXEC);
    pthread_atfork(NULL, NULL, leave);
    wm_host_recorder.channel = channel;
    wm_host_recorder.on = on;
}

// Behind the program's own destructors, as it needs this library.
__attribute__((destructor)) static void end(void)
{
    // What the device takes ends with the CUDA library (live_start.c).
    if (wm_host_recorder.channel < 0 || wm_host_recorder.takes != NULL)
        return;
    wm_host_recorder.on = false;
    wm_host_recorder_send();
    wm_host_recorder_send_end();
    wm_host_recorder.ended = true;
}

// --- What programs call ---

void warpmem_trace_begin(void);
void warpmem_trace_end(void);

EXPORTED void warpmem_trace_begin(void)
{
    __atomic_store_n(&wm_host_recorder.on, wm_host_recorder.channel >= 0 && !wm_host_recorder.ended,
                     __ATOMIC_RELAXED);
}

EXPORTED void warpmem_trace_end(void)
{
    __atomic_store_n(&wm_host_recorder.on, false, __ATOMIC_RELAXED);
}
