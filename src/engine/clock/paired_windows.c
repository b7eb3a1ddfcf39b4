// Paired windows: each island runs two windows in a row (clock/windows.c says what windows and
// islands are), so its state comes into the host's caches half as often. SMs and partitions
// exchange packets only at the ends of windows: when partitions have run window n, SMs have all
// that they need for it and for the next, and when they have run both, so have partitions for
// window n + 1 and n + 2. So SMs and partitions take turns, two windows each.
//
// Numbers are as without turns. A window begins where something happens next, which is known ahead
// only while something happens right behind the last one: only then does anybody run ahead. An SM
// in which a block has finished does not, for another may begin there between the two.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <stdlib.h>

enum wm_status wm_clock_paired_windows_init(struct wm_clock *clock, struct wm_error *error)
{
    uint32_t parts = clock->unit_count + clock->partition_count;
    WM_TRY(WM_ARRAY_NEW(clock->arrivals, parts, error, "the clock engine"));
    for (uint32_t i = 0; i < parts; i++)
        clock->arrivals[i] = (struct wm_clock_arrivals){.packet = WM_NEVER, .credit = WM_NEVER};
    return WM_OK;
}

// Of several threads each has a part of both sides at once; a program that runs sees in which order
// SMs execute; and what acts between windows acts between any two. Where the interconnect has a
// clock of its own, an SM's last cycle of a window may send at the edge at which the next window
// begins: then it would be early to know of a credit that comes at that edge.
bool wm_clock_can_pair_windows(const struct wm_clock *clock, uint32_t threads)
{
    return threads == 1 && clock->launches->run->work->parallel && clock->network == NULL &&
           clock->coherent == NULL && clock->peer_links == NULL && clock->group_count == 0 &&
           clock->timeline == NULL && !clock->flushes &&
           clock->to_network.from == clock->to_network.to;
}

// --- Partitions ---

static bool run_partition(struct wm_clock *clock, uint32_t index, uint64_t end, bool later)
{
    struct wm_partition *partition = clock->partitions[index];
    const struct wm_island_status *island = &clock->islands[clock->unit_count + index];
    if (island->next >= end)
        return true;
    wm_clock_run_partition(clock, index, end, 0);
    bool ok =
        !island->failed && (!island->sent || wm_clock_hand_over_replies(clock, partition, later));
    if (clock->written != NULL)
        wm_clock_return_written_rows(clock, partition);
    return ok;
}

// An island has run the window in which packets for it were handed over.
static void take_arrivals(struct wm_clock *clock, uint32_t part)
{
    struct wm_island_status *island = &clock->islands[part];
    island->next = wm_earlier(island->next, clock->arrivals[part].packet);
    clock->arrivals[part].packet = WM_NEVER;
}

// SMs have run the window up to `end`; the next follows at once where `continues`.
static bool run_partitions(struct wm_clock *clock, uint64_t end, bool continues)
{
    bool ok = true;
    for (uint32_t i = 0; i < clock->partition_count; i++) {
        ok = run_partition(clock, i, end, false) && ok;
        take_arrivals(clock, clock->unit_count + i);
        if (continues)
            ok = run_partition(clock, i, end + clock->window, true) && ok;
    }
    return ok;
}

// --- SMs ---

static bool run_sm(struct wm_clock *clock, struct wm_clock_sm *sm, uint64_t end, bool later)
{
    const struct wm_island_status *island = &clock->islands[sm->index];
    if (island->next >= end)
        return true;
    wm_clock_sm_use_tally(sm, 0);
    sm->output.sent_count = sm->responses.sent_count = 0;
    clock->moment = 2 * end;
    wm_clock_sm_run(sm, end);
    return !island->failed && (!island->sent || wm_clock_hand_over_requests(clock, sm, later));
}

// Takes what partitions sent in the window that the SM has run now.
static void receive_from_partitions(struct wm_clock *clock, struct wm_clock_sm *sm)
{
    struct wm_clock_arrivals *arrivals = &clock->arrivals[sm->index];
    take_arrivals(clock, sm->index);
    if (arrivals->credit != WM_NEVER && wm_clock_sm_has_packets(sm))
        wm_clock_sm_expect(sm, arrivals->credit);
    arrivals->credit = WM_NEVER;
}

// Whether one of them acts at the beginning of a window that follows at `end`.
static bool acts_at(const struct wm_clock *clock, uint32_t first, uint32_t last, uint64_t end)
{
    for (uint32_t i = first; i < last; i++)
        if (clock->islands[i].next <= end)
            return true;
    return false;
}

// The window up to `end`, and the next by those that may run it. `*continues`: it follows at once.
static bool run_sms(struct wm_clock *clock, uint64_t end, bool *continues)
{
    bool ok = true;
    uint32_t parts = clock->unit_count + clock->partition_count;
    *continues = acts_at(clock, clock->unit_count, parts, end);
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        struct wm_clock_sm *sm = &clock->sms[i];
        ok = run_sm(clock, sm, end, false) && ok;
        receive_from_partitions(clock, sm);
        *continues |= clock->islands[i].next <= end;
        clock->arrivals[i].ahead = *continues && sm->finished_blocks == 0;
        if (!clock->arrivals[i].ahead)
            continue;
        clock->windows++; // in which it runs: blocks leave it at the end of that
        ok = run_sm(clock, sm, end + clock->window, true) && ok;
        clock->windows--;
    }
    return ok;
}

// The next one by the others.
static bool run_other_sms(struct wm_clock *clock, uint64_t end)
{
    bool ok = true;
    for (uint32_t i = 0; i < clock->sm_count; i++)
        if (!clock->arrivals[i].ahead)
            ok = run_sm(clock, &clock->sms[i], end, true) && ok;
    return ok;
}

// --- Both ---

enum wm_status wm_clock_run_paired_windows(struct wm_clock *clock, struct wm_error *error)
{
    uint64_t first = clock->now + clock->window, second = first + clock->window;
    bool ok = true, continues;
    clock->windows++;
    for (uint32_t i = 0; !clock->partitions_ahead && i < clock->partition_count; i++)
        ok = run_partition(clock, i, first, true) && ok;
    clock->partitions_ahead = false;
    ok = run_sms(clock, first, &continues) && ok;
    clock->now = first;
    if (ok && continues) {
        WM_TRY(wm_clock_give_blocks(clock, NULL, error));
        clock->windows++;
        ok = run_other_sms(clock, second);
        clock->partitions_ahead = acts_at(clock, 0, clock->sm_count, second);
        ok = run_partitions(clock, second, clock->partitions_ahead) && ok;
        clock->now = second;
    }
    return ok ? WM_OK : wm_fail_no_memory(error, "the clock engine");
}
