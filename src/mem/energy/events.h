// Which counters of which components are events that cost energy. Private to mem/energy/.
#ifndef WM_MEM_ENERGY_EVENTS_H
#define WM_MEM_ENERGY_EVENTS_H

#include <stddef.h>

// What an event costs: a mask, as a level may be several of them.
enum wm_energy_of {
    WM_ENERGY_OF_LEVEL = 1,   // every level
    WM_ENERGY_OF_ATOMICS = 2, // where atomics are done
    WM_ENERGY_OF_TRACKED = 4, // whose caches supply each other, by a sharing tracker
    WM_ENERGY_OF_TRACKER = 8,
    WM_ENERGY_OF_BUFFER = 16, // atomic buffers
    WM_ENERGY_OF_LINK = 32,   // the interconnect
    WM_ENERGY_OF_MEMORY = 64,
    WM_ENERGY_OF_COHERENT = 128, // levels that take part in coherence
    WM_ENERGY_OF_DIRECTORY = 256,
};

enum wm_energy_flow {
    WM_ENERGY_READS,
    WM_ENERGY_WRITES,
    WM_ENERGY_BESIDE,   // of an array look-ups of its tags alone, of memory rows that it opens
    WM_ENERGY_FILLS,    // sectors of fills: a write takes all that are fetched together
    WM_ENERGY_BYTES,    // carried by the interconnect
    WM_ENERGY_MESSAGES, // on the interconnect, each with a header
};

// Whose counter it is.
enum wm_energy_counted {
    WM_ENERGY_OWN,        // of what it costs
    WM_ENERGY_BELOW_LINK, // of the level, or memory, behind the interconnect
    WM_ENERGY_OF_SHARERS, // of the level whose caches supply each other
    WM_ENERGY_OF_TRACKERS,
    WM_ENERGY_OF_BUFFERS,
    WM_ENERGY_OF_COHERENCE, // of what coherence makes its caches do
    WM_ENERGY_OF_CHILDREN,  // the same of the levels whose home it is
    WM_ENERGY_OF_CHANNELS,  // of DRAM, in time
    WM_ENERGY_COUNTED,
};

struct wm_energy_event {
    enum wm_energy_of of;
    enum wm_energy_flow flow;
    enum wm_energy_counted counted;
    const char *counter;
    int factor; // events for each that is counted; negative: counted in another
};

extern const struct wm_energy_event wm_energy_events[];
extern const size_t wm_energy_event_count;

#endif
