#include "cli/bypass/partition.h"

#include "base/text/units.h"
#include "cli/bypass/bypass_columns.h"
#include "cli/bypass/page.h"
#include "engine/profile/variants.h"
#include "machine/preset.h"
#include "study/format/html_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// --- The options ---

static enum wm_status read_size(const struct wm_machine *machine, const char *word,
                                struct wm_bypass_partitioning *partitioning, struct wm_error *error)
{
    const struct wm_carveouts *carveouts = &machine->sm.carveouts;
    struct wm_text sizes;
    char bytes[32];
    bool known = false;
    partitioning->is_auto = strcmp(word, "auto") == 0;
    if (partitioning->is_auto)
        return WM_OK;
    if (wm_units_parse(word, WM_QUANTITY_BYTES, &partitioning->shared_bytes, error) != WM_OK)
        return wm_error_place(error, "--partition");
    wm_text_init(&sizes);
    for (uint64_t i = 0; i < carveouts->count; i++) {
        known = known || carveouts->bytes[i] == partitioning->shared_bytes;
        wm_text_format(&sizes, "%s%s", i > 0 ? ", " : "",
                       wm_units_print(carveouts->bytes[i], WM_QUANTITY_BYTES, bytes, sizeof bytes));
    }
    if (!known) {
        wm_fail(error, WM_INVALID, "machine %s gives shared memory no %s", machine->name, word);
        wm_error_place(error, "--partition");
        wm_error_hint(error, "give auto, or one of %s",
                      sizes.failed ? "its carve-outs" : sizes.data);
    }
    wm_text_release(&sizes);
    return known ? WM_OK : WM_INVALID;
}

// The model of the machine's name, as far as it is a preset's.
static enum wm_status own_model(const struct wm_machine *machine,
                                struct wm_bypass_partitioning *partitioning, struct wm_error *error)
{
    char path[PATH_MAX];
    bool found;
    snprintf(partitioning->model_name, sizeof partitioning->model_name, "%.*s",
             (int)strcspn(machine->name, "+"), machine->name);
    WM_TRY(wm_table_preset_path(wm_partition_row_table.folder, partitioning->model_name, path,
                                sizeof path, &found, error));
    if (found)
        return wm_row_table_read(&wm_partition_row_table, partitioning->model_name, NULL,
                                 &partitioning->model, error);
    partitioning->model_name[0] = '\0';
    if (!partitioning->is_auto)
        return WM_OK;
    wm_fail(error, WM_NOT_FOUND, "machine %s has no partition model that could choose",
            machine->name);
    wm_error_place(error, "--partition");
    return wm_error_hint(error, "fit one to recordings of programs (--fit FILE) and name it "
                                "(--model FILE), or give the size of shared memory");
}

enum wm_status wm_bypass_partition_read(const struct wm_bypass_partition_words *words,
                                        const struct wm_machine *machine,
                                        struct wm_bypass_partitioning *partitioning,
                                        struct wm_error *error)
{
    if (words->partition == NULL)
        return WM_OK;
    partitioning->requested = true;
    if (wm_partitions_check(machine, error) != WM_OK)
        return wm_error_place(error, "--partition");
    WM_TRY(read_size(machine, words->partition, partitioning, error));
    if (words->model == NULL)
        return own_model(machine, partitioning, error);
    snprintf(partitioning->model_name, sizeof partitioning->model_name, "%s", words->model);
    enum wm_status status =
        wm_row_table_read(&wm_partition_row_table, words->model, NULL, &partitioning->model, error);
    if (status != WM_OK && error->place[0] == '\0')
        wm_error_place(error, "--model");
    return status;
}

// --- Choosing ---

enum wm_status wm_bypass_partition_choose(struct wm_bypass_partitioning *partitioning,
                                          struct wm_recording *recording,
                                          const struct wm_plugins *plugins,
                                          const struct wm_partition_options *options,
                                          struct wm_machine *machine, struct wm_error *error)
{
    struct wm_partition_options with_model = *options;
    struct wm_partitions *partitions = &partitioning->partitions;
    with_model.model = partitioning->model_name[0] != '\0' ? &partitioning->model : NULL;
    WM_TRY(wm_partitions_explore(recording, machine, plugins, &with_model, partitions, error));
    if (!partitioning->is_auto) {
        enum wm_status status = wm_partitions_choose(partitions, partitioning->shared_bytes, error);
        if (status != WM_OK)
            return wm_error_place(error, "--partition");
    }
    char setting[64], bytes[32];
    uint64_t shared = partitions->items[partitions->chosen].shared_bytes;
    snprintf(setting, sizeof setting, "gpu.sm.default_carveout=%s",
             wm_units_print(shared, WM_QUANTITY_BYTES, bytes, sizeof bytes));
    const char *const settings[] = {setting};
    struct wm_machine *made = malloc(sizeof *made);
    if (made == NULL)
        return wm_fail_no_memory(error, "the machine");
    enum wm_status status = wm_variant_machine(machine, plugins, settings, 1, made, error);
    if (status == WM_OK)
        *machine = *made;
    free(made);
    return status;
}

void wm_bypass_partition_release(struct wm_bypass_partitioning *partitioning)
{
    wm_partitions_release(&partitioning->partitions);
}

// --- Printing ---

// What a program calls for that much shared memory. Before compute capability 7.0 there are three
// preferences, after it percents of the most (CUDA C++ Programming Guide, "Shared Memory" of each).
static void add_call(const struct wm_machine *machine, uint64_t shared_bytes, struct wm_text *text)
{
    const struct wm_carveouts *carveouts = &machine->sm.carveouts;
    uint64_t most = carveouts->bytes[carveouts->count - 1];
    if (machine->device.compute_major >= 7)
        wm_text_format(text,
                       "cudaFuncSetAttribute(kernel, "
                       "cudaFuncAttributePreferredSharedMemoryCarveout, %" PRIu64 ")",
                       shared_bytes * 100 / most);
    else
        wm_text_format(text, "cudaFuncSetCacheConfig(kernel, cudaFuncCachePrefer%s)",
                       shared_bytes == most                  ? "Shared"
                       : shared_bytes == carveouts->bytes[0] ? "L1"
                                                             : "Equal");
}

static void add_notes(const struct wm_bypass_report *report, struct wm_text *text)
{
    const struct wm_partitions *partitions = report->partitions;
    const struct wm_l1_partition *chosen = &partitions->items[partitions->chosen];
    char bytes[32];
    wm_units_print(chosen->shared_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes);
    wm_text_format(text, "Loads are decided for %s of shared memory. A program requests it with ",
                   bytes);
    add_call(report->machine, chosen->shared_bytes, text);
    wm_text_format(text, ", warpmem with --set gpu.sm.default_carveout=%s.", bytes);
    for (uint32_t i = 0; i < partitions->count; i++) {
        const struct wm_l1_partition *partition = &partitions->items[i];
        if (partition->too_small_for == NULL)
            continue;
        wm_units_print(partition->shared_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes);
        wm_text_format(text, " %s hold no block of kernel ", bytes);
        wm_bypass_symbol_title(partition->too_small_for, text);
        wm_text_add(text, ".");
    }
    if (partitions->prefers != NULL) {
        wm_text_add(text, " Kernel ");
        wm_bypass_symbol_title(partitions->prefers, text);
        wm_text_add(text, " says itself how much it prefers, and gets that in every row.");
    }
}

void wm_bypass_partition_text(const struct wm_bypass_report *report, unsigned columns,
                              struct wm_text *text)
{
    const struct wm_partitions *partitions = report->partitions;
    if (partitions == NULL)
        return;
    struct wm_text_table *table = malloc(sizeof *table);
    text->failed = text->failed || table == NULL;
    if (table == NULL)
        return;
    wm_text_format(text, "\nPartition of an SM's L1 and shared memory, %s%s\n",
                   report->model != NULL ? "predicted by the model " : "without a model",
                   report->model != NULL ? report->model : "");
    wm_report_table_begin(table, &wm_bypass_partition_table, WM_BYPASS_PARTITION_COLUMNS);
    for (uint32_t i = 0; i < partitions->count; i++) {
        struct wm_bypass_partition_cells cells;
        wm_bypass_partition_cells_of(partitions, i, &cells);
        wm_text_table_row(table);
        wm_text_table_cell(table, 0, "%s %s", i == partitions->chosen ? ">" : " ", cells.text[0]);
        for (uint32_t column = 1; column < WM_BYPASS_PARTITION_COLUMNS; column++)
            wm_text_table_cell(table, column, "%s", cells.text[column]);
    }
    wm_text_table_print(table, columns, text);
    free(table);
    struct wm_text notes;
    wm_text_init(&notes);
    add_notes(report, &notes);
    if (!notes.failed)
        wm_report_wrap(notes.data, 2, columns < 100 ? columns : 100, text);
    text->failed = text->failed || notes.failed;
    wm_text_release(&notes);
}

static json_t *partition_json(const struct wm_partitions *partitions, uint32_t number)
{
    const struct wm_l1_partition *partition = &partitions->items[number];
    bool fits = partition->too_small_for == NULL;
    return json_pack("{s:I, s:I, s:s?, s:o, s:o, s:o}", "l1_bytes", (json_int_t)partition->l1_bytes,
                     "shared_bytes", (json_int_t)partition->shared_bytes, "too_small_for",
                     partition->too_small_for, "occupancy",
                     fits ? json_real(partition->occupancy) : json_null(), "hit_rate",
                     fits ? json_real(partition->hit_rate) : json_null(), "predicted",
                     fits && partitions->modelled ? json_real(partition->predicted) : json_null());
}

json_t *wm_bypass_partition_json(const struct wm_bypass_report *report)
{
    const struct wm_partitions *partitions = report->partitions;
    if (partitions == NULL)
        return json_null();
    json_t *items = json_array();
    bool good = items != NULL;
    for (uint32_t i = 0; i < partitions->count && good; i++)
        good = json_array_append_new(items, partition_json(partitions, i)) == 0;
    if (!good) {
        json_decref(items);
        return NULL;
    }
    return json_pack("{s:s?, s:I, s:s?, s:o}", "model", report->model, "shared_bytes",
                     (json_int_t)partitions->items[partitions->chosen].shared_bytes, "prefers",
                     partitions->prefers, "partitions", items);
}

bool wm_bypass_partition_html(FILE *stream, const struct wm_bypass_report *report)
{
    const struct wm_partitions *partitions = report->partitions;
    if (partitions == NULL)
        return true;
    fputs("<h2>L1 or shared memory</h2>\n<div class=wide><table class=solutions>\n", stream);
    wm_bypass_put_heads(stream, &wm_bypass_partition_table, WM_BYPASS_PARTITION_COLUMNS, "");
    for (uint32_t i = 0; i < partitions->count; i++) {
        struct wm_bypass_partition_cells cells;
        wm_bypass_partition_cells_of(partitions, i, &cells);
        fputs(i == partitions->chosen ? "<tr class=decides>" : "<tr>", stream);
        for (uint32_t column = 0; column < WM_BYPASS_PARTITION_COLUMNS; column++)
            fprintf(stream, "<td>%s</td>", cells.text[column]);
        fputs("</tr>\n", stream);
    }
    struct wm_text notes;
    wm_text_init(&notes);
    add_notes(report, &notes);
    fputs("</tbody></table></div>\n<p class=note>", stream);
    wm_html_text(stream, notes.failed ? "" : notes.data);
    fputs("</p>\n", stream);
    bool good = !notes.failed;
    wm_text_release(&notes);
    return good;
}
