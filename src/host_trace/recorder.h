// The accesses of a traced program on their way to the process that writes them. All of it is
// static: an allocation here would move the program's own.
//
// Thread rules: the program's first thread alone may make accesses while they are recorded.
#ifndef WM_HOST_TRACE_RECORDER_H
#define WM_HOST_TRACE_RECORDER_H

#include "host_trace/access_word.h"

#include <stddef.h>

enum { WM_HOST_RECORDER_WORDS = 8192 };

struct wm_host_recorder {
    bool on;     // between warpmem_trace_begin() and warpmem_trace_end()
    int channel; // a socket; -1: this process is not traced
    uint32_t count;
    uint64_t words[WM_HOST_RECORDER_WORDS];
};

extern struct wm_host_recorder wm_host_recorder;
extern _Thread_local bool wm_host_is_first_thread __attribute__((tls_model("initial-exec")));

// Sends the buffered records. Where the process that writes the trace has ended, it has printed
// why, and the program ends with status 2.
void wm_host_recorder_send(void);
// Says that `what` cannot be traced, with what to do about it, and ends the program.
_Noreturn void wm_host_recorder_refuse(const char *what, const char *hint);
_Noreturn void wm_host_recorder_refuse_thread(void);

static inline bool wm_host_is_recording(void)
{
    if (!__atomic_load_n(&wm_host_recorder.on, __ATOMIC_RELAXED))
        return false;
    if (!wm_host_is_first_thread)
        wm_host_recorder_refuse_thread();
    return true;
}

static inline void wm_host_record(const volatile void *address, size_t bytes, bool store)
{
    wm_host_recorder.words[wm_host_recorder.count++] =
        wm_host_access_word((uintptr_t)address, bytes, store);
    if (wm_host_recorder.count == WM_HOST_RECORDER_WORDS)
        wm_host_recorder_send();
}

// `channel` and whether to record from here on; the calling thread is the program's first.
void wm_host_recorder_start(int channel, bool on);

#endif
