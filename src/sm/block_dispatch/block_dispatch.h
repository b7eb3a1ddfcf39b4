// The kind "block dispatch": which SM gets a block of the grid next, and which block that is. It is
// a struct of functions over a state that the engine owns; the same calls give the same answers.
#ifndef WM_SM_BLOCK_DISPATCH_H
#define WM_SM_BLOCK_DISPATCH_H

#include "sm/sm_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_NO_SM = -1 };

struct wm_block_dispatch_ops {
    const char *name;     // key in machine files
    const char *title;    // for people
    const char *source;   // where it is described
    const char *sentence; // what it does: lower case, no full stop
    const char *details;  // more about it, in whole sentences; NULL for none
    // Blocks leave the grid in order of their linear index. Where they do not, a replay reads a
    // recording in as many places as there are SMs.
    bool in_order;
    // Bytes of state for a GPU of `sms` SMs; the engine allocates them, aligned to 8.
    size_t (*state_bytes)(uint32_t sms);
    // The start of a launch of so many blocks.
    void (*reset)(void *state, uint32_t sms, uint64_t blocks);
    // The SM for another block, of which there are some: one with room[sm] > 0, or WM_NO_SM only
    // when no SM has room. The engine then has it take a block, and takes one off room[sm]; or it
    // finds that the SM has no place for a block after all, and sets room[sm] to 0. It calls until
    // no SM has room, or no block is left.
    int32_t (*place)(void *state, const uint32_t *room, uint32_t sms);
    // The block that the SM gets which was chosen last: each of the grid's once.
    uint64_t (*take)(void *state, uint32_t sm);
};

// The first SM with room from `from` on, around; WM_NO_SM: none has any.
static inline int32_t wm_next_sm_with_room(const uint32_t *room, uint32_t sms, uint32_t from)
{
    for (uint32_t step = 0; step < sms; step++) {
        uint32_t sm = from + step < sms ? from + step : from + step - sms;
        if (room[sm] > 0)
            return (int32_t)sm;
    }
    return WM_NO_SM;
}
static inline uint32_t wm_sm_behind(uint32_t sm, uint32_t sms)
{
    return sm + 1 < sms ? sm + 1 : 0;
}

// Every entry, in the order of lists and documentation: its file defines wm_block_dispatch_NAME,
// and this line is all that registers it.
#define WM_BLOCK_DISPATCHES(X) X(round_robin) X(first_available) X(clustered)

#define WM_DECLARE_BLOCK_DISPATCH(entry) \
    extern const struct wm_block_dispatch_ops wm_block_dispatch_##entry;
WM_BLOCK_DISPATCHES(WM_DECLARE_BLOCK_DISPATCH)
#undef WM_DECLARE_BLOCK_DISPATCH

// `*count` of them.
const struct wm_block_dispatch_ops *const *wm_block_dispatch_table(size_t *count);

#endif
