// Threads that poll: they look at some words in a loop, or sleep, or wait with a time-out, look,
// and wait again. Private to host_trace/.
#ifndef WM_HOST_TRACE_POLLS_H
#define WM_HOST_TRACE_POLLS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    // So many loads of one place, one behind the other, are taken for waiting.
    WM_HOST_SPIN_LOADS = 4,
};

// Whether the accesses recorded last are those of a short loop, over and over.
bool wm_host_is_in_loop(void);
// Whether the last accesses that the recorder has are all this load, often enough for a loop.
bool wm_host_repeats_load(uint64_t word);

// Hashes of what a thread has accessed: since it last waited with a deadline, and between the two
// times before.
struct wm_host_poll {
    uint64_t since, before;
};

// A turn of the thread ends, whose accesses begin at `begin` of the recorder's words. `passed` is
// of those that are not recorded.
void wm_host_poll_turn(struct wm_host_poll *poll, uint32_t begin, uint64_t passed);
// It waits with a deadline, behind that: whether it has accessed what it had the time before.
bool wm_host_poll_waits(struct wm_host_poll *poll);

#endif
