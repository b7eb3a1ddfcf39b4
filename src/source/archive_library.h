// libarchive, loaded when the first trace of others is opened: it needs ten libraries more, and
// loading these takes longer than all else that a short command does. Private to source/.
#ifndef WM_SOURCE_ARCHIVE_LIBRARY_H
#define WM_SOURCE_ARCHIVE_LIBRARY_H

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>

#define WM_ARCHIVE_FUNCTIONS(X)          \
    X(archive_errno)                     \
    X(archive_error_string)              \
    X(archive_read_new)                  \
    X(archive_read_free)                 \
    X(archive_read_open_filename)        \
    X(archive_read_open_memory)          \
    X(archive_read_next_header)          \
    X(archive_read_data)                 \
    X(archive_read_support_filter_gzip)  \
    X(archive_read_support_filter_xz)    \
    X(archive_read_support_filter_zstd)  \
    X(archive_read_support_filter_bzip2) \
    X(archive_read_support_filter_lz4)   \
    X(archive_read_support_format_raw)   \
    X(archive_read_support_format_empty)

#define WM_ARCHIVE_MEMBER(name) __typeof__(name) *name;
struct wm_archive_library {
    WM_ARCHIVE_FUNCTIONS(WM_ARCHIVE_MEMBER)
};

// Stays loaded. WM_UNSUPPORTED when it is not installed. Thread rules: any thread.
enum wm_status wm_archive_library_load(const struct wm_archive_library **library,
                                       struct wm_error *error);

#endif
