// Where packets of caches without coherence come to a coherent one: a slice of the first coherent
// level below L1s of SMs that keep none (docs/engine-clock.md, "Coherent caches"). Requests wait in
// order, one is looked up in a cycle, and becomes an access of the slice; those whose line, or the
// right to write it, is not there wait until it is; and replies wait until they can leave. Who
// brings packets and takes replies is the port's owner.
//
// All cycles are the tree's. Thread rules: as the tree's (caches.h).
#ifndef WM_MEM_TIMED_COHERENT_PACKET_PORT_H
#define WM_MEM_TIMED_COHERENT_PACKET_PORT_H

#include "mem/timed/coherent/caches.h"
#include "mem/timed/network/packet.h"

struct wm_coherent_packet_port_spec {
    struct wm_coherent_caches *caches; // borrowed
    uint64_t token;                    // of its accesses: that and 2^32 - 1 more are its own
    uint32_t node;                     // of `caches`, without children
    uint32_t line_shift;
    uint32_t room;            // requests that may wait to be looked up
    uint32_t atomic_interval; // cycles from an atomic's operation at an address to the next
    uint32_t flit_bytes;      // of replies
    uint8_t level;            // the node's
};

struct wm_coherent_packet_port {
    struct wm_coherent_packet_port_spec spec;
    struct wm_packet_queue requests;
    struct wm_packet_queue replies; // in order of `when`, from which one may leave
    // Requests that are done later, by the number that is their access's token. All owned.
    struct wm_packet *waiting;
    uint32_t *free_waiting, free_count, waiting_room;
    uint64_t next_look_up; // the cycle from which it looks up another
    bool is_blocked;       // until something has happened at its slice
    bool failed;           // out of memory
};

// WM_NO_MEMORY. Release is harmless on zeros.
enum wm_status wm_coherent_packet_port_init(struct wm_coherent_packet_port *port,
                                            const struct wm_coherent_packet_port_spec *spec,
                                            struct wm_error *error);
void wm_coherent_packet_port_release(struct wm_coherent_packet_port *port);

static inline bool wm_coherent_packet_port_is_full(const struct wm_coherent_packet_port *port)
{
    return wm_packet_queue_count(&port->requests) >= port->spec.room;
}

// A request, a load, store, atomic or write-back, has come; it is not full.
void wm_coherent_packet_port_put(struct wm_coherent_packet_port *port,
                                 const struct wm_packet *request);
// The request that may be looked up in `cycle`, or NULL; and looks it up.
const struct wm_packet *wm_coherent_packet_port_first(const struct wm_coherent_packet_port *port,
                                                      uint64_t cycle);
void wm_coherent_packet_port_look_up(struct wm_coherent_packet_port *port, uint64_t cycle);
// Something has happened at its slice (struct wm_coherent_caches_spec.changed).
static inline void wm_coherent_packet_port_may_retry(struct wm_coherent_packet_port *port)
{
    port->is_blocked = false;
}
// The access with that token is done in `cycle`, by data of `level`, or WM_TO_MEMORY.
void wm_coherent_packet_port_done(struct wm_coherent_packet_port *port, uint64_t token,
                                  uint64_t cycle, uint8_t level);
// The cycle in which it may look something up, WM_NEVER: not before something happens elsewhere.
uint64_t wm_coherent_packet_port_next(const struct wm_coherent_packet_port *port);
// What waits, for reports of a deadlock.
void wm_coherent_packet_port_describe(const struct wm_coherent_packet_port *port, const char *name,
                                      uint32_t index, struct wm_text *text);

#endif
