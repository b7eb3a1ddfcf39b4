// The output file of CACTI ("NAME.cfg.out"): a line of headings, then a row for each run, cells
// with commas between them. Its numbers become rows of an energy table. Private to machine/.
#ifndef WM_MACHINE_CACTI_FILE_H
#define WM_MACHINE_CACTI_FILE_H

#include "mem/energy/energy_table.h"

#include <stddef.h>

// Adds a row for each of CACTI's to the table: a copy of `row`, which is of one unit, with the
// capacity, the energies of a read and of a write, the leakage of all banks and the area. Columns
// are found by their headings. WM_INVALID, with place FILE:LINE:COLUMN and the line, when the text
// is no such file, a cell that is needed is missing or no number above zero, or the table does not
// take the row; the table may have grown.
enum wm_status wm_cacti_read_text(const char *text, size_t length, const char *file,
                                  const struct wm_energy_row *row, struct wm_energy_table *table,
                                  struct wm_error *error);

#endif
