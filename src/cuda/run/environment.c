#include "cuda/run/environment.h"

#include "engine/check/check.h"
#include "study/run_report/report.h"
#include "study/run_report/width.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SETTINGS = 4096 };

static const char *not_empty(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

static enum wm_status read_flag(const char *name, bool *flag, struct wm_error *error)
{
    const char *value = not_empty(name);
    if (!value)
        return WM_OK;
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) {
        wm_fail(error, WM_INVALID, "\"%.64s\" is neither 0 nor 1", value);
        return wm_error_place(error, "%s", name);
    }
    *flag = value[0] == '1';
    return WM_OK;
}

static enum wm_status read_engine(bool *clock, struct wm_error *error)
{
    const char *value = not_empty("WARPMEM_ENGINE");
    *clock = value && strcmp(value, "clock") == 0;
    if (value && !*clock && strcmp(value, "walk") != 0) {
        wm_fail(error, WM_INVALID, "\"%.64s\" is neither walk nor clock", value);
        return wm_error_place(error, "WARPMEM_ENGINE");
    }
    return WM_OK;
}

static enum wm_status read_sample(struct wm_cuda_environment *environment, struct wm_error *error)
{
    enum { DEFAULT_SAMPLE_CYCLES = 1000 };
    const char *value = not_empty("WARPMEM_SAMPLE");
    char *end = NULL;
    errno = 0;
    environment->sample_cycles = value ? strtoull(value, &end, 10) : 0;
    if (value && (errno || *end || value[0] < '0' || value[0] > '9')) {
        wm_fail(error, WM_INVALID, "\"%.64s\" is no number of cycles", value);
        return wm_error_place(error, "WARPMEM_SAMPLE");
    }
    if (environment->timeline && environment->sample_cycles == 0)
        environment->sample_cycles = DEFAULT_SAMPLE_CYCLES;
    return WM_OK;
}

static enum wm_status read_limit(const char *name, uint64_t *limit, struct wm_error *error)
{
    const char *value = not_empty(name);
    if (!value)
        return WM_OK;
    char *end;
    errno = 0;
    *limit = strtoull(value, &end, 10);
    if (errno == 0 && *end == '\0' && value[0] >= '0' && value[0] <= '9')
        return WM_OK;
    wm_fail(error, WM_INVALID, "\"%.64s\" is no whole number", value);
    return wm_error_place(error, "%s", name);
}

static enum wm_status read_measure(struct wm_cuda_environment *environment, struct wm_error *error)
{
    const char *value = not_empty("WARPMEM_MEASURE");
    if (!value || strcmp(value, "none") == 0)
        return WM_OK;
    environment->measure = true;
    environment->measure_clock = strcmp(value, "clock") == 0;
    if (environment->measure_clock || strcmp(value, "walk") == 0)
        return WM_OK;
    wm_fail(error, WM_INVALID, "\"%.64s\" is none of walk, clock, none", value);
    return wm_error_place(error, "WARPMEM_MEASURE");
}

static enum wm_status read_checks(uint32_t *checks, struct wm_error *error)
{
    const char *value = not_empty("WARPMEM_CHECK");
    if (!value || wm_check_list_read(value, checks, error) == WM_OK)
        return WM_OK;
    return wm_error_place(error, "WARPMEM_CHECK");
}

static enum wm_status read_columns(unsigned *columns, struct wm_error *error)
{
    const char *value = not_empty("WARPMEM_COLUMNS");
    const char *report = not_empty("WARPMEM_REPORT");
    *columns = wm_report_width(report && strcmp(report, "-") == 0 ? STDOUT_FILENO : -1);
    if (!value)
        return WM_OK;
    char *end;
    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    if (strcmp(value, "0") == 0) {
        *columns = WM_REPORT_UNLIMITED;
        return WM_OK;
    }
    if (errno || *end || number < WM_REPORT_LEAST_COLUMNS || number > WM_REPORT_MOST_COLUMNS) {
        wm_fail(error, WM_INVALID, "\"%.64s\" is neither 0 nor a width between %d and %d", value,
                (int)WM_REPORT_LEAST_COLUMNS, (int)WM_REPORT_MOST_COLUMNS);
        return wm_error_place(error, "WARPMEM_COLUMNS");
    }
    *columns = (unsigned)number;
    return WM_OK;
}

enum wm_status wm_cuda_environment_read(struct wm_cuda_environment *environment,
                                        struct wm_error *error)
{
    *environment = (struct wm_cuda_environment){
        .report = not_empty("WARPMEM_REPORT"),
        .json = not_empty("WARPMEM_JSON"),
        .csv = not_empty("WARPMEM_CSV"),
        .timeline = not_empty("WARPMEM_TIMELINE"),
        .annotate_html = not_empty("WARPMEM_ANNOTATE_HTML"),
        .annotate_json = not_empty("WARPMEM_ANNOTATE_JSON"),
        .record = not_empty("WARPMEM_RECORD"),
        .run_folder = not_empty("WARPMEM_RUN_FOLDER"),
        .memory = true,
    };
    WM_TRY(read_flag("WARPMEM_MEMORY", &environment->memory, error));
    WM_TRY(read_flag("WARPMEM_RECORD_MEMORY_ONLY", &environment->record_memory_only, error));
    WM_TRY(read_flag("WARPMEM_RECORD_ANY_ORDER", &environment->record_any_order, error));
    WM_TRY(read_flag("WARPMEM_ANNOTATE", &environment->annotate, error));
    WM_TRY(read_flag("WARPMEM_INLINE_CHAIN", &environment->inline_chain, error));
    WM_TRY(read_flag("WARPMEM_PROFILED", &environment->profiled, error));
    WM_TRY(read_flag("WARPMEM_PER_LAUNCH", &environment->per_launch, error));
    WM_TRY(read_flag("WARPMEM_EXPLAIN", &environment->explain, error));
    WM_TRY(read_flag("WARPMEM_SERIAL_STREAMS", &environment->serial_streams, error));
    WM_TRY(read_flag("WARPMEM_PROGRESS", &environment->progress, error));
    WM_TRY(read_checks(&environment->checks, error));
    WM_TRY(read_engine(&environment->clock, error));
    WM_TRY(read_measure(environment, error));
    WM_TRY(read_sample(environment, error));
    WM_TRY(read_limit("WARPMEM_LIMIT_INSTRUCTIONS", &environment->limit_instructions, error));
    WM_TRY(read_limit("WARPMEM_LIMIT_TIME", &environment->limit_ns, error));
    return read_columns(&environment->columns, error);
}

// The lines of a variable, cut in place.
struct lines {
    char *text; // owned
    const char **items;
    uint32_t count;
};

static void release_lines(struct lines *lines)
{
    free(lines->items);
    free(lines->text);
}

static enum wm_status read_lines(const char *variable, struct lines *lines, struct wm_error *error)
{
    *lines = (struct lines){0};
    const char *value = not_empty(variable);
    if (!value)
        return WM_OK;
    lines->text = strdup(value);
    lines->items = calloc(MAX_SETTINGS, sizeof *lines->items);
    if (!lines->text || !lines->items) {
        release_lines(lines);
        return wm_fail_no_memory(error, "%s", variable);
    }
    for (char *line = lines->text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!*line)
            continue;
        if (lines->count == MAX_SETTINGS) {
            release_lines(lines);
            wm_fail(error, WM_INVALID, "more than %d lines", (int)MAX_SETTINGS);
            return wm_error_place(error, "%s", variable);
        }
        lines->items[lines->count++] = line;
    }
    return WM_OK;
}

static enum wm_status load_plugins(struct wm_plugins *plugins, struct wm_error *error)
{
    struct lines paths;
    WM_TRY(read_lines("WARPMEM_PLUGINS", &paths, error));
    enum wm_status status = WM_OK;
    for (uint32_t i = 0; i < paths.count && status == WM_OK; i++)
        status = wm_plugins_load(plugins, paths.items[i], error);
    release_lines(&paths);
    return status;
}

enum wm_status wm_cuda_environment_machine(struct wm_plugins *plugins, struct wm_machine *machine,
                                           struct wm_error *error)
{
    const char *name = not_empty("WARPMEM_MACHINE");
    struct lines settings;
    WM_TRY(load_plugins(plugins, error));
    WM_TRY(read_lines("WARPMEM_SET", &settings, error));
    enum wm_status status = wm_machine_load_with(plugins, name ? name : "v100", settings.items,
                                                 settings.count, machine, error);
    release_lines(&settings);
    return status;
}

enum wm_status wm_cuda_environment_launches(struct wm_launch_filter *filter, bool *wanted,
                                            struct wm_error *error)
{
    struct lines kernels;
    *filter = (struct wm_launch_filter){0};
    *wanted = false;
    WM_TRY(read_lines("WARPMEM_KERNELS", &kernels, error));
    const struct wm_launch_filter_words words = {
        .kernels = kernels.items,
        .kernel_count = kernels.count,
        .launches = not_empty("WARPMEM_LAUNCHES"),
        .skip = not_empty("WARPMEM_LAUNCH_SKIP"),
        .count = not_empty("WARPMEM_LAUNCH_COUNT"),
    };
    *wanted = wm_launch_filter_wanted(&words);
    enum wm_status status = wm_launch_filter_init(filter, &words, error);
    release_lines(&kernels);
    return status;
}
