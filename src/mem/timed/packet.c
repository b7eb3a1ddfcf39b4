#include "mem/timed/packet.h"

#include <stdlib.h>

enum wm_status wm_packet_queue_init(struct wm_packet_queue *queue, uint32_t room,
                                    struct wm_error *error)
{
    uint32_t places = wm_ring_length(room);
    *queue = (struct wm_packet_queue){.room = places, .mask = wm_ring_first_mask(places)};
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
    struct wm_packet *larger = realloc(queue->packets, 2 * (size_t)queue->room * sizeof *larger);
    if (larger == NULL)
        return false;
    queue->packets = larger;
    queue->room *= 2;
    return true;
}
