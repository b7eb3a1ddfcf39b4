// A file that a command writes. This is the one place that decides how:
//
//   a regular file, also one behind symbolic links, is written under another name in its folder and
//   replaces the old one when it is whole: a reader never finds half of one, a failure leaves the
//   old one alone, links stay links and permissions stay as they are; a device, a pipe, "-"
//   (standard output) and names of open descriptors ("/dev/stdout") are written as they stand.
//
// What cannot be written (a full disk, a limit on files' size) is an error of the writer, never a
// signal that ends the process.
#ifndef WM_BASE_OUTPUT_FILE_H
#define WM_BASE_OUTPUT_FILE_H

#include "base/error.h"
#include "base/files/output_place.h"

#include <stdbool.h>
#include <stdio.h>

enum wm_output_mode {
    WM_OUTPUT_ATOMIC, // as above
    // A regular file is at its place from the beginning, so that what a killed process has written
    // can be read. It is removed when something could not be written.
    WM_OUTPUT_INCREMENTAL,
};

struct wm_output_file {
    int descriptor; // -1 when closed, or once writing has failed
    int reason;     // errno of the first failure; 0
    bool grows;
    char *path;      // owned: as it was named
    char *temporary; // owned: the new file in the target's folder; NULL: without a name, or none
    struct wm_output_place place;
};

// WM_IO with the operating system's reason; WM_NO_MEMORY. Then there is nothing to close.
enum wm_status wm_output_open(struct wm_output_file *file, const char *path,
                              enum wm_output_mode way, struct wm_error *error);
// Writes all of it; false when that fails, at once for everything later, and what has been written
// of a regular file is gone. wm_output_close says why.
bool wm_output_write(struct wm_output_file *file, const void *data, size_t length);
// WM_IO when something could not be written so far.
enum wm_status wm_output_status(const struct wm_output_file *file, struct wm_error *error);
// Ends the file: with `good`, what was written takes its place; else it is removed. WM_IO when
// something could not be written.
enum wm_status wm_output_close(struct wm_output_file *file, bool good, struct wm_error *error);

// A stream that writes to the file, which is closed after it; fclose() does not. NULL without
// memory.
FILE *wm_output_stream(struct wm_output_file *file);

#endif
