// What kernels read of time: %clock and its kin are the cycle of the SM that issues the
// instruction, %globaltimer the same in nanoseconds, both since the first launch began, launch
// latencies included. And warps that wait for time to pass: the rounds of such a loop are not all
// run.
#include "engine/clock/clock_state.h"

#include <stdlib.h>

enum { NANOSECONDS = 1000 * 1000 * 1000 };

// A round of a spin comes later by this part of the time that the spin has lasted, where that is
// more than a few cycles: as if it had gone round until then. So it ends too late by less than so
// much.
enum { SPIN_PART = 128 };

static uint64_t cycle(void *context, uint32_t sm)
{
    const struct wm_clock *clock = context;
    return clock->sms[sm].cycle + clock->sms[sm].pause + clock->launch_cycles;
}

static uint64_t nanoseconds(void *context, uint32_t sm)
{
    const struct wm_clock *clock = context;
    unsigned __int128 product = (unsigned __int128)cycle(context, sm) * NANOSECONDS;
    return (uint64_t)(product / clock->machine->device.clock_hz);
}

static void spins(void *context, uint32_t sm, uint64_t cycles)
{
    const struct wm_clock *clock = context;
    uint64_t pause = cycles / SPIN_PART;
    clock->sms[sm].pause = pause > WM_ISSUE_WHEEL ? pause : 0;
}

const struct wm_device_time *wm_clock_time(struct wm_clock *clock)
{
    clock->time = (struct wm_device_time){
        .cycle = cycle, .nanoseconds = nanoseconds, .spins = spins, .context = clock};
    return &clock->time;
}

// --- Warps that wait ---

enum wm_status wm_clock_sleep_init(struct wm_clock_sm *sm, struct wm_error *error)
{
    sm->sleep_due = WM_NEVER;
    sm->sleepers = calloc(sm->clock->machine->sm.max_warps, sizeof *sm->sleepers);
    return sm->sleepers != NULL ? WM_OK : wm_fail_no_memory(error, "an SM");
}

void wm_clock_sleep_release(struct wm_clock_sm *sm)
{
    free(sm->sleepers);
}

void wm_clock_sleep(struct wm_clock_sm *sm, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    sm->sleepers[sm->sleeper_count++] =
        (struct wm_clock_sleeper){.cycle = cycle, .slot = slot, .pc = pc};
    sm->sleep_due = wm_earlier(sm->sleep_due, cycle);
    sm->done_due = wm_earlier(sm->done_due, cycle);
    sm->memory_due = wm_earlier(sm->memory_due, cycle);
}

void wm_clock_sleep_abandon(struct wm_clock_sm *sm)
{
    sm->sleeper_count = 0;
    sm->sleep_due = WM_NEVER;
    sm->pause = 0;
}

bool wm_clock_any_sleeps(const struct wm_clock *clock)
{
    for (uint32_t i = 0; i < clock->sm_count; i++)
        if (clock->sms[i].sleeper_count != 0)
            return true;
    return false;
}

// In whatever order they wake in one cycle: schedulers choose among all that are ready.
void wm_clock_wake(struct wm_clock_sm *sm, uint64_t cycle)
{
    uint32_t left = 0;
    sm->sleep_due = WM_NEVER;
    for (uint32_t i = 0; i < sm->sleeper_count; i++) {
        struct wm_clock_sleeper sleeper = sm->sleepers[i];
        if (sleeper.cycle <= cycle) {
            wm_clock_sm_continue(sm, sleeper.slot, sleeper.pc, sleeper.cycle);
            continue;
        }
        sm->sleepers[left++] = sleeper;
        sm->sleep_due = wm_earlier(sm->sleep_due, sleeper.cycle);
    }
    sm->sleeper_count = left;
}
