#include "sm/warp_scheduler/warp_ages.h"

#include <assert.h>
#include <string.h>

static uint32_t words_of(uint32_t slots)
{
    return (slots + 63) / 64;
}

void wm_warp_ages_reset(struct wm_warp_ages *ages, uint64_t *memory, uint32_t slots)
{
    *ages = (struct wm_warp_ages){.joined = memory, .slots = slots};
    memset(memory, 0, slots * sizeof *memory);
}

void wm_warp_ages_join(struct wm_warp_ages *ages, uint32_t slot)
{
    ages->joined[slot] = ++ages->clock;
}

void wm_warp_ages_leave(void *state, uint32_t slot)
{
    struct wm_warp_ages *ages = state;
    ages->joined[slot] = 0;
}

uint32_t wm_warp_ages_rank(const void *state, uint32_t slot)
{
    const struct wm_warp_ages *ages = state;
    uint32_t older = 0;
    assert(ages->joined[slot] != 0);
    for (uint32_t other = 0; other < ages->slots; other++)
        older += ages->joined[other] != 0 && ages->joined[other] < ages->joined[slot];
    return older;
}

// Turns that a warp uses up before those that wait may go on.
enum { MOST_USED_UP = 64 };

size_t wm_warp_priorities_bytes(uint32_t slots)
{
    return (3 * slots + words_of(slots)) * sizeof(uint64_t);
}

void wm_warp_priorities_reset(struct wm_warp_priorities *priorities, uint64_t *memory,
                              uint32_t slots)
{
    wm_warp_ages_reset(&priorities->ages, memory, slots);
    priorities->timed = false;
    priorities->order = memory + slots;
    priorities->used_up = memory + (size_t)2 * slots;
    priorities->waiting = memory + (size_t)3 * slots;
    memset(priorities->order, 0, (2 * slots + words_of(slots)) * sizeof(uint64_t));
}

void wm_warp_priorities_join(void *state, uint32_t slot)
{
    struct wm_warp_priorities *priorities = state;
    wm_warp_ages_join(&priorities->ages, slot);
    priorities->order[slot] = priorities->ages.clock;
    priorities->used_up[slot] = 0;
    priorities->waiting[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static int32_t oldest(const struct wm_warp_priorities *priorities, const uint64_t *ready)
{
    int32_t best = WM_NO_WARP;
    uint64_t best_order = UINT64_MAX;
    for (uint32_t word = 0; word < words_of(priorities->ages.slots); word++)
        for (uint64_t rest = ready[word] & ~priorities->waiting[word]; rest != 0;
             rest &= rest - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(rest);
            if (priorities->order[slot] < best_order) {
                best_order = priorities->order[slot];
                best = (int32_t)slot;
            }
        }
    return best;
}

static void none_wait(struct wm_warp_priorities *priorities)
{
    uint32_t slots = priorities->ages.slots;
    memset(priorities->used_up, 0, (slots + words_of(slots)) * sizeof(uint64_t));
}

int32_t wm_warp_priorities_pick(struct wm_warp_priorities *priorities, const uint64_t *ready)
{
    int32_t picked = oldest(priorities, ready);
    if (picked != WM_NO_WARP || priorities->timed)
        return picked;
    none_wait(priorities);
    return oldest(priorities, ready);
}

void wm_warp_priorities_ran(struct wm_warp_priorities *priorities, uint32_t slot,
                            enum wm_warp_stop stop)
{
    if (stop == WM_WARP_STOP_ISSUED && !priorities->timed) {
        priorities->timed = true;
        none_wait(priorities);
    }
    if (stop == WM_WARP_STOP_MISS && !priorities->timed)
        priorities->waiting[slot / 64] |= UINT64_C(1) << slot % 64;
    if (stop != WM_WARP_STOP_BUDGET)
        return;
    priorities->order[slot] = ++priorities->ages.clock;
    if (++priorities->used_up[slot] == MOST_USED_UP)
        none_wait(priorities);
}
