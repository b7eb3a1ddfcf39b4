#include "host_trace/thread_slots.h"

#include "host_trace/recorder.h"

#include <string.h>

struct wm_host_slot wm_host_slots[WM_HOST_MOST_THREADS];

static uint32_t used;

struct wm_host_slot *wm_host_self(void)
{
    return wm_host_thread == 0 ? NULL : &wm_host_slots[wm_host_thread - 1];
}

struct wm_host_slot *wm_host_slots_begin(void)
{
    used = 1;
    return &wm_host_slots[0];
}

uint32_t wm_host_slots_used(void)
{
    return used;
}

struct wm_host_slot *wm_host_slot_of(pthread_t thread)
{
    for (uint32_t i = 0; i < used; i++)
        if (wm_host_slots[i].state != WM_HOST_FREE &&
            pthread_equal(wm_host_slots[i].thread, thread))
            return &wm_host_slots[i];
    return NULL;
}

struct wm_host_slot *wm_host_slot_of_system_number(int number)
{
    for (uint32_t i = 0; i < used; i++)
        if (wm_host_slots[i].state != WM_HOST_FREE && wm_host_slots[i].system_number == number)
            return &wm_host_slots[i];
    return NULL;
}

struct wm_host_slot *wm_host_slot_free(void)
{
    uint32_t number = 0;
    while (number < WM_HOST_MOST_THREADS && wm_host_slots[number].state != WM_HOST_FREE)
        number++;
    if (number == WM_HOST_MOST_THREADS)
        return NULL;
    if (number >= used)
        used = number + 1;
    memset(&wm_host_slots[number], 0, sizeof wm_host_slots[number]);
    return &wm_host_slots[number];
}

struct wm_host_slot *wm_host_slot_first_timed(void)
{
    struct wm_host_slot *first = NULL;
    for (uint32_t i = 0; i < used; i++) {
        struct wm_host_slot *slot = &wm_host_slots[i];
        if (slot->state == WM_HOST_WAITING && slot->deadline != WM_HOST_NO_TIME &&
            (first == NULL || slot->deadline < first->deadline ||
             (slot->deadline == first->deadline && slot->since < first->since)))
            first = slot;
    }
    return first;
}

struct wm_host_slot *wm_host_slot_ready(const struct wm_host_slot *self, uint32_t *count)
{
    struct wm_host_slot *next = NULL;
    uint32_t number = wm_host_number(self);
    *count = 0;
    for (uint32_t i = 1; i <= used; i++) {
        struct wm_host_slot *slot = &wm_host_slots[(number + i) % used];
        if (slot->state != WM_HOST_READY)
            continue;
        *count += 1;
        if (next == NULL)
            next = slot;
    }
    return next;
}

uint32_t wm_host_waiting(const void *object)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < used; i++)
        count += wm_host_slots[i].state == WM_HOST_WAITING && wm_host_slots[i].object == object;
    return count;
}

struct wm_host_slot *wm_host_slot_first_waiting(const void *object)
{
    struct wm_host_slot *first = NULL;
    for (uint32_t i = 0; i < used; i++) {
        struct wm_host_slot *slot = &wm_host_slots[i];
        if (slot->state == WM_HOST_WAITING && slot->object == object &&
            (first == NULL || slot->since < first->since))
            first = slot;
    }
    return first;
}

void wm_host_slots_wake(enum wm_host_wait_for what)
{
    for (uint32_t i = 0; i < used; i++)
        if (wm_host_slots[i].state == WM_HOST_WAITING && wm_host_slots[i].waits_for == what)
            wm_host_slots[i].state = WM_HOST_READY;
}

bool wm_host_slots_others_left(const struct wm_host_slot *self)
{
    for (uint32_t i = 0; i < used; i++)
        if (&wm_host_slots[i] != self &&
            (wm_host_slots[i].state == WM_HOST_READY || wm_host_slots[i].state == WM_HOST_WAITING))
            return true;
    return false;
}
