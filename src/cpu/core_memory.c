// The memory side of a core: what it sends of its window and its store buffer, and when.
#include "cpu/core_state.h"

#include <assert.h>

// --- What an operation touches ---

// The next part of an operation of which `unsent` have not been sent.
static struct wm_core_request part_of(const struct wm_core *core, uint64_t address, uint32_t bytes,
                                      uint32_t unsent)
{
    uint32_t parts = wm_core_parts(core, address, bytes);
    uint32_t first = core->line_bytes - (uint32_t)(address & (core->line_bytes - 1));
    struct wm_core_request access = {
        .address = address, .bytes = bytes, .parts = parts, .part = parts - unsent};
    if (parts == 2 && unsent == 2)
        access.bytes = first;
    if (parts == 2 && unsent == 1) {
        access.address += first;
        access.bytes -= first;
    }
    return access;
}

void wm_core_count_read(struct wm_core *core, uint64_t address, uint32_t bytes, uint32_t change)
{
    uint64_t line = address >> core->line_shift;
    core->lines_read[wm_core_hash(line)] += change;
    if (wm_core_parts(core, address, bytes) == 2)
        core->lines_read[wm_core_hash(line + 1)] += change;
}

enum { WORD_SHIFT = 3 };

static void count_written(struct wm_core *core, const struct wm_core_store *store, uint32_t change)
{
    uint64_t last = (store->address + store->bytes - 1) >> WORD_SHIFT;
    for (uint64_t word = store->address >> WORD_SHIFT; word <= last; word++)
        core->words_written[wm_core_hash(word)] += change;
}

// False: no store of the store buffer writes any of the load's bytes.
static bool may_be_written(const struct wm_core *core, const struct wm_core_entry *load)
{
    uint64_t last = (load->address + load->bytes - 1) >> WORD_SHIFT;
    for (uint64_t word = load->address >> WORD_SHIFT; word <= last; word++)
        if (core->words_written[wm_core_hash(word)] != 0)
            return true;
    return false;
}

// --- The store buffer ---

void wm_core_add_store(struct wm_core *core, const struct wm_core_operation *op, uint64_t number)
{
    struct wm_core_store *store = wm_core_store_at(core, core->end_store++);
    *store = (struct wm_core_store){.address = op->address,
                                    .number = number,
                                    .bytes = op->bytes,
                                    .pc = op->pc,
                                    .unsent = (uint8_t)wm_core_parts(core, op->address, op->bytes)};
    count_written(core, store, 1);
}

static bool is_written(const struct wm_core_store *store, uint64_t cycle)
{
    return store->unsent == 0 && store->underway == 0 && store->written <= cycle;
}

void wm_core_write_stores(struct wm_core *core, uint64_t cycle)
{
    while (core->first_store != core->sent_store &&
           is_written(wm_core_store_at(core, core->first_store), cycle)) {
        count_written(core, wm_core_store_at(core, core->first_store), UINT32_MAX);
        core->first_store++;
    }
}

static bool may_send_store(const struct wm_core *core)
{
    return core->sent_store != core->retired_store &&
           core->sent_store - core->first_store < core->spec.stores_in_flight;
}

// Sends parts until none is left, or one has to come again.
static enum wm_core_sent send_parts(struct wm_core *core, struct wm_core_request *access,
                                    uint8_t *unsent, uint8_t *underway, uint64_t *last,
                                    uint64_t cycle)
{
    const uint64_t address = access->address;
    const uint32_t bytes = access->bytes;
    while (*unsent != 0) {
        struct wm_core_request part = part_of(core, address, bytes, *unsent);
        struct wm_core_answer answer = {0};
        part.kind = access->kind;
        part.pc = access->pc;
        part.tag = access->tag;
        enum wm_core_sent sent = core->port.send(core->port.context, &part, cycle, &answer);
        if (sent != WM_CORE_SENT)
            return sent;
        --*unsent;
        *underway = (uint8_t)(*underway + answer.completions);
        if (answer.completions == 0)
            *last = answer.done > *last ? answer.done : *last;
    }
    return WM_CORE_SENT;
}

void wm_core_send_stores(struct wm_core *core, uint64_t cycle)
{
    while (may_send_store(core) && !core->stores_blocked) {
        uint32_t at = core->sent_store & core->store_mask;
        struct wm_core_store *store = &core->stores[at];
        struct wm_core_request access = {.kind = WM_CPU_STORE,
                                         .address = store->address,
                                         .bytes = store->bytes,
                                         .pc = store->pc,
                                         .tag = at | (uint32_t)WM_CORE_STORE_TAG};
        enum wm_core_sent sent =
            send_parts(core, &access, &store->unsent, &store->underway, &store->written, cycle);
        core->stores_blocked = sent == WM_CORE_BLOCKED;
        if (sent != WM_CORE_SENT)
            return;
        core->sent_store++;
    }
}

// --- The window ---

static enum wm_core_sent send_entry(struct wm_core *core, struct wm_core_entry *entry,
                                    uint64_t cycle)
{
    struct wm_core_request access = {.kind = (enum wm_core_kind)entry->kind,
                                     .address = entry->address,
                                     .bytes = entry->bytes,
                                     .pc = entry->pc,
                                     .tag = (uint32_t)(entry - core->entries)};
    return send_parts(core, &access, &entry->unsent, &entry->underway, &entry->ready, cycle);
}

void wm_core_send_locked(struct wm_core *core, struct wm_core_entry *entry, uint64_t cycle)
{
    if (entry->unsent != 0 && core->first_store == core->retired_store && !core->locked_blocked)
        core->locked_blocked = send_entry(core, entry, cycle) == WM_CORE_BLOCKED;
}

// The youngest of the older stores that writes some of a load's bytes, or NULL.
static const struct wm_core_store *store_before(const struct wm_core *core,
                                                const struct wm_core_entry *load)
{
    uint64_t end = load->address + load->bytes;
    if (!may_be_written(core, load))
        return NULL;
    for (uint32_t at = core->end_store; at != core->first_store; at--) {
        const struct wm_core_store *store = wm_core_store_at(core, at - 1);
        if (store->number < load->number && store->address < end &&
            load->address < store->address + store->bytes)
            return store;
    }
    return NULL;
}

// A part of it may be on its way: then no older store writes any of its bytes.
static bool is_unsent(const struct wm_core *core, const struct wm_core_entry *load)
{
    return load->unsent == wm_core_parts(core, load->address, load->bytes);
}

// Whether the load has its data from a store, or `*waits` until one has been written.
static bool forward(struct wm_core *core, struct wm_core_entry *load, uint64_t cycle, bool *waits)
{
    const struct wm_core_store *store = is_unsent(core, load) ? store_before(core, load) : NULL;
    *waits = false;
    if (store == NULL)
        return false;
    bool whole = store->address <= load->address &&
                 load->address + load->bytes <= store->address + store->bytes;
    *waits = !whole;
    if (!whole)
        return false;
    load->unsent = 0;
    load->forwarded = true;
    load->ready = cycle + core->spec.forward_latency;
    return true;
}

void wm_core_send_loads(struct wm_core *core, uint64_t cycle)
{
    if ((int32_t)(core->first - core->send) > 0)
        core->send = core->first;
    for (; core->send != core->end && !core->loads_blocked; core->send++) {
        struct wm_core_entry *entry = wm_core_entry_at(core, core->send);
        bool waits;
        if (entry->kind == WM_CPU_FENCE || entry->kind == WM_CPU_LOCKED)
            return;
        if (entry->kind != WM_CPU_LOAD)
            continue;
        if (forward(core, entry, cycle, &waits))
            continue;
        if (waits)
            return;
        enum wm_core_sent sent = send_entry(core, entry, cycle);
        core->loads_blocked = sent == WM_CORE_BLOCKED;
        if (sent != WM_CORE_SENT)
            return;
    }
}

// --- Time ---

// A load that waits for a store is sent when that has been written, what is behind a fence when
// that has retired.
static uint64_t next_load(const struct wm_core *core, uint64_t cycle)
{
    if (core->send == core->end || core->loads_blocked)
        return WM_NEVER;
    const struct wm_core_entry *entry = wm_core_entry_at(core, core->send);
    bool waits =
        entry->kind != WM_CPU_LOAD || (is_unsent(core, entry) && store_before(core, entry) != NULL);
    return waits ? WM_NEVER : cycle;
}

uint64_t wm_core_memory_next(const struct wm_core *core, uint64_t cycle)
{
    uint64_t next = next_load(core, cycle);
    if (may_send_store(core) && !core->stores_blocked)
        next = cycle;
    if (core->first_store == core->sent_store)
        return next;
    const struct wm_core_store *store = wm_core_store_at(core, core->first_store);
    if (store->unsent == 0 && store->underway == 0)
        next = wm_earlier(next, store->written > cycle ? store->written : cycle);
    return next;
}
