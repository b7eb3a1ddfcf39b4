// Two levels (Narasiman et al., "Improving GPU performance via large warps and two-level warp
// scheduling", MICRO 2011; Gebhart et al., "Energy-efficient mechanisms for managing thread context
// in throughput processors", ISCA 2011, whose pools GPGPU-Sim's two_level_active follows): a few
// warps are active and take turns; the others are pending. An active warp that waits for memory or
// for its block makes room for the first pending one that can go on, and queues up behind the
// pending ones. So warps reach their long latencies at different times, not all at once.
//
// A warp whose turn the walk ends while it could go on queues up as well: it may spin for a pending
// one.
#include "sm/warp_scheduler/warp_ages.h"

#include <assert.h>
#include <string.h>

// The fetch groups of Narasiman et al., section 4.
enum { USUAL_POOL = 8 };

struct state {
    struct wm_warp_ages ages;
    uint32_t most_active;
    // The first `active` of the queue take turns, beginning with the first; the others are pending,
    // longest first. `count`: all of them, which have joined and not finished.
    uint32_t active, count;
    uint32_t *queue; // behind the ages
    uint64_t memory[];
};

static size_t state_bytes(uint32_t slots)
{
    return sizeof(struct state) + slots * (sizeof(uint64_t) + sizeof(uint32_t));
}

static void reset(void *opaque, uint32_t slots)
{
    struct state *state = opaque;
    wm_warp_ages_reset(&state->ages, state->memory, slots);
    state->most_active = USUAL_POOL;
    state->active = 0;
    state->count = 0;
    state->queue = (uint32_t *)(state->memory + slots);
}

static void limit(void *opaque, uint32_t warps)
{
    assert(warps > 0);
    ((struct state *)opaque)->most_active = warps;
}

// Its place in the queue; `count` when it is not there.
static uint32_t place_of(const struct state *state, uint32_t slot)
{
    uint32_t at = 0;
    while (at < state->count && state->queue[at] != slot)
        at++;
    return at;
}

static void move(uint32_t *queue, uint32_t from, uint32_t to)
{
    uint32_t slot = queue[from];
    if (from < to)
        memmove(queue + from, queue + from + 1, (to - from) * sizeof *queue);
    else
        memmove(queue + to + 1, queue + to, (from - to) * sizeof *queue);
    queue[to] = slot;
}

static void take_out(struct state *state, uint32_t slot)
{
    uint32_t at = place_of(state, slot);
    if (at == state->count)
        return;
    move(state->queue, at, --state->count);
    state->active -= at < state->active;
}

static void join(void *opaque, uint32_t slot)
{
    struct state *state = opaque;
    wm_warp_ages_join(&state->ages, slot);
    take_out(state, slot);
    state->queue[state->count++] = slot;
}

static void leave(void *opaque, uint32_t slot)
{
    take_out(opaque, slot);
    wm_warp_ages_leave(opaque, slot);
}

static bool is_ready(const uint64_t *ready, uint32_t slot)
{
    return (ready[slot / 64] >> (slot % 64) & 1) != 0;
}

// The first pending ones that can go on become active. A unit that is busy for a moment costs no
// warp its place: one that waits for it again and again would never come to its turn behind those
// that spin.
static void offer(void *opaque, const uint64_t *ready)
{
    struct state *state = opaque;
    for (uint32_t at = state->active; at < state->count && state->active < state->most_active; at++)
        if (is_ready(ready, state->queue[at]))
            move(state->queue, at, state->active++);
}

static int32_t pick(void *opaque, const uint64_t *ready, uint32_t slots)
{
    struct state *state = opaque;
    (void)slots;
    offer(opaque, ready);
    for (uint32_t at = 0; at < state->active; at++)
        if (is_ready(ready, state->queue[at]))
            return (int32_t)state->queue[at];
    return WM_NO_WARP;
}

// The turn goes to the active warp behind it.
static void rotate(struct state *state, uint32_t slot)
{
    uint32_t at = place_of(state, slot);
    for (uint32_t i = 0; at < state->active && i <= at; i++)
        move(state->queue, 0, state->active - 1);
}

static void ran(void *opaque, uint32_t slot, enum wm_warp_stop stop)
{
    struct state *state = opaque;
    uint32_t at = place_of(state, slot);
    if (stop == WM_WARP_STOP_MEMORY || stop == WM_WARP_STOP_ISSUED)
        rotate(state, slot);
    else if (stop == WM_WARP_STOP_FINISHED)
        take_out(state, slot);
    else if (at < state->active) {
        move(state->queue, at, state->count - 1);
        state->active--;
    }
}

const struct wm_warp_scheduler_ops wm_warp_scheduler_two_level = {
    .name = "two-level",
    .title = "two-level round robin",
    .source = "Narasiman et al., Improving GPU performance via large warps and two-level warp "
              "scheduling, MICRO 2011",
    .sentence = "rotate over a few active warps, which make room when they wait for memory",
    .details = "gpu.sm.active_warps says how many are active of each scheduler's; in a walk, which "
               "has one pool for all schedulers, as many more. Who makes room goes behind those "
               "that are pending; the first of these that can go on becomes active.",
    .stops_at_memory = true,
    .distinguishes_misses = true,
    .holds_back = true,
    .state_bytes = state_bytes,
    .reset = reset,
    .limit = limit,
    .join = join,
    .leave = leave,
    .offer = offer,
    .pick = pick,
    .ran = ran,
    .age_rank = wm_warp_ages_rank,
};
