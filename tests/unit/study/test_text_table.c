#include "study/format/text_table.h"

#include <criterion/criterion.h>
#include <limits.h>

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
    expect(&table, 20, "a nam… long     7  x\nb            1234\n");
    expect(&table, 1, "a n…long     7  x\nb         1234\n");
}

// The whole name where there is room, else what tells it apart, and that in its middle; a column is
// no wider than what it shows.
Test(text_table, kernels_are_cut_to_what_tells_them_apart)
{
    static const struct wm_kernel_name names[] = {
        {"space::reduce<first, float>", "…::reduce<…, float>"},
        {"space::reduce<first, int>", "…::reduce<…, int>"},
        {"short", "short"},
    };
    struct wm_text_table table;
    wm_text_table_init(&table, "lr");
    for (int i = 0; i < 3; i++) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "> ");
        wm_text_table_kernel(&table, 0, &names[i]);
        wm_text_table_append(&table, 0, "!");
        wm_text_table_cell(&table, 1, "%d", i);
    }
    expect(&table, 33,
           "> space::reduce<first, float>!  0\n> space::reduce<first, int>!    1\n"
           "> short!                        2\n");
    expect(&table, 32,
           "> …::reduce<…, float>!        0\n> space::reduce<first, int>!  1\n"
           "> short!                      2\n");
    expect(&table, 25,
           "> …::reduce<…, float>!  0\n> …::reduce<…, int>!    1\n> short!                2\n");
    expect(&table, 15, "> …::…loat>!  0\n> …::… int>!  1\n> short!      2\n");
}

Test(text_table, counts_characters_not_bytes)
{
    struct wm_text_table table;
    fill(&table, "αβγδεζηθικλμ");
    expect(&table, 80, "αβγδεζηθικλμ     7  x\nb             1234\n");
    expect(&table, 17, "αβγ…ικλμ     7  x\nb         1234\n");
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
    expect(&table, 30, "0123…abcde  0123456789  123456\n");
    expect(&table, 29, "0123…bcde  0123456789  123456\n");
    expect(&table, 28, "0123…bcde  0123…6789  123456\n");
    expect(&table, 10, "012…bcde  012…6789  123456\n");
}

// Of a place the line number stays; a name may be of any length.
Test(text_table, borrows_names_and_keeps_what_stands_behind_them)
{
    struct wm_text_table table;
    char name[300];
    memset(name, 'n', sizeof name);
    wm_text_table_init(&table, "lr");
    wm_text_table_row(&table);
    wm_text_table_cell(&table, 0, "  ");
    wm_text_table_borrow(&table, 0, "αβγδεζη.cu rest", 10 + 7);
    wm_text_table_append(&table, 0, ":7");
    wm_text_table_cell(&table, 1, "1");
    expect(&table, 80, "  αβγδεζη.cu:7  1\n");
    expect(&table, 15, "  αβγ…η.cu:7  1\n");
    wm_text_table_row(&table);
    wm_text_table_borrow(&table, 0, name, sizeof name);
    struct wm_text text;
    wm_text_init(&text);
    wm_text_table_print(&table, UINT_MAX, &text);
    cr_expect_eq(strspn(strchr(text.data, '\n') + 1, "n"), sizeof name);
    wm_text_release(&text);
}

Test(text_table, leaves_out_optional_columns_before_it_cuts)
{
    struct wm_text_table table;
    fill(&table, "a long name");
    wm_text_table_optional(&table, 1, 9);
    expect(&table, 20, "a long name     7  x\nb            1234\n");
    expect(&table, 18, "a lo…name     7  x\nb          1234\n");
    expect(&table, 17, "a long name  x\nb\n");
    expect(&table, 13, "a lo… name  x\nb\n");
}
