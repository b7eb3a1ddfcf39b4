#include "host_trace/live.h"

#include "base/access/access.h"
#include "host_trace/code_places.h"
#include "host_trace/objects.h"
#include "host_trace/recorder.h"
#include "host_trace/variables.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 256 };

static const struct wm_host_threads_device *device; // NULL: there is none that takes turns

bool wm_host_is_live(void)
{
    return wm_host_recorder.takes != NULL;
}

enum { MOST_INSTRUCTIONS = UINT32_MAX };

// Of accesses and marks, of which one may be left that needs an entry by itself.
static struct wm_host_access buffered[WM_HOST_RECORDER_WORDS + 1];

static uint32_t kind_of(uint64_t word)
{
    if (wm_host_word_is_locked(word))
        return WM_ACCESS_ATOMIC;
    return wm_host_word_is_store(word) ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
}

// The buffered accesses as the cores make them; how many.
static size_t take_buffered(void)
{
    static uint32_t thread;
    size_t count = 0;
    struct wm_host_access next = {.kind = WM_HOST_PLAIN};
    wm_host_recorder_send_words();
    for (uint32_t i = 0; i < wm_host_recorder.count; i++) {
        uint64_t word = wm_host_recorder.words[i];
        uint32_t bytes = wm_host_word_bytes(word);
        enum wm_host_mark mark = bytes == 0 ? wm_host_word_mark(word) : WM_HOST_MARK_END;
        if (mark == WM_HOST_MARK_COUNTED) {
            uint64_t sum = next.instructions + wm_host_word_counted(word);
            next.instructions = sum < MOST_INSTRUCTIONS ? (uint32_t)sum : MOST_INSTRUCTIONS;
        } else if (mark == WM_HOST_MARK_FENCE || bytes != 0) {
            next.thread = (uint8_t)thread;
            next.kind = (uint8_t)(bytes != 0 ? kind_of(word) : WM_HOST_FENCE);
            next.address = bytes != 0 ? wm_host_word_address(word) : 0;
            next.bytes = (uint16_t)bytes;
            next.code = wm_host_recorder.codes[i];
            buffered[count++] = next;
            next = (struct wm_host_access){.kind = WM_HOST_PLAIN};
        } else if (mark == WM_HOST_MARK_ISSUES) {
            next.thread = (uint8_t)thread;
            next.kind = WM_HOST_ISSUES;
            next.address = wm_host_word_command(word);
            buffered[count++] = next;
            next = (struct wm_host_access){.kind = WM_HOST_PLAIN};
        } else if (mark == WM_HOST_MARK_THREAD) {
            next.thread = (uint8_t)thread;
            if (next.instructions != 0)
                buffered[count++] = next;
            thread = wm_host_word_thread(word);
            next = (struct wm_host_access){.kind = WM_HOST_PLAIN};
        }
    }
    next.thread = (uint8_t)thread;
    if (next.instructions != 0)
        buffered[count++] = next;
    wm_host_recorder.count = 0;
    return count;
}

// Of the thread that has handed the turn to the device, its number plus one.
static uint32_t holder;

static void send_buffered(void)
{
    device->access(buffered, take_buffered());
}

bool wm_host_is_timed(void)
{
    return device != NULL && device->timed;
}

bool wm_host_live_has_executed(void)
{
    for (uint32_t i = 0; i < wm_host_recorder.count; i++) {
        uint64_t word = wm_host_recorder.words[i];
        enum wm_host_mark mark = wm_host_word_mark(word);
        if (wm_host_word_bytes(word) != 0 || mark == WM_HOST_MARK_COUNTED ||
            mark == WM_HOST_MARK_FENCE)
            return true;
    }
    return wm_host_counted > 0;
}

enum wm_host_device_state wm_host_live_turn(struct wm_host_device_turn *turn)
{
    int reason = errno;
    enum wm_host_device_state state = WM_HOST_DEVICE_IDLE;
    holder = wm_host_thread;
    if (device->timed && wm_host_thread != 0 && wm_host_counted > 0)
        wm_host_put_counted(); // since its last access
    if (device->timed || device->has_work()) {
        size_t count = take_buffered();
        state = device->turn(buffered, count, turn);
    }
    errno = reason;
    return state;
}

void wm_host_live_call(void (*function)(void *argument), void *argument)
{
    wm_host_thread = holder;
    function(argument);
    wm_host_thread = 0;
}

// ---- Places of code ----------------------------------------------------------------------------

static bool add_object(void *places, uint64_t moved, const char *path)
{
    return wm_host_code_places_add_object(places, moved, path);
}

struct wm_host_code wm_host_live_describe_code(uint64_t code)
{
    static struct wm_host_code_places *places;
    bool fresh;
    if (places == NULL)
        places = wm_host_code_places_new();
    if (places != NULL)
        (void)wm_host_objects_visit(add_object, places); // without memory fewer are known
    uint32_t number = places != NULL ? wm_host_code_places_number(places, code, &fresh) : 0;
    if (number == 0)
        return (struct wm_host_code){.object = "", .offset = code};
    return wm_host_code_place(places, number);
}

static bool add_variables(void *variables, uint64_t moved, const char *path)
{
    return wm_host_variables_add_object(variables, moved, path);
}

void wm_host_live_visit_variables(void (*each)(void *context, uint64_t address, uint64_t bytes,
                                               const char *name),
                                  void *context)
{
    struct wm_host_variables *variables = wm_host_variables_new();
    size_t count = 0;
    if (variables == NULL)
        return;
    (void)wm_host_objects_visit(add_variables, variables); // without memory fewer are known
    const struct wm_host_variable *all = wm_host_variables_all(variables, &count);
    for (size_t i = 0; i < count; i++)
        each(context, all[i].address, all[i].bytes, all[i].name);
    wm_host_variables_free(variables);
}

void wm_host_live_describe_kernels(void)
{
    device->describe_kernels(STDERR_FILENO);
}

void wm_host_live_check_core(uint32_t thread)
{
    char what[MESSAGE_BYTES], hint[MESSAGE_BYTES];
    if (thread < device->cores)
        return;
    snprintf(what, sizeof what,
             "the program has %u threads at a time, and machine %.100s has %u CPU cores beside its "
             "SMs",
             thread + 1, device->machine, device->cores);
    snprintf(hint, sizeof hint, "give --set cpu.core.count=%u", thread + 1);
    wm_host_recorder_refuse(what, hint);
}

void wm_host_live_begin(const struct wm_host_threads_device *with)
{
    device = with;
    wm_host_recorder.takes = send_buffered;
}
