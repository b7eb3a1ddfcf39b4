// What a replay's recordings name of the program's memory, for the lines that several write.
#include "base/names/memory_names.h"
#include "base/containers/array.h"
#include "base/text/units.h"
#include "engine/replay/replay_parts.h"
#include "engine/session/session_state.h"
#include "trace/recording_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 64 };

static int by_address(const void *a, const void *b)
{
    const struct wm_memory_name *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

// Whether the last part that begins at an address or before it has it. Parts with names of their
// own do not overlap but where one program has several recordings.
static bool has_name(const struct wm_memory_name *named, size_t count, uint64_t address)
{
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (named[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && address - named[from - 1].address < named[from - 1].bytes;
}

// An allocation that has no name goes by its number among the recording's, and its size.
static enum wm_status name_allocation(const struct wm_recorded_event *event, uint64_t number,
                                      const struct wm_memory_name *named, size_t named_count,
                                      struct wm_memory_names *names, struct wm_error *error)
{
    char name[NAME_BYTES], size[32];
    if (has_name(named, named_count, event->address))
        return WM_OK;
    int length =
        snprintf(name, sizeof name, "allocation #%" PRIu64 " (%s)", number,
                 wm_units_round((double)event->bytes, WM_QUANTITY_BYTES, size, sizeof size));
    return wm_memory_names_add(names, event->address, event->bytes, name, (size_t)length)
               ? WM_OK
               : wm_fail_no_memory(error, "the names of allocations");
}

static enum wm_status name_allocations(struct wm_recording *recording,
                                       struct wm_memory_names *names, struct wm_error *error)
{
    struct wm_recorded_event event;
    struct wm_memory_name *named; // those with a name of their own, by address
    size_t named_count = names->count;
    uint64_t number = 0;
    WM_TRY(WM_ARRAY_NEW(named, named_count + 1, error, "the names of allocations"));
    if (named_count != 0)
        memcpy(named, names->items, named_count * sizeof *named);
    qsort(named, named_count, sizeof *named, by_address);
    enum wm_status status = WM_OK;
    for (bool more = true; status == WM_OK;) {
        status = wm_recording_next(recording, &event, &more, error);
        if (status != WM_OK || !more)
            break;
        if (event.kind == WM_RECORDED_ALLOCATE)
            status = name_allocation(&event, ++number, named, named_count, names, error);
    }
    free(named);
    return status;
}

enum wm_status wm_replay_name_memory(const struct wm_recording *recording,
                                     struct wm_session *session, struct wm_error *error)
{
    struct wm_memory_names *names = wm_session_memory_names(session);
    const struct wm_recording *cores = session->options.core_recording;
    struct wm_recording again;
    if (names == NULL)
        return WM_OK;
    WM_TRY(wm_recording_names(recording, names, error));
    if (cores != NULL)
        WM_TRY(wm_recording_names(cores, names, error));
    WM_TRY(wm_recording_open_again(&again, recording, error));
    enum wm_status status = name_allocations(&again, names, error);
    wm_recording_close(&again);
    return status;
}
