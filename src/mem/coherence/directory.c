#include "mem/coherence/directory.h"

#include "base/containers/array.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum wm_status wm_directory_init(struct wm_directory *directory, uint64_t lines,
                                 struct wm_error *error)
{
    *directory = (struct wm_directory){.room = lines, .last = UINT64_MAX};
    if (!wm_key_table_reserve(&directory->known, lines))
        return wm_fail_no_memory(error, "a directory of %" PRIu64 " lines", lines);
    return WM_ARRAY_NEW(directory->lines, lines, error, "a directory of %" PRIu64 " lines", lines);
}

void wm_directory_release(struct wm_directory *directory)
{
    wm_key_table_release(&directory->known);
    free(directory->lines);
    *directory = (struct wm_directory){0};
}

struct wm_coherence_line *wm_directory_find(const struct wm_directory *directory, uint64_t line)
{
    uint32_t index = wm_key_table_find(&directory->known, line);
    return index != WM_NO_INDEX ? &directory->lines[index] : NULL;
}

struct wm_coherence_line *wm_directory_take(struct wm_directory *directory, uint64_t line)
{
    if (directory->last == line) // one message of it follows another
        return &directory->lines[directory->last_index];
    uint32_t before = directory->known.count;
    uint32_t index = wm_key_table_add(&directory->known, line);
    assert(index < directory->room);
    if (directory->known.count != before)
        directory->lines[index] = (struct wm_coherence_line){.cache = WM_COHERENCE_CACHE_M};
    directory->last = line;
    directory->last_index = index;
    return &directory->lines[index];
}

void wm_directory_forget(struct wm_directory *directory, uint64_t line)
{
    uint32_t index = wm_key_table_remove(&directory->known, line);
    assert(directory->lines[index].holders == 0);
    if (directory->last_index == index)
        directory->last = UINT64_MAX;
}
