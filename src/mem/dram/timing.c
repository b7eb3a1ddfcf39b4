// The constraints are those of JESD79-3F (DDR3), JESD79-4B (DDR4), JESD212C (GDDR5), JESD250C
// (GDDR6), JESD235C (HBM2) and JESD238 (HBM3), by their parameters' names; docs/dram.md lists them.
#include "mem/dram/timing.h"

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void wm_dram_timing_derive(struct wm_dram_channel *channel)
{
    const struct wm_dram_timing *timing = &channel->spec.timing;
    uint32_t burst = wm_dram_burst_cycles(&channel->spec.organisation);
    uint32_t same_s = larger(burst, timing->ccd_s), same_l = larger(burst, timing->ccd_l);
    uint32_t other = timing->ccd_r ? larger(burst, timing->ccd_r) : burst + timing->rtrs;
    uint32_t write_data = timing->cwl + burst, read_data = timing->cl + burst;
    uint32_t turn =
        timing->rtw ? timing->rtw : (read_data + 2 > timing->cwl ? read_data + 2 - timing->cwl : 1);
    uint32_t other_turn =
        write_data + timing->rtrs > timing->cl ? write_data + timing->rtrs - timing->cl : 1;
    uint32_t gaps[WM_DRAM_DIRECTIONS][WM_DRAM_DIRECTIONS][3] = {
        {{same_l, same_s, other}, {turn, turn, turn}},
        {{write_data + timing->wtr_l, write_data + timing->wtr_s, larger(other_turn, 1)},
         {same_l, same_s, other}},
    };
    for (int from = 0; from < WM_DRAM_DIRECTIONS; from++)
        for (int to = 0; to < WM_DRAM_DIRECTIONS; to++)
            for (int scope = 0; scope < 3; scope++)
                channel->column_gap[from][to][scope] = larger(gaps[from][to][scope], 1);
    channel->column_to_precharge[WM_DRAM_READS] = larger(timing->rtp, 1);
    channel->column_to_precharge[WM_DRAM_WRITES] = write_data + timing->wr;
    channel->data_end[WM_DRAM_READS] = read_data;
    channel->data_end[WM_DRAM_WRITES] = write_data;
    channel->burst_cycles = burst;
}

static void log_command(struct wm_dram_channel *channel, uint64_t cycle,
                        enum wm_dram_command command, uint32_t bank, uint32_t row, uint32_t column)
{
    if (channel->log == NULL)
        return;
    const struct wm_dram_organisation *organisation = &channel->spec.organisation;
    bool is_rank = command == WM_DRAM_REFRESH_ALL || command == WM_DRAM_PRECHARGE_ALL;
    struct wm_dram_issue issue = {
        .cycle = cycle,
        .command = command,
        .rank = bank / channel->banks_a_rank,
        .bank_group = is_rank ? 0 : bank % channel->banks_a_rank / organisation->banks,
        .bank = is_rank ? 0 : bank % organisation->banks,
        .row = row,
        .column = column,
    };
    channel->log(channel->log_context, &issue);
}

static void raise_to(uint64_t *time, uint64_t cycle)
{
    if (*time < cycle)
        *time = cycle;
}

// An activation, or what counts as one in the windows of four and of 32.
static void note_activation(struct wm_dram_channel *channel, struct wm_dram_rank *rank,
                            uint64_t cycle)
{
    const struct wm_dram_timing *timing = &channel->spec.timing;
    raise_to(&rank->activate, cycle + timing->rrd_s);
    rank->four[rank->activations % 4] = cycle;
    rank->thirty_two[rank->activations % 32] = cycle;
    rank->activations++;
    if (rank->activations >= 4)
        raise_to(&rank->activate, rank->four[rank->activations % 4] + timing->faw);
    if (rank->activations >= 32)
        raise_to(&rank->activate, rank->thirty_two[rank->activations % 32] + timing->aw32);
}

void wm_dram_activate(struct wm_dram_channel *channel, uint64_t cycle, uint32_t index, uint32_t row)
{
    const struct wm_dram_timing *timing = &channel->spec.timing;
    struct wm_dram_bank *bank = &channel->banks_state[index];
    bank->open = true;
    bank->closed_for = false;
    bank->row = row;
    bank->hits = 0;
    bank->last_used = cycle;
    raise_to(&bank->column[WM_DRAM_READS], cycle + timing->rcd_read);
    raise_to(&bank->column[WM_DRAM_WRITES], cycle + timing->rcd_write);
    raise_to(&bank->precharge, cycle + timing->ras);
    raise_to(&bank->activate, cycle + timing->rc);
    raise_to(&channel->groups_state[bank->group].activate, cycle + timing->rrd_l);
    note_activation(channel, &channel->ranks_state[bank->rank], cycle);
    channel->counters.activates++;
    log_command(channel, cycle, WM_DRAM_ACTIVATE, index, row, 0);
    wm_dram_queue_row_changed(channel, index);
}

static void close_row(struct wm_dram_channel *channel, uint64_t cycle, uint32_t index)
{
    struct wm_dram_bank *bank = &channel->banks_state[index];
    bank->open = false;
    bank->activated = WM_DRAM_NONE;
    wm_dram_mask_set(channel->activated_mask, index, false);
    raise_to(&bank->activate, cycle + channel->spec.timing.rp);
    channel->counters.precharges++;
    wm_dram_queue_row_changed(channel, index);
}

void wm_dram_precharge(struct wm_dram_channel *channel, uint64_t cycle, uint32_t index)
{
    struct wm_dram_rank *rank = &channel->ranks_state[channel->banks_state[index].rank];
    close_row(channel, cycle, index);
    raise_to(&rank->precharge, cycle + channel->spec.timing.ppd);
    log_command(channel, cycle, WM_DRAM_PRECHARGE, index, 0, 0);
}

void wm_dram_precharge_rank(struct wm_dram_channel *channel, uint64_t cycle, uint32_t rank)
{
    uint32_t first = rank * channel->banks_a_rank;
    for (uint32_t i = first; i < first + channel->banks_a_rank; i++)
        if (channel->banks_state[i].open)
            close_row(channel, cycle, i);
    raise_to(&channel->ranks_state[rank].precharge, cycle + channel->spec.timing.ppd);
    log_command(channel, cycle, WM_DRAM_PRECHARGE_ALL, first, 0, 0);
}

static void hold_columns(struct wm_dram_channel *channel, uint64_t cycle,
                         const struct wm_dram_bank *bank, bool write)
{
    for (int to = 0; to < WM_DRAM_DIRECTIONS; to++) {
        const uint32_t *gap = channel->column_gap[write][to];
        raise_to(&channel->groups_state[bank->group].column[to], cycle + gap[0]);
        for (uint32_t i = 0; i < channel->spec.organisation.ranks; i++)
            raise_to(&channel->ranks_state[i].column[to],
                     cycle + (i == bank->rank ? gap[1] : gap[2]));
    }
}

void wm_dram_column(struct wm_dram_channel *channel, uint64_t cycle,
                    const struct wm_dram_entry *entry, bool closes)
{
    struct wm_dram_channel_counters *counters = &channel->counters;
    struct wm_dram_bank *bank = &channel->banks_state[entry->bank];
    uint32_t bytes = UINT32_C(1) << channel->map.burst_shift;
    enum wm_dram_command command = entry->write ? WM_DRAM_WRITE : WM_DRAM_READ;
    hold_columns(channel, cycle, bank, entry->write);
    raise_to(&bank->precharge, cycle + channel->column_to_precharge[entry->write]);
    bank->hits++;
    bank->last_used = cycle;
    counters->bus_cycles += channel->burst_cycles;
    counters->bytes_read += entry->write ? 0 : bytes;
    counters->bytes_written += entry->write ? bytes : 0;
    counters->turnarounds += channel->last_direction == !entry->write;
    channel->last_direction = entry->write;
    if (closes) {
        command = entry->write ? WM_DRAM_WRITE_PRECHARGE : WM_DRAM_READ_PRECHARGE;
        close_row(channel, bank->precharge, entry->bank);
    }
    log_command(channel, cycle, command, entry->bank, entry->row, entry->column);
}

void wm_dram_refresh_rank(struct wm_dram_channel *channel, uint64_t cycle, uint32_t rank)
{
    uint32_t first = rank * channel->banks_a_rank;
    for (uint32_t i = first; i < first + channel->banks_a_rank; i++)
        raise_to(&channel->banks_state[i].activate, cycle + channel->spec.timing.rfc);
    wm_dram_all_stale(channel);
    channel->counters.refreshes++;
    log_command(channel, cycle, WM_DRAM_REFRESH_ALL, first, 0, 0);
}

void wm_dram_refresh_one(struct wm_dram_channel *channel, uint64_t cycle, uint32_t index)
{
    const struct wm_dram_timing *timing = &channel->spec.timing;
    struct wm_dram_bank *bank = &channel->banks_state[index];
    struct wm_dram_rank *rank = &channel->ranks_state[bank->rank];
    raise_to(&bank->activate, cycle + timing->rfc_bank);
    // It opens a row inside: JESD235C counts it in the window of four activations.
    raise_to(&channel->groups_state[bank->group].activate, cycle + timing->rrd_l);
    note_activation(channel, rank, cycle);
    raise_to(&rank->activate, cycle + timing->rrefd);
    channel->counters.refreshes++;
    log_command(channel, cycle, WM_DRAM_REFRESH_BANK, index, 0, 0);
}
