#include "machine/machine.h"
#include "machine/schema.h"

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

static void print_keys_of(const char *parent, const struct wm_machine *machine,
                          struct wm_text *text)
{
    for (size_t i = 0; i < wm_machine_key_count; i++)
        if (wm_machine_path_is_in(wm_machine_keys[i].path, parent))
            print_key(&wm_machine_keys[i], machine, text);
}

void wm_machine_print(const struct wm_machine *machine, struct wm_text *text)
{
    wm_text_format(text, "# The effective description of %s: every key with its value.\n",
                   machine->name);
    print_keys_of("", machine, text);
    for (size_t i = 0; i < wm_machine_group_count; i++) {
        const struct wm_machine_group *group = &wm_machine_groups[i];
        wm_text_format(text, "\n%*s# %s\n", (int)(depth_of(group->path) * INDENT), "",
                       group->sentence);
        wm_text_format(text, "%*s%s:\n", (int)(depth_of(group->path) * INDENT), "",
                       wm_machine_key_name(group->path));
        print_keys_of(group->path, machine, text);
    }
}
