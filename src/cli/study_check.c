// warpmem study check: each claim, with the paper's number and ours.
#include "cli/commands.h"
#include "cli/part_text.h"
#include "cli/study_commands.h"

#include <stdlib.h>

struct check_values {
    const char *database;
};

static const char *const verdicts[] = {
    [WM_CLAIM_FAILS] = "does not hold",
    [WM_CLAIM_HOLDS] = "holds",
    [WM_CLAIM_UNKNOWN] = "cannot be told",
};

static void print_claim(const struct wm_study_claim *claim, const struct wm_claim_result *result,
                        struct wm_text *text)
{
    wm_text_format(text, "%s  %s", claim->id, verdicts[result->verdict]);
    if (claim->place[0])
        wm_text_format(text, "  (%s)", claim->place);
    wm_text_format(text, "\n    %s\n    checked:   %s\n", claim->text, claim->statement);
    if (claim->paper[0])
        wm_text_format(text, "    the paper: %s\n", claim->paper);
    wm_text_format(text, "    ours:      %s\n", result->ours);
}

static enum wm_status check(struct wm_study_session *session, uint32_t counts[3],
                            struct wm_text *text, struct wm_error *error)
{
    struct wm_study *study = &session->study;
    double *values = NULL;
    WM_TRY(wm_database_values(&session->database, study, &values, error));
    struct wm_claim_result *results = calloc(study->claim_count + 1, sizeof *results);
    if (!results) {
        free(values);
        return wm_fail(error, WM_NO_MEMORY, "no memory for the claims");
    }
    enum wm_status status = wm_study_check_claims(study, values, results, error);
    if (status == WM_OK)
        status = wm_database_put_claims(&session->database, study, results, error);
    for (uint32_t i = 0; status == WM_OK && i < study->claim_count; i++) {
        print_claim(&study->claims[i], &results[i], text);
        counts[results[i].verdict]++;
    }
    wm_text_format(text, "%u claims: %u hold, %u do not, %u cannot be told\n", study->claim_count,
                   counts[WM_CLAIM_HOLDS], counts[WM_CLAIM_FAILS], counts[WM_CLAIM_UNKNOWN]);
    free(results);
    free(values);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    const struct check_values *values = invocation->values;
    struct wm_study_session session;
    struct wm_error error;
    struct wm_text text;
    uint32_t counts[3] = {0};
    wm_error_clear(&error);
    wm_text_init(&text);
    enum wm_status status =
        wm_study_session_read(&session, invocation->operands[0], values->database, &error);
    if (status == WM_OK)
        status = wm_study_session_open(&session, &error);
    if (status == WM_OK)
        status = check(&session, counts, &text, &error);
    int exit_status;
    if (status == WM_OK) {
        exit_status = wm_command_print(invocation, &text);
    } else {
        exit_status = wm_command_fail(invocation, &error);
        wm_text_release(&text);
    }
    wm_study_session_release(&session);
    bool all = counts[WM_CLAIM_FAILS] == 0 && counts[WM_CLAIM_UNKNOWN] == 0;
    return exit_status == WM_EXIT_OK && !all ? WM_EXIT_FAILURE : exit_status;
}

static const struct wm_option options[] = {WM_DATABASE_OPTION(struct check_values)};

static const struct wm_usage usage = {
    .synopsis = "[options] FILE",
    .description =
        "Checks each claim of the study on the results that there are: whether it holds, does not, "
        "or cannot be told as results are missing; with the paper's number and ours. Nothing is "
        "run. The exit status is 0 when all hold, else 1.",
    .examples = "warpmem study check examples/study.yaml",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct check_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_study_check = {
    .name = "check",
    .summary = "say of each claim whether it holds",
    .usage = &usage,
    .run = run,
};
