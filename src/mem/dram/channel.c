#include "base/containers/array.h"
#include "mem/dram/queue.h"
#include "mem/dram/timing.h"
#include "mem/dram_scheduler/entries.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration declarations[] = {
    WM_DRAM_CHANNEL_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_dram_channel_counter_set = {
    .kind = "dram_channel",
    .title = "DRAM channel in time",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

static const struct wm_dram_channel_form *const forms[] = {
    [WM_DRAM_FIXED] = &wm_dram_fixed_form,
    [WM_DRAM_BANDWIDTH] = &wm_dram_bandwidth_form,
    [WM_DRAM_TIMED] = &wm_dram_timed_form,
};

// Memory of `count` things; a failed one is noted, and the last to fail is enough.
static void *take(size_t count, size_t bytes, bool *failed)
{
    void *memory = calloc(count, bytes);
    *failed = *failed || memory == NULL;
    return memory;
}

static void take_timed(struct wm_dram_channel *channel, bool *failed)
{
    const struct wm_dram_organisation *organisation = &channel->spec.organisation;
    channel->banks_a_rank = organisation->bank_groups * organisation->banks;
    channel->banks = organisation->ranks * channel->banks_a_rank;
    channel->span = channel->banks_a_rank < 64 ? channel->banks_a_rank : 64;
    channel->groups = organisation->ranks * organisation->bank_groups;
    channel->mask_words = (channel->banks + 63) / 64;
    channel->entries =
        take(wm_dram_queue_entries(&channel->spec), sizeof *channel->entries, failed);
    channel->banks_state = take(channel->banks, sizeof *channel->banks_state, failed);
    channel->next_commands = take(channel->banks, sizeof *channel->next_commands, failed);
    channel->groups_state = take(channel->groups, sizeof *channel->groups_state, failed);
    channel->ranks_state = take(organisation->ranks, sizeof *channel->ranks_state, failed);
    channel->column_bus =
        channel->spec.controller.two_command_buses ? WM_DRAM_COLUMN_BUS : WM_DRAM_ROW_BUS;
    wm_dram_timing_derive(channel);
}

enum wm_status wm_dram_channel_new(const struct wm_dram_channel_spec *spec,
                                   struct wm_dram_channel **result, struct wm_error *error)
{
    bool failed = false;
    *result = NULL;
    WM_TRY(wm_dram_spec_check(spec, error));
    struct wm_dram_channel *channel;
    WM_TRY(WM_ARRAY_NEW(channel, 1, error, "a DRAM channel"));
    channel->spec = *spec;
    channel->form = forms[spec->form];
    channel->scheduler =
        spec->controller.scheduler ? spec->controller.scheduler : &wm_dram_scheduler_fr_fcfs;
    channel->ring_entries = spec->controller.read_queue;
    if (spec->form == WM_DRAM_TIMED) {
        channel->ring_entries += spec->controller.write_queue;
        take_timed(channel, &failed);
        WM_TRY(wm_dram_map_init(&channel->map, spec, error)); // passed in the check
    }
    channel->ring.transfers = take(channel->ring_entries, sizeof *channel->ring.transfers, &failed);
    if (failed) {
        wm_dram_channel_free(channel);
        return wm_fail_no_memory(error, "a DRAM channel");
    }
    wm_dram_channel_reset(channel);
    *result = channel;
    return WM_OK;
}

void wm_dram_channel_free(struct wm_dram_channel *channel)
{
    if (channel == NULL)
        return;
    free(channel->entries);
    free(channel->banks_state);
    free(channel->next_commands);
    free(channel->groups_state);
    free(channel->ranks_state);
    free(channel->ring.transfers);
    free(channel);
}

static void clear_banks(struct wm_dram_channel *channel)
{
    memset(channel->has_queue, 0, sizeof channel->has_queue);
    memset(channel->has_waiting, 0, sizeof channel->has_waiting);
    memset(channel->has_room_mask, 0, sizeof channel->has_room_mask);
    memset(channel->activated_mask, 0, sizeof channel->activated_mask);
    memset(channel->open_mask, 0, sizeof channel->open_mask);
    memset(channel->stale, 0, sizeof channel->stale);
    memset(channel->wants_column, 0, sizeof channel->wants_column);
    memset(channel->wants_precharge, 0, sizeof channel->wants_precharge);
    memset(channel->wants_activate, 0, sizeof channel->wants_activate);
    for (uint32_t i = 0; i < channel->banks; i++)
        channel->banks_state[i] = (struct wm_dram_bank){
            .rank = (uint8_t)(i / channel->banks_a_rank),
            .group = (uint16_t)(i / channel->spec.organisation.banks),
        };
    for (uint32_t i = 0; i < channel->groups; i++)
        channel->groups_state[i] = (struct wm_dram_group){0};
    for (uint32_t i = 0; channel->banks != 0 && i < channel->spec.organisation.ranks; i++)
        channel->ranks_state[i] = (struct wm_dram_rank){0};
}

void wm_dram_channel_reset(struct wm_dram_channel *channel)
{
    channel->now = channel->sequence = 0;
    channel->waiting = 0;
    memset(channel->held, 0, sizeof channel->held);
    memset(channel->in_waiting, 0, sizeof channel->in_waiting);
    memset(channel->in_queue, 0, sizeof channel->in_queue);
    channel->is_draining = false;
    wm_dram_choose_again(channel);
    channel->last_direction = -1;
    memset(channel->bus_ready, 0, sizeof channel->bus_ready);
    channel->ring.first = channel->ring.count = 0;
    channel->bus_free = 0;
    channel->counters = (struct wm_dram_channel_counters){0};
    clear_banks(channel);
    channel->form->reset(channel);
}

void wm_dram_channel_log(struct wm_dram_channel *channel, wm_dram_log_callback *log, void *context)
{
    channel->log = log;
    channel->log_context = context;
}

bool wm_dram_channel_has_room(const struct wm_dram_channel *channel, bool write)
{
    return channel->form->has_room(channel, write);
}

bool wm_dram_channel_add(struct wm_dram_channel *channel, uint64_t cycle,
                         const struct wm_dram_request *request)
{
    if (!channel->form->has_room(channel, request->write)) {
        channel->counters.refusals++;
        return false;
    }
    if (channel->now < cycle) {
        // Only refreshes of a channel without requests can be behind.
        assert(channel->form->next(channel) >= cycle);
        wm_dram_channel_advance(channel, cycle - 1, NULL, NULL);
    }
    if (request->write)
        channel->counters.writes++;
    else
        channel->counters.reads++;
    channel->form->add(channel, cycle, request);
    return true;
}

uint64_t wm_dram_channel_next(struct wm_dram_channel *channel)
{
    return channel->form->next(channel);
}

void wm_dram_channel_advance(struct wm_dram_channel *channel, uint64_t until_cycle,
                             wm_dram_completion_callback *done, void *context)
{
    channel->done = done;
    channel->done_context = context;
    channel->form->advance(channel, until_cycle);
    channel->done = NULL;
}

uint32_t wm_dram_channel_waiting(const struct wm_dram_channel *channel)
{
    return channel->waiting + channel->ring.count;
}

const struct wm_dram_channel_counters *wm_dram_channel_counters_of(
    const struct wm_dram_channel *channel)
{
    return &channel->counters;
}

const struct wm_dram_channel_spec *wm_dram_channel_spec_of(const struct wm_dram_channel *channel)
{
    return &channel->spec;
}
