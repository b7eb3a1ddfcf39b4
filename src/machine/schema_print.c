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

static void print_group(const char *path, const char *sentence, bool markdown, struct wm_text *text)
{
    bool any = false;
    for (size_t i = 0; i < wm_machine_key_count; i++) {
        const struct wm_machine_key *key = &wm_machine_keys[i];
        if (!wm_machine_path_is_in(key->path, path))
            continue;
        if (!any && markdown)
            wm_text_format(text,
                           "### %s%s%s\n\n%s\n\n| key | type | legal | default | meaning |\n"
                           "|---|---|---|---|---|\n",
                           path[0] ? "`" : "", path[0] ? path : "Top level", path[0] ? "`" : "",
                           sentence);
        any = true;
        if (markdown)
            print_markdown_row(key, text);
        else
            print_row(key, text);
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
static bool is_first_with_words(const struct wm_machine_key *key)
{
    for (const struct wm_machine_key *other = wm_machine_keys; other < key; other++)
        if ((key->choices && other->choices == key->choices) ||
            (key->kind && other->kind == key->kind))
            return false;
    return key->choices || key->kind;
}

void wm_machine_schema_print(bool markdown, struct wm_text *text)
{
    print_group("", "What stands outside every group.", markdown, text);
    for (size_t i = 0; i < wm_machine_group_count; i++)
        print_group(wm_machine_groups[i].path, wm_machine_groups[i].sentence, markdown, text);
    for (size_t i = 0; i < wm_machine_key_count; i++) {
        const struct wm_machine_key *key = &wm_machine_keys[i];
        if (!is_first_with_words(key))
            continue;
        size_t word = 0;
        for (; key->choices && key->choices[word].name; word++)
            print_words(key->path, word, key->choices[word].name, key->choices[word].sentence,
                        markdown, text);
        for (const void *entry; key->kind && (entry = key->kind->at(word)) != NULL; word++)
            print_words(key->path, word, key->kind->name(entry), key->kind->sentence(entry),
                        markdown, text);
        if (word)
            wm_text_add(text, "\n");
    }
}
