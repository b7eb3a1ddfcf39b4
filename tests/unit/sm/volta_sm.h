// An SM of Volta's, as occupancy sees it.
#ifndef WM_TESTS_VOLTA_SM_H
#define WM_TESTS_VOLTA_SM_H

#include "sm/occupancy.h"

// Compute capability 7.0 (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"), its shared memory by itself.
struct wm_sm_spec volta_sm(void);

#endif
