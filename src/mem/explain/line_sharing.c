#include "mem/explain/line_sharing.h"

#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration declarations[] = {
    WM_SHARING_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_sharing_counter_set = {
    .kind = "sharing",
    .title = "lines shared between SMs",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

void wm_line_sharing_init(struct wm_line_sharing *sharing, uint32_t sm_count)
{
    *sharing = (struct wm_line_sharing){.words = (sm_count + 63) / 64};
}

void wm_line_sharing_release(struct wm_line_sharing *sharing)
{
    wm_line_table_release(&sharing->table);
    free(sharing->readers);
    free(sharing->counts);
    *sharing = (struct wm_line_sharing){0};
}

void wm_line_sharing_clear(struct wm_line_sharing *sharing)
{
    wm_line_table_clear(&sharing->table);
}

static bool make_room(struct wm_line_sharing *sharing)
{
    if (sharing->capacity >= sharing->table.capacity)
        return true;
    size_t capacity = sharing->table.capacity;
    uint64_t *readers = realloc(sharing->readers, capacity * sharing->words * sizeof *readers);
    if (readers == NULL)
        return false;
    sharing->readers = readers;
    uint32_t *counts = realloc(sharing->counts, capacity * sizeof *counts);
    if (counts == NULL)
        return false;
    sharing->counts = counts;
    sharing->capacity = sharing->table.capacity;
    return true;
}

// The counter of lines that `count` SMs have read, at least one: 1, 2, 3-4, 5-8, …
static uint64_t *counter_of(struct wm_line_sharing *sharing, uint32_t count)
{
    uint32_t bucket = count == 1 ? 0 : 32 - (uint32_t)__builtin_clz(count - 1);
    uint32_t last = (uint32_t)wm_sharing_counter_set.count - 1;
    return (uint64_t *)&sharing->counters + (bucket < last ? bucket : last);
}

void wm_line_sharing_read(struct wm_line_sharing *sharing, uint64_t line, uint32_t sm)
{
    uint32_t before = sharing->table.count;
    uint32_t index = sharing->failed ? WM_NO_LINE : wm_line_table_add(&sharing->table, line);
    if (index == WM_NO_LINE || !make_room(sharing)) {
        sharing->failed = true;
        return;
    }
    uint64_t *readers = sharing->readers + (size_t)index * sharing->words;
    uint64_t bit = UINT64_C(1) << (sm % 64);
    if (index == before) {
        memset(readers, 0, sharing->words * sizeof *readers);
        sharing->counts[index] = 0;
    } else if ((readers[sm / 64] & bit) != 0) {
        return;
    } else {
        --*counter_of(sharing, sharing->counts[index]);
    }
    readers[sm / 64] |= bit;
    ++*counter_of(sharing, ++sharing->counts[index]);
}
