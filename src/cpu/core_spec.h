// The description of the CPU cores: filled from a machine file. Plain data.
#ifndef WM_CPU_CORE_SPEC_H
#define WM_CPU_CORE_SPEC_H

#include <stdint.h>

struct wm_core_spec {
    uint64_t clock_hz;         // 0: that of the SMs
    uint32_t width;            // instructions that are dispatched, and retired, in a cycle
    uint32_t window;           // entries of the reorder buffer
    uint32_t load_queue;       // loads in the window
    uint32_t store_buffer;     // stores from their dispatch until they are written
    uint32_t stores_in_flight; // of these, those that have been sent and are not written
    uint32_t ports;            // accesses that its L1 takes in a cycle: the owner's matter
    uint32_t forward_latency;  // cycles from a load to the data that an older store forwards
};

#endif
