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
    uint32_t number;
    pthread_t thread;
};

// How many of a thread's items have been taken, by itself or others.
struct share {
    _Alignas(64) _Atomic uint32_t taken;
};

struct wm_clock_team {
    wm_clock_team_run_item *run;
    void *context;
    uint32_t threads, looks, count;
    struct worker *workers;               // owned: threads - 1, the caller being thread 0
    struct share *shares;                 // owned, by thread
    _Alignas(64) _Atomic uint32_t window; // counts windows begun
    _Alignas(64) _Atomic uint32_t done;   // threads that are done with it, but thread 0
    _Atomic bool stopped;
};

// Its own items first.
static void run_items(struct wm_clock_team *team, uint32_t number)
{
    for (uint32_t i = 0; i < team->threads; i++) {
        uint32_t owner = (number + i) % team->threads, item;
        struct share *share = &team->shares[owner];
        while ((item = owner + atomic_fetch_add_explicit(&share->taken, 1, memory_order_relaxed) *
                                   team->threads) < team->count)
            team->run(team->context, item, number);
    }
}

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
        run_items(team, worker->number);
        atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
    }
}

enum wm_status wm_clock_team_new(uint32_t threads, wm_clock_team_run_item *run, void *context,
                                 struct wm_clock_team **result, struct wm_error *error)
{
    struct wm_clock_team *team = aligned_alloc(64, (sizeof *team + 63) / 64 * 64);
    *result = NULL;
    if (team == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory for threads");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *team = (struct wm_clock_team){.run = run, .context = context, .threads = 1};
    team->looks = processors >= (long)threads ? LOOKS : LOOKS_CROWDED;
    team->workers = calloc(threads, sizeof *team->workers);
    team->shares = aligned_alloc(64, threads * sizeof *team->shares);
    if (team->workers == NULL || team->shares == NULL) {
        free(team->workers);
        free(team->shares);
        free(team);
        return wm_fail(error, WM_NO_MEMORY, "no memory for threads");
    }
    while (team->threads < threads) {
        struct worker *worker = &team->workers[team->threads - 1];
        *worker = (struct worker){.team = team, .number = team->threads};
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            break;
        team->threads++;
    }
    *result = team;
    return WM_OK;
}

void wm_clock_team_free(struct wm_clock_team *team)
{
    if (team == NULL)
        return;
    atomic_store(&team->stopped, true);
    for (uint32_t i = 0; i + 1 < team->threads; i++)
        pthread_join(team->workers[i].thread, NULL);
    free(team->workers);
    free(team->shares);
    free(team);
}

uint32_t wm_clock_team_threads(const struct wm_clock_team *team)
{
    return team->threads;
}

void wm_clock_team_run(struct wm_clock_team *team, uint32_t count)
{
    if (team->threads == 1) {
        for (uint32_t item = 0; item < count; item++)
            team->run(team->context, item, 0);
        return;
    }
    team->count = count;
    for (uint32_t i = 0; i < team->threads; i++)
        atomic_store_explicit(&team->shares[i].taken, 0, memory_order_relaxed);
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&team->window, 1, memory_order_release);
    run_items(team, 0);
    for (uint32_t looks = 1;
         atomic_load_explicit(&team->done, memory_order_acquire) != team->threads - 1; looks++)
        relax(team, looks);
}
