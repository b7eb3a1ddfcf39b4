// CPU threads of a program beside its kernels, both of one recording (docs/formats/recording.md): a
// command of the device is issued when its thread has come to that, and a thread goes on when what
// it waits for has completed. In the walk threads have the turns that they had when they were
// recorded, so that a replay does as a run does (docs/decisions/0022-live-threads.md). Private to
// engine/replay/.
#ifndef WM_ENGINE_REPLAY_PROGRAM_THREADS_H
#define WM_ENGINE_REPLAY_PROGRAM_THREADS_H

#include "engine/replay/cpu_cores.h"

#include <stdatomic.h>

struct wm_program_threads {
    struct wm_cpu_cores *cores; // borrowed, as the session
    struct wm_session *session;
    struct wm_recorded_device device;
    _Atomic uint8_t *issued; // owned; by command
    uint32_t last_command;
    bool numbers_launches;    // none has a command: launch n is command n + 1
    uint32_t completed_below; // commands with a lower number have completed
    uint64_t next_turn;
    bool waits; // the turn's thread, for a command
};

// Of cores that have begun. WM_NO_MEMORY; errors as wm_recording_next of `kernels`, which it reads
// to its end. Released in any case.
enum wm_status wm_program_threads_init(struct wm_program_threads *threads,
                                       struct wm_cpu_cores *cores, struct wm_recording *kernels,
                                       struct wm_session *session, struct wm_error *error);
void wm_program_threads_release(struct wm_program_threads *threads);

bool wm_program_threads_have_issued(const struct wm_program_threads *threads, uint32_t command);
// All commands below that have completed: threads that wait for these go on.
void wm_program_threads_completed(struct wm_program_threads *threads, uint32_t below);
// Whether they have turns, and have not had all of them.
bool wm_program_threads_have_turns(struct wm_program_threads *threads);
// The next turn, which the session's next step has; false: its thread waits. Then what came of it.
bool wm_program_threads_begin_turn(struct wm_program_threads *threads);
void wm_program_threads_end_turn(struct wm_program_threads *threads);
// Whether nothing happened in the last step, as they wait for commands.
bool wm_program_threads_are_stuck(struct wm_program_threads *threads);
bool wm_program_threads_have_ended(const struct wm_program_threads *threads);

#endif
