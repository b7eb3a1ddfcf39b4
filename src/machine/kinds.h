// The kinds of swappable parts that a machine file may name an entry of, as the schema sees them.
// Private to machine/.
#ifndef WM_MACHINE_KINDS_H
#define WM_MACHINE_KINDS_H

#include "machine/schema.h"

extern const struct wm_key_kind wm_key_kind_replacement, wm_key_kind_set_index, wm_key_kind_bypass,
    wm_key_kind_prefetch, wm_key_kind_dram_scheduler, wm_key_kind_warp_scheduler,
    wm_key_kind_block_dispatch;

#endif
