// Loads that are made again: a load may have its data before older loads have theirs. While its
// line stays in L1 none sees that, as the data are still what memory has. When another core takes
// the line before the load retires, its data are from before the other's write, and older loads may
// get theirs from behind it: the load is made again (Sorin, Hill and Wood, "A Primer on Memory
// Consistency and Cache Coherence", section 4.5). A line that L1 evicts counts as taken, for no
// probe comes for it any more.
#include "cpu/core_state.h"

static bool lies_in(const struct wm_core *core, const struct wm_core_entry *load, uint64_t line)
{
    return load->address >> core->line_shift == line ||
           (load->address + load->bytes - 1) >> core->line_shift == line;
}

// Whether a part of it has been read in L1.
static bool has_read(const struct wm_core *core, const struct wm_core_entry *entry)
{
    if (entry->kind != WM_CPU_LOAD || entry->forwarded)
        return false;
    return wm_core_parts(core, entry->address, entry->bytes) >
           (uint32_t)entry->unsent + entry->underway;
}

void wm_core_line_left(struct wm_core *core, uint64_t address, uint64_t cycle)
{
    uint64_t line = address >> core->line_shift;
    bool found = false;
    if (!core->running || core->lines_read[wm_core_hash(line)] == 0)
        return;
    // What is the oldest has all before it behind it.
    for (uint32_t at = core->first + 1; at != core->end; at++) {
        struct wm_core_entry *entry = wm_core_entry_at(core, at);
        if (!lies_in(core, entry, line) || !has_read(core, entry))
            continue;
        entry->is_old = found = true;
    }
    core->has_old |= found;
    if (found)
        wm_core_wake(core, cycle);
}

void wm_core_make_again(struct wm_core *core)
{
    bool is_left = false;
    for (uint32_t at = core->first; at != core->end; at++) {
        struct wm_core_entry *entry = wm_core_entry_at(core, at);
        if (!entry->is_old)
            continue;
        if (entry->unsent != 0 || entry->underway != 0) { // a load of two lines
            is_left = true;
            continue;
        }
        entry->is_old = false;
        entry->unsent = (uint8_t)wm_core_parts(core, entry->address, entry->bytes);
        core->counters.loads_made_again++;
        if ((int32_t)(at - core->send) < 0)
            core->send = at;
    }
    core->has_old = is_left;
}
