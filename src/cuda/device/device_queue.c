#include "cuda/device/device_queue.h"

#include <signal.h>
#include <stdlib.h>

void wm_cuda_queue_init(struct wm_cuda_queue *queue, pthread_mutex_t *mutex, void *owner)
{
    *queue = (struct wm_cuda_queue){.mutex = mutex, .owner = owner};
    pthread_cond_init(&queue->work, NULL);
    pthread_cond_init(&queue->progress, NULL);
    atomic_init(&queue->pause_wanted, 0);
}

static void release_command(struct wm_cuda_command *command)
{
    if (command->release)
        command->release(command);
    else
        free(command);
}

static void *work(void *argument)
{
    struct wm_cuda_queue *queue = argument;
    pthread_mutex_lock(queue->mutex);
    for (;;) {
        while (!queue->head && !queue->stopping)
            pthread_cond_wait(&queue->work, queue->mutex);
        struct wm_cuda_command *command = queue->head;
        if (!command)
            break;
        queue->head = command->next;
        if (!queue->head)
            queue->tail = NULL;
        queue->in_memory = command->uses_memory;
        pthread_mutex_unlock(queue->mutex);
        command->execute(command, queue->owner);
        pthread_mutex_lock(queue->mutex);
        queue->in_memory = false;
        if (!queue->head || queue->head->sequence != command->sequence)
            queue->completed = command->sequence;
        release_command(command);
        pthread_cond_broadcast(&queue->progress);
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

void wm_cuda_queue_insert_begin(struct wm_cuda_queue *queue, const struct wm_cuda_command *after)
{
    queue->insert = &queue->head;
    queue->insert_sequence = after->sequence;
}

void wm_cuda_queue_insert_end(struct wm_cuda_queue *queue)
{
    queue->insert = NULL;
}

static uint64_t insert_command(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    command->sequence = queue->insert_sequence;
    command->next = *queue->insert;
    *queue->insert = command;
    queue->insert = &command->next;
    if (!command->next)
        queue->tail = command;
    return command->sequence;
}

uint64_t wm_cuda_queue_push(struct wm_cuda_queue *queue, struct wm_cuda_command *command)
{
    if (!queue->started && !start_worker(queue)) {
        release_command(command);
        return 0;
    }
    if (queue->insert)
        return insert_command(queue, command);
    command->next = NULL;
    command->sequence = ++queue->issued;
    if (queue->tail)
        queue->tail->next = command;
    else
        queue->head = command;
    queue->tail = command;
    pthread_cond_signal(&queue->work);
    return command->sequence;
}

void wm_cuda_queue_wait(struct wm_cuda_queue *queue, uint64_t sequence)
{
    while (queue->completed < sequence)
        pthread_cond_wait(&queue->progress, queue->mutex);
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

void wm_cuda_queue_between_turns(struct wm_cuda_queue *queue)
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
    pthread_mutex_unlock(queue->mutex);
    pthread_join(queue->worker, NULL);
    pthread_mutex_lock(queue->mutex);
    queue->started = false;
    queue->stopping = false;
}
