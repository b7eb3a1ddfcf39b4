#include "cli/options/report_option.h"

#include "study/run_report/report_file.h"
#include "study/run_report/width.h"

#include <string.h>
#include <unistd.h>

static bool is_file(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

unsigned wm_report_option_width(const char *path)
{
    return wm_report_width(is_file(path) ? -1 : STDOUT_FILENO);
}

enum wm_status wm_report_option_put(const char *path, bool standard,
                                    const struct wm_invocation *invocation,
                                    const struct wm_text *text, struct wm_error *error)
{
    if (text->failed || text->data == NULL)
        return wm_fail_no_memory(error, "the text");
    if (is_file(path))
        return wm_report_file_write(path, text, error);
    // What cannot be written is found at the end (wm_command_main).
    fwrite(text->data, 1, text->length,
           standard && path == NULL ? invocation->err : invocation->out);
    return WM_OK;
}
