#include "cpu/core_state.h"

#include "base/containers/array.h"
#include "base/containers/ring.h"

#include <assert.h>
#include <stdlib.h>

// --- Making, beginning ---

enum wm_status wm_core_init(struct wm_core *core, const struct wm_core_spec *spec,
                            uint32_t line_bytes, const struct wm_core_port *port,
                            struct wm_error *error)
{
    *core = (struct wm_core){
        .spec = *spec, .port = *port, .line_bytes = line_bytes, .due = WM_NEVER, .ended = true};
    core->line_shift = (uint32_t)__builtin_ctz(line_bytes);
    core->mask = wm_ring_length(spec->window) - 1;
    core->store_mask = wm_ring_length(spec->store_buffer) - 1;
    WM_TRY(WM_ARRAY_NEW(core->entries, core->mask + UINT64_C(1), error, "a CPU core"));
    return WM_ARRAY_NEW(core->stores, core->store_mask + UINT64_C(1), error, "a CPU core");
}

void wm_core_release(struct wm_core *core)
{
    free(core->entries);
    free(core->stores);
    core->entries = NULL;
    core->stores = NULL;
}

void wm_core_begin(struct wm_core *core, const struct wm_core_source *source, uint64_t cycle)
{
    wm_core_abandon(core);
    core->source = *source;
    core->running = true;
    core->ended = false;
    core->cycle = core->due = cycle;
    core->dispatched = core->retired = 0;
}

void wm_core_abandon(struct wm_core *core)
{
    core->first = core->send = core->end;
    core->first_store = core->sent_store = core->retired_store = core->end_store;
    for (uint32_t i = 0; i < WM_CORE_FILTER; i++)
        core->words_written[i] = core->lines_read[i] = 0;
    core->loads_blocked = core->stores_blocked = core->locked_blocked = core->has_old = false;
    core->has_next = core->running = false;
    core->in_window = core->loads = 0;
    core->plain_left = core->passed = core->dispatched_now = 0;
    core->stalled = NULL;
    core->ended = true;
    core->due = WM_NEVER;
}

// --- Retiring ---

static bool is_complete(struct wm_core *core, struct wm_core_entry *entry, uint64_t cycle)
{
    if (entry->kind == WM_CPU_FENCE)
        return entry->ready <= cycle && core->first_store == core->retired_store;
    if (entry->kind == WM_CPU_LOCKED)
        wm_core_send_locked(core, entry, cycle);
    return entry->unsent == 0 && entry->underway == 0 && entry->ready <= cycle;
}

static void report_load(const struct wm_core *core, const struct wm_core_entry *entry)
{
    const struct wm_core_load load = {.pc = entry->pc,
                                      .tag = (uint32_t)(entry - core->entries),
                                      .cycles = entry->ready - entry->dispatched};
    if (core->port.loaded != NULL)
        core->port.loaded(core->port.context, &load);
}

static void count_retired(struct wm_core *core, const struct wm_core_entry *entry)
{
    struct wm_core_counters *counters = &core->counters;
    counters->instructions += entry->count;
    switch ((enum wm_core_kind)entry->kind) {
    case WM_CPU_LOAD:
        counters->loads++;
        counters->load_cycles += entry->ready - entry->dispatched;
        counters->forwarded += entry->forwarded;
        report_load(core, entry);
        wm_core_count_read(core, entry->address, entry->bytes, UINT32_MAX);
        core->loads--;
        break;
    case WM_CPU_STORE:
        counters->stores++;
        core->retired_store++;
        break;
    case WM_CPU_LOCKED:
        counters->locked++;
        counters->locked_cycles += entry->ready - entry->dispatched;
        report_load(core, entry);
        break;
    case WM_CPU_FENCE: counters->fences++; return;
    case WM_CPU_PLAIN: return;
    }
    core->retired++;
}

// Plain instructions of one entry may retire in several cycles.
static void retire(struct wm_core *core, uint64_t cycle)
{
    for (uint32_t left = core->spec.width; left != 0 && core->first != core->end;) {
        struct wm_core_entry *entry = wm_core_entry_at(core, core->first);
        if (!is_complete(core, entry, cycle))
            return;
        bool plain = entry->kind == WM_CPU_PLAIN;
        uint32_t places = plain ? (entry->count < left ? entry->count : left) : 1;
        left -= places;
        core->in_window -= places;
        if (plain && places < entry->count) {
            entry->count -= places;
            core->counters.instructions += places;
            return;
        }
        count_retired(core, entry);
        core->first++;
    }
}

// --- Dispatching ---

// An entry that is complete in the next cycle, unless it is sent to memory.
static struct wm_core_entry *add_entry(struct wm_core *core, enum wm_core_kind kind, uint32_t count,
                                       uint64_t cycle)
{
    struct wm_core_entry *entry = wm_core_entry_at(core, core->end++);
    *entry = (struct wm_core_entry){
        .kind = (uint8_t)kind, .count = count, .dispatched = cycle, .ready = cycle + 1};
    return entry;
}

static void dispatch_plain(struct wm_core *core, uint32_t count, uint64_t cycle)
{
    struct wm_core_entry *last =
        core->first != core->end ? wm_core_entry_at(core, core->end - 1) : NULL;
    if (last != NULL && last->kind == WM_CPU_PLAIN && last->dispatched == cycle)
        last->count += count;
    else
        (void)add_entry(core, WM_CPU_PLAIN, count, cycle);
    core->in_window += count;
    core->plain_left -= count;
}

static void dispatch_operation(struct wm_core *core, uint64_t cycle)
{
    const struct wm_core_operation *op = &core->next;
    struct wm_core_entry *entry = add_entry(core, op->kind, !op->continues, cycle);
    entry->address = op->address;
    entry->bytes = op->bytes;
    entry->pc = op->pc;
    entry->number = core->dispatched;
    core->in_window++;
    core->has_next = false;
    if (op->kind == WM_CPU_FENCE)
        return;
    core->dispatched++;
    if (op->kind == WM_CPU_STORE)
        wm_core_add_store(core, op, entry->number);
    else
        entry->unsent = (uint8_t)wm_core_parts(core, op->address, op->bytes);
    if (op->kind != WM_CPU_LOAD)
        return;
    core->loads++;
    wm_core_count_read(core, op->address, op->bytes, 1);
}

static bool take_next(struct wm_core *core)
{
    struct wm_core_operation *op = &core->next;
    *op = (struct wm_core_operation){.instructions = 0};
    switch (core->source.next(core->source.context, op)) {
    case WM_CORE_WAITS:
        core->plain_left = op->instructions;
        if (core->plain_left == 0)
            core->stalled = &core->counters.stalled_order;
        return core->plain_left != 0;
    case WM_CORE_ENDED:
        core->ended = true;
        core->plain_left = op->instructions;
        return core->plain_left != 0;
    case WM_CORE_NEXT: break;
    }
    assert(op->kind == WM_CPU_FENCE || op->bytes != 0);
    core->has_next = true;
    // The last of them makes the access itself.
    core->plain_left = op->instructions - (op->continues || op->instructions == 0 ? 0 : 1);
    return true;
}

// The counter of a cycle without a dispatch, for want of what `resource` counts.
static uint64_t *reason_of(struct wm_core *core, uint64_t *resource)
{
    uint8_t oldest = core->first != core->end ? wm_core_entry_at(core, core->first)->kind
                                              : (uint8_t)WM_CPU_PLAIN;
    if (oldest == WM_CPU_FENCE)
        return &core->counters.stalled_fence;
    return oldest == WM_CPU_LOCKED ? &core->counters.stalled_locked : resource;
}

// What the next operation lacks, or NULL.
static uint64_t *lack(struct wm_core *core)
{
    struct wm_core_counters *counters = &core->counters;
    if (core->in_window == core->spec.window)
        return reason_of(core, &counters->stalled_window);
    if (core->plain_left != 0)
        return NULL;
    if (core->next.kind == WM_CPU_LOAD && core->loads == core->spec.load_queue)
        return reason_of(core, &counters->stalled_load_queue);
    if (core->next.kind == WM_CPU_STORE &&
        core->end_store - core->first_store == core->spec.store_buffer)
        return reason_of(core, &counters->stalled_store_buffer);
    return NULL;
}

static void dispatch(struct wm_core *core, uint64_t cycle)
{
    uint32_t left = core->spec.width;
    core->stalled = NULL;
    while (left != 0) {
        if (!core->has_next && core->plain_left == 0 && (core->ended || !take_next(core)))
            break;
        core->stalled = lack(core);
        if (core->stalled != NULL)
            break;
        if (core->plain_left == 0) {
            dispatch_operation(core, cycle);
            left--;
            continue;
        }
        uint32_t room = core->spec.window - core->in_window;
        uint32_t count = room < left ? room : left;
        count = core->plain_left < count ? (uint32_t)core->plain_left : count;
        dispatch_plain(core, count, cycle);
        left -= count;
    }
    core->dispatched_now = core->spec.width - left;
}

// --- Time ---

// Where plain instructions alone are in the window and come next, each cycle is as the one before:
// for how many, of those behind `cycle`.
static uint64_t plain_cycles(const struct wm_core *core, uint64_t cycle)
{
    bool alone = core->first + 1 == core->end && core->first_store == core->end_store;
    if (!alone || core->plain_left == 0)
        return 0;
    const struct wm_core_entry *entry = wm_core_entry_at(core, core->first);
    bool steady = entry->kind == WM_CPU_PLAIN && entry->dispatched == cycle &&
                  entry->count == core->dispatched_now;
    return steady ? (core->plain_left - 1) / entry->count : 0;
}

// The cycles behind the last step and before `cycle`, in which nothing changed but that.
static void pass(struct wm_core *core, uint64_t cycle)
{
    uint64_t cycles = cycle - core->cycle;
    uint64_t passed = cycles < core->passed ? cycles : core->passed;
    if (passed != 0) {
        struct wm_core_entry *entry = wm_core_entry_at(core, core->first);
        core->counters.instructions += passed * entry->count;
        core->plain_left -= passed * entry->count;
        entry->dispatched += passed;
        entry->ready += passed;
    }
    if (core->stalled != NULL)
        *core->stalled += cycles - passed;
    core->counters.cycles += cycles;
    core->passed = 0;
}

// When the oldest of the window may retire, or, of a locked operation, be sent; WM_NEVER: not
// known.
static uint64_t next_retirement(const struct wm_core *core)
{
    if (core->first == core->end)
        return WM_NEVER;
    const struct wm_core_entry *oldest = wm_core_entry_at(core, core->first);
    bool unwritten = core->first_store != core->retired_store, waits;
    if (oldest->kind == WM_CPU_FENCE)
        waits = unwritten;
    else if (oldest->kind == WM_CPU_LOCKED && oldest->unsent != 0)
        waits = unwritten || core->locked_blocked;
    else
        waits = oldest->unsent != 0 || oldest->underway != 0;
    if (waits)
        return WM_NEVER;
    return oldest->ready > core->cycle && oldest->unsent == 0 ? oldest->ready : core->cycle;
}

static uint64_t next_cycle(const struct wm_core *core)
{
    uint64_t next = wm_earlier(wm_core_memory_next(core, core->cycle), next_retirement(core));
    if (core->has_old)
        return core->cycle;
    bool dispatches = core->stalled == NULL && (!core->ended || core->plain_left != 0);
    return dispatches ? core->cycle : next;
}

void wm_core_run_cycle(struct wm_core *core, uint64_t cycle)
{
    assert(cycle >= core->cycle);
    if (!core->running)
        return;
    pass(core, cycle);
    wm_core_write_stores(core, cycle);
    if (core->has_old)
        wm_core_make_again(core);
    retire(core, cycle);
    wm_core_send_stores(core, cycle);
    dispatch(core, cycle);
    wm_core_send_loads(core, cycle);
    core->cycle = cycle + 1;
    core->running = !core->ended || core->plain_left != 0 || core->first != core->end ||
                    core->first_store != core->end_store;
    core->due = WM_NEVER;
    if (!core->running)
        return;
    core->counters.cycles++;
    if (core->stalled != NULL && core->dispatched_now == 0)
        ++*core->stalled;
    core->passed = plain_cycles(core, cycle);
    core->due = core->passed != 0 ? core->cycle + core->passed : next_cycle(core);
}

// --- From outside ---

void wm_core_complete(struct wm_core *core, uint32_t tag, uint64_t cycle)
{
    bool is_store = (tag & (uint32_t)WM_CORE_STORE_TAG) != 0;
    if (!core->running)
        return;
    if (is_store) {
        struct wm_core_store *store = &core->stores[tag & core->store_mask];
        store->underway--;
        store->written = cycle > store->written ? cycle : store->written;
    } else {
        struct wm_core_entry *entry = &core->entries[tag];
        entry->underway--;
        entry->ready = cycle > entry->ready ? cycle : entry->ready;
    }
    wm_core_wake(core, cycle);
}

void wm_core_unblock(struct wm_core *core, uint64_t cycle)
{
    if (!core->loads_blocked && !core->stores_blocked && !core->locked_blocked)
        return;
    core->loads_blocked = core->stores_blocked = core->locked_blocked = false;
    wm_core_wake(core, cycle);
}

void wm_core_wake(struct wm_core *core, uint64_t cycle)
{
    uint64_t from = cycle > core->cycle ? cycle : core->cycle;
    if (core->running)
        core->due = wm_earlier(core->due, from);
}

uint64_t wm_core_operations_done(const struct wm_core *core)
{
    if (core->first_store == core->end_store)
        return core->retired;
    uint64_t unwritten = wm_core_store_at(core, core->first_store)->number;
    return unwritten < core->retired ? unwritten : core->retired;
}
