#include "cli/bypass/all_sets.h"

#include "cli/bypass/bypass_columns.h"
#include "study/tables/columns.h"

#include <inttypes.h>
#include <math.h>

static const struct wm_bypass_set *decided_set(const struct wm_bypass_report *report,
                                               uint32_t number)
{
    const struct wm_bypass_kernel *kernel = &report->program->kernels[number];
    return wm_bypass_set_of(&report->all_sets[number], kernel,
                            wm_bypass_solution_of(report->program, kernel, report->solver));
}

// "ld 1, 3, 4 cached"
static void add_members(const struct wm_bypass_kernel *kernel, const struct wm_bypass_set *set,
                        struct wm_text *text)
{
    uint32_t count = 0;
    for (uint32_t load = 0; load < kernel->profiled->load_count; load++)
        if (wm_load_set_has(&set->cached, load))
            wm_text_format(text, "%s%" PRIu32, count++ == 0 ? "ld " : ", ", load + 1);
    wm_text_add(text, count == 0 ? "no load cached" : " cached");
}

// --- Text ---

// "All 8 sets of 3 loads: predicted and measured bytes rank with 0.976"
static void add_correlation(const struct wm_bypass_all_sets *all, struct wm_text *text)
{
    wm_text_format(text, "All %" PRIu32 " set%s of %" PRIu32 " load%s", all->count,
                   all->count == 1 ? "" : "s", all->free_loads, all->free_loads == 1 ? "" : "s");
    if (isnan(all->correlation))
        wm_text_add(text, ": predicted or measured bytes are the same for all, and there is no "
                          "order to compare");
    else
        wm_text_format(text, ": rank correlation of predicted and measured bytes %.3f (Spearman's)",
                       all->correlation);
}

void wm_bypass_sets_text(const struct wm_bypass_report *report, uint32_t kernel, unsigned width,
                         struct wm_text *text)
{
    const struct wm_bypass_kernel *its = &report->program->kernels[kernel];
    const struct wm_bypass_all_sets *all = &report->all_sets[kernel];
    const struct wm_bypass_set *best = wm_bypass_best_set(all),
                               *decided = decided_set(report, kernel);
    char bytes[WM_BYPASS_CELL_BYTES];
    struct wm_text words;
    wm_text_init(&words);
    add_correlation(all, &words);
    wm_text_format(&words, "; fewest measured: %s, with ",
                   wm_bypass_bytes((double)best->measured, bytes));
    add_members(its, best, &words);
    if (decided != NULL)
        wm_text_format(&words, "; %s: %s", wm_bypass_solver_names[report->solver],
                       wm_bypass_bytes((double)decided->measured, bytes));
    text->failed = text->failed || words.failed;
    if (!text->failed)
        wm_report_wrap(words.data, 2, width, text);
    wm_text_release(&words);
}

// --- JSON ---

static json_t *set_json(const struct wm_bypass_kernel *kernel, const struct wm_bypass_set *set)
{
    json_t *cached = json_array();
    bool good = cached != NULL;
    for (uint32_t load = 0; load < kernel->profiled->load_count && good; load++)
        if (wm_load_set_has(&set->cached, load))
            good = json_array_append_new(cached, json_integer((json_int_t)load + 1)) == 0;
    if (!good) {
        json_decref(cached);
        return NULL;
    }
    return json_pack("{s:o, s:I, s:I}", "cached", cached, "predicted_bytes",
                     (json_int_t)set->predicted, "measured_bytes", (json_int_t)set->measured);
}

json_t *wm_bypass_sets_json(const struct wm_bypass_report *report, uint32_t kernel)
{
    const struct wm_bypass_all_sets *all = &report->all_sets[kernel];
    json_t *sets = json_array();
    bool good = sets != NULL;
    for (uint32_t i = 0; i < all->count && good; i++)
        good = json_array_append_new(
                   sets, set_json(&report->program->kernels[kernel], &all->sets[i])) == 0;
    if (!good) {
        json_decref(sets);
        return NULL;
    }
    return json_pack("{s:o, s:o}", "rank_correlation",
                     isnan(all->correlation) ? json_null() : json_real(all->correlation), "sets",
                     sets);
}

// --- The picture ---

// In units of the picture, which the page scales.
static const double left = 120, right = 30, top = 30, bottom = 80, side = 480, dot = 5;

// What an edge of the picture stands for; both axes have the same.
struct scale {
    double least, most;
};

static double along(const struct scale *scale, double bytes)
{
    double span = scale->most - scale->least;
    return span > 0 ? side * (bytes - scale->least) / span : side / 2;
}

static struct scale scale_of(const struct wm_bypass_all_sets *all)
{
    struct scale scale = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < all->count; i++) {
        double predicted = (double)all->sets[i].predicted, measured = (double)all->sets[i].measured;
        scale.least = fmin(scale.least, fmin(predicted, measured));
        scale.most = fmax(scale.most, fmax(predicted, measured));
    }
    return scale;
}

static void draw_axes(FILE *stream, const struct scale *scale)
{
    char least[WM_BYPASS_CELL_BYTES], most[WM_BYPASS_CELL_BYTES];
    wm_bypass_bytes(scale->least, least);
    wm_bypass_bytes(scale->most, most);
    fprintf(stream, "<path class=axis d=\"M%.0f %.0fV%.0fH%.0f\"></path>\n", left, top, top + side,
            left + side);
    fprintf(stream, "<path class=same d=\"M%.0f %.0fL%.0f %.0f\"></path>\n", left, top + side,
            left + side, top);
    fprintf(stream,
            "<text class=end x=\"%.0f\" y=\"%.0f\">%s</text><text class=end x=\"%.0f\" "
            "y=\"%.0f\">%s</text>\n",
            left - 10, top + side, least, left - 10, top, most);
    fprintf(stream,
            "<text class=start x=\"%.0f\" y=\"%.0f\">%s</text><text class=end x=\"%.0f\" "
            "y=\"%.0f\">%s</text>\n",
            left, top + side + 22, least, left + side, top + side + 22, most);
    fprintf(stream,
            "<text x=\"%.0f\" y=\"%.0f\">bytes between L1 and L2, predicted</text>"
            "<text transform=\"translate(%.0f %.0f) rotate(-90)\">measured</text>\n",
            left + side / 2, top + side + 50, left - 60, top + side / 2);
}

static void draw_set(FILE *stream, const struct wm_bypass_kernel *kernel,
                     const struct wm_bypass_set *set, const struct scale *scale, bool decides)
{
    char predicted[WM_BYPASS_CELL_BYTES], measured[WM_BYPASS_CELL_BYTES];
    struct wm_text members;
    wm_text_init(&members);
    add_members(kernel, set, &members);
    fprintf(
        stream,
        "<g class=\"set%s\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/><title>%s: predicted %s, "
        "measured %s</title></g>\n",
        decides ? " decides" : "", left + along(scale, (double)set->predicted),
        top + side - along(scale, (double)set->measured), decides ? dot + 2 : dot,
        members.failed ? "" : members.data, wm_bypass_bytes((double)set->predicted, predicted),
        wm_bypass_bytes((double)set->measured, measured));
    wm_text_release(&members);
}

void wm_bypass_draw_sets(FILE *stream, const struct wm_bypass_report *report, uint32_t kernel)
{
    const struct wm_bypass_kernel *its = &report->program->kernels[kernel];
    const struct wm_bypass_all_sets *all = &report->all_sets[kernel];
    const struct wm_bypass_set *decided = decided_set(report, kernel);
    struct scale scale = scale_of(all);
    fprintf(stream,
            "<h3>All sets of loads, predicted and measured</h3>\n"
            "<figure><svg viewBox=\"0 0 %.0f %.0f\" role=img aria-label=\"Bytes of %" PRIu32
            " sets of loads, measured over predicted\">\n",
            left + side + right, top + side + bottom, all->count);
    draw_axes(stream, &scale);
    for (uint32_t i = 0; i < all->count; i++)
        if (&all->sets[i] != decided)
            draw_set(stream, its, &all->sets[i], &scale, false);
    if (decided != NULL) // the last: it lies on top
        draw_set(stream, its, decided, &scale, true);
    fprintf(stream,
            "</svg>\n<figcaption><span><i class=\"dot set\"></i>a set of %" PRIu32
            " loads</span><span><i class=\"dot decides\"></i>the one that is decided</span><span>"
            "<i class=\"dash same\"></i>measured as predicted</span>",
            all->free_loads);
    if (!isnan(all->correlation))
        fprintf(stream, "<span>Rank correlation (Spearman's): %.3f.</span>", all->correlation);
    fputs("</figcaption></figure>\n", stream);
}
