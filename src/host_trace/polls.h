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

// Of a thread, between two waits with a deadline.
struct wm_host_poll {
    // Hashes of what it has accessed: since it last waited so, and between the two times before.
    uint64_t since, before;
    bool has_waited;
    // The same with the values that were there behind its turns, and its registers and stack when
    // it waited (thread_state.h); while all of that is known.
    uint64_t state_since, state_before;
    bool known_since, known_before, noted;
    // In the streak of that number, in which threads do nothing but look (turns.c): how often it
    // has waited again, and, at last, how often in the same state, and since when.
    uint64_t streak;
    uint32_t looks, repeats;
    uint64_t repeats_since; // nanoseconds
};

// A turn of the thread ends, whose accesses begin at `begin` of the recorder's words. `passed` is
// of those that are not recorded.
void wm_host_poll_turn(struct wm_host_poll *poll, uint32_t begin, uint64_t passed);
// It may do something else next time: it has seen what changes by itself.
void wm_host_poll_unknown(struct wm_host_poll *poll);
// It is about to wait with a deadline: its stack begins at `stack_end`. Called close to what the
// program has called, before anything that differs from time to time.
void wm_host_poll_note_state(struct wm_host_poll *poll, const void *stack_end);
// It waits with a deadline, behind that: whether it has accessed what it had the time before.
bool wm_host_poll_waits(struct wm_host_poll *poll, uint64_t streak, uint64_t now);

// Of one that waits so, in a streak: whether it has looked and waited again; and whether it has
// been in the same state often enough, for long enough, to be so for ever, unless something else
// happens.
bool wm_host_poll_looks(const struct wm_host_poll *poll, uint64_t streak, uint64_t now);
bool wm_host_poll_repeats(const struct wm_host_poll *poll, uint64_t streak, uint64_t now);

#endif
