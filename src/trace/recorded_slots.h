// The memory instructions of a kernel are numbered in order of pc: slots, by which a recording
// names them.
#ifndef WM_TRACE_RECORDED_SLOTS_H
#define WM_TRACE_RECORDED_SLOTS_H

#include "trace/recording.h"

struct wm_recorded_slots {
    uint32_t *before; // owned; by pc, one more than instructions: memory instructions before it
    uint32_t *pcs;    // owned; by slot
    uint32_t count;
};

uint32_t wm_recorded_slot_count(const struct wm_recorded_code *code);
// False when there is no memory. Released in both cases.
bool wm_recorded_slots_init(struct wm_recorded_slots *slots, const struct wm_recorded_code *code);
void wm_recorded_slots_release(struct wm_recorded_slots *slots);

#endif
