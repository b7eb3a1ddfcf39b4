// A source file cut into its lines.
#ifndef WM_STUDY_ANNOTATE_SOURCE_FILE_H
#define WM_STUDY_ANNOTATE_SOURCE_FILE_H

#include "base/containers/arena.h"

#include <stdint.h>

struct wm_source_file {
    const char **lines; // without their ends; in the arena
    uint32_t line_count;
};

// Looks for `path` as it is, then for its last part in the current folder. NULL when neither is a
// text file that can be read, or it is larger than 16 MiB.
struct wm_source_file *wm_source_file_read(struct wm_arena *arena, const char *path);

#endif
