// What live cores hold. Private to engine/session/.
#ifndef WM_ENGINE_SESSION_LIVE_CORES_STATE_H
#define WM_ENGINE_SESSION_LIVE_CORES_STATE_H

#include "engine/session/live_cores.h"
#include "engine/session/live_cores_code.h"

// In time: what a core's thread has executed and the core has not, in program order.
struct wm_live_queue {
    struct wm_host_access *items; // owned, a ring (base/containers/ring.h)
    uint32_t mask, first, end;
    // The thread can do nothing but look again: when its core has all data, and not before a cycle
    // of the interconnect.
    bool looks;
    uint64_t pauses_until;
};

struct wm_live_cores {
    struct wm_session *session;
    uint32_t count;
    struct wm_work work;
    struct wm_code_place *code_places;    // by pc, all without bytes: instructions are not fetched
    struct wm_live_codes *codes;          // owned: its instructions
    struct wm_block *blocks;              // by core
    struct wm_concurrent_launch *running; // NULL: there was no access yet, or it has ended
    enum wm_status status;                // of its end
    struct wm_error error;
    // In the walk.
    const struct wm_host_access *next, *end; // of one thread: what its core makes next
    // In time.
    struct wm_live_queue *queues; // owned, by core; NULL: in the walk
    uint32_t lead;                // operations that a core takes in a window
    struct wm_live_commands commands;
    uint32_t last;                       // whose turn it was where no time passes
    bool ends;                           // the cores end when they have executed all
    uint64_t ready[WM_HOST_READY_WORDS]; // threads that can run; none while time has to go on
};

// Begins the launch unless it is under way; and takes it when it has ended.
enum wm_status wm_live_cores_begin(struct wm_live_cores *cores, struct wm_error *error);
enum wm_status wm_live_cores_end(struct wm_live_cores *cores, struct wm_error *error);

// live_cores_time.c. WM_NO_MEMORY; harmless on one without queues.
enum wm_status wm_live_queues_init(struct wm_live_cores *cores, struct wm_error *error);
void wm_live_queues_release(struct wm_live_cores *cores);
// As wm_live_cores_access, in time.
enum wm_status wm_live_queues_add(struct wm_live_cores *cores,
                                  const struct wm_host_access *accesses, size_t count,
                                  struct wm_error *error);
// The next of a core's, where it has one, with the instructions before it taken off as far as
// `budget` goes: so many are returned. Sets `*next` to a copy when none is left before it, and it
// has been taken, too, else to one of WM_HOST_PLAIN.
uint64_t wm_live_queue_take(struct wm_live_cores *cores, uint32_t core, uint64_t budget,
                            struct wm_host_access *next);
// Nothing is left to execute.
bool wm_live_queue_is_empty(const struct wm_live_cores *cores, uint32_t core);
// The cores execute all that they have, and end.
enum wm_status wm_live_queues_finish(struct wm_live_cores *cores, struct wm_error *error);

#endif
