#include "mem/dram/next_command.h"

#include "mem/dram/refresh.h"

static uint16_t older(const struct wm_dram_channel *channel, uint16_t a, uint16_t b)
{
    if (a == WM_DRAM_NONE || b == WM_DRAM_NONE)
        return a == WM_DRAM_NONE ? b : a;
    return channel->entries[a].sequence < channel->entries[b].sequence ? a : b;
}

// The oldest request of a bank that hits its open row, and the oldest that does not.
struct oldest {
    uint16_t hit, miss;
};

static struct oldest oldest_of(const struct wm_dram_channel *channel,
                               const struct wm_dram_bank *bank)
{
    const struct wm_dram_list *list = &bank->queue[channel->is_draining];
    struct oldest oldest = {list->hit, list->miss};
    if (wm_dram_uses_both(channel)) {
        const struct wm_dram_list *other = &bank->queue[!channel->is_draining];
        oldest.hit = older(channel, list->hit, other->hit);
        oldest.miss = older(channel, list->miss, other->miss);
    }
    return oldest;
}

static uint64_t order_of(const struct wm_dram_channel *channel, uint16_t index, bool is_column)
{
    const struct wm_dram_entry *entry = &channel->entries[index];
    struct wm_dram_candidate candidate = {
        .sequence = entry->sequence,
        .is_column = is_column,
        .is_activated = entry->is_activated,
    };
    return channel->scheduler->order(&candidate);
}

static inline void need_no_command(struct wm_dram_channel *channel, uint32_t index)
{
    uint64_t others = ~(UINT64_C(1) << index % 64);
    channel->wants_column[index / 64] &= others;
    channel->wants_precharge[index / 64] &= others;
    channel->wants_activate[index / 64] &= others;
}

static void need_column(struct wm_dram_channel *channel, uint32_t index, uint16_t entry)
{
    struct wm_dram_next_command *next_commands = &channel->next_commands[index];
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    next_commands->write = channel->entries[entry].write;
    next_commands->column_ready = bank->column[next_commands->write];
    next_commands->column_order = order_of(channel, entry, true);
    next_commands->column_entry = entry;
    next_commands->group = bank->group;
    wm_dram_mask_set(channel->wants_column, index, true);
}

static void need_row(struct wm_dram_channel *channel, uint32_t index, uint16_t entry)
{
    struct wm_dram_next_command *next_commands = &channel->next_commands[index];
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    next_commands->row_ready = bank->open ? bank->precharge : bank->activate;
    next_commands->row_order = order_of(channel, entry, false);
    next_commands->row_entry = entry;
    next_commands->group = bank->group;
    wm_dram_mask_set(bank->open ? channel->wants_precharge : channel->wants_activate, index, true);
}

static void update(struct wm_dram_channel *channel, uint32_t index)
{
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    const struct wm_dram_scheduler_ops *scheduler = channel->scheduler;
    uint32_t cap = channel->spec.controller.hit_cap;
    struct oldest oldest = {bank->activated, WM_DRAM_NONE};
    bool is_activated = scheduler->activated_first && bank->activated != WM_DRAM_NONE;
    need_no_command(channel, index);
    if (wm_dram_refresh_holds(channel, bank, index) &&
        !(channel->spec.controller.refresh_after_activated && is_activated))
        return;
    if (!is_activated)
        oldest = oldest_of(channel, bank);
    // In order, the older of the two is the bank's only one.
    if (scheduler->in_order && oldest.hit != WM_DRAM_NONE && oldest.miss != WM_DRAM_NONE) {
        if (older(channel, oldest.hit, oldest.miss) == oldest.hit)
            oldest.miss = WM_DRAM_NONE;
        else
            oldest.hit = WM_DRAM_NONE;
    }
    bool is_capped = cap != 0 && bank->hits >= cap && oldest.miss != WM_DRAM_NONE &&
                     older(channel, oldest.hit, oldest.miss) == oldest.miss;
    if (oldest.hit != WM_DRAM_NONE && !(is_capped && scheduler->cap_withholds))
        need_column(channel, index, oldest.hit);
    if (oldest.miss != WM_DRAM_NONE &&
        (oldest.hit == WM_DRAM_NONE || !scheduler->hits_hold_row || is_capped))
        need_row(channel, index, oldest.miss);
}

void wm_dram_next_commands_update(struct wm_dram_channel *channel)
{
    for (uint32_t word = 0; word < channel->mask_words; word++) {
        uint64_t stale = channel->stale[word];
        channel->stale[word] = 0;
        for (; stale != 0; stale &= stale - 1)
            update(channel, word * 64 + (uint32_t)__builtin_ctzll(stale));
    }
}
