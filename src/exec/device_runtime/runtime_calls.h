// Functions of the device's runtime that modules call without defining them (private to exec/):
// __assertfail ends the launch with a fault, vprintf prints, malloc and free manage the heap
// (CUDA C++ Programming Guide, "Assertion", "Formatted Output", "Dynamic Global Memory Allocation
// and Operations"), and cudaGraphSetConditional says what a node of a graph will do ("Conditional
// Graph Nodes"). Those of dynamic parallelism go to the launch's services (device_services.h). What
// they read and write of device memory themselves is not reported to the sink: on a device the
// driver does it.
#ifndef WM_EXEC_RUNTIME_CALLS_H
#define WM_EXEC_RUNTIME_CALLS_H

#include "exec/device_runtime/device_services.h"
#include "exec/interpreter.h"

enum { WM_RUNTIME_ARGUMENTS = WM_SERVICE_ARGUMENTS };

// Places of the call's arguments and result in the caller's parameter space.
struct wm_runtime_form {
    uint32_t caller, arguments[WM_RUNTIME_ARGUMENTS], result;
    enum wm_device_service service; // of wm_run_service
};

wm_op_handler wm_run_assert, wm_run_print, wm_run_malloc, wm_run_free, wm_run_set_condition,
    wm_run_service, wm_run_device_synchronize;

// Bytes of an argument of a lane, of the size that the function has.
void wm_runtime_argument(const struct wm_warp *warp, const struct wm_runtime_form *form,
                         unsigned lane, unsigned index, void *to, uint32_t bytes);
void wm_runtime_result(const struct wm_warp *warp, const struct wm_runtime_form *form,
                       unsigned lane, const void *from, uint32_t bytes);

#endif
