#include "host_trace/live.h"

#include "base/access/access.h"
#include "host_trace/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 256 };

static const struct wm_host_threads_device *device; // NULL: there is none that takes turns

bool wm_host_is_live(void)
{
    return wm_host_recorder.takes != NULL;
}

// The buffered accesses as the cores make them; how many.
static size_t take_buffered(struct wm_host_access *accesses)
{
    static uint32_t thread;
    size_t count = 0;
    wm_host_recorder_send_words();
    for (uint32_t i = 0; i < wm_host_recorder.count; i++) {
        uint64_t word = wm_host_recorder.words[i];
        uint32_t bytes = wm_host_word_bytes(word);
        if (bytes == 0) {
            if (wm_host_word_mark(word) == WM_HOST_MARK_THREAD)
                thread = wm_host_word_thread(word);
            continue;
        }
        accesses[count++] = (struct wm_host_access){
            .address = wm_host_word_address(word),
            .thread = thread,
            .bytes = (uint16_t)bytes,
            .kind = wm_host_word_is_locked(word)  ? WM_ACCESS_ATOMIC
                    : wm_host_word_is_store(word) ? WM_ACCESS_STORE
                                                  : WM_ACCESS_LOAD,
        };
    }
    wm_host_recorder.count = 0;
    return count;
}

// Of the thread that has handed the turn to the device, its number plus one.
static uint32_t holder;

static struct wm_host_access buffered[WM_HOST_RECORDER_WORDS];

static void send_buffered(void)
{
    device->access(buffered, take_buffered(buffered));
}

enum wm_host_device_state wm_host_live_turn(bool threads_wait)
{
    int reason = errno;
    enum wm_host_device_state state = WM_HOST_DEVICE_IDLE;
    holder = wm_host_thread;
    if (device->has_work())
        state = device->turn(buffered, take_buffered(buffered), threads_wait);
    errno = reason;
    return state;
}

void wm_host_live_call(void (*function)(void *argument), void *argument)
{
    wm_host_thread = holder;
    function(argument);
    wm_host_thread = 0;
}

void wm_host_live_describe_kernels(void)
{
    device->describe_kernels(STDERR_FILENO);
}

void wm_host_live_check_core(uint32_t thread)
{
    char what[MESSAGE_BYTES], hint[MESSAGE_BYTES];
    if (thread < device->cores)
        return;
    snprintf(what, sizeof what,
             "the program has %u threads at a time, and machine %.100s has %u CPU cores beside its "
             "SMs",
             thread + 1, device->machine, device->cores);
    snprintf(hint, sizeof hint, "give --set cpu.core.count=%u", thread + 1);
    wm_host_recorder_refuse(what, hint);
}

void wm_host_live_begin(const struct wm_host_threads_device *with)
{
    device = with;
    wm_host_recorder.takes = send_buffered;
}
