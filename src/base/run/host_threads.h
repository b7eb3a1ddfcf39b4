// A run whose host threads are the machine's CPU cores (`warpmem run --host-threads`,
// docs/decisions/0022-live-threads.md): what the library of a traced program (host_trace/) and the
// CUDA library (cuda/) hand to each other, each a table of functions. They are in two libraries of
// one process, which find each other by the name of wm_host_threads_connect.
//
// Thread rules: one thread of the program runs at a time, the one that has the turn, and it alone
// calls what is here, but for `call` and what the function called accesses.
#ifndef WM_BASE_RUN_HOST_THREADS_H
#define WM_BASE_RUN_HOST_THREADS_H

#include "base/access/access.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // Kinds beside those of enum wm_access_kind, where ATOMIC loads and stores in one.
    WM_HOST_FENCE = WM_ACCESS_ATOMIC + 1, // a full one
    WM_HOST_PLAIN,                        // `instructions` alone
    WM_HOST_ISSUES,                       // in time: a command of the device, which may begin then
    WM_HOST_KINDS,
    WM_HOST_THREADS = 256, // at a time at most
    WM_HOST_ANY_THREAD = WM_HOST_THREADS,
    WM_HOST_READY_WORDS = WM_HOST_THREADS / 64,
};
#define WM_HOST_NO_DEADLINE UINT64_MAX

// What a thread has executed: a load, a store, a locked operation or a fence, and what came before.
struct wm_host_access {
    uint64_t address; // of the first byte; of WM_HOST_ISSUES the command's number; else 0
    uint64_t code;    // where the call returns to that the compiler has put there; 0: not known
    uint32_t instructions; // executed since the thread's last access, none of which makes one
    uint16_t bytes;        // 1 to WM_MAX_ACCESS_BYTES
    uint8_t kind;
    uint8_t thread; // its number, and its core's; below wm_host_threads_device.cores
};

// Of a device that keeps time: what is said of a turn, and what came of it.
struct wm_host_device_turn {
    bool threads_wait; // no thread can run before the device has done something
    // Threads that can run, bit by number; and how many there are.
    uint64_t ready[WM_HOST_READY_WORDS];
    uint32_t ready_count;
    // The thread that has given its turn away, as it can do nothing but look again: it has its next
    // turn when its core has the data of all that it has loaded. WM_HOST_ANY_THREAD: none has.
    // `pauses`: and its core has stood still for a while.
    uint32_t looks;
    bool pauses;
    // In nanoseconds of the device's time: when the first thread that sleeps, or waits for so long
    // at most, goes on; WM_HOST_NO_DEADLINE.
    uint64_t deadline;
    // Of those that can run, the thread whose turn it is, as its core has next to nothing left to
    // execute; WM_HOST_ANY_THREAD where the turn ended for another reason.
    uint32_t next;
    uint32_t accesses; // that its turn has at most
    uint64_t now;      // the device's time
};

// A place of the program's code, for people. Texts are the library's that gives them.
struct wm_host_code {
    const char *object; // a file's name; "" where none is known
    uint64_t offset;    // in the object as it is linked
    const char *file;   // of the source; NULL where that is not known
    uint32_t line;
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
    uint32_t cores;         // that run threads
    const char *machine;    // its name
    bool timed;             // it keeps time, and says whose turn it is
    uint32_t turn_accesses; // at most, of the first turn; 0: as the library has it
    pthread_t worker;       // the thread that the device's turns are those of, for good
    // Whether commands are in the device's queue.
    bool (*has_work)(void);
    // The cores make these accesses, in their order, while kernels have their rounds.
    void (*access)(const struct wm_host_access *accesses, size_t count);
    // Without time, the same, and a turn of the device: the commands that may begin, and a round of
    // the kernels under way. Of `turn` threads_wait alone counts, and nothing is set.
    // In time (`timed`) the cores take the accesses over, and time goes on until a thread's turn
    // has come, something has completed, the deadline is there, or nothing can happen.
    enum wm_host_device_state (*turn)(const struct wm_host_access *accesses, size_t count,
                                      struct wm_host_device_turn *turn);
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
    // The calling thread has issued the command of that number. True: it is among what the thread
    // executes, WM_HOST_ISSUES, and may not begin before its core has come to that. False: it is in
    // a recording, or nowhere.
    bool (*issued)(uint64_t command);
    // For a recording of threads: the calling one knows that all up to one have completed.
    void (*awaited)(uint64_t command);
    // When the program has ended: what the code of an access is (wm_host_access.code).
    struct wm_host_code (*describe_code)(uint64_t code);
    // Likewise: calls `each` with every variable of the program and its own libraries, as the
    // linker has its name, in order of their addresses.
    void (*visit_variables)(void (*each)(void *context, uint64_t address, uint64_t bytes,
                                         const char *name),
                            void *context);
};

// Takes `threads`, which is borrowed for good, and returns the device; NULL when it could not be
// made, for which the reason has been printed.
const struct wm_host_threads_device *wm_host_threads_connect(const struct wm_host_threads *threads);
#define WM_HOST_THREADS_CONNECT "wm_host_threads_connect"

#endif
