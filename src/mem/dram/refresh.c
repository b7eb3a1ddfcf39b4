#include "mem/dram/refresh.h"

#include "mem/dram/timing.h"

static uint64_t interval_of(const struct wm_dram_channel *channel)
{
    return channel->spec.controller.refresh == WM_DRAM_REFRESH_ALL_BANK
               ? channel->spec.timing.refi
               : channel->spec.timing.refi_bank;
}

static void update_due(struct wm_dram_channel *channel)
{
    channel->refresh_due = WM_DRAM_NEVER;
    for (uint32_t i = 0; i < channel->spec.organisation.ranks; i++)
        if (channel->ranks_state[i].refresh_due < channel->refresh_due)
            channel->refresh_due = channel->ranks_state[i].refresh_due;
}

void wm_dram_refresh_reset(struct wm_dram_channel *channel)
{
    uint32_t ranks = channel->spec.organisation.ranks;
    bool is_none = channel->spec.controller.refresh == WM_DRAM_REFRESH_NONE;
    channel->owed_ranks = 0;
    for (uint32_t i = 0; i < ranks; i++)
        channel->ranks_state[i].refresh_due =
            is_none ? WM_DRAM_NEVER : interval_of(channel) * (i + 1) / ranks;
    update_due(channel);
}

void wm_dram_refresh_note_due(struct wm_dram_channel *channel, uint64_t cycle)
{
    for (uint32_t i = 0; i < channel->spec.organisation.ranks; i++) {
        struct wm_dram_rank *rank = &channel->ranks_state[i];
        for (; rank->refresh_due <= cycle; rank->refresh_due += interval_of(channel)) {
            rank->refreshes_owed++;
            channel->owed_ranks |= UINT64_C(1) << i;
        }
    }
    wm_dram_all_stale(channel);
    update_due(channel);
}

bool wm_dram_refresh_holds(const struct wm_dram_channel *channel, const struct wm_dram_bank *bank,
                           uint32_t index)
{
    const struct wm_dram_controller *controller = &channel->spec.controller;
    if (channel->owed_ranks == 0)
        return false;
    bool is_mine = channel->owed_ranks >> bank->rank & 1;
    if (is_mine && controller->refresh == WM_DRAM_REFRESH_PER_BANK &&
        index % channel->banks_a_rank != channel->ranks_state[bank->rank].next_bank)
        is_mine = false;
    return is_mine || controller->refresh_stops_channel;
}

static void offer(struct wm_dram_choice *best, uint64_t cycle, enum wm_dram_command command,
                  uint32_t bank, uint64_t order)
{
    if (cycle > best->cycle || (cycle == best->cycle && order >= best->order))
        return;
    *best = (struct wm_dram_choice){
        .cycle = cycle,
        .order = order,
        .command = command,
        .bank = (uint16_t)bank,
        .entry = WM_DRAM_NONE,
    };
}

// Open banks are precharged one by one or at once; then all are refreshed. Orders below
// WM_DRAM_MAX_BANKS are before those of any request.
static void consider_rank(const struct wm_dram_channel *channel, uint32_t rank, uint64_t from,
                          struct wm_dram_choice *best)
{
    const struct wm_dram_controller *controller = &channel->spec.controller;
    uint32_t first = rank * channel->banks_a_rank;
    uint64_t close = from, refresh = from;
    bool any_open = false;
    for (uint32_t i = first; i < first + channel->banks_a_rank; i++) {
        const struct wm_dram_bank *bank = &channel->banks_state[i];
        if (controller->refresh_after_activated && bank->activated != WM_DRAM_NONE)
            return;
        uint64_t ready = wm_dram_later(from, wm_dram_precharge_ready(channel, bank));
        refresh = wm_dram_later(refresh, bank->activate);
        close = wm_dram_later(close, ready); // of closed ones: their automatic precharge
        if (!bank->open)
            continue;
        any_open = true;
        if (controller->refresh_precharges_singly)
            offer(best, ready, WM_DRAM_PRECHARGE, i, i);
    }
    if (!any_open)
        offer(best, refresh, WM_DRAM_REFRESH_ALL, first, first);
    else if (!controller->refresh_precharges_singly)
        offer(best, close, WM_DRAM_PRECHARGE_ALL, first, first);
}

static void consider_bank(const struct wm_dram_channel *channel, uint32_t rank, uint64_t from,
                          struct wm_dram_choice *best)
{
    uint32_t index = rank * channel->banks_a_rank + channel->ranks_state[rank].next_bank;
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    if (channel->spec.controller.refresh_after_activated && bank->activated != WM_DRAM_NONE)
        return;
    if (bank->open)
        offer(best, wm_dram_later(from, wm_dram_precharge_ready(channel, bank)), WM_DRAM_PRECHARGE,
              index, index);
    else
        offer(best, wm_dram_later(from, wm_dram_activate_ready(channel, bank)),
              WM_DRAM_REFRESH_BANK, index, index);
}

void wm_dram_refresh_consider(const struct wm_dram_channel *channel, uint64_t from,
                              struct wm_dram_choice *best)
{
    for (uint64_t owed = channel->owed_ranks; owed != 0; owed &= owed - 1) {
        uint32_t rank = (uint32_t)__builtin_ctzll(owed);
        if (channel->spec.controller.refresh == WM_DRAM_REFRESH_ALL_BANK)
            consider_rank(channel, rank, from, best);
        else
            consider_bank(channel, rank, from, best);
    }
}

static void paid(struct wm_dram_channel *channel, uint32_t index)
{
    struct wm_dram_rank *rank = &channel->ranks_state[index];
    rank->refreshes_owed--;
    rank->next_bank = (rank->next_bank + 1) % channel->banks_a_rank;
    if (rank->refreshes_owed == 0)
        channel->owed_ranks &= ~(UINT64_C(1) << index);
    wm_dram_all_stale(channel);
}

void wm_dram_refresh_issue(struct wm_dram_channel *channel, const struct wm_dram_choice *choice,
                           uint64_t cycle)
{
    uint32_t rank = channel->banks_state[choice->bank].rank;
    switch (choice->command) {
    case WM_DRAM_PRECHARGE: wm_dram_precharge(channel, cycle, choice->bank); break;
    case WM_DRAM_PRECHARGE_ALL: wm_dram_precharge_rank(channel, cycle, rank); break;
    case WM_DRAM_REFRESH_ALL:
        wm_dram_refresh_rank(channel, cycle, rank);
        paid(channel, rank);
        break;
    default:
        wm_dram_refresh_one(channel, cycle, choice->bank);
        paid(channel, rank);
        break;
    }
}

void wm_dram_refresh_skip(struct wm_dram_channel *channel, uint64_t cycle)
{
    uint64_t interval = interval_of(channel);
    if (channel->refresh_due == WM_DRAM_NEVER)
        return;
    for (uint32_t i = 0; i < channel->spec.organisation.ranks; i++) {
        struct wm_dram_rank *rank = &channel->ranks_state[i];
        if (cycle < rank->refresh_due + 2 * interval)
            continue;
        // The next is done for real, in time to be over before anything comes.
        uint64_t skipped = (cycle - rank->refresh_due) / interval - 1;
        rank->refresh_due += skipped * interval;
        rank->next_bank = (uint32_t)((rank->next_bank + skipped) % channel->banks_a_rank);
        channel->counters.refreshes += skipped;
    }
    update_due(channel);
}
