// Requests of L1s to what lies below them, kept in order. Memory systems that are alike down to
// their L1s send the same ones: one of them leads and keeps its requests, the others serve those
// and leave their own L1s alone (docs/engine-walk.md, "Many machines at once"). What L1s count is
// handed on with them.
//
// Where L2s are cut into slices alike, too, requests are kept as they came to the slices: cut into
// L2's lines and sorted by slice. The systems that serve them then need not do that again.
//
// Thread rules: kept requests are written by one thread, then read by any number.
#ifndef WM_MEM_SYSTEM_BELOW_REQUESTS_H
#define WM_MEM_SYSTEM_BELOW_REQUESTS_H

#include "mem/cache/cache.h"
#include "mem/system/memory.h"

// One request of an L1: a fetch, a store or an atomic that is sent on. Kept by the million between
// threads, so the enumerations take a byte each.
struct wm_below_request {
    uint64_t address;               // of the first byte of L1's line
    uint32_t sectors, full_sectors; // of it, as in wm_request
    uint32_t sm, warp, pc;          // the requester's
    uint8_t kind, hint;             // enum wm_access_kind, wm_cache_hint
    uint8_t client;                 // enum wm_cache_client; WM_CACHE_LOAD: a fetch
};
_Static_assert(sizeof(struct wm_below_request) == 32,
               "a line of the host's cache holds two requests");

struct wm_below_requests {
    struct wm_below_request *requests; // owned; grows
    uint32_t count, room;
    bool failed; // memory ran out: some are missing
};

void wm_below_requests_release(struct wm_below_requests *requests);

// Requests that one slice served together.
struct wm_slice_batch {
    uint32_t slice, first, count; // of `entries`
};

struct wm_l2_queue_entry; // mem/system/memory_state.h

// Rows in an order in which each slice's are in its own.
struct wm_slice_batches {
    struct wm_l2_queue_entry *entries; // owned, like the next; both grow
    struct wm_slice_batch *rows;
    uint32_t count, room, entry_count, entry_room;
    // Of the L2 that keeps them: another with such sets finds them where that did.
    uint32_t sets;
    const struct wm_set_index_ops *set_index;
    const struct wm_instruction_counters *counters_by_pc; // the table that is charged
    bool failed;                                          // memory ran out: some are missing
};

void wm_slice_batches_release(struct wm_slice_batches *kept);

// Whether memory systems built from the two have L1s that send the same requests to what lies
// below, whatever that is, for any accesses: the L1s are equal, send every store on and do not
// depend on L2, and nothing else stands between an SM and L2.
bool wm_memory_same_l1s(const struct wm_memory_spec *a, const struct wm_memory_spec *b);

// From here on the L1s' requests are also kept there, behind what is there; NULL: no more. Only
// where the spec is wm_memory_same_l1s as itself. Borrowed.
void wm_memory_record_below_requests(struct wm_memory *memory, struct wm_below_requests *requests);
// Serves requests of another memory system, below L1. `counters_by_pc`, by pc, are charged for what
// is below. They may be left to wait, as those of wm_memory_access_run.
void wm_memory_serve_below_requests(struct wm_memory *memory,
                                    const struct wm_below_request *requests, uint32_t count,
                                    struct wm_instruction_counters *counters_by_pc);

// Whether L2s of the two, whose L1s send the same requests, get the same rows, and `follows` needs
// no more than they say.
bool wm_memory_same_slice_batches(const struct wm_memory_spec *leads,
                                  const struct wm_memory_spec *follows);
// From here on the rows that slices serve are also kept there, behind what is there; NULL: no more.
// Of what waits, everything is charged to a table of counters that begins at `counters_by_pc`. As
// wm_memory_record_below_requests otherwise.
void wm_memory_record_slice_batches(struct wm_memory *memory, struct wm_slice_batches *kept,
                                    const struct wm_instruction_counters *counters_by_pc);
// Serves rows of another memory system from number `first` up to before `end`, below L1, at once.
// `counters_by_pc`, by pc, are charged for what is below.
void wm_memory_serve_slice_batches(struct wm_memory *memory, const struct wm_slice_batches *kept,
                                   uint32_t first, uint32_t end,
                                   struct wm_instruction_counters *counters_by_pc);

// How many L1s there are: what the next two copy.
uint32_t wm_memory_l1_count(const struct wm_memory *memory);
// What L1s have counted; and takes it for what this one's have.
void wm_memory_save_l1_counters(const struct wm_memory *memory, struct wm_cache_counters *saved);
void wm_memory_load_l1_counters(struct wm_memory *memory, const struct wm_cache_counters *saved);

// Room for a row of `count` more; false, and `failed`, when memory ran out.
bool wm_slice_batches_grow(struct wm_slice_batches *kept, uint32_t count);
// Room for more; false, and `failed`, when memory ran out.
bool wm_below_requests_grow(struct wm_below_requests *requests);
// The hot path's: appends one, to be filled in; NULL when memory ran out.
static inline struct wm_below_request *wm_below_requests_next(struct wm_below_requests *requests)
{
    if (__builtin_expect(requests->count == requests->room, 0) && !wm_below_requests_grow(requests))
        return NULL;
    return &requests->requests[requests->count++];
}

#endif
