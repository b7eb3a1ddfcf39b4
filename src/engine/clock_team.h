// The threads that run the islands of a window together. Which thread runs which island has no
// influence on results: within a window islands do not see each other. One thread alone takes no
// lock and waits for nobody.
//
// Private to engine/.
#ifndef WM_ENGINE_CLOCK_TEAM_H
#define WM_ENGINE_CLOCK_TEAM_H

#include "base/error.h"

#include <stdint.h>

struct wm_clock_team;

// Called for each item of a window, in any order or at once, by thread `thread` of the team.
typedef void wm_clock_team_run_item(void *context, uint32_t item, uint32_t thread);

// `threads` is at least 1; fewer run when the host gives no more. WM_NO_MEMORY.
enum wm_status wm_clock_team_new(uint32_t threads, wm_clock_team_run_item *run, void *context,
                                 struct wm_clock_team **team, struct wm_error *error);
// Harmless on NULL.
void wm_clock_team_free(struct wm_clock_team *team);

// The threads that there are.
uint32_t wm_clock_team_threads(const struct wm_clock_team *team);
// Runs the items below `count` and returns when they are done. Item i is that of thread i modulo
// their number, in whose caches what it holds stays; who has no more of its own takes others'.
void wm_clock_team_run(struct wm_clock_team *team, uint32_t count);

#endif
