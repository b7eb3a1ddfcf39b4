// The device's work, in the order in which the program issued it: one worker thread takes commands
// from a queue, whatever their stream. A serial order of issue is one of the orders CUDA allows
// (streams promise no concurrency, and events recorded earlier have completed earlier), it is the
// same on every run, and it lets a launch return before the kernel ends.
//
// Every function is called with the owner's mutex held. The worker runs `execute` without it.
#ifndef WM_CUDA_DEVICE_QUEUE_H
#define WM_CUDA_DEVICE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct wm_cuda_command {
    struct wm_cuda_command *next; // the queue's
    uint64_t sequence; // from 1, in order of issue; those of one number complete together
    // Runs on the worker, without the mutex; frees nothing.
    void (*execute)(struct wm_cuda_command *command, void *owner);
    // Frees the command; called with the mutex held, NULL for free().
    void (*release)(struct wm_cuda_command *command);
    // Reads or writes device memory: the allocation table must not change meanwhile but between
    // two turns of the engine. Host functions do not: they may wait for other host threads.
    bool uses_memory;
};

struct wm_cuda_queue {
    pthread_mutex_t *mutex; // borrowed
    void *owner;            // handed to execute
    pthread_t worker;
    bool started, stopping;
    struct wm_cuda_command *head, *tail;
    uint64_t issued, completed;      // sequence numbers
    struct wm_cuda_command **insert; // where the worker inserts commands now; NULL: it does not
    uint64_t insert_sequence;
    pthread_cond_t work, progress;
    bool in_memory; // the worker runs a command that uses memory
    bool paused;    // … and stands between two turns until nobody wants a pause any more
    atomic_int pause_wanted;
};

void wm_cuda_queue_init(struct wm_cuda_queue *queue, pthread_mutex_t *mutex, void *owner);
// Takes the command over and returns its sequence number, or 0 when no worker could be started
// (the command is then released).
uint64_t wm_cuda_queue_push(struct wm_cuda_queue *queue, struct wm_cuda_command *command);
// Between begin and end the worker, in a command's `execute` and with the mutex held, pushes
// commands that run right after that one and have completed when it has, all of them.
void wm_cuda_queue_insert_begin(struct wm_cuda_queue *queue, const struct wm_cuda_command *after);
void wm_cuda_queue_insert_end(struct wm_cuda_queue *queue);
// Returns when every command up to `sequence` has completed. Never called by the worker itself.
void wm_cuda_queue_wait(struct wm_cuda_queue *queue, uint64_t sequence);
bool wm_cuda_queue_is_worker(const struct wm_cuda_queue *queue);
// Between begin and end no command looks at the allocation table: the worker is idle, runs a host
// function, or stands between two turns of a kernel.
void wm_cuda_queue_pause_begin(struct wm_cuda_queue *queue);
void wm_cuda_queue_pause_end(struct wm_cuda_queue *queue);
// The worker, between two turns of a kernel and without the mutex: lets those in who wait.
void wm_cuda_queue_between_turns(struct wm_cuda_queue *queue);
// Finishes what is queued and ends the worker.
void wm_cuda_queue_stop(struct wm_cuda_queue *queue);

#endif
