// What a cache, or a unit, sends below: requests, stores and write-backs become packets, which wait
// in order until what lies below takes them.
//
// Thread rules: as its owner's. Private to mem/timed/.
#ifndef WM_MEM_TIMED_OUTBOX_H
#define WM_MEM_TIMED_OUTBOX_H

#include "mem/system/memory.h"
#include "mem/timed/byte_mask_pool.h"
#include "mem/timed/network/packet.h"
#include "mem/timed/topology.h"

struct wm_cache_level; // mem/system/memory_state.h

struct wm_outbox {
    struct wm_packet_queue packets; // `when`: the cycle from which one may leave
    // Acknowledgements, which never wait for those, nor for room below: what is there may wait for
    // them.
    struct wm_packet_queue responses;
    uint32_t ripe;           // those before this one may
    uint32_t room;           // that may wait to leave
    uint32_t packet_sectors; // of one packet at most
    uint32_t flit_bytes;
    uint32_t gpu;                             // on which it is; its owner's to set
    bool atomics_by_sector;                   // rounds of a request are those of all its sectors
    bool bursts;                              // a channel lies below: packets are its bursts
    bool failed;                              // out of memory
    struct wm_memory *memory;                 // borrowed
    const struct wm_timed_topology *topology; // borrowed
    struct wm_byte_mask_pool *written;        // borrowed; NULL: nothing below needs bytes
    // Of a unit whose misses are explained, by warp slot: the number of its warp's block in
    // requests (struct wm_request); borrowed, else NULL. Of others, the block of what is being
    // served.
    const uint64_t *blocks;
    uint32_t block;
    struct wm_prefetch_queue *prefetches; // owned; NULL: there have been none
};

// Requests of prefetchers, which leave one at a time, when nothing else waits. The one that does
// takes none of the room of others.
struct wm_prefetch_queue {
    struct wm_packet_queue packets;
    bool leaves; // one of them is the first of the outbox
};

// What is sent, but for its requester.
struct wm_sending {
    struct wm_instruction_counters *charged; // borrowed for the call: for what moves
    const struct wm_cache_level *to;         // NULL: memory, as where it has no caches
    uint8_t from;     // the level whose cache sends it, and gets the reply; or WM_OF_UNIT
    uint64_t address; // of the byte that the sectors count from
    uint32_t sectors;
    uint32_t full_sectors; // of a store or write-back: those that it brings whole; or as a packet's
    enum wm_cache_client client;
    uint32_t kind;    // no access, but of enum wm_packet_kind; 0: `client` says what it is
    uint32_t latency; // cycles until it may leave
    bool replies;     // there is a reply
    bool no_allocate, reduces, uncharged; // as a packet's
    uint8_t takes_over;                   // likewise
    bool walks;                           // an entry of the page table, for the unit
    bool to_sm;                           // to the SM `holder`
    uint32_t holder;
    uint64_t token;        // which the reply brings back
    const uint32_t *bytes; // that a store or write-back brings, by sector; or NULL
    const uint8_t *rounds; // of an atomic: by sector, the most lanes at one address; or NULL
    uint8_t least_rounds;  // of each packet
};

// WM_NO_MEMORY.
enum wm_status wm_outbox_init(struct wm_outbox *out, struct wm_memory *memory,
                              const struct wm_timed_topology *topology, uint32_t room,
                              struct wm_error *error);
// Harmless on a zeroed one.
void wm_outbox_release(struct wm_outbox *out);

// Packets that may not leave yet do not wait.
static inline bool wm_outbox_has_room(struct wm_outbox *out, uint64_t cycle)
{
    struct wm_packet_queue *packets = &out->packets;
    if ((int32_t)(out->ripe - packets->first) < 0)
        out->ripe = packets->first;
    while (out->ripe != packets->end && packets->packets[out->ripe & packets->mask].when <= cycle)
        out->ripe++;
    return out->ripe - packets->first < out->room;
}

// The next place, for the caller to fill; NULL, which out->failed remembers, when out of memory.
static inline struct wm_packet *wm_outbox_place(struct wm_outbox *out)
{
    struct wm_packet *packet = wm_packet_queue_place(&out->packets);
    out->failed |= packet == NULL;
    return packet;
}

// The first has left: a prefetch may follow.
void wm_outbox_next_prefetch(struct wm_outbox *out);
static inline void wm_outbox_pop(struct wm_outbox *out)
{
    wm_packet_queue_pop(&out->packets);
    if (__builtin_expect(out->prefetches != NULL, false))
        wm_outbox_next_prefetch(out);
}

// Puts a request there, in as many packets as it takes, whether or not there is room; returns how
// many. What goes to a channel is counted there.
uint32_t wm_outbox_send(struct wm_outbox *out, uint64_t cycle, const struct wm_requester *who,
                        const struct wm_sending *sending);
// The same of a prefetch, which leaves when nothing else waits, and for which there always is room;
// and those with a token that still wait become demands, behind all others.
void wm_outbox_send_prefetch(struct wm_outbox *out, uint64_t cycle, const struct wm_requester *who,
                             const struct wm_sending *sending);
void wm_outbox_promote_prefetch(struct wm_outbox *out, uint64_t token);

// Acknowledges an invalidation, `cycle` being the first in which that may leave: the sectors were
// dirty; `part` of it has been done (struct wm_packet). What is of no line that waits for it
// (WM_NO_TOKEN) is acknowledged where there were some.
void wm_outbox_acknowledge(struct wm_outbox *out, uint64_t cycle,
                           const struct wm_packet *invalidation, uint32_t dirty, uint32_t part);

#endif
