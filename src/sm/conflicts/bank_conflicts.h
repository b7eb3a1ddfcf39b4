// Bank conflicts of one warp instruction on shared memory: 32 banks of 4 bytes, consecutive words
// in consecutive banks (CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and
// later). A pass serves each bank once; lanes that name the same word share it. Accesses of 8 bytes
// a lane are served half a warp at a time, of 16 bytes a quarter: in general, 128 bytes of lanes a
// group, each group with passes of its own. Of a load from shared memory two groups behind each
// other are served as one where each of their lanes names the same as the one beside it, or each
// the same as the one after the next (an H100, tests/oracle/gpu/h100/curves.csv, strides,
// shared-same): so what all lanes name takes half of the groups.
//
// Lanes of an atomic or reduction that name the same word do not share its pass: each reads what
// the one before it left, and takes a pass of its own.
#ifndef WM_SM_CONFLICTS_BANK_CONFLICTS_H
#define WM_SM_CONFLICTS_BANK_CONFLICTS_H

#include "base/access/access.h"

struct wm_bank_use {
    uint32_t passes;  // times the banks are used, at least one for each group with a lane
    uint32_t replays; // of them, those that conflicts add
};

// `access` is to shared memory, with at least one lane; elements naturally aligned. Pure.
struct wm_bank_use wm_bank_use_of(const struct wm_warp_access *access);

// Different words that a load's lanes name, with or without addresses: constant memory serves one
// after another (CUDA C++ Programming Guide, "Constant Memory"). Pure.
uint32_t wm_words_of_load(const struct wm_warp_access *access);

// The passes of a load through L1, whose words lie in such banks; with or without addresses. Its
// groups are each by themselves (likewise, l1-double and l1-float4). Pure.
uint32_t wm_bank_passes_of_load(const struct wm_warp_access *access);

#endif
