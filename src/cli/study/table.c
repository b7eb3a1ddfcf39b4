// warpmem study table: the numbers of figures and metrics.
#include "cli/commands.h"
#include "cli/study/study_commands.h"
#include "study/database/point_table.h"

#include <stdlib.h>

struct table_values {
    struct wm_study_values common;
    bool csv, json;
};

static enum wm_status print(struct wm_study_session *session, const char *name,
                            const double *values, enum wm_point_format format, struct wm_text *text,
                            struct wm_error *error)
{
    struct wm_point_table table;
    WM_TRY(wm_point_table_make(&session->study, name, values, &table, error));
    wm_point_table_print(&table, format, text->length == 0, text);
    return WM_OK;
}

// The named ones; else all figures, or all metrics where the study draws none.
static enum wm_status print_all(struct wm_study_session *session,
                                const struct wm_invocation *invocation, void *context,
                                struct wm_text *text, struct wm_error *error)
{
    (void)context;
    const struct table_values *given = invocation->values;
    const struct wm_study *study = &session->study;
    enum wm_point_format format = given->csv    ? WM_POINT_CSV
                                  : given->json ? WM_POINT_JSON
                                                : WM_POINT_TEXT;
    double *values = NULL;
    WM_TRY(wm_database_values(&session->database, &session->study, &values, error));
    enum wm_status status = WM_OK;
    for (uint32_t i = 1; i < invocation->operand_count && status == WM_OK; i++)
        status = print(session, invocation->operands[i], values, format, text, error);
    if (invocation->operand_count == 1) {
        for (uint32_t i = 0; i < study->figure_count && status == WM_OK; i++)
            status = print(session, study->figures[i].id, values, format, text, error);
        for (uint32_t i = 0; i < study->metric_count && study->figure_count == 0 && status == WM_OK;
             i++)
            status = print(session, study->metrics[i].name, values, format, text, error);
    }
    free(values);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    const struct table_values *values = invocation->values;
    if (values->csv && values->json)
        return wm_command_misuse(invocation, "--csv and --json contradict each other");
    return wm_study_print(invocation, &values->common, print_all, NULL);
}

#define VALUE(name) offsetof(struct table_values, name)
static const struct wm_option options[] = {
    WM_STUDY_OPTIONS,
    {0, "csv", WM_OPTION_FLAG, NULL, VALUE(csv), "print a row a number as CSV",
     WM_COMPLETES_NOTHING},
    {0, "json", WM_OPTION_FLAG, NULL, VALUE(json), "print a JSON object a table, one a line",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "[options] FILE [FIGURE|METRIC]...",
    .description =
        "Prints the numbers of figures, normalised as the study file says, or of metrics as they "
        "were measured, machine by machine and workload by workload, with the paper's below where "
        "it gives them. A number that is not known is \"-\". Without a name: all figures, or all "
        "metrics where there is no figure.",
    .examples = "warpmem study table examples/study.yaml\n"
                "warpmem study table examples/study.yaml dram_bytes --csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct table_values),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_study_table = {
    .name = "table",
    .summary = "print the numbers of figures and metrics",
    .usage = &usage,
    .run = run,
};
