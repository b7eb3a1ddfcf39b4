// The picture of a study's machine in its page. Private to study/.
#ifndef WM_STUDY_PAGE_MACHINE_PICTURE_H
#define WM_STUDY_PAGE_MACHINE_PICTURE_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stdio.h>

// The SVG image of the machine that an effective description (YAML) is of, in the arena; NULL where
// it names entries of plug-ins, which are not there. WM_NO_MEMORY.
enum wm_status wm_page_picture_make(const char *description, struct wm_arena *arena,
                                    const char **svg, struct wm_error *error);
// Writes an <img> of it, whose colours follow the reader's scheme. `alternative` may be any text.
void wm_page_picture_put(FILE *stream, const char *svg, const char *alternative);

#endif
