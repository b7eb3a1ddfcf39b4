// The device's queue: one worker thread executes its commands.
//
// In-order mode, which a program with one stream keeps: the worker executes one command at a time,
// in the order in which the program issued them, whatever their stream, as soon as it can. That is
// one of the orders that CUDA allows.
//
// Concurrent mode (`side_by_side`: wm_cuda_queue_run_side_by_side, docs/streams.md): a command
// begins when the commands that it is ordered behind have ended, and several may be under way. The
// device then runs only while a host thread waits for it: all that the host issues between two
// waits is in the queue when the device runs again, so results do not depend on the host's speed.
//
// Turns with host threads (`threads`: wm_cuda_queue_take_turns, base/run/host_threads.h):
// concurrent mode in which the worker runs only within wm_cuda_queue_turn, while the host thread
// that calls it stands still; host threads that wait give their turns away.
//
// A turn of the engine is what it executes between two points at which the host may change the
// allocation table (wm_session_options.at_safe_point).
//
// Every function is called with the owner's mutex held. The worker runs commands without it.
#ifndef WM_CUDA_DEVICE_QUEUE_H
#define WM_CUDA_DEVICE_QUEUE_H

#include "base/run/host_threads.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In in-order mode, for a recording: what a command would be ordered behind in concurrent mode.
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
    // Concurrent mode, of commands during which others may run, else NULL: `begin` starts it, as
    // `execute` does; `has_ended`, with the mutex held, returns whether it has ended.
    void (*begin)(struct wm_cuda_command *command, void *owner);
    bool (*has_ended)(struct wm_cuda_command *command, void *owner);
    // Frees the command; called with the mutex held, NULL for free().
    void (*release)(struct wm_cuda_command *command);
    // Reads or writes device memory: the allocation table must not change meanwhile but between
    // two turns. Host functions do not: they may wait for other host threads.
    bool uses_memory;
    // Estimated device time in picoseconds. The queue sets both to the time at which the command
    // may begin; its execution advances `end_ps`.
    uint64_t begin_ps, end_ps;
    // For a recorded order: the command is not in it; or it waits for what another command may do.
    bool excluded_from_order, ended_by_others;
    struct wm_cuda_order_record *note; // the queue's; NULL: none is kept
    // The queue's: commands that wait for this one, and the number that this one waits for.
    struct wm_cuda_command **behind; // owned
    uint32_t behind_count, behind_room, waits_for;
    bool under_way;
    bool awaits_core; // and for the core of the thread that has issued it: one of `waits_for`
};

// Callbacks of the queue to its owner in concurrent mode.
struct wm_cuda_queue_owner {
    void *context; // handed to commands, and to these
    // The worker, without the mutex: one step of the engine for all launches under way. False when
    // there are none.
    bool (*step)(void *context);
    // With the mutex: whether the host can see the device's progress without a call, through memory
    // that both access.
    bool (*is_watched)(void *context);
    // The worker, without the mutex: host threads' accesses go through the machine's CPU cores.
    void (*access)(void *context, const struct wm_host_access *accesses, size_t count);
    // In time, likewise: a step of the engine, unless the turn has ended.
    enum wm_host_device_state (*advance)(void *context, struct wm_host_device_turn *turn);
    // The worker, without the mutex, before it executes a command that has a note.
    void (*note)(void *context, const struct wm_cuda_command *command);
};

struct wm_cuda_sequences {
    uint64_t *items; // owned
    size_t count, capacity;
};

struct wm_cuda_waiter;

// What a host thread has accessed, then the device's turn.
struct wm_cuda_turn {
    const struct wm_host_access *accesses; // borrowed
    size_t count;
    bool runs;                           // false: the accesses alone
    bool completed;                      // set: a command has
    struct wm_host_device_turn *in_time; // borrowed; NULL: the engine keeps no time
    enum wm_host_device_state state;     // set, in time
};

struct wm_cuda_queue {
    pthread_mutex_t *mutex; // borrowed
    struct wm_cuda_queue_owner owner;
    pthread_t worker;
    bool started, stopping;
    struct wm_cuda_command *head, *tail; // that have not ended
    uint32_t pending;                    // their number
    uint64_t issued, completed; // sequence numbers; all commands up to `completed` have completed
    struct wm_cuda_command *insert; // the worker inserts commands behind this; NULL: it does not
    uint64_t insert_sequence;
    pthread_cond_t work, progress;
    bool side_by_side;
    uint64_t in_order_until; // commands up to this run one after the other all the same
    uint64_t fence;          // the last that all later ones are ordered behind
    bool records_order;      // in-order mode, with the order of concurrent mode in each `note`
    // With records_order: commands that the host knows have completed, since the last push.
    uint64_t ended_up_to;
    struct wm_cuda_sequences ended;
    bool host_polls_idle; // is_watched, and the host has issued nothing for long
    struct wm_cuda_waiter *waiters;
    uint64_t time_ps; // estimated device time: the last end so far
    bool in_memory;   // the worker runs a command that uses memory
    bool paused;      // … and has stopped between two turns while pause_wanted is not 0
    atomic_int pause_wanted;
    const struct wm_host_threads *threads; // borrowed; NULL: host threads take no turns
    bool one_at_a_time;        // of turns: a command begins when all before it have ended
    struct wm_cuda_turn *turn; // borrowed: under way
    sem_t turn_begins, turn_ends;
    uint64_t completions; // commands that have completed so far
};

void wm_cuda_queue_init(struct wm_cuda_queue *queue, pthread_mutex_t *mutex,
                        const struct wm_cuda_queue_owner *owner);
// Concurrent mode for all commands pushed from now on.
void wm_cuda_queue_run_side_by_side(struct wm_cuda_queue *queue);
// Commands pushed from now on get a note of their order in concurrent mode; the mode stays
// in-order. Commands pushed before count as completed.
void wm_cuda_queue_record_order(struct wm_cuda_queue *queue);
// The host knows that the command has completed, or all up to it. Does nothing without a recorded
// order. False when out of memory.
bool wm_cuda_queue_note_end(struct wm_cuda_queue *queue, uint64_t sequence);
void wm_cuda_queue_note_end_of_all(struct wm_cuda_queue *queue, uint64_t sequence);
bool wm_cuda_sequences_add(struct wm_cuda_sequences *list, uint64_t sequence);
// Takes the command over and returns its sequence number, or 0 when no worker could be started or
// the host is out of memory (the command is then released). It is ordered behind all commands
// issued before, and all issued later behind it. Waits for space as wm_cuda_queue_make_room.
uint64_t wm_cuda_queue_push(struct wm_cuda_queue *queue, struct wm_cuda_command *command);
// Waits while as many commands are pending as make a driver wait. Releases the mutex meanwhile:
// other threads may push, so the caller decides the command's order after this.
void wm_cuda_queue_make_room(struct wm_cuda_queue *queue);
// As wm_cuda_queue_push, but ordered behind the commands of these numbers alone; 0 and completed
// ones are allowed. Does not wait: wm_cuda_queue_make_room was called before.
uint64_t wm_cuda_queue_push_behind(struct wm_cuda_queue *queue, struct wm_cuda_command *command,
                                   const uint64_t *sequences, size_t count);
// Releases a command that is not going to be pushed. Returns 0.
uint64_t wm_cuda_queue_give_up(struct wm_cuda_queue *queue, struct wm_cuda_command *command);
// Between begin and end the worker, in a command's `execute` and with the mutex held, pushes
// commands that run right after that one and have completed when it has, all of them.
void wm_cuda_queue_insert_begin(struct wm_cuda_queue *queue, struct wm_cuda_command *after);
void wm_cuda_queue_insert_end(struct wm_cuda_queue *queue, struct wm_cuda_command *after);
bool wm_cuda_queue_has_completed(const struct wm_cuda_queue *queue, uint64_t sequence);
// Returns when the command has completed (in in-order mode, and every one before it). Never called
// by the worker itself.
void wm_cuda_queue_wait(struct wm_cuda_queue *queue, uint64_t sequence);
// Returns when every command up to `sequence` has completed.
void wm_cuda_queue_wait_for_all(struct wm_cuda_queue *queue, uint64_t sequence);
// A host thread polls: whether the command has completed. If not, in concurrent mode the device
// runs a fixed number of steps.
bool wm_cuda_queue_query(struct wm_cuda_queue *queue, uint64_t sequence);
// A host thread waits for something that is no command of the queue: in concurrent mode the device
// runs as in wm_cuda_queue_query, or a tenth of a second when a host function takes longer, which
// may be waiting for that thread. False when the device is idle, or runs without being waited for.
bool wm_cuda_queue_advance(struct wm_cuda_queue *queue);
// From now on host threads and the device take turns. Before the first push. False when no worker
// could be started. `one_at_a_time`: as for a recording, commands run one after the other, in the
// order of their issue.
bool wm_cuda_queue_take_turns(struct wm_cuda_queue *queue, const struct wm_host_threads *threads,
                              bool one_at_a_time);
// The host thread that has the turn hands it to the device, and returns when that has had it.
void wm_cuda_queue_turn(struct wm_cuda_queue *queue, struct wm_cuda_turn *turn);
// In time: the core of the thread that has issued the command has come to where it did.
void wm_cuda_queue_let_begin(struct wm_cuda_queue *queue, uint64_t sequence);
bool wm_cuda_queue_is_worker(const struct wm_cuda_queue *queue);
// Between begin and end no command accesses the allocation table: the worker is idle, runs a host
// function, or has stopped between two turns of a kernel.
void wm_cuda_queue_pause_begin(struct wm_cuda_queue *queue);
void wm_cuda_queue_pause_end(struct wm_cuda_queue *queue);
// The worker, between two turns of a kernel and without the mutex: stops while a pause is wanted.
void wm_cuda_queue_at_safe_point(struct wm_cuda_queue *queue);
// Finishes what is queued and ends the worker.
void wm_cuda_queue_stop(struct wm_cuda_queue *queue);

#endif
