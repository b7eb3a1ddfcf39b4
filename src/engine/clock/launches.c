// Launches on the clock engine, alone and side by side. The instructions of all kernels under way
// stand behind each other, as if they were one kernel's, so that all that is counted by pc is
// counted for its kernel; a block has its launch. All that a launch needs is made when the first
// begins, grows when another joins, and goes when none is under way.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include "engine/issue/issue_table.h"
#include "mem/system/memory_components.h"
#include "sm/issue/issue_steps.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOWS_A_STEP = 64 };

static uint64_t latency_of(const struct wm_clock *clock)
{
    return clock->machine->sm.launch_latency;
}

// --- Instructions ---

// Which instructions the machine's bypass list names, and how caches rank what they bring.
static bool add_tables(struct wm_clock *clock, const struct wm_clock_segment *segment)
{
    const struct wm_kernel_record *record = segment->record;
    size_t base = segment->base, end = base + segment->count;
    if (!WM_ARRAY_EXTEND(clock->listed, base, end))
        return false;
    memcpy(clock->listed + base, record->listed, record->instruction_count);
    const uint8_t *tables[] = {record->priorities.l1, record->priorities.l2};
    uint8_t **all[] = {&clock->l1_priorities, &clock->l2_priorities};
    for (int i = 0; i < 2; i++) {
        if (!WM_ARRAY_EXTEND(*all[i], base, end))
            return false;
        if (tables[i] != NULL)
            memcpy(*all[i] + base, tables[i], record->instruction_count);
    }
    return true;
}

static bool make_spaces(struct wm_clock *clock, size_t before, size_t after)
{
    bool ok = true;
    for (uint32_t i = 0; i < clock->unit_count && ok; i++)
        ok = WM_ARRAY_EXTEND(clock->sms[i].spaces, before, after);
    return ok;
}

// Whether launches of one kernel are counted each by itself.
static bool splits(const struct wm_clock *clock)
{
    return clock->session->options.per_launch || clock->session->options.filter != NULL;
}

static void give_segment(const struct wm_clock *clock, struct wm_clock_segment *segment,
                         struct wm_launch_accounting *launch)
{
    if (launch == NULL || !splits(clock))
        return;
    segment->launch = launch;
    segment->not_counted = clock->session->options.filter != NULL && !launch->chosen;
}

static void explain_in(const struct wm_clock *clock, struct wm_node_island *island, uint32_t copy)
{
    island->explained = clock->explained;
    island->segments = clock->segment_count;
    island->copy = clock->coherent == NULL ? copy : 0;
}

// Where misses are explained: of whose instructions the caches that packets come to count.
static void explain_islands(const struct wm_clock *clock)
{
    for (uint32_t i = 0; i < clock->partition_count; i++)
        explain_in(clock, &clock->partitions[i]->island, i);
    for (uint32_t i = 0; clock->group_levels != NULL && i < clock->group_count; i++)
        explain_in(clock, wm_clock_group_island(clock, i), i * clock->group_sms);
    if (clock->group_levels != NULL && clock->core_count != 0)
        explain_in(clock, wm_clock_group_island(clock, wm_clock_core_group(clock)),
                   clock->sm_count);
}

static bool explain_segments(struct wm_clock *clock)
{
    if (!clock->session->options.explain)
        return true;
    if (!WM_ARRAY_RESIZE(clock->explained, clock->segment_count))
        return false;
    for (uint32_t i = 0; i < clock->segment_count; i++) {
        const struct wm_clock_segment *segment = &clock->segments[i];
        clock->explained[i] = (struct wm_explained_segment){segment->base, segment->count,
                                                            segment->record->explained};
    }
    explain_islands(clock);
    return true;
}

static bool add_segment(struct wm_clock *clock, const struct wm_clock_launch *running,
                        struct wm_kernel_record *record, uint32_t instructions)
{
    if (!WM_ARRAY_RESIZE(clock->segments, clock->segment_count + UINT64_C(1)))
        return false;
    const struct wm_clock_segment *last =
        clock->segment_count != 0 ? &clock->segments[clock->segment_count - 1] : NULL;
    struct wm_clock_segment *made = &clock->segments[clock->segment_count++];
    // One more: that of which nothing is known.
    *made = (struct wm_clock_segment){.record = record,
                                      .base = last != NULL ? last->base + last->count : 0,
                                      .count = instructions + 1};
    give_segment(clock, made, running->launch);
    return add_tables(clock, made) && explain_segments(clock) &&
           make_spaces(clock, made->base, made->base + (size_t)made->count);
}

// --- The first ---

// Pieces of places of one size, which single launches have.
static void number_slots(struct wm_clock *clock, uint32_t warps)
{
    for (uint32_t slot = 0; slot < clock->machine->sm.max_warps; slot++)
        clock->slots[slot] = (struct wm_clock_warp_slot){.place = (uint16_t)(slot / warps),
                                                         .warp = (uint16_t)(slot % warps)};
}

static enum wm_status begin(struct wm_clock *clock, struct wm_clock_launch *running,
                            struct wm_kernel_record *record, struct wm_error *error)
{
    struct wm_launch_state *run = running->run;
    bool alone = !run->work->threaded || clock->coherent != NULL;
    uint32_t threads = alone ? 1 : clock->session->options.threads;
    uint32_t count = run->work->instruction_count;
    clock->session_failed = false;
    // Others may join, and end, between any two windows.
    clock->pairs_windows = running->launch == NULL && wm_clock_can_pair_windows(clock, threads);
    clock->partitions_ahead = false;
    clock->place_count = run->blocks_per_sm;
    clock->session_first = clock->session_last = running->first;
    clock->launch_cycles += latency_of(clock);
    if (!add_segment(clock, running, record, count) ||
        !wm_clock_tallies_begin(clock, threads, count))
        return wm_fail_no_memory(error, "the clock engine");
    WM_TRY(wm_issue_table_init(&clock->table, run->work, error));
    if (record->machine_slots != NULL)
        wm_issue_table_set_machine_code(&clock->table, record->machine_slots,
                                        record->machine_rounds);
    if (record->orders != NULL)
        wm_issue_table_set_orders(&clock->table, record->orders);
    WM_TRY(wm_issue_steps_find(&clock->table, &clock->machine->sm, error));
    number_slots(clock, run->warps_per_block);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        WM_TRY(wm_clock_sm_launch(&clock->sms[i], error));
    for (uint32_t i = clock->sm_count; i < clock->unit_count; i++)
        wm_clock_core_launch(&clock->sms[i]);
    return wm_clock_form_threads(clock, threads, error);
}

// --- The others ---

// The kernel's, or where launches are counted each by itself, of those of its launches that have
// left the one of the first that did: what was still on its way then has had most time to come.
// Else there would be as many as launches that overlap in turn, and to add one copies the tables of
// all.
static bool find_segment(const struct wm_clock *clock, const struct wm_kernel_record *record,
                         uint32_t *segment)
{
    bool found = false;
    for (uint32_t i = 0; i < clock->segment_count; i++) {
        const struct wm_clock_segment *at = &clock->segments[i];
        if (at->record != record || at->launch != NULL ||
            (found && at->left >= clock->segments[*segment].left))
            continue;
        *segment = i;
        found = true;
    }
    return found;
}

static enum wm_status append_table(struct wm_clock *clock, const struct wm_work *work,
                                   const struct wm_kernel_record *record, struct wm_error *error)
{
    struct wm_issue_table more;
    uint32_t first = clock->table.instruction_count + 1;
    WM_TRY(wm_issue_table_init(&more, work, error));
    if (record->machine_slots != NULL)
        wm_issue_table_set_machine_code(&more, record->machine_slots, record->machine_rounds);
    if (record->orders != NULL)
        wm_issue_table_set_orders(&more, record->orders);
    enum wm_status status = wm_issue_table_append(&clock->table, &more, error);
    wm_issue_table_release(&more);
    if (status == WM_OK)
        status = wm_issue_steps_extend(&clock->table, first, &clock->machine->sm, error);
    return status;
}

// Of all segments, by their pcs: what a launch that joins set is of its kernel alone.
static void set_eviction_priorities(struct wm_clock *clock)
{
    wm_memory_set_eviction_priorities(clock->memory, clock->l1_priorities, clock->l2_priorities);
}

static enum wm_status add_instructions(struct wm_clock *clock, struct wm_clock_launch *running,
                                       struct wm_kernel_record *record, struct wm_error *error)
{
    const struct wm_work *work = running->run->work;
    if (find_segment(clock, record, &running->segment)) {
        give_segment(clock, &clock->segments[running->segment], running->launch);
        set_eviction_priorities(clock);
        return WM_OK;
    }
    running->segment = clock->segment_count;
    WM_TRY(append_table(clock, work, record, error));
    if (!add_segment(clock, running, record, work->instruction_count) ||
        !wm_clock_tallies_grow(clock, clock->table.instruction_count, clock->segment_count))
        return wm_fail_no_memory(error, "the clock engine");
    set_eviction_priorities(clock);
    return WM_OK;
}

static enum wm_status extend(struct wm_clock *clock, struct wm_clock_launch *running,
                             struct wm_kernel_record *record, struct wm_error *error)
{
    WM_TRY(add_instructions(clock, running, record, error));
    if (!clock->several && !wm_clock_charges_begin(clock))
        return wm_fail_no_memory(error, "the clock engine");
    clock->place_count = clock->machine->sm.max_blocks;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        struct wm_clock_sm *sm = &clock->sms[i];
        uint32_t segment = 0;
        while (clock->segments[segment].base != sm->base)
            segment++;
        WM_TRY(wm_clock_sm_join(sm, error));
        wm_clock_sm_trace_for(sm, segment);
    }
    for (uint32_t i = clock->sm_count; i < clock->unit_count; i++) // tables may have moved
        wm_clock_core_trace(&clock->sms[i]);
    return WM_OK;
}

// --- Joining ---

static void link_lane(struct wm_clock *clock, struct wm_clock_launch *running,
                      const struct wm_clock_launch *behind)
{
    struct wm_clock_launch **link = &clock->launches;
    while (*link != NULL && *link != behind)
        link = &(*link)->next;
    running->next = *link;
    *link = running;
    clock->launch_count++;
}

static void unlink_lane(struct wm_clock *clock, const struct wm_clock_launch *running)
{
    struct wm_clock_launch **link = &clock->launches;
    while (*link != running)
        link = &(*link)->next;
    *link = running->next;
    clock->launch_count--;
}

enum wm_status wm_clock_join(struct wm_clock *clock, struct wm_clock_launch *running,
                             struct wm_launch_state *run, struct wm_kernel_record *record,
                             struct wm_launch_accounting *launch, struct wm_clock_launch *behind,
                             struct wm_error *error)
{
    uint64_t now = wm_clock_convert(&clock->from_network, clock->now);
    bool first = clock->launch_count == 0, nothing_yet = first || now == clock->session_first;
    *running = (struct wm_clock_launch){
        .run = run, .launch = launch, .first = now, .begins_at = clock->now};
    if (!nothing_yet)
        running->begins_at = wm_clock_convert(&clock->to_network, now + latency_of(clock));
    run->work->moment = &clock->moment;
    run->work->threaded = run->work->parallel && clock->session->options.threads > 1;
    clock->gpus_used |= UINT32_C(1) << run->work->gpu;
    link_lane(clock, running, behind);
    wm_clock_timeline_begin(clock, running, record->number, nothing_yet);
    return (first ? begin : extend)(clock, running, record, error);
}

// --- Ending ---

void wm_clock_end_launch(struct wm_clock *clock, struct wm_clock_launch *running, uint64_t last)
{
    // The first ones' latency has passed before anything began.
    bool before = running->first == clock->session_first;
    running->has_ended = true;
    running->cycles = last - running->first + (before ? latency_of(clock) : 0);
    clock->session_last = last > clock->session_last ? last : clock->session_last;
    wm_clock_timeline_end(clock, running, last);
}

static void keep_spaces(const struct wm_clock *clock, const struct wm_clock_segment *segment)
{
    struct wm_kernel_record *record = segment->record;
    for (uint32_t i = 0; i < clock->unit_count; i++)
        for (uint32_t pc = 0; pc < record->instruction_count; pc++)
            record->spaces[pc] |= clock->sms[i].spaces[segment->base + pc];
}

// None is under way any more: what was counted is the kernels', and what served them goes.
static void end_session(struct wm_clock *clock, bool failed)
{
    for (uint32_t i = 0; i < clock->sm_count; i++)
        if (clock->sms[i].core.table != NULL)
            wm_issue_core_count_waits(&clock->sms[i].core,
                                      wm_clock_convert(&clock->from_network, clock->now));
    if (failed && clock->team != NULL && !wm_clock_drain(clock))
        clock->out_of_memory = true;
    for (uint32_t i = 0; i < clock->segment_count && clock->tallies != NULL; i++) {
        keep_spaces(clock, &clock->segments[i]);
        if (!wm_clock_tallies_keep(clock, &clock->segments[i]))
            clock->out_of_memory = true;
    }
    wm_clock_charges_end(clock);
    wm_clock_tallies_release(clock);
    wm_thread_team_free(clock->team);
    clock->team = NULL;
    wm_clock_mailboxes_release(clock);
    wm_issue_table_release(&clock->table);
    wm_clock_flush_end(clock);
    clock->flushing = false;
    clock->gpus_used = 0;
    free(clock->segments);
    free(clock->listed);
    free(clock->l1_priorities);
    free(clock->l2_priorities);
    clock->segments = NULL;
    clock->listed = clock->l1_priorities = clock->l2_priorities = NULL;
    clock->segment_count = 0;
    explain_islands(clock);
    for (uint32_t i = 0; i < clock->unit_count; i++) {
        free(clock->sms[i].spaces);
        clock->sms[i].spaces = NULL;
    }
}

// Blocks that have not finished take no room any more.
static void give_back_room(const struct wm_clock *clock, const struct wm_launch_state *run)
{
    for (uint32_t i = 0; i < clock->unit_count; i++)
        for (uint32_t place = 0; place < clock->place_count; place++)
            if (clock->sms[i].places[place].block != NULL && clock->sms[i].places[place].run == run)
                wm_session_remove_block(run, wm_clock_number_for(&clock->sms[i], run));
}

void wm_clock_leave(struct wm_clock *clock, struct wm_clock_launch *running)
{
    if (!running->has_ended) { // it failed, or is given up
        give_back_room(clock, running->run);
        wm_clock_end_launch(clock, running, wm_clock_last_cycle(clock));
        clock->session_failed = true;
    }
    running->run->work->moment = NULL;
    unlink_lane(clock, running);
    // What is on its way of it is its kernel's alone, until a launch of that takes its segment.
    wm_clock_charges_attribute(clock);
    for (uint32_t i = 0; i < clock->segment_count; i++)
        if (running->launch != NULL && clock->segments[i].launch == running->launch) {
            clock->segments[i].launch = NULL;
            clock->segments[i].left = clock->now;
        }
    if (clock->launch_count == 0) {
        end_session(clock, clock->session_failed);
        clock->cycles += clock->session_last - clock->session_first + latency_of(clock);
    }
}

void wm_clock_attribute_counters(struct wm_clock *clock)
{
    wm_clock_charges_attribute(clock);
}

bool wm_clock_takes_launches(const struct wm_clock *clock)
{
    return !clock->flushing;
}

uint64_t wm_clock_cycles(const struct wm_clock *clock)
{
    uint64_t now = wm_clock_convert(&clock->from_network, clock->now);
    return clock->cycles +
           (clock->launch_count != 0 ? now - clock->session_first + latency_of(clock) : 0);
}

// --- Work that is supplied ---

uint64_t wm_clock_now(const struct wm_clock *clock)
{
    return clock->now;
}

uint64_t wm_clock_hz(const struct wm_clock *clock)
{
    return clock->network_hz;
}

void wm_clock_shorten_windows(struct wm_clock *clock)
{
    clock->window = 1;
}

void wm_clock_stop_at(struct wm_clock *clock, uint64_t cycle)
{
    clock->stop_at = cycle;
}

void wm_clock_stop(struct wm_clock *clock)
{
    clock->stops = true;
}

// --- Running ---

enum wm_status wm_clock_step(struct wm_clock *clock, struct wm_clock_launch **failed,
                             struct wm_error *error)
{
    return wm_clock_run_windows(clock, WINDOWS_A_STEP, NULL, failed, error);
}

enum wm_status wm_clock_run_work(struct wm_clock *clock, struct wm_launch_state *run,
                                 struct wm_kernel_record *record, struct wm_progress *progress,
                                 uint64_t *cycles, struct wm_error *error)
{
    struct wm_clock_launch running, *failed;
    enum wm_status status = wm_clock_join(clock, &running, run, record, NULL, NULL, error);
    if (status == WM_OK)
        status = wm_clock_run_windows(clock, UINT64_MAX, progress, &failed, error);
    wm_clock_leave(clock, &running);
    *cycles = running.cycles;
    return status == WM_OK && clock->out_of_memory ? wm_fail_no_memory(error, "the clock engine")
                                                   : status;
}
