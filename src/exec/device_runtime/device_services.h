// Functions of the device runtime that the runtime library does, not the interpreter: launches of
// kernels by kernels, and what belongs to them (device_services.def). The interpreter hands each
// thread's call with its arguments to functions that the launch brings.
//
// Thread rules: calls come from the thread that drives the grid, one at a time, in the order in
// which the threads execute them.
#ifndef WM_EXEC_DEVICE_SERVICES_H
#define WM_EXEC_DEVICE_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

struct wm_kernel;
struct wm_warp;

enum wm_device_service {
#define WM_SERVICE(identifier, ...) WM_SERVICE_##identifier,
#include "exec/device_runtime/device_services.def"
#undef WM_SERVICE
    WM_SERVICES,
};

enum { WM_SERVICE_ARGUMENTS = 8 };

// One thread's call.
struct wm_device_call {
    enum wm_device_service service;
    const struct wm_kernel *caller;
    uint64_t block;                              // its index in the grid
    uint32_t thread;                             // its index in the block
    const void *arguments[WM_SERVICE_ARGUMENTS]; // of the bytes that device_services.def has
    const struct wm_warp *warp;
    unsigned lane;
};

struct wm_device_services {
    void *owner;
    // Returns the function's result, of which as many bytes count as it has.
    uint64_t (*call)(void *owner, const struct wm_device_call *call);
    // Whether the block has launched anything that has not completed: then a thread of it that has
    // called cudaDeviceSynchronize with success waits for wm_grid_children_ended.
    bool (*has_children)(void *owner, uint64_t block);
};

// The shape of a function by its name in PTX, or false.
struct wm_device_service_shape {
    const char *name;
    uint8_t result, argument_count, arguments[WM_SERVICE_ARGUMENTS];
};
bool wm_device_service_find(const char *name, enum wm_device_service *service);
const struct wm_device_service_shape *wm_device_service_shape(enum wm_device_service service);

// Copies bytes at a generic address of the calling thread; false where it has no such memory.
bool wm_device_call_read(const struct wm_device_call *call, uint64_t address, void *to,
                         uint32_t bytes);
bool wm_device_call_write(const struct wm_device_call *call, uint64_t address, const void *from,
                          uint32_t bytes);

#endif
