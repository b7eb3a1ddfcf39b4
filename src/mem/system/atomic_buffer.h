// The atomic buffer of an L2 slice: the few 32-byte sectors on which atomics are being done, so
// that one after the other at one place cost L2 nothing (docs/memory-system.md, R13; Anssari,
// section 3.4). It holds them exclusively: what L2 has of them is old. Private to mem/system/.
#ifndef WM_MEM_SYSTEM_ATOMIC_BUFFER_H
#define WM_MEM_SYSTEM_ATOMIC_BUFFER_H

#include "base/names/counters.h"

#include <stdbool.h>
#include <stdint.h>

// clang-format off
#define WM_ATOMIC_BUFFER_COUNTERS(X)                                                               \
    X(operations, "sectors", "sectors that atomics and reductions came for")                       \
    X(hits, "sectors", "of them, those that were in the buffer: done there")                       \
    X(misses, "sectors", "of them, those that were read from L2 first")                            \
    X(write_backs, "sectors", "sectors that made room, written to L2")                             \
    X(spills, "sectors", "sectors written to L2 because something else wanted them")
// clang-format on

struct wm_atomic_buffer_counters {
    WM_ATOMIC_BUFFER_COUNTERS(WM_COUNTER_FIELD)
};

enum { WM_ATOMIC_BUFFER_MOST_LINES = 64 };

struct wm_atomic_buffer {
    uint32_t room, count;
    uint64_t sectors[WM_ATOMIC_BUFFER_MOST_LINES]; // addresses, most recently used first
    struct wm_atomic_buffer_counters counters;
};

// `room` is at least 1.
void wm_atomic_buffer_init(struct wm_atomic_buffer *buffer, uint32_t room);
// An operation on the sector at `address`. True: it was there. Else it is from now on, and when one
// had to make room for it, `*displaced` is that one's address and `*displaces` true.
bool wm_atomic_buffer_operate(struct wm_atomic_buffer *buffer, uint64_t address,
                              uint64_t *displaced, bool *displaces);
// Whether the sector is there. Changes nothing.
bool wm_atomic_buffer_holds(const struct wm_atomic_buffer *buffer, uint64_t address);
// Takes the sector out, counted as spilled; false when it is not there.
bool wm_atomic_buffer_spill(struct wm_atomic_buffer *buffer, uint64_t address);

#endif
