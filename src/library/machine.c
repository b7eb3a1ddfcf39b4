#include "library/handles.h"

#include "base/host/processor.h"

#include <stdlib.h>
#include <string.h>

struct warpmem_machine *wm_library_machine_keep(struct warpmem_machine *machine)
{
    atomic_fetch_add(&machine->owners, 1);
    return machine;
}

void warpmem_machine_free(struct warpmem_machine *machine)
{
    if (!machine || atomic_fetch_sub(&machine->owners, 1) != 1)
        return;
    wm_text_release(&machine->yaml);
    wm_plugins_release(&machine->plugins);
    free(machine);
}

static enum wm_status load_plugins(struct warpmem_machine *machine,
                                   const struct warpmem_machine_options *options,
                                   struct wm_error *error)
{
    for (size_t i = 0; i < options->plugin_count; i++)
        WM_TRY(wm_plugins_load(&machine->plugins, options->plugins[i], error));
    return WM_OK;
}

// Where a machine comes from: a name, or else a text that errors call `file`.
struct origin {
    const char *name, *text, *file;
    size_t length;
};

static enum wm_status fill(struct warpmem_machine *machine, const struct origin *origin,
                           const struct warpmem_machine_options *options, struct wm_error *error)
{
    WM_TRY(wm_processor_check(error));
    WM_TRY(load_plugins(machine, options, error));
    const char *const *settings = options->settings;
    uint32_t count = (uint32_t)options->setting_count;
    if (origin->name)
        WM_TRY(wm_machine_load_with(&machine->plugins, origin->name, settings, count,
                                    &machine->machine, error));
    else
        WM_TRY(wm_machine_read_with(&machine->plugins, origin->text, origin->length, origin->file,
                                    settings, count, &machine->machine, error));
    wm_machine_print(&machine->machine, &machine->yaml);
    return machine->yaml.failed ? wm_fail_no_memory(error, "a machine") : WM_OK;
}

static bool lists_are_good(const struct warpmem_machine_options *options)
{
    if (options->setting_count > UINT32_MAX || (options->setting_count && !options->settings) ||
        (options->plugin_count && !options->plugins))
        return false;
    for (size_t i = 0; i < options->setting_count; i++)
        if (!options->settings[i])
            return false;
    for (size_t i = 0; i < options->plugin_count; i++)
        if (!options->plugins[i])
            return false;
    return true;
}

static enum warpmem_status make(const char *function, const struct origin *origin,
                                const struct warpmem_machine_options *options,
                                struct warpmem_machine **result, struct warpmem_error *error)
{
    static const struct warpmem_machine_options none;
    if (!options)
        options = &none;
    if (!lists_are_good(options))
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "a setting or plug-in of the options is NULL");
    struct warpmem_machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return wm_library_refuse(function, WARPMEM_NO_MEMORY, error, WM_NO_MEMORY_FOR "a machine");
    atomic_init(&machine->owners, 1);
    wm_plugins_init(&machine->plugins);
    wm_text_init(&machine->yaml);
    struct wm_error own;
    wm_error_clear(&own);
    if (fill(machine, origin, options, &own) != WM_OK) {
        warpmem_machine_free(machine);
        return wm_library_report(&own, function, error);
    }
    *result = machine;
    return wm_library_good(error);
}

enum warpmem_status warpmem_machine_load(const char *name,
                                         const struct warpmem_machine_options *options,
                                         struct warpmem_machine **machine,
                                         struct warpmem_error *error)
{
    if (machine)
        *machine = NULL;
    if (!machine || !name)
        return wm_library_refuse_null(__func__, error, machine ? "name" : "machine");
    const struct origin origin = {.name = name};
    return make(__func__, &origin, options, machine, error);
}

enum warpmem_status warpmem_machine_read(const char *text, size_t length, const char *file,
                                         const struct warpmem_machine_options *options,
                                         struct warpmem_machine **machine,
                                         struct warpmem_error *error)
{
    if (machine)
        *machine = NULL;
    if (!machine || (!text && length > 0))
        return wm_library_refuse_null(__func__, error, machine ? "text" : "machine");
    const struct origin origin = {
        .text = text ? text : "", .length = length, .file = file ? file : "machine"};
    return make(__func__, &origin, options, machine, error);
}

enum warpmem_status warpmem_machine_facts(const struct warpmem_machine *machine,
                                          struct warpmem_facts *facts, struct warpmem_error *error)
{
    if (!machine || !facts)
        return wm_library_refuse_null(__func__, error, machine ? "facts" : "machine");
    const struct wm_memory_spec *memory = &machine->machine.memory;
    *facts = (struct warpmem_facts){
        .name = machine->machine.name,
        .title = machine->machine.device.title,
        .sm_count = memory->sm_count,
        .warp_lanes = machine->machine.sm.warp_width,
        .line_bytes = memory->levels[WM_LEVEL_L1].cache.line_bytes,
        .constant_line_bytes =
            memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.present
                ? memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.line_bytes
            : memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR].cache.present
                ? memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR].cache.line_bytes
                : 0,
        .instruction_line_bytes =
            memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION].cache.present
                ? memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION].cache.line_bytes
                : 0,
        .l1_bytes = memory->levels[WM_LEVEL_L1].cache.present
                        ? memory->levels[WM_LEVEL_L1].cache.size_bytes
                        : 0,
        .l2_bytes = memory->levels[WM_LEVEL_L2].cache.present
                        ? memory->levels[WM_LEVEL_L2].cache.size_bytes
                        : 0,
        .dram_bytes_per_second = memory->dram.bandwidth_bytes_per_second,
    };
    return wm_library_good(error);
}

const char *warpmem_machine_yaml(const struct warpmem_machine *machine)
{
    return machine ? machine->yaml.data : NULL;
}
