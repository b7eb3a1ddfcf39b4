// The rules are those of the vendor's occupancy calculator: warps are whole, registers are handed
// out a warp at a time and shared memory a block at a time, each rounded up to its unit.
#include "sm/occupancy.h"

#include <inttypes.h>

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return unit <= 1 ? value : (value + unit - 1) / unit * unit;
}

static uint32_t warps_of(const struct wm_sm_spec *spec, uint32_t threads)
{
    return threads / spec->warp_width + (threads % spec->warp_width != 0);
}

static uint64_t registers_of_warp(const struct wm_sm_spec *spec, uint32_t registers_per_thread)
{
    return round_up((uint64_t)registers_per_thread * spec->warp_width,
                    spec->register_allocation_unit);
}

// What a block takes of its SM's shared memory.
static uint64_t shared_of_block(const struct wm_sm_spec *spec,
                                const struct wm_block_resources *needs)
{
    return round_up(needs->shared_bytes + spec->shared_reserved_bytes,
                    spec->shared_allocation_unit);
}

static uint64_t smallest_carveout(const struct wm_sm_spec *spec, uint64_t bytes)
{
    for (uint64_t i = 0; i < spec->carveouts.count; i++)
        if (spec->carveouts.bytes[i] >= bytes)
            return spec->carveouts.bytes[i];
    return spec->shared_bytes;
}

// Whether the array is divided by what the blocks need, and by nothing that was said before.
static bool follows_blocks(const struct wm_sm_spec *spec, const struct wm_block_resources *needs)
{
    return needs->preferred_carveout == 0 && spec->default_carveout_bytes == 0;
}

// The shared memory that blocks may share out among them. A preference, the machine's where the
// program has none, is rounded up to a carve-out and to one block; it is no more than that, so it
// may cost blocks (CUDA C++ Programming Guide, "Shared Memory" of compute capability 7.x and later;
// cuda_occupancy.h).
static uint64_t shared_at_most(const struct wm_sm_spec *spec,
                               const struct wm_block_resources *needs)
{
    if (spec->unified_bytes == 0 || follows_blocks(spec, needs))
        return spec->shared_bytes;
    uint64_t wanted = needs->preferred_carveout == 0
                          ? spec->default_carveout_bytes
                          : spec->shared_bytes * (needs->preferred_carveout - 1) / 100;
    uint64_t block = shared_of_block(spec, needs);
    return smallest_carveout(spec, wanted > block ? wanted : block);
}

// Without a preference the driver takes no more from L1 than the resident blocks need.
static uint64_t shared_taken(const struct wm_sm_spec *spec, const struct wm_block_resources *needs,
                             uint64_t blocks)
{
    if (spec->unified_bytes == 0 || !follows_blocks(spec, needs))
        return shared_at_most(spec, needs);
    return smallest_carveout(spec, blocks * shared_of_block(spec, needs));
}

// One block against the limits that hold for a single block.
static enum wm_status check_block(const struct wm_sm_spec *spec,
                                  const struct wm_block_resources *needs, struct wm_error *error)
{
    if (needs->threads == 0)
        return wm_fail(error, WM_INVALID, "a block of 0 threads");
    uint32_t most_threads = spec->max_threads_per_block;
    if (spec->max_threads < most_threads)
        most_threads = spec->max_threads;
    if (needs->threads > most_threads) {
        wm_fail(error, WM_LIMIT,
                "a block of %" PRIu32 " threads exceeds the %" PRIu32 " that one block may have",
                needs->threads, most_threads);
        wm_error_hint(error, "launch blocks of at most %" PRIu32 " threads and more of them",
                      most_threads);
        return WM_LIMIT;
    }
    uint32_t warps = warps_of(spec, needs->threads);
    if (warps > spec->max_warps) {
        wm_fail(error, WM_LIMIT,
                "a block of %" PRIu32 " warps exceeds the %" PRIu32 " that one SM holds", warps,
                spec->max_warps);
        wm_error_hint(error, "launch smaller blocks and more of them");
        return WM_LIMIT;
    }
    uint64_t most_shared = spec->shared_bytes_per_block;
    if (spec->shared_bytes < most_shared)
        most_shared = spec->shared_bytes;
    if (needs->shared_bytes > most_shared) {
        wm_fail(error, WM_LIMIT,
                "a block with %" PRIu64 " bytes of shared memory exceeds the %" PRIu64
                " that one block may take",
                needs->shared_bytes, most_shared);
        wm_error_hint(error,
                      "use smaller tiles, or launch with less dynamic shared memory, or describe a "
                      "machine with more");
        return WM_LIMIT;
    }
    return WM_OK;
}

static enum wm_status check_registers(const struct wm_sm_spec *spec,
                                      const struct wm_block_resources *needs,
                                      struct wm_error *error)
{
    if (needs->registers_per_thread > spec->max_registers_per_thread) {
        wm_fail(error, WM_LIMIT,
                "%" PRIu32 " registers a thread exceed the %" PRIu32 " that a thread may have",
                needs->registers_per_thread, spec->max_registers_per_thread);
        wm_error_hint(error, "compile with __launch_bounds__ or -maxrregcount");
        return WM_LIMIT;
    }
    uint64_t block_registers =
        registers_of_warp(spec, needs->registers_per_thread) * warps_of(spec, needs->threads);
    if (block_registers > spec->registers) {
        wm_fail(error, WM_LIMIT,
                "a block of %" PRIu32 " threads with %" PRIu32 " registers each takes %" PRIu64
                " registers, and one SM has %" PRIu32,
                needs->threads, needs->registers_per_thread, block_registers, spec->registers);
        wm_error_hint(error,
                      "launch smaller blocks, or compile with __launch_bounds__(%" PRIu32 ")",
                      needs->threads);
        return WM_LIMIT;
    }
    return WM_OK;
}

uint32_t wm_occupancy_most_registers(const struct wm_sm_spec *spec, uint32_t threads)
{
    uint64_t unit = spec->register_allocation_unit > 1 ? spec->register_allocation_unit : 1;
    uint64_t warp_registers = spec->registers / warps_of(spec, threads) / unit * unit;
    uint64_t most = warp_registers / spec->warp_width;
    return most < spec->max_registers_per_thread ? (uint32_t)most : spec->max_registers_per_thread;
}

void wm_occupancy_limit_registers(const struct wm_sm_spec *spec, struct wm_block_resources *needs)
{
    uint32_t most = needs->threads != 0 ? wm_occupancy_most_registers(spec, needs->threads) : 0;
    if (most != 0 && needs->registers_per_thread > most)
        needs->registers_per_thread = most;
}

enum wm_status wm_occupancy_of(const struct wm_sm_spec *spec,
                               const struct wm_block_resources *needs,
                               struct wm_occupancy *occupancy, struct wm_error *error)
{
    WM_TRY(check_block(spec, needs, error));
    WM_TRY(check_registers(spec, needs, error));
    uint32_t warps = warps_of(spec, needs->threads);
    uint64_t warp_registers = registers_of_warp(spec, needs->registers_per_thread);
    uint64_t shared = shared_of_block(spec, needs);
    // Of two resources that allow the same number, the first named here is the limiter.
    const struct {
        const char *name;
        uint64_t blocks;
    } limits[] = {
        {"threads", spec->max_threads / ((uint64_t)warps * spec->warp_width)},
        {"warps", spec->max_warps / warps},
        {"registers", warp_registers == 0 ? UINT32_MAX : spec->registers / warp_registers / warps},
        {"shared memory", shared == 0 ? UINT32_MAX : shared_at_most(spec, needs) / shared},
        {"blocks", spec->max_blocks},
    };
    uint64_t blocks = UINT32_MAX;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (limits[i].blocks < blocks) {
            blocks = limits[i].blocks;
            occupancy->limiter = limits[i].name;
        }
    }
    // A block within every limit above can still fail to fit when rounding up to whole warps or
    // allocation units passes the SM's total.
    if (blocks == 0) {
        wm_fail(error, WM_LIMIT,
                "one block of %" PRIu32 " threads, %" PRIu64 " bytes of shared memory and %" PRIu32
                " registers a thread does not fit on one SM once rounded to allocation units "
                "(limited by %s)",
                needs->threads, needs->shared_bytes, needs->registers_per_thread,
                occupancy->limiter);
        wm_error_hint(error, "launch smaller blocks");
        return WM_LIMIT;
    }
    occupancy->blocks = (uint32_t)blocks;
    occupancy->warps = (uint32_t)(blocks * warps);
    occupancy->shared_bytes = shared_taken(spec, needs, blocks);
    return WM_OK;
}

// ---- Blocks of several launches ----------------------------------------------------------------

static struct wm_sm_use use_of_block(const struct wm_sm_spec *spec,
                                     const struct wm_block_resources *needs)
{
    uint64_t warps = warps_of(spec, needs->threads);
    return (struct wm_sm_use){
        .threads = warps * spec->warp_width,
        .warps = warps,
        .registers = warps * registers_of_warp(spec, needs->registers_per_thread),
        .shared_bytes = shared_of_block(spec, needs),
        .blocks = 1,
    };
}

void wm_occupancy_take(const struct wm_sm_spec *spec, const struct wm_block_resources *needs,
                       struct wm_sm_use *use)
{
    struct wm_sm_use block = use_of_block(spec, needs);
    use->threads += block.threads;
    use->warps += block.warps;
    use->registers += block.registers;
    use->shared_bytes += block.shared_bytes;
    use->blocks++;
}

void wm_occupancy_leave(const struct wm_sm_spec *spec, const struct wm_block_resources *needs,
                        struct wm_sm_use *use)
{
    struct wm_sm_use block = use_of_block(spec, needs);
    use->threads -= block.threads;
    use->warps -= block.warps;
    use->registers -= block.registers;
    use->shared_bytes -= block.shared_bytes;
    use->blocks--;
}

static uint64_t times(uint64_t most, uint64_t used, uint64_t each)
{
    uint64_t left = most > used ? most - used : 0;
    return each == 0 ? UINT32_MAX : left / each;
}

uint32_t wm_occupancy_free_blocks(const struct wm_sm_spec *spec,
                                  const struct wm_block_resources *needs, uint64_t shared_bytes,
                                  const struct wm_sm_use *use)
{
    struct wm_sm_use block = use_of_block(spec, needs);
    const uint64_t room[] = {
        times(spec->max_threads, use->threads, block.threads),
        times(spec->max_warps, use->warps, block.warps),
        times(spec->registers, use->registers, block.registers),
        times(shared_bytes, use->shared_bytes, block.shared_bytes),
        times(spec->max_blocks, use->blocks, 1),
    };
    uint64_t least = UINT32_MAX;
    for (size_t i = 0; i < sizeof room / sizeof room[0]; i++)
        least = room[i] < least ? room[i] : least;
    return (uint32_t)least;
}
