// The annotated source for a terminal.
#include "study/annotate/annotate.h"
#include "study/annotate/cells.h"
#include "study/tables/counted_part.h"
#include "study/tables/failure.h"
#include "study/tables/written_lines.h"
#include <inttypes.h>

enum { NUMBER_WIDTH = 4, FEWEST_COLUMNS = 70, WIDEST_ADVICE = 100 };

// Without those that a terminal of `columns` has no room for.
static void choose_columns(struct wm_annotate_columns *shown, unsigned columns)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < shown->count; i++) {
        if (shown->shown[i].optional && columns < WM_ANNOTATE_WIDE)
            continue;
        shown->shown[kept] = shown->shown[i];
        shown->widths[kept] = shown->widths[i];
        shown->what[kept++] = shown->what[i];
    }
    shown->count = kept;
}

// Bytes of the first `most` characters of `text`, tabs made four blanks and cut with an ellipsis.
static void print_source(struct wm_text *text, const char *source, unsigned most)
{
    unsigned used = 0;
    for (; *source != '\0'; source++) {
        bool continues = ((unsigned char)*source & 0xC0) == 0x80;
        unsigned width = continues ? 0 : *source == '\t' ? 4 - used % 4 : 1;
        if (used + width > most - (source[1] != '\0' && !continues)) {
            wm_text_add(text, "…");
            return;
        }
        if (*source == '\t')
            wm_text_format(text, "%*s", (int)width, "");
        else if ((unsigned char)*source >= 0x20)
            wm_text_append(text, source, 1);
        used += width;
    }
}

static void trim_line(struct wm_text *text)
{
    while (!text->failed && text->length > 0 && text->data[text->length - 1] == ' ')
        text->data[--text->length] = '\0';
    wm_text_add(text, "\n");
}

// The sentence under its line, broken at blanks.
static void print_advice(struct wm_text *text, const struct wm_advice *advice, unsigned columns)
{
    struct wm_text sentence;
    wm_text_init(&sentence);
    wm_advice_text(advice, &sentence);
    const char *mark = "  > ";
    if (columns > WIDEST_ADVICE)
        columns = WIDEST_ADVICE;
    for (const char *at = sentence.data; at != NULL && *at != '\0';) {
        unsigned room = columns - NUMBER_WIDTH - 4;
        size_t length = strlen(at);
        if (length > room) {
            size_t cut = room;
            while (cut > 0 && at[cut] != ' ')
                cut--;
            // A word that is longer than a line is not broken: it may be to be copied.
            length = cut > 0 ? cut : strcspn(at, " ");
        }
        wm_text_format(text, "%*s%s%.*s\n", NUMBER_WIDTH, "", mark, (int)length, at);
        at += length + (at[length] == ' ');
        mark = "    ";
    }
    text->failed = text->failed || sentence.failed;
    wm_text_release(&sentence);
}

static void print_chain(struct wm_text *text, const struct wm_instruction_result *it,
                        unsigned columns)
{
    struct wm_text sentence;
    wm_text_init(&sentence);
    wm_annotate_inline_chain_text(it, &sentence);
    if (sentence.data != NULL)
        wm_report_wrap(sentence.data, NUMBER_WIDTH + 4, columns, text);
    text->failed = text->failed || sentence.failed;
    wm_text_release(&sentence);
}

static void print_section(const struct wm_annotated_section *section,
                          const struct wm_annotate_columns *shown, unsigned columns, bool chains,
                          struct wm_text *text)
{
    unsigned used = NUMBER_WIDTH + 2;
    wm_text_format(text, "%s\n%*s", section->title, NUMBER_WIDTH,
                   section->file != NULL ? "line" : "ptx");
    for (uint32_t i = 0; i < shown->count; i++) {
        wm_text_format(text, " %*s", shown->widths[i], shown->shown[i].head);
        used += 1 + (unsigned)shown->widths[i];
    }
    wm_text_add(text, "\n");
    for (uint32_t i = 0; i < section->line_count; i++) {
        const struct wm_annotated_line *line = &section->lines[i];
        struct wm_annotate_cell cells[WM_ANNOTATE_CELLS];
        if (section->file != NULL && i > 0 && line->number != section->lines[i - 1].number + 1)
            wm_text_add(text, "  ...\n");
        wm_annotate_cells_of(shown, line, cells);
        wm_text_format(text, "%*" PRIu32, NUMBER_WIDTH, line->number);
        for (uint32_t c = 0; c < shown->count; c++)
            wm_text_format(text, " %*s", shown->widths[c], cells[c].text);
        wm_text_add(text, "  ");
        print_source(text, line->text, columns - used);
        trim_line(text);
        for (uint32_t n = 0; chains && n < line->inlined_count; n++)
            print_chain(text, line->inlined[n], columns);
        for (uint32_t a = 0; a < line->advice_count; a++)
            print_advice(text, &line->advice[a], columns);
    }
}

// Why advice that could be measured was not.
static void print_reason(const struct wm_measured_advice *measured, unsigned columns,
                         struct wm_text *text)
{
    const char *reason = wm_measured_advice_reason(measured);
    if (reason == NULL)
        return;
    struct wm_text sentence;
    wm_text_init(&sentence);
    wm_text_format(&sentence, "Advice was not measured: %s.", reason);
    wm_text_add(text, "\n");
    if (sentence.data != NULL)
        wm_report_wrap(sentence.data, 0, columns, text);
    text->failed = text->failed || sentence.failed;
    wm_text_release(&sentence);
}

static void print_heading(const struct wm_kernel_result *kernel, unsigned columns,
                          struct wm_text *text)
{
    char launches[48];
    int length = snprintf(launches, sizeof launches, ", %" PRIu64 " launch%s", kernel->launches,
                          kernel->launches == 1 ? "" : "es");
    const char *name = wm_kernel_heading_within(&kernel->shown, columns - (unsigned)length);
    wm_text_format(text, "\n%s%s\n", name, launches);
}

void wm_annotate_text(const struct wm_results *results, const struct wm_measured_advice *measured,
                      unsigned columns, bool chains, struct wm_text *text)
{
    struct wm_annotation annotation;
    if (columns < FEWEST_COLUMNS)
        columns = columns == 0 ? 80 : FEWEST_COLUMNS;
    bool good = wm_annotation_init(&annotation, results, measured);
    struct wm_annotate_columns shown;
    wm_annotate_columns_make(results, &shown);
    choose_columns(&shown, columns);
    wm_text_format(text, "warpmem: %s, %s, misses explained\n", results->machine_name,
                   wm_annotation_is_timed(results) ? "in time" : "untimed walk");
    wm_report_counted_part(results, text);
    if (results->kernel_count == 0) {
        wm_text_add(text, "\n");
        wm_report_no_kernel(results, text);
    }
    for (uint32_t i = 0; good && i < annotation.kernel_count; i++) {
        const struct wm_annotated_kernel *kernel = &annotation.kernels[i];
        print_heading(kernel->kernel, columns, text);
        for (uint32_t s = 0; s < kernel->section_count; s++)
            print_section(&kernel->sections[s], &shown, columns, chains, text);
    }
    if (good && annotation.kernel_count != 0) {
        const struct wm_report_table chosen = {"", shown.shown, shown.count};
        wm_text_add(text, "\n");
        wm_report_table_legend(&chosen, chosen.count, columns, text);
    }
    wm_report_written_lines(results, columns, text);
    print_reason(measured, columns, text);
    wm_report_failure(results, text);
    text->failed = text->failed || !good;
    wm_annotation_release(&annotation);
}
