// warpmem list: the kinds of parts that can be swapped, and the entries of one.
#include "cli/commands.h"

#include "base/text/nearest.h"
#include "cli/parts/machine_text.h"
#include "machine/part_kinds.h"

struct list_values {
    struct wm_option_list plugins;
};

static void list_kinds(struct wm_text *text)
{
    for (size_t i = 0; i < wm_part_kind_count; i++)
        wm_usage_row(wm_part_kinds[i].name, wm_part_kinds[i].sentence, 18, text);
    wm_usage_row(WM_MACHINE_KIND, WM_MACHINE_KIND_SENTENCE, 18, text);
    wm_usage_row(WM_VARIANT_KIND, WM_VARIANT_KIND_SENTENCE, 18, text);
}

static void list_entries(const struct wm_part_kind *kind, const struct wm_plugins *plugins,
                         struct wm_text *text)
{
    struct wm_entry_description facts;
    for (size_t i = 0; kind->at(plugins, i, &facts); i++)
        wm_usage_row(facts.name, facts.sentence, 20, text);
}

static enum wm_status unknown_kind(const char *name, struct wm_error *error)
{
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, name);
    wm_nearest_offer(&nearest, WM_MACHINE_KIND);
    wm_nearest_offer(&nearest, WM_VARIANT_KIND);
    for (size_t i = 0; i < wm_part_kind_count; i++)
        wm_nearest_offer(&nearest, wm_part_kinds[i].name);
    wm_fail(error, WM_NOT_FOUND, "there is no kind \"%s\"", name);
    return nearest.best ? wm_error_hint(error, "did you mean %s?", nearest.best)
                        : wm_error_hint(error, "\"warpmem list\" lists the kinds");
}

static int run(const struct wm_invocation *invocation)
{
    const struct list_values *values = invocation->values;
    struct wm_error error;
    struct wm_text text;
    struct wm_plugins plugins;
    wm_error_clear(&error);
    if (wm_plugin_option_load(&values->plugins, &plugins, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    wm_text_init(&text);
    const char *name = invocation->operand_count ? invocation->operands[0] : NULL;
    const struct wm_part_kind *kind = name ? wm_part_kind_find(name) : NULL;
    int status = WM_EXIT_OK;
    if (!name)
        list_kinds(&text);
    else if (kind)
        list_entries(kind, &plugins, &text);
    else if (strcmp(name, WM_MACHINE_KIND) == 0)
        status = wm_machine_rows(invocation, &text);
    else if (strcmp(name, WM_VARIANT_KIND) == 0)
        status = wm_variant_rows(invocation, &text);
    else if (unknown_kind(name, &error) != WM_OK)
        status = wm_command_fail(invocation, &error);
    int printed = wm_command_print(invocation, &text);
    wm_plugins_release(&plugins);
    return status ? status : printed;
}

static const struct wm_option options[] = {WM_PLUGIN_OPTION(struct list_values)};

static const struct wm_usage usage = {
    .synopsis = "[options] [KIND]",
    .description =
        "Lists the entries of a kind of part, one sentence each: what a machine file may "
        "name. Without KIND it lists the kinds.",
    .examples = "warpmem list\n"
                "warpmem list replacement\n"
                "warpmem list machine\n"
                "warpmem list variant",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct list_values),
    .max_operands = 1,
    .operands_are = WM_COMPLETES_KINDS,
};

const struct wm_command wm_command_list = {
    .name = "list",
    .summary = "list the parts that a machine may have",
    .usage = &usage,
    .run = run,
};
