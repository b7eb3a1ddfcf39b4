// SMs that share a tracker are one island: their cycles are run in order of time, and of number
// within a cycle, so that each finds the tracker as the others left it. Requests of one L1 to
// another, and the replies, cross the interconnect (docs/engine-clock.md).
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include "mem/system/memory_components.h"
#include "mem/timed/tracker_group.h"

#include <stdlib.h>
#include <string.h>

enum wm_status wm_tracker_groups_init(struct wm_clock *clock, struct wm_error *error)
{
    uint32_t each = clock->machine->memory.levels[WM_LEVEL_L1].tracker.sms_each;
    uint32_t trackers = wm_memory_tracker_count(clock->memory);
    if (trackers == 0)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(clock->groups, trackers, error, "SMs that share a tracker"));
    for (; clock->group_count < trackers; clock->group_count++) {
        struct wm_tracker_group *group = &clock->groups[clock->group_count];
        uint32_t first = clock->group_count * each, rest = clock->sm_count - first;
        uint32_t count = each < rest ? each : rest;
        *group = (struct wm_tracker_group){.sms = &clock->sms[first], .count = count};
        group->sharing.tracker = wm_memory_tracker(clock->memory, clock->group_count);
        group->sharing.count = count;
        group->sharing.l1s = calloc(count, sizeof(struct wm_timed_l1 *));
        if (group->sharing.l1s == NULL)
            return wm_fail_no_memory(error, "SMs that share a tracker");
        for (uint32_t i = 0; i < count; i++) {
            group->sharing.l1s[i] = &group->sms[i].l1;
            group->sms[i].l1.sharing = &group->sharing;
            group->sms[i].inbox.due = WM_NEVER;
        }
    }
    return WM_OK;
}

void wm_tracker_groups_release(struct wm_clock *clock)
{
    for (uint32_t i = 0; clock->sms != NULL && clock->groups != NULL && i < clock->sm_count; i++)
        free(clock->sms[i].inbox.packets);
    for (uint32_t i = 0; i < clock->group_count; i++)
        free(clock->groups[i].sharing.l1s);
    free(clock->groups);
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

void wm_clock_send_to_sm(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t now)
{
    struct wm_clock_sm *to = &sm->clock->sms[packet->slice];
    struct wm_packet sent = *packet;
    uint32_t latency = sm->clock->machine->memory.interconnect.latency; // of whatever topology
    uint64_t arrives = now + latency + packet->flits - 1;
    sent.when = wm_clock_convert(&sm->clock->from_network, arrives);
    sm->output.free = now + packet->flits;
    sm->output.counters.packets++;
    sm->output.counters.flits += packet->flits;
    if (!put(&to->inbox, &sent))
        sm->failed = true;
    to->due = sent.when < to->due ? sent.when : to->due;
}

// L1 serves a request as a load that hits; what it requested itself comes as a reply.
static void take(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t cycle)
{
    if (packet->supplied)
        wm_clock_sm_reply(sm, packet, cycle);
    else
        wm_timed_l1_supply(&sm->l1, cycle, packet);
}

static void take_arrived(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_clock_inbox *inbox = &sm->inbox;
    uint32_t arrived = 0;
    while (arrived < inbox->count && inbox->packets[arrived].when <= cycle)
        take(sm, &inbox->packets[arrived++], cycle);
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

static uint64_t first_due(const struct wm_tracker_group *group)
{
    uint64_t due = WM_NEVER;
    for (uint32_t i = 0; i < group->count; i++)
        due = wm_earlier(due, group->sms[i].due);
    return due;
}

void wm_tracker_group_run(struct wm_tracker_group *group, uint64_t end)
{
    const struct wm_clock *clock = group->sms[0].clock;
    uint64_t last = wm_clock_convert(&clock->from_network, end), cycle;
    bool one_clock = clock->to_network.from == clock->to_network.to;
    for (uint32_t i = 0; i < group->count; i++) {
        struct wm_clock_sm *sm = &group->sms[i];
        sm->due = wm_earlier(wm_clock_sm_look_ahead(sm), sm->inbox.due);
    }
    while ((cycle = first_due(group)) < last)
        for (uint32_t i = 0; i < group->count; i++)
            if (group->sms[i].due == cycle)
                run_sm(&group->sms[i], cycle, one_clock);
    for (uint32_t i = 0; i < group->count; i++)
        wm_clock_sm_end_window(&group->sms[i], last, group->sms[i].due);
}
