// What is printed loads back to the same machine: shown on the presets and on random ones that the
// schema allows.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "machine/machine.h"
#include "machine/preset.h"
#include "machine/schema.h"
#include "mem/system/memory_spec_check.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

static void check_round_trip(const struct wm_machine *machine)
{
    struct wm_text first, second;
    struct wm_machine again;
    struct wm_error error;
    wm_text_init(&first);
    wm_text_init(&second);
    wm_machine_print(machine, &first);
    cr_assert_eq(wm_machine_read(first.data, first.length, "printed", NULL, 0, &again, &error),
                 WM_OK, "%s: %s\n%s", error.place, error.message, first.data);
    cr_assert_eq(memcmp(machine, &again, sizeof again), 0, "%s", first.data);
    wm_machine_print(&again, &second);
    cr_assert_str_eq(first.data, second.data);
    wm_text_release(&first);
    wm_text_release(&second);
}

Test(round_trip, presets)
{
    struct wm_arena arena;
    const char *const *names;
    size_t count;
    wm_arena_init(&arena);
    cr_assert_eq(wm_preset_names(&arena, &names, &count, NULL), WM_OK);
    cr_assert(count > 0);
    for (size_t i = 0; i < count; i++) {
        struct wm_machine machine;
        cr_assert_eq(wm_machine_load(names[i], NULL, 0, &machine, NULL), WM_OK);
        check_round_trip(&machine);
    }
    wm_arena_release(&arena);
}

Test(round_trip, examples)
{
    char pattern[4096];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/examples/*.yaml", getenv("WARPMEM_MACHINES"));
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct wm_machine machine;
        cr_assert_eq(wm_machine_load(found.gl_pathv[i], NULL, 0, &machine, NULL), WM_OK);
        check_round_trip(&machine);
    }
    globfree(&found);
}

// A random legal text for one key, at whichever precision.
static void random_value(const struct wm_machine_key *key, struct wm_random *random, char text[128])
{
    static const char *const printable[] = {
        "a", "Z", " ", "0", "\"", "\\",     "'",      "#",          ":",  "{",
        "}", "[", "]", ",", "&",  "*",      "!",      "|",          ">",  "%",
        "@", "`", "-", "?", "~",  "\u00e9", "\u20ac", "\U0001f600", ": ", " #"};
    uint64_t span = key->maximum - key->minimum, value = key->minimum;
    size_t count = 0;
    switch (key->type) {
    case WM_KEY_NAME: snprintf(text, 128, "m%u", (unsigned)wm_random_below(random, 1000)); return;
    case WM_KEY_SELECTORS:
        for (uint64_t parts = 1 + wm_random_below(random, 5); parts; parts--)
            count += (size_t)snprintf(text + count, 128 - count, "%sk%u:%s%u", count ? ", " : "",
                                      (unsigned)wm_random_below(random, 100),
                                      wm_random_below(random, 2) ? "pc" : "line",
                                      (unsigned)wm_random_below(random, 10000));
        return;
    case WM_KEY_TEXT:
        text[0] = '\0';
        for (uint64_t parts = 1 + wm_random_below(random, 24); parts && count < 60; parts--)
            count += (size_t)snprintf(
                text + count, 128 - count, "%s",
                printable[wm_random_below(random, sizeof printable / sizeof printable[0])]);
        return;
    case WM_KEY_QUANTITY:
        if (key->power_of_two)
            while (value < key->maximum && wm_random_below(random, 3))
                value *= 2;
        else
            value += wm_random_below(random, span + 1) >> wm_random_below(random, 60);
        wm_units_print(value, key->quantity, text, 128);
        return;
    case WM_KEY_SWITCH:
        snprintf(text, 128, "%s", wm_random_below(random, 2) ? "true" : "false");
        return;
    case WM_KEY_CHOICE:
        while (key->choices[count].name)
            count++;
        snprintf(text, 128, "%s", key->choices[wm_random_below(random, count)].name);
        return;
    case WM_KEY_ENTRY:
        while (key->kind->at(count))
            count++;
        snprintf(text, 128, "%s", key->kind->name(key->kind->at(wm_random_below(random, count))));
        return;
    case WM_KEY_LIST:
        count = (size_t)snprintf(text, 128, "[");
        for (uint64_t parts = wm_random_below(random, 5); parts; parts--) {
            value += 1 + wm_random_below(random, 64);
            count +=
                (size_t)snprintf(text + count, 128 - count, "%lluKiB, ", (unsigned long long)value);
        }
        snprintf(text + count, 128 - count, "]");
        return;
    case WM_KEY_ROWS:
        if (wm_random_below(random, 2))
            snprintf(text, 128,
                     "[l2 32B read 1.%upJ write 2pJ leakage %uuW, "
                     "l2 4GiB read 9pJ write 1nJ area %uum2, interconnect byte_mm 0.%upJ]",
                     (unsigned)wm_random_below(random, 1000), (unsigned)wm_random_below(random, 99),
                     (unsigned)wm_random_below(random, 99),
                     1 + (unsigned)wm_random_below(random, 999));
        else
            snprintf(text, 128, "none");
        return;
    case WM_KEY_PER: {
        const char *unit = strncmp(key->path, "cpu", 3) == 0 ? "core" : "sm";
        if (wm_random_below(random, 3))
            snprintf(text, 128, "%u %s", 1U << wm_random_below(random, 5), unit);
        else
            snprintf(text, 128, "%s", wm_random_below(random, 2) ? "all" : unit);
        return;
    }
    case WM_KEY_BELOW: {
        static const char *const levels[] = {"l1", "l2", "l3", "cluster", "/llc", "llc", "memory"};
        snprintf(text, 128, "%s",
                 levels[wm_random_below(random, sizeof levels / sizeof levels[0])]);
        return;
    }
    case WM_KEY_SERVES: {
        static const char *const lists[] = {"[data]", "[uniform, constant]", "[read-only]",
                                            "[instructions]", "[]"};
        snprintf(text, 128, "%s", lists[wm_random_below(random, sizeof lists / sizeof lists[0])]);
        return;
    }
    case WM_KEY_VERSION:
        snprintf(text, 128, "%u.%u", 1 + (unsigned)wm_random_below(random, 99),
                 (unsigned)wm_random_below(random, 10));
        return;
    }
}

// A machine with levels of its own in every place, at first out of everything's way.
static const char levels_of_its_own[] =
    "gpu:\n"
    "  cluster: {per: 8 sm, present: false, size: 256KiB, ways: 8, below: l2}\n"
    "  l3: {slices: 8, below: /llc, present: false, size: 8MiB, ways: 16}\n"
    "cpu:\n"
    "  core: {count: 4}\n"
    "  l2: {per: core, below: /llc, size: 256KiB, ways: 8}\n"
    "  l1: {per: core, below: l2, size: 32KiB, ways: 8, line: 64B, sector: 64B}\n"
    "  l1i: {per: core, below: l2, serves: [instructions], size: 32KiB, ways: 8}\n"
    "llc: {below: memory, slices: 4, size: 8MiB, ways: 16}\n";

static void load_with_levels(struct wm_machine *machine)
{
    struct wm_text text;
    struct wm_error error;
    cr_assert_eq(wm_machine_load("v100", NULL, 0, machine, NULL), WM_OK);
    wm_text_init(&text);
    wm_machine_print(machine, &text);
    char *gpu = strstr(text.data, "\ngpu:\n");
    cr_assert_not_null(gpu);
    struct wm_text whole;
    wm_text_init(&whole);
    wm_text_format(&whole, "%.*s\n%s", (int)(gpu - text.data), text.data, levels_of_its_own);
    const char *rest = gpu + strlen("\ngpu:\n"), *cpu = strstr(whole.data, "\ncpu:\n");
    char *begin = strndup(whole.data, (size_t)(cpu - whole.data) + 1), *end = strdup(cpu);
    whole.length = 0;
    wm_text_format(&whole, "%s%s%s", begin, rest, end);
    free(begin);
    free(end);
    cr_assert_eq(wm_machine_read(whole.data, whole.length, "levels", NULL, 0, machine, &error),
                 WM_OK, "%s: %s", error.place, error.message);
    wm_text_release(&text);
    wm_text_release(&whole);
}

Test(round_trip, levels_of_a_machines_own)
{
    struct wm_machine machine;
    load_with_levels(&machine);
    check_round_trip(&machine);
    // In the order of places, whatever the order in the file.
    static const char *const names[] = {"cluster", "l3", "l2", "l1", "l1i", "llc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect_str_eq(machine.memory.levels[WM_LEVELS_NAMED + i].name, names[i]);
    const struct wm_level_spec *levels = machine.memory.levels;
    cr_expect_eq(levels[WM_LEVELS_NAMED].units_each, 8);
    cr_expect_eq(levels[WM_LEVELS_NAMED].unit_count, 80);
    cr_expect_eq(wm_level_below_said(&machine.memory, WM_LEVELS_NAMED), WM_LEVEL_L2);
    cr_expect_eq(wm_level_below(&machine.memory, WM_LEVELS_NAMED + 1), WM_LEVELS_NAMED + 5);
    cr_expect_eq(levels[WM_LEVELS_NAMED + 2].first_unit, 80);
    cr_expect_eq(levels[WM_LEVELS_NAMED + 2].unit_count, 4);
    cr_expect_eq(wm_level_serves(&machine.memory, WM_LEVELS_NAMED + 3), WM_SERVES_DATA);
    cr_expect_eq(wm_level_first(&machine.memory, 81, WM_SERVES_INSTRUCTIONS), WM_LEVELS_NAMED + 4);
    cr_expect_eq(wm_level_first(&machine.memory, 79, WM_SERVES_DATA), WM_LEVEL_L1);
}

// One of all keys that the machine has.
static void random_key(const struct wm_machine *machine, struct wm_random *random,
                       struct wm_machine_key *key)
{
    while (
        !wm_machine_key_at(machine, (uint32_t)wm_random_below(random, WM_MACHINE_KEY_NUMBERS), key))
        continue;
}

// Random single changes of a preset, kept while they are legal, so that the walk leaves the preset
// far behind and still only visits machines that can be.
static void walk_from(struct wm_machine machine, const char *seed)
{
    struct wm_random random;
    wm_random_init(&random, 1, seed);
    unsigned kept = 0, refused = 0;
    for (unsigned step = 0; step < TEST_ROUNDS(4000); step++) {
        struct wm_machine_key key;
        random_key(&machine, &random, &key);
        char value[128], setting[256];
        random_value(&key, &random, value);
        snprintf(setting, sizeof setting, "%s=%s", key.path, value);
        struct wm_text text;
        wm_text_init(&text);
        wm_machine_print(&machine, &text);
        struct wm_machine next;
        struct wm_error error;
        const char *const settings[] = {setting};
        if (wm_machine_read(text.data, text.length, "printed", settings, 1, &next, &error) ==
            WM_OK) {
            machine = next;
            kept++;
            // What the schema lets through, the memory system can be built from.
            cr_assert_eq(wm_memory_spec_check(&machine.memory, &error), WM_OK, "%s", error.message);
            check_round_trip(&machine);
        } else {
            refused++;
            cr_assert(error.message[0] && error.hint[0], "%s: %s", setting, error.message);
            // By its keys, not by the fields that they fill.
            cr_assert(!strstr(error.message, "_bytes") && !strstr(error.hint, "_bytes"), "%s: %s",
                      error.message, error.hint);
            // Of two keys that contradict each other the one at fault may be the file's.
            cr_assert(strncmp(error.place, "--set ", 6) == 0 ||
                          strncmp(error.place, "printed:", 8) == 0,
                      "%s: %s: %s", setting, error.place, error.message);
        }
        wm_text_release(&text);
    }
    cr_assert(kept > 1000 / TEST_SHARE && refused > 100 / TEST_SHARE, "%u kept, %u refused", kept,
              refused);
}

Test(round_trip, random_machines)
{
    struct wm_machine machine;
    cr_assert_eq(wm_machine_load("v100", NULL, 0, &machine, NULL), WM_OK);
    walk_from(machine, "test_machine_round_trip");
}

Test(round_trip, random_machines_with_levels_of_their_own)
{
    struct wm_machine machine;
    load_with_levels(&machine);
    walk_from(machine, "test_machine_round_trip levels");
}
