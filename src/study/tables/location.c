#include "study/tables/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void wm_report_name_cell(struct wm_text_table *table, uint32_t column, const char *indent,
                         const struct wm_kernel_result *kernel)
{
    wm_text_table_cell(table, column, "%s", indent);
    wm_text_table_kernel(table, column, &kernel->shown);
}

void wm_report_location_cell(struct wm_text_table *table, uint32_t column,
                             const struct wm_kernel_result *kernel,
                             const struct wm_instruction_result *it)
{
    char place[24];
    if (it->source_file != NULL) {
        const char *file = base_name(it->source_file);
        snprintf(place, sizeof place, ":%" PRIu32, it->source_line);
        wm_text_table_borrow(table, column, file, strlen(file));
        wm_text_table_append(table, column, place);
        return;
    }
    bool ptx = it->ptx_line != 0; // else from a trace of another tool
    snprintf(place, sizeof place, "%s:%" PRIu32 " ", ptx ? "ptx" : "pc",
             ptx ? it->ptx_line : it->pc);
    wm_report_name_cell(table, column, place, kernel);
}

void wm_report_instruction_row(struct wm_text_table *table, const struct wm_kernel_result *kernel,
                               const struct wm_instruction_result *it)
{
    wm_text_table_row(table);
    wm_report_location_cell(table, 0, kernel, it);
    wm_text_table_borrow(table, 1, it->text, strcspn(it->text, " \t"));
}
