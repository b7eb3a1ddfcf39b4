// State spaces: see spaces.h.
#include "exec/memory/spaces.h"

#include "exec/faults.h"

void wm_spaces_addresses(struct wm_warp *warp, const struct wm_memory_form *form)
{
    const void *base = wm_at(warp, form->address);
    uint64_t offset = (uint64_t)form->offset;
    if (form->frame_relative)
        offset += warp->local_base;
    unsigned width = wm_width(warp);
    if (form->wide_address) {
        for (unsigned lane = 0; lane < width; lane++)
            warp->addresses[lane] = ((const uint64_t *)base)[lane] + offset;
        return;
    }
    for (unsigned lane = 0; lane < width; lane++)
        warp->addresses[lane] = (uint32_t)(((const uint32_t *)base)[lane] + (uint32_t)offset);
}

wm_ptx_space wm_space_of_address(uint64_t address)
{
    if (address - WM_SHARED_WINDOW < WM_WINDOW_BYTES)
        return WM_PTX_shared;
    if (address - WM_LOCAL_WINDOW < WM_WINDOW_BYTES)
        return WM_PTX_local;
    if (address - WM_PARAMETER_WINDOW < WM_WINDOW_BYTES)
        return WM_PTX_param;
    return WM_PTX_global;
}

struct wm_lanes_by_space wm_spaces_of_generic(struct wm_warp *warp)
{
    struct wm_lanes_by_space spaces = {0};
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t bit = UINT64_C(1) << lane;
        switch ((int)wm_space_of_address(warp->addresses[lane])) {
        case WM_PTX_shared:
            spaces.shared |= bit;
            warp->addresses[lane] -= WM_SHARED_WINDOW;
            break;
        case WM_PTX_local:
            spaces.local |= bit;
            warp->addresses[lane] -= WM_LOCAL_WINDOW;
            break;
        case WM_PTX_param:
            spaces.parameter |= bit;
            warp->addresses[lane] -= WM_PARAMETER_WINDOW;
            break;
        default: spaces.global |= bit; break;
        }
    }
    return spaces;
}

static bool reaches(const struct wm_grid *grid, const struct wm_allocation *allocation)
{
    return wm_device_memory_reaches(grid->memory, grid->gpu, grid->peers, allocation);
}

bool wm_spaces_find_range(struct wm_warp *warp, const struct wm_memory_form *form, uint64_t address)
{
    struct wm_grid *grid = warp->grid;
    const struct wm_allocation *found = wm_device_memory_find(grid->memory, address);
    if (!found || (found->read_only && form->kind != WM_ACCESS_LOAD) || !reaches(grid, found))
        return false;
    // The fast moves check alignment against the beginning of the range.
    uint64_t skipped = -found->address & 15;
    if (skipped >= found->size_bytes)
        return true;
    grid->ranges[form->range] =
        (struct wm_move_range){.low = found->address + skipped,
                               .size_bytes = found->size_bytes - skipped,
                               .host = (char *)(uintptr_t)(found->address + skipped)};
    return true;
}

// All lanes in the range where the instruction found its memory the last time.
static bool resolve_in_range(const struct wm_warp *warp, const struct wm_memory_form *form,
                             uint64_t lanes, char **host)
{
    const struct wm_move_range *range = &warp->grid->ranges[form->range];
    uint32_t bytes = form->bytes;
    uint64_t bad = 0;
    if (range->size_bytes < bytes)
        return false;
    uint64_t bound = range->size_bytes - bytes;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t address = warp->addresses[lane];
        bad |= (address - range->low > bound) | (address & (bytes - 1));
        host[lane] = (char *)(uintptr_t)address;
    }
    return !bad;
}

// The allocation that a lane's bytes are in; NULL where they are in none, or may not be accessed
// so. `passes`: the access is made all the same. Else the fault says why not.
static const struct wm_allocation *find_accessible(struct wm_warp *warp, const struct wm_op *op,
                                                   unsigned lane, bool *passes)
{
    const struct wm_memory_form *form = op->memory;
    uint64_t address = warp->addresses[lane];
    const struct wm_allocation *found =
        wm_device_memory_find_range(warp->grid->memory, address, form->bytes, false);
    *passes = true;
    if (found && !reaches(warp->grid, found)) {
        *passes = false;
        wm_fault_peer(warp, op, lane, found);
        return NULL;
    }
    if (found && !(found->read_only && form->kind != WM_ACCESS_LOAD))
        return found;
    bool aligned = (address & (form->bytes - 1u)) == 0;
    *passes = !found && aligned && wm_fault_passes(warp, op, lane);
    if (found)
        wm_fault_memory(warp, op, WM_FAULT_READ_ONLY, lane, address);
    else if (!*passes)
        wm_fault_global(warp, op, lane, address);
    return NULL;
}

static bool resolve_global(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                           char **host)
{
    const struct wm_memory_form *form = op->memory;
    uint32_t bytes = form->bytes;
    if (resolve_in_range(warp, form, lanes, host))
        return true;
    const struct wm_allocation *last = NULL;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t address = warp->addresses[lane];
        bool passes = true;
        if (!last || last->size_bytes < bytes || address - last->address > last->size_bytes - bytes)
            last = find_accessible(warp, op, lane, &passes);
        if (!passes)
            return false;
        if (address & (bytes - 1)) {
            wm_fault_memory(warp, op, WM_FAULT_MISALIGNED, lane, address);
            return false;
        }
        host[lane] = (char *)(uintptr_t)address;
    }
    wm_spaces_find_range(warp, form, warp->addresses[__builtin_ctzll(lanes)]);
    return true;
}

static bool resolve_range(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes, char **host,
                          char *base, uint64_t size_bytes, enum wm_fault_kind outside)
{
    uint32_t bytes = op->memory->bytes;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t address = warp->addresses[lane];
        if (size_bytes < bytes || address > size_bytes - bytes) {
            wm_fault_memory(warp, op, outside, lane, address);
            return false;
        }
        if (address & (bytes - 1)) {
            wm_fault_memory(warp, op, WM_FAULT_MISALIGNED, lane, address);
            return false;
        }
        host[lane] = base + address;
    }
    return true;
}

bool wm_spaces_resolve(struct wm_warp *warp, const struct wm_op *op, wm_ptx_space space,
                       uint64_t lanes, char **host)
{
    struct wm_grid *grid = warp->grid;
    switch ((int)space) {
    case WM_PTX_shared:
        return resolve_range(warp, op, lanes, host, warp->shared.host, warp->shared.size_bytes,
                             WM_FAULT_SHARED_OUT_OF_BOUNDS);
    case WM_PTX_param:
        if (op->memory->kind != WM_ACCESS_LOAD) {
            unsigned lane = (unsigned)__builtin_ctzll(lanes);
            wm_fault_memory(warp, op, WM_FAULT_READ_ONLY, lane, warp->addresses[lane]);
            return false;
        }
        return resolve_range(warp, op, lanes, host, grid->parameters, grid->parameter_bytes,
                             WM_FAULT_OUT_OF_BOUNDS);
    default: return resolve_global(warp, op, lanes, host);
    }
}

bool wm_spaces_check_local(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes)
{
    uint32_t bytes = op->memory->bytes;
    uint32_t size = warp->grid->local_bytes_per_thread;
    uint64_t bad = size < bytes;
    for (unsigned lane = 0; lane < wm_width(warp); lane++)
        bad |= ((warp->addresses[lane] > size - bytes) | (warp->addresses[lane] & (bytes - 1))) &
               -(lanes >> lane & 1);
    if (!bad)
        return true;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t address = warp->addresses[lane];
        if (size < bytes || address > size - bytes) {
            wm_fault_memory(warp, op, WM_FAULT_LOCAL_OUT_OF_BOUNDS, lane, address);
            return false;
        }
        if (address & (bytes - 1)) {
            wm_fault_memory(warp, op, WM_FAULT_MISALIGNED, lane, address);
            return false;
        }
    }
    return true;
}

static uint64_t local_position(const struct wm_warp *warp, unsigned lane, uint64_t offset)
{
    return warp->index * warp->grid->local_bytes_per_warp + (offset >> 2) * 4 * wm_width(warp) +
           (uint64_t)lane * 4 + (offset & 3);
}

char *wm_local_word(const struct wm_warp *warp, unsigned lane, uint64_t offset)
{
    return warp->block->local + local_position(warp, lane, offset);
}

uint64_t wm_local_reported(const struct wm_warp *warp, unsigned lane, uint64_t offset,
                           uint32_t bytes)
{
    uint64_t position = bytes <= 4 ? local_position(warp, lane, offset)
                                   : local_position(warp, 0, offset) + (uint64_t)lane * bytes;
    return warp->block->local_address + position;
}
