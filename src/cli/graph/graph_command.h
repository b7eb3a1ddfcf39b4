// warpmem machine graph.
#ifndef WM_CLI_GRAPH_GRAPH_COMMAND_H
#define WM_CLI_GRAPH_GRAPH_COMMAND_H

#include "cli/framework/command.h"

extern const struct wm_command wm_command_machine_graph;

#endif
