// The driver API over the devices that the runtime API uses too: most of its functions check that
// there is a context and then do what the runtime's function of the same purpose does, on the
// device of that context.
//
// Contexts are thin here: there is one address space, so pointers, and of one device streams and
// events, of one context are valid in all. What was made while a context was current goes when it
// is destroyed.
#ifndef WM_CUDA_DRIVER_H
#define WM_CUDA_DRIVER_H

#include "cuda/driver/driver_types.h"
#include "cuda/process.h"

#include <stdatomic.h>

enum { WM_DRIVER_CONTEXT_FLAGS = 0x1ff }; // that a context may have

// What a context keeps for the program; guarded, as the rest of it, by the process's mutex.
enum wm_driver_setting { WM_DRIVER_FLAGS, WM_DRIVER_CACHE, WM_DRIVER_BANKS, WM_DRIVER_SETTINGS };

struct wm_driver_context {
    struct wm_driver_context *next; // of all that were ever made: a stale handle is recognised
    unsigned api_version;
    uint64_t id;
    uint32_t device;
    uint32_t retained; // the primary context, or one that was attached
    bool primary;
    atomic_bool destroyed;
    int settings[WM_DRIVER_SETTINGS];
};

struct wm_driver_module {
    struct wm_driver_module *next;
    const struct wm_driver_context *context; // it goes with
    bool is_library;                         // of any device; others are of their context's
    struct wm_cuda_binary *binary;
};

// For functions that need a context: CUDA_ERROR_NOT_INITIALIZED before cuInit, INVALID_CONTEXT when
// the thread has none, CONTEXT_IS_DESTROYED. After CUDA_SUCCESS, wm_driver_end must follow: what
// the runtime API's functions in between note as the thread's last error is taken back.
wm_driver_result wm_driver_begin(void);
// The same for functions that need cuInit alone.
wm_driver_result wm_driver_begin_any(void);
// The driver's number for what a runtime function returned.
wm_driver_result wm_driver_end(wm_cuda_status status);
// The same without a word in the log of errors.
wm_driver_result wm_driver_end_quietly(wm_cuda_status status);
// Keeps a result in that log (cuda/error/log.h), by name and sentence.
void wm_driver_log(wm_driver_result result);

// The body of a function that is one call of the runtime API's.
#define WM_DRIVER_PER_THREAD(name, of) \
    WM_CUDA_VARIANT(wm_driver_result, name, of, of##_PARAMETERS, of##_ARGUMENTS)
#define WM_DRIVER_RETURN(call)                      \
    do {                                            \
        wm_driver_result begun = wm_driver_begin(); \
        return begun ? begun : wm_driver_end(call); \
    } while (0)
#define WM_DRIVER_RETURN_ANY(call)                      \
    do {                                                \
        wm_driver_result begun = wm_driver_begin_any(); \
        return begun ? begun : wm_driver_end(call);     \
    } while (0)

// The calling thread's context, or NULL. Between begin and end, or with the process locked.
struct wm_driver_context *wm_driver_current(void);
struct wm_driver_context *wm_driver_primary(uint32_t device);
// INVALID_CONTEXT for a handle that is none, CONTEXT_IS_DESTROYED.
wm_driver_result wm_driver_check_context(struct wm_driver_context *handle);
// Device and host addresses of a byte are the same.
static inline void *wm_driver_address(wm_driver_pointer pointer)
{
    return (void *)(uintptr_t)pointer;
}

wm_driver_result wm_driver_result_of(wm_cuda_status status);

// Enters with a module's handle and, if good, arguments; the process is left locked in any case
// that it is set.
wm_cuda_status wm_driver_module_enter(struct wm_cuda_process **process,
                                      const struct wm_driver_module *module, bool arguments);
// With the process locked: unloads a module, or all of a context's.
void wm_driver_module_drop(struct wm_cuda_process *process, struct wm_driver_module *module);
void wm_driver_modules_drop(struct wm_cuda_process *process,
                            const struct wm_driver_context *context);
// The module of a kernel's binary, or NULL: the runtime API's kernels have none.
struct wm_driver_module *wm_driver_module_of(const struct wm_cuda_binary *binary);

#endif
