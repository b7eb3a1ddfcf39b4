// What several processes know of one event (cudaEventInterprocess): how often it was recorded, and
// how far that has completed, in a page that all of them map. Each pointer holds a
// reference. No function needs the process locked.
#ifndef WM_CUDA_SHARED_EVENT_H
#define WM_CUDA_SHARED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct wm_shared_event;

// One reference each; NULL when the host refuses. `file` is borrowed: another process's.
struct wm_shared_event *wm_shared_event_new(void);
struct wm_shared_event *wm_shared_event_open(int file);
struct wm_shared_event *wm_shared_event_retain(struct wm_shared_event *event);
void wm_shared_event_release(struct wm_shared_event *event); // NULL: nothing
// The file for wm_shared_event_open; belongs to the event.
int wm_shared_event_file(const struct wm_shared_event *event);

// A record was issued, by any process: its number, from 1. And it has completed.
uint32_t wm_shared_event_record(struct wm_shared_event *event);
void wm_shared_event_complete(struct wm_shared_event *event, uint32_t record);
// The last record that was issued; 0: none.
uint32_t wm_shared_event_last(const struct wm_shared_event *event);
bool wm_shared_event_is_complete(const struct wm_shared_event *event, uint32_t record);
enum wm_shared_event_state {
    WM_SHARED_EVENT_PENDING,
    WM_SHARED_EVENT_COMPLETE,
    WM_SHARED_EVENT_LOST, // the process that issued the last record has ended before
};
// Whether the record has completed, or never will: then it counts as completed from now on. That
// the other process has ended is found out within a tenth of a second of looks.
enum wm_shared_event_state wm_shared_event_look(struct wm_shared_event *event, uint32_t record);
// The same, after a tenth of a second at most, or as soon as the record has completed.
enum wm_shared_event_state wm_shared_event_wait(struct wm_shared_event *event, uint32_t record);

#endif
