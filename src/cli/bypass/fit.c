// warpmem bypass --fit: a partition model of recordings that are measured with every partition.
#include "base/text/units.h"
#include "cli/bypass/bypass_columns.h"
#include "cli/bypass/partition.h"
#include "cli/options/output_option.h"
#include "cli/options/report_option.h"
#include "study/run_report/report_file.h"
#include "trace/recording_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = WM_TABLE_ROWS - 1, NAME_BYTES = 128 };

struct fitting {
    const struct wm_invocation *invocation;
    const struct wm_bypass_fit_options *options;
    struct wm_arena arena;
    struct wm_partition_sample *samples; // of the arena
    uint32_t count;
    struct wm_partition_fit fit;
};

// "bfs" of "runs/bfs.wmt".
static const char *name_of(struct fitting *it, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *end = strrchr(name, '.');
    return wm_arena_copy_text(&it->arena, name,
                              end != NULL && end != name ? (size_t)(end - name) : strlen(name));
}

// --- Samples ---

static enum wm_status no_choice(const char *path, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "one partition alone holds a block of every kernel");
    wm_error_place(error, "%s", path);
    return wm_error_hint(error, "leave the program out: it says nothing of partitions");
}

// Of the partitions that the program fits: the first is what the others are measured by.
static enum wm_status take_samples(struct fitting *it, const char *path,
                                   const struct wm_partitions *partitions, struct wm_error *error)
{
    const char *program = name_of(it, path);
    uint64_t first_cycles = 0;
    uint32_t before = it->count;
    if (program == NULL)
        return wm_fail_no_memory(error, "a partition model");
    for (uint32_t i = 0; i < partitions->count; i++) {
        const struct wm_l1_partition *partition = &partitions->items[i];
        if (partition->too_small_for != NULL)
            continue;
        first_cycles = first_cycles == 0 ? partition->cycles : first_cycles;
        it->samples[it->count++] = (struct wm_partition_sample){
            .program = program,
            .shared_bytes = partition->shared_bytes,
            .occupancy = partition->occupancy,
            .hit_rate = partition->hit_rate,
            .performance =
                partition->cycles != 0 ? (double)first_cycles / (double)partition->cycles : 1,
        };
    }
    return it->count - before < 2 ? no_choice(path, error) : WM_OK;
}

static enum wm_status measure(struct fitting *it, const char *path, struct wm_error *error)
{
    const struct wm_bypass_fit_options *options = it->options;
    struct wm_recording *recording = malloc(sizeof *recording);
    if (recording == NULL)
        return wm_fail_no_memory(error, "a recording");
    struct wm_partitions partitions = {0};
    enum wm_status status = wm_recording_open(recording, path, error);
    bool open = status == WM_OK;
    if (open)
        status = wm_recording_require_whole(recording, error);
    if (status == WM_OK)
        status = wm_partitions_explore(recording, options->machine, options->plugins,
                                       &options->measure, &partitions, error);
    if (status == WM_OK)
        status = take_samples(it, path, &partitions, error);
    wm_partitions_release(&partitions);
    if (open)
        wm_recording_close(recording);
    free(recording);
    return status;
}

static enum wm_status check_names(struct fitting *it, struct wm_error *error)
{
    const struct wm_invocation *invocation = it->invocation;
    for (uint32_t i = 0; i < invocation->operand_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const char *name = name_of(it, invocation->operands[i]);
            const char *other = name_of(it, invocation->operands[k]);
            if (name == NULL || other == NULL)
                return wm_fail_no_memory(error, "a partition model");
            if (strcmp(name, other) != 0)
                continue;
            wm_fail(error, WM_INVALID, "two recordings are called \"%.100s\"", name);
            return wm_error_hint(error, "give each program a file of its own name");
        }
    return WM_OK;
}

// --- Printing ---

static void add_size(struct wm_text_table *table, uint32_t column, const struct fitting *it,
                     uint32_t sample)
{
    char bytes[32];
    wm_text_table_cell(
        table, column, "%s",
        wm_units_print(it->samples[sample].shared_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes));
}

static void add_program(struct wm_text_table *table, const struct fitting *it,
                        const struct wm_partition_judged *judged)
{
    double best = it->samples[judged->best].performance;
    wm_text_table_row(table);
    wm_text_table_cell(table, WM_BYPASS_COLUMN_PROGRAM, "%.*s", NAME_BYTES, judged->program);
    add_size(table, WM_BYPASS_COLUMN_FASTEST, it, judged->best);
    add_size(table, WM_BYPASS_COLUMN_CHOSEN, it, judged->chosen);
    wm_text_table_cell(table, WM_BYPASS_COLUMN_OF_FASTEST, "%.3f",
                       it->samples[judged->chosen].performance / best);
    if (!judged->others) {
        wm_text_table_cell(table, WM_BYPASS_COLUMN_LEFT_OUT, "-");
        wm_text_table_cell(table, WM_BYPASS_COLUMN_LEFT_OUT_OF_FASTEST, "-");
        return;
    }
    add_size(table, WM_BYPASS_COLUMN_LEFT_OUT, it, judged->chosen_by_others);
    wm_text_table_cell(table, WM_BYPASS_COLUMN_LEFT_OUT_OF_FASTEST, "%.3f",
                       it->samples[judged->chosen_by_others].performance / best);
}

static void print_tables(const struct fitting *it, unsigned columns, struct wm_text *text)
{
    const struct wm_partition_fit *fit = &it->fit;
    struct wm_text_table *table = malloc(sizeof *table);
    text->failed = text->failed || table == NULL;
    if (table == NULL)
        return;
    wm_text_format(text,
                   "warpmem: %s (%s), partition model of %" PRIu32 " programs, %" PRIu32
                   " samples\n"
                   "performance = %.6f %+.6f occupancy %+.6f hit rate %+.6f occupancy * hit rate; "
                   "mean square error %.4f\n\n",
                   it->options->machine->name, it->options->machine->device.title,
                   fit->program_count, it->count, fit->model.coefficients[WM_PARTITION_CONSTANT],
                   fit->model.coefficients[WM_PARTITION_OCCUPANCY],
                   fit->model.coefficients[WM_PARTITION_HIT_RATE],
                   fit->model.coefficients[WM_PARTITION_PRODUCT], fit->mean_square_error);
    wm_report_table_begin(table, &wm_bypass_fit_table, WM_BYPASS_FIT_COLUMNS);
    for (uint32_t i = 0; i < fit->program_count && i < MOST_SHOWN; i++)
        add_program(table, it, &fit->programs[i]);
    wm_text_table_print(table, columns, text);
    if (fit->program_count > MOST_SHOWN)
        wm_text_format(text, "  and %" PRIu32 " more, whose samples are in the file\n",
                       fit->program_count - MOST_SHOWN);
    wm_text_add(text, "\n");
    wm_report_table_legend(&wm_bypass_fit_table, WM_BYPASS_FIT_COLUMNS, columns, text);
    wm_text_format(text, "warpmem: %s: partition model, for --partition auto --model %s\n",
                   it->options->path, it->options->path);
    free(table);
}

static enum wm_status write_model(const struct fitting *it, struct wm_error *error)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_partition_fit_print(&it->fit, it->samples, it->count, it->options->machine->name, &text);
    enum wm_status status = text.failed ? wm_fail_no_memory(error, "a partition model")
                                        : wm_report_file_write(it->options->path, &text, error);
    wm_text_release(&text);
    return status;
}

static enum wm_status put_tables(const struct fitting *it, struct wm_error *error)
{
    const char *path = it->options->report;
    struct wm_text text;
    wm_text_init(&text);
    print_tables(it, wm_report_option_width(path), &text);
    enum wm_status status = wm_report_option_put(path, strcmp(it->options->path, "-") == 0,
                                                 it->invocation, &text, error);
    wm_text_release(&text);
    return status;
}

static enum wm_status fit(struct fitting *it, struct wm_error *error)
{
    const struct wm_invocation *invocation = it->invocation;
    const struct wm_output_option outputs[] = {{"--fit", it->options->path},
                                               {"--report", it->options->report}};
    WM_TRY(wm_partitions_check(it->options->machine, error));
    WM_TRY(wm_output_options_avoid_inputs(outputs, 2, invocation->operands,
                                          invocation->operand_count, error));
    WM_TRY(check_names(it, error));
    it->samples =
        WM_ARENA_ARRAY(&it->arena, struct wm_partition_sample,
                       invocation->operand_count * it->options->machine->sm.carveouts.count);
    if (it->samples == NULL)
        return wm_fail_no_memory(error, "a partition model");
    for (uint32_t i = 0; i < invocation->operand_count; i++)
        WM_TRY(measure(it, invocation->operands[i], error));
    if (wm_partition_fit(it->samples, it->count, &it->arena, &it->fit, error) == WM_INVALID)
        return wm_error_hint(error, "add programs: some whose occupancy changes with shared "
                                    "memory, and some whose loads hit L1 less or more");
    WM_TRY(write_model(it, error));
    return it->options->quiet ? WM_OK : put_tables(it, error);
}

int wm_bypass_fit(const struct wm_invocation *invocation,
                  const struct wm_bypass_fit_options *options)
{
    struct fitting it = {.invocation = invocation, .options = options};
    struct wm_error error;
    wm_error_clear(&error);
    wm_arena_init(&it.arena);
    enum wm_status status = fit(&it, &error);
    wm_arena_release(&it.arena);
    return status == WM_OK ? WM_EXIT_OK : wm_command_fail(invocation, &error);
}
