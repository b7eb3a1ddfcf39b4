#include "study/text_table.h"

#include <criterion/criterion.h>

static void expect(const struct wm_text_table *table, unsigned width, const char *expected)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_table_print(table, width, &text);
    cr_assert_str_eq(text.data, expected);
    wm_text_release(&text);
}

static void fill(struct wm_text_table *table, const char *name)
{
    wm_text_table_init(table, "lrl");
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "%s", name);
    wm_text_table_cell(table, 1, "%d", 7);
    wm_text_table_cell(table, 2, "x");
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "b");
    wm_text_table_cell(table, 1, "%d", 1234);
}

Test(text_table, aligns_and_leaves_no_blanks_at_line_ends)
{
    struct wm_text_table table;
    fill(&table, "a name");
    expect(&table, 80, "a name     7  x\nb       1234\n");
}

Test(text_table, cuts_text_and_never_numbers)
{
    struct wm_text_table table;
    fill(&table, "a name that is too long");
    expect(&table, 20, "a name tha…     7  x\nb            1234\n");
    expect(&table, 1, "a name …     7  x\nb         1234\n");
}

Test(text_table, counts_characters_not_bytes)
{
    struct wm_text_table table;
    fill(&table, "αβγδεζηθικλμ");
    expect(&table, 80, "αβγδεζηθικλμ     7  x\nb             1234\n");
    expect(&table, 17, "αβγδεζη…     7  x\nb         1234\n");
}

Test(text_table, control_characters_cannot_break_a_line)
{
    struct wm_text_table table;
    fill(&table, "a\nb\033[m");
    expect(&table, 80, "a?b?[m     7  x\nb       1234\n");
}

// Bytes that are no UTF-8, at a cut and at the end: whatever is shown, it ends.
Test(text_table, broken_utf8_ends)
{
    struct wm_text_table table;
    fill(&table, "\x80\x80\xFFlong enough to be cut\xE2\x82");
    struct wm_text text;
    wm_text_init(&text);
    for (unsigned width = 0; width < 40; width++)
        wm_text_table_print(&table, width, &text);
    cr_assert_not(text.failed);
    wm_text_release(&text);
}

Test(text_table, cuts_the_widest_text_first)
{
    struct wm_text_table table;
    wm_text_table_init(&table, "llr");
    wm_text_table_row(&table);
    wm_text_table_cell(&table, 0, "0123456789abcde");
    wm_text_table_cell(&table, 1, "0123456789");
    wm_text_table_cell(&table, 2, "123456");
    expect(&table, 30, "012345678…  0123456789  123456\n");
    expect(&table, 29, "012345678…  01234567…  123456\n");
    expect(&table, 28, "01234567…  01234567…  123456\n");
    expect(&table, 10, "0123456…  0123456…  123456\n");
}

Test(text_table, cells_can_be_cut_before_their_end)
{
    struct wm_text_table table;
    wm_text_table_init(&table, "l");
    wm_text_table_row(&table);
    wm_text_table_cell(&table, 0, "αβγδεζη.cu");
    wm_text_table_cut(&table, 0, 10);
    wm_text_table_append(&table, 0, ":7");
    expect(&table, 80, "αβγδεζη.cu:7\n");
    wm_text_table_cut(&table, 0, 5);
    wm_text_table_append(&table, 0, ":7");
    expect(&table, 80, "αβγδ…:7\n");
}
