// A cache of a level in time: the array and its MSHRs (timed_cache.h) with what else is done when
// an access is looked up, or bytes come: what is counted and charged, what goes below, and the
// parts that a level may have. The level does not know who calls: a unit's load/store unit, which
// gets its answer at once (mem/timed/unit.h), or a queue of packets (mem/timed/node/).
//
// What an access may need, an MSHR entry, a way, room below, is there before anything changes; else
// it has to come again.
//
// Thread rules: one thread at a time. Private to mem/timed/.
#ifndef WM_MEM_TIMED_LEVEL_LEVEL_H
#define WM_MEM_TIMED_LEVEL_LEVEL_H

#include "mem/timed/l1_banks.h"
#include "mem/timed/outbox.h"
#include "mem/timed/timed_cache.h"
#include "mem/timed/victim_tags.h"

struct wm_timed_tracker_group; // level/tracker.h
struct wm_evictions;           // level/relations.h
struct wm_timed_prefetcher;    // level/prefetch.h
struct wm_in_flight;           // level/in_flight.h
struct wm_cache_level;         // mem/system/memory_state.h

struct wm_timed_level {
    struct wm_timed_cache timed; // without a cache: not initialized
    struct wm_memory *memory;    // borrowed
    const struct wm_cache_level *described;
    uint32_t latency; // cycles from a look-up to the data, of what is called and gets no packets
    uint32_t latency_below; // and to what it sends below
    uint8_t number;
    bool fills_skip_below;     // loads that take a line here take none in the level below
    uint32_t ports, port_uses; // look-ups in a cycle; those in the last
    uint64_t port_cycle;
    // Parts that not all have.
    struct wm_l1_banks banks;
    struct wm_cache *victims;               // borrowed: of this cache, or NULL
    uint32_t victim_latency;                // cycles that an exchange with them takes
    struct wm_victim_tags *victim_tags;     // borrowed; NULL: what warps lost is not kept
    struct wm_timed_tracker_group *sharing; // borrowed: of its tracker's group, or NULL
    struct wm_evictions *evictions; // owned; NULL: it is not inclusive, or has nothing above
    bool copies;                    // of lines whose home is another slice of the level
    bool excludes;                  // the level below is exclusive
    bool upgrades;                  // some level below is inclusive
    bool upgrades_all;              // and may not have what has been fetched by way of it
    struct wm_timed_prefetcher *prefetcher; // owned; NULL: it has none
    struct wm_in_flight *in_flight;         // owned; NULL: each request is looked up
    uint64_t return_free, returned; // in sectors: when it can hand on more, and what it has in all
    // What the last access did to those behind it.
    uint32_t passes;      // cycles that it took of the bank that it used most
    uint64_t banks_ready; // the cycle in which it, which waits for banks, may come again
    uint32_t late;        // it began so many cycles later; who calls clears it
};

// An access that is looked up, and on whose behalf.
struct wm_level_request {
    struct wm_timed_access access; // `written` is of a store; its queue_has_room need not be set
    struct wm_instruction_counters *charged; // borrowed for the call
    struct wm_outbox *out;                   // to what lies below
    const struct wm_request *explained;      // NULL: misses are not explained
    bool store_replies; // what a store sends on is answered, and completes its token
    bool uncharged;     // nothing that is sent below is charged to its instruction there
    bool moves;         // between the level and a part of it: nothing passes its upper side
    uint8_t takes_over; // as a packet's
    bool moves_up;      // a load of a cache above an exclusive one: sectors leave it,
    bool moves_dirty;   // and stay dirty
};

// What became of one that does not have to come again.
struct wm_level_outcome {
    uint32_t waits;   // how often its token is completed later
    uint32_t missing; // sectors that it lacked
    uint32_t fetched; // of a load, sectors that were requested
    bool from_below;  // a load waited for bytes from below, or found them in its prefetcher
    uint32_t dirty;   // sectors that leave with it, still dirty
};

// Of cache `index` of the level, which has caches. WM_NO_MEMORY.
enum wm_status wm_timed_level_init(struct wm_timed_level *level, struct wm_memory *memory,
                                   uint32_t number, uint32_t index, struct wm_error *error);
// Harmless on a zeroed one.
void wm_timed_level_release(struct wm_timed_level *level);

// Looks an access up.
enum wm_stall wm_timed_level_look_up(struct wm_timed_level *level, uint64_t cycle,
                                     struct wm_level_request *request,
                                     struct wm_level_outcome *outcome);

// Whether an access to the line may go past the level: a copy that is on its way does not move
// down.
bool wm_timed_level_may_pass(const struct wm_timed_level *level, uint64_t line);
// An access goes past the level, and is served below: what the level does about its copy.
void wm_timed_level_pass(struct wm_timed_level *level, uint64_t cycle,
                         const struct wm_level_request *request);

// Sectors that were fetched have come from below, for `who`: calls `done` with each token that
// waited for them. `entry`: of the MSHR. `dirty`: of them, those that are, as an exclusive level
// held them so. `request` is what else it is on behalf of.
void wm_timed_level_fill(struct wm_timed_level *level, uint64_t cycle, uint32_t entry,
                         uint64_t line, uint64_t index_line, uint32_t sectors, uint32_t dirty,
                         const struct wm_requester *who, const struct wm_level_request *request,
                         void (*done)(void *context, uint64_t token), void *context);

// What left `from`, the level's cache or its victim cache, dirty, goes below.
void wm_timed_level_write_back(struct wm_timed_level *level, uint64_t cycle, struct wm_cache *from,
                               const struct wm_level_request *request,
                               const struct wm_requester *who,
                               const struct wm_cache_victim *victim);

// The same of what it displaced, if there is anything to send.
void wm_timed_level_send_down(struct wm_timed_level *level, uint64_t cycle, struct wm_cache *from,
                              const struct wm_level_request *request,
                              const struct wm_requester *who, const struct wm_cache_victim *victim);

// Of a level with an inclusive one below: these levels have to have the line at `address`, of which
// a cache above, or the level, has taken sectors that they know nothing of.
void wm_timed_level_upgrade_below(struct wm_timed_level *level, uint64_t cycle,
                                  const struct wm_level_request *request, uint64_t address,
                                  uint32_t sectors);

// Of an exclusive level: a cache above has lost a line, all of whose sectors that it held are those
// of the access, dirty ones its full_sectors.
enum wm_stall wm_timed_level_take_victim(struct wm_timed_level *level, uint64_t cycle,
                                         struct wm_level_request *request);

// An acquire empties the level's cache, which is scoped (mem/system/self_invalidation.h). Lines on
// their way then are used by those who wait for them, and not kept; who comes later waits until
// they have come, and has them fetched anew.
void wm_timed_level_self_invalidate(struct wm_timed_level *level);

// An inclusive level below drops sectors of the line at `address`. Returns those that were dirty,
// which have left.
uint32_t wm_timed_level_invalidate(struct wm_timed_level *level, uint64_t address, uint32_t sectors,
                                   const struct wm_request *cause);

// What a write brought goes on below.
void wm_timed_level_forward(struct wm_timed_level *level, uint64_t cycle,
                            const struct wm_level_request *request, uint32_t sectors,
                            struct wm_level_outcome *outcome);

// The level's cache, or its victim cache where only that has the line.
struct wm_cache *wm_timed_level_holder(const struct wm_timed_level *level, uint64_t line);

// Sectors that were looked for, and those that the level lacked.
void wm_timed_level_charge(const struct wm_timed_level *level,
                           struct wm_instruction_counters *charged, uint32_t sectors,
                           uint32_t missing);

#endif
