#include "machine/machine.h"
#include "machine/schema.h"

#include <string.h>

enum { INDENT = 2, COMMENT_COLUMN = 40 };

static unsigned depth_of(const char *path)
{
    unsigned depth = 0;
    for (; *path; path++)
        depth += *path == '.';
    return depth;
}

static void print_key(const struct wm_machine_key *key, const struct wm_machine *machine,
                      struct wm_text *text)
{
    size_t begin = text->length;
    wm_text_format(text, "%*s%s: ", (int)(depth_of(key->path) * INDENT), "",
                   wm_machine_key_name(key->path));
    wm_machine_key_print(key, machine, text);
    size_t used = text->length - begin;
    int blanks = used + 1 < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - used) : 1;
    wm_text_format(text, "%*s# %s\n", blanks, "", key->sentence);
}

// A number that a level which is not there was not given.
static bool is_left_out(const struct wm_machine_key *key, const struct wm_machine *machine)
{
    uint64_t value = 0;
    if (key->type != WM_KEY_QUANTITY || key->fallback)
        return false;
    memcpy(&value, (const char *)machine + key->offset, key->bytes);
    return value == 0 && key->minimum > 0;
}

static void print_keys_of(uint32_t group, const char *parent, const struct wm_machine *machine,
                          struct wm_text *text)
{
    struct wm_machine_key key;
    uint32_t number, end;
    for (wm_machine_keys_of_group(group, &number, &end); number < end; number++)
        if (wm_machine_key_at(machine, number, &key) && wm_machine_path_is_in(key.path, parent) &&
            !is_left_out(&key, machine))
            print_key(&key, machine, text);
}

static bool is_default(const struct wm_machine_key *key, const struct wm_machine *machine)
{
    struct wm_machine other = *machine;
    struct wm_error error;
    return wm_machine_key_parse(key, key->fallback, &other, &error) == WM_OK &&
           memcmp(&other, machine, sizeof other) == 0;
}

// Cores, what a file says of cores, or a level of theirs: where all of these go, others that are
// read again have other numbers.
static bool has_cpu(const struct wm_machine *machine)
{
    const struct wm_level_spec *levels = machine->memory.levels;
    struct wm_machine_key key;
    uint32_t number, end;
    bool has = false;
    for (uint32_t i = WM_LEVELS_NAMED; i < WM_MOST_LEVELS; i++)
        has = has || (levels[i].name[0] != '\0' && levels[i].place == WM_PLACE_CPU);
    wm_machine_keys_of_group(wm_machine_group_of(machine, "cpu.core"), &number, &end);
    for (; number < end; number++)
        has = has || (wm_machine_key_at(machine, number, &key) &&
                      wm_machine_path_is_in(key.path, "cpu.core") && !is_default(&key, machine));
    return has;
}

// Recurses as deep as groups nest.
static void print_groups_of(const char *parent, const struct wm_machine *machine,
                            struct wm_text *text)
{
    struct wm_machine_group group;
    for (uint32_t number = 0; number < WM_MACHINE_GROUP_NUMBERS; number++) {
        if (!wm_machine_group_at(machine, number, &group) ||
            !wm_machine_path_is_in(group.path, parent))
            continue;
        if (!has_cpu(machine) && strcmp(group.path, "cpu") == 0)
            continue;
        int indent = (int)(depth_of(group.path) * INDENT);
        wm_text_format(text, "\n%*s# %s\n", indent, "", group.sentence);
        wm_text_format(text, "%*s%s:\n", indent, "", wm_machine_key_name(group.path));
        print_keys_of(number, group.path, machine, text);
        print_groups_of(group.path, machine, text);
    }
}

void wm_machine_print(const struct wm_machine *machine, struct wm_text *text)
{
    wm_text_format(text, "# The effective description of %s: every key with its value.\n",
                   machine->name);
    print_keys_of(0, "", machine, text);
    print_groups_of("", machine, text);
}
