// The schema for people: as rows in a terminal, and as the tables of docs/machine-files.md.
#include "machine/schema.h"

static void print_row(const struct wm_machine_key *key, struct wm_text *text)
{
    wm_text_format(text, "%s\n    %s\n    ", key->path, key->sentence);
    wm_machine_key_type_text(key, text);
    wm_text_add(text, ": ");
    wm_machine_key_range_text(key, text);
    if (key->fallback)
        wm_text_format(text, "; default %s\n", key->fallback);
    else
        wm_text_add(text, "; required\n");
}

static void print_markdown_row(const struct wm_machine_key *key, struct wm_text *text)
{
    wm_text_format(text, "| `%s` | ", wm_machine_key_name(key->path));
    wm_machine_key_type_text(key, text);
    wm_text_add(text, " | ");
    wm_machine_key_range_text(key, text);
    wm_text_format(text, " | %s | %s |\n", key->fallback ? key->fallback : "required",
                   key->sentence);
}

// A machine with a level of its own, so that the keys of such levels are among its keys.
static const struct wm_machine *example(void)
{
    static const struct wm_machine machine = {.memory.levels[WM_LEVELS_NAMED] = {.name = "NAME"}};
    return &machine;
}

static void print_group(uint32_t index, const struct wm_machine_group *group, bool markdown,
                        struct wm_text *text)
{
    bool any = false;
    const char *quote = group->path[0] ? "`" : "";
    struct wm_machine_key key;
    uint32_t number, end;
    for (wm_machine_keys_of_group(index, &number, &end); number < end; number++) {
        if (!wm_machine_key_at(example(), number, &key) ||
            !wm_machine_path_is_in(key.path, group->path))
            continue;
        if (!any && markdown)
            wm_text_format(text,
                           "### %s%s%s\n\n%s\n\n| key | type | legal | default | meaning |\n"
                           "|---|---|---|---|---|\n",
                           quote, group->path[0] ? group->path : "Top level", quote,
                           group->sentence);
        any = true;
        if (markdown)
            print_markdown_row(&key, text);
        else
            print_row(&key, text);
    }
    if (any)
        wm_text_add(text, "\n");
}

static void print_words(const char *path, size_t index, const char *name, const char *sentence,
                        bool markdown, struct wm_text *text)
{
    if (index == 0)
        wm_text_format(text, markdown ? "### Words of `%s`\n\n" : "words of %s\n", path);
    wm_text_format(text, markdown ? "- `%s`: %s\n" : "    %s: %s\n", name, sentence);
}

// Words are printed once for keys that share their list.
static bool is_first_with_words(const struct wm_machine_key *keys, const struct wm_machine_key *key)
{
    for (const struct wm_machine_key *other = keys; other < key; other++)
        if ((key->choices && other->choices == key->choices) ||
            (key->kind && other->kind == key->kind))
            return false;
    return key->choices || key->kind;
}

static void print_words_of(const struct wm_machine_key *key, bool markdown, struct wm_text *text)
{
    size_t word = 0;
    for (; key->choices && key->choices[word].name; word++)
        print_words(key->path, word, key->choices[word].name, key->choices[word].sentence, markdown,
                    text);
    for (const void *entry; key->kind && (entry = key->kind->at(word)) != NULL; word++)
        print_words(key->path, word, key->kind->name(entry), key->kind->sentence(entry), markdown,
                    text);
    if (word)
        wm_text_add(text, "\n");
}

void wm_machine_schema_print(bool markdown, struct wm_text *text)
{
    struct wm_machine_group group = {.sentence = "What stands outside every group."};
    print_group(0, &group, markdown, text);
    for (uint32_t number = 0; number < WM_MACHINE_GROUP_NUMBERS; number++) {
        if (!wm_machine_group_at(example(), number, &group))
            continue;
        if (number >= WM_MACHINE_MAX_GROUPS)
            group.sentence = "A level of caches with a name of the file's own: in `gpu`, in `cpu`, "
                             "or outside of both (`NAME`).";
        print_group(number, &group, markdown, text);
    }
    size_t count;
    const struct wm_machine_key *keys = wm_machine_keys(&count);
    for (size_t i = 0; i < count; i++)
        if (is_first_with_words(keys, &keys[i]))
            print_words_of(&keys[i], markdown, text);
}
