// What an L1 in time sends below: requests, stores and write-backs become packets. For the files of
// the timed L1 alone. Private to mem/timed/.
#ifndef WM_MEM_TIMED_L1_SEND_H
#define WM_MEM_TIMED_L1_SEND_H

#include "mem/timed/timed_l1.h"

// What a packet to L2 is besides its request.
struct wm_l1_packet_kind {
    enum wm_cache_client client;
    bool fills;   // its reply is a fill of L1
    bool replies; // there is one, and if it does not fill, it completes `token`
    bool read_no_allocate, reduces;
    bool to_sm; // to the SM `holder`
    uint32_t holder;
    uint64_t token;
    uint32_t partly;       // of a write-back, sectors held in part
    const uint32_t *bytes; // of a store or write-back, by sector of the line; or NULL
};

// Packets on their way through L1 do not wait yet.
static inline bool wm_l1_has_room(struct wm_timed_l1 *l1, uint64_t cycle)
{
    struct wm_packet_queue *out = &l1->out;
    if ((int32_t)(l1->ripe - out->first) < 0)
        l1->ripe = out->first;
    while (l1->ripe != out->end && out->packets[l1->ripe & out->mask].when <= cycle)
        l1->ripe++;
    return l1->ripe - out->first < l1->queue;
}

// A packet joins those that wait to leave; of an L1 that shares, what others request has no bound
// of its own. l1->failed when out of memory.
void wm_l1_push(struct wm_timed_l1 *l1, const struct wm_packet *packet);
// A request on its way to L2, in as many packets as it takes; returns how many.
uint32_t wm_l1_send(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                    const struct wm_l1_packet_kind *kind, uint32_t sectors);
// A store that is sent on; returns how many replies it waits for.
uint32_t wm_l1_send_store(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                          uint64_t token, uint32_t sectors);
// What left `cache`, L1 or its victim cache, dirty.
void wm_l1_send_victim(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                       struct wm_cache *cache, const struct wm_cache_victim *victim);

#endif
