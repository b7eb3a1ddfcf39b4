// The output of `warpmem cc`: made in the folder of intermediate files, and put where the line
// says, as every output is (base/files/output_file.h). Clang's back end answers a full disk or
// device with a dump of its stack and a request for a bug report, and neither it nor the linker
// minds links.
#ifndef WM_CLI_CC_OUTPUT_H
#define WM_CLI_CC_OUTPUT_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "cli/cc/command_line.h"

// Whether the line has one output of a name known beforehand: with -o, or of the linker.
const char *wm_cc_output_target(const struct wm_cc_line *line);
// The line with its output in `folder`, in `made`; dependencies that clang would name after the
// output are named after `target`. WM_NO_MEMORY.
enum wm_status wm_cc_output_redirect(const struct wm_cc_line *line, const char *folder,
                                     const char *target, struct wm_arena *arena,
                                     struct wm_cc_line *made, struct wm_error *error);
// Puts what was made at `target`, a program with the permissions that the linker gave it. WM_IO.
enum wm_status wm_cc_output_deliver(const char *made, const char *target, struct wm_error *error);

#endif
