// The L1 of one SM in time: what mem/access_path/ does with a request at once, step by step. Loads
// that miss, and what goes past L1, leave as packets for L2.
//
// Thread rules: one thread at a time.
#ifndef WM_MEM_TIMED_TIMED_L1_H
#define WM_MEM_TIMED_TIMED_L1_H

#include "mem/system/memory.h"
#include "mem/timed/byte_mask_pool.h"
#include "mem/timed/l1_banks.h"
#include "mem/timed/network/packet.h"
#include "mem/timed/timed_cache.h"
#include "mem/timed/victim_tags.h"

struct wm_timed_tracker_group; // tracker_group.h

// The load whose requests are coming.
struct wm_timed_l1_load {
    uint32_t left; // of its requests
    uint32_t looked_up, missed;
};

struct wm_timed_l1 {
    struct wm_memory *memory;    // borrowed: its L1 of this SM is this one
    struct wm_timed_cache timed; // of a machine without L1: not initialized
    struct wm_l1_banks banks;
    uint32_t passes;      // cycles that the last request took of the bank that it used most
    uint64_t banks_ready; // the cycle in which the last one, which waits for banks, may come again
    struct wm_cache *victims; // borrowed: of this L1, or NULL
    uint32_t sm;
    uint32_t victim_latency; // cycles of the SM that an exchange with them takes
    uint32_t late;           // the last access began so many cycles later; its maker clears it
    uint32_t latency;        // cycles of the SM from the look-up to the data
    uint32_t latency_below;  // and to a packet
    struct wm_timed_tracker_group
        *sharing;               // borrowed: of its tracker's group; NULL without trackers
    uint32_t queue;             // packets that may wait to leave
    struct wm_packet_queue out; // in order; `when`: the SM's cycle from which it may leave
    uint32_t ripe;              // its packets before this one may
    uint32_t flit_bytes;
    uint32_t packet_sectors;          // of one packet at most
    bool store_replies;               // L2 answers stores
    bool fills_skip_l2;               // loads that take a line here take none in L2
    bool sends_byte_masks;            // L2 keeps byte masks
    bool failed;                      // out of memory
    struct wm_byte_mask_pool written; // of packets on their way
    struct wm_timed_l1_load load;
    struct wm_victim_tags *victim_tags; // borrowed; NULL: what warps lost is not kept
    // By warp slot, the number of its warp's block in requests (struct wm_request); borrowed, NULL
    // unless misses are explained.
    const uint64_t *blocks;
    // Of the request that is served, if it is an atomic or a reduction: by sector of its line, the
    // most lanes at one address. Borrowed; set before wm_timed_l1_access, and NULL otherwise.
    const uint8_t *rounds;
    struct wm_instruction_counters unattributed; // pays for what fills displace
};

// The L1 itself; NULL: the machine has none.
static inline struct wm_cache *wm_l1_cache_of(const struct wm_timed_l1 *l1)
{
    return l1->timed.cache;
}

// WM_NO_MEMORY.
enum wm_status wm_timed_l1_init(struct wm_timed_l1 *l1, struct wm_memory *memory, uint32_t sm,
                                struct wm_error *error);
void wm_timed_l1_release(struct wm_timed_l1 *l1);

// One request in `cycle`; those of an instruction come one after another. Unless it has to come
// again, `*waits` says how often `token` is completed later (wm_timed_l1_reply); if never it is
// done, a load `latency` cycles later. l1->passes is 1, or more: then so many cycles later as it is
// above that, and the next request comes as much later.
enum wm_stall wm_timed_l1_access(struct wm_timed_l1 *l1, uint64_t cycle,
                                 const struct wm_request *request, uint64_t token, uint32_t *waits);

// Prefetches what the look-up of a line to come will read first.
void wm_timed_l1_host_prefetch(const struct wm_timed_l1 *l1, uint64_t address);

// The same for a reply that is on its way.
void wm_timed_l1_host_prefetch_reply(const struct wm_timed_l1 *l1, const struct wm_packet *reply);

// A load of the side cache of that kind, whose lines `request` counts in.
enum wm_stall wm_timed_l1_side_load(struct wm_timed_l1 *l1, uint64_t cycle,
                                    enum wm_side_cache_kind kind, const struct wm_request *request,
                                    uint64_t token, uint32_t *waits);

// Between launches a dirty line is written back and stays, clean, on behalf of the kernel's pc
// `pc`, which L1 charges nothing. False when the queue has no room.
bool wm_timed_l1_write_back(struct wm_timed_l1 *l1, uint64_t cycle, uint64_t line, uint32_t pc);

// A reply has come in `cycle`: calls `done` with each token that waited for it.
void wm_timed_l1_reply(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_packet *reply,
                       void (*done)(void *context, uint64_t token), void *context);

// Another L1 of the group requests what this one holds: it leaves a hit's latency later.
void wm_timed_l1_supply(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_packet *access);

// Nothing waits to leave and nothing is on its way back to a line.
bool wm_timed_l1_is_idle(const struct wm_timed_l1 *l1);

#endif
