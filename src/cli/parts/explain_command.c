// warpmem explain: what a part, a machine, a key of machine files, a report's column or a counter
// is, by its name.
#include "cli/commands.h"

#include "cli/parts/explain_search.h"
#include "cli/parts/machine_text.h"
#include "machine/part_kinds.h"
#include "machine/preset.h"
#include "machine/schema.h"

#include <inttypes.h>
#include <limits.h>

enum { COLUMN = WM_EXPLAIN_COLUMN };

struct explain_values {
    const char *kind;
    struct wm_option_list plugins;
};

void wm_explain_begin(struct wm_explain_search *search)
{
    if (search->found++)
        wm_text_add(search->text, "\n");
}

// ---- Parts -------------------------------------------------------------------------------------

static void explain_parameters(const struct wm_entry_description *facts, struct wm_text *text)
{
    for (size_t i = 0; i < facts->parameter_count; i++) {
        const struct wm_parameter *parameter = &facts->parameters[i];
        struct wm_text row;
        wm_text_init(&row);
        wm_text_format(&row, "%s: %s; %" PRIu64 " to %" PRIu64 ", default %" PRIu64,
                       parameter->name, parameter->sentence, parameter->minimum, parameter->maximum,
                       parameter->fallback);
        wm_usage_row(i == 0 ? "parameters" : "", row.data ? row.data : "", COLUMN, text);
        text->failed |= row.failed;
        wm_text_release(&row);
    }
    if (facts->parameter_count == 0)
        wm_usage_row("parameters", "none", COLUMN, text);
}

static void explain_part(const struct wm_part_kind *kind, const struct wm_entry_description *facts,
                         struct wm_text *text)
{
    wm_text_format(text, "%s: %s\n", facts->name, facts->title);
    wm_usage_row("kind", kind->name, COLUMN, text);
    wm_usage_row("decides", kind->sentence, COLUMN, text);
    wm_usage_row("does", facts->sentence, COLUMN, text);
    if (facts->details)
        wm_usage_row("more", facts->details, COLUMN, text);
    if (facts->serves)
        wm_usage_row("serves", facts->serves, COLUMN, text);
    explain_parameters(facts, text);
    wm_usage_row("source", facts->source, COLUMN, text);
    if (facts->file)
        wm_usage_row("plug-in", facts->file, COLUMN, text);
    wm_usage_row("named by", kind->keys, COLUMN, text);
}

static void search_parts(struct wm_explain_search *search)
{
    for (size_t i = 0; i < wm_part_kind_count; i++) {
        const struct wm_part_kind *kind = &wm_part_kinds[i];
        if (search->kind && strcmp(search->kind, kind->name) != 0)
            continue;
        struct wm_entry_description facts;
        for (size_t at = 0; kind->at(search->plugins, at, &facts); at++) {
            wm_nearest_offer(&search->nearest, facts.name);
            if (strcmp(facts.name, search->name) != 0)
                continue;
            wm_explain_begin(search);
            explain_part(kind, &facts, search->text);
        }
    }
}

// ---- Machines ----------------------------------------------------------------------------------

static enum wm_status explain_machine(const char *name, struct wm_text *text,
                                      struct wm_error *error)
{
    struct wm_machine machine;
    struct wm_text figures;
    char path[PATH_MAX];
    WM_TRY(wm_machine_load(name, NULL, 0, &machine, error));
    WM_TRY(wm_preset_path(name, path, sizeof path, error));
    wm_text_init(&figures);
    wm_machine_figures(&machine, &figures);
    wm_text_format(text, "%s: %s\n", machine.name, machine.device.title);
    wm_usage_row("kind", WM_MACHINE_KIND, COLUMN, text);
    const char *has = figures.data ? figures.data : "";
    wm_usage_row("has", has + strspn(has, " "), COLUMN, text);
    wm_usage_row("source", "next to each number, in its file", COLUMN, text);
    wm_usage_row("file", path, COLUMN, text);
    text->failed |= figures.failed;
    wm_text_release(&figures);
    return WM_OK;
}

static enum wm_status search_machines(struct wm_explain_search *search, struct wm_error *error)
{
    if (search->kind && strcmp(search->kind, WM_MACHINE_KIND) != 0)
        return WM_OK;
    struct wm_arena arena;
    const char *const *names;
    size_t count = 0;
    wm_arena_init(&arena);
    enum wm_status status = wm_preset_names(&arena, &names, &count, error);
    if (status == WM_NOT_FOUND) // without presets the parts can be explained all the same
        status = WM_OK;
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= strcmp(names[i], search->name) == 0;
    if (status == WM_OK && found) {
        wm_explain_begin(search);
        status = explain_machine(search->name, search->text, error);
    }
    wm_arena_release(&arena);
    return status;
}

// ---- Variants ----------------------------------------------------------------------------------

static enum wm_status search_variants(struct wm_explain_search *search, struct wm_error *error)
{
    char path[PATH_MAX];
    bool found = false;
    const char *sentence;
    if (search->kind && strcmp(search->kind, WM_VARIANT_KIND) != 0)
        return WM_OK;
    enum wm_status status = WM_NOT_FOUND; // of presets: as with machines
    if (!strchr(search->name, '/'))
        status = wm_table_preset_path(WM_VARIANTS_FOLDER, search->name, path, sizeof path, &found,
                                      error);
    if (status != WM_OK || !found) {
        wm_error_clear(error);
        return WM_OK;
    }
    struct wm_arena arena;
    wm_arena_init(&arena);
    status = wm_variant_sentence(path, &arena, &sentence, error);
    if (status == WM_OK) {
        wm_explain_begin(search);
        wm_text_format(search->text, "%s: %s\n", search->name, sentence);
        wm_usage_row("kind", WM_VARIANT_KIND, COLUMN, search->text);
        wm_usage_row("named by", "--machine, behind a machine's name and a +", COLUMN,
                     search->text);
        wm_usage_row("source", "next to each key, in its file", COLUMN, search->text);
        wm_usage_row("file", path, COLUMN, search->text);
    }
    wm_arena_release(&arena);
    return status;
}

// ---- Keys --------------------------------------------------------------------------------------

static void search_keys(struct wm_explain_search *search)
{
    const struct wm_machine_key *key = wm_machine_key_find(search->name);
    if (search->kind)
        return;
    size_t count;
    const struct wm_machine_key *known = wm_machine_keys(&count);
    for (size_t i = 0; i < count; i++)
        wm_nearest_offer(&search->nearest, known[i].path);
    if (!key)
        return;
    struct wm_text legal;
    wm_text_init(&legal);
    wm_explain_begin(search);
    wm_text_format(search->text, "%s: a key of machine files\n", key->path);
    wm_usage_row("means", key->sentence, COLUMN, search->text);
    wm_machine_key_range_text(key, &legal);
    wm_usage_row("legal", legal.data ? legal.data : "", COLUMN, search->text);
    wm_usage_row("default", key->fallback ? key->fallback : "none: it must be given", COLUMN,
                 search->text);
    search->text->failed |= legal.failed;
    wm_text_release(&legal);
}

// ---- The command -------------------------------------------------------------------------------

static enum wm_status check_kind(const char *kind, struct wm_error *error)
{
    if (!kind || wm_part_kind_find(kind) || strcmp(kind, WM_MACHINE_KIND) == 0 ||
        strcmp(kind, WM_VARIANT_KIND) == 0)
        return WM_OK;
    wm_fail(error, WM_NOT_FOUND, "there is no kind \"%s\"", kind);
    return wm_error_hint(error, "\"warpmem list\" lists the kinds");
}

static enum wm_status explain(struct wm_explain_search *search, struct wm_error *error)
{
    WM_TRY(check_kind(search->kind, error));
    search_parts(search);
    WM_TRY(search_machines(search, error));
    WM_TRY(search_variants(search, error));
    search_keys(search);
    if (!search->kind) {
        wm_explain_columns(search);
        wm_explain_counters(search);
    }
    if (search->found)
        return WM_OK;
    wm_fail(error, WM_NOT_FOUND, "nothing is called \"%s\"%s%s", search->name,
            search->kind ? " among the entries of kind " : "", search->kind ? search->kind : "");
    return search->nearest.best ? wm_error_hint(error, "did you mean %s?", search->nearest.best)
                                : wm_error_hint(error, "\"warpmem list KIND\" lists what there is");
}

static int run(const struct wm_invocation *invocation)
{
    const struct explain_values *values = invocation->values;
    struct wm_text text;
    struct wm_error error;
    struct wm_plugins plugins;
    wm_error_clear(&error);
    if (wm_plugin_option_load(&values->plugins, &plugins, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    wm_text_init(&text);
    struct wm_explain_search search = {invocation->operands[0], values->kind, &plugins,
                                       .text = &text};
    wm_nearest_init(&search.nearest, search.name);
    if (explain(&search, &error) != WM_OK) {
        wm_text_release(&text);
        wm_text_init(&text);
    }
    int status = error.status == WM_OK ? WM_EXIT_OK : wm_command_fail(invocation, &error);
    int printed = wm_command_print(invocation, &text);
    wm_plugins_release(&plugins);
    return status ? status : printed;
}

static const struct wm_option options[] = {
    {'k', "kind", WM_OPTION_ARGUMENT, "KIND", offsetof(struct explain_values, kind),
     "look only among the entries of one kind", WM_COMPLETES_KINDS},
    WM_PLUGIN_OPTION(struct explain_values),
};

static const struct wm_usage usage = {
    .synopsis = "[options] NAME",
    .description =
        "Explains what NAME is: an entry of a kind of part (what it does, its parameters "
        "with their ranges, and the paper or manual it comes from), a machine, a key of "
        "machine files, a column of reports by its head, or a counter (NAME, KIND.NAME, or all "
        "of a KIND). All of that name are explained.",
    .examples = "warpmem explain lru\n"
                "warpmem explain --kind warp-scheduler round-robin\n"
                "warpmem explain gpu.l1.set_index\n"
                "warpmem explain sect/req\n"
                "warpmem explain l1.hits",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct explain_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_NAMES,
};

const struct wm_command wm_command_explain = {
    .name = "explain",
    .summary = "explain a part, machine, key, column or counter by its name",
    .usage = &usage,
    .run = run,
};
