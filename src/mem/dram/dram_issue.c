// The timed form: which command goes when. A choice is made for the first cycle in which any
// command can go, and holds until something comes in or goes out; between such cycles nothing is
// looked at.
#include "mem/dram/dram_queue.h"
#include "mem/dram/dram_refresh.h"
#include "mem/dram/dram_ring.h"
#include "mem/dram/dram_timing.h"

// Orders of requests' commands, above those of refreshes'; of rows that nobody wants, above these.
#define ORDER_REQUESTS (UINT64_C(1) << 62)
#define ORDER_TIMEOUTS (UINT64_C(1) << 63)

static int bus_of(const struct wm_dram_channel *channel, bool is_column)
{
    return is_column && channel->spec.controller.two_command_buses ? WM_DRAM_COLUMN_BUS
                                                                   : WM_DRAM_ROW_BUS;
}

// --- Choosing ---

static void offer(struct wm_dram_channel *channel, uint64_t from, uint64_t ready,
                  enum wm_dram_command command, uint32_t bank, uint16_t index)
{
    const struct wm_dram_entry *entry = &channel->entries[index];
    bool is_column = command == WM_DRAM_READ || command == WM_DRAM_WRITE;
    int bus = bus_of(channel, is_column);
    struct wm_dram_choice *best = &channel->choice[bus];
    uint64_t cycle = wm_dram_later(wm_dram_later(ready, from), channel->bus_ready[bus]);
    if (cycle > best->cycle)
        return;
    uint64_t order = ORDER_REQUESTS;
    if (channel->scheduler->order) {
        struct wm_dram_candidate candidate = {
            .sequence = entry->sequence,
            .is_column = is_column,
            .is_activated = entry->is_activated,
            .turns = (bank + channel->banks - channel->last_bank - 1) & (channel->banks - 1),
        };
        order += channel->scheduler->order(&candidate);
    }
    if (cycle < best->cycle || order < best->order)
        *best = (struct wm_dram_choice){cycle, order, command, (uint16_t)bank, index};
}

static uint16_t older(const struct wm_dram_channel *channel, uint16_t a, uint16_t b)
{
    if (a == WM_DRAM_NONE || b == WM_DRAM_NONE)
        return a == WM_DRAM_NONE ? b : a;
    return channel->entries[a].sequence < channel->entries[b].sequence ? a : b;
}

// The oldest request of a bank that hits its open row, and the oldest that does not.
struct wanted {
    uint16_t hit, miss;
};

static bool uses_both(const struct wm_dram_channel *channel)
{
    return channel->spec.controller.queues == WM_DRAM_QUEUES_PER_BANK;
}

static struct wanted wanted_of(const struct wm_dram_channel *channel,
                               const struct wm_dram_bank *bank)
{
    const struct wm_dram_list *list = &bank->queue[channel->is_draining];
    struct wanted wanted = {list->hit, list->miss};
    if (uses_both(channel)) {
        const struct wm_dram_list *other = &bank->queue[!channel->is_draining];
        wanted.hit = older(channel, list->hit, other->hit);
        wanted.miss = older(channel, list->miss, other->miss);
    }
    return wanted;
}

static void consider_bank(struct wm_dram_channel *channel, uint64_t from, uint32_t index,
                          struct wanted wanted)
{
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    const struct wm_dram_scheduler_ops *scheduler = channel->scheduler;
    uint32_t cap = channel->spec.controller.hit_cap;
    if (!bank->open) {
        if (wanted.miss != WM_DRAM_NONE)
            offer(channel, from, wm_dram_activate_ready(channel, bank), WM_DRAM_ACTIVATE, index,
                  wanted.miss);
        return;
    }
    bool is_capped = cap != 0 && bank->hits >= cap && wanted.miss != WM_DRAM_NONE &&
                     older(channel, wanted.hit, wanted.miss) == wanted.miss;
    if (wanted.hit != WM_DRAM_NONE && !(is_capped && scheduler->cap_withholds)) {
        bool write = channel->entries[wanted.hit].write;
        offer(channel, from, wm_dram_column_ready(channel, bank, write),
              write ? WM_DRAM_WRITE : WM_DRAM_READ, index, wanted.hit);
    }
    if (wanted.miss != WM_DRAM_NONE &&
        (wanted.hit == WM_DRAM_NONE || !scheduler->hits_hold_row || is_capped))
        offer(channel, from, wm_dram_precharge_ready(channel, bank), WM_DRAM_PRECHARGE, index,
              wanted.miss);
}

// Banks of which requests may be chosen.
static uint64_t banks_with_requests(const struct wm_dram_channel *channel, uint32_t word)
{
    uint64_t banks = channel->has_queue[channel->is_draining][word];
    if (uses_both(channel))
        banks |= channel->has_queue[!channel->is_draining][word];
    if (channel->scheduler->activated_first)
        banks |= channel->activated_mask[word];
    return banks;
}

// The bank of the oldest request; alone has commands with fcfs.
static void consider_oldest(struct wm_dram_channel *channel, uint64_t from)
{
    uint16_t oldest = WM_DRAM_NONE;
    for (uint32_t word = 0; word < channel->mask_words; word++)
        for (uint64_t banks = banks_with_requests(channel, word); banks != 0; banks &= banks - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(banks);
            struct wanted wanted = wanted_of(channel, &channel->banks_state[index]);
            oldest = older(channel, oldest, older(channel, wanted.hit, wanted.miss));
        }
    if (oldest == WM_DRAM_NONE)
        return;
    uint32_t index = channel->entries[oldest].bank;
    struct wanted wanted = wanted_of(channel, &channel->banks_state[index]);
    if (wanted.hit == oldest)
        wanted.miss = WM_DRAM_NONE;
    else
        wanted.hit = WM_DRAM_NONE;
    if (!wm_dram_refresh_holds(channel, &channel->banks_state[index], index))
        consider_bank(channel, from, index, wanted);
}

static void consider_requests(struct wm_dram_channel *channel, uint64_t from)
{
    for (uint32_t word = 0; word < channel->mask_words; word++)
        for (uint64_t banks = banks_with_requests(channel, word); banks != 0; banks &= banks - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(banks);
            const struct wm_dram_bank *bank = &channel->banks_state[index];
            struct wanted wanted = {bank->activated, WM_DRAM_NONE};
            bool is_activated =
                channel->scheduler->activated_first && bank->activated != WM_DRAM_NONE;
            bool is_held = wm_dram_refresh_holds(channel, bank, index);
            if (is_held && !(channel->spec.controller.refresh_after_activated && is_activated))
                continue;
            if (!is_activated)
                wanted = wanted_of(channel, bank);
            consider_bank(channel, from, index, wanted);
        }
}

// Rows that no request wants, page_timeout cycles after they were used last.
static void consider_timeouts(struct wm_dram_channel *channel, uint64_t from)
{
    struct wm_dram_choice *best = &channel->choice[WM_DRAM_ROW_BUS];
    for (uint32_t word = 0; word < channel->mask_words; word++) {
        uint64_t banks = channel->open_mask[word] & ~channel->has_queue[WM_DRAM_READS][word] &
                         ~channel->has_queue[WM_DRAM_WRITES][word];
        for (; banks != 0; banks &= banks - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(banks);
            const struct wm_dram_bank *bank = &channel->banks_state[index];
            uint64_t ready = wm_dram_later(wm_dram_precharge_ready(channel, bank),
                                           bank->last_used + channel->spec.controller.page_timeout);
            ready = wm_dram_later(wm_dram_later(ready, from), channel->bus_ready[WM_DRAM_ROW_BUS]);
            if (ready < best->cycle)
                *best = (struct wm_dram_choice){ready, ORDER_TIMEOUTS, WM_DRAM_PRECHARGE,
                                                (uint16_t)index, WM_DRAM_NONE};
        }
    }
}

static void choose(struct wm_dram_channel *channel)
{
    if (channel->is_chosen)
        return;
    uint64_t from = channel->now;
    channel->is_chosen = true;
    for (int bus = 0; bus < WM_DRAM_BUSES; bus++)
        channel->choice[bus] = (struct wm_dram_choice){.cycle = WM_DRAM_NEVER};
    if (channel->owed_ranks != 0)
        wm_dram_refresh_consider(channel, wm_dram_later(from, channel->bus_ready[WM_DRAM_ROW_BUS]),
                                 &channel->choice[WM_DRAM_ROW_BUS]);
    if (channel->waiting != 0) {
        if (channel->scheduler->in_order)
            consider_oldest(channel, from);
        else
            consider_requests(channel, from);
    }
    if (channel->spec.controller.page == WM_DRAM_PAGE_TIMEOUT)
        consider_timeouts(channel, from);
}

// --- Issuing ---

static void serve(struct wm_dram_channel *channel, const struct wm_dram_choice *choice,
                  uint64_t cycle)
{
    struct wm_dram_channel_counters *counters = &channel->counters;
    struct wm_dram_entry entry = channel->entries[choice->entry];
    const struct wm_dram_bank *bank = &channel->banks_state[choice->bank];
    struct wm_dram_done done = {
        .token = entry.token,
        .cycle = cycle + channel->data_end[entry.write] + channel->spec.controller.latency,
        .write = entry.write,
    };
    counters->row_hits += entry.progress == WM_DRAM_CAME;
    counters->row_misses += entry.progress == WM_DRAM_OPENED;
    counters->row_conflicts += entry.progress == WM_DRAM_CLOSED_AND_OPENED;
    if (!entry.write)
        counters->read_cycles += done.cycle - entry.arrived;
    wm_dram_queue_remove(channel, choice->entry);
    bool closes = channel->spec.controller.page == WM_DRAM_PAGE_CLOSED &&
                  bank->queue[WM_DRAM_READS].hit == WM_DRAM_NONE &&
                  bank->queue[WM_DRAM_WRITES].hit == WM_DRAM_NONE;
    wm_dram_column(channel, cycle, &entry, closes);
    wm_dram_queue_update_drain(channel);
    if (channel->done)
        channel->done(channel->done_context, &done);
}

static void open_for(struct wm_dram_channel *channel, const struct wm_dram_choice *choice,
                     uint64_t cycle)
{
    struct wm_dram_entry *entry = &channel->entries[choice->entry];
    struct wm_dram_bank *bank = &channel->banks_state[choice->bank];
    if (entry->progress == WM_DRAM_CAME)
        entry->progress = bank->closed_for ? WM_DRAM_CLOSED_AND_OPENED : WM_DRAM_OPENED;
    if (channel->spec.controller.activated_leave_queue && !uses_both(channel) &&
        !entry->is_activated) {
        channel->held[entry->write]--;
        wm_dram_queue_update_drain(channel);
    }
    entry->is_activated = true;
    bank->activated = choice->entry;
    wm_dram_mask_set(channel->activated_mask, choice->bank, true);
    wm_dram_activate(channel, cycle, choice->bank, entry->row);
}

static void close_for(struct wm_dram_channel *channel, const struct wm_dram_choice *choice,
                      uint64_t cycle)
{
    struct wm_dram_bank *bank = &channel->banks_state[choice->bank];
    wm_dram_precharge(channel, cycle, choice->bank);
    bank->closed_for = choice->entry != WM_DRAM_NONE;
}

static void issue(struct wm_dram_channel *channel, int bus, uint64_t cycle)
{
    struct wm_dram_choice choice = channel->choice[bus];
    channel->bus_ready[bus] = cycle + 1;
    channel->is_chosen = false;
    if (choice.order < ORDER_REQUESTS) {
        wm_dram_refresh_issue(channel, &choice, cycle);
        return;
    }
    if (choice.entry != WM_DRAM_NONE)
        channel->last_bank = choice.bank;
    if (choice.command == WM_DRAM_ACTIVATE)
        open_for(channel, &choice, cycle);
    else if (choice.command == WM_DRAM_PRECHARGE)
        close_for(channel, &choice, cycle);
    else
        serve(channel, &choice, cycle);
}

// --- Time ---

// The next cycle in which a command goes or a request moves on to its bank.
static uint64_t next_action(struct wm_dram_channel *channel)
{
    choose(channel);
    uint64_t next = channel->choice[WM_DRAM_ROW_BUS].cycle;
    if (channel->choice[WM_DRAM_COLUMN_BUS].cycle < next)
        next = channel->choice[WM_DRAM_COLUMN_BUS].cycle;
    if (uses_both(channel) && next > channel->now && wm_dram_queue_can_move(channel))
        next = channel->now;
    return next;
}

// What happens in one cycle: a column command first, as it may free what a row command wants; then
// a request moves on, whose commands come in the next cycle at the earliest.
static void act(struct wm_dram_channel *channel, uint64_t cycle)
{
    channel->now = cycle;
    for (int bus = WM_DRAM_BUSES - 1; bus >= 0; bus--) {
        choose(channel);
        if (channel->choice[bus].cycle == cycle)
            issue(channel, bus, cycle);
    }
    if (uses_both(channel) && wm_dram_queue_can_move(channel)) {
        wm_dram_queue_move(channel);
        wm_dram_queue_update_drain(channel);
        channel->is_chosen = false;
    }
    channel->now = cycle + 1;
}

static bool any_open(const struct wm_dram_channel *channel)
{
    uint64_t open = 0;
    for (uint32_t word = 0; word < channel->mask_words; word++)
        open |= channel->open_mask[word];
    return open != 0;
}

static void advance(struct wm_dram_channel *channel, uint64_t until_cycle)
{
    if (channel->now <= until_cycle)
        while (channel->ring.count != 0)
            wm_dram_ring_tell(channel);
    while (channel->now <= until_cycle) {
        if (channel->waiting == 0 && channel->owed_ranks == 0 && !any_open(channel) &&
            channel->log == NULL)
            wm_dram_refresh_skip(channel, until_cycle);
        uint64_t next = next_action(channel);
        if (channel->refresh_due <= next && channel->refresh_due <= until_cycle) {
            channel->now = wm_dram_later(channel->now, channel->refresh_due);
            wm_dram_refresh_note_due(channel, channel->now);
            channel->is_chosen = false;
            continue;
        }
        if (next > until_cycle)
            break;
        act(channel, next);
    }
    // Choices are of the first cycle that is possible from `now` on, which stays the same.
    channel->now = wm_dram_later(channel->now, until_cycle + 1);
}

static uint64_t next_cycle(struct wm_dram_channel *channel)
{
    if (channel->ring.count != 0)
        return channel->now;
    if (channel->waiting == 0)
        return WM_DRAM_NEVER;
    uint64_t next = next_action(channel);
    return wm_dram_later(channel->now, next < channel->refresh_due ? next : channel->refresh_due);
}

static bool has_room(const struct wm_dram_channel *channel, bool write)
{
    const struct wm_dram_controller *controller = &channel->spec.controller;
    return channel->held[write] < (write ? controller->write_queue : controller->read_queue) &&
           channel->ring.count < channel->ring_entries;
}

// A write that waits has the newest data: a read of it is served from it, a write replaces it.
static bool met_write(struct wm_dram_channel *channel, const struct wm_dram_entry *entry)
{
    if (channel->in_queue[WM_DRAM_WRITES] + channel->in_waiting[WM_DRAM_WRITES] == 0 ||
        wm_dram_queue_find_write(channel, entry->bank, entry->row, entry->column) == WM_DRAM_NONE)
        return false;
    struct wm_dram_transfer transfer = {
        .token = entry->token,
        .start = entry->arrived,
        .end = entry->arrived + 1 + channel->spec.controller.latency,
        .write = entry->write,
    };
    wm_dram_ring_push(channel, &transfer);
    if (entry->write)
        channel->counters.merged_writes++;
    else
        channel->counters.forwarded_reads++;
    return true;
}

static void add(struct wm_dram_channel *channel, uint64_t cycle,
                const struct wm_dram_request *request)
{
    struct wm_dram_place place = wm_dram_map_place(&channel->map, request->address);
    const struct wm_dram_organisation *organisation = &channel->spec.organisation;
    uint32_t bank =
        (place.field[WM_DRAM_RANK] * organisation->bank_groups + place.field[WM_DRAM_BANK_GROUP]) *
            organisation->banks +
        place.field[WM_DRAM_BANK];
    struct wm_dram_entry entry = {
        .token = request->token,
        .arrived = cycle,
        .sequence = channel->sequence++,
        .row = place.field[WM_DRAM_ROW],
        .column = place.field[WM_DRAM_COLUMN],
        .bank = (uint16_t)bank,
        .write = request->write,
    };
    if (met_write(channel, &entry))
        return;
    wm_dram_queue_append(channel, &entry);
    wm_dram_queue_update_drain(channel);
    channel->is_chosen = false;
}

static void reset(struct wm_dram_channel *channel)
{
    wm_dram_queue_reset(channel);
    wm_dram_refresh_reset(channel);
    // So that bank 0 is the first to have its turn.
    channel->last_bank = channel->banks - 1;
}

const struct wm_dram_channel_form wm_dram_timed_form = {
    .has_room = has_room,
    .add = add,
    .next = next_cycle,
    .advance = advance,
    .reset = reset,
};
