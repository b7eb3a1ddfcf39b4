// Accesses in flight at a cache: those that wait in its queue, and those whose bytes have not come.
// Where `coalescing` is in-flight, a later access to the same line joins one of them: it is served
// with it, takes no port and is not looked up. The rules are those of Multi2Sim 4.2's memory
// modules, which the study of GCN's caches uses (docs/studies/choo.md; docs/engine-clock.md,
// "Coalescing in flight"):
// a load joins the youngest access to its line, if that is a load and no store has come since; a
// store joins the access that came last, if that is a store to its line which has not been looked
// up. A cache that several units share has one list, so accesses of different units join.
//
// Thread rules: as the cache's.
#ifndef WM_MEM_TIMED_LEVEL_IN_FLIGHT_H
#define WM_MEM_TIMED_LEVEL_IN_FLIGHT_H

#include "base/error.h"
#include "base/names/counters.h"

#include <stdbool.h>
#include <stdint.h>

// In place of an access in flight: there is none, and the request is looked up by itself; or it has
// joined another.
enum { WM_NOT_IN_FLIGHT = UINT32_MAX, WM_JOINED = UINT32_MAX - 1 };
enum { WM_MOST_IN_FLIGHT = 1 << 24 }; // at one cache

// clang-format off
#define WM_COALESCING_COUNTERS(X)                                                                  \
    X(requests, "requests", "requests that came to the cache, those that joined others among them") \
    X(loads_joined, "requests", "loads that joined a load in flight to their line, and were not looked up") \
    X(stores_joined, "requests", "stores that joined the store before them, and were not looked up") \
    X(joined_other_unit, "requests", "of both, those that joined an access of another SM")
// clang-format on

struct wm_coalescing_counters {
    WM_COALESCING_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_coalescing_counter_set;

struct wm_access_in_flight {
    uint64_t line;
    uint64_t token;                 // of the access itself
    uint64_t number;                // in the order in which they came
    uint64_t ends;                  // looked up, and waiting for nothing: the cycle; else WM_NEVER
    uint32_t sectors, full_sectors; // its own, and of those that have joined it
    uint32_t unit;                  // that it came from
    uint32_t parts;                 // for which it waits
    uint32_t first, last;           // of those that have joined it, in order: their tokens
    uint32_t next;                  // older one in its bucket; or of the free ones
    uint32_t older, younger;        // of all in flight
    bool is_store, looked_up;
};

struct wm_in_flight_token {
    uint64_t token;
    uint32_t next;
};

struct wm_store_in_flight {
    uint64_t number;
    uint32_t place;
};

struct wm_in_flight {
    struct wm_access_in_flight *accesses; // owned, `room` of them; so are the following
    struct wm_in_flight_token *tokens;
    uint32_t *ending;                  // those that end in a known cycle, in order of that: a ring
    struct wm_store_in_flight *stores; // in order of their numbers; some of them may be over
    uint32_t *buckets;
    uint32_t room, token_room, store_room;
    uint32_t free_access, free_token, store_count;
    uint32_t ending_mask, ending_first, ending_end;
    uint32_t youngest;
    uint64_t came; // accesses so far
    bool failed;   // out of memory
    struct wm_coalescing_counters counters;
};

// What comes to the cache's queue.
struct wm_in_flight_arrival {
    uint64_t line, token;
    uint32_t sectors, full_sectors;
    uint32_t unit;
    bool is_store;
};

// WM_NO_MEMORY.
enum wm_status wm_in_flight_init(struct wm_in_flight *in_flight, struct wm_error *error);
// Harmless on a zeroed one.
void wm_in_flight_release(struct wm_in_flight *in_flight);

// An access comes in `cycle`. Returns its place; or WM_JOINED: its token ends with the access that
// it has joined, in the cycle `*ends` where that is known, else as `done` will say.
uint32_t wm_in_flight_arrive(struct wm_in_flight *in_flight, uint64_t cycle,
                             const struct wm_in_flight_arrival *arrival, uint64_t *ends);

static inline const struct wm_access_in_flight *wm_in_flight_at(
    const struct wm_in_flight *in_flight, uint32_t place)
{
    return &in_flight->accesses[place];
}

// It has been looked up. With `parts` above 0 it waits for so many, and its token is completed with
// those that have joined it. Else it ends in the cycle `ends`, and `done` is called with each token
// that has joined it.
void wm_in_flight_looked_up(struct wm_in_flight *in_flight, uint32_t place, uint32_t parts,
                            uint64_t ends, void (*done)(void *context, uint64_t token),
                            void *context);
// A part of what it waits for is there. With the last one it ends: `done` is called with its token,
// of a load, and with those that have joined it, in order.
void wm_in_flight_part_came(struct wm_in_flight *in_flight, uint32_t place,
                            void (*done)(void *context, uint64_t token), void *context);
// It will not be looked up: its launch has failed. As if its last part had come.
void wm_in_flight_abandon(struct wm_in_flight *in_flight, uint32_t place,
                          void (*done)(void *context, uint64_t token), void *context);

#endif
