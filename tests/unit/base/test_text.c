#include "base/text/text.h"

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

Test(text, others_may_write_into_its_room)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, "ab");
    for (size_t most = 1; most < 5000; most *= 3) {
        char *room = wm_text_reserve(&text, most);
        cr_assert_eq(room, text.data + text.length);
        cr_assert_geq(text.capacity - text.length, most);
        memset(room, 'c', most);
        text.length += 1; // it need not take all of it
    }
    wm_text_add(&text, "d");
    cr_assert_str_eq(text.data, "abccccccccd");
    text.failed = true;
    cr_assert_null(wm_text_reserve(&text, 1));
    text.failed = false;
    wm_text_release(&text);
}

Test(text, empty_take_is_an_empty_string)
{
    struct wm_text text;
    wm_text_init(&text);
    char *taken = wm_text_take(&text);
    cr_assert_str_eq(taken, "");
    free(taken);
}
