// A block resident on an SM, as the engines see it. The interpreter or the replay of a recording
// owns it and updates it.
#ifndef WM_BASE_BLOCK_H
#define WM_BASE_BLOCK_H

#include <stdint.h>

// The reported address of local memory: that of block place slot × SMs + SM follows that of the
// place before, so that repeated runs agree.
#define WM_LOCAL_BASE UINT64_C(0x300000000000)

struct wm_block {
    uint64_t index;      // linear block index, x fastest
    uint32_t sm, slot;   // as given: %smid, and which of the SM's block places it has
    uint32_t warp_count; // at most 64 (2,048 threads of 32, PTX's limit is 1,024)
    uint64_t ready;      // bit w: warp w can execute its next instruction
    uint64_t finished;   // bit w: all threads of warp w have exited
    uint32_t waits;      // sets of its threads that wait for what the block launched
};

enum wm_run_until {
    WM_RUN_INSTRUCTIONS, // only the instruction budget ends the run
    WM_RUN_MEMORY,       // also after a memory instruction that reaches beyond the SM (global,
                         // local, atomics; not shared, constant, parameter)
};

struct wm_run_result {
    uint64_t warp_instructions;   // executed in this run
    uint64_t thread_instructions; // the same, times active lanes (predicated-off lanes count)
    // Of them those with which a lane may wait for another: strong loads, atomics, pauses.
    uint64_t spins;
};

#endif
