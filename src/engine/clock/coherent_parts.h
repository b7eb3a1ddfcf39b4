// What the files of coherent levels share. Private to engine/clock/.
#ifndef WM_ENGINE_CLOCK_COHERENT_PARTS_H
#define WM_ENGINE_CLOCK_COHERENT_PARTS_H

#include "engine/clock/clock_state.h"
#include "mem/explain/miss_counters.h"
#include "mem/timed/coherent/memory_caches.h"
#include "mem/timed/coherent/packet_port.h"

// Where packets come to a slice of a coherent level.
struct wm_clock_port {
    struct wm_coherent_packet_port port;
    uint32_t partition; // that its slice is of
};

struct wm_clock_coherent {
    struct wm_coherent_memory_caches tree;
    uint32_t *node_of_unit; // owned; WM_NO_NODE: its accesses begin at a cache without coherence
    uint64_t acted;         // the SMs' cycle behind the last in which it did something
    uint32_t line_shift;
    // Owned, by slice of `port_level`: where packets of caches of SMs without coherence come to it.
    // NULL: there are no such.
    struct wm_clock_port *ports;
    uint32_t port_level, port_count;
    bool has_levels; // without coherence between L1s and that, which the partitions run
    // Where misses are explained: who shares lines is noted there, borrowed; and what is not
    // counted.
    struct wm_written_lines *written_lines;
    struct wm_instruction_misses not_counted;
};

// --- coherent_explain.c ---

// What pays for the misses that a requester causes; and what an access needs to be explained.
struct wm_instruction_misses *wm_clock_coherent_explains(void *context,
                                                         const struct wm_requester *requester);
void wm_clock_coherent_explain(const struct wm_clock_sm *sm, const struct wm_request *request,
                               struct wm_coherent_access *access);

// --- coherent_packets.c ---

// What cannot be beside coherent levels of what is not coherent, and what to do; NULL: nothing.
const char *wm_clock_packets_lack(const struct wm_memory_spec *memory, const char **hint);
// Where SMs have such L1s. Release is harmless on zeros.
enum wm_status wm_clock_packets_init(struct wm_clock *clock, struct wm_error *error);
void wm_clock_packets_release(struct wm_clock_coherent *coherent);
// An access with one of their tokens is done in `cycle`, by data of that level, WM_MOST_LEVELS: of
// memory. And something has happened at a slice of a node.
bool wm_clock_packets_have(uint64_t token);
void wm_clock_packet_done(struct wm_clock *clock, uint64_t token, uint64_t cycle, uint32_t level);
void wm_clock_packets_changed(struct wm_clock *clock, uint32_t node, uint32_t slice);
void wm_clock_packets_describe(const struct wm_clock *clock, struct wm_text *text);

#endif
