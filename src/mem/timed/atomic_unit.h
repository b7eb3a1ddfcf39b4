// The atomic unit of an L2 slice in time: it does the atomics and reductions of one request after
// another. Those of a request at different addresses it does together, those at one address one
// after another, each when the one before is over: NVIDIA's Kepler GK110 whitepaper (2012) gives
// one operation a clock at a common address, nine times Fermi's rate. So a request takes as many
// rounds as lanes name the address that most of them name.
//
// Thread rules: one thread at a time. Private to mem/timed/.
#ifndef WM_MEM_TIMED_ATOMIC_UNIT_H
#define WM_MEM_TIMED_ATOMIC_UNIT_H

#include "base/error.h"
#include "base/names/counters.h"

#include <stdbool.h>
#include <stdint.h>

// clang-format off
#define WM_ATOMIC_UNIT_COUNTERS(X)                                                                 \
    X(requests, "requests", "atomics and reductions done, a request a line")                       \
    X(rounds, "rounds", "operations one after another that these took: of each request, the most lanes at one address") \
    X(busy_cycles, "cycles", "cycles in which it could begin no other request")
// clang-format on

struct wm_atomic_unit_counters {
    WM_ATOMIC_UNIT_COUNTERS(WM_COUNTER_FIELD)
};

extern const struct wm_counter_set wm_atomic_unit_counter_set;

// Sectors on which an operation is being done.
struct wm_atomic_place {
    uint64_t address, over;
    uint32_t sectors;
};

struct wm_atomic_unit {
    uint64_t free;                  // the first cycle in which it begins another request
    uint32_t interval;              // cycles from an operation to the next at its address
    struct wm_atomic_place *places; // owned: of the last `interval` requests, a ring; NULL for 1
    uint32_t next;
    struct wm_atomic_unit_counters counters;
};

enum { WM_ATOMIC_UNIT_MOST_INTERVAL = 64 };

// `interval` is 1 to WM_ATOMIC_UNIT_MOST_INTERVAL. WM_NO_MEMORY.
enum wm_status wm_atomic_unit_init(struct wm_atomic_unit *unit, uint32_t interval,
                                   struct wm_error *error);
void wm_atomic_unit_release(struct wm_atomic_unit *unit);

// Takes a request of `rounds`, at least 1, on the sectors of the line at `address`, in `cycle` at
// the earliest; cycles do not decrease. Returns the cycle behind its last operation, which is later
// than that of any request before.
uint64_t wm_atomic_unit_take(struct wm_atomic_unit *unit, uint64_t address, uint32_t sectors,
                             uint32_t rounds, uint64_t cycle);

#endif
