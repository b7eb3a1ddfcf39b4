// warpmem study: a paper's experiments as data, with its claims, run and checked.
#include "cli/commands.h"
#include "cli/resources.h"
#include "cli/study_commands.h"

enum wm_status wm_study_session_read(struct wm_study_session *session, const char *file,
                                     const char *database, struct wm_error *error)
{
    char folder[PATH_MAX];
    session->database = (struct wm_database){0};
    // Without the folder, sources beside the study file are still found.
    bool found = wm_resource_find(WM_RESOURCE_WORKLOADS, folder, sizeof folder, NULL) == WM_OK;
    WM_TRY(wm_study_read(&session->study, file, found ? folder : NULL, error));
    int length = snprintf(session->database_path, sizeof session->database_path, "%s%s",
                          database ? database : session->study.name, database ? "" : ".db");
    if (length > 0 && (size_t)length < sizeof session->database_path)
        return WM_OK;
    wm_fail(error, WM_INVALID, "the path of the database is too long");
    return wm_error_place(error, "--database");
}

enum wm_status wm_study_session_open(struct wm_study_session *session, struct wm_error *error)
{
    const struct wm_database_version any = {.name = NULL};
    WM_TRY(
        wm_database_open(&session->database, session->database_path, WM_DATABASE_EXISTING, error));
    return wm_database_take_study(&session->database, &session->study, &any, NULL, error);
}

void wm_study_session_release(struct wm_study_session *session)
{
    wm_database_close(&session->database);
    wm_study_release(&session->study);
}

static const struct wm_usage usage = {
    .synopsis = "COMMAND [options] FILE",
    .description =
        "Runs a study: workloads on many machines, as one file names them, with the figures to "
        "draw of what is measured and the claims to check. Each workload is recorded once and "
        "replayed on each machine; results are kept in a database, point by point, so that a run "
        "that was ended goes on where it was.\n"
        "A file to start from is examples/study.yaml; docs/studies.md says what it may hold.",
    .examples = "warpmem study run examples/study.yaml\n"
                "warpmem study check examples/study.yaml\n"
                "warpmem study table examples/study.yaml dram_bytes --csv",
};

static const struct wm_command *const commands[] = {
    &wm_command_study_run,
    &wm_command_study_check,
    &wm_command_study_table,
    NULL,
};

const struct wm_command wm_command_study = {
    .name = "study",
    .summary = "run a paper's experiments and check its claims",
    .usage = &usage,
    .subcommands = commands,
};
