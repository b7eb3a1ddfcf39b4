// From the addresses of a warp's lanes to host bytes (private to exec/): state spaces, windows of
// generic addresses, bounds and alignment.
//
// Local memory is interleaved by lane as the hardware lays it out: the 32-bit word i of lane l is
// word i × width + l of the warp's part. The reported address of an access of up to 4 bytes is the
// one of its bytes; a wider one is reported as the lane's share of the same row of words, so that
// lanes at equal offsets touch consecutive addresses.
#ifndef WM_EXEC_MEMORY_SPACES_H
#define WM_EXEC_MEMORY_SPACES_H

#include "exec/interpreter.h"

struct wm_lanes_by_space {
    uint64_t global, shared, local, parameter; // lanes by space
};

// Fills warp->addresses for the current lanes.
void wm_spaces_addresses(struct wm_warp *warp, const struct wm_memory_form *form);
// Sorts the current lanes' generic addresses by window and turns them into addresses of their
// space.
struct wm_lanes_by_space wm_spaces_of_generic(struct wm_warp *warp);
// The space of one generic address: WM_PTX_global when it is in no window.
wm_ptx_space wm_space_of_address(uint64_t address);

// Host bytes of each of `lanes`, into `host`. False when one of them may not make the access: the
// grid's fault is set then. Not for local memory and called functions' parameters.
bool wm_spaces_resolve(struct wm_warp *warp, const struct wm_op *op, wm_ptx_space space,
                       uint64_t lanes, char **host);
bool wm_spaces_check_local(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes);
// The range that holds `address`, remembered for the instruction; false when there is none.
bool wm_spaces_find_range(struct wm_warp *warp, const struct wm_memory_form *form,
                          uint64_t address);

// The word of a lane's local memory; `bytes` bytes of it from `offset` on, within the word.
char *wm_local_word(const struct wm_warp *warp, unsigned lane, uint64_t offset);
uint64_t wm_local_reported(const struct wm_warp *warp, unsigned lane, uint64_t offset,
                           uint32_t bytes);

#endif
