#include "cli/completion/completion.h"

#include <string.h>

// A command line, read up to its last word.
struct line {
    const struct wm_command *command;
    const struct wm_option *pending; // whose argument the last word is
    uint32_t operands;               // before the last word
    bool ended;                      // options
    bool wrong;
    uint64_t given; // bit i: the command's option i
};

void wm_complete_offer(const char *before, const char *typed, const char *word,
                       const char *sentence, struct wm_text *text)
{
    if (strncmp(word, typed, strlen(typed)) != 0)
        return;
    wm_text_format(text, "%s%s%s%s\n", before, word, sentence ? "\t" : "",
                   sentence ? sentence : "");
}

// The option that a long name of `length` bytes means.
static const struct wm_option *find_long(const struct wm_usage *usage, const char *name,
                                         size_t length)
{
    for (size_t i = 0; i < usage->option_count; i++)
        if (strlen(usage->options[i].name) == length &&
            strncmp(usage->options[i].name, name, length) == 0)
            return &usage->options[i];
    return NULL;
}

static const struct wm_option *find_letter(const struct wm_usage *usage, char letter)
{
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].letter == letter)
            return &usage->options[i];
    return NULL;
}

static void note_given(struct line *line, const struct wm_option *option)
{
    size_t index = (size_t)(option - line->command->usage->options);
    if (option->kind != WM_OPTION_LIST && index < 64)
        line->given |= UINT64_C(1) << index;
}

static void read_long(struct line *line, const char *name)
{
    size_t length = strcspn(name, "=");
    const struct wm_option *option = find_long(line->command->usage, name, length);
    line->wrong |= !option && !(length == 4 && strncmp(name, "help", 4) == 0);
    if (!option)
        return;
    note_given(line, option);
    if (option->kind != WM_OPTION_FLAG && name[length] == '\0')
        line->pending = option;
}

static void read_letters(struct line *line, const char *letters)
{
    for (; *letters; letters++) {
        const struct wm_option *option = find_letter(line->command->usage, *letters);
        if (!option) {
            line->wrong |= *letters != 'h';
            return;
        }
        note_given(line, option);
        if (option->kind == WM_OPTION_FLAG)
            continue;
        if (letters[1] == '\0')
            line->pending = option;
        return;
    }
}

static void read_operand(struct line *line, const char *word)
{
    const struct wm_command *const *inner = line->command->subcommands;
    if (!inner) {
        line->operands++;
        line->ended |= line->command->usage->options_first;
        return;
    }
    while (*inner && strcmp((*inner)->name, word) != 0)
        inner++;
    line->wrong |= !*inner;
    if (*inner)
        *line = (struct line){.command = *inner};
}

static void read_word(struct line *line, const char *word)
{
    const struct wm_usage *usage = line->command->usage;
    if (line->pending)
        line->pending = NULL;
    else if (usage->operands_only)
        line->operands++;
    else if (!line->ended && strcmp(word, "--") == 0)
        line->ended = true;
    else if (line->ended || word[0] != '-' || word[1] == '\0')
        read_operand(line, word);
    else if (word[1] == '-')
        read_long(line, word + 2);
    else
        read_letters(line, word + 1);
}

// "--machine=v" and "-mv" hold their argument themselves.
static bool complete_attached(const struct line *line, const char *word, struct wm_text *text)
{
    const struct wm_option *option;
    size_t length = strcspn(word, "=");
    if (word[1] == '-') {
        if (word[length] != '=')
            return false;
        option = find_long(line->command->usage, word + 2, length - 2);
        length++;
    } else {
        option = word[1] ? find_letter(line->command->usage, word[1]) : NULL;
        length = 2;
        if (!option || option->kind == WM_OPTION_FLAG || word[2] == '\0')
            return false;
    }
    char before[64];
    if (option && option->kind != WM_OPTION_FLAG && length < sizeof before) {
        memcpy(before, word, length);
        before[length] = '\0';
        wm_complete_value(option->completes, before, word + length, text);
    }
    return true;
}

// The spellings of a command that reads its line by itself: "-O0 -O1 -O2", "-o FILE".
static void complete_spellings(const struct wm_usage_word *words, const char *typed,
                               struct wm_text *text)
{
    for (; words && words->spelling; words++)
        for (const char *p = words->spelling; *p;) {
            char spelling[64];
            size_t length = strcspn(p, " ,");
            if (p[0] == '-' && length < sizeof spelling) {
                memcpy(spelling, p, length);
                spelling[length] = '\0';
                wm_complete_offer("", typed, spelling, words->sentence, text);
            }
            p += length;
            p += strspn(p, " ,");
        }
}

static void complete_option(const struct line *line, const char *word, struct wm_text *text)
{
    const struct wm_usage *usage = line->command->usage;
    if (complete_attached(line, word, text))
        return;
    for (size_t i = 0; i < usage->option_count; i++) {
        char spelling[64];
        if (i < 64 && line->given >> i & 1)
            continue;
        snprintf(spelling, sizeof spelling, "--%s", usage->options[i].name);
        wm_complete_offer("", word, spelling, usage->options[i].sentence, text);
    }
    complete_spellings(usage->words, word, text);
    wm_complete_offer("", word, "--help", "print this help", text);
}

static void complete_operand(const struct line *line, const char *word, struct wm_text *text)
{
    const struct wm_usage *usage = line->command->usage;
    const struct wm_command *const *inner = line->command->subcommands;
    for (; inner && *inner; inner++)
        wm_complete_offer("", word, (*inner)->name, (*inner)->summary, text);
    if (!line->command->subcommands && line->operands < usage->max_operands)
        wm_complete_value(usage->operands_are, "", word, text);
}

void wm_complete(const struct wm_command *root, const char *const *words, uint32_t count,
                 struct wm_text *text)
{
    struct line line = {.command = root};
    if (count < 2)
        return;
    for (uint32_t i = 1; i + 1 < count; i++)
        read_word(&line, words[i]);
    const char *last = words[count - 1];
    if (line.wrong)
        return;
    if (line.pending)
        wm_complete_value(line.pending->completes, "", last, text);
    else if (!line.ended && last[0] == '-')
        complete_option(&line, last, text);
    else
        complete_operand(&line, last, text);
}
