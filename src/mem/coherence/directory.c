#include "mem/coherence/directory.h"

#include "base/containers/array.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum wm_status wm_directory_init(struct wm_directory *directory, uint64_t lines,
                                 struct wm_error *error)
{
    uint64_t slots = 16;
    *directory = (struct wm_directory){0};
    while (slots < 2 * lines)
        slots *= 2;
    if (lines >= UINT32_MAX)
        return wm_fail_no_memory(error, "a directory of %" PRIu64 " lines", lines);
    WM_TRY(
        WM_ARRAY_NEW(directory->entries, lines, error, "a directory of %" PRIu64 " lines", lines));
    WM_TRY(WM_ARRAY_NEW(directory->slots, slots, error, "a directory of %" PRIu64 " lines", lines));
    directory->room = (uint32_t)lines;
    directory->slot_mask = slots - 1;
    return WM_OK;
}

void wm_directory_release(struct wm_directory *directory)
{
    free(directory->entries);
    free(directory->slots);
    *directory = (struct wm_directory){0};
}

static uint64_t home_slot(const struct wm_directory *directory, uint64_t line)
{
    uint64_t mixed = line * UINT64_C(0x9e3779b97f4a7c15); // 2^64 divided by the golden ratio
    return (mixed ^ mixed >> 32) & directory->slot_mask;
}

// The slot of the line, or the free one where it would be.
static uint64_t slot_of(const struct wm_directory *directory, uint64_t line)
{
    uint64_t slot = home_slot(directory, line);
    while (directory->slots[slot] != 0 &&
           directory->entries[directory->slots[slot] - 1].line != line)
        slot = (slot + 1) & directory->slot_mask;
    return slot;
}

struct wm_coherence_line *wm_directory_find(const struct wm_directory *directory, uint64_t line)
{
    uint32_t entry = directory->slots[slot_of(directory, line)];
    return entry != 0 ? &directory->entries[entry - 1].state : NULL;
}

struct wm_coherence_line *wm_directory_take(struct wm_directory *directory, uint64_t line)
{
    uint64_t slot = slot_of(directory, line);
    uint32_t entry = directory->slots[slot];
    if (entry != 0)
        return &directory->entries[entry - 1].state;
    assert(directory->count < directory->room);
    entry = directory->free;
    if (entry != 0)
        directory->free = (uint32_t)directory->entries[entry - 1].line;
    else
        entry = ++directory->used;
    directory->count++;
    directory->slots[slot] = entry;
    directory->entries[entry - 1] =
        (struct wm_directory_entry){.line = line, .state.cache = WM_COHERENCE_CACHE_M};
    return &directory->entries[entry - 1].state;
}

// Those behind it that it has pushed away move up, so that no search ends before them.
static void close_gap(struct wm_directory *directory, uint64_t gap)
{
    for (uint64_t slot = (gap + 1) & directory->slot_mask; directory->slots[slot] != 0;
         slot = (slot + 1) & directory->slot_mask) {
        uint64_t home = home_slot(directory, directory->entries[directory->slots[slot] - 1].line);
        if (((slot - home) & directory->slot_mask) < ((slot - gap) & directory->slot_mask))
            continue;
        directory->slots[gap] = directory->slots[slot];
        gap = slot;
    }
    directory->slots[gap] = 0;
}

void wm_directory_forget(struct wm_directory *directory, uint64_t line)
{
    uint64_t slot = slot_of(directory, line);
    uint32_t entry = directory->slots[slot];
    assert(entry != 0 && directory->entries[entry - 1].state.holders == 0);
    close_gap(directory, slot);
    directory->entries[entry - 1].line = directory->free;
    directory->free = entry;
    directory->count--;
}
