// Which counters of which components are events that cost energy. Private to mem/energy/.
#ifndef WM_MEM_ENERGY_EVENTS_H
#define WM_MEM_ENERGY_EVENTS_H

#include "mem/energy/energy_table.h"

#include <stddef.h>

enum wm_energy_flow {
    WM_ENERGY_READS,
    WM_ENERGY_WRITES,
    WM_ENERGY_FILLS,    // sectors of fills: a write takes all that are fetched together
    WM_ENERGY_BYTES,    // carried by the interconnect
    WM_ENERGY_MESSAGES, // on the interconnect, each with a header
};

// Machines without L2 have DRAM at the other end of the interconnect.
enum wm_energy_when {
    WM_ENERGY_ALWAYS,
    WM_ENERGY_WITH_L2,
    WM_ENERGY_WITHOUT_L2,
    WM_ENERGY_WITH_TRACKER,
};

struct wm_energy_event {
    enum wm_energy_structure structure; // that it costs
    enum wm_energy_flow flow;
    const char *kind, *counter; // of the components that count it
    int factor;                 // events for each that is counted; negative: counted in another
    enum wm_energy_when when;
};

extern const struct wm_energy_event wm_energy_events[];
extern const size_t wm_energy_event_count;

#endif
