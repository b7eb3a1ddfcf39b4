#include "host_trace/thread_state.h"

#include <stddef.h>

enum { MOST_STACK_BYTES = 1 << 20 };

extern void *__libc_stack_end; // the dynamic linker's

const void *wm_host_first_stack(void)
{
    return __libc_stack_end;
}

typedef uint64_t __attribute__((may_alias)) stack_word;

// All above this function's own frame.
__attribute__((noinline)) static bool hash_stack(const void *end, uint64_t *state)
{
    const stack_word *word = __builtin_frame_address(0);
    size_t bytes = (size_t)((uintptr_t)end - (uintptr_t)word);
    uint64_t hash = 0;
    if ((uintptr_t)end < (uintptr_t)word || bytes > MOST_STACK_BYTES)
        return false;
    for (const stack_word *last = word + bytes / sizeof *word; word < last; word++)
        hash = wm_host_mix(hash, *word);
    *state = hash;
    return true;
}

// The registers that a call keeps are put into this frame first, as collectors of garbage do it
// (H.-J. Boehm and M. Weiser, Garbage Collection in an Uncooperative Environment, 1988).
bool wm_host_thread_state(const void *end, uint64_t *state)
{
    __builtin_unwind_init();
    bool known = hash_stack(end, state);
    __asm__ volatile("" ::: "memory"); // the frame is there until then
    return known;
}
