#include "cli/cc/step_command.h"

#include "cli/process/child_process.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wm_cc_command_begin(struct wm_cc_command *command, const struct wm_cc_job *job)
{
    // Every word of the line in each of its lists, and those that the steps add.
    uint32_t room = job->line->both.count + job->line->host.count + job->line->input_count + 40;
    *command = (struct wm_cc_command){job->arena, WM_ARENA_ARRAY(job->arena, const char *, room), 0,
                                      room, false};
    command->failed = command->words == NULL;
}

void wm_cc_command_add(struct wm_cc_command *command, const char *word)
{
    if (!word || command->count + 1 >= command->room)
        command->failed = true;
    if (!command->failed)
        command->words[command->count++] = word;
}

void wm_cc_command_add_all(struct wm_cc_command *command, const char *const *words)
{
    for (; *words; words++)
        wm_cc_command_add(command, *words);
}

void wm_cc_command_add_words(struct wm_cc_command *command, const struct wm_cc_words *words)
{
    for (uint32_t i = 0; i < words->count; i++)
        wm_cc_command_add(command, words->items[i]);
}

const char *wm_cc_text(struct wm_arena *arena, const char *format, ...)
{
    char *result = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0)
        result = wm_arena_alloc(arena, (size_t)length + 1, 1);
    if (result) {
        va_start(arguments, format);
        vsnprintf(result, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return result;
}

// Writes one word as a shell reads it.
static void print_word(const char *word, FILE *stream)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, stream);
        return;
    }
    putc('\'', stream);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            putc(*word, stream);
    putc('\'', stream);
}

static void print_command(const struct wm_cc_command *command, FILE *stream)
{
    for (uint32_t i = 0; i < command->count; i++) {
        if (i > 0)
            putc(' ', stream);
        print_word(command->words[i], stream);
    }
    putc('\n', stream);
}

enum wm_status wm_cc_command_run_into(const struct wm_cc_job *job, struct wm_cc_command *command,
                                      const char *output, struct wm_error *error)
{
    if (command->failed)
        return wm_fail_no_memory(error, "compiling");
    if (job->line->verbose)
        print_command(command, job->log);
    if (job->line->dry_run)
        return WM_OK;
    const char *program = command->words[0];
    struct wm_child child = {.path = program, .arguments = command->words, .output = output};
    struct wm_child_end end;
    WM_TRY(wm_child_run(&child, &end, error));
    if (end.signal) {
        wm_fail(error, WM_IO, "was ended by signal %d (%s)", end.signal, strsignal(end.signal));
        return wm_error_place(error, "%s", program);
    }
    return end.status == 0 ? WM_OK : wm_fail(error, WM_INVALID, "%s", "");
}

enum wm_status wm_cc_command_run(const struct wm_cc_job *job, struct wm_cc_command *command,
                                 struct wm_error *error)
{
    return wm_cc_command_run_into(job, command, NULL, error);
}
