// Threads take tasks from one table under one mutex: first, to let a machine serve a batch that
// its front end has filled; else, to be the front end of a group that no thread has begun. A front
// end that has no empty batch left does such tasks itself until it has one. So any number of
// threads ends, and each machine sees all batches in order, on one thread at a time; one whose L1s
// another has too, behind that.
#include "engine/replay/many_machines.h"

#include "base/host/large_pages.h"
#include "engine/replay/replay.h"
#include "engine/replay/replay_parts.h"
#include "engine/session/session_state.h"
#include "engine/walk/leader_l1.h"
#include "engine/walk/request_batch.h"

#include <assert.h>
#include <pthread.h>

enum { BATCHES = 4, BATCH_HEADS = 8192, BATCH_LINES = 16384 }; // of a front end

// One variant.
struct member {
    struct wm_replay_variant *variant;
    struct wm_session *session; // from its first batch to its last
    // The machine whose L1s are the same as this one's, and which does their work; NULL: none.
    struct member *leader;
    bool takes_rows;             // of those that it keeps
    struct wm_leader_l1 *shared; // of a leader: BATCHES of them, owned
    uint64_t followed;           // batches
    bool busy;                   // a thread is at its next one
    enum wm_status status;
    struct wm_error error;
};

struct team;

// Variants that one front end feeds; one alone may be run directly.
struct group {
    struct wm_request_batcher batcher; // first: the batcher's pass_on finds the group
    struct team *team;
    struct member *members;
    uint32_t count;
    bool direct, begun, over; // over: no batch comes any more
    uint64_t filled;          // batches
    struct wm_request_batch *batches[BATCHES];
    struct wm_recording *own; // NULL: the team's is used
    enum wm_status status;    // of the front end
    struct wm_error error;
};

struct team {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct wm_recording *recording;
    const struct wm_session_options *options;
    struct member *members; // in groups
    struct group *groups;
    uint32_t threads;                         // that were requested
    uint32_t member_count, group_count, done; // groups
    // The first variant that failed: those behind it need no results any more.
    const struct wm_replay_variant *failed;
};

// --- One machine ---

// With the mutex held.
static bool matters(const struct team *team, const struct member *member)
{
    return member->status == WM_OK && (team->failed == NULL || member->variant < team->failed);
}

static void note_failure(struct team *team, const struct member *member)
{
    if (member->status != WM_OK && (team->failed == NULL || member->variant < team->failed))
        team->failed = member->variant;
}

static enum wm_status make_results(struct wm_session *session, const struct wm_recording *recording,
                                   struct wm_replay_variant *variant, struct wm_error *error)
{
    WM_TRY(wm_session_results(session, recording->header.command, &variant->results, error));
    struct wm_results *results = variant->results;
    if (variant->settings == NULL)
        return WM_OK;
    results->variant =
        wm_arena_copy_text(&results->arena, variant->settings, strlen(variant->settings));
    return results->variant != NULL ? WM_OK : wm_fail_no_memory(error, "the results");
}

static enum wm_status follow_batch(struct member *member, const struct wm_request_batch *batch,
                                   struct wm_error *error)
{
    uint64_t place = member->followed % BATCHES;
    if (member->leader != NULL)
        return wm_walk_serve_batch_of_leader(member->session, batch, &member->leader->shared[place],
                                             member->takes_rows, error);
    if (member->shared != NULL)
        return wm_walk_serve_batch_as_leader(member->session, batch, &member->shared[place], error);
    return wm_walk_serve_batch(member->session, batch, error);
}

// The group's next batch of the member, without the mutex. `last`: none follows.
static enum wm_status follow(const struct team *team, struct member *member,
                             const struct wm_request_batch *batch, bool last,
                             struct wm_error *error)
{
    if (member->session == NULL) {
        struct wm_session_options options = *team->options;
        options.progress = false;
        WM_TRY(wm_session_new(member->variant->machine, NULL, &options, &member->session, error));
    }
    WM_TRY(follow_batch(member, batch, error));
    return last ? make_results(member->session, team->recording, member->variant, error) : WM_OK;
}

static struct wm_request_batch *batch_of(const struct group *group, uint64_t number)
{
    return group->batches[number % BATCHES];
}

static bool all_followed(const struct group *group, uint64_t batches)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->members[i].followed < batches)
            return false;
    return true;
}

static void free_shared(struct member *member)
{
    for (int i = 0; i < BATCHES && member->shared != NULL; i++)
        wm_leader_l1_release(&member->shared[i]);
    free(member->shared);
    member->shared = NULL;
}

static void end_group(struct group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        free_shared(&group->members[i]);
    for (int i = 0; i < BATCHES; i++) {
        wm_request_batch_free(group->batches[i]);
        group->batches[i] = NULL;
    }
    if (group->own != NULL)
        wm_recording_close(group->own);
    free(group->own);
    group->own = NULL;
    group->team->done++;
}

// With the mutex held, which it gives up meanwhile.
static void run_member(struct team *team, struct group *group, struct member *member)
{
    member->busy = true;
    uint64_t number = member->followed;
    bool last = group->over && number + 1 == group->filled && group->status == WM_OK;
    if (matters(team, member)) {
        pthread_mutex_unlock(&team->mutex);
        enum wm_status status = follow(team, member, batch_of(group, number), last, &member->error);
        pthread_mutex_lock(&team->mutex);
        member->status = status;
    }
    member->followed++;
    member->busy = false;
    if (group->over && member->followed == group->filled) {
        if (member->status == WM_OK && group->status != WM_OK) {
            member->status = group->status;
            member->error = group->error;
        }
        wm_session_free(member->session);
        member->session = NULL;
        if (all_followed(group, group->filled))
            end_group(group);
    }
    note_failure(team, member);
    pthread_cond_broadcast(&team->changed);
}

// Batches that the member has before it.
static uint64_t waiting(const struct group *group, const struct member *member)
{
    return (member->leader != NULL ? member->leader->followed : group->filled) - member->followed;
}

// The member that is furthest behind those that fill its batches; NULL when none has anything to
// follow.
static struct member *find_member(struct team *team, struct group **its)
{
    struct member *best = NULL;
    uint64_t most = 0;
    for (uint32_t g = 0; g < team->group_count; g++) {
        struct group *group = &team->groups[g];
        for (uint32_t i = 0; i < group->count && !group->direct; i++) {
            struct member *member = &group->members[i];
            if (member->busy || waiting(group, member) <= most)
                continue;
            most = waiting(group, member);
            best = member;
            *its = group;
        }
    }
    return best;
}

// --- A front end ---

static void pass_on(struct wm_request_batcher *batcher)
{
    struct group *group = (struct group *)batcher;
    struct team *team = group->team;
    pthread_mutex_lock(&team->mutex);
    group->filled++;
    pthread_cond_broadcast(&team->changed);
    while (group->filled >= BATCHES && !all_followed(group, group->filled - BATCHES + 1)) {
        struct group *its;
        struct member *member = find_member(team, &its);
        if (member != NULL)
            run_member(team, its, member);
        else
            pthread_cond_wait(&team->changed, &team->mutex);
    }
    bool matter = false;
    for (uint32_t i = 0; i < group->count; i++)
        matter |= matters(team, &group->members[i]);
    batcher->stopped = !matter;
    pthread_mutex_unlock(&team->mutex);
    batcher->batch = batch_of(group, group->filled);
    wm_request_batch_clear(batcher->batch);
}

static enum wm_status make_batches(struct group *group, struct wm_error *error)
{
    for (int i = 0; i < BATCHES; i++) {
        group->batches[i] = wm_request_batch_new(BATCH_HEADS, BATCH_LINES);
        if (group->batches[i] == NULL)
            return wm_fail_no_memory(error, "the requests of a replay");
    }
    group->batcher.batch = group->batches[0];
    return WM_OK;
}

static struct wm_session_options front_options(const struct group *group)
{
    const struct wm_session_options *requested = group->team->options;
    struct wm_session_options options = *requested;
    options.progress = requested->progress && group == &group->team->groups[0];
    options.memory = group->direct && requested->memory;
    options.in_order = true;
    options.per_launch = group->direct && requested->per_launch; // else the followers'
    return options;
}

// The session of a front end, or of a machine alone.
static enum wm_status walk_through(struct group *group, struct wm_recording *recording)
{
    struct wm_session_options options = front_options(group);
    // A machine that is alone has all threads.
    options.threads = group->team->member_count == 1 ? group->team->threads : 1;
    struct wm_replay_variant *variant = group->members[0].variant;
    struct wm_error *error = &group->error;
    struct wm_session *session;
    if (!group->direct)
        WM_TRY(make_batches(group, error));
    WM_TRY(wm_session_new(variant->machine, NULL, &options, &session, error));
    session->front_end.batcher = group->direct ? NULL : &group->batcher;
    enum wm_status status = wm_replay(recording, session, error);
    if (status == WM_OK && group->direct)
        status = make_results(session, recording, variant, error);
    wm_session_free(session);
    return status;
}

// The first group uses the recording that was given, every other one opens it again: a reader is
// one thread's. It stays open until the last member has followed, as kernels are described from it.
static enum wm_status walk_group(struct group *group)
{
    struct team *team = group->team;
    if (group == &team->groups[0])
        return walk_through(group, team->recording);
    struct wm_recording *recording = malloc(sizeof *recording);
    if (recording == NULL)
        return wm_fail_no_memory(&group->error, "a recording");
    enum wm_status status = wm_recording_open(recording, team->recording->file.path, &group->error);
    if (status != WM_OK) {
        free(recording);
        return status;
    }
    group->own = recording;
    return walk_through(group, recording);
}

// With the mutex held, which it gives up meanwhile.
static void run_group(struct team *team, struct group *group)
{
    group->begun = true;
    bool matter = matters(team, &group->members[0]);
    pthread_mutex_unlock(&team->mutex);
    enum wm_status status = matter ? walk_group(group) : WM_OK;
    pthread_mutex_lock(&team->mutex);
    group->status = status;
    group->over = true;
    if (group->direct || group->batches[BATCHES - 1] == NULL) {
        for (uint32_t i = 0; i < group->count; i++) {
            group->members[i].status = status;
            group->members[i].error = group->error;
            note_failure(team, &group->members[i]);
        }
        end_group(group);
    } else {
        group->filled++;
    }
    pthread_cond_broadcast(&team->changed);
}

static struct group *find_group(struct team *team)
{
    for (uint32_t g = 0; g < team->group_count; g++)
        if (!team->groups[g].begun)
            return &team->groups[g];
    return NULL;
}

static void *work(void *context)
{
    struct team *team = context;
    pthread_mutex_lock(&team->mutex);
    while (team->done < team->group_count) {
        struct group *group = NULL;
        struct member *member = find_member(team, &group);
        if (member != NULL)
            run_member(team, group, member);
        else if ((group = find_group(team)) != NULL)
            run_group(team, group);
        else
            pthread_cond_wait(&team->changed, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

// --- The whole ---

// Whether each machine walks by itself: a front end has one launch at a time, and does not know
// what misses, or when.
static bool goes_apart(const struct team *team)
{
    const struct wm_session_options *options = team->options;
    return options->explain || options->clock || !options->memory ||
           wm_replay_is_concurrent(team->recording, options);
}

// The group of each variant, by the variant's place; returns how many there are.
static uint32_t find_groups(const struct wm_replay_variant *variants, uint32_t count, bool apart,
                            uint32_t *group_of)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t like = 0;
        while (like < i &&
               (apart || !wm_replay_same_front_end(variants[like].machine, variants[i].machine)))
            like++;
        group_of[i] = like < i ? group_of[like] : groups++;
    }
    return groups;
}

// The member takes what the leader keeps. Without memory for it they are alone.
static void follow_leader(struct member *member, struct member *leader)
{
    if (leader->shared == NULL)
        leader->shared = calloc(BATCHES, sizeof *leader->shared);
    if (leader->shared == NULL)
        return;
    member->leader = leader;
    member->takes_rows = wm_replay_same_rows(leader->variant->machine, member->variant->machine);
    for (int i = 0; i < BATCHES; i++) {
        leader->shared[i].keeps_rows |= member->takes_rows;
        leader->shared[i].keeps_below_requests |= !member->takes_rows;
    }
}

// Finds which machines of the group lead, and which follow which.
static void find_leaders(struct group *group)
{
    for (uint32_t i = 1; i < group->count && !group->direct; i++) {
        struct member *member = &group->members[i];
        for (uint32_t of = 0; of < i && member->leader == NULL; of++) {
            struct member *leader = &group->members[of];
            if (leader->leader == NULL &&
                wm_replay_same_l1s(leader->variant->machine, member->variant->machine))
                follow_leader(member, leader);
        }
    }
}

static void fill_groups(struct team *team, struct wm_replay_variant *variants, uint32_t threads,
                        const uint32_t *group_of)
{
    struct member *member = team->members;
    for (uint32_t g = 0; g < team->group_count; g++) {
        struct group *group = &team->groups[g];
        *group = (struct group){
            .batcher.pass_on = pass_on,
            .team = team,
            .members = member,
        };
        for (uint32_t i = 0; i < team->member_count; i++)
            if (group_of[i] == g)
                *member++ = (struct member){.variant = &variants[i]};
        group->count = (uint32_t)(member - group->members);
        // A machine alone gains by a front end of its own only where a thread is free for it.
        bool alone = group->count == 1 && threads <= team->group_count;
        group->direct = alone || goes_apart(team) ||
                        !wm_replay_can_share_front_end(group->members[0].variant->machine);
        find_leaders(group);
    }
}

static void run_team(struct team *team, uint32_t threads)
{
    uint64_t useful = (uint64_t)team->member_count + team->group_count;
    if (threads > useful)
        threads = (uint32_t)useful;
    pthread_t *others = calloc(threads, sizeof *others);
    uint32_t started = 0;
    // Without memory or threads for others this one does everything.
    while (others != NULL && started + 1 < threads &&
           pthread_create(&others[started], NULL, work, team) == 0)
        started++;
    work(team);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    free(others);
}

static enum wm_status outcome(const struct team *team, struct wm_error *error)
{
    for (uint32_t i = 0; i < team->member_count; i++) {
        const struct member *member = &team->members[i];
        if (member->variant != team->failed)
            continue;
        if (error != NULL)
            *error = member->error;
        return member->status;
    }
    return WM_OK;
}

enum wm_status wm_replay_many(struct wm_recording *recording, struct wm_replay_variant *variants,
                              uint32_t count, uint32_t threads,
                              const struct wm_session_options *options, struct wm_error *error)
{
    // Warps and caches by the hundred take turns, each with its few lines of the host's caches.
    wm_prefer_large_pages();
    struct team team = {
        .recording = recording, .options = options, .member_count = count, .threads = threads};
    uint32_t *group_of = calloc(count + UINT64_C(1), sizeof *group_of);
    team.members = calloc(count + UINT64_C(1), sizeof *team.members);
    team.groups = calloc(count + UINT64_C(1), sizeof *team.groups);
    enum wm_status status = WM_OK;
    if (group_of == NULL || team.members == NULL || team.groups == NULL)
        status = wm_fail_no_memory(error, "%u variants", count);
    if (status == WM_OK) {
        team.group_count = find_groups(variants, count, goes_apart(&team), group_of);
        fill_groups(&team, variants, threads, group_of);
        pthread_mutex_init(&team.mutex, NULL);
        pthread_cond_init(&team.changed, NULL);
        run_team(&team, threads);
        pthread_cond_destroy(&team.changed);
        pthread_mutex_destroy(&team.mutex);
        status = outcome(&team, error);
    }
    free(group_of);
    free(team.members);
    free(team.groups);
    return status;
}
