// The values of arguments and operands, as completion offers them: what is known without reading
// files of the person's own or loading their plug-ins.
#include "bypass/program.h"
#include "cli/completion/completion.h"
#include "cli/options/engine_option.h"
#include "cli/parts/machine_text.h"
#include "machine/part_kinds.h"
#include "machine/preset.h"
#include "machine/row_table.h"
#include "machine/schema.h"

#include <string.h>

static void files(struct wm_text *text)
{
    wm_text_add(text, ":files\n");
}

// Behind the last plus of a machine's name.
static void variants(const char *before, const char *typed, struct wm_text *text)
{
    struct wm_arena arena;
    const char *const *names;
    size_t count = 0, stem = (size_t)(strrchr(typed, '+') - typed) + 1;
    wm_arena_init(&arena);
    if (wm_table_preset_names(WM_VARIANTS_FOLDER, &arena, &names, &count, NULL) == WM_OK)
        for (size_t i = 0; i < count; i++) {
            char word[256];
            snprintf(word, sizeof word, "%.*s%s", (int)stem, typed, names[i]);
            wm_complete_offer(before, typed, word, "a variant of the machine", text);
        }
    wm_arena_release(&arena);
}

static void machines(const char *before, const char *typed, struct wm_text *text)
{
    struct wm_arena arena;
    if (strchr(typed, '+') != NULL) {
        variants(before, typed, text);
        return;
    }
    const char *const *names;
    size_t count = 0;
    wm_arena_init(&arena);
    if (wm_preset_names(&arena, &names, &count, NULL) == WM_OK)
        for (size_t i = 0; i < count; i++)
            wm_complete_offer(before, typed, names[i], "a machine that comes with warpmem", text);
    wm_arena_release(&arena);
}

static void kinds(const char *before, const char *typed, struct wm_text *text)
{
    for (size_t i = 0; i < wm_part_kind_count; i++)
        wm_complete_offer(before, typed, wm_part_kinds[i].name, wm_part_kinds[i].sentence, text);
    wm_complete_offer(before, typed, WM_MACHINE_KIND, WM_MACHINE_KIND_SENTENCE, text);
    wm_complete_offer(before, typed, WM_VARIANT_KIND, WM_VARIANT_KIND_SENTENCE, text);
}

static void names(const char *before, const char *typed, struct wm_text *text)
{
    struct wm_entry_description facts;
    for (size_t kind = 0; kind < wm_part_kind_count; kind++)
        for (size_t i = 0; wm_part_kinds[kind].at(NULL, i, &facts); i++)
            wm_complete_offer(before, typed, facts.name, facts.sentence, text);
    machines(before, typed, text);
    size_t count;
    const struct wm_machine_key *known = wm_machine_keys(&count);
    for (size_t i = 0; i < count; i++)
        wm_complete_offer(before, typed, known[i].path, known[i].sentence, text);
}

static void tables_of(const struct wm_row_table_kind *kind, const char *before, const char *typed,
                      struct wm_text *text)
{
    struct wm_arena arena;
    const char *const *tables;
    size_t count = 0;
    wm_arena_init(&arena);
    if (wm_table_preset_names(kind->folder, &arena, &tables, &count, NULL) == WM_OK)
        for (size_t i = 0; i < count; i++)
            wm_complete_offer(before, typed, tables[i], "a table that comes with warpmem", text);
    wm_arena_release(&arena);
}

// What may stand behind "KEY=": the words of keys that take words.
static void values(const struct wm_machine_key *key, const char *before, const char *typed,
                   struct wm_text *text)
{
    if (key->type == WM_KEY_SWITCH) {
        wm_complete_offer(before, typed, "true", NULL, text);
        wm_complete_offer(before, typed, "false", NULL, text);
    }
    if (key->type == WM_KEY_ROWS) {
        wm_complete_offer(before, typed, "none", NULL, text);
        tables_of(key->rows, before, typed, text);
    }
    for (const struct wm_key_choice *choice = key->choices; choice && choice->name; choice++)
        wm_complete_offer(before, typed, choice->name, choice->sentence, text);
    const void *entry;
    for (size_t i = 0; key->kind && (entry = key->kind->at(i)) != NULL; i++)
        wm_complete_offer(before, typed, key->kind->name(entry), key->kind->sentence(entry), text);
}

static void settings(const char *before, const char *typed, struct wm_text *text)
{
    const char *equals = strchr(typed, '=');
    char path[96];
    if (!equals) {
        wm_text_add(text, ":nospace\n");
        size_t count;
        const struct wm_machine_key *known = wm_machine_keys(&count);
        for (size_t i = 0; i < count; i++) {
            snprintf(path, sizeof path, "%s=", known[i].path);
            wm_complete_offer(before, typed, path, known[i].sentence, text);
        }
        return;
    }
    snprintf(path, sizeof path, "%.*s", (int)(equals - typed), typed);
    const struct wm_machine_key *key = wm_machine_key_find(path);
    char whole[256]; // "--set=gpu.l1.size="
    int length = snprintf(whole, sizeof whole, "%s%s=", before, path);
    if (key && length > 0 && (size_t)length < sizeof whole)
        values(key, whole, equals + 1, text);
}

static void engines(const char *before, const char *typed, struct wm_text *text)
{
    const char *name, *sentence;
    for (size_t i = 0; (name = wm_engine_name(i, &sentence)) != NULL; i++)
        wm_complete_offer(before, typed, name, sentence, text);
}

static void solvers(const char *before, const char *typed, struct wm_text *text)
{
    static const char *const sentences[WM_BYPASS_SOLVERS] = {
        [WM_BYPASS_NONE_CACHED] = "all loads go around L1",
        [WM_BYPASS_ALL_CACHED] = "all loads use L1",
        [WM_BYPASS_HEURISTIC] = "the paper's Algorithm 1",
        [WM_BYPASS_EXACT] = "of all sets of loads the one that saves most"};
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++)
        wm_complete_offer(before, typed, wm_bypass_solver_names[i], sentences[i], text);
}

static void efficiencies(const char *before, const char *typed, struct wm_text *text)
{
    static const char *const sentences[WM_EFFICIENCY_SOURCES] = {
        [WM_EFFICIENCY_TABLE] = "the paper's Table II",
        [WM_EFFICIENCY_EXACT] = "addresses as the PTX computes them",
        [WM_EFFICIENCY_PROFILED] = "as the loads were executed"};
    for (int i = 0; i < WM_EFFICIENCY_SOURCES; i++)
        wm_complete_offer(before, typed, wm_efficiency_source_names[i], sentences[i], text);
}

static void measures(const char *before, const char *typed, struct wm_text *text)
{
    wm_complete_offer(before, typed, "walk", "by the bytes that move", text);
    wm_complete_offer(before, typed, "clock", "by cycles too", text);
    wm_complete_offer(before, typed, "none", "not at all", text);
}

void wm_complete_value(enum wm_completes completes, const char *before, const char *typed,
                       struct wm_text *text)
{
    size_t begin = text->length;
    switch (completes) {
    case WM_COMPLETES_FILES: files(text); break;
    case WM_COMPLETES_MACHINES:
        machines(before, typed, text);
        if (text->length == begin) // a file's name then, or the beginning of one
            files(text);
        break;
    case WM_COMPLETES_SETTINGS: settings(before, typed, text); break;
    case WM_COMPLETES_KINDS: kinds(before, typed, text); break;
    case WM_COMPLETES_NAMES: names(before, typed, text); break;
    case WM_COMPLETES_ENGINES: engines(before, typed, text); break;
    case WM_COMPLETES_SOLVERS: solvers(before, typed, text); break;
    case WM_COMPLETES_EFFICIENCIES: efficiencies(before, typed, text); break;
    case WM_COMPLETES_MEASURES: measures(before, typed, text); break;
    case WM_COMPLETES_NOTHING: break;
    }
}
