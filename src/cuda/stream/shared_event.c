#include "cuda/stream/shared_event.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT_NS = 100 * 1000 * 1000 };

// Of all processes. Numbers of records may wrap around: their differences count.
struct state {
    // The last record: its number, and above it the process that issued it. In one word: a process
    // that reads it must not get the number of one record and the process of another.
    _Atomic uint64_t last;
    _Atomic uint32_t completed;
};

struct wm_shared_event {
    atomic_uint references; // of this process
    int file;
    struct state *state;
    _Atomic uint64_t looked_ns; // when this process last looked whether the recorder is there
};

static uint32_t number_of(uint64_t last)
{
    return (uint32_t)last;
}

static pid_t recorder_of(uint64_t last)
{
    return (pid_t)(last >> 32);
}

struct wm_shared_event *wm_shared_event_open(int file)
{
    struct stat facts;
    struct wm_shared_event *event = calloc(1, sizeof *event);
    bool good = event && fstat(file, &facts) == 0 && facts.st_size == sizeof(struct state);
    int own = good ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
    void *state = own >= 0
                      ? mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, own, 0)
                      : MAP_FAILED;
    if (state == MAP_FAILED) {
        if (own >= 0)
            close(own);
        free(event);
        return NULL;
    }
    event->references = 1;
    event->file = own;
    event->state = state;
    return event;
}

struct wm_shared_event *wm_shared_event_new(void)
{
    int file = memfd_create("warpmem-shared-event", MFD_CLOEXEC);
    struct wm_shared_event *event = NULL;
    if (file >= 0 && ftruncate(file, sizeof(struct state)) == 0)
        event = wm_shared_event_open(file);
    if (file >= 0)
        close(file);
    return event;
}

struct wm_shared_event *wm_shared_event_retain(struct wm_shared_event *event)
{
    event->references++;
    return event;
}

void wm_shared_event_release(struct wm_shared_event *event)
{
    if (!event || --event->references > 0)
        return;
    munmap(event->state, sizeof *event->state);
    close(event->file);
    free(event);
}

int wm_shared_event_file(const struct wm_shared_event *event)
{
    return event->file;
}

uint32_t wm_shared_event_record(struct wm_shared_event *event)
{
    uint64_t before = event->state->last, last;
    do
        last = (uint64_t)getpid() << 32 | (uint32_t)(number_of(before) + 1);
    while (!atomic_compare_exchange_weak(&event->state->last, &before, last));
    return number_of(last);
}

uint32_t wm_shared_event_last(const struct wm_shared_event *event)
{
    return number_of(event->state->last);
}

bool wm_shared_event_is_complete(const struct wm_shared_event *event, uint32_t record)
{
    return (int32_t)(event->state->completed - record) >= 0;
}

void wm_shared_event_complete(struct wm_shared_event *event, uint32_t record)
{
    uint32_t completed = event->state->completed;
    while ((int32_t)(completed - record) < 0 &&
           !atomic_compare_exchange_weak(&event->state->completed, &completed, record))
        continue;
    syscall(SYS_futex, &event->state->completed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

// A process that has ended may still be there for its parent to look at: state Z.
static bool has_ended(pid_t process)
{
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *file = fopen(path, "re");
    if (!file)
        return kill(process, 0) != 0 && errno == ESRCH;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')'); // of the program's name
    return end && (end[1] == ' ') && (end[2] == 'Z' || end[2] == 'X');
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

enum wm_shared_event_state wm_shared_event_look(struct wm_shared_event *event, uint32_t record)
{
    if (wm_shared_event_is_complete(event, record))
        return WM_SHARED_EVENT_COMPLETE;
    uint64_t now = now_ns(), looked = event->looked_ns;
    if (now - looked < MOMENT_NS)
        return WM_SHARED_EVENT_PENDING;
    event->looked_ns = now;
    if (!has_ended(recorder_of(event->state->last)))
        return WM_SHARED_EVENT_PENDING;
    if (wm_shared_event_is_complete(event, record))
        return WM_SHARED_EVENT_COMPLETE;
    wm_shared_event_complete(event, record);
    return WM_SHARED_EVENT_LOST;
}

enum wm_shared_event_state wm_shared_event_wait(struct wm_shared_event *event, uint32_t record)
{
    static const struct timespec moment = {.tv_nsec = MOMENT_NS};
    uint32_t completed = event->state->completed;
    if ((int32_t)(completed - record) < 0)
        syscall(SYS_futex, &event->state->completed, FUTEX_WAIT, completed, &moment, NULL, 0);
    return wm_shared_event_look(event, record);
}
