#include "study/report_place.h"

#include "study/result_sums.h"

#include <inttypes.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void wm_report_place_cell(struct wm_text_table *table, uint32_t column,
                          const struct wm_kernel_result *kernel,
                          const struct wm_instruction_result *it, unsigned most)
{
    char name[WM_TABLE_CELL_BYTES], line[16];
    if (it->source_file == NULL) {
        wm_short_name(kernel->signature, name, sizeof name);
        bool ptx = it->ptx_line != 0; // else from a trace of another tool
        wm_text_table_cell(table, column, "%s:%" PRIu32 " %s", ptx ? "ptx" : "pc",
                           ptx ? it->ptx_line : it->pc, name);
        wm_text_table_cut(table, column, most);
        return;
    }
    int digits = snprintf(line, sizeof line, ":%" PRIu32, it->source_line);
    wm_text_table_cell(table, column, "%s", base_name(it->source_file));
    wm_text_table_cut(table, column, most - (unsigned)digits);
    wm_text_table_append(table, column, line);
}
