#include "base/text.h"

#include <criterion/criterion.h>

Test(text, grows)
{
    struct wm_text text;
    wm_text_init(&text);
    for (int i = 0; i < 10000; i++)
        wm_text_format(&text, "%d,", i % 10);
    wm_text_add(&text, "end");
    wm_text_append(&text, "xyz", 1);
    cr_assert_not(text.failed);
    cr_assert_eq(text.length, 20004);
    cr_assert_str_eq(text.data + 20000, "endx");
    char *taken = wm_text_take(&text);
    cr_assert_eq(text.length, 0);
    cr_assert_eq(strlen(taken), 20004);
    free(taken);
}

Test(text, empty_take_is_an_empty_string)
{
    struct wm_text text;
    wm_text_init(&text);
    char *taken = wm_text_take(&text);
    cr_assert_str_eq(taken, "");
    free(taken);
}
