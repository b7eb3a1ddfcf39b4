#include "mem/timed/packet.h"

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
    memcpy(larger, *packets, count * sizeof *larger);
    free(*packets);
    *packets = larger;
    return true;
}

enum wm_status wm_packet_queue_init(struct wm_packet_queue *queue, uint32_t room,
                                    struct wm_error *error)
{
    uint32_t places = wm_ring_length(room);
    *queue = (struct wm_packet_queue){.room = places, .mask = wm_ring_first_mask(places)};
    queue->packets = wm_packets_new(places);
    return queue->packets != NULL
               ? WM_OK
               : wm_fail(error, WM_NO_MEMORY, "no memory for a queue of packets");
}

void wm_packet_queue_release(struct wm_packet_queue *queue)
{
    free(queue->packets);
    *queue = (struct wm_packet_queue){0};
}

bool wm_packet_queue_grow(struct wm_packet_queue *queue)
{
    if (!wm_packets_grow(&queue->packets, queue->room, 2 * (size_t)queue->room))
        return false;
    queue->room *= 2;
    return true;
}
