// What is to happen to lines, in order of time; of one time, in order of the sender and of what it
// sent. Private to mem/timed/coherent/.
#ifndef WM_MEM_TIMED_COHERENT_EVENT_QUEUE_H
#define WM_MEM_TIMED_COHERENT_EVENT_QUEUE_H

#include "mem/cache/cache.h"

#include <stdbool.h>
#include <stdint.h>

// Of `kind`, where it is no event of the tables (enum wm_coherence_event).
enum wm_coherent_memory_event {
    WM_COHERENT_READS_MEMORY = 128, // a line is to be read: `token` is the read's number
    WM_COHERENT_WRITES_MEMORY,
};

enum { WM_COHERENT_NO_EVENT = UINT32_MAX };

// How far a message has come.
enum wm_coherent_stage {
    WM_COHERENT_LEAVES,  // it is ready for its sender's port
    WM_COHERENT_ARRIVES, // its first flit is at its receiver's port
    WM_COHERENT_COMES,   // its last flit has come
    WM_COHERENT_TAKEN,   // it has had its turn to be looked up
};

struct wm_coherent_event {
    uint64_t when, sequence;
    uint64_t line;
    uint64_t data;         // a number for the data that it brings (struct wm_coherent_watch)
    uint64_t ready;        // what is sent for it leaves then, at the earliest
    uint64_t begun, token; // of a unit's access: when it was made; the caller's
    uint32_t node;         // that it is for
    uint32_t sender;       // a slice's number among all
    uint32_t next;         // of those that wait for a line, or of the free ones
    uint32_t locked_cycles, sectors;
    uint32_t origin; // of data: the node that had them, or WM_COHERENT_MEMORY
    // Where misses are explained: the block that it is on behalf of; and of a unit's access where
    // its bytes are (struct wm_coherent_row), 0: they are not known.
    uint32_t block, row;
    struct wm_requester requester;
    uint8_t kind;  // enum wm_coherence_event, or enum wm_coherent_memory_event
    uint8_t stage; // enum wm_coherent_stage
    uint8_t from, peer;
    bool is_counted;             // as a hit or a miss
    bool writes_back, uncharged; // of a unit's access, and the latter of what it causes
    bool bypasses, looked_up;    // of a unit's load (struct wm_coherent_access)
    bool recalls;                // copies are called back for an eviction
};

enum { WM_COHERENT_DAYS = 256 };

// A pool, and those of it that wait for their time: most in a calendar (R. Brown, "Calendar queues:
// a fast O(1) priority queue implementation for the simulation event set problem", CACM 31(10),
// 1988), of which a day is a cycle, and the others in a heap: those of cycles that the calendar
// does not have, and of crowded days. All zeros: none.
struct wm_coherent_events {
    struct wm_coherent_event *pool; // owned
    uint32_t room, free, fresh;
    uint32_t *heap; // owned
    uint32_t count, heap_room;
    // Of each day of the calendar the first event, behind which are the others in order, by `next`.
    uint32_t days[WM_COHERENT_DAYS];
    uint8_t counts[WM_COHERENT_DAYS];
    uint64_t busy[WM_COHERENT_DAYS / 64]; // a bit a day: it has events
    uint64_t first_day;                   // the cycle of the first that has, if one does
    uint32_t dated;                       // events of all days
};

void wm_coherent_events_release(struct wm_coherent_events *events);
// A copy in the pool of an event that is not in it: its number, WM_COHERENT_NO_EVENT when out of
// memory. Moves the pool.
uint32_t wm_coherent_events_keep(struct wm_coherent_events *events,
                                 const struct wm_coherent_event *event);
void wm_coherent_events_drop(struct wm_coherent_events *events, uint32_t number);
// Adds one in cycle `now`, which is not before that of the call before, and before which none waits
// that had its time then. False when out of memory.
bool wm_coherent_events_add(struct wm_coherent_events *events,
                            const struct wm_coherent_event *event, uint64_t now);
// When the first is due, UINT64_MAX: none is.
uint64_t wm_coherent_events_next(const struct wm_coherent_events *events);
// Takes the first out, which there is.
struct wm_coherent_event wm_coherent_events_take(struct wm_coherent_events *events);

#endif
