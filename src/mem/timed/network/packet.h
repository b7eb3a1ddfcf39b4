// What travels between a unit or a cache and the level below: a request on its way down, and its
// reply on its way up. Private to mem/timed/.
#ifndef WM_MEM_TIMED_NETWORK_PACKET_H
#define WM_MEM_TIMED_NETWORK_PACKET_H

#include "base/containers/ring.h"
#include "mem/cache/cache.h"

enum { WM_TO_MEMORY = UINT8_MAX, WM_OF_UNIT = UINT8_MAX }; // in place of a level's number
enum { WM_PACKET_BLOCK = 0x7ffff };                        // the bits of a block's number

// Of caches above an inclusive one, as many are known of that take a line with one store.
enum { WM_MOST_UPGRADES = 7 };

// The token of an invalidation that no line of an eviction buffer waits for.
#define WM_NO_TOKEN UINT64_MAX

// What a packet is, where it is no access of a cache (enum wm_cache_client). The terms are Hennessy
// and Patterson's, of coherence, which has the same messages.
enum wm_packet_kind {
    // On its way up, behind what its sender has sent there before: caches drop these sectors.
    WM_PACKET_INVALIDATION = WM_CACHE_WRITEBACK + 1,
    // That has been done, with those that were dirty. It never waits for room: there are as many as
    // lines of eviction buffers take.
    WM_PACKET_ACKNOWLEDGEMENT,
    // A cache above has written sectors whole that it did not hold, and fetched nothing for them.
    // `takes_over`: inclusive levels have to have the line; else the level that it is for, which is
    // exclusive, drops its own.
    WM_PACKET_UPGRADE,
    // All that a cache above an exclusive level held of a line that it has lost; `full_sectors` are
    // those that are dirty.
    WM_PACKET_VICTIM,
    // And what its client was: a request that was refused, on its way back (node/refusals.c).
    WM_PACKET_REFUSAL,
};

struct wm_packet {
    uint64_t address; // of the first byte of the line that its sectors count in
    uint64_t when;    // the cycle at which it is ready for its next step, of its holder's clock
    uint64_t sent;    // the SM's cycle in which it set out
    uint64_t token;   // the requester's own, which a reply brings back: for a fill, an MSHR entry
    // Of a load, `full_sectors` are those that its cache keeps, and an exclusive level gives away;
    // of its reply, those of them that are dirty. Of an invalidation and its acknowledgement,
    // `full_sectors` is which part of the invalidations of a line it stands for: an acknowledgement
    // has what no others have been made of.
    uint32_t sectors, full_sectors;
    uint32_t pc;
    uint32_t written;  // of its SM's pool (byte_mask_pool.h): bytes of sectors not full, or 0
    uint16_t sm;       // on whose behalf, and by whose port
    uint16_t receiver; // of the network; of a burst, the channel
    uint16_t warp;
    uint8_t client; // enum wm_cache_client, or enum wm_packet_kind
    uint8_t hint;   // enum wm_cache_hint
    uint8_t flits;
    uint8_t rounds; // of an atomic: the most lanes at one address
    uint8_t to;   // the level that it is for (struct wm_memory_spec), or WM_TO_MEMORY; of a reply,
                  // the farthest that had some of its bytes
    uint8_t from; // whose cache sent it, and gets the reply; or WM_OF_UNIT
    bool replies : 1;     // the requester waits for a reply
    bool no_allocate : 1; // what it loads or stores takes no line of the level that it is for
    bool reduces : 1;     // an atomic that returns nothing
    bool to_sm : 1;       // for another L1 of its tracker's group: that of SM `receiver`
    bool uncharged : 1;   // nothing below is charged to its instruction
    bool walks : 1;       // an entry of the page table
    bool supplied : 1;    // which has sent what was requested of it
    // Caches that have these sectors now, on the way to here, without a fetch of them.
    uint8_t takes_over : 3;
    uint8_t cause : 2; // of a load, enum wm_access_kind: of what it fetches for
    // Where misses are explained: the number of the block that it is on behalf of, but for its high
    // bits: it is compared with those of blocks nearby in time.
    uint32_t block : 19;
};

// What a packet takes besides its data: address, kind, requester.
enum { WM_PACKET_HEADER_BYTES = 8 };

static inline uint8_t wm_packet_flits(uint32_t flit_bytes, uint64_t data_bytes)
{
    uint32_t bytes = WM_PACKET_HEADER_BYTES + (uint32_t)data_bytes;
    // Mostly it is one: a division takes longer than all else of a packet.
    uint32_t flits = bytes <= flit_bytes ? 1 : (bytes + flit_bytes - 1) / flit_bytes;
    return (uint8_t)flits;
}

_Static_assert(sizeof(struct wm_packet) == 64, "a packet is one line of the host's caches");

// Room for so many packets, each in one line of the host's caches; NULL when out of memory. free()
// releases it.
struct wm_packet *wm_packets_new(size_t room);
// The same with the first `count` of `*packets`, which it replaces; false when out of memory.
bool wm_packets_grow(struct wm_packet **packets, size_t count, size_t room);

// A queue of packets (base/containers/ring.h).
struct wm_packet_queue {
    struct wm_packet *packets; // owned
    uint32_t mask;             // of its places
    uint32_t first, end;       // modulo 2^32
};

// WM_NO_MEMORY.
enum wm_status wm_packet_queue_init(struct wm_packet_queue *queue, struct wm_error *error);
void wm_packet_queue_release(struct wm_packet_queue *queue);

static inline uint32_t wm_packet_queue_count(const struct wm_packet_queue *queue)
{
    return queue->end - queue->first;
}

static inline struct wm_packet *wm_packet_queue_head(const struct wm_packet_queue *queue)
{
    return queue->first != queue->end ? &queue->packets[queue->first & queue->mask] : NULL;
}

static inline void wm_packet_queue_pop(struct wm_packet_queue *queue)
{
    queue->first++;
}

// Makes room for twice as many; false when out of memory.
bool wm_packet_queue_grow(struct wm_packet_queue *queue);

// The next packet's, for the caller to fill; NULL when out of memory.
static inline struct wm_packet *wm_packet_queue_place(struct wm_packet_queue *queue)
{
    if (__builtin_expect(queue->end - queue->first > queue->mask, false) &&
        !wm_packet_queue_grow(queue))
        return NULL;
    return &queue->packets[queue->end++ & queue->mask];
}

// Puts a copy at the end. False when out of memory.
static inline bool wm_packet_queue_push(struct wm_packet_queue *queue,
                                        const struct wm_packet *packet)
{
    struct wm_packet *place = wm_packet_queue_place(queue);
    if (place != NULL)
        *place = *packet;
    return place != NULL;
}

// The same of a queue in order of `when`: behind those that are not later.
bool wm_packet_queue_insert(struct wm_packet_queue *queue, const struct wm_packet *packet);

#endif
