// Where a launch's clocks come from: %clock, %clock_hi, %clock64 and %globaltimer (PTX ISA 10.23 to
// 10.30), which an engine that keeps time lends the interpreter. Without one, all of them count the
// warp instructions that the grid has executed.
//
// A loop of a kernel that does nothing but wait for time to pass is a *spin*
// (decode/decode_spin.c). Its rounds between two moments change nothing that lasts, so an engine
// need not run them all.
#ifndef WM_EXEC_DEVICE_TIME_H
#define WM_EXEC_DEVICE_TIME_H

#include <stdint.h>

struct wm_device_time {
    // The cycle of the SM in which the instruction that is being executed was issued, and what
    // %globaltimer is then, in nanoseconds.
    uint64_t (*cycle)(void *context, uint32_t sm);
    uint64_t (*nanoseconds)(void *context, uint32_t sm);
    // The warp that is being executed on the SM reads the clock again in a spin that began so many
    // cycles ago, before the two above are called. The reading may be made to be a later one.
    void (*spins)(void *context, uint32_t sm, uint64_t cycles);
    void *context;
};

#endif
