// A run whose host threads are the machine's CPU cores (`warpmem run --host-threads`,
// docs/decisions/0022-live-threads.md): what the library of a traced program (host_trace/) and the
// CUDA library (cuda/) hand to each other, each a table of functions. They are in two libraries of
// one process, which find each other by the name of wm_host_threads_connect.
//
// Thread rules: one thread of the program runs at a time, the one that has the turn, and it alone
// calls what is here, but for `call` and what the function called accesses.
#ifndef WM_BASE_RUN_HOST_THREADS_H
#define WM_BASE_RUN_HOST_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A load, a store or a locked operation of a thread.
struct wm_host_access {
    uint64_t address; // of the first byte
    uint32_t thread;  // its number, and its core's; below wm_host_threads_device.cores
    uint16_t bytes;   // 1 to WM_MAX_ACCESS_BYTES
    uint16_t kind;    // enum wm_access_kind; ATOMIC: it loads and stores in one
};

// What came of a turn of the device.
enum wm_host_device_state {
    WM_HOST_DEVICE_IDLE,      // it had nothing to do
    WM_HOST_DEVICE_RAN,       // it has more to do
    WM_HOST_DEVICE_COMPLETED, // and something has completed, for which a thread may wait
    // Kernels run, and all that they do is to wait in loops for what no kernel writes. Of a turn
    // with `threads_wait` alone.
    WM_HOST_DEVICE_WAITS,
};

// Of the CUDA library.
struct wm_host_threads_device {
    uint32_t cores;      // that run threads
    const char *machine; // its name
    // Whether commands are in the device's queue.
    bool (*has_work)(void);
    // The cores make these accesses, in their order, while kernels have their rounds.
    void (*access)(const struct wm_host_access *accesses, size_t count);
    // The same, and a turn of the device: the commands that may begin, and a round of the kernels
    // under way. `threads_wait`: no thread can run before the device has done something.
    enum wm_host_device_state (*turn)(const struct wm_host_access *accesses, size_t count,
                                      bool threads_wait);
    // Writes a line for each kernel under way to a file: "kernel poll(int*) runs, …".
    void (*describe_kernels)(int file);
};

// Of the traced program's library: both give the turn away, and return when the calling thread has
// it again. A thread that takes no turns ends the program, with the reason.
struct wm_host_threads {
    void (*wait)(void);  // when something has completed on the device
    void (*yield)(void); // when the device and the other threads have had theirs
    void (*end)(void);   // the program ends: the last accesses are handed over, the device runs on
    // By the device's thread, in the device's turn: a function of the program's, whose accesses are
    // those of the thread that had the turn before. It may not wait for another thread.
    void (*call)(void (*function)(void *argument), void *argument);
    // For a recording of threads: the calling one has issued the command of that number, and knows
    // that all up to one have completed.
    void (*issued)(uint64_t command);
    void (*awaited)(uint64_t command);
};

// Takes `threads`, which is borrowed for good, and returns the device; NULL when it could not be
// made, for which the reason has been printed.
const struct wm_host_threads_device *wm_host_threads_connect(const struct wm_host_threads *threads);
#define WM_HOST_THREADS_CONNECT "wm_host_threads_connect"

#endif
