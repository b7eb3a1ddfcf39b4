// What a traced program sends to the process that writes its trace: an access or a mark in 64 bits.
#ifndef WM_HOST_TRACE_ACCESS_WORD_H
#define WM_HOST_TRACE_ACCESS_WORD_H

#include <stdbool.h>
#include <stdint.h>

// An access: the address, then its bytes, whether it is the last of a locked operation, and in the
// highest bit whether it is a store. Programs have addresses of 47 bits unless they ask for more. A
// word of 0 bytes is a mark.
enum { WM_HOST_ADDRESS_BITS = 48, WM_HOST_LOCKED_BIT = 62, WM_HOST_STORE_BIT = 63 };

enum wm_host_mark {
    WM_HOST_MARK_END = 1, // the program has ended by itself, and this is all
    WM_HOST_MARK_REFUSED, // it cannot be traced, and has said why
    WM_HOST_MARK_THREAD,  // what follows is of the thread whose number is in the bits above
};

enum { WM_HOST_MARK_BITS = 8 };

static inline uint64_t wm_host_thread_word(uint32_t thread)
{
    return WM_HOST_MARK_THREAD | (uint64_t)thread << WM_HOST_MARK_BITS;
}

static inline enum wm_host_mark wm_host_word_mark(uint64_t word)
{
    return (enum wm_host_mark)(word & ((1u << WM_HOST_MARK_BITS) - 1));
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
    return (uint32_t)(word >> WM_HOST_ADDRESS_BITS) & (UINT16_MAX >> 2);
}

// A locked operation is a load, and where it stores a store behind it; a comparison that fails is
// locked too.
static inline uint64_t wm_host_locked_word(uint64_t address, uint64_t bytes, bool store)
{
    return wm_host_access_word(address, bytes, store) | UINT64_C(1) << WM_HOST_LOCKED_BIT;
}

static inline bool wm_host_word_is_locked(uint64_t word)
{
    return (word >> WM_HOST_LOCKED_BIT & 1) != 0;
}

static inline bool wm_host_word_is_store(uint64_t word)
{
    return word >> WM_HOST_STORE_BIT != 0;
}

#endif
