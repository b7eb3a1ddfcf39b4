// Sums of a counter over a run's components.
#ifndef WM_ENGINE_SESSION_COMPONENT_SUM_H
#define WM_ENGINE_SESSION_COMPONENT_SUM_H

#include "engine/session/results.h"

// The counter `name` over all components of `kind` ("l1"); 0 where there are none.
uint64_t wm_component_sum(const struct wm_component_result *components, uint32_t count,
                          const char *kind, const char *name);

#endif
