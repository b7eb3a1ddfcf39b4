// No thread can run: what each waits for, where it was called from, and where it was made. The
// lines of the source come from libdw where it is there (code_lines.h).
#include "host_trace/code_places.h"
#include "host_trace/live.h"
#include "host_trace/objects.h"
#include "host_trace/recorder.h"
#include "host_trace/turns.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_BYTES = 512 };

// --- Lines ---

static struct wm_host_code_places *places; // NULL: none are known

static bool add_object(void *to, uint64_t moved, const char *path)
{
    return wm_host_code_places_add_object(to, moved, path);
}

static void open_lines(void)
{
    places = wm_host_code_places_new();
    if (places != NULL)
        (void)wm_host_objects_visit(add_object, places); // without memory fewer are known
}

// Of the call that returns to `frame`; NULL where its source is not known.
static const char *line_at(const void *frame, uint32_t *line)
{
    bool fresh;
    uint32_t number =
        places != NULL ? wm_host_code_places_number(places, (uintptr_t)frame, &fresh) : 0;
    struct wm_host_code code = {.file = NULL};
    if (number != 0)
        code = wm_host_code_place(places, number);
    *line = code.line;
    return code.file;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Ours, and those of C and C++, which call for the program.
static bool is_of_a_library(const void *frame)
{
    static const char *const names[] = {"libwarpmem-host-trace.so", "libc.so", "libstdc++.so"};
    Dl_info object;
    if (dladdr(frame, &object) == 0 || object.dli_fname == NULL)
        return false;
    const char *name = last_part(object.dli_fname);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// The innermost call in a source of the program's own; else the object that it is in.
static void describe_place(void *const *frames, int count, char *place)
{
    uint32_t number = 0;
    int first = 0;
    Dl_info object;
    while (first < count && is_of_a_library(frames[first]))
        first++;
    for (int i = first; i < count && !is_of_a_library(frames[i]); i++) {
        const char *file = line_at(frames[i], &number);
        if (file != NULL && strncmp(file, "/usr/", 5) != 0) {
            snprintf(place, PLACE_BYTES, "%.400s:%" PRIu32, last_part(file), number);
            return;
        }
    }
    if (first < count && dladdr(frames[first], &object) != 0 && object.dli_fname != NULL)
        snprintf(place, PLACE_BYTES, "%.400s+0x%zx", last_part(object.dli_fname),
                 (size_t)((const char *)frames[first] - (const char *)object.dli_fbase));
    else
        snprintf(place, PLACE_BYTES, "a place that is not known");
}

// --- What is waited for ---

static const char *const waits[] = {
    [WM_HOST_WAIT_MUTEX] = "a mutex",
    [WM_HOST_WAIT_READ] = "a lock to read",
    [WM_HOST_WAIT_WRITE] = "a lock to write",
    [WM_HOST_WAIT_SPIN] = "a spin lock",
    [WM_HOST_WAIT_CONDITION] = "a condition variable",
    [WM_HOST_WAIT_BARRIER] = "a barrier",
    [WM_HOST_WAIT_SEMAPHORE] = "a semaphore",
    [WM_HOST_WAIT_ONCE] = "what is done once",
    [WM_HOST_WAIT_FUTEX] = "a futex",
    [WM_HOST_WAIT_END] = "the end",
    [WM_HOST_WAIT_DEVICE] = "the device",
};

// The thread that has what `slot` waits for; NULL where none is known to.
static const struct wm_host_slot *holder(const struct wm_host_slot *slot)
{
    int owner = 0;
    if (slot->waits_for == WM_HOST_WAIT_END)
        return slot->object;
    if (slot->waits_for == WM_HOST_WAIT_MUTEX)
        owner = ((const pthread_mutex_t *)slot->object)->__data.__owner;
    if (slot->waits_for == WM_HOST_WAIT_READ || slot->waits_for == WM_HOST_WAIT_WRITE)
        owner = ((const pthread_rwlock_t *)slot->object)->__data.__cur_writer;
    return owner != 0 ? wm_host_slot_of_system_number(owner) : NULL;
}

// One that is ready does nothing but look, in a loop (live.h).
static bool is_in_it(const struct wm_host_slot *slot)
{
    return slot->state == WM_HOST_WAITING || slot->state == WM_HOST_READY;
}

static void print_waiting(const struct wm_host_slot *slot)
{
    char where[PLACE_BYTES], made[PLACE_BYTES];
    bool ready = slot->state == WM_HOST_READY;
    const struct wm_host_slot *other = ready ? NULL : holder(slot);
    describe_place(slot->called_from, slot->frames, where);
    dprintf(STDERR_FILENO, "thread %u", wm_host_number(slot));
    if (slot != wm_host_slots) {
        describe_place(slot->created_at, slot->created_frames, made);
        dprintf(STDERR_FILENO, ", made by thread %u at %s,", slot->creator, made);
    }
    // One that sleeps is to wake, and has looked in between.
    bool sleeps = !ready && slot->waits_for == WM_HOST_WAIT_SLEEP;
    if (ready || sleeps) {
        dprintf(STDERR_FILENO, " waits in a loop%s at %s\n", sleeps ? " with sleeps" : "", where);
        return;
    }
    dprintf(STDERR_FILENO, " waits at %s for %s", where, waits[slot->waits_for]);
    if (slot->waits_for == WM_HOST_WAIT_END)
        dprintf(STDERR_FILENO, " of thread %u\n", wm_host_number(other));
    else if (other != NULL)
        dprintf(STDERR_FILENO, " that thread %u has\n", wm_host_number(other));
    else
        dprintf(STDERR_FILENO, "\n");
}

_Noreturn void wm_host_deadlock(struct wm_host_slot *self,
                                void (*note_calls)(struct wm_host_slot *self,
                                                   struct wm_host_slot *slot))
{
    dprintf(STDERR_FILENO, "error: %s: a deadlock: no thread can run\n", wm_host_recorder.mode);
    for (uint32_t i = 0; i < WM_HOST_MOST_THREADS; i++)
        if (is_in_it(&wm_host_slots[i]))
            note_calls(self, &wm_host_slots[i]);
    wm_host_recorder.channel =
        -1 - wm_host_recorder.channel; // what libdw calls is not the program's
    open_lines();
    for (uint32_t i = 0; i < WM_HOST_MOST_THREADS; i++)
        if (is_in_it(&wm_host_slots[i]))
            print_waiting(&wm_host_slots[i]);
    if (wm_host_is_live())
        wm_host_live_describe_kernels();
    wm_host_recorder.channel = -1 - wm_host_recorder.channel;
    dprintf(STDERR_FILENO,
            "hint: have someone wake them; -g gives lines of the source. Threads wait for each "
            "other alone: not for other processes, nor for signals\n");
    wm_host_recorder_end_refused();
}
