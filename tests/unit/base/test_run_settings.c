#include "base/numbers/random.h"
#include "base/run/run_settings.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The list once more, for values of any setting: a row that the reader or the writer forgot, or has
// the offset of another for, does not come back as it went.
enum kind { TEXT, LIST, FLAG, NUMBER, WORD };
static const struct {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *expected;
} rows[] = {
#define WM_RUN_SETTING(kind, field, NAME, initial, expected, documentation) \
    {"WARPMEM_" #NAME, kind, offsetof(struct wm_run_settings, field), expected},
#include "base/run/run_settings.def"
#undef WM_RUN_SETTING
};

static void *field_of(struct wm_run_settings *settings, size_t row)
{
    return (char *)settings + rows[row].offset;
}

// Of every byte but NUL, of a list's item without newlines where it goes through a variable.
static const char *random_text(struct wm_run_settings *settings, struct wm_random *random,
                               bool one_line)
{
    static const char likely[] = "\n\\n=,:WARPMEM_ \xc3\xa4";
    char text[40];
    size_t length = 1 + (size_t)wm_random_below(random, sizeof text - 1);
    for (size_t i = 0; i < length; i++) {
        text[i] = wm_random_below(random, 2) ? likely[wm_random_below(random, sizeof likely - 1)]
                                             : (char)(1 + wm_random_below(random, 255));
        if (one_line && text[i] == '\n')
            text[i] = ' ';
    }
    return wm_arena_copy_text(&settings->arena, text, length);
}

static void set_randomly(struct wm_run_settings *settings, size_t row, struct wm_random *random,
                         bool one_line)
{
    void *field = field_of(settings, row);
    unsigned words = 1;
    for (const char *at = rows[row].expected; (at = strchr(at, ',')) != NULL; at++)
        words++;
    switch (rows[row].kind) {
    case TEXT: *(const char **)field = random_text(settings, random, false); break;
    case LIST:
        for (uint64_t left = 1 + wm_random_below(random, 20); left > 0; left--)
            cr_assert_eq(
                wm_run_settings_add(settings, field, random_text(settings, random, one_line), NULL),
                WM_OK);
        break;
    case FLAG: *(bool *)field = wm_random_below(random, 2) != 0; break;
    case WORD: *(unsigned *)field = (unsigned)wm_random_below(random, words); break;
    case NUMBER:
        *(uint64_t *)field = wm_random_below(random, UINT64_MAX) >> wm_random_below(random, 64);
        break;
    }
}

static bool same_text(const char *a, const char *b)
{
    return (a == NULL || b == NULL) ? a == b : strcmp(a, b) == 0;
}

static void assert_same(struct wm_run_settings *a, struct wm_run_settings *b)
{
    for (size_t row = 0; row < WM_RUN_SETTINGS; row++) {
        const void *left = field_of(a, row), *right = field_of(b, row);
        const struct wm_run_list *items = left, *others = right;
        bool same = true;
        switch (rows[row].kind) {
        case TEXT: same = same_text(*(const char *const *)left, *(const char *const *)right); break;
        case LIST:
            same = items->count == others->count;
            for (uint32_t i = 0; same && i < items->count; i++)
                same = same_text(items->items[i], others->items[i]);
            break;
        case FLAG: same = *(const bool *)left == *(const bool *)right; break;
        case WORD: same = *(const unsigned *)left == *(const unsigned *)right; break;
        case NUMBER: same = *(const uint64_t *)left == *(const uint64_t *)right; break;
        }
        cr_assert(same, "%s does not come back as it went", rows[row].name);
    }
}

static void assert_round_trip(struct wm_run_settings *settings)
{
    struct wm_run_settings read;
    struct wm_error error;
    struct wm_text object;
    wm_error_clear(&error);
    wm_text_init(&object);
    wm_run_settings_init(&read);
    wm_run_settings_write(settings, &object);
    enum wm_status status = wm_run_settings_read(&read, object.data ? object.data : "", &error);
    cr_assert_eq(status, WM_OK, "%s: %s", error.place, error.message);
    assert_same(settings, &read);
    wm_run_settings_release(&read);
    wm_text_release(&object);
}

Test(run_settings, each_alone_round_trips)
{
    struct wm_random random;
    wm_random_init(&random, 1, "one setting");
    for (size_t row = 0; row < WM_RUN_SETTINGS; row++)
        for (int turn = 0; turn < 50; turn++) {
            struct wm_run_settings settings;
            wm_run_settings_init(&settings);
            set_randomly(&settings, row, &random, false);
            assert_round_trip(&settings);
            wm_run_settings_release(&settings);
        }
}

Test(run_settings, random_ones_round_trip)
{
    struct wm_random random;
    wm_random_init(&random, 2, "all settings");
    for (int turn = 0; turn < 1000; turn++) {
        struct wm_run_settings settings;
        wm_run_settings_init(&settings);
        for (size_t row = 0; row < WM_RUN_SETTINGS; row++)
            if (wm_random_below(&random, 3) != 0)
                set_randomly(&settings, row, &random, false);
        assert_round_trip(&settings);
        wm_run_settings_release(&settings);
    }
}

// What its variable says, by hand: the text of each kind as docs/cuda.md has it.
static void say(struct wm_run_settings *settings, size_t row, struct wm_text *value)
{
    const void *field = field_of(settings, row);
    const struct wm_run_list *list = field;
    unsigned word = rows[row].kind == WORD ? *(const unsigned *)field : 0;
    const char *at = rows[row].expected;
    switch (rows[row].kind) {
    case TEXT: wm_text_add(value, *(const char *const *)field); break;
    case LIST:
        for (uint32_t i = 0; i < list->count; i++)
            wm_text_format(value, "%s\n", list->items[i]);
        break;
    case FLAG: wm_text_add(value, *(const bool *)field ? "1" : "0"); break;
    case NUMBER: wm_text_format(value, "%llu", (unsigned long long)*(const uint64_t *)field); break;
    case WORD:
        for (; word > 0; word--)
            at = strchr(at, ',') + 2;
        wm_text_append(value, at, strcspn(at, ","));
        break;
    }
}

Test(run_settings, variables_have_them_too)
{
    struct wm_random random;
    wm_random_init(&random, 3, "variables");
    for (size_t row = 0; row < WM_RUN_SETTINGS; row++) {
        struct wm_run_settings settings, read;
        struct wm_text value;
        wm_text_init(&value);
        wm_run_settings_init(&settings);
        wm_run_settings_init(&read);
        set_randomly(&settings, row, &random, true);
        say(&settings, row, &value);
        cr_assert_str_eq(wm_run_setting_variable((enum wm_run_setting)row), rows[row].name);
        setenv(rows[row].name, value.data, 1);
        cr_assert_eq(wm_run_settings_read_environment(&read, NULL), WM_OK, "%s", rows[row].name);
        unsetenv(rows[row].name);
        assert_same(&settings, &read);
        wm_run_settings_release(&settings);
        wm_run_settings_release(&read);
        wm_text_release(&value);
    }
}

Test(run_settings, a_variable_counts_more_than_the_object)
{
    struct wm_run_settings settings;
    wm_run_settings_init(&settings);
    setenv("WARPMEM_SETTINGS", "MACHINE=gtx480\nSET=a=1\nSET=b=2\nMEMORY=0\nENGINE=clock\n", 1);
    setenv("WARPMEM_SET", "c=3\n\nd=4", 1);
    setenv("WARPMEM_MEMORY", "1", 1);
    setenv("WARPMEM_MACHINE", "", 1);
    cr_assert_eq(wm_run_settings_read_environment(&settings, NULL), WM_OK);
    cr_assert_str_eq(settings.machine, "gtx480", "an empty variable is as none");
    cr_assert(settings.memory);
    cr_assert_eq(settings.engine, WM_RUN_BY_CLOCK);
    cr_assert_eq(settings.set.count, 2);
    cr_assert_str_eq(settings.set.items[0], "c=3");
    cr_assert_str_eq(settings.set.items[1], "d=4");
    wm_run_settings_release(&settings);
}

Test(run_settings, what_does_not_hold_is_not_written)
{
    struct wm_run_settings settings;
    struct wm_text object;
    wm_text_init(&object);
    wm_run_settings_init(&settings);
    wm_run_settings_write(&settings, &object);
    cr_assert_eq(object.length, 0);
    settings.memory = false;
    settings.json = "a\\b\nc";
    settings.columns = 0;
    wm_run_settings_write(&settings, &object);
    cr_assert_str_eq(object.data, "MEMORY=0\nJSON=a\\\\b\\nc\nCOLUMNS=0\n");
    wm_text_release(&object);
    wm_run_settings_release(&settings);
}

static void assert_refused(bool object, const char *name, const char *value, const char *place,
                           const char *message)
{
    struct wm_run_settings settings;
    struct wm_error error;
    wm_error_clear(&error);
    wm_run_settings_init(&settings);
    setenv(name, value, 1);
    cr_assert_eq(wm_run_settings_read_environment(&settings, &error), WM_INVALID, "%s", value);
    unsetenv(name);
    cr_assert_str_eq(error.place, place);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(strstr(error.hint, "WARPMEM_CUDA_LIBRARIES") != NULL, object);
    wm_run_settings_release(&settings);
}

Test(run_settings, what_cannot_be_read_has_its_place)
{
    assert_refused(false, "WARPMEM_ENGINE", "watch", "WARPMEM_ENGINE",
                   "\"watch\" is neither walk nor clock");
    assert_refused(false, "WARPMEM_ENGINE", "cloc", "WARPMEM_ENGINE",
                   "\"cloc\" is neither walk nor clock");
    assert_refused(false, "WARPMEM_MEASURE", "both", "WARPMEM_MEASURE",
                   "\"both\" is none of walk, clock, none");
    assert_refused(false, "WARPMEM_MEMORY", "yes", "WARPMEM_MEMORY", "\"yes\" is neither 0 nor 1");
    assert_refused(false, "WARPMEM_SAMPLE", "-1", "WARPMEM_SAMPLE",
                   "\"-1\" is no number of cycles");
    assert_refused(false, "WARPMEM_LIMIT_TIME", "18446744073709551616", "WARPMEM_LIMIT_TIME",
                   "\"18446744073709551616\" is no whole number");
    assert_refused(true, "WARPMEM_SETTINGS", "MACHINE=v100\nCOLOUR=red", "WARPMEM_SETTINGS, COLOUR",
                   "\"COLOUR\" is no setting of a run");
    assert_refused(true, "WARPMEM_SETTINGS", "MACHINE", "WARPMEM_SETTINGS, MACHINE",
                   "\"MACHINE\" is no setting of a run");
    assert_refused(true, "WARPMEM_SETTINGS", "MEMORY=2\n", "WARPMEM_SETTINGS, MEMORY",
                   "\"2\" is neither 0 nor 1");
    assert_refused(true, "WARPMEM_SETTINGS", "MEMORY=\n", "WARPMEM_SETTINGS, MEMORY",
                   "\"\" is neither 0 nor 1");
}
