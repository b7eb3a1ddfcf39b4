// Files of energy tables: whatever the bytes, an answer; what is accepted prints and reads back to
// the same; what is refused says why, and where unless it is a file that it names.
#include "machine/energy_rows.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_accepted(const struct wm_energy_table *table)
{
    struct wm_energy_table again = {0};
    struct wm_text text;
    wm_text_init(&text);
    wm_row_table_print(&wm_energy_row_table, table, &text);
    require(wm_row_table_read(&wm_energy_row_table, text.data, NULL, &again, NULL) == WM_OK);
    require(memcmp(table, &again, sizeof again) == 0);
    wm_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1); // of the exact length, so that a read past it is seen
    struct wm_energy_table table = {0};
    struct wm_error error;
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (wm_row_table_read_text(&wm_energy_row_table, text, size, "fuzz", &table, &error) == WM_OK)
        check_accepted(&table);
    else
        require(error.status != WM_OK && error.message[0] && error.place[0]);
    free(text);
    return 0;
}
