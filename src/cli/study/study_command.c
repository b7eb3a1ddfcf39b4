// warpmem study: a paper's experiments as data, with its claims, run and checked.
#include "cli/commands.h"
#include "cli/parts/machine_text.h"
#include "cli/process/resources.h"
#include "cli/study/study_commands.h"

#include <stdlib.h>

enum wm_status wm_study_session_read(struct wm_study_session *session, const char *file,
                                     const struct wm_study_values *values, struct wm_error *error)
{
    const char *database = values->database;
    const struct wm_study_texts plugins = {values->plugins.items, values->plugins.count};
    char folder[PATH_MAX];
    session->database = (struct wm_database){0};
    // Without the folder, sources in the study file's folder are still found.
    bool found = wm_resource_find(WM_RESOURCE_WORKLOADS, folder, sizeof folder, NULL) == WM_OK;
    WM_TRY(wm_study_read(&session->study, file, found ? folder : NULL, &plugins, error));
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
    return wm_database_sync_study(&session->database, &session->study, &any, NULL, error);
}

void wm_study_session_release(struct wm_study_session *session)
{
    wm_database_close(&session->database);
    wm_study_release(&session->study);
}

enum wm_status wm_study_session_claims(struct wm_study_session *session,
                                       struct wm_claim_result **results, uint32_t counts[3],
                                       struct wm_error *error)
{
    struct wm_study *study = &session->study;
    double *values = NULL;
    *results = NULL;
    WM_TRY(wm_database_values(&session->database, study, &values, error));
    struct wm_claim_result *made = calloc(study->claim_count + 1, sizeof *made);
    enum wm_status status = made != NULL ? wm_study_check_claims(study, values, made, error)
                                         : wm_fail_no_memory(error, "the claims");
    free(values);
    if (status == WM_OK)
        status = wm_database_put_claims(&session->database, study, made, error);
    if (status != WM_OK) {
        free(made);
        return status;
    }
    for (uint32_t i = 0; i < study->claim_count; i++)
        counts[made[i].verdict]++;
    *results = made;
    return WM_OK;
}

int wm_study_print(const struct wm_invocation *invocation, const struct wm_study_values *values,
                   wm_study_text_function *fill, void *context)
{
    struct wm_study_session session;
    struct wm_error error;
    struct wm_text text;
    wm_error_clear(&error);
    wm_text_init(&text);
    enum wm_status status =
        wm_study_session_read(&session, invocation->operands[0], values, &error);
    if (status == WM_OK)
        status = wm_study_session_open(&session, &error);
    if (status == WM_OK)
        status = fill(&session, invocation, context, &text, &error);
    int exit_status;
    if (status == WM_OK) {
        exit_status = wm_command_print(invocation, &text);
    } else {
        exit_status = wm_command_fail(invocation, &error);
        wm_text_release(&text);
    }
    wm_study_session_release(&session);
    return exit_status;
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
