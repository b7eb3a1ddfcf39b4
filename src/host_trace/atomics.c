// Atomic operations of code compiled by `warpmem cc --trace-host`: clang's race detector puts a
// call in place of each, and the call does it. What loads or stores alone has been recorded by the
// call of clang's coverage before it (instrumentation.c).
#include "host_trace/checks.h"
#include "host_trace/exported_calls.h"
#include "host_trace/recorder.h"

// The names are the compiler's.
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

// The last parameters are memory orders: every operation is done in the strictest. Another thread's
// turn may come before an operation, but not between it and its record.
enum { SEQUENTIALLY_CONSISTENT = 5 }; // memory_order_seq_cst

static bool begin_update(const volatile void *address, size_t bytes, const void *code)
{
    bool recorded = wm_host_begin(wm_host_locked_word((uintptr_t)address, bytes), 1);
    wm_host_check(address, bytes, true, code);
    return recorded;
}

// x86 locks a comparison that fails, too: it writes what was there.
static void put_update(const volatile void *address, size_t bytes, bool store, const void *code)
{
    wm_host_put(wm_host_locked_word((uintptr_t)address, bytes), code);
    if (store) // one that stores is not taken for a loop that waits
        wm_host_recorder.last = wm_host_access_word((uintptr_t)address, bytes, true);
}

static void record_update(const volatile void *address, size_t bytes, const void *code)
{
    if (begin_update(address, bytes, code))
        put_update(address, bytes, true, code);
}

// The access that has just been recorded for this call (instrumentation.c) becomes `word`.
static void mark_recorded(const volatile void *address, size_t bytes, bool store, uint64_t word)
{
    struct wm_host_recorder *recorder = &wm_host_recorder;
    uint64_t plain = wm_host_access_word((uintptr_t)address, bytes, store);
    if (recorder->on && recorder->count > 0 && recorder->words[recorder->count - 1] == plain)
        recorder->words[recorder->count - 1] = word;
}

static void mark_load(const volatile void *address, size_t bytes)
{
    uint64_t plain = wm_host_access_word((uintptr_t)address, bytes, false);
    mark_recorded(address, bytes, false, plain | UINT64_C(1) << WM_HOST_ATOMIC_BIT);
}

// A store in sequential order is an exchange on x86, which is locked.
static void mark_store(const volatile void *address, size_t bytes, int order)
{
    uint64_t plain = wm_host_access_word((uintptr_t)address, bytes, true);
    mark_recorded(address, bytes, true,
                  order == SEQUENTIALLY_CONSISTENT ? wm_host_locked_word((uintptr_t)address, bytes)
                                                   : plain | UINT64_C(1) << WM_HOST_ATOMIC_BIT);
}

// Of 16 bytes there is one instruction alone, a comparison with an exchange.
#define ATOMIC(bits, type, load, store, exchange, compare, fetch)                          \
    EXPORTED type __tsan_atomic##bits##_load(const volatile type *at, int order)           \
    {                                                                                      \
        (void)order;                                                                       \
        mark_load(at, sizeof *at);                                                         \
        return load(at);                                                                   \
    }                                                                                      \
    EXPORTED void __tsan_atomic##bits##_store(volatile type *at, type value, int order)    \
    {                                                                                      \
        mark_store(at, sizeof *at, order);                                                 \
        store(at, value);                                                                  \
    }                                                                                      \
    EXPORTED type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) \
    {                                                                                      \
        (void)order;                                                                       \
        record_update(at, sizeof *at, CALLER);                                             \
        return exchange(at, value);                                                        \
    }                                                                                      \
    EXPORTED type __tsan_atomic##bits##_compare_exchange_val(                              \
        volatile type *at, type expected, type value, int order, int failure_order)        \
    {                                                                                      \
        (void)order, (void)failure_order;                                                  \
        bool recorded = begin_update(at, sizeof *at, CALLER);                              \
        type found = compare(at, expected, value);                                         \
        if (recorded)                                                                      \
            put_update(at, sizeof *at, found == expected, CALLER);                         \
        return found;                                                                      \
    }                                                                                      \
    ATOMIC_FETCH(bits, type, add, fetch)                                                   \
    ATOMIC_FETCH(bits, type, sub, fetch)                                                   \
    ATOMIC_FETCH(bits, type, and, fetch)                                                   \
    ATOMIC_FETCH(bits, type, or, fetch)                                                    \
    ATOMIC_FETCH(bits, type, xor, fetch)                                                   \
    ATOMIC_FETCH(bits, type, nand, fetch)

#define ATOMIC_FETCH(bits, type, name, fetch)                                                  \
    EXPORTED type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order) \
    {                                                                                          \
        (void)order;                                                                           \
        record_update(at, sizeof *at, CALLER);                                                 \
        return fetch(at, value, name);                                                         \
    }

#define LOAD(at) __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define STORE(at, value) __atomic_store_n(at, value, __ATOMIC_SEQ_CST)
#define EXCHANGE(at, value) __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)
#define COMPARE(at, expected, value) __sync_val_compare_and_swap(at, expected, value)
#define FETCH(at, value, name) __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST)

ATOMIC(8, uint8_t, LOAD, STORE, EXCHANGE, COMPARE, FETCH)
ATOMIC(16, uint16_t, LOAD, STORE, EXCHANGE, COMPARE, FETCH)
ATOMIC(32, uint32_t, LOAD, STORE, EXCHANGE, COMPARE, FETCH)
ATOMIC(64, uint64_t, LOAD, STORE, EXCHANGE, COMPARE, FETCH)

typedef unsigned __int128 sixteen_bytes;

static sixteen_bytes load_wide(const volatile sixteen_bytes *at)
{
    return __sync_val_compare_and_swap((volatile sixteen_bytes *)at, 0, 0);
}

static sixteen_bytes exchange_wide(volatile sixteen_bytes *at, sixteen_bytes value)
{
    sixteen_bytes seen = load_wide(at), found;
    while ((found = __sync_val_compare_and_swap(at, seen, value)) != seen)
        seen = found;
    return seen;
}

static void store_wide(volatile sixteen_bytes *at, sixteen_bytes value)
{
    exchange_wide(at, value);
}

#define COMBINED_add(a, b) ((a) + (b))
#define COMBINED_sub(a, b) ((a) - (b))
#define COMBINED_and(a, b) ((a) & (b))
#define COMBINED_or(a, b) ((a) | (b))
#define COMBINED_xor(a, b) ((a) ^ (b))
#define COMBINED_nand(a, b) (~((a) & (b)))
#define FETCH_WIDE(at, value, name)                                                             \
    __extension__({                                                                             \
        sixteen_bytes seen = load_wide(at), found;                                              \
        while ((found = __sync_val_compare_and_swap(at, seen, COMBINED_##name(seen, value))) != \
               seen)                                                                            \
            seen = found;                                                                       \
        seen;                                                                                   \
    })

ATOMIC(128, sixteen_bytes, load_wide, store_wide, exchange_wide, COMPARE, FETCH_WIDE)

EXPORTED void __tsan_atomic_thread_fence(int order)
{
    if (order == SEQUENTIALLY_CONSISTENT && wm_host_recorder.on && wm_host_thread != 0)
        wm_host_turn_mark(WM_HOST_MARK_FENCE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

EXPORTED void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
