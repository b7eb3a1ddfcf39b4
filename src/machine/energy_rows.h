// Energy tables as text (docs/energy.md): a row is
//
//   l2 1MiB read 99.7pJ write 96.1pJ leakage 211.24mW area 1.25mm2
//   l2 cacti FILE
//   interconnect byte_mm 0.144pJ
//
// Where tables stand: machine/row_table.h, whose kind is wm_energy_row_table. Private to machine/.
#ifndef WM_MACHINE_ENERGY_ROWS_H
#define WM_MACHINE_ENERGY_ROWS_H

#include "base/text/text.h"
#include "machine/row_table.h"
#include "mem/energy/energy_table.h"

#include <stddef.h>

// Adds a row's text; that of "cacti" adds all rows of the file, which is relative to the folder of
// the file `referrer`, or to the working folder when that is NULL. WM_INVALID; of files also
// WM_NOT_FOUND, WM_IO, WM_NO_MEMORY. An error has a place when it lies in CACTI's file.
enum wm_status wm_energy_row_add(const char *text, const char *referrer,
                                 struct wm_energy_table *table, struct wm_error *error);

// Prints as wm_energy_row_add reads it back to the same.
void wm_energy_row_print(const struct wm_energy_row *row, struct wm_text *text);

#endif
