#include "cuda/stream/shared_event.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of all processes. Numbers of records may wrap around: their differences count.
struct state {
    _Atomic uint32_t recorded, completed;
    _Atomic pid_t recorder; // of the last record
};

struct wm_shared_event {
    atomic_uint references; // of this process
    int file;
    struct state *state;
};

struct wm_shared_event *wm_shared_event_open(int file)
{
    struct stat facts;
    struct wm_shared_event *event = calloc(1, sizeof *event);
    int own =
        event && fstat(file, &facts) == 0 && facts.st_size == sizeof(struct state) ? dup(file) : -1;
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
    event->state->recorder = getpid();
    return ++event->state->recorded;
}

uint32_t wm_shared_event_last(const struct wm_shared_event *event)
{
    return event->state->recorded;
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

bool wm_shared_event_wait(struct wm_shared_event *event, uint32_t record)
{
    static const struct timespec moment = {.tv_nsec = 100 * 1000 * 1000};
    for (;;) {
        uint32_t completed = event->state->completed;
        if ((int32_t)(completed - record) >= 0)
            return true;
        long woken =
            syscall(SYS_futex, &event->state->completed, FUTEX_WAIT, completed, &moment, NULL, 0);
        if (woken == 0 || errno != ETIMEDOUT || !has_ended(event->state->recorder))
            continue;
        if (wm_shared_event_is_complete(event, record))
            return true;
        wm_shared_event_complete(event, record);
        return false;
    }
}
