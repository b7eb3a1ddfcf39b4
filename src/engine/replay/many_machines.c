// Machines that share a front end are a group, which is walked at once. As many groups as keep all
// threads busy are walked side by side, each by one; the others one after the other, each by all.
#include "engine/replay/many_machines.h"

#include "base/containers/array.h"
#include "base/host/large_pages.h"
#include "base/run/thread_team.h"
#include "engine/replay/replay.h"
#include "engine/replay/replay_parts.h"
#include "engine/session/session_state.h"
#include "engine/walk/walk_team.h"

#include <stdatomic.h>
#include <stdlib.h>

struct replay;

// Variants of one front end.
struct group {
    struct replay *replay;
    struct wm_replay_variant **variants; // borrowed
    struct wm_session **sessions;        // of them, while it is walked
    uint32_t count;
    uint32_t threads; // that its walk can use
};

struct replay {
    struct wm_recording *recording;
    const struct wm_session_options *options;
    struct wm_replay_variant *variants;
    struct wm_replay_variant **by_group; // owned
    struct wm_session **sessions;        // owned, in that order
    struct group *groups;                // owned
    enum wm_status *statuses;            // owned; by variant, as the next
    struct wm_error *errors;
    uint32_t count, group_count, threads;
    // The first variant that failed: those behind it need no results any more.
    _Atomic uint32_t failed;
};

static enum wm_status make_results(struct wm_session *session, const struct wm_recording *recording,
                                   struct wm_replay_variant *variant, struct wm_error *error)
{
    WM_TRY(wm_replay_name_memory(recording, session, error));
    WM_TRY(wm_session_results(session, recording->header.command, &variant->results, error));
    struct wm_results *results = variant->results;
    if (variant->settings == NULL)
        return WM_OK;
    results->variant =
        wm_arena_copy_text(&results->arena, variant->settings, strlen(variant->settings));
    return results->variant != NULL ? WM_OK : wm_fail_no_memory(error, "the results");
}

// --- A group ---

static enum wm_status make_sessions(const struct group *group, uint32_t threads,
                                    struct wm_error *error)
{
    const struct replay *replay = group->replay;
    struct wm_session_options options = *replay->options;
    options.in_order = true;
    options.threads = threads;
    for (uint32_t i = 0; i < group->count; i++) {
        options.progress = replay->options->progress && group->variants[i] == &replay->variants[0];
        WM_TRY(wm_session_new(group->variants[i]->machine, NULL, &options, &group->sessions[i],
                              error));
    }
    return WM_OK;
}

static void note_failure(struct replay *replay, uint32_t number)
{
    uint32_t failed = replay->failed;
    while (number < failed && !atomic_compare_exchange_weak(&replay->failed, &failed, number))
        continue;
}

// What came of each variant, when the walk has ended with `status`.
static void collect(const struct group *group, struct wm_recording *recording,
                    const struct wm_walk_team *team, enum wm_status status,
                    const struct wm_error *error)
{
    const struct replay *replay = group->replay;
    for (uint32_t i = 0; i < group->count; i++) {
        size_t number = (size_t)(group->variants[i] - replay->variants);
        enum wm_status *own = &replay->statuses[number];
        struct wm_error *its = &replay->errors[number];
        *own = team != NULL ? wm_walk_team_status(team, i, its) : WM_OK;
        if (*own == WM_OK && status != WM_OK) {
            *own = status;
            *its = *error;
        } else if (*own == WM_OK) {
            *own = make_results(group->sessions[i], recording, group->variants[i], its);
        }
        if (*own != WM_OK)
            note_failure(group->replay, (uint32_t)number);
    }
}

// Its variants are in the order of the command.
static bool matters(const struct group *group)
{
    return group->variants[0] - group->replay->variants < (ptrdiff_t)group->replay->failed;
}

static void walk(const struct group *group, struct wm_recording *recording, uint32_t threads)
{
    struct wm_walk_team *team = NULL;
    struct wm_error error;
    uint32_t useful = threads < group->threads ? threads : group->threads;
    enum wm_status status = make_sessions(group, threads, &error);
    if (status == WM_OK && (group->count > 1 || useful > 1))
        status = wm_walk_team_new(group->sessions, group->count, useful, &team, &error);
    if (status == WM_OK)
        status = wm_replay(recording, group->sessions[0], &error);
    if (team != NULL)
        wm_walk_team_finish(team);
    collect(group, recording, team, status, &error);
    wm_walk_team_free(team);
    for (uint32_t i = 0; i < group->count; i++)
        wm_session_free(group->sessions[i]);
}

// With a reader of its own: that is one thread's.
static void walk_apart(void *context, uint32_t item, uint32_t thread)
{
    struct replay *replay = context;
    const struct group *group = &replay->groups[item];
    (void)thread;
    if (!matters(group))
        return;
    struct wm_recording *recording = malloc(sizeof *recording);
    struct wm_error error;
    enum wm_status status = recording != NULL
                                ? wm_recording_open_again(recording, replay->recording, &error)
                                : wm_fail_no_memory(&error, "a recording");
    if (status == WM_OK) {
        walk(group, recording, 1);
        wm_recording_close(recording);
    } else {
        collect(group, recording, NULL, status, &error);
    }
    free(recording);
}

// --- The whole ---

// Whether each machine walks by itself: a front end has one launch at a time, and does not know
// what misses, or when.
static bool goes_apart(const struct replay *replay)
{
    const struct wm_session_options *options = replay->options;
    return options->explain || options->clock || !options->memory ||
           wm_replay_is_concurrent(replay->recording, options);
}

static bool share_front_end(const struct replay *replay, uint32_t a, uint32_t b)
{
    return !goes_apart(replay) &&
           wm_replay_same_front_end(replay->variants[a].machine, replay->variants[b].machine);
}

// Whether it shares the front end of one before it.
static bool is_of_a_group(const struct replay *replay, uint32_t number)
{
    uint32_t before = 0;
    while (before < number && !share_front_end(replay, before, number))
        before++;
    return before < number;
}

// How many threads can walk a group of machines like that one.
static uint32_t useful_threads(const struct replay *replay, const struct wm_machine *machine)
{
    // The clock engine's are its own, and most useful when each walks a machine.
    bool alone = replay->options->clock && replay->count == 1;
    return alone ? replay->threads
                 : wm_walk_team_threads(machine, replay->options, replay->threads);
}

// Groups in the order of their first variants, those that one thread walks before the others.
static uint32_t find_groups(struct replay *replay)
{
    const struct wm_replay_variant *variants = replay->variants;
    uint32_t filled = 0, singles = 0;
    for (int useful = 0; useful < 2; useful++)
        for (uint32_t first = 0; first < replay->count; first++) {
            const struct wm_machine *machine = variants[first].machine;
            uint32_t threads = useful_threads(replay, machine);
            if ((threads > 1) != (useful == 1) || is_of_a_group(replay, first))
                continue;
            struct group *group = &replay->groups[replay->group_count++];
            *group = (struct group){.replay = replay,
                                    .variants = replay->by_group + filled,
                                    .sessions = replay->sessions + filled,
                                    .threads = threads};
            singles += useful == 0;
            for (uint32_t i = first; i < replay->count; i++)
                if (i == first || share_front_end(replay, first, i))
                    group->variants[group->count++] = &replay->variants[i];
            filled += group->count;
        }
    return singles;
}

static enum wm_status walk_all(struct replay *replay, struct wm_error *error)
{
    uint32_t singles = find_groups(replay), apart = 0;
    if (replay->group_count > 1)
        apart = replay->group_count - replay->group_count % replay->threads;
    if (replay->group_count > 1 && apart < singles)
        apart = singles;
    if (replay->threads == 1)
        apart = 0;
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS] = {
        {.run = walk_apart, .count = apart, .chunk = 1}};
    struct wm_thread_team *team = NULL;
    if (apart != 0)
        WM_TRY(wm_thread_team_new(replay->threads < apart ? replay->threads : apart, steps, replay,
                                  &team, error));
    if (team != NULL)
        wm_thread_team_run(team, 0);
    wm_thread_team_free(team);
    for (uint32_t i = apart; i < replay->group_count; i++)
        if (matters(&replay->groups[i]))
            walk(&replay->groups[i], replay->recording, replay->threads);
    return WM_OK;
}

static enum wm_status make_tables(struct replay *replay, struct wm_error *error)
{
    WM_TRY(WM_ARRAY_NEW(replay->by_group, replay->count, error, "%u variants", replay->count));
    WM_TRY(WM_ARRAY_NEW(replay->sessions, replay->count, error, "%u variants", replay->count));
    WM_TRY(WM_ARRAY_NEW(replay->groups, replay->count, error, "%u variants", replay->count));
    WM_TRY(WM_ARRAY_NEW(replay->statuses, replay->count, error, "%u variants", replay->count));
    return WM_ARRAY_NEW(replay->errors, replay->count, error, "%u variants", replay->count);
}

enum wm_status wm_replay_many(struct wm_recording *recording, struct wm_replay_variant *variants,
                              uint32_t count, uint32_t threads,
                              const struct wm_session_options *options, struct wm_error *error)
{
    // Warps and caches by the hundred take turns, each with its few lines of the host's caches.
    wm_prefer_large_pages();
    struct replay replay = {.recording = recording,
                            .options = options,
                            .variants = variants,
                            .count = count,
                            .threads = threads != 0 ? threads : 1,
                            .failed = UINT32_MAX};
    enum wm_status status = make_tables(&replay, error);
    if (status == WM_OK)
        status = walk_all(&replay, error);
    if (status == WM_OK && replay.failed < count) {
        status = replay.statuses[replay.failed];
        if (error != NULL)
            *error = replay.errors[replay.failed];
    }
    free(replay.by_group);
    free(replay.sessions);
    free(replay.groups);
    free(replay.statuses);
    free(replay.errors);
    return status;
}
