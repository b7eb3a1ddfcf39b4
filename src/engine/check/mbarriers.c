// What mbarriers order (PTX ISA 9.7.13.15.13 and .16): an arrival releases, and a test that finds a
// phase over acquires what all arrivals in it, and in the phases before, released. Whether a phase
// is over is read off the object, which lies in shared memory.
//
// Which phase a test names is in a register, which is not reported: a test that finds its phase not
// over counts as one that knows the phases before, which nearly all programs have waited for.
#include "base/containers/array.h"
#include "engine/check/checker_state.h"
#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECT_BYTES = 8 };

// NULL when the host is out of memory.
static struct wm_check_phases *phases_at(struct wm_check_block *block, uint64_t offset)
{
    for (uint32_t i = 0; i < block->phase_count; i++)
        if (block->phases[i].offset == offset)
            return &block->phases[i];
    if (!WM_ARRAY_ADD(block->phases, block->phase_count, block->phase_capacity, {.offset = offset}))
        return NULL;
    return &block->phases[block->phase_count - 1];
}

static struct wm_mbarrier_state state_at(const struct wm_check_block *block, uint64_t offset)
{
    return wm_mbarrier_state_of(block->shared + offset);
}

// `lanes` arrived at once, which may be more than one phase takes.
static void end_phase(const struct wm_check_block *block, struct wm_check_phases *phases,
                      uint32_t lanes)
{
    struct wm_mbarrier_state now = state_at(block, phases->offset);
    if (now.odd == phases->odd && now.pending != now.expected && lanes < now.expected)
        return;
    wm_races_join(phases->released, phases->gathered, block->warp_count);
    memset(phases->gathered, 0, sizeof phases->gathered);
    phases->odd = now.odd;
}

static void operate(struct wm_check_block *block, uint32_t warp, uint64_t offset, uint32_t lanes,
                    const struct wm_check_instruction *instruction)
{
    struct wm_check_phases *phases = phases_at(block, offset);
    uint32_t *clocks = wm_races_clocks(block, warp);
    if (!phases)
        return;
    switch (instruction->role) {
    case WM_CHECK_NO_PHASE: break;
    case WM_CHECK_PHASES_BEGIN: *phases = (struct wm_check_phases){.offset = offset}; break;
    case WM_CHECK_PHASE_ARRIVE:
        if (instruction->releases)
            wm_races_join(phases->gathered, clocks, block->warp_count);
        end_phase(block, phases, lanes);
        break;
    case WM_CHECK_PHASE_COPIES:
        if (instruction->releases)
            wm_races_join(phases->gathered, clocks, block->warp_count);
        break;
    case WM_CHECK_PHASE_BYTES: end_phase(block, phases, 0); break;
    case WM_CHECK_PHASE_TEST:
        if (instruction->acquires)
            wm_races_join(clocks, phases->released, block->warp_count);
        break;
    }
}

void wm_phases_access(struct wm_check_block *block, uint32_t warp,
                      const struct wm_check_instruction *instruction,
                      const struct wm_warp_access *access)
{
    // The lanes of each object together.
    for (uint64_t rest = access->active; rest != 0;) {
        uint64_t offset = access->addresses[__builtin_ctzll(rest)];
        uint32_t lanes = 0;
        for (uint64_t others = rest; others != 0; others &= others - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(others);
            if (access->addresses[lane] != offset)
                continue;
            lanes++;
            rest &= ~(UINT64_C(1) << lane);
        }
        if (offset + OBJECT_BYTES <= block->shared_bytes)
            operate(block, warp, offset, lanes, instruction);
    }
}

// It releases (PTX ISA 9.7.9.12): what the warp has done so far, of which a part would be enough.
void wm_phases_sent(struct wm_check_block *block, uint32_t warp, uint64_t offset)
{
    struct wm_check_phases *phases =
        offset + OBJECT_BYTES <= block->shared_bytes ? phases_at(block, offset) : NULL;
    if (!phases)
        return;
    uint32_t *clocks = wm_races_clocks(block, warp);
    wm_races_join(phases->gathered, clocks, block->warp_count);
    end_phase(block, phases, 0);
    clocks[warp]++;
}
