// What executables register before main: fat binaries and, for each, kernels and variables by the
// host address that stands for them. Device code is read, parsed and loaded only when it is first
// used; what fails then is remembered and reported once. Each device has a program of its own, with
// variables of its own but the managed ones, which are those of the first one loaded.
#ifndef WM_CUDA_BINARY_REGISTRY_H
#define WM_CUDA_BINARY_REGISTRY_H

#include "base/access/gpu_addresses.h"
#include "base/error.h"
#include "cuda/cuda_types.h"
#include "exec/exec.h"
#include "ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_cuda_binary;
struct wm_cuda_process;

// One PTX module of a binary: a whole-program binary has one, a device-linked one several.
struct wm_cuda_module {
    struct wm_ptx_module *parsed; // NULL when loaded: it went to the program
    char *name, *text; // owned; kept for the recording until it is loaded, and for other devices
    uint64_t text_bytes;
};

struct wm_cuda_function {
    struct wm_cuda_binary *binary;
    const void *host;
    char *name;                     // owned
    const struct wm_kernel *kernel; // of any device that it is loaded on
    const struct wm_kernel *kernels[WM_MOST_GPUS];
    uint32_t ptx_architecture; // of the module it came from: 75
    struct wm_error error;     // why there is no kernel
    wm_cuda_status failures[WM_MOST_GPUS];
    // cudaFuncSetAttribute
    int max_dynamic_shared_bytes; // 0: the default of 48 KiB less static
    int preferred_carveout;       // -1: the driver's default
    uint64_t explained; // hash of the last refusal that was printed: a loop of them is said once
};

struct wm_cuda_variable {
    struct wm_cuda_binary *binary;
    const void *host;    // shadow variable, or the pointer cell of a managed one
    void **managed_cell; // NULL unless managed
    char *name;          // owned
    uint64_t size_bytes;
    bool constant;
};

struct wm_cuda_binary {
    struct wm_cuda_binary *next;
    const void *wrapper;
    bool image; // `wrapper` may be a container or PTX text, and is there only while it is loaded
    uint32_t index;        // order of registration, for names in messages
    bool opened;           // modules have been looked for
    bool unregistered;     // its memory may be gone
    struct wm_error error; // why it could not be opened
    wm_cuda_status failure;
    struct wm_cuda_module *modules;
    uint32_t module_count;
    struct wm_program *program; // the modules linked, of the first device that has them, or NULL
    struct wm_program *programs[WM_MOST_GPUS]; // of each; NULL until loaded
    struct wm_error load_error;                // why they cannot be
    uint32_t load_failed;                      // on which devices, bit by number
};

struct wm_cuda_registry {
    struct wm_cuda_binary *binaries, **binary_tail;
    uint32_t binary_count;
    struct wm_cuda_function **functions; // sorted by host address when `sorted`
    struct wm_cuda_variable **variables;
    uint32_t function_count, function_capacity, variable_count, variable_capacity;
    bool functions_sorted, variables_sorted;
    struct wm_program **retired; // programs of before cudaDeviceReset: results still name them
    uint32_t retired_count, retired_room;
};

// All with the process locked. NULL or false when the host is out of memory.
struct wm_cuda_binary *wm_cuda_registry_add_binary(struct wm_cuda_registry *registry,
                                                   const void *wrapper);
bool wm_cuda_registry_add_function(struct wm_cuda_registry *registry, struct wm_cuda_binary *binary,
                                   const void *host, const char *name);
bool wm_cuda_registry_add_variable(struct wm_cuda_registry *registry, struct wm_cuda_binary *binary,
                                   const void *host, void **managed_cell, const char *name,
                                   uint64_t size_bytes, bool constant);
void wm_cuda_registry_drop_binary(struct wm_cuda_registry *registry, struct wm_cuda_binary *binary);

// The function that a host address or a handle of ours stands for, or NULL.
struct wm_cuda_function *wm_cuda_registry_function(struct wm_cuda_registry *registry,
                                                   const void *host_or_handle);
struct wm_cuda_variable *wm_cuda_registry_variable(struct wm_cuda_registry *registry,
                                                   const void *host);

// The decoded kernel of a function for the current device, loading its binary if need be: 98, 200,
// 209, 218, 222, 2 or 801, after one message on stderr.
wm_cuda_status wm_cuda_function_kernel(struct wm_cuda_process *process,
                                       struct wm_cuda_function *function,
                                       const struct wm_kernel **kernel);
// Address and size of a variable on the current device, loading its binary if need be.
wm_cuda_status wm_cuda_variable_address(struct wm_cuda_process *process,
                                        struct wm_cuda_variable *variable, uint64_t *address,
                                        uint64_t *size_bytes);
// Loads a binary for the current device, all its modules linked, and fills its managed variables'
// pointer cells.
wm_cuda_status wm_cuda_binary_load(struct wm_cuda_process *process, struct wm_cuda_binary *binary);
// Whether it was loaded as that program, for any device.
bool wm_cuda_binary_has(const struct wm_cuda_binary *binary, const struct wm_program *program);
// Forgets what is loaded for a device; it is loaded afresh at the next use.
void wm_cuda_registry_unload(struct wm_cuda_registry *registry, uint32_t device);

#endif
