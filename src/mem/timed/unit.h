// What a unit's accesses go through in time: its load/store unit makes requests one after another,
// of an L1 or a side cache, or past L1, and gets the answer at once; what these lack leaves by the
// unit's port, and comes back there. A unit is an SM, or a CPU core, whose L1 is another level and
// which has no side caches.
//
// Thread rules: one thread at a time; units that share a cache or a tracker by the same.
#ifndef WM_MEM_TIMED_UNIT_H
#define WM_MEM_TIMED_UNIT_H

#include "base/numbers/random.h"
#include "mem/timed/level/level.h"
#include "mem/timed/translation.h"

struct wm_timed_unit {
    struct wm_memory *memory;                          // borrowed
    struct wm_timed_level *l1;                         // borrowed; NULL: the unit has none
    struct wm_timed_level *sides[WM_SIDE_CACHE_KINDS]; // likewise, by kind
    struct wm_outbox out; // what waits to leave by its port; `failed` also where a cache did
    struct wm_byte_mask_pool written;        // of packets on their way
    struct wm_timed_translation translation; // where there are TLBs
    uint32_t number;
    uint8_t first;           // the level of its L1, there or not
    uint32_t latency;        // of an L1, there or not: cycles from the look-up to the data
    uint32_t served_latency; // of the cache that served last
    // Of the load whose requests are coming.
    struct {
        uint32_t left; // of its requests
        uint32_t looked_up, missed;
    } load;
    // Of the request that is served, if it is an atomic or a reduction: by sector of its line, the
    // most lanes at one address. Borrowed; set before wm_timed_unit_access, and NULL otherwise.
    const uint8_t *rounds;
    // Of the request that was served last: cycles that it took its cache, 1 at least, so many that
    // the next comes later; and those by which it itself began later. Of one that waits for a bank,
    // the cycle in which it may come again.
    uint32_t passes, late;
    uint64_t banks_ready;
    struct wm_random pauses;                     // before what was refused is sent again
    struct wm_packet_queue refused;              // which that is, in order of `when`, by its port
    struct wm_instruction_counters unattributed; // pays for what fills displace
};

// Its caches are not set. WM_NO_MEMORY.
enum wm_status wm_timed_unit_init(struct wm_timed_unit *unit, struct wm_memory *memory,
                                  const struct wm_timed_topology *topology, uint32_t number,
                                  struct wm_error *error);
void wm_timed_unit_release(struct wm_timed_unit *unit);

// One request in `cycle`; those of an instruction come one after another. Unless it has to come
// again, `*waits` says how often `token` is completed later (wm_timed_unit_reply); if never it is
// done, a load the cache's latency later.
enum wm_stall wm_timed_unit_access(struct wm_timed_unit *unit, uint64_t cycle,
                                   const struct wm_request *request, uint64_t token,
                                   uint32_t *waits);
// Whether a request goes past L1, for whatever the machine's bypass entry would say.
static inline bool wm_timed_unit_passes_l1(const struct wm_timed_unit *unit,
                                           enum wm_access_kind kind, enum wm_cache_hint hint,
                                           bool around_l1)
{
    bool plain = kind == WM_ACCESS_LOAD || kind == WM_ACCESS_STORE;
    return unit->l1 == NULL || !plain || hint == WM_HINT_VOLATILE || around_l1;
}
// A request that has joined another in flight at the level (level/in_flight.h) in its turn.
void wm_timed_unit_joined(struct wm_timed_unit *unit, struct wm_timed_level *level,
                          const struct wm_request *request);
// A load of the side cache of that kind, whose lines `request` counts in.
enum wm_stall wm_timed_unit_side_load(struct wm_timed_unit *unit, uint64_t cycle,
                                      enum wm_side_cache_kind kind,
                                      const struct wm_request *request, uint64_t token,
                                      uint32_t *waits);

// A load's request was looked up in an L1 that the unit does not drive itself, or went around it.
void wm_timed_unit_note_load(struct wm_timed_unit *unit, const struct wm_request *request,
                             bool looked_up, bool missed);

// Prefetches what the look-up of a line to come will read first; and what a reply that is on its
// way will.
void wm_timed_unit_host_prefetch(const struct wm_timed_unit *unit, uint64_t address);
void wm_timed_unit_host_prefetch_reply(const struct wm_timed_unit *unit,
                                       const struct wm_packet *reply);

// Between launches a dirty line of its L1 is written back and stays, clean, on behalf of the
// kernel's pc `pc`, which nothing is charged for. False when there is no room.
bool wm_timed_unit_write_back(struct wm_timed_unit *unit, uint64_t cycle, uint64_t line,
                              uint32_t pc);

// A reply has come in `cycle`: calls `done` with each token that waited for it.
void wm_timed_unit_reply(struct wm_timed_unit *unit, uint64_t cycle, const struct wm_packet *reply,
                         void (*done)(void *context, uint64_t token), void *context);

// A request that left by the unit's port has been refused: it is sent again after a pause of the
// latency of L1, and less than that more. It does not wait for what the unit has not sent yet,
// which may wait for it.
void wm_timed_unit_refused(struct wm_timed_unit *unit, uint64_t cycle,
                           const struct wm_packet *refusal);

// An inclusive level drops sectors of a line, and so do the unit's caches that are above it.
void wm_timed_unit_invalidate(struct wm_timed_unit *unit, uint64_t cycle,
                              const struct wm_packet *packet);

// Another L1 of the group requests what this one holds: it leaves a hit's latency later.
void wm_timed_unit_supply(struct wm_timed_unit *unit, uint64_t cycle,
                          const struct wm_packet *access);

#endif
