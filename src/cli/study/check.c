// warpmem study check: each claim, with the paper's number and ours.
#include "cli/commands.h"
#include "cli/study/study_commands.h"

#include <stdlib.h>

static const char *const verdicts[] = {
    [WM_CLAIM_FAILS] = "does not hold",
    [WM_CLAIM_HOLDS] = "holds",
    [WM_CLAIM_UNKNOWN] = "undecided",
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

static enum wm_status fill(struct wm_study_session *session, const struct wm_invocation *invocation,
                           void *context, struct wm_text *text, struct wm_error *error)
{
    const struct wm_study *study = &session->study;
    struct wm_claim_result *results;
    uint32_t *counts = context;
    (void)invocation;
    WM_TRY(wm_study_session_claims(session, &results, counts, error));
    for (uint32_t i = 0; i < study->claim_count; i++)
        print_claim(&study->claims[i], &results[i], text);
    wm_text_format(text, "%u claims: %u hold, %u do not, %u undecided\n", study->claim_count,
                   counts[WM_CLAIM_HOLDS], counts[WM_CLAIM_FAILS], counts[WM_CLAIM_UNKNOWN]);
    free(results);
    return WM_OK;
}

static int run(const struct wm_invocation *invocation)
{
    uint32_t counts[3] = {0};
    int exit_status = wm_study_print(invocation, invocation->values, fill, counts);
    bool all = counts[WM_CLAIM_FAILS] == 0 && counts[WM_CLAIM_UNKNOWN] == 0;
    return exit_status == WM_EXIT_OK && !all ? WM_EXIT_FAILURE : exit_status;
}

static const struct wm_option options[] = {WM_STUDY_OPTIONS};

static const struct wm_usage usage = {
    .synopsis = "[options] FILE",
    .description =
        "Checks each claim of the study on the results that there are: whether it holds, does not, "
        "or is undecided as results are missing; with the paper's number and ours. Nothing is "
        "run. The exit status is 0 when all hold, 1 when one does not or is undecided.",
    .examples = "warpmem study check examples/study.yaml",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct wm_study_values),
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
