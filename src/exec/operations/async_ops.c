// cp.async: see async_ops.h.
#include "exec/operations/async_ops.h"

#include "exec/memory/spaces.h"
#include "exec/operations/memory_ops.h"

enum { MOST_BYTES = 16 };

// The sizes that cp.async has are known to the compiler.
static inline void copy_piece(char *to, const char *from, unsigned bytes)
{
    if (bytes == 16)
        memcpy(to, from, 16);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, bytes);
}

// Bytes that each lane reads; returns the lanes that read any.
static uint64_t sizes_of(const struct wm_warp *warp, const struct wm_copy_form *form,
                         uint8_t sizes[WM_MAX_LANES])
{
    uint64_t lanes = warp->mask, reading = 0;
    if (form->ignore != WM_NO_OP) {
        uint64_t ignores = *wm_predicate_at(warp, form->ignore);
        lanes &= form->ignore_negated ? ignores : ~ignores;
    }
    if (form->size == WM_NO_OP) {
        memset(sizes, form->load.bytes, WM_MAX_LANES);
        return lanes;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint32_t size = ((const uint32_t *)wm_at(warp, form->size))[lane];
        sizes[lane] = size < form->load.bytes ? (uint8_t)size : form->load.bytes;
        if (size)
            reading |= UINT64_C(1) << lane;
    }
    return reading;
}

// A lane that reads less than a whole piece: its first and its last byte must be there.
static bool resolve_part(struct wm_warp *warp, const struct wm_op *op,
                         const struct wm_copy_form *form, unsigned lane, uint8_t size, char **host)
{
    struct wm_memory_form byte = form->load;
    struct wm_op part = *op;
    char *last[WM_MAX_LANES];
    byte.bytes = 1;
    part.memory = &byte;
    if (!wm_spaces_resolve(warp, &part, WM_PTX_global, UINT64_C(1) << lane, host))
        return false;
    warp->addresses[lane] += size - 1u;
    bool good = wm_spaces_resolve(warp, &part, WM_PTX_global, UINT64_C(1) << lane, last);
    warp->addresses[lane] -= size - 1u;
    return good;
}

static bool read_pieces(struct wm_warp *warp, const struct wm_op *op,
                        const struct wm_copy_form *form, char pieces[][MOST_BYTES], bool *stop)
{
    uint8_t sizes[WM_MAX_LANES];
    char *host[WM_MAX_LANES];
    uint64_t reading = sizes_of(warp, form, sizes), whole = 0;
    wm_spaces_addresses(warp, &form->load);
    for (uint64_t rest = reading; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (sizes[lane] == form->load.bytes)
            whole |= UINT64_C(1) << lane;
        else if (!resolve_part(warp, op, form, lane, sizes[lane], host))
            return false;
    }
    if (whole && !wm_spaces_resolve(warp, op, WM_PTX_global, whole, host))
        return false;
    for (uint64_t rest = reading; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        copy_piece(pieces[lane], host[lane], sizes[lane]);
    }
    if (reading)
        *stop |= wm_memory_report(warp, op, WM_PTX_global, reading);
    return true;
}

const struct wm_op *wm_run_copy(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_copy_form *form = (const struct wm_copy_form *)(const void *)op->memory;
    char pieces[WM_MAX_LANES][MOST_BYTES] = {{0}}, *host[WM_MAX_LANES];
    bool stop = false;
    if (!read_pieces(warp, op, form, pieces, &stop))
        return NULL;
    struct wm_op store = *op;
    store.memory = &form->store;
    wm_spaces_addresses(warp, &form->store);
    if (!wm_spaces_resolve(warp, &store, WM_PTX_shared, warp->mask, host))
        return NULL;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        copy_piece(host[lane], pieces[lane], form->store.bytes);
    }
    wm_memory_report(warp, &store, WM_PTX_shared, warp->mask);
    if (!stop)
        return op + 1;
    warp->next = op + 1;
    return NULL;
}
