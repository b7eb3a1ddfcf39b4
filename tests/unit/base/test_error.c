#include "base/error.h"

#include <criterion/criterion.h>

Test(error, format_has_place_excerpt_and_hint)
{
    struct wm_error error;
    char buffer[4096];
    cr_assert_eq(wm_fail(&error, WM_INVALID, "unknown key \"%s\"", "sise"), WM_INVALID);
    wm_error_place(&error, "%s:%d:%d", "m.yaml", 3, 7);
    wm_error_excerpt(&error, "  l1: {sise: 4}", 15, 8);
    wm_error_hint(&error, "did you mean \"size\"?");
    cr_assert_str_eq(wm_error_format(&error, buffer, sizeof buffer),
                     "error: m.yaml:3:7: unknown key \"sise\"\n"
                     "    l1: {sise: 4}\n"
                     "         ^\n"
                     "hint: did you mean \"size\"?\n");
}

Test(error, long_texts_are_cut_and_stay_terminated)
{
    struct wm_error error;
    char longtext[5000], buffer[100];
    memset(longtext, 'x', sizeof longtext - 1);
    longtext[sizeof longtext - 1] = '\0';
    wm_fail(&error, WM_IO, "%s", longtext);
    cr_assert_eq(strlen(error.message), sizeof error.message - 1);
    cr_assert_str_eq(error.message + strlen(error.message) - 3, "...");
    wm_error_format(&error, buffer, sizeof buffer);
    cr_assert_eq(strlen(buffer), sizeof buffer - 1);
}

// The caret stays under the character it names, wherever that is in a long line.
Test(error, caret_points_at_the_column)
{
    char line[1000];
    for (unsigned column = 1; column <= 1000; column++) {
        memset(line, 'a', sizeof line);
        line[column - 1] = 'Z';
        struct wm_error error;
        wm_fail(&error, WM_INVALID, "m");
        wm_error_excerpt(&error, line, sizeof line, column);
        char *caret = strchr(error.excerpt, '\n');
        cr_assert_not_null(caret);
        size_t position = strlen(caret + 1) - 1;
        cr_assert_eq(caret[1 + position], '^');
        cr_assert_eq(error.excerpt[position], 'Z', "column %u", column);
    }
}

// One wording and one cure, whatever the memory was for; what was said before does not stay.
Test(error, no_memory_names_what_it_was_for_and_a_cure)
{
    struct wm_error error;
    wm_fail(&error, WM_INVALID, "before");
    wm_error_place(&error, "there");
    cr_assert_eq(wm_fail_no_memory(&error, "recording \"%s\"", "a.wmt"), WM_NO_MEMORY);
    cr_assert_eq(error.status, WM_NO_MEMORY);
    cr_assert_str_eq(error.message, "out of host memory for recording \"a.wmt\"");
    cr_assert_str_empty(error.place);
    cr_assert_not_null(strstr(error.hint, "ulimit -v"));
    // Its own message may be a part of it.
    wm_fail(&error, WM_INVALID, "a launch");
    wm_fail_no_memory(&error, "%s", error.message);
    cr_assert_str_eq(error.message, "out of host memory for a launch");
}

Test(error, null_error_is_allowed)
{
    cr_assert_eq(wm_fail_no_memory(NULL, "x"), WM_NO_MEMORY);
    cr_assert_eq(wm_fail(NULL, WM_LIMIT, "x"), WM_LIMIT);
    cr_assert_neq(wm_error_place(NULL, "x"), WM_OK, "a failure must stay one");
    cr_assert_neq(wm_error_hint(NULL, "x"), WM_OK);
    cr_assert_neq(wm_error_excerpt(NULL, "x", 1, 1), WM_OK);
}

static enum wm_status fails(struct wm_error *error)
{
    WM_TRY(WM_OK);
    WM_TRY(wm_fail(error, WM_NOT_FOUND, "gone"));
    return WM_OK;
}

Test(error, try_forwards_the_first_failure)
{
    struct wm_error error;
    cr_assert_eq(fails(&error), WM_NOT_FOUND);
    cr_assert_str_eq(error.message, "gone");
    cr_assert_str_eq(wm_status_name(error.status), "not-found");
}
