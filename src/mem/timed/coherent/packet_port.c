#include "mem/timed/coherent/packet_port.h"

#include "base/containers/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WAITING = 16 };

enum wm_status wm_coherent_packet_port_init(struct wm_coherent_packet_port *port,
                                            const struct wm_coherent_packet_port_spec *spec,
                                            struct wm_error *error)
{
    *port = (struct wm_coherent_packet_port){.spec = *spec};
    WM_TRY(wm_packet_queue_init(&port->requests, error));
    return wm_packet_queue_init(&port->replies, error);
}

void wm_coherent_packet_port_release(struct wm_coherent_packet_port *port)
{
    wm_packet_queue_release(&port->requests);
    wm_packet_queue_release(&port->replies);
    free(port->waiting);
    free(port->free_waiting);
}

void wm_coherent_packet_port_put(struct wm_coherent_packet_port *port,
                                 const struct wm_packet *request)
{
    port->failed |= !wm_packet_queue_push(&port->requests, request);
}

// --- Answers ---

static void reply(struct wm_coherent_packet_port *port, const struct wm_packet *request,
                  uint64_t cycle, uint8_t level)
{
    if (!request->replies)
        return;
    struct wm_packet answer = *request;
    bool has_data = request->client != WM_CACHE_STORE && !request->reduces;
    answer.when = cycle;
    answer.to = level;
    answer.full_sectors = 0; // none of them comes dirty
    answer.flits =
        wm_packet_flits(port->spec.flit_bytes, has_data ? wm_sector_bytes(request->sectors) : 0);
    port->failed |= !wm_packet_queue_insert(&port->replies, &answer);
}

void wm_coherent_packet_port_done(struct wm_coherent_packet_port *port, uint64_t token,
                                  uint64_t cycle, uint8_t level)
{
    uint32_t place = (uint32_t)(token - port->spec.token);
    reply(port, &port->waiting[place], cycle, level);
    port->free_waiting[port->free_count++] = place;
}

// --- Look-ups ---

// All places for waiting requests are taken: as many more, which are handed out in order.
static bool grow_waiting(struct wm_coherent_packet_port *port)
{
    uint32_t old = port->waiting_room, room = old != 0 ? 2 * old : FIRST_WAITING;
    if (!wm_packets_grow(&port->waiting, old, room) || !WM_ARRAY_RESIZE(port->free_waiting, room))
        return false;
    port->waiting_room = room;
    for (uint32_t i = room; i-- > old;)
        port->free_waiting[port->free_count++] = i;
    return true;
}

static enum wm_coherent_access_kind kind_of(const struct wm_packet *packet)
{
    return packet->client == WM_CACHE_LOAD     ? WM_COHERENT_LOAD
           : packet->client == WM_CACHE_ATOMIC ? WM_COHERENT_LOCKED
                                               : WM_COHERENT_STORE;
}

// The kind of access that the replacement entry sees.
static enum wm_access_kind requested_kind(const struct wm_packet *packet)
{
    if (packet->client == WM_CACHE_ATOMIC)
        return packet->reduces ? WM_ACCESS_REDUCTION : WM_ACCESS_ATOMIC;
    return packet->client == WM_CACHE_LOAD ? (enum wm_access_kind)packet->cause : WM_ACCESS_STORE;
}

static struct wm_coherent_access access_of(const struct wm_coherent_packet_port *port,
                                           const struct wm_packet *packet, uint32_t place)
{
    uint64_t within = packet->address & ((UINT64_C(1) << port->spec.line_shift) - 1);
    uint32_t interval = port->spec.atomic_interval > 1 ? port->spec.atomic_interval : 1;
    uint32_t rounds = packet->rounds > 1 ? packet->rounds : 1;
    return (struct wm_coherent_access){.node = port->spec.node,
                                       .kind = kind_of(packet),
                                       .line = packet->address >> port->spec.line_shift,
                                       .token = port->spec.token + place,
                                       .locked_cycles = rounds * interval,
                                       .sectors = packet->sectors << within / WM_SECTOR_BYTES,
                                       .requester = {.sm = packet->sm,
                                                     .warp = packet->warp,
                                                     .pc = packet->pc,
                                                     .kind = requested_kind(packet),
                                                     .hint = (enum wm_cache_hint)packet->hint},
                                       .takes_look_up = true,
                                       .writes_back = packet->client == WM_CACHE_WRITEBACK,
                                       .uncharged = packet->uncharged,
                                       .block = packet->block};
}

const struct wm_packet *wm_coherent_packet_port_first(const struct wm_coherent_packet_port *port,
                                                      uint64_t cycle)
{
    bool looks_up = !port->is_blocked && port->next_look_up <= cycle;
    return looks_up ? wm_packet_queue_head(&port->requests) : NULL;
}

void wm_coherent_packet_port_look_up(struct wm_coherent_packet_port *port, uint64_t cycle)
{
    const struct wm_packet *first = wm_coherent_packet_port_first(port, cycle);
    if (first == NULL)
        return;
    if (port->free_count == 0 && !grow_waiting(port)) {
        port->failed = true;
        return;
    }
    uint32_t place = port->free_waiting[port->free_count - 1];
    struct wm_coherent_access access = access_of(port, first, place);
    uint64_t done;
    enum wm_coherent_answer answer =
        wm_coherent_caches_access(port->spec.caches, &access, cycle, &done);
    port->next_look_up = cycle + 1;
    port->is_blocked = wm_coherent_is_blocked(answer) && answer != WM_COHERENT_BUSY;
    if (wm_coherent_is_blocked(answer))
        return;
    if (answer == WM_COHERENT_DONE) {
        reply(port, first, done, port->spec.level);
    } else {
        port->free_count--;
        port->waiting[place] = *first;
    }
    wm_packet_queue_pop(&port->requests);
}

uint64_t wm_coherent_packet_port_next(const struct wm_coherent_packet_port *port)
{
    bool waits = port->is_blocked || wm_packet_queue_head(&port->requests) == NULL;
    return waits ? WM_NEVER : port->next_look_up;
}

void wm_coherent_packet_port_describe(const struct wm_coherent_packet_port *port, const char *name,
                                      uint32_t index, struct wm_text *text)
{
    uint32_t requests = wm_packet_queue_count(&port->requests);
    uint32_t replies = wm_packet_queue_count(&port->replies);
    uint32_t waiting = port->waiting_room - port->free_count;
    if (requests + replies + waiting != 0)
        wm_text_format(text,
                       "%s[%" PRIu32 "]: %" PRIu32 " requests wait to be looked up%s, %" PRIu32
                       " for their lines, %" PRIu32 " replies to leave\n",
                       name, index, requests, port->is_blocked ? " (blocked)" : "", waiting,
                       replies);
}
