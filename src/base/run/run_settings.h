// The settings of a run of a program: a command hands them to the program's process as one object,
// and a person may set variables of the environment without a command (docs/cuda.md).
// base/run/run_settings.def has the one list of them: a new setting is a row there, and its use.
#ifndef WM_BASE_RUN_SETTINGS_H
#define WM_BASE_RUN_SETTINGS_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stdint.h>

// The variable that holds the object: a line "NAME=VALUE" for each setting that is not as
// wm_run_settings_init has it, without WARPMEM_ before the name, and one for each item of a list.
// In a value a newline is "\n", and a backslash "\\".
#define WM_RUN_SETTINGS_OBJECT "WARPMEM_SETTINGS"

// By what a run's memory system, or its advice, is simulated: the numbers of their words.
enum { WM_RUN_BY_WALK, WM_RUN_BY_CLOCK, WM_RUN_BY_NONE };

#define WM_RUN_NOT_SET UINT64_MAX // of a number of which 0 says something else

struct wm_run_list {
    const char **items; // NULL when none
    uint32_t count, capacity;
};

#define WM_RUN_TYPE_TEXT const char * // NULL or empty: not set
#define WM_RUN_TYPE_LIST struct wm_run_list
#define WM_RUN_TYPE_FLAG bool
#define WM_RUN_TYPE_NUMBER uint64_t
#define WM_RUN_TYPE_WORD unsigned
struct wm_run_settings {
#define WM_RUN_SETTING(kind, field, NAME, initial, expected, documentation) \
    WM_RUN_TYPE_##kind field;
#include "base/run/run_settings.def"
#undef WM_RUN_SETTING
    struct wm_arena arena; // owns what was read; a text that a caller sets is borrowed
};

enum wm_run_setting {
#define WM_RUN_SETTING(kind, field, NAME, initial, expected, documentation) WM_RUN_SETTING_##NAME,
#include "base/run/run_settings.def"
#undef WM_RUN_SETTING
    WM_RUN_SETTINGS,
};

// As they hold when nothing is set. Release them in any case.
void wm_run_settings_init(struct wm_run_settings *settings);
void wm_run_settings_release(struct wm_run_settings *settings);
// "WARPMEM_JSON".
const char *wm_run_setting_variable(enum wm_run_setting setting);
// Of a TEXT: NULL when it is not set. One that is set is borrowed.
const char *wm_run_setting_text(const struct wm_run_settings *settings,
                                enum wm_run_setting setting);
void wm_run_setting_set_text(struct wm_run_settings *settings, enum wm_run_setting setting,
                             const char *text);
// Adds a copy of `item` to a list of the settings. WM_NO_MEMORY.
enum wm_status wm_run_settings_add(struct wm_run_settings *settings, struct wm_run_list *list,
                                   const char *item, struct wm_error *error);
// Reads one setting as its variable has it: a list's items one a line, in place of those before.
// NULL and empty change nothing. WM_INVALID for what is no value of it, with the variable as the
// place; WM_NO_MEMORY.
enum wm_status wm_run_setting_read(struct wm_run_settings *settings, enum wm_run_setting setting,
                                   const char *value, struct wm_error *error);
// The object of the settings, at the end of `text`; wm_run_settings_read has them again, to the
// byte. WM_INVALID for an object that names no setting, or has no value of one.
void wm_run_settings_write(const struct wm_run_settings *settings, struct wm_text *text);
enum wm_status wm_run_settings_read(struct wm_run_settings *settings, const char *object,
                                    struct wm_error *error);
// What this process' environment has: the object, and single variables, which override it.
enum wm_status wm_run_settings_read_environment(struct wm_run_settings *settings,
                                                struct wm_error *error);

#endif
