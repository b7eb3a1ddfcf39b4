#include "mem/dram/dram_wanted.h"

#include "mem/dram/dram_refresh.h"

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

static inline void want_nothing(struct wm_dram_channel *channel, uint32_t index)
{
    uint64_t others = ~(UINT64_C(1) << index % 64);
    channel->wants_column[index / 64] &= others;
    channel->wants_precharge[index / 64] &= others;
    channel->wants_activate[index / 64] &= others;
}

static void want_column(struct wm_dram_channel *channel, uint32_t index, uint16_t entry)
{
    struct wm_dram_wanted *wanted = &channel->wanted[index];
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    wanted->write = channel->entries[entry].write;
    wanted->column_ready = bank->column[wanted->write];
    wanted->column_order = order_of(channel, entry, true);
    wanted->column_entry = entry;
    wanted->group = bank->group;
    wm_dram_mask_set(channel->wants_column, index, true);
}

static void want_row(struct wm_dram_channel *channel, uint32_t index, uint16_t entry)
{
    struct wm_dram_wanted *wanted = &channel->wanted[index];
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    wanted->row_ready = bank->open ? bank->precharge : bank->activate;
    wanted->row_order = order_of(channel, entry, false);
    wanted->row_entry = entry;
    wanted->group = bank->group;
    wm_dram_mask_set(bank->open ? channel->wants_precharge : channel->wants_activate, index, true);
}

static void update(struct wm_dram_channel *channel, uint32_t index)
{
    const struct wm_dram_bank *bank = &channel->banks_state[index];
    const struct wm_dram_scheduler_ops *scheduler = channel->scheduler;
    uint32_t cap = channel->spec.controller.hit_cap;
    struct oldest oldest = {bank->activated, WM_DRAM_NONE};
    bool is_activated = scheduler->activated_first && bank->activated != WM_DRAM_NONE;
    want_nothing(channel, index);
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
        want_column(channel, index, oldest.hit);
    if (oldest.miss != WM_DRAM_NONE &&
        (oldest.hit == WM_DRAM_NONE || !scheduler->hits_hold_row || is_capped))
        want_row(channel, index, oldest.miss);
}

void wm_dram_wanted_update(struct wm_dram_channel *channel)
{
    for (uint32_t word = 0; word < channel->mask_words; word++) {
        uint64_t stale = channel->stale[word];
        channel->stale[word] = 0;
        for (; stale != 0; stale &= stale - 1)
            update(channel, word * 64 + (uint32_t)__builtin_ctzll(stale));
    }
}
