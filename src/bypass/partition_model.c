#include "bypass/partition_model.h"

#include "base/text/units.h"
#include "bypass/least_squares.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const wm_partition_term_names[WM_PARTITION_TERMS] = {"constant", "occupancy",
                                                                 "hit-rate", "product"};

// --- Rows ---

static enum wm_status bad_row(const char *text, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "\"%.60s\" is no row of a partition model", text);
    return wm_error_hint(error, "write one of constant, occupancy, hit-rate and product, a blank "
                                "and a number, as in \"occupancy 0.25\"");
}

static enum wm_status add_row(const char *text, const char *where, void *table,
                              struct wm_error *error)
{
    struct wm_partition_model *model = table;
    (void)where;
    size_t name = strcspn(text, " ");
    uint32_t term = 0;
    while (term < WM_PARTITION_TERMS && (strlen(wm_partition_term_names[term]) != name ||
                                         strncmp(wm_partition_term_names[term], text, name) != 0))
        term++;
    const char *number = text + name + strspn(text + name, " ");
    char *end;
    double value = strtod(number, &end);
    if (term == WM_PARTITION_TERMS || end == number || end[strspn(end, " ")] != '\0' ||
        !isfinite(value))
        return bad_row(text, error);
    if (model->given[term])
        return wm_fail(error, WM_INVALID, "%s has two rows", wm_partition_term_names[term]);
    model->given[term] = true;
    model->coefficients[term] = value;
    return WM_OK;
}

static enum wm_status finish_rows(void *table, struct wm_error *error)
{
    const struct wm_partition_model *model = table;
    for (uint32_t term = 0; term < WM_PARTITION_TERMS; term++)
        if (!model->given[term])
            return wm_fail(error, WM_INVALID, "the partition model has no row for %s",
                           wm_partition_term_names[term]);
    return WM_OK;
}

static bool print_row(const void *table, unsigned index, struct wm_text *text)
{
    const struct wm_partition_model *model = table;
    if (index >= WM_PARTITION_TERMS)
        return false;
    wm_text_format(text, "%s %.6f", wm_partition_term_names[index], model->coefficients[index]);
    return true;
}

const struct wm_row_table_kind wm_partition_row_table = {
    .noun = "partition model",
    .article = "a",
    .folder = "partition",
    .example = "occupancy 0.25",
    .bytes = sizeof(struct wm_partition_model),
    .most_rows = WM_PARTITION_TERMS,
    .add = add_row,
    .finish = finish_rows,
    .print = print_row,
};

// --- Predicting ---

static double rounded(double value, double digits)
{
    return round(value * digits) / digits;
}

static void fill_terms(double occupancy, double hit_rate, double terms[WM_PARTITION_TERMS])
{
    terms[WM_PARTITION_CONSTANT] = 1;
    terms[WM_PARTITION_OCCUPANCY] = occupancy;
    terms[WM_PARTITION_HIT_RATE] = hit_rate;
    terms[WM_PARTITION_PRODUCT] = occupancy * hit_rate;
}

static double predict(const double coefficients[WM_PARTITION_TERMS], double occupancy,
                      double hit_rate)
{
    double terms[WM_PARTITION_TERMS], sum = 0;
    fill_terms(occupancy, hit_rate, terms);
    for (uint32_t i = 0; i < WM_PARTITION_TERMS; i++)
        sum += coefficients[i] * terms[i];
    return sum;
}

double wm_partition_predict(const struct wm_partition_model *model, double occupancy,
                            double hit_rate)
{
    return rounded(predict(model->coefficients, occupancy, hit_rate), 1e4);
}

// --- Fitting ---

// To the samples but those from `left_out` on, `left_count` of them.
static enum wm_status fit_some(const struct wm_partition_sample *samples, uint32_t count,
                               uint32_t left_out, uint32_t left_count,
                               struct wm_partition_model *model, struct wm_error *error)
{
    double *rows = calloc(count + UINT64_C(1), WM_PARTITION_TERMS * sizeof *rows);
    double *values = calloc(count + UINT64_C(1), sizeof *values);
    uint32_t taken = 0;
    enum wm_status status = WM_OK;
    if (rows == NULL || values == NULL)
        status = wm_fail_no_memory(error, "a partition model");
    for (uint32_t i = 0; i < count && status == WM_OK; i++) {
        if (i >= left_out && i < left_out + left_count)
            continue;
        fill_terms(samples[i].occupancy, samples[i].hit_rate,
                   rows + (size_t)taken * WM_PARTITION_TERMS);
        values[taken++] = samples[i].performance;
    }
    if (status == WM_OK)
        status =
            wm_least_squares(rows, taken, WM_PARTITION_TERMS, values, model->coefficients, error);
    free(rows);
    free(values);
    for (uint32_t i = 0; i < WM_PARTITION_TERMS && status == WM_OK; i++) {
        model->coefficients[i] = rounded(model->coefficients[i], 1e6);
        model->given[i] = true;
    }
    return status;
}

static uint32_t choose(const struct wm_partition_model *model,
                       const struct wm_partition_sample *samples,
                       const struct wm_partition_judged *program)
{
    uint32_t chosen = program->first;
    double most = -INFINITY;
    for (uint32_t i = program->first; i < program->first + program->count; i++) {
        double value = wm_partition_predict(model, samples[i].occupancy, samples[i].hit_rate);
        if (value > most) {
            most = value;
            chosen = i;
        }
    }
    return chosen;
}

static enum wm_status judge(const struct wm_partition_fit *fit,
                            const struct wm_partition_sample *samples, uint32_t count,
                            struct wm_partition_judged *program, struct wm_error *error)
{
    program->best = program->first;
    for (uint32_t i = program->first; i < program->first + program->count; i++)
        if (samples[i].performance > samples[program->best].performance)
            program->best = i;
    program->chosen = choose(&fit->model, samples, program);
    struct wm_partition_model others = {0};
    enum wm_status status =
        fit_some(samples, count, program->first, program->count, &others, error);
    program->others = status == WM_OK;
    if (program->others)
        program->chosen_by_others = choose(&others, samples, program);
    return status == WM_INVALID ? WM_OK : status;
}

enum wm_status wm_partition_fit(const struct wm_partition_sample *samples, uint32_t count,
                                struct wm_arena *arena, struct wm_partition_fit *fit,
                                struct wm_error *error)
{
    *fit = (struct wm_partition_fit){0};
    WM_TRY(fit_some(samples, count, count, 0, &fit->model, error));
    fit->programs = WM_ARENA_ARRAY(arena, struct wm_partition_judged, count);
    if (fit->programs == NULL)
        return wm_fail_no_memory(error, "a partition model");
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_partition_sample *sample = &samples[i];
        double miss = sample->performance -
                      predict(fit->model.coefficients, sample->occupancy, sample->hit_rate);
        squares += miss * miss;
        if (i == 0 || strcmp(sample->program, samples[i - 1].program) != 0)
            fit->programs[fit->program_count++] =
                (struct wm_partition_judged){.program = sample->program, .first = i};
        fit->programs[fit->program_count - 1].count++;
    }
    fit->mean_square_error = squares / count;
    for (uint32_t p = 0; p < fit->program_count; p++)
        WM_TRY(judge(fit, samples, count, &fit->programs[p], error));
    return WM_OK;
}

// --- The file ---

void wm_partition_fit_print(const struct wm_partition_fit *fit,
                            const struct wm_partition_sample *samples, uint32_t count,
                            const char *machine, struct wm_text *text)
{
    char bytes[32];
    wm_text_format(text,
                   "# Partitions of L1 and shared memory on %s: performance = constant + occupancy "
                   "* occupancy's\n"
                   "# coefficient + hit rate * its + occupancy * hit rate * the product's. Fitted "
                   "by warpmem bypass --fit.\n"
                   "# Mean square error: %.4f, over %u samples:\n"
                   "#   program  shared  occupancy  hit rate  performance  predicted\n",
                   machine, fit->mean_square_error, count);
    for (uint32_t i = 0; i < count; i++)
        wm_text_format(
            text, "#   %s  %s  %.4f  %.4f  %.4f  %.4f\n", samples[i].program,
            wm_units_print(samples[i].shared_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes),
            samples[i].occupancy, samples[i].hit_rate, samples[i].performance,
            wm_partition_predict(&fit->model, samples[i].occupancy, samples[i].hit_rate));
    for (unsigned i = 0; i < WM_PARTITION_TERMS; i++) {
        wm_text_add(text, "- ");
        print_row(&fit->model, i, text);
        wm_text_add(text, "\n");
    }
}
