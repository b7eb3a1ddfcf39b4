// warpmem report: a results database as one page.
#include "cli/commands.h"
#include "cli/options/output_option.h"
#include "study/page/study_report.h"

struct report_values {
    const char *output;
    bool quiet;
};

static int run(const struct wm_invocation *invocation)
{
    const struct report_values *values = invocation->values;
    struct wm_error error;
    wm_error_clear(&error);
    if (values->output == NULL)
        return wm_command_misuse(invocation, "-o FILE says where the page goes");
    if (wm_output_option_check(values->output, invocation->operands, invocation->operand_count,
                               &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    const struct wm_report_assets *assets = &wm_report_assets;
    if (wm_study_report(invocation->operands[0], values->output, assets, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    if (!values->quiet && assets->chart_library[0] == '\0')
        fprintf(invocation->err, "warpmem: figures are tables only, without charts: %s",
                assets->chart_missing);
    return WM_EXIT_OK;
}

#define VALUE(name) offsetof(struct report_values, name)
static const struct wm_option options[] = {
    {'o', "output", WM_OPTION_ARGUMENT, "FILE", VALUE(output), "where the page goes",
     WM_COMPLETES_FILES},
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "do not say that charts are missing",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "-o FILE [options] DATABASE",
    .description =
        "Writes what warpmem study run has measured as one page that opens without a network: "
        "which claims hold, the figures as charts and tables next to the paper's numbers, the "
        "machines with their differences, and what each kernel and load did on each of them. A "
        "study that is still running is reported as far as it is.",
    .examples = "warpmem report results.db -o report.html",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct report_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_report = {
    .name = "report",
    .summary = "write a study's results as a page",
    .usage = &usage,
    .run = run,
};
