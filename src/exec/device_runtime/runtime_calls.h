// Functions of the device's runtime that modules call without defining them (private to exec/):
// __assertfail ends the launch with a finding, vprintf prints, malloc and free manage the heap
// (CUDA C++ Programming Guide, "Assertion", "Formatted Output", "Dynamic Global Memory Allocation
// and Operations"), and cudaGraphSetConditional says what a node of a graph will do ("Conditional
// Graph Nodes"). What they read and write of device memory themselves is not reported to the
// sink: on a device it is the driver's affair.
#ifndef WM_EXEC_RUNTIME_CALLS_H
#define WM_EXEC_RUNTIME_CALLS_H

#include "exec/interpreter.h"

enum { WM_RUNTIME_ARGUMENTS = 5 };

// Places of the call's arguments and result in the caller's parameter space.
struct wm_runtime_form {
    uint32_t caller, arguments[WM_RUNTIME_ARGUMENTS], result;
};

wm_op_handler wm_run_assert, wm_run_print, wm_run_malloc, wm_run_free, wm_run_set_condition;

// Bytes of an argument of a lane, of the size that the function has.
void wm_runtime_argument(const struct wm_warp *warp, const struct wm_runtime_form *form,
                         unsigned lane, unsigned index, void *to, uint32_t bytes);
void wm_runtime_result(const struct wm_warp *warp, const struct wm_runtime_form *form,
                       unsigned lane, const void *from, uint32_t bytes);

#endif
