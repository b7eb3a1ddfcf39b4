#include "base/text/text_position.h"

#include <criterion/criterion.h>
#include <string.h>

// "ä" is two bytes and one character.
static const char text[] = "one\n\xc3\xa4 two\n\nfour";

static void is_at(size_t offset, uint32_t line, uint32_t column)
{
    struct wm_text_place place = wm_text_position_of(text, sizeof text - 1, offset);
    cr_expect_eq(place.line, line, "byte %zu is in line %u", offset, place.line);
    cr_expect_eq(place.column, column, "byte %zu is in column %u", offset, place.column);
}

Test(text_place, columns_count_characters)
{
    is_at(0, 1, 1);
    is_at(3, 1, 4); // the newline belongs to its line
    is_at(4, 2, 1);
    is_at(6, 2, 2); // behind both bytes
    is_at(11, 3, 1);
    is_at(12, 4, 1);
    is_at(1000, 4, 5);
}

static const char *excerpt_of(uint32_t line, uint32_t column, struct wm_error *error)
{
    struct wm_text_place place = {.line = line, .column = column};
    wm_fail(error, WM_INVALID, "m");
    cr_expect_eq(wm_error_point(error, "f", text, sizeof text - 1, place), WM_INVALID);
    return error->excerpt;
}

Test(text_place, errors_show_the_line)
{
    struct wm_error error;
    cr_expect_str_eq(excerpt_of(1, 2, &error), "one\n ^");
    cr_expect_str_eq(error.place, "f:1:2");
    cr_expect_str_eq(excerpt_of(4, 1, &error), "four\n^", "a last line without its newline");
    cr_expect_str_eq(excerpt_of(3, 1, &error), "", "an empty line");
    cr_expect_str_eq(excerpt_of(9, 1, &error), "", "behind the end");
    cr_expect_str_eq(error.place, "f:9:1");
}

Test(text_place, an_empty_text_has_a_beginning)
{
    struct wm_error error;
    struct wm_text_place place = wm_text_position_of("", 0, 0);
    wm_fail(&error, WM_INVALID, "m");
    cr_expect_eq(wm_error_point(&error, "f", "", 0, place), WM_INVALID);
    cr_expect_str_eq(error.place, "f:1:1");
    cr_expect_neq(wm_error_point(NULL, "f", "", 0, place), WM_OK, "a failure must stay one");
}
