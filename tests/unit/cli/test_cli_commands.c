// The table of commands checks itself, whatever it holds.
#include "cli/framework/command.h"

#include <criterion/criterion.h>

static void check(const struct wm_command *command, unsigned depth)
{
    struct wm_error error;
    cr_assert(command->name && command->name[0]);
    size_t length = strlen(command->summary);
    cr_expect(length > 0 && length <= 60 && command->summary[length - 1] != '.', "%s: summary",
              command->name);
    cr_assert_not_null(command->usage, "%s has no usage", command->name);
    cr_expect_eq(wm_usage_check(command->usage, &error), WM_OK, "%s: %s", command->name,
                 error.message);
    cr_expect(command->run || command->subcommands, "%s does nothing", command->name);
    cr_assert(depth < 3);
    for (size_t i = 0; command->subcommands && command->subcommands[i]; i++) {
        for (size_t j = 0; j < i; j++)
            cr_expect_str_neq(command->subcommands[i]->name, command->subcommands[j]->name);
        check(command->subcommands[i], depth + 1);
    }
}

Test(commands, the_whole_table_is_sound)
{
    check(&wm_command_root, 0);
}

// Every command answers --help on standard output with its own name, and nothing else.
static void check_help(const struct wm_command *command, const char *path, char **words, int count)
{
    char *out_text = NULL, *err_text = NULL;
    size_t out_size, err_size;
    FILE *out = open_memstream(&out_text, &out_size), *err = open_memstream(&err_text, &err_size);
    char help[] = "--help";
    words[count] = help;
    cr_expect_eq(wm_command_main(&wm_command_root, count + 1, words, out, err), WM_EXIT_OK);
    fclose(out);
    fclose(err);
    char usage[128];
    int length = snprintf(usage, sizeof usage, "usage: %s ", path);
    cr_expect_eq(strncmp(out_text, usage, (size_t)length), 0, "%s", out_text);
    cr_expect_str_eq(err_text, "");
    for (const char *line = out_text; *line; line += strcspn(line, "\n") + 1)
        cr_expect(strcspn(line, "\n") <= 80 || strncmp(line, "  warpmem", 9) == 0,
                  "%s --help is wider than 80 columns: %.100s", path, line);
    free(out_text);
    free(err_text);
    for (size_t i = 0; command->subcommands && command->subcommands[i]; i++) {
        char inner[128], name[64];
        int used = snprintf(inner, sizeof inner, "%s %s", path, command->subcommands[i]->name);
        cr_assert(used > 0 && (size_t)used < sizeof inner);
        snprintf(name, sizeof name, "%s", command->subcommands[i]->name);
        words[count] = name;
        check_help(command->subcommands[i], inner, words, count + 1);
    }
}

Test(commands, each_answers_help)
{
    char *words[8];
    char name[] = "warpmem";
    words[0] = name;
    check_help(&wm_command_root, "warpmem", words, 1);
}

static const struct wm_command *find(const struct wm_command *command, const char *name)
{
    for (size_t i = 0; command->subcommands && command->subcommands[i]; i++)
        if (strcmp(command->subcommands[i]->name, name) == 0)
            return command->subcommands[i];
    return NULL;
}

// One example of a help text: its words must be a command's, and its options must parse.
static void check_example(const char *line, size_t length)
{
    char copy[512], *words[64];
    int count = 0;
    cr_assert(length < sizeof copy);
    snprintf(copy, sizeof copy, "%.*s", (int)length, line);
    for (char *p = copy; *p && count < 64;) {
        words[count++] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = '\0';
    }
    cr_assert(count > 1 && strcmp(words[0], "warpmem") == 0, "%.*s", (int)length, line);
    const struct wm_command *command = &wm_command_root, *inner;
    int next = 1;
    while (next < count && (inner = find(command, words[next])) != NULL) {
        command = inner;
        next++;
    }
    struct wm_arena arena;
    struct wm_parsed_options parsed;
    struct wm_error error;
    wm_arena_init(&arena);
    cr_expect(command->run, "%.*s", (int)length, line);
    cr_expect_eq(
        wm_options_parse(command->usage, count - next, words + next, &arena, &parsed, &error),
        WM_OK, "%.*s: %s", (int)length, line, error.message);
    wm_arena_release(&arena);
}

static void check_examples(const struct wm_command *command)
{
    for (const char *line = command->usage->examples; line && *line;) {
        size_t length = strcspn(line, "\n");
        check_example(line, length);
        line += length + (line[length] == '\n');
    }
    for (size_t i = 0; command->subcommands && command->subcommands[i]; i++)
        check_examples(command->subcommands[i]);
}

Test(commands, examples_in_help_are_lines_that_parse)
{
    check_examples(&wm_command_root);
}

// A command of the test's own, to see what it is handed.
static int seen(const struct wm_invocation *invocation)
{
    fprintf(invocation->out, "%s %u %s", invocation->path, invocation->operand_count,
            invocation->operands[0]);
    return 7;
}

static const struct wm_usage inner_usage = {
    .synopsis = "X", .description = "Tests.", .min_operands = 1, .max_operands = 1};
static const struct wm_command inner = {
    .name = "inner", .summary = "a command", .usage = &inner_usage, .run = seen};
static const struct wm_command *const inners[] = {&inner, NULL};
static const struct wm_usage outer_usage = {.synopsis = "COMMAND", .description = "Tests."};
static const struct wm_command outer = {
    .name = "outer", .summary = "a group", .usage = &outer_usage, .subcommands = inners};

static int call(char *out_text, size_t out_size, char *err_text, size_t err_size, char **words,
                int count)
{
    FILE *out = fmemopen(out_text, out_size, "w"), *err = fmemopen(err_text, err_size, "w");
    int status = wm_command_main(&outer, count, words, out, err);
    fclose(out);
    fclose(err);
    return status;
}

Test(commands, a_command_gets_its_operands_and_gives_the_status)
{
    char out[256] = "", err[512] = "";
    char *words[] = {(char[]){"outer"}, (char[]){"inner"}, (char[]){"x"}, (char[]){"y"}};
    cr_expect_eq(call(out, sizeof out, err, sizeof err, words, 3), 7);
    cr_expect_str_eq(out, "outer inner 1 x");
    cr_expect_str_eq(err, "");
    cr_expect_eq(call(out, sizeof out, err, sizeof err, words, 4), WM_EXIT_MISUSE);
    cr_expect_str_eq(err, "error: outer inner: unexpected operand \"y\"\n"
                          "hint: usage: outer inner X\n");
    cr_expect_eq(call(out, sizeof out, err, sizeof err, words, 1), WM_EXIT_MISUSE);
}
