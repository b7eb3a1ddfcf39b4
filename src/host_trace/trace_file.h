// The trace of a program as a file: a line of Dinero's an access ("r ADDRESS SIZE @PLACE", "w …",
// "u …"), "l …" for a place of code before its first access, "s ADDRESS SIZE NAME" for a variable
// likewise,
// "t NUMBER" before those of another thread, and what these wait for, which `warpmem import` reads
// (docs/formats/cores.md).
// Compressed by zstd where the name ends in ".zst".
#ifndef WM_HOST_TRACE_TRACE_FILE_H
#define WM_HOST_TRACE_TRACE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_host_trace_file;

// WM_IO for what cannot be written; WM_NO_MEMORY.
enum wm_status wm_host_trace_open(const char *path, struct wm_host_trace_file **file,
                                  struct wm_error *error);
// A mark (access_word.h) but that of an end: what comes next is of another thread, a fence, counted
// instructions, or a place that threads meet at. Before the first, all is of thread 0. False when
// it could not be written; closing says why.
bool wm_host_trace_mark(struct wm_host_trace_file *file, uint64_t word);
// An object of the program's whose code and variables have been moved by `moved`, at a path that is
// copied: before what it accesses, and before accesses to it. False without memory; closing says
// so.
bool wm_host_trace_object(struct wm_host_trace_file *file, uint64_t moved, const char *path);
// Accesses, no marks (access_word.h), and by access the address of its code, or 0. False when they
// could not be written; closing says why.
bool wm_host_trace_add(struct wm_host_trace_file *file, const uint64_t *words,
                       const uint64_t *codes, size_t count);
// With `good` the file takes its place, else nothing is left of it. WM_IO when something could not
// be written.
enum wm_status wm_host_trace_close(struct wm_host_trace_file *file, bool good,
                                   struct wm_error *error);

#endif
