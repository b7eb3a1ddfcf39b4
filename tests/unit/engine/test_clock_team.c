// The clock engine's threads: whoever comes when, each item of each round is run once, and a round
// is over when all of its items have been run.
#include "base/run/thread_team.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { MOST_ITEMS = 40, MOST_THREADS = 8 };

struct rounds {
    _Atomic uint32_t runs[WM_THREAD_TEAM_STEPS][MOST_ITEMS];
    // Written by one thread and read by the next, as islands are: no atomics.
    uint64_t sums[MOST_ITEMS];
    uint32_t slow; // the thread that is slow
    _Atomic uint32_t ran[MOST_THREADS];
    _Atomic bool beyond;
};

static void run_first(void *context, uint32_t item, uint32_t thread)
{
    struct rounds *rounds = context;
    rounds->beyond |= item >= MOST_ITEMS || thread >= MOST_THREADS;
    rounds->runs[0][item]++;
    rounds->sums[item] = 3 * rounds->sums[item] + item;
    if (thread == rounds->slow)
        sched_yield();
}

// Of two neighbours' of the first step.
static void run_second(void *context, uint32_t item, uint32_t thread)
{
    struct rounds *rounds = context;
    rounds->beyond |= thread >= MOST_THREADS;
    rounds->runs[1][item]++;
    rounds->sums[2 * item] += rounds->sums[2 * item + 1];
}

static uint64_t expected_sum(uint32_t item, uint32_t windows)
{
    uint64_t sums[2] = {0, 0};
    for (uint32_t window = 0; window < windows; window++) {
        for (uint32_t i = 0; i < 2; i++)
            sums[i] = 3 * sums[i] + (item & ~1U) + i;
        sums[0] += sums[1];
    }
    return sums[item & 1];
}

static void check_rounds(uint32_t threads, uint32_t chunk, uint32_t slow)
{
    enum { WINDOWS = 300, SECOND = MOST_ITEMS / 2 };
    struct rounds rounds = {.slow = slow};
    struct wm_thread_team *team;
    struct wm_error error;
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS] = {
        {.run = run_first, .count = MOST_ITEMS, .chunk = chunk},
        {.run = run_second, .count = SECOND, .chunk = 1},
    };
    cr_assert_eq(wm_thread_team_new(threads, steps, &rounds, &team, &error), WM_OK);
    for (uint32_t window = 1; window <= WINDOWS; window++) {
        wm_thread_team_run(team, 0);
        for (uint32_t item = 0; item < MOST_ITEMS; item++)
            cr_assert_eq(rounds.runs[0][item], window, "%u threads: item %u", threads, item);
        wm_thread_team_run(team, 1);
        for (uint32_t item = 0; item < SECOND; item++)
            cr_assert_eq(rounds.runs[1][item], window, "%u threads: item %u", threads, item);
    }
    for (uint32_t item = 0; item < MOST_ITEMS; item++)
        cr_assert_eq(rounds.sums[item], expected_sum(item, WINDOWS));
    cr_assert_not(rounds.beyond);
    wm_thread_team_free(team);
}

Test(clock_team, runs_each_item_of_each_round_once)
{
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++) {
        check_rounds(threads, 1, MOST_THREADS);
        check_rounds(threads, 8, 1);
        check_rounds(threads, 7, 0);
    }
}

// Chunks of neighbours, and as many of each thread's as can be.
Test(clock_team, gives_neighbours_to_one_thread)
{
    struct wm_thread_team *team;
    struct wm_error error;
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS] = {
        {.run = run_first, .count = MOST_ITEMS, .chunk = 8},
        {.run = run_second, .count = 3, .chunk = 1},
    };
    cr_assert_eq(wm_thread_team_new(3, steps, NULL, &team, &error), WM_OK);
    uint32_t threads = wm_thread_team_threads(team);
    for (uint32_t item = 0; item < MOST_ITEMS; item++)
        cr_assert_eq(wm_thread_team_owner(team, 0, item), item / 8 % threads);
    for (uint32_t item = 0; item < 3; item++)
        cr_assert_eq(wm_thread_team_owner(team, 1, item), item % threads);
    wm_thread_team_free(team);
}

// --- Waiting for long ---

static void pause_for(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000 * microseconds}, NULL);
}

// Each item takes long enough for others to take some, and of the slow thread longer than anybody
// waits awake.
static void run_slowly(void *context, uint32_t item, uint32_t thread)
{
    struct rounds *rounds = context;
    pause_for(thread == rounds->slow ? 2000 : 300);
    rounds->runs[0][item]++;
    rounds->ran[thread]++;
}

// The caller sleeps while the slow one is at work, and all others do between the rounds: until each
// thread has had its part in some of these, for those who sleep on are not missed.
static void check_slow_rounds(uint32_t threads, uint32_t slow)
{
    enum { MOST_WINDOWS = 500, RUNS = 5 };
    struct rounds rounds = {.slow = slow};
    struct wm_thread_team *team;
    struct wm_error error;
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS] = {
        {.run = run_slowly, .count = threads, .chunk = 1},
        {.run = run_second, .count = 1, .chunk = 1},
    };
    cr_assert_eq(wm_thread_team_new(threads, steps, &rounds, &team, &error), WM_OK);
    uint32_t awake = 0;
    for (uint32_t window = 1; window <= MOST_WINDOWS && awake < threads; window++) {
        pause_for(2000);
        wm_thread_team_run(team, 0);
        for (uint32_t item = 0; item < threads; item++)
            cr_assert_eq(rounds.runs[0][item], window, "%u threads: item %u", threads, item);
        wm_thread_team_run(team, 1);
        cr_assert_eq(rounds.runs[1][0], window);
        awake = 0;
        for (uint32_t thread = 0; thread < threads; thread++)
            awake += rounds.ran[thread] >= RUNS;
    }
    cr_assert_eq(awake, wm_thread_team_threads(team), "some sleep on");
    wm_thread_team_free(team);
}

Test(clock_team, wakes_whoever_sleeps)
{
    for (uint32_t threads = 2; threads <= 3; threads++)
        for (uint32_t slow = 0; slow < threads; slow++)
            check_slow_rounds(threads, slow);
    struct wm_thread_team *team; // that ends while all of it sleeps
    struct wm_error error;
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS] = {{.run = run_slowly}};
    cr_assert_eq(wm_thread_team_new(3, steps, NULL, &team, &error), WM_OK);
    pause_for(5000);
    wm_thread_team_free(team);
}
