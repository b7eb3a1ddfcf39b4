// The table checks itself: what one entry says must hold together.
#include "machine/schema.h"
#include "sm/block_dispatch/block_dispatch.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <criterion/criterion.h>

// Those of a machine with a level of its own in every place, numbered as they are.
static const struct wm_machine *machine_of_all_keys(void)
{
    static const struct wm_machine machine = {
        .memory.levels = {[WM_LEVELS_NAMED] = {.name = "a", .place = WM_PLACE_GPU},
                          [WM_LEVELS_NAMED + 1] = {.name = "l1", .place = WM_PLACE_CPU},
                          [WM_LEVELS_NAMED + 2] = {.name = "llc", .place = WM_PLACE_MACHINE}}};
    return &machine;
}

static const struct wm_machine_key *all_keys(size_t *count)
{
    static struct wm_machine_key keys[WM_MACHINE_KEY_NUMBERS];
    *count = 0;
    for (uint32_t number = 0; number < WM_MACHINE_KEY_NUMBERS; number++)
        *count += wm_machine_key_at(machine_of_all_keys(), number, &keys[*count]);
    return keys;
}

#define EACH_KEY(key)                                                  \
    size_t key##_count;                                                \
    const struct wm_machine_key *key##_first = all_keys(&key##_count); \
    for (const struct wm_machine_key *key = key##_first; key < key##_first + key##_count; key++)

static char *take(struct wm_text *text)
{
    char *string = wm_text_take(text);
    cr_assert_not_null(string);
    return string;
}

Test(schema, every_key_lies_in_a_group_of_the_table)
{
    EACH_KEY(key)
    {
        char parent[64];
        const char *dot = strrchr(key->path, '.');
        if (!dot)
            continue;
        snprintf(parent, sizeof parent, "%.*s", (int)(dot - key->path), key->path);
        cr_assert_lt(wm_machine_group_of(machine_of_all_keys(), parent), WM_MACHINE_GROUP_NUMBERS,
                     "%s has no group", key->path);
        cr_assert(wm_machine_path_is_in(key->path, parent));
        cr_assert_not(wm_machine_path_is_in(key->path, ""));
    }
    struct wm_machine_group group;
    struct wm_machine_key key;
    for (uint32_t number = 0; number < WM_MACHINE_GROUP_NUMBERS; number++)
        if (wm_machine_group_at(machine_of_all_keys(), number, &group)) {
            cr_assert_not(wm_machine_key_of(machine_of_all_keys(), group.path, &key),
                          "%s is a key and a group", group.path);
            cr_assert_eq(wm_machine_group_of(machine_of_all_keys(), group.path), number);
        }
}

Test(schema, paths_are_unique_and_found)
{
    struct wm_machine_key found;
    EACH_KEY(key)
    {
        cr_assert(wm_machine_key_of(machine_of_all_keys(), key->path, &found), "%s", key->path);
        cr_assert_eq(found.number, key->number, "%s", key->path);
        cr_assert_eq(found.offset, key->offset, "%s", key->path);
    }
    cr_assert_not(wm_machine_key_of(machine_of_all_keys(), "gpu.b.size", &found));
    cr_assert_not(wm_machine_key_of(machine_of_all_keys(), "llc.sms_each", &found));
    cr_assert_null(wm_machine_key_find("gpu.l1"));
    cr_assert_null(wm_machine_key_find("gpu.l1.siz"));
    cr_assert_null(wm_machine_key_find(""));
}

// What was called otherwise before is read all the same, and is the same field.
Test(schema, older_names_are_names_of_keys)
{
    static const char *const levels[] = {"l1", "constant", "texture", "scalar", "instruction"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        char older[64], newer[64];
        snprintf(older, sizeof older, "gpu.%s.sms_each", levels[i]);
        snprintf(newer, sizeof newer, "gpu.%s.per", levels[i]);
        const struct wm_machine_key *key = wm_machine_key_find(older);
        cr_assert_not_null(key, "%s", older);
        cr_assert_eq(key->offset, wm_machine_key_find(newer)->offset);
        cr_assert_eq(key->number, wm_machine_key_find(newer)->number);
        EACH_KEY(listed)
        {
            cr_assert_str_neq(listed->path, older);
        }
    }
}

Test(schema, sentences_are_sentences)
{
    EACH_KEY(key)
    {
        size_t length = strlen(key->sentence);
        cr_assert(length > 3 && key->sentence[length - 1] != '.', "%s", key->path);
        cr_assert_null(strchr(key->sentence, '\n'));
        cr_assert_null(strchr(key->sentence, '|'), "%s breaks the table of the documentation",
                       key->path);
    }
}

Test(schema, fields_do_not_overlap)
{
    EACH_KEY(a)
    {
        cr_assert(a->offset + a->bytes <= sizeof(struct wm_machine));
        EACH_KEY(b)
        {
            if (a != b)
                cr_assert(a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset,
                          "%s and %s share a field", a->path, b->path);
        }
    }
}

Test(schema, ranges_fit_the_fields)
{
    EACH_KEY(key)
    {
        if (key->type != WM_KEY_QUANTITY)
            continue;
        cr_assert(key->bytes == 4 || key->bytes == 8, "%s", key->path);
        cr_assert(key->minimum < key->maximum, "%s", key->path);
        cr_assert(key->bytes == 8 || key->maximum <= UINT32_MAX, "%s", key->path);
    }
}

// The default is parsed by the same checks, and both ends of a range are legal while one step
// further is not.
Test(schema, defaults_and_ends_of_ranges_are_legal)
{
    struct wm_machine machine = *machine_of_all_keys();
    struct wm_error error;
    EACH_KEY(key)
    {
        if (key->fallback)
            cr_assert_eq(wm_machine_key_parse(key, key->fallback, &machine, &error), WM_OK, "%s",
                         error.message);
        if (key->type != WM_KEY_QUANTITY)
            continue;
        const struct {
            uint64_t value;
            bool legal;
        } cases[] = {
            {key->minimum, true},
            {key->maximum, true},
            {key->maximum + 1, false},
            {key->minimum - 1, false}, // wraps to the largest number below 0
        };
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            char text[64];
            wm_units_print(cases[i].value, key->quantity, text, sizeof text);
            if (cases[i].value == UINT64_MAX)
                continue;
            enum wm_status status = wm_machine_key_parse(key, text, &machine, &error);
            cr_assert_eq(status == WM_OK, cases[i].legal, "%s: %s", key->path, text);
        }
    }
}

Test(schema, every_word_parses_and_prints_back)
{
    struct wm_machine machine = {0};
    struct wm_error error;
    EACH_KEY(key)
    {
        for (size_t i = 0;; i++) {
            const char *name = NULL;
            if (key->type == WM_KEY_CHOICE)
                name = key->choices[i].name;
            else if (key->type == WM_KEY_ENTRY && key->kind->at(i))
                name = key->kind->name(key->kind->at(i));
            if (!name)
                break;
            struct wm_text text;
            wm_text_init(&text);
            cr_assert_eq(wm_machine_key_parse(key, name, &machine, &error), WM_OK);
            wm_machine_key_print(key, &machine, &text);
            char *printed = take(&text);
            cr_assert_str_eq(printed, name);
            free(printed);
        }
    }
}

// What of levels is said: read and printed.
static const struct {
    const char *path, *text, *printed; // NULL: as it was written
} standings[] = {
    {"gpu.l1.per", "sm", NULL},        {"gpu.l1.per", "1 sm", "sm"},
    {"gpu.l1.per", "16sm", "16 sm"},   {"gpu.l1.per", "1024 sm", NULL},
    {"gpu.l1.per", "all", NULL},       {"gpu.l2.per", "8 sm", NULL},
    {"cpu.l1.per", "2 core", NULL},    {"llc.per", "all", NULL},
    {"gpu.l1.below", "a", NULL},       {"gpu.l1.below", "l2", NULL},
    {"gpu.l1.below", "memory", NULL},  {"gpu.l1.below", "/llc", NULL},
    {"gpu.l1.below", "llc", "/llc"},   {"gpu.a.below", "memory", NULL},
    {"gpu.a.below", "l2", NULL},       {"llc.below", "memory", NULL},
    {"gpu.l1.serves", "[data]", NULL}, {"gpu.l1.serves", "[ uniform ,data]", "[data, uniform]"},
    {"gpu.a.serves", "[]", NULL},      {"cpu.l1.serves", "[instructions]", NULL},
};

Test(schema, where_a_level_stands_is_read_and_printed)
{
    for (size_t i = 0; i < sizeof standings / sizeof standings[0]; i++) {
        struct wm_machine machine = *machine_of_all_keys();
        struct wm_machine_key key;
        struct wm_error error;
        struct wm_text text;
        wm_text_init(&text);
        cr_assert(wm_machine_key_of(&machine, standings[i].path, &key));
        cr_assert_eq(wm_machine_key_parse(&key, standings[i].text, &machine, &error), WM_OK, "%s",
                     error.message);
        wm_machine_key_print(&key, &machine, &text);
        char *printed = take(&text);
        cr_expect_str_eq(printed, standings[i].printed ? standings[i].printed : standings[i].text);
        free(printed);
    }
}

static const struct {
    const char *path, *text;
} rejected[] = {
    {"gpu.l1.per", "8"},
    {"gpu.l1.per", "0 sm"},
    {"gpu.l1.per", "1025 sm"},
    {"gpu.l1.per", "99999999999999999999 sm"},
    {"gpu.l1.per", "2 core"},
    {"gpu.l1.per", "core"},
    {"gpu.l1.per", " sm"},
    {"gpu.l1.per", "8 sm "},
    {"gpu.l1.per", ""},
    {"gpu.l2.per", "-1 sm"},
    {"cpu.l1.per", "sm"},
    {"llc.per", "sm"},
    {"llc.per", "2 core"},
    {"gpu.l1.below", ""},
    {"gpu.l1.below", "/"},
    {"gpu.l1.below", "/l2"},
    {"gpu.l1.below", "//llc"},
    {"gpu.l1.below", "l3"},
    {"gpu.l1.below", "gpu.a"},
    {"llc.below", "l2"},
    {"llc.below", "a"},
    {"cpu.l1.below", "a"},
    {"gpu.l1.serves", "data"},
    {"gpu.l1.serves", "[data"},
    {"gpu.l1.serves", "[data, data]"},
    {"gpu.l1.serves", "[atomics]"},
    {"gpu.l1.serves", "[data uniform]"},
    {"gpu.l1.serves", "[data,, uniform]"},
    {"gpu.l1.serves", "[]"},
    {"device.compute_capability", "7"},
    {"device.compute_capability", "7."},
    {"device.compute_capability", ".7"},
    {"device.compute_capability", "7.10"},
    {"device.compute_capability", "100.0"},
    {"device.compute_capability", "7.0 "},
    {"device.compute_capability", "7.0.0"},
    {"gpu.l1.present", "True"},
    {"gpu.l1.present", "1"},
    {"gpu.l1.present", ""},
    {"gpu.l1.write", "Back"},
    {"gpu.l1.write", "back "},
    {"gpu.l1.replacement", ""},
    {"name", ""},
    {"name", "-v"},
    {"name", "a/b"},
    {"name", "a\nb"},
    {"device.title", ""},
    {"device.title", "a\tb"},
    {"gpu.sm.count", "0x10"},
    {"device.title", "\xff"},
    {"device.title", "a\xc3"},
    {"device.title", "\xc0\xa0"},
    {"device.title", "\xc2\x85"},
    {"device.title", "\xe2\x80\xa8"},
    {"device.title", "\xef\xbb\xbf"},
    {"device.title", "\xed\xa0\x80"},
    {"device.title", "\xf4\x90\x80\x80"},
    {"gpu.sm.count", "4294967297"},
    {"gpu.sm.count", "80 SMs"},
    {"gpu.l1.size", "0"},
    {"gpu.l1.line", "0"},
    {"gpu.l1.line", "2KiB"},
    {"gpu.dram.bandwidth", "900"},
};

Test(schema, wrong_values_are_refused_with_a_hint)
{
    for (size_t i = 0; i < sizeof rejected / sizeof rejected[0]; i++) {
        struct wm_machine machine = *machine_of_all_keys();
        struct wm_error error;
        struct wm_machine_key key;
        cr_assert(wm_machine_key_of(&machine, rejected[i].path, &key));
        wm_error_clear(&error);
        cr_assert_eq(wm_machine_key_parse(&key, rejected[i].text, &machine, &error), WM_INVALID,
                     "%s: \"%s\" is taken", rejected[i].path, rejected[i].text);
        cr_assert(error.hint[0], "%s: no hint", error.message);
        cr_assert_eq(strncmp(error.message, key.path, strlen(key.path)), 0, "%s", error.message);
    }
}
