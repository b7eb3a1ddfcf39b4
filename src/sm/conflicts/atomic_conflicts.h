// Lanes of one atomic or reduction that name the same address. Each reads what the one before it
// left, so they are served one after another (PTX ISA 9.7.13.5: an atomic's read and write are one
// operation), while lanes at different addresses need not wait for each other. This is a property
// of the program: it is counted in any engine, and takes time in the clock engine.
#ifndef WM_SM_CONFLICTS_ATOMIC_CONFLICTS_H
#define WM_SM_CONFLICTS_ATOMIC_CONFLICTS_H

#include "base/access/access.h"

struct wm_atomic_use {
    uint32_t lanes,
        conflicts;   // lanes that take part; of them, those behind another at their address
    uint32_t rounds; // the most lanes at one address; 0 without lanes
};

// `access` may be without addresses. Pure.
struct wm_atomic_use wm_atomic_use_of(const struct wm_warp_access *access);

// An address that several lanes name.
struct wm_atomic_contention {
    uint64_t address;
    uint32_t lanes;
};

// All of these, in order of their first lanes; returns how many. As above. Pure.
uint32_t wm_atomic_contentions(const struct wm_warp_access *access,
                               struct wm_atomic_contention meetings[WM_MAX_LANES / 2]);

#endif
