// Whether kernels wait for what none of them writes, as in a loop that loads a flag of the host's.
// A kernel that loops so comes back to the state that it was in. States are compared as Brent's
// algorithm finds a cycle (An Improved Monte Carlo Factorization Algorithm, BIT 20, 1980): with the
// last state whose number was a power of two.
//
// In time a step is too short for that: a warp may do nothing for longer, as it waits for memory.
// And one that sleeps waits for time alone.
#include "engine/session/session_state.h"

#include "engine/clock/clock.h"

enum {
    QUIET_STEPS = 256, // before states are looked at, which takes long
    REPEATS = 4,
    TIMED_STEPS = 128, // of a clock, that count as one
    TIMED_QUIET_STEPS = 8,
};

static uint64_t dram_bytes(const struct wm_session *session)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < session->dram_byte_count; i++)
        sum += *session->dram_bytes[i];
    return sum;
}

void wm_session_kernels_go_on(struct wm_session *session)
{
    session->waiting = (struct wm_waiting_kernels){
        .executed = session->executed, .spins = session->spins, .dram_bytes = dram_bytes(session)};
}

// A step in which no instruction may have waited, or bytes moved to or from DRAM, is one of kernels
// that go on.
static bool is_quiet(const struct wm_session *session)
{
    const struct wm_waiting_kernels *waiting = &session->waiting;
    bool may_wait = session->executed == waiting->executed || session->spins != waiting->spins;
    if (session->clock != NULL && wm_clock_any_sleeps(session->clock))
        return false;
    return may_wait && dram_bytes(session) == waiting->dram_bytes;
}

bool wm_session_kernels_wait(struct wm_session *session)
{
    struct wm_waiting_kernels *waiting = &session->waiting;
    bool timed = session->clock != NULL;
    uint64_t state;
    if (timed && ++waiting->timed_steps % TIMED_STEPS != 0)
        return false;
    if (!is_quiet(session)) {
        wm_session_kernels_go_on(session);
        return false;
    }
    waiting->executed = session->executed;
    waiting->spins = session->spins;
    if (++waiting->steps < (timed ? TIMED_QUIET_STEPS : QUIET_STEPS))
        return false;
    if (!wm_concurrent_launches_state(session, &state)) {
        wm_session_kernels_go_on(session);
        return false;
    }
    if ((waiting->steps & (waiting->steps - 1)) == 0) {
        waiting->noted = state;
        waiting->repeats = 0;
    } else {
        waiting->repeats += state == waiting->noted;
    }
    return waiting->repeats >= REPEATS;
}
