#include "cli/run/reports_folder.h"

#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static bool append_file(const char *path, bool gap, struct wm_text *text)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    if (gap && text->length > 0)
        wm_text_add(text, "\n");
    char buffer[PATH_BYTES];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0)
        wm_text_append(text, buffer, count);
    bool good = !ferror(file);
    fclose(file);
    return good;
}

struct wm_run_reports wm_run_folder_collect(const char *folder, struct wm_text *text)
{
    struct wm_run_reports reports = {0, 0};
    for (;; reports.started++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%u.claim", folder, (unsigned)reports.started + 1);
        if (access(path, F_OK) != 0)
            return reports;
        snprintf(path, sizeof path, "%s/%u.txt", folder, (unsigned)reports.started + 1);
        reports.reported += append_file(path, true, text);
    }
}

uint32_t wm_run_folder_findings(const char *folder, uint32_t programs, struct wm_text *text)
{
    uint32_t found = 0;
    for (uint32_t program = 1; program <= programs; program++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%u.checked", folder, (unsigned)program);
        append_file(path, false, text);
        snprintf(path, sizeof path, "%s/%u.findings", folder, (unsigned)program);
        found += append_file(path, false, text);
    }
    return found;
}
