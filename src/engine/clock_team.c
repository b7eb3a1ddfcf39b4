#include "engine/clock_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

// A window takes microseconds: whoever waits looks again for a while before it lets others run,
// for a shorter one where there are more threads than processors.
enum { LOOKS = 2000, LOOKS_CROWDED = 20 };

struct worker {
    struct wm_clock_team *team;
    uint32_t part;
    pthread_t thread;
};

struct wm_clock_team {
    void (*run)(void *context, uint32_t part);
    void *context;
    uint32_t parts, looks;
    struct worker *workers;               // owned: parts - 1, the caller being part 0
    _Alignas(64) _Atomic uint32_t window; // counts windows begun
    _Alignas(64) _Atomic uint32_t done;   // parts of it that are done, but part 0
    _Atomic bool stopped;
};

static void relax(const struct wm_clock_team *team, uint32_t looks)
{
    if (looks % team->looks == 0)
        sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct wm_clock_team *team = worker->team;
    for (uint32_t window = 1;; window++) {
        for (uint32_t looks = 1;
             atomic_load_explicit(&team->window, memory_order_acquire) != window; looks++) {
            if (atomic_load_explicit(&team->stopped, memory_order_relaxed))
                return NULL;
            relax(team, looks);
        }
        team->run(team->context, worker->part);
        atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
    }
}

enum wm_status wm_clock_team_new(uint32_t threads, void (*run)(void *context, uint32_t part),
                                 void *context, struct wm_clock_team **result,
                                 struct wm_error *error)
{
    struct wm_clock_team *team = aligned_alloc(64, (sizeof *team + 63) / 64 * 64);
    *result = NULL;
    if (team == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory for threads");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *team = (struct wm_clock_team){.run = run, .context = context, .parts = 1};
    team->looks = processors >= (long)threads ? LOOKS : LOOKS_CROWDED;
    team->workers = calloc(threads, sizeof *team->workers);
    if (team->workers == NULL) {
        free(team);
        return wm_fail(error, WM_NO_MEMORY, "no memory for threads");
    }
    while (team->parts < threads) {
        struct worker *worker = &team->workers[team->parts - 1];
        *worker = (struct worker){.team = team, .part = team->parts};
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            break;
        team->parts++;
    }
    *result = team;
    return WM_OK;
}

void wm_clock_team_free(struct wm_clock_team *team)
{
    if (team == NULL)
        return;
    atomic_store(&team->stopped, true);
    for (uint32_t i = 0; i + 1 < team->parts; i++)
        pthread_join(team->workers[i].thread, NULL);
    free(team->workers);
    free(team);
}

uint32_t wm_clock_team_parts(const struct wm_clock_team *team)
{
    return team->parts;
}

void wm_clock_team_run(struct wm_clock_team *team)
{
    if (team->parts > 1) {
        atomic_store_explicit(&team->done, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&team->window, 1, memory_order_release);
    }
    team->run(team->context, 0);
    for (uint32_t looks = 1;
         atomic_load_explicit(&team->done, memory_order_acquire) != team->parts - 1; looks++)
        relax(team, looks);
}
