// The mbarriers of one block, by what is done to them (base/access/access.h, wm_phase_operation):
// how many phases of each have ended. The recorder counts so what a wait waited for, and a replay
// when it is over; both by the rules of the interpreter (exec/sync/mbarriers.c). Private to
// engine/.
#ifndef WM_ENGINE_RECORD_MBARRIER_TABLE_H
#define WM_ENGINE_RECORD_MBARRIER_TABLE_H

#include "base/access/access.h"

struct wm_mbarrier_phases {
    int64_t pending;   // threads still to arrive; below 1 when they came while bytes did not
    uint64_t ended;    // phases, from the launch's beginning on: no init sets it back
    uint32_t expected; // threads of each phase
    uint32_t bytes;    // still to come, modulo 2^21
    uint32_t object;   // as wm_warp_phase's
    bool used;         // false: the place is free
};

// All zero: empty.
struct wm_mbarrier_table {
    struct wm_mbarrier_phases *objects; // owned; `capacity` places, a power of two, or none
    uint32_t capacity, count;
};

void wm_mbarrier_table_release(struct wm_mbarrier_table *table);
// As empty; keeps its memory.
void wm_mbarrier_table_clear(struct wm_mbarrier_table *table);
// Adds the object if it is not there; NULL when memory runs out.
struct wm_mbarrier_phases *wm_mbarrier_table_get(struct wm_mbarrier_table *table, uint32_t object);
// Phases of it that have ended: 0 of an object that is not there.
uint64_t wm_mbarrier_table_ended(const struct wm_mbarrier_table *table, uint32_t object);
// What each of `lanes` lanes does. True when a phase ends. Not for a cluster's operations.
bool wm_mbarrier_phases_operate(struct wm_mbarrier_phases *object,
                                enum wm_phase_operation operation, uint32_t operand,
                                uint32_t lanes);

#endif
