// docs/coherence.md has MESI's tables as the code has them. WARPMEM_BLESS=1 writes them there.
#include "base/text/text.h"
#include "mem/coherence/coherence.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_facts(struct wm_text *text, unsigned facts, const char *prefix, bool *any)
{
    for (unsigned bit = 0; bit < WM_COHERENCE_FACT_COUNT; bit++)
        if (facts >> bit & 1) {
            wm_text_format(text, "%s%s%s", *any ? ", " : "", prefix,
                           wm_coherence_fact_name((enum wm_coherence_fact_bit)bit));
            *any = true;
        }
}

static void append_row(struct wm_text *text, enum wm_coherence_side side,
                       const struct wm_coherence_row *row, bool is_first)
{
    bool any = false;
    wm_text_format(text, "| %s | %s | ", is_first ? wm_coherence_state_name(side, row->state) : "",
                   wm_coherence_event_name((enum wm_coherence_event)row->event));
    append_facts(text, row->when, "", &any);
    append_facts(text, row->unless, "not ", &any);
    wm_text_format(text, " | ");
    for (unsigned i = 0; i < WM_COHERENCE_MOST_ACTIONS && row->actions[i] != 0; i++)
        wm_text_format(text, "%s%s", i > 0 ? ", " : "",
                       wm_coherence_action_name((enum wm_coherence_action)row->actions[i]));
    wm_text_format(text, " | %s | %s |\n",
                   row->next != row->state ? wm_coherence_state_name(side, row->next) : "",
                   row->why);
}

static void append_table(struct wm_text *text, enum wm_coherence_side side,
                         const struct wm_coherence_table *table, unsigned states)
{
    wm_text_format(text, "\n| state | |\n|---|---|\n");
    for (unsigned state = 0; state < states; state++)
        wm_text_format(text, "| %s | %s |\n", wm_coherence_state_name(side, state),
                       wm_coherence_state_meaning(side, state));
    wm_text_format(
        text, "\n| state | event | if | actions | next state | |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < table->count; i++)
        append_row(text, side, &table->rows[i],
                   i == 0 || table->rows[i].state != table->rows[i - 1].state);
}

static void append_events(struct wm_text *text)
{
    wm_text_format(text, "\n| event | |\n|---|---|\n");
    for (unsigned event = 0; event < WM_COHERENCE_EVENT_COUNT; event++)
        wm_text_format(text, "| %s | %s |\n",
                       wm_coherence_event_name((enum wm_coherence_event)event),
                       wm_coherence_event_meaning((enum wm_coherence_event)event));
}

static char *read_page(void)
{
    FILE *stream = fopen(COHERENCE_PAGE, "rb");
    cr_assert_not_null(stream, "no %s", COHERENCE_PAGE);
    struct wm_text text;
    wm_text_init(&text);
    char buffer[4096];
    for (size_t length; (length = fread(buffer, 1, sizeof buffer, stream)) > 0;)
        wm_text_append(&text, buffer, length);
    fclose(stream);
    return wm_text_take(&text);
}

// The page with `tables` between its two marks.
static char *page_with(const char *page, const char *tables)
{
    static const char begin[] = "<!-- tables -->\n", end[] = "<!-- end of tables -->";
    const char *from = strstr(page, begin), *to = strstr(page, end);
    cr_assert(from != NULL && to != NULL && from < to, "no marks in %s", COHERENCE_PAGE);
    struct wm_text text;
    wm_text_init(&text);
    wm_text_append(&text, page, (size_t)(from - page) + sizeof begin - 1);
    wm_text_format(&text, "%s%s", tables, to);
    return wm_text_take(&text);
}

Test(coherence, the_page_has_the_tables)
{
    struct wm_text text;
    wm_text_init(&text);
    append_events(&text);
    wm_text_format(&text, "\n## The cache side\n");
    append_table(&text, WM_COHERENCE_CACHE, &wm_coherence_mesi_cache,
                 WM_COHERENCE_CACHE_STATE_COUNT);
    wm_text_format(&text, "\n## The home side\n");
    append_table(&text, WM_COHERENCE_HOME, &wm_coherence_mesi_home, WM_COHERENCE_HOME_STATE_COUNT);
    wm_text_format(&text, "\n");
    char *tables = wm_text_take(&text), *page = read_page(), *expected = page_with(page, tables);
    if (getenv("WARPMEM_BLESS") != NULL) {
        FILE *stream = fopen(COHERENCE_PAGE, "wb");
        cr_assert_not_null(stream);
        fputs(expected, stream);
        fclose(stream);
    } else {
        cr_expect(strcmp(page, expected) == 0, "%s is old: WARPMEM_BLESS=1", COHERENCE_PAGE);
    }
    free(tables);
    free(page);
    free(expected);
}
