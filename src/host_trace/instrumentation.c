// What code compiled by `warpmem cc --trace-host` calls. Two of clang's passes add the calls:
//
//   coverage (trace-loads, trace-stores)  before each load and store of 1, 2, 4, 8 or 16 bytes,
//                                         of atomic ones, too
//   coverage (trace-pc-guard)             at the begin of each block of code
//   the race detector's (-fsanitize=thread)  in place of each atomic operation (atomics.c)
//
// Copies and fills are calls of the C library, which the linker leads here (--wrap). The race
// detector's own calls before loads and stores are left out: they skip constants, arrays that do
// not leave their function, loads that a store to the same place follows, and whatever is wider
// than 16 bytes (docs/decisions/0016-host-code-by-its-coverage.md).
#include "host_trace/checks.h"
#include "host_trace/exported_calls.h"
#include "host_trace/recorder.h"

#include <string.h>

// The names are the compiler's and the linker's.
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

// --- Loads and stores ---

// A program that is not traced goes on at once: what is done else is a function of its own, so that
// this one saves no registers.
static inline bool is_followed(void)
{
    return wm_host_recorder.on || wm_host_is_checked;
}

#define NOT_INLINED __attribute__((noinline))
#define PLAIN_ACCESS(what, bytes, store)                                                \
    static NOT_INLINED void follow_##what##bytes(const void *address, const void *code) \
    {                                                                                   \
        wm_host_record(address, bytes, store, code);                                    \
        wm_host_check(address, bytes, store, code);                                     \
    }                                                                                   \
    EXPORTED void __sanitizer_cov_##what##bytes(const void *address)                    \
    {                                                                                   \
        if (is_followed())                                                              \
            follow_##what##bytes(address, CALLER);                                      \
    }
#define PLAIN_ACCESSES(bytes)        \
    PLAIN_ACCESS(load, bytes, false) \
    PLAIN_ACCESS(store, bytes, true)

PLAIN_ACCESSES(1)
PLAIN_ACCESSES(2)
PLAIN_ACCESSES(4)
PLAIN_ACCESSES(8)
PLAIN_ACCESSES(16)

// --- Instructions ---

// `guard` has how many instructions the block has (src/cli/cc/block_counts.h). Those of threads
// that take no turns are not counted. The linker leads these calls here, too: the address
// sanitizer's runtime has functions of their names, which would come first.
EXPORTED void __wrap___sanitizer_cov_trace_pc_guard(const uint32_t *guard)
{
    if (wm_host_recorder.on)
        wm_host_counted += *guard;
}

EXPORTED void __wrap___sanitizer_cov_trace_pc_guard_init(const uint32_t *begin, const uint32_t *end)
{
    (void)begin, (void)end; // the guards are as they shall be
}

// --- Copies and fills ---

// As a processor without wider registers does them.
enum { PIECE = 16 };

static size_t piece_at(size_t offset, size_t bytes)
{
    return bytes - offset < PIECE ? bytes - offset : PIECE;
}

static void record_copy(char *to, const char *from, size_t bytes, const void *code)
{
    for (size_t at = 0; at < bytes; at += PIECE) {
        wm_host_put_many(from + at, piece_at(at, bytes), false, code);
        wm_host_put_many(to + at, piece_at(at, bytes), true, code);
    }
}

// The pieces are those of a copy, from the last to the first.
static void record_copy_backwards(char *to, const char *from, size_t bytes, const void *code)
{
    for (size_t at = (bytes + PIECE - 1) / PIECE * PIECE; at > 0;) {
        at -= PIECE;
        wm_host_put_many(from + at, piece_at(at, bytes), false, code);
        wm_host_put_many(to + at, piece_at(at, bytes), true, code);
    }
}

static void record_move(char *to, const char *from, size_t bytes, const void *code)
{
    if (from < to && to < from + bytes) // it would overwrite what is still to be read
        record_copy_backwards(to, from, bytes, code);
    else
        record_copy(to, from, bytes, code);
}

static void record_fill(char *to, const char *unused, size_t bytes, const void *code)
{
    (void)unused;
    for (size_t at = 0; at < bytes; at += PIECE)
        wm_host_put_many(to + at, piece_at(at, bytes), true, code);
}

// No other thread's turn parts it: it is done in one piece behind this.
static void record_bulk(void (*record)(char *to, const char *from, size_t bytes, const void *code),
                        void *to, const void *from, size_t bytes, const void *code)
{
    if (bytes == 0)
        return;
    if (wm_host_begin(wm_host_access_word((uintptr_t)to, piece_at(0, bytes), true), 1)) {
        record(to, from, bytes, code);
        wm_host_turn_overdrawn();
    }
    if (from != NULL)
        wm_host_check(from, bytes, false, code);
    wm_host_check(to, bytes, true, code);
}

EXPORTED void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    record_bulk(record_copy, to, from, bytes, CALLER);
    return memcpy(to, from, bytes);
}

EXPORTED void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
    record_bulk(record_move, to, from, bytes, CALLER);
    return memmove(to, from, bytes);
}

EXPORTED void *__wrap_memset(void *to, int value, size_t bytes)
{
    record_bulk(record_fill, to, NULL, bytes, CALLER);
    return memset(to, value, bytes);
}

// Those of later versions of clang.
EXPORTED void *__tsan_memcpy(void *to, const void *from, size_t bytes)
    __attribute__((alias("__wrap_memcpy")));
EXPORTED void *__tsan_memmove(void *to, const void *from, size_t bytes)
    __attribute__((alias("__wrap_memmove")));
EXPORTED void *__tsan_memset(void *to, int value, size_t bytes)
    __attribute__((alias("__wrap_memset")));

// With _FORTIFY_SOURCE: how much room there is comes last, and the C library ends the program where
// that is too little.
void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memset_chk(void *to, int value, size_t bytes, size_t room);

EXPORTED void *__wrap___memcpy_chk(void *to, const void *from, size_t bytes, size_t room)
{
    record_bulk(record_copy, to, from, bytes, CALLER);
    return __memcpy_chk(to, from, bytes, room);
}

EXPORTED void *__wrap___memmove_chk(void *to, const void *from, size_t bytes, size_t room)
{
    record_bulk(record_move, to, from, bytes, CALLER);
    return __memmove_chk(to, from, bytes, room);
}

EXPORTED void *__wrap___memset_chk(void *to, int value, size_t bytes, size_t room)
{
    record_bulk(record_fill, to, NULL, bytes, CALLER);
    return __memset_chk(to, value, bytes, room);
}

// --- The start of each object ---

// The recorder has been started by then (start.c).
EXPORTED void __tsan_init(void)
{
}
