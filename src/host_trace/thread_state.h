// What the calling thread holds that no call for an access has shown: its registers and its stack,
// as one number. A thread that comes back to it, and to the same memory, does what it did before.
// Private to host_trace/.
#ifndef WM_HOST_TRACE_THREAD_STATE_H
#define WM_HOST_TRACE_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

// `end`: where the thread's stack has begun, above all that is of interest. Of everything from the
// caller's frame on, and of the registers that calls keep. False where the thread is on another
// stack, or uses too much of it.
bool wm_host_thread_state(const void *end, uint64_t *state);
// Where the stack of the program's first thread has begun.
const void *wm_host_first_stack(void);

// Adds a word to a hash: of two that differ in one word alone the hashes differ.
static inline uint64_t wm_host_mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
