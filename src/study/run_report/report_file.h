// A report's file: an output (base/files/output_file.h) with a stream for its lines.
#ifndef WM_STUDY_RUN_REPORT_REPORT_FILE_H
#define WM_STUDY_RUN_REPORT_REPORT_FILE_H

#include "base/files/output_file.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct wm_report_file {
    FILE *stream;     // write here
    const char *path; // borrowed
    struct wm_output_file output;
    char *buffer; // owned: the stream's
};

// WM_IO with the operating system's reason; WM_NO_MEMORY.
enum wm_status wm_report_file_open(struct wm_report_file *file, const char *path,
                                   struct wm_error *error);
// Ends the file: WM_IO when something could not be written. `good` false, which says that the
// report ran out of memory, writes nothing at all.
enum wm_status wm_report_file_close(struct wm_report_file *file, bool good, struct wm_error *error);

// Writes a whole text; errors as above.
enum wm_status wm_report_file_write(const char *path, const struct wm_text *text,
                                    struct wm_error *error);

// Where the report of that number goes: "out.json" for number 1, "out.2.json" for 2, …; a name
// without an ending gets ".2" at its end, and what is no file ("-", a pipe) gets all of them, one
// behind the other. `path` itself or `buffer`.
const char *wm_report_file_numbered(const char *path, uint32_t number, char *buffer, size_t size);

#endif
