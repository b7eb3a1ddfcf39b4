#include "cli/replay/replay_variants.h"

#include "base/containers/array.h"
#include "cli/options/thread_option.h"
#include "cli/parts/machine_text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VARIANTS = 1024, MOST_SETTINGS = 4096 };

// The settings of one variant: the common ones, then its own.
struct settings {
    const char *items[MOST_SETTINGS];
    uint32_t count;
    char *text; // owned: the variant's, cut
};

static enum wm_status add_setting(struct settings *settings, const char *setting,
                                  struct wm_error *error)
{
    if (settings->count == MOST_SETTINGS)
        return wm_fail(error, WM_INVALID, "more than %d settings", (int)MOST_SETTINGS);
    settings->items[settings->count++] = setting;
    return WM_OK;
}

// A comma begins another setting unless it is within brackets: "gpu.l1.replacement=bip(epsilon=32)"
// and "gpu.sm.carveouts=[0B, 8KiB]" are one each.
static enum wm_status cut(struct settings *settings, const char *variant, struct wm_error *error)
{
    settings->text = strdup(variant);
    if (settings->text == NULL)
        return wm_fail_no_memory(error, "variants of the machine");
    int depth = 0;
    char *begin = settings->text;
    for (char *at = begin;; at++) {
        depth += *at == '(' || *at == '[';
        depth -= *at == ')' || *at == ']';
        if (*at != '\0' && (*at != ',' || depth > 0))
            continue;
        bool end = *at == '\0';
        *at = '\0';
        WM_TRY(add_setting(settings, begin, error));
        if (end)
            return WM_OK;
        begin = at + 1;
    }
}

static enum wm_status build(struct wm_variants *variants, const char *machine,
                            const struct wm_variants_options *options, const char *variant,
                            struct wm_error *error)
{
    const struct wm_option_list *common = options->settings;
    const struct wm_session_options session_options = {
        .memory = true, .clock = options->clock, .explain = options->explain};
    struct settings settings = {.count = 0};
    enum wm_status status = WM_OK;
    for (uint32_t i = 0; i < common->count && status == WM_OK; i++)
        status = add_setting(&settings, common->items[i], error);
    if (status == WM_OK && variant != NULL)
        status = cut(&settings, variant, error);
    struct wm_machine *made = malloc(sizeof *made);
    if (status == WM_OK && made == NULL)
        status = wm_fail_no_memory(error, "the machine");
    if (status == WM_OK)
        status = wm_machine_load_with(&variants->plugins, machine, settings.items, settings.count,
                                      made, error);
    if (status == WM_OK)
        status = wm_engine_check(made, &session_options, error);
    free(settings.text);
    if (status == WM_OK)
        variants->variants[variants->count++] =
            (struct wm_replay_variant){.machine = made, .settings = variant};
    else
        free(made);
    return status;
}

enum wm_status wm_variants_init(struct wm_variants *variants,
                                const struct wm_variants_options *options, struct wm_error *error)
{
    *variants = (struct wm_variants){0};
    WM_TRY(wm_plugin_option_load(options->plugins, &variants->plugins, error));
    WM_TRY(wm_thread_option_read(options->threads, &variants->threads, error));
    const char *v100 = "v100";
    const char *const *machines =
        options->machines->count > 0 ? (const char *const *)options->machines->items : &v100;
    uint64_t machine_count = options->machines->count > 0 ? options->machines->count : 1;
    uint64_t count = machine_count * (options->variants->count + UINT64_C(1));
    if (count > MOST_VARIANTS) {
        wm_fail(error, WM_INVALID, "%llu variants in one replay", (unsigned long long)count);
        return wm_error_hint(error, "name at most %d at a time", (int)MOST_VARIANTS);
    }
    WM_TRY(WM_ARRAY_NEW(variants->variants, count, error, "the variants"));
    for (uint64_t m = 0; m < machine_count; m++) {
        WM_TRY(build(variants, machines[m], options, NULL, error));
        for (uint32_t v = 0; v < options->variants->count; v++)
            WM_TRY(build(variants, machines[m], options, options->variants->items[v], error));
    }
    return WM_OK;
}

void wm_variants_release(struct wm_variants *variants)
{
    for (uint32_t i = 0; i < variants->count; i++) {
        free((void *)variants->variants[i].machine);
        wm_results_free(variants->variants[i].results);
    }
    free(variants->variants);
    wm_plugins_release(&variants->plugins);
    *variants = (struct wm_variants){0};
}

enum wm_status wm_variants_replay(struct wm_variants *variants, struct wm_recording *recording,
                                  const struct wm_session_options *options, struct wm_error *error)
{
    return wm_replay_many(recording, variants->variants, variants->count, variants->threads,
                          options, error);
}
