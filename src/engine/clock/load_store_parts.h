// The inside of the load/store unit, for its files. Private to engine/clock/.
#ifndef WM_ENGINE_CLOCK_LOAD_STORE_PARTS_H
#define WM_ENGINE_CLOCK_LOAD_STORE_PARTS_H

#include "engine/clock/clock_state.h"

// --- load_store_completions.c ---

// False when out of memory.
bool wm_load_store_queues_init(struct wm_clock_sm *sm);
void wm_load_store_queues_release(struct wm_clock_sm *sm);
// The instruction has all that it waited for.
void wm_load_store_finish(struct wm_clock_sm *sm, struct wm_clock_memory_op *op);
// A part of the op was served there; what counts is the farthest.
void wm_load_store_note_served(const struct wm_clock_sm *sm, struct wm_clock_memory_op *op,
                               uint32_t served);
// It waits for one part more, which is done in `cycle`.
void wm_load_store_expect_done(struct wm_clock_sm *sm, struct wm_clock_completion_queue *queue,
                               struct wm_clock_memory_op *op, uint32_t index, uint64_t cycle);
// One that it waits for already is done in `cycle`.
void wm_load_store_put_done(struct wm_clock_sm *sm, struct wm_clock_completion_queue *queue,
                            uint32_t op, uint64_t cycle);
// Whose the token of an op is; where that is another SM than `sm`, to which the bytes came, it has
// what it waited for in the same cycle, or in the next where it has run that. And it may act now.
struct wm_clock_sm *wm_load_store_owner_of(struct wm_clock_sm *sm, uint64_t token);
void wm_load_store_expect_owner(struct wm_clock_sm *owner, const struct wm_clock_sm *sm);
// Of an op's token alone: what wm_load_store_done and wm_load_store_returned do.
void wm_load_store_op_done(void *context, uint64_t token);
void wm_load_store_op_returned(void *context, uint64_t token);
// Ends the parts that are done until `cycle`.
void wm_load_store_run_queues(struct wm_clock_sm *sm, uint64_t cycle);

// --- requests_in_flight.c, where sm->entry_places is there ---

// False when out of memory.
bool wm_requests_in_flight_init(struct wm_clock_sm *sm);
// The entry's requests come to their caches' queues in `cycle`: some join others in flight there.
void wm_requests_arrive(struct wm_clock_sm *sm, struct wm_load_store_entry *entry, uint64_t cycle);
// Passes over the entry's next requests, as many as have joined others.
void wm_requests_pass_joined(struct wm_clock_sm *sm, struct wm_load_store_entry *entry);
// The entry's next request is about to be looked up: it is for the sectors of all that have joined
// it, and `*token` stands for them.
void wm_request_gather(const struct wm_clock_sm *sm, const struct wm_load_store_entry *entry,
                       struct wm_request *request, uint64_t *token);
// It has been, and waits for `*waits` parts; the op then waits for one.
void wm_request_looked_up(struct wm_clock_sm *sm, const struct wm_load_store_entry *entry,
                          const struct wm_request *request, uint64_t cycle, uint32_t *waits);
// A part has come that accesses in flight wait for, whose token that is.
void wm_request_part_came(struct wm_clock_sm *sm, uint64_t token,
                          void (*done)(void *context, uint64_t token));
// The entry's requests that have not been looked up will not be.
void wm_requests_abandon(struct wm_clock_sm *sm, const struct wm_load_store_entry *entry);

// load_store_unit.c: the entry's next request, as it is made; and on to the one behind it.
struct wm_request wm_load_store_request_of(struct wm_clock_sm *sm,
                                           const struct wm_load_store_entry *entry,
                                           const struct wm_request_head *head,
                                           const struct wm_line_request *line);
static inline void wm_load_store_advance(struct wm_load_store_entry *entry)
{
    uint32_t count = entry->heads[entry->head].count;
    if (++entry->line != count)
        return;
    entry->first_line += count;
    entry->line = 0;
    entry->head++;
    entry->translated = false;
}

#endif
