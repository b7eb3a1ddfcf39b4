#include "cuda/error/repeated_messages.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// What a process prints at its end.
static void read_end(char *text, size_t size)
{
    FILE *file = tmpfile();
    int standard = dup(STDERR_FILENO);
    cr_assert(file != NULL && standard >= 0);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    wm_messages_print_repeated();
    fflush(stderr);
    dup2(standard, STDERR_FILENO);
    close(standard);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static bool child_is_right(void)
{
    char text[256];
    bool known = !wm_message_is_new("a fault in thread 5");
    bool fresh = wm_message_is_new("another message");
    read_end(text, sizeof text);
    return known && fresh && strcmp(text, "warpmem: 1 more like it: a fault in thread 1\n") == 0;
}

Test(repeated_messages, children_count_their_own)
{
    char text[256];
    int status;
    cr_expect(wm_message_is_new("a fault in thread 1"));
    for (int i = 0; i < 3; i++)
        cr_expect_not(wm_message_is_new("a fault in thread 2"));
    pid_t child = fork();
    if (child == 0)
        _exit(child_is_right() ? 0 : 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    read_end(text, sizeof text);
    cr_expect_str_eq(text, "warpmem: 3 more like it: a fault in thread 1\n");
}

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
