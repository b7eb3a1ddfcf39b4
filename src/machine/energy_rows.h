// Energy tables as text (docs/energy.md): a row is
//
//   l2 1MiB read 99.7pJ write 96.1pJ leakage 211.24mW area 1.25mm2
//   l2 cacti FILE
//   interconnect byte_mm 0.144pJ
//
// A table stands in a machine file as a list of rows, or in a file of its own, which is that list.
#ifndef WM_MACHINE_ENERGY_ROWS_H
#define WM_MACHINE_ENERGY_ROWS_H

#include "base/arena.h"
#include "base/text.h"
#include "mem/energy/energy_table.h"

#include <stddef.h>

// Adds a row's text; that of "cacti" adds all rows of the file, which is relative to the folder of
// the file `beside`, or to the working folder when that is NULL. WM_INVALID; of files also
// WM_NOT_FOUND, WM_IO, WM_NO_MEMORY. An error has a place when it lies in CACTI's file.
enum wm_status wm_energy_row_add(const char *text, const char *beside,
                                 struct wm_energy_table *table, struct wm_error *error);

// Prints as wm_energy_row_add reads it back to the same.
void wm_energy_row_print(const struct wm_energy_row *row, struct wm_text *text);

// A whole value of gpu.energy.table: "none", the name of a table that comes with warpmem, a file
// (with a slash or ".yaml", relative as above), or rows in brackets with commas between them.
// `table` is empty before. Errors as above; those in a file have a place.
enum wm_status wm_energy_table_read(const char *text, const char *beside,
                                    struct wm_energy_table *table, struct wm_error *error);
void wm_energy_table_print(const struct wm_energy_table *table, struct wm_text *text);

// A table's file from memory: YAML, a list of rows. Errors have a place in `file`, with the line,
// or in a file that it names.
enum wm_status wm_energy_file_read_text(const char *text, size_t length, const char *file,
                                        struct wm_energy_table *table, struct wm_error *error);

// The file of a table's name: itself when it has a slash or ends in ".yaml", then relative as
// above, else that of a table that comes with warpmem. WM_NOT_FOUND, with those in the cure.
enum wm_status wm_energy_file_path(const char *name, const char *beside, char *path, size_t size,
                                   struct wm_error *error);

#endif
