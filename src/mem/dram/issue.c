// The timed form: which command goes when. A choice is made for the first cycle in which any
// command can go, and holds until something comes in or goes out; between such cycles nothing is
// looked at.
#include "mem/dram/next_command.h"
#include "mem/dram/queue.h"
#include "mem/dram/refresh.h"
#include "mem/dram/timing.h"
#include "mem/dram/transfer_ring.h"

// Orders of requests' commands, above those of refreshes'; of rows that no request needs, above
// these.
#define ORDER_REQUESTS (UINT64_C(1) << 62)
#define ORDER_TIMEOUTS (UINT64_C(1) << 63)

// --- Choosing ---

// The best so far of one command bus: the earliest cycle, then the lowest order. As one number, so
// that it is compared and kept without a branch: which is better follows no pattern.
typedef unsigned __int128 joint_key;

struct best {
    joint_key cycle_order;
    uint32_t bank_command; // bank and command: 8 bits of it
};

static inline joint_key joined(uint64_t cycle, uint64_t order)
{
    return (joint_key)cycle << 64 | order;
}

static inline void hold_against(struct best *best, uint64_t cycle, uint64_t order, uint32_t bank,
                                enum wm_dram_command command)
{
    joint_key mine = joined(cycle, order);
    bool is_better = mine < best->cycle_order;
    best->cycle_order = is_better ? mine : best->cycle_order;
    best->bank_command = is_better ? bank << 8 | (uint32_t)command : best->bank_command;
}

static inline uint64_t order_in(const struct wm_dram_channel *channel, uint32_t bank,
                                uint64_t order)
{
    if (channel->scheduler->in_turns)
        order |= (uint64_t)((bank + channel->banks - channel->last_bank - 1) & (channel->banks - 1))
                 << 48;
    return ORDER_REQUESTS + order;
}

// Each takes the banks of a mask, which start at `first` and are of one rank; none of them can go
// before `from`.
static inline void hold_columns_against(const struct wm_dram_channel *channel, uint64_t banks,
                                        uint32_t first, uint64_t from,
                                        const struct wm_dram_rank *rank, struct best *best)
{
    for (; banks != 0; banks &= banks - 1) {
        uint32_t index = first + (uint32_t)__builtin_ctzll(banks);
        const struct wm_dram_next_command *next_commands = &channel->next_commands[index];
        const struct wm_dram_group *group = &channel->groups_state[next_commands->group];
        uint64_t ready = wm_dram_later(
            wm_dram_later(from, next_commands->column_ready),
            wm_dram_later(group->column[next_commands->write], rank->column[next_commands->write]));
        hold_against(best, ready, order_in(channel, index, next_commands->column_order), index,
                     next_commands->write ? WM_DRAM_WRITE : WM_DRAM_READ);
    }
}

static inline void hold_activates_against(const struct wm_dram_channel *channel, uint64_t banks,
                                          uint32_t first, uint64_t from, struct best *best)
{
    if (from > (uint64_t)(best->cycle_order >> 64))
        return;
    for (; banks != 0; banks &= banks - 1) {
        uint32_t index = first + (uint32_t)__builtin_ctzll(banks);
        const struct wm_dram_next_command *next_commands = &channel->next_commands[index];
        uint64_t ready = wm_dram_later(wm_dram_later(from, next_commands->row_ready),
                                       channel->groups_state[next_commands->group].activate);
        hold_against(best, ready, order_in(channel, index, next_commands->row_order), index,
                     WM_DRAM_ACTIVATE);
    }
}

static inline void hold_precharges_against(const struct wm_dram_channel *channel, uint64_t banks,
                                           uint32_t first, uint64_t from, struct best *best)
{
    if (from > (uint64_t)(best->cycle_order >> 64))
        return;
    for (; banks != 0; banks &= banks - 1) {
        uint32_t index = first + (uint32_t)__builtin_ctzll(banks);
        const struct wm_dram_next_command *next_commands = &channel->next_commands[index];
        hold_against(best, wm_dram_later(from, next_commands->row_ready),
                     order_in(channel, index, next_commands->row_order), index, WM_DRAM_PRECHARGE);
    }
}

static uint64_t bus_from(const struct wm_dram_channel *channel, int bus)
{
    return wm_dram_later(channel->now, channel->bus_ready[bus]);
}

static struct best best_of(const struct wm_dram_choice *choice)
{
    return (struct best){joined(choice->cycle, choice->order), 0};
}

// What was chosen before stays when nothing is better.
static void take_best(struct wm_dram_channel *channel, int bus, const struct best *best)
{
    struct wm_dram_choice *choice = &channel->choice[bus];
    if (best->cycle_order == joined(choice->cycle, choice->order))
        return;
    enum wm_dram_command command = (enum wm_dram_command)(best->bank_command & 0xff);
    const struct wm_dram_next_command *next_commands =
        &channel->next_commands[best->bank_command >> 8];
    bool is_column = command == WM_DRAM_READ || command == WM_DRAM_WRITE;
    *choice =
        (struct wm_dram_choice){(uint64_t)(best->cycle_order >> 64), (uint64_t)best->cycle_order,
                                command, (uint16_t)(best->bank_command >> 8),
                                is_column ? next_commands->column_entry : next_commands->row_entry};
}

// Which commands are looked at: a bus's choice is of all that go over it.
struct classes {
    bool rows, columns;
};

// Banks of one word of the masks, which begin at `first`: what of them is in `within`.
static void consider_span(const struct wm_dram_channel *channel, uint32_t first, uint64_t within,
                          struct classes classes, const uint64_t from[WM_DRAM_BUSES],
                          struct best best[WM_DRAM_BUSES])
{
    uint32_t word = first / 64, start = word * 64;
    const struct wm_dram_rank *rank = &channel->ranks_state[first / channel->banks_a_rank];
    int column_bus = channel->column_bus;
    if (classes.columns)
        hold_columns_against(channel, channel->wants_column[word] & within, start, from[column_bus],
                             rank, &best[column_bus]);
    if (!classes.rows)
        return;
    hold_precharges_against(channel, channel->wants_precharge[word] & within, start,
                            wm_dram_later(from[WM_DRAM_ROW_BUS], rank->precharge),
                            &best[WM_DRAM_ROW_BUS]);
    hold_activates_against(channel, channel->wants_activate[word] & within, start,
                           wm_dram_later(from[WM_DRAM_ROW_BUS], rank->activate),
                           &best[WM_DRAM_ROW_BUS]);
}

// All banks; or `bank` alone.
static void consider_requests(struct wm_dram_channel *channel, int64_t bank, struct classes classes)
{
    const uint64_t from[WM_DRAM_BUSES] = {bus_from(channel, WM_DRAM_ROW_BUS),
                                          bus_from(channel, WM_DRAM_COLUMN_BUS)};
    struct best best[WM_DRAM_BUSES] = {best_of(&channel->choice[WM_DRAM_ROW_BUS]),
                                       best_of(&channel->choice[WM_DRAM_COLUMN_BUS])};
    uint64_t all = UINT64_MAX >> (64 - channel->span);
    if (bank >= 0)
        consider_span(channel, (uint32_t)bank, UINT64_C(1) << bank % 64, classes, from, best);
    else
        for (uint32_t first = 0; first < channel->banks; first += channel->span)
            consider_span(channel, first, all << first % 64, classes, from, best);
    take_best(channel, WM_DRAM_ROW_BUS, &best[WM_DRAM_ROW_BUS]);
    take_best(channel, WM_DRAM_COLUMN_BUS, &best[WM_DRAM_COLUMN_BUS]);
}

// Of fcfs, the one bank whose request is the oldest: a bank then needs one command alone.
static void consider_oldest(struct wm_dram_channel *channel)
{
    uint64_t oldest = UINT64_MAX;
    uint32_t bank = 0;
    for (uint32_t word = 0; word < channel->mask_words; word++) {
        uint64_t columns = channel->wants_column[word];
        uint64_t rows = channel->wants_precharge[word] | channel->wants_activate[word];
        for (uint64_t banks = columns | rows; banks != 0; banks &= banks - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(banks);
            const struct wm_dram_next_command *next_commands = &channel->next_commands[index];
            uint64_t order =
                banks & -banks & columns ? next_commands->column_order : next_commands->row_order;
            if (order < oldest)
                oldest = order, bank = index;
        }
    }
    if (oldest != UINT64_MAX)
        consider_requests(channel, bank, (struct classes){true, true});
}

static struct classes chosen_classes(const struct wm_dram_channel *channel)
{
    return (struct classes){channel->is_chosen[WM_DRAM_ROW_BUS],
                            channel->is_chosen[channel->column_bus]};
}

// Something of one bank alone has changed: what is chosen of others stays so, or what that bank
// needs now is before it.
static void consider_changed(struct wm_dram_channel *channel, uint32_t bank)
{
    for (int bus = 0; bus < WM_DRAM_BUSES; bus++)
        if (channel->scheduler->in_order || channel->choice[bus].bank == bank)
            channel->is_chosen[bus] = false;
    struct classes classes = chosen_classes(channel);
    if (!classes.rows && !classes.columns)
        return;
    wm_dram_next_commands_update(channel);
    classes.rows = classes.rows && (wm_dram_mask_has(channel->wants_precharge, bank) ||
                                    wm_dram_mask_has(channel->wants_activate, bank));
    classes.columns = classes.columns && wm_dram_mask_has(channel->wants_column, bank);
    if (classes.rows || classes.columns)
        consider_requests(channel, bank, classes);
}

// Rows that no request needs, page_timeout cycles after they were used last.
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

// Makes those choices that are no longer true.
static void choose_anew(struct wm_dram_channel *channel)
{
    struct classes chosen = chosen_classes(channel);
    struct classes classes = {!chosen.rows, !chosen.columns};
    // The oldest of all is one command, of whichever bus.
    if (channel->scheduler->in_order)
        classes.rows = classes.columns = true;
    for (int bus = 0; bus < WM_DRAM_BUSES; bus++) {
        if (bus == WM_DRAM_ROW_BUS ? classes.rows : classes.columns)
            channel->choice[bus] =
                (struct wm_dram_choice){.cycle = WM_DRAM_NEVER, .bank = WM_DRAM_NONE};
        channel->is_chosen[bus] = true;
    }
    if (classes.rows && channel->owed_ranks != 0)
        wm_dram_refresh_consider(channel, bus_from(channel, WM_DRAM_ROW_BUS),
                                 &channel->choice[WM_DRAM_ROW_BUS]);
    wm_dram_next_commands_update(channel);
    if (channel->scheduler->in_order)
        consider_oldest(channel);
    else
        consider_requests(channel, -1, classes);
    if (classes.rows && channel->spec.controller.page == WM_DRAM_PAGE_TIMEOUT)
        consider_timeouts(channel, channel->now);
}

static inline void choose(struct wm_dram_channel *channel)
{
    if (!channel->is_chosen[WM_DRAM_ROW_BUS] || !channel->is_chosen[channel->column_bus])
        choose_anew(channel);
}

// --- Issuing ---

static void serve(struct wm_dram_channel *channel, const struct wm_dram_choice *choice,
                  uint64_t cycle)
{
    struct wm_dram_channel_counters *counters = &channel->counters;
    struct wm_dram_entry entry = channel->entries[choice->entry];
    const struct wm_dram_bank *bank = &channel->banks_state[choice->bank];
    struct wm_dram_completion done = {
        .token = entry.token,
        .cycle = cycle + channel->data_end[entry.write] + channel->spec.controller.latency,
        .write = entry.write,
    };
    counters->row_hits += entry.progress == WM_DRAM_ARRIVED;
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
    if (entry->progress == WM_DRAM_ARRIVED)
        entry->progress = bank->closed_for ? WM_DRAM_CLOSED_AND_OPENED : WM_DRAM_OPENED;
    if (channel->spec.controller.activated_leave_queue && !wm_dram_uses_both(channel) &&
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

// What a command of one bus leaves of the other's choice. Reads and writes hold up no row command
// of another bank, nor these reads and writes; but everything is linked when banks have turns, rows
// close on their own or a refresh is owed.
static void settle_other_bus(struct wm_dram_channel *channel, const struct wm_dram_choice *choice)
{
    if (!channel->spec.controller.two_command_buses || channel->scheduler->in_turns ||
        channel->spec.controller.page == WM_DRAM_PAGE_TIMEOUT || channel->owed_ranks != 0 ||
        choice->order < ORDER_REQUESTS)
        wm_dram_choose_again(channel);
    else
        consider_changed(channel, choice->bank);
}

static void issue(struct wm_dram_channel *channel, int bus, uint64_t cycle)
{
    struct wm_dram_choice choice = channel->choice[bus];
    channel->bus_ready[bus] = cycle + 1;
    channel->is_chosen[bus] = false;
    if (choice.order >= ORDER_REQUESTS && choice.entry != WM_DRAM_NONE)
        channel->last_bank = choice.bank;
    if (choice.order < ORDER_REQUESTS)
        wm_dram_refresh_issue(channel, &choice, cycle);
    else if (choice.command == WM_DRAM_ACTIVATE)
        open_for(channel, &choice, cycle);
    else if (choice.command == WM_DRAM_PRECHARGE)
        close_for(channel, &choice, cycle);
    else
        serve(channel, &choice, cycle);
    settle_other_bus(channel, &choice);
}

// --- Time ---

// The next cycle in which a command goes or a request moves on to its bank.
static uint64_t next_action(struct wm_dram_channel *channel)
{
    choose(channel);
    uint64_t next = channel->choice[WM_DRAM_ROW_BUS].cycle;
    if (channel->choice[WM_DRAM_COLUMN_BUS].cycle < next)
        next = channel->choice[WM_DRAM_COLUMN_BUS].cycle;
    if (wm_dram_uses_both(channel) && next > channel->now && wm_dram_queue_can_move(channel))
        next = channel->now;
    return next;
}

// What happens in one cycle: a column command first, as it may free what a row command needs; then
// a request moves on, whose commands come in the next cycle at the earliest.
static void act(struct wm_dram_channel *channel, uint64_t cycle)
{
    channel->now = cycle;
    for (int bus = WM_DRAM_BUSES - 1; bus >= 0; bus--) {
        choose(channel);
        if (channel->choice[bus].cycle == cycle)
            issue(channel, bus, cycle);
    }
    if (wm_dram_uses_both(channel) && wm_dram_queue_can_move(channel)) {
        channel->now = cycle + 1;
        consider_changed(channel, wm_dram_queue_move(channel));
        wm_dram_queue_update_drain(channel);
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
            wm_dram_ring_complete(channel);
    while (channel->now <= until_cycle) {
        if (channel->waiting == 0 && channel->owed_ranks == 0 && !any_open(channel) &&
            channel->log == NULL)
            wm_dram_refresh_skip(channel, until_cycle);
        uint64_t next = next_action(channel);
        if (channel->refresh_due <= next && channel->refresh_due <= until_cycle) {
            channel->now = wm_dram_later(channel->now, channel->refresh_due);
            wm_dram_refresh_note_due(channel, channel->now);
            wm_dram_choose_again(channel);
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
    if (!wm_dram_uses_both(channel) && wm_dram_mask_has(channel->stale, bank))
        consider_changed(channel, bank);
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
