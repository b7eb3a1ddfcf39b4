// Host threads that wait for the device: see device_queue.h.
#include "cuda/device/device_queue_parts.h"

#include <time.h>

enum {
    STEPS_A_QUESTION = 256,
    GO_ON_MS = 100,
};

// A host thread that waits. On its stack; the worker takes it off.
struct wm_cuda_waiter {
    struct wm_cuda_waiter *next;
    uint64_t sequence;
    uint32_t steps; // it waits for no more of them; 0: for as many as it takes
    bool for_all;   // up to the sequence
    bool over;
};

static bool is_over(const struct wm_cuda_queue *queue, const struct wm_cuda_waiter *waiter)
{
    return waiter->for_all ? queue->completed >= waiter->sequence
                           : wm_cuda_queue_has_completed(queue, waiter->sequence);
}

void wm_cuda_notify_waiters(struct wm_cuda_queue *queue, uint32_t steps, bool completed)
{
    bool any = false;
    for (struct wm_cuda_waiter **link = &queue->waiters, *waiter; (waiter = *link) != NULL;) {
        bool out = waiter->steps != 0 && steps >= waiter->steps;
        waiter->steps -= waiter->steps != 0 && !out ? steps : 0;
        if (!out && !(completed && is_over(queue, waiter))) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        waiter->over = any = true;
    }
    if (any || completed)
        pthread_cond_broadcast(&queue->progress);
}

// Of a host thread that takes turns with the device: it gives its own away.
static void wait_by_turns(struct wm_cuda_queue *queue, const struct wm_cuda_waiter *waiter)
{
    while (!is_over(queue, waiter)) {
        pthread_mutex_unlock(queue->mutex);
        (waiter->steps != 0 ? queue->threads->yield : queue->threads->wait)();
        pthread_mutex_lock(queue->mutex);
        if (waiter->steps != 0)
            return;
    }
}

static void wait_for(struct wm_cuda_queue *queue, struct wm_cuda_waiter *waiter)
{
    if (queue->threads)
        wait_by_turns(queue, waiter);
    if (is_over(queue, waiter) || queue->threads)
        return;
    waiter->next = queue->waiters;
    queue->waiters = waiter;
    pthread_cond_signal(&queue->work);
    while (!waiter->over)
        pthread_cond_wait(&queue->progress, queue->mutex);
}

void wm_cuda_queue_wait(struct wm_cuda_queue *queue, uint64_t sequence)
{
    wait_for(queue, &(struct wm_cuda_waiter){.sequence = sequence});
}

void wm_cuda_queue_wait_for_all(struct wm_cuda_queue *queue, uint64_t sequence)
{
    wait_for(queue, &(struct wm_cuda_waiter){.sequence = sequence, .for_all = true});
}

// Whether the device runs only while a host thread waits for it.
static bool waits_for_host(const struct wm_cuda_queue *queue)
{
    return queue->side_by_side && queue->head && queue->head->sequence > queue->in_order_until;
}

static void take_off(struct wm_cuda_queue *queue, const struct wm_cuda_waiter *waiter)
{
    struct wm_cuda_waiter **link = &queue->waiters;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
}

bool wm_cuda_queue_advance(struct wm_cuda_queue *queue)
{
    if (!waits_for_host(queue))
        return false;
    if (queue->threads) {
        wait_for(queue,
                 &(struct wm_cuda_waiter){.sequence = queue->issued, .for_all = true, .steps = 1});
        return true;
    }
    struct wm_cuda_waiter waiter = {.next = queue->waiters,
                                    .sequence = queue->issued,
                                    .for_all = true,
                                    .steps = STEPS_A_QUESTION};
    struct timespec until;
    queue->waiters = &waiter;
    pthread_cond_signal(&queue->work);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += GO_ON_MS * 1000 * 1000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!waiter.over && pthread_cond_timedwait(&queue->progress, queue->mutex, &until) == 0)
        continue;
    if (!waiter.over)
        take_off(queue, &waiter);
    return true;
}

bool wm_cuda_queue_query(struct wm_cuda_queue *queue, uint64_t sequence)
{
    if (waits_for_host(queue) && !wm_cuda_queue_has_completed(queue, sequence))
        wait_for(queue, &(struct wm_cuda_waiter){.sequence = sequence, .steps = STEPS_A_QUESTION});
    return wm_cuda_queue_has_completed(queue, sequence);
}
