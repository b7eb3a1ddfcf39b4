// Launches that a recording has side by side, as the program's run would have them
// (docs/streams.md): what the recording says is issued in its order, begins when what it is behind
// has ended, and shares the machine with all that is under way. As for a run, copies and the like
// take no time of the engine.
#include "base/containers/array.h"
#include "engine/replay/cpu_cores.h"
#include "engine/replay/program_threads.h"
#include "engine/replay/recorded_work.h"
#include "engine/replay/replay.h"
#include "engine/replay/replay_parts.h"
#include "engine/session/session_state.h"

#include <stdlib.h>

enum {
    MOST_PENDING = 1024, // as in a run: then what is issued next waits for the first
    MOST_EVENTS = 4096,  // of an item; those that follow are the next one's
};

// A launch, or what a command did besides. Owned.
struct item {
    struct item *next; // in the order of the recording
    bool is_launch, under_way;
    uint32_t command; // that a thread of the recording issues; 0: none
    bool behind_all;
    struct wm_recorded_numbers behind; // owned numbers
    uint32_t waits_for;                // items
    // Of a launch: where its streams are found, and it, while it is under way.
    uint64_t next_section;
    struct wm_recorded_launch launch;
    struct wm_recorded_work work;
    struct wm_concurrent_launch *running;
    // Of others.
    struct wm_recorded_event *events; // owned
    uint32_t event_count, event_room;
};

struct issue {
    struct wm_recording *recording;
    struct wm_session *session;
    struct item *first, *last; // that have not ended
    uint32_t pending;
    const struct item *full; // this is to end before another is issued; NULL: none is
    // What was read and is not issued yet.
    struct item *next;
    uint64_t ended_below; // the host waits for these
    struct wm_recorded_numbers ended;
    bool over;                          // nothing is left to be read
    struct item *open;                  // the last issued, which more events may be of; or NULL
    struct wm_program_threads *threads; // borrowed; that issue commands; NULL: there are none
    uint32_t last_command;              // that was read
    bool all_issued;                    // threads will issue nothing more
};

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "launches side by side");
}

static void free_item(struct item *item)
{
    if (item == NULL)
        return;
    free((void *)(uintptr_t)item->behind.items);
    free(item->events);
    free(item);
}

// ---- Reading -----------------------------------------------------------------------------------

static bool copy_numbers(struct wm_recorded_numbers *to, const struct wm_recorded_numbers *from)
{
    uint64_t *items = malloc((from->count + UINT64_C(1)) * sizeof *items);
    if (items == NULL)
        return false;
    if (from->count != 0)
        memcpy(items, from->items, from->count * sizeof *items);
    free((void *)(uintptr_t)to->items);
    *to = (struct wm_recorded_numbers){.items = items, .count = from->count};
    return true;
}

static bool has(const struct wm_recorded_numbers *numbers, uint64_t number)
{
    uint32_t low = 0, high = numbers->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (numbers->items[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < numbers->count && numbers->items[low] == number;
}

static void set_command(struct issue *issue, struct item *item, uint32_t command)
{
    if (command == 0 && item->is_launch && issue->threads != NULL &&
        issue->threads->numbers_launches)
        command = (uint32_t)item->launch.number + 1;
    item->command = command;
    if (command != 0)
        issue->last_command = command;
}

static enum wm_status take_order(struct issue *issue, struct item *item,
                                 const struct wm_recorded_order *order, struct wm_error *error)
{
    item->behind_all = order == NULL || !order->concurrent;
    set_command(issue, item, order != NULL ? order->command : 0);
    if (!item->behind_all && !copy_numbers(&item->behind, &order->behind))
        return no_memory(error);
    if (order == NULL || !order->waited)
        return WM_OK;
    if (order->ended_below > issue->ended_below)
        issue->ended_below = order->ended_below;
    return copy_numbers(&issue->ended, &order->ended) ? WM_OK : no_memory(error);
}

static bool add_event(struct item *item, const struct wm_recorded_event *event)
{
    return WM_ARRAY_ADD(item->events, item->event_count, item->event_room, *event);
}

// Whether the event continues the item that was read last.
static bool continues(const struct issue *issue, const struct wm_recorded_event *event)
{
    return event->kind != WM_RECORDED_LAUNCH && !event->begins && issue->open != NULL &&
           issue->open->event_count < MOST_EVENTS;
}

static enum wm_status make_item(struct issue *issue, const struct wm_recorded_event *event,
                                struct wm_error *error)
{
    const struct wm_recording *recording = issue->recording;
    struct item *item = issue->next = calloc(1, sizeof *item);
    if (item == NULL)
        return no_memory(error);
    item->is_launch = event->kind == WM_RECORDED_LAUNCH;
    if (!item->is_launch) {
        WM_TRY(take_order(issue, item, event->order, error));
        return add_event(item, event) ? WM_OK : no_memory(error);
    }
    WM_TRY(wm_replay_check_cores(recording, issue->session, error));
    item->next_section = recording->next_section;
    item->launch = recording->launch;
    return take_order(issue, item, &recording->launch.order, error);
}

// The next item, or more of the last one.
static enum wm_status read_next(struct issue *issue, struct wm_error *error)
{
    struct wm_recorded_event event;
    bool more;
    WM_TRY(wm_recording_next(issue->recording, &event, &more, error));
    issue->over = !more;
    // What takes no part in a run.
    if (!more || event.kind == WM_RECORDED_ALLOCATE || event.kind == WM_RECORDED_FREE)
        return WM_OK;
    if (continues(issue, &event))
        return add_event(issue->open, &event) ? WM_OK : no_memory(error);
    return make_item(issue, &event, error);
}

// ---- Issuing -----------------------------------------------------------------------------------

static bool is_behind(const struct item *item, const struct item *earlier)
{
    return item->behind_all || (earlier->is_launch && has(&item->behind, earlier->launch.number));
}

// Whether the host has waited for what it waits for.
static bool may_issue(const struct issue *issue)
{
    if (issue->full != NULL)
        return false;
    if (issue->threads != NULL && !issue->all_issued &&
        !wm_program_threads_have_issued(issue->threads, issue->next->command))
        return false;
    for (const struct item *at = issue->first; at != NULL; at = at->next)
        if (at->is_launch &&
            (at->launch.number < issue->ended_below || has(&issue->ended, at->launch.number)))
            return false;
    return true;
}

static void issue_next(struct issue *issue)
{
    struct item *item = issue->next;
    for (const struct item *at = issue->first; at != NULL; at = at->next)
        item->waits_for += is_behind(item, at);
    if (issue->last != NULL)
        issue->last->next = item;
    else
        issue->first = item;
    issue->last = item;
    issue->open = item->is_launch ? NULL : item;
    issue->next = NULL;
    if (++issue->pending >= MOST_PENDING)
        issue->full = issue->first;
}

// All that the host issues before it waits.
static enum wm_status issue_all(struct issue *issue, struct wm_error *error)
{
    while (issue->next != NULL || !issue->over) {
        if (issue->next == NULL)
            WM_TRY(read_next(issue, error));
        if (issue->next == NULL)
            continue;
        if (!may_issue(issue))
            return WM_OK;
        issue_next(issue);
    }
    return WM_OK;
}

// ---- Running -----------------------------------------------------------------------------------

static void end_item(struct issue *issue, struct item *item)
{
    struct item **link = &issue->first, *before = NULL;
    while (*link != item) {
        before = *link;
        link = &before->next;
    }
    *link = item->next;
    if (issue->last == item)
        issue->last = before;
    if (issue->open == item)
        issue->open = NULL;
    for (struct item *at = item->next; at != NULL; at = at->next)
        at->waits_for -= is_behind(at, item);
    issue->pending--;
    if (issue->full == item)
        issue->full = issue->pending >= MOST_PENDING ? issue->first : NULL;
    free_item(item);
}

// The streams of a launch are found from where it stood.
static enum wm_status open_work(struct issue *issue, struct item *item, struct wm_error *error)
{
    struct wm_recording *recording = issue->recording;
    uint64_t next_section = recording->next_section;
    struct wm_recorded_launch launch = recording->launch;
    recording->next_section = item->next_section;
    recording->launch = item->launch;
    enum wm_status status = wm_replay_open_work(recording, issue->session, &item->work, error);
    recording->next_section = next_section;
    recording->launch = launch;
    return status;
}

// Between launches a run looks at what all have counted.
static enum wm_status begin_launch(struct issue *issue, struct item *item, struct wm_error *error)
{
    (void)wm_session_totals(issue->session, 0);
    WM_TRY(open_work(issue, item, error));
    enum wm_status status =
        wm_session_start_work(issue->session, &item->work.work, item->launch.order.priority,
                              item->launch.order.alone, &item->running, error);
    if (status != WM_OK)
        wm_recorded_work_release(&item->work);
    item->under_way = status == WM_OK;
    return status;
}

static enum wm_status end_launch(struct issue *issue, struct item *item, struct wm_error *error)
{
    enum wm_status status = wm_session_collect(issue->session, item->running, NULL, error);
    item->under_way = false;
    wm_recorded_work_release(&item->work);
    (void)wm_session_totals(issue->session, 0);
    return status;
}

static enum wm_status end_all_that_have(struct issue *issue, struct wm_error *error)
{
    for (struct item *at = issue->first, *next; at != NULL; at = next) {
        next = at->next;
        if (!at->under_way || !wm_concurrent_launch_has_ended(at->running))
            continue;
        WM_TRY(end_launch(issue, at, error));
        end_item(issue, at);
    }
    return WM_OK;
}

static struct item *find_ready(const struct issue *issue)
{
    for (struct item *at = issue->first; at != NULL; at = at->next)
        if (at->waits_for == 0 && !at->under_way)
            return at;
    return NULL;
}

// What may begin begins, in the order of issue; else the engine takes a step.
static enum wm_status go_on(struct issue *issue, struct wm_error *error)
{
    struct item *ready = find_ready(issue);
    if (ready == NULL)
        (void)wm_session_step(issue->session);
    else if (ready->is_launch)
        WM_TRY(begin_launch(issue, ready, error));
    for (uint32_t i = 0; ready != NULL && i < ready->event_count; i++)
        wm_replay_host_event(issue->session, &ready->events[i]);
    if (ready != NULL && !ready->is_launch)
        end_item(issue, ready);
    return end_all_that_have(issue, error);
}

// ---- Beside threads ----------------------------------------------------------------------------

// Commands are issued in the order of their numbers. Threads know of the end of all below one.
static void note_completed(struct issue *issue)
{
    uint32_t below = UINT32_MAX;
    if (issue->next != NULL)
        below = issue->next->command != 0 ? issue->next->command : issue->last_command + 1;
    for (const struct item *at = issue->first; at != NULL; at = at->next)
        if (at->command != 0 && at->command < below)
            below = at->command;
    wm_program_threads_completed(issue->threads, below);
}

static bool any_under_way(const struct issue *issue)
{
    for (const struct item *at = issue->first; at != NULL; at = at->next)
        if (at->under_way)
            return true;
    return false;
}

static enum wm_status begin_all(struct issue *issue, struct wm_error *error)
{
    WM_TRY(issue_all(issue, error));
    while (find_ready(issue) != NULL) {
        WM_TRY(go_on(issue, error));
        WM_TRY(issue_all(issue, error));
    }
    note_completed(issue);
    return WM_OK;
}

static enum wm_status step_and_end(struct issue *issue, struct wm_error *error)
{
    (void)wm_session_step(issue->session);
    return end_all_that_have(issue, error);
}

// A turn of a thread, then the device's, as in a run: what the thread has accessed comes first,
// with a round of the kernels under way; what may begin begins; and kernels have a round if they
// had none.
static enum wm_status take_turns(struct issue *issue, struct wm_error *error)
{
    bool stepped = false;
    if (wm_program_threads_begin_turn(issue->threads)) {
        stepped = any_under_way(issue);
        WM_TRY(step_and_end(issue, error));
        wm_program_threads_end_turn(issue->threads);
    }
    WM_TRY(begin_all(issue, error));
    return issue->first != NULL && !stepped ? step_and_end(issue, error) : WM_OK;
}

// Threads wait for a command that none of them issues, as of a part of a recording.
static enum wm_status find_stuck(struct issue *issue, struct wm_error *error)
{
    if (!wm_program_threads_are_stuck(issue->threads) || any_under_way(issue) ||
        find_ready(issue) != NULL)
        return WM_OK;
    if (issue->all_issued || issue->next == NULL) {
        wm_fail(error, WM_INVALID, "its threads wait for a command of the device that never ends");
        wm_error_place(error, "%s", issue->recording->file.path);
        return wm_error_hint(error, "record the program again, or leave the threads out: "
                                    "--no-host-threads");
    }
    issue->all_issued = true;
    return WM_OK;
}

static enum wm_status replay_beside_threads(struct issue *issue, struct wm_error *error)
{
    for (;;) {
        issue->all_issued |= wm_program_threads_have_ended(issue->threads);
        WM_TRY(begin_all(issue, error));
        bool turns = wm_program_threads_have_turns(issue->threads);
        if (issue->first == NULL && issue->next == NULL && !turns)
            return WM_OK;
        if (turns)
            WM_TRY(take_turns(issue, error));
        else
            WM_TRY(step_and_end(issue, error));
        WM_TRY(issue_all(issue, error));
        note_completed(issue);
        WM_TRY(find_stuck(issue, error));
    }
}

static enum wm_status replay_all(struct issue *issue, struct wm_error *error)
{
    if (issue->threads != NULL)
        return replay_beside_threads(issue, error);
    for (;;) {
        WM_TRY(issue_all(issue, error));
        if (issue->first == NULL)
            return WM_OK;
        WM_TRY(go_on(issue, error));
    }
}

enum wm_status wm_replay_concurrent(struct wm_recording *recording, struct wm_session *session,
                                    struct wm_error *error)
{
    struct issue issue = {.recording = recording, .session = session};
    struct wm_cpu_cores cores;
    struct wm_program_threads threads = {0};
    WM_TRY(wm_cpu_cores_begin_beside(&cores, recording, session, error));
    enum wm_status status = WM_OK;
    if (cores.recording != NULL && cores.recording->of_cores) {
        issue.threads = &threads;
        status = wm_program_threads_init(&threads, &cores, recording, session, error);
    }
    wm_recording_rewind(recording);
    if (status == WM_OK)
        status = replay_all(&issue, error);
    while (issue.first != NULL) { // after an error
        struct item *item = issue.first;
        struct wm_error later;
        if (item->under_way)
            (void)end_launch(&issue, item, &later);
        end_item(&issue, item);
    }
    free_item(issue.next);
    free((void *)(uintptr_t)issue.ended.items);
    status = wm_cpu_cores_end(&cores, session, status, error);
    wm_program_threads_release(&threads);
    return status;
}
