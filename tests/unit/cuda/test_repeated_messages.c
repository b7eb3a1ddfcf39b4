#include "cuda/repeated_messages.h"

#include <criterion/criterion.h>

Test(repeated_messages, numbers_alone_make_no_other_kind)
{
    cr_expect(wm_message_is_new("error: 1025 threads a block"));
    cr_expect_not(wm_message_is_new("error: 1026 threads a block"));
    cr_expect(wm_message_is_new("error: 1026 blocks"));
    cr_expect(wm_message_is_new("read at 0x200000000190, thread (100,0,0)"));
    cr_expect_not(wm_message_is_new("read at 0x2ab, thread (1,2,31)"));
}

Test(repeated_messages, lines_and_names_do)
{
    cr_expect(wm_message_is_new("kernel k, app.cu:12: trap"));
    cr_expect(wm_message_is_new("kernel k, app.cu:13: trap"));
    cr_expect(wm_message_is_new("kernel k2, app.cu:12: trap"));
    cr_expect(wm_message_is_new("kernel k3, app.cu:12: trap"));
    cr_expect_not(wm_message_is_new("kernel k3, app.cu:12: trap"));
}

Test(repeated_messages, many_kinds_are_all_printed)
{
    char text[32];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 400; i++) {
            snprintf(text, sizeof text, "name%d", i);
            cr_expect_eq(wm_message_is_new(text), round == 0 || i >= 256);
        }
}
