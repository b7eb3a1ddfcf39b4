// What the library knows about the process it lives in: the one piece of mutable state of this
// front door. Made at the first call that needs a device, closed by the library's destructor.
//
// Settings come from the environment (docs/cuda.md), which `warpmem run` or a person sets.
#ifndef WM_CUDA_PROCESS_H
#define WM_CUDA_PROCESS_H

#include "base/access/gpu_addresses.h"
#include "cuda/cuda_types.h"
#include "cuda/device/device_queue.h"
#include "cuda/device/device_runtime.h"
#include "cuda/handle_set.h"
#include "cuda/image/binary_registry.h"
#include "cuda/run/run_checks.h"
#include "cuda/run/run_report.h"
#include "engine/session/launch_filter.h"
#include "engine/session/session.h"
#include "exec/memory/device_memory.h"
#include "exec/operations/condition_values.h"
#include "exec/texture/texture.h"
#include "machine/machine.h"
#include "machine/plugins.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct wm_driver_context;
struct wm_live_cores; // engine/session/live_cores.h
struct wm_shared_event;

struct wm_cuda_allocation {
    uint64_t address, size_bytes;
    enum wm_allocation_kind kind;
    unsigned flags;            // of cudaHostAlloc and cudaHostRegister
    struct wm_cuda_pool *pool; // that it is counted in, until it is freed; or NULL
    uint64_t freed_after;      // cudaFreeAsync: released when the host has waited for this command
    uint32_t device;           // that was current
    const struct wm_driver_context *context; // it was made in; NULL: the primary one
    // Of another process's memory: which it is, and how often it was opened by a handle.
    uint64_t shared_node, shared_offset;
    uint32_t opened;
    uint32_t call; // where the program allocated it (run_checks.h); 0: not kept
};

// Nodes of a graph that is being captured, each with the data of the edge from it.
struct wm_cuda_node_set {
    struct wm_cuda_graph_node **nodes; // owned, as `edges` is
    struct wm_cuda_edge_data *edges;
    size_t count, capacity, edge_capacity;
};

struct wm_cuda_stream {
    struct wm_cuda_stream *next;
    uint32_t device; // that its work is of
    unsigned flags;
    int priority;
    bool of_thread; // a host thread's default stream
    uint64_t id;
    uint64_t last; // sequence number of its last command; in order also of one that it waits for
    uint64_t own_last; // of its last command
    // When `last` is the record of an event: its number again, and that of the work before it.
    uint64_t last_record, before_records;
    struct wm_cuda_sequences waits;  // that its next one is ordered behind, too (stream_order.h)
    struct wm_cuda_capture *capture; // that it takes part in, or NULL
    struct wm_cuda_node_set front;   // what the next node that it captures waits for
    char attributes[4][64];          // as set: api_stream_attributes.c says which
    const struct wm_driver_context *context; // as for allocations
};

struct wm_cuda_event {
    struct wm_cuda_event *next;
    uint32_t device; // whose streams record it
    unsigned flags;
    bool recorded;
    uint64_t sequence;   // of its last record
    uint64_t after;      // of the last command that it waits for
    uint32_t records;    // that are in the queue
    bool destroyed;      // it goes with the last of these
    uint64_t time_ps;    // estimated device time of that record, when completed
    uint64_t capture_id; // of the capture that it was last recorded in; 0: in none
    struct wm_cuda_node_set captured;
    struct wm_shared_event *shared;          // with other processes, or NULL
    const struct wm_driver_context *context; // as for allocations
};

// What nodes of graphs have allocated: bytes, of each device (cudaGraphMemAttributeType).
struct wm_cuda_graph_memory_amounts {
    uint64_t used, used_high, reserved, reserved_high;
};
struct wm_cuda_graph_memory_state {
    struct wm_cuda_graph_memory *first; // owned
    struct wm_cuda_graph_memory_amounts of[WM_MOST_GPUS];
};

// Ranges of managed memory of which the program has said something: range_advice.h.
struct wm_cuda_advised_ranges {
    struct wm_cuda_advised_range *items; // owned
    uint32_t count, capacity;
};

// cudaLimit: stack, printf's buffer, malloc's heap, two of dynamic parallelism, L2's granularity,
// and what is set aside of L2.
enum {
    WM_CUDA_LIMIT_STACK = 0,
    WM_CUDA_LIMIT_PRINT = 1,
    WM_CUDA_LIMIT_HEAP = 2,
    WM_CUDA_LIMIT_SYNC_DEPTH = 3,
    WM_CUDA_LIMIT_PENDING_LAUNCHES = 4,
    WM_CUDA_LIMIT_PERSISTING_L2 = 6,
    WM_CUDA_LIMITS = 7
};

// What there is of each device.
struct wm_cuda_device {
    struct wm_cuda_stream default_stream;
    struct wm_cuda_sequences left; // of streams that were destroyed and are in no other's order
    struct wm_cuda_pool *default_pool, *current_pool; // NULL: not made yet; the default
    uint64_t limits[WM_CUDA_LIMITS];                  // cudaDeviceSetLimit
    struct wm_cuda_device_runtime runtime;
    unsigned flags;
    uint32_t peers; // whose memory its kernels may access, bit by number
};

enum wm_cuda_phase { WM_CUDA_NOT_STARTED, WM_CUDA_READY, WM_CUDA_FAILED, WM_CUDA_CLOSED };

struct wm_cuda_array;
struct wm_cuda_object;
struct wm_cuda_reference;

struct wm_cuda_process {
    pthread_mutex_t mutex; // guards everything below but what the worker owns during a command
    enum wm_cuda_phase phase;
    pid_t owner; // the process that made the device: a fork's child has no worker
    struct wm_cuda_registry registry;
    struct wm_plugins plugins; // never unloaded: the session uses them to the end
    struct wm_machine machine;
    struct wm_device_memory *memory;
    struct wm_launch_filter filter; // the session's, to the end
    struct wm_recorder *recorder;   // NULL when nothing is recorded; used where `session` is
    struct wm_session *session;     // the worker's
    struct wm_run_report report;
    struct wm_run_check check;
    struct wm_memory_calls *calls; // owned: of allocations (run/memory_names.h); NULL: not kept
    struct wm_cuda_queue queue;
    struct wm_cuda_allocation *allocations; // owned, in order of allocation
    uint32_t allocation_count, allocation_capacity;
    uint64_t malloc_count;          // for labels
    struct wm_cuda_array *arrays;   // owned
    struct wm_cuda_object *objects; // owned: textures and surfaces that have not been destroyed
    struct wm_cuda_reference *references; // owned; in order of registration
    // What kernels find under their numbers: changes while no command looks at memory.
    struct wm_texture_objects textures;
    struct wm_cuda_stream *streams; // owned
    struct wm_cuda_event *events;   // owned
    uint64_t next_stream_id;
    struct wm_cuda_handle_set handles; // of everything but streams and events
    struct wm_cuda_graph *graphs;      // owned
    struct wm_cuda_graph_exec *execs;  // owned
    struct wm_cuda_capture *captures;  // owned
    struct wm_cuda_pool *pools;        // owned
    uint64_t graph_ids, capture_ids;
    struct wm_cuda_advised_ranges advised;
    struct wm_cuda_graph_memory_state graph_memory;
    struct wm_condition_values conditions; // of all graphs; the worker's while commands run
    struct wm_cuda_device devices[WM_MOST_GPUS];
    uint32_t device_count;
    uint32_t devices_used;                 // that work was issued to, bit by number
    struct wm_cuda_stream *thread_streams; // owned: default streams of host threads
    uint64_t thread_streams_made;
    uint64_t resets[WM_MOST_GPUS]; // of each device: streams of threads end with it
    struct wm_cuda_printed *printed, **printed_end; // owned: device_runtime.h
    // A fault on the device: known to the worker at once, to the program when it has waited for
    // the command (so that what the program sees does not depend on timing).
    wm_cuda_status fault;
    uint64_t fault_sequence;
    uint32_t fault_device;
    wm_cuda_status sticky;   // the fault, once published: every later call returns it
    uint32_t host_functions; // in the queue
    const struct wm_host_threads *host_threads; // borrowed; NULL: they take no turns
    struct wm_live_cores *cores;                // owned, the worker's: that run them; NULL likewise
    bool serial_streams;                        // work never runs side by side
    bool checks_in_order;                       // launches are checked, one behind the other
    // Estimated time of the engine so far, by device; the worker's, as the next.
    uint64_t engine_ps[WM_MOST_GPUS];
    struct wm_session_totals engine_totals[WM_MOST_GPUS]; // when that was estimated
};

// State of one host thread.
struct wm_cuda_configuration {
    struct wm_cuda_dim3 grid, block;
    size_t dynamic_shared_bytes;
    wm_cuda_stream_handle stream;
    bool cooperative; // its blocks may wait for each other
};
enum { WM_CUDA_CONFIGURATION_DEPTH = 64 };
struct wm_cuda_thread {
    wm_cuda_status last_error;
    int capture_mode;    // what captures may forbid it: enum wm_cuda_capture_mode
    bool in_driver;      // it is in a function of the driver API
    bool used_runtime;   // it has called the runtime API, and so is in the primary context
    bool default_is_own; // the default stream that it names is its own
    // Its own of each device, made after so many resets; NULL: it has none.
    struct wm_cuda_stream *streams[WM_MOST_GPUS];
    uint64_t stream_resets[WM_MOST_GPUS];
    uint32_t device; // its current one
    bool device_set; // by the runtime API, which makes the device's primary context current
    const struct wm_driver_context *context; // for what it makes; NULL: the primary one
    unsigned configuration_count;
    struct wm_cuda_configuration configurations[WM_CUDA_CONFIGURATION_DEPTH];
};
struct wm_cuda_thread *wm_cuda_thread(void);
// When the library is loaded, and before it is unloaded: threads that end in between end their
// streams.
void wm_cuda_threads_open(void);
void wm_cuda_threads_close(void);
// The calling thread's current device; the worker's is that of the command that it executes.
static inline struct wm_cuda_device *wm_cuda_current(struct wm_cuda_process *process)
{
    return &process->devices[wm_cuda_thread()->device];
}
// Makes it another, without a word to the driver API. Returns what it was.
uint32_t wm_cuda_use_device(uint32_t device);
// cudaErrorInvalidDevice for a number that is none.
static inline wm_cuda_status wm_cuda_check_device(const struct wm_cuda_process *process, int device)
{
    return device >= 0 && (uint32_t)device < process->device_count ? cudaSuccess
                                                                   : cudaErrorInvalidDevice;
}
static inline bool wm_cuda_is_default(const struct wm_cuda_process *process,
                                      const struct wm_cuda_stream *stream)
{
    return stream == &process->devices[stream->device].default_stream;
}
// The calling thread's default stream of its device, which is made at its first use and goes with
// the thread; NULL without memory. With the process locked.
struct wm_cuda_stream *wm_cuda_stream_of_thread(struct wm_cuda_process *process);

// The process, locked, without making a device: for registration. Never fails.
struct wm_cuda_process *wm_cuda_lock(void);
void wm_cuda_unlock(struct wm_cuda_process *process);

// Makes the device before the program's first call, for host threads that take turns with it.
// NULL when it could not be made, or was before.
struct wm_cuda_process *wm_cuda_start(const struct wm_host_threads *threads);

// Enters an API function that needs the device: makes it if need be and locks. Not cudaSuccess
// when there is none, when it has faulted, in a fork's child, after the library has closed, or on
// the worker thread (a host function may not call the API): *process is then NULL.
wm_cuda_status wm_cuda_enter(struct wm_cuda_process **process);
// The same for functions that still work after a fault.
wm_cuda_status wm_cuda_enter_even_faulted(struct wm_cuda_process **process);
// Unlocks (process may be NULL), remembers an error as the thread's last, and returns it.
wm_cuda_status wm_cuda_leave(struct wm_cuda_process *process, wm_cuda_status status);
// Remembers an error as the thread's last, and returns it.
wm_cuda_status wm_cuda_set_last_error(wm_cuda_status status);

// Waits for a command, prints what kernels up to it printed, publishes a fault that happened up to
// it, and releases what cudaFreeAsync left; returns the sticky error. Locked.
wm_cuda_status wm_cuda_wait(struct wm_cuda_process *process, uint64_t sequence);
// wm_cuda_leave for a function that queries whether a command is done: 600 when it is not. A
// `status` that is no success is returned as it is.
wm_cuda_status wm_cuda_leave_query(struct wm_cuda_process *process, wm_cuda_status status,
                                   uint64_t sequence);
wm_cuda_status wm_cuda_wait_all(struct wm_cuda_process *process);
// The same for the work of the current device alone.
wm_cuda_status wm_cuda_wait_device(struct wm_cuda_process *process);
// The same in in-order mode, when the program waits for less: a recording has that alone.
wm_cuda_status wm_cuda_wait_in_order(struct wm_cuda_process *process);

// Everything that the process holds on the current device is dropped (cudaDeviceReset); where
// others were used, but graphs, textures and arrays. Locked.
void wm_cuda_reset(struct wm_cuda_process *process);

// Prints "warpmem: " and the error on stderr. Needs no lock.
void wm_cuda_print_error(const struct wm_error *error);
// The CUDA code for a failure of a lower room.
wm_cuda_status wm_cuda_status_of(const struct wm_error *error);

#endif
