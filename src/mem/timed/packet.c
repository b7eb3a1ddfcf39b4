#include "mem/timed/packet.h"

#include "base/ring.h"

#include <stdlib.h>

enum wm_status wm_packet_queue_init(struct wm_packet_queue *queue, uint32_t room,
                                    struct wm_error *error)
{
    uint32_t places = wm_ring_length(room);
    *queue = (struct wm_packet_queue){.mask = places - 1};
    queue->packets = malloc(places * sizeof *queue->packets);
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
    uint32_t mask = 2 * queue->mask + 1;
    struct wm_packet *larger = malloc((mask + (size_t)1) * sizeof *larger);
    if (larger == NULL)
        return false;
    for (uint32_t at = queue->first; at != queue->end; at++)
        larger[at & mask] = queue->packets[at & queue->mask];
    free(queue->packets);
    queue->packets = larger;
    queue->mask = mask;
    return true;
}
