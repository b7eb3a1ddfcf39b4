#include "machine/description.h"
#include "machine/machine.h"
#include "machine/preset.h"

#include <errno.h>
#include <limits.h>

enum { LARGEST_FILE_BYTES = 1 << 20 }; // a machine file has a few kilobytes

static enum wm_status read_text(const struct wm_plugins *plugins, const char *text, size_t length,
                                const char *file, const char *const *settings,
                                uint32_t setting_count, struct wm_machine *machine,
                                struct wm_error *error)
{
    struct wm_error unread;
    memset(machine, 0, sizeof *machine);
    machine->plugins = plugins;
    struct wm_description description = {
        .file = file,
        .text = text,
        .length = length,
        .settings = settings,
        .machine = machine,
        .error = error ? error : &unread,
    };
    wm_error_clear(error);
    WM_TRY(wm_description_read(&description));
    for (uint32_t i = 0; i < setting_count; i++)
        WM_TRY(wm_description_set(&description, i));
    WM_TRY(wm_description_complete(&description));
    return wm_description_check_geometry(&description);
}

enum wm_status wm_machine_read_with(const struct wm_plugins *plugins, const char *text,
                                    size_t length, const char *file, const char *const *settings,
                                    uint32_t setting_count, struct wm_machine *machine,
                                    struct wm_error *error)
{
    return read_text(plugins, text, length, file, settings, setting_count, machine, error);
}

enum wm_status wm_machine_read(const char *text, size_t length, const char *file,
                               const char *const *settings, uint32_t setting_count,
                               struct wm_machine *machine, struct wm_error *error)
{
    return read_text(NULL, text, length, file, settings, setting_count, machine, error);
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
        status = wm_fail(error, WM_NO_MEMORY, "out of memory while reading \"%s\"", path);
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

enum wm_status wm_machine_load_with(const struct wm_plugins *plugins, const char *name,
                                    const char *const *settings, uint32_t setting_count,
                                    struct wm_machine *machine, struct wm_error *error)
{
    char path[PATH_MAX];
    WM_TRY(wm_preset_path(name, path, sizeof path, error));
    struct wm_text text;
    wm_text_init(&text);
    enum wm_status status = read_file(path, &text, error);
    if (status == WM_OK)
        status = read_text(plugins, text.data ? text.data : "", text.length, path, settings,
                           setting_count, machine, error);
    wm_text_release(&text);
    return status;
}
