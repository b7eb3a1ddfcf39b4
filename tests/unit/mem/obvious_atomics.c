// The model: sharing trackers in a memory system (R12), and atomic buffers (R13).
#include "mem/system/atomic_buffer.h"
#include "obvious_memory.h"

#include <stdlib.h>

// --- Trackers ---

static uint32_t tracker_count(const struct obvious_memory *memory)
{
    return (memory->spec.sm_count + memory->spec.levels[WM_LEVEL_L1].tracker.sms_each - 1) /
           memory->spec.levels[WM_LEVEL_L1].tracker.sms_each;
}

void obvious_trackers_init(struct obvious_memory *memory)
{
    if (memory->spec.levels[WM_LEVEL_L2].cache.present &&
        memory->spec.levels[WM_LEVEL_L2].atomic_buffer_lines != 0)
        memory->buffers = calloc(memory->spec.levels[WM_LEVEL_L2].slices, sizeof *memory->buffers);
    if (!memory->spec.levels[WM_LEVEL_L1].tracker.present)
        return;
    memory->tracker_count = tracker_count(memory);
    memory->trackers = calloc(memory->tracker_count, sizeof *memory->trackers);
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        obvious_tracker_init(&memory->trackers[i], &memory->spec.levels[WM_LEVEL_L1].tracker,
                             memory->l1_count);
}

void obvious_trackers_free(struct obvious_memory *memory)
{
    free(memory->trackers);
    free(memory->buffers);
}

void obvious_trackers_flush(struct obvious_memory *memory)
{
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        obvious_tracker_flush(&memory->trackers[i]);
}

// The tracker of an L1's group; NULL when there is none.
static struct obvious_tracker *tracker_of(const struct obvious_memory *memory,
                                          const struct obvious_cache *l1)
{
    uint32_t each = memory->spec.levels[WM_LEVEL_L1].units_each == 0
                        ? 1
                        : memory->spec.levels[WM_LEVEL_L1].units_each;
    uint32_t sm = (uint32_t)(l1 - memory->l1) * each;
    return memory->trackers == NULL
               ? NULL
               : &memory->trackers[sm / memory->spec.levels[WM_LEVEL_L1].tracker.sms_each];
}

bool obvious_supplied(struct obvious_memory *memory, const struct obvious_cache *l1,
                      uint64_t number, const struct obvious_answer *answer, bool taken)
{
    struct obvious_tracker *tracker = tracker_of(memory, l1);
    uint32_t own = (uint32_t)(l1 - memory->l1);
    if (tracker == NULL)
        return false;
    if (answer->victim.present)
        obvious_tracker_remove(tracker, answer->victim.number, own);
    if (answer->missing == 0)
        return false;
    bool supplied = obvious_tracker_look_up(tracker, number, own) >= 0;
    if (supplied) {
        struct wm_tracker_counters *c = &tracker->counters[number % tracker->spec.banks];
        c->remote_sectors += (uint64_t)obvious_count(answer->fetch);
        c->remote_bytes += (uint64_t)obvious_count(answer->fetch) * OBVIOUS_SECTOR;
    }
    if (taken)
        obvious_tracker_add(tracker, number, own);
    return supplied;
}

void obvious_written(struct obvious_memory *memory, struct obvious_cache *l1, uint64_t number)
{
    struct obvious_tracker *tracker = tracker_of(memory, l1);
    if (tracker == NULL)
        return;
    if (!memory->spec.levels[WM_LEVEL_L1].tracker.keeps_on_write)
        obvious_tracker_clear(tracker, number);
    else if (obvious_find(l1, number) == NULL)
        obvious_tracker_remove(tracker, number, (uint32_t)(l1 - memory->l1));
}

// --- Atomic buffers ---

// One sector between a slice and its buffer: no byte passes the slice's upper side.
static void move(struct obvious_memory *memory, uint64_t address, bool to_l2,
                 const struct wm_requester *who)
{
    static const uint32_t all = UINT32_MAX;
    struct obvious_cache *l2 = obvious_slice(memory, address);
    uint64_t line_bytes = memory->spec.levels[WM_LEVEL_L2].cache.line_bytes,
             line = address / line_bytes;
    uint64_t sector = address % line_bytes / OBVIOUS_SECTOR;
    uint32_t bytes[OBVIOUS_SECTORS] = {0};
    bytes[sector] = all;
    struct obvious_access access = {
        .client = to_l2 ? WM_CACHE_WRITEBACK : WM_CACHE_LOAD,
        .number = line,
        .sectors = UINT32_C(1) << sector,
        .bytes = to_l2 ? bytes : NULL,
        .may_take = !to_l2 || memory->spec.levels[WM_LEVEL_L2].cache.write_allocate,
        .who = *who,
    };
    struct obvious_answer answer = obvious_access(l2, &access);
    obvious_to_dram(memory, line * line_bytes, answer.fetch, false);
    l2->counters.bytes_from_below += (uint64_t)obvious_count(answer.fetch) * OBVIOUS_SECTOR;
    obvious_displaced_from_l2(memory, l2, &answer.victim);
    obvious_to_dram(memory, line * line_bytes, answer.forward, true);
    l2->counters.bytes_to_below += (uint64_t)obvious_count(answer.forward) * OBVIOUS_SECTOR;
}

static struct obvious_buffer *buffer_of(struct obvious_memory *memory, uint64_t address)
{
    return &memory->buffers[obvious_slice(memory, address) - memory->l2];
}

static void remove_at(struct obvious_buffer *buffer, uint32_t at)
{
    for (uint32_t i = at; i + 1 < buffer->count; i++)
        buffer->sectors[i] = buffer->sectors[i + 1];
    buffer->count--;
}

static uint32_t find(const struct obvious_buffer *buffer, uint64_t address)
{
    uint32_t at = 0;
    while (at < buffer->count && buffer->sectors[at] != address)
        at++;
    return at;
}

void obvious_operate(struct obvious_memory *memory, uint64_t address,
                     const struct wm_requester *who)
{
    struct obvious_buffer *buffer = buffer_of(memory, address);
    uint32_t at = find(buffer, address);
    bool hit = at < buffer->count;
    buffer->counters.operations++;
    *(hit ? &buffer->counters.hits : &buffer->counters.misses) += 1;
    if (!hit && buffer->count == memory->spec.levels[WM_LEVEL_L2].atomic_buffer_lines) {
        uint64_t oldest = buffer->sectors[0];
        buffer->counters.write_backs++;
        remove_at(buffer, 0);
        move(memory, oldest, true, who);
    }
    if (hit)
        remove_at(buffer, at);
    else
        move(memory, address, false, who);
    buffer->sectors[buffer->count++] = address;
}

void obvious_spill(struct obvious_memory *memory, uint64_t address, const struct wm_requester *who)
{
    struct obvious_buffer *buffer = buffer_of(memory, address);
    uint32_t at = find(buffer, address);
    if (at == buffer->count)
        return;
    remove_at(buffer, at);
    buffer->counters.spills++;
    move(memory, address, true, who);
}

void obvious_spill_all(struct obvious_memory *memory)
{
    static const struct wm_requester unattributed = {0};
    for (uint32_t i = 0; memory->buffers != NULL && i < memory->spec.levels[WM_LEVEL_L2].slices;
         i++)
        while (memory->buffers[i].count > 0)
            obvious_spill(memory, memory->buffers[i].sectors[0], &unattributed);
}
