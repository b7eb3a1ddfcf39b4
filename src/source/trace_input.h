// A trace of another tool as a stream of bytes or lines, from a file that may be compressed: gzip,
// xz, zstd, bzip2 and LZ4 are recognised by their first bytes, whatever the file is called
// (libarchive). Memory in use does not depend on the file's length. A file that is empty, or that
// ends in the midst of its compressed data, is an error.
//
// Thread rules: one thread at a time. Private to source/.
#ifndef WM_SOURCE_TRACE_INPUT_H
#define WM_SOURCE_TRACE_INPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_trace_input;

// Longer lines are refused.
enum { WM_TRACE_INPUT_LINE_BYTES = 1 << 20 };

// WM_NOT_FOUND, WM_IO, WM_NO_MEMORY; WM_INVALID when nothing is in it.
enum wm_status wm_trace_input_open(const char *path, struct wm_trace_input **input,
                                   struct wm_error *error);
// The same from bytes in memory, borrowed, which errors call `name`.
enum wm_status wm_trace_input_open_memory(const void *bytes, size_t size, const char *name,
                                          struct wm_trace_input **input, struct wm_error *error);
void wm_trace_input_close(struct wm_trace_input *input); // may be NULL

// Reads `size` bytes, or fewer at the end, into `buffer`; `*got` is their number.
enum wm_status wm_trace_input_read(struct wm_trace_input *input, void *buffer, size_t size,
                                   size_t *got, struct wm_error *error);
// The next line without its end ("\n" or "\r\n"), NUL-terminated, good until the next call; NULL in
// `*line` behind the last. A NUL within a line is refused.
enum wm_status wm_trace_input_line(struct wm_trace_input *input, const char **line, size_t *length,
                                   struct wm_error *error);

const char *wm_trace_input_name(const struct wm_trace_input *input);
// Of the line read last, from 1; and bytes read so far, decompressed.
uint64_t wm_trace_input_line_number(const struct wm_trace_input *input);
uint64_t wm_trace_input_offset(const struct wm_trace_input *input);

// Gives an error already set the place "file:line", or "file, byte N" when no line was read.
// Returns its status.
enum wm_status wm_trace_input_place(const struct wm_trace_input *input, struct wm_error *error);

#endif
