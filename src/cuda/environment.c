#include "cuda/environment.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_COLUMNS = 80, MIN_COLUMNS = 40, MAX_COLUMNS = 1000, MAX_SETTINGS = 4096 };

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

static enum wm_status read_columns(unsigned *columns, struct wm_error *error)
{
    const char *value = not_empty("WARPMEM_COLUMNS");
    *columns = DEFAULT_COLUMNS;
    if (!value)
        return WM_OK;
    char *end;
    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    if (errno || *end || number < MIN_COLUMNS || number > MAX_COLUMNS) {
        wm_fail(error, WM_INVALID, "\"%.64s\" is no width between %d and %d", value,
                (int)MIN_COLUMNS, (int)MAX_COLUMNS);
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
        .run_folder = not_empty("WARPMEM_RUN_FOLDER"),
        .memory = true,
    };
    WM_TRY(read_flag("WARPMEM_MEMORY", &environment->memory, error));
    WM_TRY(read_flag("WARPMEM_EXPLAIN", &environment->explain, error));
    WM_TRY(read_flag("WARPMEM_PROGRESS", &environment->progress, error));
    return read_columns(&environment->columns, error);
}

// Cuts the list into its lines, in place.
static enum wm_status split_settings(char *text, const char **settings, uint32_t *count,
                                     struct wm_error *error)
{
    *count = 0;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!*line)
            continue;
        if (*count == MAX_SETTINGS) {
            wm_fail(error, WM_INVALID, "more than %d settings", (int)MAX_SETTINGS);
            return wm_error_place(error, "WARPMEM_SET");
        }
        settings[(*count)++] = line;
    }
    return WM_OK;
}

enum wm_status wm_cuda_environment_machine(struct wm_machine *machine, struct wm_error *error)
{
    const char *name = not_empty("WARPMEM_MACHINE"), *list = not_empty("WARPMEM_SET");
    if (!name)
        name = "v100";
    if (!list)
        return wm_machine_load(name, NULL, 0, machine, error);
    char *text = strdup(list);
    const char **settings = calloc(MAX_SETTINGS, sizeof *settings);
    uint32_t count = 0;
    enum wm_status status = WM_NO_MEMORY;
    if (!text || !settings)
        wm_fail(error, WM_NO_MEMORY, "no memory for the machine's settings");
    else
        status = split_settings(text, settings, &count, error);
    if (status == WM_OK)
        status = wm_machine_load(name, settings, count, machine, error);
    free(settings);
    free(text);
    return status;
}
