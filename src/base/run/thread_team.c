#include "base/run/thread_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A window takes microseconds: a thread that waits looks again for a while, for a shorter one where
// there are more threads than processors; then lets others run, some times; and then sleeps, for
// the thread that it waits for runs on no processor, most likely because others have them all.
enum { LOOKS = 1000, LOOKS_CROWDED = 20, YIELDS = 4 };

struct worker {
    struct wm_thread_team *team;
    uint32_t number;
    pthread_t thread;
};

// How many of a thread's items have been taken, by itself or others, and behind that, in the upper
// half, the number of the round. Who comes late to one finds them all taken, or takes one of the
// next, which is as well: the number says what it is of.
struct share {
    _Alignas(128) _Atomic uint64_t taken;
};

// Threads that sleep until a condition holds. The thread that makes it hold looks then whether any
// sleeps; one that is to sleep says so first, and looks then whether it holds: one of both sees the
// other.
struct sleepers {
    _Alignas(128) _Atomic uint32_t count;
    pthread_cond_t woken; // with the team's mutex
};

struct wm_thread_team {
    const struct wm_thread_team_step *steps;
    void *context;
    uint32_t threads, looks;
    struct worker *workers;               // owned: threads - 1, the caller being thread 0
    struct share *shares;                 // owned, by thread
    _Alignas(128) _Atomic uint32_t round; // of the last one begun
    _Atomic bool stopped;
    _Alignas(128) _Atomic uint32_t done; // items of the round
    struct sleepers for_round, for_done; // the workers; the caller
    pthread_mutex_t mutex;
};

enum { STEPS_MASK = 1 };
_Static_assert(WM_THREAD_TEAM_STEPS == STEPS_MASK + 1, "a round's number says which step it is of");

// The item that is number `at` of those of thread `owner`.
static uint32_t item_of(const struct wm_thread_team *team, const struct wm_thread_team_step *step,
                        uint32_t owner, uint32_t at)
{
    uint32_t chunk = step->chunk;
    return (owner + at / chunk * team->threads) * chunk + at % chunk;
}

uint32_t wm_thread_team_owner(const struct wm_thread_team *team, uint32_t step, uint32_t item)
{
    return item / team->steps[step].chunk % team->threads;
}

// --- Waiting ---

static void wake(struct wm_thread_team *team, struct sleepers *sleepers)
{
    if (atomic_load(&sleepers->count) == 0)
        return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&sleepers->woken);
    pthread_mutex_unlock(&team->mutex);
}

// Sleeps until `*value` equals `awaited` or, with `other`, differs from it.
static void sleep_until(struct wm_thread_team *team, struct sleepers *sleepers,
                        _Atomic uint32_t *value, uint32_t awaited, bool other)
{
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&sleepers->count, 1);
    while ((atomic_load(value) == awaited) == other)
        pthread_cond_wait(&sleepers->woken, &team->mutex);
    atomic_fetch_sub(&sleepers->count, 1);
    pthread_mutex_unlock(&team->mutex);
}

static void wait_until(struct wm_thread_team *team, struct sleepers *sleepers,
                       _Atomic uint32_t *value, uint32_t awaited, bool other)
{
    for (uint32_t looks = 1;
         (atomic_load_explicit(value, memory_order_acquire) == awaited) == other; looks++) {
        if (looks > (YIELDS + 1) * team->looks)
            sleep_until(team, sleepers, value, awaited, other);
        else if (looks % team->looks == 0)
            sched_yield();
#if defined(__x86_64__)
        else
            __builtin_ia32_pause();
#endif
    }
}

// --- Rounds ---

// Its own items first.
static void run_items(struct wm_thread_team *team, uint32_t number)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < team->threads; i++) {
        uint32_t owner = (number + i) % team->threads;
        struct share *share = &team->shares[owner];
        for (;;) {
            uint64_t taken = atomic_fetch_add_explicit(&share->taken, 1, memory_order_acquire);
            const struct wm_thread_team_step *step = &team->steps[taken >> 32 & STEPS_MASK];
            uint32_t item = item_of(team, step, owner, (uint32_t)taken);
            if (item >= step->count)
                break;
            step->run(team->context, item, number);
            done++;
        }
    }
    if (done == 0)
        return;
    atomic_fetch_add(&team->done, done);
    wake(team, &team->for_done);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct wm_thread_team *team = worker->team;
    for (uint32_t seen = 0;;) {
        wait_until(team, &team->for_round, &team->round, seen, true);
        seen = atomic_load_explicit(&team->round, memory_order_acquire);
        if (atomic_load_explicit(&team->stopped, memory_order_relaxed))
            return NULL;
        run_items(team, worker->number);
    }
}

enum wm_status wm_thread_team_new(uint32_t threads, const struct wm_thread_team_step *steps,
                                  void *context, struct wm_thread_team **result,
                                  struct wm_error *error)
{
    struct wm_thread_team *team = aligned_alloc(128, sizeof *team);
    *result = NULL;
    if (team == NULL)
        return wm_fail_no_memory(error, "threads");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *team = (struct wm_thread_team){.steps = steps, .context = context, .threads = 1};
    team->looks = processors >= (long)threads ? LOOKS : LOOKS_CROWDED;
    team->workers = calloc(threads, sizeof *team->workers);
    team->shares = aligned_alloc(128, threads * sizeof *team->shares);
    if (team->workers == NULL || team->shares == NULL) {
        free(team->workers);
        free(team->shares);
        free(team);
        return wm_fail_no_memory(error, "threads");
    }
    memset(team->shares, 0x7f, threads * sizeof *team->shares); // all taken
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->for_round.woken, NULL);
    pthread_cond_init(&team->for_done.woken, NULL);
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

void wm_thread_team_free(struct wm_thread_team *team)
{
    if (team == NULL)
        return;
    atomic_store_explicit(&team->stopped, true, memory_order_relaxed);
    atomic_fetch_add(&team->round, WM_THREAD_TEAM_STEPS);
    wake(team, &team->for_round);
    for (uint32_t i = 0; i + 1 < team->threads; i++)
        pthread_join(team->workers[i].thread, NULL);
    pthread_cond_destroy(&team->for_round.woken);
    pthread_cond_destroy(&team->for_done.woken);
    pthread_mutex_destroy(&team->mutex);
    free(team->workers);
    free(team->shares);
    free(team);
}

uint32_t wm_thread_team_threads(const struct wm_thread_team *team)
{
    return team->threads;
}

void wm_thread_team_run(struct wm_thread_team *team, uint32_t step)
{
    const struct wm_thread_team_step *it = &team->steps[step];
    if (team->threads == 1) {
        for (uint32_t item = 0; item < it->count; item++)
            it->run(team->context, item, 0);
        return;
    }
    uint32_t round = atomic_load_explicit(&team->round, memory_order_relaxed);
    round = (round & ~(uint32_t)STEPS_MASK) + WM_THREAD_TEAM_STEPS + step;
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < team->threads; i++)
        atomic_store_explicit(&team->shares[i].taken, (uint64_t)round << 32, memory_order_release);
    atomic_store(&team->round, round);
    wake(team, &team->for_round);
    run_items(team, 0);
    wait_until(team, &team->for_done, &team->done, it->count, false);
}
