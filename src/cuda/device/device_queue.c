#include "cuda/device/device_queue.h"
#include "cuda/device/device_queue_parts.h"

#include "base/containers/array.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_PENDING = 1024, // side by side; drivers hold about as many launches before a call waits
    LONG_MS = 500,       // without a call: then a host that watches memory may wait for the device
    POLL_US = 50,        // between looks at what only the host can end
};

static bool is_of_kind(clockid_t kind, pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    bool good = pthread_condattr_init(&attributes) == 0;
    good = good && pthread_condattr_setclock(&attributes, kind) == 0;
    return good && pthread_cond_init(condition, &attributes) == 0;
}

void wm_cuda_queue_init(struct wm_cuda_queue *queue, pthread_mutex_t *mutex,
                        const struct wm_cuda_queue_owner *owner)
{
    *queue = (struct wm_cuda_queue){.mutex = mutex, .owner = *owner};
    if (!is_of_kind(CLOCK_MONOTONIC, &queue->work))
        pthread_cond_init(&queue->work, NULL);
    pthread_cond_init(&queue->progress, NULL);
    sem_init(&queue->turn_begins, 0, 0);
    sem_init(&queue->turn_ends, 0, 0);
    atomic_init(&queue->pause_wanted, 0);
}

static void release_command(struct wm_cuda_command *command)
{
    free(command->behind);
    free(command->note);
    command->behind = NULL;
    command->note = NULL;
    if (command->release)
        command->release(command);
    else
        free(command);
}

// ---- What has completed ------------------------------------------------------------------------

static struct wm_cuda_command *find_pending(const struct wm_cuda_queue *queue, uint64_t sequence)
{
    for (struct wm_cuda_command *at = queue->head; at && at->sequence <= sequence; at = at->next)
        if (at->sequence == sequence)
            return at;
    return NULL;
}

bool wm_cuda_queue_has_completed(const struct wm_cuda_queue *queue, uint64_t sequence)
{
    return sequence <= queue->completed || !find_pending(queue, sequence);
}

static void unlink_command(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    struct wm_cuda_command **link = &queue->head, *before = NULL;
    while (*link != command) {
        before = *link;
        link = &before->next;
    }
    *link = command->next;
    if (queue->tail == command)
        queue->tail = before;
    queue->pending--;
    queue->completed = queue->head ? queue->head->sequence - 1 : queue->issued;
}

static void complete(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    unlink_command(queue, command);
    for (uint32_t i = 0; i < command->behind_count; i++) {
        struct wm_cuda_command *behind = command->behind[i];
        behind->waits_for--;
        if (behind->begin_ps < command->end_ps)
            behind->begin_ps = command->end_ps;
    }
    if (queue->time_ps < command->end_ps)
        queue->time_ps = command->end_ps;
    queue->completions++;
    release_command(command);
    wm_cuda_notify_waiters(queue, 0, true);
}

// ---- The worker --------------------------------------------------------------------------------

// The worker no longer uses device memory: wakes the threads that wait for that, as it may be long
// until the next command completes.
static void leave_memory(struct wm_cuda_queue *queue)
{
    queue->in_memory = false;
    if (atomic_load(&queue->pause_wanted) > 0)
        pthread_cond_broadcast(&queue->progress);
}

// Runs a command, or its begin, without the mutex.
static void run_command(struct wm_cuda_queue *queue, struct wm_cuda_command *command, bool begins)
{
    command->end_ps = command->begin_ps;
    queue->in_memory = command->uses_memory;
    pthread_mutex_unlock(queue->mutex);
    if (command->note)
        queue->owner.note(queue->owner.context, command);
    (begins ? command->begin : command->execute)(command, queue->owner.context);
    pthread_mutex_lock(queue->mutex);
    leave_memory(queue);
}

static void run_first(struct wm_cuda_queue *queue)
{
    struct wm_cuda_command *command = queue->head;
    command->begin_ps = queue->time_ps;
    run_command(queue, command, false);
    complete(queue, command);
}

static struct wm_cuda_command *find_ready(const struct wm_cuda_queue *queue)
{
    if (queue->one_at_a_time)
        return queue->head && !queue->head->under_way ? queue->head : NULL;
    for (struct wm_cuda_command *at = queue->head; at; at = at->next)
        if (at->waits_for == 0 && !at->under_way)
            return at;
    return NULL;
}

static void complete_ended(struct wm_cuda_queue *queue)
{
    for (struct wm_cuda_command *at = queue->head, *next; at; at = next) {
        next = at->next;
        if (at->under_way && at->has_ended(at, queue->owner.context))
            complete(queue, at);
    }
}

static void wait_a_while(struct wm_cuda_queue *queue, uint64_t microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t ns = (uint64_t)until.tv_nsec + microseconds * 1000;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    if (pthread_cond_timedwait(&queue->work, queue->mutex, &until) != 0 && microseconds > POLL_US)
        queue->host_polls_idle = true;
}

// Begins every command that may begin, then takes a step of the engine.
static void run_side_by_side(struct wm_cuda_queue *queue)
{
    struct wm_cuda_command *ready = find_ready(queue);
    if (ready && ready->begin) {
        ready->under_way = true;
        run_command(queue, ready, true);
        complete_ended(queue);
    } else if (ready) {
        ready->under_way = true;
        run_command(queue, ready, false);
        ready->under_way = false;
        complete(queue, ready);
    } else {
        queue->in_memory = true;
        pthread_mutex_unlock(queue->mutex);
        bool stepped = queue->owner.step(queue->owner.context);
        pthread_mutex_lock(queue->mutex);
        leave_memory(queue);
        complete_ended(queue);
        // A word that only the host writes.
        if (!stepped && queue->head && !find_ready(queue) && !queue->threads)
            wait_a_while(queue, POLL_US);
        wm_cuda_notify_waiters(queue, 1, false);
    }
}

static bool any_under_way(const struct wm_cuda_queue *queue)
{
    for (const struct wm_cuda_command *at = queue->head; at; at = at->next)
        if (at->under_way)
            return true;
    return false;
}

static void hand_over_accesses(struct wm_cuda_queue *queue, const struct wm_cuda_turn *turn)
{
    queue->in_memory = true;
    pthread_mutex_unlock(queue->mutex);
    queue->owner.access(queue->owner.context, turn->accesses, turn->count);
    pthread_mutex_lock(queue->mutex);
    leave_memory(queue);
    complete_ended(queue);
}

// Time goes on until the turn has ended, or something has completed.
static void run_turn_in_time(struct wm_cuda_queue *queue, struct wm_cuda_turn *turn)
{
    struct wm_host_device_turn *in_time = turn->in_time;
    uint64_t before = queue->completions;
    turn->state = WM_HOST_DEVICE_RAN;
    while (turn->state == WM_HOST_DEVICE_RAN) {
        while (find_ready(queue))
            run_side_by_side(queue);
        if (queue->completions != before)
            return;
        queue->in_memory = true;
        pthread_mutex_unlock(queue->mutex);
        turn->state = queue->owner.advance(queue->owner.context, in_time);
        pthread_mutex_lock(queue->mutex);
        leave_memory(queue);
        complete_ended(queue);
        wm_cuda_notify_waiters(queue, 1, false);
        if (in_time->next != WM_HOST_ANY_THREAD || in_time->now >= in_time->deadline)
            return;
    }
}

// The turn of the device that a host thread waits for: what may begin begins, and the engine takes
// a step. One that the accesses have taken is all of them.
static void run_turn(struct wm_cuda_queue *queue)
{
    struct wm_cuda_turn *turn = queue->turn;
    bool stepped = turn->count > 0 && any_under_way(queue);
    if (turn->count > 0)
        hand_over_accesses(queue, turn);
    if (turn->in_time)
        run_turn_in_time(queue, turn);
    while (turn->runs && !turn->in_time && find_ready(queue))
        run_side_by_side(queue);
    if (turn->runs && !turn->in_time && queue->head && !stepped)
        run_side_by_side(queue);
}

static void await(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        continue; // a signal
}

// Not by the condition variables: who is woken while the other has the mutex waits once more.
static void run_turns(struct wm_cuda_queue *queue)
{
    while (!queue->stopping) {
        pthread_mutex_unlock(queue->mutex);
        await(&queue->turn_begins);
        pthread_mutex_lock(queue->mutex);
        if (!queue->turn)
            continue;
        run_turn(queue);
        queue->turn = NULL;
        pthread_mutex_unlock(queue->mutex);
        sem_post(&queue->turn_ends);
        pthread_mutex_lock(queue->mutex);
    }
}

static bool may_run(const struct wm_cuda_queue *queue)
{
    return queue->waiters || queue->stopping || queue->host_polls_idle;
}

static void *work(void *argument)
{
    struct wm_cuda_queue *queue = argument;
    pthread_mutex_lock(queue->mutex);
    while (queue->head || !queue->stopping) {
        bool in_order =
            !queue->side_by_side || (queue->head && queue->head->sequence <= queue->in_order_until);
        if (queue->threads && !queue->stopping)
            run_turns(queue);
        else if (!queue->head)
            pthread_cond_wait(&queue->work, queue->mutex);
        else if (in_order)
            run_first(queue);
        else if (may_run(queue))
            run_side_by_side(queue);
        else if (queue->owner.is_watched(queue->owner.context))
            wait_a_while(queue, UINT64_C(1000) * LONG_MS);
        else
            pthread_cond_wait(&queue->work, queue->mutex);
    }
    pthread_mutex_unlock(queue->mutex);
    return NULL;
}

// Signals are for the program's own threads: its handlers must not run on a thread it does not
// know of. What the thread itself does wrong (a host function, a copy from a bad host pointer)
// stays its own.
static bool start_worker(struct wm_cuda_queue *queue)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    queue->started = pthread_create(&queue->worker, NULL, work, queue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return queue->started;
}

// ---- Pushing -----------------------------------------------------------------------------------

static bool add_behind(struct wm_cuda_command *first, struct wm_cuda_command *command)
{
    if (!WM_ARRAY_ADD(first->behind, first->behind_count, first->behind_room, command))
        return false;
    command->waits_for++;
    return true;
}

// Releases a command that is not going to be pushed.
static void forget(struct wm_cuda_queue *queue, const struct wm_cuda_command *command)
{
    for (struct wm_cuda_command *at = queue->head; at; at = at->next)
        while (at->behind_count > 0 && at->behind[at->behind_count - 1] == command)
            at->behind_count--;
}

bool wm_cuda_sequences_add(struct wm_cuda_sequences *list, uint64_t sequence)
{
    return WM_ARRAY_ADD(list->items, list->count, list->capacity, sequence);
}

// Notes what the command is behind, and what the host has waited for since the last one.
static bool make_note(struct wm_cuda_queue *queue, struct wm_cuda_command *command,
                      const uint64_t *sequences, size_t count, bool behind_all)
{
    if (!queue->records_order || command->excluded_from_order)
        return true;
    struct wm_cuda_order_record *note =
        malloc(sizeof *note + (count + 1 + queue->ended.count) * sizeof note->sequences[0]);
    if (!note)
        return false;
    *note = (struct wm_cuda_order_record){.behind_all = behind_all || command->ended_by_others,
                                          .ended_up_to = queue->ended_up_to,
                                          .behind_count = count + 1,
                                          .ended_count = queue->ended.count};
    note->sequences[0] = queue->fence;
    if (count > 0)
        memcpy(note->sequences + 1, sequences, count * sizeof *sequences);
    if (queue->ended.count > 0)
        memcpy(note->sequences + 1 + count, queue->ended.items,
               queue->ended.count * sizeof *sequences);
    queue->ended.count = 0;
    command->note = note;
    return true;
}

// For a recording of the host threads that take turns: the calling one knows that those up to the
// command have completed, which run one after the other.
static void note_awaited(struct wm_cuda_queue *queue, uint64_t sequence)
{
    if (queue->one_at_a_time && sequence != 0 && !wm_cuda_queue_is_worker(queue))
        queue->threads->awaited(sequence);
}

bool wm_cuda_queue_note_end(struct wm_cuda_queue *queue, uint64_t sequence)
{
    note_awaited(queue, sequence);
    bool known = !queue->records_order || sequence <= queue->ended_up_to;
    for (size_t i = 0; i < queue->ended.count && !known; i++)
        known = queue->ended.items[i] == sequence;
    return known || wm_cuda_sequences_add(&queue->ended, sequence);
}

void wm_cuda_queue_note_end_of_all(struct wm_cuda_queue *queue, uint64_t sequence)
{
    note_awaited(queue, sequence);
    if (!queue->records_order || sequence < queue->ended_up_to)
        return;
    queue->ended_up_to = sequence;
    size_t kept = 0;
    for (size_t i = 0; i < queue->ended.count; i++)
        if (queue->ended.items[i] > sequence)
            queue->ended.items[kept++] = queue->ended.items[i];
    queue->ended.count = kept;
}

static uint64_t append(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    command->next = NULL;
    command->sequence = ++queue->issued;
    command->begin_ps = queue->time_ps;
    if (queue->tail)
        queue->tail->next = command;
    else
        queue->head = command;
    queue->tail = command;
    queue->pending++;
    queue->host_polls_idle = false;
    pthread_cond_signal(&queue->work);
    if (queue->threads && !wm_cuda_queue_is_worker(queue) &&
        queue->threads->issued(command->sequence)) {
        command->awaits_core = true;
        command->waits_for++;
    }
    return command->sequence;
}

// The number before is its: they run one after the other.
static uint64_t insert(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    struct wm_cuda_command *before = queue->insert;
    if (!make_note(queue, command, &before->sequence, 1, false) || !add_behind(before, command)) {
        release_command(command);
        return 0;
    }
    command->sequence = queue->insert_sequence;
    command->next = before->next;
    before->next = command;
    if (queue->tail == before)
        queue->tail = command;
    queue->pending++;
    queue->insert = command;
    return command->sequence;
}

uint64_t wm_cuda_queue_give_up(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    forget(queue, command);
    release_command(command);
    return 0;
}

void wm_cuda_queue_make_room(struct wm_cuda_queue *queue)
{
    // The worker pushes, too, as it releases a command: what it waited for it would have to run.
    while (queue->side_by_side && queue->pending >= MOST_PENDING && !wm_cuda_queue_is_worker(queue))
        wm_cuda_queue_wait(queue, queue->head->sequence);
}

static uint64_t push(struct wm_cuda_queue *queue, struct wm_cuda_command *command,
                     const uint64_t *sequences, size_t count, bool behind_all)
{
    if (!queue->started && !start_worker(queue))
        return wm_cuda_queue_give_up(queue, command);
    if (queue->insert)
        return insert(queue, command);
    if (!make_note(queue, command, sequences, count, behind_all))
        return wm_cuda_queue_give_up(queue, command);
    for (size_t i = 0; queue->side_by_side && i < count + 1; i++) {
        uint64_t sequence = i < count ? sequences[i] : queue->fence;
        struct wm_cuda_command *first =
            sequence > queue->completed ? find_pending(queue, sequence) : NULL;
        // Of several with one number the last ends last.
        while (first && first->next && first->next->sequence == sequence)
            first = first->next;
        if (first && !add_behind(first, command))
            return wm_cuda_queue_give_up(queue, command);
    }
    return append(queue, command);
}

uint64_t wm_cuda_queue_push_behind(struct wm_cuda_queue *queue, struct wm_cuda_command *command,
                                   const uint64_t *sequences, size_t count)
{
    return push(queue, command, sequences, count, false);
}

uint64_t wm_cuda_queue_push(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    wm_cuda_queue_make_room(queue); // first: what comes meanwhile is before it, too
    bool behind = queue->side_by_side && !queue->insert;
    bool orders =
        (behind || queue->records_order) && !command->excluded_from_order && !queue->insert;
    for (struct wm_cuda_command *at = behind ? queue->head : NULL; at; at = at->next)
        if (!add_behind(at, command))
            return wm_cuda_queue_give_up(queue, command);
    uint64_t sequence = push(queue, command, NULL, 0, true);
    if (sequence != 0 && orders)
        queue->fence = sequence;
    return sequence;
}

void wm_cuda_queue_insert_begin(struct wm_cuda_queue *queue, struct wm_cuda_command *after)
{
    queue->insert = after;
    queue->insert_sequence = after->sequence;
}

// What waits for `after`, the first one inserted aside, waits for the last one inserted.
void wm_cuda_queue_insert_end(struct wm_cuda_queue *queue, struct wm_cuda_command *after)
{
    struct wm_cuda_command *last = queue->insert;
    queue->insert = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; last != after && i < after->behind_count; i++) {
        struct wm_cuda_command *behind = after->behind[i];
        if (behind == after->next || !add_behind(last, behind))
            after->behind[kept++] = behind;
        else
            behind->waits_for--;
    }
    if (last != after)
        after->behind_count = kept;
}

void wm_cuda_queue_run_side_by_side(struct wm_cuda_queue *queue)
{
    if (queue->side_by_side)
        return;
    queue->side_by_side = true;
    queue->in_order_until = queue->issued;
}

void wm_cuda_queue_record_order(struct wm_cuda_queue *queue)
{
    if (!queue->records_order)
        queue->ended_up_to = queue->issued;
    queue->records_order = true;
}

// ---- Turns of host threads and the device ------------------------------------------------------

bool wm_cuda_queue_take_turns(struct wm_cuda_queue *queue, const struct wm_host_threads *threads,
                              bool one_at_a_time)
{
    queue->threads = threads;
    queue->one_at_a_time = one_at_a_time;
    wm_cuda_queue_run_side_by_side(queue);
    if (one_at_a_time)
        wm_cuda_queue_record_order(queue);
    pthread_cond_signal(&queue->work);
    return queue->started || start_worker(queue);
}

void wm_cuda_queue_turn(struct wm_cuda_queue *queue, struct wm_cuda_turn *turn)
{
    uint64_t before = queue->completions;
    queue->turn = turn;
    pthread_mutex_unlock(queue->mutex);
    sem_post(&queue->turn_begins);
    await(&queue->turn_ends);
    pthread_mutex_lock(queue->mutex);
    turn->completed = queue->completions != before;
}

void wm_cuda_queue_let_begin(struct wm_cuda_queue *queue, uint64_t sequence)
{
    struct wm_cuda_command *command = find_pending(queue, sequence);
    if (!command || !command->awaits_core)
        return;
    command->awaits_core = false;
    command->waits_for--;
}

bool wm_cuda_queue_is_worker(const struct wm_cuda_queue *queue)
{
    return queue->started && pthread_equal(queue->worker, pthread_self());
}

void wm_cuda_queue_pause_begin(struct wm_cuda_queue *queue)
{
    atomic_fetch_add(&queue->pause_wanted, 1);
    while (queue->in_memory && !queue->paused)
        pthread_cond_wait(&queue->progress, queue->mutex);
}

void wm_cuda_queue_pause_end(struct wm_cuda_queue *queue)
{
    atomic_fetch_sub(&queue->pause_wanted, 1);
    pthread_cond_broadcast(&queue->progress);
}

void wm_cuda_queue_at_safe_point(struct wm_cuda_queue *queue)
{
    if (atomic_load_explicit(&queue->pause_wanted, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(queue->mutex);
    queue->paused = true;
    pthread_cond_broadcast(&queue->progress);
    while (atomic_load(&queue->pause_wanted) > 0)
        pthread_cond_wait(&queue->progress, queue->mutex);
    queue->paused = false;
    pthread_mutex_unlock(queue->mutex);
}

void wm_cuda_queue_stop(struct wm_cuda_queue *queue)
{
    if (!queue->started)
        return;
    queue->stopping = true;
    pthread_cond_signal(&queue->work);
    sem_post(&queue->turn_begins);
    pthread_mutex_unlock(queue->mutex);
    pthread_join(queue->worker, NULL);
    pthread_mutex_lock(queue->mutex);
    queue->started = false;
    queue->stopping = false;
}
