// The inside of an export: export.c has the folder and the list, kernel_writer.c writes
// one kernel's trace. Private to source/accelsim/.
#ifndef WM_SOURCE_ACCELSIM_EXPORT_PARTS_H
#define WM_SOURCE_ACCELSIM_EXPORT_PARTS_H

#include "source/accelsim/export.h"
#include "source/sass/names.h"

#include <stdio.h>

// Writes the last launch read to `file`; `id` counts from 1. Failures to write are left in the
// stream.
enum wm_status wm_accelsim_lines_write(struct wm_accelsim_export *export,
                                       struct wm_recording *recording, uint64_t id, FILE *file,
                                       struct wm_error *error);

#endif
