#include "cli/framework/options.h"

#include <criterion/criterion.h>

struct values {
    bool quiet, all;
    const char *machine;
    struct wm_option_list settings;
};

static const struct wm_option table[] = {
    {'q', "quiet", WM_OPTION_FLAG, NULL, offsetof(struct values, quiet), "say nothing"},
    {'a', "all", WM_OPTION_FLAG, NULL, offsetof(struct values, all), "show all"},
    {'m', "machine", WM_OPTION_ARGUMENT, "NAME", offsetof(struct values, machine), "which one"},
    {'s', "set", WM_OPTION_LIST, "KEY=VALUE", offsetof(struct values, settings), "change a key"},
};

static const struct wm_usage plain = {
    .synopsis = "[options] FILE...",
    .description = "Tests options.",
    .options = table,
    .option_count = sizeof table / sizeof table[0],
    .values_size = sizeof(struct values),
    .max_operands = 3,
};

// One line of words parsed, printed back as a text that is easy to compare.
static const char *parse(const struct wm_usage *usage, const char *line, char printed[512])
{
    struct wm_arena arena;
    struct wm_parsed_options parsed;
    struct wm_error error;
    char copy[512];
    char *words[32];
    int count = 0;
    wm_arena_init(&arena);
    snprintf(copy, sizeof copy, "%s", line);
    for (char *p = copy; *p && count < 32;) {
        words[count++] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = '\0';
    }
    wm_error_clear(&error);
    size_t used = 0;
#define ADD(...) used += (size_t)snprintf(printed + used, 512 - used, __VA_ARGS__)
    if (wm_options_parse(usage, count, words, &arena, &parsed, &error) != WM_OK) {
        ADD("%s", error.message);
        if (error.hint[0])
            ADD("; %s", error.hint);
    } else if (parsed.help) {
        ADD("help");
    } else {
        const struct values *values = parsed.values;
        ADD("%s%s", values->quiet ? "quiet " : "", values->all ? "all " : "");
        ADD("machine=%s set=", values->machine ? values->machine : "-");
        for (uint32_t i = 0; i < values->settings.count; i++)
            ADD("%s%s", i ? "," : "", values->settings.items[i]);
        ADD(" operands=");
        for (uint32_t i = 0; i < parsed.operand_count; i++)
            ADD("%s%s", i ? "," : "", parsed.operands[i]);
    }
#undef ADD
    wm_arena_release(&arena);
    return printed;
}

static const struct {
    const char *line, *result;
} cases[] = {
    {"", "machine=- set= operands="},
    {"a b", "machine=- set= operands=a,b"},
    {"-q", "quiet machine=- set= operands="},
    {"-qa x", "quiet all machine=- set= operands=x"},
    {"-q -q", "quiet machine=- set= operands="},
    {"--machine v100", "machine=v100 set= operands="},
    {"--machine=v100", "machine=v100 set= operands="},
    {"--machine=", "machine= set= operands="},
    {"-m v100", "machine=v100 set= operands="},
    {"-mv100", "machine=v100 set= operands="},
    {"-qmv100 x", "quiet machine=v100 set= operands=x"},
    {"-m -q", "machine=-q set= operands="},
    {"--set a=1 x --set=b=2 -sc=3 y", "machine=- set=a=1,b=2,c=3 operands=x,y"},
    {"x -q y", "quiet machine=- set= operands=x,y"},
    {"-- -q --set", "machine=- set= operands=-q,--set"},
    {"x -- --", "machine=- set= operands=x,--"},
    {"-", "machine=- set= operands=-"},
    {"-h", "help"},
    {"--help --nonsense", "help"},
    {"-qh", "help"},
    {"-- --help", "machine=- set= operands=--help"},
    {"-m", "option \"--machine\" needs an argument; write it like --machine NAME"},
    {"--set", "option \"--set\" needs an argument; write it like --set KEY=VALUE"},
    {"-m a -m b", "option \"--machine\" is given twice"},
    {"--quiet=yes", "option \"--quiet\" takes no argument"},
    {"--machin x", "unknown option \"--machin\"; did you mean --machine?"},
    {"--hlep", "unknown option \"--hlep\"; did you mean --help?"},
    {"--frobnicate", "unknown option \"--frobnicate\"; --help lists the options"},
    {"-z", "unknown option \"-z\"; --help lists the options"},
    {"-qz", "unknown option \"-z\"; --help lists the options"},
    {"a b c d", "unexpected operand \"d\""},
};

Test(options, lines_and_what_they_mean)
{
    char printed[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_str_eq(parse(&plain, cases[i].line, printed), cases[i].result, "\"%s\": %s",
                         cases[i].line, printed);
}

Test(options, may_end_at_the_first_operand)
{
    struct wm_usage usage = plain;
    char printed[512];
    usage.options_first = true;
    usage.max_operands = UINT32_MAX;
    cr_expect_str_eq(parse(&usage, "-q ./app -q --set", printed),
                     "quiet machine=- set= operands=./app,-q,--set");
    cr_expect_str_eq(parse(&usage, "-q -- ./app -- --help", printed),
                     "quiet machine=- set= operands=./app,--,--help");
}

Test(options, operands_are_counted)
{
    struct wm_usage usage = plain;
    char printed[512];
    usage.min_operands = 2;
    cr_expect_str_eq(parse(&usage, "-q x", printed), "an operand is missing");
    cr_expect_str_eq(parse(&usage, "x y", printed), "machine=- set= operands=x,y");
}

// Each way in which a table can be wrong is found, and the table above is right.
Test(options, the_table_is_checked)
{
    struct wm_error error;
    cr_assert_eq(wm_usage_check(&plain, &error), WM_OK, "%s", error.message);
    static const struct wm_option wrong[] = {
        {'q', "quiet2", WM_OPTION_FLAG, NULL, 1, "a letter twice"},
        {0, "quiet", WM_OPTION_FLAG, NULL, 1, "a name twice"},
        {0, "quiet2", WM_OPTION_FLAG, NULL, 0, "a field twice"},
        {0, "far", WM_OPTION_FLAG, NULL, sizeof(struct values), "a field outside"},
        {0, "help", WM_OPTION_FLAG, NULL, 1, "help is added to all"},
        {'h', "halt", WM_OPTION_FLAG, NULL, 1, "so is its letter"},
        {0, "Loud", WM_OPTION_FLAG, NULL, 1, "a capital"},
        {0, "", WM_OPTION_FLAG, NULL, 1, "no name"},
        {0, "loud", WM_OPTION_FLAG, NULL, 1, ""},
        {0, "loud", WM_OPTION_FLAG, NULL, 1, "a full stop."},
        {0, "loud", WM_OPTION_FLAG, "NAME", 1, "a flag with an argument"},
        {0, "loud", WM_OPTION_ARGUMENT, NULL, 8, "an argument without a name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct wm_option both[2] = {table[0], wrong[i]};
        struct wm_usage usage = plain;
        usage.options = both;
        usage.option_count = 2;
        cr_expect_eq(wm_usage_check(&usage, &error), WM_INVALID, "\"%s\" (%s) is taken",
                     wrong[i].name, wrong[i].sentence);
    }
}
