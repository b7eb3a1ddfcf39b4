// Output files of CACTI: whatever the bytes, an answer; what is accepted are rows within their
// bounds that print and read back to the same; what is refused says where and why.
#include "machine/cacti_file.h"
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
    require(table->count > 0 && table->count <= WM_ENERGY_MAX_ROWS);
    for (uint64_t i = 0; i < table->count; i++) {
        struct wm_text text;
        wm_text_init(&text);
        wm_energy_row_print(&table->rows[i], &text);
        require(wm_energy_row_add(text.data, NULL, &again, NULL) == WM_OK);
        wm_text_release(&text);
    }
    require(memcmp(table, &again, sizeof again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct wm_energy_row row = {.name = "l2", .units = 1, .ports = 1};
    char *text = malloc(size ? size : 1); // of the exact length, so that a read past it is seen
    struct wm_energy_table table = {0};
    struct wm_error error;
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (wm_cacti_read_text(text, size, "fuzz", &row, &table, &error) == WM_OK)
        check_accepted(&table);
    else
        require(error.status == WM_INVALID && error.message[0] &&
                strncmp(error.place, "fuzz", 4) == 0);
    free(text);
    return 0;
}
