// What the commands on studies share: the file is read and checked, the database opened.
#ifndef WM_CLI_STUDY_STUDY_COMMANDS_H
#define WM_CLI_STUDY_STUDY_COMMANDS_H

#include "cli/framework/command.h"
#include "study/database/results_database.h"

#include <limits.h>

extern const struct wm_command wm_command_study_check;
extern const struct wm_command wm_command_study_run;
extern const struct wm_command wm_command_study_table;

struct wm_study_session {
    struct wm_study study;
    struct wm_database database;
    char database_path[PATH_MAX];
};

// What every command on studies is given besides the file: its first member.
struct wm_study_values {
    const char *database; // NULL: NAME.db in this folder
    struct wm_option_list plugins;
};

// Reads the study file. Release it in any case.
enum wm_status wm_study_session_read(struct wm_study_session *session, const char *file,
                                     const struct wm_study_values *values, struct wm_error *error);
// Opens the database of an earlier run and brings it in step with the file.
enum wm_status wm_study_session_open(struct wm_study_session *session, struct wm_error *error);
void wm_study_session_release(struct wm_study_session *session);
// Checks the study's claims on the results that there are, and stores what came of it. `*results`
// are by claim, the caller's to free; `counts` is by verdict.
enum wm_status wm_study_session_claims(struct wm_study_session *session,
                                       struct wm_claim_result **results, uint32_t counts[3],
                                       struct wm_error *error);

// What a command says of a study's results; `context` is the command's.
typedef enum wm_status wm_study_text_function(struct wm_study_session *session,
                                              const struct wm_invocation *invocation, void *context,
                                              struct wm_text *text, struct wm_error *error);
// A command that prints it: reads the study that the first operand names, opens its database, and
// prints the text, or the error. Returns the exit status.
int wm_study_print(const struct wm_invocation *invocation, const struct wm_study_values *values,
                   wm_study_text_function *fill, void *context);

// The options' rows in a command's table.
// clang-format off
#define WM_STUDY_OPTIONS                                                                           \
    {'d', "database", WM_OPTION_ARGUMENT, "FILE", offsetof(struct wm_study_values, database),      \
     "where results are kept (default: the study's name with .db, in this folder)",                \
     WM_COMPLETES_FILES},                                                                          \
    {0, "plugin", WM_OPTION_LIST, "FILE", offsetof(struct wm_study_values, plugins),               \
     "load entries from a shared object, besides those that the file's plugins name",               \
     WM_COMPLETES_FILES}
// clang-format on

#endif
