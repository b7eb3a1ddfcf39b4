// Of the lines of a slice, those that more is known of than a way of its cache says: lines for
// which events wait, lines that are evicted, and all lines of a directory. Private to
// mem/timed/coherent/.
#ifndef WM_MEM_TIMED_COHERENT_RECORDS_H
#define WM_MEM_TIMED_COHERENT_RECORDS_H

#include "mem/coherence/coherence.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_coherent_record {
    uint64_t line;
    struct wm_coherence_line state;  // unless the line has a way
    uint64_t data;                   // likewise (struct wm_coherent_watch)
    struct wm_coherent_record *next; // of its bucket, or of the free ones
    // Of those that wait for an MSHR entry, a way or the eviction buffer, in order.
    struct wm_coherent_record *next_waiting;
    uint32_t first, last; // of the events that wait for the line, oldest first
    uint32_t requests;    // of them, accesses of units and GetS and GetM of children
    // It is evicting: of no way, once the loads that bypass the cache and wait for it have it.
    bool is_passing;
    bool is_waiting, is_evicting;
};

struct wm_coherent_record_chunk;

// All zeros: none. Records stay where they are until they are removed.
struct wm_coherent_records {
    struct wm_coherent_record **buckets; // owned
    uint32_t bucket_mask, count;
    struct wm_coherent_record *free;
    struct wm_coherent_record_chunk *chunks; // owned
    struct wm_coherent_record *first_waiting, *last_waiting;
};

void wm_coherent_records_release(struct wm_coherent_records *records);
// NULL: there is none.
struct wm_coherent_record *wm_coherent_records_find(const struct wm_coherent_records *records,
                                                    uint64_t line);
// The line's, made where there was none; NULL when out of memory.
struct wm_coherent_record *wm_coherent_records_add(struct wm_coherent_records *records,
                                                   uint64_t line);
void wm_coherent_records_remove(struct wm_coherent_records *records,
                                struct wm_coherent_record *record);
// It waits for room, behind those that do, if it does not yet.
void wm_coherent_records_wait(struct wm_coherent_records *records,
                              struct wm_coherent_record *record);

#endif
