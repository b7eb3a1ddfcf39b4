// warpmem machine graph, and its picture for others.
#ifndef WM_CLI_GRAPH_GRAPH_COMMAND_H
#define WM_CLI_GRAPH_GRAPH_COMMAND_H

#include "base/text/text.h"
#include "cli/framework/command.h"
#include "machine/machine.h"

extern const struct wm_command wm_command_machine_graph;

// Appends the machine's name and its picture, each line with `before` in front. WM_INVALID as
// wm_drawn_machine_of (study/picture/picture.h); out of memory is the text's failure.
enum wm_status wm_machine_picture(const struct wm_machine *machine, const char *before,
                                  struct wm_text *text, struct wm_error *error);

#endif
