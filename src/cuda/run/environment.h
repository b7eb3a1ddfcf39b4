// The settings of a run (base/run/run_settings.h) as the libraries take them: from this process'
// environment, which `warpmem run` sets for the program it starts, or a person sets.
#ifndef WM_CUDA_RUN_ENVIRONMENT_H
#define WM_CUDA_RUN_ENVIRONMENT_H

#include "base/error.h"
#include "base/run/run_settings.h"
#include "engine/session/launch_filter.h"
#include "machine/machine.h"
#include "machine/plugins.h"

#include <stdbool.h>

// Initialises and reads them. `columns` becomes the text report's width, or WM_REPORT_UNLIMITED,
// and `sample_cycles` what a timeline without it has. WM_INVALID for a value that cannot be read.
enum wm_status wm_cuda_environment_read(struct wm_run_settings *settings, struct wm_error *error);
// The requested checks, of enum wm_check.
enum wm_status wm_cuda_environment_checks(const struct wm_run_settings *settings, uint32_t *checks,
                                          struct wm_error *error);
// The plug-ins and the machine with its settings; v100 when none is named. `plugins` must have been
// initialised, and lives as long as the machine.
enum wm_status wm_cuda_environment_machine(const struct wm_run_settings *settings,
                                           struct wm_plugins *plugins, struct wm_machine *machine,
                                           struct wm_error *error);
// The choice of launches; `chosen`: there is one. Release the filter in any case.
enum wm_status wm_cuda_environment_launches(const struct wm_run_settings *settings,
                                            struct wm_launch_filter *filter, bool *chosen,
                                            struct wm_error *error);

#endif
