// Programs that run at the same time, a few at once, each with its output in a file. They end
// when this process does, however it ends.
#ifndef WM_CLI_PROCESS_WORKER_POOL_H
#define WM_CLI_PROCESS_WORKER_POOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WM_MOST_WORKERS = 256 };

struct wm_worker_pool {
    struct wm_worker {
        pid_t pid; // 0: free
        uint32_t task;
        uint64_t begin_ns;
    } workers[WM_MOST_WORKERS];
    uint32_t limit, busy;
};

// A program that ended.
struct wm_worker_end {
    uint32_t task;
    int status, signal; // exit status; the signal that ended it, 0 for none
    double seconds;
};

void wm_worker_pool_init(struct wm_worker_pool *pool, uint32_t limit);
// Ends what still runs: by SIGTERM, and by SIGKILL what has not ended after two seconds.
void wm_worker_pool_release(struct wm_worker_pool *pool);

struct wm_worker_start {
    const char *path;             // of the program
    const char *const *arguments; // argv, NULL-terminated
    const char *folder;           // to run in; NULL: this one
    const char *log;              // takes standard output and error
};

// Starts a program; there must be a free worker. WM_IO when the system refuses.
enum wm_status wm_worker_start(struct wm_worker_pool *pool, uint32_t task,
                               const struct wm_worker_start *start, struct wm_error *error);
// Waits until one has ended, at most `timeout_ms`; false when none has.
bool wm_worker_wait(struct wm_worker_pool *pool, uint32_t timeout_ms, struct wm_worker_end *end);

// Of the clock that the ends are measured by.
uint64_t wm_worker_now_ns(void);

#endif
