// Tables that a machine file names: a list of rows of text, in the machine file itself, in a file
// of its own, or one that comes with warpmem. What a row says is its kind's: energy
// (energy_rows.h), DRAM devices (dram_rows.h).
#ifndef WM_MACHINE_ROW_TABLE_H
#define WM_MACHINE_ROW_TABLE_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stddef.h>

struct wm_row_table_kind {
    const char *noun;    // "energy table"
    const char *article; // "an"
    const char *folder;  // of those that come with warpmem, in the presets' folder: "energy"
    const char *example; // a row
    size_t bytes;        // of the table's struct; all zeros is none
    unsigned most_rows;
    // Adds a row's text. `referrer` is the file that it stands in, NULL for none: what the row
    // names is relative to it. Errors have a place when they lie in another file.
    enum wm_status (*add)(const char *text, const char *referrer, void *table,
                          struct wm_error *error);
    // After the last row; NULL: nothing is left to do.
    enum wm_status (*finish)(void *table, struct wm_error *error);
    // Prints row `index`, so that reading all back makes the same table; false past the last.
    bool (*print)(const void *table, unsigned index, struct wm_text *text);
};

extern const struct wm_row_table_kind wm_energy_row_table, wm_dram_row_table;

// A whole value of a key: "none", the name of a table that comes with warpmem, a file (with a slash
// or ".yaml", relative to the folder of the file `referrer`, or to the working folder when that is
// NULL), or rows in brackets with commas between them. `table` is zeros before. WM_INVALID; of
// files also WM_NOT_FOUND, WM_IO, WM_NO_MEMORY. Errors in a file have a place.
enum wm_status wm_row_table_read(const struct wm_row_table_kind *kind, const char *text,
                                 const char *referrer, void *table, struct wm_error *error);
// Prints as wm_row_table_read reads it back to the same.
void wm_row_table_print(const struct wm_row_table_kind *kind, const void *table,
                        struct wm_text *text);

// A table's file from memory: YAML, a list of rows. Errors have a place in `file`, with the line,
// or in a file that it names.
enum wm_status wm_row_table_read_text(const struct wm_row_table_kind *kind, const char *text,
                                      size_t length, const char *file, void *table,
                                      struct wm_error *error);

// The file of a table's name: itself when it has a slash or ends in ".yaml", then relative as
// above, else that of a table that comes with warpmem. WM_NOT_FOUND, with those in the hint.
enum wm_status wm_row_table_path(const struct wm_row_table_kind *kind, const char *name,
                                 const char *referrer, char *path, size_t size,
                                 struct wm_error *error);

#endif
