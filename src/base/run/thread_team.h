// Threads that do a step together: all items of it, in any order and at once. Which thread does
// which item has no influence on results where items do not see each other. One thread alone takes
// no lock and never waits.
#ifndef WM_BASE_RUN_THREAD_TEAM_H
#define WM_BASE_RUN_THREAD_TEAM_H

#include "base/error.h"

#include <stdint.h>

struct wm_thread_team;

enum { WM_THREAD_TEAM_STEPS = 2 };

// What is to be done for all items below `count`, in any order and at once: `run` is called for
// each, by thread `thread` of the team. A `chunk` of so many neighbours belongs to one thread.
struct wm_thread_team_step {
    void (*run)(void *context, uint32_t item, uint32_t thread);
    uint32_t count, chunk;
};

// `threads` is at least 1; fewer run when the host gives no more. WM_THREAD_TEAM_STEPS steps, which
// outlive it. WM_NO_MEMORY.
enum wm_status wm_thread_team_new(uint32_t threads, const struct wm_thread_team_step *steps,
                                  void *context, struct wm_thread_team **team,
                                  struct wm_error *error);
// Harmless on NULL.
void wm_thread_team_free(struct wm_thread_team *team);

// The threads that there are.
uint32_t wm_thread_team_threads(const struct wm_thread_team *team);
// The thread to which an item of a step belongs: it takes its own first, and what they hold stays
// in its caches; a thread that has no more of its own takes others'. So no thread is waited for but
// one that has begun an item, however late the host lets it run.
uint32_t wm_thread_team_owner(const struct wm_thread_team *team, uint32_t step, uint32_t item);
// Does one step and returns when it is done.
void wm_thread_team_run(struct wm_thread_team *team, uint32_t step);

#endif
