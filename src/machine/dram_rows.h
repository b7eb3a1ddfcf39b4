// DRAM devices as text (docs/dram.md): a row is a name and its value,
//
//   cl 17
//   rfc 350ns
//
// of the organisation and timings of mem/dram/dram_spec.h. Times are cycles of the command clock,
// or given as such and rounded up to cycles; the clock's own row comes first.
//
// Where tables stand: machine/row_table.h, whose kind is wm_dram_row_table. Its struct is a struct
// wm_dram_channel_spec, of which it fills what is the device's: organisation, timing, and of the
// controller command buses, refresh and mapping. Private to machine/.
#ifndef WM_MACHINE_DRAM_ROWS_H
#define WM_MACHINE_DRAM_ROWS_H

#include "machine/row_table.h"
#include "mem/dram/dram_spec.h"

// Adds a row's text to a device. WM_INVALID.
enum wm_status wm_dram_row_add(const char *text, struct wm_dram_channel_spec *device,
                               struct wm_error *error);
// After the last: what is left out follows from the rest; WM_INVALID when that cannot be, or the
// whole does not fit together.
enum wm_status wm_dram_rows_finish(struct wm_dram_channel_spec *device, struct wm_error *error);

#endif
