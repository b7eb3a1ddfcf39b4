#include "study/tables/block_maps.h"

#include <inttypes.h>

// --- For people ---

// A row of a grid of one dimension has blocks by this number, so that their own are easily found.
enum { MOST_KERNELS = 4, MOST_ROWS = 16, MOST_BLOCKS = 32, GRANULE = 8, INDENT = 2, GAP = 2 };

// How a launch's map is printed.
struct form {
    const struct wm_block_map *map;
    bool wraps;        // a grid of one dimension, in rows of so many blocks
    uint64_t rows;     // of the whole grid
    uint32_t in_row;   // blocks of one, as printed
    bool cut;          // and there are more of them
    int label, number; // characters of what stands before a row, and of a block's number
};

static int digits_of(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

static int number_width(const struct wm_block_map *map, uint32_t in_row)
{
    uint32_t most = in_row - 1; // the head has the number of each column
    for (uint64_t i = 0; i < map->count; i++)
        if (map->sms[i] != WM_BLOCK_NOT_PLACED && map->sms[i] > most)
            most = map->sms[i];
    return digits_of(most);
}

static uint32_t blocks_that_fit(const struct form *form, unsigned columns)
{
    unsigned before = (unsigned)(INDENT + form->label + 1);
    unsigned each = (unsigned)form->number + 1;
    unsigned fit = columns > before ? (columns - before) / each : 0;
    return fit < MOST_BLOCKS ? fit : MOST_BLOCKS;
}

static struct form form_of(const struct wm_block_map *map, unsigned columns)
{
    const uint32_t *grid = map->grid;
    struct form form = {.map = map, .wraps = grid[1] == 1 && grid[2] == 1};
    form.label = digits_of(form.wraps ? map->count - 1 : grid[1] - 1);
    form.label = form.label > 5 ? form.label : 5; // "block"
    form.number = number_width(map, grid[0] < MOST_BLOCKS ? grid[0] : MOST_BLOCKS);
    uint32_t fit = blocks_that_fit(&form, columns);
    if (form.wraps)
        fit = fit < GRANULE ? GRANULE : fit / GRANULE * GRANULE;
    else if (fit == 0)
        fit = 1;
    form.in_row = grid[0] < fit ? grid[0] : fit;
    form.cut = !form.wraps && form.in_row < grid[0];
    form.rows =
        form.wraps ? (map->count + form.in_row - 1) / form.in_row : (uint64_t)grid[1] * grid[2];
    return form;
}

static void add_title(const struct wm_results *results, const struct wm_block_map *map,
                      unsigned columns, struct wm_text *text)
{
    const struct wm_kernel_result *kernel = &results->kernels[map->kernel];
    const uint32_t *grid = map->grid;
    struct wm_text what;
    wm_text_init(&what);
    wm_text_format(&what, ", launch %" PRIu64 ", ", map->launch);
    if (grid[1] == 1 && grid[2] == 1)
        wm_text_format(&what, "%" PRIu32 " block%s", grid[0], grid[0] == 1 ? "" : "s");
    else if (grid[2] == 1)
        wm_text_format(&what, "%" PRIu32 " x %" PRIu32 " blocks", grid[0], grid[1]);
    else
        wm_text_format(&what, "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " blocks", grid[0], grid[1],
                       grid[2]);
    const char *head = kernel->on_cores ? "Core of each block: " : "SM of each block: ";
    size_t taken = strlen(head) + what.length;
    unsigned most = columns > taken ? columns - (unsigned)taken : 0;
    most = most < WM_KERNEL_NAME_COLUMNS ? most : WM_KERNEL_NAME_COLUMNS;
    wm_text_format(text, "%s%s%s\n", head, wm_kernel_name_within(&kernel->shown, most),
                   what.data != NULL ? what.data : "");
    text->failed = text->failed || what.failed;
    wm_text_release(&what);
}

// Numbers of blocks behind that of a row, or of columns of the grid.
static void add_head(const struct form *form, struct wm_text *text)
{
    wm_text_format(text, "%*s%-*s ", INDENT, "", form->label, form->wraps ? "block" : "y / x");
    for (uint32_t i = 0; i < form->in_row; i++)
        wm_text_format(text, " %*" PRIu32, form->number, i);
    wm_text_add(text, form->cut ? " …\n" : "\n");
}

static void add_row(const struct form *form, uint64_t row, struct wm_text *text)
{
    const struct wm_block_map *map = form->map;
    uint64_t width = form->wraps ? form->in_row : map->grid[0], first = row * width;
    uint64_t label = form->wraps ? first : row % map->grid[1];
    if (!form->wraps && map->grid[2] > 1 && label == 0)
        wm_text_format(text, "%*sz = %" PRIu64 "\n", INDENT, "", row / map->grid[1]);
    wm_text_format(text, "%*s%*" PRIu64 " ", INDENT, "", form->label, label);
    for (uint64_t i = first; i < first + form->in_row && i < map->count; i++)
        if (map->sms[i] == WM_BLOCK_NOT_PLACED)
            wm_text_format(text, " %*s", form->number, "-");
        else
            wm_text_format(text, " %*" PRIu16, form->number, map->sms[i]);
    wm_text_add(text, form->cut ? " …\n" : "\n");
}

static void add_map(const struct wm_results *results, const struct wm_block_map *map,
                    unsigned columns, struct wm_text *text)
{
    wm_text_add(text, "\n");
    add_title(results, map, columns, text);
    if (map->count == 0)
        return;
    struct form form = form_of(map, columns);
    add_head(&form, text);
    for (uint64_t row = 0; row < form.rows && row < MOST_ROWS; row++)
        add_row(&form, row, text);
    if (form.rows > MOST_ROWS)
        wm_text_format(text, "%*sand %" PRIu64 " rows more (--json)\n", INDENT, "",
                       form.rows - MOST_ROWS);
}

static const struct wm_block_map *last_map_of(const struct wm_results *results, uint32_t kernel)
{
    for (uint64_t i = results->block_map_count; i > 0; i--)
        if (results->block_maps[i - 1].kernel == kernel)
            return &results->block_maps[i - 1];
    return NULL;
}

void wm_report_block_maps(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    uint32_t printed = 0, left = 0;
    for (uint32_t i = 0; results->has_block_maps && i < results->kernel_count; i++) {
        const struct wm_block_map *map = last_map_of(results, i);
        if (map == NULL)
            continue;
        if (printed == MOST_KERNELS) {
            left++;
            continue;
        }
        add_map(results, map, columns, text);
        printed++;
    }
    if (left != 0)
        wm_text_format(text, "\nThe blocks of %" PRIu32 " kernel%s more are in --json.\n", left,
                       left == 1 ? "" : "s");
}

// --- For scripts ---

void wm_block_maps_json(const struct wm_results *results, FILE *stream)
{
    if (!results->has_block_maps)
        return;
    fputs("  \"block_maps\": [", stream);
    for (uint64_t i = 0; i < results->block_map_count; i++) {
        const struct wm_block_map *map = &results->block_maps[i];
        fprintf(stream,
                "%s\n    {\"launch\":%" PRIu64 ",\"kernel\":%" PRIu32 ",\"grid\":[%" PRIu32
                ",%" PRIu32 ",%" PRIu32 "],\"sms\":[",
                i > 0 ? "," : "", map->launch, map->kernel, map->grid[0], map->grid[1],
                map->grid[2]);
        for (uint64_t block = 0; block < map->count; block++) {
            fputs(block > 0 ? "," : "", stream);
            if (map->sms[block] == WM_BLOCK_NOT_PLACED)
                fputs("null", stream);
            else
                fprintf(stream, "%" PRIu16, map->sms[block]);
        }
        fputs("]}", stream);
    }
    fputs("\n  ],\n", stream);
}
