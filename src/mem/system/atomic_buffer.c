#include "mem/system/atomic_buffer.h"

#include "mem/system/memory_components.h"

#include <assert.h>
#include <string.h>

static const struct wm_counter_declaration declarations[] = {
    WM_ATOMIC_BUFFER_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_atomic_buffer_counter_set = {
    .kind = "atomic_buffer",
    .title = "atomic buffer of an L2 slice",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

void wm_atomic_buffer_init(struct wm_atomic_buffer *buffer, uint32_t room)
{
    assert(room >= 1 && room <= WM_ATOMIC_BUFFER_MOST_LINES);
    *buffer = (struct wm_atomic_buffer){.room = room};
}

// Where the sector is; buffer->count when nowhere.
static uint32_t find(const struct wm_atomic_buffer *buffer, uint64_t address)
{
    uint32_t at = 0;
    while (at < buffer->count && buffer->sectors[at] != address)
        at++;
    return at;
}

bool wm_atomic_buffer_operate(struct wm_atomic_buffer *buffer, uint64_t address,
                              uint64_t *displaced, bool *displaces)
{
    uint32_t at = find(buffer, address);
    bool found = at < buffer->count;
    buffer->counters.operations++;
    buffer->counters.hits += found;
    buffer->counters.misses += !found;
    *displaces = !found && buffer->count == buffer->room;
    if (*displaces) {
        at = buffer->room - 1;
        *displaced = buffer->sectors[at];
        buffer->counters.write_backs++;
    } else if (!found) {
        buffer->count++;
    }
    memmove(buffer->sectors + 1, buffer->sectors, at * sizeof buffer->sectors[0]);
    buffer->sectors[0] = address;
    return found;
}

bool wm_atomic_buffer_holds(const struct wm_atomic_buffer *buffer, uint64_t address)
{
    return find(buffer, address) < buffer->count;
}

bool wm_atomic_buffer_spill(struct wm_atomic_buffer *buffer, uint64_t address)
{
    uint32_t at = find(buffer, address);
    if (at == buffer->count)
        return false;
    buffer->count--;
    memmove(buffer->sectors + at, buffer->sectors + at + 1,
            (buffer->count - at) * sizeof buffer->sectors[0]);
    buffer->counters.spills++;
    return true;
}
