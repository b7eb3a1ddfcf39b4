// Help texts and the check of option tables.
#include "cli/framework/options.h"

#include <ctype.h>

enum { COLUMNS = 80 };

// Appends words of `sentence` from column `column` on, wrapped to COLUMNS with `indent` blanks.
static void wrap(const char *sentence, unsigned indent, struct wm_text *text)
{
    size_t column = indent;
    bool first = true;
    while (*sentence) {
        size_t length = strcspn(sentence, " ");
        if (!first && column + 1 + length > COLUMNS) {
            wm_text_format(text, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            wm_text_add(text, " ");
            column++;
        }
        wm_text_append(text, sentence, length);
        column += length;
        first = false;
        sentence += length;
        sentence += strspn(sentence, " ");
    }
    wm_text_add(text, "\n");
}

void wm_usage_row(const char *left, const char *right, unsigned width, struct wm_text *text)
{
    wm_text_format(text, "  %-*s", (int)width, left);
    if (strlen(left) >= width)
        wm_text_format(text, "\n  %*s", (int)width, "");
    wrap(right, width + 2, text);
}

static void print_option(const struct wm_option *option, struct wm_text *text)
{
    char left[96];
    char letter[4] = "   ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c,", option->letter);
    snprintf(left, sizeof left, "%s --%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    wm_usage_row(left, option->sentence, 24, text);
}

static void print_lines(const char *lines, const char *lead, bool wrapped, struct wm_text *text)
{
    char line[1024];
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%s%.*s", lead, (int)length, lines);
        if (wrapped)
            wrap(line, 0, text);
        else
            wm_text_format(text, "%s\n", line);
        lines += length + (lines[length] == '\n');
        if (wrapped && *lines)
            wm_text_add(text, "\n");
    }
}

void wm_usage_print(const struct wm_usage *usage, const char *path, const char *commands,
                    struct wm_text *text)
{
    static const struct wm_option help = {'h', "help", .sentence = "print this help"};
    wm_text_format(text, "usage: %s %s\n\n", path, usage->synopsis);
    print_lines(usage->description, "", true, text);
    if (commands)
        wm_text_format(text, "\ncommands:\n%s", commands);
    wm_text_add(text, "\noptions:\n");
    for (size_t i = 0; i < usage->option_count; i++)
        print_option(&usage->options[i], text);
    for (const struct wm_usage_word *word = usage->words; word && word->spelling; word++)
        wm_usage_row(word->spelling, word->sentence, 24, text);
    print_option(&help, text);
    if (usage->examples) {
        wm_text_add(text, "\nexamples:\n");
        print_lines(usage->examples, "  ", false, text);
    }
}

static size_t field_size(enum wm_option_kind kind)
{
    switch (kind) {
    case WM_OPTION_FLAG: return sizeof(bool);
    case WM_OPTION_ARGUMENT: return sizeof(const char *);
    case WM_OPTION_LIST: return sizeof(struct wm_option_list);
    }
    return 0;
}

static bool sentence_is_good(const char *sentence)
{
    size_t length = sentence ? strlen(sentence) : 0;
    return length > 0 && sentence[length - 1] != '.' && !strchr(sentence, '\n');
}

static bool name_is_good(const char *name)
{
    for (const char *p = name; *p; p++)
        if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '-')
            return false;
    return name[0] != '\0' && name[0] != '-' && strcmp(name, "help") != 0;
}

static enum wm_status check_pair(const struct wm_option *a, const struct wm_option *b,
                                 struct wm_error *error)
{
    if (strcmp(a->name, b->name) == 0)
        return wm_fail(error, WM_INVALID, "option \"--%s\" is in the table twice", a->name);
    if (a->letter && a->letter == b->letter)
        return wm_fail(error, WM_INVALID, "letter \"-%c\" is in the table twice", a->letter);
    if (a->offset < b->offset + field_size(b->kind) && b->offset < a->offset + field_size(a->kind))
        return wm_fail(error, WM_INVALID, "options \"--%s\" and \"--%s\" share a field", a->name,
                       b->name);
    return WM_OK;
}

enum wm_status wm_usage_check(const struct wm_usage *usage, struct wm_error *error)
{
    if (!usage->synopsis || !usage->description || usage->min_operands > usage->max_operands)
        return wm_fail(error, WM_INVALID,
                       "the usage has no synopsis, description or operand range");
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct wm_option *option = &usage->options[i];
        if (!option->name || !name_is_good(option->name))
            return wm_fail(error, WM_INVALID, "option \"--%s\" has no good name",
                           option->name ? option->name : "");
        if (option->letter == 'h' || (option->letter && !isalnum((unsigned char)option->letter)))
            return wm_fail(error, WM_INVALID, "option \"--%s\" has a bad letter", option->name);
        if (!sentence_is_good(option->sentence))
            return wm_fail(error, WM_INVALID, "option \"--%s\" has no good sentence", option->name);
        if ((option->kind == WM_OPTION_FLAG) != (option->argument == NULL))
            return wm_fail(error, WM_INVALID, "option \"--%s\": kind and argument disagree",
                           option->name);
        if (option->offset + field_size(option->kind) > usage->values_size)
            return wm_fail(error, WM_INVALID, "option \"--%s\" lies outside the values",
                           option->name);
        for (size_t j = 0; j < i; j++)
            WM_TRY(check_pair(&usage->options[j], option, error));
    }
    return WM_OK;
}
