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
    struct wm_requester requester;
    uint8_t kind;  // enum wm_coherence_event, or enum wm_coherent_memory_event
    uint8_t stage; // enum wm_coherent_stage
    uint8_t from, peer;
    bool is_counted;             // as a hit or a miss
    bool writes_back, uncharged; // of a unit's access, and the latter of what it causes
    bool bypasses, looked_up;    // of a unit's load (struct wm_coherent_access)
    bool recalls;                // copies are called back for an eviction
};

// Owned by their owner: a pool, and the heap of those that wait for their time.
struct wm_coherent_events {
    struct wm_coherent_event *pool;
    uint32_t room, free, fresh;
    uint32_t *heap;
    uint32_t count, heap_room;
};

void wm_coherent_events_release(struct wm_coherent_events *events);
// A copy in the pool: its number, WM_COHERENT_NO_EVENT when out of memory. Moves the pool.
uint32_t wm_coherent_events_keep(struct wm_coherent_events *events,
                                 const struct wm_coherent_event *event);
void wm_coherent_events_drop(struct wm_coherent_events *events, uint32_t number);
// Adds to the heap; false when out of memory.
bool wm_coherent_events_add(struct wm_coherent_events *events,
                            const struct wm_coherent_event *event);
// When the first is due, UINT64_MAX: none is.
uint64_t wm_coherent_events_next(const struct wm_coherent_events *events);
// Takes the first out, which there is.
struct wm_coherent_event wm_coherent_events_take(struct wm_coherent_events *events);

#endif
