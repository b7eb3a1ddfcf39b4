// SMs that share a cache or a tracker are one island: their cycles are run in order of time, and of
// number within a cycle, so that each finds what they share as the others left it. Requests of one
// L1 to another, and the replies, cross the interconnect (docs/engine-clock.md). CPU cores are one
// island too, and run as such a group.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include "mem/system/memory_components.h"

#include <stdlib.h>
#include <string.h>

// The least number of SMs, from the first on, that share nothing with those behind them.
static uint64_t add_sharing(uint64_t sms, uint32_t each)
{
    uint64_t all = sms, rest = each > 1 ? each : 1;
    for (uint64_t other = rest; other != 0;) {
        uint64_t left = all % other;
        all = other;
        other = left;
    }
    uint64_t both = sms / all * rest;
    return both < UINT32_MAX ? both : UINT32_MAX;
}

static uint32_t sms_of_group(const struct wm_clock *clock)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    uint64_t sms = 1, most = clock->machine->sm.count; // of one GPU
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if ((i < WM_LEVEL_L2 && clock->caches[i] != NULL) || wm_timed_is_between(memory, i))
            sms = add_sharing(sms, wm_level_units_each(memory, i));
    if (wm_memory_tracker_count(clock->memory) != 0)
        sms = add_sharing(sms, memory->levels[WM_LEVEL_L1].tracker.sms_each);
    if (memory->tlb.present)
        sms = add_sharing(sms, memory->tlb.l2.entries != 0 ? (uint32_t)most : memory->tlb.sms_each);
    if (wm_memory_gpus(memory) > 1 && most % sms != 0) // none lies in two GPUs
        sms = most;
    return (uint32_t)(sms < most ? sms : most);
}

static enum wm_status share_tracker(struct wm_clock *clock, uint32_t index, struct wm_error *error)
{
    struct wm_timed_tracker_group *sharing = &clock->trackers[index];
    uint32_t each = clock->machine->memory.levels[WM_LEVEL_L1].tracker.sms_each;
    each = each < clock->machine->sm.count ? each : clock->machine->sm.count; // of one GPU
    uint32_t first = index * each, rest = clock->sm_count - first;
    *sharing = (struct wm_timed_tracker_group){.tracker = wm_memory_tracker(clock->memory, index)};
    WM_TRY(WM_ARRAY_NEW(sharing->l1s, each < rest ? each : rest, error, "a tracker's L1s"));
    for (uint32_t i = 0; i < each && i < rest; i++) {
        struct wm_timed_level *l1 = clock->sms[first + i].timed.l1;
        if (l1->sharing == sharing)
            continue;
        l1->sharing = sharing;
        sharing->l1s[sharing->count++] = l1;
    }
    return WM_OK;
}

static bool has_levels(const struct wm_clock *clock)
{
    bool has = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        has |= wm_timed_is_between(&clock->machine->memory, i);
    return has;
}

enum wm_status wm_sm_groups_init(struct wm_clock *clock, struct wm_error *error)
{
    uint32_t each = sms_of_group(clock), trackers = wm_memory_tracker_count(clock->memory);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        clock->sms[i].timed.translation.walks = &clock->sms[i - i % each].timed.translation.own;
    for (uint32_t i = 0; i < clock->unit_count; i++)
        clock->sms[i].inbox.due = WM_NEVER;
    if (each != 1 || trackers != 0 || has_levels(clock)) {
        clock->group_count = wm_sm_groups(clock->sm_count, each);
        clock->group_sms = each;
    }
    if (has_levels(clock) || clock->core_count != 0)
        WM_TRY(wm_clock_group_levels_init(clock, error));
    if (trackers == 0)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(clock->trackers, trackers, error, "trackers"));
    for (uint32_t i = 0; i < trackers; i++)
        WM_TRY(share_tracker(clock, i, error));
    return WM_OK;
}

void wm_sm_groups_release(struct wm_clock *clock)
{
    for (uint32_t i = 0; clock->sms != NULL && i < clock->unit_count; i++)
        free(clock->sms[i].inbox.packets);
    for (uint32_t i = 0; clock->trackers != NULL && i < wm_memory_tracker_count(clock->memory); i++)
        free(clock->trackers[i].l1s);
    free(clock->trackers);
    wm_clock_group_levels_release(clock);
}

struct wm_clock_sm *wm_sm_group_sms(const struct wm_clock *clock, uint32_t group, uint32_t *count)
{
    if (group == wm_clock_core_group(clock)) {
        *count = clock->core_count;
        return &clock->sms[clock->sm_count];
    }
    uint32_t first = group * clock->group_sms, rest = clock->sm_count - first;
    *count = clock->group_sms < rest ? clock->group_sms : rest;
    return &clock->sms[first];
}

// --- From SM to SM ---

// In order of arrival; of those that arrive together, in order of sending.
static bool put(struct wm_clock_inbox *inbox, const struct wm_packet *packet)
{
    if (!WM_ARRAY_RESERVE(inbox->packets, inbox->count, inbox->room, 1))
        return false;
    uint32_t at = inbox->count++;
    for (; at > 0 && inbox->packets[at - 1].when > packet->when; at--)
        inbox->packets[at] = inbox->packets[at - 1];
    inbox->packets[at] = *packet;
    inbox->due = inbox->packets[0].when;
    return true;
}

// Behind its ways to slices, and its places for what these send, an SM has those to and from the
// SMs of its tracker's group.
static uint32_t number_among_peers(const struct wm_clock *clock, uint32_t sm)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    return sm % memory->sm_count % memory->levels[WM_LEVEL_L1].tracker.sms_each;
}

uint32_t wm_clock_way_to_sm(const struct wm_clock_sm *sm, uint32_t to)
{
    return sm->input.credited_from + number_among_peers(sm->clock, to);
}

// Both are of one island, which runs in order of time: nothing waits for a window's end. A
// butterfly has no ways between SMs: they have wires as long as its ways.
static uint64_t on_whole_way(const struct wm_clock *clock, uint64_t when, uint32_t part)
{
    return when - part + clock->machine->memory.interconnect.latency;
}

void wm_clock_send_to_sm(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t now)
{
    struct wm_crossbar_output *output = &sm->output;
    struct wm_clock_sm *to = &sm->clock->sms[packet->receiver];
    uint32_t way = wm_clock_way_to_sm(sm, to->index);
    wm_crossbar_count_stall(output, way, wm_clock_convert(&sm->clock->to_network, packet->when));
    sm->failed |= !wm_crossbar_send(output, packet, way, now);
    if (sm->failed)
        return;
    struct wm_packet *sent = &output->sent[--output->sent_count];
    sent->when = on_whole_way(sm->clock, sent->when, output->latency);
    sm->failed |= !wm_crossbar_input_add(&to->input, wm_clock_way_to_sm(to, sm->index), sent);
    wm_clock_sm_expect_arrival(to);
}

void wm_clock_return_credits(struct wm_clock_sm *sm)
{
    struct wm_crossbar_input *input = &sm->input;
    uint32_t first = sm->index - number_among_peers(sm->clock, sm->index);
    for (uint32_t i = 0; i < input->credit_count; i++) {
        const struct wm_crossbar_credit *credit = &input->credits[i];
        struct wm_clock_sm *to = &sm->clock->sms[first + credit->sender - input->credited_from];
        uint64_t when = on_whole_way(sm->clock, credit->when, input->latency);
        wm_crossbar_credit(&to->output, wm_clock_way_to_sm(to, sm->index), when);
        wm_clock_sm_expect_credit(to, when);
    }
    input->credit_count = 0;
}

bool wm_clock_send_up(struct wm_clock_sm *sm, const struct wm_packet *reply, uint64_t cycle)
{
    struct wm_packet sent = *reply;
    sent.when = cycle;
    sm->due = wm_earlier(sm->due, cycle);
    return put(&sm->inbox, &sent);
}

static void take_arrived(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_clock_inbox *inbox = &sm->inbox;
    uint32_t arrived = 0;
    while (arrived < inbox->count && inbox->packets[arrived].when <= cycle)
        wm_clock_sm_reply(sm, &inbox->packets[arrived++], cycle);
    if (arrived == 0)
        return;
    inbox->count -= arrived;
    memmove(inbox->packets, inbox->packets + arrived, inbox->count * sizeof *inbox->packets);
    inbox->due = inbox->count != 0 ? inbox->packets[0].when : WM_NEVER;
    sm->memory_due = cycle;
}

// --- Time ---

static void run_sm(struct wm_clock_sm *sm, uint64_t cycle, bool one_clock)
{
    sm->cycle = cycle;
    take_arrived(sm, cycle);
    wm_clock_sm_cycle(sm, cycle, one_clock);
    sm->due = wm_earlier(wm_clock_sm_due(sm, cycle + 1), sm->inbox.due);
}

static uint64_t first_due(const struct wm_clock_sm *sms, uint32_t count)
{
    uint64_t due = WM_NEVER;
    for (uint32_t i = 0; i < count; i++)
        due = wm_earlier(due, sms[i].due);
    return due;
}

void wm_sm_group_run(struct wm_clock_sm *sms, uint32_t count, uint64_t end)
{
    const struct wm_clock *clock = sms->clock;
    uint64_t last = wm_clock_convert(&sms->from_network, end), cycle;
    bool one_clock = sms->to_network.from == sms->to_network.to;
    for (uint32_t i = 0; i < count; i++)
        sms[i].due = wm_earlier(wm_clock_sm_look_ahead(&sms[i]), sms[i].inbox.due);
    uint32_t group = wm_clock_group_of(clock, sms->index);
    while ((cycle = wm_earlier(first_due(sms, count), wm_clock_group_nodes_due(clock, group))) <
           last) {
        for (uint32_t i = 0; i < count; i++)
            if (sms[i].due == cycle)
                run_sm(&sms[i], cycle, one_clock);
        wm_clock_run_group_nodes(sms->clock, group, cycle);
    }
    for (uint32_t i = 0; i < count; i++)
        wm_clock_sm_end_window(&sms[i], last, sms[i].due);
    wm_clock_group_nodes_end_window(sms->clock, group);
}
