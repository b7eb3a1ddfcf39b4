// Checks the events that the interpreter reports against what base/access/access.h promises.
#ifndef EXEC_LISTENER_H
#define EXEC_LISTENER_H

#include "exec/exec.h"

enum { LISTENER_PENDING = 4096, LISTENER_BY_REGISTERS = 1024 };

// The last access by registers of one instruction of one warp.
struct listener_by_registers {
    const void *registers; // NULL: none
    uint32_t pc;
    enum wm_address_space space;
    uint64_t active, addresses[WM_MAX_LANES];
};

struct listener {
    const struct wm_kernel *kernel; // may be NULL; set: memory instructions are looked up in it
    uint64_t warp_instructions, thread_instructions;
    uint64_t accesses, arrivals, exits, exited_lanes;
    // Of events whose stretch has not come, in order. Afterwards none is left when each was in a
    // stretch that came after it.
    uint32_t pending[LISTENER_PENDING], pending_count, lost;
    uint64_t digest; // of all accesses, in order
    // Accesses by registers, and of them those that named one before, and those whose rows were
    // known; whose addresses were not as promised.
    uint64_t by_registers, likes, rows, broken;
    struct listener_by_registers last[LISTENER_BY_REGISTERS];
    bool has_by_registers[LISTENER_BY_REGISTERS]; // by pc, modulo: whether `last` may have it
};

struct wm_access_sink listener_sink(struct listener *listener);
// The same; the interpreter reports accesses by registers where it can.
struct wm_access_sink listener_by_registers_sink(struct listener *listener);

#endif
