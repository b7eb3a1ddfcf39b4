#include "cli/parts/machine_text.h"

#include "base/text/units.h"
#include "machine/preset.h"

#include <errno.h>
#include <limits.h>

int wm_command_print(const struct wm_invocation *invocation, struct wm_text *text)
{
    int status = WM_EXIT_OK;
    if (text->failed) {
        struct wm_error error;
        wm_fail_no_memory(&error, "the text");
        status = wm_command_fail(invocation, &error);
    } else if (text->data) {
        fputs(text->data, invocation->out);
    }
    wm_text_release(text);
    return status;
}

static const char *size_of(const struct wm_cache_spec *cache, char *buffer, size_t size)
{
    return cache->present
               ? wm_units_round((double)cache->size_bytes, WM_QUANTITY_BYTES, buffer, size)
               : "none";
}

void wm_machine_figures(const struct wm_machine *machine, struct wm_text *text)
{
    char l1[32], most[32] = "", l2[32], bandwidth[32];
    const struct wm_sm_spec *sm = &machine->sm;
    if (sm->unified_bytes != 0) { // L1 grows as the carve-out shrinks
        double largest = (double)(sm->unified_bytes - sm->carveouts.bytes[0]);
        snprintf(most, sizeof most, " to ");
        wm_units_round(largest, WM_QUANTITY_BYTES, most + 4, sizeof most - 4);
    }
    wm_text_format(text, "%3u SMs, L1 %s%s, L2 %s, DRAM %s", sm->count,
                   size_of(&machine->memory.levels[WM_LEVEL_L1].cache, l1, sizeof l1), most,
                   size_of(&machine->memory.levels[WM_LEVEL_L2].cache, l2, sizeof l2),
                   wm_units_round((double)machine->memory.dram.bandwidth_bytes_per_second,
                                  WM_QUANTITY_BANDWIDTH, bandwidth, sizeof bandwidth));
}

int wm_machine_rows(const struct wm_invocation *invocation, struct wm_text *text)
{
    struct wm_arena arena;
    struct wm_error error;
    const char *const *names;
    size_t count = 0;
    int status = WM_EXIT_OK;
    wm_arena_init(&arena);
    if (wm_preset_names(&arena, &names, &count, &error) != WM_OK)
        status = wm_command_fail(invocation, &error);
    for (size_t i = 0; i < count; i++) {
        struct wm_machine machine;
        if (wm_machine_load(names[i], NULL, 0, &machine, &error) != WM_OK) {
            status = wm_command_fail(invocation, &error);
            continue;
        }
        wm_text_format(text, "%-13s %-24s ", machine.name, machine.device.title);
        wm_machine_figures(&machine, text);
        wm_text_add(text, "\n");
    }
    wm_arena_release(&arena);
    return status;
}

enum wm_status wm_variant_sentence(const char *path, struct wm_arena *arena, const char **sentence,
                                   struct wm_error *error)
{
    char line[512];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return wm_fail(error, WM_IO, "cannot read \"%s\": %s", path, strerror(errno));
    bool found = fgets(line, sizeof line, file) != NULL && strncmp(line, "# ", 2) == 0;
    fclose(file);
    const char *text = found ? line + 2 : "";
    *sentence = wm_arena_copy_text(arena, text, strcspn(text, "\n"));
    return *sentence != NULL ? WM_OK : wm_fail_no_memory(error, "the text");
}

int wm_variant_rows(const struct wm_invocation *invocation, struct wm_text *text)
{
    struct wm_arena arena;
    struct wm_error error;
    const char *const *names;
    const char *sentence;
    size_t count = 0;
    wm_arena_init(&arena);
    enum wm_status status =
        wm_table_preset_names(WM_VARIANTS_FOLDER, &arena, &names, &count, &error);
    for (size_t i = 0; i < count && status == WM_OK; i++) {
        char path[PATH_MAX];
        status = wm_variant_path(names[i], path, sizeof path, &error);
        if (status == WM_OK)
            status = wm_variant_sentence(path, &arena, &sentence, &error);
        if (status == WM_OK)
            wm_usage_row(names[i], sentence, 20, text);
    }
    wm_arena_release(&arena);
    return status == WM_OK ? WM_EXIT_OK : wm_command_fail(invocation, &error);
}

enum wm_status wm_plugin_option_load(const struct wm_option_list *files, struct wm_plugins *plugins,
                                     struct wm_error *error)
{
    wm_plugins_init(plugins);
    for (uint32_t i = 0; i < files->count; i++)
        if (wm_plugins_load(plugins, files->items[i], error) != WM_OK) {
            wm_plugins_release(plugins);
            return error->status;
        }
    return WM_OK;
}
