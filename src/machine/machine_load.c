#include "base/containers/array.h"
#include "machine/description.h"
#include "machine/machine.h"
#include "machine/preset.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE_BYTES = 1 << 20 }; // a machine file has a few kilobytes

// A file's text and what errors call it.
struct source {
    const char *text;
    size_t length;
    const char *file;
};

// What the next source says comes before what this one has said.
static void yield(struct wm_description *description)
{
    for (size_t i = 0; i < WM_MACHINE_KEY_NUMBERS; i++)
        if (description->values[i].origin == WM_VALUE_FILE)
            description->values[i].origin = WM_VALUE_BASE;
    for (size_t i = 0; i < WM_MACHINE_GROUP_NUMBERS; i++)
        if (description->groups[i].origin == WM_VALUE_FILE)
            description->groups[i].origin = WM_VALUE_BASE;
}

static enum wm_status read_source(struct wm_description *description, const struct source *source)
{
    description->file = source->file;
    description->text = source->text;
    description->length = source->length;
    return wm_description_read(description);
}

static enum wm_status read_sources(const struct wm_plugins *plugins, const struct source *sources,
                                   uint32_t source_count, const char *const *settings,
                                   uint32_t setting_count, struct wm_machine *machine,
                                   struct wm_error *error)
{
    struct wm_error unread;
    memset(machine, 0, sizeof *machine);
    machine->plugins = plugins;
    struct wm_description description = {
        .settings = settings,
        .machine = machine,
        .error = error ? error : &unread,
    };
    wm_error_clear(error);
    WM_TRY(read_source(&description, &sources[0]));
    for (uint32_t i = 1; i < source_count; i++) {
        // What the machine itself lacks is an error before its variants change it.
        WM_TRY(wm_description_complete(&description));
        yield(&description);
        WM_TRY(read_source(&description, &sources[i]));
    }
    for (uint32_t i = 0; i < setting_count; i++)
        WM_TRY(wm_description_set(&description, i));
    WM_TRY(wm_description_complete(&description));
    WM_TRY(wm_description_share(&description));
    return wm_description_check_geometry(&description);
}

enum wm_status wm_machine_read_with(const struct wm_plugins *plugins, const char *text,
                                    size_t length, const char *file, const char *const *settings,
                                    uint32_t setting_count, struct wm_machine *machine,
                                    struct wm_error *error)
{
    const struct source source = {.text = text, .length = length, .file = file};
    return read_sources(plugins, &source, 1, settings, setting_count, machine, error);
}

enum wm_status wm_machine_read(const char *text, size_t length, const char *file,
                               const char *const *settings, uint32_t setting_count,
                               struct wm_machine *machine, struct wm_error *error)
{
    return wm_machine_read_with(NULL, text, length, file, settings, setting_count, machine, error);
}

static enum wm_status read_file(const char *path, struct wm_text *text, struct wm_error *error)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        enum wm_status status = errno == ENOENT ? WM_NOT_FOUND : WM_IO;
        return wm_fail(error, status, "cannot open machine file \"%s\": %s", path, strerror(errno));
    }
    char buffer[16384];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0 &&
           text->length <= LARGEST_FILE_BYTES)
        wm_text_append(text, buffer, count);
    enum wm_status status = WM_OK;
    if (ferror(file))
        status =
            wm_fail(error, WM_IO, "cannot read machine file \"%s\": %s", path, strerror(errno));
    else if (text->failed)
        status = wm_fail_no_memory(error, "reading \"%s\"", path);
    else if (text->length > LARGEST_FILE_BYTES)
        status =
            wm_fail(error, WM_INVALID, "\"%s\" has more than 1 MiB: this is no machine file", path);
    fclose(file);
    return status;
}

enum wm_status wm_machine_load(const char *name, const char *const *settings,
                               uint32_t setting_count, struct wm_machine *machine,
                               struct wm_error *error)
{
    return wm_machine_load_with(NULL, name, settings, setting_count, machine, error);
}

// A machine's file and those of its variants.
struct files {
    char paths[1 + WM_MOST_VARIANTS][PATH_MAX];
    struct wm_text texts[1 + WM_MOST_VARIANTS];
    struct source sources[1 + WM_MOST_VARIANTS];
};

static enum wm_status read_files(struct files *files, const char *name,
                                 const struct wm_machine_name *parts, struct wm_error *error)
{
    WM_TRY(wm_preset_path(name, files->paths[0], sizeof files->paths[0], error));
    for (uint32_t i = 0; i < parts->variant_count; i++)
        WM_TRY(wm_variant_path(parts->variants[i], files->paths[i + 1], sizeof files->paths[0],
                               error));
    for (uint32_t i = 0; i <= parts->variant_count; i++) {
        struct wm_text *text = &files->texts[i];
        WM_TRY(read_file(files->paths[i], text, error));
        files->sources[i] = (struct source){
            .text = text->data ? text->data : "", .length = text->length, .file = files->paths[i]};
    }
    return WM_OK;
}

// The machine's name is the one that the caller gave.
static enum wm_status name_variants(struct wm_machine *machine, const struct wm_machine_name *parts,
                                    struct wm_error *error)
{
    size_t used = strlen(machine->name);
    for (uint32_t i = 0; i < parts->variant_count; i++) {
        int length =
            snprintf(machine->name + used, sizeof machine->name - used, "+%s", parts->variants[i]);
        used += (size_t)length;
        if (used >= sizeof machine->name)
            return wm_fail(error, WM_LIMIT,
                           "the name of the machine with its variants has more than %zu characters",
                           sizeof machine->name - 1);
    }
    return WM_OK;
}

enum wm_status wm_machine_load_with(const struct wm_plugins *plugins, const char *name,
                                    const char *const *settings, uint32_t setting_count,
                                    struct wm_machine *machine, struct wm_error *error)
{
    struct wm_machine_name parts;
    struct files *files;
    WM_TRY(WM_ARRAY_NEW(files, 1, error, "machine files"));
    for (uint32_t i = 0; i <= WM_MOST_VARIANTS; i++)
        wm_text_init(&files->texts[i]);
    enum wm_status status = wm_machine_name_split(name, &parts, error);
    if (status == WM_OK)
        status = read_files(files, name, &parts, error);
    if (status == WM_OK)
        status = read_sources(plugins, files->sources, 1 + parts.variant_count, settings,
                              setting_count, machine, error);
    if (status == WM_OK)
        status = name_variants(machine, &parts, error);
    for (uint32_t i = 0; i <= WM_MOST_VARIANTS; i++)
        wm_text_release(&files->texts[i]);
    wm_machine_name_release(&parts);
    free(files);
    return status;
}
