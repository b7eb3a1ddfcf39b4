// What a traced program sends to the process that writes its trace: frames of accesses and marks,
// each a word of 64 bits with the address of the code behind it, and of the objects that code lies
// in.
#ifndef WM_HOST_TRACE_ACCESS_WORD_H
#define WM_HOST_TRACE_ACCESS_WORD_H

#include <stdbool.h>
#include <stdint.h>

// An access: the address, then its bytes; above, whether it is of an atomic operation, whether it
// is locked (and then neither load nor store alone), and whether it is a store. Programs have
// addresses of 47 bits unless they ask for more. A word of 0 bytes is a mark; with the bits of an
// acquire or a release an address goes with it, the place that threads meet at.
enum {
    WM_HOST_ADDRESS_BITS = 48,
    WM_HOST_BYTES_BITS = 8,
    WM_HOST_ATOMIC_BIT = 61,
    WM_HOST_LOCKED_BIT = 62,
    WM_HOST_STORE_BIT = 63,
    WM_HOST_ACQUIRE_BIT = 62,
    WM_HOST_RELEASE_BIT = 63,
};

enum wm_host_mark {
    WM_HOST_MARK_END = 1, // the program has ended by itself, and this is all
    WM_HOST_MARK_REFUSED, // it cannot be traced, and has said why
    WM_HOST_MARK_THREAD,  // what follows is of the thread whose number is in the bits above
    WM_HOST_MARK_FENCE,   // a full fence
    WM_HOST_MARK_COUNTED, // as many instructions as the bits above say
    WM_HOST_MARK_ACQUIRE, // what follows comes behind the releases of the place before
    WM_HOST_MARK_RELEASE,
    // In a recording beside kernels: the device's command of the number in the bits above is
    // issued; what follows comes behind the end of those up to it; the thread gives its turn away.
    WM_HOST_MARK_ISSUES,
    WM_HOST_MARK_AWAITS,
    WM_HOST_MARK_TURN_END,
};

enum { WM_HOST_MARK_BITS = 8 };

// A frame begins with a word: its kind, and how many words it has behind that one.
enum wm_host_frame {
    WM_HOST_FRAME_ACCESSES = 1, // words, then as many addresses of code: where each call returns to
    WM_HOST_FRAME_OBJECT, // a loaded object: by how much it is moved, then its path, with a NUL
};

enum {
    WM_HOST_FRAME_KIND_BITS = 8,
    // The most words of one, without the first.
    WM_HOST_FRAME_WORDS = 16384,
};

static inline uint64_t wm_host_frame_word(enum wm_host_frame kind, uint64_t words)
{
    return (uint64_t)kind | words << WM_HOST_FRAME_KIND_BITS;
}

// A whole frame: one mark.
#define WM_HOST_MARK_FRAME(mark)                               \
    {                                                          \
        wm_host_frame_word(WM_HOST_FRAME_ACCESSES, 2), mark, 0 \
    }

static inline enum wm_host_frame wm_host_frame_kind(uint64_t word)
{
    return (enum wm_host_frame)(word & ((1u << WM_HOST_FRAME_KIND_BITS) - 1));
}

static inline uint64_t wm_host_frame_length(uint64_t word)
{
    return word >> WM_HOST_FRAME_KIND_BITS;
}

static inline uint64_t wm_host_thread_word(uint32_t thread)
{
    return WM_HOST_MARK_THREAD | (uint64_t)thread << WM_HOST_MARK_BITS;
}

static inline uint64_t wm_host_acquire_word(const volatile void *place)
{
    return ((uintptr_t)place & (UINT64_MAX >> (64 - WM_HOST_ADDRESS_BITS))) |
           UINT64_C(1) << WM_HOST_ACQUIRE_BIT;
}

static inline uint64_t wm_host_release_word(const volatile void *place)
{
    return ((uintptr_t)place & (UINT64_MAX >> (64 - WM_HOST_ADDRESS_BITS))) |
           UINT64_C(1) << WM_HOST_RELEASE_BIT;
}

// Of a word of 0 bytes.
static inline enum wm_host_mark wm_host_word_mark(uint64_t word)
{
    if ((word >> WM_HOST_ACQUIRE_BIT) != 0)
        return (word >> WM_HOST_RELEASE_BIT) != 0 ? WM_HOST_MARK_RELEASE : WM_HOST_MARK_ACQUIRE;
    return (enum wm_host_mark)(word & ((1u << WM_HOST_MARK_BITS) - 1));
}

static inline uint64_t wm_host_counted_word(uint64_t instructions)
{
    return WM_HOST_MARK_COUNTED | instructions << WM_HOST_MARK_BITS;
}

static inline uint64_t wm_host_command_word(enum wm_host_mark mark, uint64_t command)
{
    return (uint64_t)mark | command << WM_HOST_MARK_BITS;
}

static inline uint64_t wm_host_word_command(uint64_t word)
{
    return word >> WM_HOST_MARK_BITS;
}

static inline uint64_t wm_host_word_counted(uint64_t word)
{
    return word >> WM_HOST_MARK_BITS;
}

static inline uint32_t wm_host_word_thread(uint64_t word)
{
    return (uint32_t)(word >> WM_HOST_MARK_BITS);
}

static inline uint64_t wm_host_access_word(uint64_t address, uint64_t bytes, bool store)
{
    return (address & (UINT64_MAX >> (64 - WM_HOST_ADDRESS_BITS))) | bytes << WM_HOST_ADDRESS_BITS |
           (uint64_t)store << WM_HOST_STORE_BIT;
}

static inline uint64_t wm_host_word_address(uint64_t word)
{
    return word & (UINT64_MAX >> (64 - WM_HOST_ADDRESS_BITS));
}

static inline uint32_t wm_host_word_bytes(uint64_t word)
{
    return (uint32_t)(word >> WM_HOST_ADDRESS_BITS) & ((1u << WM_HOST_BYTES_BITS) - 1);
}

static inline bool wm_host_word_is_store(uint64_t word)
{
    return word >> WM_HOST_STORE_BIT != 0;
}

static inline bool wm_host_word_is_locked(uint64_t word)
{
    return (word >> WM_HOST_LOCKED_BIT & 1) != 0;
}

// Of what reads and writes as one.
static inline uint64_t wm_host_locked_word(uint64_t address, uint64_t bytes)
{
    return wm_host_access_word(address, bytes, false) | UINT64_C(1) << WM_HOST_LOCKED_BIT |
           UINT64_C(1) << WM_HOST_ATOMIC_BIT;
}

static inline bool wm_host_word_is_atomic(uint64_t word)
{
    return (word >> WM_HOST_ATOMIC_BIT & 1) != 0;
}

// The access without what atomic operations add to it.
static inline uint64_t wm_host_word_plain(uint64_t word)
{
    return word & ~(UINT64_C(1) << WM_HOST_ATOMIC_BIT);
}

#endif
