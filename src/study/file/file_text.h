// A whole file as text.
#ifndef WM_STUDY_FILE_TEXT_H
#define WM_STUDY_FILE_TEXT_H

#include "base/error.h"
#include "base/text/text.h"

#include <stddef.h>

// Appends a whole file. WM_NOT_FOUND, WM_IO; WM_INVALID when it has more than `most` bytes.
enum wm_status wm_study_file_text(const char *path, size_t most, struct wm_text *text,
                                  struct wm_error *error);

#endif
