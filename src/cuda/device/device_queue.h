// The device's work: one worker thread takes commands from a queue. At first it runs them one after
// the other, in the order in which the program issued them, whatever their stream, and at once:
// one of the orders that CUDA allows, and one stream has no other.
//
// Side by side (wm_cuda_queue_run_side_by_side, docs/streams.md) a command may begin when those
// have ended that it is ordered behind, and several may be under way. The device then runs only
// while a host thread waits for it: what the host issues between two waits is all there when the
// device goes on, however long the host took, so that results do not depend on its speed.
//
// Every function is called with the owner's mutex held. The worker runs commands without it.
#ifndef WM_CUDA_DEVICE_QUEUE_H
#define WM_CUDA_DEVICE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In order: what a command would be behind side by side, for a recording.
struct wm_cuda_order_record {
    bool behind_all;
    // The host knew that these have completed: all up to a number, and others.
    uint64_t ended_up_to;
    size_t behind_count, ended_count;
    uint64_t sequences[]; // that it is behind, then those others
};

struct wm_cuda_command {
    struct wm_cuda_command *next; // the queue's, in order of issue
    uint64_t sequence; // from 1, in order of issue; those of one number complete together
    // Runs on the worker, without the mutex, to its end; frees nothing.
    void (*execute)(struct wm_cuda_command *command, void *owner);
    // Side by side, of commands that others may run beside, else NULL: begins it, as `execute`
    // does; and, with the mutex held, says whether it has ended.
    void (*begin)(struct wm_cuda_command *command, void *owner);
    bool (*has_ended)(struct wm_cuda_command *command, void *owner);
    // Frees the command; called with the mutex held, NULL for free().
    void (*release)(struct wm_cuda_command *command);
    // Reads or writes device memory: the allocation table must not change meanwhile but between
    // two turns of the engine. Host functions do not: they may wait for other host threads.
    bool uses_memory;
    // Estimated device time in picoseconds. The queue sets both to when it may begin, and those who
    // execute it move `end_ps` on.
    uint64_t begin_ps, end_ps;
    // Where the order is noted: it is in none; or what it waits for, another command may do.
    bool orders_nothing, behind_others;
    struct wm_cuda_order_record *note; // the queue's; NULL: none is kept
    // The queue's: commands that wait for this one's end, and how many it waits for itself.
    struct wm_cuda_command **behind; // owned
    uint32_t behind_count, behind_room, waits_for;
    bool under_way;
};

// What the queue needs of its owner, side by side.
struct wm_cuda_queue_owner {
    void *context; // handed to commands, and to these
    // The worker, without the mutex: one step of all that commands have begun in the engine. False
    // when that is nothing.
    bool (*step)(void *context);
    // With the mutex: whether the host can see what the device does without a call that waits, by
    // memory that both reach.
    bool (*is_watched)(void *context);
    // The worker, without the mutex: a command that has a note is about to run.
    void (*note)(void *context, const struct wm_cuda_command *command);
};

struct wm_cuda_sequences {
    uint64_t *items; // owned
    size_t count, capacity;
};

struct wm_cuda_waiter;

struct wm_cuda_queue {
    pthread_mutex_t *mutex; // borrowed
    struct wm_cuda_queue_owner owner;
    pthread_t worker;
    bool started, stopping;
    struct wm_cuda_command *head, *tail; // that have not ended
    uint32_t pending;                    // how many these are
    uint64_t issued, completed; // sequence numbers; of the latter: all up to that have completed
    struct wm_cuda_command *insert; // the worker inserts commands behind this; NULL: it does not
    uint64_t insert_sequence;
    pthread_cond_t work, progress;
    bool side_by_side;
    uint64_t in_order_until; // commands up to this run one after the other all the same
    uint64_t fence;          // the last that all later ones are ordered behind
    bool keeps_order;        // in order, and notes what would be behind what side by side
    // While it does: commands that the host knows have completed, since one was pushed last.
    uint64_t ended_up_to;
    struct wm_cuda_sequences ended;
    bool unwatched_for_long; // the host watches, and has issued nothing for long
    struct wm_cuda_waiter *waiters;
    uint64_t time_ps; // estimated device time: the last end so far
    bool in_memory;   // the worker runs a command that uses memory
    bool paused;      // … and stands between two turns until nobody wants a pause any more
    atomic_int pause_wanted;
};

void wm_cuda_queue_init(struct wm_cuda_queue *queue, pthread_mutex_t *mutex,
                        const struct wm_cuda_queue_owner *owner);
// What is pushed from now on may run side by side.
void wm_cuda_queue_run_side_by_side(struct wm_cuda_queue *queue);
// What is pushed from now on has a note of what it would be behind if it might, in order all the
// same. What was pushed before has completed for all of it.
void wm_cuda_queue_record_order(struct wm_cuda_queue *queue);
// The host knows that the command has completed, or all up to it. Nothing where no order is kept.
// False when out of memory.
bool wm_cuda_queue_note_end(struct wm_cuda_queue *queue, uint64_t sequence);
void wm_cuda_queue_note_end_of_all(struct wm_cuda_queue *queue, uint64_t sequence);
bool wm_cuda_sequences_add(struct wm_cuda_sequences *list, uint64_t sequence);
// Takes the command over and returns its sequence number, or 0 when no worker could be started or
// the host is out of memory (the command is then released). It is ordered behind all that was
// issued, and all that is issued later behind it. Waits for room as wm_cuda_queue_make_room.
uint64_t wm_cuda_queue_push(struct wm_cuda_queue *queue, struct wm_cuda_command *command);
// Waits while so many commands are pending that a driver would wait, too. Without the mutex: other
// threads may push meanwhile, so that what a command is ordered behind is found out after this.
void wm_cuda_queue_make_room(struct wm_cuda_queue *queue);
// As wm_cuda_queue_push, ordered behind commands of these numbers alone; 0 and those that have
// completed are allowed. Does not wait: wm_cuda_queue_make_room was called before.
uint64_t wm_cuda_queue_push_behind(struct wm_cuda_queue *queue, struct wm_cuda_command *command,
                                   const uint64_t *sequences, size_t count);
// A command that nothing is to be done with after all is released. Returns 0.
uint64_t wm_cuda_queue_give_up(struct wm_cuda_queue *queue, struct wm_cuda_command *command);
// Between begin and end the worker, in a command's `execute` and with the mutex held, pushes
// commands that run right after that one and have completed when it has, all of them.
void wm_cuda_queue_insert_begin(struct wm_cuda_queue *queue, struct wm_cuda_command *after);
void wm_cuda_queue_insert_end(struct wm_cuda_queue *queue, struct wm_cuda_command *after);
bool wm_cuda_queue_has_completed(const struct wm_cuda_queue *queue, uint64_t sequence);
// Returns when the command has completed, and in order every one before it. Never called by the
// worker itself.
void wm_cuda_queue_wait(struct wm_cuda_queue *queue, uint64_t sequence);
// Returns when every command up to `sequence` has completed.
void wm_cuda_queue_wait_for_all(struct wm_cuda_queue *queue, uint64_t sequence);
// A host thread asks whether the command has completed. Side by side the device goes on a little
// when it has not, the same way each time.
bool wm_cuda_queue_query(struct wm_cuda_queue *queue, uint64_t sequence);
// A host thread waits for what no command of the queue says: side by side the device goes on as
// long as in a question, or a tenth of a second where a host function takes longer, which may be
// waiting for that thread. False when it has nothing to do, or goes on without being waited for.
bool wm_cuda_queue_advance(struct wm_cuda_queue *queue);
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
