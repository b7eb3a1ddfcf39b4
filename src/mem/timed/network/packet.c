#include "mem/timed/network/packet.h"

#include <stdlib.h>
#include <string.h>

struct wm_packet *wm_packets_new(size_t room)
{
    return aligned_alloc(sizeof(struct wm_packet), room * sizeof(struct wm_packet));
}

bool wm_packets_grow(struct wm_packet **packets, size_t count, size_t room)
{
    struct wm_packet *larger = wm_packets_new(room);
    if (larger == NULL)
        return false;
    if (count != 0)
        memcpy(larger, *packets, count * sizeof *larger);
    free(*packets);
    *packets = larger;
    return true;
}

enum wm_status wm_packet_queue_init(struct wm_packet_queue *queue, struct wm_error *error)
{
    *queue = (struct wm_packet_queue){.mask = WM_RING_FIRST_MASK};
    queue->packets = wm_ring_new(sizeof *queue->packets);
    return queue->packets != NULL ? WM_OK : wm_fail_no_memory(error, "a queue of packets");
}

void wm_packet_queue_release(struct wm_packet_queue *queue)
{
    free(queue->packets);
    *queue = (struct wm_packet_queue){0};
}

bool wm_packet_queue_grow(struct wm_packet_queue *queue)
{
    struct wm_packet *larger =
        wm_ring_grow(queue->packets, sizeof *larger, &queue->mask, queue->first, queue->end);
    if (larger == NULL)
        return false;
    queue->packets = larger;
    return true;
}

bool wm_packet_queue_insert(struct wm_packet_queue *queue, const struct wm_packet *packet)
{
    if (wm_packet_queue_place(queue) == NULL)
        return false;
    uint32_t at = queue->end - 1;
    for (; at != queue->first; at--) {
        const struct wm_packet *before = &queue->packets[(at - 1) & queue->mask];
        if (before->when <= packet->when)
            break;
        queue->packets[at & queue->mask] = *before;
    }
    queue->packets[at & queue->mask] = *packet;
    return true;
}
