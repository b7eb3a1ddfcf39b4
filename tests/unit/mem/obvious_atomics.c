// The model: sharing trackers in a memory system (R12), and atomic buffers (R13).
#include "mem/system/atomic_buffer.h"
#include "obvious_memory.h"

#include <stdlib.h>

// --- Trackers ---

void obvious_trackers_init(struct obvious_memory *memory)
{
    const struct wm_tracker_spec *spec = &memory->spec.levels[WM_LEVEL_L1].tracker;
    if (!spec->present)
        return;
    memory->tracker_count = (memory->spec.sm_count + spec->sms_each - 1) / spec->sms_each;
    memory->trackers = calloc(memory->tracker_count, sizeof *memory->trackers);
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        obvious_tracker_init(&memory->trackers[i], spec, memory->levels[WM_LEVEL_L1].node_count);
}

void obvious_trackers_flush(struct obvious_memory *memory)
{
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        obvious_tracker_flush(&memory->trackers[i]);
}

// The tracker of an L1's group; NULL when there is none.
static struct obvious_tracker *tracker_of(const struct obvious_memory *memory,
                                          const struct obvious_node *node)
{
    return memory->trackers == NULL || node->level->number != WM_LEVEL_L1
               ? NULL
               : &memory->trackers[node->first_unit / node->level->spec->tracker.sms_each];
}

bool obvious_supplied(struct obvious_memory *memory, const struct obvious_node *node,
                      uint64_t number, const struct obvious_answer *answer, bool taken)
{
    struct obvious_tracker *tracker = tracker_of(memory, node);
    uint32_t own = (uint32_t)(node - node->level->nodes);
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
        c->remote_bytes += obvious_bytes_of(answer->fetch);
    }
    if (taken)
        obvious_tracker_add(tracker, number, own);
    return supplied;
}

void obvious_written(struct obvious_memory *memory, struct obvious_node *node, uint64_t number)
{
    struct obvious_tracker *tracker = tracker_of(memory, node);
    if (tracker == NULL)
        return;
    if (!node->level->spec->tracker.keeps_on_write)
        obvious_tracker_clear(tracker, number);
    else if (obvious_find(&node->array, number) == NULL)
        obvious_tracker_remove(tracker, number, (uint32_t)(node - node->level->nodes));
}

// --- Atomic buffers ---

// One sector between a cache and its buffer: no byte passes the cache's upper side.
static void move(struct obvious_memory *memory, struct obvious_node *node, uint64_t address,
                 bool to_array, const struct wm_requester *who)
{
    struct wm_cache_counters *c = &node->array.counters;
    uint64_t from_above = c->bytes_from_above, to_above = c->bytes_to_above;
    struct obvious_request sector = {.client = to_array ? WM_CACHE_WRITEBACK : WM_CACHE_LOAD,
                                     .address = address,
                                     .sectors = 1,
                                     .who = *who};
    struct obvious_part part;
    obvious_next_part(&sector, node->array.spec.line_bytes, &part);
    obvious_look_up(memory, node, &part.request);
    c->bytes_from_above = from_above;
    c->bytes_to_above = to_above;
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

static void operate(struct obvious_memory *memory, struct obvious_node *node, uint64_t address,
                    const struct wm_requester *who)
{
    struct obvious_buffer *buffer = node->buffer;
    uint32_t at = find(buffer, address);
    bool hit = at < buffer->count;
    buffer->counters.operations++;
    *(hit ? &buffer->counters.hits : &buffer->counters.misses) += 1;
    if (!hit && buffer->count == node->level->spec->atomic_buffer_lines) {
        uint64_t oldest = buffer->sectors[0];
        buffer->counters.write_backs++;
        remove_at(buffer, 0);
        move(memory, node, oldest, true, who);
    }
    if (hit)
        remove_at(buffer, at);
    else
        move(memory, node, address, false, who);
    buffer->sectors[buffer->count++] = address;
}

static void spill(struct obvious_memory *memory, struct obvious_node *node, uint64_t address,
                  const struct wm_requester *who)
{
    struct obvious_buffer *buffer = node->buffer;
    uint32_t at = find(buffer, address);
    if (at == buffer->count)
        return;
    remove_at(buffer, at);
    buffer->counters.spills++;
    move(memory, node, address, true, who);
}

bool obvious_use_buffer(struct obvious_memory *memory, struct obvious_node *node,
                        const struct obvious_request *request)
{
    for (uint32_t i = 0; node->buffer != NULL && i < OBVIOUS_SECTORS; i++) {
        uint64_t address = request->address + (uint64_t)i * OBVIOUS_SECTOR;
        if (!(request->sectors >> i & 1))
            continue;
        if (request->client == WM_CACHE_ATOMIC)
            operate(memory, node, address, &request->who);
        else
            spill(memory, node, address, &request->who);
    }
    if (node->buffer == NULL || request->client != WM_CACHE_ATOMIC)
        return false;
    obvious_count_above(&node->array, request);
    return true;
}

void obvious_spill_all(struct obvious_memory *memory)
{
    static const struct wm_requester unattributed = {0};
    for (uint32_t i = 0; i < memory->level_count; i++)
        for (uint32_t n = 0; n < memory->top_down[i]->node_count; n++) {
            struct obvious_node *node = &memory->top_down[i]->nodes[n];
            while (node->buffer != NULL && node->buffer->count > 0)
                spill(memory, node, node->buffer->sectors[0], &unattributed);
        }
}
