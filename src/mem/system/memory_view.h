// One memory system, driven by several threads: each has a view of it. SMs' own caches (L1s, side
// caches) do not depend on what becomes of the requests that they send on, and slices of L2 not on
// each other: so any thread may drive any SM, and any slice, one thread each at a time. Requests
// wait in between, by slice, in queues that another thread's view may serve; and, where memory
// systems are alike down to the queues, another memory system's (docs/engine-walk.md, "Threads").
//
// Views are of type struct wm_memory: wm_memory_access_run, wm_memory_access_lines and
// wm_memory_side_load take them. What they count of DRAM is theirs until wm_memory_view_end; all
// else that components count is the memory system's at once.
#ifndef WM_MEM_SYSTEM_MEMORY_VIEW_H
#define WM_MEM_SYSTEM_MEMORY_VIEW_H

#include "mem/system/memory.h"

struct wm_l2_queue; // mem/system/memory_state.h, as the next
struct wm_l2_queue_chunk;

// Whether memory systems built from the spec have views: without the parts by which SMs, or slices,
// depend on each other (wm_memory_needs_full), and without TLBs, whose walks they share.
bool wm_memory_can_have_views(const struct wm_memory_spec *spec);
// So many SMs, from a multiple of it on, share no cache with others: one thread drives them.
uint32_t wm_memory_sms_together(const struct wm_memory_spec *spec);

// What waits for slices: in the order of the requests, by slice.
struct wm_slice_queues {
    struct wm_l2_queue *of_slice;    // owned; NULL where there is no L2
    struct wm_l2_queue_chunk *spare; // owned: for those that get full
    uint32_t slices;
    // Of the L2 that they are for: another with such sets finds its lines where that does.
    uint32_t sets;
    const struct wm_set_index_ops *set_index;
};
enum wm_status wm_slice_queues_init(struct wm_slice_queues *queues, const struct wm_memory *memory,
                                    struct wm_error *error);
void wm_slice_queues_release(struct wm_slice_queues *queues);
// Slices serve those `behind` when they have served these, from then on, whichever are there.
void wm_slice_queues_link(struct wm_slice_queues *queues, const struct wm_slice_queues *behind);
// Nothing waits any more.
void wm_slice_queues_clear(struct wm_slice_queues *queues);

enum wm_status wm_memory_view_new(const struct wm_memory *memory, struct wm_memory **view,
                                  struct wm_error *error);
// NULL is allowed.
void wm_memory_view_free(struct wm_memory *view);
// Before a view is used, and again when the memory system itself, or the host, has been at work.
// `counters_by_pc` is the table that accesses of the view charge, and that it charges for queues.
void wm_memory_view_begin(struct wm_memory *view, const struct wm_memory *memory,
                          struct wm_instruction_counters *counters_by_pc);
// Requests of the view's L1s and side caches go there from here on. Borrowed.
void wm_memory_view_fill(struct wm_memory *view, struct wm_slice_queues *queues);
// The slice serves what waits for it there and in queues that are linked, where it stays. Each
// entry is charged where in the view's table it was charged in the other's.
void wm_memory_view_serve(struct wm_memory *view, uint32_t slice,
                          const struct wm_slice_queues *queues);
// What the view has counted becomes the memory system's. WM_NO_MEMORY: some requests are missing.
enum wm_status wm_memory_view_end(struct wm_memory *view, struct wm_memory *memory,
                                  struct wm_error *error);
// Of the access path: makes room in a queue of the view.
void wm_memory_view_make_room(struct wm_memory *view, struct wm_l2_queue *queue);

// Whether memory systems built from the two have SMs' caches that send the same requests to slices
// that are alike, whatever these and what is below make of them: the caches are equal, send every
// store on, and `follows` needs no more of a request than its queue says.
bool wm_memory_same_queues(const struct wm_memory_spec *leads,
                           const struct wm_memory_spec *follows);
// What those caches have counted is counted by the other's.
void wm_memory_copy_sm_caches_counters(struct wm_memory *to, const struct wm_memory *from);

#endif
