#include "sm/lost_locality.h"

#include "base/numbers/clock_domain.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

void wm_lost_locality_begin(struct wm_lost_locality *lost, const struct wm_load_throttle_spec *spec)
{
    *lost = (struct wm_lost_locality){
        .base = spec->base_score, .factor = spec->factor, .changes = WM_NEVER};
}

void wm_lost_locality_join(struct wm_lost_locality *lost, uint32_t slot, uint64_t cycle)
{
    lost->order[lost->warps++] = (uint16_t)slot;
    lost->falls_to[slot] = cycle;
    lost->stale = true;
}

void wm_lost_locality_finish(struct wm_lost_locality *lost, uint32_t slot)
{
    uint32_t at = 0;
    while (lost->order[at] != slot)
        at++;
    lost->warps--;
    memmove(lost->order + at, lost->order + at + 1, (lost->warps - at) * sizeof *lost->order);
    lost->stale = true;
}

void wm_lost_locality_hit(struct wm_lost_locality *lost, uint32_t slot, uint64_t cycle,
                          uint64_t issued)
{
    lost->hits++;
    uint64_t cutoff = lost->base * lost->warps;
    uint64_t score = (uint64_t)((wide)lost->hits * lost->factor * cutoff / issued);
    if (score <= lost->base || cycle + score - lost->base <= lost->falls_to[slot])
        return;
    lost->falls_to[slot] = cycle + score - lost->base;
    lost->stale = true;
}

uint64_t wm_lost_locality_score(const struct wm_lost_locality *lost, uint32_t slot, uint64_t cycle)
{
    uint64_t falls_to = lost->falls_to[slot];
    return lost->base + (falls_to > cycle ? falls_to - cycle : 0);
}

// The slots of warps above the base, in the order of the stack; how many.
static uint32_t stack_raised(const struct wm_lost_locality *lost, uint64_t cycle,
                             uint16_t raised[WM_LOST_LOCALITY_WARPS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lost->warps; i++) {
        uint16_t slot = lost->order[i];
        if (lost->falls_to[slot] <= cycle)
            continue;
        uint32_t at = count++;
        for (; at > 0 && lost->falls_to[raised[at - 1]] < lost->falls_to[slot]; at--)
            raised[at] = raised[at - 1];
        raised[at] = slot;
    }
    return count;
}

static void hold(struct wm_lost_locality *lost, uint32_t slot)
{
    lost->held[slot / 64] |= UINT64_C(1) << slot % 64;
}

// All but the first `allowed` of the stack.
static void hold_others(struct wm_lost_locality *lost, uint64_t cycle, const uint16_t *raised,
                        uint32_t count, uint32_t allowed)
{
    for (uint32_t i = allowed; i < count; i++)
        hold(lost, raised[i]);
    uint32_t left = allowed > count ? allowed - count : 0; // of those at the base
    for (uint32_t i = 0; i < lost->warps; i++) {
        if (lost->falls_to[lost->order[i]] > cycle)
            continue;
        if (left != 0)
            left--;
        else
            hold(lost, lost->order[i]);
    }
}

// Position i of the stack, from 1, stays under the cutoff when what the first i have above the base
// is at most the base scores of those behind: sum(excess) <= (warps - i) * base. The left side
// grows with i, the right one falls.
void wm_lost_locality_find(struct wm_lost_locality *lost, uint64_t cycle)
{
    uint16_t raised[WM_LOST_LOCALITY_WARPS];
    uint32_t count = stack_raised(lost, cycle, raised), warps = lost->warps, allowed = 0;
    uint64_t excess = 0, room = 0;
    memset(lost->held, 0, sizeof lost->held);
    lost->stale = false;
    lost->changes = WM_NEVER;
    if (count == 0)
        return;
    for (uint32_t falling = 0; allowed < warps; allowed++) {
        if (allowed < count) {
            excess += lost->falls_to[raised[allowed]] - cycle;
            falling++;
        }
        room = (uint64_t)(warps - allowed - 1) * lost->base;
        if (allowed == 0 || excess <= room)
            continue;
        // The next one may when the excess, of which each of the `falling` loses one a cycle, fits.
        lost->changes = cycle + (excess - room + falling - 1) / falling;
        break;
    }
    // Among those at the base another may be first.
    uint64_t lowest = lost->falls_to[raised[count - 1]];
    lost->changes = lowest < lost->changes ? lowest : lost->changes;
    hold_others(lost, cycle, raised, count, allowed);
}
