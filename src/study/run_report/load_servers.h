// What served an instruction's loads, as JSON. Private to study/.
#ifndef WM_STUDY_RUN_REPORT_LOAD_SERVERS_H
#define WM_STUDY_RUN_REPORT_LOAD_SERVERS_H

#include "engine/session/results.h"

#include <jansson.h>

// The name of the `number`-th of wm_servers_of(levels).
const char *wm_load_server_name(const struct wm_level_list *levels, uint32_t number);
// How many loads had the farthest of their data from each component, by its name, nearest first;
// not those that served none. NULL when out of memory.
json_t *wm_json_load_servers(const struct wm_level_list *levels,
                             const struct wm_load_servers *served);

#endif
