#include "trace/recording_names.h"

#include "trace/recording_reader.h"

#include <inttypes.h>

// Each name less the address of the one before.
static bool read_names(struct wm_cursor *cursor, struct wm_memory_names *names, bool *no_memory)
{
    uint64_t address = 0;
    while (wm_cursor_left(cursor) != 0) {
        size_t length;
        address += wm_cursor_signed(cursor);
        uint64_t bytes = wm_cursor_number(cursor);
        const char *name = wm_cursor_text(cursor, &length);
        if (cursor->bad || name == NULL || length == 0 || bytes == 0 ||
            address + (bytes - 1) < address)
            return false;
        *no_memory = !wm_memory_names_add(names, address, bytes, name, length);
        if (*no_memory)
            return false;
    }
    return true;
}

static enum wm_status read_section(const struct wm_recording *recording,
                                   const struct wm_section *section, struct wm_bytes *content,
                                   struct wm_memory_names *names, struct wm_error *error)
{
    bool no_memory = false;
    WM_TRY(wm_section_read(&recording->file, section, content, error));
    struct wm_cursor cursor = wm_cursor_of(content->data, content->length);
    if (read_names(&cursor, names, &no_memory))
        return WM_OK;
    if (no_memory)
        return wm_fail_no_memory(error, "the names of a recording");
    wm_fail(error, WM_INVALID, "the section of names at byte %" PRIu64 " breaks the format",
            section->offset);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_hint(error, "record the program again");
}

enum wm_status wm_recording_names(const struct wm_recording *recording,
                                  struct wm_memory_names *names, struct wm_error *error)
{
    const struct wm_section_list *list = &recording->file.list;
    struct wm_bytes content = {0};
    enum wm_status status = WM_OK;
    for (uint64_t i = 0; i < list->count && status == WM_OK; i++)
        if (list->sections[i].type == WM_SECTION_NAMES)
            status = read_section(recording, &list->sections[i], &content, names, error);
    wm_bytes_release(&content);
    return status;
}
