#include "cli/framework/options.h"

#include "base/text/nearest.h"

struct parser {
    const struct wm_usage *usage;
    struct wm_arena *arena;
    char *const *argv;
    int argc, next; // next: index of the word to look at
    struct wm_parsed_options *parsed;
    bool *given; // by option
    struct wm_error *error;
};

static enum wm_status unknown_option(struct parser *parser, const char *name, size_t length)
{
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < 63 ? length : 63), name);
    wm_fail(parser->error, WM_INVALID, "unknown option \"--%s\"", typed);
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, typed);
    for (size_t i = 0; i < parser->usage->option_count; i++)
        wm_nearest_offer(&nearest, parser->usage->options[i].name);
    wm_nearest_offer(&nearest, "help");
    if (nearest.best)
        return wm_error_hint(parser->error, "did you mean --%s?", nearest.best);
    return wm_error_hint(parser->error, "--help lists the options");
}

// Stores one option; `value` is NULL for a flag.
static enum wm_status store(struct parser *parser, const struct wm_option *option,
                            const char *value)
{
    void *field = (char *)parser->parsed->values + option->offset;
    bool *given = &parser->given[option - parser->usage->options];
    if (option->kind == WM_OPTION_LIST) {
        struct wm_option_list *list = field;
        if (!list->items) // at most one item a word of the line
            list->items = WM_ARENA_ARRAY(parser->arena, const char *, parser->argc);
        if (!list->items)
            return wm_fail_no_memory(parser->error, "reading the command line");
        list->items[list->count++] = value;
        return WM_OK;
    }
    if (*given && option->kind == WM_OPTION_ARGUMENT)
        return wm_fail(parser->error, WM_INVALID, "option \"--%s\" is given twice", option->name);
    *given = true;
    if (option->kind == WM_OPTION_FLAG)
        *(bool *)field = true;
    else
        *(const char **)field = value;
    return WM_OK;
}

// The argument of `option`: `attached` when it is part of the same word, else the next word.
static enum wm_status take_argument(struct parser *parser, const struct wm_option *option,
                                    const char *attached)
{
    if (attached)
        return store(parser, option, attached);
    if (parser->next >= parser->argc) {
        wm_fail(parser->error, WM_INVALID, "option \"--%s\" needs an argument", option->name);
        return wm_error_hint(parser->error, "write it like --%s %s", option->name,
                             option->argument);
    }
    return store(parser, option, parser->argv[parser->next++]);
}

static enum wm_status parse_long(struct parser *parser, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    bool is_help = length == 4 && memcmp(word, "help", 4) == 0;
    const struct wm_option *option = NULL;
    for (size_t i = 0; i < parser->usage->option_count; i++) {
        const char *name = parser->usage->options[i].name;
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            option = &parser->usage->options[i];
    }
    if (!option && !is_help)
        return unknown_option(parser, word, length);
    if (equals && (is_help || option->kind == WM_OPTION_FLAG))
        return wm_fail(parser->error, WM_INVALID, "option \"--%.*s\" takes no argument",
                       (int)length, word);
    if (is_help) {
        parser->parsed->help = true;
        return WM_OK;
    }
    if (option->kind == WM_OPTION_FLAG)
        return store(parser, option, NULL);
    return take_argument(parser, option, equals ? equals + 1 : NULL);
}

static enum wm_status parse_letters(struct parser *parser, const char *letters)
{
    for (; *letters; letters++) {
        if (*letters == 'h') {
            parser->parsed->help = true;
            return WM_OK;
        }
        const struct wm_option *option = NULL;
        for (size_t i = 0; i < parser->usage->option_count; i++)
            if (parser->usage->options[i].letter == *letters)
                option = &parser->usage->options[i];
        if (!option) {
            wm_fail(parser->error, WM_INVALID, "unknown option \"-%c\"", *letters);
            return wm_error_hint(parser->error, "--help lists the options");
        }
        if (option->kind != WM_OPTION_FLAG)
            return take_argument(parser, option, letters[1] ? letters + 1 : NULL);
        WM_TRY(store(parser, option, NULL));
    }
    return WM_OK;
}

static enum wm_status check_operands(const struct wm_usage *usage,
                                     const struct wm_parsed_options *parsed, struct wm_error *error)
{
    if (parsed->operand_count < usage->min_operands)
        wm_fail(error, WM_INVALID, "an operand is missing");
    else if (parsed->operand_count > usage->max_operands)
        wm_fail(error, WM_INVALID, "unexpected operand \"%s\"",
                parsed->operands[usage->max_operands]);
    else
        return WM_OK;
    return WM_INVALID;
}

enum wm_status wm_options_parse(const struct wm_usage *usage, int argc, char *const *argv,
                                struct wm_arena *arena, struct wm_parsed_options *parsed,
                                struct wm_error *error)
{
    *parsed = (struct wm_parsed_options){0};
    struct parser parser = {usage, arena, argv, argc, .parsed = parsed, .error = error};
    const char **operands = WM_ARENA_ARRAY(arena, const char *, argc + 1);
    parsed->values = wm_arena_alloc(arena, usage->values_size, _Alignof(max_align_t));
    parsed->operands = operands;
    parser.given = WM_ARENA_ARRAY(arena, bool, usage->option_count + 1);
    if (!operands || !parsed->values || !parser.given)
        return wm_fail_no_memory(error, "reading the command line");
    bool ended = false;
    while (parser.next < argc) {
        const char *word = argv[parser.next++];
        if (usage->operands_only && strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0) {
            operands[parsed->operand_count++] = word;
            continue;
        }
        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
            continue;
        }
        if (ended || word[0] != '-' || word[1] == '\0') {
            operands[parsed->operand_count++] = word;
            ended = ended || usage->options_first;
            continue;
        }
        WM_TRY(word[1] == '-' ? parse_long(&parser, word + 2) : parse_letters(&parser, word + 1));
        if (parsed->help)
            return WM_OK;
    }
    return check_operands(usage, parsed, error);
}
